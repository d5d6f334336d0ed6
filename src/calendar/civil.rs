//! The Gregorian calendar, kept for all years: dates ↔ days since 1970-01-01, weekdays, times of day.

/// Seconds of a day without leap seconds, as Unix time counts.
pub(crate) const SECONDS_PER_DAY: i64 = 86_400;

/// Years that a [`Date`] has: those of four digits.
const YEAR_MAX: i32 = 9999;

/// Days of 400 years, after which the calendar repeats.
const DAYS_PER_ERA: i64 = 146_097;

/// A day of the calendar in the years 0 to 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Date {
    year: i32,
    month: u8,
    day: u8,
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weekday {
    Monday,
    Tuesday,
    Wednesday,
    Thursday,
    Friday,
    Saturday,
    Sunday,
}

impl Weekday {
    /// Monday first.
    pub(crate) const ALL: [Self; 7] = [
        Self::Monday,
        Self::Tuesday,
        Self::Wednesday,
        Self::Thursday,
        Self::Friday,
        Self::Saturday,
        Self::Sunday,
    ];

    /// The English name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Monday => "Monday",
            Self::Tuesday => "Tuesday",
            Self::Wednesday => "Wednesday",
            Self::Thursday => "Thursday",
            Self::Friday => "Friday",
            Self::Saturday => "Saturday",
            Self::Sunday => "Sunday",
        }
    }
}

impl Date {
    /// `None` if there is no such day; `month` and `day` count from 1.
    pub(crate) fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let is_date = (0..=YEAR_MAX).contains(&year)
            && (1..=12).contains(&month)
            && (1..=days_of_month(year, month)).contains(&day);
        is_date.then_some(Self { year, month, day })
    }

    /// The date `days` after 1970-01-01; `None` outside the years 0 to 9999.
    pub(crate) fn from_days(days: i64) -> Option<Self> {
        // Years that begin with March, so that the leap day is the last one; era 0 begins on 0000-03-01.
        let days = days.checked_add(719_468)?;
        let era = days.div_euclid(DAYS_PER_ERA);
        let day_of_era = days.rem_euclid(DAYS_PER_ERA);
        let year_of_era =
            (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        // Five months from March, and from August, have 153 days.
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 {
            month_from_march + 3
        } else {
            month_from_march - 9
        };
        let year = era * 400 + year_of_era + i64::from(month <= 2);
        Self::new(
            i32::try_from(year).ok()?,
            u8::try_from(month).ok()?,
            u8::try_from(day).ok()?,
        )
    }

    /// Days since 1970-01-01; negative before.
    pub(crate) fn days(self) -> i64 {
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let month_from_march = (i64::from(self.month) + 9) % 12;
        let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(self.day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * DAYS_PER_ERA + day_of_era - 719_468
    }

    /// 0 to 9999.
    pub(crate) fn year(self) -> i32 {
        self.year
    }

    /// 1 to 12.
    pub(crate) fn month(self) -> u8 {
        self.month
    }

    /// 1 to 31.
    pub(crate) fn day(self) -> u8 {
        self.day
    }

    /// Which day of the week it is.
    #[cfg(test)]
    pub(crate) fn weekday(self) -> Weekday {
        // 1970-01-01 was a Thursday.
        let place = usize::try_from((self.days() + 3).rem_euclid(7)).unwrap_or(0);
        Weekday::ALL.get(place).copied().unwrap_or(Weekday::Monday)
    }
}

fn days_of_month(year: i32, month: u8) -> u8 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// A date and a time of day, nowhere in particular.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Time {
    pub(crate) date: Date,
    /// 0 to 23.
    pub(crate) hour: u8,
    /// 0 to 59.
    pub(crate) minute: u8,
    /// 0 to 60: a leap second is the first of the next minute.
    pub(crate) second: u8,
}

impl Time {
    /// `None` if there is no such time of day.
    pub(crate) fn new(date: Date, hour: u8, minute: u8, second: u8) -> Option<Self> {
        (hour < 24 && minute < 60 && second <= 60).then_some(Self {
            date,
            hour,
            minute,
            second,
        })
    }

    /// The time `seconds` after 1970-01-01 00:00; `None` outside the years 0 to 9999.
    pub(crate) fn from_seconds(seconds: i64) -> Option<Self> {
        let date = Date::from_days(seconds.div_euclid(SECONDS_PER_DAY))?;
        let rest = seconds.rem_euclid(SECONDS_PER_DAY);
        let part = |number: i64| u8::try_from(number).ok();
        Self::new(
            date,
            part(rest / 3600)?,
            part(rest / 60 % 60)?,
            part(rest % 60)?,
        )
    }

    /// Seconds since 1970-01-01 00:00; negative before.
    pub(crate) fn seconds(self) -> i64 {
        let minutes = i64::from(self.hour) * 60 + i64::from(self.minute);
        self.date.days() * SECONDS_PER_DAY + minutes * 60 + i64::from(self.second)
    }
}

/// The number that `digits` are; `None` for anything but ASCII digits, at most nine.
pub(super) fn parse_digits(digits: &[u8]) -> Option<u32> {
    let is_number = (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    is_number.then(|| {
        digits
            .iter()
            .fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0'))
    })
}

/// [`parse_digits`] of exactly two.
pub(super) fn parse_pair(digits: &[u8]) -> Option<u8> {
    match digits {
        [_, _] => parse_digits(digits).and_then(|number| u8::try_from(number).ok()),
        _ => None,
    }
}
