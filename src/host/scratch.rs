//! What the tests of the host share: a directory that goes away, and the turn of whoever waits.

use std::ffi::c_short;
use std::fs;
use std::io::ErrorKind;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::random;
use super::sys::{self, PollFd};
use crate::world::{Cancel, Source};

/// An empty directory, removed with all that is in it.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new() -> Self {
        let name = format!("ankita-host-{}", random::hex(16));
        let directory = std::env::temp_dir().join(name);
        fs::create_dir(&directory).unwrap();
        Self(fs::canonicalize(directory).unwrap())
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Signals belong to the process: tests that send one or would see one take turns.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until `fd` is ready. Signals that other tests send interrupt it and say nothing.
pub(super) fn wait_ready(fd: &impl AsRawFd, events: c_short) {
    wait_source(Source(fd.as_raw_fd()), events);
}

/// The same for a source.
pub(super) fn wait_source(source: Source, events: c_short) {
    let mut fds = [PollFd {
        fd: source.0,
        events,
        revents: 0,
    }];
    while let Err(error) = sys::poll_fds(&mut fds, -1) {
        assert_eq!(error.kind(), ErrorKind::Interrupted);
    }
}

/// A flag that nobody sets and nothing wakes.
pub(super) fn never() -> Cancel {
    Cancel::new(None, Box::new(|| ()))
}

/// Whether `program` can be started here; says so if not.
pub(super) fn has_program(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|directory| directory.join(program).exists());
    if !found {
        say_skipped(&format!("`{program}` is not installed"));
    }
    found
}

/// Says why a test, or a part of it, proves nothing here.
#[allow(clippy::print_stderr, reason = "this is for whoever runs the tests")]
pub(super) fn say_skipped(reason: &str) {
    eprintln!("skipped: {reason}");
}
