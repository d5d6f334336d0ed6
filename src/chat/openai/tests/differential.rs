//! The short way for frames gives exactly what the long way gives.

use crate::chat::openai::template::Template;
use crate::chat::openai::tests::{head, read, split};
use crate::chat::tests::cases::{CASES, bytes_of, text};
use crate::json::{Value, parse, write_string};

const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";

#[test]
fn the_short_way_gives_what_the_long_way_gives_for_every_case() {
    let cases = parse(CASES.as_bytes()).unwrap();
    let mut count = 0;
    for case in cases.as_array().unwrap() {
        let all = match text(case, "server_bytes") {
            Some(all) => bytes_of(all),
            None => case
                .get("server_bytes")
                .and_then(Value::as_array)
                .unwrap()
                .iter()
                .flat_map(|segment| bytes_of(text(segment, "bytes").unwrap()))
                .collect(),
        };
        let Some((head, body)) = split(&all) else {
            continue;
        };
        count += 1;
        let long = read(&head, &body, usize::MAX, true);
        for piece in [usize::MAX, 1, 7, 64] {
            assert_eq!(read(&head, &body, piece, false), long, "{case}");
        }
    }
    assert!(count > 70, "{count}");
}

/// A small generator of numbers that depend on nothing but the seed.
struct Random(u64);

impl Random {
    fn below(&mut self, max: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % max
    }
}

/// The inside of a JSON string, raw: mostly plain, sometimes escaped, sometimes half a character, sometimes wrong.
fn piece(random: &mut Random) -> String {
    const PARTS: [&str; 24] = [
        "word ",
        "a",
        "",
        "ë",
        "🦀",
        "\\n",
        "\\\"",
        "\\\\",
        "\\u00eb",
        "\\ud83d",
        "\\ude80",
        "\\ud83d\\ude80",
        "{\\\"content\\\":\\\"x\\\"}",
        "content",
        "}",
        "]",
        ",",
        "data:",
        "\\/",
        "\\x",
        "\"",
        "\u{7f}",
        "\t",
        "\u{1}",
    ];
    let count = random.below(4);
    (0..count)
        .map(|_| {
            // Broken parts seldom: they end the good luck of a frame.
            let part = PARTS[random.below(PARTS.len())];
            if matches!(part, "\"" | "\\x" | "\t" | "\u{1}") && random.below(8) > 0 {
                "w"
            } else {
                part
            }
        })
        .collect()
}

fn frame(random: &mut Random) -> String {
    let piece = piece(random);
    let other = self::piece(random);
    match random.below(16) {
        0..3 => format!(
            "{{\"id\":\"{}\",\"created\":{},\"choices\":[{{\"delta\":{{\"content\":\"{piece}\"}}}}],\"obfuscation\":\"{other}\"}}",
            random.below(1000),
            [
                "0",
                "12",
                "012",
                "1e3",
                "1.5",
                "-1",
                "1700000000",
                "99999999999999999999"
            ][random.below(8)]
        ),
        3..6 => format!(
            "{{\"id\":\"c1\",\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{piece}\"}},\"finish_reason\":null}}]}}"
        ),
        6 => format!(
            "{{\"choices\": [{{\"delta\": {{\"role\": \"assistant\", \"content\": \"{piece}\"}}}}], \"model\": \"n\"}}"
        ),
        7..10 => format!(
            "{{\"choices\":[{{\"delta\":{{\"content\":\"\",\"reasoning_content\":\"{piece}\"}}}}]}}"
        ),
        10 => format!(
            "{{\"choices\":[{{\"delta\":{{\"reasoning_content\":\"{piece}\",\"reasoning\":\"{other}\"}}}}]}}"
        ),
        11 => format!(
            "{{\"choices\":[{{\"delta\":{{\"content\":\"{piece}\",\"x\":\"content\"}}}}],\"usage\":{{\"prompt_tokens\":{}}}}}",
            random.below(9)
        ),
        12 => format!(
            "{{\"choices\":[{{\"delta\":{{\"content\":\"{piece}\",\"content\":\"{other}\"}}}}]}}"
        ),
        13 => format!(
            "{{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":0,\"function\":{{\"name\":\"f\",\"arguments\":\"{piece}\"}}}}]}}}}]}}"
        ),
        14 => format!(
            "{{\"content\":\"{piece}\",\"choices\":[{{\"delta\":{{\"c\\u006fntent\":\"{other}\"}}}}]}}"
        ),
        _ => format!(
            "{{\"choices\":[{{\"delta\":{{\"content\":\"{piece}\"}}}},{{\"delta\":{{\"content\":\"{other}\"}}}}]}}"
        ),
    }
}

fn stream(random: &mut Random) -> Vec<u8> {
    let mut out = Vec::new();
    let mut last = frame(random);
    for _ in 0..random.below(14) {
        // The same form again and again, as in life.
        if random.below(3) == 0 {
            last = frame(random);
        } else if let Some(at) = last.find("\"created\":").filter(|_| random.below(3) == 0) {
            let start = at + "\"created\":".len();
            let end = last[start..]
                .find(',')
                .map_or(last.len(), |end| start + end);
            let number = ["0", "01", "7", "1e9999", "1234567", "5.0", "", "\"1\""][random.below(8)];
            last.replace_range(start..end, number);
        } else if let Some(at) = last.find("\"content\":\"") {
            let start = at + "\"content\":\"".len();
            let end = last[start..]
                .find('"')
                .map_or(last.len(), |end| start + end);
            last.replace_range(start..end, &piece(random));
        }
        out.extend_from_slice(format!("data: {last}\n\n").as_bytes());
    }
    let finish = random.below(3);
    if finish > 0 {
        out.extend_from_slice(
            b"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
        );
    }
    if finish > 1 {
        out.extend_from_slice(b"data: [DONE]\n\n");
    }
    if random.below(4) == 0 && !out.is_empty() {
        let at = random.below(out.len());
        out[at] = b"\"{}\\a\n"[random.below(6)];
    }
    out
}

/// A few thousand, or as many as `FUZZ_SECONDS` asks for, set when the tests are built: no clock here.
fn rounds() -> u64 {
    let seconds: u64 = option_env!("FUZZ_SECONDS").map_or(0, |text| text.parse().unwrap());
    3000 + seconds * 3000
}

#[test]
fn the_short_way_gives_what_the_long_way_gives_for_generated_streams() {
    let head = head(EVENTS);
    let rounds = rounds();
    let mut random = Random(1);
    for round in 0..rounds {
        let body = stream(&mut random);
        let long = read(&head, &body, usize::MAX, true);
        let piece = [usize::MAX, 1, 7][random.below(3)];
        let short = read(&head, &body, piece, false);
        assert_eq!(
            short,
            long,
            "round {round}: {}",
            String::from_utf8_lossy(&body)
        );
    }
}

#[test]
fn frames_of_one_form_do_take_the_short_way() {
    let frame = |piece: &str| {
        let mut text = Vec::new();
        write_string(piece, &mut text);
        let text = String::from_utf8(text).unwrap();
        format!(
            "{{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":{text}}},\"finish_reason\":null}}]}}"
        )
    };
    let template = Template::learn(&frame("first"), "content").unwrap();
    for piece in ["", "second", "two\nlines", "\"quoted\" \\ back", "🦀"] {
        assert_eq!(template.read(&frame(piece)).as_deref(), Some(piece));
    }
    assert_eq!(template.read(&frame("x").replace("null", "\"stop\"")), None);
    assert_eq!(
        template.read(&frame("x").replace("\"x\"", "\"\\ud83d\"")),
        None
    );
    // What nobody reads may differ.
    let frame = |id: &str, at: &str, piece: &str, noise: &str| {
        format!(
            "{{\"id\": \"{id}\",\"created\":{at},\"choices\":[{{\"delta\":{{\"content\":\"{piece}\"}}}}],\"obfuscation\":\"{noise}\"}}"
        )
    };
    let template = Template::learn(&frame("c1", "17", "first", "xx"), "content").unwrap();
    let other = frame("chat-2", "1700000000", "second", "");
    assert_eq!(template.read(&other).as_deref(), Some("second"));
    for wrong in ["", "01", "1.5", "1e3", "-1", "\"1\"", "9999999999999999999"] {
        assert_eq!(template.read(&frame("c1", wrong, "x", "")), None, "{wrong}");
    }
    assert_eq!(template.read(&frame("c\\", "1", "x", "")), None);
    assert_eq!(template.read(&frame("c\"", "1", "x", "")), None);
    assert!(Template::learn("{\"content\":\"content\"}", "content").is_none());
    assert!(Template::learn("{\"a\":\"content\",\"content\":\"\"}", "content").is_none());
}
