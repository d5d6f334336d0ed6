//! The README is true: its commands give what it shows, and it lists what there is.

use std::fs;

use crate::sandbox::{PROGRAM, Run, Sandbox};
use crate::tidy::source;

/// One command of a `console` block and what it prints; `…` stands for any text, and on a line of its own for any lines.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shown {
    /// Of the command, from 1.
    line: usize,
    command: String,
    output: Vec<String>,
}

/// Programs that a `console` block may start but a test may not: they build and download.
const NOT_RUN: &[&str] = &["cargo", "git clone"];

/// The commands of every `console` block of a Markdown text: lines that begin with `$ `, continued by `\`.
fn blocks(text: &str) -> Vec<Vec<Shown>> {
    let mut found: Vec<Vec<Shown>> = Vec::new();
    let mut is_inside = false;
    let mut is_continued = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_inside = !is_inside && line.trim() == "```console";
            if is_inside {
                found.push(Vec::new());
            }
            continue;
        }
        let Some(block) = found.last_mut().filter(|_| is_inside) else {
            continue;
        };
        if let Some(command) = line.strip_prefix("$ ") {
            block.push(Shown {
                line: index + 1,
                command: command.to_owned(),
                output: Vec::new(),
            });
        } else if let Some(shown) = block.last_mut() {
            if is_continued {
                shown.command.push('\n');
                shown.command.push_str(line);
            } else {
                shown.output.push(line.to_owned());
            }
        }
        is_continued = line.ends_with('\\');
    }
    found
}

/// Whether `actual` is what `expected` shows.
fn matches(expected: &[String], actual: &[&str]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((line, rest)) if line.trim() == "…" => {
            (0..=actual.len()).any(|skipped| matches(rest, &actual[skipped..]))
        }
        Some((line, rest)) => actual
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && matches(rest, others)),
    }
}

fn line_matches(expected: &str, actual: &str) -> bool {
    let Some((head, tail)) = expected.split_once('…') else {
        return expected.trim_end() == actual.trim_end();
    };
    actual.strip_prefix(head).is_some_and(|rest| {
        rest.char_indices()
            .map(|(at, _)| at)
            .chain([rest.len()])
            .any(|at| line_matches(tail, &rest[at..]))
    })
}

/// The names of flags in a text: `--` and letters.
fn flags(text: &str) -> Vec<String> {
    let mut found: Vec<String> = text
        .split(|c: char| !(c.is_ascii_lowercase() || c == '-'))
        .filter(|word| {
            word.strip_prefix("--")
                .is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
        })
        .map(str::to_owned)
        .collect();
    found.sort();
    found.dedup();
    found
}

fn readme() -> String {
    fs::read_to_string(source::root().join("README.md")).unwrap_or_default()
}

#[test]
fn every_console_block_of_the_readme_gives_what_it_shows() {
    let folder = std::path::Path::new(PROGRAM)
        .parent()
        .unwrap()
        .display()
        .to_string();
    let mut faults = Vec::new();
    for block in blocks(&readme()) {
        // One directory a block, in which its commands run one after the other.
        let sandbox = Sandbox::new();
        for shown in block {
            if NOT_RUN
                .iter()
                .any(|program| shown.command.starts_with(program))
            {
                eprintln!(
                    "skipped: README.md:{}: `{}` is run by .ci/run",
                    shown.line, shown.command
                );
                continue;
            }
            let command = shown.command.replace("target/release/ankita", "ankita");
            let mut shell = sandbox.command(
                "sh",
                &Run {
                    args: vec![
                        "-c".to_owned(),
                        format!("exec 2>&1; PATH='{folder}':$PATH\n{command}"),
                    ],
                    env: vec![("ANKITA_MODEL".to_owned(), String::new())],
                    ..Run::default()
                },
            );
            let output = shell.output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let lines: Vec<&str> = text.lines().collect();
            if !matches(&shown.output, &lines) {
                let wanted = shown.output.join("\n");
                let fault = format!(
                    "README.md:{}: `{}` gives\n{text}\nand not\n{wanted}",
                    shown.line, shown.command
                );
                faults.push(fault);
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn the_readme_names_every_flag_of_help() {
    let output = assert_cmd::Command::new(PROGRAM)
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let known = flags(&readme());
    let missing: Vec<String> = flags(&help)
        .into_iter()
        .filter(|flag| !known.contains(flag))
        .collect();
    assert_eq!(missing, [""; 0], "flags that README.md does not name");
}

#[test]
fn the_readme_names_every_folder_of_the_source() {
    let missing = missing_folders(&readme());
    assert_eq!(
        missing, [""; 0],
        "folders that the code map of README.md does not name"
    );
}

fn missing_folders(text: &str) -> Vec<String> {
    let mut missing: Vec<String> = fs::read_dir(source::root().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| {
            ![
                format!("`{name}`"),
                format!("`{name}/`"),
                format!("src/{name}"),
            ]
            .iter()
            .any(|form| text.contains(form))
        })
        .collect();
    missing.sort();
    missing
}

#[test]
fn console_blocks_are_read() {
    let text =
        "a\n```sh\n$ not this\n```\n```console\n$ one \\\n  two\nout\n\n$ three\n```\n$ nor this\n";
    let found = blocks(text);
    let shown = |line, command: &str, output: &[&str]| Shown {
        line,
        command: command.to_owned(),
        output: output.iter().map(|line| (*line).to_owned()).collect(),
    };
    assert_eq!(
        found,
        [vec![
            shown(6, "one \\\n  two", &["out", ""]),
            shown(10, "three", &[])
        ]]
    );
}

#[test]
fn shown_output_may_leave_gaps() {
    let check = |expected: &str, actual: &str, is_same: bool| {
        let expected: Vec<String> = expected.lines().map(str::to_owned).collect();
        let actual: Vec<&str> = actual.lines().collect();
        assert_eq!(
            matches(&expected, &actual),
            is_same,
            "{expected:?} {actual:?}"
        );
    };
    check("a\nb", "a\nb", true);
    check("a\nb", "a", false);
    check("a\n…\nd", "a\nb\nc\nd", true);
    check("…", "", true);
    check("pid … of …", "pid 12 of x", true);
    check("pid … of …", "pid 12", false);
}

#[test]
fn a_missing_folder_or_flag_is_found() {
    let map = readme();
    let without = map
        .replace("`json`", "")
        .replace("`json/`", "")
        .replace("src/json", "");
    assert!(missing_folders(&without).contains(&"json".to_owned()));
    assert_eq!(
        flags("`-p`, --no-stream=x, `--json` a--b -- ---"),
        ["--json", "--no-stream"]
    );
}
