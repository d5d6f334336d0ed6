//! Shows the first bytes of a file.

use crate::tool::prelude::*;

/// Bytes shown.
const SHOWN_BYTES_MAX: usize = 64;

tool! {
    /// Show the first bytes of a file in hexadecimal.
    effect: Read;
    subject: Path => |args| &args.path;
    needs: [Files];
    struct Args {
        /// File to look at.
        path: Text<4_096>,
    }
    examples: [
        object! { "path": "notes.txt" } => "hex dump of notes.txt",
    ];
}

fn run(_args: Args, plan: Plan, call: &Call, files: Files) -> Outcome {
    let target = files.planned(&plan, 0)?;
    let bytes = files.read(&target)?;
    call.check()?;
    let shown = bytes.iter().take(SHOWN_BYTES_MAX);
    let shown: Vec<String> = shown.map(|byte| format!("{byte:02x}")).collect();
    Ok(shown.join(" ").into())
}
