//! Changes parts of a file, each found by the text that is there now.

use crate::text;
use crate::tool::prelude::*;

/// Lines around a change that the question shows.
const CONTEXT_LINES: usize = 3;
/// Neither what is edited nor what it becomes may have more.
#[expect(clippy::cast_possible_truncation, reason = "a few million fit any size")]
const BYTES_MAX: usize = FILE_BYTES_MAX as usize;

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
    if args.edits.is_some() && args.replace_all == Some(true) {
        faults.push("`replace_all` goes into each of `edits`".to_owned());
    }
    for (index, edit) in edits(args).iter().enumerate() {
<<<<<<< HEAD
        if edit.old_string.is_empty() {
            faults.push(format!(
                "`old_string` of edit {} is empty; use `write_file` for a new file",
                index + 1
            ));
=======
        if edit.old.is_empty() {
            faults.push(format!("`old_string` of edit {} is empty; use `write_file` for a new file", index + 1));
>>>>>>> tools
        }
    }
    faults
}

fn edits(args: &Args) -> Vec<Replacement<'_>> {
    let one = |old, new, is_everywhere: Option<bool>| Replacement {
        old,
        new,
        is_everywhere: is_everywhere == Some(true),
    };
    match (&args.edits, &args.old_string, &args.new_string) {
        (Some(list), _, _) => {
            list.0.iter().map(|edit| one(&edit.old_string, &edit.new_string, edit.replace_all)).collect()
        }
        (None, Some(old), Some(new)) => vec![one(old, new, args.replace_all)],
        _ => Vec::new(),
    }
}

fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let files = Files::grant(look);
    let target = files.target(&args.path)?;
    let name = &target.shown;
<<<<<<< HEAD
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
=======
    let Some(seen) = files.fingerprint(&target.path)? else {
        return Err(Failure::new(format!("cannot edit `{name}`: it does not exist; use `write_file` for a new file")));
    };
    let old = text_of(files.read_to("edit", &target)?, name)?;
    let edited = replace(&old, &edits(args), name, BYTES_MAX, &|| Ok(()))?;
    let diff = text::unified(&old, &edited.text, &format!("a/{name}"), &format!("b/{name}"), CONTEXT_LINES);
    let shown = if diff.is_empty() { format!("`{name}` would not change") } else { diff };
>>>>>>> tools
    Ok(Plan {
        effect: Effect::Change,
        binding: Binding {
            files: vec![(target.path.clone(), Some(seen))],
            ..Binding::default()
        },
        subject: Subject::Paths(vec![target]),
        shown,
    })
}

fn run(args: Args, plan: Plan, call: &Call, files: Files, writes: Writes) -> Outcome {
    let target = files.planned(&plan, 0)?;
    let old = text_of(files.read_bound("edit", &target, &plan)?, &target.shown)?;
    let edited = replace(&old, &edits(&args), &target.shown, BYTES_MAX, &|| call.check())?;
    if edited.text == old {
        return Ok(format!(
            "`{}` holds exactly that already; nothing was written",
            target.shown
        )
        .into());
    }
    call.check()?;
    let change = writes.write(&target, edited.text.as_bytes(), Some(old.into_bytes()))?;
<<<<<<< HEAD
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
=======
    let places = if edited.places == 1 { "place" } else { "places" };
    let mut text = format!("edited `{}`: {} {places} replaced", target.shown, edited.places);
    for (index, rung) in edited.rungs.iter().enumerate().filter(|(_, rung)| **rung != Rung::Exact) {
        text.push_str(&format!("\nedit {} matched only {}", index + 1, rung.words()));
>>>>>>> tools
    }
    Ok(Output {
        text,
        changes: vec![change],
        ..Output::default()
    })
}

/// The file's text, which must be UTF-8 so that what is not edited stays as it is.
<<<<<<< HEAD
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
=======
fn text_of(bytes: Vec<u8>, shown: &str) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|_| Failure::new(format!("cannot edit `{shown}`: it is not UTF-8 text")))
>>>>>>> tools
}

#[cfg(test)]
mod tests {
    use crate::tool::Verdict;
    use crate::tool::trial::{Trial, check, check_cancels, check_faults};
    use crate::world::fake::Fake;

    fn build(fake: &Fake) {
        fake.add_file_mode("/work/a.txt", "one\r\ntwo\nthree", 0o755);
        fake.add_file("/work/latin", [b'a', 0xE9]).add_file("/work/big", vec![b'a'; 5_000_001]).add_link("/work/out", "/etc/x");
        fake.add_file("/etc/x", "two\n");
    }

    const EDIT: &str = r#"{"path": "a.txt", "old_string": "two", "new_string": "2"}"#;

    #[test]
    fn a_part_is_replaced_and_the_rest_keeps_its_bytes() {
        let mut trial = Trial::new(build);
        let reply = trial.call("edit_file", EDIT);
        assert_eq!(reply.text, "edited `a.txt`: 1 place replaced");
        assert_eq!(trial.fake.file("/work/a.txt").unwrap(), b"one\r\n2\nthree");
        assert_eq!(trial.fake.mode("/work/a.txt"), Some(0o755));
        assert_eq!(trial.changes(), 1);
        let reply = trial.call("edit_file", r#"{"path": "a.txt", "edits": [{"old_string": "one\n2", "new_string": "1"}, {"old_string": "e", "new_string": "E", "replace_all": true}]}"#);
        assert_eq!(reply.text, "edited `a.txt`: 3 places replaced\nedit 1 matched only apart from line ends");
        assert_eq!(trial.fake.file("/work/a.txt").unwrap(), b"1\nthrEE");
    }

    #[test]
<<<<<<< HEAD
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
=======
    fn the_question_shows_what_is_written() {
        let mut trial = Trial::new(build);
        trial.call("edit_file", EDIT);
        assert_eq!(
            trial.shown(),
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\r\n-two\n+2\n three\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn what_cannot_be_edited_says_why() {
        let (failed, invalid) = (Verdict::Failed, Verdict::Invalid);
        let edit = |path: &str| format!(r#"{{"path": "{path}", "old_string": "two", "new_string": "2"}}"#);
        check(build, "edit_file", &edit("none"), failed, "cannot edit `none`: it does not exist; use `write_file` for a new file");
        check(build, "edit_file", &edit("."), failed, "cannot edit `.`: it is a directory");
        check(build, "edit_file", &edit("latin"), failed, "cannot edit `latin`: it is not UTF-8 text");
        check(build, "edit_file", &edit("big"), failed, "cannot edit `big`: it has 5000001 bytes, more than 5000000");
        for (arguments, fault) in [
            (r#"{"path": "a.txt"}"#, "`old_string` and `new_string`, or `edits`, are missing"),
            (r#"{"path": "a.txt", "old_string": "x"}"#, "`new_string` is missing"),
            (r#"{"path": "a.txt", "new_string": "x"}"#, "`old_string` is missing"),
            (r#"{"path": "a.txt", "old_string": "", "new_string": "x"}"#, "`old_string` of edit 1 is empty; use `write_file`"),
            (r#"{"path": "a.txt", "old_string": "x", "new_string": "y", "edits": [{"old_string": "a", "new_string": "b"}]}"#, "not both"),
            (r#"{"path": "a.txt", "replace_all": true, "edits": [{"old_string": "a", "new_string": "b"}]}"#, "goes into each"),
            (r#"{"path": "a.txt", "edits": []}"#, "`edits` must have 1 to 100 items, not 0"),
            (r#"{"path": "a.txt", "edits": [{"old_string": 1}]}"#, "`edits[0].new_string` is missing"),
        ] {
            let reply = Trial::new(build).call("edit_file", arguments);
            assert_eq!(reply.verdict, invalid, "{arguments}");
            assert!(reply.text.contains(fault), "{}", reply.text);
        }
    }

    #[test]
    fn what_changed_after_it_was_shown_is_asked_about_again() {
        let mut trial = Trial::new(build);
        let is_first = std::cell::Cell::new(true);
        let reply = trial.call_with("edit_file", EDIT, |fake| {
            if is_first.replace(false) {
                fake.add_file("/work/a.txt", "zero\ntwo\n");
            }
        });
        assert_eq!((reply.verdict, trial.questions.len()), (Verdict::Done, 2));
        assert!(trial.shown().contains(" zero\n-two\n+2\n"), "{}", trial.shown());
        assert_eq!(trial.fake.file("/work/a.txt").unwrap(), b"zero\n2\n");
    }

    #[test]
    fn a_link_that_turns_elsewhere_leads_nowhere_else() {
        let mut trial = Trial::new(|fake| {
            build(fake);
            fake.add_file("/work/dir/a.txt", "two\n").add_file("/etc/a.txt", "two\n").add_link("/work/way", "/work/dir");
        });
        let reply = trial.call_with("edit_file", r#"{"path": "way/a.txt", "old_string": "two", "new_string": "2"}"#, |fake| {
            fake.add_link("/work/way", "/etc");
        });
        assert_eq!((reply.verdict, reply.text.as_str()), (Verdict::Done, "edited `dir/a.txt`: 1 place replaced"));
        assert_eq!(trial.fake.file("/etc/a.txt").unwrap(), b"two\n");
        // A link on the planned way itself breaks the binding: the person is shown where it leads now.
        let mut trial = Trial::new(|fake| _ = fake.add_file("/work/dir/a.txt", "two\n").add_file("/etc/a.txt", "two\n"));
        let reply = trial.call_with("edit_file", r#"{"path": "dir/a.txt", "old_string": "two", "new_string": "2"}"#, |fake| {
            fake.add_link("/work/dir", "/etc");
        });
        assert_eq!(reply.text, "edited `/etc/a.txt`: 1 place replaced");
        let places: Vec<usize> = trial.questions.iter().map(|question| question.places.len()).collect();
        assert_eq!(places, [0, 1]);
    }

    #[test]
    fn a_cancel_or_a_full_disk_leaves_the_old_or_the_new() {
        check_cancels(build, "edit_file", EDIT);
        check_faults(build, "edit_file", EDIT);
>>>>>>> tools
    }
}
