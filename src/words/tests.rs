//! Words against what a person would say of them, and folding against Python's `unicodedata`.

#![allow(clippy::print_stderr, reason = "a test that is skipped says why")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the expected values come from a second program"
)]

use std::process::Command;

use super::*;

#[test]
fn inflections_share_a_stem_and_other_words_do_not() {
    let families = [
        "commit commits committed committing",
        "process processes processed processing",
        "directory directories",
        "kill kills killed killing",
        "branch branches branched branching",
        "stage stages staged staging",
        "delete deletes deleted deleting deletion",
        "create creates created creating creation",
        "use uses used using",
        "make makes making made",
        "copy copies copied copying",
        "cancel cancels cancelled canceled cancelling",
        "install installs installed installing",
        "hold holds held holding",
        "free freed freeing frees",
        "add adds added adding",
        "status statuses",
        "revise revision revisions revised",
        "terminate terminated terminating termination",
        "stop stops stopped stopping",
        "agree agreed agrees",
        "tie ties tied tying",
    ];
    for family in families {
        let stems: Vec<String> = family.split(' ').map(stem_of).collect();
        assert!(stems.iter().all(|s| *s == stems[0]), "{family}: {stems:?}");
    }
    for (a, b) in [
        ("port", "portion"),
        ("process", "procession"),
        ("news", "new"),
        ("evening", "even"),
        ("version", "verse"),
        ("session", "sesame"),
        ("string", "str"),
        ("commit", "comment"),
        ("branch", "brand"),
        ("status", "state"),
        ("universe", "university"),
        ("need", "ne"),
    ] {
        assert_ne!(stem_of(a), stem_of(b), "{a} {b}");
    }
}

#[test]
fn text_and_code_split_alike() {
    let check = |text: &str, expected: &str| assert_eq!(stems(text).join(" "), expected, "{text}");
    check(
        "kill_process killProcess KILL-PROCESS",
        "kill process kill process kill process",
    );
    check("parseHTTPServer2Go", "pars http server 2 go");
    check("port3000, utf8", "port 3000 utf 8");
    check("don't touch the server's log", "dont touch the server log");
    check("l’eau d'or rock'n'roll", "l eau d or rock n roll");
    check(
        "Größe façade ÉCLAIR ﬁle ＡＢＣ１",
        "gross facad eclair fil abc 1",
    );
    check("e\u{301}clair", "eclair");
    check("文件夹 foo", "文 件 夹 foo");
    check("Ελλάδα Привет", "ελλάδα привет");
    check("", "");
    check("--- !? \u{301}", "");
}

#[test]
fn chunks_say_where_they_are() {
    let text = "the server's port";
    let found: Vec<_> = chunks(text).map(|c| (c.text, c.start, c.end)).collect();
    assert_eq!(found, [("the", 0, 3), ("server", 4, 12), ("port", 13, 17)]);
}

#[test]
fn humps_are_told_from_plain_words() {
    let humps = |word| parts(word).map(|p| p.is_hump).collect::<Vec<_>>();
    assert_eq!(humps("GitHub"), [false, true]);
    assert_eq!(humps("port3000"), [false, false]);
}

#[test]
fn one_edit_is_neither_none_nor_two() {
    for (a, b) in [
        ("commit", "comit"),
        ("commit", "commmit"),
        ("commit", "conmit"),
        ("commit", "ocmmit"),
        ("commit", "commti"),
        ("a", ""),
        ("größe", "grösse"),
        ("größe", "groöße"),
        ("ab", "ba"),
        ("écl", "cl"),
    ] {
        // `größe` → `grösse` is a substitution and an insertion.
        let expected = (a, b) != ("größe", "grösse");
        assert_eq!(is_one_edit(a, b), expected, "{a} {b}");
        assert_eq!(is_one_edit(b, a), expected, "{b} {a}");
    }
    for (a, b) in [
        ("", ""),
        ("commit", "commit"),
        ("commit", "cmmt"),
        ("abcd", "badc"),
        ("ab", "cd"),
        ("", "ab"),
    ] {
        assert!(!is_one_edit(a, b) && !is_one_edit(b, a), "{a} {b}");
    }
}

/// Every pair of words of up to four letters `a`, `b`, `c` against the definition, tried out.
#[test]
fn one_edit_agrees_with_trying_every_edit() {
    let mut words = vec![String::new()];
    for at in 0.. {
        if words[at].len() == 4 {
            break;
        }
        for letter in ["a", "b", "c"] {
            words.push(format!("{}{letter}", words[at]));
        }
    }
    for a in &words {
        let near = edits(a);
        for b in &words {
            assert_eq!(is_one_edit(a, b), a != b && near.contains(b), "{a} {b}");
        }
    }
}

fn edits(word: &str) -> Vec<String> {
    let mut found = Vec::new();
    for at in 0..=word.len() {
        let (head, tail) = word.split_at(at);
        for letter in ["a", "b", "c"] {
            found.push(format!("{head}{letter}{tail}"));
            if !tail.is_empty() {
                found.push(format!("{head}{letter}{}", &tail[1..]));
            }
        }
        if !tail.is_empty() {
            found.push(format!("{head}{}", &tail[1..]));
        }
        if tail.len() > 1 {
            found.push(format!("{head}{}{}{}", &tail[1..2], &tail[..1], &tail[2..]));
        }
    }
    found
}

#[test]
fn lists_are_sorted_so_that_searching_them_works() {
    for word in ["a", "the", "your", "of", "yet", "about"] {
        assert!(is_stop_word(word), "{word}");
    }
    assert!(!is_filler("of") && is_filler("the") && !is_stop_word("port"));
    stop::check_sorted();
    assert_eq!(stem_of("wrote"), stem_of("write"));
    assert_eq!(stem_of("alias"), "alias");
}

#[test]
fn any_text_is_split_without_a_panic() {
    let mut state = 7_u64;
    for _ in 0..2_000 {
        let text: String = (0..40)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(99);
                let code = (state >> 33) as u32;
                char::from_u32(if code.is_multiple_of(3) {
                    code % 0x250
                } else {
                    code % 0x11_0000
                })
                .unwrap_or('\'')
            })
            .collect();
        for word in stems(&text) {
            assert!(!is_one_edit(&word, &word));
        }
    }
}

/// The base letter of each Latin letter with marks, as Python's Unicode database has it.
#[test]
fn folding_agrees_with_python() {
    let program = "import unicodedata as u\n\
        for c in [*range(0xc0, 0x250), *range(0x1e00, 0x1f00)]:\n \
        c = chr(c); d = u.normalize('NFD', c.lower())\n \
        if d[0] != c.lower()[0] and d[0].isascii(): print(c, d[0])";
    let Ok(output) = Command::new("python3").args(["-c", program]).output() else {
        eprintln!("skipped: `python3` is not installed");
        return;
    };
    let rows = String::from_utf8(output.stdout).unwrap();
    assert!(rows.lines().count() > 400);
    for row in rows.lines() {
        let (letter, expected) = row.split_once(' ').unwrap();
        let mut folded = String::new();
        fold_into(letter, &mut folded);
        assert_eq!(folded, expected, "{letter}");
    }
}
