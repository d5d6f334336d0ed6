//! Lone halves of surrogate pairs at the edges of strings, so that a stream can join them.
//!
//! A server that cuts its answer between the two `\u` escapes of one character sends `"…\ud83d"` in one
//! delta and `"\ude80…"` in the next. Alone each is U+FFFD; together they are a rocket.

use super::value::Value;

/// More lone halves than this in one text are not kept; they stay U+FFFD.
const HALVES_MAX: usize = 256;
/// A half whose path would be longer is not kept.
const PATH_BYTES_MAX: usize = 4_096;

/// Which edge of a string a lone half stands at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// The string's last character is U+FFFD for a high half, D800–DBFF.
    EndsHigh,
    /// The string's first character is U+FFFD for a low half, DC00–DFFF.
    BeginsLow,
}

/// A string value that begins or ends in the middle of a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Half {
    /// JSON pointer (RFC 6901) to the string.
    pub(crate) path: String,
    pub(crate) edge: Edge,
    /// The UTF-16 unit that was there.
    pub(crate) unit: u16,
}

impl Half {
    /// The character of a high half that ends one string and a low half that begins the next; `None` if they
    /// are not that.
    pub(crate) fn join(high: u16, low: u16) -> Option<char> {
        match char::decode_utf16([high, low]).next() {
            Some(Ok(joined)) if joined > '\u{ffff}' => Some(joined),
            _ => None,
        }
    }
}

/// A half whose path grows, innermost segment first, as the containers around it end.
struct Open {
    /// Index in the container that is being read.
    place: usize,
    segments: Vec<String>,
    bytes: usize,
    edge: Edge,
    unit: u16,
}

/// The halves of a text while it is parsed. Not asked to keep them, it stays empty and costs nothing.
pub(super) struct Keeper {
    is_keeping: bool,
    open: Vec<Open>,
}

impl Keeper {
    pub(super) fn new(is_keeping: bool) -> Self {
        Self {
            is_keeping,
            open: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Forgets what came since `len`: halves in keys, and in members that a later one replaced.
    pub(super) fn forget(&mut self, len: usize) {
        self.open.truncate(len);
    }

    /// Notes a half of the string that is being read.
    pub(super) fn note(&mut self, edge: Edge, unit: u16) {
        if self.is_keeping && self.open.len() < HALVES_MAX {
            self.open.push(Open {
                place: 0,
                segments: Vec::new(),
                bytes: 0,
                edge,
                unit,
            });
        }
    }

    /// Says that the halves since `len` are in child number `place` of the container being read.
    pub(super) fn place(&mut self, len: usize, place: usize) {
        for half in self.open.iter_mut().skip(len) {
            half.place = place;
        }
    }

    /// An array ended in which the halves since `len` are.
    pub(super) fn end_array(&mut self, len: usize) {
        for half in self.open.iter_mut().skip(len) {
            half.segments.push(half.place.to_string());
        }
    }

    /// An object ended in which the halves since `len` are; members that a later equal key replaces lose theirs.
    pub(super) fn end_object(&mut self, len: usize, members: &[(String, Value)]) {
        let mut inner = self.open.split_off(len.min(self.open.len()));
        inner.retain_mut(|half| {
            let Some((key, _)) = members.get(half.place) else {
                return false;
            };
            let is_replaced = members
                .iter()
                .skip(half.place + 1)
                .any(|(later, _)| later == key);
            half.bytes = half.bytes.saturating_add(key.len());
            if is_replaced || half.bytes > PATH_BYTES_MAX {
                return false;
            }
            half.segments
                .push(key.replace('~', "~0").replace('/', "~1"));
            true
        });
        self.open.append(&mut inner);
    }

    /// The halves with their paths.
    pub(super) fn finish(self) -> Vec<Half> {
        let finish = |half: Open| Half {
            path: half
                .segments
                .iter()
                .rev()
                .flat_map(|segment| ["/", segment.as_str()])
                .collect(),
            edge: half.edge,
            unit: half.unit,
        };
        self.open.into_iter().map(finish).collect()
    }
}
