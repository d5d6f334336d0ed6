//! Which categories and tools a query means.
//!
//! Phrases count before words: what a phrase of one category covers counts in no other as a single
//! word. What a `never` phrase covers counts for nothing in its category. The words of a pair count
//! only beside each other. Overlaps decide who has a word that several claim.

use super::query::{self, Query, Word};
use super::tables::{GAP, GAP_WORDS_MAX, Kind, Matcher, PAIR_WORDS_MAX, Rule};

/// What was found for a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Search<'m> {
    /// Best first; equal ones in the order of the catalog.
    pub(crate) categories: Vec<Ranked>,
    /// The tools that the query calls by their exact names, in its order.
    pub(crate) tools: Vec<&'m str>,
    /// The telling words that counted for no category, in the order of the query, each once.
    pub(crate) unmatched: Vec<String>,
}

/// A category that a query means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ranked {
    /// Its place in the catalog.
    pub(crate) category: usize,
    /// The more specific what counted, the higher.
    pub(crate) score: u32,
}

/// What counted, from most to least: an exact name; a phrase, each of its words; a word; a pair.
const SCORE_NAME: u32 = 100;
const SCORE_PHRASE_WORD: u32 = 7;
const SCORE_WORD: u32 = 10;
const SCORE_PAIR: u32 = 9;

/// This many unmatched words are named at most.
const UNMATCHED_WORDS_MAX: usize = 16;

/// Which categories and tools `text` means; none for an empty one.
pub(crate) fn search<'m>(matcher: &Matcher<'m>, text: &str) -> Search<'m> {
    let query = query::read(matcher, text);
    let mut finder = Finder {
        matcher,
        words: &query.words,
        marks: vec![Mark::default(); query.words.len()],
        hits: Vec::new(),
        scores: vec![0; usize::from(matcher.categories)],
    };
    finder.rules();
    finder.mark_phrases();
    finder.count_rules();
    finder.count_pairs();
    finder.count_single_word();
    finder.finish(&query)
}

/// Several queries at once: everything that any of them means, each category with its best score.
pub(crate) fn search_all<'m>(matcher: &Matcher<'m>, texts: &[&str]) -> Search<'m> {
    let mut all = Search::default();
    for text in texts {
        let one = search(matcher, text);
        for found in one.categories {
            match all
                .categories
                .iter_mut()
                .find(|row| row.category == found.category)
            {
                Some(row) => row.score = row.score.max(found.score),
                None => all.categories.push(found),
            }
        }
        for tool in one.tools {
            if !all.tools.contains(&tool) {
                all.tools.push(tool);
            }
        }
        for word in one.unmatched {
            if !all.unmatched.contains(&word) {
                all.unmatched.push(word);
            }
        }
    }
    sort(&mut all.categories);
    all
}

fn sort(categories: &mut [Ranked]) {
    categories.sort_by_key(|row| (std::cmp::Reverse(row.score), row.category));
}

/// A rule whose words stand in the query.
#[derive(Clone, Copy)]
struct Hit {
    rule: Rule,
    /// The place of the rule, so that each counts once.
    place: usize,
    /// Its first word, and the one after its last.
    start: usize,
    end: usize,
}

impl Hit {
    fn words(&self) -> usize {
        self.end - self.start
    }

    fn bit(&self) -> u64 {
        1 << self.rule.category
    }
}

/// What is known of a word of the query; a bit a category.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// It counts for nothing in these.
    never: u64,
    /// A phrase of these covers it.
    phrase: u64,
    /// The most words that a phrase over it has.
    longest: usize,
    /// It counted for some category.
    is_used: bool,
}

struct Finder<'q, 'm> {
    matcher: &'q Matcher<'m>,
    words: &'q [Word<'q>],
    /// One for each word.
    marks: Vec<Mark>,
    hits: Vec<Hit>,
    /// One for each category.
    scores: Vec<u32>,
}

impl<'m> Finder<'_, 'm> {
    /// Finds every rule whose words stand in the query.
    fn rules(&mut self) {
        for (start, word) in self.words.iter().enumerate() {
            let Some(stem) = word
                .stem
                .and_then(|s| self.matcher.stems.get(usize::from(s)))
            else {
                continue;
            };
            if word.is_code {
                continue;
            }
            let first = usize::from(stem.rules.start);
            for (offset, rule) in stem.rules.of(self.matcher.rules).iter().enumerate() {
                let wanted = rule.words.of(self.matcher.rule_words);
                if let Some(end) = self.reach(start, wanted) {
                    self.hits.push(Hit {
                        rule: *rule,
                        place: first + offset,
                        start,
                        end,
                    });
                }
            }
        }
    }

    /// Where the words `wanted` end if they begin at `start`; a rule has two gaps at most, so few
    /// ways are tried.
    fn reach(&self, start: usize, wanted: &[u16]) -> Option<usize> {
        let Some((first, rest)) = wanted.split_first() else {
            return Some(start);
        };
        if *first == GAP {
            return (0..=GAP_WORDS_MAX).find_map(|skip| self.reach(start + skip, rest));
        }
        let word = self.words.get(start)?;
        (word.stem == Some(*first) && !word.is_code)
            .then(|| self.reach(start + 1, rest))
            .flatten()
    }

    /// Marks what `never` and phrases cover.
    fn mark_phrases(&mut self) {
        for hit in &self.hits {
            for mark in self.marks.iter_mut().take(hit.end).skip(hit.start) {
                match hit.rule.kind {
                    Kind::Never => mark.never |= hit.bit(),
                    Kind::Claim if hit.words() > 1 => {
                        mark.phrase |= hit.bit();
                        mark.longest = mark.longest.max(hit.words());
                    }
                    Kind::Claim | Kind::Alone => {}
                }
            }
        }
    }

    /// Whether word `at` counts for the category of `bit`.
    fn counts(&self, at: usize, bit: u64) -> bool {
        self.marks.get(at).is_some_and(|mark| {
            mark.never & bit == 0 && (mark.phrase == 0 || mark.phrase & bit != 0)
        })
    }

    fn count_rules(&mut self) {
        let telling = self.words.iter().filter(|word| word.is_telling).count();
        let mut hits = std::mem::take(&mut self.hits);
        hits.sort_by_key(|hit| hit.place);
        hits.retain(|hit| self.holds(hit, telling));
        hits.dedup_by(|later, first| {
            let is_same = later.place == first.place;
            if is_same {
                use_words(&mut self.marks, later.start, later.end);
            }
            is_same
        });
        for hit in hits {
            use_words(&mut self.marks, hit.start, hit.end);
            let score = match u32::try_from(hit.words()) {
                Ok(words @ 2..) => words * SCORE_PHRASE_WORD,
                _ => SCORE_WORD,
            };
            self.add(hit.rule.category, score);
        }
    }

    /// Whether a hit counts, beside all others.
    fn holds(&self, hit: &Hit, telling: usize) -> bool {
        let span = hit.start..hit.end;
        let is_free = match hit.rule.kind {
            Kind::Never => false,
            Kind::Alone => {
                let covered = self.words.get(span.clone()).unwrap_or_default();
                covered.iter().filter(|word| word.is_telling).count() == telling
            }
            Kind::Claim if hit.words() > 1 => {
                // A longer phrase over all of it is narrower; touching its own `never` it is none.
                let marks = self.marks.get(span).unwrap_or_default();
                let is_inside = marks.iter().all(|mark| mark.longest > hit.words());
                let is_own = marks.iter().all(|mark| mark.phrase & !hit.bit() == 0);
                let is_never = marks.iter().any(|mark| mark.never & hit.bit() != 0);
                !is_never && (!is_inside || is_own)
            }
            Kind::Claim => self.counts(hit.start, hit.bit()),
        };
        is_free && self.wins(hit.rule)
    }

    /// Whether the overlap of a rule, if it has one, leaves it to the rule's category.
    fn wins(&self, rule: Rule) -> bool {
        let place = usize::from(rule.overlap).checked_sub(1);
        let Some(overlap) = place.and_then(|at| self.matcher.overlaps.get(at)) else {
            return true;
        };
        let unless = overlap.unless.of(self.matcher.unless);
        overlap.wins == rule.category
            || self
                .words
                .iter()
                .any(|word| word.stem.is_some_and(|stem| unless.contains(&stem)))
    }

    /// Counts pairs whose two words stand near each other in one sentence.
    fn count_pairs(&mut self) {
        /// Where each side was last seen, and whether the pair counted.
        #[derive(Clone, Copy, Default)]
        struct Seen {
            left: Option<usize>,
            right: Option<usize>,
            is_counted: bool,
        }
        let mut seen = vec![Seen::default(); self.matcher.pairs.len()];
        let mut sentence = 0;
        for (at, word) in self.words.iter().enumerate() {
            if word.begins_sentence {
                sentence = at;
            }
            let Some(stem) = word
                .stem
                .and_then(|s| self.matcher.stems.get(usize::from(s)))
            else {
                continue;
            };
            let sides = stem.sides.of(self.matcher.sides);
            for side in sides {
                let pair = usize::from(side.pair);
                let Some(&category) = self.matcher.pairs.get(pair) else {
                    continue;
                };
                if word.is_code || !self.counts(at, 1 << category) {
                    continue;
                }
                let Some(seen) = seen.get_mut(pair) else {
                    continue;
                };
                let other = if side.is_right { seen.left } else { seen.right };
                let near = other.filter(|&o| o != at && o >= sentence && at - o <= PAIR_WORDS_MAX);
                if let Some(other) = near {
                    use_words(&mut self.marks, other, other + 1);
                    use_words(&mut self.marks, at, at + 1);
                    if !seen.is_counted {
                        seen.is_counted = true;
                        self.add(category, SCORE_PAIR);
                    }
                }
            }
            for side in sides {
                let pair = usize::from(side.pair);
                let category = self.matcher.pairs.get(pair);
                let is_counted = category.is_some_and(|&c| self.counts(at, 1 << c));
                if let Some(seen) = seen.get_mut(pair)
                    && is_counted
                    && !word.is_code
                {
                    *(if side.is_right {
                        &mut seen.right
                    } else {
                        &mut seen.left
                    }) = Some(at);
                }
            }
        }
    }

    /// A query of one telling word means what that word is acted upon in.
    fn count_single_word(&mut self) {
        let mut telling = self
            .words
            .iter()
            .enumerate()
            .filter(|(_, word)| word.is_telling);
        let (Some((at, word)), None) = (telling.next(), telling.next()) else {
            return;
        };
        let Some(stem) = word
            .stem
            .and_then(|s| self.matcher.stems.get(usize::from(s)))
        else {
            return;
        };
        for side in stem.sides.of(self.matcher.sides) {
            let Some(&category) = self.matcher.pairs.get(usize::from(side.pair)) else {
                continue;
            };
            let score = self.scores.get(usize::from(category));
            if side.is_right && score == Some(&0) && self.counts(at, 1 << category) {
                use_words(&mut self.marks, at, at + 1);
                self.add(category, SCORE_PAIR);
            }
        }
    }

    fn add(&mut self, category: u8, score: u32) {
        if let Some(sum) = self.scores.get_mut(usize::from(category)) {
            *sum = sum.saturating_add(score);
        }
    }

    fn finish(mut self, query: &Query<'_>) -> Search<'m> {
        let mut found = Search::default();
        for name in query
            .names
            .iter()
            .filter_map(|&at| self.matcher.names.get(at))
        {
            self.add(name.category, SCORE_NAME);
            found.tools.push(self.matcher.text(name.text));
        }
        for (category, &score) in self.scores.iter().enumerate() {
            if score > 0 {
                found.categories.push(Ranked { category, score });
            }
        }
        sort(&mut found.categories);
        for (word, mark) in self.words.iter().zip(&self.marks) {
            // The words of a name that was found matched something.
            let is_named = word.is_code && !found.tools.is_empty();
            let is_new = word.is_telling && !mark.is_used && !is_named;
            if found.unmatched.len() == UNMATCHED_WORDS_MAX {
                break;
            }
            if is_new && !found.unmatched.iter().any(|known| known == word.text) {
                found.unmatched.push(word.text.to_owned());
            }
        }
        found
    }
}

fn use_words(marks: &mut [Mark], start: usize, end: usize) {
    for mark in marks.iter_mut().take(end).skip(start) {
        mark.is_used = true;
    }
}
