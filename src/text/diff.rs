//! Unified differences of two texts, in the shape of `diff -u`.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

use super::myers::shared_runs;

/// The name of a file that does not exist, before it is created or after it is deleted.
#[cfg(test)]
pub(crate) const NOWHERE: &str = "/dev/null";

/// Lines that were replaced by others; either range may be empty, not both.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Change {
    old: Range<usize>,
    new: Range<usize>,
}

/// What turns one text into another, line by line.
#[derive(Clone, Debug)]
pub(crate) struct Diff<'a> {
    old: Vec<&'a str>,
    new: Vec<&'a str>,
    changes: Vec<Change>,
}

impl<'a> Diff<'a> {
    /// Compares two texts. Lines end in LF; a CR before it belongs to the line. The shortest script where
    /// that is bounded work, always a correct one.
    pub(crate) fn new(old: &'a str, new: &'a str) -> Self {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let new: Vec<&str> = new.split_inclusive('\n').collect();
        let mut numbers = HashMap::new();
        let numbers_old = number(&old, &mut numbers);
        let numbers_new = number(&new, &mut numbers);
        let mut changes = Vec::new();
        let (mut old_at, mut new_at) = (0, 0);
        for run in shared_runs(&numbers_old, &numbers_new) {
            push_change(old_at..run.old, new_at..run.new, &mut changes);
            (old_at, new_at) = (run.old + run.length, run.new + run.length);
        }
        push_change(old_at..old.len(), new_at..new.len(), &mut changes);
        Self { old, new, changes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The number of lines that only the new text has.
    #[cfg(test)]
    pub(crate) fn added(&self) -> usize {
        self.changes.iter().map(|change| change.new.len()).sum()
    }

    /// The number of lines that only the old text has.
    #[cfg(test)]
    pub(crate) fn removed(&self) -> usize {
        self.changes.iter().map(|change| change.old.len()).sum()
    }

    /// The patch with `context` lines around changes; empty if the texts are equal. A file that is created or
    /// deleted has [`NOWHERE`] as its other name.
    pub(crate) fn unified(&self, name_old: &str, name_new: &str, context: usize) -> String {
        let mut out = String::new();
        if self.is_empty() {
            return out;
        }
        write_name("---", name_old, &mut out);
        write_name("+++", name_new, &mut out);
        let is_near = |a: &Change, b: &Change| b.old.start - a.old.end <= context.saturating_mul(2);
        for hunk in self.changes.chunk_by(is_near) {
            self.write_hunk(hunk, context, &mut out);
        }
        out
    }

    fn write_hunk(&self, hunk: &[Change], context: usize, out: &mut String) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
            return;
        };
        let before = context.min(first.old.start);
        let after = context.min(self.old.len() - last.old.end);
        let old = first.old.start - before..last.old.end + after;
        let new = first.new.start - before..last.new.end + after;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "@@ -{} +{} @@", span(&old), span(&new));
        let mut at = old.start;
        for change in hunk {
            write_lines(' ', self.old.get(at..change.old.start), out);
            write_lines('-', self.old.get(change.old.clone()), out);
            write_lines('+', self.new.get(change.new.clone()), out);
            at = change.old.end;
        }
        write_lines(' ', self.old.get(at..old.end), out);
    }
}

/// The patch that turns `old` into `new`; see [`Diff::unified`].
pub(crate) fn unified(
    old: &str,
    new: &str,
    name_old: &str,
    name_new: &str,
    context: usize,
) -> String {
    Diff::new(old, new).unified(name_old, name_new, context)
}

/// A number for each line, the same for equal lines.
fn number<'a>(lines: &[&'a str], numbers: &mut HashMap<&'a str, u32>) -> Vec<u32> {
    let mut number = |line: &&'a str| {
        let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
        *numbers.entry(line).or_insert(next)
    };
    lines.iter().map(&mut number).collect()
}

fn push_change(old: Range<usize>, new: Range<usize>, changes: &mut Vec<Change>) {
    if !old.is_empty() || !new.is_empty() {
        changes.push(Change { old, new });
    }
}

/// The lines of a hunk's head: their first and their number, which is left out if it is 1; for no line the one
/// before.
fn span(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

fn write_lines(mark: char, lines: Option<&[&str]>, out: &mut String) {
    for line in lines.unwrap_or_default() {
        out.push(mark);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// A head line. A name that a reader would cut or misread is quoted as git does it, or ended by a tab.
fn write_name(mark: &str, name: &str, out: &mut String) {
    let is_plain = |c: char| c != '"' && c != '\\' && !c.is_control();
    out.push_str(mark);
    out.push(' ');
    if name.chars().all(is_plain) {
        out.push_str(name);
        if name.contains(' ') {
            out.push('\t');
        }
    } else {
        write_quoted(name, out);
    }
    out.push('\n');
}

fn write_quoted(name: &str, out: &mut String) {
    out.push('"');
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', char::from(byte)]),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b' '..=b'~' => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out.push('"');
}
