//! Writing for a view: how much of it is out is always known, and last words are short.

use std::io;
use std::time::Duration;

use crate::app::view::View;
use crate::world::{Event, Interest, Moment, Signal, Standard};

/// One write. A pipe takes this much whole or not at all (`PIPE_BUF`, pipe(7)), so that an interrupted write leaves no doubt.
const PIECE_BYTES_MAX: usize = 4096;
/// After a signal, a reader that takes nothing is waited for so long.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Back to the start of the line, and it is empty (ECMA-48: EL).
const WIPE: &str = "\r\x1b[K";

impl View<'_> {
    /// Writes what waits for standard output. What an interrupt left over stays and goes with the next.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        self.wipe()?;
        let out = std::mem::take(&mut self.out);
        let mut done = 0;
        let mut written = Ok(());
        for piece in out.chunks(PIECE_BYTES_MAX) {
            written = self.put(Standard::Output, piece);
            if written.is_err() {
                break;
            }
            done += piece.len();
        }
        self.out = out;
        self.out.drain(..done);
        written
    }

    /// Text for standard error as it is; that nobody reads it is no reason to stop.
    pub(crate) fn error_text(&mut self, text: &str) -> io::Result<()> {
        self.wipe()?;
        self.put_error(text)
    }

    /// Shows one line on the terminal's standard error until something else is to be shown; it leaves no trace.
    pub(crate) fn passing(&mut self, line: &str) -> io::Result<()> {
        if !self.has_passing_lines() {
            return Ok(());
        }
        self.is_passing = true;
        let line = self.dimmed("  ", line);
        self.put_error(&format!("{WIPE}{line}"))
    }

    /// The terminal showed `^C` where the cursor was: goes to a line of its own.
    pub(crate) fn break_line(&mut self) -> io::Result<()> {
        if self.is_passing {
            return self.wipe();
        }
        if !self.world.console.is_terminal(Standard::Error)
            || !self.world.console.is_terminal(Standard::Input)
        {
            return Ok(());
        }
        if self.shares_terminal() && self.has_printed && !self.is_at_line_start {
            self.end_line();
            return self.flush();
        }
        self.put_error("\n")
    }

    /// From now on nothing is waited for long: a signal came, and this is what is still to be said.
    pub(crate) fn hurry(&mut self) {
        self.cancel = self.world.threads.cancel();
        self.until = Some(self.world.clock.now().after(LAST_WORDS));
    }

    fn wipe(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_passing) {
            return self.put_error(WIPE);
        }
        if std::mem::take(&mut self.is_thinking) {
            return self.put_error("\n");
        }
        Ok(())
    }

    /// Text for standard error, whatever stands there.
    pub(super) fn put_error(&mut self, text: &str) -> io::Result<()> {
        for piece in text.as_bytes().chunks(PIECE_BYTES_MAX) {
            match self.put(Standard::Error, piece) {
                Ok(()) => (),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(_) => break,
            }
        }
        Ok(())
    }

    fn put(&self, to: Standard, piece: &[u8]) -> io::Result<()> {
        if let Some(until) = self.until {
            self.await_room(to, until)?;
        }
        self.world.write(to, piece, &self.cancel)
    }

    /// Waits until a piece fits; a signal or the end of patience is `Interrupted`.
    fn await_room(&self, to: Standard, until: Moment) -> io::Result<()> {
        let source = self.world.console.source(to);
        let mut ends = Vec::new();
        let has_room = loop {
            match self
                .world
                .threads
                .wait(&[Interest::write(source)], Some(until))
            {
                Event::Ready(_) => break true,
                Event::Signal(_) => break false,
                Event::Tick if until <= self.world.clock.now() => break false,
                Event::Tick => (),
                Event::Finished(call, panic) => ends.push((call, panic)),
            }
        };
        // Whoever runs calls waits for their ends.
        for (call, panic) in ends {
            self.world.threads.hand_back(call, panic);
        }
        if has_room {
            Ok(())
        } else {
            Err(io::ErrorKind::Interrupted.into())
        }
    }

    /// The signal that stopped a write, as the driver would have been told of it.
    pub(crate) fn stopped_by(&self) -> Signal {
        let mut ends = Vec::new();
        let signal = loop {
            match self.world.threads.wait(&[], Some(self.world.clock.now())) {
                Event::Signal(signal) => break signal,
                Event::Finished(call, panic) => ends.push((call, panic)),
                // Somebody else took it: only Ctrl-C is given so lightly.
                Event::Ready(_) | Event::Tick => break Signal::Interrupt,
            }
        };
        for (call, panic) in ends {
            self.world.threads.hand_back(call, panic);
        }
        signal
    }
}
