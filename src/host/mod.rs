//! The real world: every port of `world` on Linux.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the one place that does input and output; everyone else goes through a port"
)]

mod child;
mod clock;
mod console;
mod files;
mod net;
mod proc;
mod processes;
mod random;
#[cfg(test)]
mod scratch;
mod signals;
mod sys;
mod threads;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use crate::world::World;

/// The world that this process runs in. Opens nothing, starts nothing and installs nothing: that
/// waits until a port needs it, so that `--version` pays for none of it.
pub(crate) fn world() -> World {
    let clock = Arc::new(clock::SystemClock::new());
    World {
        args: std::env::args_os().skip(1).collect(),
        env: std::env::vars_os().filter_map(variable).collect(),
        directory: directory(),
        console: Arc::new(console::Streams::new()),
        files: Arc::new(files::Tree),
        net: Arc::new(net::Network),
        processes: Arc::new(processes::Table::new()),
        random: Arc::new(random::Kernel),
        threads: Arc::new(threads::Crew::new(clock.clone())),
        clock,
    }
}

fn variable((name, value): (OsString, OsString)) -> Option<(String, String)> {
    let name = name.into_string().ok()?;
    Some((name, value.to_string_lossy().into_owned()))
}

fn directory() -> PathBuf {
    // A directory that was deleted has no name; this path leads to it all the same, and what is
    // done there fails with the system's own error.
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/proc/self/cwd"))
}
