//! Looks at a Git repository: status, diff, log, show, blame.

use std::time::Duration;

use crate::tool::prelude::*;

/// Commits shown unless `limit` says otherwise.
const COMMITS_DEFAULT: usize = 20;
/// Git is stopped after this.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Names and counts, wide enough that no name is cut.
const STAT: &str = "--stat=200";
/// Left of the reply's size for notes.
const NOTES_BYTES_MAX: usize = 400;

tool! {
    /// Look at the Git repository of the workspace. It never changes it.
    effect: plan, Read;
    subject: Words;
    check: |args| check(args);
    needs: [Commands];
    struct Args {
        /// What to look at.
        action: Action,
        /// Commit, branch, tag or range `a..b`; for diff, log, show, blame.
        r#ref: Option<Text<500>>,
        /// Only these files or folders; blame needs exactly one.
        paths: Option<List<Text<4_096>, 100>>,
        /// diff: what is staged instead of what is not.
        staged: Option<bool>,
        /// diff, show, log: only names and counts of changed files.
        stat: Option<bool>,
        /// log: commits at most; 20 if left out.
        limit: Option<Within<1, 500>>,
    }
    examples: [
        object! { "action": "status" } => "git status",
        object! { "action": "status" } => "what is uncommitted in the working tree",
        object! { "action": "status" } => "show the status of the repository",
        object! { "action": "log", "limit": 10_u32 } => "show the git log, the last commits",
        object! { "action": "log", "limit": 10_u32 } => "git log",
        object! { "action": "log", "limit": 5_u32 } => "show the last 5 commits",
        object! { "action": "diff" } => "git diff, what did I change",
        object! { "action": "diff" } => "git diff",
        object! { "action": "diff" } => "show the diff",
        object! { "action": "diff", "staged": true } => "show the staged diff",
        object! { "action": "show", "ref": "HEAD", "stat": true } => "which files changed in the last commit",
        object! { "action": "show", "ref": "HEAD", "stat": true } => "what files did the latest commit change",
        object! { "action": "show", "ref": "HEAD" } => "git show the last commit",
        object! { "action": "show", "ref": "HEAD" } => "what changed in the latest commit",
        object! { "action": "blame", "paths": array!["src/main.rs"] } => "who last changed each line of src/main.rs, git blame",
        object! { "action": "blame", "paths": array!["src/main.rs"] } => "git blame src/main.rs",
        object! { "action": "blame", "paths": array!["src/main.rs"] } => "who wrote each line of src/main.rs",
        object! { "action": "status" } => "status of the repo",
        object! { "action": "status" } => "what has changed in the repo",
        object! { "action": "log", "limit": 10_u32 } => "show the commit history",
        object! { "action": "log", "paths": array!["src/main.rs"] } => "who changed the file src/main.rs",
        object! { "action": "log", "paths": array!["src/main.rs"] } => "show the history of the file src/main.rs",
        object! { "action": "diff", "staged": true } => "git diff --staged",
        object! { "action": "diff", "staged": true } => "show the staged changes",
        object! { "action": "show", "ref": "HEAD" } => "what was the last commit",
        object! { "action": "diff" } => "what did I change",
        object! { "action": "show", "ref": "HEAD" } => "show the last commit",
        object! { "action": "status" } => "what is the git status",
        object! { "action": "diff", "paths": array!["src/main.rs"] } => "git diff src/main.rs",
        object! { "action": "log", "paths": array!["src/main.rs"] } => "git log src/main.rs",
    ];
}

choice! { Action { Status = "status", Diff = "diff", Log = "log", Show = "show", Blame = "blame" } }

/// Which arguments go with which action: all that do not fit, at once.
fn check(args: &Args) -> Vec<String> {
    let action = args.action;
    let is_one_of = |allowed: &[Action]| allowed.contains(&action);
    let mut faults = Vec::new();
    let mut only = |is_given: bool, name: &str, allowed: &[Action]| {
        if is_given && !is_one_of(allowed) {
            let words: Vec<&str> = allowed.iter().map(|action| action.word()).collect();
            faults.push(format!(
                "`{name}` goes with {}, not with {}",
                words.join(", "),
                action.word()
            ));
        }
    };
    only(
        args.r#ref.is_some(),
        "ref",
        &[Action::Diff, Action::Log, Action::Show, Action::Blame],
    );
    only(args.staged.is_some(), "staged", &[Action::Diff]);
    only(
        args.stat.is_some(),
        "stat",
        &[Action::Diff, Action::Show, Action::Log],
    );
    only(args.limit.is_some(), "limit", &[Action::Log]);
    if action == Action::Blame && args.paths.as_ref().is_none_or(|paths| paths.0.len() != 1) {
        faults.push("blame needs exactly one path in `paths`".to_owned());
    }
    if let Some(name) = args.r#ref.as_deref()
        && (name.starts_with('-') || name.chars().any(|c| c.is_control() || c.is_whitespace()))
    {
        faults.push("`ref` must not begin with `-` or hold blanks".to_owned());
    }
    if args
        .paths
        .iter()
        .flat_map(|paths| &paths.0)
        .any(|path| path.contains('\0'))
    {
        faults.push("`paths` must not hold NUL".to_owned());
    }
    faults
}

/// No question, no pager, English; and no fetching of what a partial clone lacks, which could run any transport.
const ENVIRONMENT: &[(&str, Option<&str>)] = &[
    ("GIT_TERMINAL_PROMPT", Some("0")),
    ("GIT_PAGER", Some("cat")),
    ("GIT_NO_LAZY_FETCH", Some("1")),
    ("GIT_ALLOW_PROTOCOL", Some("none")),
    ("LC_ALL", Some("C.UTF-8")),
    ("LANGUAGE", Some("en")),
    ("GIT_EXTERNAL_DIFF", None),
];

/// Before the action: no pager, no locks, no colours, no program that a repository could name.
const BEFORE: &[&str] = &[
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "log.showSignature=false",
    "-c",
    "color.ui=false",
    "-c",
    "core.quotePath=false",
];

/// With whatever shows a patch.
const PATCH: &[&str] = &[
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--submodule=short",
];

/// The command line after `git`.
fn words(args: &Args) -> Vec<String> {
    let mut words: Vec<String> = BEFORE.iter().map(|&word| word.to_owned()).collect();
    words.push(args.action.word().to_owned());
    add_options(args, &mut words);
    words.extend(args.r#ref.iter().map(|name| name.0.clone()));
    words.push("--".to_owned());
    let mut paths: Vec<&str> = args
        .paths
        .iter()
        .flat_map(|paths| &paths.0)
        .map(|path| &**path)
        .collect();
    // Exactly two paths, one of them outside, would compare any two files, repository or not.
    if args.action == Action::Diff
        && let [first, _] = paths.as_slice()
    {
        paths.push(first);
    }
    words.extend(paths.into_iter().map(str::to_owned));
    words
}

/// The options of the action.
fn add_options(args: &Args, words: &mut Vec<String>) {
    let mut add = |more: &[&str]| words.extend(more.iter().map(|&word| word.to_owned()));
    let has_stat = args.stat == Some(true);
    match args.action {
        Action::Status => add(&["--short", "--branch", "--untracked-files=all"]),
        Action::Diff => {
            add(PATCH);
            add(if has_stat { &[STAT] } else { &[] });
            add(if args.staged == Some(true) {
                &["--staged"]
            } else {
                &[]
            });
        }
        Action::Log => {
            add(PATCH);
            add(&[
                &format!(
                    "--max-count={}",
                    args.limit.map_or(COMMITS_DEFAULT, Within::size)
                ),
                "--date=short",
            ]);
            add(&["--format=%h %ad %an: %s%d"]);
            add(if has_stat { &[STAT] } else { &[] });
        }
        Action::Show => {
            add(PATCH);
            add(&["--date=iso", if has_stat { STAT } else { "--patch" }]);
        }
        Action::Blame => add(&["--no-textconv", "--date=short"]),
    }
}

/// It only reads, unless a path leads outside or to a secret: that is asked about like any other.
fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let files = Files::grant(look);
    // `HEAD:path` and `:0:path` show a file as it was, counted from the top of the repository. Any colon may be that one,
    // and only where the workspace is that top is it known which file is meant.
    let is_top = files.stat(&look.roots.workspace.join(".git"))?.is_some();
    let name = args.r#ref.as_deref().unwrap_or_default();
    let in_ref: Vec<&str> = name
        .match_indices(':')
        .map(|(at, _)| &name[at + 1..])
        .filter(|path| !path.is_empty())
        .map(|path| if is_top { path } else { "/" })
        .collect();
    let given = args
        .paths
        .iter()
        .flat_map(|paths| &paths.0)
        .map(|path| &**path)
        .chain(in_ref.iter().copied());
    let mut asks = Vec::new();
    for path in given {
        // What Git knows by a name that leads nowhere by now is no secret of this machine's, but may look like one.
        match files.target(path) {
            Ok(target) if target.place == Place::Inside => (),
            Ok(target) => asks.push(target.shown),
            Err(_) => asks.push(path.to_owned()),
        }
    }
    let effect = if asks.is_empty() {
        Effect::Read
    } else {
        Effect::Change
    };
    let shown = if asks.is_empty() {
        String::new()
    } else {
        format!(
            "git {}\nof what lies outside the workspace or looks like a secret: {}",
            words(args).join(" "),
            asks.join(", ")
        )
    };
    Ok(Plan {
        shown,
        ..Plan::of(effect, Subject::Words(vec![args.action.word().to_owned()]))
    })
}

fn run(args: Args, _plan: Plan, call: &Call, commands: Commands) -> Outcome {
    let spawn = Spawn {
        program: "git".into(),
        args: words(&args).into_iter().map(Into::into).collect(),
        env: ENVIRONMENT
            .iter()
            .map(|&(name, value)| (name.into(), value.map(Into::into)))
            .collect(),
        directory: commands.directory(None)?,
        has_input: false,
        is_merged: false,
    };
    let command = Command {
        spawn,
        timeout: Some(TIMEOUT),
        output_bytes_max: call.output_bytes_max.saturating_sub(NOTES_BYTES_MAX),
        ..Command::default()
    };
    let ran = commands.run(command, call)?;
    let (output, errors) = (ran.output.text(), ran.errors.text());
    match ran.ended {
        Ended::Exited(Exit::Code(0)) if output.trim().is_empty() => {
            Ok(empty(args.action).to_owned().into())
        }
        Ended::Exited(Exit::Code(0)) => Ok(output.trim_end_matches('\n').to_owned().into()),
        Ended::Exited(Exit::Code(_))
            if errors.to_ascii_lowercase().contains("not a git repository") =>
        {
            Err(Failure::new("the workspace is not in a Git repository"))
        }
        Ended::Exited(Exit::Code(code)) => Err(Failure::new(format!(
            "git {} ended with {code}: {}",
            args.action.word(),
            errors.trim()
        ))),
        Ended::Exited(Exit::Signal(signal)) => {
            Err(Failure::new(format!("git was ended by signal {signal}")))
        }
        Ended::TimedOut => Err(Failure::new(format!(
            "git was stopped after {} s",
            TIMEOUT.as_secs()
        ))),
        Ended::Cancelled => Err(Failure::cancelled()),
    }
}

/// What an answer without a line means.
fn empty(action: Action) -> &'static str {
    match action {
        Action::Status => "nothing to report",
        Action::Diff => "no differences",
        Action::Log => "no commits",
        Action::Show => "nothing to show",
        Action::Blame => "the file is empty",
    }
}

#[cfg(test)]
mod tests {
    use crate::tool::Verdict;
    use crate::tool::trial::{Trial, check, check_cancels};
    use crate::world::fake::{Fake, Program};

    /// A git that tells what it was called with.
    fn build(fake: &Fake) {
        fake.add_file("/repo/.env", "K=1")
            .add_file("/etc/passwd", "")
            .program("git", |spawn| {
                let words: Vec<&str> = spawn
                    .args
                    .iter()
                    .map(|word| word.to_str().unwrap())
                    .collect();
                let at = words
                    .iter()
                    .position(|word| ["status", "diff", "log", "show", "blame"].contains(word))
                    .unwrap();
                Program::new(words[at..].join(" "), 0)
            });
    }

    #[track_caller]
    fn calls(arguments: &str, words: &str) {
        check(build, "git", arguments, Verdict::Done, words);
    }

    #[test]
    fn actions_become_words() {
        let patch = "--no-ext-diff --no-textconv --no-color --submodule=short";
        calls(
            r#"{"action": "status"}"#,
            "status --short --branch --untracked-files=all --",
        );
        calls(r#"{"action": "diff"}"#, &format!("diff {patch} --"));
        calls(
            r#"{"action": "diff", "staged": true, "stat": true, "ref": "HEAD~1", "paths": ["a", "-b"]}"#,
            &format!("diff {patch} --stat=200 --staged HEAD~1 -- a -b a"),
        );
        calls(
            r#"{"action": "log", "limit": 3, "paths": ["*"]}"#,
            &format!("log {patch} --max-count=3 --date=short --format=%h %ad %an: %s%d -- *"),
        );
        calls(
            r#"{"action": "show", "ref": "v1"}"#,
            &format!("show {patch} --date=iso --patch v1 --"),
        );
        calls(
            r#"{"action": "blame", "paths": ["a b"], "ref": "HEAD"}"#,
            "blame --no-textconv --date=short HEAD -- a b",
        );
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (arguments, fault) in [
            (
                r#"{"action": "push"}"#,
                "`action` must be one of status, diff, log, show, blame, not \"push\"",
            ),
            (
                r#"{"action": "status", "ref": "x"}"#,
                "`ref` goes with diff, log, show, blame, not with status",
            ),
            (
                r#"{"action": "status", "staged": true, "limit": 3}"#,
                "`staged` goes with diff, not with status\n- `limit` goes with log",
            ),
            (
                r#"{"action": "log", "ref": "--output=x"}"#,
                "`ref` must not begin with `-`",
            ),
            (r#"{"action": "log", "ref": "a b"}"#, "or hold blanks"),
            (r#"{"action": "blame"}"#, "blame needs exactly one path"),
            (
                r#"{"action": "blame", "paths": ["a", "b"]}"#,
                "blame needs exactly one path",
            ),
            (
                r#"{"action": "log", "paths": ["a\u0000b"]}"#,
                "must not hold NUL",
            ),
        ] {
            let reply = Trial::new(build).call("git", arguments);
            assert_eq!(reply.verdict, Verdict::Invalid, "{arguments}");
            assert!(reply.text.contains(fault), "{}", reply.text);
        }
        check(
            |_| (),
            "git",
            r#"{"action": "status"}"#,
            Verdict::Failed,
            "`git` is not installed or not in PATH",
        );
    }

    #[test]
    fn what_lies_outside_or_is_secret_is_asked_about() {
        for (arguments, questions) in [
            (r#"{"action": "diff", "paths": ["src"]}"#, 0),
            (r#"{"action": "show", "ref": "HEAD:src/a.rs"}"#, 0),
            (r#"{"action": "diff", "paths": ["/etc/passwd", "src"]}"#, 1),
            (r#"{"action": "diff", "paths": ["../x"]}"#, 1),
            (r#"{"action": "log", "paths": [".env"]}"#, 1),
            (r#"{"action": "show", "ref": "HEAD:.env"}"#, 1),
            (r#"{"action": "show", "ref": "HEAD:keys/id_rsa"}"#, 1),
            // gitrevisions(7): the index, and a search with a colon of its own.
            (r#"{"action": "show", "ref": ":0:.env"}"#, 1),
            (r#"{"action": "show", "ref": "HEAD^{/fix:}:.env"}"#, 1),
        ] {
            let mut trial = Trial::new(|fake| {
                build(fake);
                fake.add_dir("/repo/.git");
            });
            trial.call("git", arguments);
            assert_eq!(trial.questions.len(), questions, "{arguments}");
        }
    }

    #[test]
    fn a_cancel_ends_it() {
        check_cancels(build, "git", r#"{"action": "log"}"#);
    }
}
