//! Text for people: its width, cuts, what a terminal may see of it, differences, near misses.

mod cut;
mod diff;
mod lossy;
mod myers;
mod nearest;
mod sanitize;
mod style;
mod width;
mod width_table;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use self::cut::{cut_head, cut_middle, one_line};
pub(crate) use self::diff::unified;
#[cfg(test)]
pub(crate) use self::diff::{Diff, NOWHERE};
pub(crate) use self::lossy::lossy;
pub(crate) use self::nearest::nearest;
pub(crate) use self::sanitize::sanitize;
pub(crate) use self::style::{Paint, Style};
pub(crate) use self::width::cells;
