//! One question, from the command line and from whatever is piped in, and its answer.

use std::io;

use crate::app::chat::input::{self, InputFault, InputRules, Piped};
use crate::app::chat::repl;
use crate::app::conversation::Conversation;
use crate::app::start::Start;
use crate::app::view::{Level, View};
use crate::app::{fail, signalled, view_format, written};
use crate::cli::{Ask, Format, StdinRule, refuse_slash};
use crate::error::{Error, Kind, Outcome};
use crate::world::{InputKind, Standard, World};

/// Answers one prompt; with nothing said, on a terminal, talks.
pub(crate) fn ask(world: &World, start: &Start, ask: Ask) -> u8 {
    let format = view_format(start.flags.format);
    if ask == Ask::Either && world.console.input_kind() == InputKind::Terminal {
        return match no_session(start) {
            Some(error) => fail(world, format, &error),
            None => repl::talk(world, start, None),
        };
    }
    let mut view = View::new(
        world,
        format,
        start.loudness(),
        start.paint(world, Standard::Error),
        world.threads.cancel(),
    );
    let piped = match read(world, start, &ask, &mut view) {
        Ok(piped) => piped,
        Err(error) => return fail(world, format, &error),
    };
    let prompt = match &ask {
        Ask::Prompt(prompt) => prompt.as_str(),
        Ask::Stdin | Ask::Either => "",
    };
    let question = input::join(prompt, piped.text.as_deref());
    if let Some(error) = unfit(&question, &ask) {
        return fail(world, format, &error);
    }
    match answer(world, start, view, piped, question) {
        Ok(code) => code,
        Err(error) => written(world, &error),
    }
}

/// Why a command line without a prompt begins no session: a flag says that nobody is there to talk to.
fn no_session(start: &Start) -> Option<Error> {
    let flag = match start.flags.format {
        _ if start.flags.dry_run => "--dry-run",
        _ if start.flags.headless => "--headless",
        Format::Text => return None,
        Format::Json | Format::StreamJson => "--output-format",
    };
    let why = format!("there is nothing to ask: `{flag}` needs a prompt; give one, or pipe one in");
    Some(Error::new(Kind::Usage, why))
}

/// Standard input, as far as it belongs to the question.
fn read(world: &World, start: &Start, ask: &Ask, view: &mut View<'_>) -> Result<Piped, Error> {
    let rules = InputRules {
        is_wanted: match (ask, start.flags.stdin) {
            (Ask::Stdin, _) | (_, StdinRule::Always) => Some(true),
            (_, StdinRule::Never) => Some(false),
            (_, StdinRule::Auto) => None,
        },
        has_prompt: matches!(ask, Ask::Prompt(_)),
        wait: start.settings.stdin_wait.value,
        bytes_max: start.settings.stdin_bytes_max.value as u64,
    };
    let cancel = world.threads.cancel();
    let piped = input::read(world, rules, &cancel, &mut |text| {
        drop(view.notice(Level::Info, "stdin", text));
    });
    piped.map_err(|fault| match fault {
        InputFault::Signal(signal) => signalled(signal),
        InputFault::Io(error) => {
            Error::new(Kind::Io, format!("cannot read standard input: {error}"))
        }
    })
}

/// Why there is nothing to ask.
fn unfit(question: &str, ask: &Ask) -> Option<Error> {
    if question.trim().is_empty() {
        let why =
            "there is nothing to ask: give a prompt, or pipe one in; `ankita --help` shows how";
        return Some(Error::new(Kind::Usage, why));
    }
    let is_piped = !matches!(ask, Ask::Prompt(_));
    refuse_slash(question.trim())
        .filter(|_| is_piped)
        .map(Error::from)
}

fn answer(
    world: &World,
    start: &Start,
    mut view: View<'_>,
    piped: Piped,
    question: String,
) -> io::Result<u8> {
    for warning in &start.warnings {
        view.notice(Level::Warning, "config", warning)?;
    }
    for note in &piped.notes {
        view.notice(Level::Warning, "stdin", note)?;
    }
    let mut conversation = match Conversation::new(world, start, view) {
        Ok(conversation) => conversation,
        Err(error) => return Ok(fail(world, view_format(start.flags.format), &error)),
    };
    if start.flags.dry_run {
        return conversation.dry_run(&question).map(|()| 0);
    }
    if piped.is_watched {
        conversation.watch_input();
    }
    drop(piped);
    let end = match conversation.prepare()? {
        Ok(()) => conversation.say(question)?,
        Err(error) => Some(error),
    };
    let mut outcome = Outcome::default();
    if let Some(error) = end {
        outcome.note(error);
    }
    if conversation.is_refusal_open() {
        outcome.note(Error::new(
            Kind::Consent,
            "a call was refused, and none after it succeeded",
        ));
    }
    conversation.conclude(&outcome)
}
