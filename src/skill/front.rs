//! The front matter of a `SKILL.md`, read leniently: YAML as skills use it, and no more.
//!
//! The build script compiles this file too, and refuses for our own skills what is forgiven here.
//! It imports nothing.

/// A body has this many characters at most.
pub(crate) const BODY_CHARS_MAX: usize = 8_000;

/// What a `SKILL.md` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Front {
    pub(crate) name: String,
    /// Line breaks folded to blanks.
    pub(crate) description: String,
    pub(crate) suggested_tools: Vec<String>,
    pub(crate) allowed_tools: Vec<String>,
    /// Line ends as `\n`, no blank lines at the ends.
    pub(crate) body: String,
    /// What had to be forgiven: line (from 1) and what is wrong with it.
    pub(crate) faults: Vec<(usize, String)>,
}

/// Reads a whole file. A byte order mark and CRLF are taken away; without a closed front matter
/// all of it is body.
pub(crate) fn read(text: &str) -> Front {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.replace("\r\n", "\n");
    let mut front = Front::default();
    let mut offset = 0;
    let mut lines: Vec<&str> = Vec::new();
    let mut body = None;
    for (at, line) in text.split_inclusive('\n').enumerate() {
        offset += line.len();
        let line = line.strip_suffix('\n').unwrap_or(line);
        match (at, line.trim_end()) {
            (0, "---") => {}
            (0, _) => break,
            (_, "---" | "...") => {
                body = text.get(offset..);
                break;
            }
            _ => lines.push(line),
        }
    }
    let Some(body) = body else {
        front.faults.push((
            1,
            "no front matter: the file must begin with a line `---`, and another must end it"
                .to_owned(),
        ));
        text.trim_matches('\n').clone_into(&mut front.body);
        return front;
    };
    body.trim_matches('\n')
        .trim_end()
        .clone_into(&mut front.body);
    read_keys(&lines, &mut front);
    front
}

/// Reads the lines between the two rules.
fn read_keys(lines: &[&str], front: &mut Front) {
    let mut seen: Vec<String> = Vec::new();
    let mut at = 0;
    while let Some(&line) = lines.get(at) {
        let number = at + 2;
        at += 1;
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        // What is indented below a key, or an item of a list, belongs to the key.
        let begun = at;
        while lines.get(at).is_some_and(|next| is_continuation(next)) {
            at += 1;
        }
        let below = lines.get(begun..at).unwrap_or_default();
        let Some((key, value)) = line
            .split_once(':')
            .filter(|_| !line.starts_with([' ', '\t']))
        else {
            let fault = format!("expected `key: value`, found `{}`", line.trim());
            front.faults.push((number, fault));
            continue;
        };
        let key = key.trim().trim_matches(['"', '\'']).to_lowercase();
        if seen.contains(&key) {
            front
                .faults
                .push((number, format!("`{key}` is there twice")));
            continue;
        }
        let mut unclosed = false;
        match key.as_str() {
            "name" => front.name = scalar(value, below, &mut unclosed),
            "description" => front.description = scalar(value, below, &mut unclosed),
            "suggested-tools" => front.suggested_tools = list(value, below, &mut unclosed),
            "allowed-tools" => front.allowed_tools = list(value, below, &mut unclosed),
            _ => {}
        }
        if unclosed {
            front
                .faults
                .push((number, format!("the quote in `{key}` has no end")));
        }
        seen.push(key);
    }
}

/// Whether a line goes on with the key above it.
fn is_continuation(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with([' ', '\t']) || line == "-" || line.starts_with("- ")
}

/// A value in one line: plain, quoted, or a block (`>`, `|`) with its line breaks folded.
fn scalar(value: &str, below: &[&str], unclosed: &mut bool) -> String {
    let value = value.trim();
    let is_block = value.starts_with(['>', '|']) && value.len() <= 3 || value.is_empty();
    let mut text = if is_block {
        String::new()
    } else {
        value.to_owned()
    };
    for line in below {
        let line = line.trim();
        if !line.is_empty() {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(line);
        }
    }
    if is_block {
        return text;
    }
    match text.chars().next() {
        Some(quote @ ('"' | '\'')) => unquote(&text, quote, unclosed),
        _ => match text.split_once(" #") {
            Some((before, _)) => before.trim_end().to_owned(),
            None => text,
        },
    }
}

/// The text in quotes; what comes after the closing one is a comment. Without a closing one it
/// stands as it is.
fn unquote(text: &str, quote: char, unclosed: &mut bool) -> String {
    let mut out = String::new();
    let mut chars = text.chars().skip(1).peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quote == '"' => match chars.next() {
                Some('n' | 't') => out.push(' '),
                Some(escaped @ ('"' | '\\' | '/')) => out.push(escaped),
                Some(other) => {
                    out.push('\\');
                    out.push(other);
                }
                None => out.push('\\'),
            },
            // YAML doubles an apostrophe within apostrophes.
            '\'' if quote == '\'' && chars.peek() == Some(&'\'') => {
                chars.next();
                out.push('\'');
            }
            c if c == quote => return out,
            c => out.push(c),
        }
    }
    *unclosed = true;
    text.to_owned()
}

/// A list: `[a, b]`, `a, b`, `a b`, or items `- a` below. A blank within parentheses, as in
/// `Bash(git diff *)`, does not separate.
fn list(value: &str, below: &[&str], unclosed: &mut bool) -> Vec<String> {
    let mut items = Vec::new();
    let inline = scalar(value, &[], unclosed);
    let inline = inline.trim();
    split_items(inline.strip_prefix('[').unwrap_or(inline), &mut items);
    for line in below {
        let line = line.trim();
        match line.strip_prefix('-') {
            Some(item) => {
                let item = scalar(item, &[], unclosed);
                if !item.is_empty() {
                    items.push(item);
                }
            }
            None => split_items(line, &mut items),
        }
    }
    items
}

fn split_items(text: &str, items: &mut Vec<String>) {
    let mut depth = 0_usize;
    let pieces = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c.is_whitespace() || matches!(c, ',' | ']'))
    });
    items.extend(
        pieces
            .map(|piece| piece.trim().trim_matches(['"', '\'']))
            .filter(|piece| !piece.is_empty())
            .map(str::to_owned),
    );
}
