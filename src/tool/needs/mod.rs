//! What calls may touch: a tool is handed the ports that it states, and no others.

mod commands;
mod files;

use std::sync::Arc;

pub(crate) use self::commands::{Command, Commands, Ended};
pub(in crate::tool) use self::files::fingerprint;
pub(crate) use self::files::{FILE_BYTES_MAX, Files, Writes};
use crate::tool::place::Roots;
use crate::world;

/// A port's row: its name, and what it lets a call do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) question: &'static str,
}

/// All ports; a call gets from it what its contract states.
#[derive(Clone)]
pub(crate) struct Supply {
    pub(crate) files: Arc<dyn world::Files>,
    pub(crate) roots: Arc<Roots>,
    pub(crate) processes: Arc<dyn world::Processes>,
    pub(crate) threads: Arc<dyn world::Threads>,
    pub(crate) clock: Arc<dyn world::Clock>,
    pub(crate) finder: Arc<dyn FinderPort>,
    pub(crate) shelf: Arc<dyn ShelfPort>,
}

/// Something a tool can state as a need.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something a tool can need",
    note = "the needs are: Commands, Files, Finder, Processes, Shelf, Writes"
)]
pub(crate) trait Need: Sized {
    const ROW: Row;
    /// Takes the port out of the supply.
    fn grant(supply: &Supply) -> Self;
}

/// Looking at processes and stopping them.
#[derive(Clone)]
pub(crate) struct Processes(pub(crate) Arc<dyn world::Processes>);

impl Need for Processes {
    const ROW: Row = Row {
        name: "processes",
        question: "see and stop processes",
    };
    fn grant(supply: &Supply) -> Self {
        Self(Arc::clone(&supply.processes))
    }
}

impl std::ops::Deref for Processes {
    type Target = dyn world::Processes;
    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// Waiting for what no port can announce.
pub(crate) struct Pauses {
    threads: Arc<dyn world::Threads>,
    clock: Arc<dyn world::Clock>,
}

impl Need for Pauses {
    const ROW: Row = Row {
        name: "pauses",
        question: "wait",
    };
    fn grant(supply: &Supply) -> Self {
        Self {
            threads: Arc::clone(&supply.threads),
            clock: Arc::clone(&supply.clock),
        }
    }
}

impl Pauses {
    /// Waits for `time`, or until `call` is cancelled.
    pub(crate) fn pause(&self, time: std::time::Duration, call: &Call) {
        self.threads
            .poll(&[], Some(self.clock.now().after(time)), &call.cancel);
    }
}

/// The catalog as a search: what plain words match, and what may be loaded.
pub(crate) trait FinderPort: Send + Sync {
    /// Searches for each of `queries` and loads tools or whole categories called `load`; the text for the model, and
    /// the tools it may call from now on.
    fn find(&self, queries: &[String], load: &[String]) -> crate::tool::Output;
}

/// Searching the catalog.
pub(crate) struct Finder(pub(crate) Arc<dyn FinderPort>);

impl Need for Finder {
    const ROW: Row = Row {
        name: "catalog",
        question: "search the tool catalog",
    };
    fn grant(supply: &Supply) -> Self {
        Self(Arc::clone(&supply.finder))
    }
}

/// Skills by name.
pub(crate) trait ShelfPort: Send + Sync {
    /// The rendered skill, or which there are.
    fn skill(&self, name: &str) -> Result<String, String>;
}

/// Reading skills.
pub(crate) struct Shelf(pub(crate) Arc<dyn ShelfPort>);

impl Need for Shelf {
    const ROW: Row = Row {
        name: "skills",
        question: "read skills",
    };
    fn grant(supply: &Supply) -> Self {
        Self(Arc::clone(&supply.shelf))
    }
}

/// Everything a call needs to know about its own run.
#[derive(Clone)]
pub(crate) struct Call {
    /// Set when the call must end; every loop and wait of a tool looks at it.
    pub(crate) cancel: world::Cancel,
    /// When the call must have ended, if the turn has an end.
    pub(crate) deadline: Option<world::Moment>,
    /// A longer text is cut by the gate.
    pub(crate) output_bytes_max: usize,
    /// Takes a line of progress for whoever watches.
    pub(crate) progress: Arc<dyn Fn(&str) + Send + Sync>,
}

impl Call {
    /// A failure once the call is cancelled.
    pub(crate) fn check(&self) -> Result<(), crate::tool::Failure> {
        if self.cancel.is_set() {
            Err(crate::tool::Failure::cancelled())
        } else {
            Ok(())
        }
    }
}
