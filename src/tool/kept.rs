//! Former bytes of changed files, kept for as long as the program runs, up to a bound.

use std::collections::VecDeque;

use crate::tool::Change;

/// What a change itself takes, so that even changes of empty files come to an end.
const CHANGE_BYTES: usize = 100;
/// All former bytes together, with the paths; beyond it the oldest go.
pub(crate) const KEPT_BYTES_MAX: usize = 64_000_000;

/// What files held before calls changed them, oldest first.
#[derive(Debug, Default)]
pub(crate) struct KeptFiles {
    changes: VecDeque<Change>,
    bytes: usize,
    dropped: usize,
}

impl KeptFiles {
    /// Takes what a call changed.
    pub(crate) fn add(&mut self, changes: Vec<Change>) {
        for change in changes {
            self.bytes += size(&change);
            self.changes.push_back(change);
        }
        while KEPT_BYTES_MAX < self.bytes {
            let Some(oldest) = self.changes.pop_front() else {
                return;
            };
            self.bytes -= size(&oldest);
            self.dropped += 1;
        }
    }

    /// How many changes there were, and how many bytes of theirs are still kept.
    pub(crate) fn summary(&self) -> (usize, usize) {
        (self.changes.len() + self.dropped, self.bytes)
    }
}

fn size(change: &Change) -> usize {
    change.former.as_ref().map_or(0, Vec::len) + change.path.as_os_str().len() + CHANGE_BYTES
}
