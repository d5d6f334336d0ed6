//! Waits, ends of jobs, signals and flags on the real system.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use super::*;
use crate::host::scratch::{alone, never, say_skipped, wait_source};
use crate::world::Signal;

fn crew() -> Crew {
    Crew::new(Arc::new(SystemClock::new()))
}

fn source(of: &impl AsRawFd) -> Source {
    Source(of.as_raw_fd())
}

/// A pipe with a byte in it.
fn full() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = io::pipe().unwrap();
    writer.write_all(b"x").unwrap();
    (reader, writer)
}

fn read_interests(pipes: &[&PipeReader]) -> Vec<Interest> {
    pipes
        .iter()
        .map(|pipe| Interest::read(source(*pipe)))
        .collect()
}

#[test]
fn the_first_ready_interest_in_the_list_wins() {
    let _turn = alone();
    let crew = crew();
    let ((first, _keep), (second, _keep_too)) = (full(), full());
    let (empty, _writer) = io::pipe().unwrap();
    let wait = |pipes: &[&PipeReader]| crew.wait(&read_interests(pipes), None);
    assert_eq!(wait(&[&first, &second]), Event::Ready(source(&first)));
    assert_eq!(wait(&[&second, &first]), Event::Ready(source(&second)));
    assert_eq!(wait(&[&empty, &second]), Event::Ready(source(&second)));
}

#[test]
fn a_tick_comes_when_its_time_has_come_and_not_before() {
    let _turn = alone();
    let crew = crew();
    let (empty, _writer) = io::pipe().unwrap();
    let interests = read_interests(&[&empty]);
    // A part of a millisecond is waited for whole.
    for micros in [0, 1, 1_500, 5_001] {
        let until = crew.clock.now().after(Duration::from_micros(micros));
        assert_eq!(crew.wait(&interests, Some(until)), Event::Tick);
        assert!(crew.clock.now() >= until, "{micros} µs");
        let until = crew.clock.now().after(Duration::from_micros(micros));
        assert_eq!(crew.poll(&interests, Some(until), &never()), None);
        assert!(crew.clock.now() >= until, "{micros} µs");
    }
}

#[test]
fn what_is_ready_comes_before_a_time_that_has_passed() {
    let _turn = alone();
    let crew = crew();
    let (ready, _writer) = full();
    let interests = read_interests(&[&ready]);
    let until = Some(Moment::default());
    let expected = source(&ready);
    assert_eq!(crew.wait(&interests, until), Event::Ready(expected));
    assert_eq!(crew.poll(&interests, until, &never()), Some(expected));
}

#[test]
fn times_are_rounded_up_to_milliseconds() {
    let check = |wait, expected| assert_eq!(milliseconds(wait), expected, "{wait:?}");
    check(Duration::ZERO, 0);
    check(Duration::from_nanos(1), 1);
    check(Duration::from_millis(1), 1);
    check(Duration::from_micros(1_001), 2);
    check(Duration::from_secs(2_147_483), 2_147_483_000);
    check(Duration::MAX, c_int::MAX);
}

#[test]
fn a_source_that_is_closed_is_ready_rather_than_waited_for() {
    let _turn = alone();
    let crew = crew();
    let nobody = Source(1_000_000);
    for interest in [
        Interest::read(nobody),
        Interest::write(nobody),
        Interest::hangup(nobody),
    ] {
        assert_eq!(crew.wait(&[interest], None), Event::Ready(nobody));
    }
}

#[test]
fn ends_come_once_each_before_what_is_ready_and_with_what_a_panic_said() {
    let _turn = alone();
    let crew = crew();
    let (ready, _writer) = full();
    let interests = read_interests(&[&ready]);
    crew.start(CallId(1), Box::new(|| ()));
    assert_eq!(crew.wait(&[], None), Event::Finished(CallId(1), None));
    assert!(
        locked(&crew.workers).is_empty(),
        "joined when its end is told"
    );

    crew.start(CallId(2), Box::new(|| panic!("no {}", "luck")));
    let Event::Finished(CallId(2), Some(said)) = crew.wait(&[], None) else {
        panic!("another event")
    };
    assert!(
        said.starts_with("no luck (src/host/threads/tests.rs:"),
        "{said}"
    );
    crew.start(CallId(3), Box::new(|| panic::panic_any(7)));
    let Event::Finished(CallId(3), Some(said)) = crew.wait(&[], None) else {
        panic!("another event")
    };
    assert!(said.starts_with("it panicked without a message"), "{said}");

    // Two ends wait before the driver looks: one event each, then the pipe.
    let (sender, ended) = mpsc::channel();
    for call in [4, 5] {
        let sender = sender.clone();
        crew.start(CallId(call), Box::new(move || sender.send(()).unwrap()));
    }
    drop(sender);
    assert_eq!(ended.iter().count(), 2);
    let mut calls = Vec::new();
    while calls.len() < 2 {
        match crew.wait(&interests, None) {
            Event::Finished(call, None) => calls.push(call.0),
            // The job is over and its end not yet put: the pipe may come first.
            event => assert_eq!(event, Event::Ready(source(&ready))),
        }
    }
    calls.sort_unstable();
    assert_eq!(calls, [4, 5]);
    let expected = Event::Ready(source(&ready));
    assert_eq!(crew.wait(&interests, None), expected);
}

#[test]
fn a_signal_comes_once_and_before_everything_else() {
    let _turn = alone();
    let crew = crew();
    signals::install();
    let (ready, _writer) = full();
    let interests = read_interests(&[&ready]);
    crew.inbox().put(CallId(9), None);
    for (number, expected) in [
        (sys::SIGINT, Signal::Interrupt),
        (sys::SIGTERM, Signal::Terminate),
        (sys::SIGHUP, Signal::Hangup),
    ] {
        if number == sys::SIGHUP && is_ignored("00000001") {
            say_skipped("SIGHUP is ignored here");
            continue;
        }
        // To a process of several threads it may come a moment later: wait for nothing else first.
        sys::signal_process(std::process::id(), number).unwrap();
        let fd = Source(signals::installed().unwrap().fd());
        wait_source(fd, sys::POLLIN);
        let event = crew.wait(&interests, Some(Moment::default()));
        assert_eq!(event, Event::Signal(expected));
    }
    let expected = Event::Finished(CallId(9), None);
    assert_eq!(crew.wait(&interests, None), expected);
    let expected = Event::Ready(source(&ready));
    assert_eq!(crew.wait(&interests, None), expected);
}

/// Whether this process ignores the signal whose bit is `mask`, by the kernel's word.
fn is_ignored(mask: &str) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .unwrap();
    let ignored = u64::from_str_radix(line.trim(), 16).unwrap();
    ignored & u64::from_str_radix(mask, 16).unwrap() != 0
}

#[test]
fn a_poll_neither_takes_signals_nor_ends() {
    let _turn = alone();
    let crew = crew();
    crew.inbox().put(CallId(1), None);
    signals::install();
    sys::signal_process(std::process::id(), sys::SIGTERM).unwrap();
    let fd = Source(signals::installed().unwrap().fd());
    wait_source(fd, sys::POLLIN);
    let (ready, _writer) = full();
    let interests = read_interests(&[&ready]);
    let ready = Some(source(&ready));
    assert_eq!(crew.poll(&interests, None, &never()), ready);
    assert_eq!(crew.wait(&[], None), Event::Signal(Signal::Terminate));
    assert_eq!(crew.wait(&[], None), Event::Finished(CallId(1), None));
}

#[test]
fn a_flag_set_elsewhere_wakes_a_poll() {
    let _turn = alone();
    let crew = Arc::new(crew());
    // With a source, and without one as where no descriptor is left.
    for cancel in [crew.cancel(), never()] {
        let (empty, _writer) = io::pipe().unwrap();
        let (sender, begun) = mpsc::channel();
        let (inner, flag) = (Arc::clone(&crew), cancel.clone());
        let waiting = thread::spawn(move || {
            sender.send(own_stat()).unwrap();
            inner.poll(&read_interests(&[&empty]), None, &flag)
        });
        let stat = begun.recv().unwrap();
        // It says that it begins, and sleeps for the first time in the poll.
        while !std::fs::read_to_string(&stat).unwrap().contains(") S ") {
            thread::yield_now();
        }
        cancel.set();
        assert_eq!(waiting.join().unwrap(), None);
    }
}

/// Where `/proc` says what this thread does.
fn own_stat() -> std::path::PathBuf {
    let own = std::fs::read_link("/proc/thread-self").unwrap();
    std::path::Path::new("/proc").join(own).join("stat")
}

#[test]
fn a_set_flag_stays_readable_and_comes_before_what_is_ready() {
    let _turn = alone();
    let crew = crew();
    let cancel = crew.cancel();
    let flag = cancel.source().unwrap();
    let until = crew.clock.now();
    assert_eq!(crew.wait(&[Interest::read(flag)], Some(until)), Event::Tick);
    cancel.set();
    cancel.set();
    for _ in 0..2 {
        assert_eq!(crew.wait(&[Interest::read(flag)], None), Event::Ready(flag));
    }
    let (ready, _writer) = full();
    assert_eq!(crew.poll(&read_interests(&[&ready]), None, &cancel), None);
}

#[test]
fn jobs_are_joined_when_the_crew_goes() {
    let _turn = alone();
    let crew = crew();
    let cancel = crew.cancel();
    let is_done = Arc::new(AtomicBool::new(false));
    let (flag, done) = (cancel.clone(), Arc::clone(&is_done));
    let clock = Arc::clone(&crew.clock);
    crew.start(
        CallId(1),
        Box::new(move || {
            // Its own crew: the one under test must not be held by its job.
            Crew::new(clock).poll(&[], None, &flag);
            done.store(true, Ordering::SeqCst);
        }),
    );
    cancel.set();
    drop(crew);
    assert!(is_done.load(Ordering::SeqCst));
}

#[test]
fn a_job_may_hold_the_crew_that_runs_it() {
    let _turn = alone();
    let crew = Arc::new(crew());
    let (sender, may_end) = mpsc::channel::<()>();
    let (ended, is_over) = mpsc::channel();
    let held = Arc::clone(&crew);
    crew.start(
        CallId(1),
        Box::new(move || {
            let _ = may_end.recv();
            drop(held);
            ended.send(()).unwrap();
        }),
    );
    drop(crew);
    drop(sender);
    is_over.recv().unwrap();
}

#[test]
fn more_jobs_than_allowed_end_with_a_reason() {
    let _turn = alone();
    let crew = crew();
    let cancel = crew.cancel();
    let poller = Arc::new(Crew::new(Arc::clone(&crew.clock)));
    for call in 0..=JOBS_MAX as u64 {
        let (flag, poller) = (cancel.clone(), Arc::clone(&poller));
        let job = move || {
            poller.poll(&[], None, &flag);
        };
        crew.start(CallId(call + 1), Box::new(job));
    }
    let Event::Finished(CallId(call), Some(said)) = crew.wait(&[], None) else {
        panic!("another event")
    };
    assert_eq!(call, JOBS_MAX as u64 + 1);
    assert_eq!(said, "more than 256 calls at once");
    cancel.set();
}

#[test]
fn a_hangup_is_told_of_pipes_and_sockets_and_bytes_are_none() {
    let _turn = alone();
    let crew = crew();
    let now = || Some(crew.clock.now());
    let (reader, writer) = io::pipe().unwrap();
    let hangup = [Interest::hangup(source(&writer))];
    assert_eq!(crew.wait(&hangup, now()), Event::Tick);
    drop(reader);
    assert_eq!(crew.wait(&hangup, None), Event::Ready(source(&writer)));

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (server, _) = listener.accept().unwrap();
    let hangup = [Interest::hangup(source(&server))];
    client.write_all(b"request").unwrap();
    let read = [Interest::read(source(&server))];
    assert_eq!(crew.wait(&read, None), Event::Ready(source(&server)));
    assert_eq!(crew.wait(&hangup, now()), Event::Tick);
    drop(client);
    assert_eq!(crew.wait(&hangup, None), Event::Ready(source(&server)));
}

#[test]
fn a_standard_stream_hangs_up_only_when_both_ways_are_closed() {
    let check = |fd, expected| assert_eq!(polled(Interest::hangup(Source(fd))).events, expected);
    for fd in 0..=2 {
        check(fd, 0);
    }
    check(3, sys::POLLRDHUP);
}
