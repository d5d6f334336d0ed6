//! The writer: values straight into a buffer, compact or indented.

use std::io::Write;

#[cfg(test)]
use super::members::Object;
use super::scan::run_end;
use super::value::Value;

/// Appends the compact text of `value`.
pub(crate) fn write(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Array(items) => {
            out.push(b'[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write(item, out);
            }
            out.push(b']');
        }
        Value::Object(object) => {
            out.push(b'{');
            for (place, (key, member)) in object.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_string(key, out);
                out.push(b':');
                write(member, out);
            }
            out.push(b'}');
        }
        scalar => write_scalar(scalar, out),
    }
}

/// Appends the text of `value` with two blanks a level and one line a member; no line end after it.
#[cfg(test)]
pub(crate) fn write_indented(value: &Value, out: &mut Vec<u8>) {
    indented(value, 0, out);
}

#[cfg(test)]
fn indented(value: &Value, level: usize, out: &mut Vec<u8>) {
    match value {
        Value::Array(items) if !items.is_empty() => {
            out.push(b'[');
            for (place, item) in items.iter().enumerate() {
                new_line(place > 0, level + 1, out);
                indented(item, level + 1, out);
            }
            new_line(false, level, out);
            out.push(b']');
        }
        Value::Object(object) if !object.is_empty() => indented_object(object, level, out),
        other => write(other, out),
    }
}

#[cfg(test)]
fn indented_object(object: &Object, level: usize, out: &mut Vec<u8>) {
    out.push(b'{');
    for (place, (key, member)) in object.iter().enumerate() {
        new_line(place > 0, level + 1, out);
        write_string(key, out);
        out.extend_from_slice(b": ");
        indented(member, level + 1, out);
    }
    new_line(false, level, out);
    out.push(b'}');
}

#[cfg(test)]
fn new_line(has_comma: bool, level: usize, out: &mut Vec<u8>) {
    if has_comma {
        out.push(b',');
    }
    out.push(b'\n');
    out.resize(out.len() + 2 * level, b' ');
}

fn write_scalar(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Int(number) => {
            if *number < 0 {
                out.push(b'-');
            }
            write_digits(number.unsigned_abs(), out);
        }
        Value::Uint(number) => write_digits(*number, out),
        Value::Float(number) => write_float(*number, out),
        Value::String(text) => write_string(text, out),
        Value::Null | Value::Array(_) | Value::Object(_) => out.extend_from_slice(b"null"),
    }
}

/// Appends `text` in quotes, escaped: what RFC 8259 §7 demands and nothing more.
pub(crate) fn write_string(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut from = 0;
    loop {
        let to = run_end(bytes, from);
        out.extend_from_slice(bytes.get(from..to).unwrap_or_default());
        let Some(&byte) = bytes.get(to) else {
            break;
        };
        write_escape(byte, out);
        from = to + 1;
    }
    out.push(b'"');
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&digits);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// Appends a number in decimal, two digits at a time from the right.
fn write_digits(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10).to_le_bytes()[0];
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

/// Appends the fewest digits that read back as the same double, always recognisable as no integer; in
/// scientific notation below 1e-5 and from 1e16. What is no number in JSON is `null`.
fn write_float(number: f64, out: &mut Vec<u8>) {
    let size = number.abs();
    // Writing to a vector cannot fail.
    let _ = if !number.is_finite() {
        out.write_all(b"null")
    } else if size != 0.0 && !(1e-5..1e16).contains(&size) {
        write!(out, "{number:e}")
    } else {
        write!(out, "{number:?}")
    };
}
