//! An answer in the shape of the chat-completions dialect, whole or streamed.

use crate::json::{Value, object};
use crate::offline::respond::{NO_WAY_ON, Said};
use crate::offline::{MODEL, UNABLE, error};

/// Bytes a token, for estimates.
const BYTES_A_TOKEN: usize = 4;

/// What a stream ends with.
const DONE: &[u8] = b"data: [DONE]\n\n";
/// Events that a text is streamed in, at most.
const PIECES_MAX: usize = 1_000;

/// One answer to be written.
pub(crate) struct Completion {
    /// How many messages the request had: another number in each request of a conversation, over whatever connection
    /// it comes, so that no two of its calls have the same id.
    pub(crate) number: usize,
    pub(crate) unix_seconds: i64,
    /// The size of the request, for the usage that is reported as an estimate.
    pub(crate) prompt_bytes: usize,
    pub(crate) said: Said,
}

impl Completion {
    /// The answer as one object.
    pub(crate) fn whole(&self) -> Value {
        let message = match &self.said {
            Said::Text(text) | Said::Failed(text) | Said::Unable(text) => {
                object! { "role": "assistant", "content": text.as_str() }
            }
            Said::Call { .. } => {
                object! { "role": "assistant", "content": Value::Null, "tool_calls": vec![self.call(false)] }
            }
        };
        let choice =
            object! { "index": 0_u32, "message": message, "finish_reason": self.finish_reason() };
        let mut whole = self.object("chat.completion", vec![choice]);
        if let Value::Object(members) = &mut whole {
            members.insert("usage", self.usage());
        }
        whole
    }

    /// The answer as an event stream, line by line.
    pub(crate) fn stream(&self, has_usage: bool) -> Vec<u8> {
        let mut out = Vec::new();
        let mut send = |delta: Value, finish: Value| {
            let choice = object! { "index": 0_u32, "delta": delta, "finish_reason": finish };
            event(
                &self.object("chat.completion.chunk", vec![choice]),
                &mut out,
            );
        };
        send(object! { "role": "assistant" }, Value::Null);
        match &self.said {
            Said::Text(text) | Said::Failed(text) | Said::Unable(text) => {
                for piece in in_pieces(text) {
                    send(object! { "content": piece }, Value::Null);
                }
            }
            Said::Call { .. } => send(object! { "tool_calls": vec![self.call(true)] }, Value::Null),
        }
        if matches!(self.said, Said::Failed(_)) {
            event(&error(UNABLE, NO_WAY_ON), &mut out);
            out.extend_from_slice(DONE);
            return out;
        }
        send(object! {}, Value::from(self.finish_reason()));
        if has_usage {
            let mut last = self.object("chat.completion.chunk", Vec::new());
            if let Value::Object(members) = &mut last {
                members.insert("usage", self.usage());
            }
            event(&last, &mut out);
        }
        out.extend_from_slice(DONE);
        out
    }

    fn object(&self, kind: &str, choices: Vec<Value>) -> Value {
        object! {
            "id": format!("chatcmpl-{MODEL}-{}", self.number), "object": kind, "created": self.unix_seconds,
            "model": MODEL, "choices": choices,
        }
    }

    fn call(&self, is_delta: bool) -> Value {
        let Said::Call { name, arguments } = &self.said else {
            return Value::Null;
        };
        let function = object! { "name": name.as_str(), "arguments": arguments.to_string() };
        let mut call = object! { "id": format!("call{:05}", self.number), "type": "function", "function": function };
        if is_delta && let Value::Object(members) = &mut call {
            members.insert("index", 0_u32);
        }
        call
    }

    fn finish_reason(&self) -> &'static str {
        match self.said {
            Said::Call { .. } => "tool_calls",
            Said::Text(_) | Said::Failed(_) | Said::Unable(_) => "stop",
        }
    }

    /// Estimates, since nothing here counts tokens.
    fn usage(&self) -> Value {
        let said = match &self.said {
            Said::Text(text) | Said::Failed(text) | Said::Unable(text) => text.len(),
            Said::Call { name, arguments } => name.len() + arguments.to_string().len(),
        };
        let (prompt, completion) = (
            self.prompt_bytes / BYTES_A_TOKEN,
            said.div_ceil(BYTES_A_TOKEN),
        );
        object! {
            "prompt_tokens": prompt as u64, "completion_tokens": completion as u64, "total_tokens": (prompt + completion) as u64,
        }
    }
}

/// A text line by line, several lines together where there are so many that their events would outgrow them.
fn in_pieces(text: &str) -> impl Iterator<Item = &str> {
    let bytes_min = text.len() / PIECES_MAX;
    let mut rest = text;
    std::iter::from_fn(move || {
        let from = rest.as_bytes().get(bytes_min..).unwrap_or_default();
        let end = from
            .iter()
            .position(|byte| *byte == b'\n')
            .map(|at| bytes_min + at + 1);
        let (piece, after) = rest.split_at(end.unwrap_or(rest.len()));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

fn event(data: &Value, out: &mut Vec<u8>) {
    out.extend_from_slice(b"data: ");
    crate::json::write(data, out);
    out.extend_from_slice(b"\n\n");
}
