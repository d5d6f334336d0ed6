//! Creates a file or replaces all that it holds.

use crate::text;
use crate::tool::prelude::*;

/// Lines around a change that the question shows.
const CONTEXT_LINES: usize = 3;

tool! {
    /// Create a file or replace its whole content; folders are made as needed. To change a part, use `edit_file`.
    effect: plan;
    subject: Path;
    needs: [Files, Writes];
    struct Args {
        /// File, from the workspace or absolute.
        path: Text<4_096>,
        /// All that it will hold.
        content: String,
    }
    examples: [
        object! { "path": "notes.txt", "content": "hello\n" } => "write \"hello\" to notes.txt",
        object! { "path": "notes.txt", "content": "hello\n" } => "write \"hello\" to the file notes.txt",
        object! { "path": "notes.txt", "content": "hello\n" } => "create the file notes.txt with \"hello\"",
        object! { "path": "draft.md", "content": "" } => "create the file draft.md",
        object! { "path": "draft.md", "content": "" } => "create an empty file called draft.md",
        object! { "path": "notes.txt", "content": "hello\n" } => "create a file called notes.txt with \"hello\"",
    ];
}

fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let files = Files::grant(look);
    let target = files.target(&args.path)?;
    let seen = files.fingerprint(&target.path)?;
    let shown = match former(&target, &files)? {
        Some(bytes) if bytes == args.content.as_bytes() => {
            format!("`{}` would not change", target.shown)
        }
        Some(bytes) => {
            let (old, is_lossy) = text::lossy(&bytes);
            let note = if is_lossy {
                "(it is not UTF-8 now)\n"
            } else {
                ""
            };
            let name = &target.shown;
            format!(
                "{note}{}",
                text::unified(
                    &old,
                    &args.content,
                    &format!("a/{name}"),
                    &format!("b/{name}"),
                    CONTEXT_LINES
                )
            )
        }
        None => text::unified(
            "",
            &args.content,
            "/dev/null",
            &format!("b/{}", target.shown),
            CONTEXT_LINES,
        ),
    };
    let shown = if shown.is_empty() {
        format!("create the empty file `{}`", target.shown)
    } else {
        shown
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

/// What the file holds now; `None` if there is none.
fn former(target: &Target, files: &Files) -> Result<Option<Vec<u8>>, Failure> {
    match files.stat(&target.path)? {
        None => Ok(None),
        Some(stat) if stat.kind == Kind::Directory => Err(Failure::new(format!(
            "cannot write `{}`: it is a directory",
            target.shown
        ))),
        Some(_) => files.read(target).map(Some),
    }
}

fn run(args: Args, _plan: Plan, call: &Call, files: Files, writes: Writes) -> Outcome {
    let target = files.target(&args.path)?;
    let former = former(&target, &files)?;
    if former.as_deref() == Some(args.content.as_bytes()) {
        return Ok(format!(
            "`{}` holds exactly that already; nothing was written",
            target.shown
        )
        .into());
    }
    call.check()?;
    let is_new = former.is_none();
    let change = writes.write(&target, args.content.as_bytes(), former)?;
    let verb = if is_new { "created" } else { "replaced" };
    Ok(Output {
        text: format!(
            "{verb} `{}`, {} bytes, {} lines",
            target.shown,
            args.content.len(),
            args.content.lines().count()
        ),
        changes: vec![change],
        ..Output::default()
    })
}
