//! Text → words: whole words first, then their parts as code writes them.

/// A run of letters and digits in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Chunk<'a> {
    /// The run as it stands, without an English ending such as `'s`.
    pub(crate) text: &'a str,
    /// Where it begins in the text, in bytes.
    pub(crate) start: usize,
    /// Where what belongs to it ends (`'s` included), in bytes.
    pub(crate) end: usize,
}

/// A part of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    pub(crate) text: &'a str,
    /// It begins where a capital follows a small letter, as only code (and brand names) write.
    pub(crate) is_hump: bool,
}

/// The chunks of `text`, in order. Everything but letters, digits and marks separates, `_` and `-`
/// too. A character of a script that writes no blanks (Han, kana) is a chunk by itself, so that a
/// word of it is a phrase. `don't` is `dont`-like (one chunk with its apostrophe), `server's` is
/// `server`.
pub(crate) fn chunks(text: &str) -> Chunks<'_> {
    Chunks { text, at: 0 }
}

/// See [`chunks`].
pub(crate) struct Chunks<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Chunk<'a>;

    fn next(&mut self) -> Option<Chunk<'a>> {
        let rest = self.text.get(self.at..)?;
        let start = self.at + rest.find(is_word)?;
        let from = self.text.get(start..)?;
        let first = from.chars().next()?;
        let length = if is_unspaced(first) {
            first.len_utf8()
        } else {
            from.find(|c| !is_word(c) || is_unspaced(c))
                .unwrap_or(from.len())
        };
        let mut kept = start + length;
        let mut end = kept;
        match ending(self.text.get(kept..)?) {
            Some(Ending::Negation(bytes)) => {
                kept += bytes;
                end = kept;
            }
            Some(Ending::Dropped(bytes)) => end += bytes,
            None => {}
        }
        self.at = end;
        Some(Chunk {
            text: self.text.get(start..kept)?,
            start,
            end,
        })
    }
}

/// What an apostrophe begins.
enum Ending {
    /// `'t`, which belongs to the word.
    Negation(usize),
    /// `'s`, `'re` and the like, which do not.
    Dropped(usize),
}

/// The English ending that `rest` begins with, and its bytes.
fn ending(rest: &str) -> Option<Ending> {
    let apostrophe = rest.chars().next().filter(|c| matches!(c, '\'' | '’'))?;
    let after = rest.get(apostrophe.len_utf8()..)?;
    let letters = after.find(|c| !is_word(c)).unwrap_or(after.len());
    let bytes = apostrophe.len_utf8() + letters;
    match after.get(..letters)? {
        "t" | "T" => Some(Ending::Negation(bytes)),
        "s" | "S" | "re" | "ve" | "ll" | "m" | "d" => Some(Ending::Dropped(bytes)),
        _ => None,
    }
}

/// The parts of a chunk: `killProcess` → `kill`, `Process`; `HTTPServer` → `HTTP`, `Server`;
/// `port3000` → `port`, `3000`.
pub(crate) fn parts(chunk: &str) -> Parts<'_> {
    Parts {
        rest: chunk,
        is_hump: false,
    }
}

/// See [`parts`].
pub(crate) struct Parts<'a> {
    rest: &'a str,
    is_hump: bool,
}

impl<'a> Iterator for Parts<'a> {
    type Item = Part<'a>;

    fn next(&mut self) -> Option<Part<'a>> {
        let mut chars = self.rest.char_indices().peekable();
        let (_, mut before) = chars.next()?;
        let mut cut = self.rest.len();
        let mut is_hump_next = false;
        while let Some((at, now)) = chars.next() {
            let after = chars.peek().map(|&(_, c)| c);
            let is_hump = now.is_uppercase()
                && (before.is_lowercase()
                    || before.is_uppercase() && after.is_some_and(char::is_lowercase));
            if is_hump || before.is_numeric() != now.is_numeric() && !is_mark(now) {
                cut = at;
                is_hump_next = is_hump;
                break;
            }
            before = now;
        }
        let (text, rest) = self.rest.split_at(cut);
        let is_hump = self.is_hump;
        self.rest = rest;
        self.is_hump = is_hump_next;
        Some(Part { text, is_hump })
    }
}

/// Whether `c` is part of a word.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

/// Whether `c` is a combining mark that Latin, Greek or Cyrillic letters carry.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}')
}

/// Whether `c` belongs to a script that writes words without blanks between.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
