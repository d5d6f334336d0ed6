//! Strings in a JSON text: runs taken whole, escapes one by one.

use super::error::Fault;
use super::half::Edge;
use super::parse::Parser;
use super::scan::run_end;

impl Parser<'_> {
    /// The rest of a string whose opening quote was read, and its closing quote.
    #[inline]
    pub(super) fn string(&mut self) -> Result<String, Fault> {
        let start = self.at;
        let end = run_end(self.bytes, start);
        if self.bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(self.slice(start, end).to_owned());
        }
        self.escaped_string(start, end)
    }

    /// The same for one whose first run, from `start` to `end`, is not all of it.
    fn escaped_string(&mut self, start: usize, mut end: usize) -> Result<String, Fault> {
        let mut string = String::with_capacity((end - start) * 2 + 16);
        string.push_str(self.slice(start, end));
        // Byte length of the string behind its latest lone high half, and that half.
        let mut high = None;
        loop {
            self.at = end;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    if let Some((length, unit)) = high
                        && length == string.len()
                    {
                        self.halves.note(Edge::EndsHigh, unit);
                    }
                    return Ok(string);
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut string, &mut high)?;
                }
                None => return Err(self.fault("the rest of a string and its closing `\"`")),
                Some(_) => {
                    return Err(self.fault("an escape such as `\\n` for a control character"));
                }
            }
            let from = self.at;
            end = run_end(self.bytes, from);
            if end != from {
                string.push_str(self.slice(from, end));
            }
        }
    }

    /// What stands behind a backslash.
    #[inline]
    fn escape(
        &mut self,
        string: &mut String,
        high: &mut Option<(usize, u16)>,
    ) -> Result<(), Fault> {
        let plain = match self.peek() {
            Some(b'n') => '\n',
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'u') => {
                self.at += 1;
                return self.unicode_escape(string, high);
            }
            _ => return Err(self.fault("one of `\"\\/bfnrtu` after a backslash")),
        };
        self.at += 1;
        string.push(plain);
        Ok(())
    }

    /// The four digits behind `\u`, and the second escape of a pair.
    fn unicode_escape(
        &mut self,
        string: &mut String,
        high: &mut Option<(usize, u16)>,
    ) -> Result<(), Fault> {
        let unit = self.four_digits()?;
        if let Some(character) = char::from_u32(u32::from(unit)) {
            string.push(character);
            return Ok(());
        }
        if let Some(joined) = self.low_half_after(unit) {
            self.at += "\\uDC00".len();
            string.push(joined);
            return Ok(());
        }
        let is_high = unit < 0xdc00;
        if !is_high && string.is_empty() {
            self.halves.note(Edge::BeginsLow, unit);
        }
        string.push(char::REPLACEMENT_CHARACTER);
        if is_high {
            *high = Some((string.len(), unit));
        }
        Ok(())
    }

    /// The character that `high` makes with the escape that follows; `None` if it makes none.
    fn low_half_after(&self, high: u16) -> Option<char> {
        let next = self.bytes.get(self.at..)?;
        let digits = next.strip_prefix(b"\\u")?.first_chunk::<4>()?;
        let low = digits
            .iter()
            .try_fold(0, |unit, &byte| Some(unit << 4 | hex(byte)?))?;
        match char::decode_utf16([high, low]).next() {
            Some(Ok(joined)) => Some(joined),
            _ => None,
        }
    }

    fn four_digits(&mut self) -> Result<u16, Fault> {
        let mut unit = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(hex) else {
                return Err(self.fault("four hexadecimal digits after `\\u`"));
            };
            unit = unit << 4 | digit;
            self.at += 1;
        }
        Ok(unit)
    }
}

#[inline]
fn hex(digit: u8) -> Option<u16> {
    match digit {
        b'0'..=b'9' => Some(u16::from(digit - b'0')),
        b'a'..=b'f' => Some(u16::from(digit - b'a' + 10)),
        b'A'..=b'F' => Some(u16::from(digit - b'A' + 10)),
        _ => None,
    }
}
