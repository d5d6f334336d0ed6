//! The world as the program sees it: a port for each thing outside, and one value that holds them.
//!
//! `host` is the real world; `fake` is one in memory, so that the whole program can run in a test
//! and two minutes of silence take no time.

mod cancel;
mod console;
#[cfg(test)]
pub(crate) mod fake;
mod files;
mod net;
mod process;
mod time;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) use self::cancel::Cancel;
pub(crate) use self::console::{Console, InputKind, Standard};
pub(crate) use self::files::{Files, Identity, Item, Kind, Stat};
pub(crate) use self::net::{Listener, Lookup, Net, Peer, Stream};
pub(crate) use self::process::{
    Child, Exit, Listening, Process, Processes, Protocol, Running, Spawn, Stop,
};
pub(crate) use self::time::{Clock, Moment, Wall};

/// Everything outside the program. One value, shared by the driver and the calls.
pub(crate) struct World {
    /// The command line after the program's name.
    pub(crate) args: Vec<OsString>,
    /// The environment at start; names that are not UTF-8 are left out, values are kept lossy.
    pub(crate) env: Vec<(String, String)>,
    /// The working directory at start.
    pub(crate) directory: PathBuf,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) console: Arc<dyn Console>,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) net: Arc<dyn Net>,
    pub(crate) processes: Arc<dyn Processes>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) threads: Arc<dyn Threads>,
}

/// What can be waited for: a stream's descriptor, or in the fake world its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Source(pub(crate) i32);

/// What a waiter wants of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// Bytes to read, an end of input, or an error.
    Read,
    /// Room to write, or an error.
    Write,
    /// Only that the other side went away.
    Hangup,
}

/// One source in a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interest {
    pub(crate) source: Source,
    pub(crate) want: Want,
}

impl Interest {
    pub(crate) fn read(source: Source) -> Self {
        Self {
            source,
            want: Want::Read,
        }
    }
    pub(crate) fn write(source: Source) -> Self {
        Self {
            source,
            want: Want::Write,
        }
    }
    pub(crate) fn hangup(source: Source) -> Self {
        Self {
            source,
            want: Want::Hangup,
        }
    }
}

/// A signal that the program handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// SIGINT, Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// SIGHUP: the terminal is gone.
    Hangup,
}

/// Names a call that runs on a thread; chosen by whoever starts it, never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CallId(pub(crate) u64);

/// What the driver is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// One of the interests is ready; the owner of the source reads or writes.
    Ready(Source),
    Signal(Signal),
    /// A job ended; with the panic's message if it panicked.
    Finished(CallId, Option<String>),
    /// `until` has come, or the wait was woken for nothing.
    Tick,
}

/// Threads, and the one place where they and the driver wait.
pub(crate) trait Threads: Send + Sync {
    /// Waits until an interest is ready (the first in the list wins), `until` has come, or a signal
    /// or the end of a job is there. Only the driver calls this: signals and ends go to one reader.
    fn wait(&self, interests: &[Interest], until: Option<Moment>) -> Event;
    /// The same without signals and ends: for code that runs inside a job. `None` when `until` has come
    /// or `cancel` is set.
    fn poll(
        &self,
        interests: &[Interest],
        until: Option<Moment>,
        cancel: &Cancel,
    ) -> Option<Source>;
    /// Hands back the end of a job that came while something else was waited for; the next wait brings it again.
    fn hand_back(&self, call: CallId, panic: Option<String>);
    /// Runs `job` on a thread of its own; its end is reported as [`Event::Finished`]. A panic stays in it.
    fn start(&self, call: CallId, job: Box<dyn FnOnce() + Send>);
    /// A cancel flag that wakes whoever waits with it.
    fn cancel(&self) -> Cancel;
}

/// Chance: ids, temporary names, jitter.
pub(crate) trait Random: Send + Sync {
    /// Fills `bytes` with random bytes.
    fn fill(&self, bytes: &mut [u8]);
}

impl World {
    /// The value of an environment variable; empty counts as unset.
    pub(crate) fn var(&self, name: &str) -> Option<&str> {
        self.env
            .iter()
            .find(|(known, value)| known == name && !value.is_empty())
            .map(|(_, value)| value.as_str())
    }

    /// Writes all of `bytes`; see [`Console::write`].
    pub(crate) fn write(&self, to: Standard, bytes: &[u8], cancel: &Cancel) -> io::Result<()> {
        self.console.write(to, bytes, cancel)
    }
}
