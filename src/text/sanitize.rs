//! What a terminal may see of text that somebody else wrote: no escapes, no turning of the line.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with everything that a terminal would obey made visible: control characters as `^[`, DEL as `^?`,
/// those above (C1) and the ones that turn the writing direction as `<U+009B>`. Line ends, also CRLF, and
/// tabs stay; of a CRLF only the LF, since a lone CR would go back over the line.
pub(crate) fn sanitize(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find(is_unsafe) else {
        return Cow::Borrowed(text);
    };
    let (safe, rest) = text.split_at_checked(first).unwrap_or((text, ""));
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(safe);
    let mut chars = rest.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\r' && chars.peek() == Some(&'\n') {
            continue;
        }
        push_shown(c, &mut out);
    }
    Cow::Owned(out)
}

/// Whether a terminal might obey `c` instead of showing it.
pub(super) fn is_unsafe(c: char) -> bool {
    matches!(c,
        '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        // Embeddings, overrides and isolates, which can show a line in another order than it runs.
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The cells of what is shown for an unsafe character.
pub(super) fn shown_cells(c: char) -> usize {
    if c.is_ascii() { 2 } else { "<U+0000>".len() }
}

/// Appends a character as it may be shown.
pub(super) fn push_shown(c: char, out: &mut String) {
    match c {
        _ if !is_unsafe(c) => out.push(c),
        '\0'..='\u{7f}' => {
            out.push('^');
            // 0x1b is `^[`, 0x7f is `^?`: the sixth bit turned.
            out.extend(char::from_u32(u32::from(c) ^ 0x40));
        }
        _ => {
            // Writing to a string cannot fail.
            let _ = write!(out, "<U+{:04X}>", u32::from(c));
        }
    }
}
