//! The examples of a tool, read: which of an example's pieces fill its arguments, and which examples say the same.

use std::collections::HashSet;

use crate::json::{Object, Value};
use crate::offline::material::{Kind, Piece, pieces};
use crate::offline::speech;
use crate::tool::{Effect, Tool};

/// One argument of an example that its request says.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) argument: String,
    /// The example's own value, for its shape.
    pub(crate) value: Value,
    /// Which piece of the example's request says it.
    pub(crate) at: usize,
}

/// One example.
#[derive(Clone, Debug)]
pub(crate) struct Example {
    pub(crate) arguments: Object,
    pub(crate) pieces: Vec<Piece>,
    /// In the order of the request.
    pub(crate) slots: Vec<Slot>,
    /// An argument that the tool must have and the request does not say, such as the content of a file to be created.
    pub(crate) unsaid: Option<String>,
}

impl Example {
    fn read(arguments: &Value, query: &str, schema: &Value) -> Self {
        let pieces = pieces(query);
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let mut slots: Vec<Slot> = arguments
            .iter()
            .filter_map(|(name, value)| {
                let at = place_in(value, &pieces).filter(|_| !is_choice(schema, name))?;
                Some(Slot {
                    argument: name.to_owned(),
                    value: value.clone(),
                    at,
                })
            })
            .collect();
        slots.sort_by_key(|slot| slot.at);
        let is_said =
            |name: &str| slots.iter().any(|slot| slot.argument == name) || is_choice(schema, name);
        let required = schema.get("required").and_then(Value::as_array);
        let mut required = required
            .unwrap_or_default()
            .iter()
            .filter_map(Value::as_str);
        let unsaid = required.find(|name| !is_said(name)).map(str::to_owned);
        Self {
            arguments,
            pieces,
            slots,
            unsaid,
        }
    }

    /// The plain words of its request that fill no argument.
    pub(crate) fn words(&self) -> impl Iterator<Item = String> {
        self.pieces
            .iter()
            .enumerate()
            .filter(|(at, piece)| {
                piece.kind == Kind::Word && self.slots.iter().all(|slot| slot.at != *at)
            })
            .map(|(_, piece)| speech::plain(&piece.text))
    }

    /// The plain word before a slot, if a word stands there.
    fn before(&self, slot: &Slot) -> Option<String> {
        word_before(&self.pieces, slot.at)
    }

    /// The nouns before its paths and quoted strings: what these are, which mostly shows without.
    pub(crate) fn nouns(&self) -> HashSet<String> {
        let shows = |at: usize| {
            self.pieces
                .get(at)
                .is_some_and(|piece| matches!(piece.kind, Kind::Path | Kind::Quoted))
        };
        let slots = self.slots.iter().filter(|slot| shows(slot.at));
        slots
            .filter_map(|slot| self.before(slot))
            .filter(|word| !speech::is_light(word))
            .collect()
    }

    /// What its arguments are apart from what requests fill in.
    fn mask(&self) -> String {
        let mut mask = self.arguments.clone();
        for slot in &self.slots {
            mask.insert(&slot.argument, Value::Null);
        }
        let mut members: Vec<String> = mask
            .iter()
            .map(|(name, value)| format!("{name} {value}"))
            .collect();
        members.sort();
        members.join("\n")
    }
}

/// The word before piece `at`, courtesy and articles passed over.
pub(crate) fn word_before(pieces: &[Piece], at: usize) -> Option<String> {
    let words = pieces.get(..at)?.iter().rev();
    let before = words
        .map(|piece| (piece.kind, speech::plain(&piece.text)))
        .find(|(kind, word)| *kind != Kind::Word || !speech::is_courtesy(word))?;
    (before.0 == Kind::Word).then_some(before.1)
}

/// Where a request says `value`: as a word, a number, a path or in quotes.
fn place_in(value: &Value, pieces: &[Piece]) -> Option<usize> {
    let text = match value {
        Value::String(text) => text.trim_end_matches('\n').to_owned(),
        Value::Int(number) => number.to_string(),
        Value::Array(items) => match items.as_slice() {
            [Value::String(text)] => text.clone(),
            _ => return None,
        },
        _ => return None,
    };
    pieces.iter().position(|piece| piece.text == text)
}

/// Whether an argument is one of a fixed set of words, which are part of the request and not material.
fn is_choice(schema: &Value, argument: &str) -> bool {
    schema
        .get("properties")
        .and_then(|all| all.get(argument))
        .is_some_and(|one| one.get("enum").is_some())
}

/// The examples of one tool that differ only in what fills their arguments: other words for the same thing.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) tool: &'static Tool,
    pub(crate) examples: Vec<Example>,
    /// Every word of its examples.
    pub(crate) words: HashSet<String>,
    /// Their stems, and for a reading tool those of what it says of itself.
    pub(crate) stems: HashSet<String>,
    /// The words before names in all requests to the tool.
    pub(crate) naming: HashSet<String>,
}

impl Group {
    /// The groups of a tool.
    pub(crate) fn all(tool: &'static Tool) -> Vec<Self> {
        let schema = (tool.contract.schema)();
        let mut groups: Vec<(String, Self)> = Vec::new();
        for (arguments, query) in (tool.contract.examples)() {
            let example = Example::read(&arguments, query, &schema);
            let mask = example.mask();
            let at = groups
                .iter()
                .position(|(known, _)| *known == mask)
                .unwrap_or_else(|| {
                    let group = Self {
                        tool,
                        examples: Vec::new(),
                        words: HashSet::new(),
                        stems: HashSet::new(),
                        naming: HashSet::new(),
                    };
                    groups.push((mask, group));
                    groups.len() - 1
                });
            let Some((_, group)) = groups.get_mut(at) else {
                continue;
            };
            group.words.extend(example.words());
            group
                .stems
                .extend(example.words().map(|word| speech::stem(&word)));
            group.examples.push(example);
        }
        let mut groups: Vec<Self> = groups.into_iter().map(|(_, group)| group).collect();
        let examples = groups.iter().flat_map(|group| &group.examples);
        let names: HashSet<String> = examples.flat_map(naming).collect();
        for group in &mut groups {
            group.naming.clone_from(&names);
        }
        if is_reading(tool) {
            let said = doc_stems(tool, &schema);
            let own: Vec<HashSet<String>> =
                groups.iter().map(|group| group.stems.clone()).collect();
            for (number, group) in groups.iter_mut().enumerate() {
                // A word that means another thing which the tool can do explains nothing here.
                let others = |stem: &String| {
                    own.iter()
                        .enumerate()
                        .any(|(other, stems)| other != number && stems.contains(stem))
                };
                group
                    .stems
                    .extend(said.iter().filter(|stem| !others(stem)).cloned());
            }
        }
        groups
    }

    /// Whether one of its examples begins with this stem, courtesy and the like passed over.
    pub(crate) fn begins_with(&self, stem: &str) -> bool {
        self.examples.iter().any(|example| {
            let first = example.words().find(|word| !speech::is_dress(word));
            first.is_some_and(|word| speech::stem(&word) == stem)
        })
    }

    /// The words before a slot of `argument`, in any of its examples.
    pub(crate) fn anchors(&self, argument: &str) -> HashSet<String> {
        let slots = |example: &'_ Example| -> Vec<String> {
            example
                .slots
                .iter()
                .filter(|slot| slot.argument == argument)
                .filter_map(|slot| example.before(slot))
                .collect()
        };
        self.examples.iter().flat_map(slots).collect()
    }
}

/// The words before a name, which is a bare word that fills an argument.
fn naming(example: &Example) -> impl Iterator<Item = String> {
    let is_bare = |at: usize| {
        example
            .pieces
            .get(at)
            .is_some_and(|piece| piece.kind == Kind::Word)
    };
    let bare = example.slots.iter().filter(move |slot| is_bare(slot.at));
    bare.filter_map(|slot| example.before(slot))
}

/// Whether every call of a tool only reads. All others need a request that cannot be misread.
pub(crate) fn is_reading(tool: &Tool) -> bool {
    tool.contract.effect == Some(Effect::Read)
}

/// The words that carry meaning in what a tool says of itself and its arguments.
fn doc_stems(tool: &Tool, schema: &Value) -> HashSet<String> {
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let docs = properties
        .iter()
        .filter_map(|(_, one)| one.get("description").and_then(Value::as_str));
    docs.chain([tool.contract.doc])
        .flat_map(pieces)
        .filter(|piece| piece.kind == Kind::Word)
        .map(|piece| speech::plain(&piece.text))
        .filter(|word| !speech::is_light(word) && !speech::is_dress(word))
        .filter(|word| !crate::words::is_stop_word(word))
        .map(|word| speech::stem(&word))
        .collect()
}
