//! The parser: recursive descent over the bytes, at most 128 levels deep.

use super::error::{Error, Fault, not_utf8};
use super::half::{Half, Keeper};
use super::members::Object;
use super::value::Value;

/// Arrays and objects may be nested so deep; RFC 8259 §9 allows a limit.
pub(crate) const DEPTH_LEVELS_MAX: usize = 128;

const A_VALUE: &str = "a value";

/// The value of one JSON text (RFC 8259), blanks around it allowed. A lone half of a surrogate pair
/// becomes U+FFFD; of equal keys the last wins, at the first one's place.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, Error> {
    Ok(run(bytes, false)?.0)
}

/// The same, and beside the value which strings (not keys) ended in a high or began with a low half.
pub(crate) fn parse_keeping_halves(bytes: &[u8]) -> Result<(Value, Vec<Half>), Error> {
    let (value, halves) = run(bytes, true)?;
    Ok((value, halves.finish()))
}

fn run(bytes: &[u8], is_keeping_halves: bool) -> Result<(Value, Keeper), Error> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid()),
    };
    let mut parser = Parser::new(text, is_keeping_halves);
    let outcome = parser.document();
    let is_whole = text.len() == bytes.len();
    match outcome {
        Ok(value) if is_whole => Ok((value, parser.halves)),
        Err(fault) if is_whole || fault.at < text.len() => Err(fault.explain(text)),
        _ => Err(not_utf8(text, bytes.get(text.len()))),
    }
}

/// A text and how far it was read.
pub(super) struct Parser<'a> {
    text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    depth: usize,
    /// The elements of the arrays that are open, outermost first; each array takes its own when it ends, in
    /// a vector of the right size.
    items: Vec<Value>,
    /// The same for the members of objects.
    members: Vec<(String, Value)>,
    /// Where a string with escapes is put together before it is copied in its final size.
    pub(super) scratch: String,
    pub(super) halves: Keeper,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, is_keeping_halves: bool) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            items: Vec::new(),
            members: Vec::with_capacity(16),
            scratch: String::new(),
            halves: Keeper::new(is_keeping_halves),
        }
    }

    /// A fault at the place where the parser is.
    pub(super) fn fault(&self, expected: &'static str) -> Fault {
        Fault {
            at: self.at,
            expected,
        }
    }

    /// The text between two byte offsets, which lie beside ASCII and so between characters.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to).unwrap_or_default()
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Goes past `byte` if it is next.
    #[inline]
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    #[inline]
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn document(&mut self) -> Result<Value, Fault> {
        self.skip_blanks();
        let value = self.value()?;
        self.skip_blanks();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.fault("the end of the text")),
        }
    }

    fn value(&mut self) -> Result<Value, Fault> {
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                Ok(Value::String(self.string()?))
            }
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Null),
            _ => Err(self.fault(A_VALUE)),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.fault(A_VALUE))
        }
    }

    /// Goes past an opening bracket.
    fn enter(&mut self) -> Result<(), Fault> {
        if self.depth == DEPTH_LEVELS_MAX {
            return Err(self.fault("at most 128 levels of arrays and objects"));
        }
        self.depth += 1;
        self.at += 1;
        self.skip_blanks();
        Ok(())
    }

    fn array(&mut self) -> Result<Value, Fault> {
        self.enter()?;
        let first = self.items.len();
        let halves = self.halves.len();
        if !self.take(b']') {
            loop {
                let before = self.halves.len();
                let item = self.value()?;
                if self.halves.len() != before {
                    self.halves.place(before, self.items.len() - first);
                }
                self.items.push(item);
                self.skip_blanks();
                if self.take(b',') {
                    self.skip_blanks();
                } else if self.take(b']') {
                    break;
                } else {
                    return Err(self.fault("`,` or `]`"));
                }
            }
        }
        if self.halves.len() != halves {
            self.halves.end_array(halves);
        }
        self.depth -= 1;
        Ok(Value::Array(take_from(&mut self.items, first)))
    }

    fn object(&mut self) -> Result<Value, Fault> {
        self.enter()?;
        let first = self.members.len();
        let halves = self.halves.len();
        if !self.take(b'}') {
            loop {
                let member = self.member(self.members.len() - first)?;
                self.members.push(member);
                self.skip_blanks();
                if self.take(b',') {
                    self.skip_blanks();
                } else if self.take(b'}') {
                    break;
                } else {
                    return Err(self.fault("`,` or `}`"));
                }
            }
        }
        let members = take_from(&mut self.members, first);
        if self.halves.len() != halves {
            self.halves.end_object(halves, &members);
        }
        self.depth -= 1;
        Ok(Value::Object(Object::from_members(members)))
    }

    /// Member number `place` of an object: a key, a colon, a value.
    #[inline]
    fn member(&mut self, place: usize) -> Result<(String, Value), Fault> {
        if !self.take(b'"') {
            let expected = if place == 0 {
                "a key in quotes or `}`"
            } else {
                "a key in quotes"
            };
            return Err(self.fault(expected));
        }
        let before = self.halves.len();
        let key = self.string()?;
        self.halves.forget(before);
        self.skip_blanks();
        if !self.take(b':') {
            return Err(self.fault("`:`"));
        }
        self.skip_blanks();
        let value = self.value()?;
        if self.halves.len() != before {
            self.halves.place(before, place);
        }
        Ok((key, value))
    }
}

/// Takes what `stack` holds from `first` on; all of it without a copy.
#[inline]
fn take_from<T>(stack: &mut Vec<T>, first: usize) -> Vec<T> {
    if first == 0 {
        std::mem::take(stack)
    } else {
        stack.split_off(first)
    }
}
