//! The known word that a misspelt one was meant to be.

/// Longer words are not compared; nobody mistypes those.
const WORD_CHARS_MAX: usize = 64;

/// The only candidate that begins with `word`; else the one that takes the fewest edits (a letter changed, lost, added,
/// or swapped with the next), at most two or a third of its length. Case does not count; of equals the first wins.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().collect();
    if word.is_empty() || word.len() > WORD_CHARS_MAX {
        return None;
    }
    let edits_max = (word.len() / 3).max(2);
    let mut best: Option<(usize, &str)> = None;
    let mut beginning: Option<&str> = None;
    let mut beginnings = 0;
    for candidate in candidates {
        let letters: Vec<char> = candidate.to_lowercase().chars().collect();
        if letters.starts_with(&word) {
            beginning = Some(candidate);
            beginnings += 1;
        }
        if letters.len().abs_diff(word.len()) > edits_max {
            continue;
        }
        let edits = edits(&word, &letters);
        let is_near = edits <= edits_max && edits < word.len().min(letters.len());
        if is_near && best.is_none_or(|(fewest, _)| edits < fewest) {
            best = Some((edits, candidate));
        }
    }
    match (best, beginning) {
        (Some((0, same)), _) => Some(same),
        (_, Some(only)) if beginnings == 1 => Some(only),
        (best, _) => best.map(|(_, candidate)| candidate),
    }
}

/// The edits between two words: Damerau and Levenshtein's distance in which no letter is edited twice.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, to) in b.iter().enumerate() {
            let changed = last[j] + usize::from(from != to);
            let mut fewest = changed.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *from == b[j - 1] && a[i - 1] == *to {
                fewest = fewest.min(before_last[j - 1] + 1);
            }
            row.push(fewest);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(a.len())
}
