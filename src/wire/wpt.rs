//! The web platform tests for event streams and HTTP/1.1 responses, with a reason for each deliberate difference.

use crate::json::{Value, parse};
use crate::wire::Error;
use crate::wire::body::tests::{Read, response as read_body};
use crate::wire::head::tests::response as read_head;
use crate::wire::sse::tests::events;

const SSE: &str = include_str!("../../tests/data/wire/sse_wpt.json");
const HTTP: &str = include_str!("../../tests/data/wire/http_wpt.json");
const H1_EXPECTED: &str = include_str!("../../tests/data/wire/h1_expected.json");

/// Where an event stream is read otherwise than a browser does: what comes after the browser's events, and why.
const SSE_DIFFERENCES: [(&str, &str, &str); 1] = [(
    "wpt eventsource/format-data-before-final-empty-line",
    "test2",
    "servers are known that leave out the last blank line; losing their last words is worse",
)];

/// Where a response is read otherwise than a browser does: all errors of ours, and why.
const HTTP_DIFFERENCES: [(&str, &str); 11] = [
    (
        "wpt content-length 'Content-Length: aaaah\\r\\nContent-Length: aaaah'",
        LENGTH_IS_DIGITS,
    ),
    (
        "wpt content-length 'Content-Length: aaaah, aaaah'",
        LENGTH_IS_DIGITS,
    ),
    (
        "wpt content-length 'Content-Length: aaaah'",
        LENGTH_IS_DIGITS,
    ),
    ("wpt content-length 'Content-Length: 42s'", LENGTH_IS_DIGITS),
    ("wpt content-length 'Content-Length: 30s'", LENGTH_IS_DIGITS),
    ("wpt content-length 'Content-Length: -1'", LENGTH_IS_DIGITS),
    (
        "wpt content-length 'Content-Length: 0x20'",
        LENGTH_IS_DIGITS,
    ),
    ("wpt status-code '0 OK'", STATUS_IS_THREE_DIGITS),
    ("wpt status-code '1 OK'", STATUS_IS_THREE_DIGITS),
    ("wpt status-code '99 NOT OK'", STATUS_IS_THREE_DIGITS),
    ("wpt status-code '099 HELLO'", STATUS_IS_THREE_DIGITS),
];
const LENGTH_IS_DIGITS: &str = "RFC 9112 §6.3(5): a user agent must close and discard a response with an invalid Content-Length; \
    a browser reads to the close, which may show a cut answer as a whole one";
const STATUS_IS_THREE_DIGITS: &str = "RFC 9112 §4: 3DIGIT; RFC 9110 §15: the first one from 1 on";

fn rows(text: &str) -> Vec<Value> {
    parse(text.as_bytes()).unwrap().as_array().unwrap().to_vec()
}

fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap()
}

fn decode_base64(text: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for byte in text.trim_end_matches('=').bytes() {
        let digit = alphabet.iter().position(|letter| *letter == byte).unwrap();
        bits = bits << 6 | u32::try_from(digit).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count & 0xff) as u8);
        }
    }
    out
}

#[test]
fn event_streams() {
    for row in rows(SSE) {
        let name = text(&row, "name");
        let chunks = row.get("chunks").and_then(Value::as_array).unwrap();
        let bytes: Vec<u8> = chunks
            .iter()
            .flat_map(|chunk| decode_base64(chunk.as_str().unwrap()))
            .collect();
        let mut seen = events(&bytes);
        if let Some((_, data, _)) = SSE_DIFFERENCES.iter().find(|(other, _, _)| *other == name) {
            assert_eq!(
                seen.pop(),
                Some(("message".to_owned(), (*data).to_owned(), false)),
                "{name}"
            );
        }
        let expected = row.get("events").and_then(Value::as_array).unwrap();
        // `id` and `retry` are not looked at: nobody reconnects.
        let expected: Vec<_> = expected
            .iter()
            .map(|event| {
                (
                    text(event, "type").to_owned(),
                    text(event, "data").to_owned(),
                    false,
                )
            })
            .collect();
        assert_eq!(seen, expected, "{name}");
    }
}

/// Head and body of a raw response to a GET, both the same in any cut.
fn read(raw: &[u8]) -> Result<(crate::wire::ResponseHead, Read), Error> {
    let (head, _) = read_head(raw)?.unwrap();
    Ok((head, read_body(raw, "GET")?))
}

#[test]
fn content_lengths_and_statuses() {
    let mut differences = 0;
    for row in rows(HTTP) {
        let name = text(&row, "name");
        let result = read(&decode_base64(text(&row, "raw")));
        if HTTP_DIFFERENCES.iter().any(|(other, _)| *other == name) {
            assert!(
                matches!(result, Err(Error::Protocol(_))),
                "{name}: {result:?}"
            );
            differences += 1;
            continue;
        }
        if let Some(expected) = row.get("body_length") {
            let length = result.ok().map(|(_, body)| body.data.len());
            assert_eq!(
                length,
                expected
                    .as_u64()
                    .map(|length| usize::try_from(length).unwrap()),
                "{name}"
            );
        } else if let Some(expected) = row.get("status") {
            let status = result.ok().map(|(head, _)| i64::from(head.status));
            assert_eq!(status, expected.as_i64(), "{name}");
        }
    }
    assert_eq!(differences, HTTP_DIFFERENCES.len());
}

#[test]
fn h1_parsing_by_the_rule_beside_each_row() {
    let all = rows(HTTP);
    let raws = all
        .iter()
        .filter(|row| text(row, "name").starts_with("wpt h1-parsing"));
    let mut count = 0;
    for (row, expected) in raws.zip(rows(H1_EXPECTED)) {
        let (name, rule) = (text(row, "name"), text(&expected, "rule"));
        assert_eq!(name, text(&expected, "name"));
        let result = read(&decode_base64(text(row, "raw")));
        match text(&expected, "outcome") {
            "protocol" => assert!(
                matches!(result, Err(Error::Protocol(_))),
                "{name}: {result:?}, {rule}"
            ),
            "head" => {
                let (head, body) = result.unwrap_or_else(|error| panic!("{name}: {error}, {rule}"));
                assert_eq!(
                    i64::from(head.status),
                    expected.get("status").and_then(Value::as_i64).unwrap()
                );
                assert_eq!(head.reason, text(&expected, "reason"), "{name}: {rule}");
                let fields = expected.get("fields").and_then(Value::as_array).unwrap();
                let fields: Vec<(&str, &str)> = fields
                    .iter()
                    .map(|field| {
                        (
                            field.at(0).unwrap().as_str().unwrap(),
                            field.at(1).unwrap().as_str().unwrap(),
                        )
                    })
                    .collect();
                assert_eq!(
                    head.fields.iter().collect::<Vec<_>>(),
                    fields,
                    "{name}: {rule}"
                );
                assert_eq!(
                    body.data,
                    text(&expected, "body").as_bytes(),
                    "{name}: {rule}"
                );
            }
            other => panic!("{name}: no outcome `{other}`"),
        }
        count += 1;
    }
    assert_eq!(count, 102);
}
