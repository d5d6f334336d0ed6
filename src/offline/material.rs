//! What a request itself brings: quoted strings, numbers, paths and addresses, in the order written.

/// What a piece of a request looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Path,
    Quoted,
    Url,
    Word,
}

/// One piece, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    pub(crate) text: String,
}

/// Splits a request into its pieces. A quote counts only where a word could begin, so that "don't" is one word.
pub(crate) fn pieces(request: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = request;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        if let Some(close) = closing(first)
            && let Some(end) = end_of_quote(rest, first, close)
        {
            let text = &rest[first.len_utf8()..end];
            pieces.push(Piece {
                kind: Kind::Quoted,
                text: text.to_owned(),
            });
            rest = &rest[end + close.len_utf8()..];
            continue;
        }
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        pieces.extend(bare(&rest[..end]));
        rest = &rest[end..];
    }
    pieces
}

/// A request with the kinds of its paths in their place: a catalog of words knows "rename a file", but no file's name.
pub(crate) fn with_kinds(request: &str) -> String {
    let words = request.split_whitespace().map(|chunk| match bare(chunk) {
        Some(piece) if piece.kind == Kind::Path && piece.text.ends_with('/') => "folder",
        Some(piece) if piece.kind == Kind::Path => "file",
        _ => chunk,
    });
    words.collect::<Vec<_>>().join(" ")
}

fn closing(quote: char) -> Option<char> {
    match quote {
        '"' => Some('"'),
        '\'' => Some('\''),
        '`' => Some('`'),
        '“' => Some('”'),
        _ => None,
    }
}

/// Where the quote that `rest` begins with ends: at a mark that no letter follows.
fn end_of_quote(rest: &str, open: char, close: char) -> Option<usize> {
    rest.char_indices()
        .skip(1)
        .find(|&(at, c)| {
            let is_end = rest[at + c.len_utf8()..]
                .chars()
                .next()
                .is_none_or(|next| !next.is_alphanumeric());
            c == close && is_end && open.len_utf8() < at
        })
        .map(|(at, _)| at)
}

/// A piece without quotes, freed of the sentence's punctuation.
fn bare(chunk: &str) -> Option<Piece> {
    const MARKS: [char; 9] = [',', ';', ':', '!', '?', ')', '"', '\'', '`'];
    let text = chunk
        .trim_end_matches(MARKS)
        .trim_start_matches(['(', '"', '\'', '`']);
    // `.` and `..` are folders; any other dots at the end are the sentence's, and so are marks before them.
    let text = match text {
        "." | ".." => text,
        _ => text.trim_end_matches('.').trim_end_matches(MARKS),
    };
    if text.is_empty() {
        return None;
    }
    let kind = if text.contains("://") {
        Kind::Url
    } else if text.bytes().all(|byte| byte.is_ascii_digit()) {
        Kind::Number
    } else if is_path(text) {
        Kind::Path
    } else {
        Kind::Word
    };
    // A port is often written `:8080`.
    if let Some(number) = text
        .strip_prefix(':')
        .filter(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return Some(Piece {
            kind: Kind::Number,
            text: number.to_owned(),
        });
    }
    Some(Piece {
        kind,
        text: text.to_owned(),
    })
}

/// Whether a word can only be meant as a path: it has a slash, or a name with an ending.
fn is_path(text: &str) -> bool {
    if text == "." || text == ".." || text.contains('/') || text.starts_with('~') {
        return true;
    }
    match text.rsplit_once('.') {
        Some(("", name)) => name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '_' || c == '-'),
        Some((_, ending)) => {
            (1..=8).contains(&ending.len()) && ending.chars().all(|c| c.is_ascii_alphanumeric())
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(request: &str, expected: &[(Kind, &str)]) {
        let got: Vec<(Kind, String)> = pieces(request)
            .into_iter()
            .map(|piece| (piece.kind, piece.text))
            .collect();
        let expected: Vec<(Kind, String)> = expected
            .iter()
            .map(|&(kind, text)| (kind, text.to_owned()))
            .collect();
        assert_eq!(got, expected);
    }

    #[test]
    fn a_request_falls_into_its_pieces() {
        check(
            "What listens on :8080?",
            &[
                (Kind::Word, "What"),
                (Kind::Word, "listens"),
                (Kind::Word, "on"),
                (Kind::Number, "8080"),
            ],
        );
        check(
            "run `echo hi`, don't wait",
            &[
                (Kind::Word, "run"),
                (Kind::Quoted, "echo hi"),
                (Kind::Word, "don't"),
                (Kind::Word, "wait"),
            ],
        );
        check(
            "read src/main.rs and Cargo.toml.",
            &[
                (Kind::Word, "read"),
                (Kind::Path, "src/main.rs"),
                (Kind::Word, "and"),
                (Kind::Path, "Cargo.toml"),
            ],
        );
        check(
            "run 'echo \"a b\"' now",
            &[
                (Kind::Word, "run"),
                (Kind::Quoted, "echo \"a b\""),
                (Kind::Word, "now"),
            ],
        );
        check(
            "an \"open quote",
            &[
                (Kind::Word, "an"),
                (Kind::Word, "open"),
                (Kind::Word, "quote"),
            ],
        );
        check(
            "see http://localhost:1/x",
            &[(Kind::Word, "see"), (Kind::Url, "http://localhost:1/x")],
        );
        check("", &[]);
    }
}
