//! A world in memory: its clock moves only when somebody waits, and then straight to the next thing that happens.
//!
//! A test makes a [`Fake`], tells it what there is (files, servers, programs, what is typed), takes its [`World`], runs
//! the program on it and asks the `Fake` what came of it. Everything happens on the test's own thread and in a fixed
//! order. A wait that nothing can ever end fails the test, with what was waited for.

mod console;
mod files;
mod net;
mod process;
mod stream;
#[cfg(test)]
mod tests;
mod threads;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::world::{CallId, Cancel, Clock, Moment, Random, Signal, Source, Wall, World};

pub(crate) use self::console::Typed;
pub(crate) use self::files::FileOperation;
pub(crate) use self::net::{Connection, Found, Record, Segment};
pub(crate) use self::process::Program;
pub(crate) use self::stream::{End, Step};

/// The world in memory, and the handle that tests hold. Clones share it.
#[derive(Clone)]
pub(crate) struct Fake(Arc<Mutex<State>>);

/// What happens by itself, see [`Fake::at`] and [`Fake::at_wait`].
pub(crate) enum Action {
    /// The driver is told of a signal. If a job waits meanwhile, its cancel is set too, as the driver would.
    Signal(Signal),
    /// The flag is set.
    Set(Cancel),
    /// The cancel of whoever polls is set; for [`crate::world::Threads::wait`] this is an Interrupt.
    Cancel,
    /// Anything else: change files, the clock, the console.
    Run(Box<dyn FnOnce(&Fake) + Send>),
}

/// When an action happens.
enum Trigger {
    Moment(Moment),
    /// At the n-th wait or poll, counted from 1.
    Wait(u64),
    /// At the n-th use of any port but the clock, counted from 1.
    Operation(u64),
}

struct State {
    args: Vec<OsString>,
    env: Vec<(String, String)>,
    directory: PathBuf,
    now: Moment,
    wall: Wall,
    is_wall_still: bool,
    random: u64,
    waits: u64,
    operations: u64,
    /// `operations` at the last wait, and how many waits went by without one and without time.
    idle_waits: (u64, u32),
    /// How many polls there were with a cancel that was set before.
    late_polls: u32,
    triggers: Vec<(Trigger, Action)>,
    signals: Vec<Signal>,
    finished: Vec<(CallId, Option<String>)>,
    sources: stream::Sources,
    net: net::State,
    files: files::State,
    console: console::State,
    processes: process::State,
}

impl Fake {
    /// An empty world: no arguments, no environment, a directory `/home/me/repo`, nothing typed, nobody to connect to,
    /// no programs. The wall clock stands at 2026-03-01 12:00:00 UTC and goes with the other.
    pub(crate) fn new() -> Self {
        let directory = PathBuf::from("/home/me/repo");
        let mut sources = stream::Sources::default();
        let console = console::State::new(&mut sources);
        Self(Arc::new(Mutex::new(State {
            args: Vec::new(),
            env: Vec::new(),
            files: files::State::new(&directory),
            directory,
            now: Moment::default(),
            wall: Wall {
                unix_seconds: 1_772_366_400,
                nanos: 0,
                offset_seconds: 0,
            },
            is_wall_still: false,
            random: 0,
            waits: 0,
            operations: 0,
            idle_waits: (0, 0),
            late_polls: 0,
            triggers: Vec::new(),
            signals: Vec::new(),
            finished: Vec::new(),
            sources,
            net: net::State::default(),
            console,
            processes: process::State::default(),
        })))
    }

    /// The ports. May be taken several times; all are the same world.
    pub(crate) fn world(&self) -> World {
        let (args, env, directory) = {
            let state = self.look();
            (
                state.args.clone(),
                state.env.clone(),
                state.directory.clone(),
            )
        };
        World {
            args,
            env,
            directory,
            clock: Arc::new(self.clone()),
            console: Arc::new(self.clone()),
            files: Arc::new(self.clone()),
            net: Arc::new(self.clone()),
            processes: Arc::new(self.clone()),
            random: Arc::new(self.clone()),
            threads: Arc::new(self.clone()),
        }
    }

    pub(crate) fn set_args(&self, args: &[&str]) -> &Self {
        self.look().args = args.iter().map(OsString::from).collect();
        self
    }

    /// Sets a variable of the environment, in place of an earlier one of that name.
    pub(crate) fn set_env(&self, name: &str, value: &str) -> &Self {
        let mut state = self.look();
        state.env.retain(|(known, _)| known != name);
        state.env.push((name.to_owned(), value.to_owned()));
        drop(state);
        self
    }

    /// Moves the clock by hand.
    pub(crate) fn pass(&self, time: Duration) -> &Self {
        let mut state = self.look();
        state.now = state.now.after(time);
        drop(state);
        self
    }

    /// Has `action` happen once the clock comes to `moment`.
    pub(crate) fn at(&self, moment: Duration, action: Action) -> &Self {
        self.look()
            .triggers
            .push((Trigger::Moment(Moment(moment)), action));
        self
    }

    /// Has `action` happen when the n-th wait or poll begins, counted from 1 over both.
    pub(crate) fn at_wait(&self, n: u64, action: Action) -> &Self {
        self.look().triggers.push((Trigger::Wait(n), action));
        self
    }

    /// Has `action` happen before the n-th use of any port (files, streams, console, processes, waits; not the clock).
    pub(crate) fn at_operation(&self, n: u64, action: Action) -> &Self {
        self.look().triggers.push((Trigger::Operation(n), action));
        self
    }

    /// How many waits and polls there were.
    pub(crate) fn waits(&self) -> u64 {
        self.look().waits
    }

    /// How many uses of ports there were, waits among them.
    pub(crate) fn operations(&self) -> u64 {
        self.look().operations
    }

    /// The time on the clock.
    pub(crate) fn time(&self) -> Duration {
        self.look().now.0
    }

    /// The state, without counting as an operation.
    fn look(&self) -> MutexGuard<'_, State> {
        // A test that failed inside must not hide its reason behind a poisoned lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, for one use of a port: counted, and what was to happen before it has happened.
    fn enter(&self) -> MutexGuard<'_, State> {
        let due = {
            let mut state = self.look();
            state.operations += 1;
            let count = state.operations;
            state.take_due(|trigger| matches!(trigger, Trigger::Operation(n) if *n == count))
        };
        for action in due {
            self.act(action, None);
        }
        self.look()
    }

    /// Lets an action happen; `polled` is the cancel of whoever waits, if it is a job.
    fn act(&self, action: Action, polled: Option<&Cancel>) {
        match (action, polled) {
            (Action::Signal(signal), polled) => {
                self.look().signals.push(signal);
                if let Some(cancel) = polled {
                    cancel.set();
                }
            }
            (Action::Set(cancel), _) => cancel.set(),
            (Action::Cancel, Some(cancel)) => cancel.set(),
            (Action::Cancel, None) => self.look().signals.push(Signal::Interrupt),
            (Action::Run(run), _) => run(self),
        }
    }

    /// A flag over a source of its own.
    fn new_cancel(&self) -> Cancel {
        let source = self.look().sources.add(stream::Entry::Flag(None));
        let fake = self.clone();
        let wake = move || {
            let mut state = fake.look();
            let now = state.now;
            state.sources.set_flag(source, now);
        };
        Cancel::new(Some(source), Box::new(wake))
    }
}

impl State {
    /// Takes out the actions whose trigger is due, in the order they were given.
    fn take_due(&mut self, is_due: impl Fn(&Trigger) -> bool) -> Vec<Action> {
        let (due, later) = std::mem::take(&mut self.triggers)
            .into_iter()
            .partition(|(trigger, _)| is_due(trigger));
        self.triggers = later;
        let due: Vec<(Trigger, Action)> = due;
        due.into_iter().map(|(_, action)| action).collect()
    }
}

impl Clock for Fake {
    fn now(&self) -> Moment {
        self.look().now
    }

    fn wall(&self) -> Wall {
        let state = self.look();
        let mut wall = state.wall;
        if !state.is_wall_still {
            wall.unix_seconds += i64::try_from(state.now.0.as_secs()).unwrap_or(i64::MAX);
            wall.nanos = state.now.0.subsec_nanos();
        }
        wall
    }
}

impl Random for Fake {
    /// Counts: the bytes 0, 1, 2 … over all calls.
    fn fill(&self, bytes: &mut [u8]) {
        let mut state = self.enter();
        for byte in bytes {
            *byte = u8::try_from(state.random % 256).unwrap_or(0);
            state.random += 1;
        }
    }
}

/// An error of the given kind, with a text that tests can look for.
fn fault(kind: io::ErrorKind, text: &str) -> io::Error {
    io::Error::new(kind, text)
}

/// The source that belongs to no stream, for messages.
fn name_of(source: Source) -> String {
    format!("source {}", source.0)
}
