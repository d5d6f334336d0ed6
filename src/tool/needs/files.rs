//! Files as tools see them: reading on one side, changing on the other, each error a sentence.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::{Need, Row, Supply};
use crate::tool::contract::{Change, Failure, Fingerprint};
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
        let doing = format!("cannot read `{}`", target.shown);
        let stat = self
            .port
            .stat(&target.path, true)
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
                "{doing}: it has {} bytes, and at most {FILE_BYTES_MAX} are read",
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
    let mut hash = 0;
    if stat.kind == Kind::File && stat.bytes <= FILE_BYTES_MAX {
        let bytes = port
            .read(path, FILE_BYTES_MAX)
            .map_err(|error| Failure::file("read", path, &error))?;
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        hash = hasher.finish();
    }
    Ok(Some(Fingerprint {
        identity: stat.identity,
        mode: stat.mode,
        bytes: stat.bytes,
        modified: stat.modified,
        hash,
    }))
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
            let mode = self.port.stat(&target.path, true).map_err(fail)?.mode;
            self.port
                .replace(&target.path, bytes, Some(mode))
                .map_err(fail)?;
        } else {
            if let Some(parent) = target.path.parent() {
                self.port.create_dir(parent).map_err(fail)?;
            }
            self.port.create(&target.path, bytes, None).map_err(fail)?;
        }
        Ok(Change {
            path: target.path.clone(),
            former,
        })
    }

    /// Makes a folder and its parents.
    pub(crate) fn create_dir(&self, target: &Target) -> Result<(), Failure> {
        self.port
            .create_dir(&target.path)
            .map_err(|error| Failure::io(&format!("cannot create `{}`", target.shown), &error))
    }

    /// Renames; nothing is ever replaced.
    pub(crate) fn rename(&self, from: &Target, to: &Target) -> Result<(), Failure> {
        let doing = format!("cannot move `{}` to `{}`", from.shown, to.shown);
        if let Some(parent) = to.path.parent() {
            self.port
                .create_dir(parent)
                .map_err(|error| Failure::io(&doing, &error))?;
        }
        self.port
            .rename(&from.path, &to.path)
            .map_err(|error| Failure::io(&doing, &error))
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
