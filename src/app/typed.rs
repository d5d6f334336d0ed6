//! Lines that a person types, read without ever blocking what else goes on.

use std::collections::VecDeque;
use std::io;

use crate::app::pump::Pump;
use crate::world::{Event, Interest, Signal, Standard, World};

/// Bytes read at once.
const PIECE_BYTES_MAX: usize = 4 * 1024;
/// A longer line is an error rather than a memory without end.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Lines typed ahead that are kept; further ones are dropped.
const AHEAD_LINES_MAX: usize = 1000;
/// A terminal in line mode keeps this much of a line and drops the rest (Linux, `N_TTY_BUF_SIZE` less the line end).
const TERMINAL_LINE_BYTES_MAX: usize = 4095;

/// What came of waiting for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    End,
    Line(String),
    Signal(Signal),
}

/// Standard input as lines.
#[derive(Default)]
pub(crate) struct Lines {
    bytes: Vec<u8>,
    /// So many of `bytes` hold no line end.
    scanned: usize,
    /// Whole lines that were typed before anybody asked for them.
    ahead: VecDeque<String>,
    has_ended: bool,
}

/// Whether the terminal may have dropped the end of `line`.
pub(crate) fn is_cut(line: &str) -> bool {
    TERMINAL_LINE_BYTES_MAX <= line.len()
}

/// Whether `line` answers a question and asks nothing.
fn is_mere_answer(line: &str) -> bool {
    matches!(
        line.trim().to_lowercase().as_str(),
        "" | "y" | "yes" | "n" | "no"
    )
}

impl Lines {
    /// The next line, without its end.
    pub(crate) fn next(&mut self, world: &World, pump: &mut Pump<'_>) -> io::Result<Typed> {
        if let Some(line) = self.ahead.pop_front() {
            return Ok(Typed::Line(line));
        }
        self.next_new(world, pump)
    }

    /// The next line that was not set aside.
    pub(crate) fn next_new(&mut self, world: &World, pump: &mut Pump<'_>) -> io::Result<Typed> {
        let source = world.console.source(Standard::Input);
        loop {
            if let Some(line) = self.take() {
                return Ok(Typed::Line(line));
            }
            if self.has_ended {
                // A terminal's end of input (Ctrl-D) is no end for good.
                self.has_ended = false;
                return Ok(Typed::End);
            }
            match pump.wait(&[Interest::read(source)], None) {
                Event::Signal(signal) => return Ok(Typed::Signal(signal)),
                Event::Ready(_) => self.read(world)?,
                Event::Finished(..) | Event::Tick => (),
            }
        }
    }

    /// Sets aside the lines that were typed so far. A signal that came meanwhile is handed back.
    pub(crate) fn set_aside(
        &mut self,
        world: &World,
        pump: &mut Pump<'_>,
    ) -> io::Result<Option<Signal>> {
        let source = world.console.source(Standard::Input);
        loop {
            while let Some(line) = self.take() {
                if self.ahead.len() < AHEAD_LINES_MAX {
                    self.ahead.push_back(line);
                }
            }
            if self.has_ended {
                return Ok(None);
            }
            match pump.wait(&[Interest::read(source)], Some(world.clock.now())) {
                Event::Ready(_) => self.read(world)?,
                Event::Signal(signal) => return Ok(Some(signal)),
                Event::Finished(call, panic) => {
                    world.threads.hand_back(call, panic);
                    return Ok(None);
                }
                Event::Tick => return Ok(None),
            }
        }
    }

    /// Prepares for a question, whose answer must be typed after it was shown: lines typed before wait for later prompts,
    /// half a line goes away, and so does a mere answer, which no prompt wants.
    pub(crate) fn clear_for_question(
        &mut self,
        world: &World,
        pump: &mut Pump<'_>,
    ) -> io::Result<Option<Signal>> {
        let signal = self.set_aside(world, pump)?;
        self.bytes.clear();
        self.scanned = 0;
        self.has_ended = false;
        self.ahead.retain(|line| !is_mere_answer(line));
        Ok(signal)
    }

    /// A line that was typed before its prompt, if there is one.
    pub(crate) fn take_ahead(&mut self) -> Option<String> {
        self.ahead.pop_front()
    }

    /// Ctrl-C takes back what was typed ahead.
    pub(crate) fn forget(&mut self) {
        self.ahead.clear();
        self.bytes.clear();
        self.scanned = 0;
    }

    fn read(&mut self, world: &World) -> io::Result<()> {
        let mut piece = [0; PIECE_BYTES_MAX];
        match world.console.read(&mut piece) {
            Ok(0) => self.has_ended = true,
            Ok(count) if LINE_BYTES_MAX < self.bytes.len() + count => {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "the line has more than 16 MiB",
                ));
            }
            Ok(count) => self.bytes.extend_from_slice(&piece[..count]),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// A whole line of what was read; at the end of input what is left counts as one.
    fn take(&mut self) -> Option<String> {
        let found = self
            .bytes
            .iter()
            .skip(self.scanned)
            .position(|&byte| byte == b'\n');
        let end = match found {
            Some(at) => self.scanned + at + 1,
            None if self.has_ended && !self.bytes.is_empty() => self.bytes.len(),
            None => {
                self.scanned = self.bytes.len();
                return None;
            }
        };
        self.scanned = 0;
        let line: Vec<u8> = self.bytes.drain(..end).collect();
        Some(
            String::from_utf8_lossy(&line)
                .trim_end_matches(['\n', '\r'])
                .to_owned(),
        )
    }
}
