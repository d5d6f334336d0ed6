//! The value that a JSON text stands for, and how Rust values become one.

use std::borrow::Cow;
use std::fmt;

use super::members::Object;
use super::write::write;

/// Any JSON value. Equality is that of the text it is written as: key order counts, and so does
/// whether a number was an integer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Value {
    #[default]
    Null,
    Bool(bool),
    /// An integer that fits `i64`.
    Int(i64),
    /// An integer above `i64::MAX`, and only such.
    Uint(u64),
    /// Every other number, `-0` among them.
    Float(f64),
    String(String),
    Array(Vec<Value>),
    Object(Object),
}

impl Value {
    /// The member of an object; `None` for an unknown key and for anything that is no object.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.as_object()?.get(key)
    }

    /// The element of an array, from 0; `None` beyond its end and for anything that is no array.
    #[cfg(test)]
    pub(crate) fn at(&self, index: usize) -> Option<&Value> {
        self.as_array()?.get(index)
    }

    /// What a JSON pointer (RFC 6901) leads to; `""` is the value itself.
    pub(crate) fn pointer(&self, path: &str) -> Option<&Value> {
        let mut here = self;
        for segment in segments(path)? {
            here = match here {
                Value::Object(object) => object.get(&segment)?,
                Value::Array(items) => items.get(index(&segment)?)?,
                _ => return None,
            };
        }
        Some(here)
    }

    /// The same, to change it.
    #[cfg(test)]
    pub(crate) fn pointer_mut(&mut self, path: &str) -> Option<&mut Value> {
        let mut here = self;
        for segment in segments(path)? {
            here = match here {
                Value::Object(object) => object.get_mut(&segment)?,
                Value::Array(items) => items.get_mut(index(&segment)?)?,
                _ => return None,
            };
        }
        Some(here)
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// An integer that fits; a `Float` never is one, not even `1.0`.
    pub(crate) fn as_i64(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// An integer that is not negative; a `Float` never is one.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Int(number) => u64::try_from(*number).ok(),
            Value::Uint(number) => Some(*number),
            _ => None,
        }
    }

    /// Any number, rounded to the nearest `f64` where it is an integer above 2^53.
    #[allow(
        clippy::cast_precision_loss,
        reason = "the caller asked for the nearest double"
    )]
    #[cfg(test)]
    pub(crate) fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Int(number) => Some(*number as f64),
            Value::Uint(number) => Some(*number as f64),
            Value::Float(number) => Some(*number),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(is_true) => Some(*is_true),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Value]> {
        match self {
            Value::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// What it is, for a sentence: `null`, `a boolean`, `an integer`, `a number`, `a string`,
    /// `an array`, `an object`.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Int(_) | Value::Uint(_) => "an integer",
            Value::Float(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "an array",
            Value::Object(_) => "an object",
        }
    }

    /// Sorts the keys of every object in it by their bytes, so that values that differ only in key order
    /// become equal.
    pub(crate) fn sort_keys(&mut self) {
        match self {
            Value::Array(items) => items.iter_mut().for_each(Value::sort_keys),
            Value::Object(object) => object.sort_keys(),
            _ => {}
        }
    }
}

/// The unescaped segments of a JSON pointer; `None` if it is not empty and does not begin with `/`.
fn segments(path: &str) -> Option<impl Iterator<Item = Cow<'_, str>>> {
    let mut rest = path.split('/');
    let is_well_formed = rest.next() == Some("");
    is_well_formed.then(|| {
        rest.map(|segment| {
            if segment.contains('~') {
                Cow::Owned(segment.replace("~1", "/").replace("~0", "~"))
            } else {
                Cow::Borrowed(segment)
            }
        })
    })
}

/// An array index of a JSON pointer: digits without a leading zero (RFC 6901 §4).
fn index(segment: &str) -> Option<usize> {
    let is_plain = segment.bytes().all(|byte| byte.is_ascii_digit())
        && (segment == "0" || !segment.starts_with('0'));
    is_plain.then(|| segment.parse().ok())?
}

/// The compact text.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::new();
        write(self, &mut bytes);
        f.write_str(std::str::from_utf8(&bytes).map_err(|_| fmt::Error)?)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::String(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::String(text)
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Value::String(text.clone())
    }
}

impl From<Cow<'_, str>> for Value {
    fn from(text: Cow<'_, str>) -> Self {
        Value::String(text.into_owned())
    }
}

impl From<bool> for Value {
    fn from(is_true: bool) -> Self {
        Value::Bool(is_true)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::Int(number)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Value::Int(number.into())
    }
}

impl From<u16> for Value {
    fn from(number: u16) -> Self {
        Value::Int(number.into())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Value::Int(number.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        i64::try_from(number).map_or(Value::Uint(number), Value::Int)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        u64::try_from(number).unwrap_or(u64::MAX).into()
    }
}

/// JSON has no infinities and no NaN: they become `null`.
impl From<f64> for Value {
    fn from(number: f64) -> Self {
        if number.is_finite() {
            Value::Float(number)
        } else {
            Value::Null
        }
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        Value::Array(items.into_iter().map(Into::into).collect())
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Value::Object(object)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(maybe: Option<T>) -> Self {
        maybe.map_or(Value::Null, Into::into)
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Value::Array(items.into_iter().map(Into::into).collect())
    }
}
