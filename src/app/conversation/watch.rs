//! Waiting for the model, and what may break the wait: a signal, a reader that left, input that came too late.

use std::io;

use crate::app::conversation::Conversation;
use crate::app::signalled;
use crate::error::{Error, Kind};
use crate::world::{Event, Interest, Moment, Signal, Source, Standard};

/// Bytes of late input that are looked at.
const LATE_BYTES_MAX: usize = 4 * 1024;

/// What ended a wait for the model.
pub(super) enum Broken {
    /// Nobody reads standard output any more.
    ReaderGone,
    Late,
    Signal(Signal),
}

impl Conversation<'_> {
    /// Bytes that come on standard input from now on end the run.
    pub(crate) fn watch_input(&mut self) {
        self.late_input = Some(self.world.console.source(Standard::Input));
    }

    /// Waits for the model; says what broke the wait, if anything did.
    pub(super) fn wait(
        &mut self,
        mut interests: Vec<Interest>,
        until: Option<Moment>,
    ) -> io::Result<Option<Broken>> {
        let output = self.round.watched();
        interests.extend(output.map(Interest::hangup));
        interests.extend(self.late_input.map(Interest::read));
        Ok(match self.round.pump.wait(&interests, until) {
            Event::Signal(signal) => {
                self.view.break_line()?;
                Some(Broken::Signal(signal))
            }
            Event::Ready(source) if self.late_input == Some(source) => self.look_at_late(),
            Event::Ready(source) if output == Some(source) => Some(Broken::ReaderGone),
            Event::Ready(_) | Event::Finished(..) | Event::Tick => None,
        })
    }

    /// Whether input that was given up on came after all, by the end of the turn.
    pub(super) fn came_late(&mut self) -> Option<Broken> {
        let source: Source = self.late_input?;
        let now = self.world.clock.now();
        match self.round.pump.wait(&[Interest::read(source)], Some(now)) {
            Event::Ready(_) => self.look_at_late(),
            Event::Signal(signal) => Some(Broken::Signal(signal)),
            Event::Finished(..) | Event::Tick => None,
        }
    }

    /// Standard input is ready: bytes are too late, its end is none.
    fn look_at_late(&mut self) -> Option<Broken> {
        let mut bytes = [0; LATE_BYTES_MAX];
        match self.world.console.read(&mut bytes) {
            Ok(count) if count > 0 => return Some(Broken::Late),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                return None;
            }
            Ok(_) | Err(_) => self.late_input = None,
        }
        None
    }

    /// What an error of writing is for the turn: a signal while a slow reader was waited for, or the end of it all.
    pub(super) fn unwritten(&mut self, error: io::Error) -> io::Result<Broken> {
        if error.kind() == io::ErrorKind::Interrupted {
            Ok(Broken::Signal(self.view.stopped_by()))
        } else {
            Err(error)
        }
    }

    /// Ends what goes on, and says what that is for the run.
    pub(super) fn broken(&mut self, broken: Broken) -> io::Result<Error> {
        self.cancel.set();
        // What is still to be said must not be stopped by the cancel that ended the turn.
        self.view.renew(self.world.threads.cancel());
        match broken {
            Broken::ReaderGone => Err(io::ErrorKind::BrokenPipe.into()),
            Broken::Signal(signal) => {
                self.round.lines.forget();
                self.view.hurry();
                Ok(signalled(signal))
            }
            Broken::Late => Ok(Error::new(
                Kind::UnreadInput,
                "data came on standard input after it was given up on; `--stdin` waits for it, `--no-stdin` ignores it",
            )),
        }
    }
}
