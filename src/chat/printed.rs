//! Recognises an answer that is nothing but a call written as text, and keeps it back while it comes.
//!
//! Models that were not taught the endpoint's form of a call write it in one of their own: as JSON, in a fence, in tags.
//! Such text is never run. Only a whole answer counts: a call in the middle of prose is what somebody explains.

use crate::json::{Object, Value, parse};

/// Bytes of the longest answer that is looked at, and that is kept back.
const PRINTED_BYTES_MAX: usize = 64 * 1024;
/// Bytes within which an answer shows what it is, or is kept back no longer.
const HEAD_BYTES_MAX: usize = 1024;
/// Bytes of the longest tag.
const TAG_BYTES_MAX: usize = 128;

/// What a fence may say that it holds.
const FENCES: &[&str] = &["", "json", "text", "tool", "tool_call", "tool_calls", "xml"];
/// Tags around calls or between them, without the marks of their models.
const TAGS: &[&str] = &[
    "eom_id",
    "eot_id",
    "function_call",
    "function_calls",
    "im_end",
    "python_tag",
    "tool_call",
    "tool_call_begin",
    "tool_call_end",
    "tool_calls",
    "tool_calls_begin",
    "tool_calls_end",
    "tools",
];
/// What one family of models puts before its calls.
const BRACKET: &str = "[TOOL_CALLS]";
/// The members that hold the name of a tool, and those that hold its arguments.
const NAMES: &[&str] = &["name", "tool", "tool_name", "function", "function_name"];
const ARGUMENTS: &[&str] = &["arguments", "parameters", "args", "input", "tool_input"];
/// Members that a call may have beside these.
const OTHERS: &[&str] = &["id", "call_id", "index", "type"];
/// Members whose value is a call, or a list of calls.
const WRAPPERS: &[&str] = &["function", "function_call", "tool_call", "tool_calls"];

/// What an answer goes on with.
enum Piece<'a> {
    /// A fence, a tag or a comma.
    Mark,
    Json(&'a str),
    /// A call in tags, as far as the end of the first.
    Named(&'a str, Closing),
}

/// The tag that ends a call in tags.
type Closing = &'static str;

/// The names of the calls that `text` is, each once; none if it is anything else. A call has a name that `is_known` and
/// an object of arguments.
pub(super) fn printed_calls(text: &str, is_known: &dyn Fn(&str) -> bool) -> Vec<String> {
    if PRINTED_BYTES_MAX < text.len() {
        return Vec::new();
    }
    let mut names = Vec::new();
    match read_calls(without_thoughts(text), &mut names) {
        Some(()) if names.iter().all(|name| is_known(name)) => names,
        _ => Vec::new(),
    }
}

fn read_calls(text: &str, names: &mut Vec<String>) -> Option<()> {
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (piece, after) = next(rest)?;
        rest = after.trim_start();
        match piece {
            Piece::Mark => {}
            Piece::Json(json) => read_json(&parse(json.as_bytes()).ok()?, names)?,
            Piece::Named(name, closing) => {
                let (body, after) = rest.split_once(closing).unwrap_or((rest, ""));
                read_body(body)?;
                add(name, names);
                rest = after.trim_start();
            }
        }
    }
    Some(())
}

/// What some models think aloud in front goes with the call.
fn without_thoughts(text: &str) -> &str {
    let text = text.trim_start();
    let thoughts = text.strip_prefix("<think>");
    thoughts
        .and_then(|text| text.split_once("</think>"))
        .map_or(text, |(_, rest)| rest)
}

fn add(name: &str, names: &mut Vec<String>) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// The piece that `rest` begins with, and what follows it.
fn next(rest: &str) -> Option<(Piece<'_>, &str)> {
    if let Some(after) = rest.strip_prefix(BRACKET) {
        return Some((Piece::Mark, after));
    }
    match rest.as_bytes().first()? {
        b',' | b';' => Some((Piece::Mark, rest.get(1..)?)),
        b'{' | b'[' => {
            let (json, after) = rest.split_at_checked(end_of_json(rest)?)?;
            Some((Piece::Json(json), after))
        }
        b'`' => {
            let (word, after) = fence(rest.strip_prefix("```")?);
            FENCES.contains(&word).then_some((Piece::Mark, after))
        }
        b'<' => {
            let (tag, after) = tag(rest)?;
            read_tag(tag).map(|piece| (piece, after))
        }
        _ => None,
    }
}

/// The word behind the marks of a fence.
fn fence(after: &str) -> (&str, &str) {
    let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c)));
    after.split_at(end.unwrap_or(after.len()))
}

/// The inside of the tag that `rest` begins with.
fn tag(rest: &str) -> Option<(&str, &str)> {
    let end = rest
        .bytes()
        .take(TAG_BYTES_MAX)
        .position(|byte| byte == b'>')?;
    Some((rest.get(1..end)?, rest.get(end + 1..)?))
}

fn read_tag(tag: &str) -> Option<Piece<'_>> {
    let bare = tag
        .trim_matches(['|', '｜', '/', ' '])
        .replace('▁', "_")
        .to_ascii_lowercase();
    if TAGS.contains(&bare.as_str()) {
        return Some(Piece::Mark);
    }
    let (name, closing) = if let Some(name) = named(tag, "function") {
        (name, "</function>")
    } else {
        (named(tag, "invoke")?, "</invoke>")
    };
    Some(Piece::Named(name, closing))
}

/// The name in a tag such as `function=NAME`, `invoke name="NAME"`.
fn named<'a>(tag: &'a str, word: &str) -> Option<&'a str> {
    let rest = tag.strip_prefix(word)?.trim_start();
    let rest = rest.strip_prefix("name").unwrap_or(rest).trim_start();
    let name = rest.strip_prefix('=')?.trim();
    let name = match name.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?.0,
        None => name,
    };
    (!name.is_empty()).then_some(name)
}

/// What stands in a call in tags: an object, or each argument in tags of its own.
fn read_body(body: &str) -> Option<()> {
    let mut rest = body.trim();
    if rest.starts_with('{') {
        return parse(rest.as_bytes()).ok()?.as_object().map(|_| ());
    }
    while !rest.is_empty() {
        let (tag, after) = tag(rest)?;
        named(tag, "parameter")?;
        rest = after.split_once("</parameter>")?.1.trim_start();
    }
    Some(())
}

/// The bytes of the object or list that `text` begins with, by its brackets.
fn end_of_json(text: &str) -> Option<usize> {
    let (mut depth, mut is_in_string, mut is_escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        if is_in_string {
            is_in_string = byte != b'"' || is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            continue;
        }
        match byte {
            b'"' => is_in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

fn read_json(value: &Value, names: &mut Vec<String>) -> Option<()> {
    if let Some(list) = value.as_array() {
        let is_some = !list.is_empty();
        return list
            .iter()
            .try_for_each(|one| read_json(one, names))
            .filter(|()| is_some);
    }
    let object = value.as_object()?;
    let member = |keys: &[&'static str]| keys.iter().find_map(|key| Some((*key, object.get(key)?)));
    let is_only = |own: &[&str]| {
        let mut keys = object.keys();
        keys.all(|key| own.contains(&key) || OTHERS.contains(&key))
    };
    if let Some((key, inner)) = member(WRAPPERS).filter(|(_, inner)| inner.as_str().is_none()) {
        return is_only(&[key])
            .then_some(())
            .and_then(|()| read_json(inner, names));
    }
    let (name_key, name) = member(NAMES)?;
    let (arguments_key, arguments) = member(ARGUMENTS)?;
    if !is_only(&[name_key, arguments_key]) || !is_arguments(arguments) {
        return None;
    }
    add(name.as_str()?, names);
    Some(())
}

/// Whether a value can be arguments: an object, also as text, but not the schema of one, with which a tool is explained.
fn is_arguments(value: &Value) -> bool {
    let is_given =
        |object: &Object| !(object.contains_key("properties") && object.contains_key("type"));
    match value {
        Value::Object(object) => is_given(object),
        Value::String(text) => {
            parse(text.as_bytes()).is_ok_and(|value| value.as_object().is_some_and(is_given))
        }
        _ => false,
    }
}

/// Whether an answer that begins with `head` may become printed calls; `None` while nobody can tell.
fn looks_like_calls(head: &str) -> Option<bool> {
    let mut rest = head.trim_start();
    loop {
        let is_begun = |whole: &str| whole.starts_with(rest);
        if is_begun("```") || is_begun(BRACKET) {
            return None;
        }
        match rest.as_bytes().first()? {
            b'`' => match rest.strip_prefix("```").map(fence) {
                Some((word, "")) if FENCES.iter().any(|known| known.starts_with(word)) => {
                    return None;
                }
                Some((word, after)) if FENCES.contains(&word) => rest = after.trim_start(),
                _ => return Some(false),
            },
            b'<' => match tag(rest) {
                None if rest.len() < TAG_BYTES_MAX => return None,
                None => return Some(false),
                Some((inside, after)) => match read_tag(inside) {
                    Some(Piece::Mark) => rest = after.trim_start(),
                    other => return Some(other.is_some()),
                },
            },
            b'{' | b'[' if !rest.starts_with(BRACKET) => return begins_as_call(rest),
            b'[' => rest = rest.strip_prefix(BRACKET)?.trim_start(),
            _ => return Some(false),
        }
    }
}

/// Whether JSON begins with a member that calls have.
fn begins_as_call(json: &str) -> Option<bool> {
    let rest = json.trim_start_matches(|c: char| c == '{' || c == '[' || c.is_whitespace());
    let Some(key) = rest.strip_prefix('"') else {
        return if rest.is_empty() { None } else { Some(false) };
    };
    let mut keys = NAMES.iter().chain(ARGUMENTS).chain(OTHERS).chain(WRAPPERS);
    match key.split_once('"') {
        Some((key, _)) => Some(keys.any(|known| *known == key)),
        None if keys.any(|known| known.starts_with(key)) => None,
        None => Some(false),
    }
}

/// Keeps an answer back as long as it may turn out to be printed calls, which nobody is to read as an answer.
#[derive(Debug, Default)]
pub(crate) struct Held {
    kept: String,
    state: Holding,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Holding {
    /// Everything is passed on.
    #[default]
    Open,
    /// It is too short to tell.
    Undecided,
    /// It begins as calls do.
    Likely,
}

impl Held {
    /// For an answer that is kept back where need be.
    pub(crate) fn wary() -> Self {
        Self {
            kept: String::new(),
            state: Holding::Undecided,
        }
    }

    /// Takes a piece of the answer; gives what is to be shown now.
    pub(crate) fn pass<'a>(&'a mut self, piece: &'a str) -> &'a str {
        if self.state == Holding::Open {
            return piece;
        }
        self.kept.push_str(piece);
        if self.state == Holding::Undecided {
            match looks_like_calls(&self.kept) {
                Some(true) => self.state = Holding::Likely,
                None if self.kept.len() <= HEAD_BYTES_MAX => {}
                Some(false) | None => self.state = Holding::Open,
            }
        }
        if PRINTED_BYTES_MAX < self.kept.len() {
            self.state = Holding::Open;
        }
        if self.state == Holding::Open {
            &self.kept
        } else {
            ""
        }
    }

    /// What is still kept back, once the answer is over.
    pub(crate) fn rest(&mut self) -> String {
        match std::mem::take(self) {
            Self {
                state: Holding::Open,
                ..
            } => String::new(),
            Self { kept, .. } => kept,
        }
    }
}

#[cfg(test)]
mod tests;
