//! The settings of the endpoint: who answers, the key, and where the key may go.

use std::fmt;
use std::time::Duration;

use crate::cli::quote;

use super::setting::{Secret, Setting, Settings};
use super::{ConfigError, Origin};

/// Headers that a user may add.
pub(super) const HEADERS_MAX: usize = 20;
/// Bytes of a host and port in a message (RFC 1035 §2.3.4, and a port).
const HOST_BYTES_MAX: usize = 260;
const HEADER_NAME_BYTES_MAX: usize = 256;
const HEADER_VALUE_BYTES_MAX: usize = 8_192;
/// Bytes of a key; a header's value, as it is sent as one.
const KEY_BYTES_MAX: usize = HEADER_VALUE_BYTES_MAX;

/// Headers that the program itself sets, in lower case, with why a user's would be wrong.
pub(crate) const RESERVED_HEADERS: &[(&str, &str)] = &[
    ("accept", "this program sets it"),
    ("accept-encoding", "this program sets it"),
    ("authorization", "`endpoint.key` is sent in it"),
    ("connection", "this program sets it"),
    ("content-length", "this program sets it"),
    ("content-type", "this program sets it"),
    ("expect", "this program never waits for an interim answer"),
    ("host", "it follows from `endpoint.url`"),
    ("keep-alive", "this program sets `Connection`"),
    ("proxy-authorization", "it follows from the proxy's address"),
    ("proxy-connection", "this program sets `Connection`"),
    ("te", "requests have none"),
    ("trailer", "requests have none"),
    ("transfer-encoding", "this program sets `Content-Length`"),
    ("upgrade", "this program speaks HTTP/1.1 only"),
    ("user-agent", "this program sets it"),
    ("x-initiator", "this program sets it for each request"),
];

/// Who answers. `Debug` does not show the user and password in it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Address {
    BuiltIn,
    /// `http://…` or `unix:/…` as written, without blanks around it. Not yet taken apart.
    Url(String),
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("BuiltIn"),
            Self::Url(url) => write!(f, "Url({:?})", without_userinfo(url)),
        }
    }
}

/// A header that goes with every request to the endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// A token, not reserved, at most 256 bytes.
    pub(crate) name: String,
    /// Printable ASCII, at most 8,192 bytes; it may be a secret.
    pub(crate) value: Secret,
    pub(crate) origin: Origin,
}

/// The settings under `endpoint`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) address: Option<Setting<Address>>,
    /// See [`Settings::key_for`]; sent by no other way.
    pub(super) key: Option<Setting<Secret>>,
    pub(crate) connect_timeout: Setting<Duration>,
    /// From the request to the last byte of the response's head.
    pub(crate) head_timeout: Setting<Duration>,
    /// Between two bytes of a body.
    pub(crate) idle_timeout: Setting<Duration>,
    /// Further requests after a failed one; 0 to 10.
    pub(crate) retries: Setting<u32>,
    /// At most 20, no name twice.
    pub(crate) headers: Vec<Header>,
    /// Hosts, each with an optional port, to which the key may go in the clear.
    pub(crate) clear_key_hosts: Vec<Setting<String>>,
}

impl Default for Endpoint {
    fn default() -> Self {
        Self {
            address: None,
            key: None,
            connect_timeout: Setting::default_of(Duration::from_secs(10)),
            head_timeout: Setting::default_of(Duration::from_mins(5)),
            idle_timeout: Setting::default_of(Duration::from_mins(2)),
            retries: Setting::default_of(3),
            headers: Vec::new(),
            clear_key_hosts: Vec::new(),
        }
    }
}

/// Where a request is to go, as the one parser of URLs understood it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Destination<'a> {
    /// IPv6 with or without brackets.
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    /// Loopback or a unix socket.
    pub(crate) is_local: bool,
    /// User and password stand in the URL itself: they are a key too.
    pub(crate) has_userinfo: bool,
}

impl Settings {
    /// The key for a request to the configured endpoint, which `to` describes; `None` where none
    /// is set or nobody named the endpoint. An error where a key would travel in the clear to a
    /// host that `endpoint.clear_key_hosts` does not list.
    pub(crate) fn key_for(&self, to: Destination<'_>) -> Result<Option<&Secret>, ConfigError> {
        let is_named = matches!(
            &self.endpoint.address,
            Some(Setting {
                value: Address::Url(_),
                ..
            })
        );
        let key = self.endpoint.key.as_ref().filter(|_| is_named);
        let what = match key {
            Some(key) => format!("the key of `{}`", key.origin),
            None if to.has_userinfo => "the password in the endpoint's URL".to_owned(),
            None => return Ok(None),
        };
        if to.is_local || self.is_clear_key_host(to) {
            return Ok(key.map(|key| &key.value));
        }
        let host = to.host.trim_matches(['[', ']']);
        let remedy = match key {
            Some(Setting {
                origin: Origin::Variable(name),
                ..
            }) => format!(", or unset `{name}`"),
            _ => String::new(),
        };
        Err(ConfigError(format!(
            "{what} would travel unencrypted to {}; if that is meant, set `endpoint.clear_key_hosts = [\"{host}\"]`{remedy}",
            quote(host)
        )))
    }

    /// What must never be shown: the key and the values of the extra headers.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let key = self.endpoint.key.iter().map(|key| &key.value);
        let headers = self.endpoint.headers.iter().map(|header| &header.value);
        key.chain(headers)
            .map(|secret| secret.reveal().to_owned())
            .collect()
    }

    fn is_clear_key_host(&self, to: Destination<'_>) -> bool {
        let host = to.host.trim_matches(['[', ']']);
        self.endpoint.clear_key_hosts.iter().any(|allowed| {
            let (name, port) = split_port(&allowed.value);
            name.eq_ignore_ascii_case(host) && port.is_none_or(|port| port == to.port)
        })
    }
}

/// A host without brackets, and the port behind it. A bare IPv6 address has no port.
fn split_port(text: &str) -> (&str, Option<u16>) {
    let (name, port) = match text.rsplit_once(':') {
        Some((name, port)) if name.ends_with(']') || !name.contains(':') => (name, Some(port)),
        _ => (text, None),
    };
    match port.map(str::parse) {
        None => (text.trim_matches(['[', ']']), None),
        Some(Ok(port)) => (name.trim_matches(['[', ']']), Some(port)),
        Some(Err(_)) => (text, None),
    }
}

/// Checks an entry of `endpoint.clear_key_hosts`; the error goes on from the setting's name.
pub(super) fn check_host(text: &str) -> Result<(), String> {
    let (name, _) = split_port(text);
    let is_host = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte))
        && (!name.contains(':') || name.parse::<std::net::Ipv6Addr>().is_ok());
    if is_host {
        return Ok(());
    }
    Err(format!(
        "must list hosts like `proxy.lan` or `192.168.1.5:4141`, not {}",
        quote(text)
    ))
}

/// Reads `endpoint.url`; the error goes on from the setting's name: `is …`.
pub(super) fn read_address(text: &str) -> Result<Address, String> {
    let text = text.trim();
    let shown = quote(&without_userinfo(text));
    if text == "builtin" {
        return Ok(Address::BuiltIn);
    }
    if text.chars().any(char::is_control) {
        return Err(format!("is {shown}, which holds a control character"));
    }
    if let Some(path) = text.strip_prefix("unix:") {
        return match path.strip_prefix("//").unwrap_or(path) {
            path if path.starts_with('/') && path.len() > 1 => Ok(Address::Url(text.to_owned())),
            _ => Err(format!("is {shown}; write `unix:/path/to/socket`")),
        };
    }
    if text.starts_with('/') {
        return Err(format!(
            "is {shown}; write {}",
            quote(&format!("unix:{text}"))
        ));
    }
    match text.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => match rest {
            "" => Err(format!("is {shown}, which names no host")),
            _ => Ok(Address::Url(text.to_owned())),
        },
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("https") => {
            Err(refuse_tls(&shown, rest))
        }
        Some(_) => Err(format!(
            "is {shown}; write `http://host:port`, `unix:/path/to/socket` or `builtin`"
        )),
        None if text == "built-in" => Err(format!("is {shown}; write `builtin`")),
        None => {
            let meant = text.strip_prefix("http:").unwrap_or(text);
            let meant = without_userinfo(meant.trim_start_matches('/'));
            Err(format!(
                "is {shown}, which has no scheme; write {}",
                quote(&format!("http://{meant}"))
            ))
        }
    }
}

/// Whether `text` is an `https` URL.
pub(super) fn is_https(text: &str) -> bool {
    text.trim()
        .get(..8)
        .is_some_and(|head| head.eq_ignore_ascii_case("https://"))
}

/// Why `https://` is refused, and how to get there all the same. `rest` follows the scheme.
fn refuse_tls(shown: &str, rest: &str) -> String {
    let rest = without_userinfo(rest);
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    if host.len() > HOST_BYTES_MAX {
        return format!("is {shown}, but this program speaks no TLS");
    }
    // Not quoted by `quote`, which would cut it.
    let command = format!(
        "caddy reverse-proxy --from http://localhost:4141 --to https://{host} --change-host-header"
    );
    format!(
        "is {shown}, but this program speaks no TLS; put a proxy that does in front, such as `{command}`, and set {}",
        quote(&format!("http://localhost:4141{path}"))
    )
}

/// `text` with what may be user and password in it left out.
fn without_userinfo(text: &str) -> String {
    let start = text.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = text.split_at(start);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest.get(..end).and_then(|authority| authority.rfind('@')) {
        Some(at) => format!("{scheme}…{}", rest.get(at..).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Reads a key: blanks around it, such as the line end of a file, are no part of it. The error
/// goes on from the setting's name and shows nothing of the key.
pub(super) fn read_key(text: &str) -> Result<Secret, String> {
    let key = text.trim();
    if key.is_empty() {
        return Err("is blank".into());
    }
    if key.len() > KEY_BYTES_MAX {
        return Err(format!("is longer than {KEY_BYTES_MAX} bytes"));
    }
    if !is_header_text(key) {
        return Err(
            "holds a line end, another control character or a character outside ASCII, none of which a header can carry"
                .into(),
        );
    }
    Ok(Secret::new(key))
}

/// Reads a header; the error goes on from the setting's name and shows nothing of the value.
pub(super) fn read_header(name: &str, value: &str, origin: Origin) -> Result<Header, String> {
    let shown = quote(name);
    let is_token = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte));
    if !is_token {
        return Err(format!("has {shown}, which is no name of a header"));
    }
    if name.len() > HEADER_NAME_BYTES_MAX {
        return Err(format!(
            "has a name longer than {HEADER_NAME_BYTES_MAX} bytes"
        ));
    }
    let lower = name.to_ascii_lowercase();
    if let Some((_, why)) = RESERVED_HEADERS.iter().find(|(known, _)| *known == lower) {
        return Err(format!("must not have {shown}: {why}"));
    }
    let value = value.trim_matches([' ', '\t']);
    if value.len() > HEADER_VALUE_BYTES_MAX {
        return Err(format!(
            "has a value of {shown} longer than {HEADER_VALUE_BYTES_MAX} bytes"
        ));
    }
    if !is_header_text(value) {
        return Err(format!(
            "has a value of {shown} with a line end, another control character or a character outside ASCII"
        ));
    }
    Ok(Header {
        name: name.to_owned(),
        value: Secret::new(value),
        origin,
    })
}

/// Printable ASCII, blanks and tabs (RFC 9110 §5.5, without what is obsolete).
fn is_header_text(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
}
