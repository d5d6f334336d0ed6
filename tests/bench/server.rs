//! A server on loopback that gives every request the same reply.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

/// Starts to serve, until the benchmark ends: a head, then each of `events` as a chunk of its own, all in one go.
pub(crate) fn serve(events: &[String]) -> SocketAddr {
    let mut reply =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            .to_vec();
    for event in events {
        write!(reply, "{:x}\r\n{event}\r\n", event.len()).unwrap();
    }
    reply.extend_from_slice(b"0\r\n\r\n");
    let reply = Arc::new(reply);
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("loopback can be listened on");
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let reply = Arc::clone(&reply);
            // The client hangs up when it has what it wants.
            thread::spawn(move || drop(answer(connection, &reply)));
        }
    });
    address
}

/// Answers requests until the other side hangs up.
fn answer(mut connection: TcpStream, reply: &[u8]) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut request = Vec::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        let length = connection.read(&mut piece)?;
        if length == 0 {
            return Ok(());
        }
        request.extend_from_slice(&piece[..length]);
        if is_whole(&request) {
            request.clear();
            connection.write_all(reply)?;
        }
    }
}

/// Whether head and body are there.
fn is_whole(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(&request[..end]).to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .map_or(0, |length| length.trim().parse().unwrap());
    request.len() >= end + 4 + length
}
