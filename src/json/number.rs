//! Numbers: integers exact where 64 bits hold them, all others the nearest double.

use super::error::Fault;
use super::parse::Parser;
use super::value::Value;

impl Parser<'_> {
    /// A number that begins with `-` or a digit.
    pub(super) fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let is_negative = self.take(b'-');
        let integer = self.whole_part()?;
        let mut is_integer = true;
        if self.take(b'.') {
            is_integer = false;
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            is_integer = false;
            if !self.take(b'-') {
                self.take(b'+');
            }
            self.digits()?;
        }
        if is_integer
            && let Some(magnitude) = integer
            && let Some(value) = exact(is_negative, magnitude)
        {
            return Ok(value);
        }
        match self.slice(start, self.at).parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Float(number)),
            _ => Err(Fault {
                at: start,
                expected: "a number that a double can hold",
            }),
        }
    }

    /// `0`, or digits that begin with another; `None` if the number is above `u64::MAX`.
    #[inline]
    fn whole_part(&mut self) -> Result<Option<u64>, Fault> {
        if self.take(b'0') {
            return match self.peek() {
                Some(b'0'..=b'9') => Err(self.fault("no digit after a leading `0`")),
                _ => Ok(Some(0)),
            };
        }
        let start = self.at;
        let mut number = Some(0_u64);
        while let Some(byte @ b'0'..=b'9') = self.peek() {
            let digit = u64::from(byte - b'0');
            number = number
                .and_then(|number| number.checked_mul(10))
                .and_then(|number| number.checked_add(digit));
            self.at += 1;
        }
        if self.at == start {
            return Err(self.fault("a digit"));
        }
        Ok(number)
    }

    /// One digit or more.
    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.fault("a digit"));
        }
        Ok(())
    }
}

/// The integer, if it has an exact value here; `-0` has none, being a double.
fn exact(is_negative: bool, magnitude: u64) -> Option<Value> {
    if !is_negative {
        return Some(Value::from(magnitude));
    }
    if magnitude == 0 {
        return None;
    }
    0_i64.checked_sub_unsigned(magnitude).map(Value::Int)
}
