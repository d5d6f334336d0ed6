//! Cuts text to a size without cutting a character, or what belongs to one, in two.

use std::borrow::Cow;

use super::sanitize::push_shown;
use super::width::{JOINER, cells, char_cells, is_continuing};

/// A cut moves so far to spare a sequence of joined characters; a longer one is cut between characters.
const SEQUENCE_BYTES_MAX: usize = 64;

/// The beginning of `text`, at most `bytes_max` bytes.
pub(crate) fn cut_head(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let border = text.floor_char_boundary(bytes_max);
    let lowest = text.floor_char_boundary(border.saturating_sub(SEQUENCE_BYTES_MAX));
    let mut at = border;
    while at >= lowest {
        if !is_inside(text, at) {
            return text.get(..at).unwrap_or_default();
        }
        at = text.floor_char_boundary(at - 1);
    }
    text.get(..border).unwrap_or_default()
}

/// The end of `text`, at most `bytes_max` bytes.
pub(crate) fn cut_tail(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let border = text.ceil_char_boundary(text.len() - bytes_max);
    let highest = text.ceil_char_boundary((border + SEQUENCE_BYTES_MAX).min(text.len()));
    let mut at = border;
    while at <= highest {
        if !is_inside(text, at) {
            return text.get(at..).unwrap_or_default();
        }
        at = text.ceil_char_boundary(at + 1);
    }
    text.get(border..).unwrap_or_default()
}

/// Whether a cut at `at` would part what belongs together: a mark and its base, a joined picture, CR and LF,
/// the two letters of a flag.
fn is_inside(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
    let (Some(left), Some(right)) = (before.chars().next_back(), after.chars().next()) else {
        return false;
    };
    let is_flag = |c: char| ('\u{1f1e6}'..='\u{1f1ff}').contains(&c);
    let is_second_letter = || {
        let letters = before.chars().rev().take(SEQUENCE_BYTES_MAX);
        letters.take_while(|&c| is_flag(c)).count() % 2 == 1
    };
    (left == JOINER && right > '~')
        || is_continuing(right)
        || (left == '\r' && right == '\n')
        || (is_flag(right) && is_second_letter())
}

/// `text` if it has at most `bytes_max` bytes; else its head and tail, four fifths and one, with a line
/// between them that says how much was left out. Never more than `bytes_max` bytes; where not even that
/// line has room, only the beginning.
pub(crate) fn cut_middle(text: &str, bytes_max: usize) -> Cow<'_, str> {
    if text.len() <= bytes_max {
        return Cow::Borrowed(text);
    }
    let line = |left_out: usize| format!("… ({left_out} bytes left out) …\n");
    // The number of bytes left out has at most as many digits as that of all bytes; one more for a line end.
    let Some(room) = bytes_max.checked_sub(line(text.len()).len() + 1) else {
        return Cow::Borrowed(cut_head(text, bytes_max));
    };
    let tail = cut_tail(text, room / 5);
    let head = cut_head(text, room - tail.len());
    let left_out = text.len() - head.len() - tail.len();
    let line_end = if head.is_empty() || head.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    Cow::Owned([head, line_end, &line(left_out), tail].concat())
}

/// The text in one line of at most `cells_max` cells: runs of blanks and line ends become one blank, what a
/// terminal would obey is made visible, and `…` stands for what has no room.
pub(crate) fn one_line(text: &str, cells_max: usize) -> String {
    let mut line = String::new();
    let mut used = 0;
    // Byte length of the longest beginning that leaves a cell for the ellipsis.
    let mut cut = 0;
    let mut is_joined = false;
    let mut is_blank_due = false;
    for c in text.chars() {
        if c.is_whitespace() {
            is_blank_due = !line.is_empty();
            continue;
        }
        let blank = usize::from(is_blank_due);
        let width = if is_joined { 0 } else { char_cells(c) };
        if used + blank + width > cells_max {
            line.truncate(cut);
            if cells_max > 0 {
                line.push('…');
            }
            return line;
        }
        if is_blank_due {
            line.push(' ');
        }
        push_shown(c, &mut line);
        used += blank + width;
        is_joined = c == JOINER;
        is_blank_due = false;
        if used < cells_max {
            cut = line.len();
        }
    }
    debug_assert!(cells(&line) <= cells_max);
    line
}
