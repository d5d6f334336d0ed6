//! From a request to a call: the nearest example of a tool, with the request's own pieces in its arguments.
//!
//! A request is served only if all of it is understood: each number, path, address and quoted string fills an argument,
//! and each other word is one of the example's, of other examples for the same thing, or courtesy. So a negation, a
//! condition or a second request is never passed over. A call that may change something needs more: it must be told to
//! do it, in the very words of an example and with all of them.

use std::collections::HashSet;

use crate::json::{Object, Value};
use crate::offline::example::{Example, Group, Slot, is_reading, word_before};
use crate::offline::material::{Kind, Piece, pieces};
use crate::offline::speech;
use crate::tool::{FIND_TOOLS, Tool};

/// How alike a request and an example must be, in thousandths, for the example to be taken at once.
pub(crate) const NEAR_THOUSANDTHS: u32 = 600;
/// The same once the catalog has said that the tool fits: more than half of what both say is the same.
pub(crate) const FOUND_THOUSANDTHS: u32 = 501;
/// Bytes of a request that is still a plain one.
const REQUEST_BYTES_MAX: usize = 8 * 1024;
/// Pieces of one.
const REQUEST_PIECES_MAX: usize = 64;

/// What an example makes of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Filled {
    Call {
        name: &'static str,
        arguments: Value,
    },
    /// The tool fits, but this argument finds no value in the request.
    Lacks {
        name: &'static str,
        argument: String,
    },
}

impl Filled {
    fn name(&self) -> &'static str {
        match self {
            Self::Call { name, .. } | Self::Lacks { name, .. } => name,
        }
    }
}

/// A request, read.
struct Asked {
    pieces: Vec<Piece>,
    /// The plain words; empty where a piece is no word.
    words: Vec<String>,
    /// Whether it tells somebody to do something, as far as its marks show: it is no question, or one to "you".
    is_told: bool,
}

impl Asked {
    fn read(request: &str) -> Option<Self> {
        if REQUEST_BYTES_MAX < request.len() {
            return None;
        }
        let (rest, is_asking) = speech::strip_courtesy(request);
        let pieces = pieces(rest);
        if REQUEST_PIECES_MAX < pieces.len() {
            return None;
        }
        let words = pieces.iter().map(|piece| match piece.kind {
            Kind::Word => speech::plain(&piece.text),
            _ => String::new(),
        });
        Some(Self {
            words: words.collect(),
            pieces,
            is_told: is_asking || !rest.trim_end().ends_with('?'),
        })
    }
}

/// The call that fits `request` best among the examples of all `known` tools, if one is near enough and its tool was
/// `sent`. So nothing is done by a tool at hand that another one is meant for.
pub(crate) fn fill(
    request: &str,
    known: &'static [Tool],
    sent: &[&'static Tool],
    near_thousandths: u32,
) -> Option<Filled> {
    let asked = Asked::read(request)?;
    let mut best: Option<((bool, u32, bool), Filled)> = None;
    let mut is_torn = false;
    for group in known
        .iter()
        .filter(|tool| tool.name != FIND_TOOLS)
        .flat_map(Group::all)
    {
        for example in &group.examples {
            let (filled, used) = adapt(&group, example, &asked);
            let Some(score) =
                score(&group, example, &asked, &used).filter(|score| near_thousandths <= *score)
            else {
                continue;
            };
            // What finds all its values is meant rather than what does not; of two that do, what has values alike.
            let rank = (
                matches!(filled, Filled::Call { .. }),
                score,
                is_alike(example, &asked, &used),
            );
            // What changes something is not chosen by the looks of a path: "create docs/new" may mean file or folder.
            let is_rival = |(top, other): &((bool, u32, bool), Filled)| {
                (top.0, top.1) == (rank.0, rank.1)
                    && other.name() != filled.name()
                    && !is_reading(group.tool)
            };
            let has_rival = best.as_ref().is_some_and(is_rival);
            if best
                .as_ref()
                .is_none_or(|(top, _)| (top.0, top.1) < (rank.0, rank.1))
            {
                is_torn = false;
            }
            is_torn |= has_rival;
            if best.as_ref().is_none_or(|(top, _)| *top < rank) {
                best = Some((rank, asked_back(&group, example, filled)));
            }
        }
    }
    let filled = best.filter(|_| !is_torn).map(|(_, filled)| filled)?;
    sent.iter()
        .any(|tool| tool.name == filled.name())
        .then_some(filled)
}

/// The call, unless it would change something by a value that nobody said: "create the file x" says nothing of what it
/// is to hold, and if there is one already, what it holds would be lost.
fn asked_back(group: &Group, example: &Example, filled: Filled) -> Filled {
    match (&filled, &example.unsaid) {
        (Filled::Call { name, .. }, Some(argument)) if !is_reading(group.tool) => Filled::Lacks {
            name,
            argument: argument.clone(),
        },
        _ => filled,
    }
}

/// Whether the paths of request and example look alike: files, which have an ending, or folders, which mostly have none.
fn is_alike(example: &Example, asked: &Asked, used: &[bool]) -> bool {
    let has_ending = |piece: &Piece| {
        piece
            .text
            .rsplit('/')
            .next()
            .is_some_and(|name| name.contains('.'))
    };
    let given = asked
        .pieces
        .iter()
        .zip(used)
        .filter(|(_, used)| **used)
        .map(|(piece, _)| has_ending(piece));
    let own = example
        .slots
        .iter()
        .filter_map(|slot| example.pieces.get(slot.at))
        .map(has_ending);
    given.eq(own)
}

/// How near the request is to the example, in thousandths; nothing if a part of it is not understood.
fn score(group: &Group, example: &Example, asked: &Asked, used: &[bool]) -> Option<u32> {
    let is_reading = is_reading(group.tool);
    let mut said = HashSet::new();
    for ((piece, word), used) in asked.pieces.iter().zip(&asked.words).zip(used) {
        if *used {
            continue;
        }
        if piece.kind != Kind::Word {
            return None;
        }
        let is_understood = if is_reading {
            let stem = speech::stem(word);
            !stem.is_empty() && group.stems.contains(&stem)
        } else {
            group.words.contains(word)
        };
        if is_understood {
            said.insert(word.clone());
        } else if !(speech::is_courtesy(word) || is_reading && speech::is_dress(word)) {
            return None;
        }
    }
    if is_reading {
        // What a request begins with is mostly its verb: "commit my changes" is no question about changes and commits.
        let first = asked
            .words
            .iter()
            .find(|word| !word.is_empty() && !speech::is_dress(word))?;
        if !group.begins_with(&speech::stem(first)) {
            return None;
        }
        likeness(group, &said, example)
    } else {
        told(&said, example, asked)
    }
}

/// Twice the weight of the shared stems over that of all, if one of them carries meaning.
fn likeness(group: &Group, said: &HashSet<String>, example: &Example) -> Option<u32> {
    let bare = |word: &String| !speech::is_dress(word);
    let stems = |words: Vec<String>| -> HashSet<(String, u32)> {
        words
            .iter()
            .map(|word| (speech::stem(word), speech::weight(word)))
            .collect()
    };
    let said = stems(said.iter().filter(|word| bare(word)).cloned().collect());
    let wanted = stems(example.words().filter(bare).collect());
    let weigh =
        |words: &HashSet<(String, u32)>| words.iter().map(|(_, weight)| weight).sum::<u32>();
    let shared: HashSet<(String, u32)> = said.intersection(&wanted).cloned().collect();
    // Neither words of grammar nor the tool's own name ("what is git") mean anything, unless nothing is missing.
    let name = crate::words::stems(group.tool.name);
    let is_heavy = |(stem, weight): &(String, u32)| {
        speech::weight("") <= *weight && !name.iter().any(|part| part == stem)
    };
    let heavy = |words: &HashSet<(String, u32)>| words.iter().filter(|word| is_heavy(word)).count();
    // Two thirds of what the example means are there, so that one word in common ("what is a file") makes no request.
    let is_meant = 0 < heavy(&shared) && 2 * heavy(&wanted) <= 3 * heavy(&shared)
        || said == wanted && !said.is_empty();
    is_meant.then(|| 2_000 * weigh(&shared) / (weigh(&said) + weigh(&wanted)))
}

/// The likeness of a request for a change: it begins as the example does, and says all that the example says, but for
/// the noun before what shows its kind itself ("delete a.txt" for "delete the file a.txt").
fn told(said: &HashSet<String>, example: &Example, asked: &Asked) -> Option<u32> {
    let words: HashSet<String> = example
        .words()
        .filter(|word| !speech::is_dress(word))
        .collect();
    let first = example
        .pieces
        .first()
        .map(|piece| speech::plain(&piece.text))?;
    let nouns = example.nouns();
    let is_said = |word: &String| said.contains(word) || *word != first && nouns.contains(word);
    let is_told = asked.is_told || speech::is_interrogative(&first);
    if !is_told || asked.words.first() != Some(&first) || !words.iter().all(is_said) {
        return None;
    }
    let apart = words.symmetric_difference(said).count();
    Some(1_000_u32.saturating_sub(u32::try_from(apart).unwrap_or(u32::MAX)))
}

/// The example's arguments with the request's pieces where the example has its own; and which pieces these are.
fn adapt(group: &Group, example: &Example, asked: &Asked) -> (Filled, Vec<bool>) {
    let name = group.tool.name;
    let mut used = vec![false; asked.pieces.len()];
    let mut arguments: Object = example.arguments.clone();
    let mut lacking: Option<&str> = None;
    for slot in &example.slots {
        match choose(group, example, slot, asked, &used) {
            Some(at) => {
                used[at] = true;
                arguments.insert(&slot.argument, shaped(&asked.pieces[at].text, &slot.value));
            }
            // Never left out, optional or not: the example without it would be another request.
            None => lacking = lacking.or(Some(&slot.argument)),
        }
    }
    let arguments = Value::Object(arguments);
    let lacking = lacking.or_else(|| match (group.tool.contract.bind)(&arguments) {
        Ok(_) => None,
        Err(_) => Some(example.slots.first().map_or("", |slot| &slot.argument)),
    });
    let filled = match lacking {
        Some(argument) => Filled::Lacks {
            name,
            argument: argument.to_owned(),
        },
        None => Filled::Call { name, arguments },
    };
    (filled, used)
}

/// The unused piece of the request that takes the place of the example's.
fn choose(
    group: &Group,
    example: &Example,
    slot: &Slot,
    asked: &Asked,
    used: &[bool],
) -> Option<usize> {
    let wanted = example.pieces.get(slot.at)?.kind;
    let own = group.anchors(&slot.argument);
    let others: HashSet<String> = example
        .slots
        .iter()
        .filter(|other| other.argument != slot.argument)
        .flat_map(|other| group.anchors(&other.argument))
        .filter(|word| !own.contains(word))
        .collect();
    let fits = |at: usize, piece: &Piece| {
        let before = word_before(&asked.pieces, at);
        let has =
            |words: &HashSet<String>| before.as_ref().is_some_and(|word| words.contains(word));
        match (wanted, piece.kind) {
            // A number means nothing without the word before it: a port, an id, a count.
            (Kind::Number, Kind::Number) => has(&own),
            (Kind::Path | Kind::Word, Kind::Path | Kind::Quoted) => !has(&others),
            (Kind::Path | Kind::Word, Kind::Word | Kind::Number) => {
                has(&group.naming) && is_name(piece, group)
            }
            (wanted, given) => wanted == given && !has(&others),
        }
    };
    // What looks as the example's does goes first.
    let free =
        |is_same: bool| {
            asked.pieces.iter().enumerate().find(|(at, piece)| {
                !used[*at] && (piece.kind == wanted) == is_same && fits(*at, piece)
            })
        };
    free(true).or_else(|| free(false)).map(|(at, _)| at)
}

/// Whether a bare word can be a name: no word of the request's own language, and spelled as names are.
fn is_name(piece: &Piece, group: &Group) -> bool {
    let word = speech::plain(&piece.text);
    let is_spelled = piece
        .text
        .chars()
        .all(|c| c.is_alphanumeric() || "._-+@".contains(c))
        && piece
            .text
            .starts_with(|c: char| c.is_alphanumeric() || c == '_');
    is_spelled
        && !speech::is_dress(&word)
        && !speech::is_light(&word)
        && !crate::words::is_stop_word(&word)
        && !group.words.contains(&word)
}

/// `text` in the shape of the example's value.
fn shaped(text: &str, value: &Value) -> Value {
    match value {
        Value::Array(_) => Value::Array(vec![Value::from(text)]),
        Value::Int(_) => text
            .parse::<i64>()
            .map_or_else(|_| Value::from(text), Value::from),
        Value::String(old) if old.ends_with('\n') => Value::from(format!("{text}\n")),
        _ => Value::from(text),
    }
}
