//! What a request says, when it is sent again, and how long it waits.

use std::time::Duration;

use crate::chat::tests::{AT, Bench, streaming};
use crate::chat::{Ask, Event, Kind, Message, Poll, Reasoning, ToolCall};
use crate::json::{Object, Value, parse};
use crate::wire::Url;
use crate::world::fake::{Connection, End, Step};

const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 66\r\n\r\n\
    {\"choices\":[{\"message\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n";

fn connection(reply: &str) -> Connection {
    Connection::new(vec![Step::Request, Step::send(reply), Step::fin()])
}

fn refusal(status: &str, fields: &str, body: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\n{fields}Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn body_of(written: &str) -> Value {
    parse(written.split_once("\r\n\r\n").unwrap().1.as_bytes()).unwrap()
}

#[test]
fn a_request_has_what_it_needs_and_nothing_more() {
    let mut bench = Bench::new(vec![connection(ANSWER)], usize::MAX, 0);
    bench.ask(streaming()).unwrap();
    let written = bench.written(0);
    let head = written.split("\r\n\r\n").next().unwrap();
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n"));
    for field in [
        "X-Initiator: user",
        "Accept: text/event-stream, application/json",
        "Content-Type: application/json",
        "Accept-Encoding: identity",
    ] {
        assert!(head.contains(field), "{head}");
    }
    assert!(!head.contains("Authorization"), "{head}");
    assert_eq!(
        body_of(&written).to_string(),
        "{\"model\":\"m-test\",\"messages\":[{\"role\":\"system\",\"content\":\"be brief\"},\
         {\"role\":\"user\",\"content\":\"hello\"}],\"tools\":[{\"type\":\"function\",\"function\":\
         {\"name\":\"edit_existing_file\",\"description\":\"edits\",\"parameters\":{\"type\":\"object\",\
         \"properties\":{}}}}],\"stream\":true,\"stream_options\":{\"include_usage\":true}}"
    );
}

#[test]
fn passing_failures_are_tried_again_with_a_notice() {
    let busy = refusal(
        "503 Service Unavailable",
        "Retry-After: 3\r\n",
        "loading model",
    );
    let mut bench = Bench::new(
        vec![connection(&busy), connection(&busy), connection(ANSWER)],
        usize::MAX,
        3,
    );
    let answer = bench.ask(streaming()).unwrap();
    assert_eq!(answer.text, "hi");
    assert_eq!(bench.fake.time(), Duration::from_secs(6));
    assert_eq!(bench.events.len(), 2);
    assert!(
        bench.events[0].starts_with("Retrying { attempt: 2, after: 3s"),
        "{:?}",
        bench.events
    );
}

#[test]
fn a_reason_is_told_in_full_once() {
    let busy = |id: &str, body| refusal("503 Busy", &format!("X-Request-Id: {id}\r\n"), body);
    let replies = [
        busy("one", "loading"),
        busy("two", "loading"),
        busy("three", "draining"),
    ];
    let mut connections: Vec<Connection> = replies.iter().map(|one| connection(one)).collect();
    connections.push(connection(ANSWER));
    let mut bench = Bench::new(connections, usize::MAX, 3);
    bench.ask(streaming()).unwrap();
    let whys = [("loading", 2), ("the same failure", 3), ("draining", 4)];
    assert_eq!(bench.events.len(), whys.len());
    for (event, (why, attempt)) in bench.events.iter().zip(whys) {
        assert!(
            event.starts_with(&format!("Retrying {{ attempt: {attempt},")),
            "{event}"
        );
        assert!(event.contains(why), "{event}");
    }
}

#[track_caller]
fn check_once(reply: &str, kind: Kind, words: &str) {
    let mut bench = Bench::new(vec![connection(reply)], usize::MAX, 3);
    let fault = bench.ask(streaming()).unwrap_err();
    assert_eq!(fault.kind, kind, "{fault}");
    assert!(fault.message.contains(words), "{fault}");
    assert_eq!(bench.fake.connections().len(), 1);
    assert!(fault.message.contains("`http://127.0.0.1`"), "{fault}");
}

#[test]
fn what_will_not_pass_is_not_tried_again() {
    let plain = "Content-Type: text/plain\r\n";
    check_once(
        &refusal("401 Unauthorized", plain, "unauthorized: token expired\n"),
        Kind::Auth,
        "restart it so that it gets a new token",
    );
    check_once(
        &refusal(
            "404 Not Found",
            "x-request-id: r-7\r\n",
            "404 page not found",
        ),
        Kind::BadRequest,
        "(request id r-7)",
    );
    check_once(
        &refusal("429 Too Many Requests", "Retry-After: 210000\r\n", "{}"),
        Kind::RateLimited,
        "try again in 59 h",
    );
    check_once(
        &refusal(
            "500 Internal Server Error",
            "",
            "{\"error\":{\"message\":\"prompt is too long: 9000 tokens > 8192 maximum\"}}",
        ),
        Kind::ContextOverflow,
        "prompt is too long",
    );
    check_once(
        &refusal(
            "307 Temporary Redirect",
            "Location: http://other.invalid/\r\n",
            "",
        ),
        Kind::Redirect,
        "another origin",
    );
}

#[test]
fn nothing_is_asked_for_again_once_a_piece_was_shown() {
    let cut = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n\
        data: {\"choices\":[{\"delta\":{\"content\":\"par\"}}]}\n\n";
    let mut bench = Bench::new(vec![connection(cut), connection(ANSWER)], usize::MAX, 3);
    let fault = bench.ask(streaming()).unwrap_err();
    assert_eq!(
        (fault.kind, fault.partial.as_str()),
        (Kind::Truncated, "par")
    );
    assert!(fault.message.contains("3 bytes of text kept"), "{fault}");
    assert_eq!(bench.fake.connections().len(), 1);
}

#[test]
fn a_refused_connection_is_tried_again_up_to_the_limit() {
    let mut bench = Bench::new(Vec::new(), usize::MAX, 2);
    let fault = bench.ask(streaming()).unwrap_err();
    assert_eq!(fault.kind, Kind::Connect);
    assert!(fault.message.ends_with("(tried 3 times)"), "{fault}");
    assert_eq!(bench.events.len(), 2);
}

#[test]
fn fields_that_an_endpoint_refuses_are_sent_otherwise_from_then_on() {
    let options =
        "{\"error\":{\"message\":\"Unrecognized request argument supplied: stream_options\"}}";
    let limit = "{\"error\":{\"message\":\"Unsupported parameter: 'max_tokens' is not supported with this model. \
        Use 'max_completion_tokens' instead.\",\"param\":\"max_tokens\",\"code\":\"unsupported_parameter\"}}";
    let again = |body| refusal("400 Bad Request", "Connection: close\r\n", body);
    let mut bench = Bench::new(
        vec![
            connection(&again(options)),
            connection(&again(limit)),
            connection(ANSWER),
            connection(ANSWER),
        ],
        usize::MAX,
        0,
    );
    let mut asked = streaming();
    asked.max_tokens = Some(500);
    bench.ask(asked).unwrap();
    assert_eq!(bench.events.len(), 2, "{:?}", bench.events);
    bench.ask(asked).unwrap();
    assert!(bench.events.is_empty());
    for at in [2, 3] {
        let body = body_of(&bench.written(at));
        assert_eq!(body.get("stream_options"), None);
        assert_eq!(body.get("max_tokens"), None);
        assert_eq!(body.get("max_completion_tokens"), Some(&Value::Int(500)));
    }
    // The same refusal again teaches nothing: it is a fault.
    let mut bench = Bench::new(
        vec![connection(&again(options)), connection(&again(options))],
        usize::MAX,
        0,
    );
    assert_eq!(bench.ask(asked).unwrap_err().kind, Kind::BadRequest);
}

#[test]
fn content_is_an_empty_string_where_null_is_refused() {
    let refused = refusal(
        "400 Bad Request",
        "Connection: close\r\n",
        "{\"error\":{\"message\":\"invalid message content type: <nil>\"}}",
    );
    let mut bench = Bench::new(
        vec![connection(&refused), connection(ANSWER)],
        usize::MAX,
        0,
    );
    bench.prompt.push(Message::Assistant {
        text: String::new(),
        calls: vec![ToolCall {
            id: "c1".to_owned(),
            name: "f".to_owned(),
            arguments: "{}".to_owned(),
            ..ToolCall::default()
        }],
        reasoning: None,
    });
    bench.ask(streaming()).unwrap();
    let content = |at| {
        body_of(&bench.written(at))
            .pointer("/messages/2/content")
            .cloned()
    };
    assert_eq!(content(0), Some(Value::Null));
    assert_eq!(content(1), Some(Value::from("")));
}

#[test]
fn a_redirect_within_the_origin_is_followed_once() {
    let moved = refusal("308 Permanent Redirect", "Location: /v2/chat\r\n", "");
    let mut bench = Bench::new(
        vec![
            Connection::new(vec![
                Step::Request,
                Step::send(moved),
                Step::Request,
                Step::send(ANSWER),
            ]),
            connection(ANSWER),
        ],
        usize::MAX,
        0,
    );
    assert_eq!(bench.ask(streaming()).unwrap().text, "hi");
    let all: String = (0..bench.fake.connections().len())
        .map(|at| bench.written(at))
        .collect();
    assert!(all.contains("POST /v2/chat HTTP/1.1"), "{all}");
    let last = all.rsplit("POST ").next().unwrap();
    assert!(body_of(last).get("messages").is_some());
}

/// Runs a stream whose server does `rest` after the pieces; gives how long the answer took.
fn time_of(pieces: &[&str], rest: Vec<Step>) -> Duration {
    let mut steps = vec![
        Step::Request,
        Step::send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"),
    ];
    steps.extend(pieces.iter().map(Step::send));
    steps.extend(rest);
    let mut bench = Bench::new(vec![Connection::new(steps)], usize::MAX, 0);
    bench.ask(streaming()).unwrap();
    bench.fake.time()
}

#[test]
fn an_answer_that_is_over_waits_no_longer_than_it_must() {
    let last =
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n";
    let done = "data: [DONE]\n\n";
    let hold = || {
        vec![Step::End {
            end: End::Hold,
            delay: Duration::ZERO,
        }]
    };
    assert_eq!(time_of(&[last, done], hold()), Duration::from_millis(50));
    assert_eq!(time_of(&[last, done], vec![Step::fin()]), Duration::ZERO);
    // Bytes without end after the end.
    let flood = vec![Step::send_times(10_000, 1, "data: x\n\n")];
    assert!(time_of(&[last, done], flood) <= Duration::from_millis(50));
    // Pings for two seconds, and no longer.
    let pings = vec![Step::send_times(1000, 100, ": ping\n\n")];
    assert_eq!(time_of(&[last], pings), Duration::from_secs(2));
}

#[test]
fn a_count_of_tokens_after_the_reason_is_still_read() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let steps = vec![
        Step::Request,
        Step::send(head),
        Step::send(
            "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\n",
        ),
        Step::send_after(
            700,
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":1}}\n\n",
        ),
        Step::send_after(700, "data: [DONE]\n\n"),
    ];
    let mut bench = Bench::new(vec![Connection::new(steps)], usize::MAX, 0);
    let answer = bench.ask(streaming()).unwrap();
    assert_eq!(answer.usage.unwrap().prompt_tokens, 4);
}

#[test]
fn an_answer_that_is_stopped_leaves_its_text_and_closes_the_connection() {
    let steps = vec![
        Step::Request,
        Step::send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"),
        Step::send("data: {\"choices\":[{\"delta\":{\"content\":\"begun\"}}]}\n\n"),
    ];
    let mut bench = Bench::new(vec![Connection::new(steps)], usize::MAX, 0);
    let mut ask = Ask::start(&streaming(), false, &mut bench.means());
    let mut is_shown = false;
    while !is_shown {
        let poll = ask.advance(&mut bench.means(), &mut |event| {
            is_shown |= event == Event::Text("begun");
        });
        assert!(matches!(poll, Poll::Wait));
        let mut interests = Vec::new();
        ask.interests(&mut interests);
        if !is_shown {
            bench.world.threads.wait(&interests, ask.until());
        }
    }
    assert_eq!(ask.stop(), "begun");
    assert!(bench.fake.connections()[0].closed.is_some());
    assert!(bench.written(0).contains("X-Initiator: agent"));
}

#[test]
fn thoughts_go_back_to_the_model_that_had_them_and_to_no_other() {
    let mut bench = Bench::new(
        vec![connection(ANSWER), connection(ANSWER), connection(ANSWER)],
        usize::MAX,
        0,
    );
    let members: Object = [("reasoning_opaque", "b3Bh")].into_iter().collect();
    bench.prompt.set_model(Some("m-test"));
    bench.prompt.push(Message::Assistant {
        text: "first".to_owned(),
        calls: Vec::new(),
        reasoning: Some(Reasoning {
            model: Some("m-test".to_owned()),
            members,
        }),
    });
    bench.prompt.push(Message::User("more".to_owned()));
    let mut other = streaming();
    other.model = Some("m-other");
    bench.ask(streaming()).unwrap();
    bench.ask(other).unwrap();
    let opaque = |at| {
        body_of(&bench.written(at))
            .pointer("/messages/2/reasoning_opaque")
            .cloned()
    };
    assert_eq!(opaque(0), Some(Value::from("b3Bh")));
    assert_eq!(opaque(1), None);
}

#[test]
fn the_key_and_the_configured_fields_are_sent() {
    let mut bench = Bench::new(vec![connection(ANSWER)], usize::MAX, 0);
    let client = crate::http::Client::new(
        crate::http::Timeouts::default(),
        crate::http::Proxies::none(),
    );
    bench.endpoint = crate::chat::Endpoint::new(
        Url::parse(&format!("http://{AT}/chat/completions")).unwrap(),
        Some("sk-1".to_owned()),
        vec![
            ("Editor-Version".to_owned(), "x/1".to_owned()),
            ("x-initiator".to_owned(), "agent".to_owned()),
        ],
        0,
        client,
    );
    bench.ask(streaming()).unwrap();
    let written = bench.written(0);
    assert!(written.starts_with("POST /chat/completions HTTP/1.1\r\n"));
    assert!(written.contains("Authorization: Bearer sk-1\r\n"));
    assert!(written.contains("Editor-Version: x/1\r\n"));
    assert!(written.contains("x-initiator: agent\r\n") && !written.contains("X-Initiator"));
}
