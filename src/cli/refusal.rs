//! The sentences of usage errors that need more than a line to make.

use super::Usage;
use super::flag::{find_short, long_names};
use super::near::{nearest, quote};

/// A flag without its value, and what stood in its place.
pub(super) fn missing_value(spelled: &str, name: &str, next: Option<&str>) -> Usage {
    Usage(match next.filter(|next| *next != "--") {
        Some(next) => format!(
            "`{spelled}` needs {name}, but {} follows; `{spelled}=…` takes a value that begins with `-`",
            quote(next)
        ),
        None => format!("`{spelled}` needs {name}"),
    })
}

/// A long flag that does not exist; `name` is it without dashes and value.
pub(super) fn unknown_flag(word: &str, name: &str) -> Usage {
    let shown = quote(word.split('=').next().unwrap_or(word));
    let name = name.split_whitespace().next().unwrap_or_default();
    Usage(match nearest(name, long_names()) {
        Some(near) => format!("unknown flag {shown}; did you mean `--{near}`?"),
        None => format!("unknown flag {shown}; `ankita --help` lists all"),
    })
}

/// A letter that is no flag, in the word where it stood.
pub(super) fn unknown_letter(word: &str, letter: char) -> Usage {
    let other_case = if letter.is_ascii_uppercase() {
        letter.to_ascii_lowercase()
    } else {
        letter.to_ascii_uppercase()
    };
    let name = word
        .trim_start_matches('-')
        .split('=')
        .next()
        .unwrap_or_default();
    let near = match nearest(name, long_names()) {
        Some(near) if name.chars().count() > 2 => Some(format!("--{near}")),
        _ => find_short(other_case).map(|_| format!("-{other_case}")),
    };
    let shown = quote(&format!("-{letter}"));
    let place = if name.chars().count() > 1 {
        format!(" in {}", quote(word))
    } else {
        String::new()
    };
    Usage(match near {
        Some(near) => format!("unknown flag {shown}{place}; did you mean `{near}`?"),
        None => format!("unknown flag {shown}{place}; `ankita --help` lists all"),
    })
}

/// A flag, or `-`, that means nothing to a command.
pub(super) fn prompt_only(flag: &str, command: &str) -> Usage {
    Usage(format!(
        "`{flag}` does not go with the command `{command}`; put `--` before a prompt that begins with `{command}`"
    ))
}

/// Both of `-p TEXT` and words, or two of one.
pub(super) fn two_prompts(one: &str, other: &str) -> Usage {
    Usage(format!(
        "two prompts, {} and {}; put quotes around one prompt of several words",
        quote(one),
        quote(other)
    ))
}
