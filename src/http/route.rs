//! Whom a request is dialled to: the server, or the proxy in front of it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use crate::http::fault::{Fault, FaultKind, Lost};
use crate::http::proxy::{Proxies, Via};
use crate::wire::{Host, Scheme, Url};
use crate::world::Peer;

/// Where the connection goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Known without asking anybody.
    Peers(Vec<Peer>),
    /// A name to be looked up, and the port.
    Name(String, u16),
}

/// The way to a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Route {
    /// `http://host:port`, for messages.
    origin: String,
    via: Option<Via>,
    pub(super) target: Target,
}

impl Route {
    /// The way to `url`.
    pub(super) fn find(url: &Url, proxies: &Proxies) -> Result<Self, Fault> {
        let origin = url.origin();
        if url.scheme == Scheme::Https {
            return Err(Fault::new(
                FaultKind::Config,
                format!(
                    "cannot connect to `{origin}`: TLS is not spoken here; put a local proxy that ends TLS in front and \
                     use its `http://` address"
                ),
            ));
        }
        let via = proxies
            .for_url(url)
            .map_err(|text| {
                Fault::new(
                    FaultKind::Config,
                    format!("cannot connect to `{origin}`: {text}"),
                )
            })?
            .cloned();
        let target = Target::find(via.as_ref().map_or(url, |via| &via.url));
        Ok(Self {
            origin,
            via,
            target,
        })
    }

    pub(super) fn via(&self) -> Option<&Via> {
        self.via.as_ref()
    }

    /// Whether a connection made for `other` may carry a request of this one.
    pub(super) fn is_shared(&self, other: &Self) -> bool {
        self.via == other.via && self.target == other.target
    }

    /// The server and the proxy, as they stand in messages.
    pub(super) fn text(&self) -> String {
        match &self.via {
            None => format!("`{}`", self.origin),
            Some(via) => format!(
                "`{}` through the proxy `{}` (from `{}`)",
                self.origin,
                via.url.origin(),
                via.variable
            ),
        }
    }

    /// The sentence for what went wrong before there was a connection.
    pub(super) fn fault_of_dial(&self, lost: Lost) -> Fault {
        let Lost { kind, what } = lost;
        if let Some(via) = &self.via {
            let text = format!(
                "cannot reach the proxy `{}` (from `{}`) for `{}`: {what}; correct or unset the variable, or list the \
                 host in `no_proxy`",
                via.url.origin(),
                via.variable,
                self.origin
            );
            return Fault::new(FaultKind::Proxy, text);
        }
        let remedy = match (kind, &self.target) {
            (FaultKind::Resolve, _) => "check the host name and the network",
            (FaultKind::Refused, _) => "is the server running, and is this its port?",
            (_, Target::Peers(_)) => "is the server running?",
            _ => "check the address and the network",
        };
        let text = format!("cannot connect to {}: {what}; {remedy}", self.text());
        Fault::new(kind, text)
    }
}

impl Target {
    fn find(url: &Url) -> Self {
        if url.scheme == Scheme::Unix {
            return Self::Peers(vec![Peer::Unix(PathBuf::from(&url.socket))]);
        }
        let at = |address: IpAddr| Peer::Ip(SocketAddr::new(address, url.port));
        match &url.host {
            Host::V4(address) => Self::Peers(vec![at((*address).into())]),
            Host::V6(address) => Self::Peers(vec![at((*address).into())]),
            // Never looked up (RFC 6761 §6.3): what counts as loopback must be loopback. Many servers listen on one of
            // the two only.
            Host::Name(_) if url.is_loopback() => Self::Peers(vec![
                at(Ipv6Addr::LOCALHOST.into()),
                at(Ipv4Addr::LOCALHOST.into()),
            ]),
            Host::Name(name) => Self::Name(name.clone(), url.port),
        }
    }
}
