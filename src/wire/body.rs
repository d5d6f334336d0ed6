//! Bodies (RFC 9112 §6): which framing a head announces, and the bytes behind it without that framing.

use std::fmt;

use crate::wire::Error;
use crate::wire::chunks::Chunks;
use crate::wire::fields::Fields;
use crate::wire::head::{RequestHead, ResponseHead};
use crate::wire::octets::show;

/// Digits of a `Content-Length`: fewer than overflow 64 bits.
pub(crate) const LENGTH_DIGITS_MAX: usize = 18;

/// The body behind a head, being read.
#[derive(Debug)]
pub(crate) struct Body {
    state: State,
    announced: Option<u64>,
    /// Whether head and framing leave the connection fit for another exchange.
    is_persistent: bool,
}

#[derive(Debug)]
enum State {
    Length { left: u64 },
    Chunked(Chunks),
    UntilClose,
}

/// A connection that was closed inside a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Before `Content-Length` was reached.
    InLength { missing_bytes: u64 },
    /// Inside a chunk's data.
    InChunk { missing_bytes: u64 },
    /// Between chunks.
    NoLastChunk,
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InLength { missing_bytes } => {
                write!(
                    f,
                    "the connection ended {missing_bytes} bytes before the announced length"
                )
            }
            Self::InChunk { missing_bytes } => {
                write!(
                    f,
                    "the connection ended inside a chunk, {missing_bytes} bytes before its end"
                )
            }
            Self::NoLastChunk => f.write_str("the connection ended without the last chunk"),
        }
    }
}

impl std::error::Error for Cut {}

impl Body {
    /// The body of the response to a request of `method`, in the order of RFC 9112 §6.3.
    pub(crate) fn of_response(head: &ResponseHead, method: &str) -> Result<Self, Error> {
        let is_persistent = head.is_persistent();
        if method == "HEAD" || matches!(head.status, 100..=199 | 204 | 304) {
            return Ok(Self::with_length(0, is_persistent));
        }
        if is_chunked(head.version_minor, &head.fields)? {
            // Both framings at once is how responses are smuggled: the connection is not used again.
            let has_length = head.fields.get("Content-Length").is_some();
            return Ok(Self::chunked(is_persistent && !has_length));
        }
        match content_length(&head.fields)? {
            Some(length) => Ok(Self::with_length(length, is_persistent)),
            None => Ok(Self {
                state: State::UntilClose,
                announced: None,
                is_persistent: false,
            }),
        }
    }

    /// The body of a request: without framing there is none; both framings at once are refused.
    pub(crate) fn of_request(head: &RequestHead) -> Result<Self, Error> {
        if !is_chunked(head.version_minor, &head.fields)? {
            let length = content_length(&head.fields)?.unwrap_or(0);
            return Ok(Self::with_length(length, head.is_persistent()));
        }
        if head.fields.get("Content-Length").is_some() {
            return Err(Error::Protocol(
                "the request has both `Transfer-Encoding` and `Content-Length`".into(),
            ));
        }
        Ok(Self::chunked(head.is_persistent()))
    }

    fn with_length(left: u64, is_persistent: bool) -> Self {
        Self {
            state: State::Length { left },
            announced: Some(left),
            is_persistent,
        }
    }

    fn chunked(is_persistent: bool) -> Self {
        Self {
            state: State::Chunked(Chunks::new()),
            announced: None,
            is_persistent,
        }
    }

    /// The length in bytes, where it is known beforehand.
    pub(crate) fn announced(&self) -> Option<u64> {
        self.announced
    }

    /// Takes bytes, puts the body's at the end of `out` and says how many were used: all, unless the body is done;
    /// what follows belongs to the next message.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<usize, Error> {
        match &mut self.state {
            State::Length { left } => {
                let count =
                    usize::try_from(*left).map_or(bytes.len(), |left| left.min(bytes.len()));
                let data = bytes.get(..count).unwrap_or(bytes);
                out.extend_from_slice(data);
                *left -= data.len() as u64;
                Ok(data.len())
            }
            State::Chunked(chunks) => chunks.push(bytes, out),
            State::UntilClose => {
                out.extend_from_slice(bytes);
                Ok(bytes.len())
            }
        }
    }

    /// Whether the whole body is read; never true for one that ends with the connection.
    pub(crate) fn is_done(&self) -> bool {
        match &self.state {
            State::Length { left } => *left == 0,
            State::Chunked(chunks) => chunks.is_done(),
            State::UntilClose => false,
        }
    }

    /// The other side has closed in good order: was that the end of the body?
    pub(crate) fn finish(&self) -> Result<(), Cut> {
        match &self.state {
            State::Length { left: 0 } | State::UntilClose => Ok(()),
            State::Length { left } => Err(Cut::InLength {
                missing_bytes: *left,
            }),
            State::Chunked(chunks) => chunks.finish(),
        }
    }

    /// Whether the connection may carry another exchange: the body is read to its own end and the head did not ask to
    /// close. Bytes left over or a closed socket, which the caller sees, forbid it all the same.
    pub(crate) fn is_reusable(&self) -> bool {
        self.is_persistent && self.is_done()
    }
}

/// Whether the body is chunked; any other transfer coding is an error, for nothing says where it ends.
fn is_chunked(version_minor: u8, fields: &Fields) -> Result<bool, Error> {
    let name = "Transfer-Encoding";
    if fields.get(name).is_none() {
        return Ok(false);
    }
    if version_minor == 0 {
        return Err(Error::Protocol(
            "`Transfer-Encoding` in a message of HTTP/1.0".into(),
        ));
    }
    let mut codings = fields.elements(name);
    match (codings.next(), codings.next()) {
        (Some(coding), None) if coding.eq_ignore_ascii_case("chunked") => Ok(true),
        _ => {
            let all: Vec<&str> = fields.all(name).collect();
            let all = all.join(", ");
            Err(Error::Protocol(format!(
                "`Transfer-Encoding: {}` is not understood, only `chunked` alone is",
                show(all.as_bytes())
            )))
        }
    }
}

/// The length that the fields announce: digits, and the same digits if repeated (RFC 9110 §8.6).
fn content_length(fields: &Fields) -> Result<Option<u64>, Error> {
    let mut values = fields
        .all("Content-Length")
        .flat_map(|value| value.split(','))
        .map(|value| value.trim_matches([' ', '\t']));
    let Some(first) = values.next() else {
        return Ok(None);
    };
    if values.any(|value| value != first) {
        return Err(Error::Protocol(
            "`Content-Length` came with different values".into(),
        ));
    }
    let is_number =
        first.len() <= LENGTH_DIGITS_MAX && first.bytes().all(|byte| byte.is_ascii_digit());
    match first.parse() {
        Ok(length) if is_number => Ok(Some(length)),
        _ => Err(Error::Protocol(format!(
            "`Content-Length: {}` is not a number of at most {LENGTH_DIGITS_MAX} digits",
            show(first.as_bytes())
        ))),
    }
}

#[cfg(test)]
#[path = "body_tests.rs"]
pub(crate) mod tests;
