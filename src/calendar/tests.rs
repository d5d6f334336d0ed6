//! The calendar against examples of the RFCs and against Python's `datetime`.
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stderr,
    reason = "a second program gives the expected values, and a test without it says so"
)]

use std::process::Command;
use std::time::Duration;

use super::civil::{Date, SECONDS_PER_DAY, Weekday};
use super::http_date::format_http_date;
use super::*;

/// 2026-03-01 00:00 UTC.
const NOW: i64 = 1_772_323_200;

#[test]
fn http_dates_in_all_three_forms() {
    // The example of RFC 9110 §5.6.7; its seconds from `date -ud '1994-11-06 08:49:37' +%s`.
    for text in [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        " sun, 06 nov 1994 08:49:37 gmt ",
    ] {
        assert_eq!(parse_http_date(text, NOW), Some(784_111_777), "{text}");
    }
    assert_eq!(
        format_http_date(784_111_777),
        "Sun, 06 Nov 1994 08:49:37 GMT"
    );
}

#[test]
fn a_year_of_two_digits_is_at_most_fifty_years_ahead() {
    let year = |text: &str| {
        let seconds = parse_http_date(&format!("Monday, 01-Jan-{text} 00:00:00 GMT"), NOW);
        format_http_date(seconds.unwrap())[12..16].to_owned()
    };
    assert_eq!(year("26"), "2026");
    assert_eq!(year("76"), "2076");
    assert_eq!(year("77"), "1977");
    assert_eq!(year("00"), "2000");
}

#[test]
fn what_is_no_http_date() {
    for text in [
        "",
        "-3",
        "3",
        "120",
        "1994",
        "-1994",
        "soon",
        "Sun",
        "Sunday, soon",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 06 Nov 1994 08:49:37 +0100",
        "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Xxx, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nox 1994 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT GMT",
        "1994-11-06T08:49:37Z",
    ] {
        assert_eq!(parse_http_date(text, NOW), None, "{text}");
    }
}

#[test]
fn the_examples_of_rfc_3339() {
    // §5.8, with the equalities that it states.
    let parse = |text| parse_rfc3339(text).unwrap();
    assert_eq!(
        parse("1985-04-12T23:20:50.52Z"),
        Stamp {
            unix_seconds: 482_196_050,
            nanos: 520_000_000,
            offset_seconds: 0
        }
    );
    let west = parse("1996-12-19T16:39:57-08:00");
    assert_eq!(west.offset_seconds, -8 * 3600);
    assert_eq!(
        west.unix_seconds,
        parse("1996-12-20T00:39:57Z").unix_seconds
    );
    assert_eq!(format_rfc3339(west), "1996-12-19T16:39:57-08:00");
    let leap = parse("1990-12-31T23:59:60Z");
    assert_eq!(
        leap.unix_seconds,
        parse("1990-12-31T15:59:60-08:00").unix_seconds
    );
    assert_eq!(
        leap.unix_seconds,
        parse("1991-01-01T00:00:00Z").unix_seconds
    );
    let dutch = parse("1937-01-01T12:00:27.87+00:20");
    assert_eq!((dutch.offset_seconds, dutch.nanos), (20 * 60, 870_000_000));
    assert_eq!(format_rfc3339(dutch), "1937-01-01T12:00:27+00:20");
    assert_eq!(parse("2026-03-01t00:00:00.1234567899z").nanos, 123_456_789);
}

#[test]
fn what_is_no_rfc_3339_time() {
    for text in [
        "",
        "now",
        "2026-03-01",
        "2026-03-01T09:30:00",
        "2026-03-01T09:30Z",
        "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T00:60:00Z",
        "2026-03-01T00:00:61Z",
        "2026-03-01T00:00:00.Z",
        "2026-03-01T00:00:00+24:00",
        "2026-03-01T00:00:00+01:60",
        "2026-03-01T00:00:00+0100",
        "2026-03-01T00:00:00Z ",
        "-026-03-01T00:00:00Z",
        "+026-03-01T00:00:00Z",
        "2026-3-01T00:00:00Z",
        "2026-03-01T00:00:00\u{e9}",
        "20\u{e9}6-03-01T00:00:00Z",
    ] {
        assert!(parse_rfc3339(text).is_err(), "{text}");
    }
    let error = parse_rfc3339("tomorrow").unwrap_err();
    assert_eq!(
        error,
        "`tomorrow` is no time like `2026-03-01T09:30:00+01:00`"
    );
}

#[test]
fn far_times_are_none_and_never_a_panic() {
    for seconds in [i64::MIN, i64::MAX, -1 << 40, 1 << 40] {
        assert_eq!(Time::from_seconds(seconds), None);
        assert_eq!(format_http_date(seconds), "");
        let stamp = Stamp {
            unix_seconds: seconds,
            nanos: 0,
            offset_seconds: i32::MAX,
        };
        assert_eq!(format_rfc3339(stamp), "");
        assert_eq!(
            parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", seconds),
            None
        );
    }
    assert_eq!(Date::from_days(i64::MAX), None);
    assert_eq!(
        Date::new(0, 1, 1).map(Date::days).and_then(Date::from_days),
        Date::new(0, 1, 1)
    );
    assert_eq!(Date::new(2100, 2, 29), None);
}

#[test]
fn durations_in_words() {
    let check =
        |millis: u64, expected: &str| assert_eq!(words(Duration::from_millis(millis)), expected);
    check(0, "0 s");
    check(350, "350 ms");
    check(1_000, "1 s");
    check(1_550, "1.5 s");
    check(9_999, "9.9 s");
    check(59_999, "59 s");
    check(60_000, "1 min");
    check(63_000, "1 min 3 s");
    check(7_500_000, "2 h 5 min");
    check(7_200_000, "2 h");
    check(210_000_000, "2 d 10 h");
    assert_eq!(words(Duration::MAX), "213503982334601 d 7 h");
}

/// Rows of day number, ISO date, weekday (Monday 0), HTTP date and RFC 3339 at an offset, for every 7th second of a
/// stretch that crosses 800 years, and days around all turns of a century.
const ROWS: &str = "
import datetime as d, email.utils as e
epoch = d.datetime(1970, 1, 1, tzinfo=d.timezone.utc)
days = list(range(-141427, 164359, 37))
for year in range(1600, 2500, 100):
    first = d.date(year, 2, 27).toordinal() - 719163
    days += range(first, first + 5)
for n, day in enumerate(days):
    t = epoch + d.timedelta(days=day, seconds=n * 7919 % 86400)
    zone = d.timezone(d.timedelta(minutes=n * 17 % 1440 - 720))
    print(int((t - epoch).total_seconds()), t.date().isoformat(), t.weekday(), e.format_datetime(t, usegmt=True).replace(' ', '_'), t.astimezone(zone).isoformat())
";

#[test]
fn python_has_the_same_calendar() {
    let Ok(output) = Command::new("python3").args(["-c", ROWS]).output() else {
        eprintln!("skipped: `python3` is missing");
        return;
    };
    let rows = String::from_utf8(output.stdout).unwrap();
    assert!(
        rows.lines().count() > 8000,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for row in rows.lines() {
        let [seconds, date, weekday, http, rfc3339] =
            *row.split(' ').collect::<Vec<_>>().as_slice()
        else {
            panic!("{row}");
        };
        let seconds: i64 = seconds.parse().unwrap();
        let time = Time::from_seconds(seconds).unwrap();
        let day = time.date;
        assert_eq!(
            format!("{:04}-{:02}-{:02}", day.year(), day.month(), day.day()),
            date,
            "{row}"
        );
        assert_eq!(
            Weekday::ALL[weekday.parse::<usize>().unwrap()],
            day.weekday(),
            "{row}"
        );
        assert_eq!(day.days(), seconds.div_euclid(SECONDS_PER_DAY), "{row}");
        let http = http.replace('_', " ");
        assert_eq!(format_http_date(seconds), http);
        assert_eq!(parse_http_date(&http, NOW), Some(seconds), "{row}");
        let stamp = parse_rfc3339(rfc3339).unwrap();
        assert_eq!(stamp.unix_seconds, seconds, "{row}");
        assert_eq!(format_rfc3339(stamp), rfc3339.replace("+00:00", "Z"));
    }
}
