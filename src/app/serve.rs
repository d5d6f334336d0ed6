//! The sockets of the built-in endpoint: connections accepted, fed and drained without ever waiting.

use std::io;
use std::net::SocketAddr;

use crate::offline::Connection;
use crate::tool::Tool;
use crate::world::{Interest, Listener, Source, Stream, World};

/// Connections at one time; more wait in the system's queue.
const CONNECTIONS_MAX: usize = 64;
/// Bytes read at once.
const PIECE_BYTES_MAX: usize = 64 * 1024;

/// A listening built-in endpoint.
pub(crate) struct Server {
    listener: Box<dyn Listener>,
    guests: Vec<Guest>,
    tools: &'static [Tool],
}

struct Guest {
    stream: Box<dyn Stream>,
    connection: Connection,
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
        })
    }

    /// Its base address, as it goes into `endpoint.url`.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.listener.address())
    }

    /// What it waits for.
    pub(crate) fn interests(&self) -> Vec<Interest> {
        let mut interests = Vec::with_capacity(self.guests.len() + 1);
        if self.guests.len() < CONNECTIONS_MAX {
            interests.push(Interest::read(self.listener.source()));
        }
        for guest in &self.guests {
            interests.push(Interest::read(guest.stream.source()));
            if guest.has_output() {
                interests.push(Interest::write(guest.stream.source()));
            }
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
        while self.guests.len() < CONNECTIONS_MAX {
            let Ok(stream) = self.listener.accept() else {
                break; // Nobody waits, or whoever did went away.
            };
            self.guests.push(Guest {
                stream,
                connection: Connection::new(self.tools),
                is_over: false,
            });
        }
        let unix_seconds = world.clock.wall().unix_seconds;
        for guest in &mut self.guests {
            guest.serve(unix_seconds);
        }
        self.guests.retain(|guest| !guest.is_over);
    }
}

impl Guest {
    fn has_output(&self) -> bool {
        !self.connection.out_ref().is_empty()
    }

    fn serve(&mut self, unix_seconds: i64) {
        let mut piece = vec![0; PIECE_BYTES_MAX];
        // What is not read yet waits while an answer is not taken: a client that never reads fills no memory.
        while !self.has_output() && !self.connection.is_closing() {
            match self.stream.read(&mut piece) {
                Ok(0) => {
                    self.is_over = true;
                    return;
                }
                Ok(count) => self.connection.feed(&piece[..count], unix_seconds),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(_) => {
                    self.is_over = true;
                    return;
                }
            }
        }
        while self.has_output() {
            match self.stream.write(self.connection.out_ref()) {
                Ok(count) => drop(self.connection.out().drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => {
                    self.is_over = true;
                    return;
                }
            }
        }
        self.is_over |= self.connection.is_closing();
    }
}
