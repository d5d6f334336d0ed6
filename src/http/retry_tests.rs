//! The policy, row by row, and waits against the reports that made them necessary.

use std::time::Duration;

use super::{Failure, Verdict, after, asked_wait};
use crate::http::FaultKind;
use crate::http::fault::Phase;
use crate::wire::{Fields, ResponseHead};

const NOW: i64 = 1_772_366_400;

fn head(status: u16, fields: &[(&str, &str)]) -> ResponseHead {
    let mut all = Fields::default();
    for (name, value) in fields {
        all.push(name, value);
    }
    ResponseHead {
        version_minor: 1,
        status,
        reason: String::new(),
        fields: all,
    }
}

fn ms(count: u64) -> Verdict {
    Verdict::After(Duration::from_millis(count))
}

fn verdict(status: u16, fields: &[(&str, &str)]) -> Verdict {
    let head = head(status, fields);
    after(
        1,
        3,
        Failure::Response {
            head: &head,
            is_permanent: false,
        },
        false,
        NOW,
        0,
    )
}

#[test]
fn only_passing_failures_are_tried_again() {
    for status in [408, 429, 500, 502, 503, 504, 529] {
        assert_eq!(verdict(status, &[]), ms(500), "{status}");
    }
    for status in [
        200, 302, 400, 401, 402, 403, 404, 409, 413, 421, 422, 424, 466, 499, 501,
    ] {
        assert_eq!(verdict(status, &[]), Verdict::Stop, "{status}");
    }
    let known = head(500, &[]);
    let failure = Failure::Response {
        head: &known,
        is_permanent: true,
    };
    assert_eq!(after(1, 3, failure, false, NOW, 0), Verdict::Stop);
}

#[test]
fn faults_are_tried_again_only_before_there_was_a_connection() {
    let of = |kind| after(1, 3, Failure::Fault(kind), false, NOW, 0);
    for kind in [
        FaultKind::Resolve,
        FaultKind::Refused,
        FaultKind::Unreachable,
        FaultKind::Connect,
        FaultKind::Proxy,
        FaultKind::Timeout(Phase::Connect),
        FaultKind::Timeout(Phase::Resolve),
    ] {
        assert_eq!(of(kind), ms(500), "{kind:?}");
    }
    for kind in [
        FaultKind::Config,
        FaultKind::NoResponse,
        FaultKind::Truncated,
        FaultKind::Protocol,
        FaultKind::Tls,
        FaultKind::Limit,
        FaultKind::Cancelled,
        FaultKind::Timeout(Phase::Write),
        FaultKind::Timeout(Phase::Head),
        FaultKind::Timeout(Phase::Idle),
        FaultKind::Timeout(Phase::Total),
    ] {
        assert_eq!(of(kind), Verdict::Stop, "{kind:?}");
    }
}

#[test]
fn waits_double_up_to_a_cap_and_chance_takes_up_to_a_quarter() {
    let of = |tries, jitter| {
        after(
            tries,
            u32::MAX,
            Failure::Fault(FaultKind::Refused),
            false,
            NOW,
            jitter,
        )
    };
    let waits = [500, 1000, 2000, 4000, 8000, 8000, 8000];
    for (at, wait) in waits.iter().enumerate() {
        let tries = u32::try_from(at).unwrap() + 1;
        assert_eq!(
            (of(tries, 0), of(tries, 255)),
            (ms(*wait), ms(wait - wait / 4))
        );
    }
    assert_eq!(of(u32::MAX, 0), ms(8000));
}

#[test]
fn tries_are_counted_and_nothing_shown_is_said_twice() {
    let of = |tries, retries_max, is_shown| {
        after(
            tries,
            retries_max,
            Failure::Fault(FaultKind::Refused),
            is_shown,
            NOW,
            0,
        )
    };
    assert_eq!(of(3, 3, false), ms(2000));
    assert_eq!(of(4, 3, false), Verdict::Stop);
    assert_eq!(of(1, 0, false), Verdict::Stop);
    assert_eq!(of(1, 3, true), Verdict::Stop);
}

#[test]
fn the_server_may_say_whether() {
    assert_eq!(verdict(503, &[("x-should-retry", "false")]), Verdict::Stop);
    assert_eq!(verdict(409, &[("X-Should-Retry", "TRUE")]), ms(500));
    assert_eq!(verdict(401, &[("x-should-retry", "true")]), Verdict::Stop);
    assert_eq!(verdict(503, &[("x-should-retry", "maybe")]), ms(500));
}

#[test]
fn the_server_may_say_when() {
    let cases: &[(&[(&str, &str)], Verdict)] = &[
        (&[("Retry-After", "7")], ms(7000)),
        (&[("Retry-After", "0.25")], ms(250)),
        (&[("Retry-After", "120")], ms(120_000)),
        (
            &[("retry-after-ms", "1500"), ("Retry-After", "7")],
            ms(1500),
        ),
        (
            &[("retry-after-ms", "soon"), ("Retry-After", "7")],
            ms(7000),
        ),
        // 58 hours (copilot-cli#2696).
        (
            &[("Retry-After", "208800")],
            Verdict::TooLong(Duration::from_hours(58)),
        ),
        (
            &[("Retry-After", "120.001")],
            Verdict::TooLong(Duration::from_millis(120_001)),
        ),
        // Not ahead, or no time: our own wait (openai-java#853, mastra#23778).
        (&[("Retry-After", "0")], ms(500)),
        (&[("Retry-After", "-3")], ms(500)),
        (&[("Retry-After", "")], ms(500)),
        (&[("Retry-After", "inf")], ms(500)),
        (&[("Retry-After", "NaN")], ms(500)),
        (&[("Retry-After", "1e3")], ms(500)),
        (&[("Retry-After", "99999999999999999999999999")], ms(500)),
        (&[("Retry-After", "tomorrow")], ms(500)),
    ];
    for (fields, expected) in cases {
        assert_eq!(verdict(429, fields), *expected, "{fields:?}");
    }
}

#[test]
fn dates_are_read_by_the_clock_of_the_server() {
    // 1994-11-06 08:49:37 UTC is 784111777 by RFC 9110's example and `date -d`.
    let then = ("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT");
    let of = |fields: &[(&str, &str)], now| asked_wait(&head(429, fields).fields, now);
    let seconds = |count| Some(Duration::from_secs(count));
    assert_eq!(
        of(&[then, ("Date", "Sun, 06 Nov 1994 08:49:07 GMT")], NOW),
        seconds(30)
    );
    assert_eq!(
        of(&[then, ("Date", "Sun, 06 Nov 1994 08:49:37 GMT")], 0),
        None
    );
    assert_eq!(
        of(&[then, ("Date", "Sun, 06 Nov 1994 08:50:00 GMT")], 0),
        None
    );
    assert_eq!(of(&[then], 784_111_770), seconds(7));
    assert_eq!(of(&[then, ("Date", "today")], 784_111_770), seconds(7));
    assert_eq!(of(&[then], NOW), None);
}
