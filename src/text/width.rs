//! How many terminal cells text takes.

use std::cmp::Ordering;

use super::sanitize::{is_unsafe, shown_cells};
use super::width_table::{WIDE, ZERO};

/// Joins what stands before and after it into one picture.
pub(super) const JOINER: char = '\u{200d}';

/// The cells of a character as it is shown (see [`super::sanitize`]): 0 for what joins or combines and for a
/// line end, 2 for wide ones, 1 for all others, and for a tab, which the caller may widen.
pub(crate) fn char_cells(c: char) -> usize {
    if (' '..='~').contains(&c) || c == '\t' {
        1
    } else if is_unsafe(c) {
        shown_cells(c)
    } else if c == '\n' || is_in(ZERO, c) {
        0
    } else if is_in(WIDE, c) {
        2
    } else {
        1
    }
}

/// The cells of a text in one line; what a joiner joins takes no more cells than what it is joined to.
pub(crate) fn cells(text: &str) -> usize {
    let mut is_joined = false;
    let mut sum = 0;
    for c in text.chars() {
        if !(is_joined || is_skin_tone(c) && sum > 1) {
            sum += char_cells(c);
        }
        is_joined = c == JOINER;
    }
    sum
}

/// Whether a character belongs to the one before it: combining marks, joiners, variation selectors, skin tones.
pub(super) fn is_continuing(c: char) -> bool {
    c > '~' && !is_unsafe(c) && (is_in(ZERO, c) || is_skin_tone(c))
}

fn is_skin_tone(c: char) -> bool {
    ('\u{1f3fb}'..='\u{1f3ff}').contains(&c)
}

fn is_in(table: &[(u32, u32)], c: char) -> bool {
    let code = u32::from(c);
    let found = table.binary_search_by(|&(first, last)| {
        if last < code {
            Ordering::Less
        } else if first > code {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    });
    found.is_ok()
}
