//! Layers: a folder of `src/` imports only what its row in the table says.

use super::source::{File, Problem, closing};
use super::tokens::{Kind, Token};

/// Folder of `src/` → the folders that it may import. Bottom first: a row imports only rows above it, so there is
/// no cycle. `catalog` is what the build script makes; it stands in `main.rs`.
pub(crate) const LAYERS: Table = &[
    ("json", &[]),
    ("codec", &[]),
    ("words", &[]),
    ("toml", &[]),
    ("pattern", &[]),
    ("calendar", &[]),
    ("text", &[]),
    ("html", &["text"]),
    ("wire", &[]),
    ("schema", &["json", "pattern"]),
    ("redact", &[]),
    ("edit", &["text"]),
    ("world", &[]),
    ("cli", &["words"]),
    ("config", &["toml", "words", "cli", "world"]),
    ("http", &["wire", "codec", "calendar", "world"]),
    ("store", &["json", "codec", "world"]),
    (
        "tool",
        &[
            "json", "text", "words", "pattern", "schema", "redact", "world",
        ],
    ),
    ("skill", &["text", "world"]),
    ("memory", &["json", "calendar", "words", "store"]),
    ("routine", &["json", "calendar", "pattern", "store"]),
    ("voice", &[]),
    ("chat", &["json", "text", "wire", "http", "tool"]),
    (
        "session",
        &[
            "json", "codec", "calendar", "redact", "world", "store", "tool", "chat",
        ],
    ),
    ("mcp", &["json", "wire", "schema", "http", "tool"]),
    ("offline", &["json", "wire", "words", "tool"]),
    ("host", &["world"]),
    ("error", &["cli", "config", "chat", "session"]),
    ("catalog", &["tool", "skill"]),
    (
        "app",
        &[
            "json", "codec", "words", "toml", "pattern", "calendar", "text", "html", "wire",
            "schema", "redact", "edit", "world", "cli", "config", "http", "store", "tool", "skill",
            "memory", "routine", "voice", "chat", "session", "mcp", "offline", "error", "catalog",
        ],
    ),
];

/// The pure folders, which a file under `tools/` may import besides `tool::prelude`.
pub(crate) const PURE: &[&str] = &[
    "json", "codec", "words", "toml", "pattern", "calendar", "text", "html", "wire", "schema",
    "redact", "edit",
];

pub(crate) type Table = &'static [(&'static str, &'static [&'static str])];

/// A row that names one below itself.
pub(crate) fn check_table(table: Table) -> Vec<String> {
    let mut problems = Vec::new();
    for (index, (folder, allowed)) in table.iter().enumerate() {
        for name in *allowed {
            if !table[..index].iter().any(|(upper, _)| upper == name) {
                problems.push(format!("`{name}` does not stand above `{folder}`"));
            }
        }
    }
    problems
}

/// Imports of `src/` that the table does not allow, and folders that it does not know.
pub(crate) fn check(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files {
        let Some(folder) = file.folder() else {
            continue;
        };
        if folder == "main" {
            continue; // The root joins everything; `mod catalog` in it is made.
        }
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == folder) else {
            problems.push(file.problem(
                1,
                format!("`{folder}` has no row in LAYERS of tests/it/tidy/layers.rs"),
            ));
            continue;
        };
        for reference in references(file) {
            let line = reference.line;
            match reference.to {
                Some(to) if to == folder || allowed.contains(&to.as_str()) => (),
                Some(to) => {
                    let what = format!(
                        "`{folder}` may not import `{to}`; see LAYERS in tests/it/tidy/layers.rs"
                    );
                    problems.push(file.problem(line, what));
                }
                None => problems
                    .push(file.problem(line, "names the root of the crate; name what is meant")),
            }
        }
    }
    problems
}

/// Imports of `tools/` other than the prelude and the pure folders.
pub(crate) fn check_tools(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with("tools/")) {
        for (index, token) in file.program() {
            if token.is("super") && !file.follows(index, "(") {
                problems.push(file.problem(token.line, "a tool imports nothing of its neighbours"));
            }
            if !is_root(file, index) {
                continue;
            }
            for path in paths(&file.code, index, Vec::new()) {
                let names: Vec<&str> = path.iter().skip(1).map(String::as_str).collect();
                let is_fine = match names.as_slice() {
                    ["tool", "prelude", ..] => true,
                    [first, ..] => PURE.contains(first),
                    [] => false,
                };
                if !is_fine {
                    let what = format!(
                        "a tool may not import `crate::{}`: it comes as a need",
                        names.join("::")
                    );
                    problems.push(file.problem(token.line, what));
                }
            }
        }
    }
    problems
}

/// One mention of something outside the file.
struct Reference {
    line: usize,
    /// The folder; `None` for the root of the crate itself.
    to: Option<String>,
}

/// What the program's part of a file names by `crate::` or by `super::`, anywhere: imports, groups, expressions.
fn references(file: &File) -> Vec<Reference> {
    let mut found = Vec::new();
    // The modules that are open around a token, and the index of each one's closing brace.
    let mut inline: Vec<(String, usize)> = Vec::new();
    let mut module = file.module();
    for (index, token) in file.program() {
        while inline.last().is_some_and(|(_, end)| *end <= index) {
            inline.pop();
            module.pop();
        }
        if token.is("mod") && file.code.get(index + 2).is_some_and(|token| token.is("{")) {
            let name = file.code[index + 1].text.clone();
            inline.push((name.clone(), closing(&file.code, index + 2)));
            module.push(name);
        }
        let is_parent =
            token.is("super") && !file.follows(index, ":") && !is_visibility(file, index);
        if !is_parent && !is_root(file, index) {
            continue;
        }
        for path in paths(&file.code, index, Vec::new()) {
            found.push(Reference {
                line: token.line,
                to: resolve(&module, &path),
            });
        }
    }
    found
}

/// Whether the token is a `crate` that begins a path. `crate` alone, as in `use crate as x`, begins one too.
fn is_root(file: &File, index: usize) -> bool {
    file.code[index].is("crate") && !is_visibility(file, index)
}

/// `pub(crate)`, `pub(super)`, `pub(in crate::x)`.
fn is_visibility(file: &File, index: usize) -> bool {
    (file.follows(index, "(") && 2 <= index && file.follows(index - 1, "pub"))
        || (file.follows(index, "in") && 2 <= index && file.follows(index - 1, "("))
}

/// The paths that begin at `at`, groups spread out: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(code: &[Token], at: usize, before: Vec<String>) -> Vec<Vec<String>> {
    let mut path = before;
    let mut at = at;
    loop {
        match code.get(at) {
            Some(token) if token.kind == Kind::Ident => path.push(token.text.clone()),
            Some(token) if token.is("{") => {
                let end = closing(code, at);
                let mut found = Vec::new();
                let mut start = at + 1;
                while start < end {
                    found.extend(paths(code, start, path.clone()));
                    start = element_end(code, start, end) + 1;
                }
                return found;
            }
            Some(token) if token.is("*") => path.push("*".to_owned()),
            _ => return vec![path],
        }
        let has_more = code.get(at + 1).is_some_and(|token| token.is(":"))
            && code.get(at + 2).is_some_and(|token| token.is(":"));
        if !has_more {
            return vec![path];
        }
        at += 3;
    }
}

fn element_end(code: &[Token], start: usize, end: usize) -> usize {
    let mut at = start;
    while at < end {
        if code[at].is(",") {
            return at;
        }
        at = if code[at].is("{") {
            closing(code, at) + 1
        } else {
            at + 1
        };
    }
    end
}

/// The folder of `src/` that `path`, written in `module`, leads to.
fn resolve(module: &[String], path: &[String]) -> Option<String> {
    let mut here = module.to_vec();
    for name in path {
        match name.as_str() {
            "crate" => here.clear(),
            "super" => _ = here.pop(),
            "self" | "*" => (),
            name => here.push(name.to_owned()),
        }
    }
    here.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source::planted;

    #[track_caller]
    fn check_file(path: &str, text: &str, expected: &[&str]) {
        let mut found: Vec<String> = Vec::new();
        let files = planted(&[(path, text)]);
        for problem in check(&files).into_iter().chain(check_tools(&files)) {
            found.push(problem.what);
        }
        assert_eq!(found.len(), expected.len(), "{text}\n{found:#?}");
        for (what, part) in found.iter().zip(expected) {
            assert!(what.contains(part), "{text}\n{what}");
        }
    }

    #[test]
    fn the_table_has_no_cycle() {
        assert_eq!(check_table(LAYERS), [""; 0]);
        assert_eq!(
            check_table(&[("a", &["b"]), ("b", &["a"])]),
            ["`b` does not stand above `a`"]
        );
        assert_eq!(check_table(&[("a", &["a"])]).len(), 1);
    }

    #[test]
    fn imports_go_up_only() {
        let wrong = "`json` may not import `chat`";
        for text in [
            "use crate::chat;",
            "use crate::chat::Turn as T;",
            "use crate::{json::Value, chat::{self, Turn}};",
            "fn f() { crate::chat::turn::go() }",
            "fn f() -> crate :: chat\n :: Turn { x }",
            "use super::super::chat::Turn;",
            "mod inner { fn f() { super::super::super::chat::go() } }",
            "macro_rules! m { () => { $crate::chat::go() } }",
            "use {crate::chat};",
        ] {
            let count = if text.contains("self, Turn") { 2 } else { 1 };
            check_file("src/json/parse.rs", text, &vec![wrong; count]);
        }
        check_file("src/json/mod.rs", "use super::chat::Turn;", &[wrong]);
        check_file("src/json.rs", "use super::chat::Turn;", &[wrong]);
    }

    #[test]
    fn what_only_looks_like_an_import_is_none() {
        for text in [
            "// use crate::chat;",
            "/// See [`crate::chat`].\nfn f() {}",
            "const T: &str = \"use crate::chat;\";",
            "pub(crate) fn f() {} pub(super) fn g() {} pub(in crate::json) fn h() {}",
            "use super::value::Value; use self::parse::{a, b}; use crate::json::object;",
            "#[cfg(test)] mod tests { use crate::chat::Turn; use super::super::chat; }",
            "#[cfg(test)] use crate::chat;",
            "mod chat { } use self::chat::x;",
        ] {
            check_file("src/json/parse.rs", text, &[]);
        }
    }

    #[test]
    fn the_root_is_not_renamed() {
        let wrong = "names the root of the crate";
        check_file("src/json/mod.rs", "use crate as everything;", &[wrong]);
        check_file(
            "src/json/mod.rs",
            "use crate::{self as everything};",
            &[wrong],
        );
        check_file("src/json/mod.rs", "use crate::*;", &[wrong]);
        check_file("src/json/mod.rs", "use super as everything;", &[wrong]);
        check_file("src/json/parse.rs", "use super as json;", &[]);
    }

    #[test]
    fn folders_have_rows_and_rows_hold() {
        check_file("src/stuff/mod.rs", "", &["`stuff` has no row"]);
        check_file(
            "src/tool/gate.rs",
            "use crate::json::Value; use crate::world::World;",
            &[],
        );
        check_file(
            "src/tool/gate.rs",
            "use crate::catalog::TOOLS;",
            &["may not import `catalog`"],
        );
        check_file("src/app/chat.rs", "use crate::catalog::TOOLS;", &[]);
        check_file(
            "src/app/chat.rs",
            "use crate::host::sys;",
            &["may not import `host`"],
        );
        check_file("src/main.rs", "use crate::host::world;", &[]);
    }

    #[test]
    fn tools_import_the_prelude_and_pure_folders() {
        check_file(
            "tools/core/x.rs",
            "use crate::tool::prelude::*; use crate::text::{self, cut};",
            &[],
        );
        let wrong = "a tool may not import";
        check_file("tools/core/x.rs", "use crate::world::World;", &[wrong]);
        check_file("tools/core/x.rs", "use crate::tool::Permit;", &[wrong]);
        check_file("tools/core/x.rs", "use crate::{text, http};", &[wrong]);
        check_file("tools/core/x.rs", "use super::y;", &["neighbours"]);
        check_file(
            "tools/core/x.rs",
            "#[cfg(test)] mod tests { use super::*; use crate::world::fake; }",
            &[],
        );
    }
}
