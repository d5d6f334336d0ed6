//! Values, and where each came from.

use std::fmt;
use std::time::Duration;

use crate::cli::{TURNS_DEFAULT, When};

use super::endpoint::Endpoint;

/// Where a value came from. Prints as what the user would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    Default,
    File {
        path: String,
        /// From 1.
        line: usize,
    },
    /// An environment variable, by name.
    Variable(String),
    /// A flag, with its dashes.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{path}:{line}"),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(flag) => f.write_str(flag),
        }
    }
}

/// A value with where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

impl<T> Setting<T> {
    pub(super) fn default_of(value: T) -> Self {
        Self {
            value,
            origin: Origin::Default,
        }
    }
}

/// A text that no message shows.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    pub(super) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text itself, for the wire only.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(set)")
    }
}

/// Every setting. What has no default is `None` or empty until somebody sets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) endpoint: Endpoint,
    pub(crate) model: Option<Setting<String>>,
    pub(crate) system: Option<Setting<String>>,
    /// 1 to [`REQUEST_TOKENS_MAX`](crate::cli::REQUEST_TOKENS_MAX).
    pub(crate) max_tokens: Option<Setting<u32>>,
    /// 1 to [`TURNS_MAX`](crate::cli::TURNS_MAX).
    pub(crate) max_turns: Setting<u32>,
    /// How long a pipe may keep a prompt waiting for its first byte.
    pub(crate) stdin_wait: Setting<Duration>,
    /// Bytes of standard input that are read; 1 to 1 GiB.
    pub(crate) stdin_bytes_max: Setting<usize>,
    /// Rules as written, from the file, the environment and the flags, in that order.
    pub(crate) allow: Vec<Setting<String>>,
    pub(crate) deny: Vec<Setting<String>>,
    pub(crate) color: Setting<When>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            endpoint: Endpoint::default(),
            model: None,
            system: None,
            max_tokens: None,
            max_turns: Setting::default_of(TURNS_DEFAULT),
            stdin_wait: Setting::default_of(Duration::from_secs(3)),
            stdin_bytes_max: Setting::default_of(16 << 20),
            allow: Vec::new(),
            deny: Vec::new(),
            color: Setting::default_of(When::Auto),
        }
    }
}
