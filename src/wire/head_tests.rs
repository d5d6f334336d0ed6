//! Heads: every case whole, byte by byte and cut at every place.

use super::*;

/// Reads with `push`, piece by piece; what came out, with how many bytes of the whole the head took.
fn read<'a, H>(
    mut push: impl FnMut(&[u8]) -> Result<Option<(H, usize)>, Error>,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Result<Option<(H, usize)>, Error> {
    let mut before = 0;
    for piece in pieces {
        if let Some((head, used)) = push(piece)? {
            return Ok(Some((head, before + used)));
        }
        before += piece.len();
    }
    Ok(None)
}

/// One result for all cuts of `input`.
fn in_any_cut<H: PartialEq + std::fmt::Debug>(
    input: &[u8],
    read: impl Fn(&[&[u8]]) -> Result<Option<(H, usize)>, Error>,
) -> Result<Option<(H, usize)>, Error> {
    let whole = read(&[input]);
    let bytes: Vec<&[u8]> = input.chunks(1).collect();
    assert_eq!(
        read(&bytes),
        whole,
        "byte by byte: {}",
        input.escape_ascii()
    );
    for at in 0..=input.len().min(2000) {
        let (start, end) = input.split_at(at);
        assert_eq!(
            read(&[start, end]),
            whole,
            "cut at {at}: {}",
            input.escape_ascii()
        );
    }
    whole
}

/// The response's head, and how many bytes it took; the same in any cut.
pub(crate) fn response(input: &[u8]) -> Result<Option<(ResponseHead, usize)>, Error> {
    in_any_cut(input, |pieces| {
        let mut reader = ResponseReader::new();
        read(|bytes| reader.push(bytes), pieces.iter().copied())
    })
}

fn request(input: &[u8]) -> Result<Option<(RequestHead, usize)>, Error> {
    in_any_cut(input, |pieces| {
        let mut reader = RequestReader::new();
        read(|bytes| reader.push(bytes), pieces.iter().copied())
    })
}

/// Status and fields of a response that must be whole.
fn check(input: &[u8], status: u16, expected: &[(&str, &str)]) {
    let (head, used) = response(input).unwrap().unwrap();
    let fields: Vec<(&str, &str)> = head.fields.iter().collect();
    assert_eq!(
        (head.status, fields.as_slice()),
        (status, expected),
        "{}",
        input.escape_ascii()
    );
    assert!(input[..used].ends_with(b"\n\r\n") || input[..used].ends_with(b"\n\n"));
}

#[track_caller]
fn check_protocol<H: std::fmt::Debug>(result: Result<H, Error>, part: &str) {
    match result {
        Err(Error::Protocol(what)) => assert!(what.contains(part), "{what}"),
        other => panic!("{other:?} instead of: {part}"),
    }
}

#[test]
fn usual_and_loose_heads() {
    // RFC 9112 §2.2 (LF alone), §4 (empty reason), §5.1 (blanks around a value), RFC 9110 §5.1 (names without case).
    check(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n", 200, &[("A", "b")]);
    check(b"HTTP/1.0 404 Not Found\r\n\r\n", 404, &[]);
    check(
        b"HTTP/1.1 200\ncontent-TYPE:x\nContent-Length:  62 \n\n",
        200,
        &[("content-TYPE", "x"), ("Content-Length", "62")],
    );
    check(
        b"HTTP/1.1 200 \r\nA:\r\nB: \t \r\n\n",
        200,
        &[("A", ""), ("B", "")],
    );
    check(
        b"HTTP/1.1 999 ?\r\nA: caf\xc3\xa9 \xff\r\n\r\n",
        999,
        &[("A", "caf\u{e9} \u{fffd}")],
    );
    let (head, used) = response(b"HTTP/1.1 418 I'm a\tpot\r\n\r\nbody")
        .unwrap()
        .unwrap();
    assert_eq!(
        (head.version_minor, head.reason.as_str(), used),
        (1, "I'm a\tpot", 26)
    );
    assert_eq!(head.fields.get("a"), None);
}

#[test]
fn folded_values_are_joined_but_never_on_the_first_field() {
    // RFC 9112 §5.2 and §2.2.
    check(
        b"HTTP/1.1 200 OK\r\nA: one\r\n\t two \r\n  \r\n three\r\nB: c\r\n\r\n",
        200,
        &[("A", "one two three"), ("B", "c")],
    );
    check(
        b"HTTP/1.1 200 OK\r\nA:\r\n one\r\n\r\n",
        200,
        &[("A", "one")],
    );
    check_protocol(
        response(b"HTTP/1.1 200 OK\r\n A: b\r\n\r\n"),
        "begins with a blank",
    );
}

#[test]
fn faulty_heads_say_what_is_wrong() {
    let after = |start: &[u8]| response(&[start, b"\r\n\r\n"].concat());
    check_protocol(after(b"ICY 200 OK"), "does not begin with `HTTP/1.`");
    check_protocol(
        after(b"SSH-2.0-OpenSSH_9.6"),
        "does not begin with `HTTP/1.`",
    );
    check_protocol(after(b"HTTP/2 200"), "another version");
    check_protocol(after(b"HTTP/0.9 200 OK"), "another version");
    check_protocol(after(b"HTTP/1.x 200 OK"), "not HTTP/1.x");
    check_protocol(after(b"HTTP/1.1"), "has no status");
    check_protocol(after(b"HTTP/1.1 20"), "has no status");
    check_protocol(after(b"HTTP/1.1 099 low"), "not a number from 100");
    check_protocol(after(b"HTTP/1.1 2OO OK"), "`HTTP/1.1 2OO OK`");
    check_protocol(after(b"HTTP/1.1 2000 OK"), "three digits");
    check_protocol(after(b"HTTP/1.1 200 O\x01K"), "reason");
    let field = |line: &[u8]| after(&[b"HTTP/1.1 200 OK\r\n", line].concat());
    check_protocol(field(b"no colon"), "no colon");
    check_protocol(field(b": x"), "no token");
    check_protocol(field(b"Content-Length : 2"), "`Content-Length `");
    check_protocol(field(b"A\rB: x"), "carriage return");
    check_protocol(field(b"A: x\ry"), "carriage return");
    check_protocol(field(b"A: x\r"), "carriage return");
    check_protocol(field(b"A: sesame\0"), "the field is: `A`");
    check_protocol(field(b"A: x\r\n sesame\x7f"), "the field is: `A`");
    check_protocol(after(b"HTTP/1.1 101 Switching Protocols"), "101");
}

#[test]
fn tls_is_told_from_its_first_bytes() {
    assert_eq!(response(b"\x15\x03\x03\x00\x02\x022"), Err(Error::Tls));
    assert_eq!(response(b"\x16\x03\x01"), Err(Error::Tls));
    assert_eq!(response(b"\x15"), Ok(None));
    check_protocol(response(b"\x15\x04"), "does not begin");
    assert_eq!(request(b"\x16\x03\x01\x02\x00\x01"), Err(Error::Tls));
}

#[test]
fn a_stranger_is_told_without_a_line_end() {
    let mut reader = ResponseReader::new();
    assert_eq!(reader.push(b"HTT"), Ok(None));
    check_protocol(reader.push(b"X"), "does not begin");
}

#[test]
fn interim_responses_are_skipped_up_to_a_cap() {
    let interim = b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
    let last = b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n";
    for (count, is_well) in [
        (1, true),
        (INTERIM_RESPONSES_MAX, true),
        (INTERIM_RESPONSES_MAX + 1, false),
    ] {
        let input = [interim.repeat(count).as_slice(), last].concat();
        match response(&input) {
            Ok(Some((head, used))) if is_well => {
                assert_eq!(
                    (head.status, head.fields.len(), used),
                    (200, 1, input.len())
                );
            }
            Err(Error::Limit(what)) if !is_well => assert!(what.contains("16 interim"), "{what}"),
            other => panic!("{count}: {other:?}"),
        }
    }
}

#[test]
fn heads_have_caps() {
    let start = b"HTTP/1.1 200 OK\r\n".as_slice();
    let flood = |count: usize| [start, &b"X-Fill: a\r\n".repeat(count), b"\r\n"].concat();
    let push = |input: &[u8], piece: usize| {
        let mut reader = ResponseReader::new();
        read(|bytes| reader.push(bytes), input.chunks(piece))
    };
    let line = |length: usize| [start, b"X: ", &vec![b'a'; length], b"\r\n\r\n"].concat();
    let fits = HEAD_BYTES_MAX - line(0).len();
    for piece in [1, 7, 4096, usize::MAX] {
        assert!(push(&flood(256), piece).is_ok_and(|head| head.is_some()));
        assert!(
            matches!(push(&flood(257), piece), Err(Error::Limit(what)) if what.contains("256 fields"))
        );
        assert!(push(&line(fits), piece).is_ok_and(|head| head.is_some()));
        assert!(
            matches!(push(&line(fits + 1), piece), Err(Error::Limit(what)) if what.contains("64 KiB"))
        );
        let endless = [start, b"X: ", &vec![b'a'; HEAD_BYTES_MAX]].concat();
        assert!(matches!(push(&endless, piece), Err(Error::Limit(_))));
    }
}

#[test]
fn fields_are_found_listed_and_compared() {
    let mut fields = Fields::default();
    fields.push("Via", "a, b,,");
    fields.push("Location", "/x");
    fields.push("via", " c");
    fields.push("location", "/x");
    assert_eq!(fields.get("VIA"), Some("a, b,,"));
    assert_eq!(fields.all("via").count(), 2);
    assert_eq!(fields.elements("via").collect::<Vec<_>>(), ["a", "b", "c"]);
    assert!(fields.has_element("via", "C") && !fields.has_element("via", "d"));
    assert_eq!(fields.single("Location"), Ok(Some("/x")));
    assert_eq!(fields.single("None"), Ok(None));
    check_protocol(fields.single("Via"), "`Via`");
}

#[test]
fn requests() {
    // RFC 9112 §2.2 (blank lines before), §3.
    let (head, used) = request(b"\r\n\nPOST /v1/chat?x=%20 HTTP/1.1\r\nHost: a:1\r\n\r\nrest")
        .unwrap()
        .unwrap();
    assert_eq!(
        (head.method.as_str(), head.target.as_str()),
        ("POST", "/v1/chat?x=%20")
    );
    assert_eq!(
        (head.version_minor, head.fields.get("host"), used),
        (1, Some("a:1"), 46)
    );
    for (line, part) in [
        (b"GET /".as_slice(), "method, target and version"),
        (b"GET  / HTTP/1.1", "method, target and version"),
        (b"GET / x HTTP/1.1", "method, target and version"),
        (b" GET / HTTP/1.1", "method, target and version"),
        (b"G(T / HTTP/1.1", "method is no token"),
        (b"GET /\x01 HTTP/1.1", "target"),
        (b"GET /\xc3\xa9 HTTP/1.1", "target"),
        (b"GET / HTTP/2.0", "not HTTP/1.x"),
        (b"GET / HTTP/1.10", "not HTTP/1.x"),
        (b"GET / HTTP/1.1\r\nA: b\r\n c\x00", "control character"),
    ] {
        check_protocol(request(&[line, b"\r\n\r\n"].concat()), part);
    }
    assert!(matches!(
        RequestReader::new().push(&b"\r\n".repeat(40_000)),
        Err(Error::Limit(_))
    ));
}

#[test]
fn two_heads_come_one_after_the_other() {
    let input = b"GET /a HTTP/1.1\r\nA: 1\r\n\r\nGET /b HTTP/1.0\r\n\r\n";
    let mut reader = RequestReader::new();
    let (first, used) = reader.push(input).unwrap().unwrap();
    let (second, more) = reader.push(&input[used..]).unwrap().unwrap();
    assert_eq!((first.target.as_str(), first.fields.len()), ("/a", 1));
    assert_eq!(
        (second.target.as_str(), second.fields.len(), used + more),
        ("/b", 0, input.len())
    );
    assert!(first.is_persistent() && !second.is_persistent());
    let (close, _) = reader
        .push(b"GET / HTTP/1.1\r\nConnection: x, Close\r\n\r\n")
        .unwrap()
        .unwrap();
    assert!(!close.is_persistent());
}

#[test]
fn caps_are_for_one_head_not_for_the_connection() {
    let mut requests = RequestReader::new();
    let mut responses = ResponseReader::new();
    let interim = b"HTTP/1.1 100 Continue\r\n\r\n".repeat(INTERIM_RESPONSES_MAX);
    let response = [interim.as_slice(), b"HTTP/1.1 200 OK\r\n\r\n"].concat();
    for _ in 0..3000 {
        assert!(
            requests
                .push(b"GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                .unwrap()
                .is_some()
        );
        assert!(responses.push(&response).unwrap().is_some());
    }
}
