//! An interactive session: a line in, the answer streamed, commands with a slash.

use std::io;

use crate::app::start::Start;
use crate::app::talk::Talk;
use crate::app::typed::{Lines, Typed};
use crate::app::view::{Level, View};
use crate::app::{fail, view_format, written};
use crate::cli::{self, SLASHES, Slash};
use crate::error::{Error, Kind, Outcome};
use crate::text::Style;
use crate::world::{InputKind, Signal, Standard, World};

/// What a session does after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    GoOn,
    Quit,
}

/// Talks with a person until they leave; `first` is asked at once.
pub(crate) fn talk(world: &World, start: &Start, first: Option<String>) -> u8 {
    let format = view_format(start.flags.format);
    let refusal = match world.console.input_kind() {
        InputKind::Terminal if start.flags.format == cli::Format::Text => None,
        InputKind::Terminal => Some("a session shows text; give a prompt for JSON"),
        _ => Some("a session needs a terminal as standard input; give a prompt for one answer"),
    };
    if let Some(why) = refusal {
        return fail(world, format, why, Error::new(Kind::Usage, why));
    }
    match session(world, start, first) {
        Ok(code) => code,
        Err(error) => written(&error),
    }
}

fn session(world: &World, start: &Start, first: Option<String>) -> io::Result<u8> {
    let cancel = world.threads.cancel();
    let mut view = View::new(
        world,
        view_format(start.flags.format),
        start.loudness(),
        start.paint(world, Standard::Error),
        cancel,
    );
    for warning in &start.warnings {
        view.notice(Level::Warning, "config", warning)?;
    }
    let mut talk = match Talk::new(world, start, view) {
        Ok(talk) => talk,
        Err(error) => {
            return Ok(fail(
                world,
                view_format(start.flags.format),
                &error.to_string(),
                error.clone(),
            ));
        }
    };
    if let Err(error) = talk.prepare()? {
        talk.view.error(error.kind.name(), &error.message)?;
        return Ok(error.kind.exit_code());
    }
    let model = talk.model().unwrap_or("its own choice of model").to_owned();
    talk.view.line(&format!(
        "{} at {}, {}; /help lists commands",
        cli::version(),
        talk.endpoint(),
        model
    ))?;
    let mut next = first;
    let mut is_leaving = false;
    loop {
        let line = match next.take() {
            Some(line) => line,
            None => match read(world, &mut talk)? {
                Typed::Line(line) => line,
                Typed::End => break,
                Typed::Signal(Signal::Interrupt) if is_leaving => break,
                Typed::Signal(Signal::Interrupt) => {
                    talk.view.line("\nCtrl-D or /quit leaves")?;
                    is_leaving = true;
                    continue;
                }
                Typed::Signal(signal) => return leave(&mut talk, Some(signal)),
            },
        };
        is_leaving = false;
        match follow(&mut talk, &line)? {
            (Flow::GoOn, None) => (),
            (Flow::Quit, _) => break,
            (Flow::GoOn, Some(signal)) => return leave(&mut talk, Some(signal)),
        }
    }
    leave(&mut talk, None)
}

/// Shows the prompt and waits for a line.
fn read(world: &World, talk: &mut Talk<'_>) -> io::Result<Typed> {
    let mark = talk.paint().wrap(Style::Bold, "> ").into_owned();
    talk.view.error_text(&mark)?;
    let mut lines: Lines = std::mem::take(&mut talk.lines);
    let typed = lines.next(world, talk.pump());
    talk.lines = lines;
    typed
}

/// Does what a line says. The signal, if any, ends the session.
fn follow(talk: &mut Talk<'_>, line: &str) -> io::Result<(Flow, Option<Signal>)> {
    let line = line.trim();
    if line.is_empty() {
        return Ok((Flow::GoOn, None));
    }
    match cli::parse_slash(line) {
        Ok(Some((slash, rest))) => command(talk, slash, rest).map(|flow| (flow, None)),
        Ok(None) => {
            let end = talk.say(line)?;
            match end {
                None => talk.footer()?,
                Some(error) if error.kind == Kind::Interrupted => talk.view.line("(stopped)")?,
                Some(error) if error.kind == Kind::Terminated => {
                    return Ok((Flow::GoOn, Some(Signal::Terminate)));
                }
                Some(error) => talk.view.error(error.kind.name(), &error.message)?,
            }
            Ok((Flow::GoOn, None))
        }
        Err(usage) => {
            talk.view.line(&usage.to_string())?;
            Ok((Flow::GoOn, None))
        }
    }
}

/// A slash command. To add one, add a row to `cli`'s table and an arm here.
fn command(talk: &mut Talk<'_>, slash: Slash, rest: &str) -> io::Result<Flow> {
    match slash {
        Slash::Help => {
            for row in SLASHES {
                let name = format!("/{} {}", row.name, row.argument);
                talk.view.line(&format!("{name:<16} {}", row.doc))?;
            }
            talk.view
                .line("Ctrl-C stops an answer, Ctrl-D on an empty line leaves")?;
        }
        Slash::Model => {
            if !rest.is_empty() {
                talk.set_model(rest);
            }
            let shown = talk
                .model()
                .unwrap_or("the endpoint's own choice")
                .to_owned();
            talk.view.line(&format!("model: {shown}"))?;
        }
        Slash::New => {
            talk.forget();
            talk.view.line("a new conversation begins")?;
        }
        Slash::Quit => return Ok(Flow::Quit),
        Slash::Tools => {
            for row in talk.tool_rows() {
                talk.view.line(&row)?;
            }
        }
        Slash::Usage => {
            for row in talk.usage_rows() {
                talk.view.line(&row)?;
            }
        }
    }
    Ok(Flow::GoOn)
}

fn leave(talk: &mut Talk<'_>, signal: Option<Signal>) -> io::Result<u8> {
    talk.view.flush()?;
    let mut outcome = Outcome::default();
    if let Some(signal) = signal {
        outcome.note(crate::app::signalled(signal));
    }
    Ok(crate::error::exit_code(&outcome))
}
