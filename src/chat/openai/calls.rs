//! Puts the calls of an answer together from what servers send of them.

use crate::chat::ToolCall;
use crate::chat::openai::joiner::{Edges, Joiner};
use crate::json::{Object, Value, parse, write};

/// Calls in one answer; chat endpoints take no more back.
pub(super) const CALLS_MAX: usize = 128;

/// What an endpoint tells calls apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    /// The number that the server gave.
    Index(i64),
    /// It gave none.
    Unnumbered,
    /// The one call of the older form, `function_call`.
    Legacy,
}

/// Where a piece of a call stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// The number of the choice.
    pub(super) choice: i64,
    /// The answer is no stream: each piece is a call of its own.
    pub(super) is_whole: bool,
    pub(super) is_legacy: bool,
    /// The halves at the edges of the arguments.
    pub(super) edges: Edges,
}

/// A call that is being put together.
#[derive(Debug)]
struct Slot {
    choice: i64,
    key: Key,
    call: ToolCall,
    balance: Balance,
    joiner: Joiner,
    /// The last delta that it was in.
    delta: u64,
}

/// Why there are no calls although some came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Spoilt {
    /// The arguments of the call with this name are no JSON.
    Cut(String),
    /// A call has arguments but no name.
    Nameless,
}

/// The calls of one answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    slots: Vec<Slot>,
    /// Numbers the deltas.
    delta: u64,
    /// There were more than [`CALLS_MAX`].
    is_over: bool,
    /// Bytes of arguments in all.
    bytes: usize,
}

impl Calls {
    /// A new delta begins.
    pub(super) fn begin_delta(&mut self) {
        self.delta += 1;
    }

    /// Calls begun so far.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are more than an answer may have.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Bytes of arguments so far.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes one piece of a call. `is_known` says whether a name is that of a tool.
    pub(super) fn take(&mut self, piece: &Value, place: Origin, is_known: &dyn Fn(&str) -> bool) {
        let Some(piece) = piece.as_object() else {
            return;
        };
        let function = piece.get("function").and_then(Value::as_object);
        let text = |value: Option<&Value>| match value {
            Some(Value::String(text)) => text.clone(),
            _ => String::new(), // `null` and `""` mean that nothing was said.
        };
        let id = text(piece.get("id"));
        let name = text(function.and_then(|function| function.get("name")));
        let arguments = function
            .and_then(|function| function.get("arguments"))
            .filter(|value| !value.is_null() && value.as_str() != Some(""));
        let key = match piece.get("index").and_then(Value::as_i64) {
            _ if place.is_legacy => Key::Legacy,
            Some(index) if !place.is_whole => Key::Index(index),
            _ => Key::Unnumbered,
        };
        let found = if place.is_whole {
            None
        } else {
            self.find(place.choice, key, &id, &name, arguments.is_some())
        };
        let at = match found {
            Some(at) => at,
            None if self.slots.len() >= CALLS_MAX => {
                self.is_over = true;
                return;
            }
            None => {
                self.slots.push(Slot::new(place.choice, key));
                self.slots.len() - 1
            }
        };
        let delta = self.delta;
        let Some(slot) = self.slots.get_mut(at) else {
            return;
        };
        slot.delta = delta;
        if slot.call.id.is_empty() {
            slot.call.id = id;
        }
        slot.take_name(&name, is_known);
        if let Some(arguments) = arguments {
            self.bytes += slot.take_arguments(arguments, place.edges);
        }
        let known = ["id", "index", "type", "function"];
        keep_unknown(&mut slot.call.extra, piece, &known);
        if let Some(function) = function {
            keep_unknown(
                &mut slot.call.function_extra,
                function,
                &["name", "arguments"],
            );
        }
    }

    /// The slot that a piece goes on with; `None` opens a new one.
    fn find(
        &self,
        choice: i64,
        key: Key,
        id: &str,
        name: &str,
        has_arguments: bool,
    ) -> Option<usize> {
        let last = |is_it: &dyn Fn(&Slot) -> bool| self.slots.iter().rposition(is_it);
        if key == Key::Unnumbered {
            if !id.is_empty() {
                let by_id = last(&|slot| slot.choice == choice && slot.call.id == id);
                if by_id.is_some() {
                    return by_id;
                }
            }
            let at = last(&|slot| slot.choice == choice)?;
            let slot = self.slots.get(at)?;
            // Two of one delta, both with a name and without a number, are two.
            let is_beside = slot.delta == self.delta && !slot.call.name.is_empty();
            let is_new = slot.is_other(id, name, has_arguments)
                || (is_beside && id.is_empty() && !name.is_empty());
            return (!is_new).then_some(at);
        }
        let at = last(&|slot| slot.choice == choice && slot.key == key)?;
        let is_new = self.slots.get(at)?.is_other(id, name, has_arguments);
        (!is_new).then_some(at)
    }

    /// The calls, if every one can be read. `seed` makes the ids of those that have none.
    pub(super) fn finish(&mut self, seed: u64) -> Result<Vec<ToolCall>, Spoilt> {
        let mut calls: Vec<ToolCall> = Vec::new();
        for mut slot in std::mem::take(&mut self.slots) {
            let rest = slot.joiner.finish();
            let mut call = std::mem::take(&mut slot.call);
            call.arguments.push_str(rest);
            if call.name.is_empty() {
                if call.arguments.is_empty() {
                    continue; // An id alone calls nothing.
                }
                return Err(Spoilt::Nameless);
            }
            let arguments = call.arguments.trim();
            if arguments.is_empty() || arguments == "null" {
                "{}".clone_into(&mut call.arguments);
            } else if parse(arguments.as_bytes()).is_err() {
                return Err(Spoilt::Cut(call.name));
            }
            calls.push(call);
        }
        fill_ids(&mut calls, seed);
        Ok(calls)
    }
}

impl Slot {
    fn new(choice: i64, key: Key) -> Self {
        Self {
            choice,
            key,
            call: ToolCall::default(),
            balance: Balance::default(),
            joiner: Joiner::default(),
            delta: 0,
        }
    }

    /// Whether a piece belongs to another call although it has the place of this one.
    fn is_other(&self, id: &str, name: &str, has_arguments: bool) -> bool {
        if name.is_empty() {
            return false; // A new id alone goes on: some servers make one up for each piece.
        }
        if id.is_empty() || self.call.id.is_empty() {
            has_arguments && self.balance.is_complete() && !self.call.name.is_empty()
        } else {
            id != self.call.id
        }
    }

    fn take_name(&mut self, name: &str, is_known: &dyn Fn(&str) -> bool) {
        let known = &mut self.call.name;
        if known.is_empty() || (name.len() > known.len() && name.starts_with(known.as_str())) {
            name.clone_into(known);
        } else if name != known && self.call.arguments.is_empty() && !is_known(known) {
            known.push_str(name);
        }
    }

    /// Appends arguments; gives how many bytes.
    fn take_arguments(&mut self, arguments: &Value, edges: Edges) -> usize {
        let before = self.call.arguments.len();
        if let Value::String(text) = arguments {
            let text = self.joiner.join(text, edges);
            self.call.arguments.push_str(&text);
        } else {
            let mut bytes = Vec::new();
            write(arguments, &mut bytes);
            self.call
                .arguments
                .push_str(&String::from_utf8_lossy(&bytes));
        }
        let added = self.call.arguments.get(before..).unwrap_or_default();
        self.balance.take(added);
        added.len()
    }
}

/// Whether a text that grows is a whole JSON object by its brackets; in linear time over all its pieces.
#[allow(
    clippy::struct_excessive_bools,
    reason = "the states of a scanner that is looked at after every byte"
)]
#[derive(Debug, Default)]
struct Balance {
    depth: usize,
    has_begun: bool,
    has_ended: bool,
    is_spoilt: bool,
    is_in_string: bool,
    is_escaped: bool,
}

impl Balance {
    fn take(&mut self, text: &str) {
        for byte in text.bytes() {
            if self.is_in_string {
                let is_end = byte == b'"' && !self.is_escaped;
                self.is_escaped = byte == b'\\' && !self.is_escaped;
                self.is_in_string = !is_end;
                continue;
            }
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {}
                _ if self.has_ended => self.is_spoilt = true,
                b'{' | b'[' => {
                    self.is_spoilt |= !self.has_begun && byte == b'[';
                    self.has_begun = true;
                    self.depth += 1;
                }
                b'}' | b']' if self.depth > 0 => {
                    self.depth -= 1;
                    self.has_ended = self.depth == 0;
                }
                _ if !self.has_begun => self.is_spoilt = true,
                b'"' => self.is_in_string = true,
                _ => {}
            }
        }
    }

    fn is_complete(&self) -> bool {
        self.has_ended && !self.is_spoilt
    }
}

/// Keeps the members of `from` that are not `known`.
fn keep_unknown(to: &mut Object, from: &Object, known: &[&str]) {
    for (key, value) in from.iter() {
        if !known.contains(&key) && !value.is_null() {
            to.insert(key, value.clone());
        }
    }
}

/// Gives an id to calls that have none, and to those whose id another one has.
fn fill_ids(calls: &mut [ToolCall], seed: u64) {
    let mut taken: Vec<String> = Vec::new();
    let mut number = 0;
    for call in calls {
        while call.id.is_empty() || taken.contains(&call.id) {
            call.id = make_id(seed, number);
            number += 1;
        }
        taken.push(call.id.clone());
    }
}

/// Nine letters and digits: the strictest servers take exactly these.
fn make_id(seed: u64, number: u64) -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    // SplitMix64: near seeds give far results.
    let mut bits = seed.wrapping_add((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    (0..9)
        .map(|_| {
            let letter = usize::try_from(bits % 36).unwrap_or(0);
            bits /= 36;
            char::from(LETTERS[letter])
        })
        .collect()
}
