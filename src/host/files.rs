//! The machine's files: whole reads, and writes that happen in one step or not at all.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::random::HostRandom;
use super::sys;
use crate::world::{Files, Identity, Item, Kind, Random as _, Stat};

/// `O_NONBLOCK`: a FIFO that took a file's place is opened without waiting for a writer.
const OPEN_WITHOUT_WAITING: i32 = 0o4000;
/// Temporary names tried before giving up.
const NAMES_MAX: usize = 16;

/// The machine's file tree.
pub(super) struct HostFiles;

impl Files for HostFiles {
    fn stat(&self, path: &Path, is_following: bool) -> io::Result<Stat> {
        let data = if is_following { fs::metadata(path)? } else { fs::symlink_metadata(path)? };
        Ok(stat(&data))
    }

    fn read(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        let file = OpenOptions::new().read(true).custom_flags(OPEN_WITHOUT_WAITING).open(path)?;
        let data = file.metadata()?;
        if data.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !data.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let size = usize::try_from(data.len().min(bytes_max)).unwrap_or(0);
        let mut bytes = Vec::with_capacity(size + 1);
        file.take(bytes_max).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn list(&self, path: &Path, items_max: usize) -> io::Result<(Vec<Item>, bool)> {
        let mut items = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            if items.len() == items_max {
                return Ok((items, true));
            }
            // What vanished since, or cannot be looked at, is still listed.
            let data = entry.metadata().ok();
            items.push(Item {
                name: entry.file_name(),
                kind: data.as_ref().map_or(Kind::Other, |data| kind(data)),
                bytes: data.as_ref().map_or(0, Metadata::len),
            });
        }
        Ok((items, false))
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn replace(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        let path = fs::canonicalize(path).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Ok(path.to_owned()),
            _ => Err(error),
        })?;
        let staged = Staged::write(&path, bytes, mode)?;
        fs::rename(&staged.path, &path)?;
        staged.keep();
        Ok(())
    }

    fn create(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        let staged = Staged::write(path, bytes, mode)?;
        // A hard link fails if the name is taken, and a name is all that is still missing.
        fs::hard_link(&staged.path, path).or_else(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => Err(error),
            _ => sys::rename_exclusive(&staged.path, path),
        })
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        sys::rename_exclusive(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }
}

/// A temporary file beside the one it is to become; removed unless it was renamed.
struct Staged {
    path: PathBuf,
    is_kept: bool,
}

impl Staged {
    fn write(beside: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<Self> {
        let folder = beside.parent().ok_or(io::ErrorKind::InvalidInput)?;
        let (mut file, staged) = Self::open(folder)?;
        file.write_all(bytes)?;
        if let Some(mode) = mode {
            file.set_permissions(fs::Permissions::from_mode(mode))?;
        }
        file.sync_all()?;
        Ok(staged)
    }

    /// A new file under a name that nobody can foresee.
    fn open(folder: &Path) -> io::Result<(File, Self)> {
        let mut last = io::Error::from(io::ErrorKind::AlreadyExists);
        for _ in 0..NAMES_MAX {
            let mut word = [0; 8];
            HostRandom.fill(&mut word);
            let path = folder.join(format!(".ankita-{:016x}.tmp", u64::from_ne_bytes(word)));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Self { path, is_kept: false })),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }

    fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.is_kept {
            _ = fs::remove_file(&self.path); // After a rename there is nothing, which is fine.
        }
    }
}

fn stat(data: &Metadata) -> Stat {
    Stat {
        kind: kind(data),
        bytes: data.len(),
        mode: data.permissions().mode() & 0o7777,
        identity: Identity {
            device: data.dev(),
            inode: data.ino(),
        },
        modified: data.mtime(),
    }
}

fn kind(data: &Metadata) -> Kind {
    let kind = data.file_type();
    if kind.is_dir() {
        Kind::Directory
    } else if kind.is_file() {
        Kind::File
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}
