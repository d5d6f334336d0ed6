//! The file tree.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// What a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Directory,
    File,
    Link,
    /// A socket, device or FIFO.
    Other,
}

/// Which file it is, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    pub(crate) device: u64,
    pub(crate) inode: u64,
}

/// What is known of a file without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) kind: Kind,
    pub(crate) bytes: u64,
    /// Permission bits, 0o7777.
    pub(crate) mode: u32,
    pub(crate) identity: Identity,
    /// Modification time, seconds since 1970.
    pub(crate) modified: i64,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) name: OsString,
    /// Of the entry itself; a link is a link.
    pub(crate) kind: Kind,
    pub(crate) bytes: u64,
}

/// A tree of files. All paths are absolute.
pub(crate) trait Files: Send + Sync {
    /// Follows links if `is_following`.
    fn stat(&self, path: &Path, is_following: bool) -> io::Result<Stat>;
    /// The first `bytes_max` bytes of a regular file; a directory, device or FIFO is an error, never a wait.
    fn read(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>>;
    /// The entries in no particular order, at most `items_max`; the flag says whether there are more.
    fn list(&self, path: &Path, items_max: usize) -> io::Result<(Vec<Item>, bool)>;
    /// The path without links or dots. What does not exist is an error.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;
    /// Replaces or creates a file in one step (a temporary file beside it, synced, renamed over it), with
    /// `mode` if given, else the mode a new file gets. Never writes through a link: `path` is resolved.
    fn replace(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()>;
    /// The same for a path that must not exist: `AlreadyExists` otherwise, also when it appears meanwhile.
    fn create(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()>;
    /// Makes a directory and its parents; fine if it is there.
    fn create_dir(&self, path: &Path) -> io::Result<()>;
    /// Renames without replacing: `AlreadyExists` if `to` exists.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Removes a file or link.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty directory.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;
}
