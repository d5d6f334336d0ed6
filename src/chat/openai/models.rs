//! The list of models, read so that one strange entry spoils nothing.

use crate::chat::openai::errors::{Source, finish, of_response, unexpected_content};
use crate::chat::{Fault, Kind};
use crate::json::{Value, parse};
use crate::wire::ResponseHead;

/// A model that an endpoint offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) id: String,
    /// Who makes it, where the endpoint says so.
    pub(crate) vendor: Option<String>,
    /// Whether it answers chat completions.
    pub(crate) is_chat: bool,
    /// Whether it may be used: its terms are accepted, and pickers should show it.
    pub(crate) is_usable: bool,
    /// The endpoint's own choice where none is made.
    pub(crate) is_default: bool,
    /// Tokens that a prompt may have.
    pub(crate) prompt_limit: Option<u64>,
    /// Tokens that an answer may have.
    pub(crate) output_limit: Option<u64>,
    /// Whether it can call tools, where the endpoint says so.
    pub(crate) has_tools: Option<bool>,
    /// Whether it can stream, where the endpoint says so.
    pub(crate) has_streaming: Option<bool>,
}

/// The models in a response to `GET …/models`. An entry that cannot be read is left out; no list at all is a fault.
pub(crate) fn read_models(
    head: &ResponseHead,
    body: &[u8],
    source: &Source,
) -> Result<Vec<Model>, Fault> {
    if !(200..300).contains(&head.status) {
        return Err(of_response(head, body, source));
    }
    let Ok(value) = parse(body) else {
        return Err(unexpected_content(head, body, source));
    };
    // Bare arrays and `models` exist beside the usual `data`.
    let list = [value.get("data"), value.get("models"), Some(&value)]
        .into_iter()
        .flatten()
        .find_map(Value::as_array);
    match list {
        Some(entries) => Ok(entries.iter().filter_map(read_model).collect()),
        None if value.get("error").is_some() => Err(super::errors::of_value(&value, head, source)),
        None => Err(finish(
            Kind::Protocol,
            head,
            "the answer has no list of models",
            "choose a model with `-m`",
            source,
        )),
    }
}

/// The model to use where none was chosen: the endpoint's own choice, else the first that can be used for chat.
pub(crate) fn default_model(models: &[Model]) -> Option<&Model> {
    let usable = || {
        models
            .iter()
            .filter(|model| model.is_chat && model.is_usable)
    };
    usable()
        .find(|model| model.is_default)
        .or_else(|| usable().find(|model| model.has_tools != Some(false)))
        .or_else(|| usable().next())
}

fn read_model(entry: &Value) -> Option<Model> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let id = text("id").or_else(|| text("name"))?;
    if id.is_empty() {
        return None;
    }
    let ability = |name: &str| {
        entry
            .pointer("/capabilities/supports")
            .and_then(|supports| supports.get(name))
            .and_then(Value::as_bool)
    };
    let flag = |name: &str| entry.get(name).and_then(Value::as_bool);
    let is_accepted = entry
        .pointer("/policy/state")
        .and_then(Value::as_str)
        .is_none_or(|state| state == "enabled");
    Some(Model {
        id: id.to_owned(),
        vendor: text("vendor")
            .or_else(|| text("owned_by"))
            .map(str::to_owned),
        is_chat: is_chat(entry, id),
        is_usable: is_accepted && flag("model_picker_enabled") != Some(false),
        is_default: flag("is_chat_default") == Some(true),
        prompt_limit: prompt_limit(entry),
        output_limit: number(entry, "/capabilities/limits/max_output_tokens"),
        has_tools: ability("tool_calls"),
        has_streaming: ability("streaming"),
    })
}

fn number(entry: &Value, path: &str) -> Option<u64> {
    entry
        .pointer(path)
        .and_then(Value::as_u64)
        .filter(|number| *number > 0)
}

/// The limit for a prompt; the window only where nothing nearer is named.
fn prompt_limit(entry: &Value) -> Option<u64> {
    let limits = "/capabilities/limits";
    let window = || {
        let window = number(entry, &format!("{limits}/max_context_window_tokens"))?;
        let output = number(entry, &format!("{limits}/max_output_tokens")).unwrap_or(0);
        window.checked_sub(output).filter(|left| *left > 0)
    };
    number(entry, &format!("{limits}/max_prompt_tokens"))
        .or_else(window)
        .or_else(|| number(entry, "/max_model_len"))
        .or_else(|| number(entry, "/meta/n_ctx"))
        .or_else(|| number(entry, "/meta/n_ctx_train"))
        .or_else(|| number(entry, "/loaded_context_length"))
        .or_else(|| number(entry, "/max_context_length"))
        .or_else(|| number(entry, "/context_length"))
        .or_else(|| number(entry, "/context_window"))
}

/// Whether chat completions can be asked of it. What says nothing of itself is taken at its name.
fn is_chat(entry: &Value, id: &str) -> bool {
    if let Some(endpoints) = entry
        .get("supported_endpoints")
        .and_then(Value::as_array)
        .filter(|endpoints| !endpoints.is_empty())
        && !endpoints
            .iter()
            .filter_map(Value::as_str)
            .any(|endpoint| endpoint.ends_with("/chat/completions"))
    {
        return false;
    }
    if let Some(kind) = entry.pointer("/capabilities/type").and_then(Value::as_str) {
        return kind == "chat";
    }
    let kind = entry
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let words = [id.to_lowercase(), kind.to_lowercase()];
    let others = ["embed", "rerank", "whisper", "tts-", "dall-e", "moderation"];
    !words
        .iter()
        .any(|word| others.iter().any(|other| word.contains(other)))
}
