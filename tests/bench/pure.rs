//! The pure parts: JSON, event streams, finding tools, encoding what is sent.

use std::hint::black_box;

use crate::catalog::MATCHER;
use crate::chat::openai::Quirks;
use crate::chat::{Message, Options, Prompt, ToolCall};
use crate::conversation::{chunk, events, prose, request};
use crate::json::{Value, object, parse, write};
use crate::table::{Table, Unit};
use crate::tool::find::search;
use crate::wire::SseReader;

/// Chunks of a streamed answer.
const CHUNKS: u32 = 20_000;
/// Messages of a long conversation.
const MESSAGES: u32 = 10_000;
/// Bytes that a socket gives at once.
const PIECE_BYTES: usize = 16 * 1024;
/// Queries that people and models made, with what they mean; a JSON object a line.
const QUERIES: &str = include_str!("../data/find_tools_dev.jsonl");

/// All rows of the pure parts.
pub(crate) fn measure(table: &mut Table) {
    measure_json(table);
    measure_sse(table);
    measure_find(table);
    measure_prompt(table);
}

fn measure_json(table: &mut Table) {
    let body = request();
    let value = parse(&body).unwrap();
    let unit = Unit::MegabytesASecond(body.len());
    let mut out = Vec::new();
    table.row("json: parse a request of 200 messages", unit, 101, || {
        drop(black_box(parse(black_box(&body)).unwrap()));
    });
    table.row("json: write a request of 200 messages", unit, 101, || {
        out.clear();
        write(black_box(&value), &mut out);
        black_box(&out);
    });
    let chunks: Vec<String> = (0..1_000).map(chunk).collect();
    let values: Vec<Value> = chunks
        .iter()
        .map(|chunk| parse(chunk.as_bytes()).unwrap())
        .collect();
    let unit = Unit::MicrosecondsEach(1_000);
    table.row("json: parse a chunk of a stream", unit, 101, || {
        for chunk in &chunks {
            drop(black_box(parse(black_box(chunk.as_bytes())).unwrap()));
        }
    });
    table.row("json: write a chunk of a stream", unit, 101, || {
        for value in &values {
            out.clear();
            write(black_box(value), &mut out);
            black_box(&out);
        }
    });
}

fn measure_sse(table: &mut Table) {
    let stream = events(CHUNKS as usize).concat().into_bytes();
    let unit = Unit::MicrosecondsEach(CHUNKS);
    table.row("sse: read an event of 20,000", unit, 51, || {
        let mut reader = SseReader::new();
        let mut count = 0;
        for piece in black_box(&stream).chunks(PIECE_BYTES) {
            reader.feed(piece).unwrap();
            while let Some(event) = reader.next() {
                count += usize::from(!black_box(event.data).is_empty());
            }
        }
        assert_eq!(count, CHUNKS as usize + 2);
    });
}

fn measure_find(table: &mut Table) {
    let queries: Vec<String> = QUERIES
        .lines()
        .map(|line| {
            let row = parse(line.as_bytes()).unwrap();
            row.get("query").and_then(Value::as_str).unwrap().to_owned()
        })
        .collect();
    let unit = Unit::MicrosecondsEach(u32::try_from(queries.len()).unwrap());
    table.row("find: a query in the built-in catalog", unit, 101, || {
        for query in &queries {
            drop(black_box(search(&MATCHER, black_box(query))));
        }
    });
}

fn measure_prompt(table: &mut Table) {
    let name = "prompt: encode a message of 10,000";
    let further = "prompt: a further turn after 10,000 messages";
    if !table.has(name) && !table.has(further) {
        return;
    }
    let texts: Vec<String> = (0..64).map(|seed| prose(seed, 400)).collect();
    let unit = Unit::MicrosecondsEach(MESSAGES);
    table.row(name, unit, 21, || {
        drop(black_box(conversation(&texts)));
    });
    // Each run adds to the same conversation, as a session does.
    let mut prompt = conversation(&texts);
    let unit = Unit::MicrosecondsEach(1);
    table.row(further, unit, 101, || {
        prompt.push(Message::User(texts[1].clone()));
        drop(black_box(body(&mut prompt)));
        prompt.push(Message::answer(texts[2].as_str()));
    });
}

/// 10,000 messages: question, call, result and answer in turn, and the body of the request after them.
fn conversation(texts: &[String]) -> Prompt {
    let mut prompt = Prompt::new(&texts[0]);
    let parameters = object! { "type": "object", "properties": object! {} };
    prompt.add_tool("read_file", "Read a file.", &parameters);
    for round in 0..MESSAGES as usize / 4 {
        let text = |at: usize| texts[(round * 4 + at) % texts.len()].clone();
        prompt.push(Message::User(text(0)));
        prompt.push(Message::Assistant {
            text: String::new(),
            calls: vec![ToolCall {
                id: format!("call_{round}"),
                name: "read_file".to_owned(),
                arguments: format!("{{\"path\":\"src/part_{round}/mod.rs\"}}"),
                ..ToolCall::default()
            }],
            reasoning: None,
        });
        prompt.push(Message::Tool {
            call_id: format!("call_{round}"),
            text: text(2),
        });
        prompt.push(Message::answer(text(3)));
    }
    drop(black_box(body(&mut prompt)));
    prompt
}

fn body(prompt: &mut Prompt) -> Vec<std::sync::Arc<Vec<u8>>> {
    let options = Options {
        model: Some("gpt-4.1"),
        is_streaming: true,
        max_tokens: None,
        has_tools: true,
    };
    prompt.body(&options, Quirks::default())
}
