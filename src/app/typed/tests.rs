//! Lines, whole and in pieces, and those that were typed too early.

use std::time::Duration;

use super::*;
use crate::world::InputKind;
use crate::world::fake::{Action, Fake, Typed as Key};

fn keys(typed: &[(u64, &str)]) -> Fake {
    let fake = Fake::new();
    let typed = typed
        .iter()
        .map(|(ms, text)| Key::Bytes(Duration::from_millis(*ms), text.as_bytes().to_vec()));
    fake.set_input(InputKind::Terminal, typed.collect());
    fake
}

fn line(text: &str) -> Typed {
    Typed::Line(text.to_owned())
}

#[test]
fn lines_come_whole_however_they_arrive() {
    let fake = Fake::new();
    fake.pipe_in("one\r\n\ntw\u{e9}\nlast");
    fake.at_operation(99, Action::Cancel);
    let (world, mut lines) = (fake.world(), Lines::default());
    let mut pump = Pump::new(&world);
    for expected in [
        line("one"),
        line(""),
        line("tw\u{e9}"),
        line("last"),
        Typed::End,
    ] {
        assert_eq!(lines.next(&world, &mut pump).unwrap(), expected);
    }
    let fake = keys(&[(0, "sl"), (50, "ow"), (50, "\nnext\n")]);
    let (world, mut lines) = (fake.world(), Lines::default());
    let mut pump = Pump::new(&world);
    assert_eq!(lines.next(&world, &mut pump).unwrap(), line("slow"));
    assert_eq!(lines.next(&world, &mut pump).unwrap(), line("next"));
}

#[test]
fn what_was_typed_before_a_question_does_not_answer_it() {
    let fake = keys(&[(0, "a prompt\ny\nYES\nhalf"), (500, "y\n")]);
    let (world, mut lines) = (fake.world(), Lines::default());
    let mut pump = Pump::new(&world);
    assert_eq!(lines.clear_for_question(&world, &mut pump).unwrap(), None);
    assert_eq!(lines.next_new(&world, &mut pump).unwrap(), line("y"));
    assert_eq!(fake.time(), Duration::from_millis(500));
    assert_eq!(lines.take_ahead().as_deref(), Some("a prompt"));
    assert_eq!(lines.take_ahead(), None, "a mere answer is no prompt");
}

#[test]
fn a_signal_while_lines_are_set_aside_is_handed_back() {
    let fake = keys(&[(0, "x\n")]);
    fake.at_wait(1, Action::Signal(Signal::Terminate));
    let (world, mut lines) = (fake.world(), Lines::default());
    let mut pump = Pump::new(&world);
    assert_eq!(
        lines.set_aside(&world, &mut pump).unwrap(),
        Some(Signal::Terminate)
    );
}

#[test]
fn lines_at_the_terminals_limit_may_be_cut() {
    assert!(!is_cut(&"x".repeat(4094)));
    assert!(is_cut(&"x".repeat(4095)));
}
