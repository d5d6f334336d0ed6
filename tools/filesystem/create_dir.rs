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
        object! { "path": "build" } => "create a new folder named build",
        object! { "path": "build" } => "create the folder build",
        object! { "path": "src/new" } => "make the folder src/new",
        object! { "path": "src/new" } => "make a directory src/new",
        object! { "path": "build" } => "mkdir build",
    ];
}

fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let target = Files::grant(look).target(&args.path)?;
    Ok(Plan {
        shown: format!("create the folder `{}`", target.shown),
        ..Plan::of(Effect::Change, Subject::Paths(vec![target]))
    })
}

fn run(args: Args, _plan: Plan, call: &Call, files: Files, writes: Writes) -> Outcome {
    let target = files.target(&args.path)?;
    match files.stat(&target.path)? {
        Some(stat) if stat.kind == Kind::Directory => {
            Ok(format!("`{}` exists already", target.shown).into())
        }
        Some(_) => Err(Failure::new(format!(
            "cannot create `{}`: a file has that name",
            target.shown
        ))),
        None => {
            call.check()?;
            writes.create_dir(&target)?;
            Ok(format!("created `{}`", target.shown).into())
        }
    }
}
