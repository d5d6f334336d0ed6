//! Threads for calls, and the waits of the driver and of the calls.

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ffi::{c_int, c_short};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::clock::SystemClock;
use super::signals;
use super::sys::{self, PollFd};
use crate::world::{CallId, Cancel, Clock, Event, Interest, Moment, Source, Threads, Want};

/// How many jobs may run at once.
const JOBS_MAX: usize = 256;

/// How long a wait lasts that nothing can wake: its flags are looked at this often.
const BLIND_WAIT_MS: c_int = 50;

/// The job threads, and how their ends reach the driver.
pub(super) struct Crew {
    clock: Arc<SystemClock>,
    inbox: OnceLock<Arc<Inbox>>,
    workers: Mutex<Vec<(CallId, JoinHandle<()>)>>,
}

/// The ends of jobs that the driver has not been told yet: at most one a job.
struct Inbox {
    ends: Mutex<VecDeque<(CallId, Option<String>)>>,
    /// Readable while `ends` is not empty; changed under its lock only.
    wake: Option<OwnedFd>,
}

impl Inbox {
    fn put(&self, call: CallId, panic: Option<String>) {
        let mut ends = locked(&self.ends);
        ends.push_back((call, panic));
        if let Some(wake) = &self.wake {
            raise(wake);
        }
    }

    fn take(&self) -> Option<(CallId, Option<String>)> {
        let mut ends = locked(&self.ends);
        let end = ends.pop_front();
        if let (true, Some(wake)) = (ends.is_empty(), &self.wake) {
            // Reading puts the counter to 0; that it was 0 before is no harm.
            let _ = sys::read_some(wake.as_fd(), &mut [0; 8]);
        }
        end
    }
}

impl Crew {
    pub(super) fn new(clock: Arc<SystemClock>) -> Self {
        Self {
            clock,
            inbox: OnceLock::new(),
            workers: Mutex::new(Vec::new()),
        }
    }

    fn inbox(&self) -> &Arc<Inbox> {
        self.inbox.get_or_init(|| {
            Arc::new(Inbox {
                ends: Mutex::new(VecDeque::new()),
                wake: sys::event(0).ok(),
            })
        })
    }

    /// The time until `until` for poll(2), at most [`BLIND_WAIT_MS`] if `is_blind`.
    fn timeout(&self, until: Option<Moment>, is_blind: bool) -> c_int {
        let wait = until.map_or(-1, |until| milliseconds(until.since(self.clock.now())));
        match is_blind {
            true if wait < 0 => BLIND_WAIT_MS,
            true => wait.min(BLIND_WAIT_MS),
            false => wait,
        }
    }

    fn has_come(&self, until: Option<Moment>) -> bool {
        until.is_some_and(|until| self.clock.now() >= until)
    }

    /// Joins the thread of a job whose end is known: it has nothing left to do.
    fn join(&self, call: CallId) {
        let worker = {
            let mut workers = locked(&self.workers);
            let at = workers.iter().position(|(known, _)| *known == call);
            at.map(|at| workers.swap_remove(at).1)
        };
        if let Some(worker) = worker {
            let _ = worker.join();
        }
    }
}

impl Threads for Crew {
    fn wait(&self, interests: &[Interest], until: Option<Moment>) -> Event {
        let signals = signals::install();
        let inbox = self.inbox();
        let wake = inbox.wake.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        let mut fds = Vec::with_capacity(interests.len() + 2);
        fds.push(entry(signals.map_or(-1, signals::Signals::fd), sys::POLLIN));
        fds.push(entry(wake, sys::POLLIN));
        fds.extend(interests.iter().copied().map(polled));
        loop {
            if !poll(&mut fds, self.timeout(until, wake < 0)) {
                return Event::Tick;
            }
            if is_ready(fds.first())
                && let Some(signal) = signals.and_then(signals::Signals::take)
            {
                return Event::Signal(signal);
            }
            if (wake < 0 || is_ready(fds.get(1)))
                && let Some((call, panic)) = inbox.take()
            {
                self.join(call);
                return Event::Finished(call, panic);
            }
            if let Some(source) = first_ready(interests, fds.get(2..)) {
                return Event::Ready(source);
            }
            if self.has_come(until) {
                return Event::Tick;
            }
        }
    }

    fn poll(
        &self,
        interests: &[Interest],
        until: Option<Moment>,
        cancel: &Cancel,
    ) -> Option<Source> {
        let wake = cancel.source().map_or(-1, |source| source.0);
        let mut fds = Vec::with_capacity(interests.len() + 1);
        fds.push(entry(wake, sys::POLLIN));
        fds.extend(interests.iter().copied().map(polled));
        while !cancel.is_set() {
            let is_polled = poll(&mut fds, self.timeout(until, wake < 0));
            if cancel.is_set() {
                return None;
            }
            if let (true, Some(source)) = (is_polled, first_ready(interests, fds.get(1..))) {
                return Some(source);
            }
            if self.has_come(until) {
                return None;
            }
        }
        None
    }

    fn hand_back(&self, call: CallId, panic: Option<String>) {
        self.inbox().put(call, panic);
    }

    fn start(&self, call: CallId, job: Box<dyn FnOnce() + Send>) {
        signals::install();
        keep_panics_quiet();
        let inbox = Arc::clone(self.inbox());
        let mut workers = locked(&self.workers);
        if workers.len() >= JOBS_MAX {
            inbox.put(call, Some(format!("more than {JOBS_MAX} calls at once")));
            return;
        }
        let ends = Arc::clone(&inbox);
        let started = thread::Builder::new()
            .name(format!("call {}", call.0))
            .spawn(move || ends.put(call, run(job)));
        match started {
            Ok(worker) => workers.push((call, worker)),
            Err(error) => inbox.put(call, Some(format!("starting a thread: {error}"))),
        }
    }

    fn cancel(&self) -> Cancel {
        signals::install();
        match sys::event(0) {
            Ok(event) => {
                let source = Source(event.as_raw_fd());
                // The flag owns the descriptor through what wakes it.
                Cancel::new(Some(source), Box::new(move || raise(&event)))
            }
            // Without a descriptor every wait looks at the flag by itself.
            Err(_) => Cancel::new(None, Box::new(|| ())),
        }
    }
}

impl Drop for Crew {
    /// Joins every job; whoever ends the program has cancelled them before.
    fn drop(&mut self) {
        let own = thread::current().id();
        for (_, worker) in locked(&self.workers).drain(..) {
            // A job that held the last share of this cannot wait for itself.
            if worker.thread().id() != own {
                let _ = worker.join();
            }
        }
    }
}

/// Waits until one of `fds` is ready, `cancel` is set, or a signal waits for the driver, which then
/// sets `cancel`: for a wait of the driver outside [`Threads::wait`]. Whether one of `fds` is ready.
pub(super) fn wait_or_cancel(fd: c_int, events: c_short, cancel: &Cancel) -> bool {
    let wake = cancel.source().map_or(-1, |source| source.0);
    let signals = signals::installed().map_or(-1, signals::Signals::fd);
    let mut fds = [
        entry(fd, events),
        entry(wake, sys::POLLIN),
        entry(signals, sys::POLLIN),
    ];
    let timeout = if wake < 0 { BLIND_WAIT_MS } else { -1 };
    while !cancel.is_set() {
        if !poll(&mut fds, timeout) {
            continue;
        }
        if is_ready(fds.get(2)) {
            // It stays in the pipe: the driver is told by its next wait.
            cancel.set();
        } else if is_ready(fds.first()) {
            return true;
        }
    }
    false
}

/// Makes an event descriptor readable.
pub(super) fn raise(event: &OwnedFd) {
    // Fails only if the counter is full, and then it is readable already.
    let _ = sys::write_some(event.as_fd(), &1u64.to_ne_bytes());
}

/// poll(2). Whether it worked or was interrupted; where it did not, it has rested a little, so
/// that a caller that goes on does not spin.
fn poll(fds: &mut [PollFd], timeout_ms: c_int) -> bool {
    match sys::poll_fds(fds, timeout_ms) {
        Ok(_) => true,
        Err(error) => {
            // The results are those of an earlier call.
            for fd in fds.iter_mut() {
                fd.revents = 0;
            }
            let is_interrupted = error.kind() == std::io::ErrorKind::Interrupted;
            if !is_interrupted {
                thread::sleep(Duration::from_millis(1));
            }
            is_interrupted
        }
    }
}

fn entry(fd: c_int, events: c_short) -> PollFd {
    PollFd {
        fd,
        events,
        revents: 0,
    }
}

fn polled(interest: Interest) -> PollFd {
    let fd = interest.source.0;
    let events = match interest.want {
        Want::Read => sys::POLLIN,
        Want::Write => sys::POLLOUT,
        // Who sent a request and closed is gone. A standard stream may be a socket of which the
        // other side closed only what it had to say, and still reads.
        Want::Hangup if fd > 2 => sys::POLLRDHUP,
        Want::Hangup => 0,
    };
    entry(fd, events)
}

fn is_ready(fd: Option<&PollFd>) -> bool {
    // Errors and ends come unasked; whoever owns the source finds out by reading or writing.
    fd.is_some_and(|fd| fd.revents != 0)
}

fn first_ready(interests: &[Interest], fds: Option<&[PollFd]>) -> Option<Source> {
    interests
        .iter()
        .zip(fds.unwrap_or_default())
        .find(|(_, fd)| is_ready(Some(fd)))
        .map(|(interest, _)| interest.source)
}

/// Whole milliseconds, rounded up: a wait never ends before its time.
fn milliseconds(wait: Duration) -> c_int {
    c_int::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(c_int::MAX)
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is behind our locks is whole between any two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    /// On a job's thread: where the hook leaves what a panic said. Elsewhere `None`.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs a job; the message if it panicked.
fn run(job: Box<dyn FnOnce() + Send>) -> Option<String> {
    SAID.set(Some(String::new()));
    let ended = panic::catch_unwind(AssertUnwindSafe(job));
    let said = SAID.take().unwrap_or_default();
    match ended {
        Ok(()) => None,
        Err(payload) if said.is_empty() => Some(message(&*payload)),
        Err(_) => Some(said),
    }
}

/// Keeps what a panic on a job's thread says instead of printing it; once for the process.
fn keep_panics_quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let former = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !keep(info) {
                former(info);
            }
        }));
    });
}

/// Whether this thread is a job's, whose panics are kept.
fn keep(info: &PanicHookInfo<'_>) -> bool {
    let kept = SAID.try_with(|said| {
        let mut said = said.try_borrow_mut().ok()?;
        let said = said.as_mut()?;
        *said = message(info.payload());
        if let Some(place) = info.location() {
            *said = format!("{said} ({}:{})", place.file(), place.line());
        }
        Some(())
    });
    matches!(kept, Ok(Some(())))
}

fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        return (*text).to_string();
    }
    match payload.downcast_ref::<String>() {
        Some(text) => text.clone(),
        None => "it panicked without a message".to_string(),
    }
}

#[cfg(test)]
mod tests;
