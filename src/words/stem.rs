//! A sober English stemmer: inflections and the plainest derivations, nothing that joins
//! unrelated words (steps 1 and a little of 2–5 of Porter's algorithm, with irregular forms).

/// Irregular forms and the word that they belong to, sorted. Those that stand for themselves only
/// look inflected.
const IRREGULAR: &[(&str, &str)] = &[
    ("alias", "alias"),
    ("anything", "anything"),
    ("atlas", "atlas"),
    ("bias", "bias"),
    ("broke", "break"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("canvas", "canvas"),
    ("ceiling", "ceiling"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("done", "do"),
    ("dying", "die"),
    ("embed", "embed"),
    ("evening", "evening"),
    ("everything", "everything"),
    ("found", "find"),
    ("freed", "free"),
    ("gone", "go"),
    ("heard", "hear"),
    ("held", "hold"),
    ("hung", "hang"),
    ("kept", "keep"),
    ("knew", "know"),
    ("known", "know"),
    ("lens", "lens"),
    ("lying", "lie"),
    ("made", "make"),
    ("morning", "morning"),
    ("news", "news"),
    ("nothing", "nothing"),
    ("pandas", "pandas"),
    ("pudding", "pudding"),
    ("ran", "run"),
    ("said", "say"),
    ("sent", "send"),
    ("something", "something"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("taken", "take"),
    ("taught", "teach"),
    ("thought", "think"),
    ("told", "tell"),
    ("took", "take"),
    ("tying", "tie"),
    ("went", "go"),
    ("written", "write"),
    ("wrote", "write"),
];

/// Cuts a folded English word to its stem, in place: `committing`, `committed` and `commits` →
/// `commit`, `directories` and `directory` → `directori`. Words that are not `a`–`z` stay.
pub(crate) fn stem(word: &mut String) {
    if word.len() < 3 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return;
    }
    if let Ok(at) = IRREGULAR.binary_search_by_key(&word.as_str(), |row| row.0) {
        let (form, base) = IRREGULAR[at];
        if form == base {
            return;
        }
        word.clear();
        word.push_str(base);
    } else {
        cut_plural(word);
        cut_participle(word);
    }
    cut_rest(word);
}

/// `-s`, `-es`, `-ies`, `-ied` (step 1a).
fn cut_plural(word: &mut String) {
    let length = word.len();
    if word.ends_with("sses") {
        word.truncate(length - 2);
    } else if word.ends_with("ies") || word.ends_with("ied") {
        // `ties` → `tie`, `copies` → `copi`.
        word.truncate(length - if length > 4 { 2 } else { 1 });
    } else if word.ends_with('s')
        && !word.ends_with("ss")
        && !word.ends_with("us")
        && !word.ends_with("is")
        && has_vowel(&word[..length - 2])
    {
        word.truncate(length - 1);
    }
}

/// `-ed`, `-ing` (step 1b).
fn cut_participle(word: &mut String) {
    let length = word.len();
    if word.ends_with("eed") {
        // `agreed` → `agree`, but `need`, `feed`.
        if has_vowel(&word[..length - 3]) {
            word.truncate(length - 1);
        }
        return;
    }
    let kept = match word.as_bytes() {
        [kept @ .., b'e', b'd'] | [kept @ .., b'i', b'n', b'g'] => kept.len(),
        _ => return,
    };
    if kept < 2 || !has_vowel(&word[..kept]) {
        return;
    }
    word.truncate(kept);
    let bytes = word.as_bytes();
    let is_double = bytes[kept - 1] == bytes[kept - 2] && b"bdfgmnprt".contains(&bytes[kept - 1]);
    if is_double && kept > 3 {
        word.truncate(kept - 1); // `committ` → `commit`, but `add`.
    } else if kept == 2 {
        word.push('e'); // `us` → `use`.
    }
}

/// `-y`, `-ion`, `-e`, `-ll` (steps 1c, 4 and 5, reduced).
fn cut_rest(word: &mut String) {
    let length = word.len();
    match word.as_bytes() {
        [.., before, b'y'] if length > 2 && !is_vowel(*before) => {
            word.truncate(length - 1);
            word.push('i');
        }
        // Five letters must be left: `creation` → `creat`, but `version`, `mention`; and a
        // procession is no process.
        [.., b's', b's', b'i', b'o', b'n'] => {}
        [kept @ .., b's' | b't', b'i', b'o', b'n'] if kept.len() >= 4 => word.truncate(length - 3),
        [.., before, b'e'] if length > 3 && *before != b'e' => word.truncate(length - 1),
        [.., b'l', b'l'] if length > 5 => word.truncate(length - 1), // `cancell` → `cancel`.
        _ => {}
    }
}

fn has_vowel(text: &str) -> bool {
    text.bytes().any(is_vowel)
}

fn is_vowel(letter: u8) -> bool {
    matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
#[test]
fn irregular_forms_are_sorted() {
    assert!(IRREGULAR.is_sorted());
}
