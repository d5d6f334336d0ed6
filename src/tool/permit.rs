//! The permit: proof that one call may run, made only by the gate.

/// Proof that a call may run. [`crate::tool::Bound::run`] takes it, so that nothing runs without one.
#[derive(Debug)]
pub(crate) struct Permit(());

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

/// Lets a call run because of the grant.
pub(super) fn authorize(_grant: Grant) -> Permit {
    Permit(())
}
