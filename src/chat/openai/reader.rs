//! Reads the answer to one request: its head, then its body in pieces of any size.

mod frames;

use crate::chat::openai::errors::{self, ERROR_BODY_BYTES_MAX, Source};
use crate::chat::openai::gather::{ANSWER_BYTES_MAX, Sink};
use crate::chat::{Answer, Fault, Kind, Usage};
use crate::http;
use crate::json::parse;
use crate::wire::{ResponseHead, SseReader};

use self::frames::Frames;

/// How far an answer has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// More is to come.
    More,
    /// The model has said why it stopped; a count of tokens may follow.
    Finished,
    /// What follows is of no interest.
    Ended,
}

/// How a body ended.
#[derive(Debug)]
pub(crate) enum BodyEnd {
    /// In good order.
    Complete,
    /// We read no further.
    Stopped,
    /// Not in good order.
    Lost(http::Fault),
}

/// What kind of body it is.
enum Mode {
    /// Not known before a byte that is no blank.
    Unknown(Vec<u8>),
    Events(Box<SseReader>),
    /// One JSON text.
    Whole(Vec<u8>),
    /// No answer: what it says is read for the fault.
    Refusal(Vec<u8>),
}

/// Reads one answer.
pub(crate) struct Reader {
    head: ResponseHead,
    source: Source,
    seed: u64,
    known_tools: Vec<String>,
    mode: Mode,
    frames: Frames,
    fault: Option<Fault>,
}

impl Reader {
    /// For the answer that begins with `head`. `known_tools`: the names that calls may have. `seed`: any number, makes the
    /// ids of calls that have none.
    pub(crate) fn new(
        head: ResponseHead,
        source: Source,
        known_tools: Vec<String>,
        seed: u64,
    ) -> Self {
        let coding = head
            .fields
            .elements("Content-Encoding")
            .find(|coding| !coding.eq_ignore_ascii_case("identity"));
        let fault = coding.map(|coding| errors::unsupported_encoding(&head, coding, &source));
        let is_success = (200..300).contains(&head.status);
        Self {
            mode: if is_success {
                Mode::Unknown(Vec::new())
            } else {
                Mode::Refusal(Vec::new())
            },
            head,
            source,
            seed,
            known_tools,
            frames: Frames::default(),
            fault,
        }
    }

    /// Takes bytes of the body, and tells `sink` of what is to be shown.
    pub(crate) fn push(&mut self, bytes: &[u8], sink: Sink<'_>) -> Progress {
        if self.fault.is_some() {
            return Progress::Ended;
        }
        match &mut self.mode {
            Mode::Unknown(begun) => {
                begun.extend_from_slice(bytes);
                if let Some(mode) = choose(begun, &self.head) {
                    let Mode::Unknown(begun) = std::mem::replace(&mut self.mode, mode) else {
                        return Progress::More;
                    };
                    return self.push(&begun, sink);
                }
                // Blanks without end.
                if begun.len() > ERROR_BODY_BYTES_MAX {
                    self.fault = Some(self.over("blanks before the answer", ERROR_BODY_BYTES_MAX));
                    return Progress::Ended;
                }
                Progress::More
            }
            Mode::Events(events) => {
                if let Err(error) = events.feed(bytes) {
                    self.fault = Some(self.unreadable(&error));
                    return Progress::Ended;
                }
                self.read_events(sink)
            }
            Mode::Whole(text) => {
                text.extend_from_slice(bytes);
                if text.len() > ANSWER_BYTES_MAX {
                    self.fault = Some(self.over("bytes of JSON", ANSWER_BYTES_MAX));
                    return Progress::Ended;
                }
                Progress::More
            }
            Mode::Refusal(text) => {
                let room = ERROR_BODY_BYTES_MAX.saturating_sub(text.len());
                text.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
                if bytes.len() > room {
                    Progress::Ended
                } else {
                    Progress::More
                }
            }
        }
    }

    /// The answer, once nothing more is read; else why there is none, with what there is of it.
    pub(crate) fn finish(mut self, end: BodyEnd, sink: Sink<'_>) -> Result<Answer, Fault> {
        if self.fault.is_none() {
            self.fault = self.find_fault(end, sink);
        }
        self.frames.gather.end(sink);
        let fault = self.fault.take();
        let answer = match fault {
            Some(fault) => Err(fault),
            None => self.frames.answer(self.seed, &self.head, &self.source),
        };
        answer.map_err(|mut fault| {
            fault.calls_discarded = fault.calls_discarded.max(self.frames.gather.calls.len());
            fault.finish = fault.finish.or(self.frames.gather.finish);
            fault.partial = std::mem::take(&mut self.frames.gather.text);
            fault
        })
    }

    /// The answer as far as it is there, for one that is stopped on purpose.
    pub(crate) fn text(&self) -> &str {
        &self.frames.gather.text
    }

    /// The tokens of it that were told so far.
    pub(crate) fn usage(&self) -> Option<Usage> {
        self.frames.gather.usage
    }

    /// Builds the value of every frame, also where that can be spared.
    #[cfg(test)]
    pub(super) fn take_the_long_way(&mut self) {
        self.frames.is_slow = true;
    }

    /// Events so far that were no keep-alive: whether something moves.
    pub(crate) fn events(&self) -> u64 {
        self.frames.events
    }

    /// The body of a response that is no answer, as far as it came.
    pub(crate) fn refusal(&self) -> Option<&[u8]> {
        match &self.mode {
            Mode::Refusal(text) => Some(text),
            _ => None,
        }
    }

    /// The head of the response.
    pub(crate) fn head(&self) -> &ResponseHead {
        &self.head
    }

    /// Reads the events that are there.
    fn read_events(&mut self, sink: Sink<'_>) -> Progress {
        let Mode::Events(events) = &mut self.mode else {
            return Progress::More;
        };
        let known = &self.known_tools;
        let is_known = |name: &str| known.iter().any(|known| known == name);
        while !self.frames.is_done {
            let Some(event) = events.next() else {
                break;
            };
            let fault = self
                .frames
                .take(event, &self.head, &self.source, &is_known, sink);
            if let Some(fault) = fault {
                self.fault = Some(fault);
                return Progress::Ended;
            }
        }
        if self.frames.gather.bytes() > ANSWER_BYTES_MAX {
            self.fault = Some(self.over("bytes of answer", ANSWER_BYTES_MAX));
        } else if self.frames.gather.calls.is_over() {
            let max = crate::chat::openai::calls::CALLS_MAX;
            self.fault = Some(self.over("calls in one answer", max));
        }
        match &self.frames {
            _ if self.fault.is_some() => Progress::Ended,
            frames if frames.is_done => Progress::Ended,
            frames if frames.gather.finish.is_some() => Progress::Finished,
            _ => Progress::More,
        }
    }

    /// What is wrong with an answer now that its body is over.
    fn find_fault(&mut self, end: BodyEnd, sink: Sink<'_>) -> Option<Fault> {
        match &self.mode {
            // Half a refusal is still one.
            Mode::Refusal(text) => Some(errors::of_response(&self.head, text, &self.source)),
            Mode::Whole(text) if !matches!(first_byte(text), Some(b'{' | b'[')) => {
                Some(errors::unexpected_content(&self.head, text, &self.source))
            }
            Mode::Unknown(begun) => Some(match end {
                BodyEnd::Lost(fault) => fault.into(),
                _ if first_byte(begun).is_some() => self.cut_short("its first line is cut"),
                _ => self.nothing("the answer is empty"),
            }),
            Mode::Whole(_) => self.read_whole(end, sink),
            Mode::Events(_) => self.end_events(end, sink),
        }
    }

    /// The stream is over: reads what has no blank line behind it, and looks for a mark that it is whole.
    fn end_events(&mut self, end: BodyEnd, sink: Sink<'_>) -> Option<Fault> {
        if matches!(end, BodyEnd::Complete)
            && !self.frames.is_done
            && let Mode::Events(events) = &mut self.mode
        {
            let malformed = self.frames.malformed;
            if let Err(error) = events.finish() {
                return Some(self.unreadable(&error));
            }
            self.read_events(sink);
            if self.fault.is_some() {
                return self.fault.take();
            }
            if self.frames.malformed > malformed && self.frames.gather.finish.is_none() {
                return Some(self.cut_short("its last frame is cut"));
            }
        }
        if self.frames.is_done || self.frames.gather.finish.is_some() {
            return None;
        }
        Some(match end {
            BodyEnd::Lost(fault) => {
                let kept = self.kept();
                let mut fault = Fault::from(fault);
                if fault.kind == Kind::Truncated || fault.kind == Kind::Timeout {
                    fault.message.push_str(&kept);
                }
                fault
            }
            _ => self.cut_short("no `finish_reason`, no `[DONE]`"),
        })
    }

    /// The whole reply is there.
    fn read_whole(&mut self, end: BodyEnd, sink: Sink<'_>) -> Option<Fault> {
        let Mode::Whole(text) = &self.mode else {
            return None;
        };
        let value = match (parse(text), end) {
            (Ok(value), _) => value,
            (Err(_), BodyEnd::Lost(fault)) => return Some(fault.into()),
            (Err(error), _) if error.found == "the end of the text" => {
                return Some(self.cut_short("its JSON is cut"));
            }
            (Err(error), _) => {
                let what = format!("the answer is no JSON ({error})");
                let fault = errors::finish(Kind::Protocol, &self.head, &what, "", &self.source);
                return Some(fault);
            }
        };
        let known = &self.known_tools;
        let is_known = |name: &str| known.iter().any(|known| known == name);
        self.frames
            .take_whole(&value, &self.head, &self.source, &is_known, sink)
    }

    fn cut_short(&self, why: &str) -> Fault {
        let what = format!(
            "the connection ended before the model finished ({why}{})",
            self.kept()
        );
        let remedy = "try again; if it happens again, look at the server's log";
        errors::finish(Kind::Truncated, &self.head, &what, remedy, &self.source)
    }

    /// What is kept and what is not, for a sentence.
    fn kept(&self) -> String {
        let bytes = self.frames.gather.text.len();
        match self.frames.gather.calls.len() {
            0 => format!("; {bytes} bytes of text kept"),
            calls => format!("; {bytes} bytes of text kept, {calls} tool calls discarded"),
        }
    }

    fn nothing(&self, what: &str) -> Fault {
        let remedy = "try again; if it happens again, look at the server's log";
        errors::finish(Kind::EmptyResponse, &self.head, what, remedy, &self.source)
    }

    fn unreadable(&self, error: &crate::wire::Error) -> Fault {
        let kind = match error {
            crate::wire::Error::Limit(_) => Kind::Limit,
            _ => Kind::Protocol,
        };
        errors::finish(kind, &self.head, &error.to_string(), "", &self.source)
    }

    fn over(&self, what: &str, max: usize) -> Fault {
        let what = format!("more than {max} {what} came");
        errors::finish(Kind::Limit, &self.head, &what, "", &self.source)
    }
}

/// The first byte that is neither a blank nor of a byte order mark.
fn first_byte(bytes: &[u8]) -> Option<u8> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes
        .iter()
        .copied()
        .find(|byte| !byte.is_ascii_whitespace())
}

/// What kind of body begins so; `None` while that is not certain. What is there counts for more than what it is said to be.
fn choose(begun: &[u8], head: &ResponseHead) -> Option<Mode> {
    let mark = b"\xef\xbb\xbf";
    if begun.len() < mark.len() && mark.starts_with(begun) {
        return None;
    }
    let first = first_byte(begun)?;
    let declared = head.fields.get("Content-Type").unwrap_or_default();
    let essence = declared.split(';').next().unwrap_or_default().trim();
    let is_type = |name: &str| essence.eq_ignore_ascii_case(name);
    let events = || Some(Mode::Events(Box::new(SseReader::new())));
    if first == b'{' || first == b'<' {
        return Some(Mode::Whole(Vec::new()));
    }
    if is_type("text/event-stream") {
        return events();
    }
    // A line of an event stream begins with a colon or a field's name.
    let names: [&[u8]; 6] = [b"data:", b"event:", b"id:", b"retry:", b"error:", b":"];
    let start = begun.iter().position(|byte| *byte == first).unwrap_or(0);
    let line = begun.get(start..).unwrap_or_default();
    if names.iter().any(|name| line.starts_with(name)) {
        return events();
    }
    if names.iter().any(|name| name.starts_with(line)) {
        return None;
    }
    Some(Mode::Whole(Vec::new()))
}
