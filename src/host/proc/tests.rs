//! Captured texts of `/proc`, and texts made to be awkward.

use super::*;

/// A `cat` of itself on Linux 6.18.
const CAT: &str = "27090 (cat) R 27071 27071 2108 0 -1 4194304 101 0 0 0 0 0 0 0 20 0 1 0 347256 \
3133440 382 18446744073709551615 94239433846784 94239433866665 140727886884240 0 0 0 0 0 0 0 0 0 \
17 1 0 0 0 0 0 94239433882672 94239433884288 94239892840448 140727886891535 140727886891555 \
140727886891555 140727886893035 0\n";

#[test]
fn a_process_is_read_from_its_line() {
    let expected = Stat {
        pid: 27_090,
        name: "cat".into(),
        state: b'R',
        parent: 27_071,
        group: 27_071,
        session: 2_108,
        started_ticks: 347_256,
    };
    assert_eq!(parse_stat(CAT.as_bytes()), Some(expected));
}

#[test]
fn a_name_may_hold_anything() {
    let check = |name: &[u8], expected: &str| {
        let (before, after) = CAT.split_once("cat").unwrap();
        let text = [before.as_bytes(), name, after.as_bytes()].concat();
        let stat = parse_stat(&text).unwrap();
        assert_eq!(stat.name, expected);
        assert_eq!((stat.pid, stat.parent), (27_090, 27_071));
        assert_eq!(stat.started_ticks, 347_256);
    };
    check(b"", "");
    check(b"tmux: server", "tmux: server");
    check(b"(sd-pam)", "(sd-pam)");
    check(b") R 1 1 1 (", ") R 1 1 1 (");
    check(b"a\nb", "a\nb");
    check(b"\xff", "\u{fffd}");
}

#[test]
fn a_cut_line_is_no_process_and_no_panic() {
    let whole = parse_stat(CAT.as_bytes());
    // Up to the end of field 22 there is none; a cut number is a shorter number, then the whole.
    let end = CAT.find("347256").unwrap();
    for cut in 0..CAT.len() {
        let stat = parse_stat(&CAT.as_bytes()[..cut]);
        match cut {
            _ if cut <= end => assert_eq!(stat, None, "{cut}"),
            _ if cut >= end + 6 => assert_eq!(stat, whole, "{cut}"),
            _ => assert!(stat.is_some(), "{cut}"),
        }
    }
    for text in ["", ")(", "1 )a( R", "x (a) R 1 1 1", "1 (a) "] {
        assert_eq!(parse_stat(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn the_dead_do_not_run() {
    for (state, expected) in [
        ("R", true),
        ("S", true),
        ("D", true),
        ("T", true),
        ("Z", false),
        ("X", false),
    ] {
        let text = CAT.replace(" R ", &format!(" {state} "));
        let stat = parse_stat(text.as_bytes()).unwrap();
        assert_eq!(stat.is_alive(), expected, "{state}");
    }
}

#[test]
fn the_user_is_the_real_one_and_a_thread_names_its_process() {
    let text = "Name:\tUid: 7\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t812\nNgid:\t0\nPid:\t815\n\
PPid:\t1\nTracerPid:\t0\nUid:\t1000\t0\t0\t0\nGid:\t1000\t1000\t1000\t1000\n";
    assert_eq!(parse_status(text.as_bytes()), Some((812, 1000)));
    assert_eq!(parse_status(b"Tgid:\t1\n"), None);
    assert_eq!(parse_status(b"Uid:\n"), None);
}

#[test]
fn arguments_have_blanks_between_them() {
    let check = |bytes: &[u8], expected: Option<&str>| {
        assert_eq!(parse_command(bytes).as_deref(), expected);
    };
    check(b"", None);
    check(b"\0", None);
    check(b"sleep\x00100\0", Some("sleep 100"));
    check(b"sh\0-c\0\0echo hi\0", Some("sh -c  echo hi"));
    check(b"nginx: master process", Some("nginx: master process"));
    check(b"postgres: idle\0\0\0\0", Some("postgres: idle"));
    check(b"a\xff\0", Some("a\u{fffd}"));
}

#[test]
fn the_start_of_the_system_is_read() {
    let text = "cpu  1 2 3\nintr 4 5\nctxt 6\nbtime 1785000000\nprocesses 7\n";
    assert_eq!(parse_boot_seconds(text), Some(1_785_000_000));
    assert_eq!(parse_boot_seconds("cpu 1\n"), None);
}

/// `/proc/net/tcp`: a listener on every address, one on 127.0.0.53, a connection.
const TCP: &str = "\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1640 1 00000000e25da4a8 100 0 0 10 0
   1: 3500007F:0035 00000000:0000 0A 00000000:00000000 00:00000000 00000000   101        0 20911 1 0000000000000000 100 0 0 10 5
   2: 0100007F:1F90 0100007F:D3F2 01 00000000:00000000 02:000006D1 00000000  1000        0 40112 2 0000000000000000 20 4 30 10 -1
";

/// `/proc/net/tcp6`: `[::]:22`, `[::1]:8080`, and 127.0.0.1:9000 in IPv6 clothes.
const TCP6: &str = "\
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 7001 1 0000000000000000 100 0 0 10 0
   1: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 7002 1 0000000000000000 100 0 0 10 0
   2: 0000000000000000FFFF00000100007F:2328 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 7003 1 0000000000000000 100 0 0 10 0
";

/// `/proc/net/udp`: one bound, one connected.
const UDP: &str = "\
   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  511: 00000000:14E9 00000000:0000 07 00000000:00000000 00:00000000 00000000   105        0 18001 2 0000000000000000 0
  733: 0F02000A:B2C3 01010101:0035 01 00000000:00000000 00:00000000 00000000  1000        0 18002 2 0000000000000000 0
";

#[test]
#[cfg(target_endian = "little")]
fn sockets_that_wait_are_read_from_their_tables() {
    let check = |text, state, expected: &[(&str, u16, u32, u64)]| {
        let expected: Vec<Waiting> = expected
            .iter()
            .map(|&(address, port, user, inode)| Waiting {
                address: address.parse().unwrap(),
                port,
                user,
                inode,
            })
            .collect();
        assert_eq!(parse_sockets(text, state), expected);
    };
    check(
        TCP,
        TCP_LISTEN,
        &[("0.0.0.0", 2024, 0, 1640), ("127.0.0.53", 53, 101, 20_911)],
    );
    check(
        TCP6,
        TCP_LISTEN,
        &[
            ("::", 22, 0, 7001),
            ("::1", 8080, 1000, 7002),
            ("127.0.0.1", 9000, 1000, 7003),
        ],
    );
    check(UDP, UDP_BOUND, &[("0.0.0.0", 5353, 105, 18_001)]);
    check("", TCP_LISTEN, &[]);
}

#[test]
fn a_cut_table_is_no_panic() {
    for cut in 0..TCP6.len() {
        assert!(parse_sockets(&TCP6[..cut], TCP_LISTEN).len() <= 3);
    }
    for address in [
        "",
        "0",
        "0000000g",
        "000000000",
        "ä",
        "0000000000000000",
        "+000000A",
    ] {
        let line = format!("0: {address}:0016 0:0 0A 0:0 0:0 0 0 0 1");
        let found = parse_sockets(&line, TCP_LISTEN);
        assert!(found.is_empty() || address == "+000000A", "{address}");
    }
}

#[test]
fn links_of_sockets_are_told_from_others() {
    let check = |text, expected| assert_eq!(parse_socket_link(text), expected);
    check("socket:[1640]", Some(1640));
    check("pipe:[1640]", None);
    check("socket:[]", None);
    check("socket:[1640", None);
    check("/dev/null", None);
}
