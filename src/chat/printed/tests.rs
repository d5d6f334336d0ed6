//! Answers that are calls, in the forms in which models write them, and answers that are not.

use super::*;

fn is_known(name: &str) -> bool {
    matches!(name, "read_file" | "write_file" | "list_dir")
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(printed_calls(text, &is_known), expected, "{text}");
    // What is recognised was kept back, in whatever pieces it came; and nothing is ever lost.
    for size in [1, 3, 1 << 20] {
        let mut held = Held::wary();
        let mut shown = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.ceil_char_boundary(size.min(rest.len())));
            shown.push_str(held.pass(piece));
            rest = after;
        }
        let is_thinking = text.starts_with("<think>");
        if !expected.is_empty() && !is_thinking {
            assert_eq!(shown, "", "{text}");
        }
        shown.push_str(&held.rest());
        assert_eq!(shown, text);
    }
}

const CALL: &str = r#"{"name": "read_file", "arguments": {"path": "notes.txt"}}"#;

/// The forms are those of the models' own chat templates: Hermes and Qwen (`<tool_call>`), Qwen 3 Coder (`<function=`),
/// Llama 3 (`parameters`, `<|python_tag|>`, `;` between calls), Mistral (`[TOOL_CALLS]`), Claude (`<invoke>`).
#[test]
fn a_whole_answer_that_is_a_call_is_recognised() {
    let read: &[&str] = &["read_file"];
    check(CALL, read);
    check(&format!("\n  {CALL}\n\n"), read);
    check(&format!("```json\n{CALL}\n```"), read);
    check(&format!("```\n{CALL}\n```\n"), read);
    check(&format!("```tool_call\n{CALL}"), read);
    check(&format!("```json {CALL}```"), read);
    check(&format!("<tool_call>\n{CALL}\n</tool_call>"), read);
    check(&format!("<tool_call>{CALL}"), read);
    check(
        &format!("<think>I must read.</think>\n<tool_call>{CALL}</tool_call>"),
        read,
    );
    check(&format!("<|python_tag|>{CALL}<|eom_id|>"), read);
    check(
        &format!("<｜tool▁calls▁begin｜>{CALL}<｜tool▁calls▁end｜>"),
        read,
    );
    check(&format!("[TOOL_CALLS][{CALL}]"), read);
    check(&format!("[TOOL_CALLS] {CALL}"), read);
    check(&format!("[{CALL}, {CALL}]"), read);
    check(&format!("{CALL}; {CALL}"), read);
    check(
        r#"{"name":"read_file","arguments":"{\"path\":\"a } b\"}"}"#,
        read,
    );
    check(r#"{"name":"list_dir","parameters":{}}"#, &["list_dir"]);
    check(
        r#"{"type":"function","name":"read_file","parameters":{"path":"x"}}"#,
        read,
    );
    check(
        r#"{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"x\"}"}}"#,
        read,
    );
    check(
        r#"{"tool_calls":[{"function":{"name":"read_file","arguments":{"path":"x"}}}]}"#,
        read,
    );
    check(
        r#"{"type":"tool_use","id":"t","name":"read_file","input":{"path":"x"}}"#,
        read,
    );
    check(r#"{"tool":"read_file","args":{"path":"\"}{ \\"}}"#, read);
    check(r#"{"function":"read_file","arguments":{"path":"x"}}"#, read);
    check(r#"{"arguments":{"path":"x"},"name":"read_file"}"#, read);
    check(r#"<function=read_file>{"path": "x"}</function>"#, read);
    check(
        "<tool_call>\n<function=read_file>\n<parameter=path>\nsrc/a < b.rs\n</parameter>\n</function>\n</tool_call>",
        read,
    );
    check("<function=list_dir></function>", &["list_dir"]);
    check(
        "<function_calls><invoke name=\"read_file\"><parameter name=\"path\">x</parameter></invoke></function_calls>",
        read,
    );
    check(
        "<tool_call>{\"name\":\"read_file\",\"arguments\":{\"path\":\"x\"}}</tool_call>\n<tool_call>{\"name\":\"list_dir\",\"arguments\":{}}</tool_call>",
        &["read_file", "list_dir"],
    );
}

#[test]
fn any_other_answer_is_left_alone() {
    for text in [
        "",
        "  \n ",
        "42",
        "[]",
        "{}",
        "```\n```",
        "<tool_call></tool_call>",
        "[TOOL_CALLS]",
        // Prose around it.
        &format!("I would call {CALL}"),
        &format!("{CALL}\nThat reads the file."),
        &format!("Here it is:\n```json\n{CALL}\n```"),
        &format!("```json\n{CALL}\n```\nDone."),
        &format!("# Calls\n\n{CALL}"),
        &format!("> {CALL}"),
        &format!("\"{}\"", CALL.replace('"', "\\\"")),
        // Code in some language.
        &format!("```python\n{CALL}\n```"),
        "```rust\nfn main() {}\n```",
        "read_file(path=\"notes.txt\")",
        // Other JSON.
        r#"{"name":"Ada","arguments":{"path":"x"}}"#,
        r#"{"name":"make_coffee","arguments":{}}"#,
        r#"{"name":"read_file","arguments":["x"]}"#,
        r#"{"name":"read_file","arguments":"x"}"#,
        r#"{"name":"read_file","arguments":null}"#,
        r#"{"name":"read_file"}"#,
        r#"{"name":["read_file"],"arguments":{}}"#,
        r#"{"arguments":{"path":"x"}}"#,
        r#"{"name":"read_file","arguments":{},"note":"an example"}"#,
        r#"["read_file",{"path":"x"}]"#,
        r#"[{"name":"read_file","arguments":{}},{"name":"Ada","arguments":{}}]"#,
        r#"[{"name":"read_file","arguments":{}},7]"#,
        // A tool explained.
        r#"{"name":"read_file","description":"Read","parameters":{"type":"object"}}"#,
        r#"{"name":"read_file","parameters":{"type":"object","properties":{}}}"#,
        // Other tags.
        &format!("<answer>{CALL}</answer>"),
        "<function=make_coffee></function>",
        "<function=read_file>the file</function>",
        "<function=>{}</function>",
        "<function=read_file><parameter=path>x</function>",
        "<p>hello</p>",
        "<https://example.com>",
        "<",
        "<think>",
        "[TOOL_CALL",
    ] {
        check(text, &[]);
    }
}

/// A call that is cut anywhere before its last bracket is no call; nothing about it panics.
#[test]
fn a_cut_call_is_none() {
    for whole in [
        CALL.to_owned(),
        format!("```json\n{CALL}"),
        format!("<tool_call>{CALL}"),
        format!("[TOOL_CALLS][{CALL}]"),
        r#"{"tool_calls":[{"function":{"name":"read_file","arguments":"{\"é\":1}"}}]}"#.to_owned(),
        "<invoke name=\"read_file\"><parameter name=\"path\">x</parameter>".to_owned(),
    ] {
        for (end, _) in whole.char_indices() {
            let part = whole.get(..end).unwrap();
            // The tags of arguments alone do not show that one is missing.
            if part.ends_with("read_file\">") {
                continue;
            }
            check(part, &[]);
        }
        assert_eq!(printed_calls(&whole, &is_known), ["read_file"], "{whole}");
    }
}

#[test]
fn what_is_no_call_is_shown_as_soon_as_it_shows() {
    let shown_at_once = |text: &str| Held::wary().pass(text) == text;
    for text in [
        "H",
        "```rust\n",
        "```py",
        "# A",
        "{\"b",
        "{ 1",
        "[1",
        "<p>",
        "[x]",
        "- ",
        "{\"name\"x",
        "`a`",
    ] {
        assert_eq!(shown_at_once(text), text != "{\"name\"x", "{text}");
    }
    // Neither blanks without end nor a call without end are kept.
    assert!(shown_at_once(&" ".repeat(HEAD_BYTES_MAX + 1)));
    assert!(shown_at_once(&"```\n".repeat(HEAD_BYTES_MAX)));
    assert!(!shown_at_once(&"```\n".repeat(HEAD_BYTES_MAX / 4)));
    let long = format!("{{\"name\":\"{}", "x".repeat(PRINTED_BYTES_MAX));
    assert!(shown_at_once(&long));
    assert!(!shown_at_once(&long[..PRINTED_BYTES_MAX]));
    let long = format!(
        r#"{{"name":"write_file","arguments":{{"content":"{}"}}}}"#,
        "x".repeat(PRINTED_BYTES_MAX)
    );
    assert!(printed_calls(&long, &is_known).is_empty());
    // By default everything passes.
    assert_eq!(Held::default().pass(CALL), CALL);
}

/// Brackets without end, to any depth, are read in linear time and without a fall.
#[test]
fn brackets_without_end_are_no_call() {
    for piece in [
        "[",
        "{\"function\":",
        "{\"name\":\"read_file\",\"arguments\":{",
        "<function=read_file><parameter=a>",
    ] {
        let text = piece.repeat(PRINTED_BYTES_MAX / piece.len());
        assert!(printed_calls(&text, &is_known).is_empty());
        let mut held = Held::wary();
        for byte in text.chars() {
            held.pass(byte.encode_utf8(&mut [0; 4]));
        }
    }
}
