//! JSON by RFC 8259: a value that keeps key order, a strict parser and a writer.

mod error;
mod half;
mod members;
mod number;
mod parse;
mod scan;
mod text;
mod value;
mod write;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::half::{Edge, Half};
pub(crate) use self::members::Object;
pub(crate) use self::parse::{parse, parse_keeping_halves};
pub(crate) use self::value::Value;
pub(crate) use self::write::{write, write_string};

/// Makes a [`Value::Object`]: `object! { "name": expression, … }`. A key is a literal, a variable
/// or an expression in parentheses; each value is anything that a `Value` can be made from.
macro_rules! object {
    () => { $crate::json::Value::Object($crate::json::Object::new()) };
    ($($key:tt : $value:expr),* $(,)?) => {
        $crate::json::Value::Object($crate::json::Object::from([
            $((::std::string::String::from($key), $crate::json::Value::from($value))),*
        ]))
    };
}
pub(crate) use object;

/// Makes a [`Value::Array`]: `array![expression, …]`.
macro_rules! array {
    ($($value:expr),* $(,)?) => {
        $crate::json::Value::Array(::std::vec![$($crate::json::Value::from($value)),*])
    };
}
pub(crate) use array;
