//! Running programs: pipes drained while they run, output kept at head and tail, whole groups ended.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Call, Need, Row, Supply};
use crate::tool::Failure;
use crate::tool::place::Roots;
use crate::world::{self, Exit, Interest, Moment, Running, Source, Spawn, Stop, Stream};

/// A group that was asked to end is killed after this long.
const STOP_GRACE: Duration = Duration::from_millis(300);
/// Once the program ended, output that others of its group still hold open is waited for this long.
const LINGER: Duration = Duration::from_millis(100);
/// How often a child is looked at where the system cannot wake us.
const LOOK: Duration = Duration::from_millis(10);
/// Bytes taken from a pipe at once.
const PIECE_BYTES_MAX: usize = 64 * 1024;
/// Pieces taken or given before the clock and the cancel are looked at again: a child may print faster than we read.
const PIECES_MAX: usize = 16;
/// Processes left behind that are named.
const LEFT_NAMED_MAX: usize = 5;

/// Running programs.
#[derive(Clone)]
pub(crate) struct Commands {
    processes: Arc<dyn world::Processes>,
    threads: Arc<dyn world::Threads>,
    clock: Arc<dyn world::Clock>,
    files: Arc<dyn world::Files>,
    roots: Arc<Roots>,
}

impl Need for Commands {
    const ROW: Row = Row {
        name: "commands",
        question: "run commands",
    };
    fn grant(supply: &Supply) -> Self {
        Self {
            processes: Arc::clone(&supply.processes),
            threads: Arc::clone(&supply.threads),
            clock: Arc::clone(&supply.clock),
            files: Arc::clone(&supply.files),
            roots: Arc::clone(&supply.roots),
        }
    }
}

/// A program to run to its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Command {
    pub(crate) spawn: Spawn,
    /// What it reads on standard input.
    pub(crate) input: Vec<u8>,
    /// `None`: as long as it takes.
    pub(crate) timeout: Option<Duration>,
    /// Bytes kept of each output; of more, the head and the tail.
    pub(crate) output_bytes_max: usize,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Cancelled,
    Exited(Exit),
    TimedOut,
}

/// What came of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) ended: Ended,
    /// Standard output, or both in the order written.
    pub(crate) output: Kept,
    /// Standard error, unless merged.
    pub(crate) errors: Kept,
    /// Processes that it left running in its group, which were stopped: `sleep (4711)`.
    pub(crate) left: Vec<String>,
    pub(crate) took: Duration,
}

impl Commands {
    /// The folder that `given` leads to; the workspace if nothing is given.
    pub(crate) fn directory(&self, given: Option<&str>) -> Result<PathBuf, Failure> {
        match given {
            Some(given) => self
                .roots
                .target(&*self.files, given)
                .map(|target| target.path),
            None => Ok(self.roots.workspace.clone()),
        }
    }

    /// Runs `command` to its end, or until it times out or `call` is cancelled; then nothing of its group lives.
    pub(crate) fn run(&self, command: Command, call: &Call) -> Result<Ran, Failure> {
        let program = command.spawn.program.to_string_lossy().into_owned();
        call.check()?;
        let running = self
            .processes
            .start(&command.spawn)
            .map_err(|error| self.no_start(&program, &command.spawn, &error))?;
        let began = self.clock.now();
        let until = [
            command.timeout.map(|timeout| began.after(timeout)),
            call.deadline,
        ]
        .into_iter()
        .flatten()
        .min();
        let mut watch = Watch::new(running, command);
        let ended = self.attend(&mut watch, until, call)?;
        let left = self.end(&mut watch, ended);
        let took = self.clock.now().since(began);
        Ok(Ran {
            ended,
            output: watch.output,
            errors: watch.errors,
            left,
            took,
        })
    }

    /// Why a program did not start; the system says of a missing folder the same as of a missing program.
    fn no_start(&self, program: &str, spawn: &Spawn, error: &io::Error) -> Failure {
        let has_directory = || {
            self.files
                .stat(&spawn.directory, true)
                .is_ok_and(|stat| stat.kind == world::Kind::Directory)
        };
        match error.kind() {
            io::ErrorKind::NotFound if has_directory() => {
                Failure::new(format!("`{program}` is not installed or not in PATH"))
            }
            io::ErrorKind::NotFound => {
                let shown = self.roots.shown(&spawn.directory);
                Failure::new(format!(
                    "cannot run `{program}` in `{shown}`: there is no such directory"
                ))
            }
            _ => Failure::io(&format!("cannot run `{program}`"), error),
        }
    }

    /// Feeds and drains the child until it ends.
    fn attend(
        &self,
        watch: &mut Watch,
        until: Option<Moment>,
        call: &Call,
    ) -> Result<Ended, Failure> {
        loop {
            if call.cancel.is_set() {
                return Ok(Ended::Cancelled);
            }
            if until.is_some_and(|until| until <= self.clock.now()) {
                return Ok(Ended::TimedOut);
            }
            watch.feed();
            watch.drain(&*call.progress);
            watch
                .look()
                .map_err(|error| Failure::io("cannot wait for the command", &error))?;
            if let Some(exit) = watch.exit {
                return Ok(Ended::Exited(exit));
            }
            let (interests, is_blind) = watch.interests();
            let look = is_blind.then(|| self.clock.now().after(LOOK));
            let next = [look, until].into_iter().flatten().min();
            self.threads.poll(&interests, next, &call.cancel);
        }
    }

    /// Ends what still runs and takes the last output. Returns what was left behind.
    fn end(&self, watch: &mut Watch, ended: Ended) -> Vec<String> {
        watch.running.input = None;
        let calm = self.threads.cancel();
        if !matches!(ended, Ended::Exited(_)) {
            watch.running.child.stop(Stop::Ask);
            self.settle(watch, STOP_GRACE, &calm, true);
            watch.running.child.stop(Stop::Kill);
            self.settle(watch, LINGER, &calm, true);
            return Vec::new();
        }
        self.settle(watch, LINGER, &calm, false);
        let left = watch.running.child.remaining();
        if left.is_empty() {
            return Vec::new();
        }
        watch.running.child.stop(Stop::Ask);
        self.settle(watch, STOP_GRACE, &calm, true);
        watch.running.child.stop(Stop::Kill);
        self.settle(watch, LINGER, &calm, true);
        let mut named: Vec<String> = left
            .iter()
            .take(LEFT_NAMED_MAX)
            .map(|p| format!("{} ({})", p.name, p.pid))
            .collect();
        if LEFT_NAMED_MAX < left.len() {
            named.push(format!("{} more", left.len() - LEFT_NAMED_MAX));
        }
        named
    }

    /// Takes output until it ends, or for at most `wait`; with `is_reaping` also until nothing of the group lives.
    fn settle(&self, watch: &mut Watch, wait: Duration, calm: &world::Cancel, is_reaping: bool) {
        let until = self.clock.now().after(wait);
        loop {
            watch.drain(&|_| ());
            let has_exited = watch.look().is_err() || watch.exit.is_some();
            let is_over = watch.is_drained() && has_exited;
            let is_gone = !is_reaping || watch.running.child.remaining().is_empty();
            let now = self.clock.now();
            if (is_over && is_gone) || until <= now {
                return;
            }
            let (interests, _) = watch.interests();
            self.threads
                .poll(&interests, Some(until.min(now.after(LOOK))), calm);
        }
    }
}

/// A child that is being attended to.
struct Watch {
    running: Running,
    /// Set once it ended; then its exit source is readable for good and no longer waited for.
    exit: Option<Exit>,
    input: Vec<u8>,
    fed: usize,
    output: Kept,
    errors: Kept,
    is_output_open: bool,
    is_errors_open: bool,
}

impl Watch {
    fn new(running: Running, command: Command) -> Self {
        Self {
            is_errors_open: running.errors.is_some(),
            running,
            exit: None,
            input: command.input,
            fed: 0,
            output: Kept::new(command.output_bytes_max),
            errors: Kept::new(command.output_bytes_max),
            is_output_open: true,
        }
    }

    fn is_drained(&self) -> bool {
        !self.is_output_open && !self.is_errors_open
    }

    /// Notes whether the child ended.
    fn look(&mut self) -> io::Result<()> {
        if self.exit.is_none() {
            self.exit = self.running.child.try_exit()?;
        }
        Ok(())
    }

    /// Writes what the child takes; closes its input at the end, or when it stopped reading.
    fn feed(&mut self) {
        for _ in 0..PIECES_MAX {
            let Some(stream) = &mut self.running.input else {
                return;
            };
            let rest = self.input.get(self.fed..).unwrap_or_default();
            if rest.is_empty() {
                self.running.input = None;
                return;
            }
            match stream.write(&rest[..rest.len().min(PIECE_BYTES_MAX)]) {
                Ok(0) => return,
                Ok(count) => self.fed += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.running.input = None, // It does not read: that is its own affair.
            }
        }
    }

    fn drain(&mut self, progress: &dyn Fn(&str)) {
        if self.is_output_open {
            self.is_output_open = drain(&mut *self.running.output, &mut self.output, progress);
        }
        if self.is_errors_open
            && let Some(errors) = &mut self.running.errors
        {
            self.is_errors_open = drain(&mut **errors, &mut self.errors, progress);
        }
    }

    /// What to wait for, and whether the child's end is not among it.
    fn interests(&self) -> (Vec<Interest>, bool) {
        let mut interests = Vec::new();
        let exit: Option<Source> = self
            .running
            .child
            .exit_source()
            .filter(|_| self.exit.is_none());
        interests.extend(exit.map(Interest::read));
        if self.is_output_open {
            interests.push(Interest::read(self.running.output.source()));
        }
        if let Some(errors) = self.running.errors.as_ref().filter(|_| self.is_errors_open) {
            interests.push(Interest::read(errors.source()));
        }
        if let Some(input) = &self.running.input {
            interests.push(Interest::write(input.source()));
        }
        (interests, exit.is_none())
    }
}

/// Reads what there is, up to [`PIECES_MAX`]; false at the end.
fn drain(stream: &mut dyn Stream, kept: &mut Kept, progress: &dyn Fn(&str)) -> bool {
    let mut piece = vec![0; PIECE_BYTES_MAX];
    for _ in 0..PIECES_MAX {
        match stream.read(&mut piece) {
            Ok(0) => return false,
            Ok(count) => {
                kept.push(&piece[..count]);
                if let Some(line) = piece[..count]
                    .rsplit(|&byte| byte == b'\n')
                    .find(|line| !line.is_empty())
                {
                    progress(&String::from_utf8_lossy(line));
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(_) => return false,
        }
    }
    true
}

/// Output of bounded size: its head, and a ring for its tail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    head: Vec<u8>,
    head_bytes_max: usize,
    /// The last bytes, oldest at `start` once it is full.
    tail: Vec<u8>,
    tail_bytes_max: usize,
    start: usize,
    total: u64,
}

impl Kept {
    /// Keeps at most `bytes_max` bytes: a quarter from the head, the rest from the tail.
    pub(crate) fn new(bytes_max: usize) -> Self {
        let head_bytes_max = bytes_max / 4;
        Self {
            head: Vec::new(),
            head_bytes_max,
            tail: Vec::new(),
            tail_bytes_max: bytes_max - head_bytes_max,
            start: 0,
            total: 0,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.head_bytes_max - self.head.len();
        let (head, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(self.tail_bytes_max)..];
        let room = self.tail_bytes_max - self.tail.len();
        let (fresh, over) = rest.split_at(room.min(rest.len()));
        self.tail.extend_from_slice(fresh);
        // What is over goes around: at most to the end of the ring, then from its beginning.
        let (first, second) = over.split_at(over.len().min(self.tail.len() - self.start));
        self.tail[self.start..self.start + first.len()].copy_from_slice(first);
        self.tail[..second.len()].copy_from_slice(second);
        if let Some(start) = (self.start + over.len()).checked_rem(self.tail.len()) {
            self.start = start;
        }
    }

    /// All bytes seen, kept or not.
    #[cfg(test)]
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The text, lossy, with a line that counts what was dropped. No character is split at the gap.
    pub(crate) fn text(&self) -> String {
        let mut tail = self.tail[self.start..].to_vec();
        tail.extend_from_slice(&self.tail[..self.start]);
        let dropped = self.total - (self.head.len() + tail.len()) as u64;
        if dropped == 0 {
            let mut whole = self.head.clone();
            whole.extend_from_slice(&tail);
            return String::from_utf8_lossy(&whole).into_owned();
        }
        let head_end = complete(&self.head);
        let tail_start = tail
            .iter()
            .take(3)
            .take_while(|&&byte| byte & 0xC0 == 0x80)
            .count();
        let dropped = dropped + (self.head.len() - head_end + tail_start) as u64;
        format!(
            "{}\n… ({dropped} bytes left out) …\n{}",
            String::from_utf8_lossy(&self.head[..head_end]),
            String::from_utf8_lossy(&tail[tail_start..])
        )
    }
}

/// The length of `bytes` without a character that is cut at its end.
fn complete(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let byte = bytes[bytes.len() - back];
        let length = match byte {
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF7 => 4,
            0x80..=0xBF => continue,
            _ => 1,
        };
        return if back < length {
            bytes.len() - back
        } else {
            bytes.len()
        };
    }
    bytes.len()
}

#[cfg(test)]
#[path = "commands_tests.rs"]
mod tests;
