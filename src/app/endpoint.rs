//! `ankita endpoint`: the built-in endpoint for other clients.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use crate::app::pump::Pump;
use crate::app::serve::Server;
use crate::app::start::Start;
use crate::app::view::Format;
use crate::app::{fail, plain_view, signalled, written};
use crate::catalog::TOOLS;
use crate::chat;
use crate::error::{Error, Kind};
use crate::world::{Event, World};

/// Serves until a signal; the one line on standard output is its URL.
pub(crate) fn serve(world: &World, start: &Start) -> u8 {
    let address = match listen_address(start.flags.listen.as_deref()) {
        Ok(address) => address,
        Err(error) => return fail(world, Format::Text, &error),
    };
    let server = match Server::bind(world, address, TOOLS) {
        Ok(server) => server,
        Err(why) => {
            let error = Error::new(
                chat::Kind::Connect,
                format!("cannot listen on {address}: {}", reason(&why)),
            );
            return fail(world, Format::Text, &error);
        }
    };
    let mut view = plain_view(world, &start.flags);
    if let Err(error) = view.print(&format!("{}\n", server.url())) {
        return written(world, &error);
    }
    let mut pump = Pump::new(world);
    pump.host(server);
    loop {
        if let Event::Signal(signal) = pump.wait(&[], None) {
            return signalled(signal).kind.exit_code();
        }
    }
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "something listens there already; port 0 picks a free one".to_owned()
        }
        io::ErrorKind::PermissionDenied => {
            "permission denied; ports below 1024 are kept for root".to_owned()
        }
        _ => error.to_string(),
    }
}

/// `HOST:PORT`, where the host is an address or `localhost`; a free port of loopback if nothing is said.
fn listen_address(given: Option<&str>) -> Result<SocketAddr, Error> {
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let Some(given) = given else {
        return Ok(SocketAddr::new(loopback, 0));
    };
    let local = given
        .strip_prefix("localhost:")
        .and_then(|port| port.parse().ok())
        .map(|port| SocketAddr::new(loopback, port));
    given.parse().ok().or(local).ok_or_else(|| {
        let why = format!("`--listen {given}` is no address: write `127.0.0.1:8080`, `[::1]:8080` or `localhost:8080`");
        Error::new(Kind::Usage, why)
    })
}
