//! What `find_tools` says, and which tools it loads.

use super::search::{Search, search, search_all};
use super::tables::{Category, Matcher};
use crate::words;

/// A tool that may be offered. Internal ones are left out, so that nothing here names them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) name: &'a str,
    pub(crate) category: &'a str,
    /// What it does; its first line is shown.
    pub(crate) doc: &'a str,
}

/// What can be found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Directory<'a> {
    pub(crate) matcher: &'a Matcher<'a>,
    pub(crate) categories: &'a [Category],
    /// Default ones too, so that a search for one says that it is there.
    pub(crate) entries: &'a [Entry<'a>],
}

/// What the conversation has so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Session<'a> {
    /// The names of the tools that requests already carry: default, always on, loaded.
    pub(crate) sent: &'a [&'a str],
    /// Searches of this turn that loaded nothing and found nothing already loaded.
    pub(crate) misses: usize,
}

/// What is asked for: queries, or names of tools and categories, or both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) queries: &'a [&'a str],
    pub(crate) load: &'a [&'a str],
}

/// The reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// For the model.
    pub(crate) text: String,
    /// Names of tools to append to what requests carry, in this order; none of them is sent yet.
    pub(crate) load: Vec<String>,
    /// Nothing was found: count it among the misses of the turn.
    pub(crate) is_miss: bool,
}

/// Answers one call. Loading twice says so and loads nothing; a miss loads nothing.
pub(crate) fn answer(
    directory: &Directory<'_>,
    session: &Session<'_>,
    request: &Request<'_>,
) -> Answer {
    let mut found = Found::default();
    for name in request.load {
        found.by_name(directory, name);
    }
    let search = search_all(directory.matcher, request.queries);
    found.by_search(directory, &search);
    for query in request.queries {
        found.by_query(directory, query);
    }
    if found.tools.is_empty() && found.unknown.is_empty() {
        return miss(directory, session, request, &search);
    }
    found.answer(directory, session)
}

#[derive(Default)]
struct Found<'a> {
    /// In the order in which they load.
    tools: Vec<Entry<'a>>,
    /// Names that nothing has, each with what may be meant.
    unknown: Vec<String>,
    /// Queries beside others that found nothing.
    unmatched: Vec<&'a str>,
}

impl<'a> Found<'a> {
    fn add(&mut self, entry: Entry<'a>) {
        if !self.tools.iter().any(|known| known.name == entry.name) {
            self.tools.push(entry);
        }
    }

    fn add_category(&mut self, directory: &Directory<'a>, id: &str) {
        for entry in directory
            .entries
            .iter()
            .filter(|entry| entry.category == id)
        {
            self.add(*entry);
        }
    }

    /// A name from `load`: a category whole, or one tool.
    fn by_name(&mut self, directory: &Directory<'a>, name: &str) {
        let name = plain(name);
        let is_category = offered(directory).any(|category| category.id == name);
        if is_category {
            self.add_category(directory, &name);
        } else if let Some(entry) = directory.entries.iter().find(|entry| entry.name == name) {
            self.add(*entry);
        } else {
            let hint = nearest(directory, &name);
            self.unknown.push(format!("`{name}`{hint}"));
        }
    }

    /// The categories of a search, best first. Planned ones have no entries.
    fn by_search(&mut self, directory: &Directory<'a>, search: &Search<'_>) {
        for found in &search.categories {
            if let Some(category) = directory.categories.get(found.category) {
                self.add_category(directory, category.id);
            }
        }
    }

    /// Default tools called by their names, and queries that found nothing beside others that did.
    fn by_query(&mut self, directory: &Directory<'a>, query: &'a str) {
        let name = plain(query);
        if let Some(entry) = directory.entries.iter().find(|entry| entry.name == name) {
            self.add(*entry);
        } else if search(directory.matcher, query).categories.is_empty() {
            self.unmatched.push(query);
        }
    }

    fn answer(self, directory: &Directory<'_>, session: &Session<'_>) -> Answer {
        let (old, new): (Vec<_>, Vec<_>) = self
            .tools
            .iter()
            .partition(|entry| session.sent.contains(&entry.name));
        let mut lines = Vec::new();
        if !new.is_empty() {
            lines.push(format!("Loaded {}. Now callable:", titles(directory, &new)));
            for entry in &new {
                let doc = entry.doc.trim().lines().next().unwrap_or_default();
                lines.push(format!("- {}: {doc}", entry.name));
            }
        }
        if !old.is_empty() {
            let names: Vec<&str> = old.iter().map(|entry| entry.name).collect();
            lines.push(format!(
                "Already loaded, call directly: {}",
                names.join(", ")
            ));
        }
        for query in &self.unmatched {
            lines.push(format!("Nothing matched `{}`", shown(query)));
        }
        if !self.unknown.is_empty() {
            lines.push(format!("Unknown: {}", self.unknown.join("; ")));
            if self.tools.is_empty() {
                lines.push(categories(directory));
            }
        }
        Answer {
            text: lines.join("\n"),
            load: new.iter().map(|entry| entry.name.to_owned()).collect(),
            is_miss: self.tools.is_empty(),
        }
    }
}

/// The reply to a search that found nothing: the words on the first of a turn, a plain end after.
fn miss(
    directory: &Directory<'_>,
    session: &Session<'_>,
    request: &Request<'_>,
    search: &Search<'_>,
) -> Answer {
    let is_empty = request.queries.iter().all(|query| query.trim().is_empty());
    let text = if session.misses > 0 {
        let ids: Vec<&str> = offered(directory).map(|category| category.id).collect();
        format!(
            "Nothing in the catalog matched either wording, and nothing was loaded. A further \
             search is pointless unless one of these categories fits: {}. If none does, no tool \
             here does this: go on with the tools at hand, or say so.",
            ids.join(", ")
        )
    } else if is_empty {
        format!(
            "Nothing was loaded: say in `query` what is to be done.\n{}",
            categories(directory)
        )
    } else {
        let words: Vec<String> = search
            .unmatched
            .iter()
            .map(|word| format!("`{}`", shown(word)))
            .collect();
        let why = if words.is_empty() {
            "no category matches".to_owned()
        } else {
            format!(
                "no category matches; these words matched nothing: {}",
                words.join(", ")
            )
        };
        format!(
            "Nothing was loaded: {why}.\n{}\nIf one fits, load it by its name, or search once \
             more in other words.",
            categories(directory)
        )
    };
    Answer {
        text,
        load: Vec::new(),
        is_miss: true,
    }
}

/// The categories that may be mentioned.
fn offered<'a>(directory: &Directory<'a>) -> impl Iterator<Item = &'a Category> {
    directory.categories.iter().filter(|row| !row.is_planned)
}

fn categories(directory: &Directory<'_>) -> String {
    let mut text = "Categories:".to_owned();
    for category in offered(directory) {
        let note = if category.is_always_on {
            " (always loaded)"
        } else {
            ""
        };
        text.push_str("\n- ");
        text.push_str(category.id);
        text.push_str(": ");
        text.push_str(category.summary);
        text.push_str(note);
    }
    text
}

/// What was loaded: a category's id where all of its tools were, their names otherwise.
fn titles(directory: &Directory<'_>, new: &[&Entry<'_>]) -> String {
    let mut titles: Vec<&str> = Vec::new();
    for entry in new {
        let is_whole = directory
            .entries
            .iter()
            .filter(|other| other.category == entry.category)
            .all(|other| new.iter().any(|row| row.name == other.name));
        let title = if is_whole { entry.category } else { entry.name };
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    titles.join(", ")
}

/// A name as the catalog writes it.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace('-', "_")
}

/// What may be meant by a name that nothing has, as the end of a sentence.
fn nearest(directory: &Directory<'_>, name: &str) -> String {
    let ids = offered(directory).map(|category| category.id);
    let names = directory.entries.iter().map(|entry| entry.name);
    let near = ids
        .chain(names)
        .find(|known| words::is_one_edit(known, name));
    if let Some(near) = near {
        return format!(" (is `{near}` meant?)");
    }
    let by_words = search(directory.matcher, name);
    let mut found = by_words
        .categories
        .iter()
        .filter_map(|row| directory.categories.get(row.category))
        .filter(|category| !category.is_planned);
    match found.next() {
        Some(category) => format!(" (the category `{}` may have it)", category.id),
        None => String::new(),
    }
}

/// The head of a long text, so that a reply stays short.
fn shown(text: &str) -> String {
    const SHOWN_CHARS_MAX: usize = 60;
    let text = text.trim();
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
