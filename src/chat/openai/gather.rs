//! Gathers an answer from frames of a stream, or from one whole reply.

use crate::chat::openai::calls::{Calls, Origin};
use crate::chat::openai::joiner::{Edges, Joiner};
use crate::chat::{Event, Finish, Usage};
use crate::json::{Half, Object, Value};

/// Bytes of text, thoughts and arguments of one answer.
pub(super) const ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The members that thoughts come in, with what they are worth: text to show.
const REASONING_MEMBERS: [&str; 5] = [
    "reasoning_content",
    "reasoning",
    "reasoning_text",
    "cot_summary",
    "thinking",
];
/// Thoughts that only the server can read; they are sent back.
const OPAQUE: &str = "reasoning_opaque";

/// Who is told of pieces.
pub(super) type Sink<'a> = &'a mut dyn FnMut(Event<'_>);

/// What came so far.
#[derive(Debug, Default)]
pub(super) struct Gather {
    pub(super) text: String,
    pub(super) reasoning: String,
    /// Thoughts by the member that they came in.
    pub(super) members: Object,
    pub(super) calls: Calls,
    pub(super) finish: Option<Finish>,
    pub(super) usage: Option<Usage>,
    pub(super) model: Option<String>,
    content_joiner: Joiner,
    reasoning_joiner: Joiner,
    /// Effects other than pieces of content and naming the model; see [`Gather::take`].
    others: u64,
    /// Pieces of content, and the member of each kind of thought.
    pieces: u64,
    last_member: &'static str,
    opaque_bytes: usize,
}

/// One piece that was all a frame did: the member that it came in.
pub(super) type OnlyPiece = Option<&'static str>;

impl Gather {
    /// Takes a frame. `is_whole`: it is the reply to a request that was not streamed. Gives the member that the frame's
    /// only effect, a piece of text, came in.
    pub(super) fn take(
        &mut self,
        frame: &Value,
        halves: &[Half],
        is_whole: bool,
        is_known: &dyn Fn(&str) -> bool,
        sink: Sink<'_>,
    ) -> OnlyPiece {
        let (others, pieces) = (self.others, self.pieces);
        if let Some(model) = frame.get("model").and_then(Value::as_str)
            && !model.is_empty()
            && self.model.is_none()
        {
            self.model = Some(model.to_owned());
        }
        if let Some(usage) = frame.get("usage").and_then(Value::as_object) {
            self.usage = Some(read_usage(usage));
            self.others += 1;
        }
        let choices = frame.get("choices").and_then(Value::as_array);
        for (position, choice) in choices.unwrap_or_default().iter().enumerate() {
            self.take_choice(choice, position, halves, is_whole, is_known, sink);
        }
        let is_only = self.others == others && self.pieces == pieces + 1;
        is_only.then_some(self.last_member)
    }

    fn take_choice(
        &mut self,
        choice: &Value,
        position: usize,
        halves: &[Half],
        is_whole: bool,
        is_known: &dyn Fn(&str) -> bool,
        sink: Sink<'_>,
    ) {
        let place = i64::try_from(position).unwrap_or(i64::MAX);
        let number = match choice.get("index").and_then(Value::as_i64) {
            Some(number) if !is_whole => number,
            _ => place,
        };
        // Some proxies put the final message into the stream.
        let delta = ["delta", "message"]
            .into_iter()
            .filter_map(|name| choice.get(name).map(|delta| (name, delta)))
            .find(|(_, delta)| delta.as_object().is_some_and(|delta| !delta.is_empty()));
        if let Some((name, delta)) = delta {
            let path = |rest: &str| format!("/choices/{position}/{name}/{rest}");
            self.take_reasoning(delta, halves, &path, sink);
            self.take_content(delta, halves, &path, sink);
            self.take_calls(delta, number, halves, is_whole, &path, is_known);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str)
            && let Some(finish) = read_finish(reason)
        {
            self.others += 1;
            self.finish = self.finish.max(Some(finish));
        }
    }

    fn take_content(
        &mut self,
        delta: &Value,
        halves: &[Half],
        path: &dyn Fn(&str) -> String,
        sink: Sink<'_>,
    ) {
        match delta.get("content") {
            Some(Value::String(text)) => {
                let edges = Edges::of(halves, || path("content"));
                self.add_text(text, edges, sink);
                if !text.is_empty() {
                    self.last_member = "content";
                }
            }
            Some(Value::Array(parts)) => {
                self.others += 1;
                for (at, part) in parts.iter().enumerate() {
                    self.take_part(part, halves, &path(&format!("content/{at}")), sink);
                }
            }
            _ => {}
        }
        if let Some(text) = delta.get("refusal").and_then(Value::as_str) {
            self.others += 1;
            self.add_text(text, Edges::of(halves, || path("refusal")), sink);
        }
    }

    /// A typed part of content. Parts of types that we do not know are passed over.
    fn take_part(&mut self, part: &Value, halves: &[Half], path: &str, sink: Sink<'_>) {
        if let Some(text) = part.as_str() {
            self.add_text(text, Edges::of(halves, || path.to_owned()), sink);
            return;
        }
        match part.get("type").and_then(Value::as_str) {
            Some("text") => {
                if let Some(text) = part.get("text").and_then(Value::as_str) {
                    self.add_text(text, Edges::of(halves, || format!("{path}/text")), sink);
                }
            }
            Some("thinking") => match part.get("thinking") {
                Some(Value::String(text)) => {
                    let edges = Edges::of(halves, || format!("{path}/thinking"));
                    self.add_reasoning(text, edges, sink);
                }
                Some(Value::Array(thoughts)) => {
                    for (at, thought) in thoughts.iter().enumerate() {
                        if let Some(text) = thought.get("text").and_then(Value::as_str) {
                            let edges = Edges::of(halves, || format!("{path}/thinking/{at}/text"));
                            self.add_reasoning(text, edges, sink);
                        }
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn take_reasoning(
        &mut self,
        delta: &Value,
        halves: &[Half],
        path: &dyn Fn(&str) -> String,
        sink: Sink<'_>,
    ) {
        let mut seen: Vec<&str> = Vec::new();
        for member in REASONING_MEMBERS {
            let Some(text) = delta.get(member).and_then(Value::as_str) else {
                continue;
            };
            if text.is_empty() {
                continue;
            }
            self.keep_member(member, text);
            // Servers that were renamed send the same text under both names.
            if seen.contains(&text) {
                self.others += 1;
                continue;
            }
            seen.push(text);
            self.add_reasoning(text, Edges::of(halves, || path(member)), sink);
            self.last_member = member;
        }
        if let Some(text) = delta.get(OPAQUE).and_then(Value::as_str) {
            self.others += 1;
            self.opaque_bytes += text.len();
            self.keep_member(OPAQUE, text);
        }
    }

    fn take_calls(
        &mut self,
        delta: &Value,
        choice: i64,
        halves: &[Half],
        is_whole: bool,
        path: &dyn Fn(&str) -> String,
        is_known: &dyn Fn(&str) -> bool,
    ) {
        self.calls.begin_delta();
        let pieces = delta.get("tool_calls").and_then(Value::as_array);
        for (at, piece) in pieces.unwrap_or_default().iter().enumerate() {
            self.others += 1;
            let edges = Edges::of(halves, || {
                path(&format!("tool_calls/{at}/function/arguments"))
            });
            let place = Origin {
                choice,
                is_whole,
                is_legacy: false,
                edges,
            };
            self.calls.take(piece, place, is_known);
        }
        if let Some(function) = delta.get("function_call").and_then(Value::as_object) {
            self.others += 1;
            let edges = Edges::of(halves, || path("function_call/arguments"));
            let place = Origin {
                choice,
                is_whole,
                is_legacy: true,
                edges,
            };
            let piece = Value::Object(Object::from([(
                "function".to_owned(),
                Value::Object(function.clone()),
            )]));
            self.calls.take(&piece, place, is_known);
        }
    }

    /// The short way for a piece that came in `member` of a frame that does nothing else.
    pub(super) fn take_piece(&mut self, member: &'static str, text: &str, sink: Sink<'_>) {
        if member == "content" {
            self.add_text(text, Edges::default(), sink);
        } else if !text.is_empty() {
            self.keep_member(member, text);
            self.add_reasoning(text, Edges::default(), sink);
        }
    }

    fn add_text(&mut self, text: &str, edges: Edges, sink: Sink<'_>) {
        self.pieces += u64::from(!text.is_empty());
        let text = self.content_joiner.join(text, edges);
        if !text.is_empty() {
            self.text.push_str(&text);
            sink(Event::Text(&text));
        }
    }

    fn add_reasoning(&mut self, text: &str, edges: Edges, sink: Sink<'_>) {
        self.pieces += u64::from(!text.is_empty());
        let text = self.reasoning_joiner.join(text, edges);
        if !text.is_empty() {
            self.reasoning.push_str(&text);
            sink(Event::Reasoning(&text));
        }
    }

    fn keep_member(&mut self, member: &str, text: &str) {
        if let Some(Value::String(known)) = self.members.get_mut(member) {
            known.push_str(text);
        } else {
            self.members.insert(member, text);
        }
    }

    /// Nothing more comes: halves that wait are given up.
    pub(super) fn end(&mut self, sink: Sink<'_>) {
        let (rest, thought) = (self.content_joiner.finish(), self.reasoning_joiner.finish());
        if !rest.is_empty() {
            self.text.push_str(rest);
            sink(Event::Text(rest));
        }
        if !thought.is_empty() {
            self.reasoning.push_str(thought);
            sink(Event::Reasoning(thought));
        }
    }

    /// Bytes gathered, for the cap.
    pub(super) fn bytes(&self) -> usize {
        self.text.len() + self.reasoning.len() + self.opaque_bytes + self.calls.bytes()
    }

    /// Whether nothing that an answer consists of came.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.reasoning.is_empty() && self.calls.len() == 0
    }
}

/// What a server calls the end of an answer; `None` if it is no end.
fn read_finish(reason: &str) -> Option<Finish> {
    Some(match reason.to_ascii_lowercase().as_str() {
        "" | "null" => return None,
        "tool_calls" | "tool_call" | "tool_use" | "function_call" => Finish::ToolCalls,
        "length" | "max_tokens" | "model_length" | "max_output_tokens" => Finish::Length,
        "content_filter" | "safety" | "refusal" => Finish::ContentFilter,
        "error" => Finish::Error,
        // `stop`, `end_turn`, `eos`, `stop_sequence`, and what nobody has heard of.
        _ => Finish::Stop,
    })
}

fn read_usage(usage: &Object) -> Usage {
    let count = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or(0);
    let detail =
        |group: &str, name: &str| count(usage.get(group).and_then(|group| group.get(name)));
    let cached = detail("prompt_tokens_details", "cached_tokens");
    Usage {
        prompt_tokens: count(usage.get("prompt_tokens")),
        completion_tokens: count(usage.get("completion_tokens")),
        // One vendor's older name.
        cached_tokens: cached.max(count(usage.get("prompt_cache_hit_tokens"))),
        reasoning_tokens: detail("completion_tokens_details", "reasoning_tokens"),
    }
}
