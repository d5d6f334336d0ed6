//! The benchmark: prints the median of each thing measured, and compares nothing.
//!
//! `cargo bench` measures everything, `cargo bench -- json` what has `json` in its name. Nothing but loopback is needed.
//! Pure folders are compiled in by their paths, under the names that they call each other by; whole runs are those of the
//! real binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark fails by panicking, and prints"
)]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a benchmark is part of the world: it needs a clock, children and sockets"
)]
#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "only some of the folders is measured"
)]

#[path = "../../src/calendar/mod.rs"]
mod calendar;
#[path = "../../src/chat/mod.rs"]
mod chat;
#[path = "../../src/host/mod.rs"]
mod host; // Tests within `tool` name it, and a benchmark is compiled with tests.
#[path = "../../src/http/mod.rs"]
mod http;
#[path = "../../src/json/mod.rs"]
mod json;
#[path = "../../src/pattern/mod.rs"]
mod pattern;
#[path = "../../src/redact/mod.rs"]
mod redact;
#[path = "../../src/skill/mod.rs"]
mod skill;
#[path = "../../src/text/mod.rs"]
mod text;
#[path = "../../src/toml/mod.rs"]
mod toml; // For tests within `tool`, too.
#[path = "../../src/tool/mod.rs"]
mod tool;
#[path = "../../src/wire/mod.rs"]
mod wire;
#[path = "../../src/words/mod.rs"]
mod words;
#[path = "../../src/world/mod.rs"]
mod world;

/// The tools, the keyword catalog and the skills that the build script found.
#[allow(unused_qualifications, reason = "`core` is also the name of a crate")]
#[allow(clippy::unreadable_literal, reason = "nobody reads masks of letters")]
mod catalog {
    use crate::tool::Tool;

    include!(concat!(env!("OUT_DIR"), "/catalog.rs"));
}

mod conversation;
mod pure;
mod server;
mod table;
mod whole;

use table::Table;

fn main() {
    // Cargo itself passes `--bench`.
    let filters = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .collect();
    let mut table = Table::new(filters);
    pure::measure(&mut table);
    whole::measure(&mut table);
}
