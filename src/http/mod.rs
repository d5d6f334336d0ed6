//! The one HTTP client: pure state over the world's byte streams; whoever owns an exchange waits for it.
//!
//! [`Client::start`] gives an [`Exchange`]. Its owner calls [`Exchange::advance`], which does all that does not block, and
//! at [`Progress::Wait`] waits for [`Exchange::interests`] until [`Exchange::until`]. [`finish`] does that in one call for
//! code that runs in a job. Dropping an exchange closes its connection; [`Client::keep`] lets it be used once more.

mod client;
mod dial;
mod exchange;
mod fault;
#[cfg(test)]
mod finish;
mod no_proxy;
mod outgoing;
mod proxy;
mod redirect;
mod request;
pub(crate) mod retry;
mod route;
mod talk;

#[cfg(test)]
mod tests;

pub(crate) use self::client::{Client, Timeouts};
pub(crate) use self::exchange::{Exchange, Progress};
pub(crate) use self::fault::{Fault, FaultKind};
#[cfg(test)]
pub(crate) use self::finish::finish;
pub(crate) use self::proxy::Proxies;
pub(crate) use self::redirect::{Redirect, redirect_target};
pub(crate) use self::request::Request;
// The world's words that this interface speaks, so that whoever sits on it needs no import of `world`.
pub(crate) use crate::world::{Interest, Moment, Net};
