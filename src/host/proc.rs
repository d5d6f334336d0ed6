//! The texts of `/proc`, as proc(5) describes them, taken apart.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// How many ticks a second has in what the kernel tells programs (`USER_HZ`): 100 on x86-64 and
/// aarch64, whatever the kernel itself counts in.
pub(super) const TICKS_PER_SECOND: u64 = 100;

/// What `/proc/PID/stat` says of a process, as far as it is used here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) pid: u32,
    pub(super) name: String,
    /// The letter of its state: `R`, `S`, `Z`, …
    pub(super) state: u8,
    pub(super) parent: u32,
    pub(super) group: u32,
    pub(super) session: u32,
    pub(super) started_ticks: u64,
}

impl Stat {
    /// Whether it runs or could: neither a zombie nor dead.
    pub(super) fn is_alive(&self) -> bool {
        !matches!(self.state, b'Z' | b'X' | b'x')
    }
}

/// Reads `/proc/PID/stat`; `None` if it is not of that form.
pub(super) fn parse_stat(text: &[u8]) -> Option<Stat> {
    // The name stands in parentheses and may hold blanks, line ends and parentheses itself; no
    // field after it does.
    let open = text.iter().position(|byte| *byte == b'(')?;
    let close = text.iter().rposition(|byte| *byte == b')')?;
    let pid = std::str::from_utf8(text.get(..open)?).ok()?;
    let name = text.get(open + 1..close)?;
    let rest = std::str::from_utf8(text.get(close + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = *fields.next()?.as_bytes().first()?;
    let parent = fields.next()?.parse().ok()?;
    // A process outside every group that can be seen from here has -1 or 0.
    let group = fields.next()?.parse().unwrap_or(0);
    let session = fields.next()?.parse().unwrap_or(0);
    // Field 22 of the line; `session` is field 6.
    let started_ticks = fields.nth(15)?.parse().ok()?;
    Some(Stat {
        pid: pid.trim().parse().ok()?,
        name: String::from_utf8_lossy(name).into_owned(),
        state,
        parent,
        group,
        session,
        started_ticks,
    })
}

/// The process that a number of `/proc` belongs to, which is another one's for a thread, and its
/// real user, from `/proc/PID/status`.
pub(super) fn parse_status(text: &[u8]) -> Option<(u32, u32)> {
    let text = String::from_utf8_lossy(text);
    let first = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        line.split_ascii_whitespace().next()?.parse().ok()
    };
    Some((first("Tgid:")?, first("Uid:")?))
}

/// `/proc/PID/cmdline` with blanks between the arguments; `None` if there are none, as for a thread
/// of the kernel.
pub(super) fn parse_command(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().rposition(|byte| *byte != 0)?;
    let spaced: Vec<u8> = bytes
        .iter()
        .take(end + 1)
        .map(|byte| if *byte == 0 { b' ' } else { *byte })
        .collect();
    Some(String::from_utf8_lossy(&spaced).into_owned())
}

/// When the system started, in seconds since 1970, from `/proc/stat`.
pub(super) fn parse_boot_seconds(text: &str) -> Option<i64> {
    let line = text.lines().find_map(|line| line.strip_prefix("btime "))?;
    line.trim().parse().ok()
}

/// A socket that waits for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Waiting {
    pub(super) address: IpAddr,
    pub(super) port: u16,
    pub(super) user: u32,
    pub(super) inode: u64,
}

/// The state of a TCP socket that listens, `TCP_LISTEN` of the kernel.
pub(super) const TCP_LISTEN: &str = "0A";
/// The state of a UDP socket that is bound and not connected, `TCP_CLOSE` of the kernel.
pub(super) const UDP_BOUND: &str = "07";

/// The sockets in `state` among the lines of `/proc/net/{tcp,tcp6,udp,udp6}`; lines of another form
/// are passed over.
pub(super) fn parse_sockets(text: &str, state: &str) -> Vec<Waiting> {
    text.lines()
        .filter_map(|line| parse_socket(line, state))
        .collect()
}

fn parse_socket(line: &str, state: &str) -> Option<Waiting> {
    let mut fields = line.split_ascii_whitespace();
    let (address, port) = fields.nth(1)?.split_once(':')?;
    // After the local address: remote address, state, queues, timer, retransmits, user, timeout, inode.
    if fields.nth(1)? != state {
        return None;
    }
    Some(Waiting {
        address: parse_address(address)?,
        port: u16::from_str_radix(port, 16).ok()?,
        user: fields.nth(3)?.parse().ok()?,
        inode: fields.nth(1)?.parse().ok()?,
    })
}

/// An address as the kernel prints it: words of 32 bits in hexadecimal, each a number in the
/// machine's own byte order over bytes in the network's.
fn parse_address(text: &str) -> Option<IpAddr> {
    let mut octets = [0; 16];
    let mut count = 0;
    for (word, place) in text.as_bytes().chunks(8).zip(octets.chunks_mut(4)) {
        let word = u32::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok()?;
        place.copy_from_slice(&word.to_ne_bytes());
        count += 1;
    }
    match (text.len(), count) {
        (8, 1) => {
            let [a, b, c, d, ..] = octets;
            Some(Ipv4Addr::new(a, b, c, d).into())
        }
        // An IPv4 address in IPv6 clothes is shown as what it is.
        (32, 4) => Some(IpAddr::from(Ipv6Addr::from(octets)).to_canonical()),
        _ => None,
    }
}

/// The inode in what a link of `/proc/PID/fd` reads for a socket, `socket:[123]`.
pub(super) fn parse_socket_link(target: &str) -> Option<u64> {
    let inode = target.strip_prefix("socket:[")?.strip_suffix(']')?;
    inode.parse().ok()
}

#[cfg(test)]
mod tests;
