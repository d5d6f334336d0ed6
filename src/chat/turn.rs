//! One turn, from a person's line to the model's last word, as a state machine.
//!
//! The turn says what to do next and is told what came of it; it does nothing itself. Whatever happens, every call of the
//! model gets exactly one reply, in the order of the calls, before anything else is said.

mod notes;

#[cfg(test)]
mod tests;

use crate::chat::printed::printed_calls;
use crate::chat::repeat::{Rounds, TextLoop};
use crate::chat::turn::notes::{BudgetNote, note_of_cut_call, note_of_limit, note_of_printed};
use crate::chat::{Answer, Fault, Kind, Message, Prompt, ToolCall, Usage, Warning};

/// Rounds that bring calls, unless the user says otherwise.
pub(crate) const ROUNDS_MAX: u32 = 60;
/// Calls in one turn.
pub(crate) const CALLS_MAX: u32 = 120;
/// Answers with cut calls that are asked for again.
const CUT_CALLS_MAX: u32 = 1;
/// Answers with calls written as text that are asked for again.
const PRINTED_MAX: u32 = 1;

/// How far a turn may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Rounds that bring calls; the answer to the last one is an ordinary request.
    pub(crate) rounds: u32,
    pub(crate) calls: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            rounds: ROUNDS_MAX,
            calls: CALLS_MAX,
        }
    }
}

/// Which limit a turn came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LimitKind {
    /// The rounds or calls of a turn, or the tokens of an answer.
    Turn,
    /// It went in circles.
    Loop,
}

impl LimitKind {
    /// The name in JSON output.
    #[cfg(test)]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Turn => "turn_limit",
            Self::Loop => "loop",
        }
    }
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// With the model's answer.
    Answered(String),
    /// At a limit.
    Limit {
        kind: LimitKind,
        /// Which, in a sentence for the person.
        reason: String,
        /// The model's report, or ours where it gave none.
        text: String,
    },
    Cancelled,
    Fault(Box<Fault>),
}

/// What is to be done next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    /// Send the prompt.
    Ask {
        /// It is the first request after the person's line.
        is_first: bool,
        /// Whether the model may call tools.
        has_tools: bool,
    },
    /// Run these calls, which may be all or some of the answer's; tell of each with [`Turn::reply`].
    Run(Vec<NumberedCall>),
    /// Nothing: the turn is over.
    End(End),
}

/// A call to be run, by its number in the answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NumberedCall {
    /// From 0.
    pub(crate) number: usize,
    pub(crate) call: ToolCall,
}

/// What came of a call, for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolResult {
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl ToolResult {
    pub(crate) fn error(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            is_error: true,
        }
    }
}

/// Where a turn stands.
#[derive(Debug)]
enum State {
    /// A request is to be sent, or on its way.
    Asking,
    /// Calls run.
    Running {
        calls: Vec<ToolCall>,
        replies: Vec<Option<ToolResult>>,
    },
    /// The model is asked for a report, without tools.
    Reporting {
        kind: LimitKind,
        reason: String,
    },
    Ended(End),
}

/// One turn. It has the prompt as long as it lasts.
#[derive(Debug)]
pub(crate) struct Turn {
    prompt: Prompt,
    limits: Limits,
    state: State,
    /// Requests so far.
    requests: u32,
    /// Rounds that brought calls.
    rounds: u32,
    /// Calls that were run.
    calls: u32,
    cut_calls: u32,
    printed: u32,
    is_tool: Option<fn(&str) -> bool>,
    repeats: Rounds,
    text_loop: TextLoop,
    /// Names of the tools that ran, in order, each once.
    used: Vec<String>,
    usage: Usage,
    warnings: Vec<Warning>,
}

impl Turn {
    /// Begins a turn with what the person said. `is_tool` says whether a name is that of a tool, sent or not; without it
    /// whatever is answered is meant as text.
    pub(crate) fn new(
        mut prompt: Prompt,
        line: String,
        limits: Limits,
        is_tool: Option<fn(&str) -> bool>,
    ) -> Self {
        prompt.push(Message::User(line));
        Self {
            prompt,
            limits,
            state: State::Asking,
            requests: 0,
            rounds: 0,
            calls: 0,
            cut_calls: 0,
            printed: 0,
            is_tool,
            repeats: Rounds::default(),
            text_loop: TextLoop::default(),
            used: Vec::new(),
            usage: Usage::default(),
            warnings: Vec::new(),
        }
    }

    /// What is to be done. The same again until something is told.
    pub(crate) fn next(&self) -> Step {
        match &self.state {
            State::Asking => Step::Ask {
                is_first: self.requests == 0,
                has_tools: true,
            },
            State::Reporting { .. } => Step::Ask {
                is_first: false,
                has_tools: false,
            },
            State::Running { calls, replies } => Step::Run(
                calls
                    .iter()
                    .zip(replies)
                    .enumerate()
                    .filter(|(_, (_, reply))| reply.is_none())
                    .map(|(number, (call, _))| NumberedCall {
                        number,
                        call: call.clone(),
                    })
                    .collect(),
            ),
            State::Ended(end) => Step::End(end.clone()),
        }
    }

    /// The prompt, to send it or to add tools.
    pub(crate) fn prompt(&mut self) -> &mut Prompt {
        &mut self.prompt
    }

    /// The prompt back, for the next turn. What is open in it is closed.
    pub(crate) fn into_prompt(mut self) -> Prompt {
        self.cancel("");
        self.prompt
    }

    /// Tokens of all its requests together.
    pub(crate) fn usage(&self) -> Usage {
        self.usage
    }

    /// Adds the tokens of an answer that is not handed over as a whole, as far as they were told.
    pub(crate) fn add_usage(&mut self, usage: Option<Usage>) {
        self.usage.add(usage.unwrap_or_default());
    }

    /// Requests that were answered or failed.
    #[cfg(test)]
    pub(crate) fn requests(&self) -> u32 {
        self.requests
    }

    /// Warnings that came with answers, once.
    pub(crate) fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Looks at the answer that is coming, with each piece; true if it only repeats itself and is to be stopped, by
    /// [`Turn::stop_loop`].
    pub(crate) fn is_text_loop(&mut self, text: &str) -> bool {
        self.text_loop.is_caught(text)
    }

    /// The answer was stopped because it repeats itself.
    pub(crate) fn stop_loop(&mut self, text: &str) {
        self.requests += 1;
        self.prompt.push(Message::answer(format!(
            "{text}\n[cut off: it repeats itself]"
        )));
        self.state = State::Ended(End::Limit {
            kind: LimitKind::Loop,
            reason: "the answer repeats one piece over and over".to_owned(),
            text: text.to_owned(),
        });
    }

    /// The request was answered, or not. Gives whether the answer is a call written as text, which the model is now
    /// asked to make: nobody needs to read it.
    pub(crate) fn answer(&mut self, result: Result<Answer, Fault>) -> bool {
        let printed = self.printed;
        self.text_loop = TextLoop::default();
        self.requests = self.requests.saturating_add(1);
        let state = std::mem::replace(&mut self.state, State::Ended(End::Cancelled));
        self.state = match (state, result) {
            (State::Asking, Ok(answer)) => self.take_answer(answer),
            (State::Asking, Err(fault)) => self.take_fault(fault),
            (State::Reporting { kind, reason }, result) => self.take_report(kind, reason, result),
            (state, _) => state,
        };
        printed < self.printed
    }

    /// What came of the call with this number. A second reply to it is dropped.
    pub(crate) fn reply(&mut self, number: usize, reply: ToolResult) {
        let State::Running { replies, .. } = &mut self.state else {
            return;
        };
        if let Some(slot @ None) = replies.get_mut(number) {
            *slot = Some(reply);
        }
        if replies.iter().all(Option::is_some) {
            self.close_round();
        }
    }

    /// The person ended the turn. `text` is what came of the answer so far.
    pub(crate) fn cancel(&mut self, text: &str) {
        match std::mem::replace(&mut self.state, State::Ended(End::Cancelled)) {
            State::Running { calls, replies } => {
                let replies = replies
                    .into_iter()
                    .map(|reply| {
                        reply.unwrap_or_else(|| ToolResult::error("Not run: the user cancelled"))
                    })
                    .collect();
                self.push_replies(&calls, replies);
            }
            State::Asking | State::Reporting { .. } => {
                if !text.trim().is_empty() {
                    self.prompt
                        .push(Message::answer(format!("{text}\n[cut off by the user]")));
                }
            }
            State::Ended(end) => self.state = State::Ended(end),
        }
    }

    fn take_answer(&mut self, answer: Answer) -> State {
        self.add_usage(answer.usage);
        let is_empty = answer.warnings.contains(&Warning::Empty);
        let has_tokens = answer
            .usage
            .is_some_and(|usage| usage.completion_tokens > 0);
        self.warnings.extend(answer.warnings.iter().cloned());
        let finish = answer.finish;
        let (text, calls) = (answer.text.clone(), answer.calls.clone());
        self.prompt.push(answer.into_message());
        if !calls.is_empty() {
            return self.begin_round(calls);
        }
        if finish == crate::chat::Finish::Length {
            let reason =
                "the answer was cut at the limit of tokens (`--max-tokens`, or the model's own)";
            return State::Ended(End::Limit {
                kind: LimitKind::Turn,
                reason: reason.to_owned(),
                text,
            });
        }
        if is_empty && !has_tokens {
            let text =
                "the model stopped without a word and without a call; try again, or another model";
            return State::Ended(End::Fault(Box::new(Fault::new(Kind::EmptyResponse, text))));
        }
        let printed = self.printed_in(&text);
        if !printed.is_empty() {
            return self.take_printed(&printed);
        }
        State::Ended(End::Answered(text))
    }

    /// The tools that an answer would have called, had it not written its calls as text.
    fn printed_in(&self, text: &str) -> Vec<String> {
        // Who was sent no tools could call none.
        match self.is_tool {
            Some(is_tool) if !self.prompt.tool_names().is_empty() => {
                printed_calls(text, &|name| self.prompt.has_tool(name) || is_tool(name))
            }
            _ => Vec::new(),
        }
    }

    /// The answer is nothing but calls written as text. They are never run; the model may make them once, as a round.
    fn take_printed(&mut self, names: &[String]) -> State {
        let names = names.join("`, `");
        if self.printed < PRINTED_MAX && self.rounds < self.limits.rounds {
            self.printed += 1;
            self.rounds += 1;
            self.prompt.push(Message::User(note_of_printed(&names)));
            self.warnings.push(Warning::PrintedCall(names));
            return State::Asking;
        }
        let text = format!(
            "the model wrote a call of `{names}` as text instead of making it, and nothing was run; choose a model that \
             can call tools with `-m`"
        );
        State::Ended(End::Fault(Box::new(Fault::new(
            Kind::InvalidToolCall,
            text,
        ))))
    }

    fn take_fault(&mut self, fault: Fault) -> State {
        let cut = |text: &str| Message::answer(format!("{text}\n[cut off]"));
        let has_text = !fault.partial.trim().is_empty();
        if fault.kind == Kind::ToolArgsTruncated && self.cut_calls < CUT_CALLS_MAX {
            self.cut_calls += 1;
            if has_text {
                self.prompt.push(Message::answer(fault.partial.clone()));
            }
            self.prompt.push(Message::User(note_of_cut_call(&fault)));
            return State::Asking;
        }
        if fault.kind == Kind::NoEndpoint {
            // It is all that such an endpoint has to say: its answer, which keeps this line apart from the next.
            let text = format!("{}\n{}", fault.partial, fault.message);
            self.prompt.push(Message::answer(text.trim_start()));
        } else if has_text {
            self.prompt.push(cut(&fault.partial));
        }
        State::Ended(End::Fault(Box::new(fault)))
    }

    /// The report on a limit. A limit never ends without a word: where the model has none, we say what was done.
    fn take_report(
        &mut self,
        kind: LimitKind,
        reason: String,
        result: Result<Answer, Fault>,
    ) -> State {
        let report = match result {
            Ok(answer) => {
                self.add_usage(answer.usage);
                self.warnings.extend(answer.warnings);
                answer.text
            }
            Err(fault) => {
                self.warnings.push(Warning::NoReport(fault.message));
                fault.partial
            }
        };
        let text = if report.trim().is_empty() || !self.printed_in(&report).is_empty() {
            notes::report_of_ours(&reason, &self.used)
        } else {
            report
        };
        self.prompt.push(Message::answer(text.clone()));
        State::Ended(End::Limit { kind, reason, text })
    }

    /// The answer brought calls: those that the limits allow are run, the others answered at once.
    fn begin_round(&mut self, calls: Vec<ToolCall>) -> State {
        if self.rounds >= self.limits.rounds {
            let note = BudgetNote::Rounds(self.limits.rounds);
            let replies = calls.iter().map(|_| note.reply()).collect();
            self.push_replies(&calls, replies);
            return self.ask_for_report(LimitKind::Turn, note.reason());
        }
        self.rounds += 1;
        let room = self.limits.calls.saturating_sub(self.calls);
        let room = usize::try_from(room).unwrap_or(usize::MAX);
        let note = BudgetNote::Calls(self.limits.calls);
        let replies: Vec<Option<ToolResult>> = (0..calls.len())
            .map(|number| (number >= room).then(|| note.reply()))
            .collect();
        for call in calls.iter().take(room) {
            self.calls = self.calls.saturating_add(1);
            if !self.used.contains(&call.name) {
                self.used.push(call.name.clone());
            }
        }
        if room == 0 {
            self.push_replies(&calls, replies.into_iter().flatten().collect());
            return self.ask_for_report(LimitKind::Turn, note.reason());
        }
        State::Running { calls, replies }
    }

    /// Every call of the round has its reply.
    fn close_round(&mut self) {
        let State::Running { calls, replies } = std::mem::replace(&mut self.state, State::Asking)
        else {
            return;
        };
        let replies: Vec<ToolResult> = replies.into_iter().flatten().collect();
        let results: Vec<&str> = replies.iter().map(|reply| reply.text.as_str()).collect();
        let circle = self.repeats.push(&calls, &results);
        let note = BudgetNote::Calls(self.limits.calls);
        let is_over = replies.iter().any(|reply| *reply == note.reply());
        self.push_replies(&calls, replies);
        if let Some(length) = circle {
            let reason = notes::reason_of_circle(length);
            self.state = self.ask_for_report(LimitKind::Loop, reason);
        } else if is_over {
            self.state = self.ask_for_report(LimitKind::Turn, note.reason());
        }
    }

    fn push_replies(&mut self, calls: &[ToolCall], replies: Vec<ToolResult>) {
        for (call, reply) in calls.iter().zip(replies) {
            self.prompt.push(Message::Tool {
                call_id: call.id.clone(),
                text: reply.text,
            });
        }
    }

    fn ask_for_report(&mut self, kind: LimitKind, reason: String) -> State {
        self.prompt.push(Message::User(note_of_limit(&reason)));
        State::Reporting { kind, reason }
    }
}
