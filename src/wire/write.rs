//! Heads and chunks as they are written: checked, never cleaned (RFC 9110 §5.5, RFC 9112 §3–4, §7.1).

use std::io::Write as _;

use crate::wire::Error;
use crate::wire::octets::{is_token, is_value_byte, show};

/// How a response's body is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// So many bytes.
    Length(u64),
    /// [`write_chunk`] and at the end [`write_last_chunk`].
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "our own server has no such body yet")
    )]
    Chunked,
    /// All until the connection is closed.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "our own server has no such body yet")
    )]
    UntilClose,
    /// None: 1xx, 204, 304.
    Nothing,
}

/// Writes a request's head. `target` is as it goes out (origin-form, or absolute-form for a proxy); `fields` need
/// exactly one `Host` and no framing: that is `length`, which a POST has even at 0. Nothing is written on an error.
pub(crate) fn write_request_head(
    method: &str,
    target: &str,
    fields: &[(&str, &str)],
    length: Option<u64>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    if !is_token(method.as_bytes()) {
        return Err(fault("the method is no token", method));
    }
    if target.is_empty() || !target.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(fault(
            "the request target has bytes that may not stand in it",
            target,
        ));
    }
    check_fields(fields)?;
    let hosts = fields
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("Host"))
        .count();
    if hosts != 1 {
        return Err(Error::Protocol(format!(
            "a request needs one `Host` field, not {hosts}"
        )));
    }
    put(out, &[method, " ", target, " HTTP/1.1\r\n"]);
    put_fields(out, fields);
    if let Some(length) = length {
        put_length(out, length);
    }
    put(out, &["\r\n"]);
    Ok(())
}

/// Writes a response's head. `fields` must not frame the body: `framing` does. Nothing is written on an error.
pub(crate) fn write_response_head(
    status: u16,
    fields: &[(&str, &str)],
    framing: Framing,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    if !(100..=999).contains(&status) {
        return Err(Error::Protocol(format!(
            "the status {status} has not three digits"
        )));
    }
    check_fields(fields)?;
    let _ = write!(out, "HTTP/1.1 {status} "); // Writing to memory cannot fail.
    put(out, &[reason_phrase(status), "\r\n"]);
    put_fields(out, fields);
    match framing {
        Framing::Length(length) => put_length(out, length),
        Framing::Chunked => put(out, &["Transfer-Encoding: chunked\r\n"]),
        Framing::UntilClose => put(out, &["Connection: close\r\n"]),
        Framing::Nothing => {}
    }
    put(out, &["\r\n"]);
    Ok(())
}

/// Writes one chunk; nothing for no bytes, which would be the end.
#[cfg(test)]
pub(crate) fn write_chunk(bytes: &[u8], out: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let _ = write!(out, "{:x}\r\n", bytes.len()); // Writing to memory cannot fail.
    out.extend_from_slice(bytes);
    put(out, &["\r\n"]);
}

/// Writes the end of a chunked body.
#[cfg(test)]
pub(crate) fn write_last_chunk(out: &mut Vec<u8>) {
    put(out, &["0\r\n\r\n"]);
}

/// Whether a field may be sent: the name a token, the value without control characters and without blanks at its ends.
/// The error names the field and never shows the value.
pub(crate) fn check_field(name: &str, value: &str) -> Result<(), Error> {
    if !is_token(name.as_bytes()) {
        return Err(fault("a field's name is no token", name));
    }
    let what = if value.bytes().any(|byte| byte == b'\r' || byte == b'\n') {
        "a line end"
    } else if !value.bytes().all(is_value_byte) {
        "a control character"
    } else if value.trim_matches([' ', '\t']) != value {
        "a blank at its start or end"
    } else {
        return Ok(());
    };
    Err(Error::Protocol(format!(
        "the value of the field `{name}` has {what}"
    )))
}

/// The usual words for a status (RFC 9110 §15); empty if there are none.
pub(crate) fn reason_phrase(status: u16) -> &'static str {
    match status {
        100 => "Continue",
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        409 => "Conflict",
        411 => "Length Required",
        413 => "Content Too Large",
        414 => "URI Too Long",
        415 => "Unsupported Media Type",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        505 => "HTTP Version Not Supported",
        _ => "",
    }
}

fn check_fields(fields: &[(&str, &str)]) -> Result<(), Error> {
    for (name, value) in fields {
        check_field(name, value)?;
        if ["Content-Length", "Transfer-Encoding"]
            .iter()
            .any(|own| own.eq_ignore_ascii_case(name))
        {
            return Err(Error::Protocol(format!(
                "the field `{name}` is written with the body, not by hand"
            )));
        }
    }
    Ok(())
}

fn put_fields(out: &mut Vec<u8>, fields: &[(&str, &str)]) {
    for (name, value) in fields {
        put(out, &[name, ": ", value, "\r\n"]);
    }
}

fn put_length(out: &mut Vec<u8>, length: u64) {
    let _ = write!(out, "Content-Length: {length}\r\n"); // Writing to memory cannot fail.
}

fn put(out: &mut Vec<u8>, pieces: &[&str]) {
    for piece in pieces {
        out.extend_from_slice(piece.as_bytes());
    }
}

fn fault(what: &str, text: &str) -> Error {
    Error::Protocol(format!("{what}: `{}`", show(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Body, RequestReader, ResponseReader};

    /// Method, target, fields, and a part of the error.
    type Row<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], &'a str);

    fn request(method: &str, target: &str, fields: &[(&str, &str)]) -> Result<String, String> {
        let mut out = Vec::new();
        match write_request_head(method, target, fields, Some(0), &mut out) {
            Ok(()) => Ok(String::from_utf8(out).unwrap()),
            Err(error) => {
                assert!(out.is_empty(), "nothing is written on an error");
                Err(error.to_string())
            }
        }
    }

    #[test]
    fn a_request_head_is_written_as_the_rfc_shows() {
        // The form of RFC 9112 §3 and §5.
        let expected = "POST /chat/completions HTTP/1.1\r\nHost: [::1]:4141\r\nX-Note: caf\u{e9}\r\nContent-Length: 0\r\n\r\n";
        let fields = [("Host", "[::1]:4141"), ("X-Note", "caf\u{e9}")];
        assert_eq!(
            request("POST", "/chat/completions", &fields).as_deref(),
            Ok(expected)
        );
    }

    #[test]
    fn what_would_split_a_message_is_refused_and_no_value_is_shown() {
        let host = ("Host", "h");
        let faults: &[Row] = &[
            ("PO ST", "/", &[host], "method"),
            ("", "/", &[host], "method"),
            ("GET", "", &[host], "target"),
            ("GET", "/a b", &[host], "target"),
            ("GET", "/\r\nX: y", &[host], "target"),
            ("GET", "/\u{e9}", &[host], "target"),
            ("GET", "/", &[], "one `Host` field, not 0"),
            (
                "GET",
                "/",
                &[host, ("host", "other")],
                "one `Host` field, not 2",
            ),
            ("GET", "/", &[host, ("", "x")], "name"),
            ("GET", "/", &[host, ("X Y", "x")], "name"),
            ("GET", "/", &[host, ("X:", "x")], "name"),
            (
                "GET",
                "/",
                &[host, ("Authorization", "Bearer sesame\n")],
                "`Authorization` has a line end",
            ),
            (
                "GET",
                "/",
                &[host, ("Authorization", "sesame\r\nX: y")],
                "`Authorization` has a line end",
            ),
            (
                "GET",
                "/",
                &[host, ("Authorization", "sesame\0")],
                "`Authorization` has a control character",
            ),
            (
                "GET",
                "/",
                &[host, ("Authorization", "sesame ")],
                "`Authorization` has a blank",
            ),
            (
                "GET",
                "/",
                &[host, ("content-length", "1")],
                "`content-length`",
            ),
            (
                "GET",
                "/",
                &[host, ("Transfer-Encoding", "chunked")],
                "`Transfer-Encoding`",
            ),
        ];
        for (method, target, fields, part) in faults {
            let error = request(method, target, fields).unwrap_err();
            assert!(error.contains(part), "{error}");
            assert!(!error.contains("sesame"), "{error}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut bytes = Vec::new();
        write_response_head(
            200,
            &[("Content-Type", "text/event-stream")],
            Framing::Chunked,
            &mut bytes,
        )
        .unwrap();
        write_chunk(b"hello ", &mut bytes);
        write_chunk(b"", &mut bytes);
        write_chunk(&[b'x'; 300], &mut bytes);
        write_last_chunk(&mut bytes);
        let (head, used) = ResponseReader::new().push(&bytes).unwrap().unwrap();
        assert_eq!((head.status, head.reason.as_str()), (200, "OK"));
        let mut body = Body::of_response(&head, "GET").unwrap();
        let mut text = Vec::new();
        assert_eq!(
            body.push(&bytes[used..], &mut text).unwrap(),
            bytes.len() - used
        );
        assert!(body.is_reusable());
        assert_eq!(text, [b"hello ".as_slice(), &[b'x'; 300]].concat());

        let mut bytes = Vec::new();
        write_request_head("GET", "/models", &[("Host", "h")], None, &mut bytes).unwrap();
        let (head, used) = RequestReader::new().push(&bytes).unwrap().unwrap();
        assert_eq!(
            (head.method.as_str(), head.target.as_str(), used),
            ("GET", "/models", bytes.len())
        );
        assert!(Body::of_request(&head).unwrap().is_done());

        let mut bytes = Vec::new();
        assert!(write_response_head(99, &[], Framing::Nothing, &mut bytes).is_err());
        assert!(write_response_head(200, &[("A", "b\nc")], Framing::Nothing, &mut bytes).is_err());
        write_response_head(404, &[], Framing::UntilClose, &mut bytes).unwrap();
        assert_eq!(
            bytes,
            b"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n"
        );
    }
}
