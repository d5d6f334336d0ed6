//! A tree of files in memory, with faults where a test wants them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use super::{Fake, fault};
use crate::world::{Files, Identity, Item, Kind, Stat};

/// Links followed on the way to one file.
const LINKS_MAX: usize = 40;

/// One of the things that can be done to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileOperation {
    Stat,
    Read,
    List,
    Resolve,
    /// Replacing or creating a file.
    Write,
    CreateDir,
    Rename,
    /// Removing a file, link or directory.
    Remove,
}

#[derive(Clone)]
enum Node {
    Directory,
    File(Vec<u8>),
    Link(PathBuf),
    Other,
}

#[derive(Clone)]
struct Entry {
    node: Node,
    mode: u32,
    inode: u64,
    modified: i64,
}

/// A fault that waits for its moment.
struct Fault {
    operation: FileOperation,
    /// Operations of the kind still to come, this one included.
    left: u64,
    kind: ErrorKind,
}

pub(super) struct State {
    entries: BTreeMap<PathBuf, Entry>,
    next_inode: u64,
    faults: Vec<Fault>,
    denied: Vec<PathBuf>,
    clock: i64,
}

impl State {
    /// A tree with nothing but `directory` and what leads there.
    pub(super) fn new(directory: &Path) -> Self {
        let mut state = Self {
            entries: BTreeMap::new(),
            next_inode: 1,
            faults: Vec::new(),
            denied: Vec::new(),
            clock: 0,
        };
        state.add_dirs(directory);
        state
    }

    fn put(&mut self, path: &Path, node: Node, mode: u32) {
        let inode = self.next_inode;
        self.next_inode += 1;
        let modified = self.clock;
        let entry = Entry {
            node,
            mode,
            inode,
            modified,
        };
        self.entries.insert(path.to_path_buf(), entry);
    }

    fn add_dirs(&mut self, path: &Path) {
        let all: Vec<&Path> = path.ancestors().collect();
        for path in all.into_iter().rev() {
            if !self.entries.contains_key(path) {
                self.put(path, Node::Directory, 0o755);
            }
        }
    }

    /// Fails if a fault is due or the path is denied.
    fn check(&mut self, operation: FileOperation, path: &Path) -> io::Result<()> {
        if !path.is_absolute() {
            return Err(fault(
                ErrorKind::InvalidInput,
                "a relative path came to a port",
            ));
        }
        if self.denied.iter().any(|denied| path.starts_with(denied)) {
            return Err(fault(ErrorKind::PermissionDenied, "Permission denied"));
        }
        for fault in self
            .faults
            .iter_mut()
            .filter(|fault| fault.operation == operation)
        {
            fault.left = fault.left.saturating_sub(1);
        }
        match self.faults.iter().position(|fault| fault.left == 0) {
            Some(at) => Err(fault(
                self.faults.remove(at).kind,
                "a fault that the test ordered",
            )),
            None => Ok(()),
        }
    }

    /// The path without links and dots; the last part stays a link unless `is_following`, and need not exist.
    fn walk(&self, path: &Path, is_following: bool) -> io::Result<PathBuf> {
        let mut todo: Vec<OsString> = parts(path);
        let mut at = PathBuf::from("/");
        let mut links = 0;
        while let Some(part) = todo.pop() {
            match self.entries.get(&at).map(|entry| &entry.node) {
                Some(Node::Directory) => {}
                Some(_) => return Err(fault(ErrorKind::NotADirectory, "Not a directory")),
                None => return Err(not_found()),
            }
            if part == ".." {
                at.pop();
                continue;
            }
            let next = at.join(&part);
            match self.entries.get(&next).map(|entry| &entry.node) {
                Some(Node::Link(target)) if is_following || !todo.is_empty() => {
                    links += 1;
                    if links > LINKS_MAX {
                        return Err(io::Error::other("Too many levels of symbolic links"));
                    }
                    if target.is_absolute() {
                        at = PathBuf::from("/");
                    }
                    todo.extend(parts(target));
                }
                _ => at = next,
            }
        }
        if self.denied.iter().any(|denied| at.starts_with(denied)) {
            return Err(fault(ErrorKind::PermissionDenied, "Permission denied"));
        }
        Ok(at)
    }

    fn entry(&self, path: &Path, is_following: bool) -> io::Result<(PathBuf, &Entry)> {
        let path = self.walk(path, is_following)?;
        let entry = self.entries.get(&path).ok_or_else(not_found)?;
        Ok((path, entry))
    }

    /// Checks that something can be put at `path`: its directory is there.
    fn check_parent(&self, path: &Path) -> io::Result<()> {
        let parent = path.parent().and_then(|parent| self.entries.get(parent));
        match parent.map(|entry| &entry.node) {
            Some(Node::Directory) => Ok(()),
            Some(_) => Err(fault(ErrorKind::NotADirectory, "Not a directory")),
            None => Err(not_found()),
        }
    }

    fn children(&self, path: &Path) -> impl Iterator<Item = (&PathBuf, &Entry)> {
        self.entries
            .iter()
            .filter(move |(known, _)| known.parent() == Some(path))
    }
}

/// The parts of a path, last first, as they are taken off a stack.
fn parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some(OsString::from("..")),
        _ => None,
    });
    let mut parts: Vec<OsString> = parts.collect();
    parts.reverse();
    parts
}

fn not_found() -> io::Error {
    fault(ErrorKind::NotFound, "No such file or directory")
}

fn exists() -> io::Error {
    fault(ErrorKind::AlreadyExists, "File exists")
}

impl Entry {
    fn kind(&self) -> Kind {
        match self.node {
            Node::Directory => Kind::Directory,
            Node::File(_) => Kind::File,
            Node::Link(_) => Kind::Link,
            Node::Other => Kind::Other,
        }
    }

    fn bytes(&self) -> u64 {
        match &self.node {
            Node::File(bytes) => bytes.len() as u64,
            _ => 0,
        }
    }
}

impl Fake {
    fn put(&self, path: &str, node: Node, mode: u32) -> &Self {
        let path = Path::new(path);
        assert!(path.is_absolute(), "not an absolute path: {path:?}");
        let mut state = self.look();
        if let Some(parent) = path.parent() {
            state.files.add_dirs(parent);
        }
        state.files.put(path, node, mode);
        drop(state);
        self
    }

    /// Puts a file, with the directories that lead there; replaces what is there by a new file.
    pub(crate) fn add_file(&self, path: &str, bytes: impl AsRef<[u8]>) -> &Self {
        self.put(path, Node::File(bytes.as_ref().to_vec()), 0o644)
    }

    /// The same with permission bits.
    pub(crate) fn add_file_mode(&self, path: &str, bytes: impl AsRef<[u8]>, mode: u32) -> &Self {
        self.put(path, Node::File(bytes.as_ref().to_vec()), mode)
    }

    /// Puts a directory and those that lead there.
    pub(crate) fn add_dir(&self, path: &str) -> &Self {
        self.look().files.add_dirs(Path::new(path));
        self
    }

    /// Puts a symbolic link; `target` may be relative and need not exist.
    pub(crate) fn add_link(&self, path: &str, target: &str) -> &Self {
        self.put(path, Node::Link(PathBuf::from(target)), 0o777)
    }

    /// Puts a device or FIFO.
    pub(crate) fn add_device(&self, path: &str) -> &Self {
        self.put(path, Node::Other, 0o666)
    }

    /// The bytes of a file, without following a link; `None` if there is no file.
    pub(crate) fn file(&self, path: &str) -> Option<Vec<u8>> {
        match self
            .look()
            .files
            .entries
            .get(Path::new(path))
            .map(|entry| &entry.node)
        {
            Some(Node::File(bytes)) => Some(bytes.clone()),
            _ => None,
        }
    }

    /// The permission bits of what is there.
    pub(crate) fn mode(&self, path: &str) -> Option<u32> {
        self.look()
            .files
            .entries
            .get(Path::new(path))
            .map(|entry| entry.mode)
    }

    /// Every path that is no directory, sorted.
    pub(crate) fn files(&self) -> Vec<String> {
        let state = self.look();
        let files = state
            .files
            .entries
            .iter()
            .filter(|(_, entry)| entry.kind() != Kind::Directory);
        files.map(|(path, _)| path.display().to_string()).collect()
    }

    /// Has the n-th operation of a kind fail, counted from 1 and from now.
    pub(crate) fn fail_file(&self, operation: FileOperation, n: u64, kind: ErrorKind) -> &Self {
        let fault = Fault {
            operation,
            left: n,
            kind,
        };
        self.look().files.faults.push(fault);
        self
    }

    /// Denies everything at and below a path.
    pub(crate) fn deny(&self, path: &str) -> &Self {
        self.look().files.denied.push(PathBuf::from(path));
        self
    }

    /// Locks the files for one operation, after the faults.
    fn with_files<T>(
        &self,
        operation: FileOperation,
        path: &Path,
        act: impl FnOnce(&mut State) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut state = self.enter();
        let passed = i64::try_from(state.now.0.as_secs()).unwrap_or(i64::MAX);
        state.files.clock = state.wall.unix_seconds + passed;
        state.files.check(operation, path)?;
        act(&mut state.files)
    }
}

impl Files for Fake {
    fn stat(&self, path: &Path, is_following: bool) -> io::Result<Stat> {
        self.with_files(FileOperation::Stat, path, |files| {
            let (_, entry) = files.entry(path, is_following)?;
            Ok(Stat {
                kind: entry.kind(),
                bytes: entry.bytes(),
                mode: entry.mode,
                identity: Identity {
                    device: 1,
                    inode: entry.inode,
                },
                modified: entry.modified,
            })
        })
    }

    fn read(&self, path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
        self.with_files(FileOperation::Read, path, |files| {
            let (_, entry) = files.entry(path, true)?;
            match &entry.node {
                Node::File(bytes) => {
                    let count = usize::try_from(bytes_max)
                        .unwrap_or(usize::MAX)
                        .min(bytes.len());
                    Ok(bytes.get(..count).unwrap_or_default().to_vec())
                }
                Node::Directory => Err(fault(ErrorKind::IsADirectory, "Is a directory")),
                _ => Err(fault(ErrorKind::InvalidInput, "not a regular file")),
            }
        })
    }

    fn list(&self, path: &Path, items_max: usize) -> io::Result<(Vec<Item>, bool)> {
        self.with_files(FileOperation::List, path, |files| {
            let (path, entry) = files.entry(path, true)?;
            if entry.kind() != Kind::Directory {
                return Err(fault(ErrorKind::NotADirectory, "Not a directory"));
            }
            let mut items: Vec<Item> = files
                .children(&path)
                .map(|(path, entry)| Item {
                    name: path.file_name().unwrap_or_default().to_owned(),
                    kind: entry.kind(),
                    bytes: entry.bytes(),
                })
                .collect();
            // In no order that anybody may rely on.
            items.reverse();
            let is_more = items.len() > items_max;
            items.truncate(items_max);
            Ok((items, is_more))
        })
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.with_files(FileOperation::Resolve, path, |files| {
            files.entry(path, true).map(|(path, _)| path)
        })
    }

    fn replace(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        self.with_files(FileOperation::Write, path, |files| {
            let path = files.walk(path, true)?;
            files.check_parent(&path)?;
            match files.entries.get(&path).map(|entry| &entry.node) {
                Some(Node::Directory) => {
                    return Err(fault(ErrorKind::IsADirectory, "Is a directory"));
                }
                Some(Node::Other) => {
                    return Err(fault(ErrorKind::InvalidInput, "not a regular file"));
                }
                _ => {}
            }
            files.put(&path, Node::File(bytes.to_vec()), mode.unwrap_or(0o644));
            Ok(())
        })
    }

    fn create(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        self.with_files(FileOperation::Write, path, |files| {
            let path = files.walk(path, false)?;
            files.check_parent(&path)?;
            if files.entries.contains_key(&path) {
                return Err(exists());
            }
            files.put(&path, Node::File(bytes.to_vec()), mode.unwrap_or(0o644));
            Ok(())
        })
    }

    fn create_dir(&self, path: &Path) -> io::Result<()> {
        self.with_files(FileOperation::CreateDir, path, |files| {
            // Each part is made where it is missing, so that links on the way are followed.
            let mut at = PathBuf::from("/");
            let mut todo = parts(path);
            while let Some(part) = todo.pop() {
                at = files.walk(&at.join(part), true)?;
                match files.entries.get(&at).map(|entry| &entry.node) {
                    Some(Node::Directory) => {}
                    Some(_) => return Err(exists()),
                    None => files.put(&at.clone(), Node::Directory, 0o755),
                }
            }
            Ok(())
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.with_files(FileOperation::Rename, from, |files| {
            let (from, _) = files.entry(from, false)?;
            let to = files.walk(to, false)?;
            files.check_parent(&to)?;
            if files.entries.contains_key(&to) {
                return Err(exists());
            }
            if to.starts_with(&from) {
                return Err(fault(ErrorKind::InvalidInput, "Invalid argument"));
            }
            let moved: Vec<PathBuf> = files
                .entries
                .keys()
                .filter(|path| path.starts_with(&from))
                .cloned()
                .collect();
            for path in moved {
                let rest = path.strip_prefix(&from).unwrap_or(Path::new(""));
                let new = if rest.as_os_str().is_empty() {
                    to.clone()
                } else {
                    to.join(rest)
                };
                if let Some(entry) = files.entries.remove(&path) {
                    files.entries.insert(new, entry);
                }
            }
            Ok(())
        })
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.with_files(FileOperation::Remove, path, |files| {
            let (path, entry) = files.entry(path, false)?;
            if entry.kind() == Kind::Directory {
                return Err(fault(ErrorKind::IsADirectory, "Is a directory"));
            }
            files.entries.remove(&path);
            Ok(())
        })
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        self.with_files(FileOperation::Remove, path, |files| {
            let (path, entry) = files.entry(path, false)?;
            if entry.kind() != Kind::Directory {
                return Err(fault(ErrorKind::NotADirectory, "Not a directory"));
            }
            if files.children(&path).next().is_some() {
                return Err(fault(ErrorKind::DirectoryNotEmpty, "Directory not empty"));
            }
            files.entries.remove(&path);
            Ok(())
        })
    }
}
