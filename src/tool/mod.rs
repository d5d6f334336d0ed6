//! Tools: the contract each one states, the gate every call passes, and finding the right one.

mod contract;
mod effect;
mod field;
pub(crate) mod find;
mod gate;
mod kept;
mod needs;
mod permit;
mod place;
mod replace;
mod rules;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod trial;

pub(crate) use self::contract::{
    Binding, Bound, Change, Contract, Failure, Fingerprint, Outcome, Output, Plan, Subject,
    SubjectKind, Tool,
};
pub(crate) use self::effect::{Decision, Effect, Mode, Stance, decide};
pub(crate) use self::field::{Field, Fields, Member, members};
pub(crate) use self::gate::{
    Answer, Considered, Gate, Pending, Question, REPLY_BYTES_MAX, Ready, Reply, Request, Settled,
    Verdict,
};
pub(crate) use self::kept::{KEPT_BYTES_MAX, KeptFiles};
pub(crate) use self::needs::{Call, FinderPort, Need, Row, ShelfPort, Supply};
pub(crate) use self::permit::Permit;
pub(crate) use self::place::{Place, Roots, Target};
pub(crate) use self::rules::{Rule, Rules};

/// The tool that searches the catalog: the one name that the conversation itself has to know.
pub(crate) const FIND_TOOLS: &str = "find_tools";
/// The tool that reads skills.
pub(crate) const SKILL: &str = "skill";

/// All that a file under `tools/` may import besides the pure folders.
pub(crate) mod prelude {
    pub(crate) use super::contract::{
        Binding, Change, Failure, Fingerprint, Outcome, Output, Plan, Subject, SubjectKind, tool,
    };
    pub(crate) use super::effect::Effect;
    pub(crate) use super::field::{List, Text, Variables, Within, choice, record};
    pub(crate) use super::kept::KEPT_BYTES_MAX;
    pub(crate) use super::needs::{
        Call, Command, Commands, Ended, FILE_BYTES_MAX, Files, Finder, Kept, Need, Pauses,
        Processes, Ran, Shelf, Supply, Writes,
    };
    pub(crate) use super::place::{Place, Target};
    pub(crate) use super::replace::{Replacement, Rung, replace};
    pub(crate) use crate::json::{array, object};
    pub(crate) use crate::world::{
        Exit, Item, Kind, Listening, Process, Protocol, Spawn, Stat, Stop,
    };
}
