//! The built-in endpoint: a deterministic responder on the same wire as any other, without a language model.

mod completion;
mod example;
mod fill;
mod material;
mod respond;
mod speech;

use crate::json::{self, Value, object};
use crate::tool::Tool;
use crate::wire::{Body, Framing, RequestHead, RequestReader, write_response_head};

/// The one model it lists.
pub(crate) const MODEL: &str = "built-in";
/// The code of an error that says: this cannot be served here.
pub(crate) const UNABLE: &str = "no_endpoint";
/// A longer request body is refused.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// One connection to the endpoint: bytes in, bytes out.
pub(crate) struct Connection {
    tools: &'static [Tool],
    reader: RequestReader,
    /// A request whose body is coming.
    open: Option<(RequestHead, Body, Vec<u8>)>,
    out: Vec<u8>,
    is_closing: bool,
    served: u64,
}

/// An answer, before it has its head.
struct Response {
    status: u16,
    content_type: &'static str,
    body: Vec<u8>,
}

impl Connection {
    /// A connection that answers with the examples of `tools`.
    pub(crate) fn new(tools: &'static [Tool]) -> Self {
        Self {
            tools,
            reader: RequestReader::new(),
            open: None,
            out: Vec::new(),
            is_closing: false,
            served: 0,
        }
    }

    /// Takes what the client sent; `unix_seconds` is the time to put into answers.
    pub(crate) fn feed(&mut self, bytes: &[u8], unix_seconds: i64) {
        let mut rest = bytes;
        while !self.is_closing && !rest.is_empty() {
            match self.take(rest, unix_seconds) {
                Ok(used) => rest = &rest[used..],
                Err(response) => {
                    self.is_closing = true;
                    self.write(&response);
                }
            }
        }
    }

    /// What waits to be written; the caller removes what it wrote.
    pub(crate) fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// The same, to look at.
    pub(crate) fn out_ref(&self) -> &[u8] {
        &self.out
    }

    /// Whether the connection is to be closed once everything is written.
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing
    }

    fn take(&mut self, bytes: &[u8], unix_seconds: i64) -> Result<usize, Response> {
        let malformed = |error: crate::wire::Error| refusal(400, "bad_request", &error.to_string());
        let Some((_, body, content)) = &mut self.open else {
            let Some((head, used)) = self.reader.push(bytes).map_err(malformed)? else {
                return Ok(bytes.len());
            };
            let body = Body::of_request(&head).map_err(malformed)?;
            self.open = Some((head, body, Vec::new()));
            self.answer_if_whole(unix_seconds);
            return Ok(used);
        };
        let used = body.push(bytes, content).map_err(malformed)?;
        if BODY_BYTES_MAX < content.len() {
            return Err(refusal(
                413,
                "payload_too_large",
                "the request is too large",
            ));
        }
        self.answer_if_whole(unix_seconds);
        Ok(used)
    }

    fn answer_if_whole(&mut self, unix_seconds: i64) {
        if self
            .open
            .as_ref()
            .is_none_or(|(_, body, _)| !body.is_done())
        {
            return;
        }
        let Some((head, _, content)) = self.open.take() else {
            return;
        };
        self.reader = RequestReader::new();
        self.is_closing = !head.is_persistent();
        let response = self.answer(&head, &content, unix_seconds);
        self.write(&response);
    }

    fn answer(&mut self, head: &RequestHead, content: &[u8], unix_seconds: i64) -> Response {
        let path = head.target.split('?').next().unwrap_or_default();
        let path = path.strip_prefix("/v1").unwrap_or(path);
        match (head.method.as_str(), path) {
            ("GET", "/models") => Response {
                status: 200,
                content_type: "application/json",
                body: models().to_string().into_bytes(),
            },
            ("POST", "/chat/completions") => self.complete(content, unix_seconds),
            (_, "/models" | "/chat/completions") => {
                refusal(405, "bad_request", "this path takes another method")
            }
            _ => refusal(
                404,
                "bad_request",
                "there are `/chat/completions` and `/models`, with or without `/v1`",
            ),
        }
    }

    fn complete(&mut self, content: &[u8], unix_seconds: i64) -> Response {
        let request = match json::parse(content) {
            Ok(request) if request.as_object().is_some() => request,
            Ok(other) => {
                return refusal(
                    400,
                    "bad_request",
                    &format!("the body must be an object, not {}", other.kind()),
                );
            }
            Err(error) => {
                return refusal(
                    400,
                    "bad_request",
                    &format!("the body is not JSON: {error}"),
                );
            }
        };
        let said = match respond::respond(&request, self.tools) {
            respond::Said::Unable(why) => return refusal(501, UNABLE, &why),
            said => said,
        };
        self.served += 1;
        let completion = completion::Completion {
            number: self.served,
            unix_seconds,
            prompt_bytes: content.len(),
            said,
        };
        if request.get("stream").and_then(Value::as_bool) == Some(true) {
            let has_usage = request
                .pointer("/stream_options/include_usage")
                .and_then(Value::as_bool)
                == Some(true);
            Response {
                status: 200,
                content_type: "text/event-stream",
                body: completion.stream(has_usage),
            }
        } else {
            Response {
                status: 200,
                content_type: "application/json",
                body: completion.whole().to_string().into_bytes(),
            }
        }
    }

    fn write(&mut self, response: &Response) {
        let connection = if self.is_closing {
            "close"
        } else {
            "keep-alive"
        };
        let fields = [
            ("Content-Type", response.content_type),
            ("Connection", connection),
            ("Cache-Control", "no-cache"),
        ];
        // All names and values are our own, so that the head is always well formed.
        _ = write_response_head(
            response.status,
            &fields,
            Framing::Length(response.body.len() as u64),
            &mut self.out,
        );
        self.out.extend_from_slice(&response.body);
    }
}

fn models() -> Value {
    object! {
        "object": "list",
        "data": vec![object! {
            "id": MODEL, "object": "model", "created": 0_u32, "owned_by": "ankita", "is_chat_default": true,
        }],
    }
}

fn refusal(status: u16, code: &'static str, message: &str) -> Response {
    let body = object! { "error": object! { "message": message, "type": code, "code": code } };
    Response {
        status,
        content_type: "application/json",
        body: body.to_string().into_bytes(),
    }
}

#[cfg(test)]
mod tests;
