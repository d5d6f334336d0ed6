//! Which tools a conversation carries: the default ones, and what was loaded, in that order for good.

use std::sync::{Arc, Mutex, PoisonError};

use crate::catalog::{CATEGORIES, CATEGORY_PHRASES, MATCHER, SKILLS, TOOLS};
use crate::json::{Value, object};
use crate::skill::{self, Skill};
use crate::tool::find::{Directory, Entry, Request, Session, answer};
use crate::tool::{FIND_TOOLS, FinderPort, Output, ShelfPort, Tool};

/// The folder of tools that are in no category and in every request.
pub(crate) const CORE: &str = "core";

/// What requests carry, shared with the search, which must know it.
#[derive(Clone, Default)]
pub(crate) struct Toolbox(Arc<Mutex<Carried>>);

#[derive(Default)]
struct Carried {
    /// Names in the order in which they were loaded; never reordered, never removed.
    loaded: Vec<String>,
    /// Searches of this turn that found nothing.
    misses: usize,
}

/// The tools that every request carries: core, then the always-on categories.
pub(crate) fn defaults() -> impl Iterator<Item = &'static Tool> {
    TOOLS
        .iter()
        .filter(|tool| is_default(tool.category) && !tool.contract.is_internal)
}

/// Whether a category's tools are in every request.
pub(crate) fn is_default(category: &str) -> bool {
    category == CORE
        || CATEGORIES
            .iter()
            .any(|known| known.id == category && known.is_always_on)
}

/// The tool of this name, unless it is internal.
pub(crate) fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS
        .iter()
        .find(|tool| tool.name == name && !tool.contract.is_internal)
}

/// What a tool says it does; that of the search ends in a phrase for each deferred category.
pub(crate) fn description(tool: &Tool) -> String {
    let doc = tool.contract.doc.trim().replace('\n', " ");
    if tool.name == FIND_TOOLS {
        format!("{doc} {CATEGORY_PHRASES}.")
    } else {
        doc
    }
}

/// A tool as requests carry it.
pub(crate) fn definition(tool: &Tool) -> Value {
    let function = object! {
        "name": tool.name, "description": description(tool), "parameters": (tool.contract.schema)(),
    };
    object! { "type": "function", "function": function }
}

impl Toolbox {
    fn lock(&self) -> std::sync::MutexGuard<'_, Carried> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Names loaded so far, in order.
    pub(crate) fn loaded(&self) -> Vec<String> {
        self.lock().loaded.clone()
    }

    /// The names in the next request.
    pub(crate) fn sent(&self) -> Vec<String> {
        let loaded = self.loaded();
        defaults()
            .map(|tool| tool.name.to_owned())
            .chain(loaded)
            .collect()
    }

    /// Adds `names` that are not carried yet; returns those that were added.
    pub(crate) fn load(&self, names: &[String]) -> Vec<&'static Tool> {
        let mut carried = self.lock();
        let mut added = Vec::new();
        for found in names.iter().filter_map(|name| tool(name)) {
            if !is_default(found.category)
                && !carried.loaded.iter().any(|known| known == found.name)
            {
                carried.loaded.push(found.name.to_owned());
                added.push(found);
            }
        }
        added
    }

    /// Counts a search that found nothing.
    pub(crate) fn miss(&self) {
        self.lock().misses += 1;
    }

    /// A new turn begins: misses count anew.
    pub(crate) fn begin_turn(&self) {
        self.lock().misses = 0;
    }

    /// A new conversation begins: nothing is loaded.
    pub(crate) fn clear(&self) {
        *self.lock() = Carried::default();
    }

    fn answer(&self, queries: &[String], load: &[String]) -> Output {
        let entries: Vec<Entry<'_>> = TOOLS
            .iter()
            .filter(|tool| !tool.contract.is_internal)
            .map(|tool| Entry {
                name: tool.name,
                category: tool.category,
                doc: tool.contract.doc,
            })
            .collect();
        let directory = Directory {
            matcher: &MATCHER,
            categories: CATEGORIES,
            entries: &entries,
        };
        let (sent, misses) = (self.sent(), self.lock().misses);
        let sent: Vec<&str> = sent.iter().map(String::as_str).collect();
        let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
        let load: Vec<&str> = load.iter().map(String::as_str).collect();
        let session = Session {
            sent: &sent,
            misses,
        };
        let request = Request {
            queries: &queries,
            load: &load,
        };
        let answer = answer(&directory, &session, &request);
        Output {
            text: answer.text,
            offers: answer.load,
            is_miss: answer.is_miss,
            ..Output::default()
        }
    }
}

impl FinderPort for Toolbox {
    fn find(&self, queries: &[String], load: &[String]) -> Output {
        self.answer(queries, load)
    }
}

/// The skills that are built in.
pub(crate) struct Shelf(pub(crate) Vec<Skill>);

impl Shelf {
    pub(crate) fn built_in() -> Self {
        Self(skill::read_all(SKILLS))
    }
}

impl ShelfPort for Shelf {
    fn skill(&self, name: &str) -> Result<String, String> {
        skill::find(&self.0, name).map(skill::render)
    }
}
