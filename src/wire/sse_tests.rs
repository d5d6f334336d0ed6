//! Event streams: every case whole, byte by byte and cut at every place.

use super::*;

/// Name, data and whether it was an error field.
type Seen = (String, String, bool);

/// Feeds the pieces; the events, and whether the end came without an error.
fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Seen>, bool) {
    fn take(reader: &mut SseReader, seen: &mut Vec<Seen>) {
        while let Some(event) = reader.next() {
            seen.push((
                event.name.to_owned(),
                event.data.to_owned(),
                event.is_error_field,
            ));
        }
    }
    let mut reader = SseReader::new();
    let mut seen = Vec::new();
    for piece in pieces {
        if reader.feed(piece).is_err() {
            return (seen, false);
        }
        take(&mut reader, &mut seen);
    }
    let is_well = reader.finish().is_ok();
    take(&mut reader, &mut seen);
    (seen, is_well)
}

/// The events of `input`, the same in any cut.
pub(crate) fn events(input: &[u8]) -> Vec<Seen> {
    let (whole, is_well) = read([input].into_iter());
    assert!(is_well);
    assert_eq!(
        read(input.chunks(1)).0,
        whole,
        "byte by byte: {}",
        input.escape_ascii()
    );
    for at in 0..=input.len() {
        let (start, end) = input.split_at(at);
        assert_eq!(
            read([start, end].into_iter()).0,
            whole,
            "cut at {at}: {}",
            input.escape_ascii()
        );
    }
    whole
}

fn check(input: &[u8], expected: &[(&str, &str)]) {
    let seen = events(input);
    let seen: Vec<(&str, &str)> = seen
        .iter()
        .map(|(name, data, _)| (name.as_str(), data.as_str()))
        .collect();
    assert_eq!(seen, expected, "{}", input.escape_ascii());
}

#[test]
fn the_examples_of_the_specification() {
    // WHATWG HTML §9.2.6, with the data that it states.
    check(
        b"data: YHOO\ndata: +2\ndata: 10\n\n",
        &[("message", "YHOO\n+2\n10")],
    );
    check(
        b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        &[("message", "first event"), ("message", "second event"), ("message", " third event")],
    );
    check(
        b"data\n\ndata\ndata\n\ndata:\n\n",
        &[("message", ""), ("message", "\n"), ("message", "")],
    );
    check(
        b"data:test\n\ndata: test\n\n",
        &[("message", "test"), ("message", "test")],
    );
    check(
        b"event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n",
        &[("add", "73857293"), ("remove", "2153")],
    );
}

#[test]
fn line_ends_of_all_kinds() {
    for end in ["\n", "\r", "\r\n"] {
        let input = "data: a\ndata: b\n\n: c\n\ndata: d\n\n".replace('\n', end);
        check(input.as_bytes(), &[("message", "a\nb"), ("message", "d")]);
    }
    check(
        b"data: a\r\r\n\ndata: b\n\r\n",
        &[("message", "a"), ("message", "b")],
    );
}

#[test]
fn a_return_at_the_end_of_a_piece_ends_the_event_at_once() {
    let mut reader = SseReader::new();
    reader.feed(b"data: mac\r\r").unwrap();
    assert_eq!(reader.next().map(|event| event.data), Some("mac"));
    reader.feed(b"\ndata: x\n\n").unwrap();
    assert_eq!(reader.next().map(|event| event.data), Some("x"));
    assert_eq!(reader.next(), None);
}

#[test]
fn what_is_no_event() {
    check(b"", &[]);
    check(b"\n\n\n", &[]);
    check(b": OPENROUTER PROCESSING\n\n:\n\n: ping\n\n", &[]);
    check(
        b"event: ping\n\nid: 3\nretry: 10\n\ndata: x\n\n",
        &[("message", "x")],
    );
    check(b"dat: x\ndatas: x\nData: x\n data: x\n\n", &[]);
    check(b"event: error\n\n", &[]);
}

#[test]
fn the_last_event_needs_no_blank_line() {
    check(
        b"data: a\n\ndata: tail",
        &[("message", "a"), ("message", "tail")],
    );
    check(b"data: tail\n", &[("message", "tail")]);
    check(b"data: tail\r", &[("message", "tail")]);
    check(b"event: error\ndata: {}", &[("error", "{}")]);
    check(b"data", &[("message", "")]);
}

#[test]
fn an_error_field_is_an_event_of_its_own() {
    let error = |data: &str| ("error".to_owned(), data.to_owned(), true);
    assert_eq!(
        events(b"error: {\"code\":500}\n\n"),
        [error("{\"code\":500}")]
    );
    assert_eq!(
        events(b"data: {}\nevent: x\nerror: a\ndata: b\nerror: c\n\n"),
        [error("a\nc")]
    );
    let then = events(b"error: a\n\ndata: b\n\n");
    assert_eq!(
        then,
        [error("a"), ("message".to_owned(), "b".to_owned(), false)]
    );
    // `event: error` is the usual way and no error field.
    assert_eq!(
        events(b"event: error\ndata: a\n\n"),
        [("error".to_owned(), "a".to_owned(), false)]
    );
}

#[test]
fn bytes_are_text_only_when_a_line_is_whole() {
    check(
        "\u{feff}data: Zoë «\u{1f600}»\n\n".as_bytes(),
        &[("message", "Zoë «\u{1f600}»")],
    );
    check(
        "\u{feff}\u{feff}data: x\n\ndata: y\n\n".as_bytes(),
        &[("message", "y")],
    );
    // Replaced as Python's `decode(errors="replace")` does.
    check(
        b"data: a\xffb\xe2\x82\ndata: \xc3\n\n",
        &[("message", "a\u{fffd}b\u{fffd}\n\u{fffd}")],
    );
    check(b"\xef\xbb", &[]);
    check(b"\xef\xbb\n\ndata: x", &[("message", "x")]);
}

#[test]
fn what_was_lent_is_not_lent_again() {
    let mut reader = SseReader::new();
    reader
        .feed(b"event: a\ndata: 1\ndata: 2\n\ndata: \xff\n\ndata: 3\n\n")
        .unwrap();
    let mut next = || {
        reader
            .next()
            .map(|event| (event.name.to_owned(), event.data.to_owned()))
    };
    assert_eq!(next(), Some(("a".into(), "1\n2".into())));
    assert_eq!(next(), Some(("message".into(), "\u{fffd}".into())));
    assert_eq!(next(), Some(("message".into(), "3".into())));
    assert_eq!(next(), None);
    assert_eq!(next(), None);
}

#[test]
fn a_line_has_a_cap_in_any_cut() {
    let fits = [
        b"\xef\xbb\xbfdata:".as_slice(),
        &vec![b'z'; SSE_LINE_BYTES_MAX - 5],
        b"\n\n",
    ]
    .concat();
    let over = [
        b"data: a\n\ndata:".as_slice(),
        &vec![b'z'; SSE_LINE_BYTES_MAX - 4],
    ]
    .concat();
    let ended = [over.as_slice(), b"\n\n"].concat();
    for piece in [7, 4096, 1 << 20, usize::MAX] {
        let (seen, is_well) = read(fits.chunks(piece));
        assert!(is_well && seen.len() == 1 && seen[0].1.len() == SSE_LINE_BYTES_MAX - 5);
        for input in [&over, &ended] {
            let (seen, is_well) = read(input.chunks(piece));
            assert!(
                !is_well && seen.len() == 1,
                "in pieces of {piece}: {}",
                seen.len()
            );
        }
    }
}

#[test]
fn an_endless_line_is_told_before_more_comes() {
    let mut reader = SseReader::new();
    let piece = vec![b'z'; 1 << 20];
    reader.feed(b"data: ").unwrap();
    let fed = (0..20)
        .take_while(|_| reader.feed(&piece).is_ok() && reader.next().is_none())
        .count();
    assert_eq!(fed, 7);
    assert_eq!(
        reader.feed(b"").map_err(|error| error.to_string()),
        Err(LINE_OVER.to_owned())
    );
}

#[test]
fn an_event_has_a_cap_and_comments_do_not_count() {
    let line = [b"data:".as_slice(), &vec![b'z'; 1 << 20], b"\n"].concat();
    let comment = [b":".as_slice(), &vec![b'z'; 1 << 20], b"\n"].concat();
    let mut reader = SseReader::new();
    for _ in 0..15 {
        reader.feed(&line).unwrap();
        assert_eq!(reader.next(), None);
        reader.feed(&comment).unwrap();
        assert_eq!(reader.next(), None);
        assert!(
            reader.buffer.capacity() < 4 << 20,
            "consumed lines leave the buffer"
        );
    }
    reader.feed(&line).unwrap();
    assert_eq!(reader.next(), None);
    assert_eq!(
        reader.feed(b"\n").map_err(|error| error.to_string()),
        Err(EVENT_OVER.to_owned())
    );
}

#[test]
fn random_cuts_of_random_streams_agree() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % bound as u64).unwrap()
    };
    let words: [&[u8]; 14] = [
        b"data",
        b"event",
        b"error",
        b":",
        b": ",
        b" ",
        b"\n",
        b"\r",
        b"\r\n",
        b"x",
        b"\xc3\xa9",
        b"\xff",
        b"\xef\xbb\xbf",
        b"id",
    ];
    for _ in 0..2000 {
        let input: Vec<u8> = (0..random(30))
            .flat_map(|_| words[random(words.len())])
            .copied()
            .collect();
        let whole = read([input.as_slice()].into_iter());
        let mut pieces = Vec::new();
        let mut rest = input.as_slice();
        while !rest.is_empty() {
            let (piece, others) = rest.split_at(1 + random(rest.len()));
            pieces.push(piece);
            rest = others;
        }
        assert_eq!(read(pieces.into_iter()), whole, "{}", input.escape_ascii());
    }
}
