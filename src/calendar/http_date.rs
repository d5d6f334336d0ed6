//! Dates as HTTP writes them (RFC 9110 §5.6.7): the usual form and the two obsolete ones.

use crate::calendar::civil::{Date, Time, Weekday, parse_digits, parse_pair};

const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

/// Reads a date in any of the three forms, as seconds since 1970-01-01 UTC. `now`, in the same, is needed for years of
/// two digits: one that seems more than fifty years ahead is past. Numbers, words and all else are `None`.
pub(crate) fn parse_http_date(text: &str, now: i64) -> Option<i64> {
    let text = text.trim_matches([' ', '\t']);
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let time = match words.as_slice() {
        // Sun, 06 Nov 1994 08:49:37 GMT
        [weekday, day, month, year, time, zone] if is_gmt(zone) => {
            let name = weekday.strip_suffix(',')?;
            is_weekday(name, 3).then_some(())?;
            parse_time(
                parse_year(year)?,
                parse_month(month)?,
                parse_pair(day.as_bytes())?,
                time,
            )?
        }
        // Sunday, 06-Nov-94 08:49:37 GMT
        [weekday, date, time, zone] if is_gmt(zone) => {
            let name = weekday.strip_suffix(',')?;
            is_weekday(name, usize::MAX).then_some(())?;
            let [day, month, year] = *date.split('-').collect::<Vec<_>>().as_slice() else {
                return None;
            };
            let year = widen_year(parse_pair(year.as_bytes())?, now)?;
            parse_time(year, parse_month(month)?, parse_pair(day.as_bytes())?, time)?
        }
        // Sun Nov  6 08:49:37 1994
        [weekday, month, day, time, year] => {
            is_weekday(weekday, 3).then_some(())?;
            let day = u8::try_from(parse_digits(day.as_bytes())?).ok()?;
            parse_time(parse_year(year)?, parse_month(month)?, day, time)?
        }
        _ => return None,
    };
    Some(time.seconds())
}

/// Writes a date in the usual form; empty outside the years 0 to 9999.
#[cfg(test)]
pub(crate) fn format_http_date(unix_seconds: i64) -> String {
    let Some(Time {
        date,
        hour,
        minute,
        second,
    }) = Time::from_seconds(unix_seconds)
    else {
        return String::new();
    };
    let weekday = date.weekday().name().get(..3).unwrap_or_default();
    let month = MONTHS
        .get(usize::from(date.month()) - 1)
        .copied()
        .unwrap_or_default();
    let (day, year) = (date.day(), date.year());
    format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
}

fn is_gmt(zone: &str) -> bool {
    zone.eq_ignore_ascii_case("GMT")
}

/// Whether `text` is a weekday's name, of which only the first `letters` count. That it is the right one is not asked:
/// servers with a wrong one mean the date.
fn is_weekday(text: &str, letters: usize) -> bool {
    Weekday::ALL.iter().any(|day| {
        let name = day.name();
        text.eq_ignore_ascii_case(name.get(..letters).unwrap_or(name))
    })
}

fn parse_month(text: &str) -> Option<u8> {
    let place = MONTHS
        .iter()
        .position(|name| name.eq_ignore_ascii_case(text))?;
    u8::try_from(place + 1).ok()
}

fn parse_year(text: &str) -> Option<i32> {
    let digits = text.as_bytes();
    (digits.len() == 4)
        .then(|| parse_digits(digits))??
        .try_into()
        .ok()
}

/// The year that ends in `pair`, in this century or, if that were more than fifty years ahead, the one before.
fn widen_year(pair: u8, now: i64) -> Option<i32> {
    let this_year = Time::from_seconds(now)?.date.year();
    let year = this_year / 100 * 100 + i32::from(pair);
    Some(if year > this_year + 50 {
        year - 100
    } else {
        year
    })
}

/// `hh:mm:ss` on a date.
fn parse_time(year: i32, month: u8, day: u8, text: &str) -> Option<Time> {
    let [hour, minute, second] = *text.split(':').collect::<Vec<_>>().as_slice() else {
        return None;
    };
    let part = |digits: &str| parse_pair(digits.as_bytes());
    Time::new(
        Date::new(year, month, day)?,
        part(hour)?,
        part(minute)?,
        part(second)?,
    )
}
