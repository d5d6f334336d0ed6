//! A terminal chat assistant that keeps tool schemas out of the context until they are needed.
//!
//! Reading order: `cli` says what was asked for, `app` does it, `chat` decides each next step,
//! `tool::gate` lets calls run, and `host` is the real world behind the ports in `world`.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )
)]

mod app;
mod calendar;
mod chat;
mod cli;
mod config;
mod error;
mod host;
mod http;
mod json;
mod offline;
mod pattern;
mod redact;
mod skill;
mod text;
mod toml;
mod tool;
mod wire;
mod words;
mod world;

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(app::run(host::world()))
}
/// The tools, the keyword catalog and the skills that the build script found.
#[allow(unused_qualifications, reason = "`core` is also the name of a crate")]
#[allow(clippy::unreadable_literal, reason = "nobody reads masks of letters")]
mod catalog {
    use crate::tool::Tool;

    include!(concat!(env!("OUT_DIR"), "/catalog.rs"));
}
