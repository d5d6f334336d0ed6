//! Child processes, and the other processes of the machine.

use std::ffi::OsString;
use std::io;
use std::net::IpAddr;
use std::path::PathBuf;

use super::{Source, Stream};

/// A program to start, in its own process group and without the terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spawn {
    /// A path, or a name that `PATH` finds.
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    /// Variables to set, or with `None` to remove, on top of the inherited environment.
    pub(crate) env: Vec<(OsString, Option<OsString>)>,
    pub(crate) directory: PathBuf,
    /// Whether standard input is a pipe; else it is closed (`/dev/null`).
    pub(crate) has_input: bool,
    /// Whether standard error goes into the same pipe as standard output, in the order written.
    pub(crate) is_merged: bool,
}

/// A started child and its pipes.
pub(crate) struct Running {
    pub(crate) child: Box<dyn Child>,
    /// Dropped to close.
    pub(crate) input: Option<Box<dyn Stream>>,
    pub(crate) output: Box<dyn Stream>,
    /// Absent when merged.
    pub(crate) errors: Option<Box<dyn Stream>>,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Code(i32),
    Signal(i32),
}

/// How hard to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// SIGTERM.
    Ask,
    /// SIGKILL.
    Kill,
}

/// A child of ours. Dropping one that still runs kills its group.
pub(crate) trait Child: Send {
    #[cfg_attr(
        not(test),
        expect(
            dead_code,
            reason = "nothing shows a child yet; the tests of the host look for it"
        )
    )]
    fn pid(&self) -> u32;
    /// Readable once the child ended; `None` where the system cannot tell, then poll every 10 ms.
    fn exit_source(&self) -> Option<Source>;
    /// How it ended; `None` while it runs. Reaps it.
    fn try_exit(&mut self) -> io::Result<Option<Exit>>;
    /// Signals the child's group and descendants that left it, as far as the system shows them.
    fn stop(&mut self, how: Stop);
    /// Processes of the child's group that still run, without the child itself once it ended.
    fn remaining(&self) -> Vec<Process>;
}

/// A process of the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    /// The short name.
    pub(crate) name: String,
    /// The command line with blanks between arguments; the name if there is none.
    pub(crate) command: String,
    /// When it started, in ticks since boot: with `pid` it names one process for good.
    pub(crate) started_ticks: u64,
    /// When it started, seconds since 1970.
    pub(crate) started: i64,
    /// The user's number.
    pub(crate) user: u32,
}

/// A transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Tcp,
    Udp,
}

/// A socket that waits for others: TCP in the listening state, or UDP that is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listening {
    pub(crate) protocol: Protocol,
    pub(crate) address: IpAddr,
    pub(crate) port: u16,
    /// Whose it is, where the system tells: several after a fork.
    pub(crate) pids: Vec<u32>,
    /// The user's number.
    pub(crate) user: u32,
}

/// Processes, ours and others.
pub(crate) trait Processes: Send + Sync {
    /// `NotFound` if there is no such program.
    fn start(&self, spawn: &Spawn) -> io::Result<Running>;
    /// This process.
    fn own(&self) -> u32;
    /// Every process that can be seen.
    fn all(&self) -> io::Result<Vec<Process>>;
    /// One process, if it lives.
    fn find(&self, pid: u32) -> io::Result<Option<Process>>;
    fn listening(&self) -> io::Result<Vec<Listening>>;
    /// Signals one process, checking first that it is still the one started at `started_ticks`:
    /// `NotFound` if it is not. Held by a descriptor where the system has them, so that no other can take its number meanwhile.
    fn stop(&self, pid: u32, started_ticks: u64, how: Stop) -> io::Result<()>;
}
