//! Joins the halves of a character that a server cut between two pieces of one text.

use std::borrow::Cow;

use crate::json::{Edge, Half};

/// The lone halves at the edges of one string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Edges {
    /// The string's first character stands for this low half.
    low: Option<u16>,
    /// The string's last character stands for this high half.
    high: Option<u16>,
}

impl Edges {
    /// Those of the string that `path` leads to. The path is made only if there are halves at all.
    pub(super) fn of(halves: &[Half], path: impl FnOnce() -> String) -> Self {
        let mut edges = Self::default();
        if halves.is_empty() {
            return edges;
        }
        let path = path();
        for half in halves.iter().filter(|half| half.path == path) {
            match half.edge {
                Edge::BeginsLow => edges.low = Some(half.unit),
                Edge::EndsHigh => edges.high = Some(half.unit),
            }
        }
        edges
    }
}

/// A text that comes in pieces, with the high half that the last one ended in.
#[derive(Debug, Default)]
pub(super) struct Joiner {
    high: Option<u16>,
}

impl Joiner {
    /// The next piece as it is to be appended.
    pub(super) fn join<'a>(&mut self, piece: &'a str, edges: Edges) -> Cow<'a, str> {
        if piece.is_empty() || (self.high.is_none() && edges == Edges::default()) {
            return Cow::Borrowed(piece);
        }
        let before = self.high.take();
        let mut out = String::with_capacity(piece.len() + 8);
        let mut rest = piece.chars();
        match (before, edges.low) {
            (Some(high), Some(low)) => {
                rest.next();
                match Half::join(high, low) {
                    Some(joined) => out.push(joined),
                    None => out.push_str("\u{fffd}\u{fffd}"),
                }
            }
            (Some(_), None) => out.push('\u{fffd}'),
            (None, _) => {}
        }
        if edges.high.is_some() {
            rest.next_back();
            self.high = edges.high;
        }
        out.push_str(rest.as_str());
        Cow::Owned(out)
    }

    /// What is still to be appended at the end.
    pub(super) fn finish(&mut self) -> &'static str {
        if self.high.take().is_some() {
            "\u{fffd}"
        } else {
            ""
        }
    }
}
