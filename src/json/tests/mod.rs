//! Tests of the JSON folder.

mod big;
pub(crate) mod generate;
mod grammar;
mod halves;
mod values;

use super::error::Error;
use super::write::write_indented;
use super::{Value, parse, write};

/// The compact text of `value`.
fn compact(value: &Value) -> String {
    let mut bytes = Vec::new();
    write(value, &mut bytes);
    String::from_utf8(bytes).unwrap()
}

#[track_caller]
fn read(text: impl AsRef<[u8]>) -> Value {
    let text = text.as_ref();
    parse(text).unwrap_or_else(|error| panic!("{error}: {}", text.escape_ascii()))
}

#[track_caller]
fn fault(text: impl AsRef<[u8]>) -> Error {
    let text = text.as_ref();
    parse(text).expect_err(&text.escape_ascii().to_string())
}
