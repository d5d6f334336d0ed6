//! Time: a clock that never goes back, and the calendar's.

use std::time::Duration;

/// A point on the clock that never goes back: time since the program started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Moment(pub(crate) Duration);

impl Moment {
    /// The moment `wait` after this one.
    pub(crate) fn after(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(wait))
    }

    /// How long from `earlier` to this; zero if it is not earlier.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// A point on the calendar: seconds since 1970-01-01 UTC, the part of a second, and the offset of local time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wall {
    pub(crate) unix_seconds: i64,
    pub(crate) nanos: u32,
    /// Seconds east of UTC.
    pub(crate) offset_seconds: i32,
}

/// The only clock.
pub(crate) trait Clock: Send + Sync {
    fn now(&self) -> Moment;
    fn wall(&self) -> Wall;
}
