//! The frames of a stream: which are pieces of the answer, which are errors, which say nothing.

use crate::chat::openai::calls::Spoilt;
use crate::chat::openai::errors::{self, Source};
use crate::chat::openai::gather::{Gather, Sink};
use crate::chat::openai::template::Template;
use crate::chat::{Answer, Fault, Finish, Kind, Reasoning, Warning};
use crate::json::{Value, parse, parse_keeping_halves};
use crate::wire::{ResponseHead, SseEvent};

/// What came in frames.
#[derive(Default)]
pub(super) struct Frames {
    pub(super) gather: Gather,
    /// The stream said that it is done.
    pub(super) is_done: bool,
    /// Frames that could not be read.
    pub(super) malformed: u32,
    /// Frames that could be.
    readable: u64,
    /// Events that were no keep-alive.
    pub(super) events: u64,
    /// The frame that came last, as a form, and the member that differs.
    template: Option<(Template, &'static str)>,
    /// The long way for every frame; tests compare both.
    #[cfg(test)]
    pub(super) is_slow: bool,
}

impl Frames {
    /// Takes an event. A fault ends the answer.
    pub(super) fn take(
        &mut self,
        event: SseEvent<'_>,
        head: &ResponseHead,
        source: &Source,
        is_known: &dyn Fn(&str) -> bool,
        sink: Sink<'_>,
    ) -> Option<Fault> {
        let data = event.data;
        self.events += 1;
        if event.name == "error" {
            return Some(match parse(data.as_bytes()) {
                Ok(value) => errors::of_value(&value, head, source),
                Err(_) => errors::of_text(data, head, source),
            });
        }
        if self.take_short(data, sink) {
            return None;
        }
        // Keep-alives are wrapped in data by some; an empty frame is one too.
        let trimmed = data.trim();
        if trimmed.is_empty() || trimmed.starts_with(':') {
            self.events -= 1;
            return None;
        }
        if trimmed.starts_with("[DONE]") {
            self.is_done = true;
            return None;
        }
        let Ok((frame, halves)) = parse_keeping_halves(data.as_bytes()) else {
            self.malformed = self.malformed.saturating_add(1);
            return None;
        };
        self.readable += 1;
        let piece = self.gather.take(&frame, &halves, false, is_known, sink);
        if let Some(error) = error_of(&frame) {
            return Some(errors::of_value(error, head, source));
        }
        if let Some(member) = piece {
            self.template = Template::learn(data, member).map(|template| (template, member));
        }
        None
    }

    /// Takes a frame that differs from the last one only in its piece of text; false if this is not one.
    fn take_short(&mut self, data: &str, sink: Sink<'_>) -> bool {
        #[cfg(test)]
        if self.is_slow {
            return false;
        }
        let Some((template, member)) = &self.template else {
            return false;
        };
        let Some(text) = template.read(data) else {
            return false;
        };
        self.gather.take_piece(member, &text, sink);
        true
    }

    /// Takes the reply to a request that was not streamed, or that was answered as if it were not.
    pub(super) fn take_whole(
        &mut self,
        reply: &Value,
        head: &ResponseHead,
        source: &Source,
        is_known: &dyn Fn(&str) -> bool,
        sink: Sink<'_>,
    ) -> Option<Fault> {
        self.readable += 1;
        if let Some(error) = error_of(reply) {
            return Some(errors::of_value(error, head, source));
        }
        if reply.get("choices").and_then(Value::as_array).is_none() {
            let what = "the answer is JSON, but no chat completion (it has no `choices`)";
            let remedy = "is this the endpoint's address? some need a path such as `/v1`";
            return Some(errors::finish(Kind::Protocol, head, what, remedy, source));
        }
        self.gather.take(reply, &[], true, is_known, sink);
        None
    }

    /// What spoils an answer although it is whole: kind, cause, remedy.
    fn find_spoilt(&self) -> Option<(Kind, &'static str, &'static str)> {
        let gather = &self.gather;
        match gather.finish {
            _ if self.readable == 0 && self.malformed > 0 => {
                Some((Kind::Protocol, "no frame of the answer could be read", ""))
            }
            None if gather.is_empty() => {
                let what = "the answer has nothing in it";
                Some((Kind::EmptyResponse, what, "try again"))
            }
            Some(Finish::Error) => {
                let what = "the model stopped with an error";
                Some((Kind::ApiError, what, "try again"))
            }
            Some(Finish::ContentFilter) => {
                let what = "the provider's filter stopped the answer";
                Some((Kind::ContentFilter, what, "say it otherwise"))
            }
            _ => None,
        }
    }

    /// The answer, now that the stream is known to be whole.
    pub(super) fn answer(
        &mut self,
        seed: u64,
        head: &ResponseHead,
        source: &Source,
    ) -> Result<Answer, Fault> {
        let fault =
            |kind, what: &str, remedy: &str| Err(errors::finish(kind, head, what, remedy, source));
        if let Some((kind, what, remedy)) = self.find_spoilt() {
            return fault(kind, what, remedy);
        }
        let gather = &mut self.gather;
        let count = gather.calls.len();
        let calls = match gather.calls.finish(seed) {
            Ok(calls) => calls,
            Err(spoilt) => {
                let mut fault = fault_of_calls(&spoilt, gather.finish, head, source);
                fault.calls_discarded = count;
                return Err(fault);
            }
        };
        let finish = match gather.finish {
            Some(Finish::Length) => Finish::Length,
            _ if calls.is_empty() => Finish::Stop,
            _ => Finish::ToolCalls,
        };
        let mut warnings = Vec::new();
        if self.malformed > 0 {
            warnings.push(Warning::MalformedFrames(self.malformed));
        }
        if gather.text.trim().is_empty() && calls.is_empty() {
            warnings.push(Warning::Empty);
        }
        Ok(Answer {
            text: std::mem::take(&mut gather.text),
            reasoning: std::mem::take(&mut gather.reasoning),
            replay: replay_of(gather, !calls.is_empty()),
            calls,
            finish,
            is_finish_inferred: gather.finish.is_none(),
            usage: gather.usage,
            model: gather.model.take(),
            warnings,
        })
    }
}

/// Why no call of an answer runs.
fn fault_of_calls(
    spoilt: &Spoilt,
    finish: Option<Finish>,
    head: &ResponseHead,
    source: &Source,
) -> Fault {
    let name = match spoilt {
        Spoilt::Cut(name) => crate::text::one_line(name, 64),
        Spoilt::Nameless => {
            let what = "a call has arguments but no name";
            let remedy = "try again, or another model";
            return errors::finish(Kind::InvalidToolCall, head, what, remedy, source);
        }
    };
    let why = if finish == Some(Finish::Length) {
        ": the limit of tokens was reached"
    } else {
        ""
    };
    let what = format!(
        "the arguments of a call of `{name}` are cut or no JSON{why}; no call of this answer runs"
    );
    let remedy = "allow more tokens (`--max-tokens`), or ask for less at once";
    errors::finish(Kind::ToolArgsTruncated, head, &what, remedy, source)
}

/// The error that a frame is or holds.
fn error_of(frame: &Value) -> Option<&Value> {
    match frame.get("error") {
        Some(Value::Null | Value::Bool(false)) | None => {}
        Some(Value::String(text)) if text.is_empty() => {}
        Some(_) => return Some(frame),
    }
    // One server writes its errors flat.
    let is = |name: &str| frame.get(name).and_then(Value::as_str) == Some("error");
    let is_flat = (is("object") || is("type")) && frame.get("choices").is_none();
    is_flat.then_some(frame)
}

/// The thoughts in the form in which they are sent back: those that only the server can read always; those that it wants
/// to see again while calls go on, then.
fn replay_of(gather: &mut Gather, has_calls: bool) -> Option<Reasoning> {
    let members = std::mem::take(&mut gather.members);
    let has_opaque = members.contains_key("reasoning_opaque");
    let is_sent = |name: &str| match name {
        "reasoning_opaque" => true,
        "reasoning_text" => has_opaque,
        "reasoning_content" => has_calls,
        _ => false,
    };
    let members: crate::json::Object = members
        .into_iter()
        .filter(|(name, _)| is_sent(name))
        .collect();
    (!members.is_empty()).then_some(Reasoning {
        model: None,
        members,
    })
}
