//! Our globs against git's, which match paths in `.gitattributes`.

use std::collections::HashSet;
use std::fs;

use super::{ask, directory};
use crate::pattern::tests::ROWS;

#[test]
fn git_matches_the_same_paths() {
    let place = directory("globs");
    // Each row has an attribute of its own; a leading slash ties the glob to the root.
    let attributes: String = ROWS
        .iter()
        .enumerate()
        .map(|(row, (glob, _, _))| format!("\"/{glob}\" row{row}\n"))
        .collect();
    fs::write(place.join(".gitattributes"), attributes).expect("a file");
    let texts: String = ROWS
        .iter()
        .map(|(_, text, _)| format!("{text}\0"))
        .collect();
    if ask("git", &["init", "-q"], &place, Vec::new()).is_none() {
        return;
    }
    let args = ["check-attr", "-z", "--stdin", "--all"];
    let output = ask("git", &args, &place, texts.into_bytes()).expect("git");
    let output = String::from_utf8(output).expect("text");
    let fields: Vec<&str> = output.split_terminator('\0').collect();
    let set: HashSet<(&str, &str)> = fields
        .chunks_exact(3)
        .map(|field| (field[0], field[1]))
        .collect();
    assert!(!set.is_empty());
    for (row, (glob, text, is_match)) in ROWS.iter().enumerate() {
        let attribute = format!("row{row}");
        assert_eq!(
            set.contains(&(*text, attribute.as_str())),
            *is_match,
            "{glob} on {text}"
        );
    }
}
