//! What surrounds the source: the top level, the dependencies, the lints of clippy, the format.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::source::root;

/// All that stands at the top level.
const TOP: &[&str] = &[
    ".ci",
    ".gitignore",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "build.rs",
    "skills",
    "src",
    "tests",
    "tools",
];
const DEV_DEPENDENCIES: &[&str] = &["assert_cmd", "insta"];
/// What clippy forbids outside `host`, so that nothing else does input or output. The whole list, with reasons, is
/// `.ci/clippy.toml`; these must be in it.
const FORBIDDEN: &[&str] = &[
    "std::fs::File",
    "std::fs::OpenOptions",
    "std::fs::DirBuilder",
    "std::fs::ReadDir",
    "std::fs::read",
    "std::fs::read_to_string",
    "std::fs::write",
    "std::fs::copy",
    "std::fs::rename",
    "std::fs::remove_file",
    "std::fs::remove_dir",
    "std::fs::remove_dir_all",
    "std::fs::create_dir",
    "std::fs::create_dir_all",
    "std::fs::read_dir",
    "std::fs::metadata",
    "std::fs::symlink_metadata",
    "std::fs::canonicalize",
    "std::fs::read_link",
    "std::fs::hard_link",
    "std::fs::set_permissions",
    "std::fs::exists",
    "std::net::TcpStream",
    "std::net::TcpListener",
    "std::net::UdpSocket",
    "std::net::ToSocketAddrs",
    "std::os::unix::net::UnixStream",
    "std::os::unix::net::UnixListener",
    "std::os::unix::net::UnixDatagram",
    "std::env::args",
    "std::env::args_os",
    "std::env::var",
    "std::env::var_os",
    "std::env::vars",
    "std::env::vars_os",
    "std::env::set_var",
    "std::env::remove_var",
    "std::env::current_dir",
    "std::env::set_current_dir",
    "std::env::current_exe",
    "std::env::home_dir",
    "std::env::temp_dir",
    "std::process::Command",
    "std::process::Child",
    "std::process::exit",
    "std::process::abort",
    "std::process::id",
    "std::thread::spawn",
    "std::thread::scope",
    "std::thread::sleep",
    "std::thread::Builder",
    "std::time::Instant",
    "std::time::SystemTime",
    "std::time::Instant::now",
    "std::time::SystemTime::now",
    "std::io::stdin",
    "std::io::stdout",
    "std::io::stderr",
    "std::path::Path::exists",
    "std::path::Path::try_exists",
    "std::path::Path::is_file",
    "std::path::Path::is_dir",
    "std::path::Path::is_symlink",
    "std::path::Path::metadata",
    "std::path::Path::symlink_metadata",
    "std::path::Path::canonicalize",
    "std::path::Path::read_dir",
    "std::path::Path::read_link",
];

/// Names at the top level that do not belong there, and those that are missing.
fn check_top(names: &BTreeSet<String>) -> Vec<String> {
    let strange = names
        .iter()
        .filter(|name| !TOP.contains(&name.as_str()))
        .map(|name| format!("`{name}` does not belong at the top level"));
    let missing = TOP
        .iter()
        .filter(|name| !names.contains(**name))
        .map(|name| format!("`{name}` is missing at the top level"));
    strange.chain(missing).collect()
}

/// Dependencies in `Cargo.toml` beyond the two that tests have.
fn check_manifest(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut section = "";
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line;
            let is_known = matches!(section, "[dependencies]" | "[dev-dependencies]");
            if section.contains("dependencies") && !is_known {
                problems.push(format!(
                    "`{section}`: the binary is built from the standard library alone"
                ));
            }
            continue;
        }
        let Some((name, _)) = line.split_once('=').filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let name = name.trim().split('.').next().unwrap_or_default();
        if section == "[dependencies]"
            || (section == "[dev-dependencies]" && !DEV_DEPENDENCIES.contains(&name))
        {
            problems.push(format!(
                "`{name}` in `{section}`: nothing but {} for tests",
                DEV_DEPENDENCIES.join(", ")
            ));
        }
        if section.starts_with("[profile") && line.contains("\"abort\"") {
            problems.push("panics must unwind: a tool's panic does not end a turn".to_owned());
        }
    }
    problems
}

/// Forbidden items that the lists of clippy lack, and rows without a reason.
fn check_clippy(text: &str) -> Vec<String> {
    let mut problems = Vec::new();
    for item in FORBIDDEN {
        if !text.contains(&format!("path = \"{item}\"")) {
            problems.push(format!("`{item}` is missing in .ci/clippy.toml"));
        }
    }
    for line in text.lines().filter(|line| line.contains("path = ")) {
        if !line.contains("reason = \"") {
            problems.push(format!("no reason: {}", line.trim()));
        }
    }
    for list in ["disallowed-types", "disallowed-methods"] {
        if !text.lines().any(|line| line.starts_with(list)) {
            problems.push(format!("`{list}` is missing in .ci/clippy.toml"));
        }
    }
    problems
}

/// What is kept at the top level: by git where it can be asked, else by the directory.
fn top_level() -> BTreeSet<String> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output();
    if let Some(output) = listed.ok().filter(|output| output.status.success()) {
        let text = String::from_utf8(output.stdout).unwrap();
        return text
            .lines()
            .map(|path| path.split('/').next().unwrap_or_default().to_owned())
            .collect();
    }
    fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "target" && name != ".git")
        .collect()
}

/// Files that rustfmt would change. It follows `mod` lines, which the build script writes for `tools/`: so each of
/// those is named.
fn unformatted(paths: &[String]) -> Vec<String> {
    let output = Command::new("rustfmt")
        .args(["--edition", "2024", "--check", "-l"])
        .args(paths)
        .current_dir(root())
        .output();
    match output {
        Err(error) => {
            eprintln!("skipped: rustfmt cannot be started: {error}");
            Vec::new()
        }
        Ok(output) if output.status.success() => Vec::new(),
        Ok(output) => {
            let mut lines: Vec<String> = [output.stdout, output.stderr]
                .iter()
                .flat_map(|bytes| {
                    String::from_utf8_lossy(bytes)
                        .lines()
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                })
                .collect();
            lines.dedup();
            lines
        }
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_default()
}

#[test]
fn the_top_level_holds_what_the_design_allows() {
    assert_eq!(check_top(&top_level()), [""; 0]);
}

#[test]
fn a_strange_or_missing_top_level_name_is_found() {
    let mut names: BTreeSet<String> = TOP.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(check_top(&names), [""; 0]);
    names.insert("docs".to_owned());
    names.remove("LICENSE-MIT");
    assert_eq!(
        check_top(&names),
        [
            "`docs` does not belong at the top level",
            "`LICENSE-MIT` is missing at the top level"
        ]
    );
}

#[test]
fn the_binary_depends_on_nothing() {
    assert_eq!(check_manifest(&read("Cargo.toml")), [""; 0]);
}

#[test]
fn a_dependency_is_found() {
    let check = |text: &str, count: usize| assert_eq!(check_manifest(text).len(), count, "{text}");
    check(
        "[dependencies]\n# none\n[dev-dependencies]\ninsta = { version = \"1\" }\nassert_cmd = \"2\"",
        0,
    );
    check("[dependencies]\nserde = \"1\"", 1);
    check("[dependencies.serde]\nversion = \"1\"", 1);
    check("[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"", 1);
    check("[build-dependencies]\ncc = \"1\"", 1);
    check("[dev-dependencies]\ntempfile = \"3\"", 1);
    check("[dev-dependencies]\ninsta.version = \"1\"", 0);
    check("[profile.release]\npanic = \"abort\"", 1);
}

#[test]
fn clippy_forbids_input_and_output() {
    assert_eq!(check_clippy(&read(".ci/clippy.toml")), [""; 0]);
}

#[test]
fn a_gap_in_the_lists_of_clippy_is_found() {
    let text = read(".ci/clippy.toml");
    assert!(
        check_clippy(&text.replace("std::fs::read\"", "std::fs::reed\""))[0]
            .contains("`std::fs::read`")
    );
    assert!(
        check_clippy(&text.replace("disallowed-types", "types"))[0].contains("`disallowed-types`")
    );
    assert!(check_clippy(&text.replacen("reason = ", "why = ", 1))[0].contains("no reason"));
}

#[test]
fn every_file_is_formatted() {
    let mut paths: Vec<String> = super::source::project()
        .into_iter()
        .map(|file| file.path)
        .filter(|path| path.starts_with("tools/"))
        .collect();
    paths.extend(
        [
            "src/main.rs",
            "build.rs",
            "tests/it/main.rs",
            "tests/bench/main.rs",
        ]
        .map(str::to_owned),
    );
    let found = unformatted(&paths);
    assert!(
        found.is_empty(),
        "not formatted (run: cargo fmt; rustfmt --edition 2024 tools/*/*.rs):\n{}",
        found.join("\n")
    );
}

#[test]
fn an_unformatted_file_is_found() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("unformatted.rs");
    fs::write(&path, "//! Says nothing, badly.\nfn  f( ){}\n").unwrap();
    let is_there = Command::new("rustfmt").arg("--version").output().is_ok();
    let found = unformatted(&[path.display().to_string()]);
    assert_eq!(!found.is_empty(), is_there, "{found:?}");
}
