//! Servers and names of the fake world.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use super::stream::{End, Entry, FakeStream, Pipe, Step};
use super::{Fake, fault};
use crate::world::{Listener, Lookup, Moment, Net, Peer, Source, Stream};

/// What a server does with one connection.
#[derive(Clone)]
pub(crate) struct Connection {
    accept: Accept,
    /// Bytes that it takes before writing to it blocks; `None` without end.
    window_bytes: Option<usize>,
    /// Most bytes that it takes at once, and how long it takes none after that.
    pace: Option<(usize, Duration)>,
    steps: Vec<Step>,
}

#[derive(Clone, Copy)]
enum Accept {
    After(Duration),
    Refuse(ErrorKind, Duration),
    /// [`Net::connect`] itself fails.
    Fail(ErrorKind),
    Never,
}

impl Connection {
    /// Accepts at once and does `steps`; without an end among them it stays open.
    pub(crate) fn new(steps: Vec<Step>) -> Self {
        Self {
            accept: Accept::After(Duration::ZERO),
            window_bytes: None,
            pace: None,
            steps,
        }
    }

    /// Accepts after a while.
    pub(crate) fn after(mut self, delay: Duration) -> Self {
        self.accept = Accept::After(delay);
        self
    }

    /// Takes only so many bytes; then writing blocks until the connection ends.
    pub(crate) fn window(mut self, bytes: usize) -> Self {
        self.window_bytes = Some(bytes);
        self
    }

    /// Takes so many bytes at once, then none for a while.
    pub(crate) fn pace(mut self, bytes: usize, every: Duration) -> Self {
        self.pace = Some((bytes.max(1), every));
        self
    }

    /// The scripts of a server that is written down as segments, one for each connection.
    pub(crate) fn from_segments(segments: &[Segment]) -> Vec<Self> {
        let count = segments
            .iter()
            .map(|segment| segment.connection)
            .max()
            .unwrap_or(1);
        let scripts = (1..=count).map(|connection| {
            let mut steps = Vec::new();
            let mut requests = 0;
            for segment in segments
                .iter()
                .filter(|segment| segment.connection == connection)
            {
                while requests < segment.request {
                    requests += 1;
                    let is_early = segment.is_early && requests == segment.request;
                    steps.push(if is_early { Step::Head } else { Step::Request });
                }
                steps.push(Step::send_times(
                    segment.times,
                    segment.delay_ms,
                    &segment.bytes,
                ));
                if let Some(end) = segment.end {
                    let delay = Duration::ZERO;
                    steps.push(Step::End { end, delay });
                }
            }
            Self::new(steps)
        });
        scripts.collect()
    }

    /// Says no (`ConnectionRefused`, `HostUnreachable` …) after a while.
    pub(crate) fn refuse(kind: ErrorKind, delay: Duration) -> Self {
        let mut refused = Self::new(Vec::new());
        refused.accept = Accept::Refuse(kind, delay);
        refused
    }

    /// The very call to connect fails, as it does without a route.
    pub(crate) fn fail(kind: ErrorKind) -> Self {
        let mut failed = Self::new(Vec::new());
        failed.accept = Accept::Fail(kind);
        failed
    }

    /// Never answers.
    pub(crate) fn never() -> Self {
        let mut silent = Self::new(Vec::new());
        silent.accept = Accept::Never;
        silent
    }
}

/// A piece of what a server sends, as test data has it.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    pub(crate) bytes: Vec<u8>,
    /// Before each time it is sent.
    pub(crate) delay_ms: u64,
    /// How often it is sent.
    pub(crate) times: u64,
    /// On which connection, counted from 1.
    pub(crate) connection: usize,
    /// After which request on that connection, counted from 1.
    pub(crate) request: usize,
    /// Sent after the head of that request, without waiting for its body.
    pub(crate) is_early: bool,
    /// How the connection ends behind it, if it does.
    pub(crate) end: Option<End>,
}

/// What became of one connection that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) peer: Peer,
    /// All that was written to it.
    pub(crate) written: Vec<u8>,
    /// In so many writes.
    pub(crate) writes: u64,
    pub(crate) opened: Moment,
    /// When it was closed by us.
    pub(crate) closed: Option<Moment>,
}

/// What a name is found to be.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    /// These, after a while.
    Addresses(Vec<IpAddr>, Duration),
    /// An error with this text, after a while.
    Nothing(String, Duration),
    Never,
}

#[derive(Default)]
pub(super) struct State {
    /// Scripts by `ip:port` or path, and how many were used.
    servers: BTreeMap<String, (Vec<Connection>, usize)>,
    names: BTreeMap<String, Found>,
    listeners: BTreeMap<SocketAddr, Source>,
    /// In the order they were tried, each with its source.
    records: Vec<(Option<Source>, Record)>,
    lookups: Vec<String>,
    read_max: Option<usize>,
    write_max: Option<usize>,
}

impl State {
    /// Keeps what was written to a connection that is closed.
    pub(super) fn keep(&mut self, source: Source, pipe: &mut Pipe) {
        let record = self
            .records
            .iter_mut()
            .find(|(known, _)| *known == Some(source));
        if let Some((known, record)) = record {
            record.written = std::mem::take(&mut pipe.written);
            record.writes = pipe.writes;
            record.closed = pipe.closed;
            *known = None;
        }
    }
}

fn key_of(peer: &Peer) -> String {
    match peer {
        Peer::Ip(address) => address.to_string(),
        Peer::Unix(path) => path.display().to_string(),
    }
}

impl Fake {
    /// A server at `ip:port` or at the path of a unix socket. The n-th connection gets the n-th script, any further
    /// one is refused. Where nothing is served connections are refused. Serving again adds scripts.
    pub(crate) fn serve(&self, at: &str, connections: Vec<Connection>) -> &Self {
        let mut state = self.look();
        let (scripts, _) = state.net.servers.entry(at.to_owned()).or_default();
        scripts.extend(connections);
        drop(state);
        self
    }

    /// What `name` is found to be. Unless told otherwise `localhost` is `::1` and `127.0.0.1`, any other name nothing.
    pub(crate) fn name(&self, name: &str, found: Found) -> &Self {
        self.look().net.names.insert(name.to_owned(), found);
        self
    }

    /// From now on new connections give at most so many bytes a read.
    pub(crate) fn split_reads(&self, bytes_max: usize) -> &Self {
        self.look().net.read_max = Some(bytes_max);
        self
    }

    /// From now on new connections take at most so many bytes a write.
    pub(crate) fn split_writes(&self, bytes_max: usize) -> &Self {
        self.look().net.write_max = Some(bytes_max);
        self
    }

    /// All connections that were tried, in order, with what was written to them so far.
    pub(crate) fn connections(&self) -> Vec<Record> {
        let mut state = self.look();
        let records = state.net.records.clone();
        records
            .into_iter()
            .map(|(source, mut record)| {
                if let Some(pipe) = source.and_then(|source| state.sources.pipe(source)) {
                    record.written.clone_from(&pipe.written);
                    record.writes = pipe.writes;
                }
                record
            })
            .collect()
    }

    /// The names that were looked up, in order.
    pub(crate) fn lookups(&self) -> Vec<String> {
        self.look().net.lookups.clone()
    }

    fn open(&self, source: Source) -> Box<dyn Stream> {
        Box::new(FakeStream {
            fake: self.clone(),
            source,
        })
    }
}

impl super::State {
    fn new_pipe(&self) -> Pipe {
        let whole = usize::MAX;
        Pipe::new(
            self.now,
            self.net.read_max.unwrap_or(whole),
            self.net.write_max.unwrap_or(whole),
        )
    }

    fn record(&mut self, peer: &Peer, source: Option<Source>) {
        let record = Record {
            peer: peer.clone(),
            written: Vec::new(),
            writes: 0,
            opened: self.now,
            closed: None,
        };
        self.net.records.push((source, record));
    }

    /// Connects to a listener of this world.
    fn connect_inside(&mut self, peer: &Peer, listener: Source) -> Source {
        let mut theirs = self.new_pipe();
        let mut ours = self.new_pipe();
        ours.set_connected(Some(self.now), None);
        let our_source = self.sources.add(Entry::Flag(None));
        theirs.set_peer(our_source);
        let their_source = self.sources.add(Entry::Stream(Box::new(theirs)));
        ours.set_peer(their_source);
        self.sources
            .replace(our_source, Entry::Stream(Box::new(ours)));
        if let Some(waiting) = self.sources.waiting(listener) {
            waiting.push_back(their_source);
        }
        self.record(peer, Some(our_source));
        our_source
    }

    /// Connects to a scripted server, or to nobody.
    fn connect_outside(&mut self, peer: &Peer) -> io::Result<Source> {
        let connection = self
            .net
            .servers
            .get_mut(&key_of(peer))
            .and_then(|(scripts, used)| {
                let script = scripts.get(*used).cloned();
                *used += 1;
                script
            });
        let nobody = match peer {
            Peer::Ip(_) => Connection::refuse(ErrorKind::ConnectionRefused, Duration::ZERO),
            Peer::Unix(_) => Connection::fail(ErrorKind::NotFound),
        };
        let connection = connection.unwrap_or(nobody);
        let mut pipe = self.new_pipe();
        match connection.accept {
            Accept::After(delay) => pipe.set_connected(Some(self.now.after(delay)), None),
            Accept::Refuse(kind, delay) => {
                pipe.set_connected(Some(self.now.after(delay)), Some(kind));
            }
            Accept::Fail(kind) => {
                self.record(peer, None);
                return Err(fault(kind, "refused by the script"));
            }
            Accept::Never => pipe.set_connected(None, None),
        }
        pipe.set_window(connection.window_bytes);
        pipe.set_pace(connection.pace);
        pipe.script(connection.steps);
        let source = self.sources.add(Entry::Stream(Box::new(pipe)));
        self.record(peer, Some(source));
        Ok(source)
    }
}

impl Net for Fake {
    fn lookup(&self, host: &str, port: u16) -> Box<dyn Lookup> {
        let mut state = self.enter();
        state.net.lookups.push(host.to_owned());
        let found = state.net.names.get(host).cloned().unwrap_or_else(|| {
            if host == "localhost" {
                let both = vec![Ipv6Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.into()];
                Found::Addresses(both, Duration::ZERO)
            } else {
                let text = "failed to lookup address information: Name or service not known";
                Found::Nothing(text.to_owned(), Duration::ZERO)
            }
        });
        let now = state.now;
        let (at, answer) = match found {
            Found::Addresses(addresses, delay) => {
                let addresses = addresses.into_iter().map(|ip| SocketAddr::new(ip, port));
                (Some(now.after(delay)), Some(Ok(addresses.collect())))
            }
            Found::Nothing(text, delay) => (Some(now.after(delay)), Some(Err(text))),
            Found::Never => (None, None),
        };
        let source = state.sources.add(Entry::Flag(at));
        Box::new(FakeLookup {
            fake: self.clone(),
            source,
            answer,
        })
    }

    fn connect(&self, peer: &Peer) -> io::Result<Box<dyn Stream>> {
        let source = {
            let mut state = self.enter();
            let listener = match peer {
                Peer::Ip(address) => state.net.listeners.get(address).copied(),
                Peer::Unix(_) => None,
            };
            match listener {
                Some(listener) => state.connect_inside(peer, listener),
                None => state.connect_outside(peer)?,
            }
        };
        Ok(self.open(source))
    }

    fn listen(&self, address: SocketAddr) -> io::Result<Box<dyn Listener>> {
        let mut state = self.enter();
        let mut address = address;
        if address.port() == 0 {
            let used = u16::try_from(state.net.listeners.len()).unwrap_or(0);
            address.set_port(40_000 + used);
        }
        if state.net.listeners.contains_key(&address) {
            return Err(ErrorKind::AddrInUse.into());
        }
        let source = state
            .sources
            .add(Entry::Listener(std::collections::VecDeque::new()));
        state.net.listeners.insert(address, source);
        Ok(Box::new(FakeListener {
            fake: self.clone(),
            source,
            address,
        }))
    }
}

struct FakeLookup {
    fake: Fake,
    source: Source,
    answer: Option<Result<Vec<SocketAddr>, String>>,
}

impl Lookup for FakeLookup {
    fn source(&self) -> Source {
        self.source
    }

    fn take(&mut self) -> Option<io::Result<Vec<SocketAddr>>> {
        let state = self.fake.enter();
        let is_there = state
            .sources
            .flag(self.source)
            .is_some_and(|at| at <= state.now);
        drop(state);
        let answer = if is_there { self.answer.take() } else { None };
        answer.map(|answer| answer.map_err(io::Error::other))
    }
}

impl Drop for FakeLookup {
    fn drop(&mut self) {
        self.fake.look().sources.remove(self.source);
    }
}

struct FakeListener {
    fake: Fake,
    source: Source,
    address: SocketAddr,
}

impl Listener for FakeListener {
    fn source(&self) -> Source {
        self.source
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn accept(&mut self) -> io::Result<Box<dyn Stream>> {
        let next = self
            .fake
            .enter()
            .sources
            .waiting(self.source)
            .and_then(std::collections::VecDeque::pop_front);
        match next {
            Some(source) => Ok(self.fake.open(source)),
            None => Err(ErrorKind::WouldBlock.into()),
        }
    }
}

impl Drop for FakeListener {
    fn drop(&mut self) {
        let mut state = self.fake.look();
        state.net.listeners.remove(&self.address);
        state.sources.remove(self.source);
    }
}
