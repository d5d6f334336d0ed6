//! Changes parts of a file, each found by the text that is there now.

use std::collections::HashMap;
use std::ops::Range;

use crate::text;
use crate::tool::prelude::*;

/// Lines around a change that the question shows.
const CONTEXT_LINES: usize = 3;
/// Places named when a text is not unique.
const PLACES_MAX: usize = 8;

tool! {
    /// Replace text in a file. `old_string` must occur once, unless `replace_all`; give `edits` for several changes, all or none.
    effect: plan;
    subject: Path;
    check: |args| check(args);
    needs: [Files, Writes];
    struct Args {
        /// File, from the workspace or absolute.
        path: Text<4_096>,
        /// Text that is there now, with enough lines around it to be unique.
        old_string: Option<String>,
        /// Text to put in its place.
        new_string: Option<String>,
        /// Replace every occurrence.
        replace_all: Option<bool>,
        /// Several changes, made in order.
        edits: Option<List<Edit, 100>>,
    }
    examples: [
        object! { "path": "notes.txt", "old_string": "hello", "new_string": "goodbye" } => "in notes.txt replace \"hello\" with \"goodbye\"",
        object! { "path": "notes.txt", "old_string": "hello", "new_string": "goodbye" } => "replace \"hello\" with \"goodbye\" in notes.txt",
    ];
}

record! {
    Edit {
        /// Text that is there now.
        old_string: String,
        /// Text to put in its place.
        new_string: String,
        /// Replace every occurrence.
        replace_all: Option<bool>,
    }
}

fn check(args: &Args) -> Vec<String> {
    let is_single = args.old_string.is_some() || args.new_string.is_some();
    let mut faults = Vec::new();
    match (is_single, &args.edits) {
        (true, Some(_)) => {
            faults.push("give `old_string` and `new_string`, or `edits`, not both".to_owned())
        }
        (false, None) => {
            faults.push("`old_string` and `new_string`, or `edits`, are missing".to_owned())
        }
        (true, None) if args.old_string.is_none() => {
            faults.push("`old_string` is missing".to_owned())
        }
        (true, None) if args.new_string.is_none() => {
            faults.push("`new_string` is missing".to_owned())
        }
        _ => (),
    }
    for (index, edit) in edits(args).iter().enumerate() {
        if edit.old_string.is_empty() {
            faults.push(format!(
                "`old_string` of edit {} is empty; use `write_file` for a new file",
                index + 1
            ));
        }
    }
    faults
}

fn edits(args: &Args) -> Vec<Edit> {
    match (&args.edits, &args.old_string, &args.new_string) {
        (Some(list), _, _) => list.0.clone(),
        (None, Some(old), Some(new)) => vec![Edit {
            old_string: old.clone(),
            new_string: new.clone(),
            replace_all: args.replace_all,
        }],
        _ => Vec::new(),
    }
}

fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let files = Files::grant(look);
    let target = files.target(&args.path)?;
    let seen = files.fingerprint(&target.path)?;
    let old = content(&target, &files)?;
    let edited = apply(&old, &edits(args), &target.shown)?;
    let name = &target.shown;
    let diff = text::unified(
        &old,
        &edited.text,
        &format!("a/{name}"),
        &format!("b/{name}"),
        CONTEXT_LINES,
    );
    let shown = if diff.is_empty() {
        format!("`{name}` would not change")
    } else {
        diff
    };
    Ok(Plan {
        effect: Effect::Change,
        binding: Binding {
            files: vec![(target.path.clone(), seen)],
            ..Binding::default()
        },
        subject: Subject::Paths(vec![target]),
        shown,
    })
}

fn run(args: Args, _plan: Plan, call: &Call, files: Files, writes: Writes) -> Outcome {
    let target = files.target(&args.path)?;
    let old = content(&target, &files)?;
    let edits = edits(&args);
    let edited = apply(&old, &edits, &target.shown)?;
    if edited.text == old {
        return Ok(format!(
            "`{}` holds exactly that already; nothing was written",
            target.shown
        )
        .into());
    }
    call.check()?;
    let change = writes.write(&target, edited.text.as_bytes(), Some(old.into_bytes()))?;
    let mut text = format!(
        "edited `{}`: {} replaced",
        target.shown,
        count(edited.replaced, "place")
    );
    for (index, rung) in edited
        .rungs
        .iter()
        .enumerate()
        .filter(|(_, rung)| **rung != Rung::Exact)
    {
        text.push_str(&format!(
            "\nedit {} matched only {}",
            index + 1,
            rung.words()
        ));
    }
    Ok(Output {
        text,
        changes: vec![change],
        ..Output::default()
    })
}

/// The file's text, which must be UTF-8 so that what is not edited stays as it is.
fn content(target: &Target, files: &Files) -> Result<String, Failure> {
    if files.stat(&target.path)?.is_none() {
        let shown = &target.shown;
        return Err(Failure::new(format!(
            "cannot edit `{shown}`: it does not exist; use `write_file` for a new file"
        )));
    }
    String::from_utf8(files.read(target)?).map_err(|_| {
        Failure::new(format!(
            "cannot edit `{}`: it is not UTF-8 text",
            target.shown
        ))
    })
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

/// How loosely a text was matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rung {
    Exact,
    LineEnds,
    TrailingSpace,
    Indentation,
}

impl Rung {
    const LOOSE: [Self; 3] = [Self::LineEnds, Self::TrailingSpace, Self::Indentation];

    fn words(self) -> &'static str {
        match self {
            Self::Exact => "exactly",
            Self::LineEnds => "apart from line ends",
            Self::TrailingSpace => "apart from blanks at line ends",
            Self::Indentation => "apart from indentation",
        }
    }

    /// What of a line is compared.
    fn key(self, line: &str) -> &str {
        let line = line.strip_suffix('\r').unwrap_or(line);
        match self {
            Self::Exact | Self::LineEnds => line,
            Self::TrailingSpace => line.trim_end(),
            Self::Indentation => line.trim(),
        }
    }
}

/// What edits made of a text.
#[derive(Debug)]
struct Edited {
    text: String,
    rungs: Vec<Rung>,
    replaced: usize,
}

/// Applies all of `edits`, in order, or none.
fn apply(old: &str, edits: &[Edit], shown: &str) -> Result<Edited, Failure> {
    let mut edited = Edited {
        text: old.to_owned(),
        rungs: Vec::new(),
        replaced: 0,
    };
    for (index, edit) in edits.iter().enumerate() {
        let (rung, places) = find(&edited.text, edit, index + 1, shown)?;
        let mut text = String::with_capacity(edited.text.len());
        let mut end = 0;
        for place in &places {
            text.push_str(&edited.text[end..place.start]);
            text.push_str(&fitted(&edited.text, place, edit, rung));
            end = place.end;
        }
        text.push_str(&edited.text[end..]);
        edited.text = text;
        edited.rungs.push(rung);
        edited.replaced += places.len();
    }
    Ok(edited)
}

/// Where `edit` applies: the strictest rung that matches at all decides.
fn find(
    text: &str,
    edit: &Edit,
    number: usize,
    shown: &str,
) -> Result<(Rung, Vec<Range<usize>>), Failure> {
    let exact: Vec<Range<usize>> = text
        .match_indices(&edit.old_string)
        .map(|(start, found)| start..start + found.len())
        .collect();
    let mut found = (Rung::Exact, exact);
    for rung in Rung::LOOSE {
        if found.1.is_empty() {
            found = (rung, windows(text, &edit.old_string, rung));
        }
    }
    let (rung, places) = found;
    if places.is_empty() {
        return Err(Failure::new(missing(text, edit, number, shown)));
    }
    if 1 < places.len() && edit.replace_all != Some(true) {
        let mut lines: Vec<String> = places
            .iter()
            .take(PLACES_MAX)
            .map(|place| line_number(text, place.start).to_string())
            .collect();
        if PLACES_MAX < places.len() {
            lines.push("…".to_owned());
        }
        return Err(Failure::new(format!(
            "edit {number}: `old_string` occurs {} times in `{shown}`, at lines {}; nothing was changed; \
             add lines around it, or set `replace_all`",
            places.len(),
            lines.join(", ")
        )));
    }
    Ok((rung, places))
}

/// Why nothing matched, with the lines that come nearest.
fn missing(text: &str, edit: &Edit, number: usize, shown: &str) -> String {
    let wanted = edit
        .old_string
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    let near: Vec<String> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !wanted.is_empty() && (line.trim() == wanted || line.contains(wanted)))
        .take(PLACES_MAX)
        .map(|(index, _)| (index + 1).to_string())
        .collect();
    let hint = if near.is_empty() {
        "read the file again and copy the text as it is".to_owned()
    } else {
        format!(
            "its first line stands at line {}; what follows differs, read it again",
            near.join(", ")
        )
    };
    format!("edit {number}: `old_string` was not found in `{shown}`; nothing was changed; {hint}")
}

fn line_number(text: &str, at: usize) -> usize {
    text[..at].bytes().filter(|&byte| byte == b'\n').count() + 1
}

/// The ranges of whole lines that equal the lines of `wanted` by `rung`'s measure, not overlapping.
///
/// Lines become numbers and Knuth-Morris-Pratt finds them, so that no input makes it quadratic.
fn windows(text: &str, wanted: &str, rung: Rung) -> Vec<Range<usize>> {
    let takes_last_end = wanted.ends_with('\n');
    let wanted = wanted.strip_suffix('\n').unwrap_or(wanted);
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut number = |line| {
        let next = numbers.len();
        *numbers.entry(rung.key(line)).or_insert(next)
    };
    let pattern: Vec<usize> = wanted.split('\n').map(&mut number).collect();
    if wanted.split('\n').all(|line| rung.key(line).is_empty()) {
        return Vec::new();
    }
    let mut lines: Vec<(usize, Range<usize>)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let body = line.strip_suffix('\n').unwrap_or(line);
        lines.push((number(body), start..start + line.len()));
        start += line.len();
    }
    let mut borders = vec![0; pattern.len()];
    let mut border = 0;
    for at in 1..pattern.len() {
        while 0 < border && pattern[border] != pattern[at] {
            border = borders[border - 1];
        }
        border += usize::from(pattern[border] == pattern[at]);
        borders[at] = border;
    }
    let mut found = Vec::new();
    let mut matched = 0;
    for (at, (line, range)) in lines.iter().enumerate() {
        while 0 < matched && pattern[matched] != *line {
            matched = borders[matched - 1];
        }
        matched += usize::from(pattern[matched] == *line);
        if matched == pattern.len() {
            let end = if takes_last_end {
                range.end
            } else {
                range.start + body_length(&text[range.clone()])
            };
            found.push(lines[at + 1 - matched].1.start..end);
            matched = 0;
        }
    }
    found
}

/// The length of a line without its end.
fn body_length(line: &str) -> usize {
    line.trim_end_matches(['\n', '\r']).len()
}

/// The replacement, with the line ends and, where that was matched loosely, the indentation of its place.
fn fitted(text: &str, place: &Range<usize>, edit: &Edit, rung: Rung) -> String {
    let mut new = edit.new_string.clone();
    if rung == Rung::Indentation {
        let first = |text: &str| {
            text.lines()
                .find(|line| !line.trim().is_empty())
                .map(indentation)
                .map(str::to_owned)
        };
        let there = first(&text[place.clone()]).unwrap_or_default();
        let given = first(&edit.old_string).unwrap_or_default();
        new = new
            .split('\n')
            .map(|line| match line.strip_prefix(given.as_str()) {
                Some(rest) if !line.trim().is_empty() => format!("{there}{rest}"),
                _ => line.to_owned(),
            })
            .collect::<Vec<_>>()
            .join("\n");
    }
    let line_end = text[place.start..].find('\n').map(|at| place.start + at);
    let is_crlf = line_end.is_some_and(|at| text[..at].ends_with('\r'));
    if is_crlf && !edit.old_string.contains("\r\n") {
        new = new.replace("\r\n", "\n").replace('\n', "\r\n");
    } else if rung == Rung::LineEnds && !is_crlf {
        new = new.replace("\r\n", "\n");
    }
    if rung != Rung::Exact
        && edit.old_string.ends_with('\n')
        && !new.is_empty()
        && !new.ends_with('\n')
    {
        new.push_str(if is_crlf { "\r\n" } else { "\n" });
    }
    new
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of `text` when `old` is replaced by `new`; a failure is its text.
    #[track_caller]
    fn check(text: &str, old: &str, new: &str, expected: &str) {
        let edit = Edit {
            old_string: old.to_owned(),
            new_string: new.to_owned(),
            replace_all: None,
        };
        let got = apply(text, &[edit], "f").map_or_else(|failure| failure.0, |edited| edited.text);
        assert_eq!(got, expected);
    }

    #[test]
    fn the_strictest_rung_decides() {
        check("a\nb\n", "b", "c", "a\nc\n");
        check("a  \nb\n", "a\nb\n", "c\n", "c\n");
        check(
            "  if x {\n    y\n  }\n",
            "if x {\n  y\n}",
            "if z {\n  y\n}",
            "  if z {\n    y\n  }\n",
        );
        check("a\r\nb\r\nc\n", "a\nb\n", "x\ny\n", "x\r\ny\r\nc\n");
    }

    #[test]
    fn untouched_lines_keep_their_bytes() {
        check(
            "one\r\ntwo\nthree\r\n",
            "two",
            "2\n2",
            "one\r\n2\n2\nthree\r\n",
        );
        check("\u{FEFF}a\n", "a", "b", "\u{FEFF}b\n");
    }

    #[test]
    fn what_is_not_unique_is_refused_with_its_lines() {
        check(
            "a\nb\na\n",
            "a",
            "c",
            "edit 1: `old_string` occurs 2 times in `f`, at lines 1, 3; nothing was changed; add lines around it, or set `replace_all`",
        );
        check(
            "fn a() {\n  1\n}\n",
            "fn a() {\n  2\n}",
            "x",
            "edit 1: `old_string` was not found in `f`; nothing was changed; its first line stands at line 1; what follows differs, read it again",
        );
        check(
            "a\n\n\nb\n",
            "zzz",
            "x",
            "edit 1: `old_string` was not found in `f`; nothing was changed; read the file again and copy the text as it is",
        );
    }
}
