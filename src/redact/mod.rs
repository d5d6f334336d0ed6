//! Secrets in text become marks, so that no screen, journal or error message carries them.

mod label;
mod scan;
mod shape;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use self::scan::find;

/// A known secret must have so many bytes to be looked for; a shorter one would hit ordinary words.
pub(crate) const KNOWN_BYTES_MIN: usize = 8;

/// A secret and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Hit {
    range: Range<usize>,
    kind: &'static str,
}

/// The mark that stands for a secret: `[secret:KIND]`.
pub(crate) fn mark(kind: &str) -> String {
    format!("[secret:{kind}]")
}

/// The text with marks in place of secrets: those in `known` wherever they stand, and whatever has the shape of one.
/// What has been marked stays as it is. For whole texts: a secret cut in two is not found.
pub(crate) fn redact<'a>(text: &'a str, known: &[String]) -> Cow<'a, str> {
    let mut hits = Vec::new();
    for secret in known {
        find_known(text, secret, &mut hits);
        let escaped = escape(secret);
        if escaped != *secret {
            find_known(text, &escaped, &mut hits);
        }
    }
    find(text, &mut hits);
    if hits.is_empty() {
        return Cow::Borrowed(text);
    }
    // The earliest first, of those the longest; what overlaps a hit belongs to it.
    hits.sort_by_key(|hit| (hit.range.start, usize::MAX - hit.range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for hit in hits {
        if hit.range.start >= at {
            out.push_str(text.get(at..hit.range.start).unwrap_or_default());
            out.push_str(&mark(hit.kind));
        }
        at = at.max(hit.range.end);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

fn find_known(text: &str, secret: &str, hits: &mut Vec<Hit>) {
    if secret.len() < KNOWN_BYTES_MIN {
        return;
    }
    hits.extend(text.match_indices(secret).map(|(start, _)| Hit {
        range: start..start + secret.len(),
        kind: "key",
    }));
}

/// A secret as it stands in a JSON text.
fn escape(secret: &str) -> String {
    secret
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}
