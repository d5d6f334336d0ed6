//! The fields of a head (RFC 9110 §5, RFC 9112 §5): lines → names and values.

use crate::wire::Error;
use crate::wire::octets::{is_blank, is_token, is_value_byte, show, trim_blanks};

/// Fields of one head.
pub(crate) const HEAD_FIELDS_MAX: usize = 256;

/// The fields of a head in the order they came.
///
/// Names compare without case. Values are without blanks at the ends; bytes that are no UTF-8 are U+FFFD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    list: Vec<(String, String)>,
}

impl Fields {
    /// Adds a field at the end, unchecked.
    #[cfg(test)]
    pub(crate) fn push(&mut self, name: &str, value: &str) {
        self.list.push((name.to_owned(), value.to_owned()));
    }

    /// The first value of `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of `name`, in order.
    pub(crate) fn all<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.iter()
            .filter(move |(other, _)| other.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// The elements of `name` read as a comma list over all its lines (RFC 9110 §5.6.1), without the empty ones.
    pub(crate) fn elements<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> {
        self.all(name)
            .flat_map(|value| value.split(','))
            .map(|element| element.trim_matches([' ', '\t']))
            .filter(|element| !element.is_empty())
    }

    /// Whether `element` is in the comma list of `name`, without case.
    pub(crate) fn has_element(&self, name: &str, element: &str) -> bool {
        self.elements(name)
            .any(|other| other.eq_ignore_ascii_case(element))
    }

    /// The one value of a field that must not differ if it is repeated; an error if it does.
    pub(crate) fn single(&self, name: &str) -> Result<Option<&str>, Error> {
        let mut values = self.all(name);
        let first = values.next();
        if values.any(|value| Some(value) != first) {
            return Err(Error::Protocol(format!(
                "the field `{name}` came twice with different values"
            )));
        }
        Ok(first)
    }

    /// All fields as name and value, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.list
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Reads one line, without its end, and adds it.
    pub(super) fn push_line(&mut self, line: &[u8]) -> Result<(), Error> {
        if line.first().copied().is_some_and(is_blank) {
            return self.push_fold(line);
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return Err(protocol("a line of the head has no colon", line));
        };
        let (name, value) = line.split_at(colon);
        if !is_token(name) {
            return Err(protocol("a field's name is no token", name));
        }
        if self.list.len() >= HEAD_FIELDS_MAX {
            return Err(Error::Limit(format!(
                "the head has more than {HEAD_FIELDS_MAX} fields"
            )));
        }
        let value = trim_blanks(value.get(1..).unwrap_or_default());
        check_value(name, value)?;
        self.list.push((lossy(name), lossy(value)));
        Ok(())
    }

    /// Obsolete folding (RFC 9112 §5.2): the line goes on with the last value, after one space.
    fn push_fold(&mut self, line: &[u8]) -> Result<(), Error> {
        let Some((name, value)) = self.list.last_mut() else {
            // §2.2: never let white space after the start line pass for something else.
            return Err(protocol("the first field begins with a blank", line));
        };
        let more = trim_blanks(line);
        check_value(name.as_bytes(), more)?;
        if !value.is_empty() && !more.is_empty() {
            value.push(' ');
        }
        value.push_str(&String::from_utf8_lossy(more));
        Ok(())
    }
}

fn check_value(name: &[u8], value: &[u8]) -> Result<(), Error> {
    if value.iter().all(|byte| is_value_byte(*byte)) {
        return Ok(());
    }
    // Not the value: it may be a secret.
    Err(protocol(
        "a field's value has a control character; the field is",
        name,
    ))
}

/// An error that says `what` and shows `bytes`.
pub(super) fn protocol(what: &str, bytes: &[u8]) -> Error {
    Error::Protocol(format!("{what}: `{}`", show(bytes)))
}

/// `bytes` as text.
pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
