//! The built-in endpoint's answers to requests.

mod connection;
mod rows;

use super::material::pieces;
use super::respond::{Said, respond};
use crate::catalog::TOOLS;
use crate::json::{self, Value, array, object};
use crate::tool::{Effect, FIND_TOOLS};

/// A request with the default tools and those of `loaded`, and these messages after the system's.
fn request(messages: Vec<Value>, loaded: &[&str]) -> Value {
    let names = TOOLS
        .iter()
        .filter(|tool| tool.category == "core" || tool.category == "skills")
        .map(|tool| tool.name);
    let tools: Vec<Value> = names
        .chain(loaded.iter().copied())
        .map(|name| object! { "type": "function", "function": object! { "name": name } })
        .collect();
    object! { "model": "m", "messages": messages, "tools": tools }
}

fn user(text: &str) -> Value {
    object! { "role": "user", "content": text }
}

/// The answer to a first line, in short.
#[track_caller]
fn check(line: &str, loaded: &[&str], expected: &str) {
    let got = match respond(&request(vec![user(line)], loaded), TOOLS) {
        Said::Call { name, arguments } => format!("{name} {arguments}"),
        Said::Text(text) | Said::Failed(text) => text,
        Said::Unable(why) => format!("unable: {}", why.split(';').next().unwrap_or_default()),
    };
    assert_eq!(got, expected, "{line}");
}

#[test]
fn a_plain_request_becomes_the_call_of_the_nearest_example() {
    check("read Cargo.toml", &[], r#"read_file {"path":"Cargo.toml"}"#);
    check(
        "show me the file src/app/view.rs, please",
        &[],
        r#"read_file {"path":"src/app/view.rs"}"#,
    );
    check("list the files here", &[], "list_dir {}");
    check(
        "run the command `echo hello`",
        &[],
        r#"run_command {"command":"echo hello"}"#,
    );
    check(
        "please execute 'ls -l'",
        &[],
        r#"run_command {"command":"ls -l"}"#,
    );
    check(
        "load the skill bug-repro",
        &[],
        r#"skill {"name":"bug-repro"}"#,
    );
    check(
        "what listens on port 9090?",
        &["port_status", "kill_process"],
        r#"port_status {"port":9090}"#,
    );
    check(
        "kill the process on port 9090",
        &["port_status", "kill_process"],
        r#"kill_process {"port":9090}"#,
    );
    check("git status", &["git"], r#"git {"action":"status"}"#);
    check(
        "which files changed in the last commit?",
        &["git"],
        r#"git {"action":"show","ref":"HEAD","stat":true}"#,
    );
}

#[test]
fn what_no_loaded_tool_fits_is_searched_for() {
    check(
        "what listens on port 9090?",
        &[],
        r#"find_tools {"query":"what listens on port 9090?"}"#,
    );
    // The catalog knows words, not names of files.
    check(
        "rename docs/a.txt to old/",
        &[],
        r#"find_tools {"query":"rename file to folder"}"#,
    );
    check(
        "find tools for git history",
        &[],
        r#"find_tools {"query":"git history"}"#,
    );
}

#[test]
fn what_it_cannot_do_it_says() {
    check(
        "run a command",
        &[],
        "unable: `run_command` fits, but the request holds no value for `command`: say which",
    );
    check(
        "say what changed\n\n<stdin>\n+x\n</stdin>",
        &[],
        "unable: it cannot read the data on standard input",
    );
    let bare = object! { "messages": vec![user("why is the sky blue")] };
    assert!(matches!(respond(&bare, TOOLS), Said::Unable(_)));
    assert!(matches!(respond(&object! {}, TOOLS), Said::Unable(_)));
}

#[test]
fn results_are_the_answer() {
    let call =
        object! { "id": "c", "function": object! { "name": "port_status", "arguments": "{}" } };
    let messages = vec![
        user("what listens on port 1"),
        object! { "role": "assistant", "tool_calls": vec![call] },
        object! { "role": "tool", "tool_call_id": "c", "content": "nothing listens on port 1" },
    ];
    assert_eq!(
        respond(&request(messages, &["port_status"]), TOOLS),
        Said::Text("nothing listens on port 1".to_owned())
    );
}

#[test]
fn a_search_is_followed_by_the_call_it_was_for() {
    let after = |loaded: &[&str], text: &str| {
        let call =
            object! { "id": "c", "function": object! { "name": FIND_TOOLS, "arguments": "{}" } };
        let messages = vec![
            user("what listens on port 77"),
            object! { "role": "assistant", "tool_calls": array![call] },
            object! { "role": "tool", "tool_call_id": "c", "content": text },
        ];
        respond(&request(messages, loaded), TOOLS)
    };
    let Said::Call { name, arguments } = after(&["port_status", "kill_process"], "Loaded process")
    else {
        panic!("a call")
    };
    assert_eq!(
        (name.as_str(), arguments),
        ("port_status", object! { "port": 77_u32 })
    );
    assert!(matches!(after(&[], "nothing matched"), Said::Unable(_)));
}

/// Each example of each tool, asked as it stands with only its tool loaded, gives exactly its arguments.
#[test]
fn every_example_of_every_tool_is_served() {
    for tool in TOOLS {
        for (arguments, query) in (tool.contract.examples)() {
            // What is to be created with nothing in it might be there, with something in it.
            let expected = match arguments.get("content").and_then(Value::as_str) {
                Some("") => lacks(tool.name, "content"),
                _ => format!("{} {arguments}", tool.name),
            };
            check(query, &[tool.name], &expected);
        }
    }
}

fn lacks(tool: &str, argument: &str) -> String {
    format!("unable: `{tool}` fits, but the request holds no value for `{argument}`: say which")
}

/// Whatever an example of a tool that changes something says of its arguments: a request without it changes nothing.
#[test]
fn no_value_is_made_up_for_a_change() {
    let changing = TOOLS
        .iter()
        .filter(|tool| tool.contract.effect != Some(Effect::Read));
    for tool in changing {
        for (arguments, query) in (tool.contract.examples)() {
            for (name, value) in arguments.as_object().unwrap().iter() {
                let value = value.as_str().map_or(value.to_string(), str::to_owned);
                let value = value.trim_end();
                if value.is_empty() || !query.contains(value) {
                    continue;
                }
                let line = query
                    .replace(&format!("\"{value}\""), "")
                    .replace(&format!("`{value}`"), "");
                let line = line.replace(value, "");
                let said = respond(&request(vec![user(&line)], &[tool.name]), TOOLS);
                let is_safe = match &said {
                    Said::Call { name, .. } => name == FIND_TOOLS || name == "list_dir",
                    _ => true,
                };
                assert!(is_safe, "{line} (without {name}): {said:?}");
            }
        }
    }
}

#[test]
fn who_asks_what_it_can_do_is_told_by_examples_that_it_serves() {
    let Said::Text(text) = respond(&request(vec![user("help")], &["port_status"]), TOOLS) else {
        panic!("a text")
    };
    let listed: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("- "))
        .collect();
    let sent = [
        "find_tools",
        "list_dir",
        "read_file",
        "run_command",
        "write_file",
        "edit_file",
        "skill",
        "port_status",
    ];
    assert_eq!(listed.len(), sent.len(), "{text}");
    for line in listed {
        let said = respond(&request(vec![user(line)], &["port_status"]), TOOLS);
        assert!(matches!(said, Said::Call { .. }), "{line}: {said:?}");
    }
    assert!(text.contains("`endpoint.url`"), "{text}");
    for line in ["hi", "Hello!", "what can you do?"] {
        assert_eq!(
            respond(&request(vec![user(line)], &["port_status"]), TOOLS),
            Said::Text(text.clone())
        );
    }
    // Without tools it can do nothing, and does not say otherwise.
    let bare = object! { "messages": vec![user("help")] };
    assert!(matches!(respond(&bare, TOOLS), Said::Unable(_)));
}

#[test]
fn the_setting_is_explained_once_in_a_conversation() {
    let miss = |messages: Vec<Value>| match respond(&request(messages, &[]), TOOLS) {
        Said::Unable(why) => why,
        other => panic!("{other:?}"),
    };
    let answer = |text: &str| object! { "role": "assistant", "content": text };
    let first = miss(vec![user("run a command")]);
    assert!(
        first.contains("no language model") && first.contains("`endpoint.url`"),
        "{first}"
    );
    let second = miss(vec![
        user("run a command"),
        answer(&first),
        user("stop <stdin>"),
    ]);
    assert!(second.len() * 2 < first.len(), "{second}");
    assert!(
        second.starts_with("it cannot read the data on standard input; "),
        "{second}"
    );
    assert!(
        second.contains("`endpoint.url`") && !second.contains("no language model"),
        "{second}"
    );
    // Another answer in between says nothing of it.
    let other = miss(vec![user("ls"), answer("a.txt"), user("<stdin>")]);
    assert!(other.contains("no language model"), "{other}");
}

/// The answer to `text` coming back from a call.
fn after_call(question: &str, text: &str) -> Said {
    let call = object! { "id": "c", "function": object! { "name": "read_file", "arguments": "{\"path\":\"x\"}" } };
    let messages = vec![
        user(question),
        object! { "role": "assistant", "tool_calls": vec![call] },
        object! { "role": "tool", "tool_call_id": "c", "content": text },
    ];
    respond(&request(messages, &[]), TOOLS)
}

#[test]
fn what_was_not_done_is_not_said_as_done() {
    assert_eq!(
        after_call("read x", "failed: cannot read `x`: it does not exist\n2"),
        Said::Failed("`read_file` failed: cannot read `x`: it does not exist\n2".to_owned())
    );
    assert_eq!(
        after_call("read x", "not run: nobody can be asked in this run, and no rule allows it; do not retry it"),
        Said::Text(
            "`read_file` was not run with {\"path\":\"x\"}: nobody can be asked in this run, and no rule allows it"
                .to_owned()
        )
    );
    assert_eq!(
        after_call("read x", "\n"),
        Said::Text("`read_file` ran and had nothing to say".to_owned())
    );
    assert_eq!(
        after_call("read x", "it failed: no"),
        Said::Text("it failed: no".to_owned())
    );
}

#[test]
fn the_result_of_a_wanted_search_is_the_answer() {
    let call = object! { "id": "c", "function": object! { "name": FIND_TOOLS, "arguments": "{}" } };
    let messages = vec![
        user("Please find tools for git history!"),
        object! { "role": "assistant", "tool_calls": vec![call] },
        object! { "role": "tool", "tool_call_id": "c", "content": "Loaded git" },
    ];
    assert_eq!(
        respond(&request(messages, &["git"]), TOOLS),
        Said::Text("Loaded git".to_owned())
    );
    check(
        "Please find tools for Git history!",
        &[],
        r#"find_tools {"query":"Git history"}"#,
    );
}

#[test]
fn other_programs_tools_are_called_only_if_they_are_the_same() {
    let line = |extra: Value| {
        let mut request = object! { "messages": vec![user("read README.md")] };
        let Value::Object(members) = &mut request else {
            return false;
        };
        for (name, value) in extra.as_object().unwrap().iter() {
            members.insert(name, value.clone());
        }
        matches!(respond(&request, TOOLS), Said::Call { .. })
    };
    let tool = |name: &str, argument: &str, required: &str| {
        let properties =
            json::parse(format!("{{\"{argument}\":{{\"type\":\"string\"}}}}").as_bytes()).unwrap();
        let parameters = object! { "type": "object", "properties": properties, "required": vec![Value::from(required)] };
        vec![
            object! { "type": "function", "function": object! { "name": name, "parameters": parameters } },
        ]
    };
    assert!(line(object! { "tools": tool("read_file", "path", "path") }));
    assert!(!line(
        object! { "tools": tool("read_file", "file", "file") }
    ));
    assert!(!line(
        object! { "tools": tool("read_file", "path", "other") }
    ));
    assert!(!line(object! { "tools": tool("other", "path", "path") }));
    assert!(!line(object! {}));
    let tools = tool("read_file", "path", "path");
    assert!(!line(
        object! { "tools": tools.clone(), "tool_choice": "none" }
    ));
    let choice = object! { "type": "function", "function": object! { "name": "other" } };
    assert!(!line(
        object! { "tools": tools.clone(), "tool_choice": choice }
    ));
    assert!(!line(
        object! { "tools": tools, "response_format": object! { "type": "json_object" } }
    ));
}

/// Numbers from a seed, by the generator of Marsaglia (xorshift, 2003).
struct Seeded(u64);

impl Seeded {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}

#[test]
fn any_line_is_read_without_a_panic() {
    const SCRAPS: &[&str] = &[
        "run",
        " ",
        "`",
        "\"",
        "'",
        "“",
        "”",
        "’s",
        ".",
        "..",
        "/",
        "~",
        ":",
        "8080",
        "://",
        "é",
        "ß",
        "日本",
        "\u{301}",
        "\t",
        "\n",
        "?",
        "please ",
        "can you ",
        "delete",
        "file",
        "the ",
        "to ",
        "99999999999999999999",
        "-",
        "(",
        ")",
        "\u{0}",
        "İ",
        "find tools for ",
    ];
    let mut seeded = Seeded(0x5eed);
    for _ in 0..2_000 {
        let line: String = (0..seeded.below(24))
            .map(|_| SCRAPS[seeded.below(SCRAPS.len())])
            .collect();
        for piece in pieces(&line) {
            assert!(
                line.contains(&piece.text),
                "{line:?} has no {:?}",
                piece.text
            );
        }
    }
    for _ in 0..40 {
        let line: String = (0..seeded.below(24))
            .map(|_| SCRAPS[seeded.below(SCRAPS.len())])
            .collect();
        respond(&request(vec![user(&line)], &["git", "delete_file"]), TOOLS);
    }
    // Far longer than a plain request, and made so that each quote looks for its end.
    respond(&request(vec![user(&"\"a".repeat(200_000))], &[]), TOOLS);
}
