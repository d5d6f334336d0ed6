//! The program from outside, and the rules that the source keeps.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::format_collect,
    clippy::format_push_string,
    reason = "a test fails by panicking, says why it skips, and need not be fast"
)]
#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a test is part of the world"
)]

mod cases;
mod documents;
mod pty;
mod reports;
mod request;
mod sandbox;
mod second_program;
mod seen;
mod server;
mod talk;
mod tidy;
mod wire;

// The folders that are compared with other programs; they name nothing above themselves.
#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "only some of it is compared"
)]
#[path = "../../src/json/mod.rs"]
mod json;
#[allow(dead_code, unused_imports, reason = "only some of it is compared")]
#[path = "../../src/pattern/mod.rs"]
mod pattern;
#[allow(dead_code, unused_imports, reason = "only some of it is compared")]
#[path = "../../src/text/mod.rs"]
mod text;
