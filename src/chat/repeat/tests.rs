//! Circles and loops, and what only looks like them.

use crate::chat::ToolCall;
use crate::chat::repeat::{Rounds, TextLoop, piece_of_loop, straighten};

fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall {
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        ..ToolCall::default()
    }
}

/// Rounds of one call each, as `name arguments result`; gives the circle after each.
#[track_caller]
fn check(rounds: &[(&str, &str, &str)], expected: Option<(usize, usize)>) {
    let mut seen = Rounds::default();
    let found = rounds
        .iter()
        .enumerate()
        .find_map(|(at, (name, arguments, result))| {
            seen.push(&[call(name, arguments)], &[result])
                .map(|length| (at + 1, length))
        });
    assert_eq!(found, expected);
}

#[test]
fn the_same_round_three_times_is_a_circle() {
    let same = ("read", "{\"path\":\"a\"}", "text");
    check(&[same, same], None);
    check(&[same, same, same], Some((3, 1)));
    // Keys in another order, blanks, and detours of a path change nothing.
    check(
        &[
            (
                "f",
                "{\"path\":\"./src//a.rs\",\"o\":{\"x\":1,\"y\":2}}",
                "t",
            ),
            ("f", "{\"o\":{\"y\":2,\"x\":1},\"path\":\"src/a.rs\"}", "t"),
            (
                "f",
                "{ \"path\": \"src/b/../a.rs/\", \"o\": {\"x\":1,\"y\":2} }",
                "t",
            ),
        ],
        Some((3, 1)),
    );
    check(
        &[
            ("f", "not json", ""),
            ("f", " not json", ""),
            ("f", "not json ", ""),
        ],
        Some((3, 1)),
    );
}

#[test]
fn cycles_of_two_and_three_rounds_are_circles() {
    let (a, b, c, d) = (
        ("a", "{}", ""),
        ("b", "{}", ""),
        ("c", "{}", ""),
        ("d", "{}", ""),
    );
    check(&[a, b, a, b, a], None);
    check(&[a, b, a, b, a, b], Some((6, 2)));
    check(&[d, a, b, c, a, b, c, a, b, c], Some((10, 3)));
    check(&[a, b, c, d, a, b, c, d, a, b, c, d], None);
    check(&[a, b, a, c, a, b, a, c, a, b, a, c], None);
}

#[test]
fn progress_is_no_circle() {
    // The same call with new output each time, as a job that goes on gives it.
    check(
        &[
            ("f", "{}", "1"),
            ("f", "{}", "2"),
            ("f", "{}", "3"),
            ("f", "{}", "4"),
        ],
        None,
    );
    // The same tool over forty files, all of them empty.
    let files: Vec<String> = (0..40)
        .map(|at| format!("{{\"path\":\"f{at}\"}}"))
        .collect();
    let rounds: Vec<(&str, &str, &str)> = files
        .iter()
        .map(|file| ("read", file.as_str(), ""))
        .collect();
    check(&rounds, None);
    // Other values, other types, other names.
    check(
        &[
            ("f", "{\"n\":1}", ""),
            ("f", "{\"n\":\"1\"}", ""),
            ("g", "{\"n\":1}", ""),
        ],
        None,
    );
    // Addresses are no paths: two slashes mean something there.
    check(
        &[
            ("f", "{\"u\":\"http://a//b\"}", ""),
            ("f", "{\"u\":\"http://a/b\"}", ""),
            ("f", "{\"u\":\"http://a/./b\"}", ""),
        ],
        None,
    );
}

#[test]
fn equal_calls_of_one_round_count_once_and_in_any_order() {
    let mut seen = Rounds::default();
    let (a, b) = (call("a", "{}"), call("b", "{}"));
    assert_eq!(
        seen.push(&[a.clone(), a.clone(), a.clone()], &["x", "x", "x"]),
        None
    );
    assert_eq!(seen.push(std::slice::from_ref(&a), &["x"]), None);
    assert_eq!(seen.push(&[a.clone(), a.clone()], &["x", "x"]), Some(1));
    let mut seen = Rounds::default();
    for at in 0..3 {
        let (calls, results) = if at == 1 {
            ([b.clone(), a.clone()], ["y", "x"])
        } else {
            ([a.clone(), b.clone()], ["x", "y"])
        };
        assert_eq!(seen.push(&calls, &results), (at == 2).then_some(1));
    }
}

#[test]
fn paths_are_straightened() {
    for (path, straight) in [
        ("a/b", "a/b"),
        ("./a/", "a"),
        ("a/./b//c", "a/b/c"),
        ("a/../b", "b"),
        ("../a", "../a"),
        ("a/../../b", "../b"),
        ("/../a/", "/a"),
        ("/", "/"),
        ("./", "."),
    ] {
        assert_eq!(straighten(path), straight, "{path}");
    }
}

#[test]
fn one_piece_repeated_to_the_end_is_a_loop() {
    let piece = "I will now read the file. ";
    assert_eq!(piece_of_loop(&piece.repeat(200)), Some(26));
    assert_eq!(
        piece_of_loop(&format!("{}{}", "intro ".repeat(3), piece.repeat(200))),
        Some(26)
    );
    // The last round of it may be cut anywhere.
    assert_eq!(
        piece_of_loop(&format!("{}I will n", piece.repeat(160))),
        Some(26)
    );
    assert_eq!(
        piece_of_loop(&"Ich würde gerne lesen… 🦀 ".repeat(200)),
        Some(25)
    );
    let long = "a long paragraph with its own words number one two three ".repeat(10) + "end. ";
    assert_eq!(piece_of_loop(&long.repeat(8)), Some(long.chars().count()));
}

#[test]
fn rules_tables_and_prose_are_no_loops() {
    let piece = "I will now read the file. ";
    assert_eq!(piece_of_loop(&piece.repeat(150)), None, "too short");
    assert_eq!(
        piece_of_loop(&format!("{}and so on", piece.repeat(200))),
        None,
        "it ended"
    );
    assert_eq!(piece_of_loop(&"-".repeat(9000)), None);
    assert_eq!(piece_of_loop(&"0x00, 0x00, ".repeat(900)), None);
    assert_eq!(piece_of_loop(&"one of nineteen ch\n".repeat(900)), None);
    let rows: Vec<String> = (0..900)
        .map(|at| format!("| row {at} | the same text in each |\n"))
        .collect();
    assert_eq!(piece_of_loop(&rows.concat()), None);
    let words: Vec<String> = (0..3000).map(|at| format!("w{} ", at * at % 911)).collect();
    assert_eq!(piece_of_loop(&words.concat()), None);
}

#[test]
fn a_growing_answer_is_looked_at_now_and_then() {
    let mut watch = TextLoop::default();
    let mut text = String::new();
    let caught = (0..10_000).find(|_| {
        text.push_str("I will now read the file. ");
        watch.is_caught(&text)
    });
    let chars = text.chars().count();
    assert!(
        caught.is_some() && (4096..4096 + 1100).contains(&chars),
        "{chars}"
    );
}
