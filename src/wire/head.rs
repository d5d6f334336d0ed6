//! Heads of responses and requests (RFC 9112 §2–5): bytes in any pieces → start line and fields.

use crate::wire::Error;
use crate::wire::fields::{Fields, lossy, protocol};
use crate::wire::octets::{is_token, is_value_byte, trim_blanks};

/// Bytes of one head, its line ends among them; so no line is longer either.
pub(crate) const HEAD_BYTES_MAX: usize = 64 * 1024;
/// Interim (1xx) responses before the final one.
pub(crate) const INTERIM_RESPONSES_MAX: usize = 16;

/// The head of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ResponseHead {
    /// 1 for HTTP/1.1.
    pub(crate) version_minor: u8,
    /// 100 to 999; never 1xx out of a reader.
    pub(crate) status: u16,
    /// What follows the status; may be empty.
    pub(crate) reason: String,
    pub(crate) fields: Fields,
}

impl ResponseHead {
    /// Whether the server means to keep the connection (RFC 9112 §9.3).
    pub(crate) fn is_persistent(&self) -> bool {
        is_persistent(self.version_minor, &self.fields)
    }
}

/// The head of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestHead {
    pub(crate) method: String,
    /// As it came: printable ASCII without blanks.
    pub(crate) target: String,
    /// 1 for HTTP/1.1.
    pub(crate) version_minor: u8,
    pub(crate) fields: Fields,
}

impl RequestHead {
    /// Whether the client means to keep the connection (RFC 9112 §9.3).
    pub(crate) fn is_persistent(&self) -> bool {
        is_persistent(self.version_minor, &self.fields)
    }
}

/// Reads the head of a final response; interim responses before it are skipped.
#[derive(Debug, Default)]
pub(crate) struct ResponseReader {
    head: HeadReader<StatusLine>,
    interim_count: usize,
}

impl ResponseReader {
    /// Ready for a first head; after each one, for the next.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Takes bytes. When the head is whole: the head, and how many of *these* bytes belonged to it. `None`: all were
    /// used and more are needed.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Option<(ResponseHead, usize)>, Error> {
        let mut used = 0;
        while let Some((line, fields, more)) =
            self.head.push(bytes.get(used..).unwrap_or_default())?
        {
            used += more;
            if line.status == 101 {
                return Err(Error::Protocol(
                    "the server switches to another protocol (101), which was not asked for".into(),
                ));
            }
            if line.status >= 200 {
                let StatusLine {
                    version_minor,
                    status,
                    reason,
                } = line;
                *self = Self::default();
                return Ok(Some((
                    ResponseHead {
                        version_minor,
                        status,
                        reason,
                        fields,
                    },
                    used,
                )));
            }
            self.interim_count += 1;
            if self.interim_count > INTERIM_RESPONSES_MAX {
                return Err(Error::Limit(format!(
                    "more than {INTERIM_RESPONSES_MAX} interim (1xx) responses came before the final one"
                )));
            }
        }
        Ok(None)
    }
}

/// Reads the head of a request; blank lines before it are skipped (RFC 9112 §2.2).
#[derive(Debug, Default)]
pub(crate) struct RequestReader {
    head: HeadReader<RequestLine>,
    has_begun: bool,
}

impl RequestReader {
    /// Ready for a first head; after each one, for the next.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Whether any byte of the head being read was pushed; false again when it is whole.
    pub(crate) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Takes bytes; see [`ResponseReader::push`].
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<Option<(RequestHead, usize)>, Error> {
        self.has_begun |= !bytes.is_empty();
        let read = self.head.push(bytes)?;
        self.has_begun &= read.is_none();
        Ok(read.map(|(line, fields, used)| {
            let RequestLine {
                method,
                target,
                version_minor,
            } = line;
            (
                RequestHead {
                    method,
                    target,
                    version_minor,
                    fields,
                },
                used,
            )
        }))
    }
}

/// The first line of a head, of one side or the other.
trait StartLine: Sized {
    /// Whether blank lines may come before it.
    const SKIPS_BLANK_LINES: bool;

    /// Fails as soon as `start`, the bytes of the line so far, cannot become one, so that nobody waits for a line end
    /// that a stranger's protocol does not have. The error hangs on the first wrong byte only.
    fn check_start(start: &[u8]) -> Result<(), Error>;

    /// Reads the line, without its end.
    fn parse(line: &[u8]) -> Result<Self, Error>;
}

/// One head of either side.
#[derive(Debug)]
struct HeadReader<S> {
    /// The line that is not whole yet.
    line: Vec<u8>,
    /// Bytes of this head so far.
    bytes: usize,
    start: Option<S>,
    fields: Fields,
}

impl<S> Default for HeadReader<S> {
    fn default() -> Self {
        Self {
            line: Vec::new(),
            bytes: 0,
            start: None,
            fields: Fields::default(),
        }
    }
}

impl<S: StartLine> HeadReader<S> {
    /// Takes bytes up to the end of the head; then gives its parts, and is ready for the next head.
    fn push(&mut self, bytes: &[u8]) -> Result<Option<(S, Fields, usize)>, Error> {
        let mut used = 0;
        while let Some(rest) = bytes.get(used..)
            && !rest.is_empty()
        {
            let end = rest.iter().position(|byte| *byte == b'\n');
            let piece = rest
                .get(..end.map_or(rest.len(), |at| at + 1))
                .unwrap_or(rest);
            used += piece.len();
            self.line.extend_from_slice(piece);
            self.bytes += piece.len();
            if self.start.is_none() {
                S::check_start(&self.line)?;
            }
            if self.bytes > HEAD_BYTES_MAX {
                return Err(Error::Limit(format!(
                    "the head is longer than {} KiB",
                    HEAD_BYTES_MAX / 1024
                )));
            }
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                let is_whole = self.push_line(without_line_end(&line)?)?;
                self.line = line;
                self.line.clear();
                if is_whole && let Some(start) = self.start.take() {
                    self.bytes = 0;
                    return Ok(Some((start, std::mem::take(&mut self.fields), used)));
                }
            }
        }
        Ok(None)
    }

    /// Takes one line without its end; true if it ended the head.
    fn push_line(&mut self, line: &[u8]) -> Result<bool, Error> {
        if self.start.is_none() {
            if !(line.is_empty() && S::SKIPS_BLANK_LINES) {
                self.start = Some(S::parse(line)?);
            }
            return Ok(false);
        }
        if line.is_empty() {
            return Ok(true);
        }
        self.fields.push_line(line)?;
        Ok(false)
    }
}

/// `line` without CRLF or LF; a carriage return anywhere else is an error (RFC 9112 §2.2).
fn without_line_end(line: &[u8]) -> Result<&[u8], Error> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.contains(&b'\r') {
        return Err(protocol(
            "a line of the head has a carriage return inside",
            line,
        ));
    }
    Ok(line)
}

/// `HTTP/1.x SP 3DIGIT [SP reason]` (RFC 9112 §4).
#[derive(Debug)]
struct StatusLine {
    version_minor: u8,
    status: u16,
    reason: String,
}

/// What both sides' versions begin with.
const VERSION_START: &[u8] = b"HTTP/1.";

impl StartLine for StatusLine {
    const SKIPS_BLANK_LINES: bool = false;

    fn check_start(start: &[u8]) -> Result<(), Error> {
        if let [0x15 | 0x16, rest @ ..] = start {
            // The first two bytes of a TLS alert or handshake record.
            return match rest.first() {
                None => Ok(()),
                Some(3) => Err(Error::Tls),
                Some(_) => Err(not_http()),
            };
        }
        match start
            .iter()
            .zip(VERSION_START)
            .position(|(byte, wanted)| byte != wanted)
        {
            None => Ok(()),
            Some(5) if start.get(5).is_some_and(u8::is_ascii_digit) => Err(Error::Protocol(
                "the server answers in another version of HTTP than 1.x".into(),
            )),
            Some(_) => Err(not_http()),
        }
    }

    fn parse(line: &[u8]) -> Result<Self, Error> {
        let fault = |what| protocol(what, line);
        let (version_minor, rest) =
            parse_version(line).ok_or_else(|| fault("the status line is not HTTP/1.x"))?;
        let [b' ', a, b, c, rest @ ..] = rest else {
            return Err(fault("the status line has no status"));
        };
        let digits = [*a, *b, *c];
        if !digits.iter().all(u8::is_ascii_digit) || *a == b'0' {
            return Err(fault("the status is not a number from 100 to 999"));
        }
        let status = digits
            .iter()
            .fold(0, |sum, digit| sum * 10 + u16::from(digit - b'0'));
        let reason = match rest {
            [] => rest,
            [b' ', reason @ ..] => reason,
            _ => return Err(fault("the status is not three digits")),
        };
        if !reason.iter().all(|byte| is_value_byte(*byte)) {
            return Err(fault("the reason phrase has a control character"));
        }
        Ok(Self {
            version_minor,
            status,
            reason: lossy(trim_blanks(reason)),
        })
    }
}

/// `method SP target SP HTTP/1.x` (RFC 9112 §3).
#[derive(Debug)]
struct RequestLine {
    method: String,
    target: String,
    version_minor: u8,
}

impl StartLine for RequestLine {
    const SKIPS_BLANK_LINES: bool = true;

    fn check_start(start: &[u8]) -> Result<(), Error> {
        // A method may be any token, so only a client that begins with TLS is told at once.
        match start {
            [0x16, 3, ..] => Err(Error::Tls),
            _ => Ok(()),
        }
    }

    fn parse(line: &[u8]) -> Result<Self, Error> {
        let mut words = line.split(|byte| *byte == b' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(protocol(
                "the request line is not method, target and version",
                line,
            ));
        };
        if !is_token(method) {
            return Err(protocol("the method is no token", method));
        }
        if target.is_empty() || !target.iter().all(u8::is_ascii_graphic) {
            return Err(protocol(
                "the request target has bytes that may not stand in it",
                target,
            ));
        }
        match parse_version(version) {
            Some((version_minor, [])) => Ok(Self {
                method: lossy(method),
                target: lossy(target),
                version_minor,
            }),
            _ => Err(protocol("the request is not HTTP/1.x", version)),
        }
    }
}

/// The minor version and what follows it.
fn parse_version(bytes: &[u8]) -> Option<(u8, &[u8])> {
    match bytes.strip_prefix(VERSION_START)? {
        [digit @ b'0'..=b'9', rest @ ..] => Some((digit - b'0', rest)),
        _ => None,
    }
}

/// RFC 9112 §9.3; a keep-alive of HTTP/1.0 is not honoured.
fn is_persistent(version_minor: u8, fields: &Fields) -> bool {
    version_minor >= 1 && !fields.has_element("Connection", "close")
}

fn not_http() -> Error {
    Error::Protocol(
        "the reply does not begin with `HTTP/1.`, so this port does not speak HTTP/1.1".into(),
    )
}

#[cfg(test)]
#[path = "head_tests.rs"]
pub(crate) mod tests;
