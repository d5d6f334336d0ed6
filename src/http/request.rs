//! A request, and its head as it goes out.

use std::sync::Arc;

use crate::http::fault::{Fault, FaultKind};
use crate::http::proxy::basic;
use crate::http::route::Route;
use crate::wire::{Url, write_request_head};

const USER_AGENT: &str = concat!("ankita/", env!("CARGO_PKG_VERSION"));

/// A request. It has no `Debug`: fields hold keys.
#[derive(Clone)]
pub(crate) struct Request {
    /// `GET`, `POST` …
    pub(crate) method: &'static str,
    pub(crate) url: Url,
    /// Without `Host`, `Content-Length` and `Transfer-Encoding`; `Accept-Encoding` and `User-Agent` are added if absent.
    pub(crate) fields: Vec<(String, String)>,
    /// The body's parts in order, shared rather than copied.
    pub(crate) body: Vec<Arc<Vec<u8>>>,
}

impl Request {
    /// A GET without further fields.
    pub(crate) fn get(url: Url) -> Self {
        Self {
            method: "GET",
            url,
            fields: Vec::new(),
            body: Vec::new(),
        }
    }

    /// A POST of `body` with its `Content-Type`.
    pub(crate) fn post(url: Url, content_type: &str, body: Vec<Arc<Vec<u8>>>) -> Self {
        Self {
            method: "POST",
            url,
            fields: vec![("Content-Type".to_owned(), content_type.to_owned())],
            body,
        }
    }

    /// The same with one field more.
    pub(crate) fn with_field(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Bytes of the body.
    pub(crate) fn body_bytes(&self) -> u64 {
        self.body.iter().map(|part| part.len() as u64).sum()
    }

    fn has(&self, name: &str) -> bool {
        self.fields
            .iter()
            .any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// The head for `route`; a fault if a field must not be sent.
    pub(super) fn write_head(&self, route: &Route) -> Result<Vec<u8>, Fault> {
        let host = self.url.host_header();
        let url_user = self.url.userinfo().map(|user| basic(&user));
        let proxy_user = route
            .via()
            .and_then(|via| via.url.userinfo())
            .map(|user| basic(&user));
        let target = if route.via().is_some() {
            self.url.absolute_target()
        } else {
            self.url.target()
        };
        let mut fields: Vec<(&str, &str)> = vec![("Host", &host)];
        if !self.has("User-Agent") {
            fields.push(("User-Agent", USER_AGENT));
        }
        if !self.has("Accept-Encoding") {
            // We have no inflater; saying so keeps most servers from compressing.
            fields.push(("Accept-Encoding", "identity"));
        }
        if let Some(user) = &url_user
            && !self.has("Authorization")
        {
            fields.push(("Authorization", user));
        }
        if let Some(user) = &proxy_user {
            fields.push(("Proxy-Authorization", user));
        }
        fields.extend(
            self.fields
                .iter()
                .map(|(name, value)| (name.as_str(), value.as_str())),
        );
        let length = self.body_bytes();
        let has_length = length > 0 || !matches!(self.method, "GET" | "HEAD");
        let mut head = Vec::with_capacity(512);
        write_request_head(
            self.method,
            &target,
            &fields,
            has_length.then_some(length),
            &mut head,
        )
        .map_err(|error| {
            let text = format!("cannot send the request to {}: {error}", route.text());
            Fault::new(FaultKind::Config, text)
        })?;
        Ok(head)
    }
}
