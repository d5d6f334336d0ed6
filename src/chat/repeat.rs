//! Notices that a conversation goes in circles: rounds of calls that bring nothing new, and answers that repeat one piece.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::chat::ToolCall;
use crate::json::{Value, parse, write};

/// A circle is walked so often before it counts as one.
const TIMES: usize = 3;
/// Rounds of the longest circle that is noticed.
const CYCLE_ROUNDS_MAX: usize = 3;

/// The last rounds of a turn, each as one number.
#[derive(Debug, Default)]
pub(super) struct Rounds(VecDeque<u64>);

impl Rounds {
    /// Takes a round, its calls and what came of each. Gives the length of the circle that it closes, in rounds.
    pub(super) fn push(&mut self, calls: &[ToolCall], results: &[&str]) -> Option<usize> {
        let mut parts: Vec<u64> = calls
            .iter()
            .zip(results)
            .map(|(call, result)| hash(&(&call.name, normalize(&call.arguments), result)))
            .collect();
        // Equal calls of one round count once, and their order says nothing.
        parts.sort_unstable();
        parts.dedup();
        self.0.push_back(hash(&parts));
        if self.0.len() > TIMES * CYCLE_ROUNDS_MAX {
            self.0.pop_front();
        }
        (1..=CYCLE_ROUNDS_MAX).find(|length| self.ends_in_circle(*length))
    }

    fn ends_in_circle(&self, length: usize) -> bool {
        let Some(start) = self.0.len().checked_sub(length * TIMES) else {
            return false;
        };
        (start + length..self.0.len()).all(|at| self.0.get(at) == self.0.get(at - length))
    }
}

fn hash(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// Arguments in one spelling: keys sorted at all depths, paths without detours. What is no JSON stays as it is.
fn normalize(arguments: &str) -> Vec<u8> {
    let Ok(mut value) = parse(arguments.as_bytes()) else {
        return arguments.trim().as_bytes().to_vec();
    };
    value.sort_keys();
    normalize_paths(&mut value);
    let mut out = Vec::new();
    write(&value, &mut out);
    out
}

fn normalize_paths(value: &mut Value) {
    match value {
        Value::String(text) if is_path(text) => *text = straighten(text),
        Value::Array(items) => items.iter_mut().for_each(normalize_paths),
        Value::Object(object) => object
            .iter_mut()
            .for_each(|(_, value)| normalize_paths(value)),
        _ => {}
    }
}

/// Whether a text may be a path: no blanks, no scheme, and a slash or a dot to straighten.
fn is_path(text: &str) -> bool {
    (text.contains('/') || text == ".")
        && !text.contains("://")
        && !text.chars().any(char::is_whitespace)
}

/// A path without `.`, empty steps and steps back.
fn straighten(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => {
                steps.pop();
            }
            ".." if is_absolute => {}
            step => steps.push(step),
        }
    }
    let root = if is_absolute { "/" } else { "" };
    if steps.is_empty() && !is_absolute {
        ".".to_owned()
    } else {
        format!("{root}{}", steps.join("/"))
    }
}

/// Characters at the end of an answer that are one piece repeated before it is stopped.
const LOOP_CHARS: usize = 4096;
/// Characters of the shortest such piece: shorter ones are rules, tables and blanks.
const PIECE_CHARS_MIN: usize = 20;
/// Bytes of new text between two looks.
const LOOK_BYTES: usize = 1024;
/// Bytes of the end of a text that must be found again in it before it is looked at closely.
const PROBE_BYTES: usize = 64;

/// Watches an answer grow.
#[derive(Debug, Default)]
pub(crate) struct TextLoop {
    looked: usize,
}

impl TextLoop {
    /// Whether `text`, the answer so far, ends in [`LOOP_CHARS`] characters that are one piece repeated. Cheap to call
    /// with each piece: it looks now and then.
    pub(crate) fn is_caught(&mut self, text: &str) -> bool {
        if text.len() < self.looked + LOOK_BYTES {
            return false;
        }
        self.looked = text.len();
        piece_of_loop(text).is_some()
    }
}

/// The characters of the piece that the end of `text` repeats, if it does.
fn piece_of_loop(text: &str) -> Option<usize> {
    if text.len() < LOOP_CHARS {
        return None;
    }
    let (start, _) = text.char_indices().rev().nth(LOOP_CHARS - 1)?;
    let end = text.get(start..)?;
    let bytes = end.as_bytes();
    // The end of a loop stands in it before; nearly all texts are done here.
    let probe = end.get(end.ceil_char_boundary(end.len() - PROBE_BYTES)..)?;
    let before = end.get(..end.floor_char_boundary(end.len() - 1))?;
    before.rfind(probe)?;
    let period = shortest_period(bytes)?;
    if period > bytes.len() / 2 {
        return None;
    }
    let chars = end.get(..period)?.chars().count();
    (chars >= PIECE_CHARS_MIN).then_some(chars)
}

/// The smallest shift under which `bytes` matches itself (Knuth, Morris, Pratt); its length if there is none.
fn shortest_period(bytes: &[u8]) -> Option<usize> {
    let mut borders = vec![0_usize; bytes.len()];
    let mut border = 0;
    for at in 1..bytes.len() {
        let byte = *bytes.get(at)?;
        while border > 0 && bytes.get(border) != Some(&byte) {
            border = *borders.get(border - 1)?;
        }
        if bytes.get(border) == Some(&byte) {
            border += 1;
        }
        *borders.get_mut(at)? = border;
    }
    Some(bytes.len() - borders.last()?)
}

#[cfg(test)]
mod tests;
