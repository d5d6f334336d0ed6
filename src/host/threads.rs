//! Threads for calls, and the poll in which they and the driver wait.

use std::collections::VecDeque;
use std::io::{PipeReader, PipeWriter, Read as _, Write as _, pipe};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{Builder, JoinHandle};

use super::clock::now;
use super::sys::{self, POLLIN, POLLOUT, PollFd};
use crate::world::{CallId, Cancel, Event, Interest, Moment, Signal, Source, Threads, Want};

/// Bytes of the wake-up pipe read at once.
const WAKES_MAX: usize = 64;

/// The threads of this process. Nothing is set up before the first use.
#[derive(Default)]
pub(super) struct HostThreads {
    inbox: OnceLock<Inbox>,
    jobs: Mutex<Vec<JoinHandle<()>>>,
}

/// What the driver is told by signal handlers and jobs.
struct Inbox {
    reader: PipeReader,
    writer: Arc<PipeWriter>,
    events: Arc<Mutex<VecDeque<Event>>>,
}

impl Inbox {
    fn open() -> Self {
        let (reader, writer) = match pipe() {
            Ok(ends) => ends,
            Err(error) => super::give_up(&format!("cannot make a pipe: {error}")),
        };
        // A full pipe must never stop a handler; one that cannot be set so still works until then.
        _ = sys::set_nonblocking(reader.as_fd());
        _ = sys::set_nonblocking(writer.as_fd());
        _ = sys::catch_signals(writer.as_raw_fd());
        Self {
            reader,
            writer: Arc::new(writer),
            events: Arc::default(),
        }
    }

    /// Turns what came through the pipe into events.
    fn drain(&self) {
        let mut bytes = [0; WAKES_MAX];
        while let Ok(count) = (&self.reader).read(&mut bytes) {
            if count == 0 {
                return;
            }
            let signals = bytes[..count].iter().filter_map(|&byte| match i32::from(byte) {
                sys::SIGINT => Some(Signal::Interrupt),
                sys::SIGTERM => Some(Signal::Terminate),
                sys::SIGHUP => Some(Signal::Hangup),
                _ => None,
            });
            lock(&self.events).extend(signals.map(Event::Signal));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HostThreads {
    fn inbox(&self) -> &Inbox {
        self.inbox.get_or_init(Inbox::open)
    }
}

impl Threads for HostThreads {
    fn wait(&self, interests: &[Interest], until: Option<Moment>) -> Event {
        let inbox = self.inbox();
        let mut fds = Vec::with_capacity(interests.len() + 1);
        fds.push(entry(inbox.reader.as_raw_fd(), Want::Read));
        fds.extend(interests.iter().map(|interest| entry(interest.source.0, interest.want)));
        loop {
            inbox.drain();
            if let Some(event) = lock(&inbox.events).pop_front() {
                return event;
            }
            let ready = sys::wait(&mut fds, timeout_ms(until));
            if fds[0].revents != 0 {
                continue;
            }
            match ready {
                Ok(0) if until.is_some_and(|until| until <= now()) => return Event::Tick,
                Ok(0) => (),
                Ok(_) => {
                    if let Some(at) = fds.iter().skip(1).position(|fd| fd.revents != 0) {
                        return Event::Ready(interests[at].source);
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => clear(&mut fds),
                Err(_) => return Event::Tick,
            }
        }
    }

    fn poll(&self, interests: &[Interest], until: Option<Moment>, cancel: &Cancel) -> Option<Source> {
        let mut fds: Vec<PollFd> = cancel.source().map(|source| entry(source.0, Want::Read)).into_iter().collect();
        let skipped = fds.len();
        fds.extend(interests.iter().map(|interest| entry(interest.source.0, interest.want)));
        loop {
            if cancel.is_set() {
                return None;
            }
            match sys::wait(&mut fds, timeout_ms(until)) {
                Ok(0) if until.is_some_and(|until| until <= now()) => return None,
                Ok(0) => (),
                Ok(_) => {
                    if let Some(at) = fds.iter().skip(skipped).position(|fd| fd.revents != 0) {
                        return Some(interests[at].source);
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => clear(&mut fds),
                Err(_) => return None,
            }
        }
    }

    fn start(&self, call: CallId, job: Box<dyn FnOnce() + Send>) {
        let inbox = self.inbox();
        let events = Arc::clone(&inbox.events);
        let writer = Arc::clone(&inbox.writer);
        let tell = move |panic| {
            lock(&events).push_back(Event::Finished(call, panic));
            _ = (&*writer).write(&[0]); // A full pipe wakes as well.
        };
        let told = tell.clone();
        let run = move || {
            let panic = catch_unwind(AssertUnwindSafe(job)).err().map(|panic| message(&*panic));
            tell(panic);
        };
        match Builder::new().name("call".to_owned()).spawn(run) {
            Ok(handle) => {
                let mut jobs = lock(&self.jobs);
                jobs.retain(|job| !job.is_finished());
                jobs.push(handle);
            }
            Err(error) => told(Some(format!("no thread for the call: {error}"))),
        }
    }

    fn cancel(&self) -> Cancel {
        match pipe() {
            Ok((reader, writer)) => {
                let source = Source(reader.as_raw_fd());
                let ends = Mutex::new((reader, writer));
                Cancel::new(Some(source), Box::new(move || _ = lock(&ends).1.write(&[1])))
            }
            // Without a pipe the flag alone must do: whoever waits looks at it at its next wake-up.
            Err(_) => Cancel::new(None, Box::new(|| ())),
        }
    }
}

impl Drop for HostThreads {
    fn drop(&mut self) {
        for job in std::mem::take(&mut *lock(&self.jobs)) {
            _ = job.join(); // Its panic was told already.
        }
    }
}

/// The words of a panic.
fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
}

fn clear(fds: &mut [PollFd]) {
    fds.iter_mut().for_each(|fd| fd.revents = 0);
}

fn entry(fd: i32, want: Want) -> PollFd {
    let events = match want {
        Want::Read => POLLIN,
        Want::Write => POLLOUT,
        Want::Hangup => 0, // Errors and hang-ups are always reported.
    };
    PollFd { fd, events, revents: 0 }
}

/// Rounded up, so that a wait never ends before its time.
fn timeout_ms(until: Option<Moment>) -> i32 {
    let Some(until) = until else {
        return -1;
    };
    let left = until.since(now());
    i32::try_from(left.as_millis() + u128::from(left.subsec_nanos() % 1_000_000 != 0)).unwrap_or(i32::MAX)
}
