//! One exchange on a connection that is there: the request goes out while the response may already come in.

use std::io;
use std::time::Duration;

use crate::calendar::words;
use crate::http::client::Timeouts;
use crate::http::fault::{FaultKind, Lost, Phase, cause, is_tick};
use crate::http::outgoing::Outgoing;
use crate::wire::{Body, Cut, ResponseHead, ResponseReader};
use crate::world::{Interest, Moment, Stream};

/// Bytes taken from the connection at once.
const READ_BYTES: usize = 64 * 1024;
/// Silence after which an end inside the body may be somebody's idle timeout (the shortest that is known is 10 s).
const SILENCE_BEFORE_CUT: Duration = Duration::from_secs(9);

/// What [`Talk::advance`] came to.
pub(super) enum Step {
    Wait,
    Head(ResponseHead),
    /// There are bytes in `pending`.
    Body,
    Done,
}

/// The two sides of an exchange.
pub(super) struct Talk {
    stream: Box<dyn Stream>,
    timeouts: Timeouts,
    method: &'static str,
    outgoing: Outgoing,
    /// Why the rest of the request could not be sent.
    broken: Option<String>,
    /// When a byte was last taken; then when sending ended.
    written: Moment,
    buffer: Box<[u8]>,
    /// The last read gave less than it could: there is nothing more for now.
    is_drained: bool,
    reader: ResponseReader,
    body: Option<Body>,
    /// The body has no end but that of the connection.
    is_until_close: bool,
    /// Body bytes that were not taken yet.
    pub(super) pending: Vec<u8>,
    /// What went wrong behind what was not taken yet.
    lost: Option<Lost>,
    /// The other side closed, in good order or not; or sent bytes behind the response, and is not listened to any more.
    is_closed: bool,
    /// When a byte last came.
    read: Moment,
    pub(super) received: u64,
}

impl Talk {
    pub(super) fn new(
        stream: Box<dyn Stream>,
        timeouts: Timeouts,
        method: &'static str,
        outgoing: Outgoing,
        now: Moment,
    ) -> Self {
        Self {
            stream,
            timeouts,
            method,
            outgoing,
            broken: None,
            written: now,
            buffer: vec![0; READ_BYTES].into_boxed_slice(),
            is_drained: false,
            reader: ResponseReader::new(),
            body: None,
            is_until_close: false,
            pending: Vec::new(),
            lost: None,
            is_closed: false,
            read: now,
            received: 0,
        }
    }

    pub(super) fn interests(&self, out: &mut Vec<Interest>) {
        out.push(Interest::read(self.stream.source()));
        if !self.outgoing.is_done() {
            out.push(Interest::write(self.stream.source()));
        }
    }

    /// The next deadline, and what it is for.
    fn deadline(&self) -> (Moment, Phase) {
        let sending = (self.written.after(self.timeouts.write), Phase::Write);
        match (&self.body, self.outgoing.is_done()) {
            (None, false) => sending,
            // A deadline for the whole head: bytes that trickle do not move it.
            (None, true) => (self.written.after(self.timeouts.head), Phase::Head),
            (Some(_), _) => (self.read.after(self.timeouts.idle), Phase::Idle),
        }
    }

    pub(super) fn until(&self) -> Moment {
        self.deadline().0
    }

    /// Does what does not block.
    pub(super) fn advance(&mut self, now: Moment) -> Result<Step, Lost> {
        if !self.pending.is_empty() {
            return Ok(Step::Body);
        }
        if let Some(lost) = self.lost.take() {
            return Err(lost);
        }
        if self.is_done() {
            return Ok(Step::Done);
        }
        self.send(now);
        let is_due = now >= self.until();
        if !std::mem::take(&mut self.is_drained) || is_due {
            loop {
                match self.receive(now)? {
                    Some(Step::Wait) => break,
                    Some(step) => return Ok(step),
                    None => {}
                }
            }
        }
        let (until, phase) = self.deadline();
        if now >= until {
            return Err(self.too_late(phase));
        }
        Ok(Step::Wait)
    }

    fn is_done(&self) -> bool {
        self.body
            .as_ref()
            .is_some_and(|body| self.is_closed || body.is_done())
    }

    /// Sends what the other side takes. That it takes no more is no failure yet: it may have answered.
    fn send(&mut self, now: Moment) {
        while !self.outgoing.is_done() {
            match self.outgoing.write(&mut *self.stream) {
                Ok(0) => break,
                Ok(_) => self.written = now,
                Err(error) if is_tick(&error) => break,
                Err(error) => {
                    self.broken = Some(cause(&error));
                    self.outgoing.stop();
                    self.written = now;
                    return;
                }
            }
        }
    }

    /// Reads once. `None`: all of it was used, and there may be more.
    fn receive(&mut self, now: Moment) -> Result<Option<Step>, Lost> {
        if std::mem::take(&mut self.is_drained) {
            return Ok(Some(Step::Wait));
        }
        match self.stream.read(&mut self.buffer) {
            Ok(0) => self.end(None, now).map(Some),
            Ok(count) => {
                self.received += count as u64;
                self.read = now;
                self.is_drained = count < self.buffer.len();
                self.take(count)
            }
            Err(error) if is_tick(&error) => Ok(Some(Step::Wait)),
            Err(error) => self.end(Some(&error), now).map(Some),
        }
    }

    /// Takes the first `count` bytes of the buffer.
    fn take(&mut self, count: usize) -> Result<Option<Step>, Lost> {
        let mut rest = self.buffer.get(..count).unwrap_or_default();
        let mut found = None;
        if self.body.is_none() {
            let Some((head, used)) = self.reader.push(rest)? else {
                return Ok(None);
            };
            rest = rest.get(used..).unwrap_or_default();
            let body = Body::of_response(&head, self.method)?;
            self.is_until_close =
                body.announced().is_none() && head.fields.get("Transfer-Encoding").is_none();
            self.body = Some(body);
            if head.status >= 300 && !self.outgoing.is_done() {
                // The answer is no: it will not become a yes by the rest of the body (RFC 9112 §9.6).
                self.outgoing.stop();
            }
            found = Some(head);
        }
        if let Some(body) = &mut self.body {
            match body.push(rest, &mut self.pending) {
                Ok(used) => self.is_closed |= used < rest.len(),
                Err(error) => self.lost = Some(error.into()),
            }
        }
        match found {
            Some(head) => Ok(Some(Step::Head(head))),
            None if !self.pending.is_empty() => Ok(Some(Step::Body)),
            None if self.is_done() => Ok(Some(Step::Done)),
            None => match self.lost.take() {
                Some(lost) => Err(lost),
                None => Ok(None),
            },
        }
    }

    /// The other side closed, by a reset if there is an error.
    fn end(&mut self, reset: Option<&io::Error>, now: Moment) -> Result<Step, Lost> {
        self.is_closed = true;
        let how = match reset {
            Some(error) => cause(error),
            None => "connection closed".to_owned(),
        };
        let Some(body) = &self.body else {
            return Err(self.end_before_body(&how));
        };
        let cut = match (body.finish(), reset) {
            (Ok(()), Some(_)) if self.is_until_close => {
                "nothing says whether more was to come".to_owned()
            }
            (Ok(()), _) => return Ok(Step::Done),
            (Err(cut), _) => match cut {
                Cut::InLength { missing_bytes } => format!("{missing_bytes} bytes are missing"),
                Cut::InChunk { missing_bytes } => {
                    format!("{missing_bytes} bytes of a chunk are missing")
                }
                Cut::NoLastChunk => "the last chunk is missing".to_owned(),
            },
        };
        let silence = now.since(self.read);
        let hint = if silence >= SILENCE_BEFORE_CUT {
            format!(
                ", after {} of silence: an idle timeout of a proxy or server in between?",
                words(silence)
            )
        } else {
            String::new()
        };
        let what = format!("the answer was cut off ({how}, {cut}){hint}");
        Err(Lost::new(FaultKind::Truncated, what))
    }

    fn end_before_body(&self, how: &str) -> Lost {
        if self.received > 0 {
            let what = format!("the answer ended inside its head ({how})");
            return Lost::new(FaultKind::Protocol, what);
        }
        let when = match &self.broken {
            Some(broken) => format!("{broken} after {} bytes of the request", self.outgoing.sent),
            None => how.to_owned(),
        };
        let what = format!("it gave no answer ({when}); look at the server's log");
        Lost::new(FaultKind::NoResponse, what)
    }

    fn too_late(&self, phase: Phase) -> Lost {
        let what = match phase {
            Phase::Write => format!(
                "it took no more of the request for {} ({} bytes were sent); is it overloaded or stopped?",
                words(self.timeouts.write),
                self.outgoing.sent
            ),
            Phase::Idle => format!(
                "the answer stalled: no byte for {}; try again, or allow more time",
                words(self.timeouts.idle)
            ),
            _ => format!(
                "it did not begin to answer within {}; it may still be busy or loading: try again, or allow more time",
                words(self.timeouts.head)
            ),
        };
        Lost::new(FaultKind::Timeout(phase), what)
    }

    /// The connection, if it may carry another exchange: both messages are whole, the server means to go on, nothing
    /// came behind the response.
    pub(super) fn into_reusable(self) -> Option<Box<dyn Stream>> {
        let is_fit = self.outgoing.is_sent()
            && !self.is_closed
            && self.pending.is_empty()
            && self.body.as_ref().is_some_and(Body::is_reusable);
        is_fit.then_some(self.stream)
    }
}
