//! Case files: what is typed and what the server answers, against what is asked for and what comes out.
//!
//! `cargo test` runs every `tests/cases/*.txt`; `CASE=name cargo test` those whose names hold `name`, and prints what
//! they gave; `UPDATE=1 cargo test` rewrites the compared sections, to be read in the diff; `KEEP=1` keeps the
//! directories. How a file is written is said in `file.rs`, what a reply is in `reply.rs`.

pub(crate) mod file;
pub(crate) mod reply;
pub(crate) mod transcript;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use file::{CaseFile, files, unescape, words};
use transcript::Names;

use crate::json::{self, Value};
use crate::sandbox::{Ended, PROGRAM, Reader, Run, Sandbox, Stdin, has_program};
use crate::seen::{Mark, Request, Seen, State};
use crate::server::{Manner, Reply, Script, Server, Strictness};

/// Lines of a section, and characters of a line, that a failed case shows.
const SHOWN_LINES_MAX: usize = 60;
const SHOWN_CHARS_MAX: usize = 500;

#[test]
fn cases() {
    let mut paths = case_files();
    if let Ok(part) = std::env::var("CASE") {
        paths.retain(|path| path.display().to_string().contains(&part));
    }
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::SeqCst)) {
                    if let Err(what) = check(path) {
                        failed
                            .lock()
                            .unwrap()
                            .push(format!("{}: {what}", path.display()));
                    }
                }
            });
        }
    });
    let mut failed = failed.into_inner().unwrap();
    failed.sort();
    assert!(
        failed.is_empty(),
        "{} of {} cases failed:\n\n{}",
        failed.len(),
        paths.len(),
        failed.join("\n")
    );
}

fn case_files() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    paths.sort();
    paths
}

/// Runs one case and says how it differs from what is expected.
fn check(path: &PathBuf) -> Result<(), String> {
    let text = fs::read_to_string(path).unwrap();
    let mut case = CaseFile::parse(&text)?;
    let missing = case
        .body("needs")
        .split_whitespace()
        .any(|program| !has_program(program, &path.display().to_string()));
    if missing {
        return Ok(());
    }
    let actual = run(&case, PROGRAM)?;
    if std::env::var_os("CASE").is_some() {
        println!("{}", actual.all());
    }
    let faults = actual.faults(&case);
    if std::env::var_os("UPDATE").is_some() && faults.is_empty() {
        case.replace(actual.kept(&case));
        fs::write(path, case.write()).unwrap();
        return Ok(());
    }
    let mut what = faults;
    for (name, body) in &actual.sections {
        if let Some(expected) = case.get(name).filter(|section| section.body != *body) {
            what.push(format!(
                "{name} differs:\n{}",
                difference(&expected.body, body)
            ));
        }
    }
    if what.is_empty() {
        Ok(())
    } else {
        Err(format!("{}\n{}", what.join("\n"), actual.all()))
    }
}

/// What a case does, read from its file.
struct Plan {
    run: Run,
    files: Vec<(String, String)>,
    setup: String,
    server: Vec<String>,
    replies: Vec<String>,
}

impl Plan {
    fn new(case: &CaseFile, sandbox: &Sandbox) -> Result<Self, String> {
        let mut replies = Vec::new();
        for section in case
            .sections
            .iter()
            .filter(|section| section.name == "reply")
        {
            let count = match section.argument.as_str() {
                "" => 1,
                count => count
                    .parse()
                    .map_err(|_| format!("`reply {count}`: no number"))?,
            };
            let text = sandbox.expand(&section.body, None);
            reply::reply(&text, true, 1, &mut 0)?;
            replies.extend(vec![text; count]);
        }
        let env = case.body("env").lines().map(|line| {
            let pair = line
                .split_once('=')
                .ok_or_else(|| format!("`{line}` is no `NAME=value`"))?;
            Ok((pair.0.to_owned(), pair.1.to_owned()))
        });
        let signals = case.body("signal").lines().map(|line| {
            let (name, mark) = line
                .split_once(" after ")
                .ok_or_else(|| format!("`{line}` is no `INT after MARK`"))?;
            Ok((name.to_owned(), Mark::parse(mark)?))
        });
        Ok(Self {
            run: Run {
                args: words(case.body("args"))?,
                env: env.collect::<Result<_, String>>()?,
                url: None,
                stdin: stdin(case)?,
                reader: reader(case.body("output").trim())?,
                signals: signals.collect::<Result<_, String>>()?,
            },
            files: files(case.body("files"))?,
            setup: case.body("setup").to_owned(),
            server: case
                .body("server")
                .split_whitespace()
                .map(str::to_owned)
                .collect(),
            replies,
        })
    }

    fn is(&self, word: &str) -> bool {
        self.server.iter().any(|known| known == word)
    }
}

fn stdin(case: &CaseFile) -> Result<Stdin, String> {
    let Some(section) = case.get("stdin") else {
        return Ok(Stdin::Null);
    };
    let bytes = || section.body.as_bytes().to_vec();
    match section.argument.as_str() {
        "" => Ok(Stdin::Pipe(bytes())),
        "null" => Ok(Stdin::Null),
        "closed" => Ok(Stdin::Closed),
        "open" => Ok(Stdin::Open),
        "terminal" => Ok(Stdin::Terminal),
        "file" => Ok(Stdin::File(bytes())),
        "escaped" => Ok(Stdin::Pipe(unescape(section.body.trim_end_matches('\n'))?)),
        argument => match argument.strip_prefix("after ") {
            Some(mark) => Ok(Stdin::After(Mark::parse(mark)?, bytes())),
            None => Err(format!("`stdin {argument}` is not known")),
        },
    }
}

fn reader(text: &str) -> Result<Reader, String> {
    match text.split_once(' ').unwrap_or((text, "")) {
        ("", "") => Ok(Reader::Whole),
        ("closed", "") => Ok(Reader::Closed),
        ("slow", "") => Ok(Reader::Slow),
        ("head", lines) => Ok(Reader::Head(
            lines
                .parse()
                .map_err(|_| format!("`{lines}` is no number"))?,
        )),
        _ => Err(format!("`output` is not `{text}`")),
    }
}

/// Replies from a case file, in the order of requests.
struct Replies {
    texts: Vec<String>,
    /// The next reply, and the calls so far.
    state: Mutex<(usize, usize)>,
}

impl Script for Replies {
    fn manner(&self, _connection: usize, _nth: usize) -> Manner {
        let next = self.state.lock().unwrap().0;
        Manner {
            is_reset: self
                .texts
                .get(next)
                .is_some_and(|text| reply::is_reset(text)),
            ..Manner::default()
        }
    }

    fn reply(&self, _connection: usize, _nth: usize, request: &Request) -> Option<Reply> {
        let mut state = self.state.lock().unwrap();
        let text = self.texts.get(state.0)?;
        state.0 += 1;
        let number = state.0;
        let is_stream = json::parse(&request.body)
            .ok()
            .and_then(|body| body.get("stream").and_then(Value::as_bool))
            .unwrap_or(false);
        Some(reply::reply(text, is_stream, number, &mut state.1).unwrap())
    }
}

/// What a run gave.
struct Actual {
    sections: Vec<(&'static str, String)>,
    faults: Vec<String>,
}

/// Runs a case with `program`.
fn run(case: &CaseFile, program: &str) -> Result<Actual, String> {
    let sandbox = Sandbox::new();
    let mut plan = Plan::new(case, &sandbox)?;
    let seen = Seen::default();
    let script = Replies {
        texts: plan.replies.clone(),
        state: Mutex::default(),
    };
    let strictness = Strictness {
        is_proxy: plan.is("proxy"),
        is_lenient: plan.is("lenient"),
    };
    let is_closed = plan.replies.is_empty() && !plan.is("open");
    let server = if plan.is("unix") {
        Server::unix(
            Box::new(script),
            &seen,
            strictness,
            &sandbox.root.join("socket"),
        )
    } else {
        Server::tcp(Box::new(script), &seen, strictness)
    };
    let url = server.url.clone();
    plan.run.url = Some(url.clone());
    // A port that closes while the program connects gives now one error, now another: so it closes before.
    let server = (!is_closed).then_some(server);
    put_files(&plan, &sandbox, &url)?;
    let before = transcript::tree(&sandbox.work());
    let ended = sandbox.run_program(program, &plan.run, &seen);
    drop(server);
    let after = transcript::tree(&sandbox.work());
    let names = Names::new(&sandbox, Some(&url));
    let state = seen.state();
    let mut faults = state.faults.clone();
    if matches!(ended, Ended::Late) {
        faults.push("it was still running after the limit, and was killed".to_owned());
    }
    let unused = plan.replies.len().saturating_sub(state.requests.len());
    if 0 < unused && plan.run.signals.is_empty() {
        faults.push(format!("{unused} replies were never asked for"));
    }
    let script = plan.replies.join("\n");
    Ok(Actual {
        sections: sections(
            &state,
            &ended,
            &script,
            &names,
            &transcript::changes(&before, &after, &names),
        ),
        faults,
    })
}

fn put_files(plan: &Plan, sandbox: &Sandbox, url: &str) -> Result<(), String> {
    for (path, content) in &plan.files {
        let path = match path.strip_prefix("~/") {
            Some(path) => sandbox.home().join(path),
            None => sandbox.work().join(path),
        };
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, sandbox.expand(content, Some(url))).unwrap();
    }
    if plan.setup.is_empty() {
        return Ok(());
    }
    let run = Run {
        args: vec!["-ec".to_owned(), plan.setup.clone()],
        ..Run::default()
    };
    let output = sandbox.command("sh", &run).output().unwrap();
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "the setup failed: {}",
        String::from_utf8_lossy(&output.stderr)
    ))
}

fn sections(
    state: &State,
    ended: &Ended,
    script: &str,
    names: &Names,
    changes: &str,
) -> Vec<(&'static str, String)> {
    use std::os::unix::process::ExitStatusExt;
    let exit = match ended {
        Ended::Exit(status) => match status.code() {
            Some(code) => format!("{code}\n"),
            None => format!("signal {}\n", status.signal().unwrap_or_default()),
        },
        Ended::Late => "none\n".to_owned(),
    };
    vec![
        (
            "requests",
            transcript::requests(&state.requests, script, names),
        ),
        ("stdout", transcript::body(names.apply(&state.stdout))),
        ("stderr", transcript::body(names.apply(&state.stderr))),
        ("exit", exit),
        ("after", changes.to_owned()),
    ]
}

impl Actual {
    fn section(&self, name: &str) -> &str {
        self.sections
            .iter()
            .find(|(known, _)| *known == name)
            .map_or("", |(_, body)| body)
    }

    /// What is wrong whatever the compared sections say: bad requests, the limit, facts that do not hold.
    fn faults(&self, case: &CaseFile) -> Vec<String> {
        let mut faults = self.faults.clone();
        for section in case.sections.iter().filter(|section| section.is_fact()) {
            let body = self.section(&section.name);
            for text in section.body.lines() {
                if body.contains(text) != (section.argument == "has") {
                    faults.push(format!(
                        "not so: {} {} `{text}`",
                        section.name, section.argument
                    ));
                }
            }
        }
        faults
    }

    /// The compared sections that `UPDATE=1` writes.
    fn kept(&self, case: &CaseFile) -> Vec<(&'static str, String)> {
        let ignored: Vec<&str> = case.body("ignore").split_whitespace().collect();
        self.sections
            .iter()
            .filter(|(name, body)| {
                !ignored.contains(name) && (*name != "after" || !body.is_empty())
            })
            .filter(|(name, body)| {
                *name != "requests" || !body.is_empty() || case.get("requests").is_some()
            })
            .cloned()
            .collect()
    }

    /// Every section, long ones cut in the middle.
    fn all(&self) -> String {
        let mut text = String::new();
        for (name, body) in &self.sections {
            let lines: Vec<&str> = body.lines().collect();
            let _ = writeln!(text, "  ## {name}");
            let skipped = lines.len().saturating_sub(SHOWN_LINES_MAX);
            for (index, line) in lines.iter().enumerate() {
                if index < SHOWN_LINES_MAX / 2 || SHOWN_LINES_MAX / 2 + skipped <= index {
                    let shown: String = line.chars().take(SHOWN_CHARS_MAX).collect();
                    let _ = writeln!(text, "{shown}");
                } else if index == SHOWN_LINES_MAX / 2 {
                    let _ = writeln!(text, "  … {skipped} lines …");
                }
            }
        }
        text
    }
}

/// The lines that differ, with what is the same around them left out.
fn difference(expected: &str, actual: &str) -> String {
    let old: Vec<&str> = expected.lines().collect();
    let new: Vec<&str> = actual.lines().collect();
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..]
        .iter()
        .rev()
        .zip(new[head..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let gone = old[head..old.len() - tail]
        .iter()
        .map(|line| format!("  - {line}\n"));
    let come = new[head..new.len() - tail]
        .iter()
        .map(|line| format!("  + {line}\n"));
    let lines: String = gone.chain(come).collect();
    if lines.is_empty() {
        "  only in how the lines end\n".to_owned()
    } else {
        lines
    }
}

#[cfg(test)]
mod tests;
