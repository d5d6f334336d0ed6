//! Makes a folder.

use crate::tool::prelude::*;

tool! {
    /// Create a folder, with the folders above it.
    effect: plan;
    subject: Path;
    needs: [Files, Writes];
    struct Args {
        /// Folder to make.
        path: Text<4_096>,
    }
    examples: [
        object! { "path": "build" } => "create a directory called build",
        object! { "path": "src/new" } => "make the folder src/new",
    ];
}

fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let files = Files::grant(look);
    let target = files.target(&args.path)?;
    is_there(&target, &files)?;
    Ok(Plan {
        shown: format!("create the folder `{}`", target.shown),
        ..Plan::of(Effect::Change, Subject::Paths(vec![target]))
    })
}

/// Whether the folder is there already; a failure if something else is.
fn is_there(target: &Target, files: &Files) -> Result<bool, Failure> {
    match files.stat(&target.path)? {
        Some(stat) if stat.kind == Kind::Directory => Ok(true),
        Some(_) => Err(Failure::new(format!("cannot create `{}`: a file has that name", target.shown))),
        None => Ok(false),
    }
}

fn run(_args: Args, plan: Plan, call: &Call, files: Files, writes: Writes) -> Outcome {
    let target = files.planned(&plan, 0)?;
    if is_there(&target, &files)? {
        return Ok(format!("`{}` exists already", target.shown).into());
    }
    call.check()?;
    writes.create_dir(&target)?;
    Ok(format!("created `{}`", target.shown).into())
}
