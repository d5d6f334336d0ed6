//! Times as RFC 3339 writes them: `2026-03-01T09:30:00+01:00`.

use crate::calendar::civil::{Date, Time, parse_digits, parse_pair};

/// A point in time, and the offset in which somebody means it. The same numbers as the clock port's wall time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Since 1970-01-01 UTC.
    pub(crate) unix_seconds: i64,
    /// 0 to 999,999,999.
    pub(crate) nanos: u32,
    /// Seconds east of UTC.
    pub(crate) offset_seconds: i32,
}

impl Stamp {
    /// Date and time of day at its offset; `None` outside the years 0 to 9999.
    pub(crate) fn local(self) -> Option<Time> {
        Time::from_seconds(
            self.unix_seconds
                .checked_add(i64::from(self.offset_seconds))?,
        )
    }
}

/// Reads a time with its offset (RFC 3339 §5.6): `T` or a blank between date and time, `Z` or `±hh:mm` at the end, digits
/// of a second beyond the ninth dropped. The error says what is expected.
pub(crate) fn parse_rfc3339(text: &str) -> Result<Stamp, String> {
    parse(text.as_bytes()).ok_or_else(|| {
        format!(
            "`{}` is no time like `2026-03-01T09:30:00+01:00`",
            text.escape_debug()
        )
    })
}

fn parse(text: &[u8]) -> Option<Stamp> {
    let (date, rest) = text.split_at_checked(10)?;
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = date else {
        return None;
    };
    let year = i32::try_from(parse_digits(&[*y1, *y2, *y3, *y4])?).ok()?;
    let date = Date::new(year, parse_pair(&[*m1, *m2])?, parse_pair(&[*d1, *d2])?)?;
    let (time, rest) = rest.split_at_checked(9)?;
    let [b'T' | b't' | b' ', h1, h2, b':', m1, m2, b':', s1, s2] = time else {
        return None;
    };
    let time = Time::new(
        date,
        parse_pair(&[*h1, *h2])?,
        parse_pair(&[*m1, *m2])?,
        parse_pair(&[*s1, *s2])?,
    )?;
    let (nanos, rest) = parse_fraction(rest)?;
    let offset_seconds = parse_offset(rest)?;
    let unix_seconds = time.seconds() - i64::from(offset_seconds);
    Some(Stamp {
        unix_seconds,
        nanos,
        offset_seconds,
    })
}

/// `.digits`, if it is there, as nanoseconds; and what follows.
fn parse_fraction(text: &[u8]) -> Option<(u32, &[u8])> {
    let Some(digits) = text.strip_prefix(b".") else {
        return Some((0, text));
    };
    let count = digits
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let (digits, rest) = digits.split_at_checked(count)?;
    let mut nine = [b'0'; 9];
    for (place, digit) in nine.iter_mut().zip(digits) {
        *place = *digit;
    }
    (count > 0).then_some((parse_digits(&nine)?, rest))
}

fn parse_offset(text: &[u8]) -> Option<i32> {
    match text {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (parse_pair(&[*h1, *h2])?, parse_pair(&[*m1, *m2])?);
            let seconds = (i32::from(hours) * 60 + i32::from(minutes)) * 60;
            let is_offset = hours < 24 && minutes < 60;
            is_offset.then_some(if *sign == b'-' { -seconds } else { seconds })
        }
        _ => None,
    }
}

/// Writes a time at its offset to the second, `Z` for none; empty outside the years 0 to 9999.
pub(crate) fn format_rfc3339(stamp: Stamp) -> String {
    let Some(Time {
        date,
        hour,
        minute,
        second,
    }) = stamp.local()
    else {
        return String::new();
    };
    let (year, month, day) = (date.year(), date.month(), date.day());
    let local = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    let sign = if stamp.offset_seconds < 0 { '-' } else { '+' };
    let minutes = stamp.offset_seconds.unsigned_abs() / 60;
    match minutes {
        0 => format!("{local}Z"),
        _ => format!("{local}{sign}{:02}:{:02}", minutes / 60, minutes % 60),
    }
}
