//! Nothing is quadratic: what once took other parsers minutes, in 2 MB, and in 50 MB with `ANKITA_BIG=1`
//! in the environment of the build.

use super::super::Value;
use super::{compact, fault, parse, read};

const SIZE_BYTES: usize = if option_env!("ANKITA_BIG").is_some() {
    50_000_000
} else {
    2_000_000
};

const MEMBERS: usize = SIZE_BYTES / 50;

#[test]
fn brackets() {
    let error = fault("[".repeat(SIZE_BYTES));
    assert_eq!((error.line, error.column), (1, 129));
    let error = fault("{\"a\":".repeat(SIZE_BYTES / 5));
    assert_eq!(error.column, 128 * 5 + 1);
    assert_eq!(
        read(format!("[{}[]]", "[],".repeat(SIZE_BYTES / 3)))
            .as_array()
            .unwrap()
            .len(),
        SIZE_BYTES / 3 + 1
    );
}

#[test]
fn escapes() {
    let text = format!("\"{}\"", "\\\\".repeat(SIZE_BYTES / 2));
    let value = read(&text);
    assert_eq!(value.as_str().unwrap().len(), SIZE_BYTES / 2);
    assert_eq!(compact(&value), text);
    let lone = format!("[\"{}\"]", "\\ud83d".repeat(SIZE_BYTES / 6));
    assert_eq!(
        read(&lone).at(0).unwrap().as_str().unwrap().len(),
        SIZE_BYTES / 6 * 3
    );
    fault(format!("\"{}", "\\\\".repeat(SIZE_BYTES / 2)));
}

#[test]
fn digits() {
    let error = fault("7".repeat(SIZE_BYTES));
    assert_eq!(error.expected, "a number that a double can hold");
    assert!(error.to_string().len() < 200);
    let tiny = read(format!("0.{}", "0".repeat(SIZE_BYTES)));
    assert_eq!(tiny, Value::Float(0.0));
    let third = read(format!("0.{}", "3".repeat(SIZE_BYTES)));
    assert_eq!(third, Value::Float(1.0 / 3.0));
    fault(format!("1e{}", "9".repeat(SIZE_BYTES)));
}

#[test]
fn one_long_string() {
    let text = format!("\"{}\"", "x".repeat(SIZE_BYTES));
    assert_eq!(compact(&read(&text)), text);
    fault(&text[..SIZE_BYTES]);
    assert_eq!(
        fault(format!("\n{}", " ".repeat(SIZE_BYTES))).column,
        SIZE_BYTES + 1
    );
}

#[test]
fn keys() {
    let distinct: Vec<String> = (0..MEMBERS)
        .map(|i| format!("\"a fairly long key, number {i:>10}\":{i}"))
        .collect();
    let value = read(format!("{{{}}}", distinct.join(",")));
    assert_eq!(value.as_object().unwrap().len(), MEMBERS);
    let equal = format!(
        "{{{}\"the same key\":0}}",
        "\"the same key\":1,".repeat(MEMBERS)
    );
    assert_eq!(compact(&read(equal)), "{\"the same key\":0}");
    let empty = format!(
        "{{{}\"\":\"\\ud83d\"}}",
        "\"\":\"\\ud83d\",".repeat(MEMBERS)
    );
    let (_, halves) = super::super::parse_keeping_halves(empty.as_bytes()).unwrap();
    assert!(halves.len() <= 1);
}

#[test]
fn lines() {
    let text = format!("[{}", "1,\n".repeat(SIZE_BYTES / 3));
    assert_eq!(parse(text.as_bytes()).unwrap_err().line, SIZE_BYTES / 3 + 1);
}
