//! Files as tools see them: reading on one side, changing on the other, each error a sentence.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Need, Row, Supply};
use crate::tool::contract::{Change, Failure, Fingerprint, Plan, Subject};
use crate::tool::place::{Roots, Target};
use crate::world::{self, Item, Kind, Stat};

/// A file of more bytes is not read whole.
pub(crate) const FILE_BYTES_MAX: u64 = 5_000_000;

/// Reading files and folders.
#[derive(Clone)]
pub(crate) struct Files {
    port: Arc<dyn world::Files>,
    roots: Arc<Roots>,
}

impl Need for Files {
    const ROW: Row = Row {
        name: "files",
        question: "read files",
    };
    fn grant(supply: &Supply) -> Self {
        Self {
            port: Arc::clone(&supply.files),
            roots: Arc::clone(&supply.roots),
        }
    }
}

impl Files {
    /// Where `given` leads, through links.
    pub(crate) fn target(&self, given: &str) -> Result<Target, Failure> {
        self.roots.target(&*self.port, given)
    }

    /// The same, but a link in the last place is meant itself.
    pub(crate) fn target_itself(&self, given: &str) -> Result<Target, Failure> {
        self.roots.target_itself(&*self.port, given)
    }

    /// What the call was planned on: the path at `index` of its subject, if it still leads where it led. A run must
    /// use this and not follow the argument anew, or a link changed meanwhile would lead it past consent.
    pub(crate) fn planned(&self, plan: &Plan, index: usize) -> Result<Target, Failure> {
        self.confirmed(plan, index, false)
    }

    /// The same for a path whose last part may itself be a link.
    pub(crate) fn planned_itself(&self, plan: &Plan, index: usize) -> Result<Target, Failure> {
        self.confirmed(plan, index, true)
    }

    fn confirmed(&self, plan: &Plan, index: usize, is_itself: bool) -> Result<Target, Failure> {
        let target = match &plan.subject {
            Subject::Paths(targets) => targets.get(index).cloned(),
            _ => None,
        };
        let target = target.ok_or_else(|| Failure::new("not run: the plan names no such path"))?;
        Roots::confirm(&*self.port, &target, is_itself)?;
        Ok(target)
    }

    /// The entry `name` of the folder `parent`.
    pub(crate) fn below(&self, parent: &Target, name: &std::ffi::OsStr) -> Target {
        self.roots.below(parent, name)
    }

    /// `path` as people read it.
    pub(crate) fn shown(&self, path: &Path) -> String {
        self.roots.shown(path)
    }

    /// The folder that relative paths start from.
    pub(crate) fn workspace(&self) -> &Path {
        &self.roots.workspace
    }

    /// Whether `path` is the workspace, an added folder, or holds one of them.
    pub(crate) fn holds_root(&self, path: &Path) -> bool {
        self.roots.workspace.starts_with(path)
            || self.roots.added.iter().any(|root| root.starts_with(path))
    }

    /// What is known of the file; `None` if there is none. A link counts itself.
    pub(crate) fn stat(&self, path: &Path) -> Result<Option<Stat>, Failure> {
        match self.port.stat(path, false) {
            Ok(stat) => Ok(Some(stat)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Failure::io(
                &format!("cannot look at `{}`", self.shown(path)),
                &error,
            )),
        }
    }

    /// The bytes of a regular file, refused above [`FILE_BYTES_MAX`].
    pub(crate) fn read(&self, target: &Target) -> Result<Vec<u8>, Failure> {
        self.read_to("read", target)
    }

    /// The same for a call that wants to do `verb` with the file, and says so where it cannot.
    pub(crate) fn read_to(&self, verb: &str, target: &Target) -> Result<Vec<u8>, Failure> {
        let doing = format!("cannot {verb} `{}`", target.shown);
        let stat = self
            .port
            .stat(&target.path, false)
            .map_err(|error| Failure::io(&doing, &error))?;
        match stat.kind {
            Kind::Directory => return Err(Failure::new(format!("{doing}: it is a directory"))),
            Kind::Other | Kind::Link => {
                return Err(Failure::new(format!("{doing}: it is not a regular file")));
            }
            Kind::File => (),
        }
        if FILE_BYTES_MAX < stat.bytes {
            return Err(Failure::new(format!(
                "{doing}: it has {} bytes, more than {FILE_BYTES_MAX}",
                stat.bytes
            )));
        }
        let bytes = self
            .port
            .read(&target.path, FILE_BYTES_MAX + 1)
            .map_err(|error| Failure::io(&doing, &error))?;
        if FILE_BYTES_MAX < bytes.len() as u64 {
            return Err(Failure::new(format!(
                "{doing}: it grew past {FILE_BYTES_MAX} bytes"
            )));
        }
        Ok(bytes)
    }

    /// The bytes that the file at `path` had when `plan` bound it; a failure if they are others by now.
    pub(crate) fn read_bound(
        &self,
        verb: &str,
        target: &Target,
        plan: &Plan,
    ) -> Result<Vec<u8>, Failure> {
        let bytes = self.read_to(verb, target)?;
        let bound = plan
            .binding
            .files
            .iter()
            .find(|(path, _)| *path == target.path);
        match bound {
            Some((_, Some(seen))) if seen.hash == hash(&bytes) => Ok(bytes),
            _ => Err(Failure::new(format!(
                "cannot {verb} `{}`: it changed meanwhile; nothing was written",
                target.shown
            ))),
        }
    }

    /// The entries of a folder, at most `items_max`, and whether there are more.
    pub(crate) fn list(&self, path: &Path, items_max: usize) -> Result<(Vec<Item>, bool), Failure> {
        self.port
            .list(path, items_max)
            .map_err(|error| Failure::io(&format!("cannot list `{}`", self.shown(path)), &error))
    }

    /// The file as it is now, for a binding; `None` if there is none.
    pub(crate) fn fingerprint(&self, path: &Path) -> Result<Option<Fingerprint>, Failure> {
        fingerprint(&*self.port, path)
    }
}

/// The file at `path` as it is now; `None` if there is none.
pub(in crate::tool) fn fingerprint(
    port: &dyn world::Files,
    path: &Path,
) -> Result<Option<Fingerprint>, Failure> {
    let stat = match port.stat(path, false) {
        Ok(stat) => stat,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::file("look at", path, &error)),
    };
    let is_read = stat.kind == Kind::File && stat.bytes <= FILE_BYTES_MAX;
    let hash = if is_read {
        hash(
            &port
                .read(path, FILE_BYTES_MAX)
                .map_err(|error| Failure::file("read", path, &error))?,
        )
    } else {
        0
    };
    Ok(Some(Fingerprint {
        identity: stat.identity,
        mode: stat.mode,
        bytes: stat.bytes,
        modified: stat.modified,
        hash,
    }))
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// Changing files and folders. Each change is one step that either happened or did not.
#[derive(Clone)]
pub(crate) struct Writes {
    port: Arc<dyn world::Files>,
}

impl Need for Writes {
    const ROW: Row = Row {
        name: "writes",
        question: "change files",
    };
    fn grant(supply: &Supply) -> Self {
        Self {
            port: Arc::clone(&supply.files),
        }
    }
}

impl Writes {
    /// Replaces the bytes of `target`, keeping its mode, or creates it and its folders.
    /// `former` is what it held, or `None` if it must not exist yet. Returns what undo needs.
    pub(crate) fn write(
        &self,
        target: &Target,
        bytes: &[u8],
        former: Option<Vec<u8>>,
    ) -> Result<Change, Failure> {
        let doing = format!("cannot write `{}`", target.shown);
        let fail = |error: io::Error| Failure::io(&doing, &error);
        if former.is_some() {
            let stat = self.port.stat(&target.path, false).map_err(fail)?;
            if stat.kind != Kind::File {
                return Err(Failure::new(format!("{doing}: it is not a regular file")));
            }
            self.port
                .replace(&target.path, bytes, Some(stat.mode))
                .map_err(fail)?;
        } else {
            self.with_parents(&target.path, || self.port.create(&target.path, bytes, None))
                .map_err(fail)?;
        }
        Ok(Change {
            path: target.path.clone(),
            former,
        })
    }

    /// Puts `bytes` where nothing is, with a mode: what undo does with a deleted file.
    pub(crate) fn put_back(&self, path: &Path, bytes: &[u8], mode: u32) -> Result<(), Failure> {
        self.port
            .create(path, bytes, Some(mode))
            .map_err(|error| Failure::file("put back", path, &error))
    }

    /// The same for a folder.
    pub(crate) fn put_back_dir(&self, path: &Path) -> Result<(), Failure> {
        self.port
            .create_dir(path)
            .map_err(|error| Failure::file("put back", path, &error))
    }

    /// Makes a folder and its parents.
    pub(crate) fn create_dir(&self, target: &Target) -> Result<(), Failure> {
        self.with_parents(&target.path, || self.port.create_dir(&target.path))
            .map_err(|error| Failure::io(&format!("cannot create `{}`", target.shown), &error))
    }

    /// Renames; nothing is ever replaced.
    pub(crate) fn rename(&self, from: &Target, to: &Target) -> Result<(), Failure> {
        let doing = format!("cannot move `{}` to `{}`", from.shown, to.shown);
        self.with_parents(&to.path, || self.port.rename(&from.path, &to.path))
            .map_err(|error| Failure::io(&doing, &error))
    }

    /// Makes the folders above `path`, then acts; if that fails, the folders that were made go again.
    fn with_parents(&self, path: &Path, act: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        let Some(parent) = path.parent() else {
            return act();
        };
        let mut made: Vec<PathBuf> = Vec::new();
        for folder in parent.ancestors() {
            match self.port.stat(folder, false) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    made.push(folder.to_owned());
                }
                Err(error) => return Err(error),
                Ok(_) => break,
            }
        }
        let made_parents = if made.is_empty() {
            Ok(())
        } else {
            self.port.create_dir(parent)
        };
        made_parents.and_then(|()| act()).inspect_err(|_| {
            // Only empty ones go, so that nothing of anybody else's can be lost.
            _ = made
                .iter()
                .try_for_each(|folder| self.port.remove_dir(folder));
        })
    }

    /// Removes one file or link.
    pub(crate) fn remove_file(&self, path: &Path) -> Result<(), Failure> {
        self.port
            .remove_file(path)
            .map_err(|error| Failure::file("delete", path, &error))
    }

    /// Removes one empty folder.
    pub(crate) fn remove_dir(&self, path: &Path) -> Result<(), Failure> {
        self.port
            .remove_dir(path)
            .map_err(|error| Failure::file("delete", path, &error))
    }
}
