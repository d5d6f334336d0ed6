//! Chance, from the system.

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::Read as _;

use crate::world::Random;

/// The system's random bytes.
pub(super) struct HostRandom;

impl Random for HostRandom {
    fn fill(&self, bytes: &mut [u8]) {
        if File::open("/dev/urandom").and_then(|mut file| file.read_exact(bytes)).is_ok() {
            return;
        }
        // No such device: the hasher's keys, which the standard library draws from the system, are as good for names.
        for chunk in bytes.chunks_mut(8) {
            let word = RandomState::new().build_hasher().finish().to_ne_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }
}
