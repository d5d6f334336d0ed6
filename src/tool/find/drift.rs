//! Drift: words of the tools that their category neither claims nor has reviewed.
//!
//! A person decides, the catalog remembers.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::tables::Claim;
use crate::words;

/// A tool's own words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'a> {
    pub(crate) tool: &'a str,
    pub(crate) category: &'a str,
    /// Its doc, the names and docs of its arguments, its examples.
    pub(crate) texts: &'a [&'a str],
}

/// The words that are left, as additions to `tools/catalog.toml` with the text that each comes
/// from; empty if each is claimed or reviewed. Tools of no category of `claims` are passed over.
pub(crate) fn drift(claims: &[Claim<'_>], tools: &[Words<'_>]) -> String {
    let mut out = String::new();
    for claim in claims {
        let known: BTreeSet<String> = claim
            .claimed
            .iter()
            .chain(claim.reviewed)
            .flat_map(|text| stems(text))
            .map(|(_, stem)| stem)
            .collect();
        let mut listed = BTreeSet::new();
        for tool in tools.iter().filter(|tool| tool.category == claim.category) {
            // A tool is found by the words of its name in any case.
            let own: Vec<String> = stems(tool.tool).into_iter().map(|(_, stem)| stem).collect();
            for text in tool.texts {
                for (word, stem) in stems(text) {
                    if known.contains(&stem) || own.contains(&stem) || !listed.insert(stem) {
                        continue;
                    }
                    if listed.len() == 1 {
                        let _ = writeln!(out, "@@ [{}] @@", claim.category);
                    }
                    let _ = writeln!(out, "+    \"{word}\", # {}: {}", tool.tool, one_line(text));
                }
            }
        }
    }
    if out.is_empty() {
        return out;
    }
    format!(
        "--- tools/catalog.toml\n+++ tools/catalog.toml\n{out}\
         Each word stands in a tool's contract: put it where it belongs (`keywords`, `phrases`, \
         `pairs`), or into `reviewed` of its category.\n"
    )
}

/// The telling words of a text with their stems: three letters or more, no numbers.
fn stems(text: &str) -> Vec<(String, String)> {
    const LETTERS_MIN: usize = 3;
    words::chunks(text)
        .flat_map(|chunk| words::parts(chunk.text))
        .filter_map(|part| {
            let mut word = String::new();
            words::fold_into(part.text, &mut word);
            let is_word =
                word.chars().count() >= LETTERS_MIN && word.chars().all(char::is_alphabetic);
            (is_word && !words::is_stop_word(&word)).then(|| {
                let stem = words::stem_of(&word);
                (word, stem)
            })
        })
        .collect()
}

/// The head of a text, in one line.
fn one_line(text: &str) -> String {
    const SHOWN_CHARS_MAX: usize = 80;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(SHOWN_CHARS_MAX).collect()
}
