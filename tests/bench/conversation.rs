//! Bodies as chat endpoints see and send them: a long request, and the chunks of a streamed answer.

use std::fmt::Write as _;

use crate::json::{Value, array, object, write};

/// Messages of the request: about 300 KB, as after an hour's work with tools.
const MESSAGES: usize = 200;
/// Tools of the request.
const TOOLS: usize = 24;

/// Words of answers, in turn: prose, code, escapes, other scripts.
const WORDS: [&str; 12] = [
    " The",
    " server",
    " listens",
    " on",
    " port",
    " 8080",
    ",\n",
    "    let x = \"a\\tb\";",
    " naïve",
    " 日本語",
    " 🙂",
    "`cargo test`",
];

/// A request of 200 messages and 24 tools as JSON: system, then question, call, result and answer in turn.
pub(crate) fn request() -> Vec<u8> {
    let mut messages = vec![object! {
        "role": "system",
        "content": prose(0, 900),
    }];
    for round in 0..(MESSAGES - 1).div_ceil(4) {
        let call_id = format!("call_{round:024}");
        let arguments =
            format!("{{\"path\":\"src/part_{round}/mod.rs\",\"start\":{round},\"limit\":200}}");
        messages.extend([
            object! { "role": "user", "content": prose(round, 300) },
            object! {
                "role": "assistant",
                "content": Value::Null,
                "tool_calls": array![object! {
                    "id": call_id.as_str(),
                    "type": "function",
                    "function": object! { "name": "read_file", "arguments": arguments },
                }],
            },
            object! { "role": "tool", "tool_call_id": call_id, "content": source(round) },
            object! { "role": "assistant", "content": prose(round + 7, 1_700) },
        ]);
    }
    messages.truncate(MESSAGES);
    let tools: Vec<Value> = (0..TOOLS).map(tool).collect();
    let body = object! {
        "model": "gpt-4.1",
        "messages": Value::Array(messages),
        "tools": Value::Array(tools),
        "stream": true,
        "stream_options": object! { "include_usage": true },
        "temperature": 0.2,
    };
    let mut out = Vec::new();
    write(&body, &mut out);
    out
}

/// The data of chunk number `nth` of a streamed answer. Its number is in it: an answer that repeats itself is cut off.
pub(crate) fn chunk(nth: usize) -> String {
    let mut content = Vec::new();
    let text = format!("{}{nth}", WORDS[nth % WORDS.len()]);
    crate::json::write_string(&text, &mut content);
    let content = String::from_utf8(content).unwrap();
    format!(
        "{{\"id\":\"chatcmpl-BfZk3xq0T9aVYvJm2sLw8eNc\",\"object\":\"chat.completion.chunk\",\
         \"created\":1749988123,\"model\":\"gpt-4.1-2025-04-14\",\"service_tier\":\"default\",\
         \"system_fingerprint\":\"fp_51e1070cf2\",\"choices\":[{{\"index\":0,\"delta\":\
         {{\"content\":{content}}},\"logprobs\":null,\"finish_reason\":null}}],\"usage\":null}}"
    )
}

/// A streamed answer of `chunks` chunks of text, as events.
pub(crate) fn events(chunks: usize) -> Vec<String> {
    let mut events: Vec<String> = (0..chunks)
        .map(|nth| format!("data: {}\n\n", chunk(nth)))
        .collect();
    events.push(
        "data: {\"id\":\"chatcmpl-BfZk3xq0T9aVYvJm2sLw8eNc\",\"choices\":[{\"index\":0,\"delta\":{},\
         \"finish_reason\":\"stop\"}]}\n\n"
            .to_owned(),
    );
    events.push("data: [DONE]\n\n".to_owned());
    events
}

/// About `bytes` bytes of prose, another one for each `seed`.
pub(crate) fn prose(seed: usize, bytes: usize) -> String {
    let mut text = String::new();
    let mut nth = seed;
    while text.len() < bytes {
        text.push_str(WORDS[(nth * 7 + nth / 5) % WORDS.len()]);
        nth += 1;
    }
    text
}

/// A file that a tool read: lines with numbers, quotes and tabs.
fn source(seed: usize) -> String {
    (0..60).fold(String::new(), |mut text, line| {
        writeln!(
            text,
            "{line:>5}\tlet value_{seed} = read(\"part\\n{line}\")?; // {}",
            WORDS[(seed + line) % 6]
        )
        .unwrap();
        text
    })
}

fn tool(nth: usize) -> Value {
    object! {
        "type": "function",
        "function": object! {
            "name": format!("tool_{nth}"),
            "description": prose(nth, 120),
            "parameters": object! {
                "type": "object",
                "properties": object! {
                    "path": object! { "type": "string", "description": "Path from the workspace." },
                    "start": object! { "type": "integer", "minimum": 1, "maximum": 4_294_967_295_u32 },
                    "mode": object! { "type": "string", "enum": array!["text", "lines", "bytes"] },
                },
                "required": array!["path"],
                "additionalProperties": false,
            },
        },
    }
}
