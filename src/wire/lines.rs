//! Messages that end with a line feed, as JSON lines are.

use crate::wire::Error;
use crate::wire::octets::find_line_feed;

/// Cuts bytes into lines; empty ones are skipped.
#[derive(Debug)]
pub(crate) struct LineReader {
    line_bytes_max: usize,
    buffer: Vec<u8>,
    /// Where the line being read begins.
    start: usize,
    /// Up to here there is no line end.
    scanned: usize,
    /// A line was too long.
    is_over: bool,
}

impl LineReader {
    /// For lines of at most `line_bytes_max` bytes.
    pub(crate) fn new(line_bytes_max: usize) -> Self {
        Self {
            line_bytes_max,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            is_over: false,
        }
    }

    /// Takes bytes. Call [`LineReader::next`] until it gives nothing before the next call.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.is_over || self.buffer.len() - self.start > self.line_bytes_max {
            return Err(self.over());
        }
        self.buffer.drain(..self.start);
        self.scanned = self.scanned.saturating_sub(self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() > self.line_bytes_max && self.find_end() > self.line_bytes_max {
            return Err(self.over());
        }
        Ok(())
    }

    /// The next line that is not empty, without its LF or CRLF.
    pub(crate) fn next(&mut self) -> Option<&[u8]> {
        let range = loop {
            let end = self.find_end();
            if self.is_over || end - self.start > self.line_bytes_max {
                self.is_over = true; // Said by the next call that can fail.
                return None;
            }
            if end == self.buffer.len() {
                return None;
            }
            let start = self.start;
            self.start = end + 1;
            self.scanned = self.start;
            let has_return = end > start && self.buffer.get(end - 1) == Some(&b'\r');
            let range = start..end - usize::from(has_return);
            if !range.is_empty() {
                break range;
            }
        };
        self.buffer.get(range)
    }

    /// The other side has ended in good order: a last line without an end becomes ready for [`LineReader::next`].
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        self.feed(b"\n")
    }

    /// Where the line being read ends, or where the bytes do.
    fn find_end(&mut self) -> usize {
        let rest = self.buffer.get(self.scanned..).unwrap_or_default();
        self.scanned += find_line_feed(rest).unwrap_or(rest.len());
        self.scanned
    }

    fn over(&mut self) -> Error {
        self.is_over = true;
        Error::Limit(format!(
            "a line is longer than {} bytes",
            self.line_bytes_max
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Feeds the pieces; the lines, and whether the end was reached without an error.
    fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Vec<u8>>, bool) {
        let mut reader = LineReader::new(10);
        let mut lines = Vec::new();
        for piece in pieces {
            if reader.feed(piece).is_err() {
                return (lines, false);
            }
            while let Some(line) = reader.next() {
                lines.push(line.to_vec());
            }
        }
        let is_well = reader.finish().is_ok();
        while let Some(line) = reader.next() {
            lines.push(line.to_vec());
        }
        (lines, is_well)
    }

    fn check(input: &[u8], expected: &[&[u8]], is_well: bool) {
        let expected = (
            expected
                .iter()
                .map(|line| line.to_vec())
                .collect::<Vec<_>>(),
            is_well,
        );
        assert_eq!(read([input].into_iter()), expected);
        assert_eq!(read(input.chunks(1)), expected, "byte by byte");
        for at in 0..=input.len() {
            let (start, end) = input.split_at(at);
            assert_eq!(read([start, end].into_iter()), expected, "cut at {at}");
        }
    }

    #[test]
    fn lines_are_the_same_however_they_are_cut() {
        check(b"", &[], true);
        check(
            b"{\"a\":1}\n{}\r\n\n\r\nlast",
            &[b"{\"a\":1}", b"{}", b"last"],
            true,
        );
        check(b"a\rb\n\r\r\n", &[b"a\rb", b"\r"], true);
        check(b"0123456789\nx\n", &[b"0123456789", b"x"], true);
        check(b"one\n0123456789a\nx\n", &[b"one"], false);
        check(b"one\n0123456789a", &[b"one"], false);
    }

    #[test]
    fn a_long_line_is_looked_at_once() {
        // Looking from its start each time would take hours.
        let mut reader = LineReader::new(1 << 20);
        for _ in 0..1 << 20 {
            reader.feed(b"x").unwrap();
            assert_eq!(reader.next(), None);
        }
        reader.finish().unwrap();
        assert_eq!(reader.next().map(<[u8]>::len), Some(1 << 20));
    }
}
