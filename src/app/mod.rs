//! The program's commands, and what they share: the driver, the view, consent and ports.

mod chat;
mod consent;
#[cfg(test)]
mod contracts;
mod conversation;
mod endpoint;
mod instructions;
mod models;
mod pump;
mod round;
mod serve;
mod start;
#[cfg(test)]
mod tests;
mod toolbox;
mod tools;
mod typed;
mod view;

use std::io;

use crate::app::start::Start;
use crate::app::view::{Format, Summary, View};
use crate::cli::{self, Action, Command, Flags, Order};
use crate::error::{self, Error, Kind, Outcome};
use crate::text::Paint;
use crate::world::{Signal, Standard, World};

/// Runs the program and returns its exit code.
pub(crate) fn run(mut world: World) -> u8 {
    let format = view_format(cli::requested_format(&world.args));
    let invocation = match cli::parse(&world.args) {
        Ok(invocation) => invocation,
        Err(usage) => {
            return end(&world, format, &usage.into(), Some(cli::SHORT_USAGE));
        }
    };
    match invocation.action {
        Action::Version => print(&world, &format!("{}\n", cli::version())),
        Action::Help(command) => print(&world, &help(command)),
        action => {
            match start::set_clock(&mut world).and_then(|()| Start::new(&world, invocation.flags)) {
                Ok(start) => act(&world, start, action),
                Err(error) => fail(&world, format, &error),
            }
        }
    }
}

fn act(world: &World, start: Start, action: Action) -> u8 {
    match action {
        Action::Ask(ask) => chat::ask(world, &start, ask),
        Action::Talk(first) => chat::talk(world, &start, first),
        Action::Run(order) => order_of(world, &start, order),
        Action::Help(_) | Action::Version => 0, // Answered before anything was read.
    }
}

/// The commands. A listing goes to standard output; what is wrong is said once.
fn order_of(world: &World, start: &Start, order: Order) -> u8 {
    let is_json = start.flags.format == cli::Format::Json;
    let listing = match order {
        Order::ToolsList => Ok(tools::list(is_json)),
        Order::ToolsShow(names) => tools::show(&names, is_json),
        Order::ToolsMatch(queries) => return tools::match_queries(world, start, &queries, is_json),
        Order::ToolsCall { name, arguments } => return tools::call(world, start, name, arguments),
        Order::ToolsAudit => Ok(tools::audit(&conversation::system_prompt(world, start))),
        Order::SkillsList => Ok(tools::skills()),
        Order::SkillsShow(name) => tools::show_skill(&name),
        Order::Models => return models::list(world, start),
        Order::Endpoint => return endpoint::serve(world, start),
    };
    match listing {
        Ok(listing) => print(world, &listing),
        Err(error) => fail(world, view_format(start.flags.format), &error),
    }
}

fn help(command: Option<&'static Command>) -> String {
    command.map_or_else(|| cli::help(&error::exit_code_rows()), cli::command_help)
}

/// The view's name for what the command line asks for.
pub(crate) fn view_format(format: cli::Format) -> Format {
    match format {
        cli::Format::Text => Format::Text,
        cli::Format::Json => Format::Json,
        cli::Format::StreamJson => Format::StreamJson,
    }
}

/// A view for output that no turn makes.
pub(crate) fn plain_view<'w>(world: &'w World, flags: &Flags) -> View<'w> {
    let loudness = if flags.quiet {
        view::Loudness::Quiet
    } else {
        view::Loudness::Normal
    };
    View::new(
        world,
        Format::Text,
        loudness,
        Paint::default(),
        world.threads.cancel(),
    )
}

/// Prints a listing; a reader that went away is no fault.
fn print(world: &World, listing: &str) -> u8 {
    let cancel = world.threads.cancel();
    match world.write(
        Standard::Output,
        crate::text::sanitize(listing).as_bytes(),
        &cancel,
    ) {
        Ok(()) => 0,
        Err(error) => written(world, &error),
    }
}

/// The exit code of a run that could not write its output; says why unless the reader just left.
pub(crate) fn written(world: &World, error: &io::Error) -> u8 {
    let cancel = world.threads.cancel();
    let mut view = View::new(
        world,
        Format::Text,
        view::Loudness::Normal,
        Paint::default(),
        cancel,
    );
    let error = match error.kind() {
        io::ErrorKind::BrokenPipe => return 0,
        io::ErrorKind::Interrupted => {
            let signal = view.stopped_by();
            view.hurry();
            signalled(signal)
        }
        _ => Error::new(
            Kind::Io,
            format!("cannot write to standard output: {error}"),
        ),
    };
    // That nobody can be told changes nothing.
    drop(view.error(error.kind.name(), &error.message));
    error.kind.exit_code()
}

/// Ends a run that never came to its turn: the reason on standard error and, in the JSON formats, a `result`.
pub(crate) fn fail(world: &World, format: Format, error: &Error) -> u8 {
    end(world, format, error, None)
}

/// The same, with a line for people after the reason.
fn end(world: &World, format: Format, error: &Error, after: Option<&str>) -> u8 {
    let cancel = world.threads.cancel();
    let mut view = View::new(
        world,
        format,
        view::Loudness::Normal,
        Paint::default(),
        cancel,
    );
    let mut outcome = Outcome::default();
    outcome.note(error.clone());
    let summary = Summary {
        exit_code: error::exit_code(&outcome),
        status: outcome.status(),
        error: Some((error.kind.name(), error.message.clone())),
        ..Summary::default()
    };
    let mut show = || {
        if error.kind == Kind::Interrupted {
            view.break_line()?;
        }
        view.error(error.kind.name(), &error.message)?;
        after.map_or(Ok(()), |after| view.line(after))?;
        view.finish(&summary)
    };
    match show() {
        Ok(()) => summary.exit_code,
        Err(error) => written(world, &error),
    }
}

/// What a signal ends a run with.
pub(crate) fn signalled(signal: Signal) -> Error {
    match signal {
        Signal::Interrupt => Error::new(Kind::Interrupted, "interrupted"),
        Signal::Terminate => Error::new(Kind::Terminated, "terminated"),
        Signal::Hangup => Error::new(Kind::Terminated, "the terminal went away"),
    }
}
