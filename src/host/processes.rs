//! Children in groups of their own, and the machine's processes as `/proc` shows them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child as StdChild, Command, Stdio};

use super::proc::{self, StatLine};
use super::stream::PipeStream;
use super::sys;
use crate::world::{Child, Exit, Listening, Process, Processes, Protocol, Running, Source, Spawn, Stop, Stream};

/// The machine's processes.
pub(super) struct HostProcesses;

impl Processes for HostProcesses {
    fn start(&self, spawn: &Spawn) -> io::Result<Running> {
        let mut command = Command::new(&spawn.program);
        command.args(&spawn.args).current_dir(&spawn.directory).process_group(0);
        for (name, value) in &spawn.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(if spawn.has_input { Stdio::piped() } else { Stdio::null() });
        let merged = if spawn.is_merged {
            let (reader, writer) = io::pipe()?;
            command.stdout(writer.try_clone()?).stderr(writer);
            Some(OwnedFd::from(reader))
        } else {
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            None
        };
        let mut child = command.spawn()?;
        drop(command); // Closes our copy of the pipe's writing end, so that its end can be seen.
        let stream = |fd: Option<OwnedFd>| -> io::Result<Option<Box<dyn Stream>>> {
            fd.map(|fd| PipeStream::new(fd).map(|stream| Box::new(stream) as Box<dyn Stream>)).transpose()
        };
        let input = stream(child.stdin.take().map(OwnedFd::from))?;
        let output = stream(merged.or_else(|| child.stdout.take().map(OwnedFd::from)))?;
        let errors = stream(child.stderr.take().map(OwnedFd::from))?;
        let output = output.ok_or_else(|| io::Error::other("the child has no output"))?;
        let pidfd = sys::pidfd_open(child.id()).ok();
        let child = HostChild {
            child,
            pidfd,
            exit: None,
            strays: BTreeMap::new(),
        };
        Ok(Running {
            child: Box::new(child),
            input,
            output,
            errors,
        })
    }

    fn own(&self) -> u32 {
        std::process::id()
    }

    fn all(&self) -> io::Result<Vec<Process>> {
        let boot = boot_time();
        Ok(pids()?.into_iter().filter_map(|pid| process(pid, boot)).collect())
    }

    fn find(&self, pid: u32) -> io::Result<Option<Process>> {
        Ok(process(pid, boot_time()))
    }

    fn listening(&self) -> io::Result<Vec<Listening>> {
        let mut rows = Vec::new();
        let mut fault = None;
        for (name, protocol) in
            [("tcp", Protocol::Tcp), ("tcp6", Protocol::Tcp), ("udp", Protocol::Udp), ("udp6", Protocol::Udp)]
        {
            match fs::read_to_string(format!("/proc/net/{name}")) {
                Ok(table) => rows.extend(proc::sockets(&table, protocol).into_iter().map(|row| (protocol, row))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => (), // A machine without IPv6.
                Err(error) => fault = Some(error),
            }
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
        let owners = socket_owners(&rows.iter().map(|(_, row)| row.inode).collect());
        Ok(rows
            .into_iter()
            .map(|(protocol, row)| Listening {
                protocol,
                address: row.address,
                port: row.port,
                pids: owners.get(&row.inode).cloned().unwrap_or_default(),
                user: row.user,
            })
            .collect())
    }

    fn stop(&self, pid: u32, started_ticks: u64, how: Stop) -> io::Result<()> {
        let is_same = || stat(pid).is_some_and(|line| line.started_ticks == started_ticks && line.state != 'Z');
        let gone = || Err(io::ErrorKind::NotFound.into());
        match sys::pidfd_open(pid) {
            // The descriptor holds one process: what is checked after it was opened is what will be signalled.
            Ok(pidfd) if is_same() => sys::pidfd_signal(pidfd.as_fd(), number(how)),
            Ok(_) => gone(),
            Err(_) if !is_same() => gone(),
            Err(_) => sys::kill_process(pid, number(how)),
        }
    }
}

fn number(how: Stop) -> i32 {
    match how {
        Stop::Ask => sys::SIGTERM,
        Stop::Kill => sys::SIGKILL,
    }
}

struct HostChild {
    child: StdChild,
    pidfd: Option<OwnedFd>,
    exit: Option<Exit>,
    /// Descendants that left the group, with when each started.
    strays: BTreeMap<u32, u64>,
}

impl Child for HostChild {
    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn exit_source(&self) -> Option<Source> {
        self.pidfd.as_ref().map(|fd| Source(fd.as_raw_fd()))
    }

    fn try_exit(&mut self) -> io::Result<Option<Exit>> {
        if self.exit.is_none()
            && let Some(status) = self.child.try_wait()?
        {
            let signal = status.signal().map(Exit::Signal);
            self.exit = Some(status.code().map_or(signal.unwrap_or(Exit::Code(-1)), Exit::Code));
        }
        Ok(self.exit)
    }

    fn stop(&mut self, how: Stop) {
        self.remember_strays();
        _ = sys::kill_group(self.child.id(), number(how)); // An empty group is what is wanted.
        for (&pid, &ticks) in &self.strays {
            _ = HostProcesses.stop(pid, ticks, how);
        }
    }

    fn remaining(&self) -> Vec<Process> {
        let group = self.child.id();
        let boot = boot_time();
        let is_left = |pid: u32, line: &StatLine| {
            let is_ours = line.group == group || self.strays.get(&pid) == Some(&line.started_ticks);
            is_ours && pid != group && line.state != 'Z'
        };
        let pids = pids().unwrap_or_default();
        pids.into_iter().filter(|&pid| stat(pid).is_some_and(|line| is_left(pid, &line))).filter_map(|pid| process(pid, boot)).collect()
    }
}

impl HostChild {
    /// Notes descendants that are in another group, as long as the parents that lead to them live.
    fn remember_strays(&mut self) {
        let group = self.child.id();
        let lines: BTreeMap<u32, StatLine> =
            pids().unwrap_or_default().into_iter().filter_map(|pid| Some((pid, stat(pid)?))).collect();
        let mut ours: BTreeSet<u32> = lines.iter().filter(|(_, line)| line.group == group).map(|(&pid, _)| pid).collect();
        ours.insert(group);
        ours.extend(self.strays.keys());
        loop {
            let found: Vec<u32> =
                lines.iter().filter(|(pid, line)| !ours.contains(pid) && ours.contains(&line.parent)).map(|(&pid, _)| pid).collect();
            if found.is_empty() {
                break;
            }
            ours.extend(found);
        }
        self.strays.extend(
            lines.iter().filter(|(pid, line)| ours.contains(pid) && line.group != group).map(|(&pid, line)| (pid, line.started_ticks)),
        );
    }
}

impl Drop for HostChild {
    fn drop(&mut self) {
        if !matches!(self.try_exit(), Ok(Some(_))) {
            self.stop(Stop::Kill);
            _ = self.child.wait();
        }
    }
}

/// The numbers of all processes that can be seen.
fn pids() -> io::Result<Vec<u32>> {
    let entries = fs::read_dir("/proc")?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
}

fn stat(pid: u32) -> Option<StatLine> {
    let bytes = fs::read(format!("/proc/{pid}/stat")).ok()?;
    proc::stat_line(&String::from_utf8_lossy(&bytes))
}

fn boot_time() -> i64 {
    fs::read_to_string("/proc/stat").ok().and_then(|text| proc::boot_time(&text)).unwrap_or(0)
}

/// A process that lives; one that ended and only waits to be reaped does not.
fn process(pid: u32, boot: i64) -> Option<Process> {
    let line = stat(pid).filter(|line| line.state != 'Z')?;
    let command = fs::read(format!("/proc/{pid}/cmdline")).map(|bytes| proc::command_line(&bytes)).unwrap_or_default();
    let status = fs::read(format!("/proc/{pid}/status")).unwrap_or_default();
    Some(Process {
        pid,
        parent: line.parent,
        command: if command.trim().is_empty() { line.name.clone() } else { command },
        name: line.name,
        started_ticks: line.started_ticks,
        started: proc::started(boot, line.started_ticks),
        user: proc::user(&String::from_utf8_lossy(&status)).unwrap_or(0),
    })
}

/// Which processes hold each of the sockets `wanted`, as far as they can be looked into.
fn socket_owners(wanted: &BTreeSet<u64>) -> BTreeMap<u64, Vec<u32>> {
    let mut owners: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for pid in pids().unwrap_or_default() {
        let Ok(links) = fs::read_dir(format!("/proc/{pid}/fd")) else {
            continue;
        };
        for link in links.flatten() {
            let target = fs::read_link(link.path()).unwrap_or_default();
            let inode = target.to_str().and_then(proc::socket_inode).filter(|inode| wanted.contains(inode));
            if let Some(inode) = inode {
                let pids = owners.entry(inode).or_default();
                if pids.last() != Some(&pid) {
                    pids.push(pid);
                }
            }
        }
    }
    owners
}
