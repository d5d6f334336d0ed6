//! Rows of command lines with what they ask for, and that the tables agree.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use super::command::{COMMANDS, RESERVED};
use super::flag::{CONFLICTS, Group, find_long};
use super::table::FLAGS;
use super::*;

pub(super) fn words(line: &[&str]) -> Vec<OsString> {
    line.iter().map(OsString::from).collect()
}

fn prompt(text: &str) -> Action {
    Action::Ask(Ask::Prompt(text.to_owned()))
}

/// The line asks for `action`, with the flags that `set` changes.
fn check(line: &[&str], action: Action, set: fn(&mut Flags)) {
    let mut flags = Flags::default();
    set(&mut flags);
    assert_eq!(
        parse(&words(line)),
        Ok(Invocation { flags, action }),
        "{line:?}"
    );
}

fn check_action(line: &[&str], action: Action) {
    check(line, action, |_| {});
}

fn check_order(line: &[&str], order: Order) {
    check(line, Action::Run(order), |_| {});
}

/// The line is refused with exactly this text.
pub(super) fn refuses(line: &[&str], text: &str) {
    match parse(&words(line)) {
        Err(usage) => assert_eq!(usage.to_string(), text, "{line:?}"),
        Ok(invocation) => panic!("{line:?} gave {invocation:?}"),
    }
}

#[test]
fn prompts() {
    check_action(&[], Action::Ask(Ask::Either));
    check_action(&["what", "is", "rust"], prompt("what is rust"));
    check_action(&["what is rust"], prompt("what is rust"));
    check_action(&["-p", "hi"], prompt("hi"));
    check_action(&["-phi"], prompt("hi"));
    check_action(&["-p=hi"], prompt("hi"));
    check_action(&["--prompt", "hi"], prompt("hi"));
    check_action(&["--prompt=hi"], prompt("hi"));
    check_action(&["--prompt=--hi"], prompt("--hi"));
    check_action(&["-p", "tools"], prompt("tools"));
    // Without a value, where the text follows or comes from standard input.
    check(&["-p", "-q", "hi"], prompt("hi"), |f| f.quiet = true);
    check_action(&["-p", "--", "--hi"], prompt("--hi"));
    check_action(&["-p"], Action::Ask(Ask::Stdin));
    check(&["-p", "-q"], Action::Ask(Ask::Stdin), |f| f.quiet = true);
    check(&["-qp", "hi"], prompt("hi"), |f| f.quiet = true);
    // A text that begins with a dash, and is no flag.
    check_action(&["-p", "- one\n- two"], prompt("- one\n- two"));
    check_action(&["-5 degrees in F"], prompt("-5 degrees in F"));
    check_action(&["--- a/file b"], prompt("--- a/file b"));
    check_action(&["--", "-q"], prompt("-q"));
    check_action(&["say", "--", "--", "-"], prompt("say -- -"));
    // Only a first bare word is a command.
    check_action(&["--", "tools", "list"], prompt("tools list"));
    check_action(&["my", "tools"], prompt("my tools"));
    check_action(&["doctors", "and", "nurses"], prompt("doctors and nurses"));
    check_action(&["-p", "doctor"], prompt("doctor"));
    check_action(&["--", "doctor"], prompt("doctor"));
    check_action(&["--", "tols"], prompt("tols"));
    check_action(&["tols", "are", "fun"], prompt("tols are fun"));
    check_action(&["tulips"], prompt("tulips"));
    check_action(&["help"], prompt("help"));
    // A path is no slash command.
    check_action(&["/usr/bin/env", "x"], prompt("/usr/bin/env x"));
    check_action(&["/", "is", "what"], prompt("/ is what"));
    check_action(&["/Model x"], prompt("/Model x"));
    check_action(&["what is /model"], prompt("what is /model"));
}

#[test]
fn talking() {
    check_action(&["-i"], Action::Talk(None));
    check_action(&["-i", "hi"], Action::Talk(Some("hi".into())));
    check_action(&["--interactive=hi"], Action::Talk(Some("hi".into())));
    check_action(
        &["-i", "--", "hi", "you"],
        Action::Talk(Some("hi you".into())),
    );
    check_action(&["-i", "/tools"], Action::Talk(Some("/tools".into())));
}

#[test]
fn standard_input() {
    let always: fn(&mut Flags) = |f| f.stdin = StdinRule::Always;
    check(&["--stdin"], Action::Ask(Ask::Stdin), always);
    check(&["-"], Action::Ask(Ask::Stdin), always);
    check(&["-p", "-"], Action::Ask(Ask::Stdin), always);
    check(&["--prompt=-"], Action::Ask(Ask::Stdin), always);
    check(&["--stdin", "hi"], prompt("hi"), always);
    check(&["hi", "-"], prompt("hi"), always);
    check(&["-p", "hi", "-"], prompt("hi"), always);
    check(&["--no-stdin", "hi"], prompt("hi"), |f| {
        f.stdin = StdinRule::Never;
    });
    check(&["--no-stdin"], Action::Ask(Ask::Either), |f| {
        f.stdin = StdinRule::Never;
    });
}

type FlagLine = (&'static [&'static str], fn(&mut Flags));

/// Flags as typed, and what they change.
const FLAG_LINES: &[FlagLine] = &[
    (&["-m", "big"], |f| f.model = Some("big".into())),
    (&["-mbig"], |f| f.model = Some("big".into())),
    (&["--model", "big"], |f| f.model = Some("big".into())),
    (&["--model=a=b"], |f| f.model = Some("a=b".into())),
    (&["-m", "small", "-m", "big"], |f| {
        f.model = Some("big".into());
    }),
    (&["-s", "be brief"], |f| f.system = Some("be brief".into())),
    (&["--system", "- be brief"], |f| {
        f.system = Some("- be brief".into());
    }),
    (&["--endpoint", "builtin"], |f| {
        f.endpoint = Some("builtin".into());
    }),
    (&["--api-base=http://h"], |f| {
        f.endpoint = Some("http://h".into());
    }),
    (&["--max-tokens", "1"], |f| f.max_tokens = Some(1)),
    (&["--max-tokens=10000000"], |f| {
        f.max_tokens = Some(10_000_000);
    }),
    (&["--max-turns", "1000"], |f| f.max_turns = Some(1_000)),
    (&["--output-format", "text"], |f| f.format = Format::Text),
    (&["--output-format", "json"], |f| f.format = Format::Json),
    (&["--output-format=stream-json"], |f| {
        f.format = Format::StreamJson;
    }),
    (
        &["--output-format", "json", "--output-format", "text"],
        |_| {},
    ),
    (&["--json"], |f| f.format = Format::Json),
    (&["--json", "--output-format", "json"], |f| {
        f.format = Format::Json;
    }),
    (&["--dry-run"], |f| f.dry_run = true),
    (&["--no-stream"], |f| f.no_stream = true),
    (&["-q"], |f| f.quiet = true),
    (&["--quiet"], |f| f.quiet = true),
    (&["-v"], |f| f.verbose = true),
    (&["--verbose"], |f| f.verbose = true),
    (&["--color", "auto"], |f| f.color = Some(When::Auto)),
    (&["--color=always"], |f| f.color = Some(When::Always)),
    (&["--plain", "--color=never"], |f| {
        f.plain = true;
        f.color = Some(When::Never);
    }),
    (&["--no-tools"], |f| f.no_tools = true),
    (&["--allow-tool", "a", "--allow-tool=b(c d)"], |f| {
        f.allow_tool = vec!["a".into(), "b(c d)".into()];
    }),
    (&["--deny-tool", "a"], |f| f.deny_tool = vec!["a".into()]),
    (&["--allow-all"], |f| f.allow_all = true),
    (&["-y"], |f| f.allow_all = true),
    (&["--yes", "-y"], |f| f.allow_all = true),
    (&["--read-only"], |f| f.read_only = true),
    (&["--headless"], |f| f.headless = true),
    (&["-C", "/tmp"], |f| f.directory = Some("/tmp".into())),
    (&["--cd=a b"], |f| f.directory = Some("a b".into())),
    (&["--add-dir", "a", "--add-dir", "b"], |f| {
        f.add_dirs = vec![PathBuf::from("a"), PathBuf::from("b")];
    }),
    (&["--no-session"], |f| f.no_session = true),
    (&["-qym", "big"], |f| {
        f.quiet = true;
        f.allow_all = true;
        f.model = Some("big".into());
    }),
];

/// Every flag that changes `Flags`, spelled in every way.
#[test]
fn flags() {
    for (line, set) in FLAG_LINES {
        let mut before = line.to_vec();
        before.push("hi");
        check(&before, prompt("hi"), *set);
        let mut after = vec!["hi"];
        after.extend(*line);
        check(&after, prompt("hi"), *set);
    }
}

#[test]
fn commands() {
    check_order(&["tools"], Order::ToolsList);
    check_order(&["tools", "list"], Order::ToolsList);
    check_order(
        &["tools", "show", "a", "b"],
        Order::ToolsShow(vec!["a".into(), "b".into()]),
    );
    check_order(&["tools", "match"], Order::ToolsMatch(vec![]));
    check_order(&["tools", "match", "free a port", "x"], {
        Order::ToolsMatch(vec!["free a port".into(), "x".into()])
    });
    check_order(
        &["tools", "match", "--", "-x"],
        Order::ToolsMatch(vec!["-x".into()]),
    );
    check_order(&["tools", "call", "read_file", r#"{"path": "-"}"#], {
        Order::ToolsCall {
            name: "read_file".into(),
            arguments: r#"{"path": "-"}"#.into(),
        }
    });
    check_order(&["tools", "audit"], Order::ToolsAudit);
    check_order(&["skills"], Order::SkillsList);
    check_order(&["skills", "list"], Order::SkillsList);
    check_order(
        &["skills", "show", "bug-repro"],
        Order::SkillsShow("bug-repro".into()),
    );
    check_order(&["models"], Order::Models);
    check_order(&["endpoint"], Order::Endpoint);
    for address in ["127.0.0.1:0", "localhost:4141", "[::1]:65535"] {
        let parsed = parse(&words(&["endpoint", "--listen", address])).unwrap();
        assert_eq!(parsed.action, Action::Run(Order::Endpoint));
        assert_eq!(parsed.flags.listen.as_deref(), Some(address));
    }
    let json: fn(&mut Flags) = |f| f.format = Format::Json;
    check(
        &["tools", "list", "--json"],
        Action::Run(Order::ToolsList),
        json,
    );
    check(&["--json", "tools"], Action::Run(Order::ToolsList), json);
    check(
        &["tools", "--output-format=json", "match"],
        Action::Run(Order::ToolsMatch(vec![])),
        json,
    );
    check(
        &["tools", "call", "x", "{}", "-y", "--headless"],
        {
            Action::Run(Order::ToolsCall {
                name: "x".into(),
                arguments: "{}".into(),
            })
        },
        |f| {
            f.allow_all = true;
            f.headless = true;
        },
    );
}

#[test]
fn help_and_version_win() {
    check_action(&["-h"], Action::Help(None));
    check_action(&["--help"], Action::Help(None));
    check_action(&["--help", "--version"], Action::Help(None));
    check_action(&["-V"], Action::Version);
    check_action(&["--version"], Action::Version);
    check_action(&["--modle", "--help"], Action::Help(None));
    check_action(&["--modle", "-V"], Action::Version);
    check(&["tols", "-h", "-q"], Action::Help(None), |f| {
        f.quiet = true;
    });
    let tools = command::find("tools");
    assert!(tools.is_some());
    check_action(&["tools", "--help"], Action::Help(tools));
    check_action(&["tools", "call", "-h"], Action::Help(tools));
    check_action(&["tools", "call", "--bad", "-h"], Action::Help(tools));
    refuses(
        &["--modle", "--", "--help"],
        "unknown flag `--modle`; did you mean `--model`?",
    );
}

#[test]
fn the_format_is_known_even_of_a_wrong_line() {
    let check =
        |line: &[&str], format| assert_eq!(requested_format(&words(line)), format, "{line:?}");
    check(&["--modle"], Format::Text);
    check(&["--modle", "--json"], Format::Json);
    check(&["--json", "--modle"], Format::Json);
    check(
        &["--output-format", "stream-json", "--bad"],
        Format::StreamJson,
    );
    check(&["--bad", "--output-format=json"], Format::Json);
    check(&["--output-format=xml"], Format::Text);
    check(&["--output-format"], Format::Text);
    check(&["--output-format", "--json"], Format::Json);
    check(&["--", "--json"], Format::Text);
    let mut odd = words(&["--json"]);
    odd.push(OsString::from_vec(vec![0xff]));
    assert_eq!(requested_format(&odd), Format::Json);
}

#[test]
fn tables_agree() {
    let mut names: Vec<&str> = flag::long_names().collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "a flag twice");
    let mut letters: Vec<char> = FLAGS.iter().filter_map(|flag| flag.short).collect();
    letters.sort_unstable();
    let count = letters.len();
    letters.dedup();
    assert_eq!(letters.len(), count, "a letter twice");
    for (one, other) in CONFLICTS {
        assert!(
            find_long(one).is_some() && find_long(other).is_some(),
            "{one} {other}"
        );
    }
    for flag in FLAGS {
        assert!(Group::ALL.iter().any(|(group, _)| *group == flag.group));
        if let flag::Scope::Command(name) = flag.scope {
            assert!(command::find(name).is_some(), "{name}");
        }
    }
    // The words of DESIGN §6, each once.
    let mut kept: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    kept.extend(RESERVED);
    kept.sort_unstable();
    assert_eq!(
        kept.join(" "),
        "completions config doctor endpoint man mcp memory models project routines sessions skills stats tools watches"
    );
    let default = find_long("max-turns").unwrap().doc;
    assert!(
        default.contains(&format!("(default {TURNS_DEFAULT})")),
        "{default}"
    );
}

#[test]
fn nearest_words() {
    let names = ["allow-tool", "allow-all", "model", "json", "cd"];
    let check = |word: &str, near: Option<&str>| assert_eq!(nearest(word, names), near, "{word}");
    check("modle", Some("model"));
    check("mod", Some("model"));
    check("mo", None);
    check("allow", None);
    check("allow-tol", Some("allow-tool"));
    check("alow_tool", Some("allow-tool"));
    check("cx", Some("cd"));
    check("xx", None);
    check("", None);
    check("x", None);
    check("JSON", None);
    check(&"j".repeat(1_000_000), None);
}

/// What [`any_line`] makes lines of.
const PIECES: [&str; 41] = [
    "-",
    "--",
    "-p",
    "-i",
    "hi",
    "",
    " ",
    "-pq",
    "-qp",
    "--prompt",
    "--prompt=",
    "--json",
    "--output-format",
    "json",
    "text",
    "--output-format=stream-json",
    "--stdin",
    "--no-stdin",
    "tools",
    "match",
    "call",
    "{}",
    "tols",
    "doctor",
    "/model",
    "-m",
    "-mx",
    "--model=",
    "-y",
    "--read-only",
    "-é",
    "--é=é",
    "-=",
    "--=",
    "=",
    "-h",
    "-V",
    "é",
    "-5 x",
    "--max-turns",
    "7",
];

/// Any words give an answer, and what is taken holds together.
#[test]
fn any_line() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut taken = 0;
    for _ in 0..20_000 {
        let mut line = Vec::new();
        for _ in 0..5 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let place = usize::try_from(state % 64).unwrap();
            line.extend(PIECES.get(place).copied());
        }
        let arguments = words(&line);
        let Ok(invocation) = parse(&arguments) else {
            continue;
        };
        taken += 1;
        match invocation.action {
            Action::Help(_) | Action::Version => continue,
            Action::Ask(Ask::Prompt(text)) | Action::Talk(Some(text)) => {
                assert!(!text.trim().is_empty(), "{line:?}");
            }
            _ => {}
        }
        assert_eq!(
            invocation.flags.format,
            requested_format(&arguments),
            "{line:?}"
        );
    }
    assert!(taken > 1_000, "{taken}");
}
