//! What RFC 8259 takes and what it rejects.

use super::{compact, fault, parse, read};

/// Texts that the grammar of RFC 8259 derives, and the compact text of what they stand for.
const TAKEN: &[(&str, &str)] = &[
    // Scalars, also at the top (§2).
    ("null", "null"),
    ("true", "true"),
    (" \t\r\n false \t\r\n ", "false"),
    ("\"\"", "\"\""),
    ("0", "0"),
    // Numbers (§6).
    ("-1", "-1"),
    ("-0", "-0.0"),
    ("-0.0", "-0.0"),
    ("-0e5", "-0.0"),
    ("10", "10"),
    ("0.5", "0.5"),
    ("1.0", "1.0"),
    ("1e0", "1.0"),
    ("1E+2", "100.0"),
    ("1e-2", "0.01"),
    ("1.5e00", "1.5"),
    ("0e0", "0.0"),
    ("0E1", "0.0"),
    ("9007199254740993", "9007199254740993"),
    ("9223372036854775807", "9223372036854775807"),
    ("9223372036854775808", "9223372036854775808"),
    ("18446744073709551615", "18446744073709551615"),
    ("18446744073709551616", "1.8446744073709552e19"),
    ("-9223372036854775808", "-9223372036854775808"),
    ("-9223372036854775809", "-9.223372036854776e18"),
    ("1e-400", "0.0"),
    ("1.7976931348623157e308", "1.7976931348623157e308"),
    ("5e-324", "5e-324"),
    ("0.1", "0.1"),
    ("0.10000000000000000555111512312578270", "0.1"),
    ("1.00000000000000011102230246251565404", "1.0"),
    (
        "1.00000000000000011102230246251565405",
        "1.0000000000000002",
    ),
    ("123456789012345.6789", "123456789012345.67"),
    ("9007199254740993.0", "9007199254740992.0"),
    ("1e16", "1e16"),
    ("1234567890123456.0", "1234567890123456.0"),
    ("0.00001", "1e-5"),
    ("0.0001", "0.0001"),
    // Strings (§7).
    (r#""\"\\\/\b\f\n\r\t""#, r#""\"\\/\b\f\n\r\t""#),
    (r#""\u0041\u00e9\u20AC""#, "\"Aé€\""),
    (r#""\ud83d\ude80""#, "\"🚀\""),
    (r#""\uD834\udd1e!""#, "\"𝄞!\""),
    (r#""\u0000\u001f\u007f""#, "\"\\u0000\\u001f\u{7f}\""),
    (
        "\"\u{7f}\u{80}\u{2028}\u{ffff}\u{10ffff}\"",
        "\"\u{7f}\u{80}\u{2028}\u{ffff}\u{10ffff}\"",
    ),
    ("\"12345678\\n12345678\"", "\"12345678\\n12345678\""),
    // Arrays and objects (§4, §5).
    ("[]", "[]"),
    ("[ ]", "[]"),
    ("{}", "{}"),
    ("{\n}", "{}"),
    ("[1,2 , 3\n,\t4]", "[1,2,3,4]"),
    ("[[],[[]],{}]", "[[],[[]],{}]"),
    (r#"{"b":1,"a":2,"":3}"#, r#"{"b":1,"a":2,"":3}"#),
    (r#"{ "a" : { "b" : [ null ] } }"#, r#"{"a":{"b":[null]}}"#),
    (r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
    (r#"{"a":1,"\u0061":2}"#, r#"{"a":2}"#),
    (r#"{"a":{"x":1},"a":{"y":2}}"#, r#"{"a":{"y":2}}"#),
];

/// Texts that it does not derive, and where and why they end.
const REJECTED: &[(&[u8], &str)] = &[
    (
        b"",
        "line 1, column 1: expected a value, found the end of the text",
    ),
    (
        b" \n ",
        "line 2, column 2: expected a value, found the end of the text",
    ),
    (b"nul", "line 1, column 1: expected a value, found `nul`"),
    (
        b"nulls",
        "line 1, column 5: expected the end of the text, found `s`",
    ),
    (b"True", "line 1, column 1: expected a value, found `True`"),
    (b"NaN", "line 1, column 1: expected a value, found `NaN`"),
    (
        b"-Infinity",
        "line 1, column 2: expected a digit, found `Infinity`",
    ),
    (
        b"1 2",
        "line 1, column 3: expected the end of the text, found `2`",
    ),
    (b"'a'", "line 1, column 1: expected a value, found `'`"),
    (
        b"\xef\xbb\xbf1",
        "line 1, column 1: expected a value, found U+FEFF",
    ),
    // Numbers.
    (b"+1", "line 1, column 1: expected a value, found `+1`"),
    (
        b"-",
        "line 1, column 2: expected a digit, found the end of the text",
    ),
    (
        b"01",
        "line 1, column 2: expected no digit after a leading `0`, found `1`",
    ),
    (
        b"-012",
        "line 1, column 3: expected no digit after a leading `0`, found `12`",
    ),
    (
        b"00.5",
        "line 1, column 2: expected no digit after a leading `0`, found `0.5`",
    ),
    (b".5", "line 1, column 1: expected a value, found `.5`"),
    (
        b"1.",
        "line 1, column 3: expected a digit, found the end of the text",
    ),
    (b"1.e5", "line 1, column 3: expected a digit, found `e5`"),
    (
        b"1e",
        "line 1, column 3: expected a digit, found the end of the text",
    ),
    (
        b"1e+",
        "line 1, column 4: expected a digit, found the end of the text",
    ),
    (
        b"1e5.5",
        "line 1, column 4: expected the end of the text, found `.5`",
    ),
    (
        b"0x10",
        "line 1, column 2: expected the end of the text, found `x10`",
    ),
    (
        b"1_000",
        "line 1, column 2: expected the end of the text, found `_000`",
    ),
    (
        b"[1e400]",
        "line 1, column 2: expected a number that a double can hold, found `1e400`",
    ),
    (
        b"-2e308",
        "line 1, column 1: expected a number that a double can hold, found `-2e308`",
    ),
    // Strings.
    (
        b"\"",
        "line 1, column 2: expected the rest of a string and its closing `\"`, found the end of the text",
    ),
    (
        b"\"abc",
        "line 1, column 5: expected the rest of a string and its closing `\"`, found the end of the text",
    ),
    (
        b"\"a\nb\"",
        "line 1, column 3: expected an escape such as `\\n` for a control character, found U+000A",
    ),
    (
        b"\"\x00\"",
        "line 1, column 2: expected an escape such as `\\n` for a control character, found U+0000",
    ),
    (
        b"\"\x1f\"",
        "line 1, column 2: expected an escape such as `\\n` for a control character, found U+001F",
    ),
    (
        b"\"abcdefgh\x1fabcdefgh\"",
        "line 1, column 10: expected an escape such as `\\n` for a control character, found U+001F",
    ),
    (
        b"\"\\x41\"",
        "line 1, column 3: expected one of `\"\\/bfnrtu` after a backslash, found `x41`",
    ),
    (
        b"\"\\'\"",
        "line 1, column 3: expected one of `\"\\/bfnrtu` after a backslash, found `'`",
    ),
    (
        b"\"\\",
        "line 1, column 3: expected one of `\"\\/bfnrtu` after a backslash, found the end of the text",
    ),
    (
        b"\"\\u12\"",
        "line 1, column 6: expected four hexadecimal digits after `\\u`, found `\"`",
    ),
    (
        b"\"\\u12g4\"",
        "line 1, column 6: expected four hexadecimal digits after `\\u`, found `g4`",
    ),
    (
        b"\"\\U0041\"",
        "line 1, column 3: expected one of `\"\\/bfnrtu` after a backslash, found `U0041`",
    ),
    (
        b"\"\\ud83d\\u12\"",
        "line 1, column 12: expected four hexadecimal digits after `\\u`, found `\"`",
    ),
    // UTF-8: overlong, surrogate, beyond U+10FFFF, lone continuation, cut.
    (
        b"\"\xc0\x80\"",
        "line 1, column 2: expected UTF-8, found the byte 0xc0",
    ),
    (
        b"\"\xc3\xa9\xed\xa0\x80\"",
        "line 1, column 3: expected UTF-8, found the byte 0xed",
    ),
    (
        b"\"\xf4\x90\x80\x80\"",
        "line 1, column 2: expected UTF-8, found the byte 0xf4",
    ),
    (
        b"\"\x80\"",
        "line 1, column 2: expected UTF-8, found the byte 0x80",
    ),
    (
        b"\"a\xe2\x82",
        "line 1, column 3: expected UTF-8, found the byte 0xe2",
    ),
    (
        b"[1]\xff",
        "line 1, column 4: expected UTF-8, found the byte 0xff",
    ),
    (b"[1,,\xff", "line 1, column 4: expected a value, found `,`"),
    // Arrays and objects.
    (
        b"[",
        "line 1, column 2: expected a value, found the end of the text",
    ),
    (
        b"[1",
        "line 1, column 3: expected `,` or `]`, found the end of the text",
    ),
    (
        b"[1,",
        "line 1, column 4: expected a value, found the end of the text",
    ),
    (b"[1,]", "line 1, column 4: expected a value, found `]`"),
    (b"[,1]", "line 1, column 2: expected a value, found `,`"),
    (b"[1 2]", "line 1, column 4: expected `,` or `]`, found `2`"),
    (b"[1}", "line 1, column 3: expected `,` or `]`, found `}`"),
    (b"]", "line 1, column 1: expected a value, found `]`"),
    (
        b"[\x0b1]",
        "line 1, column 2: expected a value, found U+000B",
    ),
    (
        b"[\xc2\xa01]",
        "line 1, column 2: expected a value, found U+00A0",
    ),
    (
        b"[1]]",
        "line 1, column 4: expected the end of the text, found `]`",
    ),
    (
        b"{",
        "line 1, column 2: expected a key in quotes or `}`, found the end of the text",
    ),
    (
        b"{a:1}",
        "line 1, column 2: expected a key in quotes or `}`, found `a`",
    ),
    (
        b"{1:1}",
        "line 1, column 2: expected a key in quotes or `}`, found `1`",
    ),
    (b"{\"a\"}", "line 1, column 5: expected `:`, found `}`"),
    (b"{\"a\":}", "line 1, column 6: expected a value, found `}`"),
    (
        b"{\"a\":1,}",
        "line 1, column 8: expected a key in quotes, found `}`",
    ),
    (
        b"{\"a\":1 \"b\":2}",
        "line 1, column 8: expected `,` or `}`, found `\"`",
    ),
    (b"{\"a\",1}", "line 1, column 5: expected `:`, found `,`"),
    (
        b"{\"a\":1]",
        "line 1, column 7: expected `,` or `}`, found `]`",
    ),
    (
        b"[1] // no",
        "line 1, column 5: expected the end of the text, found `/`",
    ),
    (
        b"/* no */ 1",
        "line 1, column 1: expected a value, found `/`",
    ),
    // Lines end in LF, columns count characters.
    (
        b"{\r\n  \"\xc3\xa9\xf0\x9f\x9a\x80\": tru\xc3\xa9\n}",
        "line 2, column 9: expected a value, found `tru`",
    ),
    (
        b"\xc3\xa9",
        "line 1, column 1: expected a value, found `é` (U+00E9)",
    ),
    (
        b"1111111111111111111111111111111111111111x",
        "line 1, column 41: expected the end of the text, found `x`",
    ),
    (
        b"abcdefghijklmnopqrstuvwxyz",
        "line 1, column 1: expected a value, found `abcdefghijklmnopqrstuvwx…`",
    ),
];

#[test]
fn the_grammar_is_taken() {
    for (text, compact_text) in TAKEN {
        let value = read(text);
        assert_eq!(compact(&value), *compact_text, "{text}");
        assert_eq!(compact(&read(compact_text)), *compact_text, "{text}");
    }
}

#[test]
fn all_else_is_rejected_with_its_place() {
    for (text, error) in REJECTED {
        assert_eq!(fault(text).to_string(), *error, "{}", text.escape_ascii());
    }
}

/// No proper prefix of a container, a string or a word is a text; and none makes the parser panic.
#[test]
fn a_text_cut_anywhere_is_an_error() {
    for (text, _) in TAKEN {
        for cut in 0..text.len() {
            let outcome = parse(&text.as_bytes()[..cut]);
            let is_number =
                text.starts_with(['-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']);
            if !is_number && cut < text.trim_end().len() {
                assert!(outcome.is_err(), "{text} cut at {cut}");
            }
        }
    }
    for (text, _) in REJECTED {
        for cut in 0..text.len() {
            let _ = parse(&text[..cut]);
        }
    }
}

#[test]
fn depth_ends_at_128() {
    for (open, inner, close) in [
        ("[", "", "]"),
        ("{\"a\":", "1", "}"),
        ("[{\"a\":", "1", "}]"),
    ] {
        let levels = 128 / open.matches(['[', '{']).count();
        let deepest = [open.repeat(levels), inner.into(), close.repeat(levels)].concat();
        let value = read(&deepest);
        assert_eq!(compact(&value), deepest);
        let mut indented = Vec::new();
        super::write_indented(&value, &mut indented);
        assert_eq!(read(&indented), value);
        drop(value);
        let deeper = format!("[{deepest}]");
        let error = fault(&deeper);
        assert_eq!(error.expected, "at most 128 levels of arrays and objects");
    }
    // Beside one another is not inside one another.
    read(format!("[{}[]]", "[[]],".repeat(10_000)));
}
