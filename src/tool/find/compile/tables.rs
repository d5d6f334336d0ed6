//! The checked catalog → the matcher's tables.

use std::collections::{BTreeMap, BTreeSet};

use super::catalog::{Source, Word};
use super::form::{
    GAP, Kind, Matcher, NUMBER, NUMBER_DIGITS, Name, Overlap, Rule, Run, Side, Span, Stem,
    letter_mask,
};
use super::{CORE, ToolFile};
use crate::words;

/// A part of a phrase.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Element {
    /// A word, and its stem.
    Word { word: String, stem: String },
    /// `*`.
    Gap,
}

/// The parts of a phrase or keyword, without the words that every query skips too.
pub(super) fn elements(text: &str) -> Vec<Element> {
    let mut found = Vec::new();
    for piece in text.split_whitespace() {
        match piece {
            "*" => found.push(Element::Gap),
            NUMBER => found.push(Element::Word {
                word: NUMBER.to_owned(),
                stem: NUMBER.to_owned(),
            }),
            _ => {
                for chunk in words::chunks(piece) {
                    let mut word = String::new();
                    words::fold_into(chunk.text, &mut word);
                    if !words::is_filler(&word) {
                        let stem = words::stem_of(&word);
                        found.push(Element::Word { word, stem });
                    }
                }
            }
        }
    }
    found
}

/// What two texts share that mean the same to the matcher.
pub(super) fn key(text: &str) -> String {
    let stems: Vec<String> = elements(text)
        .into_iter()
        .map(|element| match element {
            Element::Word { stem, .. } => stem,
            Element::Gap => "*".to_owned(),
        })
        .collect();
    stems.join(" ")
}

/// The two sides of a pair, single words each; what is wrong with it, otherwise.
pub(super) fn sides(text: &str) -> Result<(Vec<Element>, Vec<Element>), String> {
    let Some((left, right)) = text.split_once('|') else {
        return Err(format!(
            "`{text}` is no pair: expected `left words | right words`"
        ));
    };
    let (left, right) = (elements(left), elements(right));
    if left.is_empty()
        || right.is_empty()
        || right.contains(&Element::Gap)
        || left.contains(&Element::Gap)
    {
        return Err(format!(
            "`{text}` is no pair: each side holds words that say something, no `*`"
        ));
    }
    Ok((left, right))
}

/// All tables, owned; see [`Matcher`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Tables {
    pub(super) letters: String,
    pub(super) stems: Vec<Stem>,
    pub(super) rules: Vec<Rule>,
    pub(super) rule_words: Vec<u16>,
    pub(super) sides: Vec<Side>,
    pub(super) pairs: Vec<u8>,
    pub(super) overlaps: Vec<Overlap>,
    pub(super) unless: Vec<u16>,
    pub(super) names: Vec<Name>,
    pub(super) categories: u8,
}

impl Tables {
    /// Builds the tables of a catalog; refused if they outgrow their numbers.
    pub(super) fn build(source: &Source, tools: &[ToolFile]) -> Result<Self, String> {
        let mut builder = Builder::default();
        builder.vocabulary(source, tools);
        builder.overlaps(source)?;
        for (place, category) in source.categories.iter().enumerate() {
            let place = small(place)?;
            for word in category.keywords.iter().chain(&category.phrases) {
                builder.rule(source, &word.text, place, Kind::Claim);
            }
            for word in &category.never {
                builder.rule(source, &word.text, place, Kind::Never);
            }
            builder.rule(source, &category.id, place, Kind::Alone);
            for tool in tools.iter().filter(|tool| tool.category == category.id) {
                // `kill_process` is a phrase, too; a name of one word only by itself.
                let kind = if tool.name.contains('_') {
                    Kind::Claim
                } else {
                    Kind::Alone
                };
                builder.rule(source, &tool.name, place, kind);
            }
            for pair in &category.pairs {
                builder.pair(&pair.text, place)?;
            }
        }
        builder.finish(source, tools)
    }

    /// The tables as the matcher borrows them.
    pub(crate) fn matcher(&self) -> Matcher<'_> {
        Matcher {
            letters: &self.letters,
            stems: &self.stems,
            rules: &self.rules,
            rule_words: &self.rule_words,
            sides: &self.sides,
            pairs: &self.pairs,
            overlaps: &self.overlaps,
            unless: &self.unless,
            names: &self.names,
            categories: self.categories,
        }
    }
}

#[derive(Default)]
struct Builder {
    /// Stem → whether a form of it has six letters or more.
    vocabulary: BTreeMap<String, bool>,
    /// First word, other words, category, kind, overlap: each once.
    rules: BTreeSet<(String, Vec<Element>, u8, u8, u8)>,
    sides: BTreeSet<(String, u16, bool)>,
    tables: Tables,
}

impl Builder {
    /// Every word that the catalog spells.
    fn vocabulary(&mut self, source: &Source, tools: &[ToolFile]) {
        for category in &source.categories {
            for list in [
                &category.keywords,
                &category.phrases,
                &category.pairs,
                &category.never,
            ] {
                self.know(list);
            }
            self.know_text(&category.id);
        }
        for tool in tools.iter().filter(|tool| tool.category != CORE) {
            self.know_text(&tool.name);
        }
        for overlap in &source.overlaps {
            self.know(&overlap.unless);
        }
        self.know(&source.real_words);
    }

    fn know(&mut self, list: &[Word]) {
        for word in list {
            self.know_text(&word.text);
        }
    }

    fn know_text(&mut self, text: &str) {
        for element in elements(text) {
            if let Element::Word { word, stem } = element {
                let is_long = word.chars().count() >= 6;
                *self.vocabulary.entry(stem).or_default() |= is_long;
            }
        }
    }

    /// The place of a stem in the vocabulary.
    fn place(&self, stem: &str) -> Result<u16, String> {
        let place = self.vocabulary.keys().position(|known| known == stem);
        number(place.unwrap_or(usize::MAX))
    }

    fn overlaps(&mut self, source: &Source) -> Result<(), String> {
        for overlap in &source.overlaps {
            let start = number(self.tables.unless.len())?;
            for word in &overlap.unless {
                let place = self.place(&key(&word.text))?;
                self.tables.unless.push(place);
            }
            self.tables.overlaps.push(Overlap {
                wins: small(source.place(&overlap.wins).unwrap_or_default())?,
                unless: Run {
                    start,
                    length: number(overlap.unless.len())?,
                },
            });
        }
        Ok(())
    }

    fn rule(&mut self, source: &Source, text: &str, category: u8, kind: Kind) {
        let elements = elements(text);
        let Some(Element::Word { stem: first, .. }) = elements.first() else {
            return; // Refused where it was checked.
        };
        let key = key(text);
        let overlap = source
            .overlaps
            .iter()
            .position(|row| self::key(&row.keyword) == key)
            .and_then(|at| u8::try_from(at + 1).ok())
            .unwrap_or(0);
        let row = (
            first.clone(),
            strip(&elements),
            category,
            kind as u8,
            overlap,
        );
        self.rules.insert(row);
    }

    fn pair(&mut self, text: &str, category: u8) -> Result<(), String> {
        let Ok((left, right)) = sides(text) else {
            return Ok(()); // Refused where it was checked.
        };
        let pair = number(self.tables.pairs.len())?;
        self.tables.pairs.push(category);
        for (elements, is_right) in [(left, false), (right, true)] {
            for element in elements {
                if let Element::Word { stem, .. } = element {
                    self.sides.insert((stem, pair, is_right));
                }
            }
        }
        Ok(())
    }

    /// Lays everything out.
    fn finish(self, source: &Source, tools: &[ToolFile]) -> Result<Tables, String> {
        let places: BTreeMap<&str, u16> = self
            .vocabulary
            .keys()
            .enumerate()
            .map(|(at, stem)| Ok((stem.as_str(), number(at)?)))
            .collect::<Result<_, String>>()?;
        let mut tables = self.tables;
        tables.categories = small(source.categories.len())?;
        for (stem, is_long) in &self.vocabulary {
            let rules_from = tables.rules.len();
            for (first, elements, category, kind, overlap) in &self.rules {
                if first != stem {
                    continue;
                }
                let start = number(tables.rule_words.len())?;
                for element in elements {
                    tables.rule_words.push(match element {
                        Element::Word { stem, .. } => {
                            places.get(stem.as_str()).copied().unwrap_or(GAP)
                        }
                        Element::Gap => GAP,
                    });
                }
                tables.rules.push(Rule {
                    words: Run {
                        start,
                        length: number(elements.len())?,
                    },
                    category: *category,
                    kind: [Kind::Claim, Kind::Never, Kind::Alone][usize::from(*kind)],
                    overlap: *overlap,
                });
            }
            let sides_from = tables.sides.len();
            let own = self.sides.iter().filter(|row| row.0 == *stem);
            tables
                .sides
                .extend(own.map(|&(_, pair, is_right)| Side { pair, is_right }));
            let text = append(&mut tables.letters, stem)?;
            let is_pattern = stem == NUMBER;
            tables.stems.push(Stem {
                text,
                letters: letter_mask(stem),
                is_long: *is_long && !is_pattern,
                rules: run(rules_from, tables.rules.len())?,
                sides: run(sides_from, tables.sides.len())?,
            });
        }
        let mut names: Vec<(&str, u8)> = tools
            .iter()
            .filter_map(|tool| Some((tool.name.as_str(), source.place(&tool.category)?)))
            .map(|(name, place)| Ok((name, small(place)?)))
            .collect::<Result<_, String>>()?;
        names.sort_unstable();
        for (name, category) in names {
            let text = append(&mut tables.letters, name)?;
            tables.names.push(Name { text, category });
        }
        debug_assert!(NUMBER_DIGITS.contains(&4));
        Ok(tables)
    }
}

/// The same elements with nothing but their stems, so that equal rules are equal.
fn strip(elements: &[Element]) -> Vec<Element> {
    elements
        .iter()
        .map(|element| match element {
            Element::Word { stem, .. } => Element::Word {
                word: String::new(),
                stem: stem.clone(),
            },
            Element::Gap => Element::Gap,
        })
        .collect()
}

fn append(letters: &mut String, text: &str) -> Result<Span, String> {
    let start = u32::try_from(letters.len()).map_err(|_| "the catalog is too large".to_owned())?;
    letters.push_str(text);
    Ok(Span {
        start,
        length: small(text.len())?,
    })
}

fn run(from: usize, to: usize) -> Result<Run, String> {
    Ok(Run {
        start: number(from)?,
        length: number(to - from)?,
    })
}

/// A number of the tables. [`GAP`] is kept free.
fn number(value: usize) -> Result<u16, String> {
    u16::try_from(value)
        .ok()
        .filter(|number| *number != GAP)
        .ok_or_else(|| "the catalog is too large for its tables".to_owned())
}

fn small(value: usize) -> Result<u8, String> {
    u8::try_from(value).map_err(|_| format!("{value} is too much for the catalog's tables"))
}
