//! Runs a shell command and shows what it printed.

use std::time::Duration;

use crate::tool::prelude::*;

/// Seconds unless `timeout` says otherwise.
const TIMEOUT_SECONDS_DEFAULT: u64 = 120;
/// Left of the reply's size for the line about the end.
const NOTES_BYTES_MAX: usize = 600;

tool! {
    /// Run a command with `/bin/sh -c` and read its output. It gets no terminal; nothing it starts lives on.
    effect: plan;
    subject: Command;
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

fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let files = Files::grant(look);
    let mut shown = format!("$ {}", args.command.0);
    if let Some(directory) = &args.directory {
        let target = directory_of(directory, &files)?;
        shown.push_str(&format!("\nin {}", target.shown));
    }
    for (name, value) in args.env.iter().flat_map(|env| &env.0) {
        shown.push_str(&format!("\nwith {name}={value}"));
    }
    if let Some(stdin) = &args.stdin {
        shown.push_str(&format!("\nreading:\n{stdin}"));
    }
    if let Some(timeout) = args.timeout {
        shown.push_str(&format!("\nfor at most {} s", timeout.0));
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
    _ = plan;
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
        directory: commands.directory(args.directory.as_deref())?,
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
        Ended::TimedOut => Err(ended(&format!("stopped after {seconds} s"), &output, &left)),
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
