//! The built-in endpoint's answers, and its connections fed piece by piece.

use super::Connection;
use super::fill::{FOUND_THOUSANDTHS, Filled, fill};
use super::material::pieces;
use super::respond::{Said, respond};
use crate::catalog::TOOLS;
use crate::json::{self, Value, array, object};
use crate::tool::{FIND_TOOLS, Tool};

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
        Said::Text(text) => text,
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

/// Feeds a whole exchange in pieces of `size` bytes and returns what was written.
fn exchange(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut connection = Connection::new(TOOLS);
    bytes
        .chunks(size)
        .for_each(|piece| connection.feed(piece, 0));
    connection.out().to_vec()
}

#[test]
fn requests_are_answered_in_any_cut() {
    let body = request(vec![user("list the files here")], &[]).to_string();
    let mut bytes = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes();
    bytes.extend_from_slice(b"GET /models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let whole = exchange(&bytes, bytes.len());
    let text = String::from_utf8(whole.clone()).unwrap();
    assert_eq!(text.matches("HTTP/1.1 200 OK").count(), 2, "{text}");
    let at = text.find("{\"id\"").unwrap();
    let end = text[at..].find("HTTP/1.1").unwrap() + at;
    let answer = json::parse(text[at..end].as_bytes()).unwrap();
    assert_eq!(
        answer
            .pointer("/choices/0/finish_reason")
            .and_then(Value::as_str),
        Some("tool_calls")
    );
    for size in 1..40 {
        assert_eq!(exchange(&bytes, size), whole, "in pieces of {size}");
    }
}

#[test]
fn bad_requests_are_refused_with_a_reason() {
    let status = |bytes: &str| {
        let out = exchange(bytes.as_bytes(), bytes.len());
        String::from_utf8(out)
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        status("GET /chat/completions HTTP/1.1\r\nHost: x\r\n\r\n"),
        "405"
    );
    assert_eq!(status("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), "404");
    assert_eq!(
        status("POST /chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n{"),
        "400"
    );
    assert_eq!(
        status("POST /chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n[]"),
        "400"
    );
    assert_eq!(status("nonsense\r\n\r\n"), "400");
    assert_eq!(
        status("POST /chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"),
        "501"
    );
}

/// Each example of each tool, asked as it stands with only its tool loaded, gives exactly its arguments.
#[test]
fn every_example_of_every_tool_is_served() {
    for tool in TOOLS {
        for (arguments, query) in (tool.contract.examples)() {
            check(query, &[tool.name], &format!("{} {arguments}", tool.name));
        }
    }
}

/// Every tool but the search.
fn all_tools() -> Vec<&'static Tool> {
    TOOLS
        .iter()
        .filter(|tool| tool.name != FIND_TOOLS)
        .collect()
}

/// What becomes of a line when every tool is loaded and the lower threshold counts.
fn outcome(line: &str) -> String {
    match fill(line, &all_tools(), FOUND_THOUSANDTHS) {
        Some(Filled::Call { name, arguments }) => format!("{name} {arguments}"),
        Some(Filled::Lacks { name, argument }) => format!("{name} lacks {argument}"),
        None => "-".to_owned(),
    }
}

/// Requests as people type them, among all tools and by the lower threshold.
#[test]
fn plain_requests_are_served() {
    for (line, expected) in [
        ("what listens on port 8080?", r#"port_status {"port":8080}"#),
        (
            "What's listening on port 8080",
            r#"port_status {"port":8080}"#,
        ),
        (
            "which process is on port 3000?",
            r#"port_status {"port":3000}"#,
        ),
        ("who uses port 5432", r#"port_status {"port":5432}"#),
        ("is port 8080 in use", r#"port_status {"port":8080}"#),
        (
            "is something running on port 3000?",
            r#"port_status {"port":3000}"#,
        ),
        (
            "which program occupies port 9090?",
            r#"port_status {"port":9090}"#,
        ),
        (
            "show me what is listening on :8080",
            r#"port_status {"port":8080}"#,
        ),
        ("show all open ports", "port_status {}"),
        ("which ports are in use?", "port_status {}"),
        ("status of the repo", r#"git {"action":"status"}"#),
        ("git status please", r#"git {"action":"status"}"#),
        ("what's the git status?", r#"git {"action":"status"}"#),
        (
            "what has changed in the repo?",
            r#"git {"action":"status"}"#,
        ),
        ("which files did I change?", r#"git {"action":"status"}"#),
        ("what did I change?", r#"git {"action":"diff"}"#),
        ("show me the diff", r#"git {"action":"diff"}"#),
        (
            "git diff --staged",
            r#"git {"action":"diff","staged":true}"#,
        ),
        (
            "git diff src/main.rs",
            r#"git {"action":"diff","paths":["src/main.rs"]}"#,
        ),
        (
            "show the last 3 commits",
            r#"git {"action":"log","limit":3}"#,
        ),
        ("git log", r#"git {"action":"log","limit":10}"#),
        (
            "show me the commit history",
            r#"git {"action":"log","limit":10}"#,
        ),
        (
            "who changed README.md",
            r#"git {"action":"log","paths":["README.md"]}"#,
        ),
        (
            "show the last commit",
            r#"git {"action":"show","ref":"HEAD"}"#,
        ),
        (
            "which files changed in the last commit?",
            r#"git {"action":"show","ref":"HEAD","stat":true}"#,
        ),
        (
            "git blame README.md",
            r#"git {"action":"blame","paths":["README.md"]}"#,
        ),
        (
            "Please read the file README.md.",
            r#"read_file {"path":"README.md"}"#,
        ),
        (
            "can you show me Cargo.toml?",
            r#"read_file {"path":"Cargo.toml"}"#,
        ),
        ("what's in README.md", r#"read_file {"path":"README.md"}"#),
        (
            "what does src/main.rs say?",
            r#"read_file {"path":"src/main.rs"}"#,
        ),
        (
            "show me the contents of Cargo.toml",
            r#"read_file {"path":"Cargo.toml"}"#,
        ),
        (
            r#"open "my notes.txt""#,
            r#"read_file {"path":"my notes.txt"}"#,
        ),
        ("list files", "list_dir {}"),
        ("ls", "list_dir {}"),
        ("list the files in src", r#"list_dir {"path":"src"}"#),
        ("what files are in src/?", r#"list_dir {"path":"src/"}"#),
        ("what is in src/app", r#"list_dir {"path":"src/app"}"#),
        (
            "list everything in src/ recursively",
            r#"list_dir {"path":"src/","recursive":true}"#,
        ),
        ("use the bug-repro skill", r#"skill {"name":"bug-repro"}"#),
        (
            r#"run "cargo test""#,
            r#"run_command {"command":"cargo test"}"#,
        ),
        (
            r#"please run the command 'echo "a b"'"#,
            r#"run_command {"command":"echo \"a b\""}"#,
        ),
        ("could you run `true`?", r#"run_command {"command":"true"}"#),
        (
            "create the file notes.txt",
            r#"write_file {"path":"notes.txt","content":""}"#,
        ),
        (
            r#"create a file called notes.txt with "hello""#,
            r#"write_file {"path":"notes.txt","content":"hello\n"}"#,
        ),
        (
            r#"write "x" to "my notes.txt""#,
            r#"write_file {"path":"my notes.txt","content":"x\n"}"#,
        ),
        (
            r#"replace "a" with "b" in notes.txt"#,
            r#"edit_file {"path":"notes.txt","old_string":"a","new_string":"b"}"#,
        ),
        (
            "create a folder called invoices",
            r#"create_dir {"path":"invoices"}"#,
        ),
        ("mkdir docs/new", r#"create_dir {"path":"docs/new"}"#),
        (
            "can you delete the file old.txt?",
            r#"delete_file {"path":"old.txt"}"#,
        ),
        ("delete the folder build", r#"delete_file {"path":"build"}"#),
        (
            "delete the directory out2 and everything in it",
            r#"delete_file {"path":"out2","recursive":true}"#,
        ),
        (
            "rename a.txt to b.txt",
            r#"move_file {"source":"a.txt","destination":"b.txt"}"#,
        ),
        (
            "rename to new.txt old.txt",
            r#"move_file {"source":"old.txt","destination":"new.txt"}"#,
        ),
        (
            "move a.txt to docs/",
            r#"move_file {"source":"a.txt","destination":"docs/"}"#,
        ),
        (
            "kill what listens on port 9090",
            r#"kill_process {"port":9090}"#,
        ),
        ("please free up port 8080", r#"kill_process {"port":8080}"#),
        (
            "stop the server on port 8080",
            r#"kill_process {"port":8080}"#,
        ),
        ("kill pid 1234", r#"kill_process {"pid":1234}"#),
    ] {
        assert_eq!(outcome(line), expected, "{line}");
    }
}

/// What must not be served: questions, negations, conditions, other times and persons, two requests, parts not understood.
/// Naming what is missing is no service either; nothing may become a call.
#[test]
fn what_is_not_wholly_understood_becomes_no_call() {
    for line in [
        "why is the sky blue",
        "what is the capital of France?",
        "who are you",
        "hello",
        "summarise README.md",
        "summarize this",
        "say what changed",
        "explain src/main.rs",
        "what does src/main.rs do?",
        "what is the purpose of src/main.rs",
        "translate README.md to German",
        r#"translate "delete the file old.txt" to French"#,
        "don't run `rm x`",
        "do not delete old.txt",
        "never delete the file old.txt",
        "please don't delete the file old.txt",
        "should I delete old.txt?",
        "did you delete old.txt",
        "was old.txt deleted",
        "who deleted old.txt",
        "I deleted old.txt",
        "is it safe to delete old.txt",
        "why can't I delete old.txt",
        "how do I delete old.txt",
        "how do I delete a file",
        "what happens if I run `rm -rf /`",
        "what does `rm -rf x` do",
        "explain `rm x`",
        "run `ls` and `rm x`",
        "run `ls` then run `pwd`",
        "run `ls` if port 3000 is free",
        "run rm x",
        "run the tests",
        "run",
        "delete a.txt and b.txt",
        "delete everything",
        "delete all files",
        "delete all files in src",
        "delete the files here",
        "delete everything except README.md",
        "delete the file",
        "delete the port",
        "delete old.txt?",
        "undo the delete of old.txt",
        "pretend to delete old.txt",
        "remember to delete the file old.txt",
        "tell me to delete the file old.txt",
        "read a.txt and delete it",
        "read README.md and Cargo.toml",
        "compare a.txt with b.txt",
        "list the files here and show git status",
        "git status and git diff",
        "show git status, then run `ls`",
        "which port is best for redis",
        "what port does redis use",
        "what port should I use",
        "how does port forwarding work",
        "is port 3000 safe",
        "kill 3000",
        "kill the process",
        "kill all processes",
        "kill nginx",
        "kill the process on port 3000 and 4000",
        "kill process 4711 on port 3000",
        "kill port 3000 or 4000",
        "who killed process 4711",
        "stop",
        "stop it",
        "free memory",
        "free 8080",
        "explain git rebase",
        "what is git",
        "what is a repository",
        "git",
        "git push",
        r#"git commit -m "x""#,
        "commit my changes",
        "revert the last commit",
        "undo my last commit",
        "checkout main",
        "what is a file",
        "how many files are here",
        "count the lines of src/main.rs",
        "show me how to list files",
        "what is a skill",
        "which skills are there",
        r#"append "x" to notes.txt"#,
        "write a poem to notes.txt",
        "write hello to notes.txt",
        "write a test for src/main.rs",
        "create a web server",
        "create a file",
        "create a new project called foo",
        "create a folder for my invoices",
        "rename new.txt from old.txt",
        "rename a.txt",
        "move a.txt",
        "move everything to docs/",
        "move a.txt and b.txt to docs/",
        "copy a.txt to b.txt",
        r#"replace "a" with "b""#,
        r#"replace all "a" with "b" in notes.txt"#,
        r#"in notes.txt and b.txt replace "a" with "b""#,
        "fix the bug in src/main.rs",
        r#"the user said "delete" old.txt"#,
        r#""delete the file old.txt""#,
        "echo `delete old.txt`",
        r#"delete the line "x" in notes.txt"#,
        r#"delete "x" from notes.txt"#,
        r#"remove the word "x" from notes.txt"#,
        "remove notes.txt from git",
        "delete old.txt, just kidding",
        "delete old.txt from the trash",
        "delete old.txt tomorrow",
        "when should old.txt be deleted",
        "list the files not in git",
        "list files larger than 10 MB",
        "list the largest files",
        "read the second line of README.md",
        r#"find all files containing "x""#,
        r#"find "x" in src"#,
        "what is node.js",
        "open http://example.com",
        "fetch http://example.com/a.txt",
        "show the folder contents",
        r#"write "x" to /etc/passwd without asking"#,
        "make me a sandwich",
        "create the file a.txt and b.txt",
        r#"run "a" "b""#,
        "if tests fail, run `rm x`",
        "run `rm x` unless it is Monday",
        "I would like to delete old.txt",
        "we delete old.txt",
        "let's not delete old.txt",
        "show",
        "show me",
        "show the weather",
        "list my todos",
        "blame the developer",
        "open README.md and fix it",
        "what is the port",
        "is this a git repository",
        "run hello",
        r#"create the file a.txt without "x""#,
        "kill the process on port 3000 if it hangs",
        "free port 3000?",
        "you kill process 4711",
        "please delete the file old.txt?",
        "don’t delete old.txt",
        "not delete old.txt",
        "delete old.txt not",
        "move to docs/ from src/",
        r#"write "a" "b" to x.txt"#,
        "run `ls` `pwd`",
        "kill process on 3000",
    ] {
        let outcome = outcome(line);
        assert!(
            outcome == "-" || outcome.contains(" lacks "),
            "{line}: {outcome}"
        );
    }
}
