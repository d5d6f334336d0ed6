//! Replacing in texts: how loosely, where, and what stays as it was.

use super::*;

fn edit<'a>(old: &'a str, new: &'a str) -> Replacement<'a> {
    Replacement {
        old,
        new,
        is_everywhere: false,
    }
}

fn all(text: &str, edits: &[Replacement<'_>]) -> Result<Replaced, Failure> {
    replace(text, edits, "f", 5_000_000, &|| Ok(()))
}

/// What becomes of `text` when `old` is replaced by `new`; a failure is its text.
#[track_caller]
fn check(text: &str, old: &str, new: &str, expected: &str) {
    let got =
        all(text, &[edit(old, new)]).map_or_else(|failure| failure.0, |replaced| replaced.text);
    assert_eq!(got, expected);
}

/// How it was matched.
#[track_caller]
fn check_rung(text: &str, old: &str, expected: Rung) {
    assert_eq!(all(text, &[edit(old, "x")]).unwrap().rungs, [expected]);
}

#[test]
fn the_strictest_rung_decides() {
    check_rung("a\nb\n", "b", Rung::Exact);
    check_rung("a\r\nb\n", "a\nb", Rung::LineEnds);
    check_rung("a \nb\n", "a\nb", Rung::TrailingSpace);
    check_rung(" a\nb\n", "  a\n  b", Rung::Indentation);
    check("a\nb\n", "b", "c", "a\nc\n");
    check("a  \nb\n", "a\nb\n", "c\n", "c\n");
    // An exact place wins over a loose one before it.
    check("a \nb\na\nb\n", "a\nb", "x", "a \nb\nx\n");
}

#[test]
fn line_ends_are_those_of_the_place() {
    check("a\r\nb\r\nc\n", "a\nb\n", "x\ny\n", "x\r\ny\r\nc\n");
    check("f(a,\r\n  b)\r\n", "a,\n  b", "c,\n  d", "f(c,\r\n  d)\r\n");
    check("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n");
    check("a\r\nb", "b", "x\ny", "a\r\nx\r\ny");
    check("a\nb\n", "a\r\nb", "c\r\nd", "c\nd\n");
    check(
        "one\r\ntwo\nthree\r\n",
        "two",
        "2\n2",
        "one\r\n2\n2\nthree\r\n",
    );
    check("a\r\nb\r\n", "a\r\n", "", "b\r\n");
    check("a\r\nb\r\n", "a\n", "", "b\r\n");
    // Half of a CRLF is no place: no lone CR is ever left.
    check("a\r\nb", "\nb", "\nc", "a\r\nc");
    check("a\r\nb", "\nb", "x\nc", "ax\r\nc");
    check("a\r\n\r\nb\r\n", "a\n\nb", "a\nb", "a\r\nb\r\n");
}

#[test]
fn lines_that_both_texts_share_keep_their_bytes() {
    check("a\r\nb\nc\r\n", "a\nb\nc\n", "a\nB\nc\n", "a\r\nB\r\nc\r\n");
    check(
        "a\nb\r\nc\nd\r\n",
        "a\nb\nc\nd\n",
        "a\nb\nx\nd\n",
        "a\nb\r\nx\nd\r\n",
    );
    check("a  \nb\nc\t\n", "a\nb\nc", "a\nB\nc", "a  \nB\nc\t\n");
    check("\u{FEFF}a\n", "a", "b", "\u{FEFF}b\n");
    check("a\r\nb\r\n", "a\nb", "a\nb\nc", "a\r\nb\r\nc\r\n");
}

#[test]
fn a_file_without_a_last_line_end_keeps_to_that() {
    check("a\nb", "b", "c", "a\nc");
    check("a\nb", "b\n", "c\n", "a\nc");
    check("a\r\nb", "a\nb\n", "c\nd\n", "c\r\nd");
}

#[test]
fn indentation_is_that_of_the_place() {
    check(
        "  if x {\n    y\n  }\n",
        "if x {\n  y\n}",
        "if z {\n  y\n}",
        "  if z {\n    y\n  }\n",
    );
    // Only the first line came without its indentation.
    check(
        "    def f():\n        return 1\n",
        "def f():\n        return 1",
        "def f():\n        x = 2\n        return x",
        "    def f():\n        x = 2\n        return x\n",
    );
    check(
        "\tif x:\n\t\ty()\n",
        "    if x:\n        y()",
        "    if x:\n        z()\n    w()",
        "\tif x:\n\t\tz()\n    w()\n",
    );
    check("\ta()\n", "  a()", "  a()\n\n  b()", "\ta()\n\n\tb()\n");
}

#[test]
fn what_is_not_unique_is_refused_with_its_lines() {
    check(
        "a\nb\na\n",
        "a",
        "c",
        "edit 1: `old_string` occurs 2 times in `f`, at lines 1, 3; nothing was changed; add lines around it, or set `replace_all`",
    );
    check(
        &"a\n".repeat(12),
        "a",
        "c",
        "edit 1: `old_string` occurs 12 times in `f`, at lines 1, 2, 3, 4, 5, 6, 7, 8, …; nothing was changed; add lines around it, or set `replace_all`",
    );
    // Places over each other are two as well.
    check(
        "x\nx\nx\n",
        "x\nx\n",
        "y\n",
        "edit 1: `old_string` occurs 2 times in `f`, at lines 1, 2; nothing was changed; add lines around it, or set `replace_all`",
    );
    check(
        "x \nx \nx \n",
        "x\nx\n",
        "y\n",
        "edit 1: `old_string` occurs 2 times in `f`, at lines 1, 2; nothing was changed; add lines around it, or set `replace_all`",
    );
    check(
        "fn a() {\n  1\n}\n",
        "fn a() {\n  2\n}",
        "x",
        "edit 1: `old_string` was not found in `f`; nothing was changed; its first line stands at line 1; what follows differs, read it again",
    );
    check(
        "a\n\n\nb\n",
        "zzz",
        "x",
        "edit 1: `old_string` was not found in `f`; nothing was changed; read the file again and copy the text as it is",
    );
    // Blank lines alone match nothing loosely.
    check(
        "a\n  \nb\n",
        "\n\n",
        "x",
        "edit 1: `old_string` was not found in `f`; nothing was changed; read the file again and copy the text as it is",
    );
}

#[test]
fn edits_come_in_order_and_all_or_none() {
    let done = all("a b\n", &[edit("a", "b2"), edit("b2 b", "c")]).unwrap();
    assert_eq!((done.text.as_str(), done.places), ("c\n", 2));
    let failure = all("a b\n", &[edit("a", "x"), edit("a", "y")]).unwrap_err();
    assert!(failure.0.starts_with("edit 2: "), "{}", failure.0);
    let everywhere = Replacement {
        is_everywhere: true,
        ..edit("aa", "b")
    };
    assert_eq!(all("aaaaa\r\naa", &[everywhere]).unwrap().text, "bba\r\nb");
    let stop = || Err(Failure::cancelled());
    assert!(
        replace("a", &[edit("a", "b")], "f", 9, &stop)
            .unwrap_err()
            .is_cancel()
    );
}

#[test]
fn a_result_has_a_limit() {
    // Two terabytes, if anybody built it.
    let text = "a".repeat(2_000_000);
    let new = "b".repeat(1_000_000);
    let everywhere = Replacement {
        is_everywhere: true,
        ..edit("a", &new)
    };
    let failure = all(&text, &[everywhere]).unwrap_err();
    assert_eq!(
        failure.0,
        "edit 1: `f` would have more than 5000000 bytes; nothing was changed"
    );
}

/// Two megabytes of what makes naive searches quadratic: each of these ends at once, or the test would not.
#[test]
fn nothing_is_quadratic() {
    const SIZE: usize = 2_000_000;
    let (line, lines) = ("a".repeat(SIZE), "a\n".repeat(SIZE / 2));
    let half = format!("{}b", "a".repeat(SIZE / 2));
    assert!(all(&line, &[edit(&half, "x")]).is_err());
    assert!(
        all(
            &lines,
            &[edit(&format!("{}b", "a\n".repeat(SIZE / 4)), "x")]
        )
        .is_err()
    );
    assert!(all(&lines, &[edit(&" a\n".repeat(SIZE / 8), "x")]).is_err());
    assert!(
        all(
            &lines.replace('\n', " \r\n"),
            &[edit(&"a\n".repeat(SIZE / 4), "x")]
        )
        .is_err()
    );
    // Many places in one line that has no end, each with a new line: where is the next line end?
    let everywhere = Replacement {
        is_everywhere: true,
        ..edit("aaaa", "\n")
    };
    assert_eq!(all(&line, &[everywhere]).unwrap().places, SIZE / 4);
    let everywhere = Replacement {
        is_everywhere: true,
        ..edit("  a\n  a\n  a", "  b\n  c")
    };
    assert_eq!(all(&lines, &[everywhere]).unwrap().places, SIZE / 6);
    assert!(all(&line, &[edit(&line[..SIZE / 2], "x")]).is_err());
}
