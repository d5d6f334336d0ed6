//! JSON against Python's `json`.

use std::fmt::Write;

use super::{ask, directory};
use crate::json::tests::generate::{Dice, mutate, text};
use crate::json::{Value, parse, write};

const VALID_TEXTS: u64 = 10_000;
const MUTATED_TEXTS: u64 = 10_000;

/// Reads pairs of a text and what we wrote for it, each with its length on a line before it, and prints for each a
/// line: what it holds in a form without choices, or `error`. Where Python is laxer or has other numbers than
/// RFC 8259 and 64 bits, it is told to be as strict.
const SCRIPT: &str = r#"
import json, struct, sys
def integer(digits):
    number = int(digits)
    return float(digits) if digits == "-0" or not -2**63 <= number < 2**64 else number
def constant(name):
    raise ValueError(name)
def double(digits):
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(digits)
    return number
def plain(value):
    if value is None: return "n"
    if value is True: return "t"
    if value is False: return "f"
    if isinstance(value, int): return "i%d" % value
    if isinstance(value, float): return "d" + struct.pack(">d", value).hex()
    if isinstance(value, str):
        return "s" + "".join("\ufffd" if 0xd800 <= ord(c) < 0xe000 else c for c in value).encode().hex()
    if isinstance(value, list): return "[" + ",".join(map(plain, value)) + "]"
    return "{" + ",".join(plain(key) + ":" + plain(item) for key, item in value.items()) + "}"
def read(data):
    try:
        return plain(json.loads(data.decode("utf-8"), parse_int=integer, parse_float=double, parse_constant=constant))
    except (ValueError, OverflowError):
        return "error"
while True:
    length = sys.stdin.buffer.readline()
    if not length: break
    print(read(sys.stdin.buffer.read(int(length))))
"#;

fn plain(value: &Value, out: &mut String) {
    let hex = |text: &str| {
        text.bytes().fold(String::from("s"), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    };
    match value {
        Value::Null => out.push('n'),
        Value::Bool(true) => out.push('t'),
        Value::Bool(false) => out.push('f'),
        Value::Int(number) => out.push_str(&format!("i{number}")),
        Value::Uint(number) => out.push_str(&format!("i{number}")),
        Value::Float(number) => out.push_str(&format!("d{:016x}", number.to_bits())),
        Value::String(text) => out.push_str(&hex(text)),
        Value::Array(items) => {
            out.push('[');
            for (place, item) in items.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                plain(item, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (place, (key, item)) in object.iter().enumerate() {
                out.push_str(if place > 0 { "," } else { "" });
                out.push_str(&hex(key));
                out.push(':');
                plain(item, out);
            }
            out.push('}');
        }
    }
}

#[test]
fn json_means_what_python_says() {
    let mut input = Vec::new();
    let mut ours = Vec::new();
    let mut accepted = 0;
    for seed in 0..VALID_TEXTS + MUTATED_TEXTS {
        let mut dice = Dice(seed);
        let mut bytes = text(&mut dice).into_bytes();
        if seed >= VALID_TEXTS {
            mutate(&mut dice, &mut bytes);
        }
        let mut say = |bytes: &[u8], meaning: &str| {
            input.extend_from_slice(format!("{}\n", bytes.len()).as_bytes());
            input.extend_from_slice(bytes);
            ours.push((bytes.to_vec(), meaning.to_owned()));
        };
        if let Ok(value) = parse(&bytes) {
            accepted += 1;
            let mut meaning = String::new();
            plain(&value, &mut meaning);
            say(&bytes, &meaning);
            let mut written = Vec::new();
            write(&value, &mut written);
            say(&written, &meaning);
        } else {
            say(&bytes, "error");
        }
    }
    assert!(accepted > VALID_TEXTS && accepted < VALID_TEXTS + MUTATED_TEXTS);
    let Some(output) = ask("python3", &["-c", SCRIPT], &directory("python"), input) else {
        return;
    };
    let output = String::from_utf8(output).expect("text");
    assert_eq!(output.lines().count(), ours.len());
    for (theirs, (bytes, ours)) in output.lines().zip(&ours) {
        assert_eq!(ours, theirs, "{}", bytes.escape_ascii());
    }
}
