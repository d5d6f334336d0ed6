//! What the build refuses.

use std::collections::BTreeMap;

use super::catalog::{Source, Word};
use super::form::CATEGORIES_MAX;
use super::tables::{Element, elements, key, sides};
use super::{
    CATALOG, CORE, File, PHRASES_BYTES_MAX, Problem, SKILL_LINE_BYTES_MAX, SkillFile, ToolFile, at,
};
use crate::words;

/// The words that Rust keeps for itself and that the names of tools and categories, which become
/// modules, would otherwise be allowed to be.
const RUST_WORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The tools among `files`, each checked; `has_catalog` says whether a missing category is one.
pub(super) fn tools(
    files: &[File],
    source: &Source,
    has_catalog: bool,
    problems: &mut Vec<Problem>,
) -> Vec<ToolFile> {
    let mut tools: Vec<ToolFile> = Vec::new();
    let mut homes: BTreeMap<&str, &str> = BTreeMap::new();
    for file in files.iter().filter(|file| file.path != CATALOG) {
        let mut report = |message: String| problems.push(at(&file.path, 1, message));
        let inside = file.path.strip_prefix("tools/").unwrap_or(&file.path);
        let (Some((category, leaf)), true) =
            (inside.split_once('/'), inside.matches('/').count() == 1)
        else {
            report("only `tools/<category>/<tool>.rs` and `tools/catalog.toml` belong here".into());
            continue;
        };
        let Some(name) = leaf.strip_suffix(".rs") else {
            report("only `.rs` files belong into a category's folder".into());
            continue;
        };
        if !is_tool_name(name) {
            report(format!(
                "`{name}` is no name for a tool: snake_case, begins with a letter, no word of Rust"
            ));
        }
        if category != CORE && source.place(category).is_none() && has_catalog {
            report(format!(
                "the tool has no category: add a table `[{category}]` with `summary` and \
                 `keywords` to {CATALOG}"
            ));
        }
        if name != category && source.place(name).is_some() {
            report(format!(
                "`{name}` is the name of a category: the tool needs another"
            ));
        }
        if !file.text.lines().any(|line| line.starts_with("tool! {")) {
            report("no contract: expected `tool! {` at the start of a line".into());
        }
        if let Some(first) = homes.insert(name, &file.path) {
            report(format!("the name `{name}` is taken by {first}"));
        }
        tools.push(ToolFile {
            name: name.to_owned(),
            category: category.to_owned(),
            path: file.path.clone(),
        });
    }
    tools
}

/// Tools are in snake case; what a category may be called is checked where it is read.
fn is_tool_name(name: &str) -> bool {
    let is_snake = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    is_snake && !name.ends_with('_') && !name.contains("__") && !is_rust_word(name)
}

fn is_rust_word(name: &str) -> bool {
    RUST_WORDS.binary_search(&name).is_ok()
}

/// Each category has a folder with tools, unless it is only planned; and there are not too many.
pub(super) fn folders(source: &Source, tools: &[ToolFile], problems: &mut Vec<Problem>) {
    for (place, category) in source.categories.iter().enumerate() {
        let id = &category.id;
        if id == CORE {
            continue; // Said where it was read.
        }
        let has_tools = tools.iter().any(|tool| tool.category == *id);
        let message = if place >= CATEGORIES_MAX {
            format!("more than {CATEGORIES_MAX} categories")
        } else if is_rust_word(id) {
            format!("`{id}` is a word of Rust and cannot name a category")
        } else if !has_tools && !category.is_planned {
            format!("`[{id}]` has no tool in tools/{id}/: add one, or `planned = true`")
        } else if has_tools && category.is_planned {
            format!("`[{id}]` has tools: take `planned` away")
        } else {
            continue;
        };
        problems.push(at(CATALOG, category.line, message));
    }
}

/// Keywords, phrases, pairs and `never`: each says something, and none is claimed twice.
pub(super) fn words(source: &Source, problems: &mut Vec<Problem>) {
    let mut claimed: BTreeMap<String, (usize, &Word)> = BTreeMap::new();
    let mut report = |line: usize, message: String| problems.push(at(CATALOG, line, message));
    for (place, category) in source.categories.iter().enumerate() {
        for word in &category.keywords {
            if elements(&word.text).len() > 1 && word.text.contains([' ', '*', '#']) {
                report(
                    word.line,
                    format!(
                        "`{}` is several words: it belongs into `phrases`",
                        word.text
                    ),
                );
            }
        }
        for word in category.phrases.iter().chain(&category.never) {
            if let Some(message) = phrase_fault(&word.text) {
                report(word.line, message);
            }
        }
        for pair in &category.pairs {
            if let Err(message) = sides(&pair.text) {
                report(pair.line, message);
            }
        }
        for word in category.keywords.iter().chain(&category.phrases) {
            let key = key(&word.text);
            if key.is_empty() {
                report(
                    word.line,
                    format!("`{}` is skipped in every query and says nothing", word.text),
                );
                continue;
            }
            let is_settled = source
                .overlaps
                .iter()
                .any(|row| self::key(&row.keyword) == key);
            match claimed.get(&key) {
                Some((first, other)) if *first == place => report(
                    word.line,
                    format!(
                        "`{}` means the same as `{}` in line {}",
                        word.text, other.text, other.line
                    ),
                ),
                Some((first, other)) if !is_settled => report(
                    word.line,
                    format!(
                        "`{}` is claimed by `[{}]` too (line {}): add an `[[overlap]]` that says \
                         which wins, or make both narrower",
                        word.text, source.categories[*first].id, other.line
                    ),
                ),
                Some(_) => {}
                None => _ = claimed.insert(key, (place, word)),
            }
        }
    }
}

/// What is wrong with a phrase.
fn phrase_fault(text: &str) -> Option<String> {
    let elements = elements(text);
    let count = elements
        .iter()
        .filter(|e| !matches!(e, Element::Gap))
        .count();
    if count < 2 {
        return Some(format!(
            "`{text}` is no phrase: fewer than two words are left without those that every query \
             skips (`the`, `my`, …)"
        ));
    }
    if elements.first() == Some(&Element::Gap) || elements.last() == Some(&Element::Gap) {
        return Some(format!("`{text}`: `*` stands between words"));
    }
    let gaps = elements.len() - count;
    (gaps > 2).then(|| format!("`{text}` has {gaps} times `*`: two at most"))
}

/// Each overlap is needed, names a claimant, and says which query made it necessary.
pub(super) fn overlaps(source: &Source, problems: &mut Vec<Problem>) {
    for (place, overlap) in source.overlaps.iter().enumerate() {
        let mut report = |message: String| problems.push(at(CATALOG, overlap.line, message));
        let wanted = key(&overlap.keyword);
        let claimants: Vec<&str> = source
            .categories
            .iter()
            .filter(|row| {
                let mut all = row.keywords.iter().chain(&row.phrases);
                all.any(|word| key(&word.text) == wanted)
            })
            .map(|row| row.id.as_str())
            .collect();
        if wanted.is_empty() || overlap.wins.is_empty() {
            continue; // Said where it was read.
        }
        if claimants.len() < 2 {
            report(format!(
                "`{}` needs no overlap: it is claimed by {} of the categories",
                overlap.keyword,
                claimants.len()
            ));
        } else if !claimants.contains(&overlap.wins.as_str()) {
            report(format!(
                "`{}` cannot win `{}`, which is claimed by `{}`",
                overlap.wins,
                overlap.keyword,
                claimants.join("`, `")
            ));
        }
        if !overlap.has_comment {
            report("say in a comment which real query made the overlap necessary".into());
        }
        if source
            .overlaps
            .iter()
            .take(place)
            .any(|row| key(&row.keyword) == wanted)
        {
            report(format!("`{}` has an overlap already", overlap.keyword));
        }
        for word in &overlap.unless {
            if elements(&word.text).len() != 1 {
                report(format!(
                    "`unless` takes single words that say something, not `{}`",
                    word.text
                ));
            }
        }
    }
}

/// The capability phrases of the deferred categories, in the order of the catalog.
pub(super) fn phrases(source: &Source, problems: &mut Vec<Problem>) -> String {
    let deferred = source
        .categories
        .iter()
        .filter(|row| !row.is_planned && !row.is_always_on);
    let rows: Vec<String> = deferred
        .map(|row| format!("{}: {}", row.id, row.summary))
        .collect();
    let phrases = rows.join("; ");
    if phrases.len() > PHRASES_BYTES_MAX {
        let message = format!(
            "the summaries of the deferred categories take {} bytes together in the description of \
             `find_tools`: {PHRASES_BYTES_MAX} at most",
            phrases.len()
        );
        problems.push(at(CATALOG, 1, message));
    }
    phrases
}

/// Our own skills, by stricter rules than foreign ones.
pub(super) fn skills(skills: &[SkillFile], tools: &[ToolFile], problems: &mut Vec<Problem>) {
    for skill in skills {
        let mut report =
            |line: usize, message: String| problems.push(at(&skill.path, line, message));
        for (line, fault) in &skill.faults {
            report(*line, fault.clone());
        }
        if !skill.faults.is_empty() && skill.name.is_empty() && skill.body_chars == 0 {
            continue; // It could not be read, and nothing more can be said of it.
        }
        let is_name = !skill.name.is_empty()
            && skill.name.len() <= 64
            && skill
                .name
                .bytes()
                .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
        if skill.name != skill.folder {
            report(
                1,
                format!(
                    "the name `{}` is not its folder's, `{}`",
                    skill.name, skill.folder
                ),
            );
        } else if !is_name {
            report(
                1,
                format!(
                    "`{}` is no name for a skill: `a`–`z`, `0`–`9`, `-`",
                    skill.name
                ),
            );
        }
        let line = "- : \n".len() + skill.name.len() + skill.description.len();
        if skill.description.is_empty() {
            report(1, "no `description`".into());
        } else if line > SKILL_LINE_BYTES_MAX {
            report(
                1,
                format!(
                    "name and description take {line} bytes in the prompt: {SKILL_LINE_BYTES_MAX} at most"
                ),
            );
        }
        if skill.body_chars > skill.body_chars_max {
            report(
                1,
                format!(
                    "the body has {} characters: {} at most",
                    skill.body_chars, skill.body_chars_max
                ),
            );
        } else if skill.body_chars == 0 {
            report(1, "no body".into());
        }
        for name in &skill.suggested_tools {
            if tools.iter().any(|tool| tool.name == *name) {
                continue;
            }
            let near = tools
                .iter()
                .find(|tool| words::is_one_edit(&tool.name, name));
            let hint = near.map_or(String::new(), |tool| format!(": is `{}` meant?", tool.name));
            report(
                1,
                format!("the suggested tool `{name}` does not exist{hint}"),
            );
        }
    }
}

#[cfg(test)]
#[test]
fn words_of_rust_are_sorted() {
    assert!(RUST_WORDS.is_sorted());
}
