//! What a run shows: the answer on standard output in one of three formats, all else on standard error.

mod put;
mod summary;
#[cfg(test)]
mod tests;

use std::io;

use crate::json::{self, Value, object};
use crate::redact::redact;
use crate::text::{self, Paint, Style};
use crate::tool::{Reply, Request, Verdict};
use crate::world::{Cancel, Moment, Standard, World};

use self::summary::{SCHEMA_VERSION, result_object};
pub(crate) use self::summary::{Summary, Tokens};

/// A line about a call where there is no terminal to say how wide it is.
const CALL_CELLS_MAX: usize = 100;
/// Output waits for the end of a piece, or for this many bytes.
const BUFFER_BYTES_MAX: usize = 64 * 1024;

/// The three output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Json,
    StreamJson,
    Text,
}

/// How loud standard error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loudness {
    Quiet,
    Normal,
    Verbose,
}

/// How grave a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Info,
    Warning,
}

/// What stands last on standard error, without a line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Nothing,
    /// A line that the next output wipes away.
    Passing,
    /// A piece of what the model thinks.
    Thinking,
}

/// Where a run shows things.
pub(crate) struct View<'w> {
    world: &'w World,
    format: Format,
    loudness: Loudness,
    /// Colours for standard error.
    paint: Paint,
    /// Ends a write that waits for a slow reader.
    cancel: Cancel,
    out: Vec<u8>,
    /// Whether standard output stands behind something in its line.
    is_mid_line: bool,
    standing: Standing,
    /// Whether no line tells of calls.
    has_untold_calls: bool,
    /// How long readers may still be waited for, once a signal came.
    until: Option<Moment>,
    /// Known secrets, which servers may echo: no message shows them.
    secrets: Vec<String>,
}

impl<'w> View<'w> {
    pub(crate) fn new(
        world: &'w World,
        format: Format,
        loudness: Loudness,
        paint: Paint,
        cancel: Cancel,
    ) -> Self {
        Self {
            world,
            format,
            loudness,
            paint,
            cancel,
            out: Vec::new(),
            is_mid_line: false,
            standing: Standing::Nothing,
            has_untold_calls: false,
            until: None,
            secrets: Vec::new(),
        }
    }

    /// The flag that ends a write which waits for a slow reader; a new turn brings a new one.
    pub(crate) fn renew(&mut self, cancel: Cancel) {
        self.cancel = cancel;
        self.until = None;
    }

    /// Whether standard output is the answer alone.
    pub(crate) fn is_plain(&self) -> bool {
        self.format == Format::Text
    }

    /// The first event of a run.
    pub(crate) fn init(
        &mut self,
        model: Option<&str>,
        endpoint: &str,
        directory: &str,
        tools: &[String],
    ) -> io::Result<()> {
        let tools: Vec<Value> = tools
            .iter()
            .map(|name| Value::from(name.as_str()))
            .collect();
        self.event(object! {
            "type": "init", "schema_version": SCHEMA_VERSION, "session_id": Value::Null, "model": model.map(Value::from),
            "endpoint": endpoint, "cwd": directory, "tools": tools,
        })
    }

    /// A piece of the answer.
    pub(crate) fn text(&mut self, piece: &str) -> io::Result<()> {
        if piece.is_empty() {
            return Ok(());
        }
        match self.format {
            Format::Text => {
                let piece = text::sanitize(piece);
                self.out.extend_from_slice(piece.as_bytes());
                self.is_mid_line = !piece.ends_with('\n');
            }
            Format::StreamJson => {
                self.out
                    .extend_from_slice(br#"{"type":"message","role":"assistant","text":"#);
                json::write_string(piece, &mut self.out);
                self.out.extend_from_slice(b",\"delta\":true}\n");
            }
            Format::Json => return Ok(()),
        }
        if BUFFER_BYTES_MAX < self.out.len() {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// A piece of what the model thinks; never part of the answer.
    pub(crate) fn reasoning(&mut self, piece: &str) -> io::Result<()> {
        match self.format {
            Format::StreamJson => {
                self.event(object! { "type": "reasoning", "text": piece, "delta": true })
            }
            Format::Text if self.loudness == Loudness::Verbose => {
                if self.standing != Standing::Thinking && self.shares_terminal() {
                    self.end_line();
                }
                self.flush()?;
                self.standing = Standing::Thinking;
                let piece = text::sanitize(piece);
                let piece = self.paint.wrap(Style::Dim, &piece);
                self.put_error(&piece)
            }
            Format::Text | Format::Json => Ok(()),
        }
    }

    /// The end of one answer; another may follow after calls.
    pub(crate) fn answered(&mut self, whole: &str) -> io::Result<()> {
        match self.format {
            Format::StreamJson if !whole.is_empty() => {
                self.event(object! { "type": "message", "role": "assistant", "text": whole, "delta": false })?;
            }
            _ => self.end_line(),
        }
        self.flush()
    }

    /// What the requests carry from now on.
    pub(crate) fn tools(&mut self, loaded: &[String], tokens: u64) -> io::Result<()> {
        let loaded: Vec<Value> = loaded
            .iter()
            .map(|name| Value::from(name.as_str()))
            .collect();
        self.event(object! { "type": "tools", "loaded": loaded, "dropped": Vec::<Value>::new(), "tokens": tokens })
    }

    /// A call begins.
    pub(crate) fn tool_use(&mut self, request: &Request) -> io::Result<()> {
        let parsed = json::parse(request.arguments.as_bytes())
            .ok()
            .filter(|value| value.as_object().is_some());
        let arguments = parsed.unwrap_or_else(|| Value::from(request.arguments.as_str()));
        if self.format == Format::StreamJson {
            return self.event(object! {
                "type": "tool_use", "id": request.id.as_str(), "name": request.name.as_str(), "arguments": arguments,
            });
        }
        if !self.is_telling() {
            return Ok(());
        }
        let line = self.dimmed("· ", &format!("{} {arguments}", request.name));
        self.line(&line)
    }

    /// A call ended.
    pub(crate) fn tool_result(&mut self, reply: &Reply) -> io::Result<()> {
        let is_ok = reply.verdict == Verdict::Done;
        if self.format == Format::StreamJson {
            self.event(object! {
                "type": "tool_result", "id": reply.id.as_str(), "name": reply.name.as_str(), "ok": is_ok,
                "text": reply.text.as_str(), "ms": reply.ms,
            })?;
        } else if self.is_told(reply.verdict) {
            let word = if is_ok { "  " } else { "  failed: " };
            let line = self.dimmed(word, &reply.text);
            self.line(&line)?;
        }
        match &reply.hint {
            Some(hint) => self.notice(Level::Warning, "consent", hint),
            None => Ok(()),
        }
    }

    /// Something that a person must know, on standard error, and an event.
    pub(crate) fn notice(&mut self, level: Level, kind: &str, message: &str) -> io::Result<()> {
        let message = &*redact(message, &self.secrets);
        let word = match level {
            Level::Info => "info",
            Level::Warning => "warning",
        };
        self.event(object! { "type": "notice", "level": word, "kind": kind, "text": message })?;
        if self.loudness == Loudness::Quiet {
            return Ok(());
        }
        let prefix = if level == Level::Warning {
            self.paint.wrap(Style::Yellow, "ankita:")
        } else {
            "ankita:".into()
        };
        self.line(&format!("{prefix} {}", text::sanitize(message)))
    }

    /// What ends a run or a turn, on standard error however quiet it is, and an event.
    pub(crate) fn error(&mut self, kind: &str, message: &str) -> io::Result<()> {
        let message = &*redact(message, &self.secrets);
        self.event(object! { "type": "error", "kind": kind, "message": message })?;
        let prefix = self.paint.wrap(Style::Red, "ankita:");
        self.line(&format!("{prefix} {}", text::sanitize(message)))
    }

    /// Hides `secrets` in every message from now on.
    pub(crate) fn hide(&mut self, secrets: Vec<String>) {
        self.secrets = secrets;
    }

    /// The last object of the JSON formats.
    pub(crate) fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        match self.format {
            Format::Text => self.end_line(),
            Format::Json | Format::StreamJson => {
                json::write(&Value::Object(result_object(summary)), &mut self.out);
                self.out.push(b'\n');
            }
        }
        self.flush()
    }

    /// Text for standard output that is no answer: listings and help.
    pub(crate) fn print(&mut self, listing: &str) -> io::Result<()> {
        self.out
            .extend_from_slice(text::sanitize(listing).as_bytes());
        self.is_mid_line = !listing.is_empty() && !listing.ends_with('\n');
        self.flush()
    }

    /// A result for standard output, which ends in a line end.
    pub(crate) fn print_line(&mut self, result: &str) -> io::Result<()> {
        self.print(result)?;
        if self.is_mid_line {
            self.print("\n")?;
        }
        Ok(())
    }

    /// Tells of no call from now on: whoever made it says what came of it.
    pub(crate) fn leave_calls_untold(&mut self) {
        self.has_untold_calls = true;
    }

    /// One line for standard error, after whatever of the answer waits.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        if self.shares_terminal() {
            self.end_line();
        }
        self.flush()?;
        self.error_text(&format!("{line}\n"))
    }

    /// A line about a call, short and quiet.
    fn dimmed(&self, prefix: &str, line: &str) -> String {
        // The last cell stays free: in it the cursor would hang between two lines.
        let columns = self.world.console.columns();
        let cells = columns.map_or(CALL_CELLS_MAX, |columns| columns.saturating_sub(1));
        let room = cells.saturating_sub(text::cells(prefix));
        let line = format!("{prefix}{}", text::one_line(line, room));
        self.paint.wrap(Style::Dim, &line).into_owned()
    }

    /// A quiet line that only people at a terminal are shown.
    pub(crate) fn aside(&mut self, line: &str) -> io::Result<()> {
        let is_seen = self.world.console.is_terminal(Standard::Error);
        if self.format != Format::Text || !is_seen || self.loudness == Loudness::Quiet {
            return self.flush();
        }
        let line = self.dimmed("", line);
        self.line(&line)
    }

    /// Whether a line can be shown that is wiped away again.
    pub(crate) fn has_passing_lines(&self) -> bool {
        self.paint.is_on
            && self.format == Format::Text
            && self.loudness != Loudness::Quiet
            && self.world.console.is_terminal(Standard::Error)
    }

    /// Whether a call's end gets a line: of those that went well only the curious hear.
    fn is_told(&self, verdict: Verdict) -> bool {
        let is_common = matches!(verdict, Verdict::Done | Verdict::Cancelled);
        self.is_telling() && (!is_common || self.loudness == Loudness::Verbose)
    }

    /// Whether calls are told of, one line each.
    fn is_telling(&self) -> bool {
        let is_seen =
            self.format == Format::Text && self.world.console.is_terminal(Standard::Error);
        !self.has_untold_calls
            && (self.loudness == Loudness::Verbose
                || (is_seen && self.loudness == Loudness::Normal))
    }

    /// Whether both streams end on the screen, so that a line of talk must not continue a line of the answer.
    fn shares_terminal(&self) -> bool {
        self.format == Format::Text && self.world.console.is_terminal(Standard::Output)
    }

    fn end_line(&mut self) {
        if self.format == Format::Text && std::mem::take(&mut self.is_mid_line) {
            self.out.push(b'\n');
        }
    }

    fn event(&mut self, event: Value) -> io::Result<()> {
        if self.format != Format::StreamJson {
            return Ok(());
        }
        json::write(&event, &mut self.out);
        self.out.push(b'\n');
        self.flush()
    }
}
