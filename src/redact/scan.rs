//! Walks once over a text and finds what has the shape of a secret.

use super::Hit;
use super::label::{After, Label, Lead, value_after};
use super::shape::{is_basic_credentials, is_mixed, run, token};

/// Key blocks have at least so many base64 digits; fewer are an example or a program's text.
const KEY_DIGITS_MIN: usize = 40;
/// Longer words are no labels.
const LABEL_BYTES_MAX: usize = 64;

/// Appends the secrets of `text`.
pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    let mut walk = Walk {
        text,
        bytes,
        after: After::default(),
    };
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let step = match byte {
            b'-' => walk.key_block(at),
            b':' => walk.userinfo(at),
            _ if is_word(byte) => walk.word(at),
            _ => Step::To(at + 1),
        };
        at = match step {
            Step::To(next) => next,
            Step::Found(hit) => {
                let next = hit.range.end;
                hits.push(hit);
                next
            }
        };
    }
}

/// Where to go on.
enum Step {
    To(usize),
    Found(Hit),
}

struct Walk<'a> {
    text: &'a str,
    bytes: &'a [u8],
    after: After,
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// What bearer tokens consist of (RFC 6750 §2.1).
fn is_token68(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)
}

/// Words may have single hyphens inside.
fn word_length(bytes: &[u8]) -> usize {
    let is_part = |(at, &byte): (usize, &u8)| {
        is_word(byte)
            || (at > 0 && byte == b'-' && bytes.get(at + 1).is_some_and(|&next| is_word(next)))
    };
    let end = bytes.iter().enumerate().position(|part| !is_part(part));
    end.unwrap_or(bytes.len())
}

impl Walk<'_> {
    fn rest(&self, at: usize) -> &[u8] {
        self.bytes.get(at..).unwrap_or_default()
    }

    fn slice(&self, from: usize, to: usize) -> &str {
        self.text.get(from..to).unwrap_or_default()
    }

    /// A word begins: a token, a scheme, or the name of what follows.
    fn word(&mut self, at: usize) -> Step {
        let escape = at.checked_sub(1).and_then(|before| self.bytes.get(before));
        let is_escaped = escape == Some(&b'\\') && matches!(self.bytes[at], b'n' | b't' | b'r');
        // In an escaped text a word may stand right behind a `\n`.
        let start = at + usize::from(is_escaped);
        if let Some((kind, length)) = token(self.rest(start)) {
            return Step::Found(Hit {
                range: start..start + length,
                kind,
            });
        }
        let end = start + word_length(self.rest(start));
        let word = self.slice(start, end);
        if let Some(hit) = self.scheme(word, end) {
            return Step::Found(hit);
        }
        let lead = match self.bytes.get(..start) {
            Some([.., b'-', b'-']) => Lead::Flag,
            Some([.., b'?' | b'&']) => Lead::Query,
            _ => Lead::Other,
        };
        if word.len() <= LABEL_BYTES_MAX
            && let Some(label) = Label::new(word, lead)
            && let Some(range) = value_after(self.text, end, &label, &mut self.after)
        {
            let kind = label.kind();
            return Step::Found(Hit { range, kind });
        }
        Step::To(end.max(at + 1))
    }

    /// `Bearer …` and `Basic …`, in headers and wherever they are quoted.
    fn scheme(&self, word: &str, end: usize) -> Option<Hit> {
        const HEADER: &str = "authorization: ";
        let before = self.slice(
            (end - word.len()).saturating_sub(HEADER.len()),
            end - word.len(),
        );
        let is_bearer = word.eq_ignore_ascii_case("bearer")
            || (word.eq_ignore_ascii_case("token") && before.eq_ignore_ascii_case(HEADER));
        if !is_bearer && !word.eq_ignore_ascii_case("basic") {
            return None;
        }
        let blanks = run(self.rest(end), |byte| byte == b' ');
        let start = end + blanks;
        let stop = start + run(self.rest(start), is_token68);
        let value = self.slice(start, stop).trim_end_matches('.');
        let is_secret = blanks > 0
            && if is_bearer {
                value.len() >= 8
                    && (is_mixed(value.as_bytes()) || value.len() >= 20 && has_both_cases(value))
            } else {
                is_basic_credentials(value)
            };
        is_secret.then(|| Hit {
            range: start..start + value.len(),
            kind: if is_bearer { "bearer" } else { "basic" },
        })
    }

    /// The password of a URL's user, behind `://`.
    fn userinfo(&self, at: usize) -> Step {
        let Some(authority) = self.rest(at).strip_prefix(b"://") else {
            return Step::To(at + 1);
        };
        let start = at + 3;
        let is_part = |byte: u8| byte.is_ascii_graphic() && !b"/?#\"'`<>\\".contains(&byte);
        let length = run(authority, is_part);
        let authority = self.slice(start, start + length);
        let password = authority
            .rsplit_once('@')
            .filter(|(user, _)| !user.starts_with("[secret:"))
            .and_then(|(user, _)| user.split_once(':'));
        match password {
            Some((user, password)) if !is_placeholder(password) => {
                let from = start + user.len() + 1;
                Step::Found(Hit {
                    range: from..from + password.len(),
                    kind: "password",
                })
            }
            _ => Step::To(start),
        }
    }

    /// The inside of a PEM block that holds a private key (RFC 7468), also with its line ends escaped.
    fn key_block(&self, at: usize) -> Step {
        let dashes = run(self.rest(at), |byte| byte == b'-');
        let next = at + dashes;
        if dashes < 5 || !self.rest(next).starts_with(b"BEGIN ") {
            return Step::To(next);
        }
        let title = run(self.rest(next), |byte| {
            byte.is_ascii_uppercase() || byte == b' '
        });
        let start = next + title + 5;
        if !self.slice(next, next + title).ends_with("PRIVATE KEY")
            || self.slice(next + title, start) != "-----"
        {
            return Step::To(next + title);
        }
        let body = self.rest(start);
        let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
        let is_part =
            |byte: u8| is_digit(byte) || byte.is_ascii_whitespace() || b"\\:,".contains(&byte);
        let mut length = run(body, is_part);
        // Headers such as `DEK-Info: AES-128-CBC` have single hyphens.
        while body.get(length) == Some(&b'-')
            && body.get(length + 1).is_some_and(|&byte| is_part(byte))
        {
            length += 1 + run(body.get(length + 1..).unwrap_or_default(), is_part);
        }
        let digits = body
            .iter()
            .take(length)
            .filter(|&&byte| is_digit(byte))
            .count();
        if digits < KEY_DIGITS_MIN {
            return Step::To(start + length);
        }
        Step::Found(Hit {
            range: start..start + length,
            kind: "private-key",
        })
    }
}

fn has_both_cases(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_uppercase())
        && value.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// What stands for a secret in documentation and templates, and what is marked already.
pub(super) fn is_placeholder(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "null",
        "none",
        "nil",
        "true",
        "false",
        "undefined",
        "password",
        "string",
        "secret",
    ];
    let is_filler = |c: char| matches!(c, '*' | 'x' | 'X' | '.' | '-' | '_' | '…' | '•');
    let is_within = |open: char, close: char| value.starts_with(open) && value.ends_with(close);
    let is_variable = value.strip_prefix('$').is_some_and(|name| {
        name.starts_with(['{', '('])
            || name
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    });
    value.starts_with("[secret:")
        || is_variable
        || is_within('<', '>')
        || is_within('{', '}')
        || is_within('%', '%')
        || value == "%s"
        || value.chars().all(is_filler)
        || WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
}
