//! An interactive session: a line in, the answer streamed, commands with a slash.

use std::io;

use crate::app::conversation::Conversation;
use crate::app::start::Start;
use crate::app::typed::{Typed, is_cut};
use crate::app::view::{Format, Level, View};
use crate::app::{fail, signalled, written};
use crate::cli::{self, SLASHES, Slash};
use crate::error::{Error, Kind};
use crate::text::{self, Style};
use crate::world::{InputKind, Signal, Standard, World};

/// What a session does after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    GoOn,
    Leave,
    /// A signal ends it.
    End(Signal),
}

/// Talks with a person until they leave; `first` is asked at once.
pub(crate) fn talk(world: &World, start: &Start, first: Option<String>) -> u8 {
    if world.console.input_kind() != InputKind::Terminal {
        let why = "a session needs a terminal as standard input; give a prompt for one answer";
        return fail(world, Format::Text, &Error::new(Kind::Usage, why));
    }
    match session(world, start, first) {
        Ok(code) => code,
        Err(error) => written(world, &error),
    }
}

fn session(world: &World, start: &Start, first: Option<String>) -> io::Result<u8> {
    let paint = start.paint(world, Standard::Error);
    let cancel = world.threads.cancel();
    let mut view = View::new(world, Format::Text, start.loudness(), paint, cancel);
    for warning in &start.warnings {
        view.notice(Level::Warning, "config", warning)?;
    }
    let mut conversation = match Conversation::new(world, start, view) {
        Ok(conversation) => conversation,
        Err(error) => return Ok(fail(world, Format::Text, &error)),
    };
    if let Err(error) = conversation.prepare()? {
        conversation.view.error(error.kind.name(), &error.message)?;
        return Ok(error.kind.exit_code());
    }
    greet(&mut conversation)?;
    if let Some(line) = first {
        prompt(&mut conversation)?;
        echo(&mut conversation, &line)?;
        if let Some(code) = after(follow(&mut conversation, &line)?) {
            return Ok(code);
        }
    }
    let mut is_leaving = false;
    loop {
        let flow = match read(world, &mut conversation)? {
            Typed::Line(line) => {
                is_leaving = false;
                follow(&mut conversation, &line)?
            }
            Typed::End => {
                conversation.view.error_text("\n")?;
                Flow::Leave
            }
            Typed::Signal(Signal::Interrupt) => {
                conversation.view.break_line()?;
                let was_leaving = std::mem::replace(&mut is_leaving, true);
                if was_leaving {
                    Flow::Leave
                } else {
                    conversation
                        .view
                        .line("Ctrl-C again, Ctrl-D or /quit leaves")?;
                    Flow::GoOn
                }
            }
            Typed::Signal(signal) => Flow::End(signal),
        };
        if let Some(code) = after(flow) {
            return Ok(code);
        }
    }
}

/// The exit code of a session that ends now.
fn after(flow: Flow) -> Option<u8> {
    match flow {
        Flow::GoOn => None,
        Flow::Leave => Some(0),
        Flow::End(signal) => Some(signalled(signal).kind.exit_code()),
    }
}

/// Who answers, in one line.
fn greet(conversation: &mut Conversation<'_>) -> io::Result<()> {
    let (version, endpoint) = (cli::version(), conversation.endpoint());
    let who = match conversation.model() {
        Some(model) if model != endpoint => format!("{model} at {endpoint}"),
        _ => endpoint,
    };
    conversation.view.line(&text::sanitize(&format!(
        "{version}, {who}; /help lists commands"
    )))
}

fn prompt(conversation: &mut Conversation<'_>) -> io::Result<()> {
    let mark = conversation.paint().wrap(Style::Bold, "> ").into_owned();
    conversation.view.flush()?;
    conversation.view.error_text(&mark)
}

/// Shows a line that was not typed at its prompt.
fn echo(conversation: &mut Conversation<'_>, line: &str) -> io::Result<()> {
    conversation
        .view
        .error_text(&format!("{}\n", text::sanitize(line)))
}

/// Shows the prompt and waits for a line; one that was typed ahead is shown again in its place.
fn read(world: &World, conversation: &mut Conversation<'_>) -> io::Result<Typed> {
    conversation.view.renew(world.threads.cancel());
    prompt(conversation)?;
    let (lines, pump) = conversation.typing();
    if let Some(signal) = lines.set_aside(world, pump)? {
        return Ok(Typed::Signal(signal));
    }
    let Some(line) = lines.take_ahead() else {
        return lines.next(world, pump);
    };
    echo(conversation, &line)?;
    Ok(Typed::Line(line))
}

/// Does what a line says.
fn follow(conversation: &mut Conversation<'_>, line: &str) -> io::Result<Flow> {
    if is_cut(line) {
        let why = "the terminal cuts lines at 4,095 bytes, so this one was not sent; pipe long text into `ankita -p`";
        conversation.view.line(why)?;
        return Ok(Flow::GoOn);
    }
    let line = line.trim();
    if line.is_empty() {
        return Ok(Flow::GoOn);
    }
    match cli::parse_slash(line) {
        Ok(Some((slash, rest))) => command(conversation, slash, rest),
        Ok(None) => say(conversation, line),
        Err(usage) => conversation
            .view
            .line(&usage.to_string())
            .map(|()| Flow::GoOn),
    }
}

/// Asks, and says what else than an answer came of it.
fn say(conversation: &mut Conversation<'_>, line: &str) -> io::Result<Flow> {
    let before = conversation.mark();
    match conversation.say(line.to_owned())? {
        None => conversation.footer(before)?,
        Some(error) if error.kind == Kind::Interrupted => conversation.view.line("(stopped)")?,
        Some(error) if error.kind == Kind::Terminated => {
            return Ok(Flow::End(Signal::Terminate));
        }
        Some(error) => conversation.view.error(error.kind.name(), &error.message)?,
    }
    Ok(Flow::GoOn)
}

/// A slash command. To add one, add a row to `cli`'s table and an arm here.
fn command(conversation: &mut Conversation<'_>, slash: Slash, rest: &str) -> io::Result<Flow> {
    let rows = match slash {
        Slash::Help => help(),
        Slash::Model => {
            if !rest.is_empty() {
                conversation.set_model(rest);
            }
            let model = conversation.model().unwrap_or("the endpoint's own choice");
            vec![format!("model: {}", text::sanitize(model))]
        }
        Slash::New => {
            conversation.forget();
            vec!["a new conversation begins".to_owned()]
        }
        Slash::Quit => return Ok(Flow::Leave),
        Slash::Tools => conversation.tool_rows(),
        Slash::Usage => conversation.usage_rows(),
    };
    for row in rows {
        conversation.view.line(&row)?;
    }
    Ok(Flow::GoOn)
}

fn help() -> Vec<String> {
    let mut rows: Vec<String> = SLASHES
        .iter()
        .map(|row| {
            let name = format!("/{} {}", row.name, row.argument);
            format!("{name:<16} {}", row.doc)
        })
        .collect();
    rows.push("Ctrl-C stops an answer, Ctrl-D on an empty line leaves".to_owned());
    rows
}
