//! Each refusal of the build: what is wrong, its file and its line.

use super::*;

/// A tree without faults, to be broken.
const CATALOG_TEXT: &str = "\
[git]
summary = \"look into a repository\"
keywords = [\"commit\"]

[process]
summary = \"stop a process\"
keywords = [\"pid\"]
phrases = [\"in use\"]
pairs = [\"kill | process\"]
";

fn files(catalog: &str, extra: &[(&str, &str)]) -> Vec<File> {
    let mut files = vec![
        ("tools/catalog.toml", catalog),
        ("tools/core/read_file.rs", "//! Reads.\n\ntool! {\n}\n"),
        ("tools/git/git.rs", "tool! {"),
        ("tools/process/kill_process.rs", "tool! {"),
    ];
    files.extend(extra);
    files
        .into_iter()
        .map(|(path, text)| File {
            path: path.to_owned(),
            text: text.to_owned(),
        })
        .collect()
}

fn skill() -> SkillFile {
    SkillFile {
        path: "skills/x/SKILL.md".into(),
        folder: "x".into(),
        name: "x".into(),
        description: "Does x".into(),
        suggested_tools: vec!["git".into(), "read_file".into()],
        body_chars: 100,
        body_chars_max: 8_000,
        faults: Vec::new(),
    }
}

fn problems(files: &[File], skills: &[SkillFile]) -> Vec<String> {
    match compile(files, skills) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    }
}

/// The problems of the tree with this catalog.
fn check_catalog(catalog: &str, expected: &[&str]) {
    assert_eq!(
        problems(&files(catalog, &[]), &[skill()]),
        expected,
        "{catalog}"
    );
}

/// The problems of the tree with something added to its catalog.
fn check_added(added: &str, expected: &[&str]) {
    check_catalog(&format!("{CATALOG_TEXT}{added}"), expected);
}

/// The problems of the tree with one more file.
fn check_file(path: &str, text: &str, expected: &[&str]) {
    assert_eq!(
        problems(&files(CATALOG_TEXT, &[(path, text)]), &[]),
        expected,
        "{path}"
    );
}

#[test]
fn a_tree_without_faults_compiles_core_first() {
    let compiled = compile(
        &files(CATALOG_TEXT, &[("tools/core/edit_file.rs", "tool! {")]),
        &[skill()],
    )
    .unwrap();
    let names: Vec<_> = compiled
        .tools
        .iter()
        .map(|tool| tool.name.as_str())
        .collect();
    assert_eq!(names, ["edit_file", "read_file", "git", "kill_process"]);
    assert_eq!(
        compiled.phrases,
        "git: look into a repository; process: stop a process"
    );
    assert_eq!(
        compiled.skills,
        [("x".to_owned(), "skills/x/SKILL.md".to_owned())]
    );
}

#[test]
fn files_are_refused_with_their_path() {
    check_file(
        "tools/mail/send_mail.rs",
        "tool! {",
        &[
            "tools/mail/send_mail.rs:1: the tool has no category: add a table `[mail]` with `summary` and `keywords` to tools/catalog.toml",
        ],
    );
    check_file(
        "tools/core/git.rs",
        "tool! {",
        &[
            "tools/core/git.rs:1: `git` is the name of a category: the tool needs another",
            "tools/core/git.rs:1: the name `git` is taken by tools/git/git.rs",
        ],
    );
    check_file(
        "tools/process/read_file.rs",
        "tool! {",
        &["tools/process/read_file.rs:1: the name `read_file` is taken by tools/core/read_file.rs"],
    );
    for name in ["KillAll", "kill-all", "1kill", "kill_", "move", "kill__all"] {
        let path = format!("tools/process/{name}.rs");
        let expected = format!(
            "{path}:1: `{name}` is no name for a tool: snake_case, begins with a letter, no word of Rust"
        );
        check_file(&path, "tool! {", &[&expected]);
    }
    check_file(
        "tools/git/README.md",
        "",
        &["tools/git/README.md:1: only `.rs` files belong into a category's folder"],
    );
    let misplaced = "only `tools/<category>/<tool>.rs` and `tools/catalog.toml` belong here";
    check_file(
        "tools/stray.rs",
        "tool! {",
        &[&format!("tools/stray.rs:1: {misplaced}")],
    );
    check_file(
        "tools/git/deep/x.rs",
        "tool! {",
        &[&format!("tools/git/deep/x.rs:1: {misplaced}")],
    );
    check_file(
        "tools/git/log.rs",
        "// tool! {\n  tool! {",
        &["tools/git/log.rs:1: no contract: expected `tool! {` at the start of a line"],
    );
}

#[test]
fn categories_are_refused_with_their_line() {
    check_added(
        "[mail]\nsummary = \"s\"\nkeywords = [\"mail\"]\n",
        &[
            "tools/catalog.toml:10: `[mail]` has no tool in tools/mail/: add one, or `planned = true`",
        ],
    );
    check_added("[mail]\nplanned = true\n", &[]);
    check_added(
        "[Mail_2]\nplanned = true\n",
        &["tools/catalog.toml:10: `Mail_2` is no name for a category: small letters `a`–`z` only"],
    );
    check_added(
        "[loop]\nplanned = true\n",
        &["tools/catalog.toml:10: `loop` is a word of Rust and cannot name a category"],
    );
    check_added(
        "[core]\nplanned = true\n",
        &[
            "tools/catalog.toml:10: `core` is no category: its tools are in every request, without keywords",
        ],
    );
    check_added(
        "planned = true\n",
        &["tools/catalog.toml:5: `[process]` has tools: take `planned` away"],
    );
    check_catalog(
        "[git]\n[process]\nsummary = \"s\"\nkeywords = [\"pid\"]\n",
        &[
            "tools/catalog.toml:1: `[git]` has no `summary`",
            "tools/catalog.toml:1: `[git]` has no `keywords`",
        ],
    );
    check_added(
        "keyword = [\"x\"]\n",
        &["tools/catalog.toml:10: unknown key `keyword`: is `keywords` meant?"],
    );
    check_added(
        "always_on = 1\n",
        &["tools/catalog.toml:10: `always_on` is an integer: expected `true` or `false`"],
    );
    check_added(
        "reviewed = [1]\n",
        &["tools/catalog.toml:10: `reviewed` holds an integer: expected strings"],
    );
    let broken = problems(&files(&format!("{CATALOG_TEXT}reviewed = [\n"), &[]), &[]);
    assert_eq!(
        broken,
        ["tools/catalog.toml:11: column 1: expected a value, found the end of the text"]
    );
}

#[test]
fn words_are_refused_with_their_line() {
    check_added(
        "never = [\n  \"Kill bill\",\n]\n",
        &[
            "tools/catalog.toml:11: `Kill bill` has capitals: words of the catalog are in small letters",
        ],
    );
    check_added(
        "never = [\"the kill\"]\n",
        &[
            "tools/catalog.toml:10: `the kill` is no phrase: fewer than two words are left without those that every query skips (`the`, `my`, …)",
        ],
    );
    check_added(
        "never = [\"* kill bill\"]\n",
        &["tools/catalog.toml:10: `* kill bill`: `*` stands between words"],
    );
    check_catalog(
        &CATALOG_TEXT.replace("kill | process", "kill process"),
        &["tools/catalog.toml:9: `kill process` is no pair: expected `left words | right words`"],
    );
    check_catalog(
        &CATALOG_TEXT.replace("\"pid\"", "\"pid\", \"address book\""),
        &["tools/catalog.toml:7: `address book` is several words: it belongs into `phrases`"],
    );
    check_catalog(
        &CATALOG_TEXT.replace("\"pid\"", "\"pid\", \"the\""),
        &["tools/catalog.toml:7: `the` is skipped in every query and says nothing"],
    );
    check_catalog(
        &CATALOG_TEXT.replace("\"pid\"", "\"pid\", \"pids\""),
        &["tools/catalog.toml:7: `pids` means the same as `pid` in line 7"],
    );
    check_catalog(
        &CATALOG_TEXT.replace("look into", &"look ".repeat(130)),
        &[
            "tools/catalog.toml:1: the summaries of the deferred categories take 693 bytes together in the description of `find_tools`: 600 at most",
        ],
    );
}

#[test]
fn a_word_of_two_categories_needs_an_overlap_with_a_reason() {
    let both = CATALOG_TEXT.replace("\"pid\"", "\"pid\", \"commits\"");
    check_catalog(
        &both,
        &[
            "tools/catalog.toml:7: `commits` is claimed by `[git]` too (line 3): add an `[[overlap]]` that says which wins, or make both narrower",
        ],
    );
    check_catalog(
        &format!(
            "{both}# \"commit my work\"\n[[overlap]]\nkeyword = \"commit\"\nwins = \"git\"\nunless = [\"memory\"]\n"
        ),
        &[],
    );
    check_catalog(
        &format!(
            "{both}[[overlap]]\nkeyword = \"commit\"\nwins = \"mail\"\nunless = [\"in use\"]\n"
        ),
        &[
            "tools/catalog.toml:10: `mail` cannot win `commit`, which is claimed by `git`, `process`",
            "tools/catalog.toml:10: say in a comment which real query made the overlap necessary",
            "tools/catalog.toml:10: `unless` takes single words that say something, not `in use`",
        ],
    );
    check_added(
        "# why\n[[overlap]]\nkeyword = \"pid\"\nwins = \"process\"\n",
        &["tools/catalog.toml:11: `pid` needs no overlap: it is claimed by 1 of the categories"],
    );
    check_added(
        "# why\n[[overlap]]\nkeyword = \"pid\"\nwin = \"process\"\n",
        &[
            "tools/catalog.toml:11: the overlap has no `wins`",
            "tools/catalog.toml:13: unknown key `win`: is `wins` meant?",
        ],
    );
}

#[test]
fn skills_are_refused_with_their_path() {
    let check = |change: &dyn Fn(&mut SkillFile), expected: &str| {
        let mut skill = skill();
        change(&mut skill);
        let expected = format!("skills/x/SKILL.md:{expected}");
        assert_eq!(problems(&files(CATALOG_TEXT, &[]), &[skill]), [expected]);
    };
    check(
        &|s| s.name = "y".into(),
        "1: the name `y` is not its folder's, `x`",
    );
    check(
        &|s| {
            s.name = "X y".into();
            s.folder = "X y".into();
        },
        "1: `X y` is no name for a skill: `a`–`z`, `0`–`9`, `-`",
    );
    check(&|s| s.description = String::new(), "1: no `description`");
    check(
        &|s| s.description = "x".repeat(56),
        "1: name and description take 62 bytes in the prompt: 60 at most",
    );
    check(
        &|s| s.body_chars = 8_001,
        "1: the body has 8001 characters: 8000 at most",
    );
    check(&|s| s.body_chars = 0, "1: no body");
    check(
        &|s| s.faults = vec![(3, "`name` is there twice".into())],
        "3: `name` is there twice",
    );
    check(
        &|s| s.suggested_tools = vec!["gti".into()],
        "1: the suggested tool `gti` does not exist: is `git` meant?",
    );
    check(
        &|s| s.suggested_tools = vec!["web_search".into()],
        "1: the suggested tool `web_search` does not exist",
    );
}

#[test]
fn all_problems_come_at_once_in_the_order_of_their_files() {
    let mut skill = skill();
    skill.body_chars = 0;
    let catalog = CATALOG_TEXT.replace("keywords = [\"pid\"]", "keywords = [\"PID\", \"commit\"]");
    let found = problems(
        &files(
            &catalog,
            &[("tools/git/x.txt", ""), ("tools/new/y.rs", "tool! {")],
        ),
        &[skill],
    );
    assert_eq!(found.len(), 5, "{found:#?}");
    assert!(found.is_sorted());
    assert_eq!(
        problems(&files("", &[])[1..], &[]),
        ["tools/catalog.toml:1: the catalog is missing"]
    );
}

#[test]
fn the_rendered_text_names_every_tool_and_skill() {
    let compiled = compile(&files(CATALOG_TEXT, &[]), &[skill()]).unwrap();
    let text = render(&compiled, &|path| format!("/root/{path}"));
    for expected in [
        "#[path = \"/root/tools/git/git.rs\"]\n    pub(super) mod git;",
        "Tool { name: \"kill_process\", category: \"process\", contract: &process::kill_process::CONTRACT }",
        "Category { id: \"git\", summary: \"look into a repository\", is_always_on: false, is_planned: false }",
        "(\"x\", include_str!(\"/root/skills/x/SKILL.md\"))",
        "pub(crate) const CATEGORY_PHRASES: &str = \"git: look into a repository; process: stop a process\";",
    ] {
        assert!(text.contains(expected), "{expected}\n{text}");
    }
    assert!(text.find("read_file").unwrap() < text.find("kill_process").unwrap());
}
