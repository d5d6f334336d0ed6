//! What a scripted server answers, in the shorthand of case files.
//!
//! One directive a line; `$N` is the number of the request. Text may have escapes (`\n`, `\xff`, …).
//!
//! - `text: …`, `reasoning: …` a piece of the answer, of the reasoning
//! - `call: name {json}` a whole call; its id is `call_1`, `call_2`, … through the case
//! - `delta: {json}`, `data: …` a delta as it is, the data of an event as it is
//! - `usage: PROMPT COMPLETION [CACHED]`, `finish: stop` — after a `finish` the reply ends properly
//! - `models: a b` a model list · `json: {…}` a whole JSON body
//! - `status: 401`, `header: Name: value`, `body: …` anything else
//! - `raw: …` bytes that are the reply itself, head included
//! - `repeat: N directive` (`$I` counts) · `delay: SECONDS` (before the first piece: before the head, too) · `split: N` (writes of N bytes) · `end: fin|rst|hold` here
//!
//! The answer's pieces become an event stream if the request asks for one, else a single completion.

use std::time::Duration;

use super::file::unescape;
use crate::json::{self, Value, array, object};
use crate::server::{End, Reply, Step};

/// Makes the reply that `text` describes to request `number` (from 1). `calls` counts calls through the case.
pub(crate) fn reply(
    text: &str,
    is_stream: bool,
    number: usize,
    calls: &mut usize,
) -> Result<Reply, String> {
    let mut draft = Draft {
        is_stream,
        calls: *calls,
        ..Draft::default()
    };
    for line in text.replace("$N", &number.to_string()).lines() {
        draft
            .directive(line)
            .map_err(|error| format!("`{line}`: {error}"))?;
    }
    *calls = draft.calls;
    Ok(draft.finish())
}

/// Whether a reply ends in a reset: the server must know before it reads the request.
pub(crate) fn is_reset(text: &str) -> bool {
    text.lines().any(|line| line.trim() == "end: rst")
}

#[derive(Default)]
struct Draft {
    is_stream: bool,
    calls: usize,
    status: Option<u16>,
    headers: String,
    /// A body that is no answer.
    body: Option<Vec<u8>>,
    is_raw: bool,
    /// The steps of an event stream, framed in chunks.
    steps: Vec<Step>,
    /// The parts of a single completion.
    text: String,
    reasoning: String,
    tool_calls: Vec<Value>,
    usage: Option<Value>,
    finish: Option<String>,
    piece_bytes: usize,
    is_ended: bool,
}

impl Draft {
    fn directive(&mut self, line: &str) -> Result<(), String> {
        let (name, value) = line.split_once(':').ok_or("no `name: value`")?;
        let value = value.strip_prefix(' ').unwrap_or(value);
        let text = || String::from_utf8(unescape(value)?).map_err(|error| error.to_string());
        match name {
            "text" => {
                self.text.push_str(&text()?);
                self.delta(object! { "content": text()? });
            }
            "reasoning" => {
                self.reasoning.push_str(&text()?);
                self.delta(object! { "reasoning_content": text()? });
            }
            "call" => self.call(value)?,
            "delta" => {
                let delta = json::parse(value.as_bytes()).map_err(|error| error.to_string())?;
                self.delta(delta);
            }
            "data" => self.event(&unescape(value)?),
            "usage" => self.usage = Some(usage(value)?),
            "finish" => {
                self.finish = Some(value.to_owned());
                let choice = object! { "index": 0, "delta": object! {}, "finish_reason": value };
                self.chunk(array![choice]);
            }
            "models" => {
                let models: Vec<Value> = value
                    .split_whitespace()
                    .map(|id| object! { "id": id, "object": "model" })
                    .collect();
                let list = object! { "object": "list", "data": models };
                self.body = Some(compact(&list));
            }
            "json" | "body" => {
                let body = self.body.get_or_insert_default();
                if !body.is_empty() {
                    body.push(b'\n');
                }
                body.extend(unescape(value)?);
            }
            "status" => self.status = Some(value.parse().map_err(|_| "no number")?),
            "header" => {
                self.headers.push_str(value);
                self.headers.push_str("\r\n");
            }
            "raw" => {
                self.is_raw = true;
                let bytes = unescape(value)?;
                self.steps.push(Step::Bytes(bytes));
            }
            "repeat" => {
                let (count, directive) = value.split_once(' ').ok_or("no `N directive`")?;
                for index in 1..=count.parse::<usize>().map_err(|_| "no number")? {
                    self.directive(&directive.replace("$I", &index.to_string()))?;
                }
            }
            "delay" => {
                let seconds: f64 = value.parse().map_err(|_| "no number")?;
                self.steps
                    .push(Step::Pause(Duration::from_secs_f64(seconds)));
            }
            "split" => self.piece_bytes = value.parse().map_err(|_| "no number")?,
            "end" => {
                self.is_ended = true;
                self.steps.push(Step::End(end(value)?));
            }
            _ => return Err(format!("no directive is called `{name}`")),
        }
        Ok(())
    }

    fn call(&mut self, value: &str) -> Result<(), String> {
        let (name, arguments) = value.split_once(' ').unwrap_or((value, "{}"));
        self.calls += 1;
        let index = i64::try_from(self.tool_calls.len()).map_err(|error| error.to_string())?;
        let call = object! {
            "index": index,
            "id": format!("call_{}", self.calls),
            "type": "function",
            "function": object! { "name": name, "arguments": arguments },
        };
        self.tool_calls.push(call.clone());
        self.delta(object! { "tool_calls": array![call] });
        Ok(())
    }

    fn delta(&mut self, delta: Value) {
        let choice = object! { "index": 0, "delta": delta, "finish_reason": Value::Null };
        self.chunk(array![choice]);
    }

    fn chunk(&mut self, choices: Value) {
        let chunk = object! {
            "id": "c1",
            "object": "chat.completion.chunk",
            "model": "m-test",
            "choices": choices,
        };
        self.event(&compact(&chunk));
    }

    fn event(&mut self, data: &[u8]) {
        if self.is_stream {
            self.steps
                .push(Step::Bytes(framed(&[b"data: ", data, b"\n\n"].concat())));
        }
    }

    fn finish(mut self) -> Reply {
        let steps = if self.is_raw {
            self.steps
        } else if self.body.is_some() || self.status.is_some() {
            self.whole()
        } else if self.is_stream {
            if let Some(usage) = self.usage.take() {
                let chunk = object! { "id": "c1", "choices": array![], "usage": usage };
                self.event(&compact(&chunk));
            }
            if self.finish.is_some() && !self.is_ended {
                self.event(b"[DONE]");
                self.steps.push(Step::Bytes(b"0\r\n\r\n".to_vec()));
            } else if !self.is_ended {
                self.steps.push(Step::End(End::Fin));
            }
            let type_line =
                "Content-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n";
            let head = format!("HTTP/1.1 200 OK\r\n{type_line}{}\r\n", self.headers);
            // A server that thinks first sends nothing meanwhile.
            let pauses = self
                .steps
                .iter()
                .take_while(|step| matches!(step, Step::Pause(_)))
                .count();
            self.steps.insert(pauses, Step::Bytes(head.into_bytes()));
            self.steps
        } else {
            self.body = Some(self.completion());
            self.whole()
        };
        Reply {
            steps,
            piece_bytes: self.piece_bytes,
            pieces_until: usize::MAX,
        }
    }

    /// A head with a length, pauses, the body, and the end if one is given.
    fn whole(&self) -> Vec<Step> {
        let body = self.body.clone().unwrap_or_default();
        let status = self.status.unwrap_or(200);
        let kind = if body.starts_with(b"{") {
            "application/json"
        } else {
            "text/plain; charset=utf-8"
        };
        let mut head = format!("HTTP/1.1 {status} Scripted\r\n");
        if !self.headers.to_lowercase().contains("content-type:") {
            head.push_str(&format!("Content-Type: {kind}\r\n"));
        }
        head.push_str(&format!(
            "Content-Length: {}\r\n{}\r\n",
            body.len(),
            self.headers
        ));
        let mut steps: Vec<Step> = self
            .steps
            .iter()
            .filter(|step| matches!(step, Step::Pause(_)))
            .cloned()
            .collect();
        steps.push(Step::Bytes([head.into_bytes(), body].concat()));
        steps.extend(
            self.steps
                .iter()
                .filter(|step| matches!(step, Step::End(_)))
                .cloned(),
        );
        steps
    }

    fn completion(&self) -> Vec<u8> {
        let mut message = object! { "role": "assistant" };
        if let Value::Object(message) = &mut message {
            let content = if self.text.is_empty() {
                Value::Null
            } else {
                Value::from(self.text.as_str())
            };
            message.insert("content", content);
            if !self.reasoning.is_empty() {
                message.insert("reasoning_content", self.reasoning.as_str());
            }
            if !self.tool_calls.is_empty() {
                message.insert("tool_calls", self.tool_calls.clone());
            }
        }
        let finish = self.finish.as_deref().unwrap_or("stop");
        let choice = object! { "index": 0, "message": message, "finish_reason": finish };
        let mut whole = object! {
            "id": "c1",
            "object": "chat.completion",
            "model": "m-test",
            "choices": array![choice],
        };
        if let (Value::Object(whole), Some(usage)) = (&mut whole, &self.usage) {
            whole.insert("usage", usage.clone());
        }
        compact(&whole)
    }
}

fn usage(value: &str) -> Result<Value, String> {
    let numbers: Result<Vec<i64>, _> = value.split_whitespace().map(str::parse).collect();
    let numbers = numbers.map_err(|_| "no numbers")?;
    let [prompt, completion, ..] = numbers[..] else {
        return Err("no `PROMPT COMPLETION`".to_owned());
    };
    let mut usage = object! {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    };
    if let (Value::Object(usage), Some(cached)) = (&mut usage, numbers.get(2)) {
        usage.insert(
            "prompt_tokens_details",
            object! { "cached_tokens": *cached },
        );
    }
    Ok(usage)
}

fn end(value: &str) -> Result<End, String> {
    match value.trim() {
        "fin" => Ok(End::Fin),
        "rst" => Ok(End::Reset),
        "hold" => Ok(End::Hold),
        _ => Err("none of `fin`, `rst`, `hold`".to_owned()),
    }
}

fn framed(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

fn compact(value: &Value) -> Vec<u8> {
    let mut out = Vec::new();
    json::write(value, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All bytes, with pauses and ends in brackets.
    fn shown(text: &str, is_stream: bool) -> String {
        let mut calls = 0;
        let reply = reply(text, is_stream, 4, &mut calls).unwrap();
        reply
            .steps
            .iter()
            .map(|step| match step {
                Step::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                Step::Pause(pause) => format!("[{pause:?}]"),
                Step::End(end) => format!("[{end:?}]"),
            })
            .collect()
    }

    #[test]
    fn pieces_become_a_stream() {
        let shown = shown("text: a\\n\nfinish: stop\n", true);
        assert!(
            shown.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream"),
            "{shown}"
        );
        assert!(
            shown.contains(r#""delta":{"content":"a\n"},"finish_reason":null"#),
            "{shown}"
        );
        assert!(
            shown.contains(r#""delta":{},"finish_reason":"stop""#),
            "{shown}"
        );
        assert!(
            shown.ends_with("e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"),
            "{shown}"
        );
    }

    #[test]
    fn pieces_become_one_completion() {
        let shown = shown(
            "text: a\ntext: b\ncall: f {\"x\":1}\nfinish: tool_calls\nusage: 3 4 1\n",
            false,
        );
        for part in [
            r#""content":"ab""#,
            r#""id":"call_1""#,
            r#""arguments":"{\"x\":1}""#,
            r#""cached_tokens":1"#,
            "application/json",
        ] {
            assert!(shown.contains(part), "{part} in {shown}");
        }
    }

    #[test]
    fn streams_can_break_off() {
        assert!(shown("text: a", true).ends_with("\r\n[Fin]"));
        assert!(shown("text: a\nend: hold", true).ends_with("\r\n[Hold]"));
        assert!(shown("text: a\ndelay: 0.5\ntext: b\nend: rst", true).contains("\r\n[500ms]"));
        assert!(is_reset("text: a\nend: rst\n"));
    }

    #[test]
    fn other_replies_are_whole() {
        let refused = shown(
            "status: 401\nheader: X-Request-Id: r1\nbody: no\nbody: really",
            true,
        );
        assert!(refused.contains("401 Scripted\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 9\r\nX-Request-Id: r1\r\n\r\nno\nreally"), "{refused}");
        assert!(shown("models: a b", false).contains(r#"[{"id":"a","object":"model"},{"id":"b""#));
        assert_eq!(
            shown("raw: HTTP/1.1 200\\r\\n\nraw: \\r\\n$N", true),
            "HTTP/1.1 200\r\n\r\n4"
        );
        assert_eq!(shown("repeat: 3 raw: $I", true), "123");
        assert!(reply("txt: a", true, 1, &mut 0).is_err());
    }
}
