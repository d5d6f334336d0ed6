//! Standard input, output and error as they were inherited: nothing about them is changed.

use std::fs::File;
use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileTypeExt as _;

use super::sys::{self, POLLIN, POLLOUT, PollFd};
use crate::world::{Cancel, Console, InputKind, Source, Standard};

/// A pipe that has room takes this many bytes without blocking (`PIPE_BUF`).
const PIECE_BYTES_MAX: usize = 4096;

/// The three standard streams.
pub(super) struct HostConsole;

impl Console for HostConsole {
    fn is_terminal(&self, which: Standard) -> bool {
        match which {
            Standard::Input => io::stdin().is_terminal(),
            Standard::Output => io::stdout().is_terminal(),
            Standard::Error => io::stderr().is_terminal(),
        }
    }

    fn input_kind(&self) -> InputKind {
        if self.is_terminal(Standard::Input) {
            return InputKind::Terminal;
        }
        let kind = io::stdin().as_fd().try_clone_to_owned().and_then(|fd| File::from(fd).metadata()).map(|data| data.file_type());
        match kind {
            Ok(kind) if kind.is_fifo() => InputKind::Pipe,
            Ok(kind) if kind.is_file() => InputKind::File,
            _ => InputKind::Empty,
        }
    }

    fn source(&self, which: Standard) -> Source {
        Source(number(which))
    }

    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        // Not through `Stdin`, whose buffer would hide from poll what it holds.
        sys::read(number(Standard::Input), buffer)
    }

    fn write(&self, to: Standard, bytes: &[u8], cancel: &Cancel) -> io::Result<()> {
        let fd = number(to);
        let mut rest = bytes;
        while !rest.is_empty() {
            wait_for_room(fd, cancel)?;
            match sys::write_some(fd, &rest[..rest.len().min(PIECE_BYTES_MAX)]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => rest = &rest[count..],
                Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => (),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn columns(&self) -> Option<usize> {
        sys::columns(1).or_else(|| sys::columns(2)).map(usize::from)
    }
}

fn number(which: Standard) -> i32 {
    match which {
        Standard::Input => 0,
        Standard::Output => 1,
        Standard::Error => 2,
    }
}

/// Waits until the stream takes bytes or has an error to report.
fn wait_for_room(fd: i32, cancel: &Cancel) -> io::Result<()> {
    let row = |fd, events| PollFd { fd, events, revents: 0 };
    loop {
        let mut fds = [row(fd, POLLOUT), row(cancel.source().map_or(-1, |source| source.0), POLLIN)];
        match sys::wait(&mut fds, -1) {
            Ok(_) if fds[0].revents != 0 => return Ok(()),
            Ok(_) if cancel.is_set() => return Err(io::ErrorKind::Interrupted.into()),
            Ok(_) => (),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(error) => return Err(error),
        }
    }
}
