//! Creates a file or replaces all that it holds.

use crate::text;
use crate::tool::prelude::*;

/// Lines around a change that the question shows.
const CONTEXT_LINES: usize = 3;

tool! {
    /// Create a file or replace its whole content; folders are made as needed. To change a part, use `edit_file`.
    effect: plan;
    subject: Path;
    check: |args| check(args);
    needs: [Files, Writes];
    struct Args {
        /// File.
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

fn check(args: &Args) -> Vec<String> {
    if args.path.ends_with('/') {
        return vec!["`path` must name a file, not a folder".to_owned()];
    }
    Vec::new()
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
        Some(_) => files.read_to("replace", target).map(Some),
    }
}

fn run(args: Args, plan: Plan, call: &Call, files: Files, writes: Writes) -> Outcome {
    let target = files.planned(&plan, 0)?;
    let is_there = plan.binding.files.iter().any(|(_, seen)| seen.is_some());
    let former = if is_there {
        Some(files.read_bound("replace", &target, &plan)?)
    } else {
        None
    };
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
    let lines = args.content.lines().count();
    let noun = if lines == 1 { "line" } else { "lines" };
    Ok(Output {
        text: format!(
            "{verb} `{}`, {} bytes, {lines} {noun}",
            target.shown,
            args.content.len()
        ),
        changes: vec![change],
        ..Output::default()
    })
}

#[cfg(test)]
mod tests {
    use crate::tool::Verdict;
    use crate::tool::trial::{Trial, check, check_cancels, check_faults, tree};
    use crate::world::fake::Fake;

    fn build(fake: &Fake) {
        fake.add_file_mode("/repo/a.sh", "old\n", 0o755)
            .add_dir("/repo/sub")
            .add_link("/repo/dead", "/nowhere")
            .add_device("/repo/tty");
        fake.add_file("/repo/latin", [0xE9, b'\n'])
            .add_file("/repo/.env", "K=1\n")
            .add_link("/repo/link", "a.sh");
    }

    #[test]
    fn files_are_made_and_replaced() {
        let mut trial = Trial::new(build);
        let reply = trial.call(
            "write_file",
            r#"{"path": "x/y/new.txt", "content": "a\nb\n"}"#,
        );
        assert_eq!(reply.text, "created `x/y/new.txt`, 4 bytes, 2 lines");
        assert_eq!(
            trial.shown(),
            "--- /dev/null\n+++ b/x/y/new.txt\n@@ -0,0 +1,2 @@\n+a\n+b\n"
        );
        assert_eq!(trial.fake.file("/repo/x/y/new.txt").unwrap(), b"a\nb\n");
        let reply = trial.call("write_file", r#"{"path": "a.sh", "content": "new"}"#);
        assert_eq!(reply.text, "replaced `a.sh`, 3 bytes, 1 line");
        assert_eq!(
            trial.shown(),
            "--- a/a.sh\n+++ b/a.sh\n@@ -1 +1 @@\n-old\n+new\n\\ No newline at end of file\n"
        );
        assert_eq!(
            (
                trial.fake.file("/repo/a.sh").unwrap().as_slice(),
                trial.fake.mode("/repo/a.sh")
            ),
            (&b"new"[..], Some(0o755))
        );
        let reply = trial.call("write_file", r#"{"path": "a.sh", "content": "new"}"#);
        assert_eq!(
            reply.text,
            "`a.sh` holds exactly that already; nothing was written"
        );
        trial.call("write_file", r#"{"path": "empty", "content": ""}"#);
        assert_eq!(trial.shown(), "create the empty file `empty`");
        trial.call("write_file", r#"{"path": "latin", "content": "x"}"#);
        assert!(
            trial
                .shown()
                .starts_with("(it is not UTF-8 now)\n--- a/latin"),
            "{}",
            trial.shown()
        );
        assert_eq!(trial.changes(), 4);
    }

    #[test]
    fn a_link_stays_and_what_it_leads_to_is_written() {
        let mut trial = Trial::new(build);
        assert_eq!(
            trial
                .call("write_file", r#"{"path": "link", "content": "x"}"#)
                .text,
            "replaced `a.sh`, 1 bytes, 1 line"
        );
        assert_eq!(trial.fake.file("/repo/a.sh").unwrap(), b"x");
        assert!(trial.fake.file("/repo/link").is_none());
    }

    #[test]
    fn what_cannot_be_written_says_why() {
        let failed = Verdict::Failed;
        let write = |path: &str| format!(r#"{{"path": "{path}", "content": "x"}}"#);
        check(
            build,
            "write_file",
            &write("sub"),
            failed,
            "cannot write `sub`: it is a directory",
        );
        check(
            build,
            "write_file",
            &write("dead"),
            failed,
            "`dead` goes through a link that leads nowhere",
        );
        check(
            build,
            "write_file",
            &write("tty"),
            failed,
            "cannot replace `tty`: it is not a regular file",
        );
        check(
            build,
            "write_file",
            &write("a.sh/b"),
            failed,
            "cannot follow `a.sh/b`: a part of the path is not a directory",
        );
        let reply = Trial::new(build).call("write_file", &write("sub/"));
        assert!(
            reply.text.contains("`path` must name a file, not a folder"),
            "{}",
            reply.text
        );
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_not_replaced_unseen() {
        let mut trial = Trial::new(build);
        trial.call_with(
            "write_file",
            r#"{"path": "new", "content": "x\n"}"#,
            |fake| {
                if fake.file("/repo/new").is_none() {
                    fake.add_file("/repo/new", "theirs\n");
                }
            },
        );
        assert_eq!(trial.questions.len(), 2);
        assert!(trial.shown().contains("-theirs\n+x\n"), "{}", trial.shown());
    }

    #[test]
    fn a_cancel_or_a_full_disk_leaves_the_old_or_the_new() {
        for arguments in [
            r#"{"path": "a.sh", "content": "new"}"#,
            r#"{"path": "x/y/z", "content": "new"}"#,
        ] {
            check_cancels(build, "write_file", arguments);
            check_faults(build, "write_file", arguments);
        }
    }

    #[test]
    fn rules_go_by_path() {
        let write = |path: &str| format!(r#"{{"path": "{path}", "content": "x"}}"#);
        for (rule, path, verdict) in [
            ("write_file(sub/*)", "sub/a", Verdict::Done),
            ("write_file(sub/*)", "sub/../a", Verdict::Refused),
            ("write_file(*.txt)", "a.txt", Verdict::Done),
            ("write_file(link)", "link", Verdict::Refused),
            ("write_file(a.sh)", "link", Verdict::Done),
            ("write_file(/etc/*)", "/etc/x", Verdict::Done),
            ("write_file(**)", "/etc/x", Verdict::Refused),
        ] {
            let mut trial = Trial::headless(build, &[rule]);
            let reply = trial.call("write_file", &write(path));
            assert_eq!(
                reply.verdict,
                verdict,
                "{rule} {path}: {} {:?}",
                reply.text,
                tree(&trial.fake)
            );
        }
    }
}
