//! `ankita models`: what the endpoint offers.

use std::io;

use crate::app::conversation::Conversation;
use crate::app::start::Start;
use crate::app::view::Format;
use crate::app::{fail, plain_view, written};
use crate::chat::Model;
use crate::error::Error;
use crate::world::World;

/// Lists the models, one a line: the id, its limit, what it is not fit for.
pub(crate) fn list(world: &World, start: &Start) -> u8 {
    match listing(world, start) {
        Ok(code) => code,
        Err(error) => written(world, &error),
    }
}

fn listing(world: &World, start: &Start) -> io::Result<u8> {
    let refused = |error: Error| fail(world, Format::Text, &error);
    let mut conversation = match Conversation::new(world, start, plain_view(world, &start.flags)) {
        Ok(conversation) => conversation,
        Err(error) => return Ok(refused(error)),
    };
    let models = match conversation.list_models()? {
        Ok(models) => models,
        Err(error) => return Ok(refused(error)),
    };
    let rows: String = models.iter().map(row).collect();
    conversation.view.print(if rows.is_empty() {
        "(the endpoint lists no models)\n"
    } else {
        &rows
    })?;
    Ok(0)
}

fn row(model: &Model) -> String {
    let mut notes = Vec::new();
    notes.extend(
        model
            .prompt_limit
            .map(|limit| format!("prompt up to {limit} tokens")),
    );
    notes.extend(model.is_default.then(|| "default".to_owned()));
    notes.extend((!model.is_chat).then(|| "not for chat".to_owned()));
    notes.extend((!model.is_usable).then(|| "not enabled".to_owned()));
    notes.extend((model.has_tools == Some(false)).then(|| "no tools".to_owned()));
    format!(
        "{}{}{}\n",
        model.id,
        if notes.is_empty() { "" } else { "  " },
        notes.join(", ")
    )
}
