//! Byte streams whose pieces come at moments written down beforehand, and the scripts that answer requests on them.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use super::{Fake, fault};
use crate::world::{Interest, Moment, Source, Stream, Want};

/// What a server does on one connection, step after step.
#[derive(Clone)]
pub(crate) enum Step {
    /// Waits for the next whole request, head and body.
    Request,
    /// Waits for the head of the next request only.
    Head,
    /// Waits for so many further bytes, whatever they are.
    Bytes(usize),
    /// After `delay` sends `bytes`; so `times` times.
    Send {
        bytes: Arc<[u8]>,
        delay: Duration,
        times: u64,
    },
    /// After `delay` the connection ends so; nothing comes after it.
    End { end: End, delay: Duration },
}

/// How a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// In good order.
    Fin,
    /// With a reset.
    Reset,
    /// Not at all: it stays open in silence. What a script without an end does.
    Hold,
}

impl Step {
    /// Sends `bytes` at once.
    pub(crate) fn send(bytes: impl AsRef<[u8]>) -> Self {
        Self::send_after(0, bytes)
    }

    /// Sends `bytes` after so many milliseconds.
    pub(crate) fn send_after(delay_ms: u64, bytes: impl AsRef<[u8]>) -> Self {
        Self::send_times(1, delay_ms, bytes)
    }

    /// Sends `bytes` so many times, each after a delay.
    pub(crate) fn send_times(times: u64, delay_ms: u64, bytes: impl AsRef<[u8]>) -> Self {
        Self::Send {
            bytes: bytes.as_ref().into(),
            delay: Duration::from_millis(delay_ms),
            times,
        }
    }

    /// Ends in good order, at once.
    pub(crate) fn fin() -> Self {
        Self::End {
            end: End::Fin,
            delay: Duration::ZERO,
        }
    }

    /// Ends with a reset, at once.
    pub(crate) fn reset() -> Self {
        Self::End {
            end: End::Reset,
            delay: Duration::ZERO,
        }
    }
}

/// Bytes that come `times` times, first at `at`, then every `every`.
struct Piece {
    at: Moment,
    bytes: Arc<[u8]>,
    /// How much of the present time was read.
    read: usize,
    times: u64,
    every: Duration,
}

/// One side of a byte stream: what comes in, and where what is written goes.
pub(super) struct Pipe {
    incoming: VecDeque<Piece>,
    end: Option<(Moment, End)>,
    /// Most bytes that one read gives, and one write takes.
    read_max: usize,
    write_max: usize,
    /// When it is known whether the connection is there, and what came of it.
    connected: Option<Moment>,
    refused: Option<ErrorKind>,
    /// How many more bytes the other side takes before writes block for good.
    window: Option<usize>,
    /// Most bytes of one write, how long none is taken after it, and when the next is.
    pace: Option<(usize, Duration)>,
    open_from: Moment,
    /// The other end, where it is in this world.
    peer: Option<Source>,
    /// All that was written.
    pub(super) written: Vec<u8>,
    pub(super) writes: u64,
    steps: VecDeque<Step>,
    /// How much of `written` the steps have used up, and the range of the last request.
    used: usize,
    /// When the last step happened.
    last: Moment,
    pub(super) closed: Option<Moment>,
}

impl Pipe {
    /// An open pipe in which nothing comes and everything is taken.
    pub(super) fn new(now: Moment, read_max: usize, write_max: usize) -> Self {
        Self {
            incoming: VecDeque::new(),
            end: None,
            read_max,
            write_max,
            connected: Some(now),
            refused: None,
            window: None,
            pace: None,
            open_from: now,
            peer: None,
            written: Vec::new(),
            writes: 0,
            steps: VecDeque::new(),
            used: 0,
            last: now,
            closed: None,
        }
    }

    pub(super) fn set_connected(&mut self, at: Option<Moment>, refused: Option<ErrorKind>) {
        self.connected = at;
        self.refused = refused;
        self.last = at.unwrap_or(self.last);
    }

    pub(super) fn set_window(&mut self, bytes: Option<usize>) {
        self.window = bytes;
    }

    pub(super) fn set_pace(&mut self, pace: Option<(usize, Duration)>) {
        self.pace = pace;
    }

    pub(super) fn set_peer(&mut self, peer: Source) {
        self.peer = Some(peer);
    }

    /// Adds steps and does those that wait for nothing.
    pub(super) fn script(&mut self, steps: impl IntoIterator<Item = Step>) {
        self.steps.extend(steps);
        self.step(self.last);
    }

    /// Ends at `at` unless it has ended before.
    pub(super) fn end_at(&mut self, at: Moment, end: End) {
        if end == End::Hold || self.end.is_some_and(|(before, _)| before <= at) {
            return;
        }
        self.incoming.retain(|piece| piece.at <= at);
        self.end = Some((at, end));
    }

    pub(super) fn push(&mut self, at: Moment, bytes: Arc<[u8]>, times: u64, every: Duration) {
        if !bytes.is_empty() && times > 0 {
            self.incoming.push_back(Piece {
                at,
                bytes,
                read: 0,
                times,
                every,
            });
        }
    }

    /// Does every step that can be done now.
    fn step(&mut self, now: Moment) {
        while let Some(step) = self.steps.pop_front() {
            let rest = self.written.get(self.used..).unwrap_or_default();
            let needed = match &step {
                Step::Request => Some(request_end(rest, true)),
                Step::Head => Some(request_end(rest, false)),
                Step::Bytes(count) => Some((rest.len() >= *count).then_some(*count)),
                _ => None,
            };
            match needed {
                Some(None) => {
                    self.steps.push_front(step);
                    return;
                }
                Some(Some(count)) => {
                    self.used += count;
                    self.last = self.last.max(now);
                }
                None => self.act(step),
            }
        }
    }

    fn act(&mut self, step: Step) {
        match step {
            Step::Send {
                bytes,
                delay,
                times,
            } => {
                self.push(self.last.after(delay), bytes, times, delay);
                let steps = u32::try_from(times).unwrap_or(u32::MAX);
                self.last = self.last.after(delay.saturating_mul(steps));
            }
            Step::End { end, delay } => {
                self.last = self.last.after(delay);
                if end != End::Hold && self.end.is_none() {
                    self.end = Some((self.last, end));
                }
                self.steps.clear();
            }
            Step::Request | Step::Head | Step::Bytes(_) => {}
        }
    }

    /// When `want` is there; `None` if never by what is known now.
    fn ready_at(&self, want: Want) -> Option<Moment> {
        let connected = self.connected?;
        if self.refused.is_some() {
            return Some(connected);
        }
        let end = self.end.map(|(at, _)| at);
        let ready = match want {
            Want::Read => self.incoming.front().map(|piece| piece.at).or(end),
            Want::Write if self.window == Some(0) => end,
            Want::Write => match end {
                Some(end) => Some(self.open_from.min(end)),
                None => Some(self.open_from),
            },
            Want::Hangup => end,
        };
        ready.map(|ready| ready.max(connected))
    }

    fn check(&self, now: Moment) -> io::Result<()> {
        match (self.connected, self.refused) {
            (Some(at), Some(kind)) if at <= now => Err(fault(kind, "refused by the script")),
            (Some(at), None) if at <= now => Ok(()),
            _ => Err(ErrorKind::WouldBlock.into()),
        }
    }

    pub(super) fn read(&mut self, buffer: &mut [u8], now: Moment) -> io::Result<usize> {
        self.check(now)?;
        let Some(piece) = self.incoming.front_mut() else {
            return match self.end {
                Some((at, End::Fin)) if at <= now => Ok(0),
                Some((at, _)) if at <= now => Err(ErrorKind::ConnectionReset.into()),
                _ => Err(ErrorKind::WouldBlock.into()),
            };
        };
        if piece.at > now {
            return Err(ErrorKind::WouldBlock.into());
        }
        let rest = piece.bytes.get(piece.read..).unwrap_or_default();
        let count = rest.len().min(buffer.len()).min(self.read_max);
        for (to, from) in buffer.iter_mut().zip(rest.iter().take(count)) {
            *to = *from;
        }
        piece.read += count;
        if piece.read == piece.bytes.len() {
            piece.read = 0;
            piece.times -= 1;
            piece.at = piece.at.after(piece.every);
            if piece.times == 0 {
                self.incoming.pop_front();
            }
        }
        Ok(count)
    }

    /// How many bytes of `bytes` are taken.
    fn write(&mut self, bytes: &[u8], now: Moment) -> io::Result<usize> {
        self.check(now)?;
        if let Some((at, End::Reset)) = self.end
            && at <= now
        {
            return Err(ErrorKind::ConnectionReset.into());
        }
        let count = bytes
            .len()
            .min(self.write_max)
            .min(self.window.unwrap_or(usize::MAX));
        let count = count.min(self.pace.map_or(usize::MAX, |(bytes, _)| bytes));
        if (count == 0 || now < self.open_from) && !bytes.is_empty() {
            return Err(ErrorKind::WouldBlock.into());
        }
        if let Some(window) = &mut self.window {
            *window -= count;
        }
        if let Some((_, time)) = self.pace {
            self.open_from = now.after(time);
        }
        self.written
            .extend_from_slice(bytes.get(..count).unwrap_or_default());
        self.writes += 1;
        self.step(now);
        Ok(count)
    }
}

/// Where the first request in `bytes` ends, with its body or without; `None` if it is not whole.
pub(crate) fn request_end(bytes: &[u8], has_body: bool) -> Option<usize> {
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(bytes.get(..head)?).to_ascii_lowercase();
    let length = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|value| value.trim().parse().ok())
        .unwrap_or(0);
    let end = if has_body { head + length } else { head };
    (bytes.len() >= end).then_some(end)
}

/// Everything that can be waited for.
pub(super) enum Entry {
    Stream(Box<Pipe>),
    /// Readable from a moment on, if ever.
    Flag(Option<Moment>),
    /// Connections that wait to be accepted: our end of each.
    Listener(VecDeque<Source>),
}

#[derive(Default)]
pub(super) struct Sources {
    entries: BTreeMap<Source, Entry>,
    next: i32,
}

impl Sources {
    pub(super) fn add(&mut self, entry: Entry) -> Source {
        self.next += 1;
        let source = Source(self.next);
        self.entries.insert(source, entry);
        source
    }

    pub(super) fn replace(&mut self, source: Source, entry: Entry) {
        self.entries.insert(source, entry);
    }

    pub(super) fn remove(&mut self, source: Source) -> Option<Entry> {
        self.entries.remove(&source)
    }

    pub(super) fn set_flag(&mut self, source: Source, at: Moment) {
        if let Some(Entry::Flag(ready)) = self.entries.get_mut(&source) {
            *ready = Some(ready.map_or(at, |before| before.min(at)));
        }
    }

    pub(super) fn flag(&self, source: Source) -> Option<Moment> {
        match self.entries.get(&source) {
            Some(Entry::Flag(at)) => *at,
            _ => None,
        }
    }

    pub(super) fn pipe(&mut self, source: Source) -> Option<&mut Pipe> {
        match self.entries.get_mut(&source) {
            Some(Entry::Stream(pipe)) => Some(pipe),
            _ => None,
        }
    }

    pub(super) fn waiting(&mut self, listener: Source) -> Option<&mut VecDeque<Source>> {
        match self.entries.get_mut(&listener) {
            Some(Entry::Listener(waiting)) => Some(waiting),
            _ => None,
        }
    }

    /// When an interest is ready, `None` if never; an error if the source is closed.
    pub(super) fn ready_at(&self, interest: Interest) -> Result<Option<Moment>, String> {
        match self.entries.get(&interest.source) {
            Some(Entry::Stream(pipe)) => Ok(pipe.ready_at(interest.want)),
            Some(Entry::Flag(at)) => Ok(*at),
            Some(Entry::Listener(waiting)) => Ok((!waiting.is_empty()).then(Moment::default)),
            None => Err(format!(
                "{} is closed and still waited for",
                super::name_of(interest.source)
            )),
        }
    }
}

/// A stream of the fake world; dropped to close.
pub(super) struct FakeStream {
    pub(super) fake: Fake,
    pub(super) source: Source,
}

impl FakeStream {
    fn with_pipe<T>(&self, act: impl FnOnce(&mut Pipe, Moment) -> io::Result<T>) -> io::Result<T> {
        let mut state = self.fake.enter();
        let now = state.now;
        match state.sources.pipe(self.source) {
            Some(pipe) => act(pipe, now),
            None => Err(ErrorKind::NotConnected.into()),
        }
    }
}

impl Stream for FakeStream {
    fn source(&self) -> Source {
        self.source
    }

    fn connected(&mut self) -> io::Result<()> {
        self.with_pipe(|pipe, now| pipe.check(now))
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.with_pipe(|pipe, now| pipe.read(buffer, now))
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (count, peer, now) = self.with_pipe(|pipe, now| {
            let count = pipe.write(bytes, now)?;
            Ok((count, pipe.peer, now))
        })?;
        if let Some(peer) = peer {
            let mut state = self.fake.look();
            match state.sources.pipe(peer) {
                Some(pipe) => {
                    let taken = bytes.get(..count).unwrap_or_default();
                    pipe.push(now, taken.into(), 1, Duration::ZERO);
                }
                None => return Err(ErrorKind::BrokenPipe.into()),
            }
        }
        Ok(count)
    }
}

impl Drop for FakeStream {
    fn drop(&mut self) {
        let ended = {
            let mut state = self.fake.look();
            let now = state.now;
            let Some(Entry::Stream(mut pipe)) = state.sources.remove(self.source) else {
                return;
            };
            pipe.closed = Some(now);
            if let Some(peer) = pipe.peer
                && let Some(other) = state.sources.pipe(peer)
            {
                other.end_at(now, End::Fin);
            }
            state.net.keep(self.source, &mut pipe);
            state.take_input_end(self.source, pipe.written)
        };
        if let Some((child, program)) = ended {
            self.fake.begin(child, program);
        }
    }
}
