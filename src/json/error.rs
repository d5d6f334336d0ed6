//! What is wrong with a text that is no JSON, and where.

use std::fmt;

/// So much of a faulty word or number is shown.
const FOUND_CHARS_MAX: usize = 24;

/// Why a text is no JSON. Displayed as `line 1, column 5: expected a value, found …`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    /// From 1; lines end in LF.
    pub(crate) line: usize,
    /// From 1, in characters.
    pub(crate) column: usize,
    /// What JSON has at this place.
    pub(crate) expected: &'static str,
    /// What the text has there.
    pub(crate) found: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            line,
            column,
            expected,
            found,
        } = self;
        write!(
            f,
            "line {line}, column {column}: expected {expected}, found {found}"
        )
    }
}

impl std::error::Error for Error {}

/// An error while it is on its way up: small, so that results stay small.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fault {
    /// Byte offset.
    pub(super) at: usize,
    pub(super) expected: &'static str,
}

impl Fault {
    /// The error for a reader; counts lines, so once a text.
    pub(super) fn explain(self, text: &str) -> Error {
        let (before, after) = text.split_at_checked(self.at).unwrap_or((text, ""));
        at_end_of(before, self.expected, found(after))
    }
}

/// The error for bytes that stop being UTF-8 after `before`.
pub(super) fn not_utf8(before: &str, byte: Option<&u8>) -> Error {
    let found = byte.map_or_else(
        || "the end of the text".to_owned(),
        |byte| format!("the byte 0x{byte:02x}"),
    );
    at_end_of(before, "UTF-8", found)
}

fn at_end_of(before: &str, expected: &'static str, found: String) -> Error {
    let line_start = before.rfind('\n').map_or(0, |place| place + 1);
    Error {
        line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
        column: before
            .get(line_start..)
            .map_or(0, |line| line.chars().count())
            + 1,
        expected,
        found,
    }
}

/// Names what a text begins with: a whole word or number, or one character.
fn found(text: &str) -> String {
    let Some(first) = text.chars().next() else {
        return "the end of the text".to_owned();
    };
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_');
    if is_word(first) {
        let mut chars = text.chars().take_while(|&c| is_word(c));
        let word: String = chars.by_ref().take(FOUND_CHARS_MAX).collect();
        let more = if chars.next().is_some() { "…" } else { "" };
        format!("`{word}{more}`")
    } else if first.is_ascii_graphic() {
        format!("`{first}`")
    } else if first.is_alphanumeric() {
        format!("`{first}` (U+{:04X})", u32::from(first))
    } else {
        format!("U+{:04X}", u32::from(first))
    }
}
