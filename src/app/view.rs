//! What a run shows: the answer on standard output in one of three formats, all else on standard error.

use std::io;

use crate::json::{self, Object, Value, object};
use crate::text::{self, Paint, Style};
use crate::tool::{Reply, Request, Verdict};
use crate::world::{Cancel, Standard, World};

/// The version of the JSON that runs print.
pub(crate) const SCHEMA_VERSION: u32 = 1;
/// A call's arguments, on the one line that tells of it.
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

/// What a run came to: the last object of the JSON formats.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) exit_code: u8,
    pub(crate) status: &'static str,
    pub(crate) text: String,
    pub(crate) model: Option<String>,
    pub(crate) endpoint: Option<String>,
    pub(crate) usage: Tokens,
    pub(crate) requests: u64,
    pub(crate) sent: Vec<String>,
    pub(crate) loaded: Vec<String>,
    pub(crate) schema_tokens: u64,
    pub(crate) error: Option<(&'static str, String)>,
}

/// Tokens as endpoints reported them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tokens {
    pub(crate) prompt: u64,
    pub(crate) completion: u64,
    pub(crate) cached: u64,
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
    /// Whether standard output stands at the start of a line.
    is_at_line_start: bool,
    has_printed: bool,
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
            is_at_line_start: true,
            has_printed: false,
        }
    }

    /// The flag that ends a write which waits for a slow reader; a new turn brings a new one.
    pub(crate) fn renew(&mut self, cancel: Cancel) {
        self.cancel = cancel;
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
                self.is_at_line_start = piece.ends_with('\n');
                self.has_printed = true;
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
                self.error_text(&text::sanitize(piece))
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
        let line = format!("· {} {arguments}", text::sanitize(&request.name));
        let line = self.dimmed(&line);
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
        } else if self.is_telling() && (!is_ok || self.loudness == Loudness::Verbose) {
            let word = if is_ok { "" } else { "failed: " };
            let line = format!("  {word}{}", reply.text.trim());
            let line = self.dimmed(&line);
            self.line(&line)?;
        }
        match &reply.hint {
            Some(hint) => self.notice(Level::Warning, "consent", hint),
            None => Ok(()),
        }
    }

    /// Something that a person must know, on standard error, and an event.
    pub(crate) fn notice(&mut self, level: Level, kind: &str, message: &str) -> io::Result<()> {
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

    /// What ends a run or a turn, on standard error, and an event.
    pub(crate) fn error(&mut self, kind: &str, message: &str) -> io::Result<()> {
        self.event(object! { "type": "error", "kind": kind, "message": message })?;
        let prefix = self.paint.wrap(Style::Red, "ankita:");
        self.line(&format!("{prefix} {}", text::sanitize(message)))
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
        self.is_at_line_start = listing.ends_with('\n');
        self.flush()
    }

    /// One line for standard error, after whatever of the answer waits.
    pub(crate) fn line(&mut self, line: &str) -> io::Result<()> {
        if self.shares_terminal() {
            self.end_line();
        }
        self.flush()?;
        self.error_text(&format!("{line}\n"))
    }

    /// Writes what waits.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if self.out.is_empty() {
            return Ok(());
        }
        let out = std::mem::take(&mut self.out);
        let written = self.world.write(Standard::Output, &out, &self.cancel);
        self.out = out;
        self.out.clear();
        written
    }

    /// Text for standard error as it is; that nobody reads it is no reason to stop.
    pub(crate) fn error_text(&mut self, text: &str) -> io::Result<()> {
        match self
            .world
            .write(Standard::Error, text.as_bytes(), &self.cancel)
        {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    /// A line about a call, short and quiet.
    fn dimmed(&self, line: &str) -> String {
        let line = text::one_line(&text::sanitize(line), CALL_CELLS_MAX);
        self.paint.wrap(Style::Dim, &line).into_owned()
    }

    /// Whether calls are told of, one line each.
    fn is_telling(&self) -> bool {
        let is_seen =
            self.format == Format::Text && self.world.console.is_terminal(Standard::Error);
        self.loudness == Loudness::Verbose || (is_seen && self.loudness == Loudness::Normal)
    }

    /// Whether both streams end on the screen, so that a line of talk must not continue a line of the answer.
    fn shares_terminal(&self) -> bool {
        self.format == Format::Text && self.world.console.is_terminal(Standard::Output)
    }

    fn end_line(&mut self) {
        if self.format == Format::Text && self.has_printed && !self.is_at_line_start {
            self.out.push(b'\n');
            self.is_at_line_start = true;
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

fn result_object(summary: &Summary) -> Object {
    let names = |list: &[String]| {
        list.iter()
            .map(|name| Value::from(name.as_str()))
            .collect::<Vec<_>>()
    };
    let usage = object! {
        "prompt_tokens": summary.usage.prompt, "completion_tokens": summary.usage.completion,
        "cached_tokens": summary.usage.cached,
    };
    let tools = object! {
        "sent": names(&summary.sent), "loaded": names(&summary.loaded), "tokens": summary.schema_tokens,
    };
    let mut result = Object::new();
    result.insert("type", "result");
    result.insert("schema_version", SCHEMA_VERSION);
    result.insert("status", summary.status);
    result.insert("exit_code", u32::from(summary.exit_code));
    result.insert("text", summary.text.as_str());
    result.insert("session_id", Value::Null);
    result.insert("model", summary.model.as_deref().map(Value::from));
    result.insert("endpoint", summary.endpoint.as_deref().map(Value::from));
    result.insert("usage", usage);
    result.insert("requests", summary.requests);
    result.insert("tools", tools);
    if let Some((kind, message)) = &summary.error {
        result.insert(
            "error",
            object! { "kind": *kind, "message": message.as_str() },
        );
    }
    result
}
