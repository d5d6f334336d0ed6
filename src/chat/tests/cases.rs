//! The recorded server behaviours, each as given, one byte at a time, and in pieces of seven.

use crate::chat::tests::{Bench, streaming};
use crate::chat::{Answer, Fault, Kind, Message, Model, Warning};
use crate::json::{Value, parse};
use crate::world::fake::{Connection, End, Step};
use std::time::Duration;

pub(crate) const CASES: &str = include_str!("../../../tests/data/wire_cases.json");

/// Each character of the data stands for one byte.
pub(crate) fn bytes_of(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect()
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str)
}

fn number(value: &Value, key: &str) -> Option<u64> {
    value.get(key).and_then(Value::as_u64)
}

fn end_of(name: &str) -> Step {
    let end = match name {
        "fin" => End::Fin,
        "rst" => End::Reset,
        "hold" => End::Hold,
        other => panic!("an end `{other}`"),
    };
    Step::End {
        end,
        delay: Duration::ZERO,
    }
}

/// What the server does on each connection.
fn script(case: &Value) -> Vec<Connection> {
    let end = text(case, "end").unwrap();
    if let Some(all) = text(case, "server_bytes") {
        let steps = vec![Step::Request, Step::send(bytes_of(all)), end_of(end)];
        return vec![Connection::new(steps)];
    }
    let segments = case.get("server_bytes").and_then(Value::as_array).unwrap();
    let mut connections: Vec<Vec<Step>> = Vec::new();
    let mut last = (0, 0);
    for segment in segments {
        let here = (
            number(segment, "conn").unwrap(),
            number(segment, "req").unwrap(),
        );
        if here.0 != last.0 {
            connections.push(Vec::new());
        }
        let steps = connections.last_mut().unwrap();
        if here != last {
            let is_early = segment.get("wait_body").and_then(Value::as_bool) == Some(false);
            steps.push(if is_early { Step::Head } else { Step::Request });
        }
        last = here;
        let bytes = bytes_of(text(segment, "bytes").unwrap());
        let times = number(segment, "repeat").unwrap_or(1);
        let delay = number(segment, "delay_ms").unwrap_or(0);
        if !bytes.is_empty() {
            steps.push(Step::send_times(times, delay, bytes));
        }
        if let Some(end) = text(segment, "end") {
            steps.push(end_of(end));
        }
    }
    connections.last_mut().unwrap().push(end_of(end));
    connections.into_iter().map(Connection::new).collect()
}

fn starts_with_models(case: &Value) -> bool {
    let segments = case.get("server_bytes").and_then(Value::as_array);
    segments
        .unwrap_or_default()
        .iter()
        .any(|segment| number(segment, "req").unwrap() > 1 || number(segment, "conn").unwrap() > 1)
}

fn check_answer(answer: &Answer, expect: &Value) {
    assert_eq!(Some(answer.text.as_str()), text(expect, "text"));
    assert_eq!(
        Some(answer.finish.name()),
        text(expect, "finish_reason"),
        "finish"
    );
    let calls = expect.get("tool_calls").and_then(Value::as_array).unwrap();
    assert_eq!(answer.calls.len(), calls.len(), "{:?}", answer.calls);
    for (call, expected) in answer.calls.iter().zip(calls) {
        assert_eq!(Some(call.name.as_str()), text(expected, "name"));
        assert_eq!(Some(call.arguments.as_str()), text(expected, "arguments"));
        match text(expected, "id").unwrap() {
            "*" => {
                assert_eq!(call.id.len(), 9);
                assert!(call.id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
                let same = answer.calls.iter().filter(|other| other.id == call.id);
                assert_eq!(same.count(), 1);
            }
            id => assert_eq!(call.id, id),
        }
    }
    if let Some(usage) = expect.get("usage") {
        let seen = answer.usage.expect("usage");
        assert_eq!(Some(seen.prompt_tokens), number(usage, "prompt_tokens"));
        assert_eq!(
            Some(seen.completion_tokens),
            number(usage, "completion_tokens")
        );
        if let Some(cached) = number(usage, "cached_tokens") {
            assert_eq!(seen.cached_tokens, cached);
        }
    }
    if let Some(reasoning) = text(expect, "reasoning") {
        assert_eq!(answer.reasoning, reasoning);
    }
    if let Some(opaque) = text(expect, "reasoning_opaque") {
        let replay = answer.replay.as_ref().expect("thoughts to send back");
        let member = replay.members.get("reasoning_opaque");
        assert_eq!(member.and_then(Value::as_str), Some(opaque));
    }
    if let Some(warnings) = expect.get("warnings").and_then(Value::as_array) {
        let seen: Vec<&str> = answer.warnings.iter().map(Warning::name).collect();
        let expected: Vec<&str> = warnings.iter().filter_map(Value::as_str).collect();
        assert_eq!(seen, expected);
    }
}

fn check_fault(fault: &Fault, expect: &Value) {
    assert_eq!(
        Some(fault.kind.name()),
        text(expect, "error_kind"),
        "{fault}"
    );
    assert_eq!(Some(fault.partial.as_str()), text(expect, "text"));
    let finish = fault.finish.map(super::super::Finish::name);
    assert_eq!(finish, text(expect, "finish_reason"), "finish");
    if let Some(wait) = number(expect, "retry_after_ms") {
        assert_eq!(fault.retry_after, Some(Duration::from_millis(wait)));
    }
    if let Some(limit) = number(expect, "limit_tokens") {
        assert_eq!(fault.limit_tokens, Some(limit));
    }
    assert!(fault.message.chars().count() < 700, "{fault}");
    assert!(
        !fault.message.chars().any(char::is_control),
        "{:?}",
        fault.message
    );
}

fn check_models(models: &[Model], expect: &Value) {
    let expected = expect.get("models").and_then(Value::as_object).unwrap();
    let seen: Vec<(&str, Option<u64>)> = models
        .iter()
        .filter(|model| model.is_chat && model.is_usable)
        .map(|model| (model.id.as_str(), model.prompt_limit))
        .collect();
    let expected: Vec<(&str, Option<u64>)> = expected
        .iter()
        .map(|(id, limit)| (id, limit.as_u64()))
        .collect();
    assert_eq!(seen, expected);
}

fn run(case: &Value, reads: usize) {
    let expect = case.get("expect").unwrap();
    let mut bench = Bench::new(script(case), reads, 0);
    if expect.get("models").is_some() {
        check_models(&bench.list().unwrap(), expect);
        return;
    }
    if starts_with_models(case) {
        bench.list().unwrap();
    }
    if text(case, "id") == Some("early-413-then-reset") {
        bench.prompt.push(Message::User("x".repeat(1 << 20)));
    }
    let mut options = streaming();
    options.is_streaming = case.get("request_stream").and_then(Value::as_bool).unwrap();
    let result = bench.ask(options);
    match &result {
        Ok(answer) => {
            assert_eq!(
                text(expect, "error_kind"),
                None,
                "an answer: {}",
                answer.text
            );
            check_answer(answer, expect);
            assert_eq!(bench.text, answer.text, "what was shown");
            assert_eq!(bench.thoughts, answer.reasoning, "the thoughts shown");
        }
        Err(fault) => {
            assert!(text(expect, "error_kind").is_some(), "{fault}");
            check_fault(fault, expect);
            assert_eq!(bench.text, fault.partial, "what was shown");
        }
    }
    let connections = bench.fake.connections();
    if let Some(count) = number(expect, "connections") {
        assert_eq!(connections.len() as u64, count, "connections");
    }
    if let Some(is_reused) = expect.get("reuse_connection").and_then(Value::as_bool) {
        let is_open = connections.last().unwrap().closed.is_none();
        assert_eq!(is_open, is_reused, "reuse");
    }
}

/// Bytes that a server sends in all.
fn size(case: &Value) -> u64 {
    match case.get("server_bytes").and_then(Value::as_array) {
        None => 0,
        Some(segments) => segments
            .iter()
            .map(|segment| {
                let bytes = text(segment, "bytes").unwrap().len() as u64;
                bytes * number(segment, "repeat").unwrap_or(1)
            })
            .sum(),
    }
}

#[test]
fn every_case_gives_what_it_should_however_it_is_cut() {
    let cases = parse(CASES.as_bytes()).unwrap();
    let cases = cases.as_array().unwrap();
    assert!(cases.len() >= 100, "{}", cases.len());
    let mut failures = Vec::new();
    for case in cases {
        for reads in [usize::MAX, 1, 7] {
            // Twenty megabytes byte by byte show nothing that two do not.
            if size(case) > 4_000_000 && reads != usize::MAX {
                continue;
            }
            let outcome = std::panic::catch_unwind(|| run(case, reads));
            if outcome.is_err() {
                failures.push((text(case, "id").unwrap(), reads));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:?}");
}

#[test]
fn every_kind_has_a_name_of_its_own() {
    let names = [Kind::ApiError, Kind::Auth, Kind::Truncated].map(Kind::name);
    assert_eq!(names, ["api_error", "auth", "truncated"]);
}
