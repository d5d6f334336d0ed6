//! The command line: one table of flags and one of commands give parsing, help and the README's tables.
//!
//! Pure: what stands on the command line goes in, what was asked for comes out. Whether standard
//! input is a terminal, and what the environment says, is not known here.

mod command;
mod flag;
mod help;
#[cfg(test)]
mod help_tests;
mod near;
mod parse;
mod refusal;
#[cfg(test)]
mod refusal_tests;
mod slash;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

pub(crate) use self::command::{Command, Order};
pub(crate) use self::flag::{
    Flags, Format, REQUEST_TOKENS_MAX, StdinRule, TURNS_DEFAULT, TURNS_MAX, When,
};
pub(crate) use self::help::{SHORT_USAGE, command_help, help, version};
#[cfg(test)]
pub(crate) use self::help::{commands_markdown, flags_markdown, slash_markdown};
pub(crate) use self::near::{nearest, quote};
pub(crate) use self::parse::{parse, requested_format};
pub(crate) use self::slash::{SLASHES, Slash, parse_slash, refuse_slash};

/// A whole command line, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invocation {
    pub(crate) flags: Flags,
    pub(crate) action: Action,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// Print the help of a command, or the whole.
    Help(Option<&'static Command>),
    Version,
    /// Answer one prompt, or talk.
    Ask(Ask),
    /// Talk, whatever standard input is; with a first line, if there is one.
    Talk(Option<String>),
    /// One of the commands.
    Run(Order),
}

/// Where the one prompt comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// From the command line: not blank, and no slash command.
    Prompt(String),
    /// From standard input, and nowhere else: `-`, `--stdin`, or `-p` without a text.
    Stdin,
    /// Nothing was said: from a pipe, and on a terminal the REPL.
    Either,
}

/// What is wrong with a command line: one sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
