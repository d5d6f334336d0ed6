//! Random bytes from the kernel.

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read};

use super::sys;
use crate::world::Random;

/// The kernel's generator.
pub(super) struct Kernel;

impl Random for Kernel {
    fn fill(&self, bytes: &mut [u8]) {
        fill(bytes);
    }
}

/// Fills `bytes`. Where the kernel gives none (no getrandom and no `/dev`), from the seed that the
/// standard library has for its hash maps: not for secrets, but still no two alike.
pub(super) fn fill(bytes: &mut [u8]) {
    if fill_by_call(bytes).is_ok() {
        return;
    }
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(bytes));
    if read.is_err() {
        fill_by_seed(bytes);
    }
}

/// `digits` random hexadecimal digits, for the name of a temporary file.
pub(super) fn hex(digits: usize) -> String {
    let mut bytes = vec![0; digits];
    fill(&mut bytes);
    bytes
        .iter()
        .filter_map(|byte| char::from_digit(u32::from(byte & 15), 16))
        .collect()
}

fn fill_by_call(bytes: &mut [u8]) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        match sys::random_some(rest) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => rest = rest.get_mut(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn fill_by_seed(bytes: &mut [u8]) {
    let state = RandomState::new();
    for (index, piece) in bytes.chunks_mut(8).enumerate() {
        let mut hasher = state.build_hasher();
        hasher.write_usize(index);
        let word = hasher.finish().to_ne_bytes();
        for (byte, random) in piece.iter_mut().zip(word) {
            *byte = random;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_filled_by_every_way() {
        for way in [
            fill as fn(&mut [u8]),
            |bytes| fill_by_call(bytes).unwrap(),
            fill_by_seed,
        ] {
            // Each place must be something but 0 in one of 64 tries: 256^-64 that it is not.
            for length in [0, 1, 7, 8, 9, 300] {
                let mut seen = vec![0u8; length];
                for _ in 0..64 {
                    let mut bytes = vec![0u8; length];
                    way(&mut bytes);
                    seen.iter_mut()
                        .zip(bytes)
                        .for_each(|(seen, byte)| *seen |= byte);
                }
                assert!(seen.iter().all(|byte| *byte != 0), "length {length}");
            }
        }
    }

    #[test]
    fn names_have_the_asked_digits_and_differ() {
        let (first, second) = (hex(16), hex(16));
        assert_eq!(first.len(), 16);
        assert!(first.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(first, second);
    }
}
