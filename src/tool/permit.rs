//! The permit: proof that one call may run, made only by the gate.

use crate::world::CallId;

/// Proof that the call it names may run. [`crate::tool::Bound::run`] takes it, so that nothing runs without one.
#[derive(Debug)]
pub(crate) struct Permit {
    call: CallId,
}

/// Who agreed to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grant {
    /// The person at the terminal.
    Person,
    /// An allow rule.
    Rule,
    /// The table of consent: calls with this effect need nobody in this mode.
    Table,
}

/// Lets `call` run because of `grant`.
pub(super) fn authorize(call: CallId, _grant: Grant) -> Permit {
    Permit { call }
}

impl Permit {
    /// The call it is for.
    pub(crate) fn call(&self) -> CallId {
        self.call
    }
}
