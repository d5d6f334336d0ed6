//! The file tree: reading that cannot hang, and writing in one step.

use std::fs::{self, File, FileType, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use super::{random, sys};
use crate::world::{Files, Identity, Item, Kind, Stat};

/// How many links are followed from one path; the kernel's own limit.
const LINKS_MAX: usize = 40;

/// How many names are tried for a temporary file.
const NAMES_MAX: usize = 8;

/// How much is set aside at once for a file's bytes; a file can say that it is any size.
const RESERVE_BYTES_MAX: u64 = 64 << 20;

/// The tree below `/`.
pub(super) struct Tree;

impl Files for Tree {
    fn stat(&self, path: &Path, is_following: bool) -> io::Result<Stat> {
        let known = if is_following {
            fs::metadata(path)
        } else {
            fs::symlink_metadata(path)
        };
        known.map(|known| stat(&known))
    }

    fn read(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        // Looked at before it is opened: opening alone can start a tape or wake a FIFO's writer.
        require_file(&fs::metadata(path)?)?;
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(sys::O_NONBLOCK | sys::O_NOCTTY)
            .open(path)?;
        // And after: it may be another one by now.
        let known = file.metadata()?;
        require_file(&known)?;
        let expected = known.len().min(bytes_max).min(RESERVE_BYTES_MAX);
        let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or(0));
        file.take(bytes_max).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn list(&self, path: &Path, items_max: usize) -> io::Result<(Vec<Item>, bool)> {
        let mut items = Vec::new();
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            if items.len() >= items_max {
                return Ok((items, true));
            }
            let kind = match entry.file_type() {
                Ok(of) => kind(of),
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            let bytes = match entry.metadata() {
                Ok(known) => known.len(),
                // Removed since the directory was read.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                // A directory may show its names and nothing else.
                Err(_) => 0,
            };
            items.push(Item {
                name: entry.file_name(),
                kind,
                bytes,
            });
        }
        Ok((items, false))
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn replace(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        let path = follow(path)?;
        let former = match fs::symlink_metadata(&path) {
            Ok(known) => {
                require_file(&known)?;
                Some(known)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let temporary = Temporary::write(&path, bytes, mode, former.as_ref())?;
        fs::rename(&temporary.path, &path)?;
        temporary.keep();
        Ok(())
    }

    fn create(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        // Told early, before bytes are written for nothing; the rename decides.
        match fs::symlink_metadata(path) {
            Ok(_) => return Err(ErrorKind::AlreadyExists.into()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let temporary = Temporary::write(path, bytes, mode, None)?;
        rename_new(&temporary.path, path)?;
        temporary.keep();
        Ok(())
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        fs::create_dir_all(path)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        rename_new(from, to)
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        fs::remove_dir(path)
    }
}

fn stat(known: &Metadata) -> Stat {
    Stat {
        kind: kind(known.file_type()),
        bytes: known.len(),
        mode: known.mode() & 0o7777,
        identity: Identity {
            device: known.dev(),
            inode: known.ino(),
        },
        modified: known.mtime(),
    }
}

fn kind(of: FileType) -> Kind {
    if of.is_dir() {
        Kind::Directory
    } else if of.is_file() {
        Kind::File
    } else if of.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

/// An error that names what it is instead, unless it is a regular file.
fn require_file(known: &Metadata) -> io::Result<()> {
    let of = known.file_type();
    if of.is_file() {
        return Ok(());
    }
    if of.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    let what = if of.is_fifo() {
        "a FIFO"
    } else if of.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    let text = format!("it is {what}, not a regular file");
    Err(io::Error::new(ErrorKind::InvalidInput, text))
}

/// Where the links at the end of `path` lead, whether or not something is there.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..=LINKS_MAX {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("/")).join(target),
            // `InvalidInput` is EINVAL: no link.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound) => {
                return Ok(path);
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from_raw_os_error(sys::ELOOP))
}

/// Renames without replacing, also where the kernel or the file system cannot do it in one call.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match sys::rename_new(from, to) {
        Err(error) if matches!(error.raw_os_error(), Some(sys::EINVAL | sys::ENOSYS)) => {
            rename_by_link(from, to)
        }
        result => result,
    }
}

/// The same in two steps, each of which refuses what exists.
fn rename_by_link(from: &Path, to: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(from)?.is_dir() {
        fs::hard_link(from, to)?;
        let removed = fs::remove_file(from);
        if removed.is_err() {
            let _ = fs::remove_file(to);
        }
        return removed;
    }
    // A directory has no second name, but it may take the place of an empty one.
    fs::create_dir(to)?;
    let renamed = fs::rename(from, to);
    if renamed.is_err() {
        let _ = fs::remove_dir(to);
    }
    renamed
}

/// A file beside the one that it will become; removed unless it is kept.
struct Temporary {
    path: PathBuf,
    is_kept: bool,
}

impl Temporary {
    /// Writes and syncs a file in the directory of `beside`, with `mode` or the mode a new file gets,
    /// and the owner of `former` as far as the system allows.
    fn write(
        beside: &Path,
        bytes: &[u8],
        mode: Option<u32>,
        former: Option<&Metadata>,
    ) -> io::Result<Self> {
        let name = || format!(".ankita-{}.tmp", random::hex(16));
        let (temporary, mut file) = Self::open(beside, mode, name)?;
        file.write_all(bytes)?;
        let is_owned = former.is_none_or(|former| hand_over(&file, former).is_ok());
        if let Some(mode) = mode {
            // A program that runs as its owner must not become one that runs as another.
            let mode = if is_owned { mode } else { mode & 0o1777 };
            // After the owner: changing that takes the set-id bits away.
            file.set_permissions(Permissions::from_mode(mode & 0o7777))?;
        }
        file.sync_all()?;
        Ok(temporary)
    }

    /// Makes the file under a `name`, which nobody can guess; what is there already, a planted
    /// link too, is never opened.
    fn open(
        beside: &Path,
        mode: Option<u32>,
        mut name: impl FnMut() -> String,
    ) -> io::Result<(Self, File)> {
        if beside.file_name().is_none() {
            let text = "the path does not end in a file's name";
            return Err(io::Error::new(ErrorKind::InvalidInput, text));
        }
        // With a mode to come nobody else reads it until then.
        let first_mode = if mode.is_some() { 0o600 } else { 0o666 };
        for _ in 0..NAMES_MAX {
            let path = beside.with_file_name(name());
            let opened = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(first_mode)
                .open(&path);
            match opened {
                Ok(file) => {
                    let is_kept = false;
                    return Ok((Self { path, is_kept }, file));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Gives `file` the owner and group of `former` if they are not the same already.
fn hand_over(file: &File, former: &Metadata) -> io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) == (former.uid(), former.gid()) {
        return Ok(());
    }
    if fchown(file, Some(former.uid()), Some(former.gid())).is_ok() {
        return Ok(());
    }
    // The group alone may be given to a group that we are in.
    fchown(file, None, Some(former.gid()))?;
    Err(ErrorKind::PermissionDenied.into())
}

#[cfg(test)]
mod tests;
