//! One request to the model, from the prompt to the whole answer, as far as goes without waiting.
//!
//! The owner calls [`Ask::advance`], and at [`Poll::Wait`] waits for [`Ask::interests`] until [`Ask::until`]. Dropping it
//! ends the request at once; [`Ask::text`] is what came of the answer.

use std::time::Duration;

use crate::chat::endpoint::source_of;
use crate::chat::openai::{BodyEnd, Progress as Reading, Quirks, Reader};
use crate::chat::prompt::Options;
use crate::chat::{Answer, Endpoint, Event, Fault, Kind, Prompt, Usage};
use crate::http::retry::{self, Failure, Verdict};
use crate::http::{
    self, Exchange, Interest, Moment, Net, Progress, Redirect, Request, redirect_target,
};
use crate::wire::Url;

/// How long a count of tokens may come after the model said why it stopped.
const GRACE: Duration = Duration::from_secs(2);
/// How long the end of the body may come after the stream said that it is done, so that the connection can be kept.
const DRAIN: Duration = Duration::from_millis(50);
/// Bytes that may come in that time.
const DRAIN_BYTES_MAX: usize = 4 * 1024;

/// Stands for a reason that was told in full before the last try.
const SAME_AGAIN: &str = "the same failure";

/// Whether there is a result yet.
#[derive(Debug)]
pub(crate) enum Poll<T> {
    /// Nothing can be done now.
    Wait,
    /// The result; it comes once.
    Done(Result<T, Fault>),
}

/// What a request is made with.
pub(crate) struct Means<'a> {
    pub(crate) endpoint: &'a mut Endpoint,
    pub(crate) prompt: &'a mut Prompt,
    pub(crate) net: &'a dyn Net,
    pub(crate) now: Moment,
    /// The calendar, in seconds since 1970.
    pub(crate) wall_seconds: i64,
    /// Any random number: for the wait before a retry, and for ids.
    pub(crate) random: u64,
}

/// One request.
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and all of them can hold together"
)]
pub(crate) struct Ask {
    model: Option<String>,
    is_streaming: bool,
    max_tokens: Option<u64>,
    has_tools: bool,
    /// The person's own request, not one that goes on with a turn.
    is_first: bool,
    state: State,
    /// 1 for the first.
    tries: u32,
    /// Why the last try failed, without what differs from try to try.
    last_why: Option<String>,
    /// Something of the answer was shown: it is never asked for again.
    is_shown: bool,
    is_redirected: bool,
    is_repeat_told: bool,
}

enum State {
    Trying(Box<Trying>),
    /// Until the next try.
    Pausing(Moment),
    Done,
}

/// A try.
struct Trying {
    exchange: Exchange,
    reader: Option<Reader>,
    /// What the request had that an endpoint may refuse.
    sent: crate::chat::openai::Sent,
    bytes: Vec<u8>,
    reading: Reading,
    /// When we stop although the body is not over.
    until: Option<Moment>,
    drained: usize,
}

impl Ask {
    /// Begins a request for the next message of the prompt. `is_first`: it is the first after a person's line.
    pub(crate) fn start(options: &Options<'_>, is_first: bool, means: &mut Means<'_>) -> Self {
        let mut ask = Self {
            model: options.model.map(str::to_owned),
            is_streaming: options.is_streaming,
            max_tokens: options.max_tokens,
            has_tools: options.has_tools,
            is_first,
            state: State::Done,
            tries: 1,
            last_why: None,
            is_shown: false,
            is_redirected: false,
            is_repeat_told: false,
        };
        means.prompt.set_model(options.model);
        ask.send(None, means);
        ask
    }

    /// Adds what is to be waited for.
    pub(crate) fn interests(&self, out: &mut Vec<Interest>) {
        if let State::Trying(trying) = &self.state {
            trying.exchange.interests(out);
        }
    }

    /// When to call [`Ask::advance`] at the latest.
    pub(crate) fn until(&self) -> Option<Moment> {
        match &self.state {
            State::Trying(trying) => trying
                .exchange
                .until()
                .into_iter()
                .chain(trying.until)
                .min(),
            State::Pausing(until) => Some(*until),
            State::Done => None,
        }
    }

    /// Does what does not block, and tells `sink` of what is to be shown. After [`Poll::Done`] it only waits.
    pub(crate) fn advance(
        &mut self,
        means: &mut Means<'_>,
        sink: &mut dyn FnMut(Event<'_>),
    ) -> Poll<Answer> {
        loop {
            match &mut self.state {
                State::Done => return Poll::Wait,
                State::Pausing(until) => {
                    if means.now < *until {
                        return Poll::Wait;
                    }
                    self.send(None, means);
                }
                State::Trying(_) => match self.step(means, sink) {
                    Step::Again => {}
                    Step::Wait => return Poll::Wait,
                    Step::Done(result) => {
                        self.state = State::Done;
                        return Poll::Done(*result);
                    }
                },
            }
        }
    }

    /// Ends the request; gives the text that came.
    pub(crate) fn stop(self) -> String {
        self.text().to_owned()
    }

    /// The text of the answer so far.
    pub(crate) fn text(&self) -> &str {
        match &self.state {
            State::Trying(trying) => trying.reader.as_ref().map_or("", Reader::text),
            _ => "",
        }
    }

    /// The tokens of the answer, as far as the endpoint told them.
    pub(crate) fn usage(&self) -> Option<Usage> {
        match &self.state {
            State::Trying(trying) => trying.reader.as_ref().and_then(Reader::usage),
            _ => None,
        }
    }

    /// Sends the request, to `url` if it was redirected.
    fn send(&mut self, url: Option<Url>, means: &mut Means<'_>) {
        let endpoint = &mut *means.endpoint;
        let options = Options {
            model: self.model.as_deref(),
            is_streaming: self.is_streaming,
            max_tokens: self.max_tokens,
            has_tools: self.has_tools,
        };
        let quirks = endpoint.quirks;
        let body = means.prompt.body(&options, quirks);
        let (null_content, reasoning) = means.prompt.has_marks();
        let url = url.unwrap_or_else(|| endpoint.chat_url());
        let accept = if self.is_streaming {
            "text/event-stream, application/json"
        } else {
            "application/json"
        };
        let initiator = if self.is_first { "user" } else { "agent" };
        let request =
            Request::post(url, "application/json", body).with_field("X-Initiator", initiator);
        let request = endpoint.request(request, accept);
        self.state = State::Trying(Box::new(Trying {
            exchange: endpoint.client.start(request, means.net, means.now),
            reader: None,
            sent: sent(&options, quirks, null_content, reasoning),
            bytes: Vec::new(),
            reading: Reading::More,
            until: None,
            drained: 0,
        }));
    }

    /// One step of a try.
    fn step(&mut self, means: &mut Means<'_>, sink: &mut dyn FnMut(Event<'_>)) -> Step {
        let State::Trying(trying) = &mut self.state else {
            return Step::Wait;
        };
        let progress = trying.exchange.advance(means.net, means.now);
        if !self.is_repeat_told && trying.exchange.is_repeated() {
            self.is_repeat_told = true;
            sink(Event::Repeated);
        }
        match progress {
            Err(fault) => self.lose(fault, means, sink),
            Ok(Progress::Wait) => {
                if trying.until.is_some_and(|until| means.now >= until) {
                    return self.end(BodyEnd::Stopped, means, sink);
                }
                Step::Wait
            }
            Ok(Progress::Head) => self.take_head(means),
            Ok(Progress::Body) => self.take_body(means, sink),
            Ok(Progress::Done) => self.end(BodyEnd::Complete, means, sink),
        }
    }

    fn take_head(&mut self, means: &mut Means<'_>) -> Step {
        let State::Trying(trying) = &mut self.state else {
            return Step::Wait;
        };
        let Some(head) = trying.exchange.head().cloned() else {
            return Step::Again;
        };
        match redirect_target(&head, trying.exchange.request()) {
            Redirect::None => {}
            Redirect::Follow(url) if !self.is_redirected => {
                self.is_redirected = true;
                self.send(Some(url), means);
                return Step::Again;
            }
            Redirect::Follow(url) => {
                let text = format!(
                    "{} redirects a second time, to `{url}`; set the address that is meant",
                    trying.exchange.route_text()
                );
                return done(Err(redirected(text, head.status)));
            }
            Redirect::Refuse(text) => return done(Err(redirected(text, head.status))),
        }
        let source = source_of(&trying.exchange, means.wall_seconds);
        let tools = means.prompt.tool_names().to_vec();
        trying.reader = Some(Reader::new(head, source, tools, means.random));
        Step::Again
    }

    fn take_body(&mut self, means: &mut Means<'_>, sink: &mut dyn FnMut(Event<'_>)) -> Step {
        let State::Trying(trying) = &mut self.state else {
            return Step::Wait;
        };
        trying.bytes.clear();
        trying.exchange.take_body(&mut trying.bytes);
        let Some(reader) = &mut trying.reader else {
            return Step::Again;
        };
        if trying.reading == Reading::Ended {
            trying.drained += trying.bytes.len();
            if trying.drained > DRAIN_BYTES_MAX {
                return self.end(BodyEnd::Stopped, means, sink);
            }
            return Step::Again;
        }
        let is_shown = &mut self.is_shown;
        let events = reader.events();
        trying.reading = reader.push(&trying.bytes, &mut |event| {
            *is_shown = true;
            sink(event);
        });
        trying.until = match trying.reading {
            Reading::More => None,
            // Keep-alives do not prolong it; another choice that still goes on does.
            Reading::Finished if events == reader.events() => trying.until,
            Reading::Finished => Some(means.now.after(GRACE)),
            Reading::Ended => Some(means.now.after(DRAIN)),
        };
        Step::Again
    }

    /// The body is over, or of no more interest.
    fn end(
        &mut self,
        end: BodyEnd,
        means: &mut Means<'_>,
        sink: &mut dyn FnMut(Event<'_>),
    ) -> Step {
        let State::Trying(trying) = std::mem::replace(&mut self.state, State::Done) else {
            return Step::Wait;
        };
        let Trying {
            exchange,
            reader,
            sent,
            ..
        } = *trying;
        let Some(reader) = reader else {
            return done(Err(Fault::new(Kind::Protocol, "an answer without a head")));
        };
        let head = reader.head().clone();
        let lesson = reader
            .refusal()
            .and_then(|body| means.endpoint.quirks.learn(head.status, body, sent));
        // Dropped unless it is fit for another exchange.
        means.endpoint.client.keep(exchange, means.now);
        if let Some(lesson) = lesson {
            sink(Event::Adapted(lesson));
            self.send(None, means);
            return Step::Again;
        }
        let is_shown = &mut self.is_shown;
        let result = reader.finish(end, &mut |event| {
            *is_shown = true;
            sink(event);
        });
        match result {
            Ok(mut answer) => {
                if let Some(replay) = &mut answer.replay {
                    replay.model.clone_from(&self.model);
                }
                done(Ok(answer))
            }
            Err(fault) if (200..300).contains(&head.status) => done(Err(fault)),
            Err(fault) => {
                let failure = Failure::Response {
                    head: &head,
                    is_permanent: !fault.kind.is_passing(),
                };
                self.retry_or_fail(failure, fault, means, sink)
            }
        }
    }

    /// The exchange failed, with or without something of an answer.
    fn lose(
        &mut self,
        fault: http::Fault,
        means: &mut Means<'_>,
        sink: &mut dyn FnMut(Event<'_>),
    ) -> Step {
        let has_reader = matches!(&self.state, State::Trying(trying) if trying.reader.is_some());
        if has_reader {
            return self.end(BodyEnd::Lost(fault), means, sink);
        }
        let failure = Failure::Fault(fault.kind);
        self.retry_or_fail(failure, fault.into(), means, sink)
    }

    fn retry_or_fail(
        &mut self,
        failure: Failure<'_>,
        mut fault: Fault,
        means: &mut Means<'_>,
        sink: &mut dyn FnMut(Event<'_>),
    ) -> Step {
        let verdict = retry::after(
            self.tries,
            means.endpoint.retries_max,
            failure,
            self.is_shown,
            means.wall_seconds,
            means.random.to_le_bytes()[0],
        );
        if let Verdict::After(after) = verdict {
            self.tries += 1;
            let why = without_id(&fault);
            let is_same = self.last_why.as_ref() == Some(&why);
            sink(Event::Retrying {
                attempt: self.tries,
                after,
                why: if is_same { SAME_AGAIN } else { &fault.message },
            });
            self.last_why = Some(why);
            self.state = State::Pausing(means.now.after(after));
            return Step::Again;
        }
        if self.tries > 1 {
            fault.message = format!("{} (tried {} times)", fault.message, self.tries);
        }
        done(Err(fault))
    }
}

/// What a step came to.
enum Step {
    Again,
    Wait,
    Done(Box<Result<Answer, Fault>>),
}

fn done(result: Result<Answer, Fault>) -> Step {
    Step::Done(Box::new(result))
}

/// A reason without the server's name for the request, which is new each time.
fn without_id(fault: &Fault) -> String {
    match &fault.request_id {
        Some(id) => fault.message.replace(id.as_str(), ""),
        None => fault.message.clone(),
    }
}

fn redirected(text: String, status: u16) -> Fault {
    let mut fault = Fault::new(Kind::Redirect, text);
    fault.status = Some(status);
    fault
}

fn sent(
    options: &Options<'_>,
    quirks: Quirks,
    null_content: bool,
    reasoning: bool,
) -> crate::chat::openai::Sent {
    crate::chat::openai::Sent {
        stream_options: options.is_streaming && !quirks.has_no_stream_options,
        max_tokens: options.max_tokens.is_some(),
        null_content,
        reasoning,
    }
}
