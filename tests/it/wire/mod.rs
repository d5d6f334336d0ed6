//! What servers do wrong, over real sockets: every case of `tests/data/wire_cases.json`, as given and in pieces.
//!
//! Each character up to U+00FF of `bytes` is one byte. The program is asked one question; its last JSON object says
//! what became of it. Calls are seen in the request that carries them back.

mod recorded;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use recorded::{Recorded, latin1};

use crate::json::{self, Value};
use crate::sandbox::{Ended, Run, Sandbox};
use crate::seen::{Request, Seen, State};
use crate::server::{Script as _, Server, Step, Strictness};

const CASES: &str = include_str!("../../data/wire_cases.json");
/// What the program is told beyond what every run is told.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("ANKITA_ENDPOINT_HEAD_TIMEOUT", "1"),
    ("ANKITA_ENDPOINT_IDLE_TIMEOUT", "0.8"),
    ("ANKITA_ENDPOINT_RETRIES", "0"),
];
/// Cases that need a first request which the program never makes: it asks for models only when none is set, and
/// these lists are empty, which ends the run. They run in memory, in `src/chat` and `src/http`.
const IN_MEMORY_ONLY: &[&str] = &[
    "keepalive-close-race-retry",
    "partial-head-no-retry",
    "poisoned-extra-response",
];

/// Kinds of errors and their exit codes, as the command line promises.
const EXIT_CODES: &[(i32, &[&str])] = &[
    (2, &["usage", "unread_input"]),
    (3, &["config", "auth", "misdirected", "no_endpoint"]),
    (
        6,
        &[
            "connect",
            "timeout",
            "no_response",
            "truncated",
            "protocol",
            "limit",
        ],
    ),
    (
        4,
        &[
            "context_overflow",
            "tool_args_truncated",
            "turn_limit",
            "loop",
        ],
    ),
    (
        1,
        &[
            "api_error",
            "bad_request",
            "content_filter",
            "empty_response",
            "invalid_tool_call",
            "model_unsupported",
            "overloaded",
            "payload_too_large",
            "quota",
            "rate_limited",
            "redirect",
            "schema_mismatch",
            "server_unavailable",
            "unexpected_content_type",
            "unsupported_encoding",
            "io",
            "bug",
        ],
    ),
];

#[test]
fn every_case_of_the_wire_gives_the_stated_result() {
    let cases = cases();
    if !crate::IS_BINARY_READY {
        eprintln!(
            "skipped: {} cases of the wire: the program does not work yet",
            cases.len()
        );
        return;
    }
    let jobs: Vec<(&Value, usize)> = cases
        .iter()
        .flat_map(|case| [0, 1, 7].map(|piece| (case, piece)))
        .collect();
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some((case, piece)) = jobs.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let id = text(case, "id");
                    if IN_MEMORY_ONLY.contains(&id) {
                        eprintln!(
                            "skipped: {id}: it needs a request for models before the question"
                        );
                        continue;
                    }
                    for what in check(case, *piece) {
                        failed
                            .lock()
                            .unwrap()
                            .push(format!("{id}, pieces of {piece}: {what}"));
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap();
    failed.sort();
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn cases() -> Vec<Value> {
    let all = json::parse(CASES.as_bytes()).unwrap();
    let part = std::env::var("CASE").unwrap_or_default();
    all.as_array()
        .unwrap()
        .iter()
        .filter(|case| text(case, "id").contains(&part))
        .cloned()
        .collect()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, name: &str, default: u64) -> u64 {
    value.get(name).and_then(Value::as_u64).unwrap_or(default)
}

/// Runs a case and says what is not as stated.
fn check(case: &Value, piece_bytes: usize) -> Vec<String> {
    let seen = Seen::default();
    let script = Box::new(Recorded::new(case, piece_bytes));
    let server = Server::tcp(script, &seen, Strictness::default());
    let is_list = text(case, "kind") == "models";
    let is_stream = case.get("request_stream").and_then(Value::as_bool) != Some(false);
    let mut args = if is_list {
        vec!["models"]
    } else {
        vec!["-m", "m-test", "--json", "--no-session", "-p", "hi"]
    };
    if !is_stream && !is_list {
        args.push("--no-stream");
    }
    args.extend(["--endpoint", "$URL"]);
    let run = Run {
        args: args.into_iter().map(str::to_owned).collect(),
        env: ENVIRONMENT
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        url: Some(server.url.clone()),
        ..Run::default()
    };
    let ended = Sandbox::new().run(&run, &seen);
    drop(server);
    let state = seen.state();
    let Ended::Exit(status) = ended else {
        return vec![format!("still running at the limit; {state:?}")];
    };
    let expect = case.get("expect").unwrap();
    let mut problems = state.faults.clone();
    if is_list {
        list_problems(expect, &state, &mut problems);
    } else {
        answer_problems(expect, &state, status.code(), &mut problems);
    }
    if !problems.is_empty() {
        problems.push(format!(
            "stderr: {}",
            String::from_utf8_lossy(&state.stderr).trim_end()
        ));
    }
    problems
}

fn answer_problems(expect: &Value, state: &State, code: Option<i32>, problems: &mut Vec<String>) {
    let result = match json::parse(&state.stdout) {
        Ok(result) => result,
        Err(error) => {
            let shown = String::from_utf8_lossy(&state.stdout);
            return problems.push(format!("standard output is no JSON ({error}): {shown}"));
        }
    };
    let mut compare = |what: &str, found: &Value, expected: &Value| {
        if found != expected {
            problems.push(format!("{what} is {found:?}, not {expected:?}"));
        }
    };
    let calls = expect
        .get("tool_calls")
        .and_then(Value::as_array)
        .unwrap_or_default();
    // An answer that was cut at its limit is whole for the wire; for the turn it is a limit.
    let cut = Value::from("turn_limit");
    let is_cut_text = expect.get("finish_reason").and_then(Value::as_str) == Some("length");
    let kind = match expect.get("error_kind").unwrap_or(&Value::Null) {
        Value::Null if is_cut_text => &cut,
        kind => kind,
    };
    let wanted_code = kind.as_str().map_or(0, exit_code);
    compare(
        "the exit code",
        &Value::from(i64::from(code.unwrap_or(-1))),
        &Value::from(i64::from(wanted_code)),
    );
    compare(
        "error.kind",
        result.pointer("/error/kind").unwrap_or(&Value::Null),
        kind,
    );
    compare(
        "exit_code",
        result.get("exit_code").unwrap_or(&Value::Null),
        &Value::from(i64::from(wanted_code)),
    );
    let answer = if calls.is_empty() {
        expect.get("text").cloned().unwrap_or_default()
    } else {
        Value::from("done")
    };
    compare("text", result.get("text").unwrap_or(&Value::Null), &answer);
    for (name, value) in expect
        .get("usage")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(json::Object::iter)
    {
        let found = result
            .get("usage")
            .and_then(|usage| usage.get(name))
            .unwrap_or(&Value::Null);
        compare(&format!("usage.{name}"), found, value);
    }
    if !calls.is_empty() {
        call_problems(calls, state, problems);
    }
    if let Some(connections) = expect.get("connections").and_then(Value::as_u64)
        && state.connections as u64 != connections
    {
        problems.push(format!(
            "{} connections, not {connections}",
            state.connections
        ));
    }
}

fn exit_code(kind: &str) -> i32 {
    let row = EXIT_CODES.iter().find(|(_, kinds)| kinds.contains(&kind));
    row.unwrap_or_else(|| panic!("no exit code for `{kind}`")).0
}

/// The calls that the second request carries back.
fn call_problems(calls: &[Value], state: &State, problems: &mut Vec<String>) {
    let Some(request) = state.requests.get(1) else {
        return problems.push("no request brought the results back".to_owned());
    };
    let body = json::parse(&request.body).unwrap_or_default();
    let messages = body
        .get("messages")
        .and_then(Value::as_array)
        .unwrap_or_default();
    let found: Vec<&Value> = messages
        .iter()
        .rev()
        .find_map(|message| message.get("tool_calls").and_then(Value::as_array))
        .unwrap_or_default()
        .iter()
        .collect();
    let shown = |call: &Value| {
        let function = call.get("function").unwrap_or(call);
        format!(
            "{}({})",
            text(function, "name"),
            text(function, "arguments")
        )
    };
    let (got, wanted): (Vec<String>, Vec<String>) = (
        found.iter().map(|call| shown(call)).collect(),
        calls.iter().map(shown).collect(),
    );
    if got != wanted {
        problems.push(format!("the calls are {got:?}, not {wanted:?}"));
    }
    let mut ids: Vec<&str> = found.iter().map(|call| text(call, "id")).collect();
    for (id, call) in ids.iter().zip(calls) {
        let wanted = text(call, "id");
        if wanted != "*" && wanted != *id {
            problems.push(format!("the id is `{id}`, not `{wanted}`"));
        }
    }
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    if ids.len() != count || ids.contains(&"") {
        problems.push(format!("ids are empty or there twice: {ids:?}"));
    }
}

fn list_problems(expect: &Value, state: &State, problems: &mut Vec<String>) {
    let stdout = String::from_utf8_lossy(&state.stdout);
    for (id, limit) in expect
        .get("models")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(json::Object::iter)
    {
        let Some(line) = stdout.lines().find(|line| line.contains(id)) else {
            problems.push(format!("`{id}` is not listed in {stdout}"));
            continue;
        };
        let digits: String = line.chars().filter(char::is_ascii_digit).collect();
        if limit
            .as_u64()
            .is_some_and(|limit| digits != limit.to_string())
        {
            problems.push(format!("the limit {limit:?} is not in `{line}`"));
        }
    }
    for id in ["emb", "resp", "42", "str"] {
        let line = stdout
            .lines()
            .find(|line| line.split_whitespace().next() == Some(id));
        if line.is_some_and(|line| !line.contains("not for chat")) {
            problems.push(format!("`{id}` is listed, and not as unfit for chat"));
        }
    }
}

#[test]
fn the_cases_are_read_as_they_are_meant() {
    let cases = json::parse(CASES.as_bytes()).unwrap();
    let cases = cases.as_array().unwrap();
    assert!(58 <= cases.len());
    for case in cases {
        let recorded = Recorded::new(case, 0);
        assert!(!recorded.segments.is_empty(), "{}", text(case, "id"));
        assert!(
            recorded.segments.last().unwrap().end.is_some(),
            "{}",
            text(case, "id")
        );
        if let Some(kind) = case.pointer("/expect/error_kind").and_then(Value::as_str) {
            exit_code(kind);
        }
    }
    let flood = cases
        .iter()
        .find(|case| text(case, "id") == "header-flood")
        .unwrap();
    let reply = Recorded::new(flood, 7)
        .reply(1, 1, &Request::default())
        .unwrap();
    let bytes: usize = reply
        .steps
        .iter()
        .map(|step| match step {
            Step::Bytes(bytes) => bytes.len(),
            _ => 0,
        })
        .sum();
    assert_eq!((bytes, reply.piece_bytes), (17 + 11 * 20_000 + 4, 7));
    let early = cases
        .iter()
        .find(|case| text(case, "id") == "early-413-then-reset")
        .unwrap();
    let manner = Recorded::new(early, 0).manner(1, 1);
    assert!(manner.is_early && manner.is_reset);
    assert_eq!(latin1("\u{c3}\u{ab}"), "ë".as_bytes());
}
