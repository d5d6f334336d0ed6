//! The short way for stream frames that differ from the last one in their piece of text, and in what nobody reads.
//!
//! A stream of text is thousands of frames that are the same but for the piece of text, and perhaps an id or a time. Where
//! a frame has the very bytes of an earlier one whose only effect was its text, but for whole JSON values in those places,
//! its own effect is known without building its value.

use std::borrow::Cow;

use crate::json::{Value, parse_keeping_halves};

/// Frames longer than this are not learnt from.
const LEARNT_BYTES_MAX: usize = 16 * 1024;
/// Places that may differ, beside the text.
const HOLES_MAX: usize = 8;
/// Digits of a number in such a place: they fit an integer.
const DIGITS_MAX: usize = 18;
/// Members that say nothing of an answer, wherever they stand.
const UNREAD: [&str; 3] = ["\"id\"", "\"created\"", "\"obfuscation\""];

/// What may differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hole {
    /// The inside of the string that is read.
    Text,
    /// The inside of a string that is not.
    Unread,
    /// A number that is not, without sign and fraction.
    Digits,
}

/// A frame with holes where its text and what nobody reads were.
#[derive(Debug)]
pub(super) struct Template {
    /// What stands before each hole.
    parts: Vec<(String, Hole)>,
    /// What stands behind the last.
    end: String,
}

impl Template {
    /// The template of `frame`, a JSON text whose only effect is the string member `key`. `None` where it is not certain
    /// which bytes are that string: another place spells the key, or there are escapes outside the string.
    pub(super) fn learn(frame: &str, key: &str) -> Option<Self> {
        if frame.len() > LEARNT_BYTES_MAX {
            return None;
        }
        let quoted = format!("\"{key}\"");
        let at = frame.find(&quoted)?;
        if frame.rfind(&quoted) != Some(at) {
            return None;
        }
        let body = value_of(frame.get(at + quoted.len()..)?)?.strip_prefix('"')?;
        let prefix = frame.get(..frame.len() - body.len())?;
        let suffix = body.get(string_end(body)?..)?;
        if prefix.contains('\\') || suffix.contains('\\') {
            return None;
        }
        let mut parts = Vec::new();
        let literal = cut_holes(prefix, &mut parts);
        parts.push((literal.to_owned(), Hole::Text));
        let end = cut_holes(suffix, &mut parts).to_owned();
        Some(Self { parts, end })
    }

    /// The string of `frame`, if it is of this form, and has no half of a character at its edges.
    pub(super) fn read<'a>(&self, frame: &'a str) -> Option<Cow<'a, str>> {
        let mut rest = frame;
        let mut text = None;
        for (literal, hole) in &self.parts {
            rest = rest.strip_prefix(literal.as_str())?;
            let length = match hole {
                Hole::Unread => plain_end(rest)?,
                Hole::Digits => digits_end(rest)?,
                Hole::Text => {
                    let end = string_end(rest)?;
                    text = Some(read_string(frame, frame.len() - rest.len(), end)?);
                    end
                }
            };
            rest = rest.get(length..)?;
        }
        if rest == self.end { text } else { None }
    }
}

/// What stands behind a key: its value, without the colon and the blanks around it.
fn value_of(after: &str) -> Option<&str> {
    let blank = [' ', '\t', '\n', '\r'];
    let value = after.trim_start_matches(blank).strip_prefix(':')?;
    Some(value.trim_start_matches(blank))
}

/// Cuts the values that nobody reads out of `text`, which has no escapes; gives what stands behind the last.
fn cut_holes<'a>(text: &'a str, parts: &mut Vec<(String, Hole)>) -> &'a str {
    let mut rest = text;
    let mut from = 0;
    while parts.len() < HOLES_MAX {
        let Some(found) = UNREAD
            .iter()
            .filter_map(|name| Some(from + rest.get(from..)?.find(name)? + name.len()))
            .min()
        else {
            break;
        };
        from = found;
        let Some(value) = rest.get(found..).and_then(value_of) else {
            continue;
        };
        let (value, hole, length) = match value.strip_prefix('"') {
            Some(inside) => (inside, Hole::Unread, plain_end(inside)),
            // Only a number that ends here: neither fraction nor exponent follows.
            None => (value, Hole::Digits, digits_end(value)),
        };
        let start = rest.len() - value.len();
        let Some(after) = length.and_then(|length| rest.get(start + length..)) else {
            continue;
        };
        parts.push((rest.get(..start).unwrap_or_default().to_owned(), hole));
        rest = after;
        from = 0;
    }
    rest
}

/// Where the inside of a string without escapes ends.
fn plain_end(inside: &str) -> Option<usize> {
    let end = inside
        .bytes()
        .position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
    (inside.as_bytes().get(end) == Some(&b'"')).then_some(end)
}

/// Where a number of digits only ends.
fn digits_end(number: &str) -> Option<usize> {
    let end = number.bytes().position(|byte| !byte.is_ascii_digit())?;
    let is_number = (1..=DIGITS_MAX).contains(&end) && (end == 1 || !number.starts_with('0'));
    let is_whole = matches!(number.as_bytes().get(end), Some(b',' | b'}'));
    (is_number && is_whole).then_some(end)
}

/// Where the string that `inside` begins in ends: the place of its closing quote.
fn string_end(inside: &str) -> Option<usize> {
    let mut is_escaped = false;
    inside.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}

/// The string whose inside is the `length` bytes from `start`. `None` if it is none, or has half a character at an edge.
fn read_string(frame: &str, start: usize, length: usize) -> Option<Cow<'_, str>> {
    let inside = frame.get(start..start + length)?;
    if inside.bytes().all(|byte| byte >= 0x20 && byte != b'\\') {
        return Some(Cow::Borrowed(inside));
    }
    let quoted = frame.get(start.checked_sub(1)?..=start + length)?;
    match parse_keeping_halves(quoted.as_bytes()) {
        Ok((Value::String(text), halves)) if halves.is_empty() => Some(Cow::Owned(text)),
        _ => None,
    }
}
