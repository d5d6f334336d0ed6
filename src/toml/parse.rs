//! Text → tables: keys, headers, values.

use super::table::{Origin, Table};
use super::{DEPTH_MAX, Data, Fault, Value, number};

/// Reads a whole text. A byte order mark at its head is skipped. The first fault ends it.
pub(crate) fn parse(text: &str) -> Result<Table, Fault> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut cursor = Cursor {
        text,
        at: 0,
        line: 1,
        line_start: 0,
    };
    let mut root = Table::new(Origin::Header);
    let mut current = Header::default();
    loop {
        cursor.skip_blank_lines()?;
        match cursor.peek() {
            None => return Ok(root),
            Some('[') => {
                let begun = cursor.mark();
                let line = cursor.line;
                current = header(&mut cursor)?;
                enter(&mut root, &current, Some(line)).map_err(|m| begun.fault(m))?;
                cursor.end_of_line("after the header")?;
            }
            Some(_) => {
                let begun = cursor.mark();
                let table = enter(&mut root, &current, None).map_err(|m| begun.fault(m))?;
                key_value(&mut cursor, table, 0)?;
                cursor.end_of_line("after the value")?;
            }
        }
    }
}

/// `[a.b]` or `[[a.b]]`; empty for the root.
#[derive(Default)]
struct Header {
    keys: Vec<String>,
    is_element: bool,
}

/// The table of `header`: opened if `opened` gives the header's line, found again otherwise.
fn enter<'t>(
    root: &'t mut Table,
    header: &Header,
    opened: Option<usize>,
) -> Result<&'t mut Table, String> {
    let Some((last, before)) = header.keys.split_last() else {
        return Ok(root);
    };
    let mut table = root;
    let line = opened.unwrap_or(0);
    for key in before {
        table = table.passed(key, line)?;
    }
    match opened {
        None => table.passed(last, line),
        Some(line) if header.is_element => table.push(last, line),
        Some(line) => table.open(last, line),
    }
}

fn header(cursor: &mut Cursor<'_>) -> Result<Header, Fault> {
    cursor.next();
    let is_element = cursor.take('[');
    cursor.skip_blanks();
    let keys = key(cursor)?;
    cursor.expect(']', "to close the header")?;
    if is_element {
        cursor.expect(']', "to close the header")?;
    }
    Ok(Header { keys, is_element })
}

/// `a.b = value` into `table`.
fn key_value(cursor: &mut Cursor<'_>, table: &mut Table, depth: usize) -> Result<(), Fault> {
    let begun = cursor.mark();
    let line = cursor.line;
    let keys = key(cursor)?;
    cursor.expect('=', "after the key")?;
    cursor.skip_blanks();
    let value = value(cursor, depth + keys.len())?;
    let Some((last, before)) = keys.split_last() else {
        return Err(begun.fault("expected a key".to_owned()));
    };
    let mut table = table;
    for key in before {
        table = table.dotted(key, line).map_err(|m| begun.fault(m))?;
    }
    table.insert(last, line, value).map_err(|m| begun.fault(m))
}

/// A dotted key; blanks after it are skipped.
fn key(cursor: &mut Cursor<'_>) -> Result<Vec<String>, Fault> {
    let mut keys = Vec::new();
    loop {
        let simple = if let Some('"' | '\'') = cursor.peek() {
            if cursor.rest().starts_with("\"\"\"") || cursor.rest().starts_with("'''") {
                return Err(cursor.fault("a key cannot be a multi-line string".to_owned()));
            }
            cursor.string()?
        } else {
            let bare = cursor.take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
            if bare.is_empty() {
                return Err(cursor.unexpected("a key (letters, digits, `_`, `-`, or quoted)"));
            }
            bare.to_owned()
        };
        keys.push(simple);
        if keys.len() > DEPTH_MAX {
            return Err(cursor.fault(format!("a key has more than {DEPTH_MAX} parts")));
        }
        cursor.skip_blanks();
        if !cursor.take('.') {
            return Ok(keys);
        }
        cursor.skip_blanks();
    }
}

/// A value nested `depth` deep.
fn value(cursor: &mut Cursor<'_>, depth: usize) -> Result<Value, Fault> {
    if depth > DEPTH_MAX {
        return Err(cursor.fault(format!("values nest deeper than {DEPTH_MAX}")));
    }
    let line = cursor.line;
    let data = match cursor.peek() {
        Some('"' | '\'') => Data::Text(cursor.string()?),
        Some('[') => array(cursor, depth)?,
        Some('{') => inline_table(cursor, depth)?,
        Some(c) if c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.') => {
            let begun = cursor.mark();
            let word = cursor.take_while(|c| {
                c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_' | ':')
            });
            match word {
                "true" => Data::Boolean(true),
                "false" => Data::Boolean(false),
                _ => number::read(word).map_err(|m| begun.fault(m))?,
            }
        }
        _ => return Err(cursor.unexpected("a value")),
    };
    Ok(Value { line, data })
}

fn array(cursor: &mut Cursor<'_>, depth: usize) -> Result<Data, Fault> {
    cursor.next();
    let mut elements = Vec::new();
    loop {
        cursor.skip_blank_lines()?;
        if cursor.take(']') {
            return Ok(Data::Array(elements));
        }
        elements.push(value(cursor, depth + 1)?);
        cursor.skip_blank_lines()?;
        if !cursor.take(',') && cursor.peek() != Some(']') {
            return Err(cursor.unexpected("`,` or `]` in the array"));
        }
    }
}

fn inline_table(cursor: &mut Cursor<'_>, depth: usize) -> Result<Data, Fault> {
    cursor.next();
    let mut table = Table::new(Origin::Inline);
    cursor.skip_blanks();
    if cursor.take('}') {
        return Ok(Data::Table(table));
    }
    loop {
        cursor.skip_blanks();
        key_value(cursor, &mut table, depth + 1)?;
        cursor.skip_blanks();
        if cursor.take('}') {
            return Ok(Data::Table(table));
        }
        if !cursor.take(',') {
            return Err(cursor.unexpected("`,` or `}` in the inline table"));
        }
    }
}

/// A place in the text.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    pub(super) line: usize,
    line_start: usize,
}

/// A place to point at later.
#[derive(Clone, Copy)]
pub(super) struct Mark<'a> {
    /// The line up to here.
    before: &'a str,
    line: usize,
}

impl Mark<'_> {
    /// A fault here. Counts the line's characters, which no place without a fault does.
    pub(super) fn fault(&self, message: String) -> Fault {
        Fault {
            line: self.line,
            column: self.before.chars().count() + 1,
            message,
        }
    }
}

impl<'a> Cursor<'a> {
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes the next character and counts lines.
    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        if c == '\n' {
            self.line += 1;
            self.line_start = self.at;
        }
        Some(c)
    }

    /// Takes `c` if it comes next.
    pub(super) fn take(&mut self, c: char) -> bool {
        let is_next = self.peek() == Some(c);
        if is_next {
            self.next();
        }
        is_next
    }

    /// Takes characters of this line while they satisfy `is_wanted`.
    pub(super) fn take_while(&mut self, is_wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest
            .find(|c| c == '\n' || !is_wanted(c))
            .unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        self.take_while(|c| matches!(c, ' ' | '\t'));
    }

    /// Skips blanks, line ends and comments.
    fn skip_blank_lines(&mut self) -> Result<(), Fault> {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some('\n') => _ = self.next(),
                Some('\r') if self.rest().starts_with("\r\n") => _ = self.next(),
                Some('#') => self.comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn comment(&mut self) -> Result<(), Fault> {
        self.take_while(|c| c == '\t' || !c.is_ascii_control());
        match self.peek() {
            None | Some('\n') => Ok(()),
            Some('\r') if self.rest().starts_with("\r\n") => Ok(()),
            Some(_) => Err(self.unexpected("no control character in a comment")),
        }
    }

    /// Blanks, perhaps a comment, then the line's end or the text's.
    fn end_of_line(&mut self, after: &str) -> Result<(), Fault> {
        self.skip_blanks();
        if self.peek() == Some('#') {
            self.comment()?;
        }
        match self.peek() {
            None | Some('\n') => Ok(()),
            Some('\r') if self.rest().starts_with("\r\n") => Ok(()),
            Some(_) => Err(self.unexpected(&format!("a new line {after}"))),
        }
    }

    fn expect(&mut self, c: char, why: &str) -> Result<(), Fault> {
        if self.take(c) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{c}` {why}")))
    }

    /// This place.
    pub(super) fn mark(&self) -> Mark<'a> {
        Mark {
            before: self.text.get(self.line_start..self.at).unwrap_or_default(),
            line: self.line,
        }
    }

    pub(super) fn fault(&self, message: String) -> Fault {
        self.mark().fault(message)
    }

    /// `expected …, found …`, here.
    pub(super) fn unexpected(&self, expected: &str) -> Fault {
        let found = match self.peek() {
            None => "the end of the text".to_owned(),
            Some('\n') => "the end of the line".to_owned(),
            Some(c) if c.is_control() => format!("the control character U+{:04X}", u32::from(c)),
            Some(c) => format!("`{c}`"),
        };
        self.fault(format!("expected {expected}, found {found}"))
    }
}
