//! Counts the lines of a text file.

use crate::tool::prelude::*;

tool! {
    /// Count the lines of a file.
    effect: Read;
    subject: Path => |args| &args.path;
    needs: [Files];
    struct Args {
        /// File to count.
        path: Text<4_096>,
    }
    examples: [
        object! { "path": "notes.txt" } => "count the lines of notes.txt",
    ];
}

fn run(_args: Args, plan: Plan, call: &Call, files: Files) -> Outcome {
    let target = files.planned(&plan, 0)?;
    let bytes = files.read(&target)?;
    call.check()?;
    let ends = bytes.split(|byte| *byte == b'\n').count() - 1;
    Ok(format!("{ends} lines in `{}`", target.shown).into())
}
