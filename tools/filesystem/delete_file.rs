//! Deletes a file, or a folder with all that it holds.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use crate::text;
use crate::tool::prelude::*;

/// Files and folders that one call may delete.
const ENTRIES_MAX: usize = 10_000;
/// Folders below folders.
const DEPTH_MAX: usize = 100;
/// Names that the question shows.
const NAMED_MAX: usize = 20;
/// A longer name is cut there.
const NAME_CELLS_MAX: usize = 200;

tool! {
    /// Delete a file, or with `recursive` a folder and all that it holds.
    effect: plan;
    subject: Path;
    needs: [Files, Writes];
    struct Args {
        /// What to delete.
        path: Text<4_096>,
        /// Also a folder that is not empty.
        recursive: Option<bool>,
    }
    examples: [
        object! { "path": "old.txt" } => "delete the file old.txt",
        object! { "path": "old.txt" } => "remove the file old.txt",
        object! { "path": "build", "recursive": true } => "delete the folder build and everything in it",
        object! { "path": "build", "recursive": true } => "remove the directory build and everything in it",
        object! { "path": "build/x/y" } => "delete the folder build/x/y",
        object! { "path": "build/x/y" } => "remove the folder build/x/y",
        object! { "path": "build", "recursive": true } => "delete the directory build and everything in it",
        object! { "path": "build", "recursive": true } => "remove the folder build and everything in it",
    ];
}

/// What would go, deepest first.
struct Doomed {
    target: Target,
    entries: Vec<Entry>,
    /// Of all that was seen of the entries: where, which one, what kind, how long, when changed.
    seen: u64,
}

fn fail(target: &Target, why: &str) -> Failure {
    Failure::new(format!("cannot delete `{}`: {why}", target.shown))
}

struct Entry {
    path: PathBuf,
    stat: Stat,
}

impl Doomed {
    fn find(
        target: Target,
        is_recursive: bool,
        files: &Files,
        call: Option<&Call>,
    ) -> Result<Self, Failure> {
        let Some(stat) = files.stat(&target.path)? else {
            return Err(fail(&target, "it does not exist"));
        };
        if files.holds_root(&target.path) {
            return Err(fail(&target, "the workspace lies in it"));
        }
        let mut doomed = Self {
            entries: Vec::new(),
            target,
            seen: 0,
        };
        if stat.kind == Kind::Directory {
            let path = doomed.target.path.clone();
            doomed.enter(&path, 0, files, call)?;
            let count = doomed.entries.len();
            if 0 < count && !is_recursive {
                let noun = if count == 1 { "entry" } else { "entries" };
                let why = format!("it holds {count} {noun}; set `recursive` to delete them too");
                return Err(fail(&doomed.target, &why));
            }
        }
        doomed.entries.push(Entry {
            path: doomed.target.path.clone(),
            stat,
        });
        let mut hasher = DefaultHasher::new();
        for Entry { path, stat } in &doomed.entries {
            (path, stat.identity, stat.kind as u8).hash(&mut hasher);
            // A folder's own time and size follow from its entries.
            if stat.kind != Kind::Directory {
                (stat.bytes, stat.modified, stat.mode).hash(&mut hasher);
            }
        }
        doomed.seen = hasher.finish();
        Ok(doomed)
    }

    fn enter(
        &mut self,
        folder: &Path,
        depth: usize,
        files: &Files,
        call: Option<&Call>,
    ) -> Result<(), Failure> {
        call.map_or(Ok(()), Call::check)?;
        let (mut items, has_more) = files.list(folder, ENTRIES_MAX)?;
        if has_more || ENTRIES_MAX < self.entries.len() + items.len() || DEPTH_MAX < depth {
            let why = format!("it holds more than {ENTRIES_MAX} entries or {DEPTH_MAX} levels");
            return Err(fail(&self.target, &why));
        }
        items.sort_by(|left, right| left.name.cmp(&right.name));
        for item in items {
            let path = folder.join(&item.name);
            let Some(stat) = files.stat(&path)? else {
                continue; // It went by itself meanwhile.
            };
            if stat.kind == Kind::Directory {
                self.enter(&path, depth + 1, files, call)?;
            }
            self.entries.push(Entry { path, stat });
        }
        Ok(())
    }

    fn files(&self) -> impl Iterator<Item = &Entry> {
        self.entries
            .iter()
            .filter(|entry| entry.stat.kind != Kind::Directory)
    }

    fn bytes(&self) -> u64 {
        self.files()
            .filter(|entry| entry.stat.kind == Kind::File)
            .map(|entry| entry.stat.bytes)
            .sum()
    }

    /// Undo can bring back regular files that it has room for, and nothing else.
    fn can_be_undone(&self) -> bool {
        self.files()
            .all(|entry| entry.stat.kind == Kind::File && entry.stat.bytes <= FILE_BYTES_MAX)
            && self.bytes() <= KEPT_BYTES_MAX as u64 / 2
    }

    /// `3 files, 1 folder, 12 bytes`.
    fn counts(&self) -> String {
        let files = self.files().count();
        let folders = self.entries.len() - files;
        let mut parts = Vec::new();
        for (count, noun) in [(files, "file"), (folders, "folder")] {
            match count {
                0 => (),
                1 => parts.push(format!("1 {noun}")),
                count => parts.push(format!("{count} {noun}s")),
            }
        }
        parts.push(format!("{} bytes", self.bytes()));
        parts.join(", ")
    }

    fn shown(&self, files: &Files) -> String {
        let mut shown = format!("delete `{}`: {}", self.target.shown, self.counts());
        if self.entries.len() == 1
            && self
                .entries
                .iter()
                .all(|entry| entry.stat.kind == Kind::Link)
        {
            shown = format!(
                "delete the link `{}`, not what it leads to",
                self.target.shown
            );
        }
        let count = self.files().count();
        for Entry { path, stat } in self.files().take(NAMED_MAX) {
            _ = write!(
                shown,
                "\n  {}  {}",
                text::one_line(&files.shown(path), NAME_CELLS_MAX),
                stat.bytes
            );
        }
        if NAMED_MAX < count {
            _ = write!(shown, "\n  and {} more", count - NAMED_MAX);
        }
        shown
    }

    /// The bytes of each regular file, so that all can come back if one cannot go.
    fn read(&self, files: &Files, call: &Call) -> Result<Vec<Change>, Failure> {
        let mut changes = Vec::new();
        for entry in self.files() {
            call.check()?;
            let target = Target {
                path: entry.path.clone(),
                ..self.target.clone()
            };
            changes.push(Change {
                path: entry.path.clone(),
                former: Some(files.read_to("delete", &target)?),
            });
        }
        Ok(changes)
    }

    /// Puts back the first `count` entries, of which `changes` has the bytes: folders before what was in them.
    fn put_back(&self, count: usize, changes: &[Change], writes: &Writes) -> Result<(), Failure> {
        let gone = self.entries.get(..count).unwrap_or_default();
        let (folders, files): (Vec<&Entry>, Vec<&Entry>) = gone
            .iter()
            .partition(|entry| entry.stat.kind == Kind::Directory);
        for folder in folders.iter().rev() {
            writes.put_back_dir(&folder.path)?;
        }
        for (file, change) in files.iter().zip(changes) {
            let bytes = change.former.as_deref().unwrap_or_default();
            writes.put_back(&file.path, bytes, file.stat.mode)?;
        }
        Ok(())
    }
}

fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let files = Files::grant(look);
    let target = files.target_itself(&args.path)?;
    let doomed = Doomed::find(target, args.recursive == Some(true), &files, None)?;
    let is_one_file = doomed.files().count() == doomed.entries.len();
    let mut bound = Vec::new();
    if is_one_file {
        let path = doomed.target.path.clone();
        bound.push((path.clone(), files.fingerprint(&path)?));
    }
    Ok(Plan {
        effect: if doomed.can_be_undone() {
            Effect::Change
        } else {
            Effect::Destroy
        },
        shown: doomed.shown(&files),
        binding: Binding {
            files: bound,
            seen: doomed.seen,
            ..Binding::default()
        },
        subject: Subject::Paths(vec![doomed.target]),
    })
}

fn run(args: Args, plan: Plan, call: &Call, files: Files, writes: Writes) -> Outcome {
    let target = files.planned_itself(&plan, 0)?;
    let doomed = Doomed::find(target, args.recursive == Some(true), &files, Some(call))?;
    let shown = &doomed.target.shown;
    if doomed.seen != plan.binding.seen {
        return Err(Failure::new(format!(
            "not run: what `{shown}` holds changed after it was shown; nothing was deleted"
        )));
    }
    let total = doomed.entries.len();
    let is_kept = plan.effect == Effect::Change;
    let changes = if is_kept {
        doomed.read(&files, call)?
    } else {
        Vec::new()
    };
    for (index, entry) in doomed.entries.iter().enumerate() {
        // What can be put back goes as a whole: once the first is gone, a cancel comes too late.
        let allowed = if is_kept && 0 < index {
            Ok(())
        } else {
            call.check()
        };
        let fault = allowed.and_then(|()| match entry.stat.kind {
            Kind::Directory => writes.remove_dir(&entry.path),
            _ => writes.remove_file(&entry.path),
        });
        let Err(failure) = fault else {
            continue;
        };
        let end = match (index, is_kept) {
            (0, _) => "nothing was deleted".to_owned(),
            (_, true) => match doomed.put_back(index, &changes, &writes) {
                Ok(()) => "what was deleted before was put back".to_owned(),
                Err(Failure(why)) => {
                    format!("{index} entries went before, not all came back: {why}")
                }
            },
            (_, false) => format!("{index} of {total} entries were deleted before"),
        };
        return Err(Failure::new(format!("{}; {end}", failure.0)));
    }
    Ok(Output {
        text: format!("deleted `{shown}` ({})", doomed.counts()),
        changes,
        ..Output::default()
    })
}

#[cfg(test)]
mod tests {
    use crate::tool::trial::{Trial, check, check_cancels, check_faults, tree};
    use crate::tool::{Effect, Verdict};
    use crate::world::fake::{Fake, FileOperation};
    use std::io::ErrorKind;

    fn build(fake: &Fake) {
        fake.add_file("/repo/d/x", "12").add_file("/repo/g/x", "");
        fake.add_file("/repo/d/e/y\n", "3");
        fake.add_file_mode("/repo/a.txt", "abc", 0o600)
            .add_dir("/repo/d/f");
        fake.add_dir("/repo/empty").add_file("/etc/passwd", "x");
        fake.add_link("/repo/l", "/etc")
            .add_link("/repo/g/l", "../d");
    }

    fn build_big(fake: &Fake) {
        build(fake);
        fake.add_file("/repo/big", vec![0; 5_000_001]);
    }

    const TREE: &str = r#"{"path": "d", "recursive": true}"#;

    /// What a call asks, with which effect.
    #[track_caller]
    fn asks(arguments: &str, effect: Effect, shown: &str, text: &str) {
        let mut trial = Trial::new(build_big);
        let reply = trial.call("delete_file", arguments);
        assert_eq!((reply.verdict, reply.text.as_str()), (Verdict::Done, text));
        assert_eq!((trial.questions[0].effect, trial.shown()), (effect, shown));
    }

    #[test]
    fn what_goes_is_shown_and_said() {
        let (shown, text) = (
            "delete `a.txt`: 1 file, 3 bytes\n  a.txt  3",
            "deleted `a.txt` (1 file, 3 bytes)",
        );
        asks(r#"{"path": "a.txt"}"#, Effect::Change, shown, text);
        let (shown, text) = (
            "delete `empty`: 1 folder, 0 bytes",
            "deleted `empty` (1 folder, 0 bytes)",
        );
        asks(r#"{"path": "empty"}"#, Effect::Change, shown, text);
        let (shown, text) = (
            "delete `d`: 2 files, 3 folders, 3 bytes\n  d/e/y  1\n  d/x  2",
            "deleted `d` (2 files, 3 folders, 3 bytes)",
        );
        asks(TREE, Effect::Change, shown, text);
        // Undo keeps neither links nor what is too big.
        let (shown, text) = (
            "delete `big`: 1 file, 5000001 bytes\n  big  5000001",
            "deleted `big` (1 file, 5000001 bytes)",
        );
        asks(r#"{"path": "big"}"#, Effect::Destroy, shown, text);
        let (shown, text) = (
            "delete the link `l`, not what it leads to\n  l  0",
            "deleted `l` (1 file, 0 bytes)",
        );
        asks(r#"{"path": "l"}"#, Effect::Destroy, shown, text);
        let (shown, text) = (
            "delete `g`: 2 files, 1 folder, 0 bytes\n  g/l  0\n  g/x  0",
            "deleted `g` (2 files, 1 folder, 0 bytes)",
        );
        asks(
            r#"{"path": "g", "recursive": true}"#,
            Effect::Destroy,
            shown,
            text,
        );
    }

    #[test]
    fn links_are_not_followed() {
        let mut trial = Trial::new(build);
        trial.call("delete_file", r#"{"path": "l"}"#);
        trial.call("delete_file", r#"{"path": "g", "recursive": true}"#);
        assert!(trial.fake.file("/etc/passwd").is_some() && trial.fake.file("/repo/d/x").is_some());
        let left = trial.fake.files();
        assert!(
            left.iter()
                .all(|path| path != "/repo/l" && !path.starts_with("/repo/g"))
        );
    }

    #[test]
    fn what_cannot_be_deleted_says_why() {
        let fails = |arguments: &str, text: &str| {
            check(build, "delete_file", arguments, Verdict::Failed, text);
        };
        let text = "cannot delete `d`: it holds 4 entries; set `recursive` to delete them too";
        fails(r#"{"path": "d"}"#, text);
        fails(
            r#"{"path": "none"}"#,
            "cannot delete `none`: it does not exist",
        );
        for (path, shown) in [(".", "."), ("/", "/"), ("/repo", "."), ("d/..", ".")] {
            let arguments = format!(r#"{{"path": "{path}", "recursive": true}}"#);
            fails(
                &arguments,
                &format!("cannot delete `{shown}`: the workspace lies in it"),
            );
        }
    }

    #[test]
    fn what_the_folder_holds_is_bound() {
        let changes: [fn(&Fake); 4] = [
            |fake| _ = fake.add_file("/repo/d/new", ""),
            |fake| {
                _ = fake
                    .pass(std::time::Duration::from_secs(5))
                    .add_file("/repo/d/x", "21");
            },
            |fake| _ = fake.add_link("/repo/d/x", "/etc"),
            |fake| _ = fake.add_file("/repo/d/f/deep", ""),
        ];
        for change in changes {
            let mut trial = Trial::new(build);
            let reply = trial.call_with("delete_file", TREE, change);
            assert_eq!(reply.verdict, Verdict::Failed);
            let text = "not run: what `d` holds changed after it was shown; nothing was deleted";
            assert_eq!(reply.text, text);
        }
        // One file is bound by its bytes, and asked about again.
        let mut trial = Trial::new(build);
        trial.call_with("delete_file", r#"{"path": "a.txt"}"#, |fake| {
            if fake.file("/repo/a.txt").unwrap() == b"abc" {
                fake.add_file("/repo/a.txt", "abcd");
            }
        });
        assert_eq!(trial.questions.len(), 2);
    }

    #[test]
    fn only_the_exact_rule_covers_what_cannot_be_undone() {
        for (rule, path, verdict) in [
            ("delete_file", "a.txt", Verdict::Done),
            ("delete_file", "big", Verdict::Refused),
            ("delete_file(*)", "big", Verdict::Refused),
            ("delete_file(big)", "big", Verdict::Done),
        ] {
            let reply = Trial::headless(build_big, &[rule])
                .call("delete_file", &format!(r#"{{"path": "{path}"}}"#));
            assert_eq!(reply.verdict, verdict, "{rule} {path}: {}", reply.text);
        }
    }

    #[test]
    fn a_cancel_or_a_fault_leaves_all_or_nothing() {
        check_cancels(build, "delete_file", TREE);
        check_faults(build, "delete_file", TREE);
        check_faults(build, "delete_file", r#"{"path": "a.txt"}"#);
    }

    #[test]
    fn what_could_not_go_whole_says_how_much_went() {
        let (remove, denied) = (FileOperation::Remove, ErrorKind::PermissionDenied);
        let mut trial = Trial::new(build);
        trial.fake.fail_file(remove, 2, denied);
        let reply = trial.call("delete_file", r#"{"path": "g", "recursive": true}"#);
        let text =
            "cannot delete `/repo/g/x`: permission denied; 1 of 3 entries were deleted before";
        assert_eq!(
            (reply.verdict, reply.text.as_str()),
            (Verdict::Failed, text)
        );
        let mut trial = Trial::new(build);
        let before = tree(&trial.fake);
        trial.fake.fail_file(remove, 4, denied);
        let reply = trial.call("delete_file", TREE);
        assert_eq!(
            reply.text,
            "cannot delete `/repo/d/x`: permission denied; what was deleted before was put back"
        );
        assert_eq!((tree(&trial.fake), trial.changes()), (before, 0));
    }

    #[test]
    fn limits_hold() {
        let many =
            |fake: &Fake| (0..10_001).for_each(|n| _ = fake.add_file(&format!("/repo/d/{n}"), ""));
        let reply = Trial::new(many).call("delete_file", TREE);
        let text = "cannot delete `d`: it holds more than 10000 entries or 100 levels";
        assert_eq!(reply.text, text);
        let deep = |fake: &Fake| _ = fake.add_dir(&format!("/repo/d{}", "/d".repeat(120)));
        assert_eq!(Trial::new(deep).call("delete_file", TREE).text, text);
        let names =
            |fake: &Fake| (0..30).for_each(|n| _ = fake.add_file(&format!("/repo/d/{n:02}"), ""));
        let mut trial = Trial::new(names);
        trial.call("delete_file", TREE);
        assert!(trial.shown().ends_with("\n  d/19  0\n  and 10 more"));
    }
}
