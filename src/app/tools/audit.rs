//! `ankita tools audit`: what every request carries before the first word, and what each category would add.

use std::fmt::Write as _;

use crate::app::instructions;
use crate::app::toolbox::{self, Shelf, defaults, definition};
use crate::catalog::{CATEGORIES, TOOLS};

/// Bytes a token, for estimates.
const BYTES_A_TOKEN: usize = 4;

/// The table; `system` is the system prompt of this run.
pub(crate) fn audit(system: &str) -> String {
    let mut out =
        String::from("in every request                bytes  tokens (estimated, bytes / 4)\n");
    let mut row = |name: &str, bytes: usize| {
        // Writing to memory cannot fail.
        _ = writeln!(out, "  {name:<28} {bytes:>6}  {:>6}", tokens(bytes));
    };
    let skills = instructions::skill_lines(&Shelf::built_in().0);
    let mut total = system.len();
    row("system prompt", system.len() - skills.len());
    row("skill lines", skills.len());
    for tool in defaults() {
        let bytes = definition(tool).to_string().len();
        total += bytes;
        row(tool.name, bytes);
    }
    row("total", total);
    out.push_str("loaded when needed\n");
    for category in CATEGORIES
        .iter()
        .filter(|category| !category.is_planned && !toolbox::is_default(category.id))
    {
        let tools = TOOLS
            .iter()
            .filter(|tool| tool.category == category.id && !tool.contract.is_internal);
        let bytes: usize = tools.map(|tool| definition(tool).to_string().len()).sum();
        _ = writeln!(
            out,
            "  {:<28} {bytes:>6}  {:>6}",
            category.id,
            tokens(bytes)
        );
    }
    out
}

fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_A_TOKEN)
}
