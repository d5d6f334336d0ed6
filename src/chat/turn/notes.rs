//! What is said to the model, and for it, when a turn comes to a limit. Notes to the model stand in brackets.

use crate::chat::turn::ToolResult;
use crate::chat::{Fault, Finish};

/// A budget that is used up.
#[derive(Clone, Copy, Debug)]
pub(super) enum BudgetNote {
    Rounds(u32),
    Calls(u32),
}

impl BudgetNote {
    /// Why, for a person.
    pub(super) fn reason(self) -> String {
        match self {
            Self::Rounds(max) => {
                format!("the turn has used its {max} rounds of tool calls (`--max-turns`)")
            }
            Self::Calls(max) => format!("the turn has used its {max} tool calls"),
        }
    }

    /// The reply to a call beyond it.
    pub(super) fn reply(self) -> ToolResult {
        ToolResult::error(match self {
            Self::Rounds(max) => {
                format!("Not run: the budget of {max} rounds of tool calls is exhausted")
            }
            Self::Calls(max) => format!("Not run: the budget of {max} tool calls is exhausted"),
        })
    }
}

/// Why a turn is stopped that goes in a circle of `length` rounds.
pub(super) fn reason_of_circle(length: usize) -> String {
    if length == 1 {
        "the same tool calls brought the same results three times in a row".to_owned()
    } else {
        format!("a cycle of {length} rounds of tool calls brought the same results three times")
    }
}

/// Asks the model for a report.
pub(super) fn note_of_limit(reason: &str) -> String {
    format!(
        "[Stopped: {reason}. No more tools can be called in this turn. Report now, from what you have: what was done, what \
         was found, what is still open.]"
    )
}

/// Tells the model that its calls came to nothing.
pub(super) fn note_of_cut_call(fault: &Fault) -> String {
    let why = if fault.finish == Some(Finish::Length) {
        "your answer reached its limit of tokens"
    } else {
        "their arguments were no complete JSON"
    };
    format!(
        "[Your last tool calls did not run: {why}. Call again with complete JSON arguments; do less in one call if they \
         are long.]"
    )
}

/// Tells the model that the calls of `names`, which it wrote as text, came to nothing.
pub(super) fn note_of_printed(names: &str) -> String {
    format!(
        "[Your last reply was a call of `{names}` written as text, so nothing ran. Make the call through the tool \
         interface, or answer in words.]"
    )
}

/// Stands for the report that the model did not give.
pub(super) fn report_of_ours(reason: &str, used: &[String]) -> String {
    let used = if used.is_empty() {
        "no tool ran".to_owned()
    } else {
        format!("tools that ran: {}", used.join(", "))
    };
    format!("Stopped: {reason}. The model gave no report; {used}.")
}
