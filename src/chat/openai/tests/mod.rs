//! Answers in memory: the short way against the long one, errors, lists of models.

mod differential;
mod errors;
mod models;

use crate::chat::openai::{BodyEnd, Progress, Reader, Source};
use crate::chat::{Answer, Event, Fault};
use crate::wire::{Body, ResponseHead, ResponseReader};

fn source() -> Source {
    Source {
        route: "`http://127.0.0.1:4141`".to_owned(),
        path: "/chat/completions".to_owned(),
        now: 1_772_366_400,
    }
}

/// A head as it comes over the wire.
fn head(text: &str) -> ResponseHead {
    let (head, _) = ResponseReader::new()
        .push(text.as_bytes())
        .unwrap()
        .unwrap();
    head
}

/// Pieces of text and of thoughts, each with which it is.
type Shown = Vec<(bool, String)>;

/// Reads a body in pieces; gives the result, and what was shown in joined pieces.
fn read(
    head: &ResponseHead,
    body: &[u8],
    piece: usize,
    is_slow: bool,
) -> (Result<Answer, Fault>, Shown) {
    let known = vec!["edit_existing_file".to_owned()];
    let mut reader = Reader::new(head.clone(), source(), known, 7);
    if is_slow {
        reader.take_the_long_way();
    }
    let mut shown = Shown::new();
    let mut sink = |event: Event<'_>| match event {
        Event::Text(text) => shown.push((true, text.to_owned())),
        Event::Reasoning(text) => shown.push((false, text.to_owned())),
        other => panic!("{other:?}"),
    };
    let mut end = BodyEnd::Complete;
    for bytes in body.chunks(piece.max(1)) {
        if reader.push(bytes, &mut sink) == Progress::Ended {
            end = BodyEnd::Stopped;
            break;
        }
    }
    let result = reader.finish(end, &mut sink);
    (result, shown)
}

/// The head and the body, without its framing, of a response; `None` if it is none.
fn split(bytes: &[u8]) -> Option<(ResponseHead, Vec<u8>)> {
    let (head, used) = ResponseReader::new().push(bytes).ok()??;
    let mut body = Body::of_response(&head, "POST").ok()?;
    let mut out = Vec::new();
    let _ = body.push(bytes.get(used..)?, &mut out);
    Some((head, out))
}
