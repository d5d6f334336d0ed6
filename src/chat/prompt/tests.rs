//! What is sent, read back as JSON; and that nothing is encoded twice.

use std::sync::Arc;

use crate::chat::openai::Quirks;
use crate::chat::prompt::{Options, Prompt};
use crate::chat::{Message, Reasoning, ToolCall};
use crate::json::{Object, Value, object, parse};

fn options() -> Options<'static> {
    Options {
        has_tools: true,
        ..Options::default()
    }
}

fn bytes(prompt: &mut Prompt, options: &Options<'_>, quirks: Quirks) -> Vec<u8> {
    let parts = prompt.body(options, quirks);
    parts.iter().flat_map(|part| part.iter().copied()).collect()
}

fn body(prompt: &mut Prompt, options: &Options<'_>, quirks: Quirks) -> Value {
    parse(&bytes(prompt, options, quirks)).unwrap()
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        ..ToolCall::default()
    }
}

fn user(text: &str) -> Message {
    Message::User(text.to_owned())
}

fn calls(text: &str, calls: Vec<ToolCall>) -> Message {
    Message::Assistant {
        text: text.to_owned(),
        calls,
        reasoning: None,
    }
}

fn tool(id: &str, text: &str) -> Message {
    Message::Tool {
        call_id: id.to_owned(),
        text: text.to_owned(),
    }
}

/// The messages in short: `role content`, with calls as `id:name(arguments)` and the id that a reply is for.
fn shape(messages: Vec<Message>) -> Vec<String> {
    let mut prompt = Prompt::new("");
    for message in messages {
        prompt.push(message);
    }
    let body = body(&mut prompt, &options(), Quirks::default());
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("-").to_owned();
    body.get("messages")
        .and_then(Value::as_array)
        .unwrap()
        .iter()
        .map(|message| {
            let mut line = format!(
                "{} {}",
                text(message.get("role")),
                text(message.get("content"))
            );
            if let Some(id) = message.get("tool_call_id") {
                line = format!("{line} <- {}", text(Some(id)));
            }
            let calls = message.get("tool_calls").and_then(Value::as_array);
            for call in calls.unwrap_or_default() {
                line = format!(
                    "{line} {}:{}({})",
                    text(call.get("id")),
                    text(call.pointer("/function/name")),
                    text(call.pointer("/function/arguments"))
                );
            }
            line
        })
        .collect()
}

#[track_caller]
fn check(messages: Vec<Message>, expected: &[&str]) {
    assert_eq!(shape(messages), expected);
}

#[test]
fn an_orderly_conversation_is_sent_as_it_is() {
    check(
        vec![
            user("a"),
            calls("", vec![call("1", "f", "{\"x\":1}"), call("2", "g", "")]),
            tool("1", "one"),
            tool("2", ""),
            Message::answer("done  \n"),
            user("b"),
        ],
        &[
            "user a",
            "assistant - 1:f({\"x\":1}) 2:g({})",
            "tool one <- 1",
            "tool (no output) <- 2",
            "assistant done",
            "user b",
        ],
    );
}

#[test]
fn every_call_is_answered_once_directly_behind_and_in_order() {
    let two = || calls("t", vec![call("1", "f", "{}"), call("2", "g", "{}")]);
    let expected = &[
        "user a",
        "assistant t 1:f({}) 2:g({})",
        "tool one <- 1",
        "tool two <- 2",
        "user b",
    ];
    // Out of order, twice, and for nobody.
    check(
        vec![
            user("a"),
            two(),
            tool("2", "two"),
            tool("9", "?"),
            tool("2", "again"),
            tool("1", "one"),
            user("b"),
        ],
        expected,
    );
    // Missing: at the next message, and at the end.
    check(
        vec![user("a"), two(), tool("2", "two"), user("b")],
        &[
            "user a",
            "assistant t 1:f({}) 2:g({})",
            "tool (cancelled) <- 1",
            "tool two <- 2",
            "user b",
        ],
    );
    check(
        vec![user("a"), two()],
        &[
            "user a",
            "assistant t 1:f({}) 2:g({})",
            "tool (cancelled) <- 1",
            "tool (cancelled) <- 2",
        ],
    );
    check(
        vec![user("a"), two(), user("b"), Message::answer("c"), user("d")],
        &[
            "user a",
            "assistant t 1:f({}) 2:g({})",
            "tool (cancelled) <- 1",
            "tool (cancelled) <- 2",
            "user b",
            "assistant c",
            "user d",
        ],
    );
    // A reply without a call.
    check(
        vec![user("a"), tool("1", "one"), user("b")],
        &["user a\n\nb"],
    );
    // Equal ids are made distinct; each reply finds its call.
    let same = shape(vec![
        user("a"),
        calls("", vec![call("1", "f", "{}"), call("1", "g", "{}")]),
        tool("1", "one"),
        tool("1", "two"),
    ]);
    assert_eq!(same[2], "tool one <- 1");
    assert!(same[3].starts_with("tool two <- 1x"), "{same:?}");
}

#[test]
fn neighbours_of_one_role_become_one() {
    check(
        vec![
            user("a"),
            user("b"),
            Message::answer("c"),
            Message::answer("d \n"),
            user("e\""),
        ],
        &["user a\n\nb", "assistant c\n\nd", "user e\""],
    );
    check(
        vec![
            user("a"),
            Message::answer("b"),
            calls("c", vec![call("1", "f", "{}")]),
            tool("1", "x"),
        ],
        &["user a", "assistant b\n\nc 1:f({})", "tool x <- 1"],
    );
    check(
        vec![
            user("a"),
            Message::answer("b"),
            calls("", vec![call("1", "f", "{}")]),
            tool("1", "x"),
        ],
        &["user a", "assistant b 1:f({})", "tool x <- 1"],
    );
    // An answer with nothing in it is no message; nothing empty is sent.
    check(
        vec![user("a"), Message::answer(" \n"), user("")],
        &["user a\n\n(empty)"],
    );
    // The last word is not the model's.
    check(
        vec![user("a"), Message::answer("b")],
        &["user a", "assistant b", "user (continue)"],
    );
}

#[test]
fn what_would_poison_a_history_is_not_sent() {
    check(
        vec![
            user("a\0b"),
            calls(
                "",
                vec![
                    call("1", "f", "{\"x\":"),
                    call("2", "f", "[1]"),
                    call("3", "f", " {\"y\":2} "),
                ],
            ),
            tool("1", "\0"),
        ],
        &[
            "user a\u{fffd}b",
            "assistant - 1:f({}) 2:f({}) 3:f( {\"y\":2} )",
            "tool \u{fffd} <- 1",
            "tool (cancelled) <- 2",
            "tool (cancelled) <- 3",
        ],
    );
}

#[test]
fn members_are_left_out_when_they_say_nothing() {
    let mut prompt = Prompt::new("s");
    prompt.push(user("a"));
    let plain = bytes(&mut prompt, &Options::default(), Quirks::default());
    assert_eq!(
        String::from_utf8(plain).unwrap(),
        "{\"messages\":[{\"role\":\"system\",\"content\":\"s\"},{\"role\":\"user\",\"content\":\"a\"}],\"stream\":false}"
    );
    let full = Options {
        model: Some("m\""),
        is_streaming: true,
        max_tokens: Some(9),
        has_tools: true,
    };
    let quirks = Quirks {
        has_no_stream_options: true,
        has_completion_limit: true,
        ..Quirks::default()
    };
    let body = body(&mut prompt, &full, quirks);
    let keys: Vec<&str> = body.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["model", "messages", "stream", "max_completion_tokens"]
    );
}

#[test]
fn tools_are_appended_once_and_in_order() {
    let mut prompt = Prompt::default();
    assert!(prompt.add_tool(
        "b",
        "does b",
        &object! { "type": "object", "properties": object! {}, "required": Vec::<Value>::new() }
    ));
    assert!(prompt.add_tool("a", "does a", &Value::Null));
    assert!(!prompt.add_tool("b", "again", &Value::Null));
    prompt.push(user("x"));
    let before = bytes(&mut prompt, &options(), Quirks::default());
    prompt.add_tool(
        "c",
        "does c",
        &object! { "properties": object! { "p": object! {} } },
    );
    let after = body(&mut prompt, &options(), Quirks::default());
    let names: Vec<&str> = after
        .get("tools")
        .and_then(Value::as_array)
        .unwrap()
        .iter()
        .map(|tool| {
            tool.pointer("/function/name")
                .and_then(Value::as_str)
                .unwrap()
        })
        .collect();
    assert_eq!(names, ["b", "a", "c"]);
    assert_eq!(
        after.pointer("/tools/2/function/parameters/type"),
        Some(&Value::from("object"))
    );
    // What a provider has cached of the tools stays a prefix.
    let after = bytes(&mut prompt, &options(), Quirks::default());
    let end = before.windows(2).rposition(|pair| pair == b"],").unwrap();
    assert!(after.starts_with(&before[..end]));
    let without = Options::default();
    assert_eq!(
        body(&mut prompt, &without, Quirks::default()).get("tools"),
        None
    );
}

#[test]
fn a_request_shares_what_was_encoded_before_it() {
    let mut prompt = Prompt::new("system");
    for round in 0..2000 {
        prompt.push(user(&format!("question {round} {}", "x".repeat(100))));
        prompt.push(calls("", vec![call("1", "f", "{}")]));
        prompt.push(tool("1", &"y".repeat(100)));
    }
    let big = "z".repeat(1 << 20);
    prompt.push(user(&big));
    let first = prompt.body(&options(), Quirks::default());
    prompt.push(Message::answer("well"));
    prompt.push(user("more"));
    let second = prompt.body(&options(), Quirks::default());
    let long = first.iter().filter(|part| part.len() > 10_000);
    let mut count = 0;
    for part in long {
        count += 1;
        assert!(second.iter().any(|other| Arc::ptr_eq(part, other)));
    }
    assert!(count > 5, "{count}");
    assert!(second.len() < 60, "{}", second.len());
    let whole: usize = second.iter().map(|part| part.len()).sum();
    let bytes: Vec<u8> = second
        .iter()
        .flat_map(|part| part.iter().copied())
        .collect();
    assert!(parse(&bytes).is_ok());
    // Without the marks of the rest of the body.
    assert!(whole - prompt.message_bytes() < 200);
}

#[test]
fn what_is_marked_is_taken_out_everywhere() {
    let mut prompt = Prompt::default();
    prompt.set_model(Some("m"));
    for round in 0..400 {
        prompt.push(user("q"));
        let mut call = call("1", "f", &format!("{{\"n\":{round}}}"));
        call.extra = [("sign", "é\"")].into_iter().collect();
        call.function_extra = [("thought_signature", "t".repeat(300))]
            .into_iter()
            .collect();
        let members: Object = [("reasoning_opaque", "o")].into_iter().collect();
        prompt.push(Message::Assistant {
            text: if round % 2 == 0 {
                String::new()
            } else {
                "t".to_owned()
            },
            calls: vec![call],
            reasoning: Some(Reasoning {
                model: Some("m".to_owned()),
                members,
            }),
        });
        prompt.push(tool("1", "r"));
    }
    let count = |body: &Value, path: &str| {
        let messages = body.get("messages").and_then(Value::as_array).unwrap();
        messages
            .iter()
            .filter(|message| message.pointer(path).is_some_and(|value| !value.is_null()))
            .count()
    };
    let first = body(&mut prompt, &options(), Quirks::default());
    for path in [
        "/reasoning_opaque",
        "/tool_calls/0/sign",
        "/tool_calls/0/function/thought_signature",
    ] {
        assert_eq!(count(&first, path), 400);
    }
    let before = prompt.message_bytes();
    let quirks = Quirks {
        has_empty_content: true,
        ..Quirks::default()
    };
    let second = body(&mut prompt, &options(), quirks);
    assert_eq!(count(&second, "/content"), 1200);
    assert_eq!(prompt.message_bytes(), before - 200 * 2);
    prompt.set_model(Some("other"));
    let third = body(&mut prompt, &options(), quirks);
    for path in [
        "/reasoning_opaque",
        "/tool_calls/0/sign",
        "/tool_calls/0/function/thought_signature",
    ] {
        assert_eq!(count(&third, path), 0);
    }
    assert_eq!(count(&third, "/tool_calls/0/function/name"), 400);
    let text = bytes(&mut prompt, &options(), quirks);
    let rest = b"{\"messages\":[],\"stream\":false}".len();
    assert_eq!(
        text.len(),
        prompt.message_bytes() + rest + separators(&mut prompt, quirks)
    );
    prompt.clear();
    assert_eq!(prompt.message_bytes(), 0);
}

/// Commas between chunks, which are no part of any.
fn separators(prompt: &mut Prompt, quirks: Quirks) -> usize {
    prompt
        .body(&options(), quirks)
        .iter()
        .filter(|part| part.as_slice() == b",")
        .count()
}
