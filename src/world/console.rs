//! Standard input, output and error.

use std::io;

use super::{Cancel, Source};

/// One of the three standard streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standard {
    Input,
    Output,
    Error,
}

/// What standard input is; decides whether it is read (see the stdin rules of the command line).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputKind {
    Terminal,
    /// A pipe or FIFO.
    Pipe,
    /// A regular file.
    File,
    /// `/dev/null`, another character device, a socket, or not open at all.
    Empty,
}

/// Where people and other programs are.
pub(crate) trait Console: Send + Sync {
    fn is_terminal(&self, which: Standard) -> bool;
    fn input_kind(&self) -> InputKind;
    fn source(&self, which: Standard) -> Source;
    /// Reads what standard input has, at least one byte unless it ended (0). Call it when its source is ready.
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize>;
    /// Writes all of `bytes`, waiting for slow readers; `Interrupted` once `cancel` is set,
    /// `BrokenPipe` when the reader went away.
    fn write(&self, to: Standard, bytes: &[u8], cancel: &Cancel) -> io::Result<()>;
    /// The terminal's width in cells, if standard output or error is one.
    fn columns(&self) -> Option<usize>;
}
