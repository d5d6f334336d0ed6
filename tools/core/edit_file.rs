//! Changes parts of a file, each found by the text that is there now.

use crate::text;
use crate::tool::prelude::*;
use std::fmt::Write as _;

/// Lines around a change that the question shows.
const CONTEXT_LINES: usize = 3;
/// Neither what is edited nor what it becomes may have more.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a few million fit any size"
)]
const BYTES_MAX: usize = FILE_BYTES_MAX as usize;

tool! {
    /// Replace text in a file. `old_string` must occur once, unless `replace_all`. `edits`: several changes, all or none.
    effect: plan;
    subject: Path;
    check: |args| check(args);
    needs: [Files, Writes];
    struct Args {
        /// File.
        path: Text<4_096>,
        /// Text there now, with lines around it to be unique.
        old_string: Option<String>,
        /// Text in its place.
        new_string: Option<String>,
        /// Every occurrence.
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
        /// Text there now.
        old_string: String,
        /// Text in its place.
        new_string: String,
        /// Every occurrence.
        replace_all: Option<bool>,
    }
}

fn check(args: &Args) -> Vec<String> {
    let is_single = args.old_string.is_some() || args.new_string.is_some();
    let mut faults = Vec::new();
    match (is_single, &args.edits) {
        (true, Some(_)) => {
            faults.push("give `old_string` and `new_string`, or `edits`, not both".to_owned());
        }
        (false, None) => {
            faults.push("`old_string` and `new_string`, or `edits`, are missing".to_owned());
        }
        (true, None) if args.old_string.is_none() => {
            faults.push("`old_string` is missing".to_owned());
        }
        (true, None) if args.new_string.is_none() => {
            faults.push("`new_string` is missing".to_owned());
        }
        _ => (),
    }
    if args.edits.is_some() && args.replace_all == Some(true) {
        faults.push("`replace_all` goes into each of `edits`".to_owned());
    }
    for (index, edit) in edits(args).iter().enumerate() {
        if edit.old.is_empty() {
            faults.push(format!(
                "`old_string` of edit {} is empty; use `write_file` for a new file",
                index + 1
            ));
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
        (Some(list), _, _) => list
            .0
            .iter()
            .map(|edit| one(&edit.old_string, &edit.new_string, edit.replace_all))
            .collect(),
        (None, Some(old), Some(new)) => vec![one(old, new, args.replace_all)],
        _ => Vec::new(),
    }
}

fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let files = Files::grant(look);
    let target = files.target(&args.path)?;
    let name = &target.shown;
    let Some(seen) = files.fingerprint(&target.path)? else {
        return Err(Failure::new(format!(
            "cannot edit `{name}`: it does not exist; use `write_file` for a new file"
        )));
    };
    let old = text_of(files.read_to("edit", &target)?, name)?;
    let edited = replace(&old, &edits(args), name, BYTES_MAX, &|| Ok(()))?;
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
    let edited = replace(&old, &edits(&args), &target.shown, BYTES_MAX, &|| {
        call.check()
    })?;
    if edited.text == old {
        return Ok(format!(
            "`{}` holds exactly that already; nothing was written",
            target.shown
        )
        .into());
    }
    call.check()?;
    let change = writes.write(&target, edited.text.as_bytes(), Some(old.into_bytes()))?;
    let places = if edited.places == 1 {
        "place"
    } else {
        "places"
    };
    let mut text = format!(
        "edited `{}`: {} {places} replaced",
        target.shown, edited.places
    );
    for (index, rung) in edited
        .rungs
        .iter()
        .enumerate()
        .filter(|(_, rung)| **rung != Rung::Exact)
    {
        _ = write!(text, "\nedit {} matched only {}", index + 1, rung.words());
    }
    Ok(Output {
        text,
        changes: vec![change],
        ..Output::default()
    })
}

/// The file's text, which must be UTF-8 so that what is not edited stays as it is.
fn text_of(bytes: Vec<u8>, shown: &str) -> Result<String, Failure> {
    String::from_utf8(bytes)
        .map_err(|_| Failure::new(format!("cannot edit `{shown}`: it is not UTF-8 text")))
}

#[cfg(test)]
mod tests {
    use crate::tool::Verdict;
    use crate::tool::trial::{Trial, check, check_cancels, check_faults};
    use crate::world::fake::Fake;

    fn build(fake: &Fake) {
        fake.add_file_mode("/repo/a.txt", "one\r\ntwo\nthree", 0o755);
        fake.add_file("/repo/latin", [b'a', 0xE9])
            .add_file("/repo/big", vec![b'a'; 5_000_001])
            .add_link("/repo/out", "/etc/x");
        fake.add_file("/etc/x", "two\n");
    }

    const EDIT: &str = r#"{"path": "a.txt", "old_string": "two", "new_string": "2"}"#;

    #[test]
    fn a_part_is_replaced_and_the_rest_keeps_its_bytes() {
        let mut trial = Trial::new(build);
        let reply = trial.call("edit_file", EDIT);
        assert_eq!(reply.text, "edited `a.txt`: 1 place replaced");
        assert_eq!(trial.fake.file("/repo/a.txt").unwrap(), b"one\r\n2\nthree");
        assert_eq!(trial.fake.mode("/repo/a.txt"), Some(0o755));
        assert_eq!(trial.changes(), 1);
        let reply = trial.call("edit_file", r#"{"path": "a.txt", "edits": [{"old_string": "one\n2", "new_string": "1"}, {"old_string": "e", "new_string": "E", "replace_all": true}]}"#);
        assert_eq!(
            reply.text,
            "edited `a.txt`: 3 places replaced\nedit 1 matched only apart from line ends"
        );
        assert_eq!(trial.fake.file("/repo/a.txt").unwrap(), b"1\nthrEE");
    }

    #[test]
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
        let failed = Verdict::Failed;
        let edit =
            |path: &str| format!(r#"{{"path": "{path}", "old_string": "two", "new_string": "2"}}"#);
        check(
            build,
            "edit_file",
            &edit("none"),
            failed,
            "cannot edit `none`: it does not exist; use `write_file` for a new file",
        );
        check(
            build,
            "edit_file",
            &edit("."),
            failed,
            "cannot edit `.`: it is a directory",
        );
        check(
            build,
            "edit_file",
            &edit("latin"),
            failed,
            "cannot edit `latin`: it is not UTF-8 text",
        );
        check(
            build,
            "edit_file",
            &edit("big"),
            failed,
            "cannot edit `big`: it has 5000001 bytes, more than 5000000",
        );
    }

    #[test]
    fn arguments_that_make_no_edit_are_refused() {
        for (arguments, fault) in [
            (
                r#"{"path": "a.txt"}"#,
                "`old_string` and `new_string`, or `edits`, are missing",
            ),
            (
                r#"{"path": "a.txt", "old_string": "x"}"#,
                "`new_string` is missing",
            ),
            (
                r#"{"path": "a.txt", "new_string": "x"}"#,
                "`old_string` is missing",
            ),
            (
                r#"{"path": "a.txt", "old_string": "", "new_string": "x"}"#,
                "`old_string` of edit 1 is empty; use `write_file`",
            ),
            (
                r#"{"path": "a.txt", "old_string": "x", "new_string": "y", "edits": [{"old_string": "a", "new_string": "b"}]}"#,
                "not both",
            ),
            (
                r#"{"path": "a.txt", "replace_all": true, "edits": [{"old_string": "a", "new_string": "b"}]}"#,
                "goes into each",
            ),
            (
                r#"{"path": "a.txt", "edits": []}"#,
                "`old_string` and `new_string`, or `edits`, are missing",
            ),
            (
                r#"{"path": "a.txt", "edits": [{"old_string": 1}]}"#,
                "`edits[0].new_string` is missing",
            ),
        ] {
            let reply = Trial::new(build).call("edit_file", arguments);
            assert_eq!(reply.verdict, Verdict::Invalid, "{arguments}");
            assert!(reply.text.contains(fault), "{}", reply.text);
        }
    }

    #[test]
    fn what_changed_after_it_was_shown_is_asked_about_again() {
        let mut trial = Trial::new(build);
        let is_first = std::cell::Cell::new(true);
        let reply = trial.call_with("edit_file", EDIT, |fake| {
            if is_first.replace(false) {
                fake.add_file("/repo/a.txt", "zero\ntwo\n");
            }
        });
        assert_eq!((reply.verdict, trial.questions.len()), (Verdict::Done, 2));
        assert!(
            trial.shown().contains(" zero\n-two\n+2\n"),
            "{}",
            trial.shown()
        );
        assert_eq!(trial.fake.file("/repo/a.txt").unwrap(), b"zero\n2\n");
    }

    /// Whenever somebody else writes, what they wrote is edited in the person's sight or left alone; only between the
    /// last look and the write itself can nobody tell.
    #[test]
    fn what_others_write_meanwhile_is_not_lost() {
        let mut whole = Trial::new(build);
        whole.call("edit_file", EDIT);
        let mut lost = 0;
        for n in 1..=whole.fake.operations() {
            let mut trial = Trial::new(build);
            let act = |fake: &Fake| _ = fake.add_file("/repo/a.txt", "zero\ntwo\n");
            let action = crate::world::fake::Action::Run(Box::new(act));
            trial.fake.at_operation(n, action);
            trial.call("edit_file", EDIT);
            match trial.fake.file("/repo/a.txt").unwrap().as_slice() {
                b"zero\ntwo\n" => (),
                b"zero\n2\n" => assert!(trial.shown().contains(" zero\n"), "{}", trial.shown()),
                _ => lost += 1,
            }
        }
        assert!(lost <= 2, "{lost}");
    }

    #[test]
    fn a_link_that_turns_elsewhere_leads_nowhere_else() {
        let mut trial = Trial::new(|fake| {
            build(fake);
            fake.add_file("/repo/dir/a.txt", "two\n")
                .add_file("/etc/a.txt", "two\n")
                .add_link("/repo/way", "/repo/dir");
        });
        let reply = trial.call_with(
            "edit_file",
            r#"{"path": "way/a.txt", "old_string": "two", "new_string": "2"}"#,
            |fake| {
                fake.add_link("/repo/way", "/etc");
            },
        );
        assert_eq!(
            (reply.verdict, reply.text.as_str()),
            (Verdict::Done, "edited `dir/a.txt`: 1 place replaced")
        );
        assert_eq!(trial.fake.file("/etc/a.txt").unwrap(), b"two\n");
        // A link on the planned way itself breaks the binding: the person is shown where it leads now.
        let mut trial = Trial::new(|fake| {
            _ = fake
                .add_file("/repo/dir/a.txt", "two\n")
                .add_file("/etc/a.txt", "two\n");
        });
        let reply = trial.call_with(
            "edit_file",
            r#"{"path": "dir/a.txt", "old_string": "two", "new_string": "2"}"#,
            |fake| {
                fake.add_link("/repo/dir", "/etc");
            },
        );
        assert_eq!(reply.text, "edited `/etc/a.txt`: 1 place replaced");
        let places: Vec<usize> = trial
            .questions
            .iter()
            .map(|question| question.places.len())
            .collect();
        assert_eq!(places, [0, 1]);
    }

    #[test]
    fn a_cancel_or_a_full_disk_leaves_the_old_or_the_new() {
        check_cancels(build, "edit_file", EDIT);
        check_faults(build, "edit_file", EDIT);
    }
}
