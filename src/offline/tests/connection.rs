//! Connections fed piece by piece.

use super::{request, user};
use crate::catalog::TOOLS;
use crate::json::{self, Value, object};
use crate::offline::Connection;

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
    let answer = json::parse(&text.as_bytes()[at..end]).unwrap();
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

/// The heads of the answers to `bytes`, in any cut.
fn heads(bytes: &str) -> Vec<String> {
    let whole = exchange(bytes.as_bytes(), bytes.len());
    for size in 1..bytes.len().min(60) {
        assert_eq!(
            exchange(bytes.as_bytes(), size),
            whole,
            "in pieces of {size}"
        );
    }
    let text = String::from_utf8(whole).unwrap();
    text.split("HTTP/1.1 ").skip(1).map(str::to_owned).collect()
}

#[test]
fn other_methods_are_answered_by_the_standard() {
    let get = heads("GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n").remove(0);
    // RFC 9110 §9.3.2: the head that GET would have, and no content.
    let head = heads("HEAD /v1/models HTTP/1.1\r\nHost: x\r\n\r\n").remove(0);
    assert_eq!(
        get.split_once("\r\n\r\n").unwrap().0,
        head.strip_suffix("\r\n\r\n").unwrap()
    );
    let options = heads("OPTIONS /chat/completions HTTP/1.1\r\nHost: x\r\n\r\n").remove(0);
    assert!(
        options.starts_with("204 ") && options.contains("\r\nAllow: POST, OPTIONS\r\n"),
        "{options}"
    );
    assert!(!options.contains("Content-Length"), "{options}");
    // RFC 9110 §15.5.6.
    let wrong = heads("DELETE /models HTTP/1.1\r\nHost: x\r\n\r\n").remove(0);
    assert!(
        wrong.starts_with("405 ") && wrong.contains("\r\nAllow: GET, HEAD, OPTIONS\r\n"),
        "{wrong}"
    );
    // RFC 9112 §3.2, §3.2.2.
    assert!(heads("GET /models HTTP/1.1\r\n\r\n")[0].starts_with("400 "));
    assert!(heads("GET /models HTTP/1.0\r\n\r\n")[0].starts_with("200 "));
    assert!(heads("GET http://x/v1/models?a=b HTTP/1.1\r\nHost: x\r\n\r\n")[0].starts_with("200 "));
    assert!(heads("GET /v1models HTTP/1.1\r\nHost: x\r\n\r\n")[0].starts_with("404 "));
}

/// RFC 9110 §10.1.1.
#[test]
fn a_client_that_waits_for_leave_gets_it() {
    let head = "POST /chat/completions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
    let mut connection = Connection::new(TOOLS);
    connection.feed(head.as_bytes(), 0);
    assert_eq!(connection.out(), b"HTTP/1.1 100 Continue\r\n\r\n");
    let count = connection.out().len();
    connection.wrote(count);
    connection.feed(b"{}", 0);
    assert!(connection.out().starts_with(b"HTTP/1.1 501 "));
    // Who does not wait gets none; who announces too much is refused before it is sent.
    assert!(exchange(format!("{head}{{}}").as_bytes(), 1_000).starts_with(b"HTTP/1.1 501 "));
    let huge = head.replace("Length: 2", "Length: 99999999999");
    let mut connection = Connection::new(TOOLS);
    connection.feed(huge.as_bytes(), 0);
    assert!(
        connection.out().starts_with(b"HTTP/1.1 413 ")
            && connection.is_closing()
            && connection.is_refused()
    );
}

#[test]
fn a_stream_is_lines_of_data_and_ends_in_done() {
    let text = format!("{}last", "line\n".repeat(5_000));
    let call =
        object! { "id": "c", "function": object! { "name": "read_file", "arguments": "{}" } };
    let messages = vec![
        user("read x.txt"),
        object! { "role": "assistant", "tool_calls": vec![call] },
        object! { "role": "tool", "tool_call_id": "c", "content": text.as_str() },
    ];
    let mut request = request(messages, &[]);
    if let Value::Object(members) = &mut request {
        members.insert("stream", true);
    }
    let body = request.to_string();
    let bytes = format!(
        "POST /chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let out = String::from_utf8(exchange(bytes.as_bytes(), bytes.len())).unwrap();
    let events: Vec<&str> = out
        .split_once("\r\n\r\n")
        .unwrap()
        .1
        .split_terminator("\n\n")
        .collect();
    assert!(
        events
            .iter()
            .all(|event| event.starts_with("data: ") && !event.contains('\n'))
    );
    assert_eq!(events.last(), Some(&"data: [DONE]"));
    assert!(events.len() < 1_100, "{}", events.len());
    let mut said = String::new();
    for event in &events[..events.len() - 1] {
        let chunk = json::parse(&event.as_bytes()["data: ".len()..]).unwrap();
        said.push_str(
            chunk
                .pointer("/choices/0/delta/content")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        );
    }
    assert_eq!(said, text);
}

#[test]
fn a_failed_call_is_shown_and_ends_in_an_error() {
    let call =
        object! { "id": "c", "function": object! { "name": "read_file", "arguments": "{}" } };
    let messages = vec![
        user("read x.txt"),
        object! { "role": "assistant", "tool_calls": vec![call] },
        object! { "role": "tool", "tool_call_id": "c", "content": "failed: no\nmore" },
    ];
    let answer = |is_streamed: bool| {
        let mut request = request(messages.clone(), &[]);
        if let Value::Object(members) = &mut request {
            members.insert("stream", is_streamed);
        }
        let body = request.to_string();
        let length = body.len();
        heads(&format!(
            "POST /chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
        .remove(0)
    };
    let whole = answer(false);
    assert!(
        whole.starts_with("501 ") && whole.contains("failed: no\\nmore; the call failed"),
        "{whole}"
    );
    let stream = answer(true);
    assert!(
        stream.starts_with("200 ") && stream.ends_with("}\n\ndata: [DONE]\n\n"),
        "{stream}"
    );
    assert!(
        stream.contains("data: {\"error\":{\"message\":\"the call failed")
            && stream.contains("\"code\":\"no_endpoint\"")
    );
    assert!(!stream.contains("\"stop\""), "{stream}");
}
