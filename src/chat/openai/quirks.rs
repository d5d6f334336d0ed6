//! What an endpoint taught us by refusing a field that we sent; each lesson is learnt once.

use crate::chat::openai::errors::param_and_words;

/// How requests to an endpoint differ from the usual.
#[allow(
    clippy::struct_excessive_bools,
    reason = "a set of facts; any of them can hold"
)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Quirks {
    /// It does not know `stream_options`: usage is not asked for.
    pub(crate) has_no_stream_options: bool,
    /// The limit is called `max_completion_tokens`.
    pub(crate) has_completion_limit: bool,
    /// Beside calls it wants `""` where there is no text, not `null`.
    pub(crate) has_empty_content: bool,
    /// It refuses what a model thought.
    pub(crate) has_no_reasoning: bool,
}

/// Which of the fields that can be refused a request has.
#[allow(
    clippy::struct_excessive_bools,
    reason = "a set of facts; any of them can hold"
)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) stream_options: bool,
    pub(crate) max_tokens: bool,
    pub(crate) null_content: bool,
    pub(crate) reasoning: bool,
}

impl Quirks {
    /// Learns from a refusal; gives what is done otherwise from now on, or `None` if it teaches nothing new.
    pub(crate) fn learn(&mut self, status: u16, body: &[u8], sent: Sent) -> Option<&'static str> {
        if !matches!(status, 400 | 422) {
            return None;
        }
        let (param, words) = param_and_words(body);
        let names = |field: &str| param == field || words.contains(field);
        if sent.stream_options && !self.has_no_stream_options && names("stream_options") {
            self.has_no_stream_options = true;
            return Some("`stream_options` is left out");
        }
        let is_refused = [
            "unsupported",
            "not supported",
            "unrecognized",
            "not permitted",
            "unknown",
            "max_completion_tokens",
        ]
        .iter()
        .any(|word| words.contains(word));
        if sent.max_tokens && !self.has_completion_limit && names("max_tokens") && is_refused {
            self.has_completion_limit = true;
            return Some("`max_tokens` is sent as `max_completion_tokens`");
        }
        let has_reasoning = ["reasoning_content", "reasoning_text", "reasoning_opaque"]
            .iter()
            .any(|name| words.contains(name));
        if sent.reasoning && !self.has_no_reasoning && has_reasoning {
            self.has_no_reasoning = true;
            return Some("thoughts are not sent back");
        }
        let is_about_content = param.ends_with("content") || words.contains("content");
        let is_about_type = ["string", "null", "none", "type", "required", "missing"]
            .iter()
            .any(|word| words.contains(word));
        if sent.null_content && !self.has_empty_content && is_about_content && is_about_type {
            self.has_empty_content = true;
            return Some("empty content is sent as `\"\"`");
        }
        None
    }
}
