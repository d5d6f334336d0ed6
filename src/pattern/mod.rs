//! Patterns that people write: so far globs for paths and words.

mod glob;
#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::glob::Glob;
