//! Values that are secret because of the name before them: `password=…`, `"api_key": "…"`, `--token …`.

use std::ops::Range;

use super::scan::is_placeholder;
use super::shape::{looks_secret, run};

/// Names, without `_` and `-` and in lower case, that a sensitive name ends in, and the kind of mark; passwords first.
const ENDINGS: &[(&str, &str)] = &[
    ("password", "password"),
    ("passwd", "password"),
    ("passphrase", "password"),
    ("passwort", "password"),
    ("pwd", "password"),
    ("apikey", "key"),
    ("accesskey", "key"),
    ("accesskeyid", "key"),
    ("secretkey", "key"),
    ("privatekey", "key"),
    ("signingkey", "key"),
    ("encryptionkey", "key"),
    ("authkey", "key"),
    ("token", "token"),
    ("secret", "secret"),
    ("authorization", "authorization"),
    ("credential", "secret"),
    ("credentials", "secret"),
];

/// Types that programs give to passwords, so `password: str` is no secret.
const TYPES: &[&str] = &[
    "str", "string", "bytes", "text", "char", "varchar", "any", "object", "int", "number",
    "required", "optional",
];

/// So much of an unquoted value is looked at to tell whether it is code.
const LOOKED_AT_BYTES_MAX: usize = 256;

/// What stands right before a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lead {
    /// `--`
    Flag,
    /// `?` or `&`
    Query,
    Other,
}

/// A name that says that its value is secret.
pub(super) struct Label {
    kind: &'static str,
    lead: Lead,
    /// Upper case, as environment variables are.
    is_loud: bool,
}

impl Label {
    /// `None` if the name is not sensitive.
    pub(super) fn new(word: &str, lead: Lead) -> Option<Self> {
        // The last letters of the endings below.
        if !word.ends_with([
            'd', 'D', 'e', 'E', 't', 'T', 'y', 'Y', 'n', 'N', 'l', 'L', 's', 'S',
        ]) {
            return None;
        }
        let plain: String = word
            .chars()
            .filter(|c| !matches!(c, '_' | '-'))
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let (_, kind) = ENDINGS.iter().find(|(ending, _)| plain.ends_with(ending))?;
        // A working directory is no password.
        (plain != "pwd" && plain != "oldpwd").then(|| Self {
            kind,
            lead,
            is_loud: !word.bytes().any(|byte| byte.is_ascii_lowercase()),
        })
    }

    pub(super) fn kind(&self) -> &'static str {
        self.kind
    }

    fn is_password(&self) -> bool {
        self.kind == "password"
    }
}

/// Where the value ended that was looked at last, so that a text of nested labels is not walked again and again.
#[derive(Default)]
pub(super) struct After {
    end: usize,
}

/// How a name and its value are joined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Join {
    /// `name=value`, without blanks, as in environments and query strings.
    Tight,
    /// `name = value`
    Assigned,
    /// `name: value`
    Colon,
    /// `--name value`
    Flag,
}

/// The range of the secret value that follows a label, which ends at `end`.
pub(super) fn value_after(
    text: &str,
    end: usize,
    label: &Label,
    after: &mut After,
) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let (join, start) = joined(bytes, end, label.lead)?;
    let quote = quote(bytes, start);
    let start = start + quote.len();
    let stop = if quote.is_empty() {
        if start >= after.end {
            let rest = bytes.get(start..)?;
            after.end = start
                + run(rest, |byte| {
                    !byte.is_ascii_whitespace() && !b",;&\"'`<>)]}".contains(&byte)
                });
        }
        after.end
    } else {
        start + closing(bytes.get(start..)?, quote.as_bytes())?
    };
    let value = text.get(start..stop)?;
    if value.is_empty() || is_placeholder(value) {
        return None;
    }
    let head = value
        .get(..value.floor_char_boundary(LOOKED_AT_BYTES_MAX))
        .unwrap_or(value);
    let is_secret = if !quote.is_empty() {
        label.is_password() || looks_secret(value)
    } else if label.is_password() {
        let is_last = matches!(bytes.get(stop), None | Some(b'\n' | b'\r'));
        is_bare_password(head, join, label, is_last)
    } else {
        looks_secret(value) && (join == Join::Tight || !is_path_of_names(head))
    };
    is_secret.then_some(start..stop)
}

/// How the value is joined to the name that ends at `end`, and where it begins.
fn joined(bytes: &[u8], end: usize, lead: Lead) -> Option<(Join, usize)> {
    let blanks = |at: usize| {
        at + run(bytes.get(at..).unwrap_or_default(), |byte| {
            matches!(byte, b' ' | b'\t')
        })
    };
    let name_end = end + quote(bytes, end).len();
    let sign = blanks(name_end);
    match bytes.get(sign..)? {
        // Comparisons and paths of modules.
        [b'=', b'=', ..] | [b':', b':', ..] => None,
        [b'=', b'>', ..] | [b':', b'=', ..] => Some((Join::Assigned, blanks(sign + 2))),
        [b':', ..] => Some((Join::Colon, blanks(sign + 1))),
        [b'=', ..] if sign == end && blanks(sign + 1) == sign + 1 => Some((Join::Tight, sign + 1)),
        [b'=', ..] => Some((Join::Assigned, blanks(sign + 1))),
        [first, ..] if lead == Lead::Flag && sign > name_end && *first != b'-' => {
            Some((Join::Flag, sign))
        }
        _ => None,
    }
}

/// The quotation mark at `at`, escaped or not; empty if there is none.
fn quote(bytes: &[u8], at: usize) -> &'static str {
    match bytes.get(at..) {
        Some([b'\\', b'"', ..]) => "\\\"",
        Some([b'"', ..]) => "\"",
        Some([b'\'', ..]) => "'",
        Some([b'`', ..]) => "`",
        _ => "",
    }
}

/// Where the quotation ends, on the same line; an escaped mark is part of it.
fn closing(bytes: &[u8], quote: &[u8]) -> Option<usize> {
    let mut is_escaped = false;
    for (at, &byte) in bytes.iter().enumerate() {
        if matches!(byte, b'\n' | b'\r') {
            return None;
        }
        if !is_escaped && bytes.get(at..at + quote.len()) == Some(quote) {
            return Some(at);
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    None
}

/// Whether an unquoted value of a password is one, rather than a type, a variable or a call. `is_last` says that its
/// line ends with it.
fn is_bare_password(value: &str, join: Join, label: &Label, is_last: bool) -> bool {
    if value.starts_with(['&', '*', '!']) || value.contains(['(', '[', '{', '|']) {
        return false;
    }
    match join {
        Join::Flag => true,
        Join::Tight if label.is_loud || label.lead != Lead::Other => true,
        _ if !is_path_of_names(value) => true,
        Join::Tight => value.bytes().any(|byte| byte.is_ascii_digit()),
        // A line of INI, or of YAML or a form; a variable or a type in a program.
        Join::Assigned | Join::Colon => {
            let is_name = |byte: u8| byte.is_ascii_uppercase() || byte == b'_' || byte == b'.';
            let is_plain = join == Join::Colon || value.bytes().any(|byte| byte.is_ascii_digit());
            is_last && is_plain && !value.bytes().any(is_name) && !TYPES.contains(&value)
        }
    }
}

/// Whether a value reads as code: names joined by `.`, `::` or `->`, with few digits.
fn is_path_of_names(value: &str) -> bool {
    let value = value.trim_end_matches(['?', ';', ':', '.']);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let mut names = value
        .split(['.', ':', '>', '-'])
        .filter(|name| !name.is_empty());
    digits < 3
        && names.all(|name| {
            !name.starts_with(|c: char| c.is_ascii_digit())
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        })
}
