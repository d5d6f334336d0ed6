//! What one request to the model gives: pieces while it comes, and the whole at its end.

use std::time::Duration;

use crate::chat::{Message, Reasoning, ToolCall};

/// What is to be shown while an answer comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event<'a> {
    /// A piece of the answer.
    Text(&'a str),
    /// A piece of what the model thinks; never part of the answer.
    Reasoning(&'a str),
    /// The request failed and is sent again.
    Retrying {
        /// 2 for the second try.
        attempt: u32,
        after: Duration,
        why: &'a str,
    },
    /// The request went out twice because a kept connection was dead; the server may have seen both.
    Repeated,
    /// The endpoint does not take a field that was sent; it is asked again without, from now on.
    Adapted(&'a str),
}

/// Why an answer ended; a later one outweighs an earlier one where several choices ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Finish {
    Stop,
    ToolCalls,
    /// The limit of tokens.
    Length,
    ContentFilter,
    Error,
}

impl Finish {
    /// The word of the wire.
    #[cfg(test)]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
            Self::Error => "error",
        }
    }
}

/// Tokens, as the endpoint counted them.
#[allow(clippy::struct_field_names, reason = "the words of the wire")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) prompt_tokens: u64,
    pub(crate) completion_tokens: u64,
    /// Of the prompt's tokens those that were in the cache.
    pub(crate) cached_tokens: u64,
    /// Of the completion's tokens those that were thoughts.
    pub(crate) reasoning_tokens: u64,
}

impl Usage {
    /// Adds that of another request.
    pub(crate) fn add(&mut self, other: Self) {
        let add = |sum: &mut u64, more| *sum = sum.saturating_add(more);
        add(&mut self.prompt_tokens, other.prompt_tokens);
        add(&mut self.completion_tokens, other.completion_tokens);
        add(&mut self.cached_tokens, other.cached_tokens);
        add(&mut self.reasoning_tokens, other.reasoning_tokens);
    }
}

/// What is odd about an answer that is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Warning {
    /// So many frames of the stream could not be read and were skipped.
    MalformedFrames(u32),
    /// The model stopped without a word and without a call.
    Empty,
    /// Calls of these tools were written as text; the model is asked to make them.
    PrintedCall(String),
    /// The request for a report on a limit failed, and this is why.
    NoReport(String),
}

impl Warning {
    /// A word for programs.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::MalformedFrames(_) => "malformed_frames",
            Self::Empty => "empty_response",
            Self::PrintedCall(_) => "printed_call",
            Self::NoReport(_) => "no_report",
        }
    }

    /// A sentence for people.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::MalformedFrames(1) => {
                "a frame of the answer could not be read and was skipped; some of it may be missing"
                    .to_owned()
            }
            Self::MalformedFrames(count) => format!(
                "{count} frames of the answer could not be read and were skipped; some of it may be missing"
            ),
            Self::Empty => "the model stopped without a word".to_owned(),
            Self::PrintedCall(names) => format!(
                "the model wrote a call of `{names}` as text instead of making it; nothing was run, and it is asked once \
                 to make it; `-m` chooses a model that can call tools"
            ),
            Self::NoReport(why) => format!("the request for a report failed: {why}"),
        }
    }
}

/// A whole answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// What the model thought, as text.
    pub(crate) reasoning: String,
    /// The same in the form that is sent back.
    pub(crate) replay: Option<Reasoning>,
    /// All of them can be read; none is ever repaired.
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) finish: Finish,
    /// The endpoint said that it ended, but not why.
    pub(crate) is_finish_inferred: bool,
    pub(crate) usage: Option<Usage>,
    /// The model that answered, as the endpoint calls it.
    pub(crate) model: Option<String>,
    pub(crate) warnings: Vec<Warning>,
}

impl Answer {
    /// The message that it is in the conversation.
    pub(crate) fn into_message(self) -> Message {
        Message::Assistant {
            text: self.text,
            calls: self.calls,
            reasoning: self.replay,
        }
    }
}
