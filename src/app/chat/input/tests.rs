//! The rules of standard input, on a clock that stands still.

use std::time::Duration;

use super::*;
use crate::world::fake::{Action, Fake, Typed};

const SECOND: Duration = Duration::from_secs(1);

fn rules(is_wanted: Option<bool>, has_prompt: bool) -> InputRules {
    InputRules {
        is_wanted,
        has_prompt,
        wait: 3 * SECOND,
        bytes_max: 100,
    }
}

/// What came of it, what was told and when it was over, in milliseconds.
fn run(fake: &Fake, rules: InputRules) -> (Result<Piped, InputFault>, Vec<String>, u128) {
    let (world, mut told) = (fake.world(), Vec::new());
    let cancel = world.threads.cancel();
    let clock = fake.clone();
    let piped = read(&world, rules, &cancel, &mut |text| {
        told.push(format!("{} {text}", clock.time().as_millis()));
    });
    (piped, told, fake.time().as_millis())
}

#[track_caller]
fn check(fake: &Fake, rules: InputRules, text: Option<&str>, is_watched: bool, ms: u128) {
    let (piped, told, at) = run(fake, rules);
    let piped = piped.expect("input that can be read");
    assert_eq!(
        (piped.text.as_deref(), piped.is_watched),
        (text, is_watched)
    );
    assert_eq!(at, ms, "{told:?}");
}

fn typed(kind: InputKind, typed: Vec<Typed>) -> Fake {
    let fake = Fake::new();
    fake.set_input(kind, typed);
    fake
}

fn bytes(after: Duration, bytes: &str) -> Typed {
    Typed::Bytes(after, bytes.as_bytes().to_vec())
}

#[test]
fn nobody_waits_for_what_is_no_data() {
    let silent = |kind| typed(kind, Vec::new());
    check(
        &silent(InputKind::Terminal),
        rules(None, true),
        None,
        false,
        0,
    );
    check(&silent(InputKind::Empty), rules(None, true), None, false, 0);
    check(
        &silent(InputKind::Empty),
        rules(Some(true), false),
        None,
        false,
        0,
    );
    check(
        &silent(InputKind::Pipe),
        rules(Some(false), true),
        None,
        false,
        0,
    );
}

#[test]
fn a_silent_pipe_beside_a_prompt_is_given_up_on() {
    let fake = typed(InputKind::Pipe, Vec::new());
    check(&fake, rules(None, true), None, true, 3000);
    let fake = typed(InputKind::Pipe, Vec::new());
    let (_, told, _) = run(&fake, rules(None, true));
    let [line] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert!(
        line.starts_with("3000 ") && line.contains("--stdin") && line.contains("--no-stdin"),
        "{line}"
    );
}

#[test]
fn after_one_byte_it_reads_to_the_end() {
    let late = || {
        vec![
            bytes(2 * SECOND, "a"),
            bytes(60 * SECOND, "b"),
            Typed::End(SECOND),
        ]
    };
    check(
        &typed(InputKind::Pipe, late()),
        rules(None, true),
        Some("ab"),
        false,
        63_000,
    );
    // An end is an answer too.
    let ended = || vec![Typed::End(2 * SECOND)];
    check(
        &typed(InputKind::Pipe, ended()),
        rules(None, true),
        None,
        false,
        2000,
    );
    // Without a prompt, and with `--stdin`, it waits as long as it takes.
    let slow = || vec![bytes(60 * SECOND, "a"), Typed::End(SECOND)];
    check(
        &typed(InputKind::Pipe, slow()),
        rules(None, false),
        Some("a"),
        false,
        61_000,
    );
    check(
        &typed(InputKind::Pipe, slow()),
        rules(Some(true), true),
        Some("a"),
        false,
        61_000,
    );
}

#[test]
fn a_person_is_told_after_half_a_second_and_waited_for() {
    let fake = typed(
        InputKind::Pipe,
        vec![bytes(60 * SECOND, "a"), Typed::End(Duration::ZERO)],
    );
    fake.set_terminals(false, true, 80);
    let (piped, told, at) = run(&fake, rules(None, true));
    assert_eq!(piped.unwrap().text.as_deref(), Some("a"));
    assert_eq!(at, 60_000);
    assert!(
        told.len() == 1 && told[0].starts_with("500 "),
        "once, after half a second: {told:?}"
    );
    let fake = typed(
        InputKind::Pipe,
        vec![
            bytes(Duration::from_millis(499), "a"),
            Typed::End(Duration::ZERO),
        ],
    );
    fake.set_terminals(false, true, 80);
    assert_eq!(run(&fake, rules(None, true)).1, Vec::<String>::new());
}

#[test]
fn a_signal_ends_every_wait() {
    for signal in [Signal::Interrupt, Signal::Terminate, Signal::Hangup] {
        for (typing, rules) in [
            (Vec::new(), rules(None, true)),
            (Vec::new(), rules(None, false)),
            (vec![bytes(Duration::ZERO, "a")], rules(None, true)),
        ] {
            let fake = typed(InputKind::Pipe, typing);
            fake.at(2 * SECOND, Action::Signal(signal));
            let (piped, _, at) = run(&fake, rules);
            assert!(
                matches!(piped, Err(InputFault::Signal(came)) if came == signal),
                "{piped:?}"
            );
            assert_eq!(at, 2000);
        }
    }
}

#[test]
fn what_is_cut_or_lossy_is_said() {
    let piped = |bytes: &[u8]| {
        let fake = Fake::new();
        fake.pipe_in(bytes);
        run(&fake, rules(None, false)).0.unwrap()
    };
    let whole = piped(&[b'x'; 100]);
    assert_eq!(
        (whole.text.unwrap().len(), whole.notes.len()),
        (100, 0),
        "the limit itself fits"
    );
    let cut = piped(&[b'x'; 101]);
    assert!(
        cut.notes[0].contains("100 bytes") && cut.text.unwrap().contains("cut here"),
        "{:?}",
        cut.notes
    );
    let lossy = piped(b"a\xff");
    assert_eq!(
        (lossy.text.as_deref(), lossy.notes.len()),
        (Some("a\u{fffd}"), 1)
    );
    assert_eq!(piped(b""), Piped::default());
}

#[test]
fn the_prompt_comes_first_and_data_between_marks() {
    assert_eq!(join("p", None), "p");
    assert_eq!(join("", Some("d\n")), "d\n");
    assert_eq!(join("p", Some("d")), "p\n\n<stdin>\nd\n</stdin>");
    assert_eq!(join("p", Some("d\n")), "p\n\n<stdin>\nd\n</stdin>");
}
