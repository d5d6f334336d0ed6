//! The built-in endpoint's answers, and its connections fed piece by piece.

use super::Connection;
use super::respond::{Said, respond};
use crate::catalog::TOOLS;
use crate::json::{self, Value, array, object};
use crate::tool::FIND_TOOLS;

/// A request with the default tools and those of `loaded`, and these messages after the system's.
fn request(messages: Vec<Value>, loaded: &[&str]) -> Value {
    let names = TOOLS
        .iter()
        .filter(|tool| tool.category == "core" || tool.category == "skills")
        .map(|tool| tool.name);
    let tools: Vec<Value> = names
        .chain(loaded.iter().copied())
        .map(|name| object! { "type": "function", "function": object! { "name": name } })
        .collect();
    object! { "model": "m", "messages": messages, "tools": tools }
}

fn user(text: &str) -> Value {
    object! { "role": "user", "content": text }
}

/// The answer to a first line, in short.
#[track_caller]
fn check(line: &str, loaded: &[&str], expected: &str) {
    let got = match respond(&request(vec![user(line)], loaded), TOOLS) {
        Said::Call { name, arguments } => format!("{name} {arguments}"),
        Said::Text(text) => text,
        Said::Unable(why) => format!("unable: {}", why.split(';').next().unwrap_or_default()),
    };
    assert_eq!(got, expected, "{line}");
}

#[test]
fn a_plain_request_becomes_the_call_of_the_nearest_example() {
    check("read Cargo.toml", &[], r#"read_file {"path":"Cargo.toml"}"#);
    check(
        "show me the file src/app/view.rs, please",
        &[],
        r#"read_file {"path":"src/app/view.rs"}"#,
    );
    check("list the files here", &[], "list_dir {}");
    check(
        "run the command `echo hello`",
        &[],
        r#"run_command {"command":"echo hello"}"#,
    );
    check(
        "please execute 'ls -l'",
        &[],
        r#"run_command {"command":"ls -l"}"#,
    );
    check(
        "load the skill bug-repro",
        &[],
        r#"skill {"name":"bug-repro"}"#,
    );
    check(
        "what listens on port 9090?",
        &["port_status", "kill_process"],
        r#"port_status {"port":9090}"#,
    );
    check(
        "kill the process on port 9090",
        &["port_status", "kill_process"],
        r#"kill_process {"port":9090}"#,
    );
    check("git status", &["git"], r#"git {"action":"status"}"#);
    check(
        "which files changed in the last commit?",
        &["git"],
        r#"git {"action":"show","ref":"HEAD","stat":true}"#,
    );
}

#[test]
fn what_no_loaded_tool_fits_is_searched_for() {
    check(
        "what listens on port 9090?",
        &[],
        r#"find_tools {"query":"what listens on port 9090?"}"#,
    );
    check(
        "find tools for git history",
        &[],
        r#"find_tools {"query":"git history"}"#,
    );
}

#[test]
fn what_it_cannot_do_it_says() {
    check(
        "run a command",
        &[],
        "unable: `run_command` fits, but the request holds no value for `command`: say which",
    );
    check(
        "say what changed\n\n<stdin>\n+x\n</stdin>",
        &[],
        "unable: it cannot read the data on standard input",
    );
    let bare = object! { "messages": vec![user("why is the sky blue")] };
    assert!(matches!(respond(&bare, TOOLS), Said::Unable(_)));
    assert!(matches!(respond(&object! {}, TOOLS), Said::Unable(_)));
}

#[test]
fn results_are_the_answer() {
    let call =
        object! { "id": "c", "function": object! { "name": "port_status", "arguments": "{}" } };
    let messages = vec![
        user("what listens on port 1"),
        object! { "role": "assistant", "tool_calls": vec![call] },
        object! { "role": "tool", "tool_call_id": "c", "content": "nothing listens on port 1" },
    ];
    assert_eq!(
        respond(&request(messages, &["port_status"]), TOOLS),
        Said::Text("nothing listens on port 1".to_owned())
    );
}

#[test]
fn a_search_is_followed_by_the_call_it_was_for() {
    let after = |loaded: &[&str], text: &str| {
        let call =
            object! { "id": "c", "function": object! { "name": FIND_TOOLS, "arguments": "{}" } };
        let messages = vec![
            user("what listens on port 77"),
            object! { "role": "assistant", "tool_calls": array![call] },
            object! { "role": "tool", "tool_call_id": "c", "content": text },
        ];
        respond(&request(messages, loaded), TOOLS)
    };
    let Said::Call { name, arguments } = after(&["port_status", "kill_process"], "Loaded process")
    else {
        panic!("a call")
    };
    assert_eq!(
        (name.as_str(), arguments),
        ("port_status", object! { "port": 77_u32 })
    );
    assert!(matches!(after(&[], "nothing matched"), Said::Unable(_)));
}

/// Feeds a whole exchange in pieces of `size` bytes and returns what was written.
fn exchange(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut connection = Connection::new(TOOLS);
    bytes
        .chunks(size)
        .for_each(|piece| connection.feed(piece, 0));
    connection.out().to_vec()
}

#[test]
fn requests_are_answered_in_any_cut() {
    let body = request(vec![user("list the files here")], &[]).to_string();
    let mut bytes = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(b"GET /models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let whole = exchange(&bytes, bytes.len());
    let text = String::from_utf8(whole.clone()).unwrap();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2, "{text}");
    let at = text.find("{\"id\"").unwrap();
    let end = text[at..].find("HTTP/1.1").unwrap() + at;
    let answer = json::parse(text[at..end].as_bytes()).unwrap();
    assert_eq!(
        answer
            .pointer("/choices/0/finish_reason")
            .and_then(Value::as_str),
        Some("tool_calls")
    );
    for size in 1..40 {
        assert_eq!(exchange(&bytes, size), whole, "in pieces of {size}");
    }
}

#[test]
fn bad_requests_are_refused_with_a_reason() {
    let status = |bytes: &str| {
        let out = exchange(bytes.as_bytes(), bytes.len());
        String::from_utf8(out)
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        status("GET /chat/completions HTTP/1.1\r\nHost: x\r\n\r\n"),
        "405"
    );
    assert_eq!(status("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "404");
    assert_eq!(
        status("POST /chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{"),
        "400"
    );
    assert_eq!(
        status("POST /chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]"),
        "400"
    );
    assert_eq!(status("nonsense\r\n\r\n"), "400");
    assert_eq!(
        status("POST /chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"),
        "501"
    );
}

/// Each example of each tool, asked as it stands with only its tool loaded, gives exactly its arguments.
#[test]
fn every_example_of_every_tool_is_served() {
    for tool in TOOLS {
        for (arguments, query) in (tool.contract.examples)() {
            check(query, &[tool.name], &format!("{} {arguments}", tool.name));
        }
    }
}
