//! Which words of a request say what is wanted, and which are courtesy.

use crate::words;

/// Courtesy and articles: they change no request, whatever it does. Sorted.
const COURTESY: &[&str] = &[
    "a", "an", "hello", "hey", "hi", "just", "kindly", "me", "now", "ok", "okay", "please", "pls",
    "thank", "thanks", "the", "thx", "us",
];

/// How a request for something to be read may be dressed; in one for a change, each of these could turn it round
/// ("should I …", "did you …", "it is …"). Sorted.
const DRESS: &[&str] = &[
    "are", "can", "could", "do", "does", "give", "i", "id", "is", "it", "let", "like", "my", "our",
    "see", "some", "tell", "that", "there", "these", "this", "those", "want", "will", "would",
    "you", "your",
];

/// Words of grammar: they must be explained, but weigh little. Sorted.
const LIGHT: &[&str] = &[
    "all", "and", "any", "at", "but", "by", "each", "every", "for", "from", "here", "how", "if",
    "in", "into", "of", "off", "on", "or", "out", "show", "to", "up", "what", "when", "where",
    "which", "who", "whose", "why", "with",
];

/// Bytes of the longest such request.
const INTRODUCTION_BYTES_MAX: usize = 200;

/// Weights of a word that carries meaning, and of a word of grammar.
const HEAVY_WEIGHT: u32 = 3;
const LIGHT_WEIGHT: u32 = 1;

/// A word in lower case and without apostrophes: `don't` → `dont`; an ending `'s` goes.
pub(crate) fn plain(word: &str) -> String {
    let lower = word.to_lowercase().replace('’', "'");
    lower.strip_suffix("'s").unwrap_or(&lower).replace('\'', "")
}

/// Whether a plain word is courtesy, which changes no request.
pub(crate) fn is_courtesy(word: &str) -> bool {
    COURTESY.binary_search(&word).is_ok()
}

/// Whether a plain word says nothing in a request for something to be read.
pub(crate) fn is_dress(word: &str) -> bool {
    is_courtesy(word) || DRESS.binary_search(&word).is_ok()
}

/// What people say who want to know whom they talk to, without courtesy.
const INTRODUCTIONS: &[&str] = &[
    "can you help",
    "help",
    "how can you help",
    "what are you",
    "what can i ask",
    "what can i ask you",
    "what can i do",
    "what can i do here",
    "what can you do",
    "what do you do",
    "what is this",
    "who are you",
];

/// Whether a request is a greeting, or asks what can be asked, and nothing else.
pub(crate) fn wants_introduction(request: &str) -> bool {
    if INTRODUCTION_BYTES_MAX < request.len() {
        return false;
    }
    let words = request.split_whitespace();
    let words: Vec<String> = words
        .map(|word| plain(word.trim_end_matches([',', '.', '!', '?'])))
        .filter(|word| !word.is_empty())
        .collect();
    let bare: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !is_courtesy(word))
        .collect();
    let is_greeting = words
        .iter()
        .any(|word| matches!(word.as_str(), "hello" | "hey" | "hi"));
    INTRODUCTIONS.contains(&bare.join(" ").as_str()) || bare.is_empty() && is_greeting
}

/// Whether a plain word is one of grammar.
pub(crate) fn is_light(word: &str) -> bool {
    LIGHT.binary_search(&word).is_ok()
}

/// Whether a request that begins with this plain word asks, so that a question mark at its end is right.
pub(crate) fn is_interrogative(word: &str) -> bool {
    matches!(word, "are" | "is" | "what" | "which" | "who" | "whose")
}

/// How much a plain word weighs when requests are compared.
pub(crate) fn weight(word: &str) -> u32 {
    if is_light(word) {
        LIGHT_WEIGHT
    } else {
        HEAVY_WEIGHT
    }
}

/// The stem of a plain word, as the catalog has it; words of several parts keep them all, with a blank between.
pub(crate) fn stem(word: &str) -> String {
    words::stems(word).join(" ")
}

/// `line` without the courtesy that it begins with, and whether that asks somebody ("can you …").
pub(crate) fn strip_courtesy(line: &str) -> (&str, bool) {
    let mut rest = line.trim();
    let mut is_asking = false;
    loop {
        let (first, after) = split_word(rest);
        let word = plain(first.trim_end_matches([',', '!']));
        let (second, later) = split_word(after);
        if !after.is_empty() && is_courtesy(&word) && !is_inner(&word) {
            rest = after;
        } else if matches!(word.as_str(), "can" | "could" | "will" | "would")
            && plain(second) == "you"
            && !later.is_empty()
        {
            is_asking = true;
            rest = later;
        } else {
            return (rest, is_asking);
        }
    }
}

/// Whether a word of courtesy stands within a request only: before one it would have another meaning.
fn is_inner(word: &str) -> bool {
    matches!(word, "a" | "an" | "me" | "the" | "us")
}

fn split_word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim_start()),
        None => (text, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_and_share_no_word() {
        assert!(COURTESY.is_sorted() && DRESS.is_sorted() && LIGHT.is_sorted());
        for word in DRESS {
            assert!(!is_courtesy(word) && !is_light(word), "{word}");
        }
        assert!(!COURTESY.iter().any(|word| is_light(word)));
    }

    #[test]
    fn courtesy_is_stripped_from_the_front_only() {
        let check = |line: &str, rest: &str, is_asking: bool| {
            assert_eq!(strip_courtesy(line), (rest, is_asking));
        };
        check("please could you kindly delete x", "delete x", true);
        check("the file", "the file", false);
        check("delete x please", "delete x please", false);
        check("can I delete x", "can I delete x", false);
        check("please", "please", false);
        check("Hi, now run `x`", "run `x`", false);
        check("me delete x", "me delete x", false);
        check("", "", false);
    }

    #[test]
    fn a_greeting_and_a_call_for_help_are_nothing_else() {
        for request in [
            "hi",
            "Hello!",
            "hey",
            "help",
            "Help me, please.",
            "help?",
            "hi, what can you do?",
            "What can you do",
            "who are you?",
            "What is this?",
        ] {
            assert!(wants_introduction(request), "{request}");
        }
        for request in [
            "",
            "the",
            "thanks",
            "help me delete x",
            "hi, delete x",
            "can you do it",
            "what can you delete",
            "helpful",
            "do not help",
            "who are they",
            "hi there, run `x`",
            &"hi ".repeat(100),
        ] {
            assert!(!wants_introduction(request), "{request}");
        }
    }

    #[test]
    fn words_are_compared_plainly() {
        assert_eq!(plain("Don’t"), "dont");
        assert_eq!(plain("What's"), "what");
        assert_eq!(stem("commit-reviews"), "commit review");
    }
}
