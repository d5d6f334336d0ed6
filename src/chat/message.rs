//! The messages of a conversation.

use crate::json::Object;

/// One entry of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    /// What a person said, or a note in brackets that speaks for us.
    User(String),
    /// What the model said.
    Assistant {
        text: String,
        calls: Vec<ToolCall>,
        reasoning: Option<Reasoning>,
    },
    /// What came of a call.
    Tool { call_id: String, text: String },
}

impl Message {
    /// An answer without calls.
    pub(crate) fn answer(text: impl Into<String>) -> Self {
        Self::Assistant {
            text: text.into(),
            calls: Vec::new(),
            reasoning: None,
        }
    }
}

/// A call as the model asked for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ToolCall {
    /// Distinct within its message.
    pub(crate) id: String,
    pub(crate) name: String,
    /// As the model sent it, always JSON; `{}` for none.
    pub(crate) arguments: String,
    /// Members that we do not know, sent back as they came to the model that made them.
    pub(crate) extra: Object,
    /// The same inside `function`, where some models keep a signature of their thoughts.
    pub(crate) function_extra: Object,
}

/// What a model thought, in the members that it came in.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reasoning {
    /// The model asked for; another one never gets this.
    pub(crate) model: Option<String>,
    /// Members of the message, as they are sent back.
    pub(crate) members: Object,
}
