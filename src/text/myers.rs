//! The shortest edit script of two sequences, by Myers' greedy O(ND) algorithm, within bounds.

use std::collections::HashMap;

/// Edits up to which a script is looked for; the rows kept for the way back then take 16 MB.
const EDITS_MAX: usize = 2_000;
/// Comparisons that looking for scripts may take in one difference.
const STEPS_MAX: usize = 40_000_000;

/// A place where `old` and `new` are the same: `length` elements from these offsets on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) old: usize,
    pub(super) new: usize,
    pub(super) length: usize,
}

/// The runs that `old` and `new` have in common, in order, shortest script first choice. Where that is too much
/// work, elements that occur once in both split the task; what is still too much counts as wholly different.
pub(super) fn shared_runs(old: &[u32], new: &[u32]) -> Vec<Run> {
    let mut search = Search {
        old,
        new,
        steps: STEPS_MAX,
        runs: Vec::new(),
    };
    search.between((0, 0), (old.len(), new.len()), true);
    search.runs
}

struct Search<'a> {
    old: &'a [u32],
    new: &'a [u32],
    /// Comparisons that are left.
    steps: usize,
    runs: Vec<Run>,
}

impl Search<'_> {
    /// Finds the runs from offsets `from` up to offsets `to`.
    fn between(&mut self, from: (usize, usize), to: (usize, usize), may_split: bool) {
        let old = self.old.get(from.0..to.0).unwrap_or_default();
        let new = self.new.get(from.1..to.1).unwrap_or_default();
        let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let old = old.get(head..).unwrap_or_default();
        let new = new.get(head..).unwrap_or_default();
        let pairs = old.iter().rev().zip(new.iter().rev());
        let tail = pairs.take_while(|(a, b)| a == b).count();
        let old = old.get(..old.len() - tail).unwrap_or_default();
        let new = new.get(..new.len() - tail).unwrap_or_default();
        let start = (from.0 + head, from.1 + head);
        self.push(from, head);
        if old.is_empty() || new.is_empty() {
            // Nothing but removed or added elements.
        } else if let Some(runs) = script(old, new, &mut self.steps) {
            for run in runs {
                self.push((start.0 + run.old, start.1 + run.new), run.length);
            }
        } else if may_split {
            self.split(start, &anchors(old, new), (old.len(), new.len()));
        }
        self.push((to.0 - tail, to.1 - tail), tail);
    }

    /// Finds the runs between anchors, which are relative to `start`.
    fn split(&mut self, start: (usize, usize), anchors: &[(usize, usize)], size: (usize, usize)) {
        let mut from = start;
        for anchor in anchors {
            let to = (start.0 + anchor.0, start.1 + anchor.1);
            self.between(from, to, false);
            self.push(to, 1);
            from = (to.0 + 1, to.1 + 1);
        }
        self.between(from, (start.0 + size.0, start.1 + size.1), false);
    }

    /// Adds a run, or makes the last one longer.
    fn push(&mut self, at: (usize, usize), length: usize) {
        if length == 0 {
            return;
        }
        match self.runs.last_mut() {
            Some(last) if (last.old + last.length, last.new + last.length) == at => {
                last.length += length;
            }
            _ => self.runs.push(Run {
                old: at.0,
                new: at.1,
                length,
            }),
        }
    }
}

/// The common runs of the shortest script, or `None` if it has too many edits or took too many of `steps`.
fn script(old: &[u32], new: &[u32], steps: &mut usize) -> Option<Vec<Run>> {
    let edits_max = (old.len() + new.len()).min(EDITS_MAX);
    // Diagonal k = x − y is at k + edits_max + 1. `ends` holds the furthest x on each.
    let mut ends = vec![0_u32; 2 * edits_max + 3];
    // Of each number of edits the ends of the diagonals −d..=d as they were before it.
    let mut history: Vec<Vec<u32>> = Vec::new();
    for d in 0..=edits_max {
        history.push(ends.get(edits_max - d + 1..edits_max + d + 2)?.to_vec());
        for step in 0..=d {
            let place = edits_max + 1 + 2 * step - d;
            let (below, above) = (ends[place - 1], ends[place + 1]);
            let is_down = step == 0 || (step != d && below < above);
            let mut x = if is_down { above } else { below + 1 } as usize;
            // The y of x on diagonal 2·step − d.
            let mut y = (x + d).checked_sub(2 * step)?;
            let snake = old.iter().skip(x).zip(new.iter().skip(y));
            let length = snake.take_while(|(a, b)| a == b).count();
            (x, y) = (x + length, y + length);
            *steps = steps.checked_sub(length + 1)?;
            ends[place] = u32::try_from(x).ok()?;
            if x >= old.len() && y >= new.len() {
                return way_back(&history, (old.len(), new.len()));
            }
        }
    }
    None
}

/// Follows the script from its end to its beginning.
fn way_back(history: &[Vec<u32>], end: (usize, usize)) -> Option<Vec<Run>> {
    let mut runs = Vec::new();
    let (mut x, mut y) = end;
    for (d, ends) in history.iter().enumerate().rev() {
        // Here diagonal k is at k + d.
        let place = (x + d).checked_sub(y)?;
        let (from, is_down) = if d == 0 {
            (0, true)
        } else {
            let end_of = |place: Option<usize>| place.and_then(|place| ends.get(place)).copied();
            let below = end_of(place.checked_sub(1));
            let above = end_of(place.checked_add(1));
            let is_down = place == 0 || (place != 2 * d && below < above);
            (if is_down { above? } else { below? } as usize, is_down)
        };
        let start = match (d, is_down) {
            (0, _) => 0,
            (_, true) => from,
            (_, false) => from + 1,
        };
        let length = x.checked_sub(start)?;
        if length > 0 {
            runs.push(Run {
                old: start,
                new: y.checked_sub(length)?,
                length,
            });
        }
        if d > 0 {
            y = y.checked_sub(length + usize::from(is_down))?;
            x = from;
        }
    }
    runs.reverse();
    Some(runs)
}

/// Pairs of offsets of elements that occur once in each, as many as are in the same order in both.
fn anchors(old: &[u32], new: &[u32]) -> Vec<(usize, usize)> {
    let places = once(new);
    let once_in_old = once(old);
    let pairs: Vec<(usize, usize)> = old
        .iter()
        .enumerate()
        .filter(|(_, element)| matches!(once_in_old.get(*element), Some(Some(_))))
        .filter_map(|(place, element)| Some((place, (*places.get(element)?)?)))
        .collect();
    // The longest increasing subsequence, by the last element of the best one of each length.
    let mut best: Vec<usize> = Vec::new();
    let mut previous: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let length = best.partition_point(|&other| pairs[other].1 < pair.1);
        previous.push(length.checked_sub(1).map(|last| best[last]));
        if length == best.len() {
            best.push(index);
        } else {
            best[length] = index;
        }
    }
    let mut chain = Vec::with_capacity(best.len());
    let mut at = best.last().copied();
    while let Some(index) = at {
        chain.push(pairs[index]);
        at = previous[index];
    }
    chain.reverse();
    chain
}

/// The place of each element that occurs once; `None` for the others.
fn once(elements: &[u32]) -> HashMap<u32, Option<usize>> {
    let mut places = HashMap::with_capacity(elements.len());
    for (place, &element) in elements.iter().enumerate() {
        places
            .entry(element)
            .and_modify(|known| *known = None)
            .or_insert(Some(place));
    }
    places
}
