//! TCP and unix sockets that never block, and names looked up aside.

use std::io::{self, PipeReader, Read as _, Write as _, pipe};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;

use super::sys::{self, POLLOUT, PollFd};
use crate::world::{Listener, Lookup, Net, Peer, Source, Stream};

/// The machine's network.
pub(super) struct HostNet;

impl Net for HostNet {
    fn lookup(&self, host: &str, port: u16) -> Box<dyn Lookup> {
        // RFC 6761 §6.3: this name is loopback, whatever a resolver says.
        let lower = host.trim_end_matches('.').to_ascii_lowercase();
        if lower == "localhost" || lower.ends_with(".localhost") {
            let both = [IpAddr::V6(Ipv6Addr::LOCALHOST), IpAddr::V4(Ipv4Addr::LOCALHOST)];
            return Box::new(Found(Some(Ok(both.map(|ip| SocketAddr::new(ip, port)).to_vec()))));
        }
        match Asked::start(host.to_owned(), port) {
            Ok(asked) => Box::new(asked),
            Err(error) => Box::new(Found(Some(Err(error)))),
        }
    }

    fn connect(&self, peer: &Peer) -> io::Result<Box<dyn Stream>> {
        Ok(match peer {
            Peer::Ip(address) => Box::new(Tcp::new(TcpStream::from(sys::connect_ip(*address)?), true)?),
            Peer::Unix(path) => Box::new(Unix(UnixStream::from(sys::connect_unix(path)?))),
        })
    }

    fn listen(&self, address: SocketAddr) -> io::Result<Box<dyn Listener>> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok(Box::new(Port { listener, address }))
    }
}

type Addresses = io::Result<Vec<SocketAddr>>;

/// A name whose addresses are there already.
struct Found(Option<Addresses>);

impl Lookup for Found {
    /// Nothing to wait for: the addresses are taken before anybody waits.
    fn source(&self) -> Source {
        Source(-1)
    }
    fn take(&mut self) -> Option<Addresses> {
        self.0.take()
    }
}

/// A name that a thread is looking up. The system's resolver cannot be interrupted, so the thread is left behind.
struct Asked {
    reader: PipeReader,
    slot: Arc<Mutex<Option<Addresses>>>,
}

impl Asked {
    fn start(host: String, port: u16) -> io::Result<Self> {
        let (reader, mut writer) = pipe()?;
        let slot = Arc::new(Mutex::new(None));
        let answer = Arc::clone(&slot);
        Builder::new().name("lookup".to_owned()).spawn(move || {
            let addresses = (host.as_str(), port).to_socket_addrs().map(Iterator::collect);
            *answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(addresses);
            _ = writer.write(&[1]); // Nobody may wait any more.
        })?;
        Ok(Self { reader, slot })
    }
}

impl Lookup for Asked {
    fn source(&self) -> Source {
        Source(self.reader.as_raw_fd())
    }
    fn take(&mut self) -> Option<Addresses> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

struct Tcp {
    stream: TcpStream,
    is_connecting: bool,
}

impl Tcp {
    fn new(stream: TcpStream, is_connecting: bool) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        _ = stream.set_nodelay(true); // Slower without, not wrong.
        Ok(Self { stream, is_connecting })
    }
}

impl Stream for Tcp {
    fn source(&self) -> Source {
        Source(self.stream.as_raw_fd())
    }

    fn connected(&mut self) -> io::Result<()> {
        if !self.is_connecting {
            return Ok(());
        }
        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        let mut fds = [PollFd {
            fd: self.stream.as_raw_fd(),
            events: POLLOUT,
            revents: 0,
        }];
        if sys::wait(&mut fds, 0)? == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        self.is_connecting = false;
        Ok(())
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }
}

struct Unix(UnixStream);

impl Stream for Unix {
    fn source(&self) -> Source {
        Source(self.0.as_raw_fd())
    }
    fn connected(&mut self) -> io::Result<()> {
        Ok(()) // A unix socket is connected at once or not at all.
    }
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }
}

struct Port {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listener for Port {
    fn source(&self) -> Source {
        Source(self.listener.as_raw_fd())
    }
    fn address(&self) -> SocketAddr {
        self.address
    }
    fn accept(&mut self) -> io::Result<Box<dyn Stream>> {
        let (stream, _) = self.listener.accept()?;
        Ok(Box::new(Tcp::new(stream, false)?))
    }
}
