//! The sockets of the built-in endpoint: connections accepted, fed and drained without ever waiting.

use std::io;
use std::net::SocketAddr;

use crate::offline::Connection;
use crate::tool::Tool;
use crate::world::{Interest, Listener, Source, Stream, World};

/// Connections at one time; for one more the idlest is closed.
const CONNECTIONS_MAX: usize = 64;
/// Bytes read at once.
const PIECE_BYTES_MAX: usize = 64 * 1024;

/// Bytes that are taken and dropped after a refusal.
const DRAINED_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A listening built-in endpoint.
pub(crate) struct Server {
    listener: Box<dyn Listener>,
    guests: Vec<Guest>,
    tools: &'static [Tool],
    /// Room to read into, for all of them.
    piece: Vec<u8>,
    /// Counts what guests send and take: the smaller a guest's count, the longer it has done nothing.
    turns: u64,
}

struct Guest {
    stream: Box<dyn Stream>,
    connection: Connection,
    /// The count of [`Server::turns`] when it last sent or took anything.
    last: u64,
    /// What came after a refusal, and was dropped.
    drained_bytes: usize,
    is_over: bool,
}

impl Server {
    /// Listens on `address`; port 0 picks one.
    pub(crate) fn bind(
        world: &World,
        address: SocketAddr,
        tools: &'static [Tool],
    ) -> io::Result<Self> {
        Ok(Self {
            listener: world.net.listen(address)?,
            guests: Vec::new(),
            tools,
            piece: vec![0; PIECE_BYTES_MAX],
            turns: 0,
        })
    }

    /// Its base address, as it goes into `endpoint.url`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.listener.address())
    }

    /// What it waits for.
    pub(crate) fn interests(&self) -> Vec<Interest> {
        let mut interests = Vec::with_capacity(self.guests.len() + 1);
        interests.push(Interest::read(self.listener.source()));
        for guest in &self.guests {
            // What is not read yet waits while an answer is not taken.
            interests.push(if guest.has_output() {
                Interest::write(guest.stream.source())
            } else {
                Interest::read(guest.stream.source())
            });
        }
        interests
    }

    /// Whether `source` is one of its own.
    pub(crate) fn owns(&self, source: Source) -> bool {
        self.listener.source() == source
            || self
                .guests
                .iter()
                .any(|guest| guest.stream.source() == source)
    }

    /// Does all that can be done without waiting.
    pub(crate) fn advance(&mut self, world: &World) {
        let unix_seconds = world.clock.wall().unix_seconds;
        // Those that are here first, so that nobody who has just sent something is taken for idle.
        self.serve(unix_seconds);
        // A client that comes never ends: the bound leaves the rest to the next time.
        for _ in 0..CONNECTIONS_MAX {
            let Ok(stream) = self.listener.accept() else {
                break; // Nobody waits, or whoever did went away.
            };
            self.make_room();
            self.turns += 1;
            let mut guest = Guest {
                stream,
                connection: Connection::new(self.tools),
                last: self.turns,
                drained_bytes: 0,
                is_over: false,
            };
            // At once: its request may be here already, and then it is no idle guest to the next that comes.
            guest.serve(&mut self.piece, unix_seconds);
            self.guests.push(guest);
        }
    }

    fn serve(&mut self, unix_seconds: i64) {
        for guest in &mut self.guests {
            self.turns += 1;
            if guest.serve(&mut self.piece, unix_seconds) {
                guest.last = self.turns;
            }
        }
        self.guests.retain(|guest| !guest.is_over);
    }

    /// Where there are as many guests as may be, the idlest goes: one without a request first, then whoever has sent
    /// and taken nothing for longest. So clients that never read, or never leave, keep nobody out.
    fn make_room(&mut self) {
        if self.guests.len() < CONNECTIONS_MAX {
            return;
        }
        let idlest = self
            .guests
            .iter()
            .enumerate()
            .min_by_key(|(_, guest)| (!guest.connection.is_idle(), guest.last));
        if let Some((at, _)) = idlest {
            self.guests.remove(at);
        }
    }
}

impl Guest {
    fn has_output(&self) -> bool {
        !self.connection.out().is_empty()
    }

    /// Reads and writes what can be read and written; whether that was anything.
    fn serve(&mut self, piece: &mut [u8], unix_seconds: i64) -> bool {
        let mut has_moved = false;
        // A client that never reads fills no memory: nothing more is read from it.
        while !self.has_output() && !self.connection.is_closing() {
            match self.stream.read(piece) {
                Ok(0) => {
                    self.is_over = true;
                    return has_moved;
                }
                Ok(count) => {
                    has_moved = true;
                    self.connection
                        .feed(piece.get(..count).unwrap_or_default(), unix_seconds);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => {
                    self.is_over = true;
                    return has_moved;
                }
            }
        }
        while self.has_output() {
            match self.stream.write(self.connection.out()) {
                Ok(count) => {
                    has_moved = true;
                    self.connection.wrote(count);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return has_moved,
                Err(_) => {
                    self.is_over = true;
                    return has_moved;
                }
            }
        }
        if self.connection.is_closing() {
            self.is_over |= !self.connection.is_refused() || self.is_drained(piece);
        }
        has_moved
    }

    /// Drops what still comes after a refusal in the middle of a request; whether that is at an end. A socket closed on
    /// unread bytes resets the connection, and the client would never see why it was refused (RFC 9112 §9.6).
    fn is_drained(&mut self, piece: &mut [u8]) -> bool {
        loop {
            match self.stream.read(piece) {
                Ok(0) => return true,
                Ok(count) => self.drained_bytes += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) => return error.kind() != io::ErrorKind::WouldBlock,
            }
            if DRAINED_BYTES_MAX < self.drained_bytes {
                return true;
            }
        }
    }
}
