//! When a request to a model is sent again, and after how long. A repeated POST may be billed twice, so: seldom.

use std::time::Duration;

use crate::calendar::parse_http_date;
use crate::http::fault::FaultKind;
use crate::wire::{Fields, ResponseHead};

/// The longest time that a server may ask us to wait, in seconds; if it asks for more, a person decides.
pub(crate) const RETRY_AFTER_SECONDS_MAX: u64 = 120;
/// The first wait of our own, in milliseconds; each further one is twice as long.
const BACKOFF_MS: u64 = 500;
/// The longest wait of our own, in milliseconds.
const BACKOFF_MS_MAX: u64 = 8000;

/// What failed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Failure<'a> {
    /// There was no response, or none that could be read.
    Fault(FaultKind),
    /// The server said no.
    Response {
        head: &'a ResponseHead,
        /// The body says that trying again is no use.
        is_permanent: bool,
    },
}

/// Whether to try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// After so long.
    After(Duration),
    /// No.
    Stop,
    /// No: the server asks for a longer wait than [`RETRY_AFTER_SECONDS_MAX`].
    TooLong(Duration),
}

/// Says whether to try again after the failure of try number `tries` (1 for the first) when `retries_max` further ones are
/// allowed. `is_shown`: something of the answer was shown. `now`: the wall clock in seconds since 1970, for a server that
/// names a date but not its own. `jitter`: any random byte.
pub(crate) fn after(
    tries: u32,
    retries_max: u32,
    failure: Failure<'_>,
    is_shown: bool,
    now: i64,
    jitter: u8,
) -> Verdict {
    if is_shown || tries > retries_max {
        return Verdict::Stop;
    }
    let asked = match failure {
        Failure::Fault(kind) if kind.is_connect() => None,
        Failure::Fault(_) => return Verdict::Stop,
        Failure::Response { head, is_permanent } => {
            if !is_worth_it(head, is_permanent) {
                return Verdict::Stop;
            }
            asked_wait(&head.fields, now)
        }
    };
    match asked {
        Some(wait) if wait > Duration::from_secs(RETRY_AFTER_SECONDS_MAX) => Verdict::TooLong(wait),
        Some(wait) => Verdict::After(wait),
        None => Verdict::After(backoff(tries, jitter)),
    }
}

/// Whether the same request may succeed later.
fn is_worth_it(head: &ResponseHead, is_permanent: bool) -> bool {
    // The request itself is at fault, whatever else the server says.
    if matches!(
        head.status,
        200..=399 | 400 | 401 | 402 | 403 | 404 | 413 | 421 | 422 | 466
    ) {
        return false;
    }
    match head.fields.get("x-should-retry") {
        Some(value) if value.eq_ignore_ascii_case("true") => true,
        Some(value) if value.eq_ignore_ascii_case("false") => false,
        _ => match head.status {
            408 | 429 | 502 | 503 | 504 | 529 => true,
            500 => !is_permanent,
            _ => false,
        },
    }
}

/// How long the server asks to wait: `retry-after-ms`, else `Retry-After` in seconds, with a fraction even, or as a date
/// against the response's own `Date`. Nothing that is not ahead.
pub(crate) fn asked_wait(fields: &Fields, now: i64) -> Option<Duration> {
    let millis = fields
        .get("retry-after-ms")
        .and_then(parse_number)
        .map(|millis| millis / 1000.0);
    let after = fields.get("Retry-After");
    let seconds = millis.or_else(|| after.and_then(parse_number));
    if let Some(seconds) = seconds {
        return Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|wait| !wait.is_zero());
    }
    let own_now = fields
        .get("Date")
        .and_then(|date| parse_http_date(date, now))
        .unwrap_or(now);
    let then = parse_http_date(after?, own_now)?;
    let seconds = u64::try_from(then.checked_sub(own_now)?).ok()?;
    (seconds > 0).then(|| Duration::from_secs(seconds))
}

/// Digits with an optional sign and fraction; no `inf`, no exponent.
fn parse_number(text: &str) -> Option<f64> {
    let is_number = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte));
    if is_number { text.parse().ok() } else { None }
}

/// Our own wait after try number `tries`: up to a quarter less by chance, so that many clients do not come at once.
fn backoff(tries: u32, jitter: u8) -> Duration {
    let doublings = tries.saturating_sub(1).min(16);
    let millis = (BACKOFF_MS << doublings).min(BACKOFF_MS_MAX);
    Duration::from_millis(millis - millis / 4 * u64::from(jitter) / 255)
}

#[cfg(test)]
#[path = "retry_tests.rs"]
mod tests;
