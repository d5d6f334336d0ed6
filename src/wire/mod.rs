//! What goes over a connection: heads and bodies of HTTP/1.1, server-sent events, lines and URLs, as push parsers without I/O.
//!
//! Every reader takes bytes as they come, in pieces of any size, gives the same result however they are cut, remembers how
//! far it has looked, and is bounded by the constants named `…_MAX` beside it. After an error a reader is of no more use.

pub(crate) mod body;
mod chunks;
pub(crate) mod fields;
pub(crate) mod head;
mod octets;
pub(crate) mod sse;
pub(crate) mod url;
pub(crate) mod write;

#[cfg(test)]
mod wpt;

use std::fmt;

pub(crate) use body::{Body, Cut};
pub(crate) use fields::Fields;
pub(crate) use head::{RequestHead, RequestReader, ResponseHead, ResponseReader};
pub(crate) use sse::{SseEvent, SseReader};
pub(crate) use url::{Host, Scheme, Url};
pub(crate) use write::{Framing, write_request_head, write_response_head};

/// Why bytes of the other side cannot be read, or ours must not be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Error {
    /// A rule of the protocol is broken; says which, in words.
    Protocol(String),
    /// One of our caps is passed; says which.
    Limit(String),
    /// The other side speaks TLS.
    Tls,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(what) | Self::Limit(what) => f.write_str(what),
            Self::Tls => f.write_str(
                "this port speaks TLS; put a TLS-ending proxy in front and use `http://`",
            ),
        }
    }
}

impl std::error::Error for Error {}
