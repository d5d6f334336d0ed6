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
/// Bytes of room for answers that a connection keeps between them.
const OUT_BYTES_KEPT_MAX: usize = 64 * 1024;
/// A longer request body is refused.
const BODY_BYTES_MAX: usize = 64 * 1024 * 1024;

/// One connection to the endpoint: bytes in, bytes out.
pub(crate) struct Connection {
    tools: &'static [Tool],
    reader: RequestReader,
    /// A request whose body is coming.
    open: Option<(RequestHead, Body, Vec<u8>)>,
    out: Vec<u8>,
    /// How much of `out` is written.
    written: usize,
    is_closing: bool,
    is_refused: bool,
}

/// An answer, before it has its head.
struct Response {
    status: u16,
    content_type: &'static str,
    /// The methods that the path takes, where that is to be said.
    allow: Option<&'static str>,
    body: Vec<u8>,
}

impl Response {
    fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            content_type: "application/json",
            allow: None,
            body: body.to_string().into_bytes(),
        }
    }
}

impl Connection {
    /// A connection that answers with the examples of `tools`.
    pub(crate) fn new(tools: &'static [Tool]) -> Self {
        Self {
            tools,
            reader: RequestReader::new(),
            open: None,
            out: Vec::new(),
            written: 0,
            is_closing: false,
            is_refused: false,
        }
    }

    /// Takes what the client sent; `unix_seconds` is the time to put into answers.
    pub(crate) fn feed(&mut self, bytes: &[u8], unix_seconds: i64) {
        let mut rest = bytes;
        while !self.is_closing && !rest.is_empty() {
            match self.take(rest, unix_seconds) {
                Ok(used) => rest = rest.get(used..).unwrap_or_default(),
                Err(response) => {
                    self.is_closing = true;
                    self.is_refused = true;
                    self.write(&response, true);
                }
            }
        }
    }

    /// What waits to be written.
    pub(crate) fn out(&self) -> &[u8] {
        self.out.get(self.written..).unwrap_or_default()
    }

    /// Says that the first `count` bytes of [`Connection::out`] are written.
    pub(crate) fn wrote(&mut self, count: usize) {
        self.written += count;
        if self.out.len() <= self.written {
            self.out.clear();
            self.out.shrink_to(OUT_BYTES_KEPT_MAX);
            self.written = 0;
        }
    }

    /// Whether the connection is to be closed once everything is written.
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing
    }

    /// Whether it is closing in the middle of a request, of which more may come.
    pub(crate) fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Whether nothing is under way: no request has begun, and every answer is written.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.is_none() && !self.reader.has_begun() && self.out().is_empty()
    }

    fn take(&mut self, bytes: &[u8], unix_seconds: i64) -> Result<usize, Response> {
        let malformed = |error: crate::wire::Error| match error {
            crate::wire::Error::Limit(_) => refusal(431, "bad_request", &error.to_string()),
            _ => refusal(400, "bad_request", &error.to_string()),
        };
        let Some((_, body, content)) = &mut self.open else {
            let Some((head, used)) = self.reader.push(bytes).map_err(malformed)? else {
                return Ok(bytes.len());
            };
            let body = Body::of_request(&head).map_err(malformed)?;
            if 0 < head.version_minor && head.fields.all("Host").count() != 1 {
                return Err(refusal(
                    400,
                    "bad_request",
                    "the request must name one `Host`",
                ));
            }
            if body
                .announced()
                .is_some_and(|length| (BODY_BYTES_MAX as u64) < length)
            {
                return Err(too_large());
            }
            // RFC 9110 §10.1.1: a client that waits for leave gets it, unless the body is here already.
            let is_waiting =
                0 < head.version_minor && head.fields.has_element("Expect", "100-continue");
            if is_waiting && !body.is_done() && used == bytes.len() {
                _ = write_response_head(100, &[], Framing::Nothing, &mut self.out);
            }
            self.open = Some((head, body, Vec::new()));
            self.answer_if_whole(unix_seconds);
            return Ok(used);
        };
        let used = body.push(bytes, content).map_err(malformed)?;
        if BODY_BYTES_MAX < content.len() {
            return Err(too_large());
        }
        self.answer_if_whole(unix_seconds);
        Ok(used)
    }

    fn answer_if_whole(&mut self, unix_seconds: i64) {
        let Some((head, body, content)) = self.open.take() else {
            return;
        };
        if !body.is_done() {
            self.open = Some((head, body, content));
            return;
        }
        self.is_closing = !head.is_persistent();
        let response = self.answer(&head, &content, unix_seconds);
        self.write(&response, head.method != "HEAD");
    }

    fn answer(&mut self, head: &RequestHead, content: &[u8], unix_seconds: i64) -> Response {
        let path = path_of(&head.target);
        let allow = match path {
            "/models" => "GET, HEAD, OPTIONS",
            "/chat/completions" => "POST, OPTIONS",
            _ => {
                return refusal(
                    404,
                    "bad_request",
                    "there are `/chat/completions` and `/models`, with or without `/v1`",
                );
            }
        };
        match (head.method.as_str(), path) {
            ("GET" | "HEAD", "/models") => Response::json(200, &models()),
            ("POST", "/chat/completions") => self.complete(content, unix_seconds),
            ("OPTIONS", _) => Response {
                status: 204,
                content_type: "",
                allow: Some(allow),
                body: Vec::new(),
            },
            _ => {
                let mut refusal = refusal(405, "bad_request", "this path takes another method");
                refusal.allow = Some(allow);
                refusal
            }
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
        let is_streamed = request.get("stream").and_then(Value::as_bool) == Some(true);
        let said = match respond::respond(&request, self.tools) {
            respond::Said::Unable(why) => return refusal(501, UNABLE, &why),
            // A stream can show what the call said, all its lines, before it ends in an error.
            respond::Said::Failed(text) if !is_streamed => {
                return refusal(501, UNABLE, &format!("{text}; {}", respond::NO_WAY_ON));
            }
            said => said,
        };
        let messages = request.get("messages").and_then(Value::as_array);
        let completion = completion::Completion {
            number: messages.map_or(0, <[Value]>::len),
            unix_seconds,
            prompt_bytes: content.len(),
            said,
        };
        if is_streamed {
            let has_usage = request
                .pointer("/stream_options/include_usage")
                .and_then(Value::as_bool)
                == Some(true);
            Response {
                status: 200,
                content_type: "text/event-stream",
                allow: None,
                body: completion.stream(has_usage),
            }
        } else {
            Response::json(200, &completion.whole())
        }
    }

    fn write(&mut self, response: &Response, has_body: bool) {
        let connection = if self.is_closing {
            "close"
        } else {
            "keep-alive"
        };
        let mut fields = vec![("Connection", connection), ("Cache-Control", "no-cache")];
        if !response.content_type.is_empty() {
            fields.push(("Content-Type", response.content_type));
        }
        fields.extend(response.allow.map(|methods| ("Allow", methods)));
        // RFC 9110 §8.6: an answer without content has no length either.
        let framing = match response.status {
            204 => Framing::Nothing,
            _ => Framing::Length(response.body.len() as u64),
        };
        // All names and values are our own, so that the head is always well formed.
        _ = write_response_head(response.status, &fields, framing, &mut self.out);
        if has_body {
            self.out.extend_from_slice(&response.body);
        }
    }
}

/// The path of a request's target without its query and `/v1`; a target may be a whole URL (RFC 9112 §3.2.2).
fn path_of(target: &str) -> &str {
    let path = match target.split_once("://") {
        Some((_, rest)) if !target.starts_with('/') => {
            rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/")
        }
        _ => target,
    };
    let path = path.split('?').next().unwrap_or_default();
    path.strip_prefix("/v1").unwrap_or(path)
}

fn too_large() -> Response {
    let message = format!(
        "the request is larger than {} MiB",
        BODY_BYTES_MAX / (1024 * 1024)
    );
    refusal(413, "payload_too_large", &message)
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
    Response::json(status, &error(code, message))
}

/// An error as the dialect writes it.
fn error(code: &str, message: &str) -> Value {
    object! { "error": object! { "message": message, "type": code, "code": code } }
}

#[cfg(test)]
mod tests;
