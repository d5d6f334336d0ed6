//! The real world: the only folder that names files, sockets, processes, threads, clocks and standard streams.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "this folder is what stands behind the ports"
)]

mod clock;
mod console;
mod files;
mod net;
mod proc;
mod processes;
mod random;
mod stream;
mod sys;
mod threads;

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use crate::world::World;

/// The machine that this program runs on. Nothing is opened or started before it is used.
pub(crate) fn world() -> World {
    let env = std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.to_string_lossy().into_owned())));
    World {
        args: std::env::args_os().skip(1).collect(),
        env: env.collect(),
        directory: std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/")),
        clock: Arc::new(clock::HostClock),
        console: Arc::new(console::HostConsole),
        files: Arc::new(files::HostFiles),
        net: Arc::new(net::HostNet),
        processes: Arc::new(processes::HostProcesses),
        random: Arc::new(random::HostRandom),
        threads: Arc::new(threads::HostThreads::default()),
    }
}

/// Ends the program where nothing can go on and no port can report it.
fn give_up(why: &str) -> ! {
    _ = writeln!(std::io::stderr(), "ankita: {why}"); // There is nobody left to tell if this fails.
    std::process::exit(1)
}
