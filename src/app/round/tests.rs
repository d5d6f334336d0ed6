//! Rounds: what runs beside what, and that every call has one reply, in order, whatever happens.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use crate::app::view::{Format, Loudness};
use crate::catalog::TOOLS;
use crate::json::{self, Value};
use crate::tool::trial::gate;
use crate::tool::{Mode, Rules, Stance};
use crate::world::fake::{Action, Fake, Program};

const READ: (&str, &str) = ("read_file", r#"{"path":"a.txt"}"#);
const WRITE: (&str, &str) = ("write_file", r#"{"path":"b.txt","content":"x"}"#);
const RUN: (&str, &str) = ("run_command", r#"{"command":"true"}"#);

fn fake() -> Fake {
    let fake = Fake::new();
    fake.add_file("/repo/a.txt", "text\n");
    fake.program("/bin/sh", |_| Program::new("out\n", 0));
    fake
}

/// The replies, the signal, and the events as `use 0`, `result 0`.
fn run(
    fake: &Fake,
    mode: Mode,
    calls: &[(&str, &str)],
) -> (Vec<Reply>, Option<Signal>, Vec<String>) {
    let world = fake.world();
    let cancel = world.threads.cancel();
    let mut view = View::new(
        &world,
        Format::StreamJson,
        Loudness::Normal,
        Paint::default(),
        cancel.clone(),
    );
    let stance = Stance {
        mode,
        can_ask: false,
    };
    let mut handed = Handed {
        gate: &mut gate(&world, TOOLS, Rules::default(), stance),
        view: &mut view,
        cancel: &cancel,
        secrets: &[],
    };
    let requests = calls.iter().enumerate().map(|(at, (name, arguments))| {
        let id = at.to_string();
        Request {
            id,
            name: (*name).to_owned(),
            arguments: (*arguments).to_owned(),
        }
    });
    let (replies, signal) = Round::new(&world, Paint::default())
        .run(requests.collect(), &mut handed)
        .expect("somebody reads");
    (replies, signal, events(fake))
}

fn events(fake: &Fake) -> Vec<String> {
    let stdout = fake.stdout_text();
    let events = stdout
        .lines()
        .map(|line| json::parse(line.as_bytes()).expect("a whole object a line"));
    let text = |event: &Value, name: &str| {
        event
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    events
        .filter(|event| text(event, "type").starts_with("tool_"))
        .map(|event| format!("{} {}", &text(&event, "type")[5..], text(&event, "id")))
        .collect()
}

#[track_caller]
fn check_order(calls: &[(&str, &str)], expected: &str) {
    let (replies, signal, events) = run(&fake(), Mode::AllowAll, calls);
    assert_eq!(events.join(", "), expected);
    let ids: Vec<String> = replies.iter().map(|reply| reply.id.clone()).collect();
    let order: Vec<String> = (0..calls.len()).map(|at| at.to_string()).collect();
    assert_eq!((ids, signal), (order, None));
}

#[test]
fn reading_calls_run_side_by_side_and_others_alone() {
    check_order(&[READ, READ], "use 0, use 1, result 0, result 1");
    check_order(
        &[READ, WRITE, READ],
        "use 0, result 0, use 1, result 1, use 2, result 2",
    );
    check_order(&[WRITE, RUN], "use 0, result 0, use 1, result 1");
    check_order(&[], "");
    let nine = [READ; 9];
    assert!(
        run(&fake(), Mode::Ask, &nine).2[..9].contains(&"result 0".to_owned()),
        "at most eight at once"
    );
}

#[test]
fn each_kind_of_end_is_a_reply() {
    let calls = [
        ("nosuch", "{}"),
        READ,
        WRITE,
        ("read_file", "{}"),
        ("read_file", r#"{"path":"none"}"#),
        READ,
    ];
    let (replies, _, events) = run(&fake(), Mode::Ask, &calls);
    let verdicts: Vec<Verdict> = replies.iter().map(|reply| reply.verdict).collect();
    let expected = [
        Verdict::Invalid,
        Verdict::Done,
        Verdict::Refused,
        Verdict::Invalid,
        Verdict::Failed,
        Verdict::Done,
    ];
    assert_eq!(verdicts, expected);
    for at in 0..calls.len() {
        for event in ["use", "result"] {
            let event = format!("{event} {at}");
            assert_eq!(
                events.iter().filter(|known| **known == event).count(),
                1,
                "{event}: {events:?}"
            );
        }
    }
}

#[test]
fn a_signal_at_any_moment_leaves_no_call_without_its_reply() {
    let calls = [READ, READ, RUN, WRITE, READ];
    let whole = fake();
    run(&whole, Mode::AllowAll, &calls);
    for n in 1..=whole.operations() {
        let fake = fake();
        fake.at_operation(n, Action::Signal(Signal::Terminate));
        let (replies, signal, events) = run(&fake, Mode::AllowAll, &calls);
        let ids: Vec<&str> = replies.iter().map(|reply| reply.id.as_str()).collect();
        assert_eq!(ids, ["0", "1", "2", "3", "4"], "at {n}");
        if let Some(signal) = signal {
            assert_eq!(signal, Signal::Terminate, "at {n}");
            let told = events.iter().filter(|event| event.starts_with("result"));
            assert_eq!(told.count(), calls.len(), "at {n}: {events:?}");
        }
    }
}

#[test]
fn a_panic_of_a_call_is_its_reply() {
    let whole = fake();
    run(&whole, Mode::AllowAll, &[READ, READ]);
    let mut broken = 0;
    for n in 1..=whole.operations() {
        let fake = fake();
        let panic = |_: &Fake| std::panic::resume_unwind(Box::new("planted"));
        fake.at_operation(n, Action::Run(Box::new(panic)));
        // Outside a job the panic is the test's own.
        let ran = catch_unwind(AssertUnwindSafe(|| {
            run(&fake, Mode::AllowAll, &[READ, READ])
        }));
        let Ok((replies, _, _)) = ran else { continue };
        let verdicts: Vec<Verdict> = replies.iter().map(|reply| reply.verdict).collect();
        assert_eq!(replies.len(), 2, "at {n}");
        broken += usize::from(verdicts.contains(&Verdict::Failed));
    }
    assert!(0 < broken, "no panic hit a call");
}

#[test]
fn a_reader_that_leaves_ends_what_runs() {
    let fake = fake();
    fake.program("/bin/sh", |_| Program::endless());
    fake.close_output_after(crate::world::Standard::Output, 10);
    let world = fake.world();
    let cancel = world.threads.cancel();
    let mut view = View::new(
        &world,
        Format::StreamJson,
        Loudness::Normal,
        Paint::default(),
        cancel.clone(),
    );
    let stance = Stance {
        mode: Mode::AllowAll,
        can_ask: false,
    };
    let mut handed = Handed {
        gate: &mut gate(&world, TOOLS, Rules::default(), stance),
        view: &mut view,
        cancel: &cancel,
        secrets: &[],
    };
    let request = Request {
        id: "0".to_owned(),
        name: RUN.0.to_owned(),
        arguments: RUN.1.to_owned(),
    };
    let ran = Round::new(&world, Paint::default()).run(vec![request], &mut handed);
    assert_eq!(ran.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    assert!(cancel.is_set());
}
