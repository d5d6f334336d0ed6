//! The nearest known word to a misspelt one, and a word as a message shows it.

/// Longest word, in characters, for which a nearest one is looked for.
const WORD_CHARS_MAX: usize = 64;

/// Longest piece of the user's own text, in characters, that a message repeats.
const QUOTE_CHARS_MAX: usize = 80;

/// Shortest beginning, in characters, that counts as an abbreviation.
const PREFIX_CHARS_MIN: usize = 3;

/// The candidate nearest to `word`: the only one that it begins, else the one fewest edits away, at
/// most a third of the word's characters and at most three. Ties go to the first candidate. `None` if `word` is longer than
/// 64 characters or nothing is near.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let chars: Vec<char> = word.chars().take(WORD_CHARS_MAX + 1).collect();
    if chars.is_empty() || chars.len() > WORD_CHARS_MAX {
        return None;
    }
    let edits_max = (chars.len() / 3).clamp(1, 3);
    let mut best: Option<(usize, &str)> = None;
    let mut begun = Vec::new();
    for candidate in candidates {
        if chars.len() >= PREFIX_CHARS_MIN && candidate.starts_with(word) {
            begun.push(candidate);
        }
        let edits = distance(&chars, candidate);
        if edits <= edits_max && edits < chars.len() && best.is_none_or(|(least, _)| edits < least)
        {
            best = Some((edits, candidate));
        }
    }
    match begun[..] {
        [only] => Some(only),
        _ => best.map(|(_, candidate)| candidate),
    }
}

/// Insertions, deletions, substitutions and swaps of neighbours between two words (optimal string
/// alignment). Beyond twice [`WORD_CHARS_MAX`] a candidate is as good as infinitely far.
fn distance(word: &[char], candidate: &str) -> usize {
    let known: Vec<char> = candidate.chars().take(2 * WORD_CHARS_MAX).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=known.len()).collect();
    for (i, &a) in word.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &b) in known.iter().enumerate() {
            let mut fewest = (last[j] + usize::from(a != b))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            let is_swap = i > 0 && j > 0 && a == known[j - 1] && word[i - 1] == b;
            if is_swap {
                fewest = fewest.min(before[j - 1] + 1);
            }
            row.push(fewest);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[known.len()]
}

/// `text` between backticks, fit for a message: control characters escaped, cut after 80
/// characters.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::from("`");
    let mut chars = text.chars();
    for char in chars.by_ref().take(QUOTE_CHARS_MAX) {
        if char.is_control() {
            quoted.extend(char.escape_default());
        } else {
            quoted.push(char);
        }
    }
    if chars.next().is_some() {
        quoted.push('…');
    }
    quoted.push('`');
    quoted
}
