//! Children on the real system: their pipes, their ends, and the ends of what they started.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::*;
use crate::host::scratch::{Scratch, has_program, wait_ready, wait_source};

fn shell(script: &str) -> Spawn {
    Spawn {
        program: "sh".into(),
        args: vec!["-c".into(), script.into()],
        directory: PathBuf::from("/"),
        is_merged: true,
        ..Spawn::default()
    }
}

/// The next bytes, waiting for them; empty at the end.
fn read_some(stream: &mut dyn Stream) -> Vec<u8> {
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(count) => return buffer[..count].to_vec(),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        wait_source(stream.source(), sys::POLLIN);
    }
}

fn read_line(stream: &mut dyn Stream) -> String {
    let mut line = Vec::new();
    while !line.ends_with(b"\n") {
        let piece = read_some(stream);
        assert!(!piece.is_empty(), "ended after {line:?}");
        line.extend(piece);
    }
    String::from_utf8(line).unwrap().trim().to_string()
}

fn read_all(stream: &mut dyn Stream) -> String {
    let mut all = Vec::new();
    loop {
        match read_some(stream) {
            piece if piece.is_empty() => return String::from_utf8(all).unwrap(),
            piece => all.extend(piece),
        }
    }
}

fn wait_exit(child: &mut dyn Child) -> Exit {
    wait_source(child.exit_source().unwrap(), sys::POLLIN);
    child.try_exit().unwrap().unwrap()
}

/// A descriptor of a process that runs: to wait for its end whoever its parent is.
fn watch(pid: &str) -> OwnedFd {
    sys::open_process(pid.parse().unwrap()).unwrap()
}

fn wait_gone(process: &OwnedFd) {
    wait_ready(process, sys::POLLIN);
}

fn is_running(pid: &str) -> bool {
    let stat = processes::stat(pid.parse().unwrap()).unwrap();
    stat.is_some_and(|stat| stat.is_alive())
}

#[test]
fn output_is_merged_in_the_order_written_or_kept_apart() {
    let script = "for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 3";
    let mut run = start(&shell(script)).unwrap();
    assert!(run.errors.is_none() && run.input.is_none());
    let expected = "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n";
    assert_eq!(read_all(run.output.as_mut()), expected);
    assert_eq!(wait_exit(run.child.as_mut()), Exit::Code(3));
    assert_eq!(run.child.try_exit().unwrap(), Some(Exit::Code(3)));

    let spawn = Spawn {
        is_merged: false,
        ..shell(script)
    };
    let mut run = start(&spawn).unwrap();
    let errors = run.errors.as_mut().unwrap();
    assert_eq!(read_all(run.output.as_mut()), "out 1\nout 2\nout 3\n");
    assert_eq!(read_all(errors.as_mut()), "err 1\nerr 2\nerr 3\n");
    let mut run = start(&shell("kill -9 $$")).unwrap();
    assert_eq!(wait_exit(run.child.as_mut()), Exit::Signal(9));
}

#[test]
fn input_is_empty_unless_there_is_some() {
    let mut run = start(&shell("cat; echo end")).unwrap();
    assert_eq!(read_all(run.output.as_mut()), "end\n");
    let spawn = Spawn {
        has_input: true,
        ..shell("cat; echo end")
    };
    let mut run = start(&spawn).unwrap();
    let mut input = run.input.take().unwrap();
    input.connected().unwrap();
    assert_eq!(input.write(b"hello\n").unwrap(), 6);
    assert_eq!(read_line(run.output.as_mut()), "hello");
    let error = run.output.read(&mut [0; 8]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    drop(input);
    assert_eq!(read_all(run.output.as_mut()), "end\n");

    // A child that does not read does not make us wait, one that is gone is a broken pipe.
    let spawn = Spawn {
        has_input: true,
        ..shell("read line; exec 0<&-; echo closed; sleep 100")
    };
    let mut run = start(&spawn).unwrap();
    let mut input = run.input.take().unwrap();
    assert_eq!(input.write(b"line\n").unwrap(), 5);
    assert_eq!(read_line(run.output.as_mut()), "closed");
    // Not at once: a child of another test that has not become its program yet holds the pipe too.
    let error = loop {
        match input.write(b"x") {
            Err(error) if error.kind() != ErrorKind::WouldBlock => break error,
            _ => thread::yield_now(),
        }
    };
    assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    let spawn = Spawn {
        has_input: true,
        ..shell("sleep 100")
    };
    let mut run = start(&spawn).unwrap();
    let mut input = run.input.take().unwrap();
    let error = loop {
        if let Err(error) = input.write(&vec![0; 65_536]) {
            break error;
        }
    };
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
}

#[test]
fn environment_and_directory_are_as_asked() {
    let scratch = Scratch::new();
    let spawn = Spawn {
        env: vec![
            (OsString::from("ADDED"), Some(OsString::from("a b"))),
            (OsString::from("HOME"), None),
        ],
        directory: scratch.path().to_path_buf(),
        ..shell("echo \"$ADDED|${HOME-none}|$PWD\"; test -n \"$PATH\"")
    };
    let mut run = start(&spawn).unwrap();
    let expected = format!("a b|none|{}", scratch.path().display());
    assert_eq!(read_line(run.output.as_mut()), expected);
    assert_eq!(wait_exit(run.child.as_mut()), Exit::Code(0));
}

#[test]
fn what_cannot_be_started_says_why() {
    let scratch = Scratch::new();
    let kind = |spawn: &Spawn| start(spawn).err().unwrap().kind();
    let named = |program: &str| Spawn {
        program: program.into(),
        ..shell("")
    };
    assert_eq!(kind(&named("no-such-program-here")), ErrorKind::NotFound);
    assert_eq!(kind(&named("/no/such/program")), ErrorKind::NotFound);
    assert_eq!(kind(&named("/")), ErrorKind::PermissionDenied);
    // Found, but no program; and missing where a directory of PATH is no directory of ours.
    fs::write(scratch.at("plain"), "").unwrap();
    let path = std::env::join_paths([scratch.path(), Path::new("/proc/1/root")]).unwrap();
    let within = |program: &str| Spawn {
        env: vec![("PATH".into(), Some(path.clone()))],
        ..named(program)
    };
    assert_eq!(kind(&within("plain")), ErrorKind::PermissionDenied);
    assert_eq!(kind(&within("missing")), ErrorKind::NotFound);
    let denied = || io::Error::from(ErrorKind::PermissionDenied);
    assert_eq!(
        explain(&within("missing"), denied()).kind(),
        ErrorKind::NotFound
    );
    assert_eq!(
        explain(&within("plain"), denied()).kind(),
        ErrorKind::PermissionDenied
    );
    assert_eq!(
        explain(&named("/x"), denied()).kind(),
        ErrorKind::PermissionDenied
    );
    fs::write(scratch.at("file"), "").unwrap();
    for name in ["none", "file"] {
        let spawn = Spawn {
            directory: scratch.at(name),
            ..shell("")
        };
        assert_eq!(kind(&spawn), ErrorKind::NotADirectory, "{name}");
    }
    let spawn = Spawn {
        args: vec!["a\0b".into()],
        ..shell("")
    };
    assert_eq!(kind(&spawn), ErrorKind::InvalidInput);
    let spawn = Spawn {
        args: vec!["a".repeat(3 << 20).into()],
        ..shell("")
    };
    assert_eq!(kind(&spawn), ErrorKind::ArgumentListTooLong);
}

#[test]
fn a_child_has_no_terminal_no_open_files_and_default_signals() {
    let _other = start(&shell("sleep 100")).unwrap();
    let _event = sys::event(0).unwrap();
    let mut run = start(&shell(
        "ls /proc/self/fd | wc -l; (: </dev/tty) 2>/dev/null || echo no terminal
         ps -o pid=,pgid=,sid= -p $$ 2>/dev/null || echo $$ $$ $$
         grep -E 'SigIgn|SigBlk' /proc/self/status",
    ))
    .unwrap();
    let text = read_all(run.output.as_mut());
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    // As many as the library's own children have: none of ours, whoever else runs.
    let mut plain = Command::new("sh");
    plain.args(["-c", "ls /proc/self/fd | wc -l"]);
    let plain = plain.output().unwrap().stdout;
    assert_eq!(lines[0], String::from_utf8(plain).unwrap().trim(), "{text}");
    assert_eq!(lines[1], "no terminal", "{text}");
    let pid = run.child.pid().to_string();
    assert!(
        lines[2]
            .split_ascii_whitespace()
            .all(|number| number == pid),
        "{text}"
    );
    for line in &lines[3..] {
        // SIGPIPE, which the runtime ignores for us, is bit 13.
        let (_, mask) = line.split_once(':').unwrap();
        let mask = u64::from_str_radix(mask.trim(), 16).unwrap();
        assert_eq!(mask & (1 << 12), 0, "{text}");
    }
}

#[test]
fn what_a_child_left_running_is_named_and_stopped() {
    // Output goes elsewhere, so that its end does not wait for the one left behind.
    let script = "sleep 100 >/dev/null 2>&1 & echo hi; echo $!";
    let mut run = start(&shell(script)).unwrap();
    let text = read_all(run.output.as_mut());
    let (hi, left) = text.trim().split_once('\n').unwrap();
    assert_eq!(hi, "hi");
    let watched = watch(left);
    assert_eq!(wait_exit(run.child.as_mut()), Exit::Code(0));
    let remaining = run.child.remaining();
    let names: Vec<&str> = remaining
        .iter()
        .map(|process| process.name.as_str())
        .collect();
    assert_eq!(names, ["sleep"]);
    assert_eq!(remaining[0].pid.to_string(), left);
    run.child.stop(Stop::Ask);
    wait_gone(&watched);
    assert_eq!(run.child.remaining(), []);
    // Nobody left: nothing to do, and nobody else is hit.
    run.child.stop(Stop::Kill);
}

#[test]
fn the_child_itself_is_named_while_it_runs() {
    let mut run = start(&shell("echo up; read line; :")).unwrap();
    assert_eq!(read_line(run.output.as_mut()), "up");
    let _ = wait_exit(run.child.as_mut());
    assert_eq!(run.child.remaining(), []);
    let mut run = start(&shell("echo up; sleep 100; :")).unwrap();
    assert_eq!(read_line(run.output.as_mut()), "up");
    assert_eq!(run.child.try_exit().unwrap(), None);
    let remaining = run.child.remaining();
    assert!(
        remaining
            .iter()
            .any(|process| process.pid == run.child.pid())
    );
    run.child.stop(Stop::Ask);
    assert_eq!(wait_exit(run.child.as_mut()), Exit::Signal(15));
}

#[test]
fn a_grandchild_in_a_session_of_its_own_dies_too() {
    if !has_program("setsid") {
        return;
    }
    let script = "setsid sh -c 'echo $$; exec sleep 100' & wait";
    for how in [Stop::Ask, Stop::Kill] {
        let mut run = start(&shell(script)).unwrap();
        let far = read_line(run.output.as_mut());
        let stat = processes::stat(far.parse().unwrap()).unwrap().unwrap();
        assert_ne!(stat.session, run.child.pid(), "it left the session");
        let watched = watch(&far);
        run.child.stop(how);
        wait_gone(&watched);
        wait_exit(run.child.as_mut());
    }
}

#[test]
fn whoever_ignores_a_request_is_still_known_when_it_is_killed() {
    if !has_program("setsid") {
        return;
    }
    // The one far away hears nothing; the root dies of SIGTERM, so that its parent is lost.
    let script = "setsid sh -c 'trap \"\" TERM; echo $$; exec sleep 100' & wait";
    let mut run = start(&shell(script)).unwrap();
    let far = read_line(run.output.as_mut());
    let watched = watch(&far);
    run.child.stop(Stop::Ask);
    assert_eq!(wait_exit(run.child.as_mut()), Exit::Signal(15));
    assert!(is_running(&far));
    run.child.stop(Stop::Kill);
    wait_gone(&watched);
}

#[test]
fn a_group_of_its_own_within_the_session_dies_with_the_rest() {
    if !has_program("bash") {
        return;
    }
    // With job control every pipeline is a group; here the root ends before it is stopped.
    let spawn = Spawn {
        program: "bash".into(),
        ..shell("set -m; sleep 100 >/dev/null 2>&1 & echo $!; sleep 100 & kill -9 $$")
    };
    let mut run = start(&spawn).unwrap();
    let far = read_line(run.output.as_mut());
    let watched = watch(&far);
    wait_source(run.child.exit_source().unwrap(), sys::POLLIN);
    let stat = processes::stat(far.parse().unwrap()).unwrap().unwrap();
    assert_ne!(stat.group, run.child.pid());
    run.child.stop(Stop::Kill);
    wait_gone(&watched);
}

#[test]
fn a_stopped_child_hears_the_request() {
    let mut run = start(&shell("echo up; kill -STOP $$; exit 1")).unwrap();
    assert_eq!(read_line(run.output.as_mut()), "up");
    let pid = run.child.pid();
    while processes::stat(pid).unwrap().unwrap().state != b'T' {
        thread::yield_now();
    }
    run.child.stop(Stop::Ask);
    assert_eq!(wait_exit(run.child.as_mut()), Exit::Signal(15));
}

#[test]
fn a_dropped_child_dies_with_its_group_and_leaves_no_zombie() {
    let script = "trap '' TERM; sh -c 'echo $$; exec sleep 100' & wait";
    let mut run = start(&shell(script)).unwrap();
    let near = read_line(run.output.as_mut());
    let (pid, watched) = (run.child.pid(), watch(&near));
    drop(run);
    assert_eq!(processes::stat(pid).unwrap(), None, "reaped");
    wait_gone(&watched);
}

#[test]
fn a_child_that_ended_and_was_seen_to_leaves_the_rest_alone_when_dropped() {
    let script = "sleep 100 >/dev/null 2>&1 & echo $!";
    let mut run = start(&shell(script)).unwrap();
    let left = read_line(run.output.as_mut());
    wait_exit(run.child.as_mut());
    let group = run.child.pid();
    drop(run);
    assert!(is_running(&left));
    sys::signal_group(group, sys::SIGKILL).unwrap();
}

#[test]
fn a_fork_storm_is_over_after_a_kill() {
    // Each one starts the next and ends: whoever is looked at is gone when it is hit.
    let script = "f() { (sleep 0.01; f) & }; f; f; f; f; echo up; wait";
    let mut run = start(&shell(script)).unwrap();
    assert_eq!(read_line(run.output.as_mut()), "up");
    run.child.stop(Stop::Kill);
    // The end of the output is the end of everybody who held the pipe.
    read_all(run.output.as_mut());
}
