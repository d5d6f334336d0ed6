//! Numbers: integers exact where 64 bits hold them, all others the nearest double.

use super::error::Fault;
use super::parse::Parser;
use super::value::Value;

/// The powers of ten that a double holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];

/// Integers up to here are exact in a double.
const EXACT_MAX: u64 = 1 << 53;

/// So many digits never overflow a `u64`.
const SAFE_DIGITS_MAX: usize = 19;

/// Digits that were read: their value modulo 2^64, and how many.
#[derive(Clone, Copy, Default)]
struct Digits {
    value: u64,
    count: usize,
}

impl Parser<'_> {
    /// A number that begins with `-` or a digit.
    pub(super) fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let is_negative = self.take(b'-');
        let whole = self.digits(Digits::default())?;
        if whole.count > 1 && self.bytes.get(self.at - whole.count) == Some(&b'0') {
            self.at -= whole.count - 1;
            return Err(self.fault("no digit after a leading `0`"));
        }
        let exact = match self.peek() {
            Some(b'.') => {
                self.at += 1;
                let all = self.digits(whole)?;
                exact_quotient(is_negative, all, all.count - whole.count)
            }
            Some(b'e' | b'E') => None,
            _ if whole.count <= SAFE_DIGITS_MAX => exact_integer(is_negative, whole.value),
            _ => {
                let digits = self.slice(self.at - whole.count, self.at).parse().ok();
                digits.and_then(|digits| exact_integer(is_negative, digits))
            }
        };
        match (self.peek(), exact) {
            (Some(b'e' | b'E'), _) => self.at += 1,
            (_, Some(value)) => return Ok(value),
            _ => return self.double(start),
        }
        if !self.take(b'-') {
            self.take(b'+');
        }
        self.digits(Digits::default())?;
        self.double(start)
    }

    /// The number that was read from `start` on, as the nearest double.
    fn double(&self, start: usize) -> Result<Value, Fault> {
        match self.slice(start, self.at).parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Float(number)),
            _ => Err(Fault {
                at: start,
                expected: "a number that a double can hold",
            }),
        }
    }

    /// One digit or more, appended to `before`.
    #[inline]
    fn digits(&mut self, before: Digits) -> Result<Digits, Fault> {
        let mut value = before.value;
        let start = self.at;
        let mut at = start;
        while let Some(byte @ b'0'..=b'9') = self.bytes.get(at) {
            value = value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
            at += 1;
        }
        self.at = at;
        if at == start {
            return Err(self.fault("a digit"));
        }
        let count = before.count + (at - start);
        Ok(Digits { value, count })
    }
}

/// The integer, if it has an exact value here; `-0` has none, being a double.
fn exact_integer(is_negative: bool, magnitude: u64) -> Option<Value> {
    if !is_negative {
        return Some(Value::from(magnitude));
    }
    if magnitude == 0 {
        return None;
    }
    0_i64.checked_sub_unsigned(magnitude).map(Value::Int)
}

/// `digits` / 10^`power`, if both are exact doubles: then their quotient is the nearest one (IEEE 754).
#[allow(clippy::cast_precision_loss, reason = "no bit is lost up to EXACT_MAX")]
fn exact_quotient(is_negative: bool, digits: Digits, power: usize) -> Option<Value> {
    if digits.count > SAFE_DIGITS_MAX || digits.value > EXACT_MAX {
        return None;
    }
    let quotient = digits.value as f64 / EXACT_POWERS.get(power)?;
    Some(Value::Float(if is_negative { -quotient } else { quotient }))
}
