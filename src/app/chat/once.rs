//! One question, from the command line and from whatever is piped in, and its answer.

use std::io;

use crate::app::chat::input::{self, InputFault, InputRules, Piped};
use crate::app::chat::repl;
use crate::app::start::Start;
use crate::app::talk::Talk;
use crate::app::view::{Level, View};
use crate::app::{fail, signalled, view_format, written};
use crate::cli::{Ask, StdinRule, refuse_slash};
use crate::error::{Error, Kind, Outcome};
use crate::world::{InputKind, Standard, World};

/// Answers one prompt; with nothing said, on a terminal, talks.
pub(crate) fn ask(world: &World, start: &Start, ask: Ask) -> u8 {
    let format = view_format(start.flags.format);
    if ask == Ask::Either && world.console.input_kind() == InputKind::Terminal {
        return repl::talk(world, start, None);
    }
    let cancel = world.threads.cancel();
    let mut view = View::new(
        world,
        format,
        start.loudness(),
        start.paint(world, Standard::Error),
        cancel.clone(),
    );
    let prompt = match &ask {
        Ask::Prompt(prompt) => prompt.as_str(),
        Ask::Stdin | Ask::Either => "",
    };
    let rules = InputRules {
        is_wanted: match (&ask, start.flags.stdin) {
            (Ask::Stdin, _) | (_, StdinRule::Always) => Some(true),
            (_, StdinRule::Never) => Some(false),
            (_, StdinRule::Auto) => None,
        },
        has_prompt: !prompt.is_empty(),
        wait: start.settings.stdin_wait.value,
        bytes_max: start.settings.stdin_bytes_max.value as u64,
    };
    let piped = input::read(world, rules, &cancel, &mut |text| {
        drop(view.notice(Level::Info, "stdin", text))
    });
    let piped = match piped {
        Ok(piped) => piped,
        Err(InputFault::Signal(signal)) => {
            let error = signalled(signal);
            return fail(world, format, &error.to_string(), error.clone());
        }
        Err(InputFault::Io(error)) => {
            let error = Error::new(Kind::Io, format!("cannot read standard input: {error}"));
            return fail(world, format, &error.to_string(), error.clone());
        }
    };
    let question = input::join(prompt, piped.text.as_deref());
    if let Some(error) = unfit(&question, &ask) {
        return fail(world, format, &error.to_string(), error.clone());
    }
    match answer(world, start, view, &piped, question) {
        Ok(code) => code,
        Err(error) => written(&error),
    }
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
    piped: &Piped,
    question: String,
) -> io::Result<u8> {
    for warning in &start.warnings {
        view.notice(Level::Warning, "config", warning)?;
    }
    for note in &piped.notes {
        view.notice(Level::Warning, "stdin", note)?;
    }
    let mut outcome = Outcome::default();
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
    if start.flags.dry_run {
        return talk.dry_run(&question).map(|()| 0);
    }
    if piped.is_watched {
        talk.watch_input();
    }
    let end = match talk.prepare()? {
        Ok(()) => talk.say(&question)?,
        Err(error) => Some(error),
    };
    if let Some(error) = end {
        outcome.note(error);
    }
    if talk.is_refusal_open() {
        outcome.note(Error::new(
            Kind::Consent,
            "a call was refused, and none after it succeeded",
        ));
    }
    talk.conclude(&outcome)
}
