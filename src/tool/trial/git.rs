//! The tool `git` on real repositories, which the tests make with the real program.

#![expect(clippy::print_stdout, reason = "a test without git says so")]

use crate::tool::trial::real::Folder;
use crate::tool::{Reply, Verdict};

/// A repository with a commit, a change and a new file; `None` without git.
fn repository() -> Option<Folder> {
    let folder = Folder::new();
    let Some(_) = folder.run("git", &["init", "--quiet", "--initial-branch=main"]) else {
        println!("not run: git is missing");
        return None;
    };
    folder.run("git", &["config", "user.name", "A B"]);
    folder.run("git", &["config", "user.email", "a@example.org"]);
    folder.add("a.txt", "one\ntwo\n");
    folder.add("*", "star\n");
    folder.run("git", &["add", "."]);
    folder.run(
        "git",
        &[
            "commit",
            "--quiet",
            "--message=first: it begins",
            "--date=2026-01-02T03:04:05Z",
        ],
    );
    folder.add("a.txt", "one\n2\n");
    folder.add("new é.txt", "x");
    Some(folder)
}

fn ok(folder: &Folder, arguments: &str) -> String {
    let (is_asked, reply) = folder.call("git", arguments);
    assert_eq!(
        (is_asked, reply.verdict),
        (false, Verdict::Done),
        "{arguments}: {}",
        reply.text
    );
    reply.text
}

#[test]
fn a_real_repository_is_shown() {
    let Some(folder) = repository() else { return };
    assert_eq!(
        ok(&folder, r#"{"action": "status"}"#),
        "## main\n M a.txt\n?? \"new é.txt\""
    );
    let diff = ok(&folder, r#"{"action": "diff"}"#);
    assert!(
        diff.starts_with("diff --git a/a.txt b/a.txt\n")
            && diff.ends_with("@@ -1,2 +1,2 @@\n one\n-two\n+2"),
        "{diff}"
    );
    assert_eq!(
        ok(&folder, r#"{"action": "diff", "staged": true}"#),
        "no differences"
    );
    let log = ok(&folder, r#"{"action": "log"}"#);
    assert!(
        log.ends_with(" 2026-01-02 A B: first: it begins (HEAD -> main)"),
        "{log}"
    );
    let show = ok(
        &folder,
        r#"{"action": "show", "ref": "HEAD", "stat": true}"#,
    );
    assert!(
        show.contains(" a.txt | 2 ++\n") && show.contains("2 files changed"),
        "{show}"
    );
    let blame = ok(&folder, r#"{"action": "blame", "paths": ["a.txt"]}"#);
    assert_eq!(blame.lines().count(), 2, "{blame}");
    assert!(
        blame.contains("(A B               2026-01-02 1) one"),
        "{blame}"
    );
    // Paths are names and nothing else.
    assert_eq!(
        ok(&folder, r#"{"action": "diff", "paths": ["*"]}"#),
        "no differences"
    );
    assert_eq!(
        ok(&folder, r#"{"action": "diff", "paths": [":(top)a.txt"]}"#),
        "no differences"
    );
    let (_, reply) = folder.call("git", r#"{"action": "log", "ref": "no-such-branch"}"#);
    assert_eq!(
        (reply.verdict, reply.text.as_str()),
        (
            Verdict::Failed,
            "git log ended with 128: fatal: bad revision 'no-such-branch'"
        )
    );
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let Some(folder) = repository() else { return };
    let plant = |name: &str| format!("touch {}/ran-{name}; :", folder.0.display());
    for (key, name) in [
        ("diff.external", "external"),
        ("diff.mine.command", "driver"),
        ("diff.mine.textconv", "textconv"),
        ("core.pager", "pager"),
        ("pager.log", "pager-log"),
        ("core.fsmonitor", "fsmonitor"),
        ("core.editor", "editor"),
        ("gpg.program", "gpg"),
        ("core.sshCommand", "ssh"),
    ] {
        folder.run("git", &["config", key, &plant(name)]);
    }
    folder.run("git", &["config", "log.showSignature", "true"]);
    folder.run("git", &["config", "core.hooksPath", "hooks"]);
    folder.add(".gitattributes", "*.txt diff=mine\n");
    for hook in [
        "post-index-change",
        "fsmonitor-watchman",
        "reference-transaction",
    ] {
        folder.add(
            &format!("hooks/{hook}"),
            format!("#!/bin/sh\n{}\n", plant(hook)),
        );
        folder.run("chmod", &["+x", &format!("hooks/{hook}")]);
    }
    for arguments in [
        r#"{"action": "status"}"#,
        r#"{"action": "diff"}"#,
        r#"{"action": "diff", "ref": "HEAD"}"#,
        r#"{"action": "log", "stat": true}"#,
        r#"{"action": "show", "ref": "HEAD"}"#,
        r#"{"action": "blame", "paths": ["a.txt"]}"#,
    ] {
        ok(&folder, arguments);
        let all = folder.run("ls", &[]).unwrap_or_default();
        assert!(!all.contains("ran-"), "{arguments}: {all}");
    }
    // What was planted does run where nobody takes care.
    folder.run("git", &["diff"]);
    assert!(folder.has("ran-external") || folder.has("ran-driver"));
}

#[test]
fn outside_a_repository_nothing_is_compared() {
    let folder = Folder::new();
    if folder.run("git", &["--version"]).is_none() {
        println!("not run: git is missing");
        return;
    }
    folder.add("a", "secret one\n");
    folder.add("b", "secret two\n");
    if folder.is_in_repository() {
        println!("not run: the folder for temporary files lies in a repository");
        return;
    }
    for arguments in [
        r#"{"action": "status"}"#,
        r#"{"action": "diff"}"#,
        r#"{"action": "diff", "paths": ["a", "b"]}"#,
        r#"{"action": "diff", "paths": ["a"]}"#,
    ] {
        let (_, Reply { verdict, text, .. }) = folder.call("git", arguments);
        assert_eq!(
            (verdict, text.as_str()),
            (Verdict::Failed, "the workspace is not in a Git repository"),
            "{arguments}"
        );
    }
    let Some(inside) = repository() else { return };
    let outside = folder.0.join("a");
    let arguments = format!(
        r#"{{"action": "diff", "paths": ["{}", "a.txt"]}}"#,
        outside.display()
    );
    let (is_asked, reply) = inside.call("git", &arguments);
    assert!(
        is_asked
            && reply.verdict == Verdict::Failed
            && reply.text.contains("is outside repository"),
        "{}",
        reply.text
    );
}
