//! The question before a call, and a person's answer to it.

use std::io;

use crate::app::pump::Pump;
use crate::app::typed::{Lines, Typed};
use crate::app::view::View;
use crate::text::{self, Paint, Style};
use crate::tool::{Answer, Effect, Question};
use crate::world::{Signal, World};

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    Answer(Answer),
    /// Nobody answered; the turn ends.
    Signal(Signal),
}

/// Shows `question` on standard error and waits for a line. Only `y` and `yes` agree; Enter alone, the end of input
/// and anything else is no.
pub(crate) fn ask(
    question: &Question,
    world: &World,
    pump: &mut Pump<'_>,
    lines: &mut Lines,
    view: &mut View<'_>,
    paint: Paint,
) -> io::Result<Asked> {
    if let Some(signal) = lines.clear_for_question(world, pump)? {
        return Ok(Asked::Signal(signal));
    }
    view.line(&shown(question, paint))?;
    let verb = if question.effect == Effect::Destroy {
        "this cannot be undone, do it?"
    } else {
        "do it?"
    };
    view.error_text(&format!("{} [y/N] ", paint.wrap(Style::Bold, verb)))?;
    Ok(match lines.next_new(world, pump)? {
        Typed::Line(line) if matches!(line.trim().to_lowercase().as_str(), "y" | "yes") => {
            Asked::Answer(Answer::Yes)
        }
        Typed::Line(_) => Asked::Answer(Answer::No),
        Typed::End => {
            view.error_text("\n")?;
            Asked::Answer(Answer::No)
        }
        Typed::Signal(signal) => {
            view.break_line()?;
            lines.forget();
            Asked::Signal(signal)
        }
    })
}

/// The question's text: what would happen, line by line, diffs in colour, nothing that could move the cursor.
fn shown(question: &Question, paint: Paint) -> String {
    let title = format!("{} {}:", question.tool, purpose(question.effect));
    let mut rows = vec![paint.wrap(Style::Bold, &title).into_owned()];
    let is_diff = question.shown.starts_with("--- ");
    for line in question.shown.lines() {
        let line = text::sanitize(line);
        let style = match line.chars().next().filter(|_| is_diff) {
            Some('+') => Some(Style::Green),
            Some('-') => Some(Style::Red),
            Some('@') => Some(Style::Cyan),
            _ => None,
        };
        let line = style.map_or_else(|| line.clone(), |style| paint.wrap(style, &line));
        rows.push(format!("  {line}"));
    }
    rows.extend(
        question
            .places
            .iter()
            .map(|place| format!("  {}", paint.wrap(Style::Yellow, &text::sanitize(place)))),
    );
    rows.join("\n")
}

/// What the question says of a call before it shows it.
fn purpose(effect: Effect) -> &'static str {
    match effect {
        Effect::Read | Effect::Own | Effect::Change => "asks for your consent",
        Effect::Reach => "wants to reach the network",
        Effect::Spend => "wants to spend money or use your credentials",
        Effect::Destroy => "wants to destroy",
    }
}

#[cfg(test)]
mod tests;
