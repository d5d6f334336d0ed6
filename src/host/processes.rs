//! The processes of the machine, as `/proc` shows them, and the sockets that they listen on.

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_int;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::net::IpAddr;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::proc::{self, Stat};
use super::{child, sys};
use crate::world::{Listening, Process, Processes, Protocol, Running, Spawn, Stop};

/// How much of a command line is read.
const COMMAND_BYTES_MAX: u64 = 4096;

/// How much of one of the other texts is read; the tables of sockets are the long ones.
const TEXT_BYTES_MAX: u64 = 64 << 20;

/// The machine's processes.
pub(super) struct Table {
    boot_seconds: OnceLock<i64>,
}

impl Table {
    pub(super) fn new() -> Self {
        Self {
            boot_seconds: OnceLock::new(),
        }
    }

    fn boot_seconds(&self) -> i64 {
        *self.boot_seconds.get_or_init(read_boot_seconds)
    }
}

impl Processes for Table {
    fn start(&self, spawn: &Spawn) -> io::Result<Running> {
        child::start(spawn)
    }

    fn own(&self) -> u32 {
        std::process::id()
    }

    /// Without zombies: they only wait to be noticed.
    fn all(&self) -> io::Result<Vec<Process>> {
        let boot_seconds = self.boot_seconds();
        let stats = stats()?.into_iter().filter(Stat::is_alive);
        Ok(stats
            .filter_map(|stat| describe(stat, boot_seconds))
            .collect())
    }

    fn find(&self, pid: u32) -> io::Result<Option<Process>> {
        let living = stat(pid)?.filter(Stat::is_alive);
        Ok(living.and_then(|stat| describe(stat, self.boot_seconds())))
    }

    fn listening(&self) -> io::Result<Vec<Listening>> {
        let mut found = BTreeMap::new();
        let mut failure = None;
        let mut has_table = false;
        for (name, protocol, state) in [
            ("tcp", Protocol::Tcp, proc::TCP_LISTEN),
            ("tcp6", Protocol::Tcp, proc::TCP_LISTEN),
            ("udp", Protocol::Udp, proc::UDP_BOUND),
            ("udp6", Protocol::Udp, proc::UDP_BOUND),
        ] {
            match read_text(&format!("/proc/net/{name}"), TEXT_BYTES_MAX) {
                Ok(text) => {
                    has_table = true;
                    let text = String::from_utf8_lossy(&text);
                    for socket in proc::parse_sockets(&text, state) {
                        add(&mut found, protocol, &socket);
                    }
                }
                // A system without IPv6 has no table for it.
                Err(error) => failure = Some(error),
            }
        }
        match failure {
            Some(error) if !has_table => Err(error),
            _ => Ok(with_owners(found)),
        }
    }

    fn stop(&self, pid: u32, started_ticks: u64, how: Stop) -> io::Result<()> {
        signal(pid, started_ticks, number(how))
    }
}

/// The signal for `how`.
pub(super) fn number(how: Stop) -> c_int {
    match how {
        Stop::Ask => sys::SIGTERM,
        Stop::Kill => sys::SIGKILL,
    }
}

/// Signals the process `pid` if it is still the one that started at `started_ticks`; else `NotFound`.
pub(super) fn signal(pid: u32, started_ticks: u64, signal: c_int) -> io::Result<()> {
    // The descriptor comes first: what is then found under the number cannot be replaced by
    // another process before the signal is sent.
    let opened = match sys::open_process(pid) {
        Ok(opened) => Some(opened),
        Err(error) if error.raw_os_error() == Some(sys::ESRCH) => return Err(gone()),
        // An old kernel, a strict sandbox: the moment between look and signal is all that is open.
        Err(_) => None,
    };
    let is_same =
        stat(pid)?.is_some_and(|now| now.started_ticks == started_ticks && now.is_alive());
    if !is_same {
        return Err(gone());
    }
    let sent = match &opened {
        Some(opened) => match sys::signal_opened(opened.as_fd(), signal) {
            Err(error) if error.raw_os_error() == Some(sys::ENOSYS) => {
                sys::signal_process(pid, signal)
            }
            sent => sent,
        },
        None => sys::signal_process(pid, signal),
    };
    sent.map_err(|error| match error.raw_os_error() {
        Some(sys::ESRCH) => gone(),
        _ => error,
    })
}

fn gone() -> io::Error {
    io::Error::new(ErrorKind::NotFound, "that process has ended")
}

/// What `/proc` says of every process that can be seen, zombies too.
pub(super) fn stats() -> io::Result<Vec<Stat>> {
    let mut stats = Vec::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let pid = name.to_str().and_then(|name| name.parse().ok());
        // One that ended since is left out.
        if let Some(stat) = pid.and_then(|pid| stat(pid).ok().flatten()) {
            stats.push(stat);
        }
    }
    Ok(stats)
}

/// What `/proc` says of one process or thread; `None` if there is none of that number.
pub(super) fn stat(pid: u32) -> io::Result<Option<Stat>> {
    match read_text(&format!("/proc/{pid}/stat"), TEXT_BYTES_MAX) {
        Ok(text) => Ok(proc::parse_stat(&text)),
        Err(error) if is_gone(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The whole description of a process; `None` if it ended meanwhile or is only a thread.
pub(super) fn describe(stat: Stat, boot_seconds: i64) -> Option<Process> {
    let directory = PathBuf::from(format!("/proc/{}", stat.pid));
    let read =
        |name: &str, bytes_max| read_text(&directory.join(name).to_string_lossy(), bytes_max);
    let (process, user) = proc::parse_status(&read("status", TEXT_BYTES_MAX).ok()?)?;
    if process != stat.pid {
        return None;
    }
    let command = read("cmdline", COMMAND_BYTES_MAX)
        .ok()
        .and_then(|text| proc::parse_command(&text));
    let since_boot = i64::try_from(stat.started_ticks / proc::TICKS_PER_SECOND).unwrap_or(0);
    Some(Process {
        pid: stat.pid,
        parent: stat.parent,
        command: command.unwrap_or_else(|| stat.name.clone()),
        name: stat.name,
        started_ticks: stat.started_ticks,
        started: boot_seconds.saturating_add(since_boot),
        user,
    })
}

/// When the system started, seconds since 1970; 0 if it does not say.
pub(super) fn read_boot_seconds() -> i64 {
    let text = read_text("/proc/stat", TEXT_BYTES_MAX).unwrap_or_default();
    proc::parse_boot_seconds(&String::from_utf8_lossy(&text)).unwrap_or(0)
}

/// A file of `/proc`: its size is not known before it was read.
fn read_text(path: &str, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    File::open(path)?.take(bytes_max).read_to_end(&mut text)?;
    Ok(text)
}

fn is_gone(error: &io::Error) -> bool {
    // A process that ends while its file is open makes the read fail with ESRCH.
    error.kind() == ErrorKind::NotFound || error.raw_os_error() == Some(sys::ESRCH)
}

/// One row for each address, however many sockets share it; with the inodes of those sockets.
type Rows = BTreeMap<(u8, IpAddr, u16, u32), (Protocol, Vec<u64>)>;

fn add(rows: &mut Rows, protocol: Protocol, socket: &proc::Waiting) {
    let order = match protocol {
        Protocol::Tcp => 0,
        Protocol::Udp => 1,
    };
    // An unbound UDP socket has no port and waits for nobody.
    if socket.port != 0 {
        let key = (order, socket.address, socket.port, socket.user);
        let row = rows.entry(key).or_insert_with(|| (protocol, Vec::new()));
        row.1.push(socket.inode);
    }
}

fn with_owners(rows: Rows) -> Vec<Listening> {
    let inodes = rows.values().flat_map(|(_, inodes)| inodes);
    let mut owners: HashMap<u64, Vec<u32>> = inodes.map(|inode| (*inode, Vec::new())).collect();
    if !owners.is_empty() {
        find_owners(&mut owners);
    }
    let row = |((_, address, port, user), (protocol, inodes)): (_, (Protocol, Vec<u64>))| {
        let pids = inodes.iter().filter_map(|inode| owners.get(inode));
        let mut pids: Vec<u32> = pids.flatten().copied().collect();
        pids.sort_unstable();
        pids.dedup();
        Listening {
            protocol,
            address,
            port,
            pids,
            user,
        }
    };
    rows.into_iter().map(row).collect()
}

/// Fills in who has each of the sockets open, among the processes that let us look.
fn find_owners(owners: &mut HashMap<u64, Vec<u32>>) {
    let numbers = |path: &str| {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.map(|entry| (entry.file_name(), entry.path()))
    };
    for (name, path) in numbers("/proc") {
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        for (_, link) in numbers(&path.join("fd").to_string_lossy()) {
            let target = fs::read_link(link).ok();
            let inode = target
                .as_deref()
                .and_then(|target| proc::parse_socket_link(target.to_str()?));
            if let Some(pids) = inode.and_then(|inode| owners.get_mut(&inode)) {
                pids.push(pid);
            }
        }
    }
}

#[cfg(test)]
mod tests;
