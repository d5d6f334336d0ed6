//! Slash commands of an interactive session: one table gives dispatch, help and the near miss.

use std::io;

use crate::app::talk::Talk;
use crate::text;

/// What a session does after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    GoOn,
    Quit,
}

/// One slash command.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// What may follow the name, as help shows it.
    pub(crate) argument: &'static str,
    pub(crate) doc: &'static str,
    run: fn(&mut Talk<'_>, &str) -> io::Result<Flow>,
}

/// Every slash command. To add one, add a row.
pub(crate) const COMMANDS: &[Command] = &[
    Command { name: "help", argument: "", doc: "list the commands", run: help },
    Command { name: "model", argument: "[ID]", doc: "show the model, or talk to another from now on", run: model },
    Command { name: "new", argument: "", doc: "begin a new conversation", run: new },
    Command { name: "quit", argument: "", doc: "leave", run: |_, _| Ok(Flow::Quit) },
    Command { name: "tools", argument: "", doc: "show the tools that requests carry, and what they cost", run: tools },
    Command { name: "usage", argument: "", doc: "show requests, tokens and changed files so far", run: usage },
];

/// Runs a command line, without its slash.
pub(crate) fn run(talk: &mut Talk<'_>, line: &str) -> io::Result<Flow> {
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        let names = COMMANDS.iter().map(|command| command.name);
        let near = text::nearest(name, names).map_or_else(|| "see `/help`".to_owned(), |near| format!("did you mean `/{near}`?"));
        talk.view.line(&format!("there is no command `/{name}`; {near}"))?;
        return Ok(Flow::GoOn);
    };
    if command.argument.is_empty() && !rest.trim().is_empty() {
        talk.view.line(&format!("`/{name}` takes no argument"))?;
        return Ok(Flow::GoOn);
    }
    (command.run)(talk, rest.trim())
}

/// The rows of `/help`.
pub(crate) fn rows() -> Vec<(String, &'static str)> {
    COMMANDS
        .iter()
        .map(|command| (format!("/{} {}", command.name, command.argument).trim_end().to_owned(), command.doc))
        .collect()
}

fn help(talk: &mut Talk<'_>, _: &str) -> io::Result<Flow> {
    for (name, doc) in rows() {
        talk.view.line(&format!("{name:<12} {doc}"))?;
    }
    talk.view.line("Ctrl-C stops an answer; Ctrl-D on an empty line leaves")?;
    Ok(Flow::GoOn)
}

fn model(talk: &mut Talk<'_>, id: &str) -> io::Result<Flow> {
    if !id.is_empty() {
        talk.set_model(id);
    }
    let shown = talk.model().unwrap_or("chosen by the endpoint").to_owned();
    talk.view.line(&format!("model: {shown}"))?;
    Ok(Flow::GoOn)
}

fn new(talk: &mut Talk<'_>, _: &str) -> io::Result<Flow> {
    talk.forget();
    talk.view.line("a new conversation")?;
    Ok(Flow::GoOn)
}

fn tools(talk: &mut Talk<'_>, _: &str) -> io::Result<Flow> {
    for (name, bytes) in talk.tool_sizes() {
        talk.view.line(&format!("{name:<14} {bytes:>6} bytes, about {} tokens", bytes / 4))?;
    }
    Ok(Flow::GoOn)
}

fn usage(talk: &mut Talk<'_>, _: &str) -> io::Result<Flow> {
    let rows = talk.usage_rows();
    for row in rows {
        talk.view.line(&row)?;
    }
    Ok(Flow::GoOn)
}
