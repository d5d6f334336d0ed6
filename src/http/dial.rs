//! Getting a connection: the name is looked up, and every address is tried, the next before the one before has given up.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::time::Duration;

use crate::calendar::words;
use crate::http::client::Timeouts;
use crate::http::fault::{FaultKind, Lost, Phase, cause, is_tick};
use crate::http::route::Target;
use crate::world::{Interest, Lookup, Moment, Net, Peer, Stream};

/// Addresses of one name that are tried.
const ADDRESSES_MAX: usize = 16;
/// After so long without an answer the next address is tried beside (RFC 8305 §8 recommends it).
const NEXT_ADDRESS: Duration = Duration::from_millis(250);

/// A connection being made.
pub(super) struct Dial {
    timeouts: Timeouts,
    lookup: Option<(Box<dyn Lookup>, Moment)>,
    name: String,
    waiting: VecDeque<Peer>,
    attempts: Vec<Attempt>,
    failures: Vec<(Peer, Failure)>,
    /// When the next address is tried though others are still open.
    next: Moment,
}

struct Attempt {
    peer: Peer,
    stream: Box<dyn Stream>,
    until: Moment,
}

/// Why one address failed.
struct Failure {
    kind: FaultKind,
    what: String,
}

impl Failure {
    fn new(error: &io::Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::ConnectionRefused => FaultKind::Refused,
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NotFound => {
                FaultKind::Unreachable
            }
            ErrorKind::TimedOut => FaultKind::Timeout(Phase::Connect),
            _ => FaultKind::Connect,
        };
        let what = match error.kind() {
            ErrorKind::NotFound => "there is no such socket".to_owned(),
            _ => cause(error),
        };
        Self { kind, what }
    }
}

impl Dial {
    pub(super) fn start(target: &Target, timeouts: Timeouts, net: &dyn Net, now: Moment) -> Self {
        let mut dial = Self {
            timeouts,
            lookup: None,
            name: String::new(),
            waiting: VecDeque::new(),
            attempts: Vec::new(),
            failures: Vec::new(),
            next: now,
        };
        match target {
            Target::Peers(peers) => dial.waiting.extend(peers.iter().cloned()),
            Target::Name(name, port) => {
                dial.name.clone_from(name);
                dial.lookup = Some((net.lookup(name, *port), now.after(timeouts.connect)));
            }
        }
        dial
    }

    pub(super) fn interests(&self, out: &mut Vec<Interest>) {
        if let Some((lookup, _)) = &self.lookup {
            out.push(Interest::read(lookup.source()));
        }
        out.extend(
            self.attempts
                .iter()
                .map(|attempt| Interest::write(attempt.stream.source())),
        );
    }

    pub(super) fn until(&self) -> Option<Moment> {
        let next = (!self.waiting.is_empty()).then_some(self.next);
        let lookup = self.lookup.as_ref().map(|(_, until)| *until);
        let attempts = self.attempts.iter().map(|attempt| attempt.until);
        attempts.chain(next).chain(lookup).min()
    }

    /// Does what does not block; the connection once there is one.
    pub(super) fn advance(
        &mut self,
        net: &dyn Net,
        now: Moment,
    ) -> Result<Option<Box<dyn Stream>>, Lost> {
        if !self.find_addresses(now)? {
            return Ok(None);
        }
        loop {
            if let Some(stream) = self.look_at_attempts(now) {
                return Ok(Some(stream));
            }
            if !(self.attempts.is_empty() || now >= self.next) {
                return Ok(None);
            }
            match self.waiting.pop_front() {
                Some(peer) => self.try_address(peer, net, now),
                None if self.attempts.is_empty() => return Err(self.lost()),
                None => return Ok(None),
            }
        }
    }

    /// Whether the addresses are known.
    fn find_addresses(&mut self, now: Moment) -> Result<bool, Lost> {
        let Some((lookup, until)) = &mut self.lookup else {
            return Ok(true);
        };
        let name = &self.name;
        let addresses = match lookup.take() {
            Some(Ok(addresses)) => addresses,
            Some(Err(error)) => {
                let what = format!("the name `{name}` is not found: {}", cause(&error));
                return Err(Lost::new(FaultKind::Resolve, what));
            }
            None if now >= *until => {
                let waited = words(self.timeouts.connect);
                let what = format!("looking up the name `{name}` took longer than {waited}");
                return Err(Lost::new(FaultKind::Timeout(Phase::Resolve), what));
            }
            None => return Ok(false),
        };
        self.lookup = None;
        for peer in addresses.into_iter().map(Peer::Ip) {
            if !self.waiting.contains(&peer) && self.waiting.len() < ADDRESSES_MAX {
                self.waiting.push_back(peer);
            }
        }
        if self.waiting.is_empty() {
            let what = format!("the name `{name}` has no address");
            return Err(Lost::new(FaultKind::Resolve, what));
        }
        Ok(true)
    }

    /// The first attempt that has become a connection; those that failed are put aside.
    fn look_at_attempts(&mut self, now: Moment) -> Option<Box<dyn Stream>> {
        let mut at = 0;
        while let Some(attempt) = self.attempts.get_mut(at) {
            let failure = match attempt.stream.connected() {
                Ok(()) => return Some(self.attempts.remove(at).stream),
                Err(error) if is_tick(&error) && now < attempt.until => {
                    at += 1;
                    continue;
                }
                Err(error) if is_tick(&error) => Failure {
                    kind: FaultKind::Timeout(Phase::Connect),
                    what: format!("no answer within {}", words(self.timeouts.connect)),
                },
                Err(error) => Failure::new(&error),
            };
            let attempt = self.attempts.remove(at);
            self.failures.push((attempt.peer, failure));
        }
        None
    }

    fn try_address(&mut self, peer: Peer, net: &dyn Net, now: Moment) {
        match net.connect(&peer) {
            Ok(stream) => {
                self.next = now.after(NEXT_ADDRESS);
                let until = now.after(self.timeouts.connect);
                self.attempts.push(Attempt {
                    peer,
                    stream,
                    until,
                });
            }
            Err(error) => self.failures.push((peer, Failure::new(&error))),
        }
    }

    /// What came of all addresses.
    fn lost(&self) -> Lost {
        let mut kinds = self.failures.iter().map(|(_, failure)| failure.kind);
        let first = kinds.next().unwrap_or(FaultKind::Connect);
        let kind = if kinds.all(|kind| kind == first) {
            first
        } else {
            FaultKind::Connect
        };
        let each = self.failures.iter().map(|(peer, failure)| match peer {
            Peer::Ip(address) => format!("{address}: {}", failure.what),
            Peer::Unix(_) => failure.what.clone(),
        });
        Lost::new(kind, each.collect::<Vec<_>>().join("; "))
    }
}
