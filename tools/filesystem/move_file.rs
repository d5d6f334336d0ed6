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
        object! { "source": "old.txt", "destination": "new.txt" } => "rename the file old.txt to new.txt",
        object! { "source": "a.txt", "destination": "docs/a.txt" } => "move the file a.txt to docs/a.txt",
        object! { "source": "a.txt", "destination": "docs/" } => "move the file a.txt into docs/",
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
        match from.path.file_name() {
            Some(name) if there.kind == Kind::Directory && to.path != from.path => {
                to = files.below(&to, name);
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

fn run(_args: Args, plan: Plan, call: &Call, files: Files, writes: Writes) -> Outcome {
    let (from, to) = (
        files.planned_itself(&plan, 0)?,
        files.planned_itself(&plan, 1)?,
    );
    call.check()?;
    writes.rename(&from, &to)?;
    Ok(format!("moved `{}` to `{}`", from.shown, to.shown).into())
}

#[cfg(test)]
mod tests {
    use crate::tool::Verdict;
    use crate::tool::trial::{Trial, check, check_cancels, check_faults};
    use crate::world::fake::Fake;

    fn build(fake: &Fake) {
        fake.add_file_mode("/repo/a.txt", "a", 0o600)
            .add_file("/repo/b.txt", "b")
            .add_file("/repo/d/in", "1")
            .add_dir("/repo/e/d");
        fake.add_link("/repo/l", "a.txt")
            .add_file("/etc/x", "x")
            .add_dir("/repo/f");
    }

    #[track_caller]
    fn moves(source: &str, destination: &str, verdict: Verdict, text: &str) {
        let arguments = format!(r#"{{"source": "{source}", "destination": "{destination}"}}"#);
        check(build, "move_file", &arguments, verdict, text);
    }

    #[test]
    fn it_moves_renames_and_goes_inside_folders() {
        moves(
            "a.txt",
            "new/deep/c.txt",
            Verdict::Done,
            "moved `a.txt` to `new/deep/c.txt`",
        );
        moves("a.txt", "d", Verdict::Done, "moved `a.txt` to `d/a.txt`");
        moves("d/in", ".", Verdict::Done, "moved `d/in` to `in`");
        moves("d", "f", Verdict::Done, "moved `d` to `f/d`");
        let mut trial = Trial::new(build);
        trial.call(
            "move_file",
            r#"{"source": "a.txt", "destination": "c.txt"}"#,
        );
        assert_eq!(trial.shown(), "move `a.txt` to `c.txt`");
        assert_eq!(
            (
                trial.fake.file("/repo/c.txt").unwrap().as_slice(),
                trial.fake.mode("/repo/c.txt")
            ),
            (&b"a"[..], Some(0o600))
        );
        // The link itself, not what it leads to.
        trial.call("move_file", r#"{"source": "l", "destination": "m"}"#);
        assert!(
            !trial.fake.files().contains(&"/repo/l".to_owned())
                && trial.fake.files().contains(&"/repo/m".to_owned())
        );
    }

    #[test]
    fn nothing_is_replaced_and_no_root_is_moved() {
        let failed = Verdict::Failed;
        moves(
            "a.txt",
            "b.txt",
            failed,
            "cannot move to `b.txt`: it exists already",
        );
        moves(
            "a.txt",
            "a.txt",
            failed,
            "cannot move to `a.txt`: it exists already",
        );
        moves(
            "a.txt",
            "l",
            failed,
            "cannot move to `l`: it exists already",
        );
        moves("d", "d", failed, "cannot move to `d`: it exists already");
        moves("d", "e", failed, "cannot move to `e/d`: it exists already");
        moves("d", "d/x/y", failed, "cannot move `d` into itself");
        moves("none", "x", failed, "cannot move `none`: it does not exist");
        moves(
            ".",
            "x",
            failed,
            "cannot move `.`: the workspace lies in it",
        );
        moves(
            "/",
            "x",
            failed,
            "cannot move `/`: the workspace lies in it",
        );
        moves(
            "a.txt",
            "b.txt/x",
            failed,
            "cannot look at `b.txt/x`: a part of the path is not a directory",
        );
    }

    #[test]
    fn what_appears_meanwhile_is_not_replaced() {
        let mut trial = Trial::new(build);
        let reply = trial.call_with(
            "move_file",
            r#"{"source": "a.txt", "destination": "c.txt"}"#,
            |fake| _ = fake.add_file("/repo/c.txt", "theirs"),
        );
        assert_eq!(
            (reply.verdict, reply.text.as_str()),
            (Verdict::Failed, "cannot move to `c.txt`: it exists already")
        );
        assert_eq!(trial.fake.file("/repo/c.txt").unwrap(), b"theirs");
    }

    #[test]
    fn both_ends_must_be_covered() {
        let arguments = r#"{"source": "a.txt", "destination": "d/a.txt"}"#;
        assert_eq!(
            Trial::headless(build, &["move_file(d/*)"])
                .call("move_file", arguments)
                .verdict,
            Verdict::Refused
        );
        assert_eq!(
            Trial::headless(build, &["move_file(**)"])
                .call("move_file", arguments)
                .verdict,
            Verdict::Done
        );
        let out = r#"{"source": "/etc/x", "destination": "x"}"#;
        assert_eq!(
            Trial::headless(build, &["move_file(**)"])
                .call("move_file", out)
                .verdict,
            Verdict::Refused
        );
    }

    #[test]
    fn a_cancel_or_a_full_disk_leaves_nothing_half() {
        let arguments = r#"{"source": "d", "destination": "x/y/z"}"#;
        check_cancels(build, "move_file", arguments);
        check_faults(build, "move_file", arguments);
    }
}
