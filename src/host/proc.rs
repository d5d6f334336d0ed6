//! What `/proc` says, as text to be read: pure functions over its formats (proc(5)).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::world::Protocol;

/// Ticks a second in `/proc`, fixed at 100 for every program (`USER_HZ`).
const TICKS_A_SECOND: u64 = 100;

/// The fields of `/proc/PID/stat` that we use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StatLine {
    pub(super) name: String,
    pub(super) state: char,
    pub(super) parent: u32,
    pub(super) group: u32,
    pub(super) started_ticks: u64,
}

/// Reads a `stat` line. The name stands in parentheses and may itself hold blanks and parentheses.
pub(super) fn stat_line(text: &str) -> Option<StatLine> {
    let open = text.find('(')?;
    let close = text.rfind(')')?;
    let mut fields = text.get(close + 1..)?.split_ascii_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    // Fields 3 to 5 are taken; `starttime` is field 22.
    let started_ticks = fields.nth(16)?.parse().ok()?;
    Some(StatLine {
        name: text.get(open + 1..close)?.to_owned(),
        state,
        parent,
        group,
        started_ticks,
    })
}

/// The command line of `/proc/PID/cmdline`: arguments end in NUL.
pub(super) fn command_line(bytes: &[u8]) -> String {
    let bytes = bytes.strip_suffix(b"\0").unwrap_or(bytes);
    String::from_utf8_lossy(bytes).replace('\0', " ")
}

/// The real user of `/proc/PID/status`.
pub(super) fn user(status: &str) -> Option<u32> {
    status.lines().find_map(|line| line.strip_prefix("Uid:"))?.split_ascii_whitespace().next()?.parse().ok()
}

/// When the machine started, from `/proc/stat`, in seconds since 1970.
pub(super) fn boot_time(stat: &str) -> Option<i64> {
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

/// Ticks since boot as seconds since 1970.
pub(super) fn started(boot: i64, ticks: u64) -> i64 {
    boot.saturating_add(i64::try_from(ticks / TICKS_A_SECOND).unwrap_or(i64::MAX))
}

/// A row of `/proc/net/tcp` and its like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SocketRow {
    pub(super) address: IpAddr,
    pub(super) port: u16,
    pub(super) user: u32,
    pub(super) inode: u64,
}

/// The sockets that wait for others: TCP in state 0A (LISTEN), UDP in state 07 (bound, not connected).
pub(super) fn sockets(table: &str, protocol: Protocol) -> Vec<SocketRow> {
    let wanted = match protocol {
        Protocol::Tcp => "0A",
        Protocol::Udp => "07",
    };
    table
        .lines()
        .skip(1)
        .filter_map(|line| {
            let fields: Vec<&str> = line.split_ascii_whitespace().collect();
            let (local, state) = (fields.get(1)?, fields.get(3)?);
            if *state != wanted {
                return None;
            }
            let (address, port) = local.split_once(':')?;
            Some(SocketRow {
                address: address_of(address)?,
                port: u16::from_str_radix(port, 16).ok()?,
                user: fields.get(7)?.parse().ok()?,
                inode: fields.get(9)?.parse().ok()?,
            })
        })
        .collect()
}

/// An address as the kernel prints it: 32-bit words of the network bytes, each in the machine's own order.
fn address_of(hex: &str) -> Option<IpAddr> {
    let mut bytes = Vec::new();
    for at in (0..hex.len()).step_by(8) {
        let word = u32::from_str_radix(hex.get(at..at + 8)?, 16).ok()?;
        bytes.extend_from_slice(&word.to_ne_bytes());
    }
    match bytes.len() {
        4 => Some(IpAddr::V4(Ipv4Addr::from(<[u8; 4]>::try_from(bytes.as_slice()).ok()?))),
        16 => {
            let v6 = Ipv6Addr::from(<[u8; 16]>::try_from(bytes.as_slice()).ok()?);
            Some(v6.to_ipv4_mapped().map_or(IpAddr::V6(v6), IpAddr::V4))
        }
        _ => None,
    }
}

/// The inode in the name of an open socket: `socket:[4711]`.
pub(super) fn socket_inode(link: &str) -> Option<u64> {
    link.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_blanks_and_parentheses() {
        // proc(5): pid (comm) state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime
        // cutime cstime priority nice threads itrealvalue starttime …
        let line = "4711 (a) b (c)) S 1 4700 3 0 -1 4194304 5 6 7 8 9 10 11 12 20 0 1 0 98765 1000 2 3";
        let expected = StatLine {
            name: "a) b (c)".to_owned(),
            state: 'S',
            parent: 1,
            group: 4700,
            started_ticks: 98_765,
        };
        assert_eq!(stat_line(line), Some(expected));
        assert_eq!(stat_line("4711 (cut"), None);
        assert_eq!(stat_line(""), None);
    }

    #[test]
    fn sockets_that_wait_are_found() {
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n\
            \x20  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 55555 1 0 100 0 0 10 0\n\
            \x20  1: 0100007F:1F91 0100007F:0050 01 00000000:00000000 00:00000000 00000000  1000        0 55556 1 0 100 0 0 10 0\n\
            garbage\n";
        let found = sockets(table, Protocol::Tcp);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].port, found[0].user, found[0].inode), (8080, 1000, 55_555));
        #[cfg(target_endian = "little")]
        assert_eq!(found[0].address.to_string(), "127.0.0.1");
    }

    #[test]
    fn mapped_addresses_are_shown_as_they_are_dialled() {
        #[cfg(target_endian = "little")]
        assert_eq!(address_of("0000000000000000FFFF00000100007F").unwrap().to_string(), "127.0.0.1");
        assert_eq!(address_of("00000000000000000000000000000000").unwrap().to_string(), "::");
        assert_eq!(address_of("0"), None);
    }

    #[test]
    fn links_and_command_lines_are_read() {
        assert_eq!(socket_inode("socket:[12]"), Some(12));
        assert_eq!(socket_inode("pipe:[12]"), None);
        assert_eq!(command_line(b"sh\0-c\0echo hi\0"), "sh -c echo hi");
    }
}
