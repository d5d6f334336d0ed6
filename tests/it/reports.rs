//! Reports that no case file can tell: many megabytes, readers that go away, pipes that stay open, children that live.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::cases::reply;
use crate::json::{self, Value};
use crate::sandbox::{Ended, LIMIT, PROGRAM, Reader, Run, Sandbox};
use crate::seen::{Mark, Request, Seen};
use crate::server::{Reply, Script, Server, Step, Strictness};

/// The same replies as in a case file, one a request.
struct Scripted(Vec<&'static str>, Seen);

impl Script for Scripted {
    fn reply(&self, _connection: usize, _nth: usize, _request: &Request) -> Option<Reply> {
        let number = self.1.state().requests.len();
        self.0
            .get(number)
            .map(|text| reply::reply(text, true, number + 1, &mut (10 * number)).unwrap())
    }
}

/// Numbered lines, at least `bytes_min` of them, as one answer.
struct Lines {
    bytes_min: usize,
}

impl Lines {
    fn text(&self) -> String {
        let mut text = String::with_capacity(self.bytes_min + 100);
        for number in 0.. {
            if self.bytes_min <= text.len() {
                break;
            }
            text.push_str(&format!(
                "line {number} of an answer that is longer than any pipe\n"
            ));
        }
        text
    }
}

impl Script for Lines {
    fn reply(&self, _connection: usize, _nth: usize, _request: &Request) -> Option<Reply> {
        let text = self.text();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let mut body = String::new();
        for piece in lines.chunks(64) {
            let delta = json::object! { "content": piece.concat() };
            let choice = json::object! { "index": 0, "delta": delta };
            let mut data = Vec::new();
            json::write(
                &json::object! { "choices": json::array![choice] },
                &mut data,
            );
            body.push_str(&format!("data: {}\n\n", String::from_utf8(data).unwrap()));
        }
        body.push_str("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        Some(Reply {
            steps: vec![
                Step::Bytes([head.as_bytes(), body.as_bytes()].concat()),
                Step::End(crate::server::End::Fin),
            ],
            ..Reply::default()
        })
    }
}

fn args(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Report 1 (openai/codex#20919): a FIFO that somebody holds open and never writes to.
#[test]
fn a_silent_fifo_is_waited_for_only_so_long() {
    let (sandbox, seen) = (Sandbox::new(), Seen::default());
    let server = Server::tcp(
        Box::new(Scripted(vec!["text: Hello\nfinish: stop"], seen.clone())),
        &seen,
        Strictness::default(),
    );
    let script = format!(
        "mkfifo f && {{ sleep 60 >f & holder=$!; '{PROGRAM}' -p hi <f; code=$?; kill $holder; exit $code; }}"
    );
    let run = Run {
        args: vec!["-c".to_owned(), script],
        url: Some(server.url.clone()),
        ..Run::default()
    };
    let began = Instant::now();
    let ended = sandbox.run_program("sh", &run, &seen);
    let state = seen.state();
    assert!(
        matches!(ended, Ended::Exit(status) if status.code() == Some(0)),
        "{ended:?} {state:?}"
    );
    assert_eq!(state.stdout, b"Hello\n");
    let notes = String::from_utf8_lossy(&state.stderr).into_owned();
    assert_eq!(notes.lines().count(), 1, "{notes}");
    // Three seconds by default, and never more than five.
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
}

/// Report 2 (sharkdp/fd#24): `| true`, which never reads; the server sees that the request is cancelled.
#[test]
fn a_reader_that_never_reads_ends_the_run() {
    for format in ["text", "json", "stream-json"] {
        let (sandbox, seen) = (Sandbox::new(), Seen::default());
        let server = Server::tcp(
            Box::new(Lines {
                bytes_min: 4_000_000,
            }),
            &seen,
            Strictness::default(),
        );
        let run = Run {
            args: args(&["--output-format", format, "-p", "long"]),
            url: Some(server.url.clone()),
            reader: Reader::Head(0),
            ..Run::default()
        };
        let ended = sandbox.run(&run, &seen);
        let state = seen.state();
        assert!(
            matches!(ended, Ended::Exit(status) if status.code() == Some(0)),
            "{format}: {ended:?}"
        );
        assert_eq!(String::from_utf8_lossy(&state.stderr), "", "{format}");
    }
}

/// Report 11 (openai/codex#4721, claude-code 2.1.212): a signal while a tool runs ends the run with its code, the
/// last result is written, and no process of the tool is left.
#[test]
fn a_signal_leaves_no_child_behind() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let (sandbox, seen) = (Sandbox::new(), Seen::default());
        let call = "call: run_command {\"command\":\"sleep 301 & echo $$ $! >pids; mv pids started; sleep 302\"}\nfinish: tool_calls";
        let server = Server::tcp(
            Box::new(Scripted(vec![call], seen.clone())),
            &seen,
            Strictness::default(),
        );
        let started = sandbox.work().join("started");
        let run = Run {
            args: args(&["-y", "--output-format", "stream-json", "-p", "wait"]),
            url: Some(server.url.clone()),
            signals: vec![(
                signal.to_owned(),
                Mark::Stderr("the children are there".to_owned()),
            )],
            ..Run::default()
        };
        // The command says by a file that it runs; whoever sees it lets the signal come.
        let watcher = {
            let (seen, started) = (seen.clone(), started.clone());
            thread::spawn(move || {
                let until = Instant::now() + LIMIT;
                while Instant::now() < until && !started.exists() {
                    thread::sleep(Duration::from_millis(5));
                }
                seen.update(|state| state.stderr.extend(b"the children are there\n"));
            })
        };
        let ended = sandbox.run(&run, &seen);
        watcher.join().unwrap();
        let pids = fs::read_to_string(&started).unwrap();
        let state = seen.state();
        assert!(
            matches!(ended, Ended::Exit(status) if status.code() == Some(code)),
            "{signal}: {ended:?} {state:?}"
        );
        let last = String::from_utf8_lossy(&state.stdout)
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned();
        let result = json::parse(last.as_bytes()).unwrap();
        assert_eq!(
            result.get("exit_code").and_then(Value::as_i64),
            Some(i64::from(code)),
            "{last}"
        );
        for pid in pids.split_whitespace() {
            assert!(!is_running(pid), "{signal}: {pid} of {pids} still runs");
        }
    }
}

/// Whether a process lives; one that is dead but not collected does not.
fn is_running(pid: &str) -> bool {
    let stat = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    let state = stat
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .trim_start()
        .chars()
        .next();
    state.is_some_and(|state| state != 'Z')
}

/// Report 22 (claude-code 2.1.208): twenty megabytes into a reader that starts late get there whole, in every format.
#[test]
fn a_slow_reader_gets_every_byte() {
    let lines = Arc::new(
        Lines {
            bytes_min: 20_000_000,
        }
        .text(),
    );
    for format in ["text", "stream-json"] {
        let (sandbox, seen) = (Sandbox::new(), Seen::default());
        let server = Server::tcp(
            Box::new(Lines {
                bytes_min: 20_000_000,
            }),
            &seen,
            Strictness::default(),
        );
        let run = Run {
            args: args(&["--output-format", format, "-p", "long"]),
            url: Some(server.url.clone()),
            reader: Reader::Slow,
            ..Run::default()
        };
        let ended = sandbox.run(&run, &seen);
        let state = seen.state();
        let stderr = String::from_utf8_lossy(&state.stderr).into_owned();
        assert!(
            matches!(ended, Ended::Exit(status) if status.code() == Some(0)),
            "{format}: {ended:?} {stderr}"
        );
        if format == "text" {
            assert!(
                state.stdout == lines.as_bytes(),
                "{} of {} bytes",
                state.stdout.len(),
                lines.len()
            );
        } else {
            let last = state
                .stdout
                .trim_ascii_end()
                .rsplit(|byte| *byte == b'\n')
                .next()
                .unwrap_or_default();
            let result = json::parse(last).unwrap();
            assert_eq!(result.get("type").and_then(Value::as_str), Some("result"));
            assert!(
                result.get("text").and_then(Value::as_str) == Some(lines.as_str()),
                "the text is not whole"
            );
        }
    }
}

/// Report 22: a pipe that its owner made non-blocking, as Node does, gets every byte too.
#[test]
fn a_pipe_that_does_not_block_gets_every_byte() {
    if !crate::sandbox::has_program("python3", "report 22 with a non-blocking pipe") {
        return;
    }
    let (sandbox, seen) = (Sandbox::new(), Seen::default());
    let server = Server::tcp(
        Box::new(Lines {
            bytes_min: 2_000_000,
        }),
        &seen,
        Strictness::default(),
    );
    let script = "import os, subprocess, sys, time\n\
        r, w = os.pipe()\n\
        os.set_blocking(w, False)\n\
        child = subprocess.Popen(sys.argv[1:], stdout=w, stdin=subprocess.DEVNULL)\n\
        os.close(w)\n\
        time.sleep(0.5)\n\
        total = 0\n\
        while piece := os.read(r, 65536): total += len(piece)\n\
        print(child.wait(), total)\n";
    let run = Run {
        args: args(&[PROGRAM, "-p", "long"]),
        url: Some(server.url.clone()),
        ..Run::default()
    };
    let mut command = sandbox.command(
        "python3",
        &Run {
            args: [args(&["-c", script]), run.args.clone()].concat(),
            ..run
        },
    );
    let output = command.output().unwrap();
    let expected = format!(
        "0 {}\n",
        Lines {
            bytes_min: 2_000_000
        }
        .text()
        .len()
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        expected,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Report 1: a parent that gave a pipe and forgot it, as `subprocess.Popen(stdin=PIPE)` does; and report 21: with no
/// terminal anywhere nothing is asked and no session begins.
#[test]
fn without_a_prompt_or_a_terminal_no_session_begins() {
    let sandbox = Sandbox::new();
    let output = sandbox
        .command(PROGRAM, &Run::default())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

/// `ankita endpoint` prints its URL once it listens, answers another client streamed and not, and ends by a signal.
#[test]
fn the_endpoint_serves_another_client() {
    if !crate::sandbox::has_program("curl", "the endpoint with another client") {
        return;
    }
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(
        PROGRAM,
        &Run {
            args: args(&["endpoint"]),
            ..Run::default()
        },
    );
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut url = Vec::new();
    let mut byte = [0];
    while stdout.read(&mut byte).unwrap() == 1 && byte[0] != b'\n' {
        url.push(byte[0]);
    }
    let url = String::from_utf8(url).unwrap();
    let ask = |path: &str, body: &str| {
        let mut curl = Command::new("curl");
        curl.args(["-sS", "--max-time", "10", "--noproxy", "*"]);
        if !body.is_empty() {
            curl.args(["-H", "Content-Type: application/json", "-d", body]);
        }
        let output = curl.arg(format!("{url}{path}")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let tool = r#"{"type":"function","function":{"name":"list_dir","description":"List a folder.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}"#;
    let body = format!(
        "{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"list the files here\"}}],\"tools\":[{tool}]}}"
    );
    for prefix in ["", "/v1"] {
        let whole =
            json::parse(ask(&format!("{prefix}/chat/completions"), &body).as_bytes()).unwrap();
        let message = whole.pointer("/choices/0/message").unwrap_or(&Value::Null);
        assert_eq!(
            message.get("role").and_then(Value::as_str),
            Some("assistant"),
            "{whole}"
        );
        let streamed = ask(
            &format!("{prefix}/chat/completions"),
            &body.replacen('{', "{\"stream\":true,", 1),
        );
        assert!(
            streamed.starts_with("data: {") && streamed.trim_end().ends_with("data: [DONE]"),
            "{streamed}"
        );
        let models = json::parse(ask(&format!("{prefix}/models"), "").as_bytes()).unwrap();
        assert!(models.pointer("/data/0/id").is_some(), "{models}");
    }
    crate::sandbox::signal("TERM", child.id(), false);
    let status = child.wait().unwrap();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!((status.code(), rest.as_str()), (Some(143), ""));
}
