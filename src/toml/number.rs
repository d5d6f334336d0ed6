//! Integers and floats.

use super::Data;

/// Reads a bare word as a number; what is wrong with it, otherwise.
pub(super) fn read(word: &str) -> Result<Data, String> {
    if is_date(word) {
        return Err(format!(
            "dates and times are not supported: write `\"{word}\"`, a string"
        ));
    }
    let refusal = || {
        format!(
            "expected a string in quotes, a number, `true`, `false`, an array or a table, found a bare word of {} bytes",
            word.len()
        )
    };
    let (sign, digits) = match word.as_bytes() {
        [b'+' | b'-', ..] => word.split_at(1),
        _ => ("", word),
    };
    match digits {
        "inf" => {
            let value = f64::INFINITY;
            return Ok(Data::Float(if sign == "-" { -value } else { value }));
        }
        "nan" => return Ok(Data::Float(f64::NAN)),
        _ => {}
    }
    if let Some((radix, digits)) = radix(digits) {
        if !sign.is_empty() || !is_grouped(digits, |c| c.is_digit(radix)) {
            return Err(refusal());
        }
        return i64::from_str_radix(&digits.replace('_', ""), radix)
            .map(Data::Integer)
            .map_err(|_| too_large(word));
    }
    let is_decimal = |text: &str| is_grouped(text, |c| c.is_ascii_digit());
    let has_padding = |text: &str| text.len() > 1 && text.starts_with('0');
    if is_decimal(digits) {
        if has_padding(digits) {
            return Err(format!("a number cannot begin with `0`: `{word}`"));
        }
        return word
            .replace('_', "")
            .parse()
            .map(Data::Integer)
            .map_err(|_| too_large(word));
    }
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (digits, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let is_float = is_decimal(whole)
        && !has_padding(whole)
        && fraction.is_none_or(is_decimal)
        && exponent.is_none_or(|e| is_decimal(e.strip_prefix(['+', '-']).unwrap_or(e)));
    if !is_float {
        return Err(refusal());
    }
    word.replace('_', "")
        .parse()
        .map(Data::Float)
        .map_err(|_| refusal())
}

/// `0x`, `0o`, `0b` and what follows.
fn radix(digits: &str) -> Option<(u32, &str)> {
    let radix = match digits.get(..2)? {
        "0x" => 16,
        "0o" => 8,
        "0b" => 2,
        _ => return None,
    };
    Some((radix, digits.get(2..)?))
}

/// Digits, with single underscores only between two of them.
fn is_grouped(text: &str, is_digit: impl Fn(char) -> bool) -> bool {
    !text.is_empty()
        && text
            .split('_')
            .all(|group| !group.is_empty() && group.chars().all(&is_digit))
}

/// Whether `word` begins as a date (`1979-…`) or a time (`07:…`) does.
fn is_date(word: &str) -> bool {
    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
    matches!(
        (digits, word.as_bytes().get(digits)),
        (4, Some(b'-')) | (2, Some(b':'))
    )
}

fn too_large(word: &str) -> String {
    format!("`{word}` does not fit into 64 bits with a sign")
}
