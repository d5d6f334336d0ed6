//! Turns told what came of each step: limits, circles, order, and every way to end.

mod printed;

use crate::chat::openai::Quirks;
use crate::chat::{
    Answer, End, Fault, Finish, Kind, LimitKind, Limits, NumberedCall, Options, Prompt, Step,
    ToolCall, ToolResult, Turn, Usage, Warning,
};
use crate::json::{Value, parse};

fn turn(limits: Limits) -> Turn {
    Turn::new(Prompt::new(""), "do it".to_owned(), limits, Some(|_| false))
}

fn says(text: &str) -> Answer {
    Answer {
        text: text.to_owned(),
        reasoning: String::new(),
        replay: None,
        calls: Vec::new(),
        finish: Finish::Stop,
        is_finish_inferred: false,
        usage: Some(Usage {
            prompt_tokens: 10,
            completion_tokens: 2,
            ..Usage::default()
        }),
        model: None,
        warnings: Vec::new(),
    }
}

/// An answer with calls, each as `name arguments`.
fn calls(list: &[(&str, &str)]) -> Answer {
    let calls = list
        .iter()
        .enumerate()
        .map(|(at, (name, arguments))| ToolCall {
            id: format!("c{at}"),
            name: (*name).to_owned(),
            arguments: (*arguments).to_owned(),
            ..ToolCall::default()
        });
    Answer {
        calls: calls.collect(),
        finish: Finish::ToolCalls,
        ..says("")
    }
}

fn ok(text: impl Into<String>) -> ToolResult {
    ToolResult {
        text: text.into(),
        is_error: false,
    }
}

const ASK: Step = Step::Ask {
    is_first: false,
    has_tools: true,
};
const REPORT: Step = Step::Ask {
    is_first: false,
    has_tools: false,
};

/// The calls that are to run now.
fn running(turn: &Turn) -> Vec<NumberedCall> {
    match turn.next() {
        Step::Run(calls) => calls,
        other => panic!("{other:?}"),
    }
}

/// Replies to every call that is to run.
fn reply_all(turn: &mut Turn, text: impl Fn(&ToolCall) -> String) {
    for NumberedCall { number, call } in running(turn) {
        turn.reply(number, ok(text(&call)));
    }
}

/// What would be sent, as `role content` in order.
fn sent(turn: &mut Turn) -> Vec<String> {
    let parts = turn.prompt().body(&Options::default(), Quirks::default());
    let bytes: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
    let body = parse(&bytes).unwrap();
    let text = |message: &Value, key| {
        message
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or("-")
            .to_owned()
    };
    body.get("messages")
        .and_then(Value::as_array)
        .unwrap()
        .iter()
        .map(|message| format!("{} {}", text(message, "role"), text(message, "content")))
        .collect()
}

#[test]
fn a_question_without_calls_is_one_request() {
    let mut turn = turn(Limits::default());
    assert_eq!(
        turn.next(),
        Step::Ask {
            is_first: true,
            has_tools: true
        }
    );
    turn.answer(Ok(says("42")));
    assert_eq!(turn.next(), Step::End(End::Answered("42".to_owned())));
    assert_eq!((turn.requests(), turn.usage().prompt_tokens), (1, 10));
}

#[test]
fn replies_stand_in_the_order_of_the_calls_however_they_come() {
    let mut turn = turn(Limits::default());
    turn.answer(Ok(calls(&[("a", "{}"), ("b", "{}"), ("c", "{}")])));
    assert_eq!(running(&turn).len(), 3);
    turn.reply(2, ok("third"));
    turn.reply(0, ok("first"));
    turn.reply(0, ok("again"));
    turn.reply(9, ok("nobody's"));
    assert_eq!(running(&turn).len(), 1);
    turn.reply(1, ToolResult::error("the tool panicked"));
    assert_eq!(turn.next(), ASK);
    assert_eq!(
        sent(&mut turn),
        [
            "user do it",
            "assistant -",
            "tool first",
            "tool the tool panicked",
            "tool third"
        ]
    );
    turn.answer(Ok(says("done")));
    assert_eq!(turn.next(), Step::End(End::Answered("done".to_owned())));
    assert_eq!(turn.requests(), 2);
}

#[test]
fn the_answer_after_the_last_round_is_an_ordinary_request() {
    let mut turn = turn(Limits {
        rounds: 3,
        calls: 120,
    });
    for round in 0..3 {
        turn.answer(Ok(calls(&[("a", &format!("{{\"n\":{round}}}"))])));
        reply_all(&mut turn, |call| call.arguments.clone());
        assert_eq!(turn.next(), ASK);
    }
    turn.answer(Ok(says("done")));
    assert_eq!(turn.next(), Step::End(End::Answered("done".to_owned())));
}

#[test]
fn one_round_too_many_is_answered_and_a_report_asked_for() {
    let mut turn = turn(Limits {
        rounds: 1,
        calls: 120,
    });
    turn.answer(Ok(calls(&[("a", "{}")])));
    reply_all(&mut turn, |_| "x".to_owned());
    turn.answer(Ok(calls(&[("a", "{}"), ("b", "{}")])));
    assert_eq!(turn.next(), REPORT);
    let sent = sent(&mut turn);
    let not_run = "tool Not run: the budget of 1 rounds of tool calls is exhausted";
    assert_eq!(sent[4..6], [not_run, not_run]);
    assert!(sent[6].starts_with("user [Stopped: "), "{sent:?}");
    // Calls in the report are not run.
    let mut report = calls(&[("a", "{}")]);
    report.text = "so far".to_owned();
    report.warnings = vec![Warning::MalformedFrames(1)];
    turn.answer(Ok(report));
    let Step::End(End::Limit { kind, reason, text }) = turn.next() else {
        panic!("{:?}", turn.next());
    };
    assert_eq!((kind, text.as_str()), (LimitKind::Turn, "so far"));
    assert_eq!(turn.take_warnings(), [Warning::MalformedFrames(1)]);
    assert!(reason.contains("--max-turns"), "{reason}");
}

#[test]
fn calls_beyond_the_budget_are_not_run() {
    let mut turn = turn(Limits {
        rounds: 60,
        calls: 3,
    });
    turn.answer(Ok(calls(&[("a", "{}"), ("b", "{}")])));
    reply_all(&mut turn, |_| "x".to_owned());
    turn.answer(Ok(calls(&[("c", "{}"), ("d", "{}")])));
    assert_eq!(running(&turn).len(), 1);
    reply_all(&mut turn, |_| "y".to_owned());
    assert_eq!(turn.next(), REPORT);
    let sent = sent(&mut turn);
    assert_eq!(
        sent[5..7],
        [
            "tool y",
            "tool Not run: the budget of 3 tool calls is exhausted"
        ]
    );
    // A report that fails or is empty is made by us, and why it failed is told.
    assert!(turn.take_warnings().is_empty());
    turn.answer(Err(Fault::new(Kind::Connect, "the server is down")));
    let warnings = turn.take_warnings();
    assert_eq!(
        warnings,
        [Warning::NoReport("the server is down".to_owned())]
    );
    assert!(warnings[0].text().ends_with(": the server is down"));
    let Step::End(End::Limit { text, .. }) = turn.next() else {
        panic!("{:?}", turn.next());
    };
    assert!(text.contains("tools that ran: a, b, c."), "{text}");
}

#[test]
fn a_budget_that_is_just_used_up_is_no_limit() {
    let mut turn = turn(Limits {
        rounds: 60,
        calls: 2,
    });
    turn.answer(Ok(calls(&[("a", "{}"), ("b", "{}")])));
    reply_all(&mut turn, |_| "x".to_owned());
    assert_eq!(turn.next(), ASK);
    turn.answer(Ok(calls(&[("c", "{}")])));
    assert_eq!(turn.next(), REPORT);
}

#[test]
fn a_circle_ends_in_a_report() {
    let mut turn = turn(Limits::default());
    for round in 0..3 {
        assert!(
            matches!(
                turn.next(),
                Step::Ask {
                    has_tools: true,
                    ..
                }
            ),
            "{round}"
        );
        turn.answer(Ok(calls(&[("a", "{\"x\":1}")])));
        reply_all(&mut turn, |_| "same".to_owned());
    }
    assert_eq!(turn.next(), REPORT);
    turn.answer(Ok(says("I was stuck")));
    let Step::End(End::Limit { kind, text, .. }) = turn.next() else {
        panic!("{:?}", turn.next());
    };
    assert_eq!((kind.name(), text.as_str()), ("loop", "I was stuck"));
}

#[test]
fn sixty_rounds_of_progress_are_no_circle() {
    let mut turn = turn(Limits::default());
    for round in 0..60 {
        turn.answer(Ok(calls(&[("read", "{\"job\":1}")])));
        reply_all(&mut turn, |_| format!("output {round}"));
        assert_eq!(turn.next(), ASK, "{round}");
    }
    turn.answer(Ok(calls(&[("read", "{}")])));
    assert_eq!(turn.next(), REPORT);
}

#[test]
fn a_cancelled_turn_leaves_an_orderly_prompt() {
    // While calls run.
    let mut turn = turn(Limits::default());
    turn.answer(Ok(calls(&[("a", "{}"), ("b", "{}")])));
    turn.reply(1, ok("b is done"));
    turn.cancel("");
    assert_eq!(turn.next(), Step::End(End::Cancelled));
    turn.reply(0, ok("too late"));
    assert_eq!(
        sent(&mut turn)[2..],
        ["tool Not run: the user cancelled", "tool b is done"]
    );
    // While the answer comes.
    let mut turn = self::turn(Limits::default());
    turn.cancel("The ans");
    assert_eq!(turn.next(), Step::End(End::Cancelled));
    let mut next = Turn::new(
        turn.into_prompt(),
        "go on".to_owned(),
        Limits::default(),
        Some(|_| false),
    );
    assert_eq!(
        sent(&mut next),
        [
            "user do it",
            "assistant The ans\n[cut off by the user]",
            "user go on"
        ]
    );
    // Before anything came; and a prompt taken in the middle of a round is closed.
    let mut turn = self::turn(Limits::default());
    turn.cancel("");
    let mut next = Turn::new(
        turn.into_prompt(),
        "again".to_owned(),
        Limits::default(),
        Some(|_| false),
    );
    assert_eq!(sent(&mut next), ["user do it\n\nagain"]);
    next.answer(Ok(calls(&[("a", "{}")])));
    let mut last = Turn::new(
        next.into_prompt(),
        "x".to_owned(),
        Limits::default(),
        Some(|_| false),
    );
    assert_eq!(sent(&mut last)[2], "tool Not run: the user cancelled");
}

#[test]
fn a_cut_call_is_asked_for_once_more() {
    let cut = || {
        let mut fault = Fault::new(Kind::ToolArgsTruncated, "cut");
        fault.partial = "I will write".to_owned();
        fault.finish = Some(Finish::Length);
        fault
    };
    let mut turn = turn(Limits::default());
    turn.answer(Err(cut()));
    assert_eq!(turn.next(), ASK);
    let sent = sent(&mut turn);
    assert_eq!(sent[1], "assistant I will write");
    assert!(
        sent[2].starts_with("user [Your last tool calls did not run"),
        "{sent:?}"
    );
    turn.answer(Err(cut()));
    let Step::End(End::Fault(fault)) = turn.next() else {
        panic!("{:?}", turn.next());
    };
    assert_eq!(fault.kind, Kind::ToolArgsTruncated);
}

#[test]
fn a_fault_ends_the_turn_and_keeps_what_came() {
    let mut turn = turn(Limits::default());
    let mut fault = Fault::new(Kind::Truncated, "cut");
    fault.partial = "half".to_owned();
    turn.answer(Err(fault));
    assert!(matches!(turn.next(), Step::End(End::Fault(fault)) if fault.partial == "half"));
    let mut next = Turn::new(
        turn.into_prompt(),
        "again".to_owned(),
        Limits::default(),
        Some(|_| false),
    );
    assert_eq!(sent(&mut next)[1], "assistant half\n[cut off]");
}

#[test]
fn an_empty_answer_is_no_success() {
    let mut empty = says("");
    empty.warnings = vec![Warning::Empty];
    empty.usage = None;
    let mut turn = turn(Limits::default());
    turn.answer(Ok(empty.clone()));
    assert!(
        matches!(turn.next(), Step::End(End::Fault(fault)) if fault.kind == Kind::EmptyResponse)
    );
    // The model worked, and chose to say nothing.
    empty.usage = says("").usage;
    let mut turn = self::turn(Limits::default());
    turn.answer(Ok(empty));
    assert_eq!(turn.next(), Step::End(End::Answered(String::new())));
    assert_eq!(turn.take_warnings(), [Warning::Empty]);
    assert!(turn.take_warnings().is_empty());
}

#[test]
fn an_answer_cut_by_the_limit_of_tokens_says_so() {
    let mut cut = says("half an ans");
    cut.finish = Finish::Length;
    let mut turn = turn(Limits::default());
    turn.answer(Ok(cut));
    let Step::End(End::Limit { kind, text, .. }) = turn.next() else {
        panic!("{:?}", turn.next());
    };
    assert_eq!((kind.name(), text.as_str()), ("turn_limit", "half an ans"));
}

#[test]
fn an_answer_that_repeats_itself_is_stopped() {
    let mut turn = turn(Limits::default());
    let text = "over and over and over again. ".repeat(200);
    assert!(turn.is_text_loop(&text));
    turn.stop_loop(&text);
    assert!(matches!(
        turn.next(),
        Step::End(End::Limit { kind: LimitKind::Loop, text: kept, .. }) if kept == text
    ));
    // The next answer begins from nothing.
    let mut turn = self::turn(Limits::default());
    turn.is_text_loop(&"x ".repeat(5000));
    turn.answer(Ok(calls(&[("a", "{}")])));
    reply_all(&mut turn, |_| String::new());
    assert!(turn.is_text_loop(&text));
}

/// What a stopped answer took counts, as far as it was told.
#[test]
fn the_tokens_of_a_stopped_answer_count() {
    let mut turn = turn(Limits::default());
    turn.add_usage(says("").usage);
    turn.add_usage(None);
    turn.stop_loop("over and over");
    assert_eq!(
        (turn.usage().prompt_tokens, turn.usage().completion_tokens),
        (10, 2)
    );
}

/// What cannot be served here was said; it keeps two lines of a person apart.
#[test]
fn a_refusal_to_serve_stays_in_the_conversation() {
    let mut turn = turn(Limits::default());
    turn.answer(Err(Fault::new(Kind::NoEndpoint, "set an endpoint")));
    assert!(matches!(turn.next(), Step::End(End::Fault(fault)) if fault.kind == Kind::NoEndpoint));
    let mut next = Turn::new(
        turn.into_prompt(),
        "ls".to_owned(),
        Limits::default(),
        Some(|_| false),
    );
    let dialogue = ["user do it", "assistant set an endpoint", "user ls"];
    assert_eq!(sent(&mut next), dialogue);
    let mut fault = Fault::new(Kind::NoEndpoint, "set an endpoint");
    fault.partial = "it failed".to_owned();
    next.answer(Err(fault));
    assert_eq!(sent(&mut next)[3], "assistant it failed\nset an endpoint");
}
