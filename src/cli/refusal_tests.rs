//! The full text of every refusal of a command line.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use super::command::RESERVED;
use super::flag::CONFLICTS;
use super::tests::{refuses, words};
use super::*;

#[test]
fn unknown_flags() {
    refuses(
        &["--modle", "x"],
        "unknown flag `--modle`; did you mean `--model`?",
    );
    refuses(
        &["--modle=x"],
        "unknown flag `--modle`; did you mean `--model`?",
    );
    refuses(
        &["--model gpt"],
        "unknown flag `--model gpt`; did you mean `--model`?",
    );
    refuses(
        &["--out"],
        "unknown flag `--out`; did you mean `--output-format`?",
    );
    refuses(
        &["--allow-tools", "x"],
        "unknown flag `--allow-tools`; did you mean `--allow-tool`?",
    );
    refuses(
        &["--sdtin"],
        "unknown flag `--sdtin`; did you mean `--stdin`?",
    );
    refuses(
        &["--frobnicate"],
        "unknown flag `--frobnicate`; `ankita --help` lists all",
    );
    refuses(
        &["--trust"],
        "unknown flag `--trust`; `ankita --help` lists all",
    );
    refuses(&["-c"], "unknown flag `-c`; did you mean `-C`?");
    refuses(&["-r"], "unknown flag `-r`; `ankita --help` lists all");
    refuses(&["-5"], "unknown flag `-5`; `ankita --help` lists all");
    refuses(
        &["-qx"],
        "unknown flag `-x` in `-qx`; `ankita --help` lists all",
    );
    refuses(
        &["-model", "x"],
        "unknown flag `-model`; did you mean `--model`?",
    );
    refuses(&["-yes"], "unknown flag `-yes`; did you mean `--yes`?");
    refuses(
        &["-jsno"],
        "unknown flag `-j` in `-jsno`; did you mean `--json`?",
    );
    refuses(
        &["--\u{1b}[31m"],
        r"unknown flag `--\u{1b}[31m`; `ankita --help` lists all",
    );
}

/// Flags of other issues are not there yet.
#[test]
fn flags_to_come() {
    for flag in [
        "--continue",
        "--resume",
        "--fork",
        "--output-last-message",
        "--output-schema",
        "--fail-on-tool-error",
        "--max-time",
        "--attach",
        "--record",
        "--replay",
        "--speak",
        "--voice",
    ] {
        assert!(parse(&words(&[flag, "x"])).is_err(), "{flag}");
    }
}

#[test]
fn values() {
    refuses(&["--model"], "`--model` needs NAME");
    refuses(&["-m"], "`-m` needs NAME");
    refuses(&["-m", "--", "hi"], "`-m` needs NAME");
    refuses(
        &["-m", "-p", "hi"],
        "`-m` needs NAME, but `-p` follows; `-m=…` takes a value that begins with `-`",
    );
    refuses(&["--model="], "`--model` needs NAME, not an empty text");
    refuses(&["-s", " "], "`-s` needs TEXT, not an empty text");
    refuses(&["--json=x"], "`--json` takes no value");
    refuses(&["-q=x"], "`-q` takes no value");
    for wrong in ["0", "1001", "x", "1.5", "+", "99999999999999999999"] {
        refuses(
            &["--max-turns", wrong],
            &format!("`--max-turns`: `{wrong}` is not a whole number from 1 to 1000"),
        );
    }
    refuses(
        &["--max-tokens=10000001"],
        "`--max-tokens`: `10000001` is not a whole number from 1 to 10000000",
    );
    refuses(
        &["--color", "alway"],
        "`--color`: `alway` is not one of `auto`, `always`, `never`; did you mean `always`?",
    );
    refuses(
        &["--output-format", "xml"],
        "`--output-format`: `xml` is not one of `text`, `json`, `stream-json`",
    );
    for wrong in [
        "4141",
        "127.0.0.1",
        ":80",
        "::1:80",
        "h:65536",
        "h:+1",
        "http://h:80",
        "a b:1",
    ] {
        refuses(
            &["endpoint", "--listen", wrong],
            &format!("`--listen`: `{wrong}` is not a host and a port like `127.0.0.1:4141`"),
        );
    }
}

#[test]
fn contradictions() {
    let pairs = [
        ("--stdin", "--no-stdin"),
        ("--read-only", "--allow-all"),
        ("--prompt=x", "--interactive=x"),
        ("--quiet", "--verbose"),
        ("--interactive", "--stdin"),
        ("--interactive", "--headless"),
        ("--interactive", "--dry-run"),
        ("--interactive", "--json"),
    ];
    assert_eq!(pairs.len(), CONFLICTS.len());
    for (one, other) in pairs {
        let text = format!(
            "`{}` and `{}` contradict each other",
            one.trim_end_matches("=x"),
            other.trim_end_matches("=x")
        );
        refuses(&[one, other], &text);
        refuses(&[other, one], &text);
    }
    refuses(
        &["-y", "--read-only"],
        "`--read-only` and `--allow-all` contradict each other",
    );
    refuses(
        &["-", "--no-stdin"],
        "`-` and `--no-stdin` contradict each other",
    );
    refuses(
        &["-p", "-", "--no-stdin"],
        "`-` and `--no-stdin` contradict each other",
    );
    refuses(
        &["-i", "-"],
        "`-` and `--interactive` contradict each other",
    );
    refuses(
        &["-i", "--output-format=stream-json"],
        "`--interactive` and `--output-format` contradict each other",
    );
    refuses(
        &["--json", "--output-format", "text", "hi"],
        "`--json` and `--output-format` contradict each other",
    );
    refuses(
        &["--output-format", "stream-json", "--json", "hi"],
        "`--json` and `--output-format` contradict each other",
    );
    refuses(
        &["--plain", "--color", "always"],
        "`--plain` and `--color always` contradict each other",
    );
    refuses(
        &["-p", "--no-stdin"],
        "`-p` has no text, and `--no-stdin` leaves nothing else to take it from",
    );
}

#[test]
fn prompts_that_are_none() {
    refuses(&[""], "the prompt is empty");
    refuses(&["--", " ", "\n"], "the prompt is empty");
    refuses(&["-p", ""], "the prompt of `-p` is empty");
    refuses(&["--prompt="], "the prompt of `--prompt` is empty");
    refuses(&["-i", " "], "the prompt of `-i` is empty");
    refuses(
        &["-p", "what", "is", "this"],
        "two prompts, `what` and `is this`; put quotes around one prompt of several words",
    );
    refuses(
        &["-p", "a", "-p", "b"],
        "two prompts, `a` and `b`; put quotes around one prompt of several words",
    );
    refuses(
        &["-i", "a", "b"],
        "two prompts, `a` and `b`; put quotes around one prompt of several words",
    );
    let long = "x".repeat(100);
    refuses(
        &["-p", &long, "b"],
        &format!(
            "two prompts, `{}…` and `b`; put quotes around one prompt of several words",
            "x".repeat(80)
        ),
    );
    let odd = OsString::from_vec(b"caf\xe9".to_vec());
    assert_eq!(
        parse(&[odd]),
        Err(Usage("`caf\u{fffd}` is not UTF-8".into()))
    );
}

#[test]
fn words_that_look_like_commands() {
    refuses(
        &["tols"],
        "unknown command `tols`; did you mean `tools`? put `--` before a prompt",
    );
    refuses(
        &["Tools"],
        "unknown command `Tools`; did you mean `tools`? put `--` before a prompt",
    );
    refuses(
        &["-q", "modles"],
        "unknown command `modles`; did you mean `models`? put `--` before a prompt",
    );
    refuses(
        &["doctor"],
        "`doctor` is reserved; put `--` before a prompt",
    );
    refuses(
        &["project", "ideas"],
        "`project` is reserved; put `--` before a prompt",
    );
    for word in RESERVED {
        refuses(
            &[word],
            &format!("`{word}` is reserved; put `--` before a prompt"),
        );
    }
    refuses(
        &["docter"],
        "`docter` is one letter from `doctor`, which is reserved; put `--` before a prompt",
    );
}

#[test]
fn words_of_commands() {
    refuses(
        &["tools", "lst"],
        "`ankita tools` has no `lst`; did you mean `list`? put `--` before a prompt",
    );
    refuses(
        &["skills", "matter"],
        "`ankita skills` has no `matter`; it has `list`, `show`; put `--` before a prompt",
    );
    refuses(&["tools", "show"], "`ankita tools show` needs NAME...");
    refuses(
        &["tools", "call", "x"],
        "`ankita tools call` needs NAME JSON",
    );
    refuses(
        &["tools", "call", "x", "{}", "y"],
        "`ankita tools call` takes only NAME JSON, but `y` was given; put `--` before a prompt",
    );
    refuses(
        &["models", "list"],
        "`ankita models` takes nothing more, but `list` was given; put `--` before a prompt",
    );
    refuses(&["models", "--json"], "`ankita models` has no JSON output");
    refuses(
        &["tools", "list", "--output-format", "stream-json"],
        "`--output-format stream-json` is for prompts, not for `ankita tools list`",
    );
    let stray =
        "does not go with the command `tools`; put `--` before a prompt that begins with `tools`";
    refuses(
        &["tools", "list", "-p", "x"],
        &format!("`--prompt` {stray}"),
    );
    refuses(&["tools", "--dry-run"], &format!("`--dry-run` {stray}"));
    refuses(&["tools", "--stdin"], &format!("`--stdin` {stray}"));
    refuses(&["-", "tools"], &format!("`-` {stray}"));
    refuses(
        &["--listen", "h:1", "hi"],
        "`--listen` is for `ankita endpoint` only",
    );
    refuses(
        &["tools", "--listen", "h:1"],
        "`--listen` is for `ankita endpoint` only",
    );
}

#[test]
fn slash_commands_are_no_prompts() {
    let here = "is for interactive sessions; here";
    refuses(&["/model x"], &format!("`/model` {here} `-m x` does it"));
    refuses(
        &["-p", "/model"],
        &format!("`/model` {here} `-m NAME` does it"),
    );
    refuses(&["/model", "x"], &format!("`/model` {here} `-m x` does it"));
    refuses(&["/help"], &format!("`/help` {here} `--help` does it"));
    refuses(
        &["/tools"],
        &format!("`/tools` {here} `ankita tools list` does it"),
    );
    refuses(&["/usage"], &format!("`/usage` {here} `--json` does it"));
    refuses(&["/quit"], "`/quit` is for interactive sessions");
    refuses(
        &["--", "/new\tplease"],
        "`/new` is for interactive sessions",
    );
    refuses(
        &["/modle x"],
        "unknown slash command `/modle`; did you mean `/model`?",
    );
    refuses(
        &["/frobnicate"],
        "unknown slash command `/frobnicate`; slash commands are for interactive sessions",
    );
    assert_eq!(parse_slash("/model  gpt "), Ok(Some((Slash::Model, "gpt"))));
    assert_eq!(parse_slash("/model"), Ok(Some((Slash::Model, ""))));
    assert_eq!(parse_slash("/usr/bin"), Ok(None));
    assert_eq!(parse_slash("hi"), Ok(None));
    let fault = |line| parse_slash(line).unwrap_err().to_string();
    assert_eq!(
        fault("/quit now"),
        "`/quit` takes nothing, but `now` was given"
    );
    assert_eq!(
        fault("/qit"),
        "unknown slash command `/qit`; did you mean `/quit`?"
    );
    assert_eq!(
        fault("/frobnicate"),
        "unknown slash command `/frobnicate`; `/help` lists all"
    );
}
