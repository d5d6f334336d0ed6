//! Sockets of this machine: accepted, refused, not yet known; names.

use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::*;
use crate::host::scratch::{Scratch, has_program, say_skipped};

/// Waits for `source` as a driver would, without one.
fn wait(source: Source, events: i16) {
    let mut fds = [PollFd {
        fd: source.0,
        events,
        revents: 0,
    }];
    sys::poll_fds(&mut fds, -1).unwrap();
}

fn connected(stream: &mut dyn Stream) -> io::Result<()> {
    wait(stream.source(), sys::POLLOUT);
    stream.connected()
}

/// Says hello there and back over a connection made by the port.
fn check_talk(stream: &mut dyn Stream, accepted: &mut dyn Stream) {
    connected(stream).unwrap();
    stream.connected().unwrap();
    accepted.connected().unwrap();
    let mut buffer = [0; 10];
    let kind = |result: io::Result<usize>| result.unwrap_err().kind();
    assert_eq!(kind(stream.read(&mut buffer)), ErrorKind::WouldBlock);
    for _ in 0..2 {
        assert_eq!(stream.write(b"there").unwrap(), 5);
        wait(accepted.source(), sys::POLLIN);
        assert_eq!(accepted.read(&mut buffer).unwrap(), 5);
        assert_eq!(accepted.write(b"back").unwrap(), 4);
        wait(stream.source(), sys::POLLIN);
        assert_eq!(stream.read(&mut buffer).unwrap(), 4);
        assert_eq!(&buffer[..4], b"back");
    }
}

/// Fills a stream whose other side does not read, then sees it end.
fn check_full_and_gone(stream: &mut dyn Stream, accepted: Box<dyn Stream>) {
    let piece = vec![7; 65_536];
    let error = loop {
        if let Err(error) = stream.write(&piece) {
            break error;
        }
    };
    assert_eq!(error.kind(), ErrorKind::WouldBlock);
    drop(accepted);
    wait(stream.source(), sys::POLLIN);
    let error = loop {
        match stream.write(&piece) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                wait(stream.source(), sys::POLLOUT);
            }
            Err(error) => break error,
        }
    };
    let is_gone = matches!(
        error.kind(),
        ErrorKind::BrokenPipe | ErrorKind::ConnectionReset
    );
    assert!(is_gone, "{error}");
}

#[test]
fn both_kinds_of_addresses_are_connected_and_accepted() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let Ok(mut listener) = Network.listen(address.parse().unwrap()) else {
            say_skipped(&format!("no {address} here"));
            continue;
        };
        assert_ne!(listener.address().port(), 0);
        let none = listener.accept().err().unwrap();
        assert_eq!(none.kind(), ErrorKind::WouldBlock);
        let mut stream = Network.connect(&Peer::Ip(listener.address())).unwrap();
        wait(listener.source(), sys::POLLIN);
        let mut accepted = listener.accept().unwrap();
        check_talk(stream.as_mut(), accepted.as_mut());
        check_full_and_gone(stream.as_mut(), accepted);
    }
}

#[test]
fn small_writes_are_not_held_back() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let begun = begin_connection(&Peer::Ip(address)).unwrap();
    assert!(matches!(begun.socket, Socket::Tcp(stream) if stream.nodelay().unwrap()));
    let mut door = Network.listen("127.0.0.1:0".parse().unwrap()).unwrap();
    let client = TcpStream::connect(door.address()).unwrap();
    wait(door.source(), sys::POLLIN);
    let accepted = door.accept().unwrap();
    let text = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", accepted.source().0));
    // O_NONBLOCK among the flags, in octal.
    let flags = text.unwrap().lines().nth(1).unwrap().to_string();
    assert!(flags.ends_with("4002"), "{flags}");
    drop(client);
}

#[test]
fn unix_sockets_are_connected() {
    let scratch = Scratch::new();
    let path = scratch.at("socket");
    let listener = UnixListener::bind(&path).unwrap();
    let mut stream = Network.connect(&Peer::Unix(path)).unwrap();
    let (accepted, _) = listener.accept().unwrap();
    accepted.set_nonblocking(true).unwrap();
    let mut accepted = Connection {
        socket: Socket::Unix(accepted),
        state: State::Connected,
    };
    check_talk(stream.as_mut(), &mut accepted);
    check_full_and_gone(stream.as_mut(), Box::new(accepted));
}

#[test]
fn nobody_there_is_a_refusal_and_stays_one() {
    for address in ["127.0.0.1:0", "[::1]:0"] {
        let Ok(listener) = TcpListener::bind(address) else {
            say_skipped(&format!("no {address} here"));
            continue;
        };
        let closed = listener.local_addr().unwrap();
        drop(listener);
        // Some systems refuse at once, others when asked.
        match Network.connect(&Peer::Ip(closed)) {
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionRefused),
            Ok(mut stream) => {
                for _ in 0..3 {
                    let error = connected(stream.as_mut()).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
                }
            }
        }
    }
    let scratch = Scratch::new();
    let kind = |path: PathBuf| Network.connect(&Peer::Unix(path)).err().unwrap().kind();
    assert_eq!(kind(scratch.at("none")), ErrorKind::NotFound);
    drop(UnixListener::bind(scratch.at("closed")).unwrap());
    assert_eq!(kind(scratch.at("closed")), ErrorKind::ConnectionRefused);
    assert_eq!(kind(scratch.at(&"n".repeat(200))), ErrorKind::InvalidInput);
    assert_eq!(kind(PathBuf::from("a\0b")), ErrorKind::InvalidInput);
    assert_eq!(kind(PathBuf::new()), ErrorKind::InvalidInput);
}

#[test]
fn the_longest_path_of_a_socket_is_connected() {
    let scratch = Scratch::new();
    let used = scratch.at("").as_os_str().len();
    let path = scratch.at(&"n".repeat(sys::SOCKET_PATH_BYTES_MAX - used));
    let _listener = UnixListener::bind(&path).unwrap();
    let mut stream = Network.connect(&Peer::Unix(path)).unwrap();
    connected(stream.as_mut()).unwrap();
}

#[test]
fn a_connection_on_its_way_is_not_known_yet() {
    if !has_program("python3") {
        return;
    }
    // A listener with the shortest queue and nobody who accepts: the system answers nobody once it
    // is full. The library always asks for a long queue.
    let program = "import socket, sys
s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(0)
print(s.getsockname()[1], flush=True); sys.stdin.read()";
    let mut python = Command::new("python3")
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(python.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let port: u16 = line.trim().parse().unwrap();
    let peer = Peer::Ip(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    let mut streams: Vec<Box<dyn Stream>> =
        (0..4).map(|_| Network.connect(&peer).unwrap()).collect();
    connected(streams[0].as_mut()).unwrap();
    let last = &mut streams[3];
    assert_eq!(last.connected().unwrap_err().kind(), ErrorKind::WouldBlock);
    assert_eq!(last.connected().unwrap_err().kind(), ErrorKind::WouldBlock);
    drop(python.stdin.take());
    python.wait().unwrap();
}

fn answer(host: &str) -> io::Result<Vec<SocketAddr>> {
    let mut lookup = Network.lookup(host, 80);
    wait(lookup.source(), sys::POLLIN);
    let answer = lookup.take().unwrap();
    assert!(lookup.take().is_none(), "once");
    answer
}

#[test]
fn names_of_this_machine_need_no_name_server() {
    let expected: Vec<SocketAddr> = ["[::1]:80", "127.0.0.1:80"]
        .map(|text| text.parse().unwrap())
        .to_vec();
    for host in ["localhost", "LocalHost.", "api.localhost", "a.b.LOCALHOST"] {
        assert_eq!(answer(host).unwrap(), expected, "{host}");
    }
    for host in ["localhost.example", "notlocalhost", "", ".", "localhost.."] {
        assert!(!is_localhost(host), "{host}");
    }
}

#[test]
fn other_names_are_answered_by_a_thread() {
    // The system's own lookup turns numbers into addresses without a name server.
    let expected: Vec<SocketAddr> = vec!["127.0.0.1:80".parse().unwrap()];
    assert_eq!(answer("127.0.0.1").unwrap(), expected);
    let error = answer("a\0b").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    // Given up at once: the thread answers nobody and harms nobody.
    drop(Network.lookup("127.0.0.1", 80));
}

#[test]
fn addresses_are_given_once_each_in_order() {
    let found = ["1.2.3.4:1", "[::1]:1", "1.2.3.4:1", "1.2.3.5:1"];
    let found = found.iter().map(|text| text.parse::<SocketAddr>().unwrap());
    let expected: Vec<SocketAddr> = ["1.2.3.4:1", "[::1]:1", "1.2.3.5:1"]
        .map(|text| text.parse().unwrap())
        .to_vec();
    assert_eq!(distinct(found), expected);
}
