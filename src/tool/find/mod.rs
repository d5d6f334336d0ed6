//! Finding tools by plain words: a curated keyword catalog, compiled by the build script, pure and
//! synchronous at run time.
//!
//! `query` reads what is wanted, `search` says which categories that means, `answer` says it to the
//! model; `drift` finds words of the tools that no category claims; `compile` makes the tables.

mod answer;
#[cfg(test)]
mod compile;
#[cfg(test)]
mod drift;
mod query;
mod search;
mod tables;
#[cfg(test)]
mod tests;

pub(crate) use self::answer::{Directory, Entry, Request, Session, answer};
#[cfg(test)]
pub(crate) use self::drift::{Words, drift};
pub(crate) use self::search::search;
#[cfg(test)]
pub(crate) use self::tables::Claim;
pub(crate) use self::tables::{
    Category, Kind, Matcher, Name, Overlap, Rule, Run, Side, Span, Stem,
};
