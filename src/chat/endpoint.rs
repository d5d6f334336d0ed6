//! Who answers: its address, its key, what was learnt of it; and the question which models it has.

use crate::chat::openai::{Model, Quirks, Source, read_models};
use crate::chat::{Fault, Kind, Poll};
use crate::http::{
    Client, Exchange, Interest, Moment, Net, Progress, Redirect, Request, redirect_target,
};
use crate::wire::{ResponseHead, Url};

/// Bytes of a list of models.
const LIST_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Bytes of a configured field's name.
const NAME_BYTES_MAX: usize = 256;
/// Bytes of a configured field's value.
const VALUE_BYTES_MAX: usize = 8192;
/// Fields that are ours to set: whoever could set them could change what the request means.
const RESERVED_FIELDS: [&str; 10] = [
    "host",
    "content-length",
    "content-type",
    "transfer-encoding",
    "connection",
    "accept-encoding",
    "expect",
    "te",
    "trailer",
    "upgrade",
];

/// An endpoint, and the client that speaks to it.
pub(crate) struct Endpoint {
    url: Url,
    key: Option<String>,
    headers: Vec<(String, String)>,
    pub(super) retries_max: u32,
    pub(super) quirks: Quirks,
    pub(super) client: Client,
}

impl Endpoint {
    /// The endpoint at the base `url`. `key`: sent as a bearer token. `headers`: further fields; see
    /// [`Endpoint::check_header`]. `retries_max`: how often a request is sent again.
    pub(crate) fn new(
        url: Url,
        key: Option<String>,
        headers: Vec<(String, String)>,
        retries_max: u32,
        client: Client,
    ) -> Self {
        Self {
            url,
            key,
            headers,
            retries_max,
            quirks: Quirks::default(),
            client,
        }
    }

    /// Says why a header must not be configured. (Its name and value are checked again when they are sent.)
    pub(crate) fn check_header(name: &str, value: &str) -> Result<(), String> {
        if RESERVED_FIELDS
            .iter()
            .any(|reserved| name.eq_ignore_ascii_case(reserved))
        {
            return Err(format!("the field `{name}` is set by the program itself"));
        }
        if name.len() > NAME_BYTES_MAX || value.len() > VALUE_BYTES_MAX {
            return Err(format!(
                "the field `{}` is too long: a name has at most {NAME_BYTES_MAX} bytes, a value {VALUE_BYTES_MAX}",
                crate::text::one_line(name, 60)
            ));
        }
        crate::wire::check_field(name, value).map_err(|error| error.to_string())
    }

    /// What was learnt of it so far.
    pub(crate) fn quirks(&self) -> Quirks {
        self.quirks
    }

    /// Its base, without user and password.
    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// A request to it, with the fields that all of them have.
    pub(super) fn request(&self, mut request: Request, accept: &str) -> Request {
        let is_set = |name: &str| {
            self.headers
                .iter()
                .any(|(known, _)| known.eq_ignore_ascii_case(name))
        };
        request = request.with_field("Accept", accept);
        if let Some(key) = &self.key {
            request = request.with_field("Authorization", &format!("Bearer {key}"));
        }
        // What the user configured stands instead of ours, not beside it.
        request.fields.retain(|(name, _)| !is_set(name));
        for (name, value) in &self.headers {
            request = request.with_field(name, value);
        }
        request
    }

    /// Where questions go.
    pub(super) fn chat_url(&self) -> Url {
        self.url.join("/chat/completions")
    }

    fn models_url(&self) -> Url {
        self.url.join("/models")
    }
}

/// Asks an endpoint for its models. Never repeated.
pub(crate) struct ListModels {
    exchange: Option<Exchange>,
    body: Vec<u8>,
    is_redirected: bool,
}

impl ListModels {
    /// Begins to ask.
    pub(crate) fn start(endpoint: &mut Endpoint, net: &dyn Net, now: Moment) -> Self {
        let request = endpoint.request(Request::get(endpoint.models_url()), "application/json");
        Self {
            exchange: Some(endpoint.client.start(request, net, now)),
            body: Vec::new(),
            is_redirected: false,
        }
    }

    /// Adds what is to be waited for.
    pub(crate) fn interests(&self, out: &mut Vec<Interest>) {
        if let Some(exchange) = &self.exchange {
            exchange.interests(out);
        }
    }

    /// When to call [`ListModels::advance`] at the latest.
    pub(crate) fn until(&self) -> Option<Moment> {
        self.exchange.as_ref().and_then(Exchange::until)
    }

    /// Does what does not block. The list is given once. `wall_seconds`: the calendar, in seconds since 1970.
    pub(crate) fn advance(
        &mut self,
        endpoint: &mut Endpoint,
        net: &dyn Net,
        now: Moment,
        wall_seconds: i64,
    ) -> Poll<Vec<Model>> {
        loop {
            let Some(exchange) = &mut self.exchange else {
                return Poll::Wait;
            };
            match exchange.advance(net, now) {
                Err(fault) => return self.end(Err(fault.into())),
                Ok(Progress::Wait) => return Poll::Wait,
                Ok(Progress::Head) => {
                    let redirect = exchange
                        .head()
                        .map(|head| redirect_target(head, exchange.request()));
                    match redirect {
                        Some(Redirect::Follow(url)) if !self.is_redirected => {
                            self.is_redirected = true;
                            let mut request = exchange.request().clone();
                            request.url = url;
                            self.exchange = Some(endpoint.client.start(request, net, now));
                        }
                        Some(Redirect::Refuse(text)) => {
                            return self.end(Err(Fault::new(Kind::Redirect, text)));
                        }
                        _ => {}
                    }
                }
                Ok(Progress::Body) => {
                    exchange.take_body(&mut self.body);
                    if self.body.len() > LIST_BYTES_MAX {
                        let text = format!(
                            "the list of models of {} is longer than {LIST_BYTES_MAX} bytes",
                            exchange.route_text()
                        );
                        return self.end(Err(Fault::new(Kind::Limit, text)));
                    }
                }
                Ok(Progress::Done) => {
                    let list = read(exchange, &self.body, wall_seconds);
                    if let Some(exchange) = self.exchange.take() {
                        endpoint.client.keep(exchange, now);
                    }
                    return self.end(list);
                }
            }
        }
    }

    fn end(&mut self, list: Result<Vec<Model>, Fault>) -> Poll<Vec<Model>> {
        self.exchange = None;
        Poll::Done(list)
    }
}

/// Whom an exchange asks, for messages.
pub(super) fn source_of(exchange: &Exchange, wall_seconds: i64) -> Source {
    let target = exchange.request().url.target();
    Source {
        route: exchange.route_text(),
        path: target.split('?').next().unwrap_or_default().to_owned(),
        now: wall_seconds,
    }
}

fn read(exchange: &Exchange, body: &[u8], wall_seconds: i64) -> Result<Vec<Model>, Fault> {
    let source = source_of(exchange, wall_seconds);
    match exchange.head() {
        Some(head) => read_models(head, body, &source),
        None => read_models(&no_head(), body, &source),
    }
}

/// Stands for a head that cannot be missing: an exchange that is done has one.
fn no_head() -> ResponseHead {
    ResponseHead {
        version_minor: 1,
        status: 502,
        reason: "no head".to_owned(),
        fields: crate::wire::Fields::default(),
    }
}
