//! Compiles the tools, the skills and the keyword catalog into `catalog.rs`.
//!
//! Every problem found is reported at once, each with file and line. What is checked, and how the
//! tables are laid out, is in `src/tool/find/compile`, where its tests are.

#![allow(
    clippy::disallowed_methods,
    reason = "a build script reads the tree and writes the catalog"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a build script fails by panicking"
)]
#![allow(
    dead_code,
    unused_imports,
    reason = "the program uses what the build script does not"
)]

#[path = "src/tool/find/compile/mod.rs"]
mod compile;
#[path = "src/skill/front.rs"]
mod front;
#[path = "src/tool/find/tables.rs"]
mod tables;
#[path = "src/toml/mod.rs"]
mod toml;
#[path = "src/words/mod.rs"]
mod words;

use std::path::{Path, PathBuf};
use std::{env, fs};

use compile::{File, SkillFile};

fn main() {
    let os = env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    if os == "windows" {
        println!(
            "cargo::error=Ankita does not run on Windows: build it on Linux, or in WSL (the \
             Windows Subsystem for Linux)"
        );
        return;
    }
    for path in [
        "build.rs",
        "tools",
        "skills",
        "src/words",
        "src/toml",
        "src/skill/front.rs",
        "src/tool/find/tables.rs",
        "src/tool/find/compile",
    ] {
        println!("cargo::rerun-if-changed={path}");
    }
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let mut files = Vec::new();
    walk(&root, &root.join("tools"), &mut files);
    match compile::compile(&files, &skills(&root)) {
        Ok(compiled) => {
            let absolute = |path: &str| root.join(path).display().to_string();
            let text = compile::render(&compiled, &absolute);
            fs::write(out.join("catalog.rs"), text).expect("OUT_DIR is writable");
        }
        Err(problems) => {
            for problem in problems {
                println!("cargo::error={problem}");
            }
        }
    }
}

/// Every file below `folder`, in a stable order, whatever the file system says.
fn walk(root: &Path, folder: &Path, files: &mut Vec<File>) {
    for path in entries(folder) {
        if path.is_dir() {
            walk(root, &path, files);
            continue;
        }
        let shown = path.strip_prefix(root).unwrap_or(&path);
        let bytes = fs::read(&path).unwrap_or_default();
        files.push(File {
            path: shown.to_string_lossy().into_owned(),
            text: String::from_utf8_lossy(&bytes).into_owned(),
        });
    }
}

/// Every folder of `skills/`; one without a `SKILL.md` has faults.
fn skills(root: &Path) -> Vec<SkillFile> {
    let mut found = Vec::new();
    for folder in entries(&root.join("skills")) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let path = format!("skills/{name}/SKILL.md");
        let text = match fs::read_to_string(folder.join("SKILL.md")) {
            Ok(text) => text,
            Err(error) => {
                found.push(SkillFile {
                    faults: vec![(1, format!("cannot be read: {error}"))],
                    ..skill_file(&path, &name, front::Front::default())
                });
                continue;
            }
        };
        found.push(skill_file(&path, &name, front::read(&text)));
    }
    found
}

fn skill_file(path: &str, folder: &str, front: front::Front) -> SkillFile {
    SkillFile {
        path: path.to_owned(),
        folder: folder.to_owned(),
        name: front.name,
        description: front.description,
        suggested_tools: front.suggested_tools,
        body_chars: front.body.chars().count(),
        body_chars_max: front::BODY_CHARS_MAX,
        faults: front.faults,
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(read) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
