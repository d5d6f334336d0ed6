//! Lists what a folder holds.

use std::path::{Path, PathBuf};

use crate::tool::prelude::*;

/// Entries shown unless `limit` says otherwise.
const ENTRIES_DEFAULT: usize = 300;
/// Entries of one folder that are looked at.
const FOLDER_ENTRIES_MAX: usize = 30_000;
/// Folders below folders.
const DEPTH_MAX: usize = 20;
/// Listed, but not entered.
const SKIPPED: &[&str] = &[
    ".git",
    ".hg",
    ".svn",
    ".venv",
    "__pycache__",
    "node_modules",
    "target",
];

tool! {
    /// List a folder: folders first, then files with their sizes in bytes.
    effect: Read;
    subject: Path => |args| args.path.as_deref().unwrap_or(".");
    needs: [Files];
    struct Args {
        /// Folder; the workspace if left out.
        path: Option<Text<4_096>>,
        /// Also what its folders hold.
        recursive: Option<bool>,
        /// Entries at most; 300 if left out.
        limit: Option<Within<1, 5_000>>,
    }
    examples: [
        object! {} => "list the files here",
        object! {} => "which files are in the current directory",
        object! {} => "show the files in this folder",
        object! {} => "ls",
        object! { "path": "src" } => "what is in the folder src",
        object! { "path": "src" } => "list the files in the directory src",
        object! { "path": "src/app" } => "list src/app",
        object! { "path": "src/app" } => "which files are in src/app",
        object! { "path": ".", "recursive": true } => "list all files recursively",
        object! { "path": "src" } => "list the files in src",
        object! { "path": "src" } => "show the folder src",
        object! { "path": "src/app" } => "what is in src/app",
        object! { "path": ".", "recursive": true } => "show all files recursively",
        object! { "path": "src", "recursive": true } => "list everything in src recursively",
        object! { "path": "src" } => "show the contents of the folder src",
    ];
}

fn run(args: Args, _plan: Plan, call: &Call, files: Files) -> Outcome {
    let target = files.target(args.path.as_deref().unwrap_or("."))?;
    let mut walk = Walk {
        limit: args.limit.map_or(ENTRIES_DEFAULT, Within::size),
        is_recursive: args.recursive.unwrap_or(false),
        lines: Vec::new(),
        bytes: 0,
        is_cut: false,
    };
    walk.enter(&target.path, Path::new(""), 0, call, &files)?;
    if walk.lines.is_empty() {
        return Ok(format!("`{}` is empty", target.shown).into());
    }
    let mut reply = walk.lines.join("\n");
    if walk.is_cut {
        reply.push_str("\n(there is more: name a folder inside, or raise `limit`)");
    }
    Ok(reply.into())
}

struct Walk {
    limit: usize,
    is_recursive: bool,
    lines: Vec<String>,
    bytes: usize,
    is_cut: bool,
}

impl Walk {
    /// Adds what `folder` holds, and what its folders hold. Links are not followed.
    fn enter(
        &mut self,
        folder: &Path,
        below: &Path,
        depth: usize,
        call: &Call,
        files: &Files,
    ) -> Result<(), Failure> {
        call.check()?;
        let (mut items, has_more) = files.list(folder, FOLDER_ENTRIES_MAX)?;
        self.is_cut |= has_more;
        items.sort_by(|left, right| {
            let rank = |item: &Item| item.kind != Kind::Directory;
            rank(left)
                .cmp(&rank(right))
                .then_with(|| left.name.cmp(&right.name))
        });
        for item in items {
            let path: PathBuf = below.join(&item.name);
            let name = path
                .display()
                .to_string()
                .escape_debug()
                .to_string()
                .replace("\\'", "'")
                .replace("\\\"", "\"");
            let line = match item.kind {
                Kind::Directory => format!("{name}/"),
                Kind::File => format!("{name}  {}", item.bytes),
                Kind::Link => format!("{name}  (link)"),
                Kind::Other => format!("{name}  (special)"),
            };
            self.bytes += line.len() + 1;
            if self.lines.len() == self.limit || call.output_bytes_max < self.bytes + 200 {
                self.is_cut = true;
                return Ok(());
            }
            self.lines.push(line);
            let is_skipped = SKIPPED.iter().any(|skipped| item.name == *skipped);
            if self.is_recursive && item.kind == Kind::Directory && !is_skipped {
                if depth == DEPTH_MAX {
                    self.is_cut = true;
                } else if let Err(failure) =
                    self.enter(&folder.join(&item.name), &path, depth + 1, call, files)
                {
                    // One folder that cannot be read must not hide the others.
                    call.check()?;
                    self.lines.push(format!("  ({})", failure.0));
                }
            }
        }
        Ok(())
    }
}
