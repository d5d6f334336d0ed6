//! The chunked transfer coding (RFC 9112 §7.1), decoded byte by byte for its lines and piece by piece for its data.

use crate::wire::{Cut, Error};

/// Bytes that one chunk may announce.
pub(crate) const CHUNK_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Bytes of the size of one chunk as written: digits, leading zeros and blanks. Some servers pad it to a fixed width.
pub(crate) const CHUNK_SIZE_BYTES_MAX: usize = 64;
/// Bytes of all chunk extensions of one body.
pub(crate) const CHUNK_EXTENSION_BYTES_MAX: usize = 16 * 1024;
/// Bytes of the trailer section, line ends among them.
pub(crate) const TRAILER_BYTES_MAX: usize = 16 * 1024;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// A digit of the size, or what ends it.
    Size,
    /// Blanks after the size.
    SizeBlank,
    Extension,
    /// The line feed of a size line.
    SizeLineFeed,
    Data,
    DataReturn,
    DataLineFeed,
    /// A line of the trailer section, with whether it has a byte yet.
    Trailer {
        is_empty: bool,
    },
    TrailerLineFeed {
        is_empty: bool,
    },
    Done,
}

/// The decoder of one chunked body.
#[derive(Debug)]
pub(crate) struct Chunks {
    at: At,
    /// The size being read, then what is left of the data.
    left: u64,
    size_bytes: usize,
    extension_bytes: usize,
    trailer_bytes: usize,
}

impl Chunks {
    /// At the start of a body.
    pub(crate) fn new() -> Self {
        Self {
            at: At::Size,
            left: 0,
            size_bytes: 0,
            extension_bytes: 0,
            trailer_bytes: 0,
        }
    }

    /// Whether the body and its trailers are read.
    pub(crate) fn is_done(&self) -> bool {
        self.at == At::Done
    }

    /// Takes bytes, puts data at the end of `out` and says how many bytes were used: all, unless the body is done.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<usize, Error> {
        let mut rest = bytes;
        while let Some((byte, others)) = rest.split_first() {
            match self.at {
                At::Done => break,
                At::Data => {
                    let count =
                        usize::try_from(self.left).map_or(rest.len(), |left| left.min(rest.len()));
                    let (data, others) = rest.split_at(count);
                    out.extend_from_slice(data);
                    self.left -= data.len() as u64;
                    if self.left == 0 {
                        self.at = At::DataReturn;
                    }
                    rest = others;
                }
                _ => {
                    self.push_byte(*byte)?;
                    rest = others;
                }
            }
        }
        Ok(bytes.len() - rest.len())
    }

    fn push_byte(&mut self, byte: u8) -> Result<(), Error> {
        match (self.at, byte) {
            (At::Size | At::SizeBlank, _) => return self.push_size(byte),
            (At::Extension, _) => return self.push_extension(byte),
            (At::SizeLineFeed, b'\n') => {
                self.size_bytes = 0;
                self.at = if self.left == 0 {
                    At::Trailer { is_empty: true }
                } else {
                    At::Data
                };
            }
            (At::DataReturn, b'\r') => self.at = At::DataLineFeed,
            (At::DataLineFeed, b'\n') => self.at = At::Size,
            (At::Trailer { .. } | At::TrailerLineFeed { .. }, _) => return self.push_trailer(byte),
            (At::DataReturn | At::DataLineFeed, _) => {
                return Err(protocol("a chunk's data is longer than announced"));
            }
            (At::SizeLineFeed, _) => return Err(bare_return()),
            // Data and what follows the body never come here.
            (At::Data | At::Done, _) => {}
        }
        Ok(())
    }

    fn push_size(&mut self, byte: u8) -> Result<(), Error> {
        let is_first = self.size_bytes == 0;
        self.size_bytes += 1;
        if self.size_bytes > CHUNK_SIZE_BYTES_MAX {
            return Err(Error::Limit(format!(
                "the size of a chunk is written in more than {CHUNK_SIZE_BYTES_MAX} bytes"
            )));
        }
        let digit = (byte as char).to_digit(16).map(u64::from);
        match (self.at, digit, byte) {
            (At::Size, Some(digit), _) => {
                // Cannot overflow: what is shifted is never above the cap.
                self.left = if is_first {
                    digit
                } else {
                    self.left << 4 | digit
                };
                if self.left > CHUNK_BYTES_MAX {
                    return Err(protocol(&format!(
                        "a chunk announces more than {} MiB",
                        CHUNK_BYTES_MAX / 1024 / 1024
                    )));
                }
            }
            _ if is_first => {
                return Err(protocol(
                    "a chunk does not begin with its size in hexadecimal",
                ));
            }
            (_, _, b'\r') => self.at = At::SizeLineFeed,
            (_, _, b';') => self.at = At::Extension,
            (_, _, b' ' | b'\t') => self.at = At::SizeBlank,
            _ => {
                return Err(protocol(
                    "the size of a chunk is not a hexadecimal number alone",
                ));
            }
        }
        Ok(())
    }

    fn push_extension(&mut self, byte: u8) -> Result<(), Error> {
        match byte {
            b'\r' => self.at = At::SizeLineFeed,
            // A line feed alone is where others see the end of the line: the door of request smuggling.
            0..=8 | 10..=31 | 127 => {
                return Err(protocol("a chunk extension has a control character"));
            }
            _ => self.extension_bytes += 1,
        }
        if self.extension_bytes > CHUNK_EXTENSION_BYTES_MAX {
            return Err(Error::Limit(format!(
                "the chunk extensions are longer than {} KiB",
                CHUNK_EXTENSION_BYTES_MAX / 1024
            )));
        }
        Ok(())
    }

    /// Trailers are read and forgotten: nothing of them may change what the head said.
    fn push_trailer(&mut self, byte: u8) -> Result<(), Error> {
        self.trailer_bytes += 1;
        if self.trailer_bytes > TRAILER_BYTES_MAX {
            return Err(Error::Limit(format!(
                "the trailers are longer than {} KiB",
                TRAILER_BYTES_MAX / 1024
            )));
        }
        self.at = match (self.at, byte) {
            (At::Trailer { is_empty: true } | At::TrailerLineFeed { is_empty: true }, b'\n') => {
                At::Done
            }
            (_, b'\n') => At::Trailer { is_empty: true },
            (At::Trailer { is_empty }, b'\r') => At::TrailerLineFeed { is_empty },
            (At::Trailer { .. }, _) => At::Trailer { is_empty: false },
            _ => return Err(bare_return()),
        };
        Ok(())
    }

    /// The other side has closed. A close after the last chunk's line is no loss, only the trailers' end is missing.
    pub(crate) fn finish(&self) -> Result<(), Cut> {
        match self.at {
            At::Done | At::Trailer { .. } | At::TrailerLineFeed { .. } => Ok(()),
            At::Data => Err(Cut::InChunk {
                missing_bytes: self.left,
            }),
            _ => Err(Cut::NoLastChunk),
        }
    }
}

fn protocol(what: &str) -> Error {
    Error::Protocol(what.to_owned())
}

fn bare_return() -> Error {
    protocol("a line of a chunked body has a carriage return inside")
}
