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
        object! { "path": "build" } => "create the folder build",
        object! { "path": "src/new" } => "make the folder src/new",
        object! { "path": "src/new" } => "make a directory src/new",
        object! { "path": "build" } => "mkdir build",
        object! { "path": "build" } => "create a new folder called build",
        object! { "path": "src/new" } => "create the folder src/new",
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
        Some(_) => Err(Failure::new(format!(
            "cannot create `{}`: a file has that name",
            target.shown
        ))),
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

#[cfg(test)]
mod tests {
    use crate::tool::Verdict;
    use crate::tool::trial::{Trial, check, check_cancels, check_faults};
    use crate::world::fake::Fake;

    fn build(fake: &Fake) {
        fake.add_file("/repo/file", "")
            .add_dir("/repo/there")
            .add_link("/repo/dead", "/nowhere");
    }

    #[test]
    fn folders_are_made_with_those_above() {
        let mut trial = Trial::new(build);
        assert_eq!(
            trial.call("create_dir", r#"{"path": "a/b/c"}"#).text,
            "created `a/b/c`"
        );
        assert_eq!(trial.shown(), "create the folder `a/b/c`");
        assert_eq!(trial.fake.mode("/repo/a/b/c"), Some(0o755));
        check(
            build,
            "create_dir",
            r#"{"path": "there/"}"#,
            Verdict::Done,
            "`there` exists already",
        );
    }

    #[test]
    fn what_cannot_be_made_says_why() {
        let failed = Verdict::Failed;
        check(
            build,
            "create_dir",
            r#"{"path": "file"}"#,
            failed,
            "cannot create `file`: a file has that name",
        );
        check(
            build,
            "create_dir",
            r#"{"path": "file/x"}"#,
            failed,
            "cannot follow `file/x`: a part of the path is not a directory",
        );
        check(
            build,
            "create_dir",
            r#"{"path": "dead"}"#,
            failed,
            "`dead` goes through a link that leads nowhere",
        );
    }

    #[test]
    fn a_cancel_or_a_full_disk_leaves_nothing_half() {
        check_cancels(build, "create_dir", r#"{"path": "a/b/c"}"#);
        check_faults(build, "create_dir", r#"{"path": "a/b/c"}"#);
    }
}
