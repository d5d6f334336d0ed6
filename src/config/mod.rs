//! Configuration: flags, environment and the user's file become one `Settings`, each value with where it came from.
//!
//! Pure: environment and file come in as text. A flag counts more than `ANKITA_…`, that more than
//! the file, that more than the default; below all of them stand `OPENAI_…` and `NO_COLOR`.

mod directories;
mod endpoint;
#[cfg(test)]
mod endpoint_tests;
mod key;
mod load;
mod read;
#[cfg(test)]
mod refusal_tests;
mod setting;
#[cfg(test)]
mod tests;

use std::fmt;

pub(crate) use self::directories::{file_path, now};
pub(crate) use self::endpoint::{Address, Destination};
#[cfg(test)]
pub(crate) use self::key::{keys_markdown, variables_markdown};
pub(crate) use self::load::{FILE_BYTES_MAX, load};
pub(crate) use self::setting::{Origin, Setting, Settings};

/// Why the configuration cannot be used: one sentence for the user, without any secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConfigError(pub(crate) String);

impl ConfigError {
    /// A fault of an environment variable; `cause` goes on from its name: `is …`, `must …`.
    pub(crate) fn variable(name: &str, cause: &str) -> Self {
        Self(format!("`{name}` {cause}"))
    }
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is odd about the configuration and does not stop the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Warning(pub(crate) String);

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
