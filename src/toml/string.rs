//! Strings: basic, literal, and both over several lines.

use super::Fault;
use super::parse::Cursor;

impl Cursor<'_> {
    /// A string of any of the four kinds, from its opening quote on.
    pub(super) fn string(&mut self) -> Result<String, Fault> {
        let begun = self.mark();
        let quote = if self.rest().starts_with('"') {
            '"'
        } else {
            '\''
        };
        self.next();
        let mut out = String::new();
        let is_long = self.take_pair(quote);
        if !is_long && self.take(quote) {
            return Ok(out);
        }
        if is_long {
            // A line end right after the opening quotes does not count.
            if !self.take('\n') && self.rest().starts_with("\r\n") {
                self.next();
                self.next();
            }
        }
        loop {
            out.push_str(self.take_while(|c| {
                c != quote && !(quote == '"' && c == '\\') && (c == '\t' || !c.is_ascii_control())
            }));
            match self.peek() {
                Some(c) if c == quote => {
                    self.next();
                    if !is_long {
                        return Ok(out);
                    }
                    if self.take_pair(quote) {
                        // Up to two more quotes belong to the text.
                        for _ in 0..2 {
                            if self.take(quote) {
                                out.push(quote);
                            }
                        }
                        return Ok(out);
                    }
                    out.push(quote);
                }
                Some('\\') => self.escape(&mut out, is_long)?,
                Some('\n') if is_long => {
                    self.next();
                    out.push('\n');
                }
                Some('\r') if is_long && self.rest().starts_with("\r\n") => {
                    self.next();
                }
                None => {
                    return Err(begun.fault("the string that begins here has no end".to_owned()));
                }
                Some('\n' | '\r') => {
                    return Err(begun.fault(
                        "the string that begins here has no end on its line; three quotes open \
                         one over several lines"
                            .to_owned(),
                    ));
                }
                Some(_) => return Err(self.unexpected("an escape such as `\\u0000` for it")),
            }
        }
    }

    /// Takes two quotes if both come next.
    fn take_pair(&mut self, quote: char) -> bool {
        let is_next = self
            .rest()
            .starts_with(if quote == '"' { "\"\"" } else { "''" });
        if is_next {
            self.next();
            self.next();
        }
        is_next
    }

    fn escape(&mut self, out: &mut String, is_long: bool) -> Result<(), Fault> {
        let begun = self.mark();
        self.next();
        let short = match self.peek() {
            Some('b') => '\u{8}',
            Some('t') => '\t',
            Some('n') => '\n',
            Some('f') => '\u{c}',
            Some('r') => '\r',
            Some('"') => '"',
            Some('\\') => '\\',
            Some(c @ ('u' | 'U')) => {
                self.next();
                out.push(self.code(if c == 'u' { 4 } else { 8 })?);
                return Ok(());
            }
            Some(' ' | '\t' | '\r' | '\n') if is_long => {
                return self.skip_line_end();
            }
            _ => return Err(begun.fault(
                "unknown escape: expected one of `\\b \\t \\n \\f \\r \\\" \\\\`, `\\u` with 4 or `\\U` with 8 hex digits"
                    .to_owned(),
            )),
        };
        self.next();
        out.push(short);
        Ok(())
    }

    /// After a `\` at a line's end: the line end and all blanks that follow.
    fn skip_line_end(&mut self) -> Result<(), Fault> {
        self.take_while(|c| matches!(c, ' ' | '\t'));
        if !matches!(self.peek(), Some('\n')) && !self.rest().starts_with("\r\n") {
            return Err(self.unexpected("the end of the line after `\\` and blanks"));
        }
        while matches!(self.peek(), Some(' ' | '\t' | '\n')) || self.rest().starts_with("\r\n") {
            self.next();
        }
        Ok(())
    }

    /// `digits` hexadecimal digits of a character.
    fn code(&mut self, digits: usize) -> Result<char, Fault> {
        let begun = self.mark();
        let mut code = 0_u32;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) else {
                return Err(self.unexpected(&format!("{digits} hexadecimal digits")));
            };
            self.next();
            code = code.wrapping_mul(16).wrapping_add(digit);
        }
        char::from_u32(code)
            .ok_or_else(|| begun.fault(format!("U+{code:04X} is not a Unicode character")))
    }
}
