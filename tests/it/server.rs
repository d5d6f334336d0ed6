//! A scripted server on loopback or a unix socket: reads requests strictly, writes what the script says.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::request::{complete, faults};
use crate::seen::{Request, Seen};

/// Between the last byte and a reset.
const RESET_PAUSE: Duration = Duration::from_millis(50);

/// One thing that a server does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Bytes(Vec<u8>),
    Pause(Duration),
    End(End),
}

/// How a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// In order, after what was written.
    Fin,
    /// By a reset, after what was written.
    Reset,
    /// Not at all: until the program hangs up.
    Hold,
}

/// What the script has for a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) steps: Vec<Step>,
    /// Bytes of each write; 0 for as given.
    pub(crate) piece_bytes: usize,
    /// Bytes of the reply that go out in pieces; what follows goes as given.
    pub(crate) pieces_until: usize,
}

/// Answers requests.
pub(crate) trait Script: Send + Sync {
    /// Whether to answer the request `nth` (from 1) of connection `connection` (from 1) before reading its body, and
    /// whether the reply ends in a reset.
    fn manner(&self, _connection: usize, _nth: usize) -> Manner {
        Manner::default()
    }
    /// The reply, or `None` if there is none: the connection is closed and the request counts as a fault.
    fn reply(&self, connection: usize, nth: usize, request: &Request) -> Option<Reply>;
}

/// How a request is read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner {
    pub(crate) is_early: bool,
    /// A socket that is closed with bytes unread is reset: so one is left.
    pub(crate) is_reset: bool,
}

/// What the server checks of requests.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Strictness {
    /// Targets may be whole URLs, as a proxy sees them.
    pub(crate) is_proxy: bool,
    /// Requests are not checked at all.
    pub(crate) is_lenient: bool,
}

/// A listening server; closed when dropped.
pub(crate) struct Server {
    /// `http://127.0.0.1:PORT` or `unix:PATH`.
    pub(crate) url: String,
    listener: Option<JoinHandle<()>>,
    shared: Arc<Shared>,
    unix: Option<PathBuf>,
    /// `127.0.0.1:PORT`.
    address: String,
}

struct Shared {
    script: Box<dyn Script>,
    seen: Seen,
    strictness: Strictness,
    host: String,
    is_over: AtomicBool,
    /// A second handle of each open connection, by its number.
    open: Mutex<Vec<(usize, Socket)>>,
}

impl Server {
    /// Listens on a free port of loopback.
    pub(crate) fn tcp(script: Box<dyn Script>, seen: &Seen, strictness: Strictness) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let shared = Shared::new(script, seen, strictness, &address);
        let accepting = Arc::clone(&shared);
        let accept = move || accept(&accepting, || Ok(Socket::Tcp(listener.accept()?.0)));
        Self {
            url: format!("http://{address}"),
            listener: Some(thread::spawn(accept)),
            shared,
            unix: None,
            address,
        }
    }

    /// Listens on a unix socket at `path`.
    pub(crate) fn unix(
        script: Box<dyn Script>,
        seen: &Seen,
        strictness: Strictness,
        path: &Path,
    ) -> Self {
        let listener = UnixListener::bind(path).unwrap();
        let shared = Shared::new(script, seen, strictness, "localhost");
        let accepting = Arc::clone(&shared);
        let accept = move || accept(&accepting, || Ok(Socket::Unix(listener.accept()?.0)));
        Self {
            url: format!("unix:{}", path.display()),
            listener: Some(thread::spawn(accept)),
            shared,
            unix: Some(path.to_owned()),
            address: String::new(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Somebody knocks, so that `accept` returns.
        let _ = match &self.unix {
            Some(path) => UnixStream::connect(path).map(drop),
            None => TcpStream::connect(&self.address).map(drop),
        };
        for (_, socket) in self.shared.open.lock().unwrap().iter() {
            socket.shutdown();
        }
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

impl Shared {
    fn new(script: Box<dyn Script>, seen: &Seen, strictness: Strictness, host: &str) -> Arc<Self> {
        Arc::new(Self {
            script,
            seen: seen.clone(),
            strictness,
            host: host.to_owned(),
            is_over: AtomicBool::new(false),
            open: Mutex::new(Vec::new()),
        })
    }
}

fn accept(shared: &Arc<Shared>, mut next: impl FnMut() -> io::Result<Socket>) {
    let mut threads = Vec::new();
    while let Ok(socket) = next() {
        if shared.is_over.load(Ordering::SeqCst) {
            break;
        }
        let connection = shared.seen.update(|state| {
            state.connections += 1;
            state.connections
        });
        shared
            .open
            .lock()
            .unwrap()
            .push((connection, socket.twin()));
        let shared = Arc::clone(shared);
        threads.push(thread::spawn(move || {
            serve(&shared, socket, connection);
        }));
    }
    for (_, socket) in shared.open.lock().unwrap().iter() {
        socket.shutdown();
    }
    for thread in threads {
        let _ = thread.join();
    }
}

/// Answers requests until the connection ends.
fn serve(shared: &Shared, mut socket: Socket, connection: usize) {
    socket.set_up();
    for nth in 1.. {
        let manner = shared.script.manner(connection, nth);
        let request = match read_request(&mut socket, manner) {
            Ok(Some(request)) => request,
            Ok(None) => break,
            Err(fault) => {
                if !shared.is_over.load(Ordering::SeqCst) {
                    shared.seen.update(|state| state.faults.push(fault));
                }
                break;
            }
        };
        let mut wrong = Vec::new();
        if !shared.strictness.is_lenient {
            wrong = faults(
                &request,
                &shared.host,
                shared.strictness.is_proxy,
                !manner.is_early,
            );
        }
        let reply = shared.script.reply(connection, nth, &request);
        shared.seen.update(|state| {
            if reply.is_none() {
                let what = format!(
                    "no reply was scripted for {} {}",
                    request.method, request.target
                );
                state.faults.push(what);
            }
            state.faults.append(&mut wrong);
            state.requests.push(request);
        });
        let Some(reply) = reply else { break };
        match write_reply(&mut socket, &reply) {
            Ok(None) => shared.seen.update(|state| state.replies += 1),
            Ok(Some(end)) => {
                shared.seen.update(|state| state.replies += 1);
                if end == End::Hold {
                    // Whatever comes, until the program hangs up or the case is over.
                    let _ = io::copy(&mut socket, &mut io::sink());
                    shared.seen.update(|state| state.hung_up += 1);
                }
                break;
            }
            Err(_) => {
                shared.seen.update(|state| state.hung_up += 1);
                break;
            }
        }
    }
    // The last handle closes the connection.
    let mut open = shared.open.lock().unwrap();
    open.retain(|(other, _)| *other != connection);
}

fn write_reply(socket: &mut Socket, reply: &Reply) -> io::Result<Option<End>> {
    let mut sent = 0;
    for step in &reply.steps {
        match step {
            Step::Pause(pause) => thread::sleep(*pause),
            Step::End(end) => {
                if *end == End::Reset {
                    // A reset takes away what the system has not sent yet, and small writes wait for their turn.
                    thread::sleep(RESET_PAUSE);
                }
                return Ok(Some(*end));
            }
            Step::Bytes(bytes) => {
                let in_pieces = bytes
                    .len()
                    .min(reply.pieces_until.saturating_sub(sent))
                    .min(if reply.piece_bytes == 0 {
                        0
                    } else {
                        usize::MAX
                    });
                for piece in bytes[..in_pieces].chunks(reply.piece_bytes.max(1)) {
                    socket.write_all(piece)?;
                }
                socket.write_all(&bytes[in_pieces..])?;
                sent += bytes.len();
            }
        }
    }
    Ok(None)
}

/// The next request, `None` if the connection ended before one began.
fn read_request(socket: &mut Socket, manner: Manner) -> Result<Option<Request>, String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        match socket.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ if head.is_empty() => return Ok(None),
            _ => {
                return Err(format!(
                    "the head of a request broke off: {}",
                    head.escape_ascii()
                ));
            }
        }
        if 64 * 1024 < head.len() {
            return Err("the head of a request is longer than 64 KiB".to_owned());
        }
    }
    let (mut request, length) = complete(&head)?;
    if manner.is_early {
        return Ok(Some(request));
    }
    let held_back = usize::from(manner.is_reset && 0 < length);
    request.body = vec![0; length - held_back];
    socket
        .read_exact(&mut request.body)
        .map_err(|error| format!("the body of a request broke off: {error}"))?;
    if held_back == 1 {
        request
            .body
            .push(socket.peek().map_err(|error| error.to_string())?);
    }
    Ok(Some(request))
}

enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    fn twin(&self) -> Self {
        match self {
            Self::Tcp(stream) => Self::Tcp(stream.try_clone().unwrap()),
            Self::Unix(stream) => Self::Unix(stream.try_clone().unwrap()),
        }
    }

    fn set_up(&self) {
        if let Self::Tcp(stream) = self {
            stream.set_nodelay(true).unwrap();
        }
    }

    fn shutdown(&self) {
        let _ = match self {
            Self::Tcp(stream) => stream.shutdown(Shutdown::Both),
            Self::Unix(stream) => stream.shutdown(Shutdown::Both),
        };
    }

    /// The next byte, which stays unread.
    fn peek(&self) -> io::Result<u8> {
        let mut byte = [0];
        match self {
            Self::Tcp(stream) => stream.peek(&mut byte)?,
            Self::Unix(_) => return Err(io::ErrorKind::Unsupported.into()),
        };
        Ok(byte[0])
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
