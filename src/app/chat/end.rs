//! From what ended a turn to what ends a run.

use crate::chat::{End, Fault, LimitKind};
use crate::error::{Error, Kind};

/// The error of a request that brought no answer.
pub(crate) fn model_error(fault: &Fault) -> Error {
    Error::new(fault.kind, fault.message.clone())
}

/// What a turn's end is for the run; `None` for one that was answered or stopped by the person.
pub(crate) fn end_error(end: End) -> Option<Error> {
    match end {
        End::Answered(_) | End::Cancelled => None,
        End::Fault(fault) => Some(model_error(&fault)),
        End::Limit { kind, reason, .. } => {
            let kind = match kind {
                LimitKind::Loop => Kind::Loop,
                LimitKind::Turn => Kind::TurnLimit,
            };
            Some(Error::new(kind, reason))
        }
    }
}
