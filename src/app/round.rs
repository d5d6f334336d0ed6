//! The calls of one round: reading ones side by side, any other alone, each answered once and in order.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::app::consent::{self, Asked};
use crate::app::pump::Pump;
use crate::app::typed::Lines;
use crate::app::view::View;
use crate::redact::redact;
use crate::text::Paint;
use crate::tool::{
    Call, Considered, Gate, Question, REPLY_BYTES_MAX, Ready, Reply, Request, Settled, Verdict,
};
use crate::world::{CallId, Cancel, Event, Interest, Moment, Signal, Source, World};

#[cfg(test)]
mod tests;

/// Calls that run at one time.
const SIDE_BY_SIDE_MAX: usize = 8;
/// A call that takes longer is said to run, with its last line of output.
const TELL_AFTER: Duration = Duration::from_secs(1);
/// How often that line is looked at.
const TELL_EVERY: Duration = Duration::from_millis(250);
/// Bytes of a line of progress that are kept.
const PROGRESS_BYTES_MAX: usize = 1024;

/// What calls wait with: for their own ends, for a person, for the reader of standard output.
pub(crate) struct Round<'w> {
    world: &'w World,
    pub(crate) pump: Pump<'w>,
    pub(crate) lines: Lines,
    paint: Paint,
    /// Standard output, watched for a reader that goes away.
    watched: Option<Source>,
}

/// What a round is handed: who lets calls run, who shows them, what ends them.
pub(crate) struct Handed<'a, 'w> {
    pub(crate) gate: &'a mut Gate,
    pub(crate) view: &'a mut View<'w>,
    pub(crate) cancel: &'a Cancel,
    /// Known secrets, hidden from what running calls print.
    pub(crate) secrets: &'a [String],
}

/// A call that waits for its turn.
struct Waiting {
    at: usize,
    request: Request,
    /// Whether it was said that it begins; said once, however often it is planned.
    is_told: bool,
}

/// The calls of one round on their way.
struct Queue {
    waiting: VecDeque<Waiting>,
    running: HashMap<CallId, usize>,
    replies: Vec<Option<Reply>>,
    /// Whether what runs must end before anything else begins.
    is_alone: bool,
    signal: Option<Signal>,
    began: Moment,
    /// The last line of what a running call printed.
    progress: Arc<Mutex<String>>,
}

impl<'w> Round<'w> {
    pub(crate) fn new(world: &'w World, paint: Paint) -> Self {
        Self {
            world,
            pump: Pump::new(world),
            lines: Lines::default(),
            paint,
            watched: None,
        }
    }

    /// Ends a round when the reader of `output` goes away.
    pub(crate) fn watch_output(&mut self, output: Source) {
        self.watched = Some(output);
    }

    /// What is watched for a reader that goes away.
    pub(crate) fn watched(&self) -> Option<Source> {
        self.watched
    }

    /// Runs all of `requests`. A signal sets the cancel; every request still gets its reply, in order. An error means that
    /// nobody reads any more, and nothing runs then.
    pub(crate) fn run(
        &mut self,
        requests: Vec<Request>,
        handed: &mut Handed<'_, 'w>,
    ) -> io::Result<(Vec<Reply>, Option<Signal>)> {
        let all = requests.clone();
        let waiting = |(at, request)| Waiting {
            at,
            request,
            is_told: false,
        };
        let mut queue = Queue {
            replies: vec![None; requests.len()],
            waiting: requests.into_iter().enumerate().map(waiting).collect(),
            running: HashMap::new(),
            is_alone: false,
            signal: None,
            began: self.world.clock.now(),
            progress: Arc::default(),
        };
        if let Err(error) = self.work(&mut queue, handed) {
            self.end_all(&mut queue, handed);
            if error.kind() != io::ErrorKind::Interrupted {
                return Err(error);
            }
            queue.signal = queue.signal.or_else(|| Some(handed.view.stopped_by()));
        }
        let replies = all.iter().zip(queue.replies).map(|(request, reply)| {
            reply.unwrap_or_else(|| {
                handed
                    .gate
                    .decline(request, Verdict::Cancelled, "the turn was cancelled")
            })
        });
        Ok((replies.collect(), queue.signal))
    }

    /// Ends what runs, so that nothing outlives the round, and keeps what came of it.
    fn end_all(&mut self, queue: &mut Queue, handed: &mut Handed<'_, 'w>) {
        handed.cancel.set();
        while !queue.running.is_empty() {
            match self.pump.wait(&[], None) {
                Event::Finished(id, panic) => {
                    let settled = handed.gate.settle(id, panic.as_deref());
                    if let (Some(at), Some(Settled::Reply(reply))) =
                        (queue.running.remove(&id), settled)
                    {
                        queue.keep(at, reply);
                    }
                }
                Event::Signal(signal) => queue.signal = queue.signal.or(Some(signal)),
                Event::Ready(_) | Event::Tick => (),
            }
        }
    }

    fn work(&mut self, queue: &mut Queue, handed: &mut Handed<'_, 'w>) -> io::Result<()> {
        loop {
            while self.begin_next(queue, handed)? {}
            if queue.running.is_empty() {
                return Ok(());
            }
            let interests: Vec<Interest> = self.watched.map(Interest::hangup).into_iter().collect();
            let until = handed
                .view
                .has_passing_lines()
                .then(|| self.world.clock.now().after(TELL_EVERY));
            match self.pump.wait(&interests, until) {
                Event::Finished(id, panic) => queue.settle(handed, id, panic.as_deref())?,
                Event::Signal(signal) => {
                    handed.view.break_line()?;
                    queue.stop(handed, signal);
                }
                Event::Ready(_) => return Err(io::ErrorKind::BrokenPipe.into()),
                Event::Tick => self.tell(queue, handed)?,
            }
        }
    }

    /// Shows that a call still runs, and the last that it printed.
    fn tell(&self, queue: &Queue, handed: &mut Handed<'_, 'w>) -> io::Result<()> {
        let passed = self.world.clock.now().since(queue.began);
        if passed < TELL_AFTER {
            return Ok(());
        }
        let last = queue
            .progress
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let last = redact(&last, handed.secrets);
        handed
            .view
            .passing(&format!("{} s {last}", passed.as_secs()))
    }

    /// Begins the next call if it may begin now. False: wait, or nothing is left.
    fn begin_next(&mut self, queue: &mut Queue, handed: &mut Handed<'_, 'w>) -> io::Result<bool> {
        if queue.is_alone || SIDE_BY_SIDE_MAX <= queue.running.len() {
            return Ok(false);
        }
        let Some(mut next) = queue.waiting.pop_front() else {
            return Ok(false);
        };
        if handed.cancel.is_set() {
            let why = "the turn was cancelled";
            let reply = handed.gate.decline(&next.request, Verdict::Cancelled, why);
            return queue
                .answer_at_once(handed, &mut next, reply)
                .map(|()| true);
        }
        // Planned only while nothing that changes anything runs: a plan looks at how things are.
        let ready = match handed.gate.consider(next.request.clone()) {
            Considered::Run(ready) if ready.is_reading() || queue.running.is_empty() => ready,
            _ if !queue.running.is_empty() => {
                queue.waiting.push_front(next);
                return Ok(false);
            }
            Considered::Run(ready) => ready,
            Considered::Answered(reply) => {
                return queue
                    .answer_at_once(handed, &mut next, reply)
                    .map(|()| true);
            }
            Considered::Ask(pending) => {
                let question = handed.gate.question(&pending);
                match self.ask(&question, handed.view)? {
                    Asked::Answer(answer) => match handed.gate.agree(pending, &answer) {
                        Considered::Run(ready) => {
                            next.is_told = true; // The question said it.
                            ready
                        }
                        Considered::Answered(reply) => {
                            return queue.answer(handed.view, next.at, reply).map(|()| true);
                        }
                        Considered::Ask(_) => return Ok(true),
                    },
                    Asked::Signal(signal) => {
                        queue.stop(handed, signal);
                        let why = "the person stopped the turn";
                        let reply = handed.gate.decline(&next.request, Verdict::Cancelled, why);
                        return queue.answer(handed.view, next.at, reply).map(|()| true);
                    }
                }
            }
        };
        Queue::tell(handed, &mut next)?;
        self.start(queue, handed, next.at, ready);
        Ok(true)
    }

    fn ask(&mut self, question: &Question, view: &mut View<'_>) -> io::Result<Asked> {
        consent::ask(
            question,
            self.world,
            &mut self.pump,
            &mut self.lines,
            view,
            self.paint,
        )
    }

    fn start(&mut self, queue: &mut Queue, handed: &mut Handed<'_, 'w>, at: usize, ready: Ready) {
        queue.is_alone = !ready.is_reading();
        if queue.running.is_empty() {
            queue.began = self.world.clock.now();
            queue.progress = Arc::default();
        }
        let progress = Arc::clone(&queue.progress);
        let call = Call {
            cancel: handed.cancel.clone(),
            deadline: None,
            output_bytes_max: REPLY_BYTES_MAX,
            progress: Arc::new(move |line| {
                let line = crate::text::cut_head(line, PROGRESS_BYTES_MAX).to_owned();
                *progress.lock().unwrap_or_else(PoisonError::into_inner) = line;
            }),
        };
        let (id, job) = handed.gate.start(ready, call);
        queue.running.insert(id, at);
        self.world.threads.start(id, job);
    }
}

impl Queue {
    /// Ends what runs. What is still to be said must not be stopped by the same cancel.
    fn stop(&mut self, handed: &mut Handed<'_, '_>, signal: Signal) {
        self.signal = self.signal.or(Some(signal));
        handed.cancel.set();
        handed.view.hurry();
    }

    fn settle(
        &mut self,
        handed: &mut Handed<'_, '_>,
        id: CallId,
        panic: Option<&str>,
    ) -> io::Result<()> {
        let (Some(at), Some(settled)) = (self.running.remove(&id), handed.gate.settle(id, panic))
        else {
            return Ok(());
        };
        self.is_alone = false;
        match settled {
            Settled::Again(request) => {
                self.waiting.push_front(Waiting {
                    at,
                    request,
                    is_told: true,
                });
                Ok(())
            }
            Settled::Reply(reply) => self.answer(handed.view, at, reply),
        }
    }

    /// Says that a call begins, if that was not said yet.
    fn tell(handed: &mut Handed<'_, '_>, call: &mut Waiting) -> io::Result<()> {
        if std::mem::replace(&mut call.is_told, true) {
            return Ok(());
        }
        handed.view.tool_use(&handed.gate.shown(&call.request))
    }

    /// Shows and keeps the reply to a call that never ran.
    fn answer_at_once(
        &mut self,
        handed: &mut Handed<'_, '_>,
        call: &mut Waiting,
        reply: Reply,
    ) -> io::Result<()> {
        Self::tell(handed, call)?;
        self.answer(handed.view, call.at, reply)
    }

    /// Keeps and shows a reply.
    fn answer(&mut self, view: &mut View<'_>, at: usize, reply: Reply) -> io::Result<()> {
        let shown = view.tool_result(&reply);
        self.keep(at, reply);
        shown
    }

    fn keep(&mut self, at: usize, reply: Reply) {
        if let Some(slot) = self.replies.get_mut(at) {
            *slot = Some(reply);
        }
    }
}
