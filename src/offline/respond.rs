//! What the built-in endpoint says: a deterministic answer to one chat-completions request.

use crate::json::{Value, object};
use crate::offline::fill::{FOUND_THOUSANDTHS, Filled, NEAR_THOUSANDTHS, fill};
use crate::offline::material::with_kinds;
use crate::offline::speech::{strip_courtesy, wants_introduction};
use crate::tool::{FAILED, FIND_TOOLS, NOT_RUN, Tool};

/// What to answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    Call {
        name: String,
        arguments: Value,
    },
    Text(String),
    /// A call failed, and this is what it said; a model would try otherwise, but nothing here can.
    Failed(String),
    /// It cannot serve this; the text says why and what to set.
    Unable(String),
}

/// What follows on a failed call.
pub(crate) const NO_WAY_ON: &str = "the call failed, and the built-in endpoint is no language model that could go on from there; for more set \
     `endpoint.url` or `--endpoint URL` to a chat-completions endpoint";

/// What is said about the remedy, once in a conversation.
const REMEDY: &str = "the built-in endpoint is no language model: it runs tools on plain requests, one at a time, with commands \
                      and texts in quotes (`help` shows some); for more set `endpoint.url` or `--endpoint URL` to a \
                      chat-completions endpoint";
/// The same to whoever was told.
const REMINDER: &str = "`help` shows what can be asked; for more set `endpoint.url`";
/// What each long form says, and no short one.
const TOLD: &str = "built-in endpoint is no language model";

/// Answers `request`, knowing the examples of `tools`.
pub(crate) fn respond(request: &Value, tools: &'static [Tool]) -> Said {
    let messages = request
        .get("messages")
        .and_then(Value::as_array)
        .unwrap_or_default();
    let Some(last) = messages.last() else {
        return unable("the request has no messages");
    };
    let format = request
        .pointer("/response_format/type")
        .and_then(Value::as_str);
    if format.is_some_and(|format| format != "text") {
        return unable("it cannot answer in a format that is asked for");
    }
    let asked = messages.iter().rposition(|message| role(message) == "user");
    let question = asked.map_or_else(String::new, |at| text_of(&messages[at]));
    let since = &messages[asked.map_or(0, |at| at + 1)..];
    let offer = Offer::read(request, tools);
    let said = match role(last) {
        "tool" => after_results(&question, since, &offer),
        "user" if wants_introduction(&question) => introduce(&offer),
        "user" => at_first(&question, &offer),
        _ => unable("the last message is neither a person's nor a tool's"),
    };
    let mut answers = messages
        .iter()
        .filter(|message| role(message) == "assistant");
    match said {
        Said::Unable(why) if answers.any(|answer| text_of(answer).contains(TOLD)) => {
            Said::Unable(why.replace(REMEDY, REMINDER))
        }
        said => said,
    }
}

/// Who answers here, and for each tool that was sent a request that it serves.
fn introduce(offer: &Offer<'_>) -> Said {
    let served = offer.tools.iter().filter_map(|(tool, _)| {
        let examples = (tool.contract.examples)();
        let is_served = |query: &&str| {
            matches!(at_first(query, offer), Said::Call { name, .. } if name == tool.name)
        };
        examples.iter().map(|(_, query)| *query).find(is_served)
    });
    let served: Vec<String> = served.map(|query| format!("- {query}\n")).collect();
    if served.is_empty() {
        return unable("no tools were sent that it knows");
    }
    Said::Text(format!(
        "The {TOLD}. It runs tools on plain requests, one at a time, such as:\n\n{}\nFor more set `endpoint.url` or \
         `--endpoint URL` to a chat-completions endpoint.",
        served.concat()
    ))
}

/// It cannot serve this because of `why`.
fn unable(why: &str) -> Said {
    Said::Unable(format!("{why}; {REMEDY}"))
}

/// The built-in tools that a request offers, each with the parameters that its sender states.
struct Offer<'a> {
    /// All there are, offered or not.
    known: &'static [Tool],
    tools: Vec<(&'static Tool, Option<&'a Value>)>,
}

impl<'a> Offer<'a> {
    fn read(request: &'a Value, tools: &'static [Tool]) -> Self {
        let choice = request.get("tool_choice");
        let only = choice
            .and_then(|choice| choice.pointer("/function/name"))
            .and_then(Value::as_str);
        if choice.and_then(Value::as_str) == Some("none") {
            return Self {
                known: tools,
                tools: Vec::new(),
            };
        }
        let offered = request
            .get("tools")
            .and_then(Value::as_array)
            .unwrap_or_default();
        let sent = offered.iter().filter_map(|tool| {
            let function = tool.get("function")?;
            let name = function.get("name").and_then(Value::as_str)?;
            Some((name, function.get("parameters")))
                .filter(|_| only.is_none_or(|only| only == name))
        });
        let sent: Vec<(&str, Option<&Value>)> = sent.collect();
        let known = tools.iter().filter_map(|tool| {
            let (_, parameters) = sent.iter().find(|(name, _)| *name == tool.name)?;
            Some((tool, *parameters))
        });
        Self {
            known: tools,
            tools: known.collect(),
        }
    }

    /// All but the search.
    fn tools(&self) -> Vec<&'static Tool> {
        let tools = self.tools.iter().map(|(tool, _)| *tool);
        tools.filter(|tool| tool.name != FIND_TOOLS).collect()
    }

    /// The call, if the sender's tool of that name takes such arguments: another program's may be quite another tool.
    fn call(&self, name: &str, arguments: Value) -> Said {
        let Some((tool, parameters)) = self.tools.iter().find(|(tool, _)| tool.name == name) else {
            return unable("no tool that was sent fits this");
        };
        let given = arguments.as_object().cloned().unwrap_or_default();
        let is_fit = parameters.is_none_or(|parameters| {
            let properties = parameters.get("properties").and_then(Value::as_object);
            let required = parameters
                .get("required")
                .and_then(Value::as_array)
                .unwrap_or_default();
            given
                .keys()
                .all(|key| properties.is_some_and(|known| known.get(key).is_some()))
                && required
                    .iter()
                    .filter_map(Value::as_str)
                    .all(|key| given.get(key).is_some())
        });
        if !is_fit || (tool.contract.bind)(&arguments).is_err() {
            return unable(&format!(
                "the tool `{name}` that was sent takes other arguments"
            ));
        }
        Said::Call {
            name: name.to_owned(),
            arguments,
        }
    }

    fn say(&self, filled: Filled) -> Said {
        match filled {
            Filled::Call { name, arguments } => self.call(name, arguments),
            Filled::Lacks { name, argument } => unable(&format!(
                "`{name}` fits, but the request holds no value for `{argument}`: say which"
            )),
        }
    }

    /// Searches the catalog, if the search is offered and takes so long a query.
    fn search(&self, query: &str) -> Said {
        match self.call(FIND_TOOLS, object! { "query": query }) {
            Said::Unable(_) => unable("it knows no tool for this"),
            call => call,
        }
    }

    /// What a request to find tools ("find tools for …") asks for, by the examples of the search itself: their words up to the query.
    fn searched_for(&self, question: &str) -> Option<String> {
        let (tool, _) = self
            .tools
            .iter()
            .find(|(tool, _)| tool.name == FIND_TOOLS)?;
        let (question, _) = strip_courtesy(question);
        (tool.contract.examples)()
            .iter()
            .find_map(|(arguments, example)| {
                let start =
                    example.strip_suffix(arguments.get("query").and_then(Value::as_str)?)?;
                let head = question.get(..start.len())?;
                let rest = question
                    .get(start.len()..)?
                    .trim()
                    .trim_end_matches(['.', '?', '!']);
                (head.eq_ignore_ascii_case(start) && !start.is_empty() && !rest.is_empty())
                    .then(|| rest.to_owned())
            })
    }
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
fn at_first(question: &str, offer: &Offer<'_>) -> Said {
    if question.contains("<stdin>") {
        return unable("it cannot read the data on standard input");
    }
    if let Some(query) = offer.searched_for(question) {
        return offer.search(&query);
    }
    match fill(question, offer.known, &offer.tools(), NEAR_THOUSANDTHS) {
        Some(filled) => offer.say(filled),
        None => offer.search(&with_kinds(question)),
    }
}

/// The answer once calls came back: what they said, or after a search the call that was searched for.
fn after_results(question: &str, since: &[Value], offer: &Offer<'_>) -> Said {
    let at = since
        .iter()
        .rposition(|message| role(message) == "assistant");
    let call = at.and_then(|at| since.get(at)?.pointer("/tool_calls/0/function"));
    let member = |name| {
        call.and_then(|call| call.get(name))
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let (called, arguments) = (member("name"), member("arguments"));
    if called == FIND_TOOLS && offer.searched_for(question).is_none() {
        return match fill(question, offer.known, &offer.tools(), FOUND_THOUSANDTHS) {
            Some(filled) => offer.say(filled),
            None => unable("no tool fits this"),
        };
    }
    let results = since.get(at.map_or(0, |at| at + 1)..).unwrap_or_default();
    let results: Vec<String> = results.iter().map(text_of).collect();
    let text = results.join("\n");
    if let Some(why) = text.strip_prefix(FAILED) {
        return Said::Failed(format!("`{called}` failed: {}", why.trim()));
    }
    if let Some(why) = text.strip_prefix(NOT_RUN) {
        // What follows is advice to a model.
        let why = why.split(';').next().unwrap_or(why).trim();
        return Said::Text(format!("`{called}` was not run with {arguments}: {why}"));
    }
    if text.trim().is_empty() {
        return Said::Text(format!("`{called}` ran and had nothing to say"));
    }
    Said::Text(text)
}
