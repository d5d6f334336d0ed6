//! From a request to a call: the nearest example of a tool, with the request's own pieces in its arguments.

use std::collections::HashSet;

use crate::json::{Object, Value};
use crate::offline::material::{Kind, Piece, pieces};
use crate::tool::Tool;
use crate::words;

/// How alike a request and an example must be, in thousandths, for the example to be taken at once.
pub(crate) const NEAR_THOUSANDTHS: u32 = 600;
/// The same once the catalog has said that the tool fits.
pub(crate) const FOUND_THOUSANDTHS: u32 = 300;

/// What an example makes of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Filled {
    Call {
        name: &'static str,
        arguments: Value,
    },
    /// The tool fits, but this required argument finds no value in the request.
    Lacks {
        name: &'static str,
        argument: String,
    },
}

/// The call that fits `request` best among the examples of `tools`, if one is near enough.
pub(crate) fn fill(
    request: &str,
    tools: &[&'static Tool],
    near_thousandths: u32,
) -> Option<Filled> {
    let given = pieces(request);
    let mut best: Option<(u32, bool, Filled)> = None;
    for tool in tools {
        for (arguments, query) in (tool.contract.examples)() {
            let example = pieces(query);
            let (filled, taken, slots) = adapt(tool, &arguments, &example, &given);
            let score = likeness(&content(&given, &taken), &content(&example, &slots));
            if score < near_thousandths {
                continue;
            }
            let is_whole = matches!(filled, Filled::Call { .. });
            // Of two examples equally near, the one that finds all its values is meant.
            if best
                .as_ref()
                .is_none_or(|(top, top_is_whole, _)| (*top, *top_is_whole) < (score, is_whole))
            {
                best = Some((score, is_whole, filled));
            }
        }
    }
    best.map(|(_, _, filled)| filled)
}

/// The stems of the words that carry meaning; numbers, paths, quotes and what fills an argument are material
/// and do not count.
fn content(pieces: &[Piece], is_material: &[bool]) -> HashSet<String> {
    pieces
        .iter()
        .zip(is_material)
        .filter(|(piece, is_material)| {
            piece.kind == Kind::Word
                && !**is_material
                && !words::is_filler(&piece.text.to_lowercase())
        })
        .map(|(piece, _)| piece)
        .flat_map(|piece| words::stems(&piece.text))
        .collect()
}

/// Twice the shared stems over all stems, in thousandths.
fn likeness(left: &HashSet<String>, right: &HashSet<String>) -> u32 {
    let all = left.len() + right.len();
    let shared = left.intersection(right).count();
    if all == 0 {
        return 0;
    }
    u32::try_from(2_000 * shared / all).unwrap_or(0)
}

/// The example's arguments with the request's pieces where the example has its own; and which pieces of the
/// request and of the example these are.
fn adapt(
    tool: &'static Tool,
    arguments: &Value,
    example: &[Piece],
    given: &[Piece],
) -> (Filled, Vec<bool>, Vec<bool>) {
    let schema = (tool.contract.schema)();
    let is_required = |name: &str| {
        let required = schema
            .get("required")
            .and_then(Value::as_array)
            .unwrap_or_default();
        required.iter().any(|item| item.as_str() == Some(name))
    };
    let mut used = vec![false; given.len()];
    let mut slots = vec![false; example.len()];
    let lacks = |argument: &str| Filled::Lacks {
        name: tool.name,
        argument: argument.to_owned(),
    };
    let mut lacking = None;
    let mut filled = Object::new();
    let members = arguments.as_object().cloned().unwrap_or_default();
    for (name, value) in members.iter() {
        let Some((at, is_number)) = place_in(value, example) else {
            filled.insert(name, value.clone()); // A constant of the example, such as an action.
            continue;
        };
        slots[at] = true;
        match choose(&example[at], at, example, given, &used) {
            Some(index) => {
                used[index] = true;
                filled.insert(name, shaped(&given[index].text, value, is_number));
            }
            None if is_required(name) => lacking = lacking.or_else(|| Some(lacks(name))),
            None => (),
        }
    }
    let arguments = Value::Object(filled);
    let filled = match (lacking, (tool.contract.bind)(&arguments)) {
        (Some(lacking), _) => lacking,
        (None, Ok(_)) => Filled::Call {
            name: tool.name,
            arguments,
        },
        // What the schema leaves optional, the tool's own check may still want.
        (None, Err(_)) => lacks(members.keys().next().unwrap_or_default()),
    };
    (filled, used, slots)
}

/// Where the example's request says `value`, and whether it is a number.
fn place_in(value: &Value, example: &[Piece]) -> Option<(usize, bool)> {
    let (text, is_number) = match value {
        Value::String(text) => (text.trim_end_matches('\n').to_owned(), false),
        Value::Int(number) => (number.to_string(), true),
        Value::Array(items) => match items.as_slice() {
            [Value::String(text)] => (text.clone(), false),
            _ => return None,
        },
        _ => return None,
    };
    // An action such as `diff` is a word of many requests and not taken from them.
    let at = example.iter().position(|piece| piece.text == text)?;
    (example[at].kind != Kind::Word || is_name(at, example)).then_some((at, is_number))
}

/// Whether a bare word stands where a name does: at the end, after a word that announces one.
fn is_name(at: usize, example: &[Piece]) -> bool {
    const ANNOUNCING: &[&str] = &[
        "called",
        "named",
        "skill",
        "folder",
        "directory",
        "file",
        "to",
    ];
    0 < at && ANNOUNCING.contains(&example[at - 1].text.as_str())
}

/// The unused piece of the request that takes the place of the example's piece `wanted`.
fn choose(
    wanted: &Piece,
    at: usize,
    example: &[Piece],
    given: &[Piece],
    used: &[bool],
) -> Option<usize> {
    let free = |kinds: &[Kind]| {
        given
            .iter()
            .enumerate()
            .find(|(index, piece)| !used[*index] && kinds.contains(&piece.kind))
            .map(|(index, _)| index)
    };
    match wanted.kind {
        Kind::Number => free(&[Kind::Number]),
        Kind::Url => free(&[Kind::Url]),
        Kind::Quoted => free(&[Kind::Quoted]),
        Kind::Path => free(&[Kind::Path])
            .or_else(|| free(&[Kind::Quoted]))
            .or_else(|| name_after(at, example, given, used)),
        Kind::Word => {
            free(&[Kind::Path, Kind::Quoted]).or_else(|| name_after(at, example, given, used))
        }
    }
}

/// A bare word that stands where the example's does: after the same announcing word, or last.
fn name_after(at: usize, example: &[Piece], given: &[Piece], used: &[bool]) -> Option<usize> {
    const ANNOUNCING: &[&str] = &["called", "named", "skill", "folder", "directory", "file"];
    let before = at.checked_sub(1).map(|index| example[index].text.as_str());
    (1..given.len()).rev().find(|&index| {
        let previous = given[index - 1].text.to_lowercase();
        !used[index]
            && given[index].kind == Kind::Word
            && !words::is_filler(&given[index].text.to_lowercase())
            && (Some(previous.as_str()) == before || ANNOUNCING.contains(&previous.as_str()))
    })
}

/// `text` in the shape of the example's value.
fn shaped(text: &str, value: &Value, is_number: bool) -> Value {
    match value {
        Value::Array(_) => Value::Array(vec![Value::from(text)]),
        _ if is_number => text
            .parse::<i64>()
            .map_or_else(|_| Value::from(text), Value::from),
        Value::String(old) if old.ends_with('\n') => Value::from(format!("{text}\n")),
        _ => Value::from(text),
    }
}
