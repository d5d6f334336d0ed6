//! Durations as people say them.

use std::time::Duration;

/// A duration in its two greatest units, rounded down: `2 h 5 min`, `1 min 3 s`, `1.5 s` below ten seconds, `350 ms`
/// below one.
pub(crate) fn words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let millis = duration.subsec_millis();
    match seconds {
        0 if millis > 0 => format!("{millis} ms"),
        1..10 if millis >= 100 => format!("{seconds}.{} s", millis / 100),
        0..60 => format!("{seconds} s"),
        60..3600 => pair(seconds / 60, "min", seconds % 60, "s"),
        3600..86_400 => pair(seconds / 3600, "h", seconds / 60 % 60, "min"),
        _ => pair(seconds / 86_400, "d", seconds / 3600 % 24, "h"),
    }
}

fn pair(great: u64, great_unit: &str, small: u64, small_unit: &str) -> String {
    match small {
        0 => format!("{great} {great_unit}"),
        _ => format!("{great} {great_unit} {small} {small_unit}"),
    }
}
