//! The network: byte streams that never block, and listeners.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use super::Source;

/// Whom to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Peer {
    Ip(SocketAddr),
    /// A unix socket.
    Unix(PathBuf),
}

/// Connections and names.
pub(crate) trait Net: Send + Sync {
    /// Starts to look a name up. Address literals never come here.
    fn lookup(&self, host: &str, port: u16) -> Box<dyn Lookup>;
    /// Starts to connect and returns at once.
    fn connect(&self, peer: &Peer) -> io::Result<Box<dyn Stream>>;
    /// Listens on `address`; port 0 picks one.
    fn listen(&self, address: SocketAddr) -> io::Result<Box<dyn Listener>>;
}

/// A name being looked up; dropped to give up.
pub(crate) trait Lookup: Send {
    /// Readable when [`Lookup::take`] has something.
    fn source(&self) -> Source;
    /// The addresses, once; `None` while there are none yet.
    fn take(&mut self) -> Option<io::Result<Vec<SocketAddr>>>;
}

/// A connection or pipe. Nothing here ever waits: `WouldBlock` says to wait for the source.
pub(crate) trait Stream: Send {
    fn source(&self) -> Source;
    /// Whether the connection that [`Net::connect`] began is there; `WouldBlock` while it is not known.
    fn connected(&mut self) -> io::Result<()>;
    /// 0 at the end.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>;
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;
}

/// A socket that others connect to.
pub(crate) trait Listener: Send {
    /// Readable when somebody waits.
    fn source(&self) -> Source;
    fn address(&self) -> SocketAddr;
    fn accept(&mut self) -> io::Result<Box<dyn Stream>>;
}
