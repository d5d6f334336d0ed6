//! Deletes a file, or a folder with all that it holds.

use std::path::{Path, PathBuf};

use crate::tool::prelude::*;

/// Files and folders that one call may delete.
const ENTRIES_MAX: usize = 10_000;
/// Folders below folders.
const DEPTH_MAX: usize = 100;
/// Names that the question shows.
const NAMED_MAX: usize = 20;

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
        object! { "path": "old.txt" } => "delete old.txt",
        object! { "path": "old.txt" } => "remove the file old.txt",
        object! { "path": "build", "recursive": true } => "delete the folder build and everything in it",
        object! { "path": "build", "recursive": true } => "remove the directory build and everything in it",
        object! { "path": "old.txt" } => "remove old.txt",
        object! { "path": "build" } => "delete the folder build",
        object! { "path": "build" } => "remove the folder build",
        object! { "path": "build", "recursive": true } => "delete the directory build and everything in it",
        object! { "path": "build", "recursive": true } => "remove the folder build and everything in it",
    ];
}

/// What would go, deepest first.
struct Doomed {
    target: Target,
    /// With the bytes of each file; `None` for folders.
    entries: Vec<(PathBuf, Kind, u64)>,
}

impl Doomed {
    fn find(args: &Args, files: &Files, call: Option<&Call>) -> Result<Self, Failure> {
        let target = files.target_itself(&args.path)?;
        let Some(stat) = files.stat(&target.path)? else {
            return Err(Failure::new(format!(
                "cannot delete `{}`: it does not exist",
                target.shown
            )));
        };
        if files.holds_root(&target.path) {
            return Err(Failure::new(format!(
                "cannot delete `{}`: the workspace lies in it",
                target.shown
            )));
        }
        let mut doomed = Self {
            entries: Vec::new(),
            target,
        };
        if stat.kind == Kind::Directory {
            let path = doomed.target.path.clone();
            doomed.enter(&path, 0, files, call)?;
            if 0 < doomed.entries.len() && args.recursive != Some(true) {
                return Err(Failure::new(format!(
                    "cannot delete `{}`: it holds {} entries; set `recursive` to delete them too",
                    doomed.target.shown,
                    doomed.entries.len()
                )));
            }
        }
        doomed
            .entries
            .push((doomed.target.path.clone(), stat.kind, stat.bytes));
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
        let (items, has_more) = files.list(folder, ENTRIES_MAX)?;
        if has_more || ENTRIES_MAX < self.entries.len() + items.len() || DEPTH_MAX < depth {
            return Err(Failure::new(format!(
                "cannot delete `{}`: it holds more than {ENTRIES_MAX} entries or {DEPTH_MAX} levels",
                self.target.shown
            )));
        }
        for item in items {
            let path = folder.join(&item.name);
            if item.kind == Kind::Directory {
                self.enter(&path, depth + 1, files, call)?;
            }
            self.entries.push((path, item.kind, item.bytes));
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.entries
            .iter()
            .filter(|(_, kind, _)| *kind == Kind::File)
            .map(|(_, _, bytes)| bytes)
            .sum()
    }

    /// Undo can bring back regular files that it has room for, and nothing else.
    fn can_be_undone(&self) -> bool {
        self.entries.iter().all(|(_, kind, bytes)| {
            *kind == Kind::Directory || (*kind == Kind::File && *bytes <= FILE_BYTES_MAX)
        }) && self.bytes() <= KEPT_BYTES_MAX as u64 / 2
    }

    fn shown(&self, files: &Files) -> String {
        let count = self
            .entries
            .iter()
            .filter(|(_, kind, _)| *kind != Kind::Directory)
            .count();
        let mut shown = format!(
            "delete `{}`: {count} files, {} bytes",
            self.target.shown,
            self.bytes()
        );
        for (path, _, bytes) in self
            .entries
            .iter()
            .filter(|(_, kind, _)| *kind != Kind::Directory)
            .take(NAMED_MAX)
        {
            shown.push_str(&format!("\n  {}  {bytes}", files.shown(path)));
        }
        if NAMED_MAX < count {
            shown.push_str(&format!("\n  and {} more", count - NAMED_MAX));
        }
        shown
    }
}

fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure> {
    let files = Files::grant(look);
    let doomed = Doomed::find(args, &files, None)?;
    let effect = if doomed.can_be_undone() {
        Effect::Change
    } else {
        Effect::Destroy
    };
    Ok(Plan {
        effect,
        shown: doomed.shown(&files),
        binding: Binding {
            files: vec![(
                doomed.target.path.clone(),
                files.fingerprint(&doomed.target.path)?,
            )],
            ..Binding::default()
        },
        subject: Subject::Paths(vec![doomed.target]),
    })
}

fn run(args: Args, plan: Plan, call: &Call, files: Files, writes: Writes) -> Outcome {
    let doomed = Doomed::find(&args, &files, Some(call))?;
    if doomed.shown(&files) != plan.shown {
        return Err(Failure::new(format!(
            "not run: `{}` holds something else than was shown; ask again",
            doomed.target.shown
        )));
    }
    let mut changes = Vec::new();
    for (path, kind, _) in &doomed.entries {
        let fault = call.check().and_then(|()| match kind {
            Kind::Directory => writes.remove_dir(path),
            _ => {
                if plan.effect == Effect::Change {
                    let former = files.read(&files.target_itself(&path.display().to_string())?)?;
                    changes.push(Change {
                        path: path.clone(),
                        former: Some(former),
                    });
                }
                writes.remove_file(path)
            }
        });
        if let Err(failure) = fault {
            let done = changes.len();
            return Err(Failure::new(format!(
                "{}; {done} files were deleted before",
                failure.0
            )));
        }
    }
    Ok(Output {
        text: format!(
            "deleted `{}` ({} entries, {} bytes)",
            doomed.target.shown,
            doomed.entries.len(),
            doomed.bytes()
        ),
        changes,
        ..Output::default()
    })
}
