//! Places: where a path leads once links are resolved, and whether that is inside the workspace.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::tool::Failure;
use crate::world::{Files, Kind};

/// The folders that calls may read without asking: the workspace and those added to it, resolved.
#[derive(Clone, Debug)]
pub(crate) struct Roots {
    pub(crate) workspace: PathBuf,
    pub(crate) added: Vec<PathBuf>,
    /// What `~/` stands for.
    pub(crate) home: Option<PathBuf>,
}

/// What kind of place a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Inside,
    Outside,
    /// Looks like a key or password file, wherever it lies.
    Secret,
}

/// A path that a call is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Resolved: no links, no dots. It need not exist.
    pub(crate) path: PathBuf,
    /// From the workspace if it is inside, else absolute.
    pub(crate) shown: String,
    pub(crate) place: Place,
}

/// Names of files that hold secrets, as a whole.
const SECRET_NAMES: &[&str] = &[
    ".env",
    ".envrc",
    ".git-credentials",
    ".htpasswd",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
];
/// Endings of files that hold secrets.
const SECRET_ENDINGS: &[&str] = &[".jks", ".kdbx", ".key", ".keystore", ".p12", ".pem", ".pfx"];
/// Folders whose every file is one.
const SECRET_FOLDERS: &[&str] = &[".aws", ".gnupg", ".ssh"];
/// Endings of an `.env.…` that is meant to be read.
const SAMPLE_ENDINGS: &[&str] = &[".dist", ".example", ".sample", ".template"];

impl Roots {
    /// What kind of place the resolved `path` is.
    pub(crate) fn place(&self, path: &Path) -> Place {
        if looks_secret(path) {
            Place::Secret
        } else if path.starts_with(&self.workspace)
            || self.added.iter().any(|root| path.starts_with(root))
        {
            Place::Inside
        } else {
            Place::Outside
        }
    }

    /// `path` as people read it.
    pub(crate) fn shown(&self, path: &Path) -> String {
        match path.strip_prefix(&self.workspace) {
            Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
            Ok(rest) => rest.display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }

    /// Where `given` leads, through links. Its last parts need not exist.
    pub(crate) fn target(&self, files: &dyn Files, given: &str) -> Result<Target, Failure> {
        let path = self.absolute(given)?;
        let resolved = follow(files, &path, given)?;
        Ok(self.named(resolved))
    }

    /// The same, but a link in the last place is meant itself.
    pub(crate) fn target_itself(&self, files: &dyn Files, given: &str) -> Result<Target, Failure> {
        let path = self.absolute(given)?;
        let (Some(parent), Some(Component::Normal(name))) =
            (path.parent(), path.components().next_back())
        else {
            return self.target(files, given);
        };
        let resolved = follow(files, parent, given)?.join(name);
        Ok(self.named(resolved))
    }

    /// The entry `name` of the folder `parent`, itself.
    pub(crate) fn below(&self, parent: &Target, name: &std::ffi::OsStr) -> Target {
        self.named(parent.path.join(name))
    }

    /// Fails if a link now stands on the way to what was resolved when it was planned, or in its place and
    /// `is_itself` is false: then the call would touch something else than was agreed to.
    pub(crate) fn confirm(
        files: &dyn Files,
        target: &Target,
        is_itself: bool,
    ) -> Result<(), Failure> {
        let (Some(parent), Some(name)) = (target.path.parent(), target.path.file_name()) else {
            return Ok(()); // The root leads nowhere else.
        };
        let is_moved = follow(files, parent, &target.shown)?.join(name) != target.path;
        let is_link = || {
            files
                .stat(&target.path, false)
                .is_ok_and(|stat| stat.kind == Kind::Link)
        };
        if is_moved || (!is_itself && is_link()) {
            return Err(Failure::new(format!(
                "not run: `{}` leads elsewhere than when it was planned",
                target.shown
            )));
        }
        Ok(())
    }

    fn named(&self, path: PathBuf) -> Target {
        Target {
            shown: self.shown(&path),
            place: self.place(&path),
            path,
        }
    }

    fn absolute(&self, given: &str) -> Result<PathBuf, Failure> {
        if given.is_empty() {
            return Err(Failure::new("the path is empty; `.` is the workspace"));
        }
        if let Some(control) = given.chars().find(|c| c.is_control()) {
            let shown = control.escape_debug();
            return Err(Failure::new(format!(
                "the path holds the control character `{shown}`"
            )));
        }
        Ok(match (given.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => self.workspace.join(given),
        })
    }
}

/// Resolves links as far as the path exists; what does not exist yet must not climb.
fn follow(files: &dyn Files, path: &Path, given: &str) -> Result<PathBuf, Failure> {
    let mut missing: Vec<&std::ffi::OsStr> = Vec::new();
    let mut head = path;
    loop {
        match files.resolve(head) {
            Ok(mut resolved) => {
                resolved.extend(missing.iter().rev());
                return Ok(resolved);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => (),
            Err(error) => return Err(Failure::io(&format!("cannot follow `{given}`"), &error)),
        }
        if files
            .stat(head, false)
            .is_ok_and(|stat| stat.kind == Kind::Link)
        {
            return Err(Failure::new(format!(
                "`{given}` goes through a link that leads nowhere"
            )));
        }
        match (head.components().next_back(), head.parent()) {
            (Some(Component::Normal(name)), Some(parent)) => {
                missing.push(name);
                head = parent;
            }
            _ => {
                return Err(Failure::new(format!(
                    "`{given}` climbs out of a folder that does not exist"
                )));
            }
        }
    }
}

/// Whether the name or a folder of `path` says that it holds keys or passwords.
fn looks_secret(path: &Path) -> bool {
    let Some(name) = path.file_name() else {
        return false;
    };
    let name = name.to_string_lossy().to_ascii_lowercase();
    let is_sample = SAMPLE_ENDINGS.iter().any(|ending| name.ends_with(ending));
    SECRET_NAMES.contains(&name.as_str())
        || (name.starts_with(".env.") && !is_sample)
        || SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || path.components().any(|part| {
            SECRET_FOLDERS
                .iter()
                .any(|folder| part.as_os_str().eq_ignore_ascii_case(folder))
        })
}
