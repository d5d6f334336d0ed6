//! Tables, and the rules by which headers and dotted keys may add to them.

use std::collections::BTreeMap;

use super::{Data, Value};

/// Keys and values, in the order of the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Table {
    entries: Vec<Entry>,
    /// Key → place in `entries`.
    index: BTreeMap<String, usize>,
    origin: Origin,
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    pub(crate) key: String,
    /// The line of the key (from 1).
    pub(crate) line: usize,
    pub(crate) value: Value,
}

/// What made a table, which decides what may still add to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A longer header: its own header may still come.
    Implied,
    /// Its own header.
    Header,
    /// A dotted key.
    Dotted,
    /// `{ … }`: closed.
    Inline,
    /// An element of `[[…]]`.
    Element,
}

impl Table {
    pub(super) fn new(origin: Origin) -> Self {
        Self {
            entries: Vec::new(),
            index: BTreeMap::new(),
            origin,
        }
    }

    /// The value of `key`.
    #[allow(dead_code, reason = "the build script uses it")]
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The entry of `key`, with its line.
    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.index.get(key).and_then(|&at| self.entries.get(at))
    }

    /// All entries, in the order of the text.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Adds a key that is not there yet; what it already is, otherwise.
    pub(super) fn insert(&mut self, key: &str, line: usize, value: Value) -> Result<(), String> {
        if let Some(first) = self.entry(key) {
            return Err(Taken::by(first).refusal(key));
        }
        self.index.insert(key.to_owned(), self.entries.len());
        self.entries.push(Entry {
            key: key.to_owned(),
            line,
            value,
        });
        Ok(())
    }

    /// The table that a dotted key `key.…` adds to, made if it is not there.
    pub(super) fn dotted(&mut self, key: &str, line: usize) -> Result<&mut Self, String> {
        let (entry, taken) = self.slot(key, line, Origin::Dotted)?;
        match &mut entry.value.data {
            Data::Table(table) if matches!(table.origin, Origin::Dotted | Origin::Implied) => {
                table.origin = Origin::Dotted;
                Ok(table)
            }
            _ => Err(taken.refusal(key)),
        }
    }

    /// The table that a header `[key.…]` goes through, made if it is not there: for `[[key]]` its
    /// last element.
    pub(super) fn passed(&mut self, key: &str, line: usize) -> Result<&mut Self, String> {
        let (entry, taken) = self.slot(key, line, Origin::Implied)?;
        let table = match &mut entry.value.data {
            Data::Table(table) if table.origin != Origin::Inline => Some(table),
            Data::Array(elements) => last_element(elements),
            _ => None,
        };
        table.ok_or_else(|| taken.refusal(key))
    }

    /// Opens `[key]`: new, or so far only implied.
    pub(super) fn open(&mut self, key: &str, line: usize) -> Result<&mut Self, String> {
        let (entry, taken) = self.slot(key, line, Origin::Implied)?;
        match &mut entry.value.data {
            Data::Table(table) if table.origin == Origin::Implied => {
                table.origin = Origin::Header;
                entry.line = line;
                entry.value.line = line;
                Ok(table)
            }
            _ => Err(taken.refusal(key)),
        }
    }

    /// Opens a further element of `[[key]]`.
    pub(super) fn push(&mut self, key: &str, line: usize) -> Result<&mut Self, String> {
        let is_new = self.entry(key).is_none();
        if is_new {
            let data = Data::Array(Vec::new());
            self.insert(key, line, Value { line, data })?;
        }
        let (entry, taken) = self.slot(key, line, Origin::Implied)?;
        if let Data::Array(elements) = &mut entry.value.data
            && (is_new || last_element(elements).is_some())
        {
            elements.push(Value {
                line,
                data: Data::Table(Self::new(Origin::Element)),
            });
            if let Some(table) = last_element(elements) {
                return Ok(table);
            }
        }
        Err(taken.refusal(key))
    }

    /// What is under `key`: an empty table of that origin, if nothing was.
    fn slot(
        &mut self,
        key: &str,
        line: usize,
        origin: Origin,
    ) -> Result<(&mut Entry, Taken), String> {
        if self.entry(key).is_none() {
            let data = Data::Table(Self::new(origin));
            self.insert(key, line, Value { line, data })?;
        }
        let place = self.index.get(key).copied();
        match place.and_then(|at| self.entries.get_mut(at)) {
            Some(entry) => {
                let taken = Taken::by(entry);
                Ok((entry, taken))
            }
            None => Err(format!("`{key}` cannot be added")),
        }
    }
}

/// The last element, if `elements` are those of a `[[…]]`.
fn last_element(elements: &mut [Value]) -> Option<&mut Table> {
    match &mut elements.last_mut()?.data {
        Data::Table(table) if table.origin == Origin::Element => Some(table),
        _ => None,
    }
}

/// What a key already is, and since when.
#[derive(Clone, Copy)]
struct Taken {
    kind: &'static str,
    line: usize,
}

impl Taken {
    fn by(first: &Entry) -> Self {
        Self {
            kind: first.value.data.kind(),
            line: first.line,
        }
    }

    fn refusal(self, key: &str) -> String {
        format!("`{key}` is already {} since line {}", self.kind, self.line)
    }
}
