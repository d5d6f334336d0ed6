//! Strings in a JSON text: runs taken whole, escapes one by one.

use super::error::Fault;
use super::half::Edge;
use super::parse::Parser;
use super::scan::run_end;

/// A lone high half: the length of the string behind its U+FFFD, and the unit.
type High = Option<(usize, u16)>;

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
        // A buffer of its own while it is filled, so that its length can live in a register.
        let mut string = std::mem::take(&mut self.scratch);
        string.clear();
        let outcome = self.escaped_string(start, end, &mut string);
        let exact = outcome.map(|()| string.as_str().to_owned());
        self.scratch = string;
        exact
    }

    /// The same for one whose first run, from `start` to `end`, is not all of it.
    fn escaped_string(
        &mut self,
        mut start: usize,
        mut end: usize,
        string: &mut String,
    ) -> Result<(), Fault> {
        let mut high: High = None;
        loop {
            string.push_str(self.slice(start, end));
            start = match self.bytes.get(end..) {
                Some([b'\\', b'u', ..]) => {
                    self.at = end + 2;
                    self.unicode_escape(string, &mut high)?;
                    self.at
                }
                Some([b'\\', escape, ..]) if let Some(plain) = plain(*escape) => {
                    string.push(plain);
                    end + 2
                }
                Some([b'"', ..]) => break,
                rest => {
                    self.at = end;
                    return Err(self.string_fault(rest));
                }
            };
            end = run_end(self.bytes, start);
        }
        self.at = end + 1;
        if let Some((length, unit)) = high
            && length == string.len()
        {
            self.halves.note(Edge::EndsHigh, unit);
        }
        Ok(())
    }

    /// What is wrong with `rest`, at which a string cannot go on.
    #[cold]
    fn string_fault(&mut self, rest: Option<&[u8]>) -> Fault {
        match rest {
            None | Some([]) => self.fault("the rest of a string and its closing `\"`"),
            Some([b'\\', ..]) => {
                self.at += 1;
                self.fault("one of `\"\\/bfnrtu` after a backslash")
            }
            Some(_) => self.fault("an escape such as `\\n` for a control character"),
        }
    }

    /// The four digits behind `\u`, and the second escape of a pair.
    fn unicode_escape(&mut self, string: &mut String, high: &mut High) -> Result<(), Fault> {
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
        let low = unit(*digits)?;
        match char::decode_utf16([high, low]).next() {
            Some(Ok(joined)) => Some(joined),
            _ => None,
        }
    }

    fn four_digits(&mut self) -> Result<u16, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if let Some(unit) = rest.first_chunk().and_then(|digits| unit(*digits)) {
            self.at += 4;
            return Ok(unit);
        }
        self.at += rest
            .iter()
            .take_while(|byte| byte.is_ascii_hexdigit())
            .count();
        Err(self.fault("four hexadecimal digits after `\\u`"))
    }
}

/// The character that a one-letter escape stands for.
#[inline]
fn plain(escape: u8) -> Option<char> {
    Some(match escape {
        b'n' => '\n',
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        _ => return None,
    })
}

/// The UTF-16 unit of four hexadecimal digits.
#[inline]
fn unit(digits: [u8; 4]) -> Option<u16> {
    let [a, b, c, d] = digits.map(|digit| HEX_VALUES[usize::from(digit)]);
    // A byte that is no digit has high bits, which survive the shifts.
    let unit = a << 12 | b << 8 | c << 4 | d;
    (unit <= 0xffff).then(|| u16::try_from(unit).ok())?
}

/// The value of each byte as a hexadecimal digit, or far more.
static HEX_VALUES: [u32; 256] = {
    let mut values = [0x1_0000; 256];
    let mut digit = 0_u32;
    while digit < 16 {
        let byte = b"0123456789abcdef"[digit as usize];
        values[byte as usize] = digit;
        values[byte.to_ascii_uppercase() as usize] = digit;
        digit += 1;
    }
    values
};
