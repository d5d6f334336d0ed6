//! Whole runs in a world of memory: who is asked, what is printed, which exit code.

use std::time::Duration;

use crate::app::run;
use crate::world::fake::{Action, Connection, Fake, Step, Typed};
use crate::world::{InputKind, Signal, Standard};

const AT: &str = "127.0.0.1:4141";

/// A streamed answer of these pieces, `ms` milliseconds apart, and its connection's end.
fn answer(ms: u64, pieces: &[&str]) -> Connection {
    let mut steps = vec![
        Step::Request,
        Step::send(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n",
        ),
    ];
    for piece in pieces {
        let chunk = format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{piece}}}]}}\n\n");
        steps.push(Step::send_after(ms, chunk));
    }
    steps.push(Step::send("data: [DONE]\n\n"));
    steps.push(Step::fin());
    Connection::new(steps)
}

fn call(name: &str, arguments: &str) -> String {
    let arguments = arguments.replace('"', "\\\"");
    format!(
        r#"{{"tool_calls":[{{"index":0,"id":"c1","type":"function","function":{{"name":"{name}","arguments":"{arguments}"}}}}]}}"#
    )
}

/// A world whose endpoint answers so, and which asks `args`.
fn world(args: &[&str], answers: Vec<Connection>) -> Fake {
    let fake = Fake::new();
    fake.serve(AT, answers);
    fake.set_env("ANKITA_ENDPOINT", &format!("http://{AT}"));
    fake.set_env("ANKITA_MODEL", "m");
    fake.set_args(args);
    fake
}

#[track_caller]
fn check(fake: &Fake, code: u8, stdout: &str) {
    let came = run(fake.world());
    assert_eq!(
        (came, fake.stdout_text().as_str()),
        (code, stdout),
        "{}",
        fake.stderr_text()
    );
}

/// The bodies of the requests so far.
fn bodies(fake: &Fake) -> Vec<String> {
    fake.connections()
        .iter()
        .map(|record| String::from_utf8_lossy(&record.written).into_owned())
        .collect()
}

fn terminal(fake: &Fake, typed: &[(u64, &str)]) {
    let keys = typed
        .iter()
        .map(|(ms, text)| Typed::Bytes(Duration::from_millis(*ms), text.as_bytes().to_vec()))
        .chain([Typed::End(Duration::from_mins(1))]);
    fake.set_input(InputKind::Terminal, keys.collect());
    fake.set_terminals(true, true, 80);
}

#[test]
fn one_answer_and_its_line_end() {
    let fake = world(
        &["hi"],
        vec![answer(10, &[r#"{"content":"a"}"#, r#"{"content":"b"}"#])],
    );
    check(&fake, 0, "ab\n");
    assert_eq!(fake.stderr_text(), "");
}

#[test]
fn the_built_in_endpoint_serves_itself() {
    let fake = Fake::new();
    fake.add_file("/home/me/repo/notes.txt", "remember\n");
    fake.set_args(&["read notes.txt"]);
    let code = run(fake.world());
    assert_eq!(code, 0, "{}", fake.stderr_text());
    assert!(
        fake.stdout_text().contains("remember"),
        "{}",
        fake.stdout_text()
    );
    assert!(fake.stderr_text().contains("no language model"));
}

#[test]
fn flags_that_leave_nobody_to_talk_to_need_a_prompt() {
    for flags in [
        &["--json"][..],
        &["--output-format", "stream-json"],
        &["--dry-run"],
        &["--headless"],
    ] {
        let fake = world(flags, Vec::new());
        terminal(&fake, &[]);
        assert_eq!(run(fake.world()), 2, "{flags:?}");
        assert!(
            fake.stderr_text().contains("needs a prompt"),
            "{}",
            fake.stderr_text()
        );
    }
}

#[test]
fn a_signal_at_any_wait_has_its_code_and_one_result() {
    for n in 1..=12 {
        let pieces = [r#"{"content":"a"}"#; 8];
        let fake = world(&["--json", "hi"], vec![answer(100, &pieces)]);
        fake.at_wait(n, Action::Signal(Signal::Terminate));
        let code = run(fake.world());
        let stdout = fake.stdout_text();
        assert_eq!(stdout.lines().count(), 1, "at {n}: {stdout}");
        if code != 0 {
            assert_eq!(code, 143, "at {n}: {stdout}");
            assert!(
                stdout.contains(r#""exit_code":143"#) && stdout.contains(r#""kind":"terminated""#)
            );
        }
    }
}

#[test]
fn a_reader_that_takes_nothing_does_not_hold_a_signal_up() {
    let pieces = [r#"{"content":"0123456789"}"#; 20];
    let fake = world(&["hi"], vec![answer(0, &pieces)]);
    fake.slow_output(Standard::Output, 1, Duration::from_secs(1));
    fake.at(Duration::from_secs(5), Action::Cancel);
    assert_eq!(run(fake.world()), 130, "{}", fake.stderr_text());
}

#[test]
fn what_a_signal_cuts_off_is_still_whole_lines_and_one_result() {
    let pieces = [r#"{"content":"0123456789"}"#; 20];
    let args = ["--output-format", "stream-json", "hi"];
    let fake = world(&args, vec![answer(0, &pieces)]);
    fake.slow_output(Standard::Output, 50, Duration::from_secs(1));
    fake.at(Duration::from_millis(20_500), Action::Cancel);
    assert_eq!(run(fake.world()), 130, "{}", fake.stderr_text());
    let stdout = fake.stdout_text();
    let last = stdout.lines().last().unwrap_or_default();
    assert!(last.starts_with(r#"{"type":"result","#), "{stdout}");
    assert_eq!(stdout.matches(r#""type":"result""#).count(), 1);
}

#[test]
fn a_listing_ends_at_a_signal_with_its_code() {
    let fake = world(&["tools", "list"], Vec::new());
    fake.slow_output(Standard::Output, 10, Duration::from_secs(1));
    fake.at(Duration::from_secs(5), Action::Cancel);
    assert_eq!(run(fake.world()), 130, "{}", fake.stderr_text());
}

#[test]
fn a_reader_that_left_is_no_fault() {
    let pieces = [r#"{"content":"0123456789"}"#; 20];
    let fake = world(&["hi"], vec![answer(10, &pieces)]);
    fake.close_output_after(Standard::Output, 25);
    assert_eq!(run(fake.world()), 0);
    assert_eq!(fake.stderr_text(), "");
}

#[test]
fn input_that_comes_after_all_is_not_dropped_in_silence() {
    let pieces = [r#"{"content":"a"}"#; 8];
    let fake = world(&["hi"], vec![answer(1000, &pieces)]);
    let late = Typed::Bytes(Duration::from_secs(5), b"late".to_vec());
    fake.set_input(InputKind::Pipe, vec![late]);
    assert_eq!(run(fake.world()), 2);
    assert!(
        fake.stderr_text().contains("--no-stdin"),
        "{}",
        fake.stderr_text()
    );
}

#[test]
fn a_refused_call_is_told_with_what_would_allow_it() {
    let write = call("write_file", r#"{"path":"x","content":"1"}"#);
    let fake = world(
        &["hi"],
        vec![answer(0, &[&write]), answer(0, &[r#"{"content":"done"}"#])],
    );
    check(&fake, 5, "done\n");
    assert!(fake.stderr_text().contains("--allow-tool 'write_file(x)'"));
    assert_eq!(fake.file("/home/me/repo/x"), None);
}

#[test]
fn a_session_asks_and_enter_alone_is_no() {
    let write = call("write_file", r#"{"path":"x","content":"1"}"#);
    let answers = || {
        vec![
            answer(0, &[&write]),
            answer(0, &[r#"{"content":"done"}"#]),
            answer(0, &[r#"{"content":"again"}"#]),
        ]
    };
    for (typed, is_written) in [("y\n", true), ("\n", false)] {
        let fake = world(&[], answers());
        terminal(
            &fake,
            &[
                (0, "do\n"),
                (1000, typed),
                (1000, "/usage\n"),
                (1000, "more\n"),
            ],
        );
        check(&fake, 0, "done\nagain\n");
        assert_eq!(fake.file("/home/me/repo/x").is_some(), is_written);
        let shown = fake.stderr_text();
        assert!(
            shown.contains("do it?") && shown.contains("2 requests;"),
            "{shown}"
        );
    }
}

#[test]
fn ctrl_c_stops_the_answer_and_the_next_line_works() {
    let run_it = call("run_command", r#"{"command":"sleep 60"}"#);
    let fake = world(
        &["-y"],
        vec![answer(0, &[&run_it]), answer(0, &[r#"{"content":"next"}"#])],
    );
    fake.program("/bin/sh", |_| crate::world::fake::Program::endless());
    terminal(&fake, &[(0, "go\n"), (20_000, "hello\n")]);
    fake.at(Duration::from_secs(10), Action::Signal(Signal::Interrupt));
    check(&fake, 0, "next\n");
    assert!(
        fake.stderr_text().contains("(stopped)"),
        "{}",
        fake.stderr_text()
    );
    let last = bodies(&fake).pop().unwrap_or_default();
    assert!(
        last.contains(r#""role":"tool","#) && last.contains(r#""tool_call_id":"c1""#),
        "every call has its reply: {last}"
    );
}

#[test]
fn a_dry_run_asks_nobody() {
    let fake = world(&["--dry-run", "hi"], Vec::new());
    assert_eq!(run(fake.world()), 0);
    assert!(fake.connections().is_empty());
    assert!(
        fake.stdout_text()
            .starts_with(r#"{"model":"m","messages":"#)
    );
}
