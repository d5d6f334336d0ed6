//! URLs of endpoints, proxies and redirects (RFC 3986, RFC 9110 §4.2): `http`, `https` and `unix:/path`.

use std::fmt::{self, Write as _};
use std::net::{Ipv4Addr, Ipv6Addr};

use crate::wire::octets::show;

/// Bytes of a URL.
pub(crate) const URL_BYTES_MAX: usize = 16 * 1024;

/// What a base that already names it is taken without (see [`Url::join`]).
const CHAT_PATH: &str = "/chat/completions";

/// How the server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    /// Read so that it can be refused, or handed on, with a good sentence.
    Https,
    /// HTTP over a unix socket.
    Unix,
}

impl Scheme {
    /// The scheme as written, without a colon.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
            Self::Unix => "unix",
        }
    }

    fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
            Self::Unix => 0,
        }
    }
}

/// Where the server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    /// In lower case.
    Name(String),
    V4(Ipv4Addr),
    V6(Ipv6Addr),
}

impl fmt::Display for Host {
    /// As in a URL: IPv6 in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::V4(address) => address.fmt(f),
            Self::V6(address) => write!(f, "[{address}]"),
        }
    }
}

/// A URL. Neither `Display` nor `Debug` shows the user and password in it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: Scheme,
    /// `localhost` for a unix socket.
    pub(crate) host: Host,
    /// The scheme's own if none was given; 0 for a unix socket.
    pub(crate) port: u16,
    /// Path and query as given, without fragment; empty if there was none.
    pub(crate) path: String,
    /// The path of the unix socket; empty otherwise.
    pub(crate) socket: String,
    /// `user:password` as written, without the `@`.
    userinfo: Option<String>,
}

impl Url {
    /// Reads an absolute URL. Errors say what is wrong and what is meant, and show no user or password.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let fault = |what: &str| {
            Err(format!(
                "`{}`: {what}",
                show(without_userinfo(text).as_bytes())
            ))
        };
        if text.is_empty() {
            return Err("the URL is empty".into());
        }
        if text.len() > URL_BYTES_MAX {
            return fault(&format!(
                "the URL is longer than {} KiB",
                URL_BYTES_MAX / 1024
            ));
        }
        if let Some(socket) = text.strip_prefix("unix:") {
            return Self::parse_unix(socket).or_else(|what| fault(&what));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return fault("a URL has no blanks, control characters or characters outside ASCII");
        }
        if text.contains('\\') {
            return fault("a URL has no backslash");
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            let meant = ["http:", "https:"]
                .iter()
                .find_map(|start| text.strip_prefix(start));
            let meant = meant.unwrap_or(text).trim_start_matches('/');
            return fault(&format!(
                "the scheme is missing; write `http://{}`",
                without_userinfo(meant)
            ));
        };
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => {
                return fault(
                    "only `http://host:port/path` and `unix:/path/to/socket` can be reached",
                );
            }
        };
        Self::parse_rest(scheme, rest).or_else(|what| fault(&what))
    }

    fn parse_unix(socket: &str) -> Result<Self, String> {
        // `unix:///path` is the same with an empty authority.
        let socket = socket.strip_prefix("//").unwrap_or(socket);
        if !socket.starts_with('/') || socket.len() == 1 {
            return Err("a unix socket is written `unix:/path/to/socket`".into());
        }
        if socket.chars().any(char::is_control) {
            return Err("a socket's path has no control characters".into());
        }
        Ok(Self {
            scheme: Scheme::Unix,
            host: Host::Name("localhost".into()),
            port: 0,
            path: String::new(),
            socket: socket.to_owned(),
            userinfo: None,
        })
    }

    /// Reads what follows `://`.
    fn parse_rest(scheme: Scheme, rest: &str) -> Result<Self, String> {
        let rest = before(rest, '#');
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (userinfo, host_port) = match authority.rsplit_once('@') {
            Some((userinfo, host_port)) => (Some(userinfo.to_owned()), host_port),
            None => (None, authority),
        };
        let (host, port) = parse_host_port(host_port)?;
        Ok(Self {
            scheme,
            host,
            port: port.unwrap_or(scheme.default_port()),
            path: path.to_owned(),
            socket: String::new(),
            userinfo,
        })
    }

    /// `user:password` with percent coding undone, for Basic authentication (RFC 7617). Never show it.
    pub(crate) fn userinfo(&self) -> Option<Vec<u8>> {
        self.userinfo.as_deref().map(decode_percent)
    }

    /// The request target in origin-form: path and query, at least `/`.
    pub(crate) fn target(&self) -> String {
        match self.path.as_bytes().first() {
            Some(b'/') => self.path.clone(),
            _ => format!("/{}", self.path),
        }
    }

    /// The request target in absolute-form, as an HTTP proxy wants it.
    pub(crate) fn absolute_target(&self) -> String {
        format!("{}{}", self.origin(), self.target())
    }

    /// The value of `Host`: host, and the port if it is not the scheme's own; `localhost` for a unix socket.
    pub(crate) fn host_header(&self) -> String {
        if self.port == self.scheme.default_port() {
            self.host.to_string()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// `scheme://host[:port]`, or `unix:/path/to/socket`: who is asked, without what for.
    pub(crate) fn origin(&self) -> String {
        match self.scheme {
            Scheme::Unix => format!("unix:{}", self.socket),
            scheme => format!("{}://{}", scheme.name(), self.host_header()),
        }
    }

    /// Whether both are served by the same origin (RFC 6454), so that what is secret for one may go to the other.
    pub(crate) fn is_same_origin(&self, other: &Self) -> bool {
        (self.scheme, &self.host, self.port, &self.socket)
            == (other.scheme, &other.host, other.port, &other.socket)
    }

    /// Whether it never leaves this machine: a loopback address, `localhost`, or a unix socket.
    pub(crate) fn is_loopback(&self) -> bool {
        match &self.host {
            Host::Name(name) => {
                let name = name.strip_suffix('.').unwrap_or(name);
                name == "localhost" || name.ends_with(".localhost")
            }
            Host::V4(address) => address.is_loopback(),
            Host::V6(address) => {
                address.is_loopback() || address.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback())
            }
        }
    }

    /// This base with `suffix`, which begins with `/`, behind its path and before its query. The base is taken as it
    /// is, but for a slash at its end and a `/chat/completions` that it already has.
    pub(crate) fn join(&self, suffix: &str) -> Self {
        let (path, query) = self.path.split_at(before(&self.path, '?').len());
        let path = path.strip_suffix('/').unwrap_or(path);
        let path = path.strip_suffix(CHAT_PATH).unwrap_or(path);
        Self {
            path: format!("{path}{suffix}{query}"),
            ..self.clone()
        }
    }

    /// The URL that a `Location` here points to (RFC 3986 §5.2). Blanks and characters outside ASCII, which servers
    /// are known to leave in, are percent-coded. User and password are kept only within this origin.
    pub(crate) fn resolve(&self, location: &str) -> Result<Self, String> {
        let reference = encode_percent(before(location, '#'));
        let scheme = reference
            .split(['/', '?'])
            .next()
            .and_then(|start| start.split_once(':'));
        if scheme.is_some_and(|(name, _)| is_scheme(name)) {
            if self.scheme != Scheme::Unix && starts_with_unix(&reference) {
                return Err("a server may not lead to a unix socket".into());
            }
            return Self::parse(&reference).map(|url| self.share_userinfo(url));
        }
        if let Some(rest) = reference.strip_prefix("//") {
            if self.scheme == Scheme::Unix {
                return Self::parse(&format!("http://{rest}"));
            }
            return Self::parse(&format!("{}://{rest}", self.scheme.name()))
                .map(|url| self.share_userinfo(url));
        }
        if reference.len() > URL_BYTES_MAX || !reference.bytes().all(|byte| byte.is_ascii_graphic())
        {
            return Err(format!("`{}` is no URL", show(reference.as_bytes())));
        }
        let base_path = before(&self.path, '?');
        let path = if reference.is_empty() {
            self.path.clone()
        } else if reference.starts_with('?') {
            format!("{base_path}{reference}")
        } else if reference.starts_with('/') {
            remove_dots(&reference)
        } else {
            let folder = base_path.rfind('/').map_or("/", |at| &base_path[..=at]);
            remove_dots(&format!("{folder}{reference}"))
        };
        Ok(Self {
            path,
            ..self.clone()
        })
    }

    fn share_userinfo(&self, mut url: Self) -> Self {
        if url.userinfo.is_none() && self.is_same_origin(&url) {
            url.userinfo.clone_from(&self.userinfo);
        }
        url
    }
}

impl fmt::Display for Url {
    /// Without user and password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.path)
    }
}

impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({self})")
    }
}

/// Reads `host[:port]`, as in an authority or an entry of `NO_PROXY`.
pub(crate) fn parse_host_port(text: &str) -> Result<(Host, Option<u16>), String> {
    let (host, port) = if let Some(rest) = text.strip_prefix('[') {
        let Some((address, after)) = rest.split_once(']') else {
            return Err("the bracket of the IPv6 address is not closed".into());
        };
        if address.contains('%') {
            return Err("a zone in an IPv6 address is not supported".into());
        }
        let Ok(address) = address.parse() else {
            return Err("what stands in brackets is no IPv6 address".into());
        };
        match (after.is_empty(), after.strip_prefix(':')) {
            (true, _) => (Host::V6(address), None),
            (false, Some(port)) => (Host::V6(address), Some(port)),
            (false, None) => {
                return Err("after the IPv6 address comes neither port nor path".into());
            }
        }
    } else {
        let (host, port) = match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        };
        if port.is_some_and(|port| port.contains(':')) {
            return Err("an IPv6 address stands in brackets: `http://[::1]:8080`".into());
        }
        (parse_name(host)?, port)
    };
    match port {
        None | Some("") => Ok((host, None)),
        Some(digits) => match digits.parse() {
            Ok(port) if port > 0 && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Ok((host, Some(port)))
            }
            _ => Err(format!(
                "the port `{}` is not a number from 1 to 65535",
                show(digits.as_bytes())
            )),
        },
    }
}

/// A name or a dotted IPv4 address.
fn parse_name(text: &str) -> Result<Host, String> {
    if text.is_empty() {
        return Err("the host is missing".into());
    }
    if let Ok(address) = text.parse() {
        return Ok(Host::V4(address));
    }
    let name = text.to_ascii_lowercase();
    let labels = name.strip_suffix('.').unwrap_or(&name);
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
    };
    if labels.len() > 253 || !labels.split('.').all(is_label) {
        return Err(format!("`{}` is no host name", show(text.as_bytes())));
    }
    // `127.1`, `0x7f000001` and `2130706433` are addresses to resolvers: they would pass as names where addresses
    // are guarded.
    let last = labels.rsplit('.').next().unwrap_or(labels);
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit())
        || last
            .strip_prefix("0x")
            .is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if is_number {
        return Err(format!(
            "`{}` is no IPv4 address of four numbers",
            show(text.as_bytes())
        ));
    }
    Ok(Host::Name(name))
}

/// RFC 3986 §3.1.
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

fn starts_with_unix(text: &str) -> bool {
    text.get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("unix:"))
}

/// `text` up to the first `end`.
fn before(text: &str, end: char) -> &str {
    text.split(end).next().unwrap_or(text)
}

/// `text` with what may be user and password left out, for an error.
fn without_userinfo(text: &str) -> String {
    let start = text.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = text.split_at(start);
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    match authority.rfind('@') {
        Some(at) => format!("{scheme}…{}", &rest[at..]),
        None => text.to_owned(),
    }
}

/// Takes `.` and `..` out of the path before a query (RFC 3986 §5.2.4).
fn remove_dots(target: &str) -> String {
    let (path, query) = target.split_at(before(target, '?').len());
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_dots = matches!(segment, "." | "..");
        if segment == ".." {
            kept.pop();
        }
        if !is_dots {
            kept.push(segment);
        } else if segments.peek().is_none() {
            kept.push(""); // `/a/.` is the folder `/a/`.
        }
    }
    format!("/{}{query}", kept.join("/"))
}

fn encode_percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte == b' ' || !byte.is_ascii() {
            let _ = write!(out, "%{byte:02X}"); // Writing to memory cannot fail.
        } else {
            out.push(char::from(byte));
        }
    }
    out
}

/// Undoes percent coding; what is none stays as it is.
fn decode_percent(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    loop {
        rest = match rest {
            [] => return out,
            [b'%', high, low, after @ ..]
                if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
            {
                let digit = |byte: u8| {
                    (byte as char)
                        .to_digit(16)
                        .and_then(|digit| u8::try_from(digit).ok())
                };
                out.push(digit(*high).unwrap_or(0) << 4 | digit(*low).unwrap_or(0));
                after
            }
            [byte, after @ ..] => {
                out.push(*byte);
                after
            }
        };
    }
}

#[cfg(test)]
#[path = "url_tests.rs"]
mod tests;
