//! Tests of the text folder.

#![allow(clippy::format_collect, reason = "short, and only tests wait for it")]

use std::borrow::Cow;

use super::cut::cut_tail;
use super::width::{cells, char_cells};
use super::*;

/// Cells as East Asian Width and the general category of the characters say.
#[test]
fn widths() {
    for (text, width) in [
        ("", 0),
        ("abc", 3),
        ("é", 1),
        ("e\u{301}", 1),
        ("日本", 4),
        ("ｱ", 1),
        ("Ａ", 2),
        ("한", 2),
        ("\u{1112}\u{1161}\u{11ab}", 2),
        ("🚀", 2),
        ("👩\u{200d}👩\u{200d}👧", 2),
        ("👍🏽", 2),
        ("🇩🇪", 2),
        ("\u{200b}", 0),
        ("❤", 1),
        ("❤\u{fe0f}", 1),
        ("…", 1),
        ("─", 1),
        ("\u{1b}", 2),
        ("\u{9b}", 8),
        ("\u{202e}", 8),
        ("\u{e000}", 1),
        ("\u{20000}", 2),
        ("\u{ad}", 1),
        ("ไทย", 3),
    ] {
        assert_eq!(cells(text), width, "{text:?}");
    }
}

#[test]
fn heads_and_tails() {
    for (text, size, head, tail) in [
        ("abc", 3, "abc", "abc"),
        ("abc", 2, "ab", "bc"),
        ("abc", 0, "", ""),
        ("", 0, "", ""),
        ("aé", 2, "a", "é"),
        ("éa", 2, "é", "a"),
        ("日本", 4, "日", "本"),
        ("xe\u{301}", 2, "x", ""),
        ("xe\u{301}", 3, "x", "e\u{301}"),
        ("a\r\nb", 2, "a", "b"),
        ("a🇩🇪🇫🇷", 9, "a🇩🇪", "🇫🇷"),
        ("a🇩🇪🇫🇷", 13, "a🇩🇪", "🇫🇷"),
        ("a👩\u{200d}👧z", 9, "a", "z"),
        ("a👍🏽", 5, "a", ""),
    ] {
        assert_eq!(cut_head(text, size), head, "head of {text:?}");
        assert_eq!(cut_tail(text, size), tail, "tail of {text:?}");
    }
    // A sequence longer than any real one is cut between characters, in bounded time.
    let marks = "\u{301}".repeat(1_000_000);
    assert_eq!(cut_head(&marks, 1_001).len(), 1_000);
    assert_eq!(cut_tail(&marks, 1_001).len(), 1_000);
}

#[test]
fn middles() {
    assert_eq!(cut_middle("short", 5), "short");
    let text = "0123456789".repeat(10);
    assert_eq!(
        cut_middle(&text, 60),
        "012345678901234567890123\n… (70 bytes left out) …\n456789"
    );
    let text: String = (0..1_000).map(|i| format!("line {i}\n")).collect();
    for text in [
        text.as_str(),
        &"é🇩🇪👩\u{200d}👧e\u{301}\r\n".repeat(300),
        &"x".repeat(5_000),
    ] {
        for size in 0..400 {
            let cut = cut_middle(text, size);
            assert!(cut.len() <= size, "{size}");
            let Some((head, rest)) = cut.split_once("… (") else {
                assert!(text.starts_with(&*cut));
                continue;
            };
            let (left_out, tail) = rest.split_once(" bytes left out) …\n").unwrap();
            let left_out: usize = left_out.parse().unwrap();
            let is_whole = |head: &str| {
                text.starts_with(head) && head.len() + left_out + tail.len() == text.len()
            };
            assert!(text.ends_with(tail));
            assert!(
                is_whole(head) || is_whole(head.strip_suffix('\n').unwrap()),
                "{size}: {cut}"
            );
            assert!(head.is_empty() || head.ends_with('\n'));
            assert!(
                size < 100 || cut.len() + 40 > size,
                "{size}: only {}",
                cut.len()
            );
        }
    }
}

#[test]
fn lines() {
    for (text, size, line) in [
        ("", 5, ""),
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("  a \n\t b  ", 9, "a b"),
        ("a b", 2, "a…"),
        ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"),
        ("日本語", 4, "日…"),
        ("abc", 0, ""),
        ("abc", 1, "…"),
        ("a\u{1b}[31mb", 9, "a^[[31mb"),
        ("e\u{301}xyz", 3, "e\u{301}x…"),
        ("👩\u{200d}👧", 2, "👩\u{200d}👧"),
        ("a\u{202e}b", 5, "a…"),
    ] {
        let cut = one_line(text, size);
        assert_eq!(cut, line, "{text:?} in {size}");
        assert!(cells(&cut) <= size);
    }
}

#[test]
fn bytes_become_text() {
    for (bytes, text, was_lossy) in [
        (&b"abc"[..], "abc", false),
        (b"", "", false),
        (b"\xef\xbb\xbfa", "a", false),
        (b"a\xffb", "a\u{fffd}b", true),
        (b"\xe2\x82", "\u{fffd}", true),
        (b"\xff\xfea\0\xe9\0", "aé", false),
        (b"\xfe\xff\xd8\x3d\xde\x80", "🚀", false),
        (b"\xff\xfea\0b", "a\u{fffd}", true),
        (b"\xff\xfe\x3d\xd8", "\u{fffd}", true),
        (b"\xff\xfe", "", false),
    ] {
        assert_eq!(
            lossy(bytes),
            (text.to_owned(), was_lossy),
            "{}",
            bytes.escape_ascii()
        );
    }
}

#[test]
fn nothing_reaches_a_terminal_as_an_escape() {
    for (text, shown) in [
        ("plain\n\ttext é🚀", "plain\n\ttext é🚀"),
        ("\u{1b}[2J\u{1b}]0;x\u{7}", "^[[2J^[]0;x^G"),
        ("a\rb", "a^Mb"),
        ("a\r\nb\r", "a\nb^M"),
        ("\0\u{7f}", "^@^?"),
        ("\u{9b}31m", "<U+009B>31m"),
        ("a\u{202e}b\u{2069}", "a<U+202E>b<U+2069>"),
        ("\u{b}\u{c}\u{1f}", "^K^L^_"),
    ] {
        assert_eq!(sanitize(text), shown);
        assert_eq!(sanitize(shown), shown);
    }
    assert!(matches!(sanitize("plain"), Cow::Borrowed(_)));
    for c in '\0'..='\u{2fff}' {
        let shown = sanitize(c.encode_utf8(&mut [0; 4])).into_owned();
        assert!(
            shown
                .chars()
                .all(|c| c == '\n' || c == '\t' || !c.is_control()),
            "{c:?}"
        );
        assert_eq!(
            shown.chars().map(char_cells).sum::<usize>(),
            char_cells(c),
            "{c:?}"
        );
    }
}

#[test]
fn paint_is_on_or_off() {
    let (on, off) = (Paint { is_on: true }, Paint { is_on: false });
    assert_eq!(on.wrap(Style::Red, "x"), "\u{1b}[31mx\u{1b}[39m");
    assert_eq!(on.wrap(Style::Bold, ""), "");
    assert_eq!(off.wrap(Style::Red, "x"), "x");
}

#[test]
fn near_misses() {
    let commands = ["help", "tools", "model", "new", "usage", "quit"];
    for (word, near) in [
        ("hepl", Some("help")),
        ("zzzzz", None),
        ("HELP", Some("help")),
        ("hel", Some("help")),
        ("h", Some("help")),
        ("tol", Some("tools")),
        ("modle", Some("model")),
        ("n", Some("new")),
        ("", None),
        ("x", None),
        ("quti", Some("quit")),
        ("exit", Some("quit")),
        ("usaeg", Some("usage")),
        ("clear", None),
        ("wen", Some("new")),
        ("ehpl", Some("help")),
    ] {
        assert_eq!(nearest(word, commands), near, "{word}");
    }
    assert_eq!(
        nearest("endpoint.ulr", ["endpoint.url", "endpoint.key"]),
        Some("endpoint.url")
    );
    assert_eq!(nearest("mod", ["model", "models"]), Some("model"));
    assert_eq!(nearest("model", ["models", "model"]), Some("model"));
    assert_eq!(nearest("ab", ["cd"]), None);
    assert_eq!(nearest(&"x".repeat(1_000_000), ["cd"]), None);
}

#[track_caller]
fn check_diff(old: &str, new: &str, context: usize, patch: &[&str]) {
    let made = unified(old, new, "a/f", "b/f", context);
    let expected: String = patch.iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(made, expected);
}

/// The expected patches are GNU diff's own, `diff -U CONTEXT`.
#[test]
fn differences_of_a_line() {
    check_diff("", "", 3, &[]);
    check_diff("a\nb\n", "a\nb\n", 3, &[]);
    check_diff(
        "a\nb\nc\n",
        "a\nB\nc\n",
        3,
        &[
            "--- a/f",
            "+++ b/f",
            "@@ -1,3 +1,3 @@",
            " a",
            "-b",
            "+B",
            " c",
        ],
    );
    check_diff(
        "a\nb\nc\n",
        "a\nB\nc\n",
        0,
        &["--- a/f", "+++ b/f", "@@ -2 +2 @@", "-b", "+B"],
    );
    check_diff("", "a\n", 3, &["--- a/f", "+++ b/f", "@@ -0,0 +1 @@", "+a"]);
}

/// GNU diff again.
#[test]
fn differences_of_line_ends() {
    check_diff(
        "a\nb",
        "",
        3,
        &[
            "--- a/f",
            "+++ b/f",
            "@@ -1,2 +0,0 @@",
            "-a",
            "-b",
            "\\ No newline at end of file",
        ],
    );
    check_diff(
        "a\nb\n",
        "a\nb",
        3,
        &[
            "--- a/f",
            "+++ b/f",
            "@@ -1,2 +1,2 @@",
            " a",
            "-b",
            "+b",
            "\\ No newline at end of file",
        ],
    );
    check_diff(
        "a\r\nb\r\n",
        "a\r\nb\n",
        3,
        &[
            "--- a/f",
            "+++ b/f",
            "@@ -1,2 +1,2 @@",
            " a\r",
            "-b\r",
            "+b",
        ],
    );
}

/// GNU diff again.
#[test]
fn differences_in_several_places() {
    check_diff(
        "1\n2\n3\n4\n5\n6\n",
        "1\n2\nx\n3\n4\n5\n6\ny\n",
        1,
        &[
            "--- a/f",
            "+++ b/f",
            "@@ -2,2 +2,3 @@",
            " 2",
            "+x",
            " 3",
            "@@ -6 +7,2 @@",
            " 6",
            "+y",
        ],
    );
    check_diff(
        "1\n2\n3\n4\n",
        "x\n2\n3\ny\n",
        1,
        &[
            "--- a/f",
            "+++ b/f",
            "@@ -1,4 +1,4 @@",
            "-1",
            "+x",
            " 2",
            " 3",
            "-4",
            "+y",
        ],
    );
    check_diff(
        "1\n2\n3\n4\n5\n",
        "x\n2\n3\n4\ny\n",
        1,
        &[
            "--- a/f",
            "+++ b/f",
            "@@ -1,2 +1,2 @@",
            "-1",
            "+x",
            " 2",
            "@@ -4,2 +4,2 @@",
            " 4",
            "-5",
            "+y",
        ],
    );
}

#[test]
fn counts_and_names() {
    let diff = Diff::new("a\nb\nc\n", "a\nc\nd\ne\n");
    assert_eq!(
        (diff.added(), diff.removed(), diff.is_empty()),
        (2, 1, false)
    );
    for (name, line) in [
        ("a/x", "--- a/x"),
        ("/dev/null", "--- /dev/null"),
        ("a b", "--- a b\t"),
        ("a\"b", r#"--- "a\"b""#),
        ("é", "--- é"),
        ("a\n\u{1b}é", r#"--- "a\n\033\303\251""#),
    ] {
        assert_eq!(
            unified("", "x\n", name, NOWHERE, 3).lines().next(),
            Some(line)
        );
    }
}

/// Takes a patch apart and applies it; an independent reading of the format.
fn apply(old: &str, patch: &str) -> String {
    let mut out = String::new();
    let mut lines = old.split_inclusive('\n');
    let mut at = 0;
    let patch = patch.replace("\n\\ No newline at end of file\n", "\u{0}");
    for line in patch.split_inclusive(['\n', '\0']).skip(2) {
        let line = line.strip_suffix('\0').unwrap_or(line);
        if let Some(head) = line.strip_prefix("@@ -") {
            let span = head.split(' ').next().unwrap();
            let (start, count) = span.split_once(',').unwrap_or((span, "1"));
            let start = start.parse::<usize>().unwrap() - usize::from(count != "0");
            while at < start {
                out.push_str(lines.next().unwrap());
                at += 1;
            }
            continue;
        }
        let (mark, text) = line.split_at(1);
        if mark != "+" {
            assert_eq!(lines.next(), Some(text));
            at += 1;
        }
        if mark != "-" {
            out.push_str(text);
        }
    }
    out.extend(lines);
    out
}

#[test]
fn generated_differences_apply() {
    for seed in 0..500_u64 {
        let (old, new) = generate::pair(seed);
        let context = usize::try_from(seed % 4).unwrap();
        let patch = unified(&old, &new, "a", "b", context);
        assert_eq!(apply(&old, &patch), new, "seed {seed}\n{patch}");
    }
}

/// Where a script is too much work the patch is still right, and comes soon.
#[test]
fn differences_are_bounded() {
    let old: String = (0..30_000)
        .map(|i| format!("{}\n", i * 7 % 1_000))
        .collect();
    let new: String = (0..30_000)
        .map(|i| format!("{}\n", i * 11 % 1_001))
        .collect();
    assert_eq!(apply(&old, &unified(&old, &new, "a", "b", 3)), new);
    // Lines of their own hold the pieces together: only the 3,000 changed ones are in the patch.
    let old: String = (0..9_000).map(|i| format!("line {i}\n")).collect();
    let new: String = (0..9_000)
        .map(|i| {
            if i % 3 == 0 {
                format!("new {i}\n")
            } else {
                format!("line {i}\n")
            }
        })
        .collect();
    let diff = Diff::new(&old, &new);
    assert_eq!((diff.added(), diff.removed()), (3_000, 3_000));
    assert_eq!(apply(&old, &diff.unified("a", "b", 3)), new);
}

pub(crate) mod generate {
    /// Two texts, the second made from the first by a few edits; some without a last line end, some with CRLF.
    pub(crate) fn pair(seed: u64) -> (String, String) {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut below = |limit: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % 1_000_003).unwrap() % limit
        };
        let words = [
            "",
            "a",
            "b",
            "}",
            "    return x;",
            "é🚀",
            "-- minus",
            "++ plus",
            "@@ -1 +1 @@",
            "\\ No newline",
            "x\r",
        ];
        let count = below(40);
        let old: Vec<&str> = (0..count).map(|_| words[below(words.len())]).collect();
        let mut new = old.clone();
        for _ in 0..below(6) {
            let at = below(new.len() + 1);
            match below(3) {
                0 if at < new.len() => {
                    new.remove(at);
                }
                1 if at < new.len() => new[at] = words[below(words.len())],
                _ => new.insert(at, words[below(words.len())]),
            }
        }
        let mut join = |lines: &[&str]| {
            let mut text: String = lines.iter().map(|line| format!("{line}\n")).collect();
            if below(4) == 0 {
                text.pop();
            }
            text
        };
        (join(&old), join(&new))
    }
}
