//! What is sent to the model: messages and tools, each encoded once, kept as bytes and appended to.
//!
//! The order that endpoints insist on holds by construction: one system message in front, neighbours of one role merged,
//! every call answered exactly once, directly behind its message and in the order of the calls. What a cancelled turn left
//! open is closed before anything else is added or sent.

mod bytes;
mod encode;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::chat::openai::Quirks;
use crate::chat::prompt::bytes::{Bytes, Mark};
use crate::chat::{Message, Reasoning, ToolCall};
use crate::json::Value;

/// The answer to a call that never ran.
pub(crate) const CANCELLED: &str = "(cancelled)";

/// What a request says beside messages and tools.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options<'a> {
    /// Left out if none was chosen.
    pub(crate) model: Option<&'a str>,
    pub(crate) is_streaming: bool,
    /// Left out unless the user set it.
    pub(crate) max_tokens: Option<u64>,
    /// Whether the tools are sent.
    pub(crate) has_tools: bool,
}

/// The prompt of a conversation.
#[derive(Debug, Default)]
pub(crate) struct Prompt {
    system: Option<Arc<Vec<u8>>>,
    messages: Bytes,
    tools: Bytes,
    tool_names: Vec<String>,
    /// The message that may still grow, if its successor has the same role.
    open: Option<Open>,
    /// Calls of the last answer that wait for replies.
    pending: Vec<Pending>,
    /// The model that thoughts in `messages` are of.
    model: Option<String>,
}

/// A call and its reply, once that is there.
#[derive(Debug)]
struct Pending {
    /// As the answer gave it.
    call_id: String,
    /// As it is sent.
    sent_id: String,
    reply: Option<String>,
}

/// A message of text that neighbours of its role are merged into, as it is sent.
#[derive(Debug)]
struct Open {
    is_user: bool,
    bytes: Arc<Vec<u8>>,
}

impl Prompt {
    /// An empty conversation, told `system` if that is not blank.
    pub(crate) fn new(system: &str) -> Self {
        let mut prompt = Self::default();
        prompt.set_system(system);
        prompt
    }

    /// Says what the model is told first. What a provider has cached is lost if it changes.
    pub(crate) fn set_system(&mut self, system: &str) {
        self.system = (!system.trim().is_empty()).then(|| {
            let mut out = Vec::new();
            encode::text("system", system, &mut out);
            Arc::new(out)
        });
    }

    /// Forgets the conversation; system message and tools stay.
    pub(crate) fn clear(&mut self) {
        self.messages = Bytes::default();
        self.open = None;
        self.pending.clear();
    }

    /// Says which model is asked from now on. Thoughts of another one are taken out.
    pub(crate) fn set_model(&mut self, model: Option<&str>) {
        if self.model.as_deref() != model {
            self.messages.replace(Mark::Own, b"");
            self.model = model.map(str::to_owned);
        }
    }

    /// Adds a message. A reply to a call that was not made, or that has one, is dropped.
    pub(crate) fn push(&mut self, message: Message) {
        match message {
            Message::User(text) => self.push_text(true, &text),
            Message::Assistant {
                text,
                calls,
                reasoning,
            } => self.push_answer(&text, &calls, reasoning.as_ref()),
            Message::Tool { call_id, text } => self.push_reply(&call_id, text),
        }
    }

    /// Adds a tool at the end: its name, what it does, and the schema of its arguments. One that is there already, by
    /// name, stays as it is; gives whether it is new.
    pub(crate) fn add_tool(&mut self, name: &str, about: &str, parameters: &Value) -> bool {
        if self.has_tool(name) {
            return false;
        }
        self.tools
            .append(|out, _| encode::tool(name, about, parameters, out));
        self.tool_names.push(name.to_owned());
        true
    }

    /// Takes all tools out. What a provider has cached is lost.
    pub(crate) fn clear_tools(&mut self) {
        self.tools = Bytes::default();
        self.tool_names.clear();
    }

    /// Whether the tool is sent.
    pub(crate) fn has_tool(&self, name: &str) -> bool {
        self.tool_names.iter().any(|known| known == name)
    }

    /// The tools that are sent, in their order.
    pub(crate) fn tool_names(&self) -> &[String] {
        &self.tool_names
    }

    /// Bytes of the messages, the system message among them, as they are sent.
    #[cfg(test)]
    pub(crate) fn message_bytes(&self) -> usize {
        let system = self.system.as_ref().map_or(0, |system| system.len());
        let open = self.open.as_ref().map_or(0, |open| open.bytes.len());
        system + self.messages.len() + open
    }

    /// Bytes of the tools as they are sent.
    pub(crate) fn tool_bytes(&self) -> usize {
        self.tools.len()
    }

    /// Whether a message has no text beside its calls, and whether one has thoughts: both are refused by some endpoints.
    pub(crate) fn has_marks(&self) -> (bool, bool) {
        (
            self.messages.has(Mark::NoContent),
            self.messages.has(Mark::Own),
        )
    }

    /// The body of a request, in parts that are shared with the prompt. Calls without a reply are answered first.
    pub(crate) fn body(&mut self, options: &Options<'_>, quirks: Quirks) -> Vec<Arc<Vec<u8>>> {
        self.settle();
        if quirks.has_empty_content {
            self.messages.replace(Mark::NoContent, b"\"\"");
        }
        if quirks.has_no_reasoning {
            self.messages.replace(Mark::Own, b"");
        }
        // The last word must be the person's or a tool's.
        if self.open.as_ref().is_some_and(|open| !open.is_user) {
            self.push_text(true, "(continue)");
        }
        let mut parts = vec![Arc::new(encode::front(options))];
        let mut is_first = true;
        let open = self.open.as_ref().map(|open| Arc::clone(&open.bytes));
        let chunks = self.messages.chunks().cloned();
        for part in self.system.iter().cloned().chain(chunks).chain(open) {
            if part.is_empty() {
                continue;
            }
            if !is_first {
                parts.push(Arc::new(b",".to_vec()));
            }
            is_first = false;
            parts.push(part);
        }
        if options.has_tools && self.tools.len() > 0 {
            parts.push(Arc::new(b"],\"tools\":[".to_vec()));
            for (place, chunk) in self.tools.chunks().enumerate() {
                if place > 0 {
                    parts.push(Arc::new(b",".to_vec()));
                }
                parts.push(Arc::clone(chunk));
            }
        }
        parts.push(Arc::new(encode::back(options, quirks)));
        parts
    }

    /// Answers every call that has no reply, and closes the round.
    pub(crate) fn settle(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let text = pending.reply.as_deref().unwrap_or(CANCELLED);
            self.messages
                .append(|out, _| encode::reply(&pending.sent_id, text, out));
        }
    }

    fn push_text(&mut self, is_user: bool, text: &str) {
        self.settle();
        let text = if is_user { text } else { text.trim_end() };
        if text.trim().is_empty() && !is_user {
            return; // An answer with neither text nor calls is no message.
        }
        match &mut self.open {
            Some(open) if open.is_user == is_user => {
                encode::add_text(text, Arc::make_mut(&mut open.bytes));
            }
            _ => {
                self.seal();
                let mut bytes = Vec::with_capacity(text.len() + text.len() / 16 + 64);
                encode::text(if is_user { "user" } else { "assistant" }, text, &mut bytes);
                let bytes = Arc::new(bytes);
                self.open = Some(Open { is_user, bytes });
            }
        }
    }

    fn push_answer(&mut self, text: &str, calls: &[ToolCall], reasoning: Option<&Reasoning>) {
        // An answer just before this one is of the same role: they become one.
        self.push_text(false, text);
        let reasoning = reasoning.filter(|reasoning| reasoning.model == self.model);
        if calls.is_empty() && reasoning.is_none() {
            return;
        }
        let text = self.open.take_if(|open| !open.is_user);
        if calls.is_empty() && text.is_none() {
            return;
        }
        self.seal();
        let text = text.as_ref().map(|open| open.bytes.as_slice());
        let ids = distinct_ids(calls);
        self.messages
            .append(|out, marks| encode::answer(text, calls, &ids, reasoning, out, marks));
        let pending = |(call, sent_id): (&ToolCall, String)| Pending {
            call_id: call.id.clone(),
            sent_id,
            reply: None,
        };
        self.pending = calls.iter().zip(ids).map(pending).collect();
    }

    fn push_reply(&mut self, call_id: &str, text: String) {
        let slot = self
            .pending
            .iter_mut()
            .find(|pending| pending.call_id == call_id && pending.reply.is_none());
        if let Some(pending) = slot {
            pending.reply = Some(text);
        }
        if self.pending.iter().all(|pending| pending.reply.is_some()) {
            self.settle();
        }
    }

    /// The open message grows no more.
    fn seal(&mut self) {
        if let Some(open) = self.open.take() {
            self.messages.take_chunk(open.bytes);
        }
    }
}

/// The ids of `calls`, made distinct and never empty.
fn distinct_ids(calls: &[ToolCall]) -> Vec<String> {
    let mut ids: Vec<String> = Vec::with_capacity(calls.len());
    for call in calls {
        let mut id = call.id.clone();
        let mut number = 1;
        while id.is_empty() || ids.contains(&id) {
            number += 1;
            id = format!("{}x{number:08}", call.id);
        }
        ids.push(id);
    }
    ids
}
