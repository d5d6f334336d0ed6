//! TOML against the specification's own rules, and against Python's `tomllib` on generated texts.

#![allow(clippy::print_stderr, reason = "a test that is skipped says why")]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the expected values come from a second program"
)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::*;

/// A value in one line, in a form that a few lines of Python give too.
fn shown(data: &Data) -> String {
    match data {
        Data::Text(text) => text.chars().fold("s".to_owned(), |mut out, c| {
            write!(out, " {:x}", u32::from(c)).unwrap();
            out
        }),
        Data::Integer(value) => format!("i {value}"),
        Data::Float(value) if value.is_nan() => "f nan".to_owned(),
        Data::Float(value) => format!("f {:016x}", value.to_bits()),
        Data::Boolean(value) => format!("b {value}"),
        Data::Array(values) => {
            let rows: Vec<_> = values.iter().map(|v| shown(&v.data)).collect();
            format!("[{}]", rows.join(", "))
        }
        Data::Table(table) => {
            let mut rows: Vec<_> = table
                .entries()
                .iter()
                .map(|e| {
                    let key = shown(&Data::Text(e.key.clone()));
                    format!("{key} = {}", shown(&e.value.data))
                })
                .collect();
            rows.sort();
            format!("{{{}}}", rows.join(", "))
        }
    }
}

const PYTHON: &str = "
import sys, struct, math, tomllib
def shown(v):
    if isinstance(v, bool): return 'b ' + str(v).lower()
    if isinstance(v, str): return 's' + ''.join(' %x' % ord(c) for c in v)
    if isinstance(v, int): return 'i %d' % v
    if isinstance(v, float): return 'f nan' if math.isnan(v) else 'f ' + struct.pack('>d', v).hex()
    if isinstance(v, list): return '[' + ', '.join(map(shown, v)) + ']'
    return '{' + ', '.join(sorted(shown(k) + ' = ' + shown(x) for k, x in v.items())) + '}'
for text in sys.stdin.buffer.read().decode().split('\\0'):
    try: print(shown(tomllib.loads(text)))
    except tomllib.TOMLDecodeError: print('fault')
";

/// What `tomllib` makes of each text; nothing if there is no such Python.
fn python(texts: &[String]) -> Option<Vec<String>> {
    let probe = Command::new("python3")
        .args(["-c", "import tomllib"])
        .output();
    if !probe.is_ok_and(|o| o.status.success()) {
        eprintln!("skipped: no `python3` with `tomllib`");
        return None;
    }
    let mut child = Command::new("python3")
        .args(["-c", PYTHON])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = texts.join("\0");
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Some(
        String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect(),
    )
}

fn ours(text: &str) -> String {
    parse(text).map_or_else(|_| "fault".to_owned(), |table| shown(&Data::Table(table)))
}

/// Lines that meet in one text in every combination: valid ones, broken ones, and ones that are
/// broken only beside another.
const LINES: &[&str] = &[
    "a = 1",
    "a.b = 2",
    "a.b.c = 3",
    "a.d = 4",
    "[a]",
    "[a.b]",
    "[a.b.c]",
    "[[a]]",
    "[[a.b]]",
    "[ a . b ]",
    "[[a.b.c]]",
    "b = { c = 1 }",
    "b.c = 1",
    "b.d = 1",
    "[b]",
    "[b.c]",
    "[[b]]",
    "c = []",
    "c = [1]",
    "[[c]]",
    "[c.d]",
    "[c]",
    "d = {}",
    "d.e = 1",
    "[d.e]",
    "x = { y.z = 1, y.w = 2 }",
    "x.y = 1",
    "[x.y.v]",
    "\"q k\" = 'lit\\n'",
    "'q k' = 1",
    "\"\" = 1",
    "e = \"\\u00e9\\U0001F600\\t\\\\\"",
    "e = '\\'",
    "m = \"\"\"\none\\\n   two\n\n\"\"x\"\"\"\"\"",
    "m = '''\n'a''b'''''",
    "m = \"\"\"a\\  \n\n  b\"\"\"",
    "m = \"\"\"a\\ b\"\"\"",
    "n = [1, 2,\n # note\n 3,\n]",
    "n = [1 2]",
    "n = [,]",
    "n = [1,,2]",
    "n = [[1], ['a'], {b=1}]",
    "o = 1_000",
    "o = 1__0",
    "o = _1",
    "o = 1_",
    "o = 0x_1",
    "o = 0xDEAD_beef",
    "o = 0b102",
    "o = 0o17",
    "o = +0x1",
    "o = 007",
    "o = +7",
    "o = -0",
    "o = 9223372036854775807",
    "p = 1.5",
    "p = 1.",
    "p = .5",
    "p = 1e5",
    "p = 1E-5",
    "p = 6.02_1e+2_3",
    "p = 1_.5",
    "p = -0.0",
    "p = inf",
    "p = -inf",
    "p = +nan",
    "p = 01.5",
    "p = 1e05",
    "p = 3.e2",
    "p = 1.5e",
    "t = true",
    "t = True",
    "t = ",
    "t",
    "= 1",
    "t = 1 u = 2",
    "t = \"open",
    "t = 'open",
    "t = \"\\x41\"",
    "t = \"\\uD800\"",
    "t = \"\u{1}\"",
    "t = 'tab\there'",
    "# note",
    "# bad \u{1}",
    "t = 1 # note",
    "u-v_1 = 1",
    "1 = 1",
    "1.2 = 3",
    "é = 1",
    "[é]",
    "[]",
    "[a",
    "[a]]",
    "[[a]",
    "[ [a] ]",
    "[a] b = 1",
    "[a] # note",
    "f = { a = 1, }",
    "f = { a = 1 b = 2 }",
    "f = { a = 1,\n b = 2 }",
    "f = { a = [1,\n2] }",
    "f = {a = 1, a = 2}",
    "f = { a.b = 1, a = 2 }",
    "f = 1\r\ng = 2\r",
    "h = \"\"\"a\r\nb\"\"\"",
    "h = 'a\rb'",
    "\u{a0}k = 1",
    "k\t=\t1\t",
];

#[test]
fn every_text_reads_as_tomllib_reads_it() {
    let mut state = 0x1234_5678_u64;
    let mut pick = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut texts: Vec<String> = LINES.iter().map(|line| (*line).to_owned()).collect();
    for _ in 0..8_000 {
        let lines: Vec<_> = (0..2 + pick(4)).map(|_| LINES[pick(LINES.len())]).collect();
        texts.push(lines.join("\n"));
    }
    // The first 32 lines, which quarrel with each other the most, in all pairs and many triples.
    for first in &LINES[..28] {
        for second in &LINES[..28] {
            texts.push(format!("{first}\n{second}"));
            texts.push(format!("{first}\n{second}\n{}", LINES[pick(28)]));
        }
    }
    let Some(expected) = python(&texts) else {
        return;
    };
    assert_eq!(expected.len(), texts.len());
    let mut good = 0;
    for (text, expected) in texts.iter().zip(&expected) {
        assert_eq!(&ours(text), expected, "{text:?}");
        good += usize::from(expected != "fault");
    }
    assert!(good > 500, "too few valid texts: {good}");
}

#[test]
fn faults_say_where_and_what_was_expected() {
    let check = |text: &str, expected: &str| {
        assert_eq!(parse(text).unwrap_err().to_string(), expected, "{text:?}");
    };
    check(
        "a = ",
        "line 1, column 5: expected a value, found the end of the text",
    );
    check(
        "\na 1",
        "line 2, column 3: expected `=` after the key, found `1`",
    );
    check(
        "a = 1\na = 2",
        "line 2, column 1: `a` is already an integer since line 1",
    );
    check(
        "[a]\n[b]\n[a]",
        "line 3, column 1: `a` is already a table since line 1",
    );
    check(
        "é = 1",
        "line 1, column 1: expected a key (letters, digits, `_`, `-`, or quoted), found `é`",
    );
    check(
        "k = ['é' 1]",
        "line 1, column 10: expected `,` or `]` in the array, found `1`",
    );
    check(
        "k = 1 2",
        "line 1, column 7: expected a new line after the value, found `2`",
    );
    check(
        "k = 1979-05-27",
        "line 1, column 5: dates and times are not supported: write `\"1979-05-27\"`, a string",
    );
    check(
        "k = 07:30",
        "line 1, column 5: dates and times are not supported: write `\"07:30\"`, a string",
    );
    check(
        "k = yes",
        "line 1, column 5: expected a string in quotes, a number, `true`, `false`, an array or a \
         table, found a bare word of 3 bytes",
    );
    check(
        "k = 99999999999999999999",
        "line 1, column 5: `99999999999999999999` does not fit into 64 bits with a sign",
    );
    check(
        "k = \"a\nb",
        "line 1, column 5: the string that begins here has no end on its line; three quotes open \
         one over several lines",
    );
}

#[test]
fn keys_and_values_keep_their_lines() {
    let root = parse("\u{feff}# head\n[a]\nb = [\n 1,\n 2]\n[[c]]\n[[c]]\nd = 'x'\n").unwrap();
    assert_eq!(root.entry("a").unwrap().line, 2);
    let Data::Table(a) = &root.get("a").unwrap().data else {
        panic!()
    };
    let b = a.entry("b").unwrap();
    let Data::Array(elements) = &b.value.data else {
        panic!()
    };
    assert_eq!((b.line, elements[0].line, elements[1].line), (3, 4, 5));
    let Data::Array(c) = &root.get("c").unwrap().data else {
        panic!()
    };
    assert_eq!((c.len(), c[0].line, c[1].line), (2, 6, 7));
    let keys: Vec<_> = root.entries().iter().map(|e| e.key.as_str()).collect();
    assert_eq!(keys, ["a", "c"]);
}

#[test]
fn no_text_is_slow_or_exhausts_the_stack() {
    for text in [
        "[".repeat(500_000),
        format!("a = {}", "[".repeat(500_000)),
        format!("a = {}", "{a=".repeat(500_000)),
        format!("a{}", ".a".repeat(500_000)),
        format!("[a{}]", ".a".repeat(500_000)),
        format!("a = \"{}", "\\\\".repeat(500_000)),
        format!("a = {}", "1_".repeat(500_000)),
        format!("a = '''{}", "'".repeat(500_000)),
    ] {
        assert!(parse(&text).is_err());
    }
    let mut many = "k = {".to_owned();
    for n in 0..200_000 {
        write!(many, "k{n}=1,").unwrap();
    }
    many.push_str("z=1}");
    let root = parse(&many).unwrap();
    let Data::Table(table) = &root.get("k").unwrap().data else {
        panic!()
    };
    assert_eq!(table.entries().len(), 200_001);
    let elements = "[[a]]\n[a.b]\nc=1\n".repeat(50_000);
    assert!(parse(&elements).is_ok());
}

/// Cuts and changes of a valid text: a fault or a table, never a panic.
#[test]
fn broken_texts_never_panic() {
    let text = LINES.join("\n");
    let mut state = 5_u64;
    for _ in 0..5_000 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(77);
        let from = usize::try_from(state >> 33).unwrap() % text.len();
        let length = usize::try_from(state >> 12).unwrap() % 60;
        let bytes = &text.as_bytes()[from..(from + length).min(text.len())];
        _ = parse(&String::from_utf8_lossy(bytes));
    }
}
