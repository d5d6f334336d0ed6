//! A query → words that the catalog may know.

use super::tables::{Matcher, NUMBER, NUMBER_DIGITS, letter_mask};
use crate::words;

/// This many words of a query are looked at; the rest is as if it were not there.
pub(crate) const QUERY_WORDS_MAX: usize = 512;

/// A typed word has this many letters at least to be taken for a mistyped one of six or more.
const TYPED_LETTERS_MIN: usize = 5;

/// A word of a query. Articles, pronouns and the like are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    /// As it stands in the query.
    pub(super) text: &'a str,
    /// Its place among the catalog's stems.
    pub(super) stem: Option<u16>,
    /// It says something by itself: no preposition, no question word.
    pub(super) is_telling: bool,
    /// It stands in a path, an identifier or backticks, and says little of what is wanted.
    pub(super) is_code: bool,
    /// A sentence ends before it.
    pub(super) begins_sentence: bool,
}

/// A query, read.
pub(super) struct Query<'a> {
    pub(super) words: Vec<Word<'a>>,
    /// Exact names of tools, as places in the matcher's names, in the query's order.
    pub(super) names: Vec<usize>,
}

/// Reads `text`. If it is nothing but code, its words count like any others: a model asks for
/// `git_status` when there is no such tool.
pub(super) fn read<'a>(matcher: &Matcher<'_>, text: &'a str) -> Query<'a> {
    let mut reader = Reader {
        matcher,
        words: Vec::new(),
        names: Vec::new(),
        folded: String::new(),
        is_quoted: false,
        begins_sentence: false,
    };
    reader.name(text.trim());
    for piece in text.split_whitespace() {
        if reader.words.len() >= QUERY_WORDS_MAX {
            break;
        }
        reader.piece(piece);
    }
    if reader.words.iter().all(|word| word.is_code) {
        for word in &mut reader.words {
            word.is_code = false;
        }
    }
    Query {
        words: reader.words,
        names: reader.names,
    }
}

struct Reader<'m, 'a> {
    matcher: &'m Matcher<'m>,
    words: Vec<Word<'a>>,
    names: Vec<usize>,
    /// Used again for each word.
    folded: String,
    /// Within backticks.
    is_quoted: bool,
    begins_sentence: bool,
}

impl<'a> Reader<'_, 'a> {
    /// What stands between two blanks.
    fn piece(&mut self, piece: &'a str) {
        let ticks = piece.bytes().filter(|b| *b == b'`').count();
        let was_quoted = self.is_quoted;
        self.is_quoted ^= ticks % 2 == 1;
        let is_code = was_quoted || ticks > 0 || is_code(piece);
        for run in piece.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-') {
            if was_quoted || ticks > 0 || run.contains(['_', '-']) || has_hump(run) {
                self.name(run);
            }
        }
        for chunk in words::chunks(piece) {
            if self.words.len() < QUERY_WORDS_MAX {
                self.chunk(chunk.text, is_code);
            }
        }
        if piece.ends_with(['.', '!', '?', ';', '。', '！', '？']) {
            self.begins_sentence = true;
        }
    }

    /// Notes the tool that is called exactly so, in whichever way code writes names.
    fn name(&mut self, run: &str) {
        const NAME_BYTES_MAX: usize = 64;
        if run.is_empty() || run.len() > NAME_BYTES_MAX || run.contains(char::is_whitespace) {
            return;
        }
        let mut name = String::with_capacity(run.len() + 2);
        for part in words::parts(run) {
            if part.is_hump && !name.ends_with(['_', '-']) {
                name.push('_');
            }
            words::fold_into(part.text, &mut name);
        }
        let name = name.replace('-', "_");
        let place = self
            .matcher
            .names
            .binary_search_by(|row| self.matcher.text(row.text).cmp(&name));
        if let Ok(place) = place
            && !self.names.contains(&place)
        {
            self.names.push(place);
        }
    }

    /// A word as a whole if the catalog knows it so (`GitHub`), its parts otherwise (`port3000`).
    fn chunk(&mut self, text: &'a str, is_code: bool) {
        let is_known = self.look_up(text).is_some() || self.is_plain(text);
        if is_known || words::parts(text).nth(1).is_none() {
            self.word(text, is_code);
            return;
        }
        let is_code = is_code || has_hump(text);
        let room = QUERY_WORDS_MAX.saturating_sub(self.words.len());
        for part in words::parts(text).take(room) {
            self.word(part.text, is_code);
        }
    }

    fn word(&mut self, text: &'a str, is_code: bool) {
        let mut stem = self.look_up(text);
        // `self.folded` now holds the stem; what the word is, its unstemmed form says.
        let typed = text.chars().count();
        let stemmed = std::mem::take(&mut self.folded);
        words::fold_into(text, &mut self.folded);
        let is_filler = words::is_filler(&self.folded);
        let is_telling = !words::is_stop_word(&self.folded);
        if stem.is_none() && is_telling && typed >= TYPED_LETTERS_MIN {
            stem = self.mistyped(&stemmed);
        }
        if is_filler {
            return;
        }
        self.words.push(Word {
            text,
            stem,
            is_telling,
            is_code,
            begins_sentence: std::mem::take(&mut self.begins_sentence),
        });
    }

    /// The stem of a word, if the catalog knows it; leaves the text of the stem in `folded`.
    fn look_up(&mut self, text: &str) -> Option<u16> {
        self.folded.clear();
        words::fold_into(text, &mut self.folded);
        let is_number = self.folded.bytes().all(|b| b.is_ascii_digit());
        words::stem(&mut self.folded);
        self.matcher.stem(&self.folded).or_else(|| {
            (is_number && NUMBER_DIGITS.contains(&self.folded.len()))
                .then(|| self.matcher.stem(NUMBER))
                .flatten()
        })
    }

    /// Whether a word is an ordinary one that the catalog need not know.
    fn is_plain(&mut self, text: &str) -> bool {
        self.folded.clear();
        words::fold_into(text, &mut self.folded);
        words::is_stop_word(&self.folded)
    }

    /// The long stem with rules of its own that lies one edit from `stemmed`; of several, one
    /// that begins with the same letter.
    fn mistyped(&self, stemmed: &str) -> Option<u16> {
        const LETTERS_APART_MAX: u32 = 2;
        if !stemmed.chars().all(char::is_alphabetic) {
            return None;
        }
        let letters = letter_mask(stemmed);
        let mut found = None;
        for (place, stem) in self.matcher.stems.iter().enumerate() {
            let is_near = stem.is_long
                && (stem.letters ^ letters).count_ones() <= LETTERS_APART_MAX
                && usize::from(stem.text.length).abs_diff(stemmed.len()) <= 4;
            let text = self.matcher.text(stem.text);
            if is_near && words::is_one_edit(text, stemmed) {
                let is_same = text.chars().next() == stemmed.chars().next();
                let place = u16::try_from(place).ok();
                if is_same {
                    return place;
                }
                found = found.or(place);
            }
        }
        found
    }
}

/// Whether a capital follows a small letter, as in `killProcess`.
fn has_hump(run: &str) -> bool {
    words::parts(run).any(|part| part.is_hump)
}

/// Whether a piece between blanks is a path, an address or an identifier.
fn is_code(piece: &str) -> bool {
    let piece = piece.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '~' | '_'));
    if piece.contains('_') || piece.contains("::") || piece.contains("://") || piece.contains("()")
    {
        return true;
    }
    if piece.starts_with(['/', '~']) && piece.len() > 1 || piece.matches('/').count() > 1 {
        return true;
    }
    // `lib.rs`, `config.toml`, `api.example.com`; but `0.0.0.0` and a full stop are none.
    piece
        .split('.')
        .skip(1)
        .any(|after| after.starts_with(char::is_alphabetic))
}
