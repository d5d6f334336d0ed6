//! What the tests of the host share: a directory that goes away, and the turn of whoever waits.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::random;
use crate::world::Cancel;

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
