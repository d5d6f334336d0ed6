//! The clocks.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::world::{Clock, Moment, Wall};

/// When time began for this process: the first look at the clock.
static START: OnceLock<Instant> = OnceLock::new();

/// The moment now.
pub(super) fn now() -> Moment {
    Moment(START.get_or_init(Instant::now).elapsed())
}

/// The machine's clocks.
pub(super) struct HostClock;

impl Clock for HostClock {
    fn now(&self) -> Moment {
        now()
    }

    /// In UTC: local zones are not read yet.
    fn wall(&self) -> Wall {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Wall {
            unix_seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
            nanos: since.subsec_nanos(),
            offset_seconds: 0,
        }
    }
}
