//! Rust source as tokens: what is code, what is text, what is comment, and on which line each stands.

use std::iter::Peekable;
use std::str::CharIndices;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ident,
    Lifetime,
    /// A character or byte in single quotes.
    Char,
    /// A string of any kind; the token's text is what stands between the quotes, escapes as written.
    Text,
    Number,
    /// One character of punctuation.
    Punct,
    /// A comment, with its slashes and stars.
    Comment,
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// Line of its first character, from 1.
    pub(crate) line: usize,
}

impl Token {
    /// Whether it is the identifier or the punctuation `text`, not a string that says so.
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Ident | Kind::Punct) && self.text == text
    }
}

/// All tokens of `source`. What is no Rust gives some tokens too, and never a panic.
pub(crate) fn tokens(source: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        source,
        chars: source.char_indices().peekable(),
        line: 1,
        found: Vec::new(),
    };
    while lexer.chars.peek().is_some() {
        lexer.token();
    }
    lexer.found
}

struct Lexer<'a> {
    source: &'a str,
    chars: Peekable<CharIndices<'a>>,
    line: usize,
    found: Vec<Token>,
}

impl Lexer<'_> {
    fn rest(&mut self) -> &str {
        let at = self.at();
        &self.source[at..]
    }

    fn at(&mut self) -> usize {
        self.chars
            .peek()
            .map_or(self.source.len(), |(index, _)| *index)
    }

    fn bump(&mut self) -> Option<char> {
        let (_, c) = self.chars.next()?;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn bump_while(&mut self, is_part: impl Fn(char) -> bool) {
        while self.chars.peek().is_some_and(|(_, c)| is_part(*c)) {
            self.bump();
        }
    }

    fn push(&mut self, kind: Kind, line: usize, start: usize, end: usize) {
        self.found.push(Token {
            kind,
            text: self.source[start..end].to_owned(),
            line,
        });
    }

    fn token(&mut self) {
        let (line, start) = (self.line, self.at());
        let rest = self.rest();
        let first = rest.chars().next().unwrap_or(' ');
        if first.is_whitespace() {
            self.bump();
        } else if rest.starts_with("//") {
            self.bump_while(|c| c != '\n');
            let end = self.at();
            self.push(Kind::Comment, line, start, end);
        } else if rest.starts_with("/*") {
            self.block_comment();
            let end = self.at();
            self.push(Kind::Comment, line, start, end);
        } else if let Some((prefix, hashes)) = raw_string(rest) {
            self.raw_string(prefix, hashes);
        } else if let Some(prefix) = string_prefix(rest) {
            self.string(prefix);
        } else if rest.starts_with('\'') || rest.starts_with("b'") {
            self.quote();
        } else if is_ident_start(first) {
            self.ident();
        } else if first.is_ascii_digit() {
            self.number();
        } else {
            self.bump();
            let end = self.at();
            self.push(Kind::Punct, line, start, end);
        }
    }

    /// Block comments nest.
    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            let rest = self.rest();
            if rest.starts_with("/*") {
                depth += 1;
            } else if rest.starts_with("*/") {
                depth -= 1;
            } else {
                if self.bump().is_none() {
                    return;
                }
                continue;
            }
            self.bump();
            self.bump();
            if depth == 0 {
                return;
            }
        }
    }

    fn raw_string(&mut self, prefix: usize, hashes: usize) {
        let line = self.line;
        for _ in 0..prefix {
            self.bump();
        }
        let start = self.at();
        let close = format!("\"{}", "#".repeat(hashes));
        let length = self.rest().find(&close);
        let end = start + length.unwrap_or(self.source.len() - start);
        while self.at() < end {
            self.bump();
        }
        self.push(Kind::Text, line, start, end);
        for _ in 0..close.len() {
            self.bump();
        }
    }

    fn string(&mut self, prefix: usize) {
        let line = self.line;
        for _ in 0..prefix {
            self.bump();
        }
        let start = self.at();
        let mut end = start;
        while let Some(c) = self.bump() {
            match c {
                '"' => break,
                '\\' => _ = self.bump(),
                _ => (),
            }
            end = self.at();
        }
        self.push(Kind::Text, line, start, end);
    }

    /// `'a'`, `'\''`, `b'a'` or `'lifetime`.
    fn quote(&mut self) {
        let (line, start) = (self.line, self.at());
        if self.rest().starts_with('b') {
            self.bump();
        }
        self.bump();
        let mut following = self.rest().chars();
        let (one, two) = (following.next(), following.next());
        let is_char = one == Some('\\') || two == Some('\'');
        if !is_char {
            self.bump_while(is_ident_part);
            let end = self.at();
            self.push(Kind::Lifetime, line, start, end);
            return;
        }
        while let Some(c) = self.bump() {
            match c {
                '\\' => _ = self.bump(),
                '\'' => break,
                _ => (),
            }
            // `'\u{10FFFF}'`: everything up to the quote.
            self.bump_while(|c| c != '\'' && c != '\\' && c != '\n');
        }
        let end = self.at();
        self.push(Kind::Char, line, start, end);
    }

    fn ident(&mut self) {
        if self.rest().starts_with("r#") {
            self.bump();
            self.bump();
        }
        let (line, start) = (self.line, self.at());
        self.bump_while(is_ident_part);
        let end = self.at();
        self.push(Kind::Ident, line, start, end);
    }

    fn number(&mut self) {
        let (line, start) = (self.line, self.at());
        self.bump_while(is_ident_part);
        let mut following = self.rest().chars();
        // `1.5`, but neither `1..5` nor `1.max(5)`.
        if following.next() == Some('.') && following.next().is_some_and(|c| c.is_ascii_digit()) {
            self.bump();
            self.bump_while(is_ident_part);
        }
        let end = self.at();
        self.push(Kind::Number, line, start, end);
    }
}

/// Bytes before the text of a raw string, and its number of hashes.
fn raw_string(rest: &str) -> Option<(usize, usize)> {
    let letters = ["r", "br", "cr"].into_iter().find(|letters| {
        rest.strip_prefix(letters)
            .is_some_and(|rest| rest.starts_with(['"', '#']))
    })?;
    let hashes = rest[letters.len()..]
        .chars()
        .take_while(|c| *c == '#')
        .count();
    let prefix = letters.len() + hashes + 1;
    rest[..prefix.min(rest.len())]
        .ends_with('"')
        .then_some((prefix, hashes))
}

fn string_prefix(rest: &str) -> Option<usize> {
    ["\"", "b\"", "c\""]
        .into_iter()
        .find(|prefix| rest.starts_with(prefix))
        .map(str::len)
}

fn is_ident_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn is_ident_part(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expected: &[(Kind, &str)]) {
        let found = tokens(source);
        let found: Vec<(Kind, &str)> = found
            .iter()
            .map(|token| (token.kind, token.text.as_str()))
            .collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn comments_nest_and_hide_code() {
        check("// use crate::x;\n", &[(Kind::Comment, "// use crate::x;")]);
        check(
            "/* a /* b */ c */d",
            &[(Kind::Comment, "/* a /* b */ c */"), (Kind::Ident, "d")],
        );
        check("/* never closed", &[(Kind::Comment, "/* never closed")]);
    }

    #[test]
    fn strings_hide_comments_and_quotes() {
        check(r#""a // \" b""#, &[(Kind::Text, r#"a // \" b"#)]);
        check(
            r#""" b"x" c"y""#,
            &[(Kind::Text, ""), (Kind::Text, "x"), (Kind::Text, "y")],
        );
        check(
            r##"r"a\" r#"b"c"# br#"d"e"#"##,
            &[
                (Kind::Text, "a\\"),
                (Kind::Text, "b\"c"),
                (Kind::Text, "d\"e"),
            ],
        );
        check("\"open", &[(Kind::Text, "open")]);
        check("r#\"open", &[(Kind::Text, "open")]);
    }

    #[test]
    fn lifetimes_are_no_characters() {
        check(
            "&'a x",
            &[
                (Kind::Punct, "&"),
                (Kind::Lifetime, "'a"),
                (Kind::Ident, "x"),
            ],
        );
        check(
            "'a' '\\'' '\\\\' '\\u{1F600}' b'\"' '\"'",
            &[
                (Kind::Char, "'a'"),
                (Kind::Char, "'\\''"),
                (Kind::Char, "'\\\\'"),
                (Kind::Char, "'\\u{1F600}'"),
                (Kind::Char, "b'\"'"),
                (Kind::Char, "'\"'"),
            ],
        );
        check(
            "'static,'é'",
            &[
                (Kind::Lifetime, "'static"),
                (Kind::Punct, ","),
                (Kind::Char, "'é'"),
            ],
        );
    }

    #[test]
    fn numbers_and_raw_names() {
        check(
            "1.5 0x_ff",
            &[(Kind::Number, "1.5"), (Kind::Number, "0x_ff")],
        );
        check(
            "1..2",
            &[
                (Kind::Number, "1"),
                (Kind::Punct, "."),
                (Kind::Punct, "."),
                (Kind::Number, "2"),
            ],
        );
        check("r#type", &[(Kind::Ident, "type")]);
        check(
            "r b br",
            &[(Kind::Ident, "r"), (Kind::Ident, "b"), (Kind::Ident, "br")],
        );
    }

    #[test]
    fn every_token_knows_its_line() {
        let lines: Vec<usize> = tokens("a\n\"x\ny\"\nb /*\n*/ c")
            .iter()
            .map(|token| token.line)
            .collect();
        assert_eq!(lines, [1, 2, 4, 4, 5]);
    }

    #[test]
    fn any_prefix_of_a_source_ends() {
        let source =
            "fn f<'a>(x: &'a str) -> char { /* é */ r#\"q\"# ; 'é' ; b\"\\\"\" ; '\\u{41}' }";
        for (end, _) in source.char_indices() {
            tokens(&source[..end]);
        }
    }
}
