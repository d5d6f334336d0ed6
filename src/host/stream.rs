//! Pipes as streams that never block.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};

use super::sys;
use crate::world::{Source, Stream};

/// One end of a pipe of ours.
pub(super) struct PipeStream(File);

impl PipeStream {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        sys::set_nonblocking(fd.as_fd())?;
        Ok(Self(File::from(fd)))
    }
}

impl Stream for PipeStream {
    fn source(&self) -> Source {
        Source(self.0.as_raw_fd())
    }
    fn connected(&mut self) -> io::Result<()> {
        Ok(())
    }
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }
}
