//! The rules that the source keeps: each looks at all files and says what is wrong where.

mod layers;
mod passage;
mod project;
mod shape;
pub(crate) mod source;
mod tokens;

use source::{File, Problem};

/// A rule, and what it holds.
type Rule = (&'static str, fn(&[File]) -> Vec<Problem>);

const RULES: &[Rule] = &[
    ("a folder imports only what stands above it", layers::check),
    (
        "a tool imports the prelude and pure folders",
        layers::check_tools,
    ),
    ("only the gate runs a tool", passage::check_permits),
    ("no tool is known by name", passage::check_tool_names),
    ("every file opens with a sentence", shape::check_openings),
    ("files and functions are short", shape::check_lengths),
    ("names say something", shape::check_names),
    (
        "`unsafe` and input stand where they may",
        shape::check_exceptions,
    ),
    ("nothing is left unfinished", shape::check_unfinished),
];

#[test]
fn the_source_keeps_its_rules() {
    let files = source::project();
    let mut broken = String::new();
    for (rule, check) in RULES {
        let problems = check(&files);
        if !problems.is_empty() {
            broken.push_str(&format!("\n{rule}:\n"));
        }
        for problem in problems {
            broken.push_str(&format!("  {problem}\n"));
        }
    }
    assert!(broken.is_empty(), "{broken}");
}
