//! The chat-completions dialect: what comes back from an endpoint, and what endpoints are known to get wrong.

mod calls;
mod errors;
mod gather;
mod joiner;
mod models;
mod quirks;
mod reader;
mod template;

#[cfg(test)]
mod tests;

pub(crate) use self::errors::Source;
pub(crate) use self::models::{Model, default_model, read_models};
pub(crate) use self::quirks::{Quirks, Sent};
pub(crate) use self::reader::{BodyEnd, Progress, Reader};
