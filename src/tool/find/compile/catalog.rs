//! `catalog.toml` → its categories and overlaps, with the line of every word.

use super::{CATALOG, CATEGORIES_KEYS, CORE, OVERLAP_KEYS, Problem, at};
use crate::toml::{self, Data, Entry, Table, Value};
use crate::words;

/// The whole catalog.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    pub(crate) categories: Vec<CategorySource>,
    pub(crate) overlaps: Vec<OverlapSource>,
    /// Real words that lie one edit from a word of ours, and so are no typos of it.
    pub(crate) real_words: Vec<Word>,
}

impl Source {
    /// The place of the category `id`.
    pub(crate) fn place(&self, id: &str) -> Option<usize> {
        self.categories.iter().position(|row| row.id == id)
    }
}

/// A text of the catalog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// One category's table.
#[derive(Clone, Debug, Default)]
pub(crate) struct CategorySource {
    pub(crate) id: String,
    pub(crate) line: usize,
    pub(crate) summary: String,
    pub(crate) keywords: Vec<Word>,
    pub(crate) phrases: Vec<Word>,
    /// `left words | right words`: one of each, near each other.
    pub(crate) pairs: Vec<Word>,
    pub(crate) never: Vec<Word>,
    pub(crate) reviewed: Vec<Word>,
    pub(crate) is_always_on: bool,
    pub(crate) is_planned: bool,
}

/// One `[[overlap]]`.
#[derive(Clone, Debug, Default)]
pub(crate) struct OverlapSource {
    pub(crate) line: usize,
    pub(crate) keyword: String,
    pub(crate) wins: String,
    pub(crate) unless: Vec<Word>,
    /// A comment stands on the line above, or within it.
    pub(crate) has_comment: bool,
}

/// Reads the catalog. What is no TOML is one problem; everything else is collected.
pub(crate) fn read(text: &str) -> Result<(Source, Vec<Problem>), Problem> {
    let root = toml::parse(text).map_err(|fault| {
        let message = format!("column {}: {}", fault.column, fault.message);
        at(CATALOG, fault.line, message)
    })?;
    let mut reader = Reader {
        lines: text.lines().collect(),
        problems: Vec::new(),
    };
    let mut source = Source::default();
    for entry in root.entries() {
        match (entry.key.as_str(), &entry.value.data) {
            ("overlap", Data::Array(rows)) => {
                for row in rows {
                    source.overlaps.extend(reader.overlap(row));
                }
            }
            ("real_words", _) => source.real_words = reader.words(entry),
            (_, Data::Table(table)) => source.categories.push(reader.category(entry, table)),
            (key, other) => reader.report(
                entry.line,
                format!(
                    "`{key}` is {}: expected a category's table `[{key}]`, `[[overlap]]` or \
                     `real_words`",
                    other.kind()
                ),
            ),
        }
    }
    Ok((source, reader.problems))
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn report(&mut self, line: usize, message: String) {
        self.problems.push(at(CATALOG, line, message));
    }

    fn category(&mut self, entry: &Entry, table: &Table) -> CategorySource {
        let id = &entry.key;
        let mut category = CategorySource {
            id: id.clone(),
            line: entry.line,
            ..CategorySource::default()
        };
        if id == CORE {
            let message = "`core` is no category: its tools are in every request, without keywords";
            self.report(entry.line, message.to_owned());
        } else if id.is_empty() || !id.bytes().all(|b| b.is_ascii_lowercase()) {
            self.report(
                entry.line,
                format!("`{id}` is no name for a category: small letters `a`–`z` only"),
            );
        }
        for entry in table.entries() {
            match entry.key.as_str() {
                "summary" => category.summary = self.text(entry),
                "keywords" => category.keywords = self.words(entry),
                "phrases" => category.phrases = self.words(entry),
                "pairs" => category.pairs = self.words(entry),
                "never" => category.never = self.words(entry),
                "reviewed" => category.reviewed = self.words(entry),
                "always_on" => category.is_always_on = self.flag(entry),
                "planned" => category.is_planned = self.flag(entry),
                key => self.unknown(entry.line, key, CATEGORIES_KEYS),
            }
        }
        let has_words = !(category.keywords.is_empty()
            && category.phrases.is_empty()
            && category.pairs.is_empty());
        if !category.is_planned {
            if category.summary.is_empty() {
                self.report(category.line, format!("`[{id}]` has no `summary`"));
            }
            if !has_words {
                self.report(category.line, format!("`[{id}]` has no `keywords`"));
            }
        }
        category
    }

    fn overlap(&mut self, row: &Value) -> Option<OverlapSource> {
        let Data::Table(table) = &row.data else {
            self.report(row.line, "expected `[[overlap]]`, a table".to_owned());
            return None;
        };
        let mut overlap = OverlapSource {
            line: row.line,
            ..OverlapSource::default()
        };
        for entry in table.entries() {
            match entry.key.as_str() {
                "keyword" => overlap.keyword = self.text(entry),
                "wins" => overlap.wins = self.text(entry),
                "unless" => overlap.unless = self.words(entry),
                key => self.unknown(entry.line, key, OVERLAP_KEYS),
            }
        }
        for (key, value) in [("keyword", &overlap.keyword), ("wins", &overlap.wins)] {
            if value.is_empty() {
                self.report(row.line, format!("the overlap has no `{key}`"));
            }
        }
        let last = table.entries().last().map_or(row.line, |entry| entry.line);
        let span = self.lines.get(row.line.saturating_sub(2)..last);
        overlap.has_comment = span.is_some_and(|lines| lines.iter().any(|line| line.contains('#')));
        Some(overlap)
    }

    fn text(&mut self, entry: &Entry) -> String {
        match &entry.value.data {
            Data::Text(text) if !text.trim().is_empty() => return text.clone(),
            Data::Text(_) => self.report(entry.line, format!("`{}` is empty", entry.key)),
            other => self.mistyped(entry, "a string", other.kind()),
        }
        String::new()
    }

    fn flag(&mut self, entry: &Entry) -> bool {
        match &entry.value.data {
            Data::Boolean(flag) => return *flag,
            other => self.mistyped(entry, "`true` or `false`", other.kind()),
        }
        false
    }

    /// An array of strings, in small letters.
    fn words(&mut self, entry: &Entry) -> Vec<Word> {
        let Data::Array(values) = &entry.value.data else {
            self.mistyped(entry, "an array of strings", entry.value.data.kind());
            return Vec::new();
        };
        let mut found = Vec::new();
        for value in values {
            match &value.data {
                Data::Text(text) if text.to_lowercase() != *text => self.report(
                    value.line,
                    format!("`{text}` has capitals: words of the catalog are in small letters"),
                ),
                Data::Text(text) => found.push(Word {
                    text: text.clone(),
                    line: value.line,
                }),
                other => self.report(
                    value.line,
                    format!("`{}` holds {}: expected strings", entry.key, other.kind()),
                ),
            }
        }
        found
    }

    fn mistyped(&mut self, entry: &Entry, expected: &str, found: &str) {
        let message = format!("`{}` is {found}: expected {expected}", entry.key);
        self.report(entry.line, message);
    }

    fn unknown(&mut self, line: usize, key: &str, known: &[&str]) {
        let message = match known.iter().find(|name| words::is_one_edit(name, key)) {
            Some(name) => format!("unknown key `{key}`: is `{name}` meant?"),
            None => format!(
                "unknown key `{key}`: expected one of `{}`",
                known.join("`, `")
            ),
        };
        self.report(line, message);
    }
}
