//! Tests of programs and processes in the fake world.

use std::io::ErrorKind;
use std::time::Duration;

use super::{Fake, Program};
use crate::world::{Exit, Interest, Listening, Process, Protocol, Spawn, Stop};

fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

#[test]
fn programs_run_end_and_are_stopped() {
    let fake = Fake::new();
    fake.program("git", |spawn| {
        Program::new(format!("{:?}", spawn.args), 0).then(ms(20), "more")
    });
    fake.program("cat", |_| Program::reading(|input| Program::new(input, 3)));
    fake.program("sleep", |_| Program::endless().stubborn());
    let world = fake.world();
    let spawn = |name: &str, has_input| Spawn {
        program: name.into(),
        has_input,
        is_merged: true,
        ..Spawn::default()
    };
    let mut running = world.processes.start(&spawn("git", false)).unwrap();
    let mut buffer = [0; 8];
    assert_eq!(running.output.read(&mut buffer).unwrap(), 2);
    assert_eq!(running.child.try_exit().unwrap(), None);
    let exit = Interest::read(running.child.exit_source().unwrap());
    world.threads.wait(&[exit], None);
    assert_eq!(running.child.try_exit().unwrap(), Some(Exit::Code(0)));
    assert_eq!(running.output.read(&mut buffer).unwrap(), 4);
    assert_eq!(running.output.read(&mut buffer).unwrap(), 0);
    let mut running = world.processes.start(&spawn("cat", true)).unwrap();
    running.input.as_mut().unwrap().write(b"meow").unwrap();
    running.input = None;
    assert_eq!(running.output.read(&mut buffer).unwrap(), 4);
    assert_eq!(running.child.try_exit().unwrap(), Some(Exit::Code(3)));
    let mut running = world.processes.start(&spawn("sleep", false)).unwrap();
    running.child.stop(Stop::Ask);
    assert_eq!(running.child.try_exit().unwrap(), None);
    drop(running.child);
    assert_eq!(running.output.read(&mut buffer).unwrap(), 0);
    let started = fake.started();
    assert_eq!(started[1].input, b"meow");
    assert_eq!(
        started[2]
            .stops
            .iter()
            .map(|stop| stop.1)
            .collect::<Vec<_>>(),
        [Stop::Ask, Stop::Kill]
    );
    let missing = world.processes.start(&spawn("vi", false)).err().unwrap();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
}

#[test]
fn other_processes_are_stopped_by_their_start() {
    let fake = Fake::new();
    let process = Process {
        pid: 77,
        parent: 1,
        name: "node".into(),
        command: "node server.js".into(),
        started_ticks: 5,
        started: 0,
        user: 1000,
    };
    fake.add_process(process).add_listening(Listening {
        protocol: Protocol::Tcp,
        address: "0.0.0.0".parse().unwrap(),
        port: 8080,
        pids: vec![77],
        user: 1000,
    });
    let processes = fake.world().processes;
    let other = processes.stop(77, 6, Stop::Ask).unwrap_err();
    assert_eq!(other.kind(), ErrorKind::NotFound);
    processes.stop(77, 5, Stop::Ask).unwrap();
    assert_eq!(processes.find(77).unwrap(), None);
    assert!(processes.listening().unwrap().is_empty());
}
