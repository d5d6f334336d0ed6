//! The calls of one round: reading ones side by side, any other alone, each answered once and in order.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;

use crate::app::consent::{self, Asked};
use crate::app::pump::Pump;
use crate::app::typed::Lines;
use crate::app::view::View;
use crate::text::Paint;
use crate::tool::{
    Call, Considered, Gate, REPLY_BYTES_MAX, Ready, Reply, Request, Settled, Verdict,
};
use crate::world::{CallId, Cancel, Event, Interest, Moment, Signal, Source, Standard, World};

/// Calls that run at one time.
const SIDE_BY_SIDE_MAX: usize = 8;

/// What runs calls, and what it needs for that.
pub(crate) struct Round<'w> {
    world: &'w World,
    pub(crate) pump: Pump<'w>,
    pub(crate) lines: Lines,
    paint: Paint,
    /// Standard output, watched for a reader that goes away.
    watched: Option<Source>,
}

/// The calls of one round on their way.
struct Queue {
    waiting: VecDeque<(usize, Request)>,
    running: HashMap<CallId, usize>,
    replies: Vec<Option<Reply>>,
    /// Whether what runs must end before anything else begins.
    is_alone: bool,
    signal: Option<Signal>,
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

    /// Ends a round when the reader of standard output goes away.
    pub(crate) fn watch_output(&mut self) {
        self.watched = Some(self.world.console.source(Standard::Output));
    }

    /// Runs all of `requests`. A signal sets `cancel`; every request still gets its reply.
    pub(crate) fn run(
        &mut self,
        requests: Vec<Request>,
        gate: &mut Gate,
        view: &mut View<'_>,
        cancel: &Cancel,
        deadline: Option<Moment>,
    ) -> io::Result<(Vec<Reply>, Option<Signal>)> {
        let mut queue = Queue {
            replies: vec![None; requests.len()],
            waiting: requests.into_iter().enumerate().collect(),
            running: HashMap::new(),
            is_alone: false,
            signal: None,
        };
        let ended = self.work(&mut queue, gate, view, cancel, deadline);
        if ended.is_err() {
            // Nobody reads any more: what runs is ended, so that nothing outlives the program.
            cancel.set();
            while !queue.running.is_empty() {
                if let Event::Finished(id, _) = self.pump.wait(&[], None) {
                    queue.running.remove(&id);
                }
            }
        }
        ended?;
        Ok((queue.replies.into_iter().flatten().collect(), queue.signal))
    }

    fn work(
        &mut self,
        queue: &mut Queue,
        gate: &mut Gate,
        view: &mut View<'_>,
        cancel: &Cancel,
        deadline: Option<Moment>,
    ) -> io::Result<()> {
        loop {
            while self.begin_next(queue, gate, view, cancel, deadline)? {}
            if queue.running.is_empty() {
                return Ok(());
            }
            let interests: Vec<Interest> = self.watched.map(Interest::hangup).into_iter().collect();
            match self.pump.wait(&interests, None) {
                Event::Finished(id, panic) => {
                    Self::settle(queue, gate, view, id, panic.as_deref())?
                }
                Event::Signal(signal) => self.stop(queue, view, cancel, signal),
                Event::Ready(_) => return Err(io::ErrorKind::BrokenPipe.into()),
                Event::Tick => (),
            }
        }
    }

    /// Ends what runs. What is still to be said must not be stopped by the same cancel.
    fn stop(&self, queue: &mut Queue, view: &mut View<'_>, cancel: &Cancel, signal: Signal) {
        queue.signal = queue.signal.or(Some(signal));
        cancel.set();
        view.renew(self.world.threads.cancel());
    }

    /// Begins the next call if it may begin now. False: wait, or nothing is left.
    fn begin_next(
        &mut self,
        queue: &mut Queue,
        gate: &mut Gate,
        view: &mut View<'_>,
        cancel: &Cancel,
        deadline: Option<Moment>,
    ) -> io::Result<bool> {
        if queue.is_alone || SIDE_BY_SIDE_MAX <= queue.running.len() {
            return Ok(false);
        }
        let Some((at, request)) = queue.waiting.pop_front() else {
            return Ok(false);
        };
        if cancel.is_set() {
            view.tool_use(&request)?;
            let reply = gate.decline(&request, Verdict::Cancelled, "the turn was cancelled");
            return Self::answer(queue, view, at, reply).map(|()| true);
        }
        // Planned only while nothing that changes anything runs: a plan looks at how things are.
        let considered = gate.consider(request.clone());
        let ready = match considered {
            Considered::Run(ready) => ready,
            _ if !queue.running.is_empty() => {
                queue.waiting.push_front((at, request));
                return Ok(false);
            }
            Considered::Answered(reply) => {
                view.tool_use(&request)?;
                return Self::answer(queue, view, at, reply).map(|()| true);
            }
            Considered::Ask(pending) => {
                let question = gate.question(&pending);
                match consent::ask(
                    &question,
                    self.world,
                    &mut self.pump,
                    &mut self.lines,
                    view,
                    self.paint,
                )? {
                    Asked::Answer(answer) => match gate.agree(pending, &answer) {
                        Considered::Run(ready) => ready,
                        Considered::Answered(reply) => {
                            return Self::answer(queue, view, at, reply).map(|()| true);
                        }
                        Considered::Ask(_) => return Ok(true),
                    },
                    Asked::Signal(signal) => {
                        self.stop(queue, view, cancel, signal);
                        let reply = gate.decline(
                            &request,
                            Verdict::Cancelled,
                            "the person stopped the turn",
                        );
                        return Self::answer(queue, view, at, reply).map(|()| true);
                    }
                }
            }
        };
        if !ready.is_reading() && !queue.running.is_empty() {
            queue.waiting.push_front((at, request));
            return Ok(false);
        }
        view.tool_use(&request)?;
        self.start(queue, gate, at, ready, cancel, deadline);
        Ok(true)
    }

    fn start(
        &mut self,
        queue: &mut Queue,
        gate: &mut Gate,
        at: usize,
        ready: Ready,
        cancel: &Cancel,
        deadline: Option<Moment>,
    ) {
        queue.is_alone = !ready.is_reading();
        let call = Call {
            cancel: cancel.clone(),
            deadline,
            output_bytes_max: REPLY_BYTES_MAX,
            progress: Arc::new(|_| ()),
        };
        let (id, job) = gate.start(ready, call);
        queue.running.insert(id, at);
        self.world.threads.start(id, job);
    }

    fn settle(
        queue: &mut Queue,
        gate: &mut Gate,
        view: &mut View<'_>,
        id: CallId,
        panic: Option<&str>,
    ) -> io::Result<()> {
        let (Some(at), Some(settled)) = (queue.running.remove(&id), gate.settle(id, panic)) else {
            return Ok(());
        };
        queue.is_alone = false;
        match settled {
            Settled::Again(request) => queue.waiting.push_front((at, request)),
            Settled::Reply(reply) => Self::answer(queue, view, at, reply)?,
        }
        Ok(())
    }

    /// Shows and keeps a reply.
    fn answer(queue: &mut Queue, view: &mut View<'_>, at: usize, reply: Reply) -> io::Result<()> {
        view.tool_result(&reply)?;
        if let Some(slot) = queue.replies.get_mut(at) {
            *slot = Some(reply);
        }
        Ok(())
    }
}
