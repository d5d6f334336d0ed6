//! The checked tables → the Rust text of `catalog.rs`.

use std::fmt::Write as _;

use super::catalog::{CategorySource, Word};
use super::form::{Kind, Run, Span};
use super::{CORE, Compiled};

/// The text of `catalog.rs`; `absolute` gives the path of a file of the project for `#[path]` and
/// `include_str!`. It is included into a module that has `use crate::tool::Tool;`.
pub(crate) fn render(compiled: &Compiled, absolute: &dyn Fn(&str) -> String) -> String {
    let mut out = "#[allow(unused_imports, reason = \"a catalog may have no overlaps\")]\n\
                   use crate::tool::find::{\n    Category, Kind, Matcher, Name, Overlap, Rule, Run, Side, \
                   Span, Stem,\n};\n#[cfg(test)]\nuse crate::tool::find::Claim;\n\n"
        .to_owned();
    modules(compiled, absolute, &mut out);
    categories(compiled, &mut out);
    rows(
        &mut out,
        "Every skill: its name and its Markdown.",
        "SKILLS",
        "(&str, &str)",
        &compiled.skills,
        |(name, path)| format!("({name:?}, include_str!({:?}))", absolute(path)),
    );
    let _ = writeln!(
        out,
        "/// A phrase for each deferred category, for the description of `find_tools`.\n\
         pub(crate) const CATEGORY_PHRASES: &str = {:?};\n",
        compiled.phrases
    );
    claims(compiled, &mut out);
    matcher(compiled, &mut out);
    out
}

fn modules(compiled: &Compiled, absolute: &dyn Fn(&str) -> String, out: &mut String) {
    let mut folders: Vec<&str> = vec![CORE];
    folders.extend(compiled.source.categories.iter().map(|row| row.id.as_str()));
    for folder in folders {
        let mut tools = compiled
            .tools
            .iter()
            .filter(|tool| tool.category == folder)
            .peekable();
        if tools.peek().is_none() {
            continue;
        }
        // A category may hold a tool of its own name.
        let _ = writeln!(
            out,
            "#[allow(clippy::module_inception, reason = \"a folder may hold a tool of its name\")]\n\
             mod {folder} {{"
        );
        for tool in tools {
            let path = absolute(&tool.path);
            let _ = writeln!(
                out,
                "    #[path = {path:?}]\n    pub(super) mod {};",
                tool.name
            );
        }
        out.push_str("}\n\n");
    }
    let doc = "Every tool: `core` first, then by category, in each by file name.";
    rows(out, doc, "TOOLS", "Tool", &compiled.tools, |tool| {
        let (name, category) = (&tool.name, &tool.category);
        format!(
            "Tool {{ name: {name:?}, category: {category:?}, contract: \
             &{category}::{name}::CONTRACT }}"
        )
    });
}

fn categories(compiled: &Compiled, out: &mut String) {
    let doc = "Every category, in the order of the catalog.";
    rows(
        out,
        doc,
        "CATEGORIES",
        "Category",
        &compiled.source.categories,
        |row| {
            format!(
                "Category {{ id: {:?}, summary: {:?}, is_always_on: {}, is_planned: {} }}",
                row.id, row.summary, row.is_always_on, row.is_planned
            )
        },
    );
}

fn claims(compiled: &Compiled, out: &mut String) {
    let doc = "What each category claims, for the drift test.";
    out.push_str("#[cfg(test)]\n");
    rows(
        out,
        doc,
        "CLAIMS",
        "Claim<'_>",
        &compiled.source.categories,
        |row| {
            format!(
                "Claim {{ category: {:?}, claimed: &{:?}, reviewed: &{:?} }}",
                row.id,
                claimed(row),
                texts(&row.reviewed)
            )
        },
    );
}

/// Every text by which a category claims words.
pub(super) fn claimed(row: &CategorySource) -> Vec<&str> {
    let mut all = vec![row.id.as_str(), row.summary.as_str()];
    for list in [&row.keywords, &row.phrases, &row.pairs, &row.never] {
        all.extend(texts(list));
    }
    all
}

fn texts(list: &[Word]) -> Vec<&str> {
    list.iter().map(|word| word.text.as_str()).collect()
}

fn matcher(compiled: &Compiled, out: &mut String) {
    let tables = &compiled.tables;
    out.push_str("/// The catalog's words, compiled.\npub(crate) static MATCHER: Matcher<'static> = Matcher {\n");
    let _ = writeln!(out, "    letters: {:?},", tables.letters);
    field(out, "stems", &tables.stems, |row| {
        format!(
            "Stem {{ text: {}, letters: {:#x}, is_long: {}, rules: {}, sides: {} }}",
            span(row.text),
            row.letters,
            row.is_long,
            run(row.rules),
            run(row.sides)
        )
    });
    field(out, "rules", &tables.rules, |row| {
        let kind = match row.kind {
            Kind::Claim => "Claim",
            Kind::Never => "Never",
            Kind::Alone => "Alone",
        };
        format!(
            "Rule {{ words: {}, category: {}, kind: Kind::{kind}, overlap: {} }}",
            run(row.words),
            row.category,
            row.overlap
        )
    });
    field(out, "rule_words", &tables.rule_words, u16::to_string);
    field(out, "sides", &tables.sides, |row| {
        format!("Side {{ pair: {}, is_right: {} }}", row.pair, row.is_right)
    });
    field(out, "pairs", &tables.pairs, u8::to_string);
    field(out, "overlaps", &tables.overlaps, |row| {
        format!(
            "Overlap {{ wins: {}, unless: {} }}",
            row.wins,
            run(row.unless)
        )
    });
    field(out, "unless", &tables.unless, u16::to_string);
    field(out, "names", &tables.names, |row| {
        format!(
            "Name {{ text: {}, category: {} }}",
            span(row.text),
            row.category
        )
    });
    let _ = writeln!(out, "    categories: {},\n}};", tables.categories);
}

fn run(run: Run) -> String {
    format!("Run {{ start: {}, length: {} }}", run.start, run.length)
}

fn span(span: Span) -> String {
    format!("Span {{ start: {}, length: {} }}", span.start, span.length)
}

fn field<T>(out: &mut String, name: &str, rows: &[T], text: impl Fn(&T) -> String) {
    let _ = writeln!(out, "    {name}: &[");
    for row in rows {
        let _ = writeln!(out, "        {},", text(row));
    }
    out.push_str("    ],\n");
}

fn rows<T>(
    out: &mut String,
    doc: &str,
    name: &str,
    kind: &str,
    rows: &[T],
    text: impl Fn(&T) -> String,
) {
    let _ = writeln!(out, "/// {doc}\npub(crate) static {name}: &[{kind}] = &[");
    for row in rows {
        let _ = writeln!(out, "    {},", text(row));
    }
    out.push_str("];\n\n");
}
