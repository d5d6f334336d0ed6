//! Children: started in a session of their own, and stopped with all that they started.

use std::collections::{HashMap, HashSet};
use std::ffi::c_int;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::net::uninterrupted;
use super::proc::Stat;
use super::processes::{self, describe, read_boot_seconds, stats};
use super::sys::{self, PollFd};
use crate::world::{Child, Exit, Process, Running, Source, Spawn, Stop, Stream};

/// How many descendants of one child are remembered.
const KIN_MAX: usize = 4096;

/// How often the processes are looked through again for ones that were started while others died.
const STOP_ROUNDS_MAX: usize = 8;

/// How long a killed child is waited for when it is dropped: one that hangs in the kernel stays.
const REAP_WAIT_MS_MAX: c_int = 2_000;

/// Starts a child; see [`crate::world::Processes::start`].
pub(super) fn start(spawn: &Spawn) -> io::Result<Running> {
    let mut command = command(spawn)?;
    // One pipe for both keeps the order in which the child wrote.
    let merged = if spawn.is_merged {
        let (reader, writer) = io::pipe()?;
        command.stdout(writer.try_clone()?).stderr(writer);
        Some(reader)
    } else {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        None
    };
    let mut started = command.spawn().map_err(|error| explain(spawn, error))?;
    // It holds our copies of the writing ends: with them open there would be no end of output.
    drop(command);
    let input = started.stdin.take().map(OwnedFd::from);
    let output = match merged {
        Some(reader) => Some(reader.into()),
        None => started.stdout.take().map(OwnedFd::from),
    };
    let errors = started.stderr.take().map(OwnedFd::from);
    // From here on a failure kills it.
    let child = Box::new(Family::new(started));
    let Some(output) = output else {
        return Err(io::Error::other("the child has no output"));
    };
    Ok(Running {
        child,
        input: input.map(Pipe::boxed).transpose()?,
        output: Pipe::boxed(output)?,
        errors: errors.map(Pipe::boxed).transpose()?,
    })
}

fn command(spawn: &Spawn) -> io::Result<Command> {
    let mut command = Command::new(&spawn.program);
    command.args(&spawn.args);
    if !spawn.directory.as_os_str().is_empty() {
        // Otherwise it could not be told from a program that does not exist.
        if !fs::metadata(&spawn.directory).is_ok_and(|known| known.is_dir()) {
            let text = format!("`{}` is not a directory", spawn.directory.display());
            return Err(io::Error::new(ErrorKind::NotADirectory, text));
        }
        command.current_dir(&spawn.directory);
    }
    for (name, value) in &spawn.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.stdin(if spawn.has_input {
        Stdio::piped()
    } else {
        Stdio::null()
    });
    sys::start_session(&mut command);
    Ok(command)
}

/// A directory of `PATH` that may not be looked into makes a missing program look like one that may
/// not be run (execvp); what no directory has is missing.
fn explain(spawn: &Spawn, error: io::Error) -> io::Error {
    let is_path = spawn.program.as_encoded_bytes().contains(&b'/');
    if error.kind() != ErrorKind::PermissionDenied || is_path {
        return error;
    }
    let set = spawn.env.iter().rfind(|(name, _)| name == "PATH");
    let path = match set {
        Some((_, value)) => value.clone(),
        None => std::env::var_os("PATH"),
    };
    let is_anywhere = std::env::split_paths(&path.unwrap_or_default())
        .any(|directory| fs::symlink_metadata(directory.join(&spawn.program)).is_ok());
    if is_anywhere {
        return error;
    }
    ErrorKind::NotFound.into()
}

/// One end of a pipe to a child; the open file is ours alone, so that it may be told not to block.
struct Pipe(File);

impl Pipe {
    fn boxed(end: OwnedFd) -> io::Result<Box<dyn Stream>> {
        sys::set_nonblocking(&end)?;
        Ok(Box::new(Self(File::from(end))))
    }
}

impl Stream for Pipe {
    fn source(&self) -> Source {
        Source(self.0.as_raw_fd())
    }

    fn connected(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        uninterrupted(|| self.0.read(buffer))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        uninterrupted(|| self.0.write(bytes))
    }
}

/// A child and what it started.
struct Family {
    child: std::process::Child,
    /// Its number, and that of its session and group for as long as one of their members lives.
    pid: u32,
    ended: Option<OwnedFd>,
    exit: Option<Exit>,
    /// Descendants that were seen once, by number and start: they may lose their parents.
    kin: HashMap<u32, u64>,
}

impl Family {
    fn new(child: std::process::Child) -> Self {
        let pid = child.id();
        Self {
            child,
            pid,
            // The child is not reaped yet, so the number is still its own.
            ended: sys::open_process(pid).ok(),
            exit: None,
            kin: HashMap::new(),
        }
    }

    /// Whether the number of the group may mean a stranger's by now: ours was reaped, and either
    /// nobody is left in the group or a new process has the number, which the system gives to
    /// nobody while the group has members.
    fn is_group_gone(&self) -> bool {
        if self.exit.is_none() {
            return false;
        }
        let asked = sys::signal_group(self.pid, 0);
        let is_empty = asked.is_err_and(|error| error.raw_os_error() == Some(sys::ESRCH));
        is_empty || processes::stat(self.pid).is_ok_and(|stat| stat.is_some())
    }

    /// The living members: of the session and group, remembered ones, and their descendants.
    fn members(&mut self, is_group_gone: bool) -> Vec<Stat> {
        let stats = stats().unwrap_or_default();
        let own = std::process::id();
        let is_seed = |stat: &Stat| {
            let is_in_group = stat.group == self.pid || stat.session == self.pid;
            (is_in_group && !is_group_gone)
                || (stat.pid == self.pid && self.exit.is_none())
                || self.kin.get(&stat.pid) == Some(&stat.started_ticks)
        };
        let mut children: HashMap<u32, Vec<&Stat>> = HashMap::new();
        let mut found = Vec::new();
        for stat in &stats {
            children.entry(stat.parent).or_default().push(stat);
            if is_seed(stat) {
                found.push(stat);
            }
        }
        let mut seen = HashSet::new();
        let mut members = Vec::new();
        while let Some(stat) = found.pop() {
            if stat.pid != own && seen.insert(stat.pid) {
                found.extend(children.remove(&stat.pid).unwrap_or_default());
                members.push(stat.clone());
            }
        }
        for member in &members {
            if self.kin.len() < KIN_MAX {
                self.kin.insert(member.pid, member.started_ticks);
            }
        }
        members.retain(Stat::is_alive);
        members
    }

    fn signal_group(&self, signal: c_int) {
        // Nobody left is as good.
        let _ = sys::signal_group(self.pid, signal);
    }

    /// Waits for the killed child, at most [`REAP_WAIT_MS_MAX`].
    fn reap(&mut self) {
        if let Some(ended) = &self.ended {
            let fd = ended.as_raw_fd();
            let mut fds = [PollFd {
                fd,
                events: sys::POLLIN,
                revents: 0,
            }];
            // Again after a signal: it says nothing of the child.
            while sys::poll_fds(&mut fds, REAP_WAIT_MS_MAX)
                .is_err_and(|error| error.kind() == ErrorKind::Interrupted)
            {}
        }
        for _ in 0..REAP_WAIT_MS_MAX / 10 {
            match self.child.try_wait() {
                Ok(None) if self.ended.is_none() => thread::sleep(Duration::from_millis(10)),
                _ => return,
            }
        }
    }
}

impl Child for Family {
    fn pid(&self) -> u32 {
        self.pid
    }

    fn exit_source(&self) -> Option<Source> {
        self.ended.as_ref().map(|ended| Source(ended.as_raw_fd()))
    }

    fn try_exit(&mut self) -> io::Result<Option<Exit>> {
        if self.exit.is_none()
            && let Some(status) = self.child.try_wait()?
        {
            let by_signal = status.signal().map(Exit::Signal);
            self.exit = by_signal.or(status.code().map(Exit::Code));
        }
        Ok(self.exit)
    }

    fn stop(&mut self, how: Stop) {
        let signal = processes::number(how);
        let mut told = HashSet::new();
        for _ in 0..STOP_ROUNDS_MAX {
            let is_group_gone = self.is_group_gone();
            // Seen before anyone dies: then their parents are still known.
            let members = self.members(is_group_gone);
            let is_known = |member: &Stat| !told.contains(&(member.pid, member.started_ticks));
            let fresh: Vec<&Stat> = members.iter().filter(|member| is_known(member)).collect();
            if fresh.is_empty() {
                break;
            }
            if !is_group_gone {
                self.signal_group(signal);
            }
            for member in fresh {
                told.insert((member.pid, member.started_ticks));
                if is_group_gone || member.group != self.pid {
                    let _ = processes::signal(member.pid, member.started_ticks, signal);
                }
            }
            if how == Stop::Ask {
                // One that was stopped would never hear it.
                if !is_group_gone {
                    self.signal_group(sys::SIGCONT);
                }
                break;
            }
        }
    }

    fn remaining(&self) -> Vec<Process> {
        // One call instead of looking through all processes, where it is enough: it nearly always is.
        if self.is_group_gone() {
            return Vec::new();
        }
        let boot_seconds = read_boot_seconds();
        stats()
            .unwrap_or_default()
            .into_iter()
            .filter(|stat| stat.group == self.pid && stat.is_alive())
            .filter_map(|stat| describe(stat, boot_seconds))
            .collect()
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        // Whoever saw it end has decided about the rest of its group.
        if self.exit.is_none() {
            self.stop(Stop::Kill);
            // Where /proc shows nothing there was nobody to tell.
            self.signal_group(sys::SIGKILL);
            self.reap();
        }
    }
}

#[cfg(test)]
mod tests;
