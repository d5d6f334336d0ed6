//! The program from outside, and the rules that the source keeps.

mod second_program;

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
