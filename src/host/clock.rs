//! The clocks of the system.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::world::{Clock, Moment, Wall};

/// The system's clocks; moments count from when this was made.
pub(super) struct SystemClock {
    start: Instant,
}

impl SystemClock {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Moment {
        Moment(self.start.elapsed())
    }

    /// The offset is 0: local zones need the zone files, which `calendar` will read.
    fn wall(&self) -> Wall {
        let (unix_seconds, nanos) = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => (seconds(since.as_secs()), since.subsec_nanos()),
            // Before 1970: the part of a second still counts forward.
            Err(error) => {
                let before = error.duration();
                match before.subsec_nanos() {
                    0 => (-seconds(before.as_secs()), 0),
                    nanos => (-seconds(before.as_secs()) - 1, 1_000_000_000 - nanos),
                }
            }
        };
        Wall {
            unix_seconds,
            nanos,
            offset_seconds: 0,
        }
    }
}

fn seconds(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_never_go_back_and_the_calendar_is_after_this_was_written() {
        let clock = SystemClock::new();
        let first = clock.now();
        assert!(clock.now() >= first);
        let wall = clock.wall();
        // 2026-01-01T00:00:00Z by `date -d`.
        assert!(wall.unix_seconds > 1_767_225_600);
        assert!(wall.nanos < 1_000_000_000);
        assert_eq!(wall.offset_seconds, 0);
    }
}
