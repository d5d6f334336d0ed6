//! What the built-in endpoint says: a deterministic answer to one chat-completions request.

use crate::json::{Value, object};
use crate::offline::fill::{FOUND_THOUSANDTHS, Filled, NEAR_THOUSANDTHS, fill};
use crate::tool::{FIND_TOOLS, Tool};

/// What to answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    Call {
        name: String,
        arguments: Value,
    },
    Text(String),
    /// It cannot serve this; the text says why and what to set.
    Unable(String),
}

/// What is said about the remedy.
const REMEDY: &str = "the built-in endpoint is no language model: it runs tools on plain requests; \
                      for more set `endpoint.url` or `--endpoint URL` to a chat-completions endpoint";

/// Answers `request`, knowing the examples of `tools`.
pub(crate) fn respond(request: &Value, tools: &'static [Tool]) -> Said {
    let messages = request
        .get("messages")
        .and_then(Value::as_array)
        .unwrap_or_default();
    let Some(last) = messages.last() else {
        return Said::Unable("the request has no messages".to_owned());
    };
    let asked = messages.iter().rposition(|message| role(message) == "user");
    let question = asked.map_or_else(String::new, |at| text_of(&messages[at]));
    let since = &messages[asked.map_or(0, |at| at + 1)..];
    let sent = sent(request, tools);
    match role(last) {
        "tool" => after_results(&question, since, &sent),
        "user" => at_first(&question, request, &sent),
        other => Said::Unable(format!("the last message is of role `{other}`; {REMEDY}")),
    }
}

/// The built-in tools that the request offers.
fn sent(request: &Value, tools: &'static [Tool]) -> Vec<&'static Tool> {
    let offered = request
        .get("tools")
        .and_then(Value::as_array)
        .unwrap_or_default();
    let names: Vec<&str> = offered
        .iter()
        .filter_map(|tool| tool.pointer("/function/name").and_then(Value::as_str))
        .collect();
    tools
        .iter()
        .filter(|tool| names.contains(&tool.name))
        .collect()
}

fn role(message: &Value) -> &str {
    message
        .get("role")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The text of a message: a string, or the text parts of a list.
fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => parts
            .iter()
            .filter_map(|part| part.get("text").and_then(Value::as_str))
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}

/// The answer to a person's line.
fn at_first(question: &str, request: &Value, sent: &[&'static Tool]) -> Said {
    if question.contains("<stdin>") {
        return Said::Unable(format!(
            "it cannot read the data on standard input; {REMEDY}"
        ));
    }
    let others: Vec<&'static Tool> = sent
        .iter()
        .copied()
        .filter(|tool| tool.name != FIND_TOOLS)
        .collect();
    if let Some(query) = searched_for(question) {
        return search(&query, request);
    }
    match fill(question, &others, NEAR_THOUSANDTHS) {
        Some(filled) => say(filled),
        None => search(question, request),
    }
}

/// What "find tools for …" asks for.
fn searched_for(question: &str) -> Option<String> {
    let lower = question.trim().to_lowercase();
    [
        "find tools for ",
        "find tools to ",
        "find a tool for ",
        "find a tool to ",
        "search tools for ",
    ]
    .iter()
    .find_map(|start| lower.strip_prefix(start))
    .map(|rest| rest.trim_end_matches(['.', '?', '!']).to_owned())
    .filter(|rest| !rest.is_empty())
}

/// Searches the catalog, if the request offers the search.
fn search(query: &str, request: &Value) -> Said {
    let offered = request
        .get("tools")
        .and_then(Value::as_array)
        .unwrap_or_default();
    if offered
        .iter()
        .any(|tool| tool.pointer("/function/name").and_then(Value::as_str) == Some(FIND_TOOLS))
    {
        return Said::Call {
            name: FIND_TOOLS.to_owned(),
            arguments: object! { "query": query },
        };
    }
    Said::Unable(format!("it knows no tool for this; {REMEDY}"))
}

fn say(filled: Filled) -> Said {
    match filled {
        Filled::Call { name, arguments } => Said::Call {
            name: name.to_owned(),
            arguments,
        },
        Filled::Lacks { name, argument } => Said::Unable(format!(
            "`{name}` fits, but the request holds no value for `{argument}`: say which; {REMEDY}"
        )),
    }
}

/// The answer once calls came back: what they said, or after a search the call that was searched for.
fn after_results(question: &str, since: &[Value], sent: &[&'static Tool]) -> Said {
    let called = since
        .iter()
        .rev()
        .find(|message| role(message) == "assistant")
        .and_then(|message| message.pointer("/tool_calls/0/function/name"))
        .and_then(Value::as_str)
        .unwrap_or_default();
    let last_call = since
        .iter()
        .rposition(|message| role(message) == "assistant")
        .map_or(0, |at| at + 1);
    let results: Vec<String> = since[last_call..].iter().map(text_of).collect();
    let results = results.join("\n");
    if called != FIND_TOOLS || searched_for(question).is_some() {
        return Said::Text(results);
    }
    let others: Vec<&'static Tool> = sent
        .iter()
        .copied()
        .filter(|tool| tool.name != FIND_TOOLS)
        .collect();
    match fill(question, &others, FOUND_THOUSANDTHS) {
        Some(filled) => say(filled),
        None => Said::Unable(format!("no tool fits this; {REMEDY}")),
    }
}
