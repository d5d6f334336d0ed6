//! Server-sent events (WHATWG HTML §9.2.5–9.2.6), with three differences that a chat client needs: what is left at a
//! clean end is an event too, a field named `error` makes one, and ids and `retry` are not kept.

use std::ops::Range;

use crate::wire::Error;
use crate::wire::octets::find_line_end;

/// Bytes of one line.
pub(crate) const SSE_LINE_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes of one event's data, the line feeds between its lines among them.
pub(crate) const SSE_EVENT_BYTES_MAX: usize = 16 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// One event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SseEvent<'a> {
    /// `message` unless the stream named it; `error` if it came as a field of that name.
    pub(crate) name: &'a str,
    /// The data lines joined by line feeds; bytes that are no UTF-8 are U+FFFD.
    pub(crate) data: &'a str,
    /// The stream had a line `error: …`, which some servers write; then the data is that of these lines alone.
    pub(crate) is_error_field: bool,
}

/// Data of the event being read.
#[derive(Debug)]
enum Data {
    /// No data line yet.
    None,
    /// One line, still in the buffer: the usual case costs no copy.
    Line(Range<usize>),
    /// In `joined`.
    Joined,
}

/// What stands before the line being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Nothing: a byte order mark is dropped.
    Start,
    /// A carriage return that ended a line: a line feed belongs to it.
    Return,
    LineEnd,
}

/// Reads a stream of events.
#[derive(Debug)]
pub(crate) struct SseReader {
    buffer: Vec<u8>,
    /// Where the line being read begins.
    start: usize,
    /// Up to here there is no line end.
    scanned: usize,
    before: Before,
    /// A cap was passed: which.
    over: Option<&'static str>,
    data: Data,
    joined: Vec<u8>,
    name: String,
    is_error_field: bool,
    /// The event of the last call is over and done with when the next one begins.
    is_lent: bool,
    /// Holds what is lent out when it is not as it came.
    text: String,
}

const LINE_OVER: &str = "a line of the event stream is longer than 8 MiB";
const EVENT_OVER: &str = "an event of the stream is longer than 16 MiB";

impl SseReader {
    /// At the start of a stream.
    pub(crate) fn new() -> Self {
        Self {
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            before: Before::Start,
            over: None,
            data: Data::None,
            joined: Vec::new(),
            name: String::new(),
            is_error_field: false,
            is_lent: false,
            text: String::new(),
        }
    }

    /// Takes bytes. Call [`SseReader::next`] until it gives nothing before the next call.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Result<(), Error> {
        if self.over.is_none() && self.buffer.len() - self.start > SSE_LINE_BYTES_MAX {
            self.over = Some(LINE_OVER);
        }
        if let Some(over) = self.over {
            return Err(Error::Limit(over.to_owned()));
        }
        self.keep_data();
        self.buffer.drain(..self.start);
        self.scanned = self.scanned.saturating_sub(self.start);
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
        // Said now, not at the next piece: after an endless line there may be none.
        if self.buffer.len() > SSE_LINE_BYTES_MAX
            && self.skip_before()
            && self.find_end() - self.start > SSE_LINE_BYTES_MAX
        {
            self.over = Some(LINE_OVER);
            return Err(Error::Limit(LINE_OVER.to_owned()));
        }
        Ok(())
    }

    /// The next event, if a whole one is there. A cap that is passed ends the events; the next call that can fail says so.
    pub(crate) fn next(&mut self) -> Option<SseEvent<'_>> {
        if !self.read_event() {
            return None;
        }
        self.is_lent = true;
        let Self {
            buffer,
            joined,
            text,
            name,
            ..
        } = self;
        let bytes = match &self.data {
            Data::None => &[],
            Data::Line(range) => buffer.get(range.clone()).unwrap_or_default(),
            Data::Joined => joined.as_slice(),
        };
        let data = str::from_utf8(bytes).unwrap_or_else(|_| {
            *text = String::from_utf8_lossy(bytes).into_owned();
            text
        });
        let name = match name.as_str() {
            _ if self.is_error_field => "error",
            "" => "message",
            name => name,
        };
        Some(SseEvent {
            name,
            data,
            is_error_field: self.is_error_field,
        })
    }

    /// The stream has ended in good order: what was being read becomes an event for [`SseReader::next`]. (A browser
    /// would drop it; servers are known that leave out the last blank line.)
    pub(crate) fn finish(&mut self) -> Result<(), Error> {
        self.feed(b"\n\n")
    }

    /// Reads lines up to the one that completes an event; false if more bytes are needed.
    fn read_event(&mut self) -> bool {
        if self.over.is_some() {
            return false;
        }
        if std::mem::take(&mut self.is_lent) {
            self.forget_event();
        }
        loop {
            if !self.skip_before() {
                return false;
            }
            let start = self.start;
            let end = self.find_end();
            if end - start > SSE_LINE_BYTES_MAX {
                self.over = Some(LINE_OVER);
                return false;
            }
            let Some(byte) = self.buffer.get(end) else {
                return false;
            };
            self.before = if *byte == b'\r' {
                Before::Return
            } else {
                Before::LineEnd
            };
            self.start = end + 1;
            self.scanned = self.start;
            if start == end {
                if self.end_event() {
                    return true;
                }
            } else if !self.read_line(start..end) {
                return false;
            }
        }
    }
    /// Drops what is no part of the line that begins here; false if that cannot be told before more bytes come.
    fn skip_before(&mut self) -> bool {
        let bytes = self.buffer.get(self.start..).unwrap_or_default();
        let skipped = match (self.before, bytes) {
            (Before::LineEnd, _) => return true,
            (Before::Start, _) if bytes.starts_with(BYTE_ORDER_MARK) => BYTE_ORDER_MARK.len(),
            (Before::Start, _) if BYTE_ORDER_MARK.starts_with(bytes) => return false,
            (Before::Return, []) => return false,
            (Before::Return, [b'\n', ..]) => 1,
            (Before::Start | Before::Return, _) => 0,
        };
        self.start += skipped;
        self.scanned = self.scanned.max(self.start);
        self.before = Before::LineEnd;
        true
    }

    /// Where the line being read ends, or where the bytes do.
    fn find_end(&mut self) -> usize {
        let rest = self.buffer.get(self.scanned..).unwrap_or_default();
        self.scanned += find_line_end(rest).unwrap_or(rest.len());
        self.scanned
    }

    /// A blank line: whether it completes an event. One without data is none, whatever its name.
    fn end_event(&mut self) -> bool {
        if matches!(self.data, Data::None) {
            self.forget_event();
            return false;
        }
        true
    }

    fn forget_event(&mut self) {
        self.data = Data::None;
        self.joined.clear();
        self.name.clear();
        self.is_error_field = false;
    }

    /// Reads one line that is not blank; false if a cap is passed.
    fn read_line(&mut self, line: Range<usize>) -> bool {
        let bytes = self.buffer.get(line.clone()).unwrap_or_default();
        let colon = if bytes.starts_with(b"data:") {
            Some(4)
        } else {
            bytes.iter().position(|byte| *byte == b':')
        };
        let name = bytes
            .get(..colon.unwrap_or(bytes.len()))
            .unwrap_or_default();
        let value = match colon {
            None => line.end..line.end,
            // One blank after the colon is no part of the value; a second is.
            Some(at) => {
                line.start + at + 1 + usize::from(bytes.get(at + 1) == Some(&b' '))..line.end
            }
        };
        match name {
            b"data" => self.is_error_field || self.add_data(value),
            b"event" => {
                let name = self.buffer.get(value).unwrap_or_default();
                self.name = String::from_utf8_lossy(name).into_owned();
                true
            }
            b"error" => {
                if !self.is_error_field {
                    self.is_error_field = true;
                    self.data = Data::None;
                    self.joined.clear();
                }
                self.add_data(value)
            }
            // Comments, whose name is empty, and all else.
            _ => true,
        }
    }

    /// Adds a line to the event's data; false if that is too much.
    fn add_data(&mut self, value: Range<usize>) -> bool {
        if matches!(self.data, Data::None) {
            self.data = Data::Line(value);
            return true;
        }
        self.keep_data();
        if self.joined.len() + 1 + value.len() > SSE_EVENT_BYTES_MAX {
            self.over = Some(EVENT_OVER);
            return false;
        }
        self.joined.push(b'\n');
        self.joined
            .extend_from_slice(self.buffer.get(value).unwrap_or_default());
        true
    }

    /// Moves a data line out of the buffer, before more come or the buffer moves on.
    fn keep_data(&mut self) {
        if let Data::Line(range) = &self.data {
            self.joined.clear();
            self.joined
                .extend_from_slice(self.buffer.get(range.clone()).unwrap_or_default());
            self.data = Data::Joined;
        }
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
pub(crate) mod tests;
