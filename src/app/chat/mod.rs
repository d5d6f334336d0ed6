//! One question and its answer, or a session of them.

pub(crate) mod end;
mod input;
mod once;
mod repl;

pub(crate) use self::once::ask;
pub(crate) use self::repl::talk;
