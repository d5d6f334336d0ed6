//! The short way for stream frames that differ from the last one in one string only.
//!
//! A stream of text is thousands of frames that are the same but for the piece of text. Where a frame begins and ends with
//! the very bytes of an earlier one whose only effect was its text, and has one whole JSON string between them, its value
//! is known without building it.

use std::borrow::Cow;

use crate::json::{Value, parse_keeping_halves};

/// Frames longer than this are not learnt from.
const LEARNT_BYTES_MAX: usize = 16 * 1024;

/// A frame with a hole where its text was.
#[derive(Debug)]
pub(super) struct Template {
    /// Up to the quote that opens the string, and with it.
    prefix: String,
    /// From the quote that closes it.
    suffix: String,
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
        let blank = [' ', '\t', '\n', '\r'];
        let after = frame.get(at + quoted.len()..)?;
        let after = after.trim_start_matches(blank).strip_prefix(':')?;
        let body = after.trim_start_matches(blank).strip_prefix('"')?;
        let prefix = frame.get(..frame.len() - body.len())?;
        let suffix = body.get(string_end(body)?..)?;
        if prefix.contains('\\') || suffix.contains('\\') {
            return None;
        }
        Some(Self {
            prefix: prefix.to_owned(),
            suffix: suffix.to_owned(),
        })
    }

    /// The string of `frame`, if it is of this form, and has no half of a character at its edges.
    pub(super) fn read<'a>(&self, frame: &'a str) -> Option<Cow<'a, str>> {
        let rest = frame.strip_prefix(self.prefix.as_str())?;
        let body = rest.strip_suffix(self.suffix.as_str())?;
        let mut is_escaped = false;
        for byte in body.bytes() {
            match byte {
                b'"' | b'\\' => is_escaped = true,
                0..0x20 => return None,
                _ => {}
            }
        }
        if !is_escaped {
            return Some(Cow::Borrowed(body));
        }
        // With its quotes it is one JSON string, or something else that the long way must look at.
        let start = self.prefix.len() - 1;
        let end = self.prefix.len() + body.len() + 1;
        match parse_keeping_halves(frame.as_bytes().get(start..end)?) {
            Ok((Value::String(text), halves)) if halves.is_empty() => Some(Cow::Owned(text)),
            _ => None,
        }
    }
}

/// Where the string that `body` begins inside of ends: the place of its closing quote.
fn string_end(body: &str) -> Option<usize> {
    let mut is_escaped = false;
    body.bytes().position(|byte| {
        let is_end = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        is_end
    })
}
