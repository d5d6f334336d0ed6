//! The list of hosts that are reached without a proxy (`NO_PROXY`), as curl and others read it.

use std::net::IpAddr;

use crate::wire::Host;

/// Entries that are read; what follows is ignored.
const ENTRIES_MAX: usize = 1000;

/// A list of hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NoProxy {
    entries: Vec<Entry>,
}

/// Whom an entry covers; with a port, only there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    whom: Whom,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Whom {
    All,
    /// The name itself, and all below it.
    Name(String),
    /// The first bits of an address.
    Net(IpAddr, u8),
}

impl NoProxy {
    /// Reads entries with commas or blanks between them: `*`, `example.com`, `.example.com`, `*.example.com`, `host:port`,
    /// addresses (IPv6 with or without brackets), `10.0.0.0/8`. An entry that is none of these covers nothing.
    pub(super) fn parse(text: &str) -> Self {
        let entries = text
            .split([',', ' ', '\t', '\n'])
            .filter(|entry| !entry.is_empty())
            .take(ENTRIES_MAX)
            .filter_map(Entry::parse)
            .collect();
        Self { entries }
    }

    /// Whether a host is in the list.
    pub(super) fn has(&self, host: &Host, port: u16) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.port.is_none_or(|only| only == port) && entry.whom.covers(host))
    }
}

impl Entry {
    fn parse(text: &str) -> Option<Self> {
        if text == "*" {
            return Some(Self::new(Whom::All, None));
        }
        if let Some((address, bits)) = text.split_once('/') {
            let address = parse_address(address)?;
            let bits = bits.parse().ok().filter(|bits| *bits <= width(address))?;
            return Some(Self::new(Whom::Net(address, bits), None));
        }
        if let Some(address) = parse_address(text) {
            return Some(Self::new(Whom::Net(address, width(address)), None));
        }
        let (name, port) = match text.rsplit_once(':') {
            Some((name, port)) => (name, Some(port.parse().ok()?)),
            None => (text, None),
        };
        if let Some(address) = parse_address(name) {
            return Some(Self::new(Whom::Net(address, width(address)), port));
        }
        let name = name.strip_prefix('*').unwrap_or(name);
        let name = name.trim_matches('.').to_ascii_lowercase();
        (!name.is_empty() && !name.contains(['*', ':'])).then(|| Self::new(Whom::Name(name), port))
    }

    fn new(whom: Whom, port: Option<u16>) -> Self {
        Self { whom, port }
    }
}

impl Whom {
    fn covers(&self, host: &Host) -> bool {
        match (self, host) {
            (Self::All, _) => true,
            (Self::Name(suffix), Host::Name(name)) => {
                let name = name.strip_suffix('.').unwrap_or(name);
                name.strip_suffix(suffix.as_str())
                    .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
            (Self::Net(net, bits), Host::V4(address)) => {
                is_within(IpAddr::V4(*address), *net, *bits)
            }
            (Self::Net(net, bits), Host::V6(address)) => {
                is_within(IpAddr::V6(*address), *net, *bits)
            }
            _ => false,
        }
    }
}

/// An address, IPv6 with or without brackets.
fn parse_address(text: &str) -> Option<IpAddr> {
    let inside = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    inside.unwrap_or(text).parse().ok()
}

/// Bits of an address of this family.
fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn is_within(address: IpAddr, net: IpAddr, bits: u8) -> bool {
    // Shifting by the whole width is not defined; then no bit is compared.
    match (address, net) {
        (IpAddr::V4(address), IpAddr::V4(net)) => {
            let differing = address.to_bits() ^ net.to_bits();
            differing.checked_shr(32 - u32::from(bits)).unwrap_or(0) == 0
        }
        (IpAddr::V6(address), IpAddr::V6(net)) => {
            let differing = address.to_bits() ^ net.to_bits();
            differing.checked_shr(128 - u32::from(bits)).unwrap_or(0) == 0
        }
        _ => false,
    }
}

#[cfg(test)]
#[path = "no_proxy_tests.rs"]
mod tests;
