//! Looks at a Git repository: status, diff, log, show, blame.

use std::time::Duration;

use crate::tool::prelude::*;

/// Commits shown unless `limit` says otherwise.
const COMMITS_DEFAULT: usize = 20;
/// Git is stopped after this.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Left of the reply's size for notes.
const NOTES_BYTES_MAX: usize = 400;

tool! {
    /// Look at the Git repository of the workspace. It never changes it.
    effect: Read;
    subject: Words => |args| vec![args.action.word().to_owned()];
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
        object! { "action": "diff", "staged": true } => "what is staged",
        object! { "action": "diff", "paths": array!["src/main.rs"] } => "git diff of src/main.rs",
        object! { "action": "diff", "paths": array!["src/main.rs"] } => "what did I change in src/main.rs",
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
        object! { "action": "log", "paths": array!["src/main.rs"] } => "git log of src/main.rs",
        object! { "action": "log", "paths": array!["src/main.rs"] } => "who changed src/main.rs",
        object! { "action": "log", "paths": array!["src/main.rs"] } => "show the history of src/main.rs",
        object! { "action": "diff", "staged": true } => "git diff --staged",
        object! { "action": "diff", "staged": true } => "show the staged changes",
        object! { "action": "show", "ref": "HEAD" } => "what was the last commit",
        object! { "action": "blame", "paths": array!["src/main.rs"] } => "blame src/main.rs",
        object! { "action": "status" } => "which files did I change",
        object! { "action": "status" } => "what files did I change",
        object! { "action": "diff" } => "what did I change",
        object! { "action": "show", "ref": "HEAD" } => "show the last commit",
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

/// The command line after `git`: no pager, no colours, no program that a repository could name.
fn words(args: &Args) -> Vec<String> {
    let mut words: Vec<String> = [
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
    ]
    .map(str::to_owned)
    .to_vec();
    words.push(args.action.word().to_owned());
    let patch = ["--no-ext-diff", "--no-textconv", "--no-color"];
    let mut add = |more: &[&str]| words.extend(more.iter().map(|&word| word.to_owned()));
    let has_stat = args.stat == Some(true);
    match args.action {
        Action::Status => add(&["--short", "--branch", "--untracked-files=all"]),
        Action::Diff => {
            add(&patch);
            add(if has_stat { &["--stat"] } else { &[] });
            add(if args.staged == Some(true) {
                &["--staged"]
            } else {
                &[]
            });
        }
        Action::Log => {
            add(&patch);
            add(&[
                &format!(
                    "--max-count={}",
                    args.limit.map_or(COMMITS_DEFAULT, Within::size)
                ),
                "--date=short",
            ]);
            add(&["--format=%h %ad %an: %s%d"]);
            add(if has_stat { &["--stat"] } else { &[] });
        }
        Action::Show => {
            add(&patch);
            add(&["--date=iso", if has_stat { "--stat" } else { "--patch" }]);
        }
        Action::Blame => add(&["--date=short"]),
    }
    words.extend(args.r#ref.iter().map(|name| name.0.clone()));
    words.push("--".to_owned());
    words.extend(
        args.paths
            .iter()
            .flat_map(|paths| &paths.0)
            .map(|path| path.0.clone()),
    );
    words
}

fn run(args: Args, _plan: Plan, call: &Call, commands: Commands) -> Outcome {
    let spawn = Spawn {
        program: "git".into(),
        args: words(&args).into_iter().map(Into::into).collect(),
        env: [
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_PAGER", "cat"),
            ("LC_ALL", "C.UTF-8"),
        ]
        .into_iter()
        .map(|(name, value)| (name.into(), Some(value.into())))
        .chain([("GIT_EXTERNAL_DIFF".into(), None)])
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
