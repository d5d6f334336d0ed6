//! Reads a skill: a procedure in Markdown.

use crate::tool::prelude::*;

tool! {
    /// Read a skill, a procedure for a kind of task, before doing such a task.
    effect: Read;
    subject: Nothing;
    needs: [Shelf];
    struct Args {
        /// One of the skills listed in the instructions.
        name: Text<100>,
    }
    examples: [
        object! { "name": "commit-review" } => "load the skill commit-review",
        object! { "name": "commit-review" } => "show the skill called commit-review",
        object! { "name": "commit-review" } => "use the commit-review skill",
    ];
}

fn run(args: Args, _plan: Plan, _call: &Call, shelf: Shelf) -> Outcome {
    shelf.0.skill(&args.name).map(Output::from).map_err(Failure)
}
