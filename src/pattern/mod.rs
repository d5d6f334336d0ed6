//! Patterns that people write: so far globs for paths and words.

mod glob;
#[cfg(test)]
mod tests;

pub(crate) use self::glob::{BadGlob, Glob};
