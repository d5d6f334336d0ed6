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
        object! { "pid": 4711_u32 } => "kill process 4711",
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
    // A table read while processes come and go may lead in a circle.
    for _ in 0..=all.len() {
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
    let mut victims: Vec<Process> = all
        .iter()
        .filter(|process| chosen.contains(&process.pid))
        .cloned()
        .collect();
    let depths: Vec<(u32, usize)> = victims
        .iter()
        .map(|victim| (victim.pid, depth(victim, &victims)))
        .collect();
    victims.sort_by_key(|victim| {
        let depth = depths
            .iter()
            .find(|(pid, _)| *pid == victim.pid)
            .map_or(0, |(_, depth)| *depth);
        (std::cmp::Reverse(depth), victim.pid)
    });
    Ok(victims)
}

/// How many of `victims` stand above `process`.
fn depth(process: &Process, victims: &[Process]) -> usize {
    let (mut depth, mut parent) = (0, process.parent);
    while let Some(above) = victims
        .iter()
        .find(|victim| victim.pid == parent)
        .filter(|_| depth < victims.len())
    {
        (depth, parent) = (depth + 1, above.parent);
    }
    depth
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
    let (mut asked, mut gone) = (Vec::new(), Vec::new());
    for &(pid, ticks) in &plan.binding.processes {
        if call.cancel.is_set() {
            break;
        }
        match processes.stop(pid, ticks, how) {
            Ok(()) => asked.push((pid, ticks)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => gone.push((pid, ticks)),
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
    let mut report = Vec::new();
    let mut add = |what: &str, list: &[(u32, u64)], hint: &str| {
        if !list.is_empty() {
            report.push(format!("{what}: pid {}{hint}", pids(list)));
        }
    };
    add("ended", &ended, "");
    add("had ended by itself", &gone, "");
    let is_asked = how == Stop::Ask;
    let hint = if is_asked {
        "; set `force` to kill"
    } else {
        ""
    };
    add("still running", &left, hint);
    // Half of it is not what was asked for, though what was done is said.
    let is_done = ended.len() + gone.len() == plan.binding.processes.len();
    if call.cancel.is_set() && !is_done {
        let untouched = plan.binding.processes.len() - asked.len() - gone.len() - faults.len();
        report.insert(0, format!("cancelled; not signalled: {untouched}"));
    }
    report.extend(faults);
    report.extend(
        args.port
            .filter(|_| is_done)
            .and_then(|port| port_now(port.0, &processes)),
    );
    let text = report.join("\n");
    if is_done {
        Ok(text.into())
    } else {
        Err(Failure(text))
    }
}

/// Whether somebody listens on `port` by now: who restarts what ends may have done so.
fn port_now(port: i64, processes: &Processes) -> Option<String> {
    let listening = processes.listening().ok()?;
    let is_taken = listening
        .iter()
        .any(|socket| i64::from(socket.port) == port);
    Some(if is_taken {
        format!("port {port} is in use again, or by another process too")
    } else {
        format!("port {port} is free")
    })
}

#[cfg(test)]
mod tests {
    use super::WATCH;
    use crate::tool::prelude::*;
    use crate::tool::trial::Trial;
    use crate::tool::{Effect, Verdict};
    use crate::world::fake::{Action, Fake};

    fn process(pid: u32, parent: u32, name: &str) -> Process {
        let started = i64::from(pid);
        Process {
            pid,
            parent,
            name: name.to_owned(),
            command: format!("{name} --x"),
            started_ticks: u64::from(pid) * 10,
            started,
            user: 1,
        }
    }

    /// We are 1000, started by 900; a server 50 with children 40 and 60, and 60's child 55.
    fn build(fake: &Fake) {
        let machine = [
            (1, 0, "init"),
            (900, 1, "shell"),
            (1000, 900, "ankita"),
            (70, 1, "other"),
        ];
        let server = [(50, 1, "web"), (40, 50, "a"), (60, 50, "b"), (55, 60, "c")];
        for (pid, parent, name) in [machine, server].concat() {
            fake.add_process(process(pid, parent, name));
        }
        let socket = |port, pids: &[u32]| Listening {
            protocol: Protocol::Tcp,
            address: std::net::Ipv4Addr::LOCALHOST.into(),
            port,
            pids: pids.to_vec(),
            user: 33,
        };
        fake.add_listening(socket(80, &[50]))
            .add_listening(socket(81, &[]))
            .add_listening(socket(82, &[40, 60, 50]))
            .add_listening(socket(83, &[1000]));
    }

    #[track_caller]
    fn kills(build: impl FnOnce(&Fake), arguments: &str, verdict: Verdict, text: &str) -> Trial {
        let mut trial = Trial::new(build);
        let reply = trial.call("kill_process", arguments);
        assert_eq!(
            (reply.verdict, reply.text.as_str()),
            (verdict, text),
            "{arguments}"
        );
        trial
    }

    #[test]
    fn descendants_go_first_and_all_are_shown() {
        let text = "ended: pid 55, 40, 60, 50\nport 80 is free";
        let trial = kills(build, r#"{"port": 80}"#, Verdict::Done, text);
        let stopped: Vec<u32> = trial.fake.stopped().iter().map(|row| row.pid).collect();
        assert_eq!(stopped, [55, 40, 60, 50]);
        assert_eq!(trial.questions[0].effect, Effect::Destroy);
        assert_eq!(
            trial.shown(),
            "ask to end:\n  c (pid 55, started 1970-01-01T00:00:55Z): c --x\n  a (pid 40, started 1970-01-01T00:00:40Z): a --x\n  \
             b (pid 60, started 1970-01-01T00:01:00Z): b --x\n  web (pid 50, started 1970-01-01T00:00:50Z): web --x"
        );
        // Several owners that are each other's parents.
        let text = "ended: pid 55, 40, 60, 50\nport 82 is free";
        let trial = kills(build, r#"{"port": 82, "force": true}"#, Verdict::Done, text);
        assert!(trial.shown().starts_with("kill:\n"));
        let stopped = trial.fake.stopped();
        assert!(stopped.iter().all(|stopped| stopped.how == Stop::Kill));
    }

    const OURS: &str = "refused: `ankita` (pid 1000) is this program or what started it";

    #[test]
    fn some_are_refused() {
        for (arguments, text) in [
            (r#"{"pid": 1000}"#, OURS),
            (r#"{"pid": 900}"#, OURS),
            (r#"{"port": 83}"#, OURS),
            (r#"{"pid": 4711}"#, "there is no process 4711"),
            (r#"{"port": 8080}"#, "nothing listens on port 8080"),
            (
                r#"{"port": 81}"#,
                "port 81 belongs to a process of user 33 that cannot be seen from here",
            ),
        ] {
            let trial = kills(build, arguments, Verdict::Failed, text);
            assert!(trial.questions.is_empty() && trial.fake.stopped().is_empty());
        }
        for inner in [
            r#""pid": 1"#,
            r#""pid": -5"#,
            "",
            r#""pid": 50, "port": 80"#,
        ] {
            let reply = Trial::new(build).call("kill_process", &format!("{{{inner}}}"));
            assert_eq!(reply.verdict, Verdict::Invalid);
        }
        // Whoever listens for a machine's process 1 is still not ours to stop.
        let init = |fake: &Fake| {
            build(fake);
            fake.add_listening(Listening {
                protocol: Protocol::Udp,
                address: std::net::Ipv6Addr::LOCALHOST.into(),
                port: 99,
                pids: vec![1],
                user: 0,
            });
        };
        let reply = Trial::new(init).call("kill_process", r#"{"port": 99}"#);
        assert!(reply.text.starts_with("refused: "), "{}", reply.text);
        // A table that leads in a circle ends all the same.
        let circle = |fake: &Fake| {
            _ = fake
                .add_process(process(1000, 900, "ankita"))
                .add_process(process(900, 1000, "x"))
                .add_process(process(5, 5, "y"));
        };
        kills(circle, r#"{"pid": 5}"#, Verdict::Done, "ended: pid 5");
    }

    #[test]
    fn a_number_used_again_is_asked_about_again() {
        let mut trial = Trial::new(build);
        let is_first = std::cell::Cell::new(true);
        trial.call_with("kill_process", r#"{"pid": 70}"#, |fake| {
            if is_first.replace(false) {
                fake.end_process(70).add_process(Process {
                    started_ticks: 9,
                    ..process(70, 1, "innocent")
                });
            }
        });
        assert_eq!(trial.questions.len(), 2);
        assert!(trial.shown().contains("innocent (pid 70"));
        let mut trial = Trial::new(build);
        let reply = trial.call_with("kill_process", r#"{"pid": 70}"#, |fake| {
            _ = fake.end_process(70);
        });
        assert_eq!(
            (reply.verdict, reply.text.as_str()),
            (Verdict::Failed, "there is no process 70")
        );
        assert!(trial.fake.stopped().is_empty());
    }

    #[test]
    fn what_does_not_end_or_may_not_be_stopped_is_said() {
        let stubborn = |fake: &Fake| {
            build(fake);
            fake.set_stubborn(50);
        };
        let text = "ended: pid 55, 40, 60\nstill running: pid 50; set `force` to kill";
        let trial = kills(stubborn, r#"{"port": 80}"#, Verdict::Failed, text);
        assert_eq!(trial.fake.time(), WATCH);
        let text = "ended: pid 55, 40, 60, 50";
        kills(
            stubborn,
            r#"{"pid": 50, "force": true}"#,
            Verdict::Done,
            text,
        );
        let foreign = |fake: &Fake| {
            build(fake);
            fake.set_foreign(60);
        };
        let text = "ended: pid 55\ncannot stop pid 60: permission denied";
        kills(foreign, r#"{"pid": 60}"#, Verdict::Failed, text);
    }

    #[test]
    fn only_the_exact_rule_covers_it() {
        for (rule, verdict) in [
            ("kill_process", Verdict::Refused),
            ("kill_process(port *)", Verdict::Refused),
            ("kill_process(port 80)", Verdict::Done),
        ] {
            let mut trial = Trial::headless(build, &[rule]);
            let reply = trial.call("kill_process", r#"{"port": 80}"#);
            assert_eq!(reply.verdict, verdict, "{rule}");
        }
    }

    #[test]
    fn a_cancel_ends_it_and_says_what_was_done() {
        let mut whole = Trial::new(build);
        whole.call("kill_process", r#"{"port": 80}"#);
        for n in 1..=whole.fake.operations() {
            let mut trial = Trial::new(|fake| {
                build(fake);
                fake.set_stubborn(50);
            });
            let cancel = trial.cancel();
            trial.fake.at_operation(n, Action::Set(cancel));
            let reply = trial.call("kill_process", r#"{"port": 80}"#);
            assert_eq!(reply.verdict, Verdict::Cancelled, "at {n}: {}", reply.text);
            let count = trial.fake.stopped().len();
            assert!(
                reply
                    .text
                    .starts_with(&format!("cancelled; not signalled: {}", 4 - count)),
                "{}",
                reply.text
            );
            assert!(trial.fake.time() < std::time::Duration::from_millis(100));
        }
    }
}
