//! Civil dates and the texts that stand for a time: RFC 3339, HTTP dates, and durations in words.

mod civil;
mod duration;
mod http_date;
mod rfc3339;

#[cfg(test)]
mod tests;

pub(crate) use civil::Time;
pub(crate) use duration::words;
pub(crate) use http_date::parse_http_date;
pub(crate) use rfc3339::{Stamp, format_rfc3339, parse_rfc3339};
