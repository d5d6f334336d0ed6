//! Messages, tools and the rest of a request's body as JSON.

use crate::chat::openai::Quirks;
use crate::chat::prompt::Options;
use crate::chat::prompt::bytes::{Mark, Marks};
use crate::chat::{Reasoning, ToolCall};
use crate::json::{Object, Value, object, parse, write, write_string};

/// The body up to the first message.
pub(super) fn front(options: &Options<'_>) -> Vec<u8> {
    let mut out = b"{".to_vec();
    if let Some(model) = options.model {
        out.extend_from_slice(b"\"model\":");
        write_string(model, &mut out);
        out.push(b',');
    }
    out.extend_from_slice(b"\"messages\":[");
    out
}

/// The body from the end of the last array.
pub(super) fn back(options: &Options<'_>, quirks: Quirks) -> Vec<u8> {
    let mut out = b"]".to_vec();
    if options.is_streaming {
        out.extend_from_slice(b",\"stream\":true");
        if !quirks.has_no_stream_options {
            out.extend_from_slice(b",\"stream_options\":{\"include_usage\":true}");
        }
    } else {
        out.extend_from_slice(b",\"stream\":false");
    }
    if let Some(limit) = options.max_tokens {
        let name: &[u8] = if quirks.has_completion_limit {
            b",\"max_completion_tokens\":"
        } else {
            b",\"max_tokens\":"
        };
        out.extend_from_slice(name);
        write(&Value::from(limit), &mut out);
    }
    out.push(b'}');
    out
}

/// A message of text. Back ends refuse an empty one.
pub(super) fn text(role: &str, text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"role\":\"");
    out.extend_from_slice(role.as_bytes());
    out.extend_from_slice(b"\",\"content\":");
    content(text, "(empty)", out);
    out.push(b'}');
}

/// Adds to a message that [`text`] wrote, after an empty line.
pub(super) fn add_text(text: &str, message: &mut Vec<u8>) {
    message.truncate(message.len().saturating_sub(b"\"}".len()));
    message.extend_from_slice(b"\\n\\n");
    // The quote that opens the new string is written over the last byte so far, which is put back.
    let last = message.pop();
    let at = message.len();
    content(text, "(empty)", message);
    if let (Some(last), Some(quote)) = (last, message.get_mut(at)) {
        *quote = last;
    }
    message.push(b'}');
}

/// The reply to a call: a plain string, never empty.
pub(super) fn reply(call_id: &str, text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"role\":\"tool\",\"tool_call_id\":");
    write_string(call_id, out);
    out.extend_from_slice(b",\"content\":");
    content(text, "(no output)", out);
    out.push(b'}');
}

/// An answer with calls or with thoughts. `text`: the message that is its text alone, if there is any. `ids` are those of
/// the calls.
pub(super) fn answer(
    text: Option<&[u8]>,
    calls: &[ToolCall],
    ids: &[String],
    reasoning: Option<&Reasoning>,
    out: &mut Vec<u8>,
    marks: &mut Marks,
) {
    if let Some(text) = text {
        out.extend_from_slice(text.strip_suffix(b"}").unwrap_or(text));
    } else {
        out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":");
        let start = out.len();
        out.extend_from_slice(b"null");
        marks.push((Mark::NoContent, start..out.len()));
    }
    if !calls.is_empty() {
        out.extend_from_slice(b",\"tool_calls\":[");
        for (place, (call, id)) in calls.iter().zip(ids).enumerate() {
            if place > 0 {
                out.push(b',');
            }
            self::call(call, id, out, marks);
        }
        out.push(b']');
    }
    if let Some(reasoning) = reasoning {
        own(&reasoning.members, out, marks);
    }
    out.push(b'}');
}

fn call(call: &ToolCall, id: &str, out: &mut Vec<u8>, marks: &mut Marks) {
    out.extend_from_slice(b"{\"id\":");
    write_string(id, out);
    out.extend_from_slice(b",\"type\":\"function\",\"function\":{\"name\":");
    write_string(&call.name, out);
    out.extend_from_slice(b",\"arguments\":");
    // Servers parse them again: what is no JSON object would be refused with every further request.
    let is_object = matches!(parse(call.arguments.as_bytes()), Ok(Value::Object(_)));
    write_string(if is_object { &call.arguments } else { "{}" }, out);
    own(&call.function_extra, out, marks);
    out.push(b'}');
    own(&call.extra, out, marks);
    out.push(b'}');
}

/// Members that only the model that made them understands.
fn own(members: &Object, out: &mut Vec<u8>, marks: &mut Marks) {
    let start = out.len();
    for (name, value) in members.iter() {
        out.push(b',');
        write_string(name, out);
        out.push(b':');
        write(value, out);
    }
    if out.len() > start {
        marks.push((Mark::Own, start..out.len()));
    }
}

/// A tool. A schema that says nothing becomes one without arguments: servers want both members.
pub(super) fn tool(name: &str, about: &str, parameters: &Value, out: &mut Vec<u8>) {
    let mut parameters = parameters.clone();
    match &mut parameters {
        Value::Object(schema) => {
            if !schema.contains_key("type") {
                schema.insert("type", "object");
            }
            if !schema.contains_key("properties") {
                schema.insert("properties", object! {});
            }
        }
        other => *other = object! { "type": "object", "properties": object! {} },
    }
    let tool = object! {
        "type": "function",
        "function": object! { "name": name, "description": about, "parameters": parameters },
    };
    write(&tool, out);
}

/// A string; `otherwise` where it is blank. NUL poisons the history at some back ends.
fn content(text: &str, otherwise: &str, out: &mut Vec<u8>) {
    if text.trim().is_empty() {
        write_string(otherwise, out);
    } else if text.contains('\0') {
        write_string(&text.replace('\0', "\u{fffd}"), out);
    } else {
        write_string(text, out);
    }
}
