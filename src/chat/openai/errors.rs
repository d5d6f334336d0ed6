//! What servers say instead of an answer: status and body → a fault with its kind, its text and a remedy.

mod body;
mod classify;

use crate::chat::openai::errors::body::Said;
use crate::chat::{Fault, Kind};
use crate::http::retry::asked_wait;
use crate::json::Value;
use crate::text::one_line;
use crate::wire::ResponseHead;

/// Bytes of an error's body that are read.
pub(crate) const ERROR_BODY_BYTES_MAX: usize = 64 * 1024;
/// Cells of what a server says that are shown.
const SAID_CELLS_MAX: usize = 300;
/// Cells of a request id that are shown.
const ID_CELLS_MAX: usize = 80;
/// The fields that name a request, the endpoint's own first.
const ID_FIELDS: [&str; 3] = ["x-request-id", "x-github-request-id", "request-id"];

/// Whom a request went to, for messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    /// The server, and the proxy with its variable: `` `http://host:port` ``.
    pub(crate) route: String,
    /// The path that was asked for.
    pub(crate) path: String,
    /// The wall clock, seconds since 1970: a server may name a date to wait for.
    pub(crate) now: i64,
}

/// The fault that a response without an answer is.
pub(crate) fn of_response(head: &ResponseHead, body: &[u8], source: &Source) -> Fault {
    let said = Said::read(body);
    let kind = classify::kind_of_status(head.status, &said);
    fault(kind, head, &said, source)
}

/// The member of the request that a refusal names as the cause, and its words, both in lower case.
pub(super) fn param_and_words(body: &[u8]) -> (String, String) {
    let said = Said::read(body);
    (said.param.to_lowercase(), said.words())
}

/// The fault that an error inside a response with status 200 is.
pub(super) fn of_value(error: &Value, head: &ResponseHead, source: &Source) -> Fault {
    let said = Said::of_value(error);
    let kind = classify::kind_of_words(&said);
    fault(kind, head, &said, source)
}

/// The same for an error that is no JSON.
pub(super) fn of_text(text: &str, head: &ResponseHead, source: &Source) -> Fault {
    let said = Said::read(text.as_bytes());
    let kind = classify::kind_of_words(&said);
    fault(kind, head, &said, source)
}

/// A page where JSON was expected.
pub(super) fn unexpected_content(head: &ResponseHead, body: &[u8], source: &Source) -> Fault {
    let said = Said::read(body);
    let declared = head.fields.get("Content-Type").unwrap_or("no content type");
    let what = if said.is_page {
        format!(
            "a web page came instead of an answer ({})",
            said.text_or("it has no title")
        )
    } else {
        format!(
            "what came is no answer ({}: {})",
            one_line(declared, 60),
            said.text_or("nothing readable")
        )
    };
    let remedy = if said.is_page {
        "is this the endpoint's address, and does no proxy or sign-in page stand in between?"
    } else {
        "is this the endpoint's address? some need a path such as `/v1`"
    };
    finish(Kind::UnexpectedContentType, head, &what, remedy, source)
}

/// A body in a coding that was not asked for, and that we do not read.
pub(super) fn unsupported_encoding(head: &ResponseHead, coding: &str, source: &Source) -> Fault {
    let what = format!(
        "the answer is coded as `{}`, which was not asked for",
        one_line(coding, 40)
    );
    let remedy = "turn compression off in the server or proxy";
    finish(Kind::UnsupportedEncoding, head, &what, remedy, source)
}

/// Any other fault of a response: `what` and `remedy` in our words.
pub(super) fn finish(
    kind: Kind,
    head: &ResponseHead,
    what: &str,
    remedy: &str,
    source: &Source,
) -> Fault {
    let id = request_id(head);
    let mut message = format!("{}: {what}", source.asked());
    if !remedy.is_empty() {
        message.push_str("; ");
        message.push_str(remedy);
    }
    if let Some(id) = &id {
        message.push_str(" (request id ");
        message.push_str(id);
        message.push(')');
    }
    let mut fault = Fault::new(kind, message);
    fault.status = Some(head.status);
    fault.request_id = id;
    fault
}

impl Source {
    fn asked(&self) -> String {
        format!("asking {} for `{}`", self.route, self.path)
    }
}

fn fault(kind: Kind, head: &ResponseHead, said: &Said, source: &Source) -> Fault {
    let reason = one_line(&head.reason, 60);
    let status = match head.status {
        200..=299 => "the server reports an error".to_owned(),
        status if reason.is_empty() => format!("status {status}"),
        status => format!("status {status} {reason}"),
    };
    let mut what = match said.text_or("").as_str() {
        "" => status,
        text => format!("{status}: {text}"),
    };
    if !said.code.is_empty() && !said.text.contains(&said.code) {
        what = format!("{what} (`{}`)", one_line(&said.code, 60));
    }
    let wait = asked_wait(&head.fields, source.now);
    let remedy = classify::remedy(kind, head.status, said, wait, source);
    let mut fault = finish(kind, head, &what, &remedy, source);
    fault.retry_after = wait;
    fault.limit_tokens = classify::limit_tokens(kind, said);
    fault
}

/// What the server calls the request.
fn request_id(head: &ResponseHead) -> Option<String> {
    ID_FIELDS
        .into_iter()
        .find_map(|name| head.fields.get(name))
        .filter(|id| !id.is_empty())
        .map(|id| one_line(id, ID_CELLS_MAX))
}
