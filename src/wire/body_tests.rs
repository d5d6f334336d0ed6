//! Bodies: every case whole, byte by byte and cut at every place.

use super::*;
use crate::wire::chunks::{CHUNK_EXTENSION_BYTES_MAX, CHUNK_SIZE_BYTES_MAX, TRAILER_BYTES_MAX};
use crate::wire::{RequestReader, ResponseReader};

/// What reading a body to the end of the input, and of the connection, gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) data: Vec<u8>,
    /// Bytes behind the body.
    pub(crate) left_over: usize,
    pub(crate) is_done: bool,
    pub(crate) is_reusable: bool,
    pub(crate) end: Result<(), Cut>,
}

fn read<'a>(mut body: Body, pieces: impl Iterator<Item = &'a [u8]>) -> Result<Read, Error> {
    let (mut data, mut left_over) = (Vec::new(), 0);
    for piece in pieces {
        left_over += piece.len() - body.push(piece, &mut data)?;
    }
    let (is_done, is_reusable, end) = (body.is_done(), body.is_reusable(), body.finish());
    Ok(Read {
        data,
        left_over,
        is_done,
        is_reusable,
        end,
    })
}

/// Reads the body of the response `input` to a request of `method`; the same in any cut.
pub(crate) fn response(input: &[u8], method: &str) -> Result<Read, Error> {
    let (head, used) = ResponseReader::new().push(input)?.unwrap();
    let rest = &input[used..];
    let body = || Body::of_response(&head, method);
    let whole = read(body()?, [rest].into_iter());
    assert_eq!(
        read(body()?, rest.chunks(1)),
        whole,
        "byte by byte: {}",
        input.escape_ascii()
    );
    for at in 0..=rest.len().min(500) {
        let (start, end) = rest.split_at(at);
        assert_eq!(
            read(body()?, [start, end].into_iter()),
            whole,
            "cut at {at}: {}",
            input.escape_ascii()
        );
    }
    whole
}

/// The response with these field lines and this after them, to a POST.
fn post(fields: &str, rest: &[u8]) -> Result<Read, Error> {
    let fields = fields.replace('\n', "\r\n");
    response(
        &[b"HTTP/1.1 200 OK\r\n", fields.as_bytes(), b"\r\n", rest].concat(),
        "POST",
    )
}

fn chunked(rest: &[u8]) -> Result<Read, Error> {
    post("Transfer-Encoding: chunked\n", rest)
}

fn whole(data: &[u8], left_over: usize) -> Read {
    Read {
        data: data.to_vec(),
        left_over,
        is_done: true,
        is_reusable: true,
        end: Ok(()),
    }
}

fn cut(data: &[u8], end: Cut) -> Read {
    Read {
        data: data.to_vec(),
        left_over: 0,
        is_done: false,
        is_reusable: false,
        end: Err(end),
    }
}

#[track_caller]
fn check_protocol(result: Result<Read, Error>, part: &str) {
    match result {
        Err(Error::Protocol(what)) => assert!(what.contains(part), "{what}"),
        other => panic!("{other:?} instead of: {part}"),
    }
}

#[test]
fn the_order_of_framings() {
    // RFC 9112 §6.3, by number.
    for status in ["204 No Content", "304 Not Modified"] {
        let input = format!(
            "HTTP/1.1 {status}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nHTTP/"
        );
        assert_eq!(response(input.as_bytes(), "GET"), Ok(whole(b"", 5)), "1");
    }
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    assert_eq!(response(head, "HEAD"), Ok(whole(b"", 0)), "1");
    let both = post(
        "Content-Length: 2\nTransfer-Encoding: chunked\n",
        b"3\r\nabc\r\n0\r\n\r\n",
    );
    assert_eq!(
        both,
        Ok(Read {
            is_reusable: false,
            ..whole(b"abc", 0)
        }),
        "3"
    );
    assert_eq!(
        post("Content-Length: 3\n", b"abcd"),
        Ok(whole(b"abc", 1)),
        "6"
    );
    assert_eq!(post("Content-Length: 0\n", b""), Ok(whole(b"", 0)), "6");
    assert_eq!(
        post("Content-Length: 5\n", b"abc"),
        Ok(cut(b"abc", Cut::InLength { missing_bytes: 2 })),
        "6"
    );
    let until_close = Read {
        is_done: false,
        is_reusable: false,
        ..whole(b"abc", 0)
    };
    assert_eq!(post("", b"abc"), Ok(until_close.clone()), "8");
    assert_eq!(
        response(b"HTTP/1.0 200 OK\r\n\r\nabc", "GET"),
        Ok(until_close),
        "8"
    );
}

#[test]
fn who_closes_is_not_asked_again() {
    let closes = Ok(Read {
        is_reusable: false,
        ..whole(b"a", 0)
    });
    assert_eq!(post("Connection: close\nContent-Length: 1\n", b"a"), closes);
    assert_eq!(
        response(b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", "GET"),
        closes
    );
}

#[test]
fn lengths() {
    for fields in [
        "Content-Length: 2\nContent-Length: 2\n",
        "Content-Length: 2, 2\n",
        "Content-Length: 02\n",
    ] {
        assert_eq!(post(fields, b"ab"), Ok(whole(b"ab", 0)), "{fields}");
    }
    for value in [
        "+2",
        "-2",
        "0x2",
        "2a",
        "",
        " ",
        "2 2",
        "2.0",
        "1234567890123456789",
        "18446744073709551618",
        "\u{662}",
    ] {
        check_protocol(
            post(&format!("Content-Length: {value}\n"), b"ab"),
            "is not a number",
        );
    }
    for value in ["2, 3", "2,", ",2", "02, 2", "2\nContent-Length: 20"] {
        check_protocol(
            post(&format!("Content-Length: {value}\n"), b"ab"),
            "different values",
        );
    }
    // The cap of digits itself passes; nothing of it is allocated.
    let end = post("Content-Length: 999999999999999999\n", b"ab")
        .unwrap()
        .end;
    assert_eq!(
        end,
        Err(Cut::InLength {
            missing_bytes: 999_999_999_999_999_997
        })
    );
}

#[test]
fn transfer_codings() {
    for value in ["chunked", "Chunked", "\tchunked ", ",chunked,"] {
        assert_eq!(
            post(&format!("Transfer-Encoding: {value}\n"), b"0\r\n\r\n"),
            Ok(whole(b"", 0))
        );
    }
    for value in [
        "gzip",
        "gzip, chunked",
        "chunked, identity",
        "chunked, chunked",
        "identity",
        "",
        "chunked;q=1",
        "chunked\nTransfer-Encoding: chunked",
    ] {
        check_protocol(
            post(&format!("Transfer-Encoding: {value}\n"), b"0\r\n\r\n"),
            "is not understood",
        );
    }
    check_protocol(
        response(
            b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET",
        ),
        "HTTP/1.0",
    );
}

#[test]
fn chunks() {
    assert_eq!(
        chunked(b"4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\nHTTP"),
        Ok(whole(b"Wikipedia", 4))
    );
    let loose = b"00a;name=\"v;\\\"q\";flag\r\n0123456789\r\nB \t\r\n0123456789a\r\n1 ;x\r\nz\r\n000;last\r\nX-Usage: 1\r\nContent-Length: 9\r\n\r\n";
    assert_eq!(chunked(loose), Ok(whole(b"01234567890123456789az", 0)));
    assert_eq!(chunked(b"0\r\nA: b\n\n"), Ok(whole(b"", 0)));
    // Closed where only the trailers' end is missing: nothing is lost, but the connection is.
    for input in [
        b"1\r\na\r\n0\r\n".as_slice(),
        b"1\r\na\r\n0\r\n\r",
        b"1\r\na\r\n0\r\nA: b",
    ] {
        let read = chunked(input).unwrap();
        assert_eq!(
            (read.data.as_slice(), read.is_reusable, read.end),
            (b"a".as_slice(), false, Ok(()))
        );
    }
    assert_eq!(
        chunked(b"5\r\nabc"),
        Ok(cut(b"abc", Cut::InChunk { missing_bytes: 2 }))
    );
    for input in [
        b"3\r\nabc".as_slice(),
        b"3\r\nabc\r",
        b"3\r\nabc\r\n",
        b"3\r\nabc\r\n0",
        b"3\r\nabc\r\n0\r",
    ] {
        assert_eq!(chunked(input), Ok(cut(b"abc", Cut::NoLastChunk)));
    }
}

#[test]
fn faulty_chunks() {
    for size in [
        "10000000000000005",
        "ffffffffffffffff",
        "f0000000000000003",
        "10000001",
    ] {
        check_protocol(
            chunked(format!("{size}\r\nabc").as_bytes()),
            "more than 256 MiB",
        );
    }
    for size in ["-5", "+5", "g", "", " 5", ";x", "\n"] {
        check_protocol(
            chunked(format!("{size}\r\nabc").as_bytes()),
            "does not begin with its size",
        );
    }
    for size in ["0x5", "5 5", "5.", "5\n", "5\u{e9}", "5\0"] {
        check_protocol(
            chunked(format!("{size}\r\nabc").as_bytes()),
            "hexadecimal number alone",
        );
    }
    check_protocol(chunked(b"5;a\nb\r\n"), "extension has a control");
    check_protocol(chunked(b"5;a\0\r\n"), "extension has a control");
    check_protocol(chunked(b"5\rx"), "carriage return");
    check_protocol(chunked(b"5;a\rx"), "carriage return");
    check_protocol(chunked(b"0\r\nA: b\rc\r\n"), "carriage return");
    check_protocol(chunked(b"0\r\n\r\r\n"), "carriage return");
    check_protocol(chunked(b"2\r\nabc"), "longer than announced");
    check_protocol(chunked(b"2\r\nab\n"), "longer than announced");
    check_protocol(chunked(b"2\r\nab\rc"), "longer than announced");
}

#[test]
fn what_surrounds_chunks_has_caps() {
    let is_limit = |input: &[u8]| match chunked(input) {
        Err(Error::Limit(_)) => true,
        Ok(_) => false,
        Err(other) => panic!("{other}"),
    };
    let fill = |count: usize| "a".repeat(count);
    let rest = CHUNK_EXTENSION_BYTES_MAX;
    assert!(!is_limit(
        format!("1;{}\r\nz\r\n0\r\n\r\n", fill(rest)).as_bytes()
    ));
    assert!(is_limit(
        format!("1;{}\r\nz\r\n0\r\n\r\n", fill(rest + 1)).as_bytes()
    ));
    assert!(
        is_limit(format!("1;{}\r\nz\r\n", fill(1000)).repeat(17).as_bytes()),
        "over all chunks"
    );
    assert!(!is_limit(
        format!("0\r\n{}\r\n\r\n", fill(TRAILER_BYTES_MAX - 4)).as_bytes()
    ));
    assert!(is_limit(
        format!("0\r\n{}\r\n\r\n", fill(TRAILER_BYTES_MAX - 3)).as_bytes()
    ));
    assert!(is_limit(
        format!("0\r\n{}", "A: b\r\n".repeat(3000)).as_bytes()
    ));
    let zeros = |count: usize| format!("{}1\r\nz\r\n0\r\n\r\n", "0".repeat(count));
    assert!(!is_limit(zeros(CHUNK_SIZE_BYTES_MAX - 2).as_bytes()));
    assert!(is_limit(zeros(CHUNK_SIZE_BYTES_MAX).as_bytes()));
    // Padding to a fixed width is no attack, however long the stream.
    let padded = b"00000001  \r\nz\r\n".repeat(20_000);
    assert_eq!(
        read(Body::chunked(true), [padded.as_slice()].into_iter())
            .unwrap()
            .data
            .len(),
        20_000
    );
}

#[test]
fn announced_sizes_are_not_allocated() {
    let mut body = Body::chunked(true);
    let mut out = Vec::new();
    body.push(b"10000000\r\nabc", &mut out).unwrap();
    assert!(out.capacity() < 100);
    assert_eq!(body.announced(), None);
}

#[test]
fn requests() {
    let read = |input: &[u8]| {
        let (head, used) = RequestReader::new().push(input)?.unwrap();
        read(Body::of_request(&head)?, [&input[used..]].into_iter())
    };
    assert_eq!(read(b"GET / HTTP/1.1\r\n\r\nnext"), Ok(whole(b"", 4)));
    assert_eq!(
        read(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nabc"),
        Ok(whole(b"ab", 1))
    );
    assert_eq!(
        read(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"),
        Ok(whole(b"a", 0))
    );
    let closes = read(b"POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\na").unwrap();
    assert!(closes.is_done && !closes.is_reusable);
    check_protocol(
        read(b"POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"),
        "both",
    );
    check_protocol(
        read(b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n"),
        "not understood",
    );
    check_protocol(
        read(b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
        "HTTP/1.0",
    );
}

#[test]
fn cuts_in_words() {
    let text = Cut::InLength { missing_bytes: 462 }.to_string();
    assert_eq!(
        text,
        "the connection ended 462 bytes before the announced length"
    );
    assert_eq!(
        Cut::NoLastChunk.to_string(),
        "the connection ended without the last chunk"
    );
}

#[test]
fn random_responses_and_urls_never_panic_and_agree_in_any_cut() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound as u64).unwrap()
    };
    let words: [&str; 24] = [
        "HTTP/1.1 ",
        "200 OK",
        "103",
        "\r\n",
        "\r\n",
        "\n",
        "\r",
        ":",
        " ",
        "\t",
        "Content-Length",
        "Transfer-Encoding",
        "chunked",
        "5",
        "0",
        "a;b",
        "1\r\nx\r\n",
        "0\r\n\r\n",
        "\0",
        "\u{e9}",
        "http://",
        "[::1]",
        "unix:/",
        "@",
    ];
    for round in 0..3000 {
        let mut text = String::from(if round % 4 == 0 {
            ""
        } else {
            "HTTP/1.1 200 OK\r\n"
        });
        if round % 4 == 2 {
            text.push_str("Transfer-Encoding: chunked\r\n\r\n");
        }
        for _ in 0..random(16) {
            text.push_str(words[random(words.len())]);
        }
        if let Ok(Some(_)) = crate::wire::head::tests::response(text.as_bytes()) {
            let _ = response(text.as_bytes(), "GET");
        }
        let url: String = (0..random(8)).map(|_| words[random(words.len())]).collect();
        let _ = crate::wire::Url::parse(&url);
        let _ = crate::wire::Url::parse("http://h/a/b")
            .unwrap()
            .resolve(&url);
    }
}
