//! The client: settings, and the one connection that is kept between exchanges.

use std::io::ErrorKind;
use std::time::Duration;

use crate::http::exchange::Exchange;
use crate::http::proxy::Proxies;
use crate::http::request::Request;
use crate::http::route::Route;
use crate::world::{Moment, Net, Stream};

/// How long a connection may lie idle and still be used: less than the shortest known time after which servers close
/// (5 s), by a margin.
const IDLE_MAX: Duration = Duration::from_secs(2);

/// How long each part of an exchange may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timeouts {
    /// For looking a name up, and again for each address.
    pub(crate) connect: Duration,
    /// Without a byte of the request being taken.
    pub(crate) write: Duration,
    /// From the end of the request to the end of the response's head.
    pub(crate) head: Duration,
    /// Without a byte of any kind inside the body.
    pub(crate) idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            write: Duration::from_secs(30),
            // Local models read a long prompt for minutes before the first byte.
            head: Duration::from_mins(5),
            idle: Duration::from_mins(2),
        }
    }
}

/// Makes exchanges.
pub(crate) struct Client {
    timeouts: Timeouts,
    proxies: Proxies,
    kept: Option<Kept>,
}

/// A connection between two exchanges.
struct Kept {
    route: Route,
    stream: Box<dyn Stream>,
    since: Moment,
}

impl Client {
    pub(crate) fn new(timeouts: Timeouts, proxies: Proxies) -> Self {
        Self {
            timeouts,
            proxies,
            kept: None,
        }
    }

    /// Begins an exchange. A request that cannot be tried fails at its first [`Exchange::advance`].
    pub(crate) fn start(&mut self, request: Request, net: &dyn Net, now: Moment) -> Exchange {
        match Route::find(&request.url, &self.proxies) {
            Ok(route) => {
                let kept = self.take_kept(&route, now);
                Exchange::start(request, self.timeouts, route, kept, net, now)
            }
            Err(fault) => Exchange::failed(request, self.timeouts, fault),
        }
    }

    /// Takes an exchange's connection back, if it is fit for another; else, and when the next exchange comes late or goes
    /// elsewhere, it is closed.
    pub(crate) fn keep(&mut self, exchange: Exchange, now: Moment) {
        if let Some((route, stream)) = exchange.into_reusable() {
            self.kept = Some(Kept {
                route,
                stream,
                since: now,
            });
        }
    }

    /// The kept connection, if it leads there, is fresh, and silent: bytes nobody asked for would be taken for an answer.
    fn take_kept(&mut self, route: &Route, now: Moment) -> Option<Box<dyn Stream>> {
        let mut kept = self.kept.take()?;
        let is_fit = kept.route.is_shared(route)
            && now.since(kept.since) <= IDLE_MAX
            && kept
                .stream
                .read(&mut [0])
                .is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
        is_fit.then_some(kept.stream)
    }
}
