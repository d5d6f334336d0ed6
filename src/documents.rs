//! The README's tables, figures and examples are those of the code.
//!
//! A test changes no file: where the README differs, the failure prints what must stand there.
//! `tests/it/documents.rs` runs its `console` blocks.

mod hex_dump;

use std::fmt::Write as _;

use crate::catalog::{CATEGORIES, TOOLS};
use crate::tool::trial;
use crate::tool::{Decision, Effect, Mode, Rule, Rules, Stance, Tool, Verdict, decide};
use crate::world::fake::Fake;
use crate::{cli, config, error};

const README: &str = include_str!("../README.md");

/// Where a table stands in the README, and what makes it.
type Table = (&'static str, fn() -> String);

/// Every table between `<!-- name -->` and `<!-- /name -->`.
const TABLES: &[Table] = &[
    ("flags", cli::flags_markdown),
    ("commands", cli::commands_markdown),
    ("slash", cli::slash_markdown),
    ("exit-codes", error::exit_codes_markdown),
    ("keys", config::keys_markdown),
    ("variables", config::variables_markdown),
    ("consent", consent_markdown),
    ("tools", tools_markdown),
    ("folders", folders_markdown),
];

/// Every folder of `src/`, each below what it imports, with the head of its `mod.rs`.
const FOLDERS: &[(&str, &str)] = &[
    ("json", include_str!("json/mod.rs")),
    ("words", include_str!("words/mod.rs")),
    ("toml", include_str!("toml/mod.rs")),
    ("pattern", include_str!("pattern/mod.rs")),
    ("calendar", include_str!("calendar/mod.rs")),
    ("text", include_str!("text/mod.rs")),
    ("wire", include_str!("wire/mod.rs")),
    ("redact", include_str!("redact/mod.rs")),
    ("world", include_str!("world/mod.rs")),
    ("cli", include_str!("cli/mod.rs")),
    ("config", include_str!("config/mod.rs")),
    ("http", include_str!("http/mod.rs")),
    ("tool", include_str!("tool/mod.rs")),
    ("skill", include_str!("skill/mod.rs")),
    ("chat", include_str!("chat/mod.rs")),
    ("offline", include_str!("offline/mod.rs")),
    ("host", include_str!("host/mod.rs")),
    ("app", include_str!("app/mod.rs")),
];

/// The first paragraph of a file's documentation.
fn opening(source: &str) -> String {
    source
        .lines()
        .map_while(|line| line.strip_prefix("//! "))
        .collect::<Vec<_>>()
        .join(" ")
}

fn folders_markdown() -> String {
    let mut out = String::from("| folder | what it is |\n| --- | --- |\n");
    for (name, source) in FOLDERS {
        let _ = writeln!(out, "| `{name}` | {} |", opening(source));
    }
    out
}

/// The first sentence of a tool's description.
fn sentence(doc: &str) -> &str {
    let line = doc.trim().lines().next().unwrap_or_default();
    line.split_once(". ").map_or(line, |(first, _)| first)
}

/// Every tool, in the order of `ankita tools list`.
fn tools_markdown() -> String {
    let mut out = String::from("| tool | category | effect | what it does |\n");
    out.push_str("| --- | --- | --- | --- |\n");
    let categories = CATEGORIES.iter().filter(|category| !category.is_planned);
    for id in std::iter::once("core").chain(categories.map(|category| category.id)) {
        let own = TOOLS.iter().filter(|tool| tool.category == id);
        for tool in own.filter(|tool| !tool.contract.is_internal) {
            let effect = tool
                .contract
                .effect
                .map_or("depends on the call", Effect::name);
            let doc = sentence(tool.contract.doc).trim_end_matches('.');
            let _ = writeln!(out, "| `{}` | {id} | {effect} | {doc} |", tool.name);
        }
    }
    out
}

/// What becomes of a call, for each effect that a tool has and each way to run.
fn consent_markdown() -> String {
    let columns = [
        (Mode::Ask, true),
        (Mode::Ask, false),
        (Mode::AllowAll, true),
        (Mode::AllowAll, false),
        (Mode::ReadOnly, true),
        (Mode::ReadOnly, false),
    ];
    let rows = [
        (Effect::Read, "reads this machine, inside the workspace"),
        (
            Effect::Change,
            "changes something, or reads outside the workspace or a secret",
        ),
        (Effect::Destroy, "cannot be undone"),
    ];
    let mut out = String::from(
        "| effect | a call that | asked | headless | `--allow-all` | `--allow-all`, headless | `--read-only` | `--read-only`, headless |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for (effect, meaning) in rows {
        let _ = write!(out, "| {} | {meaning}", effect.name());
        for (mode, can_ask) in columns {
            let word = match decide(effect, Stance { mode, can_ask }) {
                Decision::Run => "runs",
                Decision::Ask | Decision::AskUnlessExact => "asks",
                Decision::NeedsRule => "needs a rule",
                Decision::NeedsExactRule => "needs the exact rule",
                Decision::Refuse => "refused",
            };
            let _ = write!(out, " | {word}");
        }
        out.push_str(" |\n");
    }
    out
}

/// What stands between the two marks of a table.
fn between<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<!-- {name} -->\n"))?;
    let (inner, _) = rest.split_once(&format!("<!-- /{name} -->"))?;
    Some(inner)
}

/// For each table that `text` does not hold as it is made, what must stand there.
fn outdated(text: &str, tables: &[Table]) -> String {
    let mut out = String::new();
    for (name, make) in tables {
        let wanted = make();
        if between(text, name).map(str::trim) != Some(wanted.trim()) {
            let _ = writeln!(out, "<!-- {name} -->\n{wanted}<!-- /{name} -->");
        }
    }
    out
}

/// The fenced blocks of a Markdown text that say they are in `language`.
fn fenced<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    text.split(&format!("\n```{language}\n"))
        .skip(1)
        .filter_map(|rest| rest.split_once("\n```").map(|(block, _)| block))
        .collect()
}

#[test]
fn every_table_is_the_code_s() {
    let wanted = outdated(README, TABLES);
    assert!(wanted.is_empty(), "README.md must hold this:\n{wanted}");
}

/// A table whose mark is misspelt would never be compared.
#[test]
fn every_mark_has_its_table() {
    let marks = README
        .lines()
        .filter_map(|line| line.strip_prefix("<!-- ")?.strip_suffix(" -->"));
    for mark in marks {
        let name = mark.trim_start_matches('/');
        assert!(TABLES.iter().any(|table| table.0 == name), "{mark}");
    }
    for (name, _) in TABLES {
        assert_eq!(
            README.matches(&format!("<!-- {name} -->")).count(),
            1,
            "{name}"
        );
    }
}

#[test]
fn a_changed_cell_is_seen() {
    let table: &[Table] = &[("a", || "| x | y |\n".to_owned())];
    let check = |text: &str, wanted: &str| assert_eq!(outdated(text, table), wanted, "{text:?}");
    let whole = "<!-- a -->\n| x | y |\n<!-- /a -->\n";
    check(&format!("b\n{whole}c"), "");
    check("<!-- a -->\n| x | z |\n<!-- /a -->\n", whole);
    check("<!-- a -->\n| x | y |\n", whole);
    check("<!-- a -->\n<!-- /a -->\n", whole);
    check("", whole);
}

/// Counts in the text are those of the catalog, and the estimate is that of the block beside it.
#[test]
fn figures_are_those_of_the_code() {
    let is_default = |tool: &&Tool| {
        tool.category == "core"
            || CATEGORIES
                .iter()
                .any(|category| category.id == tool.category && category.is_always_on)
    };
    let count = TOOLS.iter().filter(is_default).count();
    let words = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    ];
    let word = words.get(count).expect("ten tools at most");
    let said = format!("carries {word} tools");
    assert!(
        README.contains(&said),
        "README.md must say that a request {said}"
    );
    let total = README
        .lines()
        .find_map(|line| line.strip_prefix("  total "))
        .and_then(|figures| figures.split_whitespace().nth(1))
        .and_then(|tokens| tokens.parse::<usize>().ok())
        .expect("the block of `tools audit`");
    let said = format!("about {},{:03} tokens", total / 1000, total % 1000);
    assert!(README.contains(&said), "README.md must say {said}");
}

#[test]
fn configuration_in_the_readme_is_understood() {
    let blocks = fenced(README, "toml");
    assert!(!blocks.is_empty());
    for block in blocks {
        let read = config::load(&cli::Flags::default(), &[], Some(("README.md", block)));
        let (settings, warnings) = read.unwrap_or_else(|why| panic!("{why}\n{block}"));
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert!(warnings.is_empty(), "{warnings:?}\n{block}");
        for rule in settings.allow.iter().chain(&settings.deny) {
            check_rule(&rule.value);
        }
    }
}

/// The rules in the README's command lines.
#[test]
fn rules_in_the_readme_are_understood() {
    let mut count = 0;
    for flag in ["--allow-tool '", "--deny-tool '"] {
        for rest in README.split(flag).skip(1) {
            check_rule(rest.split_once('\'').expect("a quoted rule").0);
            count += 1;
        }
    }
    assert!(0 < count, "no rule was found");
}

#[track_caller]
fn check_rule(text: &str) {
    let kind_of = |name: &str| {
        let tool = TOOLS.iter().find(|tool| tool.name == name);
        tool.map(|tool| tool.contract.subject)
    };
    if let Err(why) = Rule::parse(text, &kind_of) {
        panic!("README.md: {why}");
    }
}

/// The tool that the README adds compiles as it stands there, and works.
#[test]
fn the_example_of_a_tool_works() {
    static EXAMPLE: &[Tool] = &[Tool {
        name: "hex_dump",
        category: "filesystem",
        contract: &hex_dump::CONTRACT,
    }];
    let source = include_str!("documents/hex_dump.rs").trim_end();
    assert!(
        fenced(README, "rust").contains(&source),
        "README.md must hold this block:\n{source}"
    );
    let fake = Fake::new();
    fake.add_file("/repo/notes.txt", "one\n");
    let world = fake.world();
    let stance = Stance {
        mode: Mode::Ask,
        can_ask: false,
    };
    let mut gate = trial::gate(&world, EXAMPLE, Rules::default(), stance);
    let request = trial::request("hex_dump", r#"{"path": "notes.txt"}"#);
    let (_, reply) = trial::pass(&mut gate, &world, request, None);
    assert_eq!(
        (reply.verdict, reply.text.as_str()),
        (Verdict::Done, "6f 6e 65 0a")
    );
}
