//! Addresses, keys and headers that are taken or refused, and where a key may go.

use super::endpoint::{RESERVED_HEADERS, read_address, read_header, read_key};
use super::setting::Secret;
use super::*;
use crate::cli::Flags;

fn pairs(env: &[(&str, &str)]) -> Vec<(String, String)> {
    env.iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn load_env(env: &[(&str, &str)]) -> Result<(Settings, Vec<Warning>), ConfigError> {
    load(&Flags::default(), &pairs(env), None)
}

#[test]
fn addresses() {
    let url = |text: &str| Ok(Address::Url(text.to_owned()));
    let check = |text: &str, expected: Result<Address, String>| {
        assert_eq!(read_address(text), expected, "{text}");
    };
    let refused = |text: &str| Err(text.to_owned());
    check("builtin", Ok(Address::BuiltIn));
    check(" builtin\n", Ok(Address::BuiltIn));
    check("http://localhost:4141", url("http://localhost:4141"));
    check("HTTP://h/v1/", url("HTTP://h/v1/"));
    check(" http://[::1]:80/v1?a=b \n", url("http://[::1]:80/v1?a=b"));
    check("unix:/run/a.sock", url("unix:/run/a.sock"));
    check("unix:///run/a.sock", url("unix:///run/a.sock"));
    check(
        "unix:run/a.sock",
        refused("is `unix:run/a.sock`; write `unix:/path/to/socket`"),
    );
    check(
        "unix:/",
        refused("is `unix:/`; write `unix:/path/to/socket`"),
    );
    check(
        "/run/a.sock",
        refused("is `/run/a.sock`; write `unix:/run/a.sock`"),
    );
    check(
        "localhost:4141",
        refused("is `localhost:4141`, which has no scheme; write `http://localhost:4141`"),
    );
    check(
        "h/v1",
        refused("is `h/v1`, which has no scheme; write `http://h/v1`"),
    );
    check(
        "http:h:80",
        refused("is `http:h:80`, which has no scheme; write `http://h:80`"),
    );
    check(
        "http:/h",
        refused("is `http:/h`, which has no scheme; write `http://h`"),
    );
    check("http://", refused("is `http://`, which names no host"));
    check("built-in", refused("is `built-in`; write `builtin`"));
    check(
        "ftp://h",
        refused("is `ftp://h`; write `http://host:port`, `unix:/path/to/socket` or `builtin`"),
    );
    check(
        "http://a\u{0}b",
        refused(r"is `http://a\u{0}b`, which holds a control character"),
    );
    // A password is not shown.
    check(
        "u:pw@h:80",
        refused("is `…@h:80`, which has no scheme; write `http://…@h:80`"),
    );
    check(
        "https://u:pw@api.example.com/v1",
        refused(
            "is `https://…@api.example.com/v1`, but this program speaks no TLS; put a proxy that does in front, such as `caddy reverse-proxy --from http://localhost:4141 --to https://…@api.example.com --change-host-header`, and set `http://localhost:4141/v1`",
        ),
    );
    check(
        "HTTPS://api.example.com:8443",
        refused(
            "is `HTTPS://api.example.com:8443`, but this program speaks no TLS; put a proxy that does in front, such as `caddy reverse-proxy --from http://localhost:4141 --to https://api.example.com:8443 --change-host-header`, and set `http://localhost:4141`",
        ),
    );
}

/// What is wrong is said with the name of what set it.
#[test]
fn an_address_is_refused_by_name() {
    let flags = Flags {
        endpoint: Some("h:80".into()),
        ..Flags::default()
    };
    let error = load(&flags, &[], None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`--endpoint` is `h:80`, which has no scheme; write `http://h:80`"
    );
    for name in ["ANKITA_ENDPOINT", "ANKITA_ENDPOINT_URL", "OPENAI_BASE_URL"] {
        assert_eq!(
            load_env(&[(name, "h:80")]).unwrap_err().to_string(),
            format!("`{name}` is `h:80`, which has no scheme; write `http://h:80`")
        );
    }
    let error = load_env(&[("ANKITA_ENDPOINT", "https://h")])
        .unwrap_err()
        .to_string();
    assert!(
        error.starts_with("`ANKITA_ENDPOINT` is `https://h`, but this program speaks no TLS; ")
    );
}

#[test]
fn foreign_variables() {
    let (settings, warnings) = load_env(&[
        ("OPENAI_BASE_URL", "https://api.openai.com/v1"),
        ("OPENAI_API_KEY", "k"),
    ])
    .unwrap();
    assert_eq!(
        warnings.iter().map(Warning::to_string).collect::<Vec<_>>(),
        [
            "`OPENAI_BASE_URL` is skipped: it is an `https://` address, and this program speaks no TLS; `endpoint.url` says who answers"
        ]
    );
    // Nobody named an endpoint: the key goes nowhere.
    assert_eq!(settings, Settings::default());
    // Where one of ours names the endpoint, the other is not even looked at.
    for url in ["https://api.openai.com/v1", "nonsense"] {
        let (settings, warnings) = load_env(&[
            ("OPENAI_BASE_URL", url),
            ("OPENAI_API_KEY", "k"),
            ("ANKITA_ENDPOINT", "http://localhost"),
        ])
        .unwrap();
        assert_eq!(warnings, []);
        assert_eq!(
            settings.endpoint.key.unwrap().origin.to_string(),
            "OPENAI_API_KEY"
        );
    }
    let (settings, _) =
        load_env(&[("OPENAI_API_KEY", "k"), ("ANKITA_ENDPOINT", "builtin")]).unwrap();
    assert_eq!(settings.endpoint.key, None);
    let (settings, _) = load_env(&[
        ("OPENAI_BASE_URL", "http://localhost"),
        ("OPENAI_API_KEY", "theirs"),
        ("ANKITA_ENDPOINT_KEY", "ours"),
    ])
    .unwrap();
    let key = settings.endpoint.key.unwrap();
    assert_eq!(
        (key.value.reveal(), key.origin.to_string().as_str()),
        ("ours", "ANKITA_ENDPOINT_KEY")
    );
    // A key that cannot be used stops nothing where it is not used.
    assert!(load_env(&[("OPENAI_API_KEY", "k\n\u{1}k")]).is_ok());
    assert_eq!(
        load_env(&[("OPENAI_API_KEY", "k\nk"), ("OPENAI_BASE_URL", "http://h")])
            .unwrap_err()
            .to_string(),
        "`OPENAI_API_KEY` holds a line end, another control character or a character outside ASCII, none of which a header can carry"
    );
}

#[test]
fn keys() {
    let reveal = |text: &str| read_key(text).map(|key| key.reveal().to_owned());
    assert_eq!(reveal(" sk-1\r\n"), Ok("sk-1".into()));
    assert_eq!(reveal("a b"), Ok("a b".into()));
    assert_eq!(reveal(" \n"), Err("is blank".into()));
    assert_eq!(
        reveal(&"k".repeat(8_193)),
        Err("is longer than 8192 bytes".into())
    );
    let cause = "holds a line end, another control character or a character outside ASCII, none of which a header can carry";
    for wrong in [
        "a\r\nX: y",
        "a\nb",
        "a\u{0}b",
        "a\u{7f}b",
        "a\u{200b}b",
        "a\u{fffd}",
    ] {
        assert_eq!(reveal(wrong), Err(cause.into()));
    }
}

fn check_header(name: &str, value: &str, expected: Result<&str, &str>) {
    let read = read_header(name, value, Origin::Default);
    let read = read.map(|header| format!("{}: {}", header.name, header.value.reveal()));
    assert_eq!(
        read,
        expected.map(str::to_owned).map_err(str::to_owned),
        "{name}"
    );
}

#[test]
fn headers() {
    check_header("X-A", "b", Ok("X-A: b"));
    check_header("Editor-Version", " b\tc ", Ok("Editor-Version: b\tc"));
    check_header("x!#$%&'*+-.^_`|~9", "", Ok("x!#$%&'*+-.^_`|~9: "));
    check_header("", "b", Err("has ``, which is no name of a header"));
    check_header("X A", "b", Err("has `X A`, which is no name of a header"));
    check_header("X:A", "b", Err("has `X:A`, which is no name of a header"));
    check_header(
        "X\nA",
        "b",
        Err(r"has `X\nA`, which is no name of a header"),
    );
    check_header(
        "Host",
        "b",
        Err("must not have `Host`: it follows from `endpoint.url`"),
    );
    check_header(
        "AUTHORIZATION",
        "b",
        Err("must not have `AUTHORIZATION`: `endpoint.key` is sent in it"),
    );
}

#[test]
fn reserved_and_oversized_headers() {
    for (name, why) in RESERVED_HEADERS {
        check_header(name, "b", Err(&format!("must not have `{name}`: {why}")));
    }
    check_header(
        "X-A",
        "b\r\nc",
        Err(
            "has a value of `X-A` with a line end, another control character or a character outside ASCII",
        ),
    );
    check_header(
        "X-A",
        "b\u{202e}c",
        Err(
            "has a value of `X-A` with a line end, another control character or a character outside ASCII",
        ),
    );
    check_header(
        "X-A",
        &"b".repeat(8_193),
        Err("has a value of `X-A` longer than 8192 bytes"),
    );
    check_header(
        &"x".repeat(257),
        "b",
        Err("has a name longer than 256 bytes"),
    );
}

#[test]
fn tables_of_headers() {
    let load_headers = |text: &str| load_env(&[("ANKITA_ENDPOINT_HEADERS", text)]);
    let twice = load_headers("{ X-A = 'b', x-a = 'c' }").unwrap_err();
    assert_eq!(
        twice.to_string(),
        "`ANKITA_ENDPOINT_HEADERS` has `x-a` twice"
    );
    let many: Vec<String> = (0..21).map(|n| format!("X-{n} = 'b'")).collect();
    let many = load_headers(&format!("{{ {} }}", many.join(", "))).unwrap_err();
    assert_eq!(
        many.to_string(),
        "`ANKITA_ENDPOINT_HEADERS` has more than 20 headers"
    );
    let file = "[endpoint.headers]\nX-A = 'b'\n\n'X-B' = 'c'\n";
    let (settings, warnings) = load(&Flags::default(), &[], Some(("c.toml", file))).unwrap();
    assert_eq!(warnings, []);
    let origins: Vec<String> = settings
        .endpoint
        .headers
        .iter()
        .map(|header| format!("{} {}", header.name, header.origin))
        .collect();
    assert_eq!(origins, ["X-A c.toml:2", "X-B c.toml:4"]);
    let error = load(
        &Flags::default(),
        &[],
        Some(("c.toml", "[endpoint.headers]\nHost = 'b'")),
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "c.toml:1: `endpoint.headers` must not have `Host`: it follows from `endpoint.url`"
    );
}

const LOCAL: Destination<'_> = Destination {
    host: "localhost",
    port: 80,
    is_local: true,
    has_userinfo: false,
};
const FAR: Destination<'_> = Destination {
    host: "proxy.lan",
    port: 4141,
    is_local: false,
    has_userinfo: false,
};
const URL: (&str, &str) = ("ANKITA_ENDPOINT", "http://x");
const KEY: (&str, &str) = ("ANKITA_ENDPOINT_KEY", "k");
const HOSTS: &str = "ANKITA_ENDPOINT_CLEAR_KEY_HOSTS";

fn check_key(env: &[(&str, &str)], to: Destination<'_>, expected: Result<Option<&str>, &str>) {
    let (settings, _) = load_env(env).unwrap();
    let key = settings.key_for(to).map(|key| key.map(Secret::reveal));
    let expected = expected.map_err(|text| ConfigError(text.into()));
    assert_eq!(key, expected, "{env:?} {to:?}");
}

/// The key goes where it may, and nowhere else.
#[test]
fn where_the_key_goes() {
    check_key(&[URL], LOCAL, Ok(None));
    check_key(&[URL], FAR, Ok(None));
    check_key(&[URL, KEY], LOCAL, Ok(Some("k")));
    // Found, or built in, and not named.
    check_key(&[KEY], LOCAL, Ok(None));
    check_key(&[KEY, ("ANKITA_ENDPOINT", "builtin")], LOCAL, Ok(None));
    let refused = "the key of `ANKITA_ENDPOINT_KEY` would travel unencrypted to `proxy.lan`; if that is meant, set `endpoint.clear_key_hosts = [\"proxy.lan\"]`, or unset `ANKITA_ENDPOINT_KEY`";
    check_key(&[URL, KEY], FAR, Err(refused));
    check_key(&[URL, KEY, (HOSTS, "other.lan")], FAR, Err(refused));
    check_key(&[URL, KEY, (HOSTS, "lan")], FAR, Err(refused));
    check_key(&[URL, KEY, (HOSTS, "proxy.lan:80")], FAR, Err(refused));
    check_key(
        &[URL, KEY, (HOSTS, "other.lan, Proxy.LAN")],
        FAR,
        Ok(Some("k")),
    );
    check_key(&[URL, KEY, (HOSTS, "proxy.lan:4141")], FAR, Ok(Some("k")));
    let six = Destination {
        host: "[fd00::1]",
        port: 80,
        ..FAR
    };
    check_key(&[URL, KEY, (HOSTS, "fd00::1")], six, Ok(Some("k")));
    check_key(&[URL, KEY, (HOSTS, "[fd00::1]:80")], six, Ok(Some("k")));
    check_key(
        &[URL, KEY, (HOSTS, "[fd00::1]:81")],
        six,
        Err(
            "the key of `ANKITA_ENDPOINT_KEY` would travel unencrypted to `fd00::1`; if that is meant, set `endpoint.clear_key_hosts = [\"fd00::1\"]`, or unset `ANKITA_ENDPOINT_KEY`",
        ),
    );
}

/// A password in the URL is a key too.
#[test]
fn where_a_password_goes() {
    let named = Destination {
        has_userinfo: true,
        ..FAR
    };
    check_key(
        &[URL],
        named,
        Err(
            "the password in the endpoint's URL would travel unencrypted to `proxy.lan`; if that is meant, set `endpoint.clear_key_hosts = [\"proxy.lan\"]`",
        ),
    );
    check_key(&[URL, (HOSTS, "proxy.lan")], named, Ok(None));
    check_key(
        &[URL],
        Destination {
            is_local: true,
            ..named
        },
        Ok(None),
    );
    let file = "[endpoint]\nurl = 'http://x'\nkey = 'k'\n";
    let (settings, _) = load(&Flags::default(), &[], Some(("c.toml", file))).unwrap();
    assert_eq!(
        settings.key_for(FAR).unwrap_err().to_string(),
        "the key of `c.toml:3` would travel unencrypted to `proxy.lan`; if that is meant, set `endpoint.clear_key_hosts = [\"proxy.lan\"]`"
    );
    for wrong in ["", "http://h", "h/x", "a b", "h:99999", "::zz", "u@h"] {
        let listed = format!("['{wrong}']");
        assert!(load_env(&[(HOSTS, &listed)]).is_err(), "{wrong}");
    }
}
