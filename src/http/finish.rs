//! A whole exchange in one call, for code that runs in a job and may wait.

use crate::http::exchange::{Exchange, Progress};
use crate::http::fault::{Fault, FaultKind, Phase};
use crate::wire::ResponseHead;
use crate::world::{Cancel, Moment, World};

/// Runs `exchange` to its end: the head, and the body of at most `bytes_max` bytes. Fails with `Limit` if it is longer,
/// `Cancelled` once `cancel` is set, `Timeout(Total)` at `until`. Give the exchange to [`super::Client::keep`] afterwards.
pub(crate) fn finish(
    exchange: &mut Exchange,
    world: &World,
    cancel: &Cancel,
    until: Option<Moment>,
    bytes_max: usize,
) -> Result<(ResponseHead, Vec<u8>), Fault> {
    let mut body = Vec::new();
    let mut interests = Vec::new();
    loop {
        if cancel.is_set() {
            let text = format!("the request to {} was cancelled", exchange.route_text());
            return Err(fault(exchange, FaultKind::Cancelled, text));
        }
        let now = world.clock.now();
        if until.is_some_and(|until| now >= until) {
            let text = format!(
                "{} took longer than allowed for the whole answer",
                exchange.route_text()
            );
            return Err(fault(exchange, FaultKind::Timeout(Phase::Total), text));
        }
        match exchange.advance(&*world.net, now)? {
            Progress::Head => {}
            Progress::Body => {
                exchange.take_body(&mut body);
                if body.len() > bytes_max {
                    let text = format!(
                        "the answer of {} is longer than {bytes_max} bytes",
                        exchange.route_text()
                    );
                    return Err(fault(exchange, FaultKind::Limit, text));
                }
            }
            Progress::Wait => {
                interests.clear();
                exchange.interests(&mut interests);
                let own = exchange.until();
                let first = own.into_iter().chain(until).min();
                world.threads.poll(&interests, first, cancel);
            }
            Progress::Done => {
                let head = exchange.head().cloned().ok_or_else(|| {
                    // Cannot be: the head comes before the end. Said rather than a panic.
                    let text = format!("the answer of {} has no head", exchange.route_text());
                    fault(exchange, FaultKind::Protocol, text)
                })?;
                return Ok((head, body));
            }
        }
    }
}

fn fault(exchange: &Exchange, kind: FaultKind, text: String) -> Fault {
    Fault {
        kind,
        text,
        received: exchange.received(),
    }
}
