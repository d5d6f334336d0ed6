//! This process, its sockets, and strangers that are stopped by number.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, UdpSocket};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use super::*;
use crate::host::scratch::{say_skipped, wait_ready};

/// A program that waits for ever, and has begun: a command line is there only some time after the
/// start.
fn waiter() -> Child {
    let mut command = Command::new("cat");
    command
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(b"x").unwrap();
    let output = child.stdout.as_mut().unwrap();
    output.read_exact(&mut [0]).unwrap();
    child
}

#[test]
fn this_process_is_found_as_it_was_started() {
    let table = Table::new();
    let own = table.find(table.own()).unwrap().unwrap();
    assert_eq!(own.pid, std::process::id());
    assert_eq!(own.parent, std::os::unix::process::parent_id());
    let args: Vec<String> = std::env::args().collect();
    assert_eq!(own.command, args.join(" "));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    // In this hour, and not in the future but for the rounding of ticks and of the boot time.
    let age = now.as_secs().cast_signed() - own.started;
    assert!((-2..3600).contains(&age), "{age}");
    assert_eq!(own.user, fs::metadata("/proc/self").unwrap().uid());
    assert!(table.all().unwrap().contains(&own));
}

#[test]
fn threads_zombies_and_nobody_are_no_processes() {
    let table = Table::new();
    let (sender, number) = std::sync::mpsc::channel();
    let (keep, until) = std::sync::mpsc::channel::<()>();
    let inside = thread::spawn(move || {
        let link = fs::read_link("/proc/thread-self").unwrap();
        sender.send(link.file_name().unwrap().to_owned()).unwrap();
        let _ = until.recv();
    });
    let thread: u32 = number.recv().unwrap().to_str().unwrap().parse().unwrap();
    assert_ne!(thread, table.own());
    assert!(stat(thread).unwrap().is_some(), "/proc shows threads too");
    assert_eq!(table.find(thread).unwrap(), None);
    drop(keep);
    inside.join().unwrap();
    for nobody in [0, 4_194_305, u32::MAX] {
        assert_eq!(table.find(nobody).unwrap(), None, "{nobody}");
    }

    let mut child = Command::new("true").spawn().unwrap();
    let ended = sys::open_process(child.id()).unwrap();
    wait_ready(&ended, sys::POLLIN);
    assert_eq!(stat(child.id()).unwrap().unwrap().state, b'Z');
    assert_eq!(table.find(child.id()).unwrap(), None);
    child.wait().unwrap();
}

#[test]
fn only_the_process_that_was_meant_is_stopped() {
    let table = Table::new();
    let mut child = waiter();
    let known = table.find(child.id()).unwrap().unwrap();
    assert_eq!(known.command, "cat -");
    assert_eq!(known.parent, table.own());
    for ticks in [0, known.started_ticks - 1, known.started_ticks + 1] {
        let error = table.stop(known.pid, ticks, Stop::Kill).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
    }
    assert!(child.try_wait().unwrap().is_none(), "it still runs");
    table
        .stop(known.pid, known.started_ticks, Stop::Ask)
        .unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(sys::SIGTERM));
    let error = table
        .stop(known.pid, known.started_ticks, Stop::Ask)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);

    let mut child = waiter();
    let known = table.find(child.id()).unwrap().unwrap();
    table
        .stop(known.pid, known.started_ticks, Stop::Kill)
        .unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(sys::SIGKILL));
    // Numbers that kill(2) would take for whole groups or for everybody.
    for pid in [0, 1, u32::MAX, 1 << 31] {
        let error = table.stop(pid, 0, Stop::Ask).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound, "{pid}");
    }
}

#[test]
fn listeners_of_both_transports_and_families_are_ours() {
    let table = Table::new();
    let own = table.own();
    let listening = |protocol, address: IpAddr, port| {
        let found = table.listening().unwrap();
        let mut found = found.into_iter().filter(|socket| {
            (socket.protocol, socket.address, socket.port) == (protocol, address, port)
        });
        let first = found.next();
        assert!(found.next().is_none(), "one row");
        first
    };
    let check = |protocol, address: IpAddr, port| {
        let found = listening(protocol, address, port).unwrap();
        assert!(found.pids.contains(&own), "{found:?}");
        let known = table.find(own).unwrap().unwrap();
        assert_eq!(found.user, known.user);
    };
    let v4 = IpAddr::from(Ipv4Addr::LOCALHOST);
    let v6 = IpAddr::from(Ipv6Addr::LOCALHOST);
    for address in [
        v4,
        v6,
        Ipv4Addr::UNSPECIFIED.into(),
        Ipv6Addr::UNSPECIFIED.into(),
    ] {
        let Ok(tcp) = TcpListener::bind((address, 0)) else {
            say_skipped(&format!("no {address} here"));
            continue;
        };
        check(Protocol::Tcp, address, tcp.local_addr().unwrap().port());
        let udp = UdpSocket::bind((address, 0)).unwrap();
        let port = udp.local_addr().unwrap().port();
        check(Protocol::Udp, address, port);
        drop(udp);
        assert_eq!(listening(Protocol::Udp, address, port), None);
    }
    // In IPv6 clothes.
    let mapped = IpAddr::from(Ipv4Addr::LOCALHOST.to_ipv6_mapped());
    if let Ok(tcp) = TcpListener::bind((mapped, 0)) {
        check(Protocol::Tcp, v4, tcp.local_addr().unwrap().port());
    }
}

#[test]
fn sockets_that_do_not_wait_are_left_out() {
    let table = Table::new();
    let server = UdpSocket::bind("127.0.0.1:0").unwrap();
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.connect(server.local_addr().unwrap()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let stream = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let found = table.listening().unwrap();
    let has = |protocol, port| {
        let mut found = found.iter();
        found.any(|socket| (socket.protocol, socket.port) == (protocol, port))
    };
    assert!(has(Protocol::Udp, server.local_addr().unwrap().port()));
    assert!(!has(Protocol::Udp, client.local_addr().unwrap().port()));
    assert!(!has(Protocol::Tcp, stream.local_addr().unwrap().port()));
}

#[test]
fn several_sockets_of_one_address_are_one_row() {
    let mut rows = Rows::new();
    let socket = |port, inode| proc::Waiting {
        address: Ipv4Addr::LOCALHOST.into(),
        port,
        user: 7,
        inode,
    };
    for (port, inode) in [(80, 1), (80, 2), (81, 3), (0, 4)] {
        add(&mut rows, Protocol::Udp, &socket(port, inode));
    }
    add(&mut rows, Protocol::Tcp, &socket(80, 5));
    let inodes: Vec<Vec<u64>> = rows.into_values().map(|(_, inodes)| inodes).collect();
    let inodes: BTreeSet<Vec<u64>> = inodes.into_iter().collect();
    assert_eq!(inodes, BTreeSet::from([vec![5], vec![1, 2], vec![3]]));
}
