//! Moves or renames a file or folder.

use crate::tool::prelude::*;

tool! {
    /// Move or rename a file or folder. Nothing is ever replaced.
    effect: plan;
    subject: Path;
    needs: [Files, Writes];
    struct Args {
        /// What to move.
        source: Text<4_096>,
        /// Its new path; if that is a folder, it goes inside.
        destination: Text<4_096>,
    }
    examples: [
        object! { "source": "old.txt", "destination": "new.txt" } => "rename old.txt to new.txt",
        object! { "source": "old.txt", "destination": "new.txt" } => "rename the file old.txt to new.txt",
        object! { "source": "a.txt", "destination": "docs/a.txt" } => "move a.txt to docs/a.txt",
        object! { "source": "a.txt", "destination": "docs/a.txt" } => "move the file a.txt to docs/a.txt",
        object! { "source": "a.txt", "destination": "docs/" } => "move a.txt into docs/",
        object! { "source": "a.txt", "destination": "docs" } => "move a.txt into the folder docs",
    ];
}

/// Both ends of the move, checked.
fn ends(args: &Args, files: &Files) -> Result<(Target, Target), Failure> {
    let from = files.target_itself(&args.source)?;
    let Some(stat) = files.stat(&from.path)? else {
        return Err(Failure::new(format!(
            "cannot move `{}`: it does not exist",
            from.shown
        )));
    };
    if files.holds_root(&from.path) {
        return Err(Failure::new(format!(
            "cannot move `{}`: the workspace lies in it",
            from.shown
        )));
    }
    let mut to = files.target_itself(&args.destination)?;
    if let Some(there) = files.stat(&to.path)? {
        let name = from
            .path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        match name {
            Some(name) if there.kind == Kind::Directory && to.path != from.path => {
                to = files.target_itself(&format!("{}/{name}", to.path.display()))?;
            }
            _ => {
                return Err(Failure::new(format!(
                    "cannot move to `{}`: it exists already",
                    to.shown
                )));
            }
        }
        if files.stat(&to.path)?.is_some() {
            return Err(Failure::new(format!(
                "cannot move to `{}`: it exists already",
                to.shown
            )));
        }
    }
    if stat.kind == Kind::Directory && to.path.starts_with(&from.path) {
        return Err(Failure::new(format!(
            "cannot move `{}` into itself",
            from.shown
        )));
    }
    Ok((from, to))
}

fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let files = Files::grant(look);
    let (from, to) = ends(args, &files)?;
    Ok(Plan {
        effect: Effect::Change,
        shown: format!("move `{}` to `{}`", from.shown, to.shown),
        binding: Binding {
            files: vec![
                (from.path.clone(), files.fingerprint(&from.path)?),
                (to.path.clone(), None),
            ],
            ..Binding::default()
        },
        subject: Subject::Paths(vec![from, to]),
    })
}

fn run(args: Args, _plan: Plan, call: &Call, files: Files, writes: Writes) -> Outcome {
    let (from, to) = ends(&args, &files)?;
    call.check()?;
    writes.rename(&from, &to)?;
    Ok(format!("moved `{}` to `{}`", from.shown, to.shown).into())
}
