//! A recorded case as the script of a server.

use std::time::Duration;

use super::{number, text};
use crate::json::{self, Value};
use crate::seen::Request;
use crate::server::{End, Manner, Reply, Script, Step};

/// Bytes of a reply that go out in small pieces.
const PIECES_BYTES_MAX: usize = 4_096;

/// One case as a script.
pub(super) struct Recorded {
    pub(super) segments: Vec<Segment>,
    piece_bytes: usize,
    /// Calls are expected: the request that brings their results back is answered too.
    has_calls: bool,
    /// Calls are cut: the program may ask once more, and is served the same.
    is_cut: bool,
}

pub(super) struct Segment {
    connection: usize,
    nth: usize,
    steps: Vec<Step>,
    is_early: bool,
    pub(super) end: Option<End>,
}

impl Recorded {
    pub(super) fn new(case: &Value, piece_bytes: usize) -> Self {
        let end = end(text(case, "end"));
        let mut segments: Vec<Segment> = match case.get("server_bytes") {
            Some(Value::String(text)) => vec![Segment {
                connection: 1,
                nth: 1,
                steps: vec![Step::Bytes(latin1(text))],
                is_early: false,
                end,
            }],
            Some(Value::Array(segments)) => segments.iter().map(segment).collect(),
            _ => Vec::new(),
        };
        if let Some(last) = segments.last_mut() {
            last.end = last.end.or(end);
        }
        let has_calls = case.pointer("/expect/tool_calls/0").is_some();
        Self {
            segments,
            piece_bytes,
            has_calls,
            is_cut: case.pointer("/expect/error_kind").and_then(Value::as_str)
                == Some("tool_args_truncated"),
        }
    }

    fn of(&self, connection: usize, nth: usize) -> impl Iterator<Item = &Segment> {
        self.segments
            .iter()
            .filter(move |segment| segment.connection == connection && segment.nth == nth)
    }
}

fn segment(segment: &Value) -> Segment {
    let mut steps = Vec::new();
    let delay = number(segment, "delay_ms", 0);
    if 0 < delay {
        steps.push(Step::Pause(Duration::from_millis(delay)));
    }
    let bytes = latin1(text(segment, "bytes"));
    let count = usize::try_from(number(segment, "repeat", 1)).unwrap();
    steps.push(Step::Bytes(bytes.repeat(count)));
    Segment {
        connection: usize::try_from(number(segment, "conn", 1)).unwrap(),
        nth: usize::try_from(number(segment, "req", 1)).unwrap(),
        steps,
        is_early: segment.get("wait_body").and_then(Value::as_bool) == Some(false),
        end: end(text(segment, "end")),
    }
}

pub(super) fn latin1(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap())
        .collect()
}

fn end(name: &str) -> Option<End> {
    match name {
        "fin" => Some(End::Fin),
        "rst" => Some(End::Reset),
        "hold" => Some(End::Hold),
        _ => None,
    }
}

impl Script for Recorded {
    fn manner(&self, connection: usize, nth: usize) -> Manner {
        Manner {
            is_early: self.of(connection, nth).any(|segment| segment.is_early),
            is_reset: self
                .of(connection, nth)
                .any(|segment| segment.end == Some(End::Reset)),
        }
    }

    fn reply(&self, connection: usize, nth: usize, request: &Request) -> Option<Reply> {
        let mut reply = Reply {
            steps: Vec::new(),
            piece_bytes: self.piece_bytes,
            pieces_until: PIECES_BYTES_MAX,
        };
        let (connection, nth) = if self.is_cut {
            (1, 1)
        } else {
            (connection, nth)
        };
        for segment in self.of(connection, nth) {
            reply.steps.extend(segment.steps.iter().cloned());
            reply.steps.extend(segment.end.map(Step::End));
        }
        if reply.steps.is_empty() && self.has_calls && results_in(request) {
            return Some(last_word());
        }
        (!reply.steps.is_empty()).then_some(reply)
    }
}

fn results_in(request: &Request) -> bool {
    let body = json::parse(&request.body).unwrap_or_default();
    let messages = body
        .get("messages")
        .and_then(Value::as_array)
        .unwrap_or_default();
    messages.last().map(|message| text(message, "role")) == Some("tool")
}

fn last_word() -> Reply {
    let body = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}]}"#;
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    Reply {
        steps: vec![
            Step::Bytes(format!("{head}{body}").into_bytes()),
            Step::End(End::Fin),
        ],
        ..Reply::default()
    }
}
