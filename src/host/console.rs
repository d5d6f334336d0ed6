//! The standard streams: reading what comes in, and writing without ever being stuck.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, IsTerminal};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::sync::OnceLock;

use super::sys;
use super::threads::wait_or_cancel;
use crate::world::{Cancel, Console, InputKind, Source, Standard};

/// What one write takes at most where it may wait: poll(2) calls a pipe writable when `PIPE_BUF`
/// bytes fit.
const SHARED_WRITE_BYTES_MAX: usize = 4096;

/// What one write to a file takes at most; between two writes the cancel flag is looked at.
const FILE_WRITE_BYTES_MAX: usize = 1 << 20;

/// The device numbers of Unix98 pseudo-terminals (Linux, `Documentation/admin-guide/devices.txt`).
const PTY_MAJORS: std::ops::RangeInclusive<u64> = 136..=143;

/// Standard input, output and error.
pub(super) struct Streams {
    output: OnceLock<Sink<'static>>,
    error: OnceLock<Sink<'static>>,
}

impl Streams {
    pub(super) fn new() -> Self {
        Self {
            output: OnceLock::new(),
            error: OnceLock::new(),
        }
    }
}

impl Console for Streams {
    fn is_terminal(&self, which: Standard) -> bool {
        borrow(which).is_terminal()
    }

    fn input_kind(&self) -> InputKind {
        input_kind(borrow(Standard::Input))
    }

    fn source(&self, which: Standard) -> Source {
        Source(borrow(which).as_raw_fd())
    }

    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match sys::read_some(borrow(Standard::Input), buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    fn write(&self, to: Standard, bytes: &[u8], cancel: &Cancel) -> io::Result<()> {
        let sink = match to {
            Standard::Output => &self.output,
            Standard::Error => &self.error,
            Standard::Input => {
                return Err(io::Error::new(
                    ErrorKind::InvalidInput,
                    "standard input is not for writing",
                ));
            }
        };
        sink.get_or_init(|| Sink::new(borrow(to)))
            .write(bytes, cancel)
    }

    fn columns(&self) -> Option<usize> {
        sys::columns(borrow(Standard::Output)).or_else(|| sys::columns(borrow(Standard::Error)))
    }
}

fn borrow(which: Standard) -> BorrowedFd<'static> {
    sys::standard(match which {
        Standard::Input => 0,
        Standard::Output => 1,
        Standard::Error => 2,
    })
}

/// What is known of an open file by its descriptor.
fn metadata(of: BorrowedFd<'_>) -> io::Result<Metadata> {
    File::from(of.try_clone_to_owned()?).metadata()
}

fn input_kind(input: BorrowedFd<'_>) -> InputKind {
    if input.is_terminal() {
        return InputKind::Terminal;
    }
    match metadata(input).map(|known| known.file_type()) {
        Ok(kind) if kind.is_fifo() => InputKind::Pipe,
        Ok(kind) if kind.is_file() => InputKind::File,
        _ => InputKind::Empty,
    }
}

/// Where bytes go, and how they go there without waiting in a write.
struct Sink<'fd> {
    fd: BorrowedFd<'fd>,
    way: Way,
    is_terminal: bool,
}

enum Way {
    /// A file or a device that is always ready.
    Whole,
    /// A socket: each send says for itself that it must not wait.
    Socket,
    /// A pipe or pseudo-terminal that we opened once more for ourselves, so that it does not block
    /// while the inherited one, which others share, stays as it is.
    Own(File),
    /// A pipe or terminal that could not be opened again: asked before each small write.
    Shared,
}

impl<'fd> Sink<'fd> {
    fn new(fd: BorrowedFd<'fd>) -> Self {
        let is_terminal = fd.is_terminal();
        let way = match metadata(fd) {
            Ok(known) if known.file_type().is_socket() => Way::Socket,
            Ok(known) if known.file_type().is_fifo() => open_again(fd),
            Ok(known) if is_terminal && PTY_MAJORS.contains(&major(known.rdev())) => open_again(fd),
            Ok(_) if is_terminal => Way::Shared,
            _ => Way::Whole,
        };
        Self {
            fd,
            way,
            is_terminal,
        }
    }

    fn write(&self, bytes: &[u8], cancel: &Cancel) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if cancel.is_set() {
                return Err(interrupted());
            }
            match self.write_some(rest, cancel) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::WouldBlock => self.wait(cancel)?,
                    _ if self.is_terminal && error.raw_os_error() == Some(sys::EIO) => {
                        // What writing to a terminal that was hung up gives.
                        return Err(ErrorKind::BrokenPipe.into());
                    }
                    _ => return Err(error),
                },
            }
        }
        Ok(())
    }

    fn write_some(&self, bytes: &[u8], cancel: &Cancel) -> io::Result<usize> {
        match &self.way {
            Way::Whole => sys::write_some(self.fd, start(bytes, FILE_WRITE_BYTES_MAX)),
            Way::Socket => sys::send_some(self.fd, bytes),
            Way::Own(file) => sys::write_some(file.as_fd(), bytes),
            Way::Shared => {
                self.wait(cancel)?;
                sys::write_some(self.fd, start(bytes, SHARED_WRITE_BYTES_MAX))
            }
        }
    }

    /// Waits for room. `Interrupted` once `cancel` is set, or a signal has set it.
    fn wait(&self, cancel: &Cancel) -> io::Result<()> {
        if wait_or_cancel(self.fd.as_raw_fd(), sys::POLLOUT, cancel) {
            return Ok(());
        }
        Err(interrupted())
    }
}

fn open_again(fd: BorrowedFd<'_>) -> Way {
    let opened = OpenOptions::new()
        .write(true)
        .custom_flags(sys::O_NONBLOCK | sys::O_NOCTTY)
        .open(format!("/proc/self/fd/{}", fd.as_raw_fd()));
    // No /proc, another user's pipe, or no reader any more: the write will tell.
    opened.map_or(Way::Shared, Way::Own)
}

/// The major part of a device number as glibc and the kernel pack it.
fn major(device: u64) -> u64 {
    ((device >> 8) & 0xfff) | ((device >> 32) & !0xfff)
}

fn start(bytes: &[u8], bytes_max: usize) -> &[u8] {
    bytes.get(..bytes_max).unwrap_or(bytes)
}

fn interrupted() -> io::Error {
    io::Error::new(ErrorKind::Interrupted, "cancelled while writing")
}

#[cfg(test)]
mod tests;
