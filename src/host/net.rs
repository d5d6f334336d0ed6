//! Sockets that never block, and names looked up on threads.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::sys::{self, PollFd};
use super::threads::raise;
use crate::world::{Listener, Lookup, Net, Peer, Source, Stream};

/// How many names may be looked up at once; those given up count until the system answers.
const LOOKUPS_MAX: usize = 64;

/// How many names are being looked up.
static LOOKUPS: AtomicUsize = AtomicUsize::new(0);

/// The machine's network.
pub(super) struct Network;

impl Net for Network {
    fn lookup(&self, host: &str, port: u16) -> Box<dyn Lookup> {
        Box::new(begin_lookup(host, port))
    }

    fn connect(&self, peer: &Peer) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(begin_connection(peer)?))
    }

    fn listen(&self, address: SocketAddr) -> io::Result<Box<dyn Listener>> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Box::new(Door { listener, address }))
    }
}

fn begin_connection(peer: &Peer) -> io::Result<Connection> {
    let socket = match peer {
        Peer::Ip(address) => {
            let stream = TcpStream::from(sys::connect_ip(address)?);
            // A request is written whole: nothing to wait for and join.
            stream.set_nodelay(true)?;
            Socket::Tcp(stream)
        }
        Peer::Unix(path) => {
            let opened = sys::connect_unix(path).map_err(|error| match error.kind() {
                // Nothing could be waited for: a full queue is a refusal.
                ErrorKind::WouldBlock => {
                    io::Error::new(ErrorKind::ConnectionRefused, "too many others wait there")
                }
                _ => error,
            });
            Socket::Unix(UnixStream::from(opened?))
        }
    };
    Ok(Connection {
        socket,
        state: State::Begun,
    })
}

enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// A connection, perhaps still on its way.
struct Connection {
    socket: Socket,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    Begun,
    Connected,
    /// The system gives the reason once; this keeps it.
    Failed(i32),
}

impl Connection {
    /// Whether the system knows by now how the connecting ended.
    fn is_decided(&self) -> io::Result<bool> {
        let mut fds = [PollFd {
            fd: self.source().0,
            events: sys::POLLOUT,
            revents: 0,
        }];
        Ok(sys::poll_fds(&mut fds, 0)? > 0)
    }

    /// A port of this machine that nobody listens on may be picked as our own and then answers
    /// itself (simultaneous open, RFC 9293 section 3.5).
    fn is_own_echo(&self) -> bool {
        match &self.socket {
            Socket::Tcp(stream) => {
                matches!((stream.local_addr(), stream.peer_addr()), (Ok(own), Ok(peer)) if own == peer)
            }
            Socket::Unix(_) => false,
        }
    }
}

impl Stream for Connection {
    fn source(&self) -> Source {
        Source(match &self.socket {
            Socket::Tcp(stream) => stream.as_raw_fd(),
            Socket::Unix(stream) => stream.as_raw_fd(),
        })
    }

    fn connected(&mut self) -> io::Result<()> {
        match self.state {
            State::Connected => return Ok(()),
            State::Failed(code) => return Err(io::Error::from_raw_os_error(code)),
            State::Begun => {}
        }
        match self.is_decided() {
            Ok(true) => {}
            Ok(false) => return Err(ErrorKind::WouldBlock.into()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                return Err(ErrorKind::WouldBlock.into());
            }
            Err(error) => return Err(error),
        }
        let failure = match &self.socket {
            Socket::Tcp(stream) => stream.take_error()?,
            Socket::Unix(stream) => stream.take_error()?,
        };
        if let Some(error) = failure {
            if let Some(code) = error.raw_os_error() {
                self.state = State::Failed(code);
            }
            return Err(error);
        }
        if self.is_own_echo() {
            return Err(ErrorKind::ConnectionRefused.into());
        }
        self.state = State::Connected;
        Ok(())
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        uninterrupted(|| match &mut self.socket {
            Socket::Tcp(stream) => stream.read(buffer),
            Socket::Unix(stream) => stream.read(buffer),
        })
    }

    /// The standard library sends with `MSG_NOSIGNAL`; SIGPIPE is ignored besides.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        uninterrupted(|| match &mut self.socket {
            Socket::Tcp(stream) => stream.write(bytes),
            Socket::Unix(stream) => stream.write(bytes),
        })
    }
}

/// Repeats what a signal interrupted before it did anything.
pub(super) fn uninterrupted(mut attempt: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match attempt() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// A listening socket.
struct Door {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listener for Door {
    fn source(&self) -> Source {
        Source(self.listener.as_raw_fd())
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn accept(&mut self) -> io::Result<Box<dyn Stream>> {
        let (stream, _) = self.listener.accept()?;
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Box::new(Connection {
            socket: Socket::Tcp(stream),
            state: State::Connected,
        }))
    }
}

/// A name being looked up, or one whose answer is there.
struct Question {
    answer: Arc<Answer>,
    /// Readable when the answer is there.
    source: Source,
}

/// Shared with the thread, which may outlive the question.
struct Answer {
    addresses: Mutex<Option<io::Result<Vec<SocketAddr>>>>,
    /// `None` if the system had no descriptor left; then the answer says so.
    event: Option<OwnedFd>,
}

impl Answer {
    fn put(&self, addresses: io::Result<Vec<SocketAddr>>) {
        *self
            .addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(addresses);
        if let Some(event) = &self.event {
            raise(event);
        }
    }
}

impl Lookup for Question {
    fn source(&self) -> Source {
        self.source
    }

    fn take(&mut self) -> Option<io::Result<Vec<SocketAddr>>> {
        self.answer
            .addresses
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

fn begin_lookup(host: &str, port: u16) -> Question {
    let event = sys::event(0);
    let (event, failure) = match event {
        Ok(event) => (Some(event), None),
        Err(error) => (None, Some(error)),
    };
    // A number that no descriptor has counts as closed, and so as ready: the answer is there.
    let source = Source(event.as_ref().map_or(i32::MAX, AsRawFd::as_raw_fd));
    let answer = Arc::new(Answer {
        addresses: Mutex::new(None),
        event,
    });
    if let Some(error) = failure {
        answer.put(Err(error));
    } else if is_localhost(host) {
        answer.put(Ok(loopback(port)));
    } else if let Err(error) = ask(host.to_string(), port, Arc::clone(&answer)) {
        answer.put(Err(error));
    }
    Question { answer, source }
}

/// `localhost` and every name under it are this machine, whatever a name server says (RFC 6761
/// section 6.3).
fn is_localhost(host: &str) -> bool {
    let host = host.strip_suffix('.').unwrap_or(host);
    let last = host.rsplit('.').next().unwrap_or(host);
    last.eq_ignore_ascii_case("localhost")
}

fn loopback(port: u16) -> Vec<SocketAddr> {
    vec![
        SocketAddr::from((Ipv6Addr::LOCALHOST, port)),
        SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
    ]
}

/// Asks the system on a thread that nobody waits for: nothing ends a lookup early.
fn ask(host: String, port: u16, answer: Arc<Answer>) -> io::Result<()> {
    if LOOKUPS.fetch_add(1, Ordering::Relaxed) >= LOOKUPS_MAX {
        LOOKUPS.fetch_sub(1, Ordering::Relaxed);
        let text = format!("{LOOKUPS_MAX} other names are still being looked up");
        return Err(io::Error::other(text));
    }
    let started = thread::Builder::new()
        .name("lookup".to_string())
        .spawn(move || {
            let found = (host.as_str(), port).to_socket_addrs();
            LOOKUPS.fetch_sub(1, Ordering::Relaxed);
            answer.put(found.map(distinct));
        });
    if started.is_err() {
        LOOKUPS.fetch_sub(1, Ordering::Relaxed);
    }
    started.map(|_| ())
}

/// The addresses in the system's order, each once.
fn distinct(found: impl Iterator<Item = SocketAddr>) -> Vec<SocketAddr> {
    let mut addresses: Vec<SocketAddr> = Vec::new();
    for address in found {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    addresses
}

#[cfg(test)]
mod tests;
