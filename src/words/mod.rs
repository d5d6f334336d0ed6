//! Words: split from text and code, folded, stemmed, and compared by one edit.
//!
//! The build script compiles this folder too, so that the catalog's words and a live query's words
//! go through the same code. It imports nothing.

mod edit;
mod fold;
mod split;
mod stem;
mod stop;
#[cfg(test)]
mod tests;

pub(crate) use self::edit::is_one_edit;
pub(crate) use self::fold::fold_into;
pub(crate) use self::split::{chunks, parts};
pub(crate) use self::stem::stem;
pub(crate) use self::stop::{is_filler, is_stop_word};

/// The words of `text`, split, folded and stemmed, in order; `killProcess`, `kill_process` and
/// "killing processes" all give `kill`, `process`.
pub(crate) fn stems(text: &str) -> Vec<String> {
    chunks(text)
        .flat_map(|chunk| parts(chunk.text))
        .map(|part| stem_of(part.text))
        .collect()
}

/// One word, folded and stemmed.
pub(crate) fn stem_of(word: &str) -> String {
    let mut folded = String::with_capacity(word.len());
    fold_into(word, &mut folded);
    stem(&mut folded);
    folded
}
