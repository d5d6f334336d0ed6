//! TOML, the subset that configuration and the catalog use: all of TOML 1.0 but dates and times.
//!
//! Every key and value keeps its line, so that a message can name it. The build script compiles
//! this folder too; it imports nothing.

mod number;
mod parse;
mod string;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

pub(crate) use self::parse::parse;
#[allow(unused_imports, reason = "the build script uses `Entry`")]
pub(crate) use self::table::{Entry, Table};

/// How many levels a header, and a value below it, may have, so that no text exhausts the stack.
pub(crate) const DEPTH_MAX: usize = 128;

/// A value and the line it begins on (from 1).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) line: usize,
    pub(crate) data: Data,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Data {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Array(Vec<Value>),
    Table(Table),
}

impl Data {
    /// What to call it in a message: `a string`, `an integer`, …
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Integer(_) => "an integer",
            Self::Float(_) => "a float",
            Self::Boolean(_) => "a boolean",
            Self::Array(_) => "an array",
            Self::Table(_) => "a table",
        }
    }
}

/// Why a text is not TOML, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// From 1.
    pub(crate) line: usize,
    /// In characters, from 1.
    pub(crate) column: usize,
    /// What was found and what was expected.
    pub(crate) message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {}, column {}: {}",
            self.line, self.column, self.message
        )
    }
}
