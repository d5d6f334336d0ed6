//! Calls on this machine, for what only it can show.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test on the real machine makes its folder and the programs' data by itself"
)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::tool::trial::{pass_with, request, supply_in};
use crate::tool::{Answer, Gate, Mode, Reply, Rules, Stance};
use crate::world::Cancel;

static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// A folder of this test's own, the workspace of its calls; gone when dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("ankita-trial-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    /// Puts a file.
    pub(crate) fn add(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Whether there is such an entry.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.join(name).symlink_metadata().is_ok()
    }

    /// Whether a folder above it is a Git repository.
    pub(crate) fn is_in_repository(&self) -> bool {
        self.0
            .ancestors()
            .any(|folder| folder.join(".git").exists())
    }

    /// Runs a program in it; `None` if it is missing. Anything but success is an error of the test.
    pub(crate) fn run(&self, program: &str, args: &[&str]) -> Option<String> {
        let output = std::process::Command::new(program)
            .args(args)
            .current_dir(&self.0)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .ok()?;
        assert!(
            output.status.success(),
            "{program} {args:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Takes a call all the way; says with whether a person was asked, who said yes.
    pub(crate) fn call(&self, name: &str, arguments: &str) -> (bool, Reply) {
        self.call_until(name, arguments, None)
    }

    /// The same, cancelled after a while.
    pub(crate) fn call_until(
        &self,
        name: &str,
        arguments: &str,
        time: Option<Duration>,
    ) -> (bool, Reply) {
        let world = crate::host::world();
        let supply = supply_in(&world, &self.0);
        let stance = Stance {
            mode: Mode::Ask,
            can_ask: true,
        };
        let mut gate = Gate::new(
            crate::catalog::TOOLS,
            Rules::default(),
            stance,
            Vec::new(),
            supply,
        );
        let cancel: Cancel = world.threads.cancel();
        let later = cancel.clone();
        let timer = time.map(|time| {
            std::thread::spawn(move || {
                std::thread::sleep(time);
                later.set();
            })
        });
        let mut is_asked = false;
        let reply = pass_with(&mut gate, &world, request(name, arguments), &cancel, |_| {
            is_asked = true;
            Answer::Yes
        });
        timer.map(std::thread::JoinHandle::join);
        (is_asked, reply)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether a process of this number lives.
pub(crate) fn lives(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}
