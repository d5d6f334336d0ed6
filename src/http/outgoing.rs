//! A request on its way out, in as few writes as possible.

use std::io;
use std::sync::Arc;

use crate::world::Stream;

/// Bytes of head and body parts that are joined into one write; a part that is longer is written where it lies.
const JOINED_BYTES_MAX: usize = 64 * 1024;

/// What of a request is still to be sent.
pub(super) struct Outgoing {
    /// The head, then body parts that were joined.
    joined: Vec<u8>,
    /// How much of `joined` was sent.
    at: usize,
    body: Vec<Arc<Vec<u8>>>,
    /// The part to be sent or joined next, and how much of it was.
    part: usize,
    part_at: usize,
    pub(super) sent: u64,
    is_stopped: bool,
}

impl Outgoing {
    pub(super) fn new(head: Vec<u8>, body: Vec<Arc<Vec<u8>>>) -> Self {
        let mut outgoing = Self {
            joined: head,
            at: 0,
            body,
            part: 0,
            part_at: 0,
            sent: 0,
            is_stopped: false,
        };
        outgoing.join();
        outgoing
    }

    /// Whether nothing is to be sent any more.
    pub(super) fn is_done(&self) -> bool {
        self.at >= self.joined.len() && self.rest_of_part().is_none()
    }

    /// Whether all was sent.
    pub(super) fn is_sent(&self) -> bool {
        self.is_done() && !self.is_stopped
    }

    /// Gives up what was not sent.
    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
        self.joined.clear();
        self.at = 0;
        self.part = self.body.len();
    }

    /// Writes once; gives how many bytes were taken.
    pub(super) fn write(&mut self, stream: &mut dyn Stream) -> io::Result<usize> {
        if self.at >= self.joined.len() {
            self.joined.clear();
            self.at = 0;
            self.join();
        }
        let count = match self.joined.get(self.at..) {
            Some(rest) if !rest.is_empty() => {
                let count = stream.write(rest)?;
                self.at += count;
                count
            }
            _ => {
                let count = stream.write(self.rest_of_part().unwrap_or_default())?;
                self.pass(count);
                count
            }
        };
        self.sent += count as u64;
        Ok(count)
    }

    /// What is left of the part at hand; parts without bytes are never at hand.
    fn rest_of_part(&self) -> Option<&[u8]> {
        self.body
            .get(self.part)
            .and_then(|part| part.get(self.part_at..))
    }

    fn pass(&mut self, count: usize) {
        self.part_at += count;
        while self
            .body
            .get(self.part)
            .is_some_and(|part| self.part_at >= part.len())
        {
            self.part += 1;
            self.part_at = 0;
        }
    }

    /// Joins parts as long as they fit; what is long enough by itself stays where it lies.
    fn join(&mut self) {
        self.pass(0);
        while let Some(part) = self.body.get(self.part) {
            let rest = part.get(self.part_at..).unwrap_or_default();
            if self.joined.len() + rest.len() > JOINED_BYTES_MAX {
                // The head goes out with the first bytes of a long body, not alone.
                if self.joined.is_empty() || self.joined.len() >= JOINED_BYTES_MAX / 2 {
                    return;
                }
                let room = JOINED_BYTES_MAX - self.joined.len();
                self.joined
                    .extend_from_slice(rest.get(..room).unwrap_or(rest));
                self.pass(room);
                return;
            }
            self.joined.extend_from_slice(rest);
            let count = rest.len();
            self.pass(count);
        }
    }
}
