//! Runs a shell command and shows what it printed.

use std::fmt::Write as _;
use std::time::Duration;

use crate::text;
use crate::tool::prelude::*;

/// Of longer input the question shows the head and the tail.
const STDIN_SHOWN_BYTES_MAX: usize = 4_000;
/// Seconds unless `timeout` says otherwise.
const TIMEOUT_SECONDS_DEFAULT: u64 = 120;
/// Left of the reply's size for the line about the end.
const NOTES_BYTES_MAX: usize = 600;

tool! {
    /// Run a command with `/bin/sh -c` and read its output. It gets no terminal; what it leaves in the background is stopped.
    effect: plan;
    subject: Command;
    check: |args| check(args);
    needs: [Commands];
    struct Args {
        /// The command.
        command: Text<100_000>,
        /// Folder to run it in; the workspace if left out.
        directory: Option<Text<4_096>>,
        /// What it reads on standard input.
        stdin: Option<String>,
        /// Variables to set.
        env: Option<Variables<100>>,
        /// Seconds after which it is stopped; 120 if left out.
        timeout: Option<Within<1, 600>>,
    }
    examples: [
        object! { "command": "echo hi" } => "run the command `echo hi`",
        object! { "command": "cargo test" } => "run `cargo test`",
        object! { "command": "cargo test" } => "execute `cargo test`",
    ];
}

fn check(args: &Args) -> Vec<String> {
    if args.command.contains('\0') {
        return vec!["`command` must not hold NUL".to_owned()];
    }
    Vec::new()
}

fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let files = Files::grant(look);
    // Each further line is marked, so that none can pass for what the question says of its own.
    let mut shown = format!("$ {}", args.command.replace('\n', "\n> "));
    let mut binding = Binding::default();
    if let Some(directory) = &args.directory {
        let target = directory_of(directory, &files)?;
        let place = match target.place {
            Place::Inside => "",
            Place::Outside => " (outside the workspace)",
            Place::Secret => " (looks like a place for secrets)",
        };
        _ = write!(shown, "\nin {}{place}", target.shown);
        // The command runs in this very folder, wherever the path leads by then.
        let seen = files.fingerprint(&target.path)?;
        binding.files.push((target.path, seen));
    }
    for (name, value) in args.env.iter().flat_map(|env| &env.0) {
        _ = write!(
            shown,
            "\nwith {}={}",
            name.escape_debug(),
            value.escape_debug()
        );
    }
    if let Some(stdin) = &args.stdin {
        let head = text::cut_middle(stdin, STDIN_SHOWN_BYTES_MAX);
        _ = write!(
            shown,
            "\nreading {} bytes:\n< {}",
            stdin.len(),
            head.trim_end_matches('\n').replace('\n', "\n< ")
        );
    }
    if let Some(timeout) = args.timeout {
        _ = write!(shown, "\nfor at most {} s", timeout.0);
    }
    // A rule covers words alone: with another folder, environment or input they may mean anything.
    let is_plain = args.directory.is_none() && args.env.is_none() && args.stdin.is_none();
    let command = if is_plain {
        args.command.0.clone()
    } else {
        format!("{}\n", args.command.0)
    };
    Ok(Plan {
        shown,
        binding,
        ..Plan::of(Effect::Change, Subject::Command(command))
    })
}

fn directory_of(given: &str, files: &Files) -> Result<Target, Failure> {
    let target = files.target(given)?;
    match files.stat(&target.path)? {
        Some(stat) if stat.kind == Kind::Directory => Ok(target),
        Some(_) => Err(Failure::new(format!(
            "cannot run in `{given}`: it is not a directory"
        ))),
        None => Err(Failure::new(format!(
            "cannot run in `{given}`: it does not exist"
        ))),
    }
}

fn run(args: Args, plan: Plan, call: &Call, commands: Commands) -> Outcome {
    let seconds = args
        .timeout
        .map_or(TIMEOUT_SECONDS_DEFAULT, |timeout| timeout.size() as u64);
    let spawn = Spawn {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), args.command.0.into()],
        env: args
            .env
            .unwrap_or_default()
            .0
            .into_iter()
            .map(|(name, value)| (name.into(), Some(value.into())))
            .collect(),
        directory: match plan.binding.files.first() {
            Some((folder, _)) => folder.clone(),
            None => commands.directory(None)?,
        },
        has_input: args.stdin.is_some(),
        is_merged: true,
    };
    let command = Command {
        spawn,
        input: args.stdin.unwrap_or_default().into_bytes(),
        timeout: Some(Duration::from_secs(seconds)),
        output_bytes_max: call.output_bytes_max.saturating_sub(NOTES_BYTES_MAX),
    };
    let ran = commands.run(command, call)?;
    let output = ran.output.text();
    let left = match ran.left.as_slice() {
        [] => String::new(),
        left => format!(
            "\n(it left processes running, which were stopped: {})",
            left.join(", ")
        ),
    };
    match ran.ended {
        Ended::Exited(Exit::Code(0)) if output.trim().is_empty() => {
            Ok(format!("(exit 0, no output){left}").into())
        }
        Ended::Exited(Exit::Code(0)) => {
            Ok(format!("{}{left}", output.trim_end_matches('\n')).into())
        }
        Ended::Exited(Exit::Code(code)) => Err(ended(&format!("exit code {code}"), &output, &left)),
        Ended::Exited(Exit::Signal(signal)) => {
            Err(ended(&format!("ended by signal {signal}"), &output, &left))
        }
        Ended::TimedOut => Err(ended(
            &format!("stopped after {} s", ran.took.as_secs().min(seconds)),
            &output,
            &left,
        )),
        Ended::Cancelled => Err(ended("cancelled", &output, &left)),
    }
}

/// A failure that keeps what was printed.
fn ended(how: &str, output: &str, left: &str) -> Failure {
    match output.trim_end_matches('\n') {
        "" => Failure::new(format!("{how}, no output{left}")),
        output => Failure::new(format!("{how}\n{output}{left}")),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::tool::prelude::*;
    use crate::tool::trial::real::{Folder, lives};
    use crate::tool::trial::{Trial, check, check_cancels};
    use crate::tool::{Effect, Verdict};
    use crate::world::fake::{Fake, Program};

    /// A shell that knows a few commands.
    fn build(fake: &Fake) {
        fake.add_dir("/repo/sub")
            .add_file("/repo/file", "")
            .program("/bin/sh", |spawn| {
                assert_eq!(spawn.args[0], "-c");
                match spawn.args[1].to_str().unwrap() {
                    "true" => Program::new("", 0),
                    "false" => Program::new("", 1),
                    "grep" => Program::new("no match\n", 2),
                    "crash" => Program::new("half", 0).exits(Duration::ZERO, Exit::Signal(11)),
                    "cat" => Program::reading(|input| Program::new(input, 0)),
                    "sleep" => {
                        Program::new("began\n", 0).exits(Duration::from_secs(500), Exit::Code(0))
                    }
                    "env" => Program::new(
                        format!("{:?} {:?} {}", spawn.env, spawn.directory, spawn.has_input),
                        0,
                    ),
                    "left" => Program::new("x\n", 0).leaving(vec![Process {
                        pid: 9,
                        parent: 1,
                        name: "sleep".to_owned(),
                        command: String::new(),
                        started_ticks: 1,
                        started: 0,
                        user: 0,
                    }]),
                    other => Program::new(format!("ran {other}\n"), 0),
                }
            });
    }

    #[track_caller]
    fn ends(arguments: &str, verdict: Verdict, text: &str) {
        check(build, "run_command", arguments, verdict, text);
    }

    #[test]
    fn output_and_end_are_told() {
        ends(r#"{"command": "echo hi"}"#, Verdict::Done, "ran echo hi");
        ends(
            r#"{"command": "true"}"#,
            Verdict::Done,
            "(exit 0, no output)",
        );
        ends(
            r#"{"command": "false"}"#,
            Verdict::Failed,
            "exit code 1, no output",
        );
        ends(
            r#"{"command": "grep"}"#,
            Verdict::Failed,
            "exit code 2\nno match",
        );
        ends(
            r#"{"command": "crash"}"#,
            Verdict::Failed,
            "ended by signal 11\nhalf",
        );
        ends(
            r#"{"command": "cat", "stdin": "a\nb\n"}"#,
            Verdict::Done,
            "a\nb",
        );
        ends(
            r#"{"command": "sleep"}"#,
            Verdict::Failed,
            "stopped after 120 s\nbegan",
        );
        ends(
            r#"{"command": "sleep", "timeout": 5}"#,
            Verdict::Failed,
            "stopped after 5 s\nbegan",
        );
        ends(
            r#"{"command": "left"}"#,
            Verdict::Done,
            "x\n(it left processes running, which were stopped: sleep (9))",
        );
        ends(
            r#"{"command": "env", "env": {"A": "1"}, "directory": "sub", "stdin": ""}"#,
            Verdict::Done,
            r#"[("A", Some("1"))] "/repo/sub" true"#,
        );
        check(
            |_| (),
            "run_command",
            r#"{"command": "x"}"#,
            Verdict::Failed,
            "`/bin/sh` is not installed or not in PATH",
        );
    }

    #[test]
    fn what_cannot_run_says_why() {
        ends(
            r#"{"command": "x", "directory": "file"}"#,
            Verdict::Failed,
            "cannot run in `file`: it is not a directory",
        );
        ends(
            r#"{"command": "x", "directory": "none"}"#,
            Verdict::Failed,
            "cannot run in `none`: it does not exist",
        );
        for arguments in [
            r#"{"command": " "}"#,
            r#"{"command": "a\u0000b"}"#,
            r#"{"command": "x", "timeout": 601}"#,
            r#"{"command": "x", "env": {"A=B": "1"}}"#,
            r#"{"command": "x", "env": {"A": 1}}"#,
        ] {
            assert_eq!(
                Trial::new(build).call("run_command", arguments).verdict,
                Verdict::Invalid,
                "{arguments}"
            );
        }
    }

    #[test]
    fn the_question_shows_all_that_goes_with_it() {
        let mut trial = Trial::new(build);
        trial.call("run_command", r#"{"command": "env", "env": {"A": "1\nfor at most 1 s"}, "directory": "sub", "stdin": "in\nput\n", "timeout": 7}"#);
        assert_eq!(
            trial.shown(),
            "$ env\nin sub\nwith A=1\\nfor at most 1 s\nreading 7 bytes:\n< in\n< put\nfor at most 7 s"
        );
        assert_eq!(trial.questions[0].effect, Effect::Change);
        // A line of the command cannot pass for one of the question.
        trial.call("run_command", r#"{"command": "echo hi\nin sub"}"#);
        assert_eq!(trial.shown(), "$ echo hi\n> in sub");
        trial.call(
            "run_command",
            &format!(r#"{{"command": "cat", "stdin": "{}"}}"#, "x".repeat(10_000)),
        );
        assert!(
            trial.shown().len() < 4_200 && trial.shown().contains("reading 10000 bytes"),
            "{}",
            trial.shown().len()
        );
    }

    #[test]
    fn a_pattern_covers_plain_commands_only() {
        for (rule, arguments, verdict) in [
            (
                "run_command(echo **)",
                r#"{"command": "echo hi"}"#,
                Verdict::Done,
            ),
            (
                "run_command(echo **)",
                r#"{"command": "echo hi; true"}"#,
                Verdict::Refused,
            ),
            (
                "run_command(true)",
                r#"{"command": "true", "timeout": 5}"#,
                Verdict::Done,
            ),
            (
                "run_command(true)",
                r#"{"command": "true", "directory": "sub"}"#,
                Verdict::Refused,
            ),
            (
                "run_command(true)",
                r#"{"command": "true", "env": {}}"#,
                Verdict::Refused,
            ),
            (
                "run_command(true)",
                r#"{"command": "true", "env": {"PATH": "/tmp"}}"#,
                Verdict::Refused,
            ),
            (
                "run_command(cat)",
                r#"{"command": "cat", "stdin": "x"}"#,
                Verdict::Refused,
            ),
            (
                "run_command",
                r#"{"command": "cat", "stdin": "x"}"#,
                Verdict::Done,
            ),
        ] {
            assert_eq!(
                Trial::headless(build, &[rule])
                    .call("run_command", arguments)
                    .verdict,
                verdict,
                "{rule} {arguments}"
            );
        }
    }

    #[test]
    fn a_cancel_ends_it() {
        check_cancels(build, "run_command", r#"{"command": "cat", "stdin": "x"}"#);
        check_cancels(build, "run_command", r#"{"command": "left"}"#);
        let mut trial = Trial::new(build);
        let cancel = trial.cancel();
        trial.fake.at(
            Duration::from_secs(3),
            crate::world::fake::Action::Set(cancel),
        );
        let reply = trial.call("run_command", r#"{"command": "sleep"}"#);
        assert_eq!(
            (reply.verdict, reply.text.as_str()),
            (Verdict::Cancelled, "cancelled\nbegan")
        );
        assert!(trial.fake.time() < Duration::from_millis(3_500));
    }

    /// On this machine's shell: the system's own behaviour is the subject.
    #[test]
    fn a_real_shell_is_fed_drained_and_ended() {
        let folder = Folder::new();
        let run = |arguments: &str| folder.call("run_command", arguments).1;
        assert_eq!(
            run(r#"{"command": "echo out; echo err >&2; exit 3"}"#).text,
            "exit code 3\nout\nerr"
        );
        assert_eq!(
            run(r#"{"command": "kill -9 $$"}"#).text,
            "ended by signal 9, no output"
        );
        assert_eq!(
            run(r#"{"command": "no-such-program-here 2>/dev/null"}"#).text,
            "exit code 127, no output"
        );
        let big = "x".repeat(300_000);
        assert_eq!(
            run(&format!(
                r#"{{"command": "cat | wc -c", "stdin": "{big}"}}"#
            ))
            .text
            .trim(),
            "300000"
        );
        assert_eq!(
            run(&format!(r#"{{"command": "true", "stdin": "{big}"}}"#)).text,
            "(exit 0, no output)"
        );
        let flood =
            run(r#"{"command": "head -c 100000000 /dev/zero | tr '\\0' x; echo; echo end"}"#).text;
        assert!(
            flood.len() < 50_000 && flood.ends_with("\nend") && flood.contains("bytes left out"),
            "{}",
            flood.len()
        );
        // It prints faster than anybody reads, and must be stopped all the same.
        assert!(
            run(r#"{"command": "yes", "timeout": 1}"#)
                .text
                .starts_with("stopped after 1 s\ny\n")
        );
    }

    #[test]
    fn nothing_that_a_real_command_started_lives_on() {
        let folder = Folder::new();
        // Holds the pipe.
        let held = folder
            .call("run_command", r#"{"command": "sleep 60 & echo $!"}"#)
            .1
            .text;
        assert!(
            held.contains("(it left processes running, which were stopped: sleep ("),
            "{held}"
        );
        assert!(!lives(held.lines().next().unwrap()), "{held}");
        // Ignores being asked.
        let deaf = folder
            .call_until(
                "run_command",
                r#"{"command": "trap '' TERM; echo $$; while :; do sleep 1; done"}"#,
                Some(Duration::from_millis(200)),
            )
            .1;
        assert_eq!(deaf.verdict, Verdict::Cancelled, "{}", deaf.text);
        assert!(
            deaf.ms < 1_500 && !lives(deaf.text.lines().nth(1).unwrap()),
            "{} {}",
            deaf.ms,
            deaf.text
        );
    }
}
