//! Globs: `*` and `?` within a segment of a path, `**` for whole segments, and nothing else.

use std::fmt;

/// A compiled glob. `*` is any run of characters but `/`, `?` one character but `/`, and a segment `**` any number
/// of whole segments, at the end at least one. Everything else is itself; case counts, dots are nothing special.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    text: String,
    segments: Vec<Segment>,
}

/// What stands between two slashes of a glob.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    /// `**`
    Deep,
    Shallow(Vec<Piece>),
}

/// A character of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// `*`
    Run,
    /// `?`
    One,
    Literal(char),
}

/// Why a text is no glob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BadGlob {
    /// What is not understood; empty if the glob is.
    pub(crate) found: String,
    /// Where it begins, in characters from 1.
    pub(crate) place: usize,
}

impl fmt::Display for BadGlob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { found, place } = self;
        match found.as_str() {
            "" => f.write_str("an empty pattern matches nothing; `**` matches everything"),
            "**" => write!(
                f,
                "`**` at character {place} of the pattern is only part of a segment; it stands for whole ones, as in `a/**/b`"
            ),
            _ => write!(
                f,
                "`{found}` at character {place} of the pattern has no meaning here; only `*`, `?` and `**` have"
            ),
        }
    }
}

impl std::error::Error for BadGlob {}

impl Glob {
    /// Compiles a glob. `[`, `]`, `{`, `}`, `\` and a leading `!` mean something elsewhere and are refused, as is a
    /// `**` that is no whole segment.
    pub(crate) fn new(text: &str) -> Result<Self, BadGlob> {
        let bad = |found: &str, place: usize| BadGlob {
            found: found.to_owned(),
            place,
        };
        if text.is_empty() {
            return Err(bad("", 1));
        }
        let is_foreign = |(index, c): &(usize, char)| {
            matches!(c, '[' | ']' | '{' | '}' | '\\') || (*index == 0 && *c == '!')
        };
        if let Some((index, c)) = text.chars().enumerate().find(is_foreign) {
            return Err(bad(c.encode_utf8(&mut [0; 4]), index + 1));
        }
        let mut segments = Vec::new();
        let mut place = 1;
        for segment in text.split('/') {
            if segment == "**" {
                segments.push(Segment::Deep);
            } else if let Some((before, _)) = segment.split_once("**") {
                return Err(bad("**", place + before.chars().count()));
            } else {
                segments.push(Segment::Shallow(segment.chars().map(piece).collect()));
            }
            place += segment.chars().count() + 1;
        }
        Ok(Self {
            text: text.to_owned(),
            segments,
        })
    }

    /// Whether it has no `*` and no `?`, so that it names one text only.
    #[cfg(test)]
    pub(crate) fn is_literal(&self) -> bool {
        !self.text.contains(['*', '?'])
    }

    /// Whether all of `text` matches. Takes at most the product of both lengths for each segment.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let names: Vec<&str> = text.split('/').collect();
        let mut at = 0;
        let mut step = 0;
        // Where to go on if what follows the latest `**` does not match: it takes one segment more.
        let mut retry = None;
        loop {
            let is_match = match (self.segments.get(step), names.get(at)) {
                (Some(Segment::Deep), name) if step + 1 == self.segments.len() => {
                    return name.is_some();
                }
                (Some(Segment::Deep), _) => {
                    retry = Some((step + 1, at));
                    step += 1;
                    continue;
                }
                (Some(Segment::Shallow(pieces)), Some(name)) => matches_name(pieces, name),
                (None, None) => return true,
                _ => false,
            };
            if is_match {
                (step, at) = (step + 1, at + 1);
                continue;
            }
            match retry {
                Some((after_deep, from)) if from < names.len() => {
                    retry = Some((after_deep, from + 1));
                    (step, at) = (after_deep, from + 1);
                }
                _ => return false,
            }
        }
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn piece(c: char) -> Piece {
    match c {
        '*' => Piece::Run,
        '?' => Piece::One,
        _ => Piece::Literal(c),
    }
}

/// Matches one segment. Only the latest `*` is ever reconsidered: what an earlier one could take, it can too.
fn matches_name(pieces: &[Piece], name: &str) -> bool {
    let mut rest = name.chars();
    let mut step = 0;
    let mut retry: Option<(usize, std::str::Chars<'_>)> = None;
    loop {
        let here = rest.clone();
        let is_match = match (pieces.get(step), rest.next()) {
            (Some(Piece::Run), _) => {
                if step + 1 == pieces.len() {
                    return true;
                }
                step += 1;
                rest = here.clone();
                retry = Some((step, here));
                continue;
            }
            (Some(Piece::One), Some(_)) => true,
            (Some(Piece::Literal(literal)), Some(c)) => *literal == c,
            (None, None) => return true,
            // Nothing is left for the pieces, and a longer run would leave less.
            (Some(_), None) => return false,
            (None, Some(_)) => false,
        };
        if is_match {
            step += 1;
            continue;
        }
        let Some((after_run, mut from)) = retry.take() else {
            return false;
        };
        if from.next().is_none() {
            return false;
        }
        step = after_run;
        rest = from.clone();
        retry = Some((after_run, from));
    }
}
