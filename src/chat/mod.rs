//! Conversations: messages, the prompt that is sent, the model's dialect, one request to it, and the turn that decides what
//! comes next.
//!
//! Nothing here does I/O. A [`Turn`] says what to do and is told what came of it; an [`Ask`] puts the turn's prompt to the
//! endpoint over [`crate::http`], as far as goes without waiting.

mod answer;
mod ask;
mod endpoint;
mod fault;
mod message;
pub(crate) mod openai;
mod printed;
mod prompt;
mod repeat;
mod turn;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::answer::{Answer, Event, Finish, Usage, Warning};
pub(crate) use self::ask::{Ask, Means, Poll};
pub(crate) use self::endpoint::{Endpoint, ListModels};
pub(crate) use self::fault::{Fault, Kind};
pub(crate) use self::message::{Message, Reasoning, ToolCall};
pub(crate) use self::openai::{Model, default_model};
pub(crate) use self::printed::Held;
pub(crate) use self::prompt::{Options, Prompt};
pub(crate) use self::turn::{End, LimitKind, Limits, NumberedCall, Step, ToolResult, Turn};
