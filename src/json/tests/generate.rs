//! A seeded generator of JSON texts, and what must hold for all of them.

use super::super::{Value, parse_keeping_halves};
use super::{compact, parse, read, write_indented};

/// Splitmix64: the same numbers from the same seed, everywhere.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.roll() % u64::try_from(limit).unwrap()).unwrap()
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// A JSON text that also Python takes, with blanks, escapes and numbers of every shape.
pub(crate) fn text(dice: &mut Dice) -> String {
    let mut out = String::new();
    value(dice, 0, &mut out);
    out
}

fn value(dice: &mut Dice, depth: usize, out: &mut String) {
    blanks(dice, out);
    match dice.below(if depth > 5 { 6 } else { 10 }) {
        0 => out.push_str(dice.pick(&["null", "true", "false"])),
        1 | 2 => number(dice, out),
        3..=5 => string(dice, out),
        6 | 7 => {
            out.push('[');
            for place in 0..dice.below(6) {
                out.push_str(if place > 0 { "," } else { "" });
                value(dice, depth + 1, out);
            }
            blanks(dice, out);
            out.push(']');
        }
        _ => {
            out.push('{');
            for place in 0..dice.below(8) {
                out.push_str(if place > 0 { "," } else { "" });
                blanks(dice, out);
                if dice.below(3) == 0 {
                    out.push_str(dice.pick(&["\"a\"", "\"b\"", "\"id\"", "\"\\u0061\""]));
                } else {
                    string(dice, out);
                }
                blanks(dice, out);
                out.push(':');
                value(dice, depth + 1, out);
            }
            blanks(dice, out);
            out.push('}');
        }
    }
    blanks(dice, out);
}

fn blanks(dice: &mut Dice, out: &mut String) {
    if dice.below(4) == 0 {
        out.push_str(dice.pick(&[" ", "\n", "\r\n", "\t", "    "]));
    }
}

fn number(dice: &mut Dice, out: &mut String) {
    const EDGES: &[&str] = &[
        "0",
        "-0",
        "0.0",
        "-0.0",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "9007199254740993",
        "1e308",
        "-1.7976931348623157E+308",
        "5e-324",
        "2.2250738585072014e-308",
        "1e-400",
        "1e23",
        "0.1",
        "1e22",
        "1e16",
        "123456789012345678901234567890.5",
        "1.0",
        "100",
        "1E2",
    ];
    if dice.below(4) == 0 {
        out.push_str(dice.pick(EDGES));
        return;
    }
    if dice.below(3) == 0 {
        out.push('-');
    }
    digits(dice, true, out);
    if dice.below(2) == 0 {
        out.push('.');
        digits(dice, false, out);
    }
    if dice.below(4) == 0 {
        out.push_str(dice.pick(&["e", "E", "e+", "e-"]));
        out.push_str(&dice.below(250).to_string());
    }
}

fn digits(dice: &mut Dice, is_whole: bool, out: &mut String) {
    let count_max = if dice.below(4) == 0 { 30 } else { 9 };
    let count = 1 + dice.below(count_max);
    for place in 0..count {
        let lowest = usize::from(is_whole && place == 0 && count > 1);
        out.push_str(&(lowest + dice.below(10 - lowest)).to_string());
    }
}

fn string(dice: &mut Dice, out: &mut String) {
    out.push('"');
    for _ in 0..dice.below(12) {
        match dice.below(8) {
            0 => {
                out.push_str(
                    dice.pick(&["\\n", "\\t", "\\\"", "\\\\", "\\/", "\\b", "\\f", "\\r"]),
                );
            }
            1 => out.push_str(dice.pick(&[
                "\\u00e9",
                "\\ud83d\\ude80",
                "\\u0000",
                "\\u007F",
                "\\uD834\\uDD1E",
            ])),
            2 => out.push_str(dice.pick(&[
                "é",
                "日本語",
                "🚀",
                "\u{7f}",
                "\u{2028}",
                "\u{feff}",
                "𝄞",
            ])),
            3 => out.push_str(dice.pick(&[
                "a much longer run of plain text that fills a block and more, for the scanner ",
                "12345678",
                "1234567",
            ])),
            _ => out.push(char::from(b'a' + u8::try_from(dice.below(26)).unwrap())),
        }
    }
    out.push('"');
}

#[test]
fn what_is_written_reads_back() {
    for seed in 0..3_000 {
        let text = text(&mut Dice(seed));
        let value = read(&text);
        let written = compact(&value);
        assert_eq!(read(&written), value, "{text}");
        assert_eq!(compact(&read(&written)), written);
        let mut indented = Vec::new();
        write_indented(&value, &mut indented);
        assert_eq!(read(&indented), value, "{text}");
        let (same, halves) = parse_keeping_halves(text.as_bytes()).unwrap();
        assert_eq!((same, halves.len()), (value, 0), "{text}");
    }
}

/// Random doubles read back bit for bit.
#[test]
fn doubles_read_back() {
    let mut dice = Dice(7);
    for _ in 0..20_000 {
        let number = f64::from_bits(dice.roll());
        if number.is_finite() {
            let text = compact(&Value::Float(number));
            assert_eq!(
                text.parse::<f64>().unwrap().to_bits(),
                number.to_bits(),
                "{text}"
            );
            assert_eq!(read(&text), Value::Float(number), "{text}");
        }
    }
}

/// Rounds for each second that `FUZZ_SECONDS` asks for, set when the tests are built: no clock here.
const ROUNDS_A_SECOND: u64 = 20_000;

#[test]
fn mutated_texts_never_panic() {
    let seconds: u64 = option_env!("FUZZ_SECONDS").map_or(0, |text| text.parse().unwrap());
    for seed in 0..10_000 + seconds * ROUNDS_A_SECOND {
        let mut dice = Dice(seed ^ 0xf00d);
        let mut bytes = text(&mut dice).into_bytes();
        for _ in 0..=dice.below(4) {
            mutate(&mut dice, &mut bytes);
        }
        if let Ok(value) = parse(&bytes) {
            assert!(std::str::from_utf8(&bytes).is_ok());
            assert_eq!(read(compact(&value)), value);
            parse_keeping_halves(&bytes).unwrap();
        } else {
            assert_eq!(
                parse(&bytes).unwrap_err(),
                parse_keeping_halves(&bytes).unwrap_err()
            );
        }
    }
}

/// Changes, takes out, puts in or doubles something somewhere.
pub(crate) fn mutate(dice: &mut Dice, bytes: &mut Vec<u8>) {
    const SPICE: &[&[u8]] = &[
        b"\"",
        b"\\",
        b"\\u",
        b"\\ud800",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"-",
        b"0",
        b"e9",
        b".",
        b"\n",
        b"\0",
        b"\xff",
        b"\xe2\x82",
        b"1e999",
        b"null",
    ];
    let at = dice.below(bytes.len() + 1);
    match dice.below(4) {
        0 if at < bytes.len() => bytes[at] = u8::try_from(dice.below(256)).unwrap(),
        1 => bytes.truncate(at),
        2 if at < bytes.len() => {
            bytes.remove(at);
        }
        _ => {
            let spice = SPICE[dice.below(SPICE.len())];
            bytes.splice(at..at, spice.iter().copied());
        }
    }
}
