//! Lists what a folder holds.

use std::path::{Path, PathBuf};

use crate::text;
use crate::tool::prelude::*;

/// Entries shown unless `limit` says otherwise.
const ENTRIES_DEFAULT: usize = 300;
/// Entries of one folder that are looked at.
const FOLDER_ENTRIES_MAX: usize = 30_000;
/// Folders below folders.
const DEPTH_MAX: usize = 20;
/// A longer failure of a folder is cut.
const FAILURE_CELLS_MAX: usize = 200;
/// Left of the reply's size for the note.
const NOTES_BYTES_MAX: usize = 200;
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
        object! { "path": "build/x" } => "list build/x",
        object! { "path": "build/x" } => "which files are in build/x",
        object! { "path": ".", "recursive": true } => "list all files recursively",
        object! { "path": "src" } => "list the files in src",
        object! { "path": "src" } => "show the folder src",
        object! { "path": "build/x" } => "what is in build/x",
        object! { "path": ".", "recursive": true } => "show all files recursively",
        object! { "path": "src", "recursive": true } => "list everything in src recursively",
        object! { "path": "src" } => "show the contents of the folder src",
    ];
}

fn run(args: Args, plan: Plan, call: &Call, files: Files) -> Outcome {
    let target = files.planned(&plan, 0)?;
    if files
        .stat(&target.path)?
        .is_some_and(|stat| stat.kind == Kind::File)
    {
        return Err(Failure::new(format!(
            "cannot list `{}`: it is a file; use `read_file`",
            target.shown
        )));
    }
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
            let name = shown(&path);
            let line = match item.kind {
                Kind::Directory => format!("{name}/"),
                Kind::File => format!("{name}  {}", item.bytes),
                Kind::Link => format!("{name}  (link)"),
                Kind::Other => format!("{name}  (special)"),
            };
            if !self.push(line, call) {
                return Ok(());
            }
            let is_skipped = SKIPPED.iter().any(|skipped| item.name == *skipped);
            if self.is_recursive && item.kind == Kind::Directory && !is_skipped {
                if depth == DEPTH_MAX {
                    self.is_cut = true;
                } else if let Err(failure) =
                    self.enter(&folder.join(&item.name), &path, depth + 1, call, files)
                {
                    // One folder that cannot be read must not hide the others.
                    call.check()?;
                    self.push(
                        format!("  ({})", text::one_line(&failure.0, FAILURE_CELLS_MAX)),
                        call,
                    );
                }
            }
        }
        Ok(())
    }

    /// Adds a line if it has room.
    fn push(&mut self, line: String, call: &Call) -> bool {
        self.bytes += line.len() + 1;
        if self.lines.len() == self.limit || call.output_bytes_max < self.bytes + NOTES_BYTES_MAX {
            self.is_cut = true;
            return false;
        }
        self.lines.push(line);
        true
    }
}

/// A name in one line, whatever it is made of.
fn shown(path: &Path) -> String {
    text::sanitize(&path.display().to_string())
        .replace('\n', "^J")
        .replace('\t', "^I")
}

#[cfg(test)]
mod tests {
    use crate::tool::Verdict;
    use crate::tool::trial::{Trial, check, check_cancels};
    use crate::world::fake::Fake;

    fn build(fake: &Fake) {
        fake.add_file("/repo/b.txt", "12")
            .add_file("/repo/a.txt", "")
            .add_dir("/repo/z")
            .add_file("/repo/m/in/x", "1");
        fake.add_file("/repo/node_modules/p/i.js", "1")
            .add_link("/repo/l", "/etc")
            .add_device("/repo/tty");
        fake.add_file("/etc/passwd", "x");
    }

    #[track_caller]
    fn lists(build: impl FnOnce(&Fake), arguments: &str, text: &str) {
        check(build, "list_dir", arguments, Verdict::Done, text);
    }

    #[test]
    fn folders_come_first_then_names_in_order() {
        let flat = "m/\nnode_modules/\nz/\na.txt  0\nb.txt  2\nl  (link)\ntty  (special)";
        lists(build, "{}", flat);
        lists(build, r#"{"path": "."}"#, flat);
        lists(build, r#"{"path": "z"}"#, "`z` is empty");
        lists(
            build,
            r#"{"recursive": true}"#,
            "m/\nm/in/\nm/in/x  1\nnode_modules/\nz/\na.txt  0\nb.txt  2\nl  (link)\ntty  (special)",
        );
        lists(
            build,
            r#"{"path": "node_modules", "recursive": true}"#,
            "p/\np/i.js  1",
        );
    }

    #[test]
    fn names_stay_in_their_line() {
        let odd = |fake: &Fake| _ = fake.add_file("/repo/a\nb\u{1b}[31m\\'\"\u{202e}é.txt", "1");
        lists(odd, "{}", "a^Jb^[[31m\\'\"<U+202E>é.txt  1");
    }

    #[test]
    fn limits_are_said() {
        let more = "\n(there is more: name a folder inside, or raise `limit`)";
        lists(
            build,
            r#"{"limit": 2}"#,
            &format!("m/\nnode_modules/{more}"),
        );
        lists(
            build,
            r#"{"limit": 2, "recursive": true}"#,
            &format!("m/\nm/in/{more}"),
        );
        let deep = |fake: &Fake| _ = fake.add_dir(&format!("/repo{}", "/d".repeat(25)));
        let reply = Trial::new(deep).call("list_dir", r#"{"recursive": true}"#);
        assert_eq!(reply.text.lines().count(), 22, "{}", reply.text);
        assert!(reply.text.ends_with(more));
        let wide = |fake: &Fake| {
            (0..5_000).for_each(|n| _ = fake.add_file(&format!("/repo/{n:0100}"), ""));
        };
        let reply = Trial::new(wide).call("list_dir", r#"{"limit": 5000}"#);
        assert!(
            reply.text.len() <= crate::tool::REPLY_BYTES_MAX && reply.text.ends_with(more),
            "{}",
            reply.text.len()
        );
    }

    #[test]
    fn what_cannot_be_listed_says_why_and_hides_nothing_else() {
        check(
            build,
            "list_dir",
            r#"{"path": "none"}"#,
            Verdict::Failed,
            "cannot list `none`: it does not exist",
        );
        check(
            build,
            "list_dir",
            r#"{"path": "a.txt"}"#,
            Verdict::Failed,
            "cannot list `a.txt`: it is a file; use `read_file`",
        );
        let locked = |fake: &Fake| {
            _ = fake
                .add_file("/repo/a/x", "")
                .add_file("/repo/b/y", "")
                .deny("/repo/a");
        };
        lists(
            locked,
            r#"{"recursive": true}"#,
            "a/\n  (cannot list `a`: permission denied)\nb/\nb/y  0",
        );
        let outside = Trial::headless(build, &[]).call("list_dir", r#"{"path": "l"}"#);
        assert_eq!(outside.verdict, Verdict::Refused);
    }

    #[test]
    fn a_cancel_ends_it() {
        check_cancels(build, "list_dir", r#"{"recursive": true}"#);
    }
}
