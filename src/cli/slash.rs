//! Slash commands of the REPL, one row each, and why they are no prompts.

use super::Usage;
use super::near::{nearest, quote};

/// What a slash command does; `app` has the deeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slash {
    Help,
    Tools,
    Model,
    New,
    Usage,
    Quit,
}

/// A row of [`SLASHES`].
#[derive(Debug)]
pub(crate) struct SlashRow {
    pub(crate) slash: Slash,
    /// Without the slash.
    pub(crate) name: &'static str,
    /// What may follow, as help shows it; empty if nothing.
    pub(crate) argument: &'static str,
    /// One sentence, without a full stop.
    pub(crate) doc: &'static str,
    /// What does the same in a one-shot; empty if nothing does.
    pub(crate) instead: &'static str,
}

/// Every slash command, in the order of help.
pub(crate) const SLASHES: &[SlashRow] = &[
    SlashRow {
        slash: Slash::Help,
        name: "help",
        argument: "",
        doc: "list these commands",
        instead: "--help",
    },
    SlashRow {
        slash: Slash::Tools,
        name: "tools",
        argument: "",
        doc: "list the tools, and which of them are loaded",
        instead: "ankita tools list",
    },
    SlashRow {
        slash: Slash::Model,
        name: "model",
        argument: "[NAME]",
        doc: "show the model, or ask another from now on",
        instead: "-m",
    },
    SlashRow {
        slash: Slash::New,
        name: "new",
        argument: "",
        doc: "begin a new conversation",
        instead: "",
    },
    SlashRow {
        slash: Slash::Usage,
        name: "usage",
        argument: "",
        doc: "show what this conversation cost so far",
        instead: "--json",
    },
    SlashRow {
        slash: Slash::Quit,
        name: "quit",
        argument: "",
        doc: "leave",
        instead: "",
    },
];

/// The name of a slash command and what follows it, trimmed: `/` and `[a-z-]+` up to a blank or
/// the end. `None` for anything else, such as `/usr/bin/env`.
fn split_slash(line: &str) -> Option<(&str, &str)> {
    let body = line.strip_prefix('/')?;
    let end = body.find(char::is_whitespace).unwrap_or(body.len());
    let (name, rest) = body.split_at(end);
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    is_name.then(|| (name, rest.trim()))
}

/// Reads a line of the REPL: a slash command with what follows it, or `None` for a prompt. An
/// unknown command, or an argument where none is taken, is an error that says so.
pub(crate) fn parse_slash(line: &str) -> Result<Option<(Slash, &str)>, Usage> {
    let Some((name, rest)) = split_slash(line) else {
        return Ok(None);
    };
    let Some(row) = SLASHES.iter().find(|row| row.name == name) else {
        return Err(Usage(unknown(name, "`/help` lists all")));
    };
    if row.argument.is_empty() && !rest.is_empty() {
        return Err(Usage(format!(
            "`/{name}` takes nothing, but {} was given",
            quote(rest)
        )));
    }
    Ok(Some((row.slash, rest)))
}

/// Why `prompt` cannot be a one-shot's: it is a slash command, and here is the flag that does it.
/// `None` if it is none.
pub(crate) fn refuse_slash(prompt: &str) -> Option<Usage> {
    let (name, rest) = split_slash(prompt)?;
    let message = match SLASHES.iter().find(|row| row.name == name) {
        None => unknown(name, "slash commands are for interactive sessions"),
        Some(row) if row.instead.is_empty() => {
            format!("`/{name}` is for interactive sessions")
        }
        Some(row) if !row.argument.is_empty() && rest.is_empty() => format!(
            "`/{name}` is for interactive sessions; here `{} {}` does it",
            row.instead,
            row.argument.trim_matches(['[', ']'])
        ),
        Some(row) if !row.argument.is_empty() => format!(
            "`/{name}` is for interactive sessions; here {} does it",
            quote(&format!("{} {rest}", row.instead))
        ),
        Some(row) => format!(
            "`/{name}` is for interactive sessions; here `{}` does it",
            row.instead
        ),
    };
    Some(Usage(message))
}

fn unknown(name: &str, otherwise: &str) -> String {
    match nearest(name, SLASHES.iter().map(|row| row.name)) {
        Some(near) => format!(
            "unknown slash command {}; did you mean `/{near}`?",
            quote(&format!("/{name}"))
        ),
        None => format!(
            "unknown slash command {}; {otherwise}",
            quote(&format!("/{name}"))
        ),
    }
}
