//! Stops a process, found by its id or by the port it listens on.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::calendar::{Stamp, format_rfc3339};
use crate::tool::prelude::*;

/// How long a process that was asked to end is watched.
const WATCH: Duration = Duration::from_secs(2);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// Processes stopped in one call.
const VICTIMS_MAX: usize = 200;
/// A longer command line is cut.
const COMMAND_BYTES_MAX: usize = 120;

tool! {
    /// Stop a process and its descendants, found by id or by the port it listens on.
    effect: plan;
    subject: Words;
    check: |args| check(args);
    needs: [Processes, Pauses];
    struct Args {
        /// Process id.
        pid: Option<Within<2, 4_194_304>>,
        /// TCP or UDP port.
        port: Option<Within<1, 65_535>>,
        /// Kill at once instead of asking it to end.
        force: Option<bool>,
    }
    examples: [
        object! { "port": 8080_u32 } => "free port 8080",
        object! { "port": 3000_u32 } => "kill the process on port 3000",
        object! { "port": 3000_u32 } => "kill whatever listens on port 3000",
        object! { "port": 3000_u32 } => "kill what is listening on port 3000",
        object! { "port": 3000_u32 } => "stop the process listening on port 3000",
        object! { "port": 3000_u32 } => "stop the server on port 3000",
        object! { "pid": 4711_u32 } => "kill process 4711",
        object! { "pid": 4711_u32 } => "kill pid 4711",
        object! { "pid": 4711_u32 } => "stop the process with pid 4711",
        object! { "port": 8080_u32 } => "free up port 8080",
        object! { "port": 3000_u32 } => "kill what listens on port 3000",
        object! { "port": 3000_u32 } => "kill whatever is listening on port 3000",
        object! { "pid": 4711_u32 } => "stop process 4711",
    ];
}

fn check(args: &Args) -> Vec<String> {
    match (args.pid, args.port) {
        (Some(_), Some(_)) => vec!["give `pid` or `port`, not both".to_owned()],
        (None, None) => vec!["`pid` or `port` is missing".to_owned()],
        _ => Vec::new(),
    }
}

fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let victims = victims(args, &Processes::grant(look))?;
    let verb = if args.force == Some(true) {
        "kill"
    } else {
        "ask to end"
    };
    let rows: Vec<String> = victims.iter().map(row).collect();
    let subject = match (args.pid, args.port) {
        (Some(pid), _) => vec!["pid".to_owned(), pid.0.to_string()],
        (None, Some(port)) => vec!["port".to_owned(), port.0.to_string()],
        (None, None) => Vec::new(),
    };
    Ok(Plan {
        effect: Effect::Destroy,
        subject: Subject::Words(subject),
        shown: format!("{verb}:\n{}", rows.join("\n")),
        binding: Binding {
            processes: victims
                .iter()
                .map(|victim| (victim.pid, victim.started_ticks))
                .collect(),
            ..Binding::default()
        },
    })
}

fn row(process: &Process) -> String {
    let command = crate::text::one_line(&process.command, COMMAND_BYTES_MAX);
    let since = format_rfc3339(Stamp {
        unix_seconds: process.started,
        nanos: 0,
        offset_seconds: 0,
    });
    format!(
        "  {} (pid {}, started {since}): {command}",
        process.name, process.pid
    )
}

/// Who would be stopped: descendants before their parents. Never we ourselves, who started us, or process 1.
fn victims(args: &Args, processes: &Processes) -> Result<Vec<Process>, Failure> {
    let all = processes
        .all()
        .map_err(|error| Failure::io("cannot list the processes", &error))?;
    let roots: BTreeSet<u32> = match (args.pid, args.port) {
        (Some(pid), _) => u32::try_from(pid.0).into_iter().collect(),
        (None, Some(port)) => owners(port.0, processes)?,
        (None, None) => BTreeSet::new(),
    };
    for pid in &roots {
        if all.iter().all(|process| process.pid != *pid) {
            return Err(Failure::new(format!("there is no process {pid}")));
        }
    }
    let mut chosen: Vec<u32> = roots.into_iter().collect();
    let mut next = 0;
    while next < chosen.len() {
        let parent = chosen[next];
        chosen.extend(
            all.iter()
                .filter(|process| process.parent == parent)
                .map(|process| process.pid)
                .filter(|pid| !chosen.contains(pid))
                .collect::<Vec<_>>(),
        );
        next += 1;
        if VICTIMS_MAX < chosen.len() {
            return Err(Failure::new(format!(
                "that would stop more than {VICTIMS_MAX} processes; name one further down"
            )));
        }
    }
    let mut pid = processes.own();
    loop {
        if chosen.contains(&pid) {
            let name = all
                .iter()
                .find(|process| process.pid == pid)
                .map_or("", |process| process.name.as_str());
            return Err(Failure::new(format!(
                "refused: `{name}` (pid {pid}) is this program or what started it"
            )));
        }
        match all.iter().find(|process| process.pid == pid) {
            Some(process) if process.parent != 0 && process.parent != pid => pid = process.parent,
            _ => break,
        }
    }
    if chosen.contains(&1) {
        return Err(Failure::new("refused: process 1 runs the machine"));
    }
    Ok(chosen
        .iter()
        .rev()
        .filter_map(|pid| all.iter().find(|process| process.pid == *pid).cloned())
        .collect())
}

fn owners(port: i64, processes: &Processes) -> Result<BTreeSet<u32>, Failure> {
    let listening = processes
        .listening()
        .map_err(|error| Failure::io("cannot read the table of sockets", &error))?;
    let sockets: Vec<&Listening> = listening
        .iter()
        .filter(|socket| i64::from(socket.port) == port)
        .collect();
    let owners: BTreeSet<u32> = sockets
        .iter()
        .flat_map(|socket| socket.pids.iter().copied())
        .collect();
    match (sockets.first(), owners.is_empty()) {
        (None, _) => Err(Failure::new(format!("nothing listens on port {port}"))),
        (Some(socket), true) => Err(Failure::new(format!(
            "port {port} belongs to a process of user {} that cannot be seen from here",
            socket.user
        ))),
        (Some(_), false) => Ok(owners),
    }
}

fn run(args: Args, plan: Plan, call: &Call, processes: Processes, pauses: Pauses) -> Outcome {
    let how = if args.force == Some(true) {
        Stop::Kill
    } else {
        Stop::Ask
    };
    let mut faults = Vec::new();
    let mut asked = Vec::new();
    for &(pid, ticks) in &plan.binding.processes {
        call.check()?;
        match processes.stop(pid, ticks, how) {
            Ok(()) => asked.push((pid, ticks)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (), // It ended by itself meanwhile.
            Err(error) => faults.push(Failure::io(&format!("cannot stop pid {pid}"), &error).0),
        }
    }
    let lives = |&(pid, ticks): &(u32, u64)| {
        processes
            .find(pid)
            .ok()
            .flatten()
            .is_some_and(|process| process.started_ticks == ticks)
    };
    let mut left: Vec<(u32, u64)> = asked.iter().copied().filter(lives).collect();
    let mut waited = Duration::ZERO;
    while !left.is_empty() && waited < WATCH && !call.cancel.is_set() {
        pauses.pause(LOOK, call);
        waited += LOOK;
        left.retain(lives);
    }
    let pids = |list: &[(u32, u64)]| {
        list.iter()
            .map(|(pid, _)| pid.to_string())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let ended: Vec<(u32, u64)> = asked
        .iter()
        .copied()
        .filter(|process| !left.contains(process))
        .collect();
    let mut text = if ended.is_empty() {
        "nothing ended".to_owned()
    } else {
        format!("ended: pid {}", pids(&ended))
    };
    if !left.is_empty() {
        text.push_str(&format!(
            "\nstill running: pid {}; set `force` to kill",
            pids(&left)
        ));
    }
    faults
        .iter()
        .for_each(|fault| text.push_str(&format!("\n{fault}")));
    if ended.is_empty() {
        Err(Failure(text))
    } else {
        Ok(text.into())
    }
}
