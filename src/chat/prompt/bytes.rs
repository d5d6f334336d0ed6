//! Encoded elements of an array, in chunks that requests on their way share.

use std::ops::Range;
use std::sync::Arc;

/// A chunk that is this long grows no more; a request copies what is shorter into its writes.
const CHUNK_BYTES_MAX: usize = 64 * 1024;

/// What a place is marked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Of use only to the model that made it.
    Own,
    /// `null` where there is no text.
    NoContent,
}

/// A marked place: the chunk, and the bytes in it.
#[derive(Debug)]
struct Marked {
    mark: Mark,
    chunk: usize,
    range: Range<usize>,
}

/// Marks of one element, with places in the buffer it was written to.
pub(super) type Marks = Vec<(Mark, Range<usize>)>;

/// The elements.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    /// Elements with commas between those of one chunk.
    chunks: Vec<Arc<Vec<u8>>>,
    /// In the order of their places.
    marked: Vec<Marked>,
    len: usize,
}

impl Bytes {
    /// Appends what `encode` writes: one or more elements.
    pub(super) fn append(&mut self, encode: impl FnOnce(&mut Vec<u8>, &mut Marks)) {
        // A chunk that a request still holds stays as it is.
        let has_room = self
            .chunks
            .last_mut()
            .is_some_and(|last| last.len() < CHUNK_BYTES_MAX && Arc::get_mut(last).is_some());
        if !has_room {
            self.chunks.push(Arc::default());
        }
        let chunk = self.chunks.len() - 1;
        let Some(bytes) = self.chunks.last_mut().map(Arc::make_mut) else {
            return;
        };
        let before = bytes.len();
        if before > 0 {
            bytes.push(b',');
        }
        let mut marks = Marks::new();
        encode(bytes, &mut marks);
        self.len += bytes.len() - before;
        for (mark, range) in marks {
            self.marked.push(Marked { mark, chunk, range });
        }
    }

    /// Appends an element that is encoded already.
    pub(super) fn take_chunk(&mut self, encoded: Arc<Vec<u8>>) {
        if encoded.len() < CHUNK_BYTES_MAX / 4 {
            self.append(|out, _| out.extend_from_slice(&encoded));
        } else {
            self.len += encoded.len();
            self.chunks.push(encoded);
        }
    }

    /// Bytes in all.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn chunks(&self) -> impl Iterator<Item = &Arc<Vec<u8>>> {
        self.chunks.iter()
    }

    /// Whether any place has the mark.
    pub(super) fn has(&self, mark: Mark) -> bool {
        self.marked.iter().any(|marked| marked.mark == mark)
    }

    /// Puts `with` in every place that has the mark, and forgets the mark.
    pub(super) fn replace(&mut self, mark: Mark, with: &[u8]) {
        if !self.has(mark) {
            return;
        }
        let mut marked = std::mem::take(&mut self.marked).into_iter().peekable();
        for (number, chunk) in self.chunks.iter_mut().enumerate() {
            let mut new = Vec::new();
            let mut from = 0;
            while let Some(next) = marked.next_if(|next| next.chunk == number) {
                let until = if next.mark == mark {
                    next.range.start
                } else {
                    next.range.end
                };
                new.extend_from_slice(chunk.get(from..until).unwrap_or_default());
                from = next.range.end;
                if next.mark == mark {
                    new.extend_from_slice(with);
                } else {
                    let length = next.range.len();
                    self.marked.push(Marked {
                        range: new.len() - length..new.len(),
                        ..next
                    });
                }
            }
            if from > 0 {
                new.extend_from_slice(chunk.get(from..).unwrap_or_default());
                self.len = self.len + new.len() - chunk.len();
                *chunk = Arc::new(new);
            }
        }
    }
}
