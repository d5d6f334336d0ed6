//! What a test has seen so far of a run: requests, replies, output, the end. Threads add to it, one waits for it.

use std::process::ExitStatus;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A request as it came over the wire.
#[derive(Clone, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    /// Names as sent.
    pub(crate) fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// The value of the field `name`, in any case of letters.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// All that was seen.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) requests: Vec<Request>,
    /// Replies that were sent to their end.
    pub(crate) replies: usize,
    /// What was wrong with requests.
    pub(crate) faults: Vec<String>,
    /// Connections that were accepted.
    pub(crate) connections: usize,
    /// Connections that the program closed before their reply was whole.
    pub(crate) hung_up: usize,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Output streams that have not ended.
    pub(crate) open_outputs: usize,
    pub(crate) exit: Option<ExitStatus>,
}

/// In short, for the message of a test that failed.
impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tail = |bytes: &[u8]| {
            String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(2_000)..]).into_owned()
        };
        writeln!(
            f,
            "{} requests, {} replies, exit {:?}",
            self.requests.len(),
            self.replies,
            self.exit
        )?;
        writeln!(f, "faults: {:#?}", self.faults)?;
        writeln!(
            f,
            "standard output:\n{}\nstandard error:\n{}",
            tail(&self.stdout),
            tail(&self.stderr)
        )
    }
}

/// The one shared value of a run.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<(Mutex<State>, Condvar)>);

impl Seen {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state and wakes whoever waits.
    pub(crate) fn update<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.state());
        self.0.1.notify_all();
        result
    }

    /// Waits until `is_enough` or `until`; whether it was enough.
    pub(crate) fn wait(&self, until: Instant, is_enough: impl Fn(&State) -> bool) -> bool {
        let mut state = self.state();
        loop {
            if is_enough(&state) {
                return true;
            }
            let now = Instant::now();
            if until <= now {
                return false;
            }
            state = self
                .0
                .1
                .wait_timeout(state, until - now)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

/// Something that a run comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The n-th request has been read.
    Request(usize),
    /// The n-th reply has been sent.
    Reply(usize),
    /// Standard output holds this.
    Stdout(String),
    Stderr(String),
}

impl Mark {
    /// Reads `request 1`, `reply 2`, `stdout TEXT` or `stderr TEXT`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (word, rest) = text.trim().split_once(' ').unwrap_or((text, ""));
        let number = || {
            rest.trim()
                .parse()
                .map_err(|_| format!("`{rest}` is no number"))
        };
        match word {
            "request" => Ok(Self::Request(number()?)),
            "reply" => Ok(Self::Reply(number()?)),
            "stdout" => Ok(Self::Stdout(rest.to_owned())),
            "stderr" => Ok(Self::Stderr(rest.to_owned())),
            _ => Err(format!(
                "`{text}` is none of `request N`, `reply N`, `stdout TEXT`, `stderr TEXT`"
            )),
        }
    }

    pub(crate) fn is_reached(&self, state: &State) -> bool {
        let holds = |bytes: &[u8], text: &str| String::from_utf8_lossy(bytes).contains(text);
        match self {
            Self::Request(count) => *count <= state.requests.len(),
            Self::Reply(count) => *count <= state.replies,
            Self::Stdout(text) => holds(&state.stdout, text),
            Self::Stderr(text) => holds(&state.stderr, text),
        }
    }
}
