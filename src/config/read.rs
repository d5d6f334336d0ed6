//! Values as the file and the environment write them, checked against their key.

use std::time::Duration;

use crate::cli::{nearest, quote};
use crate::toml::{self, Data, Table, Value};

use super::endpoint::{HEADERS_MAX, Header, read_header};
use super::key::{Key, Type};
use super::setting::{Origin, Setting, Settings};

/// Entries of a list.
const LIST_ENTRIES_MAX: usize = 1_000;

/// A value before it is checked.
#[derive(Clone, Copy)]
pub(super) enum Given<'a> {
    /// From the file.
    Toml(&'a Value),
    /// From a variable or a flag.
    Text(&'a str),
}

/// Checks a value and sets it. The error goes on from the key's name: `must be …`, `is …`.
pub(super) fn apply(
    settings: &mut Settings,
    key: &Key,
    given: Given<'_>,
    origin: &Origin,
) -> Result<(), String> {
    let wrong = || Err(mistyped(key, given));
    match &key.kind {
        Type::Text(set) | Type::Secret(set) => match text_of(given) {
            Some(text) if text.trim().is_empty() => Err("is blank".into()),
            Some(text) => set(settings, text.to_owned(), origin.clone()),
            None => wrong(),
        },
        Type::Choice(names, set) => match text_of(given) {
            Some(text) if names.contains(&text) => {
                set(settings, text, origin.clone());
                Ok(())
            }
            Some(text) => match nearest(text, names.iter().copied()) {
                Some(near) => Err(format!("{}; did you mean `{near}`?", mistyped(key, given))),
                None => wrong(),
            },
            None => wrong(),
        },
        Type::Whole(range, set) => match whole_of(given).filter(|n| range.contains(n)) {
            Some(number) => {
                set(settings, number, origin.clone());
                Ok(())
            }
            None => wrong(),
        },
        Type::Seconds(range, set) => match seconds_of(given).filter(|n| range.contains(n)) {
            Some(seconds) => match Duration::try_from_secs_f64(seconds) {
                Ok(duration) => {
                    set(settings, duration, origin.clone());
                    Ok(())
                }
                Err(_) => wrong(),
            },
            None => wrong(),
        },
        Type::List(set) => match list_of(given) {
            Some(list) if list.len() > LIST_ENTRIES_MAX => {
                Err(format!("has more than {LIST_ENTRIES_MAX} entries"))
            }
            Some(list) if list.iter().any(|(text, _)| text.trim().is_empty()) => {
                Err("has a blank entry".into())
            }
            Some(list) => set(settings, located(list, origin)),
            None => wrong(),
        },
        Type::Headers(set) => {
            let headers = headers_of(key, given, origin)?;
            set(settings, headers);
            Ok(())
        }
    }
}

/// `must be …, not …`. Of a secret only the type can be wrong, so that it is never shown here.
fn mistyped(key: &Key, given: Given<'_>) -> String {
    let found = match (given, &key.kind) {
        (Given::Text(text), _) => quote(text),
        (Given::Toml(value), kind) => match (&value.data, kind) {
            (Data::Text(text), Type::Choice(..)) => quote(text),
            (Data::Integer(number), Type::Whole(..) | Type::Seconds(..)) => format!("`{number}`"),
            (Data::Float(number), Type::Seconds(..)) => format!("`{number}`"),
            (data, _) => data.kind().to_owned(),
        },
    };
    format!("must be {}, not {found}", key.kind.words())
}

fn text_of(given: Given<'_>) -> Option<&str> {
    match given {
        Given::Text(text) => Some(text),
        Given::Toml(Value {
            data: Data::Text(text),
            ..
        }) => Some(text),
        Given::Toml(_) => None,
    }
}

fn whole_of(given: Given<'_>) -> Option<u64> {
    match given {
        Given::Text(text) => text.trim().parse().ok(),
        Given::Toml(value) => match value.data {
            Data::Integer(number) => u64::try_from(number).ok(),
            _ => None,
        },
    }
}

fn seconds_of(given: Given<'_>) -> Option<f64> {
    match given {
        Given::Text(text) => text.trim().parse().ok(),
        Given::Toml(value) => match value.data {
            // No whole number in any range is large enough to lose a digit.
            Data::Integer(number) => i32::try_from(number).ok().map(f64::from),
            Data::Float(number) => Some(number),
            _ => None,
        },
    }
}

/// The entries of a list, each with its line in the file. In a variable it is written as in TOML,
/// or with commas between the entries, where those in parentheses belong to a rule.
fn list_of(given: Given<'_>) -> Option<Vec<(String, Option<usize>)>> {
    match given {
        Given::Text(text) if is_toml_list(text) => {
            let value = parse_value(text)?;
            let list = list_of(Given::Toml(&value))?;
            Some(list.into_iter().map(|(text, _)| (text, None)).collect())
        }
        Given::Text(text) => Some(split_commas(text).map(|text| (text, None)).collect()),
        Given::Toml(value) => {
            let Data::Array(entries) = &value.data else {
                return None;
            };
            let text = |entry: &Value| match &entry.data {
                Data::Text(text) => Some((text.clone(), Some(entry.line))),
                _ => None,
            };
            entries.iter().map(text).collect()
        }
    }
}

/// Whether a list is written as in TOML; `[::1]:80, h` is not.
fn is_toml_list(text: &str) -> bool {
    text.trim_start()
        .strip_prefix('[')
        .is_some_and(|rest| rest.trim_start().starts_with(['"', '\'', ']']))
}

/// The pieces between commas that stand outside parentheses, trimmed.
fn split_commas(text: &str) -> impl Iterator<Item = String> {
    let mut depth = 0_usize;
    text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(|piece| piece.trim().to_owned())
}

/// One TOML value that is the whole of `text`.
fn parse_value(text: &str) -> Option<Value> {
    let table = toml::parse(&format!("value = {text}")).ok()?;
    match table.entries() {
        [only] => Some(only.value.clone()),
        _ => None,
    }
}

fn located(list: Vec<(String, Option<usize>)>, origin: &Origin) -> Vec<Setting<String>> {
    list.into_iter()
        .map(|(value, line)| Setting {
            value,
            origin: at_line(origin, line),
        })
        .collect()
}

/// The origin, with a better line.
fn at_line(origin: &Origin, line: Option<usize>) -> Origin {
    match (origin, line) {
        (Origin::File { path, .. }, Some(line)) => Origin::File {
            path: path.clone(),
            line,
        },
        (origin, _) => origin.clone(),
    }
}

fn headers_of(key: &Key, given: Given<'_>, origin: &Origin) -> Result<Vec<Header>, String> {
    let parsed;
    let table: &Table = match given {
        Given::Toml(Value {
            data: Data::Table(table),
            ..
        }) => table,
        Given::Toml(_) => return Err(mistyped(key, given)),
        Given::Text(text) => {
            parsed = parse_value(text);
            match &parsed {
                Some(Value {
                    data: Data::Table(table),
                    ..
                }) => table,
                _ => return Err("must be a TOML table like `{ \"X-Name\" = \"value\" }`".into()),
            }
        }
    };
    if table.entries().len() > HEADERS_MAX {
        return Err(format!("has more than {HEADERS_MAX} headers"));
    }
    let mut headers: Vec<Header> = Vec::new();
    for entry in table.entries() {
        let line = matches!(given, Given::Toml(_)).then_some(entry.line);
        let Data::Text(value) = &entry.value.data else {
            return Err(format!(
                "must be {}, but {} is {}",
                key.kind.words(),
                quote(&entry.key),
                entry.value.data.kind()
            ));
        };
        let header = read_header(&entry.key, value, at_line(origin, line))?;
        if headers
            .iter()
            .any(|known| known.name.eq_ignore_ascii_case(&header.name))
        {
            return Err(format!("has {} twice", quote(&header.name)));
        }
        headers.push(header);
    }
    Ok(headers)
}
