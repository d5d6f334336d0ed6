//! The matcher's tables, as the build script writes them and `search` reads them.
//!
//! The build script compiles this file too; it imports nothing.

/// At most this many categories, planned ones included: a bit each in a word's masks.
#[allow(dead_code, reason = "the build script and its tests use it")]
pub(crate) const CATEGORIES_MAX: usize = 64;

/// Stands for any up to [`GAP_WORDS_MAX`] words in a rule's words.
pub(crate) const GAP: u16 = u16::MAX;

/// A `*` in a phrase passes over this many words at most.
pub(crate) const GAP_WORDS_MAX: usize = 3;

/// The two words of a pair lie this many words apart at most.
pub(crate) const PAIR_WORDS_MAX: usize = 6;

/// The stem that stands for any number of [`NUMBER_DIGITS`] digits: what a port looks like.
pub(crate) const NUMBER: &str = "#";

/// How many digits `#` has in catalog and query.
pub(crate) const NUMBER_DIGITS: std::ops::RangeInclusive<usize> = 3..=5;

/// A category of the catalog.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Category {
    /// `[a-z]+`, and the name of its folder.
    pub(crate) id: &'static str,
    /// One line: what its tools do.
    pub(crate) summary: &'static str,
    /// Its tools are in every request.
    pub(crate) is_always_on: bool,
    /// Its tools do not exist yet: it is matched, but never listed, loaded or mentioned.
    pub(crate) is_planned: bool,
}

/// What a category claims, for the drift test. Texts as they stand in the catalog.
#[derive(Clone, Copy, Debug)]
#[cfg(test)]
pub(crate) struct Claim<'a> {
    pub(crate) category: &'a str,
    /// Summary, keywords, phrases, pairs and `never`.
    pub(crate) claimed: &'a [&'a str],
    /// Words of its tools that a person decided against.
    pub(crate) reviewed: &'a [&'a str],
}

/// All tables of one catalog. Borrowed, so that a catalog made at run time fits too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matcher<'a> {
    /// Every stem and name, one after the other.
    pub(crate) letters: &'a str,
    /// Sorted by text.
    pub(crate) stems: &'a [Stem],
    /// Those of one stem, which is their first word, side by side.
    pub(crate) rules: &'a [Rule],
    /// The words of all rules: places in `stems`, or [`GAP`].
    pub(crate) rule_words: &'a [u16],
    /// Those of one stem side by side.
    pub(crate) sides: &'a [Side],
    /// The category of each pair.
    pub(crate) pairs: &'a [u8],
    pub(crate) overlaps: &'a [Overlap],
    /// The words after which each overlap does not hold: places in `stems`.
    pub(crate) unless: &'a [u16],
    /// Names of tools, sorted by text.
    pub(crate) names: &'a [Name],
    /// How many categories there are.
    pub(crate) categories: u8,
}

/// A word that the catalog knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stem {
    pub(crate) text: Span,
    /// The letters that occur in it, a bit each (see [`letter_mask`]).
    pub(crate) letters: u32,
    /// A form of six letters or more: a typo is looked for.
    pub(crate) is_long: bool,
    /// Its rules.
    pub(crate) rules: Run,
    /// Its sides of pairs.
    pub(crate) sides: Run,
}

/// A piece of `letters`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) length: u8,
}

/// Neighbours in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) start: u16,
    pub(crate) length: u16,
}

/// What a rule says of its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One word or several in a row mean the category.
    Claim,
    /// They do not: what they cover counts for nothing in that category.
    Never,
    /// They mean it if the query says nothing else.
    Alone,
}

/// Words in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rule {
    /// Its words, in `rule_words`.
    pub(crate) words: Run,
    pub(crate) category: u8,
    pub(crate) kind: Kind,
    /// The overlap that decides about it, counted from 1; 0 for none.
    pub(crate) overlap: u8,
}

/// One side of a pair of words that count only beside each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Side {
    pub(crate) pair: u16,
    /// The right side: what is acted upon. A query of that one word means the category.
    pub(crate) is_right: bool,
}

/// A keyword that several categories claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overlap {
    /// The category that has it.
    pub(crate) wins: u8,
    /// Words that, anywhere in the query, leave it to all, in `unless`.
    pub(crate) unless: Run,
}

/// The name of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) text: Span,
    pub(crate) category: u8,
}

impl Run {
    /// This piece of `table`; empty if it is not there.
    pub(crate) fn of<T>(self, table: &[T]) -> &[T] {
        let start = usize::from(self.start);
        table
            .get(start..start + usize::from(self.length))
            .unwrap_or_default()
    }
}

impl<'a> Matcher<'a> {
    /// The text of a stem or name; empty if it is not there.
    pub(crate) fn text(&self, span: Span) -> &'a str {
        let start = span.start as usize;
        self.letters
            .get(start..start + usize::from(span.length))
            .unwrap_or_default()
    }

    /// The place of a stem.
    pub(crate) fn stem(&self, text: &str) -> Option<u16> {
        let found = self
            .stems
            .binary_search_by(|stem| self.text(stem.text).cmp(text));
        found.ok().and_then(|at| u16::try_from(at).ok())
    }
}

/// A bit for each letter `a`–`z` of `word`, one more for digits, one for all other characters: two
/// words one edit apart differ in two bits at most.
pub(crate) fn letter_mask(word: &str) -> u32 {
    word.chars().fold(0, |mask, c| {
        mask | match c {
            'a'..='z' => 1 << (u32::from(c) - u32::from('a')),
            c if c.is_ascii_digit() => 1 << 26,
            _ => 1 << 27,
        }
    })
}
