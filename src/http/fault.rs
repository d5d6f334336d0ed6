//! What can go wrong between the request and the end of the answer, said in words.

use std::fmt;
use std::io::{self, ErrorKind};

/// What an exchange was waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Resolve,
    Connect,
    /// The other side takes no bytes of the request.
    Write,
    /// No whole head of a response.
    Head,
    /// Silence inside the body.
    Idle,
    /// The caller's own deadline for the whole.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "no job waits for an exchange yet")
    )]
    Total,
}

/// The kinds of failure of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// Cannot be tried at all: `https`, a proxy variable that makes no sense, a field that must not be sent.
    Config,
    Resolve,
    Refused,
    Unreachable,
    /// Connecting failed in another way, or in different ways at different addresses.
    Connect,
    /// The proxy could not be reached.
    Proxy,
    Timeout(Phase),
    /// The connection ended without one byte of a response.
    NoResponse,
    /// The connection ended inside the body.
    Truncated,
    /// What came is no HTTP/1.1, or ended inside the head.
    Protocol,
    /// The other side speaks TLS.
    Tls,
    /// A cap was passed.
    Limit,
    /// The caller's cancel was set.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "no job waits for an exchange yet")
    )]
    Cancelled,
}

impl FaultKind {
    /// Whether the request never got a connection.
    pub(crate) fn is_connect(self) -> bool {
        matches!(
            self,
            Self::Resolve
                | Self::Refused
                | Self::Unreachable
                | Self::Connect
                | Self::Proxy
                | Self::Timeout(Phase::Resolve | Phase::Connect)
        )
    }
}

/// Why an exchange failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: FaultKind,
    /// What was being done, with the addresses, the proxy and its variable; the cause; the remedy. No secrets.
    pub(crate) text: String,
    /// Bytes of a response that came, framing among them.
    pub(crate) received: u64,
}

impl Fault {
    pub(super) fn new(kind: FaultKind, text: String) -> Self {
        Self {
            kind,
            text,
            received: 0,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Fault {}

/// Why an attempt failed, before it is known in which sentence that stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lost {
    pub(super) kind: FaultKind,
    pub(super) what: String,
}

impl Lost {
    pub(super) fn new(kind: FaultKind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
        }
    }
}

impl From<crate::wire::Error> for Lost {
    fn from(error: crate::wire::Error) -> Self {
        let kind = match &error {
            crate::wire::Error::Protocol(_) => FaultKind::Protocol,
            crate::wire::Error::Limit(_) => FaultKind::Limit,
            crate::wire::Error::Tls => FaultKind::Tls,
        };
        Self::new(kind, error.to_string())
    }
}

/// An error of the system in our words: no capital, no error number.
pub(super) fn cause(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        ErrorKind::ConnectionReset => "connection reset".to_owned(),
        ErrorKind::BrokenPipe => "connection closed".to_owned(),
        ErrorKind::HostUnreachable => "host unreachable".to_owned(),
        ErrorKind::NetworkUnreachable => "network unreachable".to_owned(),
        ErrorKind::TimedOut => "no answer".to_owned(),
        _ => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default();
            let mut letters = text.chars();
            match letters.next() {
                Some(first) => first.to_lowercase().chain(letters).collect(),
                None => "unknown error".to_owned(),
            }
        }
    }
}

/// Whether an error of a stream only says to wait.
pub(super) fn is_tick(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}
