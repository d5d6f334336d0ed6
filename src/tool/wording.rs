//! How the texts begin by which a model knows that a call did not do what was asked.

use crate::tool::{Reply, Verdict};

/// How the text of a call begins that failed, for a model.
pub(crate) const FAILED: &str = "failed: ";
/// How the text of a call begins that was not run.
pub(crate) const NOT_RUN: &str = "not run: ";

impl Reply {
    /// Its text as a model reads it: the wire has no mark for a call that failed, so its text begins with [`FAILED`].
    pub(crate) fn for_model(&self) -> String {
        match self.verdict {
            Verdict::Failed if !self.text.starts_with(NOT_RUN) => format!("{FAILED}{}", self.text),
            _ => self.text.clone(),
        }
    }
}

#[cfg(test)]
#[test]
fn a_failure_says_so_to_the_model() {
    let check = |verdict, text: &str, expected: &str| {
        let reply = Reply {
            id: String::new(),
            name: String::new(),
            text: text.to_owned(),
            verdict,
            ms: 0,
            loads: Vec::new(),
            is_miss: false,
            hint: None,
        };
        assert_eq!(reply.for_model(), expected);
    };
    check(Verdict::Failed, "exit code 1", "failed: exit code 1");
    check(
        Verdict::Failed,
        "not run: it changed",
        "not run: it changed",
    );
    check(Verdict::Refused, "not run: no", "not run: no");
    check(Verdict::Done, "exit code 1", "exit code 1");
}
