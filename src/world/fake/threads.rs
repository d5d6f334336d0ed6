//! The one place of the fake world where time passes; jobs run at once, where they are started.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Action, Fake, State, Trigger};
use crate::world::{CallId, Cancel, Event, Interest, Moment, Source, Threads};

/// Waits in a row without any other use of a port and without time passing, after which the program is spinning.
const IDLE_WAITS_MAX: u32 = 1000;

/// What ends a wait.
enum Outcome {
    Ready(Source),
    Until,
    /// These happen first; then look again.
    Actions(Vec<Action>),
    /// Nothing ever will, or the program waits wrongly.
    Hang(String),
}

impl State {
    /// The next thing that happens; moves the clock there.
    fn next(&mut self, interests: &[Interest], until: Option<Moment>) -> Outcome {
        let mut first: Option<(Moment, Source)> = None;
        for interest in interests {
            match self.sources.ready_at(*interest) {
                Ok(Some(at)) => {
                    let at = at.max(self.now);
                    if first.is_none_or(|(before, _)| at < before) {
                        first = Some((at, interest.source));
                    }
                }
                Ok(None) => {}
                Err(text) => return Outcome::Hang(text),
            }
        }
        let trigger = self
            .triggers
            .iter()
            .filter_map(|(trigger, _)| match trigger {
                Trigger::Moment(at) => Some((*at).max(self.now)),
                _ => None,
            });
        let trigger = trigger.min();
        let other = match (first.map(|(at, _)| at), until.map(|at| at.max(self.now))) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        if let Some(at) = trigger
            && other.is_none_or(|other| at <= other)
        {
            self.now = at;
            let due =
                self.take_due(|trigger| matches!(trigger, Trigger::Moment(due) if *due <= at));
            return Outcome::Actions(due);
        }
        match (first, other) {
            (Some((at, source)), Some(other)) if at <= other => {
                self.now = at;
                Outcome::Ready(source)
            }
            (_, Some(other)) => {
                self.now = other;
                Outcome::Until
            }
            (_, None) => Outcome::Hang("nothing can ever happen".to_owned()),
        }
    }

    /// Counts a wait; gives what is to happen at it, or why it is one too many.
    fn count_wait(&mut self) -> Result<Vec<Action>, String> {
        self.waits += 1;
        let count = self.waits;
        // `enter` counts the wait itself as an operation.
        if self.operations == self.idle_waits.0 + 1 {
            self.idle_waits.1 += 1;
        } else {
            self.idle_waits.1 = 0;
        }
        self.idle_waits.0 = self.operations;
        if self.idle_waits.1 > IDLE_WAITS_MAX {
            return Err(format!(
                "{IDLE_WAITS_MAX} waits in a row and nothing done between them"
            ));
        }
        Ok(self.take_due(|trigger| matches!(trigger, Trigger::Wait(n) if *n == count)))
    }
}

/// Fails the test.
fn hang(text: &str, interests: &[Interest], until: Option<Moment>, now: Moment) -> ! {
    panic!(
        "the program hangs at {:?}: {text}; it waits for {interests:?} until {until:?}",
        now.0
    )
}

impl Fake {
    fn begin_wait(&self, interests: &[Interest], until: Option<Moment>, polled: Option<&Cancel>) {
        let counted = self.enter().count_wait();
        match counted {
            Ok(due) => {
                for action in due {
                    self.act(action, polled);
                }
            }
            Err(text) => hang(&text, interests, until, self.look().now),
        }
    }

    fn next(&self, interests: &[Interest], until: Option<Moment>) -> Outcome {
        let mut state = self.look();
        let before = state.now;
        let outcome = state.next(interests, until);
        if state.now > before {
            state.idle_waits.1 = 0;
        }
        outcome
    }
}

impl Threads for Fake {
    fn wait(&self, interests: &[Interest], until: Option<Moment>) -> Event {
        self.begin_wait(interests, until, None);
        loop {
            {
                let mut state = self.look();
                if !state.signals.is_empty() {
                    return Event::Signal(state.signals.remove(0));
                }
                if !state.finished.is_empty() {
                    let (call, panic) = state.finished.remove(0);
                    return Event::Finished(call, panic);
                }
            }
            match self.next(interests, until) {
                Outcome::Ready(source) => return Event::Ready(source),
                Outcome::Until => return Event::Tick,
                Outcome::Actions(due) => {
                    for action in due {
                        self.act(action, None);
                    }
                }
                Outcome::Hang(text) => hang(&text, interests, until, self.look().now),
            }
        }
    }

    fn poll(
        &self,
        interests: &[Interest],
        until: Option<Moment>,
        cancel: &Cancel,
    ) -> Option<Source> {
        if cancel.is_set() {
            let mut state = self.look();
            state.late_polls += 1;
            if state.late_polls > IDLE_WAITS_MAX {
                let now = state.now;
                drop(state);
                hang("it goes on after its cancel was set", interests, until, now);
            }
        }
        self.begin_wait(interests, until, Some(cancel));
        loop {
            if cancel.is_set() {
                return None;
            }
            match self.next(interests, until) {
                Outcome::Ready(source) => return Some(source),
                Outcome::Until => return None,
                Outcome::Actions(due) => {
                    for action in due {
                        self.act(action, Some(cancel));
                    }
                }
                Outcome::Hang(text) => hang(&text, interests, until, self.look().now),
            }
        }
    }

    fn hand_back(&self, call: CallId, panic: Option<String>) {
        self.look().finished.push((call, panic));
    }

    fn start(&self, call: CallId, job: Box<dyn FnOnce() + Send>) {
        drop(self.enter());
        let panic = catch_unwind(AssertUnwindSafe(job)).err().map(|payload| {
            let text = payload
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned());
            text.or_else(|| payload.downcast_ref::<String>().cloned())
                .unwrap_or_else(|| "a panic without a text".to_owned())
        });
        self.look().finished.push((call, panic));
    }

    fn cancel(&self) -> Cancel {
        self.new_cancel()
    }
}
