//! Lone halves of surrogate pairs.

use super::super::{Edge, Half, parse_keeping_halves};
use super::{compact, read};

#[track_caller]
fn check(text: &str, compact_text: &str, halves: &[(&str, Edge, u16)]) {
    assert_eq!(compact(&read(text)), compact_text, "{text}");
    let (value, found) = parse_keeping_halves(text.as_bytes()).unwrap();
    assert_eq!(compact(&value), compact_text, "{text}");
    let found: Vec<_> = found
        .iter()
        .map(|half| (half.path.as_str(), half.edge, half.unit))
        .collect();
    assert_eq!(found, halves, "{text}");
    for half in &found {
        let text = value.pointer(half.0).unwrap().as_str().unwrap();
        match half.1 {
            Edge::EndsHigh => assert!(text.ends_with('\u{fffd}')),
            Edge::BeginsLow => assert!(text.starts_with('\u{fffd}')),
        }
    }
}

#[test]
fn halves_at_the_edges_are_kept_with_their_path() {
    use Edge::{BeginsLow, EndsHigh};
    check(r#""x""#, r#""x""#, &[]);
    check(r#""\ud83d\ude80""#, "\"🚀\"", &[]);
    check(r#""x\ud83d""#, "\"x\u{fffd}\"", &[("", EndsHigh, 0xd83d)]);
    check(r#""\ude80x""#, "\"\u{fffd}x\"", &[("", BeginsLow, 0xde80)]);
    check(
        r#""\ude80\ud83d""#,
        "\"\u{fffd}\u{fffd}\"",
        &[("", BeginsLow, 0xde80), ("", EndsHigh, 0xd83d)],
    );
    // In the middle they are lost for good.
    check(r#""x\ud83dy""#, "\"x\u{fffd}y\"", &[]);
    check(r#""x\ude80y""#, "\"x\u{fffd}y\"", &[]);
    check(r#""\ud83d\n""#, "\"\u{fffd}\\n\"", &[]);
    check(r#""\ud83d\ud83d\ude80""#, "\"\u{fffd}🚀\"", &[]);
    check(
        r#""\ud83d\ud83d""#,
        "\"\u{fffd}\u{fffd}\"",
        &[("", EndsHigh, 0xd83d)],
    );
    check(r#""\ud83d\u0041""#, "\"\u{fffd}A\"", &[]);
    check(
        r#"{"choices":[{"index":0},{"delta":{"content":"a\ud83d"}}]}"#,
        "{\"choices\":[{\"index\":0},{\"delta\":{\"content\":\"a\u{fffd}\"}}]}",
        &[("/choices/1/delta/content", EndsHigh, 0xd83d)],
    );
    check(
        r#"{"a/b":["x",{"~":"\ude80"}],"z":["\ud83d"]}"#,
        "{\"a/b\":[\"x\",{\"~\":\"\u{fffd}\"}],\"z\":[\"\u{fffd}\"]}",
        &[
            ("/a~1b/1/~0", BeginsLow, 0xde80),
            ("/z/0", EndsHigh, 0xd83d),
        ],
    );
    // Keys are no deltas, and a value that a later one replaces is gone.
    check(r#"{"\ud83d":1}"#, "{\"\u{fffd}\":1}", &[]);
    check(r#"{"a":"\ud83d","a":"x"}"#, r#"{"a":"x"}"#, &[]);
    check(
        r#"{"a":"x","a":"\ud83d","b":"\ud83d"}"#,
        "{\"a\":\"\u{fffd}\",\"b\":\"\u{fffd}\"}",
        &[("/a", EndsHigh, 0xd83d), ("/b", EndsHigh, 0xd83d)],
    );
}

#[test]
fn halves_join() {
    assert_eq!(Half::join(0xd83d, 0xde80), Some('🚀'));
    for (high, low) in [
        (0xde80, 0xd83d),
        (0xd83d, 0xd83d),
        (0xd83d, 0x41),
        (0x41, 0xde80),
    ] {
        assert_eq!(Half::join(high, low), None);
    }
}

#[test]
fn paths_are_bounded() {
    let text = format!(
        "{{\"{}\":[{}1]}}",
        "k".repeat(5_000),
        r#""\ud83d","#.repeat(1_000)
    );
    let (_, halves) = parse_keeping_halves(text.as_bytes()).unwrap();
    assert_eq!(halves, []);
    let text = format!("[{}1]", r#""\ud83d","#.repeat(1_000));
    let (_, halves) = parse_keeping_halves(text.as_bytes()).unwrap();
    assert_eq!(halves.len(), 256);
}
