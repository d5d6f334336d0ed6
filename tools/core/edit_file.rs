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
        (true, Some(_)) => faults.push("give `old_string` and `new_string`, or `edits`, not both".to_owned()),
        (false, None) => faults.push("`old_string` and `new_string`, or `edits`, are missing".to_owned()),
        (true, None) if args.old_string.is_none() => faults.push("`old_string` is missing".to_owned()),
        (true, None) if args.new_string.is_none() => faults.push("`new_string` is missing".to_owned()),
        _ => (),
    }
    if args.edits.is_some() && args.replace_all == Some(true) {
        faults.push("`replace_all` goes into each of `edits`".to_owned());
    }
    for (index, edit) in edits(args).iter().enumerate() {
        if edit.old.is_empty() {
            faults.push(format!("`old_string` of edit {} is empty; use `write_file` for a new file", index + 1));
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
    let Some(seen) = files.fingerprint(&target.path)? else {
        return Err(Failure::new(format!("cannot edit `{name}`: it does not exist; use `write_file` for a new file")));
    };
    let old = text_of(files.read_to("edit", &target)?, name)?;
    let edited = replace(&old, &edits(args), name, BYTES_MAX, &|| Ok(()))?;
    let diff = text::unified(&old, &edited.text, &format!("a/{name}"), &format!("b/{name}"), CONTEXT_LINES);
    let shown = if diff.is_empty() { format!("`{name}` would not change") } else { diff };
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
        return Ok(format!("`{}` holds exactly that already; nothing was written", target.shown).into());
    }
    call.check()?;
    let change = writes.write(&target, edited.text.as_bytes(), Some(old.into_bytes()))?;
    let places = if edited.places == 1 { "place" } else { "places" };
    let mut text = format!("edited `{}`: {} {places} replaced", target.shown, edited.places);
    for (index, rung) in edited.rungs.iter().enumerate().filter(|(_, rung)| **rung != Rung::Exact) {
        text.push_str(&format!("\nedit {} matched only {}", index + 1, rung.words()));
    }
    Ok(Output {
        text,
        changes: vec![change],
        ..Output::default()
    })
}

/// The file's text, which must be UTF-8 so that what is not edited stays as it is.
fn text_of(bytes: Vec<u8>, shown: &str) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|_| Failure::new(format!("cannot edit `{shown}`: it is not UTF-8 text")))
}
