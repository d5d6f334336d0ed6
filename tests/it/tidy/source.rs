//! The files that rules look at: where each one is, its tokens, and which of them are tests.

use std::fs;
use std::path::{Path, PathBuf};

use super::tokens::{Kind, Token, tokens};

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// From the root of the project, with `/`.
    pub(crate) path: String,
    /// From 1.
    pub(crate) line: usize,
    pub(crate) what: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.what)
    }
}

/// One source file.
pub(crate) struct File {
    /// From the root of the project, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    /// Without comments.
    pub(crate) code: Vec<Token>,
    pub(crate) comments: Vec<Token>,
    /// For each token of `code`, whether only tests compile it.
    pub(crate) is_test: Vec<bool>,
}

impl File {
    fn new(path: &str, text: &str) -> Self {
        let (comments, code): (Vec<Token>, Vec<Token>) = tokens(text)
            .into_iter()
            .partition(|token| token.kind == Kind::Comment);
        let is_test = test_mask(&code);
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            code,
            comments,
            is_test,
        }
    }

    pub(crate) fn problem(&self, line: usize, what: impl Into<String>) -> Problem {
        Problem {
            path: self.path.clone(),
            line,
            what: what.into(),
        }
    }

    /// The folder of `src/` that it belongs to: `src/json/parse.rs` and `src/json.rs` are `json`.
    pub(crate) fn folder(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("src/")?;
        let first = inside.split('/').next()?;
        Some(first.strip_suffix(".rs").unwrap_or(first))
    }

    /// The module that it is, from the root of the crate: `src/json/parse.rs` is `json`, `parse`.
    pub(crate) fn module(&self) -> Vec<String> {
        let inside = self.path.strip_prefix("src/").unwrap_or(&self.path);
        let mut names: Vec<String> = inside
            .trim_end_matches(".rs")
            .split('/')
            .map(str::to_owned)
            .collect();
        if matches!(names.last().map(String::as_str), Some("mod" | "main")) {
            names.pop();
        }
        names
    }

    /// The code that the program is made of, with the index of each token.
    pub(crate) fn program(&self) -> impl Iterator<Item = (usize, &Token)> {
        let is_test = &self.is_test;
        self.code
            .iter()
            .enumerate()
            .filter(move |(index, _)| !is_test[*index])
    }

    /// Whether the tokens from `at` on read as `pattern`.
    pub(crate) fn reads(&self, at: usize, pattern: &[&str]) -> bool {
        reads(&self.code, at, pattern)
    }

    /// Whether the token before `at` is `text`.
    pub(crate) fn follows(&self, at: usize, text: &str) -> bool {
        0 < at && self.code[at - 1].is(text)
    }
}

/// The files of a made-up project, for tests of the rules.
pub(crate) fn planted(files: &[(&str, &str)]) -> Vec<File> {
    let mut files: Vec<File> = files
        .iter()
        .map(|(path, text)| File::new(path, text))
        .collect();
    mark_test_files(&mut files);
    files
}

/// Every Rust file of the project.
pub(crate) fn project() -> Vec<File> {
    let root = root();
    let mut paths = Vec::new();
    for top in ["build.rs", "src", "tools", "tests"] {
        collect(&root.join(top), &mut paths);
    }
    let texts: Vec<(String, String)> = paths
        .iter()
        .map(|path| {
            let shown = path.strip_prefix(&root).unwrap().display().to_string();
            (shown, fs::read_to_string(path).unwrap())
        })
        .collect();
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_str()))
        .collect();
    planted(&files)
}

/// Where the project is.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn collect(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let mut inside: Vec<PathBuf> = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        inside.sort();
        for path in &inside {
            collect(path, found);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        found.push(path.to_owned());
    }
}

fn reads(code: &[Token], at: usize, pattern: &[&str]) -> bool {
    code.len() >= at + pattern.len()
        && pattern
            .iter()
            .zip(&code[at..])
            .all(|(text, token)| token.is(text))
}

/// Marks what follows each `#[cfg(test)]`, up to the end of the item.
fn test_mask(code: &[Token]) -> Vec<bool> {
    let mut mask = vec![false; code.len()];
    let mut at = 0;
    while at < code.len() {
        let is_start = reads(code, at, &["#", "[", "cfg", "(", "test", ")", "]"])
            || reads(code, at, &["#", "[", "cfg", "(", "all", "(", "test"]);
        if !is_start {
            at += 1;
            continue;
        }
        let end = item_end(code, at);
        mask[at..end].fill(true);
        at = end;
    }
    mask
}

/// The index behind the item that begins at `at`, its attributes included.
fn item_end(code: &[Token], at: usize) -> usize {
    let mut at = at;
    while reads(code, at, &["#", "["]) {
        at = closing(code, at + 1) + 1;
    }
    let is_item = code.get(at).is_some_and(|token| {
        let words = [
            "fn",
            "mod",
            "use",
            "struct",
            "impl",
            "pub",
            "const",
            "static",
            "type",
            "trait",
            "enum",
            "unsafe",
            "async",
            "extern",
            "macro_rules",
        ];
        token.kind == Kind::Ident && words.contains(&token.text.as_str())
    });
    let ends_at_brace = !code.get(at).is_some_and(|token| token.is("use"))
        && !reads(code, at, &["pub", "(", "crate", ")", "use"]);
    while at < code.len() {
        let token = &code[at];
        if token.is(";") || (token.is(",") && !is_item) {
            return at + 1;
        }
        if token.is("}") || token.is(")") || token.is("]") {
            return at; // The end of what holds it.
        }
        if token.is("{") || token.is("(") || token.is("[") {
            let is_end = token.is("{") && ends_at_brace;
            at = closing(code, at);
            if is_end {
                return (at + 1).min(code.len());
            }
        }
        at += 1;
    }
    code.len()
}

/// The index of the bracket that closes the one at `open`.
pub(crate) fn closing(code: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (index, token) in code.iter().enumerate().skip(open) {
        if token.is("{") || token.is("(") || token.is("[") {
            depth += 1;
        } else if token.is("}") || token.is(")") || token.is("]") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return index;
            }
        }
    }
    code.len().saturating_sub(1)
}

/// A file or folder that `#[cfg(test)] mod name;` declares is a test as a whole.
fn mark_test_files(files: &mut [File]) {
    let mut prefixes = Vec::new();
    for file in files.iter() {
        for at in 0..file.code.len() {
            let is_module = file.is_test[at]
                && file.reads(at, &["mod"])
                && file.code.get(at + 2).is_some_and(|token| token.is(";"));
            if is_module {
                let name = &file.code[at + 1].text;
                prefixes.push(module_path(file, at, name));
            }
        }
    }
    for file in files {
        let is_test = prefixes.iter().any(|prefix| {
            file.path
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        });
        if is_test || file.path.starts_with("tests/") {
            file.is_test.fill(true);
        }
    }
}

/// Where the module `name`, declared at `at`, is: a path without `.rs` or `/mod.rs`.
fn module_path(file: &File, at: usize, name: &str) -> String {
    let (folder, own) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let start = at.saturating_sub(12);
    let renamed = (start..at).rev().find(|index| {
        file.reads(*index, &["path", "="]) && file.code[index + 2].kind == Kind::Text
    });
    if let Some(index) = renamed {
        let inside = file.code[index + 2].text.trim_end_matches(".rs");
        return format!("{folder}/{}", inside.trim_end_matches("/mod"));
    }
    match own {
        "mod.rs" | "main.rs" => format!("{folder}/{name}"),
        _ => format!("{folder}/{}/{name}", own.trim_end_matches(".rs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> String {
        let files = planted(&[("src/a/mod.rs", text)]);
        let words: Vec<&str> = files[0]
            .program()
            .map(|(_, token)| token.text.as_str())
            .collect();
        words.join(" ")
    }

    #[test]
    fn tests_are_no_program() {
        assert_eq!(program("a; #[cfg(test)] mod tests { b } c"), "a ; c");
        assert_eq!(program("#[cfg(test)] mod tests; c"), "c");
        assert_eq!(
            program("#[cfg(test)] #[test] fn f<A, B>() -> [u8; 3] { b } c"),
            "c"
        );
        assert_eq!(program("#[cfg(test)] use x::{a, b}; c"), "c");
        assert_eq!(
            program("S { #[cfg(test)] field: T, other: U }"),
            "S { other : U }"
        );
        assert_eq!(program("S { a, #[cfg(test)] field: T }"), "S { a , }");
        assert_eq!(
            program("#[cfg(unix)] fn f() {}"),
            "# [ cfg ( unix ) ] fn f ( ) { }"
        );
    }

    #[test]
    fn files_of_tests_are_tests() {
        let files = planted(&[
            (
                "src/a/mod.rs",
                "#[cfg(test)]\npub(crate) mod fake;\nmod real;",
            ),
            ("src/a/fake/net.rs", "x"),
            ("src/a/fake.rs", "x"),
            (
                "src/a/real.rs",
                "#[cfg(test)] #[path = \"real_tests.rs\"] mod tests;",
            ),
            ("src/a/real_tests.rs", "x"),
            ("src/a/other.rs", "#[cfg(test)] mod tests;"),
            ("src/a/other/tests.rs", "x"),
            ("src/a/faker.rs", "x"),
        ]);
        let tests: Vec<&str> = files
            .iter()
            .filter(|file| file.is_test == [true])
            .map(|file| file.path.as_str())
            .collect();
        assert_eq!(
            tests,
            [
                "src/a/fake/net.rs",
                "src/a/fake.rs",
                "src/a/real_tests.rs",
                "src/a/other/tests.rs"
            ]
        );
    }
}
