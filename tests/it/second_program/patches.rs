//! Our patches against `patch`, `git apply` and `diff`.

use std::fs;
use std::path::Path;

use super::{ask, directory};
use crate::text::tests::generate::pair;
use crate::text::{Diff, NOWHERE};

const PAIRS: u64 = 500;

/// A pair of texts, the name of the file that has them, and whether it exists before and after.
struct Case {
    name: String,
    old: String,
    new: String,
}

impl Case {
    fn all() -> Vec<Self> {
        let case = |seed| {
            let (old, new) = pair(seed);
            let name = if seed % 5 == 0 {
                format!("name with blanks {seed}")
            } else {
                format!("file-{seed}")
            };
            Self { name, old, new }
        };
        (0..PAIRS).map(case).collect()
    }

    /// A file without bytes takes no part: here it does not exist.
    fn lay_out(cases: &[Self], into: &Path, text: impl Fn(&Self) -> &str) {
        for case in cases.iter().filter(|case| !text(case).is_empty()) {
            fs::write(into.join(&case.name), text(case)).expect("a file");
        }
    }

    fn patch(&self) -> String {
        let name = |side: &str, text: &str| {
            if text.is_empty() {
                NOWHERE.to_owned()
            } else {
                format!("{side}/{}", self.name)
            }
        };
        Diff::new(&self.old, &self.new).unified(&name("a", &self.old), &name("b", &self.new), 3)
    }
}

fn apply(program: &str, args: &[&str]) {
    let cases = Case::all();
    let place = directory(program);
    Case::lay_out(&cases, &place, |case| &case.old);
    let patch: String = cases.iter().map(Case::patch).collect();
    let Some(output) = ask(program, args, &place, patch.into_bytes()) else {
        return;
    };
    for case in &cases {
        let new = fs::read(place.join(&case.name)).unwrap_or_default();
        let said = String::from_utf8_lossy(&output);
        assert_eq!(
            String::from_utf8_lossy(&new),
            case.new,
            "{}\n{}\n{said}",
            case.name,
            case.patch()
        );
    }
}

#[test]
fn patch_applies_our_patches() {
    apply("patch", &["-p1", "--binary"]);
}

#[test]
fn git_applies_our_patches() {
    apply("git", &["apply", "--whitespace=nowarn", "-"]);
}

/// Our scripts are as short as those of `diff -d`.
#[test]
fn diff_has_as_many_lines() {
    let cases = Case::all();
    let place = directory("diff");
    for (side, text) in [
        ("a", (|case| &case.old) as fn(&Case) -> &str),
        ("b", |case| &case.new),
    ] {
        fs::create_dir(place.join(side)).expect("a directory");
        Case::lay_out(&cases, &place.join(side), text);
    }
    let Some(output) = ask(
        "diff",
        &["-r", "-N", "-a", "-d", "-U3", "a", "b"],
        &place,
        Vec::new(),
    ) else {
        return;
    };
    let output = String::from_utf8(output).expect("text");
    let mut theirs = std::collections::HashMap::new();
    let mut name = String::new();
    let mut lines_left = (0, 0);
    for line in output.split('\n') {
        if lines_left == (0, 0) {
            if let Some(file) = line
                .strip_prefix("+++ b/")
                .or(line.strip_prefix("+++ \"b/"))
            {
                name = file
                    .split('\t')
                    .next()
                    .unwrap_or_default()
                    .trim_end_matches('"')
                    .to_owned();
            } else if let Some(span) = line.strip_prefix("@@ -") {
                let count = |span: &str| {
                    span.split_once(',')
                        .map_or(1, |(_, count)| count.parse().expect("a number"))
                };
                let mut spans = span.split(' ');
                let old = count(spans.next().expect("a span"));
                lines_left = (old, count(spans.next().expect("a span")));
            }
            continue;
        }
        let counts: &mut (usize, usize) = theirs.entry(name.clone()).or_default();
        match line.as_bytes().first() {
            Some(b'-') => (counts.1, lines_left.0) = (counts.1 + 1, lines_left.0 - 1),
            Some(b'+') => (counts.0, lines_left.1) = (counts.0 + 1, lines_left.1 - 1),
            Some(b'\\') => {}
            _ => lines_left = (lines_left.0 - 1, lines_left.1 - 1),
        }
    }
    for case in &cases {
        let diff = Diff::new(&case.old, &case.new);
        let theirs = theirs.get(&case.name).copied().unwrap_or_default();
        assert_eq!(
            (diff.added(), diff.removed()),
            theirs,
            "{}\n{}",
            case.name,
            case.patch()
        );
    }
}
