//! What a second program says of the same input: Python of JSON, `patch`, `diff` and git of patches, git of globs.

mod globs;
mod json;
mod patches;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

/// What `program` writes to standard output when it reads `input`; `None`, and the reason on standard error, if it
/// is not installed.
fn ask(program: &str, args: &[&str], directory: &Path, input: Vec<u8>) -> Option<Vec<u8>> {
    let started = Command::new(program)
        .args(args)
        .current_dir(directory)
        .env("LC_ALL", "C.UTF-8")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("HOME", directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => {
            eprintln!("skipped: `{program}` cannot be started: {error}");
            return None;
        }
    };
    let mut stdin = child.stdin.take().expect("a pipe");
    let writer = thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("its output");
    // A program that ended early says why by its status and output.
    let _ = writer.join().expect("no panic");
    Some(output.stdout)
}

/// A new, empty directory for one test.
fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a directory");
    path
}
