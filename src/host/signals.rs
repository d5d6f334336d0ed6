//! Signals as bytes in a pipe, so that the driver waits for them as for anything else.

use std::ffi::c_int;
use std::io::{self, PipeReader, Read};
use std::os::fd::AsRawFd;
use std::sync::OnceLock;

use super::sys;
use crate::world::Signal;

/// The reading end of the pipe that the handlers write to. One for the process, as handlers are.
pub(super) struct Signals {
    reader: PipeReader,
}

static SIGNALS: OnceLock<Option<Signals>> = OnceLock::new();

/// The process's signals; the first call installs the handlers. From then on an interrupt no longer
/// ends the process by itself. `None` if the system has no descriptor left for it: then signals
/// keep doing what they do by default.
pub(super) fn install() -> Option<&'static Signals> {
    SIGNALS.get_or_init(|| Signals::new().ok()).as_ref()
}

/// The same if the handlers are installed; installs nothing.
pub(super) fn installed() -> Option<&'static Signals> {
    SIGNALS.get()?.as_ref()
}

impl Signals {
    fn new() -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        sys::set_nonblocking(&reader)?;
        sys::set_nonblocking(&writer)?;
        let signals = [sys::SIGINT, sys::SIGTERM, sys::SIGHUP];
        // An ignored SIGHUP is what the user asked of `nohup`. An ignored SIGINT is only what a
        // script's shell gives to everything it starts with `&`: whoever sends one there means it.
        sys::handle_signals(writer.into(), &signals, |signal| signal == sys::SIGHUP)?;
        Ok(Self { reader })
    }

    /// The descriptor that is readable while a signal waits.
    pub(super) fn fd(&self) -> c_int {
        self.reader.as_raw_fd()
    }

    /// The next signal, if one waits.
    pub(super) fn take(&self) -> Option<Signal> {
        let mut byte = [0];
        match (&self.reader).read(&mut byte) {
            Ok(1) => match c_int::from(byte[0]) {
                sys::SIGINT => Some(Signal::Interrupt),
                sys::SIGTERM => Some(Signal::Terminate),
                sys::SIGHUP => Some(Signal::Hangup),
                _ => None,
            },
            _ => None,
        }
    }
}
