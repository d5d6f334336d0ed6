//! Turns of models that write calls as text.

use super::{ASK, REPORT, calls, reply_all, running, says, sent, turn};
use crate::chat::{Answer, End, Finish, Kind, LimitKind, Limits, Prompt, Step, Turn};
use crate::json::object;

const PRINTED: &str = r#"{"name": "read_file", "arguments": {"path": "a.txt"}}"#;

/// A turn whose requests carry `read_file`; `git` is a tool, too.
fn with_tools(limits: Limits) -> Turn {
    let mut prompt = Prompt::new("");
    prompt.add_tool("read_file", "reads", &object! {});
    Turn::new(
        prompt,
        "read it".to_owned(),
        limits,
        Some(|name| name == "git"),
    )
}

fn warned(turn: &mut Turn) -> Vec<String> {
    turn.take_warnings()
        .iter()
        .map(|warning| format!("{} {}", warning.name(), warning.text()))
        .collect()
}

#[test]
fn a_call_written_as_text_is_asked_for_once() {
    let mut turn = with_tools(Limits::default());
    assert!(turn.answer(Ok(says(PRINTED))));
    assert_eq!(turn.next(), ASK);
    let sent = sent(&mut turn);
    assert_eq!(sent[1], format!("assistant {PRINTED}"));
    assert!(sent[2].starts_with("user [Your last reply"), "{sent:?}");
    assert!(sent[2].contains("`read_file`"), "{sent:?}");
    let told = warned(&mut turn);
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("printed_call "), "{told:?}");
    assert!(
        told[0].contains("`read_file`") && told[0].contains("`-m`"),
        "{told:?}"
    );
    // The call that follows is a call like any other.
    assert!(!turn.answer(Ok(calls(&[("read_file", "{}")]))));
    reply_all(&mut turn, |_| "one".to_owned());
    assert!(!turn.answer(Ok(says("It says one."))));
    assert_eq!(
        turn.next(),
        Step::End(End::Answered("It says one.".to_owned()))
    );
    assert_eq!(turn.usage().completion_tokens, 6);
}

#[test]
fn a_call_written_as_text_again_ends_the_turn() {
    let mut turn = with_tools(Limits::default());
    turn.answer(Ok(says(PRINTED)));
    turn.answer(Ok(calls(&[("read_file", "{}")])));
    reply_all(&mut turn, |_| "one".to_owned());
    turn.take_warnings();
    // Once a turn, whatever came between.
    assert!(!turn.answer(Ok(says(PRINTED))));
    let Step::End(End::Fault(fault)) = turn.next() else {
        panic!("{:?}", turn.next());
    };
    assert_eq!(fault.kind, Kind::InvalidToolCall);
    assert!(fault.message.contains("`read_file`"), "{}", fault.message);
    assert!(turn.take_warnings().is_empty());
    // The next turn may be corrected again.
    let mut next = Turn::new(
        turn.into_prompt(),
        "again".to_owned(),
        Limits::default(),
        Some(|_| false),
    );
    assert!(next.answer(Ok(says(PRINTED))));
}

#[test]
fn asking_for_the_call_is_a_round() {
    let limits = |rounds| Limits { rounds, calls: 120 };
    let mut turn = with_tools(limits(1));
    assert!(turn.answer(Ok(says(PRINTED))));
    turn.answer(Ok(calls(&[("read_file", "{}")])));
    assert_eq!(turn.next(), REPORT);
    // A report that is a call is none.
    assert!(!turn.answer(Ok(says(PRINTED))));
    let Step::End(End::Limit { kind, text, .. }) = turn.next() else {
        panic!("{:?}", turn.next());
    };
    assert_eq!(kind, LimitKind::Turn);
    assert!(text.starts_with("Stopped: "), "{text}");
    // No round is left for it.
    let mut turn = with_tools(limits(1));
    turn.answer(Ok(calls(&[("read_file", "{}")])));
    reply_all(&mut turn, |_| "one".to_owned());
    assert!(!turn.answer(Ok(says(PRINTED))));
    assert!(
        matches!(turn.next(), Step::End(End::Fault(fault)) if fault.kind == Kind::InvalidToolCall)
    );
}

#[test]
fn what_only_looks_like_a_call_is_an_answer() {
    let is_answer = |mut turn: Turn, answer: Answer| {
        assert!(!turn.answer(Ok(answer.clone())));
        assert!(turn.take_warnings().is_empty());
        turn.next() == Step::End(End::Answered(answer.text))
    };
    // No tools were sent; or who answers is no model and says what it means.
    let mut prompt = Prompt::new("");
    prompt.add_tool("read_file", "reads", &object! {});
    let plain = Turn::new(prompt, "read it".to_owned(), Limits::default(), None);
    assert!(is_answer(plain, says(PRINTED)));
    assert!(is_answer(turn(Limits::default()), says(PRINTED)));
    let tooled = || with_tools(Limits::default());
    assert!(is_answer(
        tooled(),
        says(&PRINTED.replace("read_file", "Ada"))
    ));
    assert!(is_answer(tooled(), says(&format!("Like this: {PRINTED}"))));
    // A tool that exists but was not sent is one; a cut answer is a cut answer; a call beside it is the call.
    let mut turn = tooled();
    assert!(turn.answer(Ok(says(&PRINTED.replace("read_file", "git")))));
    let mut cut = says(PRINTED);
    cut.finish = Finish::Length;
    let mut turn = tooled();
    assert!(!turn.answer(Ok(cut)));
    assert!(matches!(turn.next(), Step::End(End::Limit { .. })));
    let mut both = calls(&[("read_file", "{}")]);
    both.text = PRINTED.to_owned();
    let mut turn = tooled();
    assert!(!turn.answer(Ok(both)));
    assert_eq!(running(&turn).len(), 1);
}
