//! Lines that a person types, read without ever blocking what else goes on.

use std::io;

use crate::app::pump::Pump;
use crate::world::{Event, Interest, Signal, Standard, World};

/// Bytes read at once.
const PIECE_BYTES_MAX: usize = 4 * 1024;
/// A longer line is an error rather than a memory without end.
const LINE_BYTES_MAX: usize = 16 * 1024 * 1024;

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
    has_ended: bool,
}

impl Lines {
    /// The next line, without its end.
    pub(crate) fn next(&mut self, world: &World, pump: &mut Pump<'_>) -> io::Result<Typed> {
        let source = world.console.source(Standard::Input);
        loop {
            if let Some(line) = self.take() {
                return Ok(Typed::Line(line));
            }
            if self.has_ended {
                return Ok(Typed::End);
            }
            match pump.wait(&[Interest::read(source)], None) {
                Event::Signal(signal) => return Ok(Typed::Signal(signal)),
                Event::Ready(_) => self.read(world)?,
                Event::Finished(..) | Event::Tick => (),
            }
        }
    }

    /// Forgets what was typed ahead: an answer to a question must be typed after it was shown.
    pub(crate) fn forget(&mut self, world: &World, pump: &mut Pump<'_>) -> io::Result<()> {
        self.bytes.clear();
        let source = world.console.source(Standard::Input);
        while !self.has_ended {
            match pump.wait(&[Interest::read(source)], Some(world.clock.now())) {
                Event::Ready(_) => self.read(world)?,
                _ => break,
            }
            self.bytes.clear();
        }
        Ok(())
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
                ) =>
            {
                ()
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// A whole line of what was read; at the end of input what is left counts as one.
    fn take(&mut self) -> Option<String> {
        let end = match self.bytes.iter().position(|&byte| byte == b'\n') {
            Some(end) => end + 1,
            None if self.has_ended && !self.bytes.is_empty() => self.bytes.len(),
            None => return None,
        };
        let line: Vec<u8> = self.bytes.drain(..end).collect();
        Some(
            String::from_utf8_lossy(&line)
                .trim_end_matches(['\n', '\r'])
                .to_owned(),
        )
    }
}
