//! Tests of the pattern folder.

use super::Glob;

/// What git's attribute files match too, asked in the tests against other programs.
pub(crate) const ROWS: &[(&str, &str, bool)] = &[
    ("a", "a", true),
    ("a", "b", false),
    ("a", "a/b", false),
    ("*", "a", true),
    ("*", "a.rs", true),
    ("*", "a/b", false),
    ("*", ".hidden", true),
    ("*.rs", "main.rs", true),
    ("*.rs", "main.rs.bak", false),
    ("*.rs", "src/main.rs", false),
    ("src/*.rs", "src/main.rs", true),
    ("src/*.rs", "src/a/main.rs", false),
    ("?", "a", true),
    ("?", "ab", false),
    ("a?c", "a/c", false),
    ("a*c", "a/c", false),
    ("a*c", "ac", true),
    ("a*b*c", "aXbYbZc", true),
    ("a*b*c", "aXcYb", false),
    ("**", "a", true),
    ("**", "a/b/c", true),
    ("**/a", "a", true),
    ("**/a", "b/a", true),
    ("**/a", "b/c/a", true),
    ("**/a", "b/ca", false),
    ("a/**", "a/b", true),
    ("a/**", "a/b/c", true),
    ("a/**", "a", false),
    ("a/**", "ab", false),
    ("a/**/b", "a/b", true),
    ("a/**/b", "a/x/b", true),
    ("a/**/b", "a/x/y/b", true),
    ("a/**/b", "ab", false),
    ("a/**/b", "a/x/bc", false),
    ("a/**/b/**/c", "a/b/b/x/c", true),
    ("a/**/b/**/c", "a/c/b", false),
    ("**/src/**", "x/src/y", true),
    ("**/src/**", "src", false),
    ("a/**/*.rs", "a/b/c.rs", true),
    ("a/**/*.rs", "a/b/c.py", false),
    ("a b", "a b", true),
    ("A", "a", false),
    ("a.c", "abc", false),
    ("+(a)", "+(a)", true),
    ("**/**/a", "a", true),
    ("a/**/**/b", "a/b", true),
];

#[test]
fn globs_match() {
    for (glob, text, is_match) in ROWS {
        assert_eq!(
            Glob::new(glob).unwrap().matches(text),
            *is_match,
            "{glob} on {text}"
        );
    }
    // What git cannot say: an absolute path, an empty text, a word.
    for (glob, text, is_match) in [
        ("/home/*/x", "/home/me/x", true),
        ("/**", "/etc/passwd", true),
        ("/**", "etc", false),
        ("**", "", true),
        ("*", "", true),
        ("?", "", false),
        ("git *", "git push", true),
        // Git counts bytes here.
        ("?", "é", true),
        ("a/", "a/", true),
        ("a/", "a", false),
        ("a/*", "a/", true),
    ] {
        assert_eq!(
            Glob::new(glob).unwrap().matches(text),
            is_match,
            "{glob} on {text}"
        );
    }
    assert!(Glob::new("a/b").unwrap().is_literal());
    assert!(!Glob::new("a/?").unwrap().is_literal());
}

#[test]
fn other_metacharacters_are_refused_with_their_place() {
    for (glob, found, place) in [
        ("", "", 1),
        ("[ab]", "[", 1),
        ("é/a]", "]", 4),
        ("x{a,b}", "{", 2),
        ("a}", "}", 2),
        ("a\\*", "\\", 2),
        ("!a", "!", 1),
        ("a**", "**", 2),
        ("é/**b/c", "**", 3),
        ("a/***", "**", 3),
        ("x/a**b", "**", 4),
    ] {
        let bad = Glob::new(glob).unwrap_err();
        assert_eq!((bad.found.as_str(), bad.place), (found, place), "{glob}");
    }
    assert!(Glob::new("a!").is_ok());
    assert_eq!(
        Glob::new("src/[ab]").unwrap_err().to_string(),
        "`[` at character 5 of the pattern has no meaning here; only `*`, `?` and `**` have"
    );
}

#[test]
fn nothing_explodes() {
    let letters = "a".repeat(10_000);
    for glob in ["*a*a*a*a*b", "?*?*?*?*b", "*b*a*a*"] {
        assert!(!Glob::new(glob).unwrap().matches(&letters), "{glob}");
    }
    assert!(Glob::new("*a*a*a*a*").unwrap().matches(&letters));
    let deep = "a/".repeat(10_000);
    assert!(
        !Glob::new("**/a/**/a/**/a/**/a/**/b")
            .unwrap()
            .matches(&deep)
    );
    assert!(Glob::new("**/a/**/a/**").unwrap().matches(&deep));
}

/// All short globs on all short texts agree with a matcher that simply tries everything.
#[test]
fn all_short_ones_agree_with_trying_everything() {
    let words = |letters: &[char]| {
        let mut all = vec![String::new()];
        for from in 0.. {
            let Some(word) = all
                .get(from)
                .filter(|word| word.chars().count() < 5)
                .cloned()
            else {
                break;
            };
            all.extend(letters.iter().map(|letter| format!("{word}{letter}")));
        }
        all
    };
    let texts = words(&['a', 'b', '/']);
    for glob in words(&['a', '?', '*', '/']) {
        let Ok(compiled) = Glob::new(&glob) else {
            continue;
        };
        for text in &texts {
            let expected = try_everything(
                &glob.split('/').collect::<Vec<_>>(),
                &text.split('/').collect::<Vec<_>>(),
            );
            assert_eq!(compiled.matches(text), expected, "{glob} on {text}");
        }
    }
}

fn try_everything(globs: &[&str], names: &[&str]) -> bool {
    match (globs, names) {
        ([], []) | (["**"], [_, ..]) => true,
        (["**", rest @ ..], _) if !rest.is_empty() => {
            (0..=names.len()).any(|skip| try_everything(rest, &names[skip..]))
        }
        ([glob, rest @ ..], [name, after @ ..]) => {
            try_name(glob, name) && try_everything(rest, after)
        }
        _ => false,
    }
}

fn try_name(glob: &str, name: &str) -> bool {
    match (glob.split_at_checked(1), name.split_at_checked(1)) {
        (None, None) => true,
        (Some(("*", rest)), None) => try_name(rest, name),
        (Some(("*", rest)), Some((_, after))) => try_name(rest, name) || try_name(glob, after),
        (Some((one, rest)), Some((c, after))) => (one == "?" || one == c) && try_name(rest, after),
        _ => false,
    }
}
