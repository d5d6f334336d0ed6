//! Proxies as the environment names them, and the credentials of Basic authentication.

use crate::http::no_proxy::NoProxy;
use crate::wire::{Scheme, Url};

/// A proxy and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Via {
    pub(crate) url: Url,
    /// The variable that named it.
    pub(crate) variable: &'static str,
}

/// Which requests go through a proxy.
#[derive(Clone, Debug, Default)]
pub(crate) struct Proxies {
    /// Or why what the variable holds cannot be used.
    http: Option<Result<Via, String>>,
    no_proxy: NoProxy,
}

impl Proxies {
    /// No proxy at all.
    pub(crate) fn none() -> Self {
        Self::default()
    }

    /// Reads `http_proxy` or `HTTP_PROXY`, and `no_proxy` or `NO_PROXY`; lower case wins, empty counts as unset. A value
    /// that makes no sense fails the first request that would need it.
    pub(crate) fn from_env(env: &[(String, String)]) -> Self {
        let find = |name: &'static str| {
            let found = env
                .iter()
                .find(|(known, value)| known == name && !value.trim().is_empty());
            found.map(|(_, value)| (name, value.trim()))
        };
        // In a CGI program `HTTP_PROXY` is a field of the request (httpoxy), not a setting.
        let is_cgi = find("REQUEST_METHOD").is_some();
        let upper = find("HTTP_PROXY").filter(|_| !is_cgi);
        Self {
            http: find("http_proxy")
                .or(upper)
                .map(|(name, value)| parse(name, value)),
            no_proxy: find("no_proxy")
                .or(find("NO_PROXY"))
                .map(|(_, value)| NoProxy::parse(value))
                .unwrap_or_default(),
        }
    }

    /// The proxy for `url`, if it goes through one; loopback and unix sockets never do.
    pub(crate) fn for_url(&self, url: &Url) -> Result<Option<&Via>, String> {
        if url.is_loopback() || url.scheme != Scheme::Http || self.no_proxy.has(&url.host, url.port)
        {
            return Ok(None);
        }
        match &self.http {
            None => Ok(None),
            Some(Ok(via)) => Ok(Some(via)),
            Some(Err(text)) => Err(text.clone()),
        }
    }
}

fn parse(variable: &'static str, value: &str) -> Result<Via, String> {
    let remedy = "correct it, unset it, or list the host in `no_proxy`";
    let url = if value.contains("://") {
        Url::parse(value)
    } else {
        Url::parse(&format!("http://{value}"))
    };
    match url {
        Ok(url) if url.scheme == Scheme::Http => Ok(Via { url, variable }),
        Ok(url) => Err(format!(
            "the variable `{variable}` names the proxy `{}`, but only `http://` proxies can be used; {remedy}",
            url.origin()
        )),
        Err(error) => Err(format!(
            "the variable `{variable}` names no proxy that can be used: {error}; {remedy}"
        )),
    }
}

/// The value of `Authorization` for `user:password` (RFC 7617).
pub(super) fn basic(userinfo: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    // Without a password the colon is still there.
    let colon: &[u8] = if userinfo.contains(&b':') { b"" } else { b":" };
    let bytes: Vec<u8> = [userinfo, colon].concat();
    let mut text = String::from("Basic ");
    for group in bytes.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let index = (bits >> (18 - 6 * place) & 63) as usize;
            match LETTERS.get(index) {
                Some(letter) if place <= group.len() => text.push(char::from(*letter)),
                _ => text.push('='),
            }
        }
    }
    text
}
