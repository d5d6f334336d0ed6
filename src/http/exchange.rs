//! One request and its response, from the address to the last byte.

use crate::http::client::Timeouts;
use crate::http::dial::Dial;
use crate::http::fault::{Fault, FaultKind, Lost};
use crate::http::outgoing::Outgoing;
use crate::http::request::Request;
use crate::http::route::Route;
use crate::http::talk::{Step, Talk};
use crate::wire::ResponseHead;
use crate::world::{Interest, Moment, Net, Stream};

/// How far an exchange has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing can be done now: wait for the interests, until the moment.
    Wait,
    /// The head is there, once: [`Exchange::head`].
    Head,
    /// There are bytes of the body: [`Exchange::take_body`] them, else nothing goes on.
    Body,
    /// The response is whole.
    Done,
}

/// One request and its response. Dropped to close the connection.
pub(crate) struct Exchange {
    request: Request,
    timeouts: Timeouts,
    route: Option<Route>,
    /// The head of the request as it goes out.
    written_head: Vec<u8>,
    state: State,
    head: Option<ResponseHead>,
    /// The connection carried another exchange before.
    is_reused: bool,
    is_repeated: bool,
}

enum State {
    Dial(Dial),
    Talk(Box<Talk>),
    Failed(Fault),
}

impl Exchange {
    /// One that fails at once.
    pub(super) fn failed(request: Request, timeouts: Timeouts, fault: Fault) -> Self {
        Self {
            request,
            timeouts,
            route: None,
            written_head: Vec::new(),
            state: State::Failed(fault),
            head: None,
            is_reused: false,
            is_repeated: false,
        }
    }

    /// One on a connection that was kept, or on a new one.
    pub(super) fn start(
        request: Request,
        timeouts: Timeouts,
        route: Route,
        kept: Option<Box<dyn Stream>>,
        net: &dyn Net,
        now: Moment,
    ) -> Self {
        let written_head = match request.write_head(&route) {
            Ok(head) => head,
            Err(fault) => return Self::failed(request, timeouts, fault),
        };
        let is_reused = kept.is_some();
        let state = match kept {
            Some(stream) => talk(&request, &written_head, timeouts, stream, now),
            None => State::Dial(Dial::start(&route.target, timeouts, net, now)),
        };
        Self {
            request,
            timeouts,
            route: Some(route),
            written_head,
            state,
            head: None,
            is_reused,
            is_repeated: false,
        }
    }

    /// Adds what is to be waited for.
    pub(crate) fn interests(&self, out: &mut Vec<Interest>) {
        match &self.state {
            State::Dial(dial) => dial.interests(out),
            State::Talk(talk) => talk.interests(out),
            State::Failed(_) => {}
        }
    }

    /// When to call [`Exchange::advance`] at the latest.
    pub(crate) fn until(&self) -> Option<Moment> {
        match &self.state {
            State::Dial(dial) => dial.until(),
            State::Talk(talk) => Some(talk.until()),
            State::Failed(_) => None,
        }
    }

    /// Does all that does not block, up to the next thing that the owner should know. After a fault it gives the same
    /// fault again; what came before it has been given.
    pub(crate) fn advance(&mut self, net: &dyn Net, now: Moment) -> Result<Progress, Fault> {
        loop {
            match &mut self.state {
                State::Failed(fault) => return Err(fault.clone()),
                State::Dial(dial) => match dial.advance(net, now) {
                    Ok(None) => return Ok(Progress::Wait),
                    Ok(Some(stream)) => {
                        let (request, head) = (&self.request, &self.written_head);
                        self.state = talk(request, head, self.timeouts, stream, now);
                    }
                    Err(lost) => self.fail_dial(lost),
                },
                State::Talk(talk) => match talk.advance(now) {
                    Ok(Step::Wait) => return Ok(Progress::Wait),
                    Ok(Step::Body) => return Ok(Progress::Body),
                    Ok(Step::Done) => return Ok(Progress::Done),
                    Ok(Step::Head(head)) => {
                        self.head = Some(head);
                        return Ok(Progress::Head);
                    }
                    Err(lost) => self.fail_talk(lost, net, now),
                },
            }
        }
    }

    /// The head of the response, from [`Progress::Head`] on.
    pub(crate) fn head(&self) -> Option<&ResponseHead> {
        self.head.as_ref()
    }

    /// Moves the bytes of the body that have come to the end of `out`.
    pub(crate) fn take_body(&mut self, out: &mut Vec<u8>) {
        if let State::Talk(talk) = &mut self.state {
            if out.is_empty() {
                std::mem::swap(out, &mut talk.pending);
            } else {
                out.append(&mut talk.pending);
            }
        }
    }

    /// What is asked.
    pub(crate) fn request(&self) -> &Request {
        &self.request
    }

    /// The server, and the proxy with its variable, as they stand in messages: `` `http://host:port` ``.
    pub(crate) fn route_text(&self) -> String {
        match &self.route {
            Some(route) => route.text(),
            None => format!("`{}`", self.request.url.origin()),
        }
    }

    /// Whether the request was sent again because a kept connection was dead. The server may have seen it twice.
    pub(crate) fn is_repeated(&self) -> bool {
        self.is_repeated
    }

    /// Bytes of a response that came on the present connection, framing among them.
    pub(crate) fn received(&self) -> u64 {
        match &self.state {
            State::Talk(talk) => talk.received,
            State::Failed(fault) => fault.received,
            State::Dial(_) => 0,
        }
    }

    /// The connection with the route it was made for, if it may be used again.
    pub(super) fn into_reusable(self) -> Option<(Route, Box<dyn Stream>)> {
        match self.state {
            State::Talk(talk) => self.route.zip(talk.into_reusable()),
            _ => None,
        }
    }

    fn fail_dial(&mut self, lost: Lost) {
        let fault = match &self.route {
            Some(route) => route.fault_of_dial(lost),
            None => Fault::new(lost.kind, lost.what),
        };
        self.state = State::Failed(fault);
    }

    /// Fails, or begins again: a server may close an idle connection just as it is used again, and then it has not
    /// seen the request (RFC 9112 §9.3.1).
    fn fail_talk(&mut self, lost: Lost, net: &dyn Net, now: Moment) {
        if lost.kind == FaultKind::NoResponse
            && self.is_reused
            && !self.is_repeated
            && let Some(route) = &self.route
        {
            self.is_repeated = true;
            self.state = State::Dial(Dial::start(&route.target, self.timeouts, net, now));
            return;
        }
        let received = self.received();
        let text = match lost.kind {
            // Without the count: where a wrong byte is seen depends on how the bytes were cut.
            FaultKind::Protocol | FaultKind::Tls | FaultKind::Limit => {
                format!(
                    "cannot read the answer of {}: {}",
                    self.route_text(),
                    lost.what
                )
            }
            _ if received > 0 => format!(
                "waiting for {}: {}; {received} bytes had come",
                self.route_text(),
                lost.what
            ),
            _ => format!("waiting for {}: {}", self.route_text(), lost.what),
        };
        self.state = State::Failed(Fault {
            kind: lost.kind,
            text,
            received,
        });
    }
}

/// A connection is there: the request can go out.
fn talk(
    request: &Request,
    written_head: &[u8],
    timeouts: Timeouts,
    stream: Box<dyn Stream>,
    now: Moment,
) -> State {
    let outgoing = Outgoing::new(written_head.to_vec(), request.body.clone());
    State::Talk(Box::new(Talk::new(
        stream,
        timeouts,
        request.method,
        outgoing,
        now,
    )))
}
