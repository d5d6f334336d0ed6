//! Lines as people type them, and what becomes of each.

use crate::catalog::TOOLS;
use crate::offline::fill::{FOUND_THOUSANDTHS, Filled, fill};
use crate::tool::{FIND_TOOLS, Tool};

/// Every tool but the search.
fn all_tools() -> Vec<&'static Tool> {
    TOOLS
        .iter()
        .filter(|tool| tool.name != FIND_TOOLS)
        .collect()
}

/// What becomes of a line when every tool is loaded and the lower threshold counts.
fn outcome(line: &str) -> String {
    match fill(line, TOOLS, &all_tools(), FOUND_THOUSANDTHS) {
        Some(Filled::Call { name, arguments }) => format!("{name} {arguments}"),
        Some(Filled::Lacks { name, argument }) => format!("{name} lacks {argument}"),
        None => "-".to_owned(),
    }
}

/// Requests as people type them, each with its call.
const SERVED: &[(&str, &str)] = &[
    ("what listens on port 8080?", r#"port_status {"port":8080}"#),
    (
        "What's listening on port 8080",
        r#"port_status {"port":8080}"#,
    ),
    (
        "which process is on port 3000?",
        r#"port_status {"port":3000}"#,
    ),
    ("who is using port 5432", r#"port_status {"port":5432}"#),
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
];

/// Questions, negations, conditions, other times and persons, two requests at once, parts that are not understood.
const UNSERVED: &[&str] = &[
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
    "create the file notes.txt",
    "create an empty file called notes.txt",
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
    "stop process pid with 4711",
    "delete old.txt would do it",
    "kill process 4711 is it",
    "me delete old.txt",
    "create docs/new",
    "create draft.md",
    "move a.txt docs/a.txt",
    "is old.txt deleted?",
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
];

/// Among all tools and by the lower threshold.
#[test]
fn plain_requests_are_served() {
    let wrong: Vec<_> = SERVED
        .iter()
        .map(|(line, expected)| (line, outcome(line), expected))
        .filter(|(_, got, expected)| got != *expected)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Naming what is missing is no service either; nothing may become a call.
#[test]
fn what_is_not_wholly_understood_becomes_no_call() {
    for line in UNSERVED {
        let outcome = outcome(line);
        assert!(
            outcome == "-" || outcome.contains(" lacks "),
            "{line}: {outcome}"
        );
    }
}
