//! Questions as they are shown, and what counts as yes.

use std::time::Duration;

use super::*;
use crate::app::view::{Format, Loudness};
use crate::world::InputKind;
use crate::world::fake::{Action, Fake, Typed as Key};

const DIFF: &str = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-old\n+new\x1b[2J";

fn question(effect: Effect) -> Question {
    Question {
        tool: "edit".to_owned(),
        effect,
        shown: DIFF.to_owned(),
        places: vec!["`/etc/x` lies outside the workspace".to_owned()],
    }
}

/// What came of it, and what stood on standard error.
fn run(fake: &Fake, paint: Paint) -> (Asked, String) {
    fake.set_terminals(true, true, 80);
    let world = fake.world();
    let mut view = View::new(
        &world,
        Format::Text,
        Loudness::Normal,
        paint,
        world.threads.cancel(),
    );
    let asked = ask(
        &question(Effect::Change),
        &world,
        &mut Pump::new(&world),
        &mut Lines::default(),
        &mut view,
        paint,
    );
    (asked.unwrap(), fake.stderr_text())
}

#[test]
fn only_yes_is_yes() {
    let answers = [
        ("y\n", Answer::Yes),
        ("Y\r\n", Answer::Yes),
        (" yes \n", Answer::Yes),
        ("\n", Answer::No),
        ("n\n", Answer::No),
        ("yy\n", Answer::No),
        ("yes please\n", Answer::No),
        ("\u{ff59}\n", Answer::No),
    ];
    for (typed, answer) in answers {
        let fake = Fake::new();
        let key = Key::Bytes(Duration::from_millis(10), typed.as_bytes().to_vec());
        fake.set_input(InputKind::Terminal, vec![key]);
        assert_eq!(
            run(&fake, Paint::default()).0,
            Asked::Answer(answer),
            "{typed:?}"
        );
    }
    let fake = Fake::new();
    fake.set_input(
        InputKind::Terminal,
        vec![Key::End(Duration::from_millis(10))],
    );
    assert_eq!(run(&fake, Paint::default()).0, Asked::Answer(Answer::No));
}

#[test]
fn what_was_typed_before_is_no_answer() {
    for early in ["y\n", "a prompt\n"] {
        for (late, answer) in [("y\n", Answer::Yes), ("\n", Answer::No)] {
            let fake = Fake::new();
            let key = |ms, text: &str| Key::Bytes(Duration::from_millis(ms), text.into());
            fake.set_input(InputKind::Terminal, vec![key(0, early), key(10, late)]);
            assert_eq!(
                run(&fake, Paint::default()).0,
                Asked::Answer(answer),
                "{early:?} {late:?}"
            );
        }
    }
}

#[test]
fn a_signal_is_no_answer() {
    let fake = Fake::new();
    fake.set_input(InputKind::Terminal, Vec::new());
    fake.at(Duration::from_secs(1), Action::Signal(Signal::Interrupt));
    assert_eq!(
        run(&fake, Paint::default()).0,
        Asked::Signal(Signal::Interrupt)
    );
}

#[test]
fn the_question_shows_all_and_obeys_nothing() {
    let fake = Fake::new();
    fake.set_input(
        InputKind::Terminal,
        vec![Key::End(Duration::from_millis(10))],
    );
    let (_, shown) = run(&fake, Paint::default());
    assert_eq!(
        shown,
        "edit asks for your consent:\n  --- a/f\n  +++ b/f\n  @@ -1 +1 @@\n  -old\n  +new^[[2J\n  \
         `/etc/x` lies outside the workspace\ndo it? [y/N] \n"
    );
    let coloured = super::shown(&question(Effect::Destroy), Paint { is_on: true });
    for part in [
        "\x1b[31m-old\x1b[39m",
        "\x1b[32m+new^[[2J\x1b[39m",
        "\x1b[36m@@ -1 +1 @@\x1b[39m",
    ] {
        assert!(coloured.contains(part), "{coloured:?}");
    }
}
