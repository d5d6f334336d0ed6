//! What a run came to: the last object of the JSON formats.

use crate::json::{Object, Value, object};

/// The version of the JSON that runs print.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Summary {
    pub(crate) exit_code: u8,
    pub(crate) status: &'static str,
    /// The last answer, or as much of it as came.
    pub(crate) text: String,
    pub(crate) model: Option<String>,
    pub(crate) endpoint: Option<String>,
    pub(crate) usage: Tokens,
    /// Requests for answers, repeated ones too.
    pub(crate) requests: u64,
    /// Names of the tools that requests carry.
    pub(crate) sent: Vec<String>,
    /// Those of them that were loaded.
    pub(crate) loaded: Vec<String>,
    /// Estimated tokens of all their schemas.
    pub(crate) schema_tokens: u64,
    /// Kind and message; there exactly where the exit code is not 0.
    pub(crate) error: Option<(&'static str, String)>,
}

/// Tokens as endpoints reported them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) prompt: u64,
    pub(crate) completion: u64,
    pub(crate) cached: u64,
}

/// The `result` object, its members in the documented order.
pub(super) fn result_object(summary: &Summary) -> Object {
    let names = |list: &[String]| {
        list.iter()
            .map(|name| Value::from(name.as_str()))
            .collect::<Vec<_>>()
    };
    let usage = object! {
        "prompt_tokens": summary.usage.prompt, "completion_tokens": summary.usage.completion,
        "cached_tokens": summary.usage.cached,
    };
    let tools = object! {
        "sent": names(&summary.sent), "loaded": names(&summary.loaded), "tokens": summary.schema_tokens,
    };
    let mut result = Object::new();
    result.insert("type", "result");
    result.insert("schema_version", SCHEMA_VERSION);
    result.insert("status", summary.status);
    result.insert("exit_code", u32::from(summary.exit_code));
    result.insert("text", summary.text.as_str());
    result.insert("session_id", Value::Null);
    result.insert("model", summary.model.as_deref().map(Value::from));
    result.insert("endpoint", summary.endpoint.as_deref().map(Value::from));
    result.insert("usage", usage);
    result.insert("requests", summary.requests);
    result.insert("tools", tools);
    if let Some((kind, message)) = &summary.error {
        result.insert(
            "error",
            object! { "kind": *kind, "message": message.as_str() },
        );
    }
    result
}
