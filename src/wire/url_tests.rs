//! URLs: endpoints as people write them, and redirects by the examples of RFC 3986 §5.4.

use super::*;

fn parse(text: &str) -> Url {
    Url::parse(text).unwrap()
}

/// Host header, target and text of a URL.
fn check(text: &str, host: &str, target: &str, shown: &str) {
    let url = parse(text);
    assert_eq!(
        (
            url.host_header().as_str(),
            url.target().as_str(),
            url.to_string().as_str()
        ),
        (host, target, shown)
    );
}

#[track_caller]
fn check_error(text: &str, part: &str) {
    match Url::parse(text) {
        Err(error) => assert!(error.contains(part), "{error}"),
        Ok(url) => panic!("{url} instead of: {part}"),
    }
}

#[test]
fn endpoints_as_people_write_them() {
    check(
        "http://localhost:4141",
        "localhost:4141",
        "/",
        "http://localhost:4141",
    );
    check(
        "http://localhost:4141/",
        "localhost:4141",
        "/",
        "http://localhost:4141/",
    );
    check(
        "HTTP://LocalHost:80/V1",
        "localhost",
        "/V1",
        "http://localhost/V1",
    );
    check(
        "http://127.0.0.1:11434/v1",
        "127.0.0.1:11434",
        "/v1",
        "http://127.0.0.1:11434/v1",
    );
    check(
        "http://[::1]:8080/v1",
        "[::1]:8080",
        "/v1",
        "http://[::1]:8080/v1",
    );
    check("http://[0:0:0:0:0:0:0:1]", "[::1]", "/", "http://[::1]");
    check(
        "http://h?api-version=1",
        "h",
        "/?api-version=1",
        "http://h?api-version=1",
    );
    check(
        "http://h/a//b;c=%20?d={e}#frag?/",
        "h",
        "/a//b;c=%20?d={e}",
        "http://h/a//b;c=%20?d={e}",
    );
    check(
        "http://my_host.local.:8/",
        "my_host.local.:8",
        "/",
        "http://my_host.local.:8/",
    );
    check(
        "https://api.example.com/v1",
        "api.example.com",
        "/v1",
        "https://api.example.com/v1",
    );
    check("https://h:80/", "h:80", "/", "https://h:80/");
    check("http://h:/x", "h", "/x", "http://h/x");
    check(
        "unix:/run/user/1000/my proxy.sock",
        "localhost",
        "/",
        "unix:/run/user/1000/my proxy.sock",
    );
}

#[test]
fn sockets_ports_and_absolute_targets() {
    assert_eq!(parse("unix:///run/p.sock").socket, "/run/p.sock");
    assert_eq!(parse("https://h").port, 443);
    assert_eq!(
        parse("http://[::1]:8080/v1?x").absolute_target(),
        "http://[::1]:8080/v1?x"
    );
    assert_eq!(parse("http://h").absolute_target(), "http://h/");
}

#[test]
fn what_is_no_url_says_what_is_meant() {
    check_error("", "empty");
    check_error("localhost:4141", "write `http://localhost:4141`");
    check_error("127.0.0.1:4141/v1", "write `http://127.0.0.1:4141/v1`");
    check_error("localhost", "write `http://localhost`");
    check_error("http:localhost", "write `http://localhost`");
    check_error("http:/localhost", "write `http://localhost`");
    check_error("https:/localhost/v1", "write `http://localhost/v1`");
    check_error("//localhost", "write `http://localhost`");
    check_error("http://", "host is missing");
    check_error("http:///v1", "host is missing");
    check_error("http://:80/", "host is missing");
    check_error(
        "ftp://h/",
        "only `http://host:port/path` and `unix:/path/to/socket`",
    );
    check_error("unix:run/p.sock", "`unix:/path/to/socket`");
    check_error("unix:", "`unix:/path/to/socket`");
    check_error("unix:/", "`unix:/path/to/socket`");
    check_error("unix:/a\nb", "control characters");
    check_error(
        &format!("http://h/{}", "a".repeat(URL_BYTES_MAX)),
        "longer than 16 KiB",
    );
    for text in [
        "http://h/a b",
        " http://h/",
        "http://h/\n",
        "http://h/\r\nX: y",
        "http://h/\t",
        "http://h/\u{e9}",
        "http://b\u{fc}cher/",
        "http://h/\0",
    ] {
        check_error(
            text,
            "blanks, control characters or characters outside ASCII",
        );
    }
}

#[test]
fn what_is_no_host_or_port_says_what_is_meant() {
    check_error("http://good\\@evil/", "backslash");
    check_error("http://::1:80/", "stands in brackets");
    check_error("http://[::1/", "not closed");
    check_error("http://[fe80::1%25eth0]/", "zone");
    check_error("http://[h]/", "no IPv6 address");
    check_error("http://[::1]80/", "neither port nor path");
    for port in ["0", "65536", "-1", "+80", "8o", "99999999999"] {
        check_error(&format!("http://h:{port}/"), "not a number from 1 to 65535");
        check_error(
            &format!("http://[::1]:{port}/"),
            "not a number from 1 to 65535",
        );
    }
    for host in [
        "a..b",
        ".a",
        "h%41",
        "a*",
        "a,b",
        "(",
        &"a".repeat(64),
        &"a.".repeat(150),
    ] {
        check_error(&format!("http://{host}/"), "no host name");
    }
    // Addresses to a resolver, names to a guard that looks for addresses.
    for host in [
        "127.1",
        "0x7f.1",
        "2130706433",
        "0x7f000001",
        "1.2.3.4.5",
        "256.0.0.1",
        "127.0.0.1.",
        "0x",
        "017700000001",
    ] {
        check_error(
            &format!("http://{host}/"),
            "no IPv4 address of four numbers",
        );
    }
}

#[test]
fn user_and_password_are_never_shown() {
    let url = parse("http://me%40home:open%20sesame%@h:3128/x");
    assert_eq!(
        url.userinfo().as_deref(),
        Some(b"me@home:open sesame%".as_slice())
    );
    for text in [
        url.to_string(),
        format!("{url:?}"),
        url.origin(),
        url.absolute_target(),
        url.join("/y").to_string(),
    ] {
        assert!(
            !text.contains("sesame") && !text.contains("me%40home"),
            "{text}"
        );
    }
    for text in [
        "http://me:sesame@h:x/",
        "me:sesame@h:1",
        "ftp://me:sesame@h/",
        "http://me:sesame@/",
        "http://me:sesame@h/\u{e9}",
        "http:me:sesame@h",
        "http://me:sesame@h@i j/",
    ] {
        let error = Url::parse(text).unwrap_err();
        assert!(!error.contains("sesame"), "{error}");
    }
    assert_eq!(parse("http://h/").userinfo(), None);
}

#[test]
fn bases_are_taken_as_they_are() {
    let check = |base: &str, expected: &str| {
        assert_eq!(parse(base).join("/chat/completions").to_string(), expected);
    };
    check("http://h:1", "http://h:1/chat/completions");
    check("http://h:1/", "http://h:1/chat/completions");
    check("http://h:1/v1", "http://h:1/v1/chat/completions");
    check("http://h:1/v1/", "http://h:1/v1/chat/completions");
    check(
        "http://h:1/v1/chat/completions",
        "http://h:1/v1/chat/completions",
    );
    check(
        "http://h:1/v1/chat/completions/",
        "http://h:1/v1/chat/completions",
    );
    check(
        "http://h:1/v1?key=a/b",
        "http://h:1/v1/chat/completions?key=a/b",
    );
    check("http://h:1/?key=a", "http://h:1/chat/completions?key=a");
    assert_eq!(
        parse("http://h/chat/completions")
            .join("/models")
            .to_string(),
        "http://h/models"
    );
    assert_eq!(
        parse("unix:/run/p.sock").join("/models").target(),
        "/models"
    );
}

/// RFC 3986 §5.4.1 and §5.4.2, and what browsers do; the fragment is dropped, the path `;p` is the last segment's.
const REFERENCES: [(&str, &str); 42] = [
    ("g", "http://a/b/c/g"),
    ("./g", "http://a/b/c/g"),
    ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"),
    ("//g", "http://g"),
    ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"),
    ("#s", "http://a/b/c/d;p?q"),
    ("g#s", "http://a/b/c/g"),
    ("g?y#s", "http://a/b/c/g?y"),
    (";x", "http://a/b/c/;x"),
    ("g;x", "http://a/b/c/g;x"),
    ("g;x?y#s", "http://a/b/c/g;x?y"),
    ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"),
    ("./", "http://a/b/c/"),
    ("..", "http://a/b/"),
    ("../", "http://a/b/"),
    ("../g", "http://a/b/g"),
    ("../..", "http://a/"),
    ("../../", "http://a/"),
    ("../../g", "http://a/g"),
    ("../../../g", "http://a/g"),
    ("../../../../g", "http://a/g"),
    ("/./g", "http://a/g"),
    ("/../g", "http://a/g"),
    ("g.", "http://a/b/c/g."),
    (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."),
    ("..g", "http://a/b/c/..g"),
    ("./../g", "http://a/b/g"),
    ("./g/.", "http://a/b/c/g/"),
    ("g/./h", "http://a/b/c/g/h"),
    ("g/../h", "http://a/b/c/h"),
    ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
    ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"),
    ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("g#s/../x", "http://a/b/c/g"),
    ("https://h/x", "https://h/x"),
    ("/a:b", "http://a/a:b"),
    ("/Zo\u{eb} x", "http://a/Zo%C3%AB%20x"),
];

#[test]
fn locations_resolve_as_the_rfc_shows() {
    let base = parse("http://a/b/c/d;p?q");
    for (reference, expected) in REFERENCES {
        assert_eq!(
            base.resolve(reference)
                .map(|url| url.to_string())
                .as_deref(),
            Ok(expected),
            "{reference}"
        );
    }
}

#[test]
fn locations_stay_in_their_scheme_and_at_their_socket() {
    let base = parse("http://a/b/c/d;p?q");
    for reference in [
        "ftp://h/",
        "http:g",
        "mailto:a@b",
        "unix:/run/x.sock",
        "UNIX:/x",
        "/a\nb",
        "//h:x/",
        "javascript:1",
    ] {
        assert!(base.resolve(reference).is_err(), "{reference}");
    }
    assert_eq!(
        parse("http://a")
            .resolve("g")
            .map(|url| url.to_string())
            .as_deref(),
        Ok("http://a/g")
    );
    assert_eq!(
        parse("unix:/s")
            .resolve("/x/../g")
            .map(|url| url.target())
            .as_deref(),
        Ok("/g")
    );
    assert_eq!(
        parse("unix:/s")
            .resolve("//h/g")
            .map(|url| url.to_string())
            .as_deref(),
        Ok("http://h/g")
    );
}

#[test]
fn secrets_stay_with_their_origin() {
    let base = parse("http://me:pw@h:1/a");
    assert!(base.resolve("/b").unwrap().userinfo().is_some());
    assert!(base.resolve("http://H:1/b").unwrap().userinfo().is_some());
    for other in ["http://h:2/b", "https://h:1/b", "http://i:1/b", "//h/b"] {
        let other = base.resolve(other).unwrap();
        assert!(
            other.userinfo().is_none() && !base.is_same_origin(&other),
            "{other}"
        );
    }
    assert!(parse("http://h/a").is_same_origin(&parse("HTTP://H:80/b?c")));
    assert!(!parse("unix:/a").is_same_origin(&parse("unix:/b")));
    assert!(!parse("unix:/a").is_same_origin(&parse("http://localhost")));
}

#[test]
fn loopback_is_what_never_leaves_the_machine() {
    for text in [
        "http://localhost:1",
        "http://a.LOCALHOST.",
        "http://127.0.0.1",
        "http://127.9.9.9",
        "http://[::1]",
        "http://[::ffff:127.0.0.1]",
        "unix:/s",
    ] {
        assert!(parse(text).is_loopback(), "{text}");
    }
    for text in [
        "http://h",
        "http://localhost.example.com",
        "http://mylocalhost",
        "http://128.0.0.1",
        "http://0.0.0.0",
        "http://[::]",
        "http://[::ffff:10.0.0.1]",
    ] {
        assert!(!parse(text).is_loopback(), "{text}");
    }
}

#[test]
fn hosts_and_ports_of_proxy_lists() {
    assert_eq!(
        parse_host_port("Example.com"),
        Ok((Host::Name("example.com".into()), None))
    );
    assert_eq!(
        parse_host_port("[::1]:8"),
        Ok((Host::V6(Ipv6Addr::LOCALHOST), Some(8)))
    );
    assert_eq!(
        parse_host_port("10.0.0.1:8"),
        Ok((Host::V4(Ipv4Addr::new(10, 0, 0, 1)), Some(8)))
    );
    assert!(parse_host_port("::1").is_err());
}
