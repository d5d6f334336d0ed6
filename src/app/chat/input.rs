//! Standard input as data: read, waited for or left alone by stated rules, and never dropped in silence.

use std::io;
use std::time::Duration;

use crate::text;
use crate::world::{Cancel, Event, InputKind, Interest, Moment, Signal, Standard, World};

/// Bytes taken from a pipe at once.
const PIECE_BYTES_MAX: usize = 64 * 1024;
/// After this long a person at the terminal is told what is being waited for.
const TELL_AFTER: Duration = Duration::from_millis(500);

/// How standard input is to be treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InputRules {
    /// `--stdin` (true), `--no-stdin` (false), or neither.
    pub(crate) is_wanted: Option<bool>,
    pub(crate) has_prompt: bool,
    /// How long a pipe may stay silent beside a prompt.
    pub(crate) wait: Duration,
    pub(crate) bytes_max: u64,
}

/// What standard input held.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Piped {
    /// `None`: nothing was read.
    pub(crate) text: Option<String>,
    /// What a person must know: that it was cut, or not UTF-8.
    pub(crate) notes: Vec<String>,
    /// Went on without: bytes that come later are an error.
    pub(crate) is_watched: bool,
}

/// Why reading ended early.
#[derive(Debug)]
pub(crate) enum InputFault {
    Io(io::Error),
    Signal(Signal),
}

/// Reads standard input by `rules`; `tell` takes what a person must know at once.
pub(crate) fn read(
    world: &World,
    rules: InputRules,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&str),
) -> Result<Piped, InputFault> {
    let kind = world.console.input_kind();
    match (rules.is_wanted, kind) {
        (Some(false), _)
        | (None, InputKind::Terminal | InputKind::Empty)
        | (Some(true), InputKind::Empty) => return Ok(Piped::default()),
        _ => (),
    }
    let may_go_on_without =
        rules.is_wanted.is_none() && kind == InputKind::Pipe && rules.has_prompt;
    if may_go_on_without && !first_byte(world, rules, cancel, tell)? {
        return Ok(Piped {
            is_watched: true,
            ..Piped::default()
        });
    }
    let (bytes, is_cut) = drain(world, rules.bytes_max, cancel)?;
    Ok(decode(&bytes, is_cut))
}

/// Waits for a first byte or the end. False: it goes on without.
fn first_byte(
    world: &World,
    rules: InputRules,
    cancel: &Cancel,
    tell: &mut dyn FnMut(&str),
) -> Result<bool, InputFault> {
    let began = world.clock.now();
    let is_watched = world.console.is_terminal(Standard::Error);
    let mut until: Option<Moment> =
        Some(began.after(if is_watched { TELL_AFTER } else { rules.wait }));
    loop {
        match next(world, until, cancel)? {
            true => return Ok(true),
            false if is_watched => {
                tell("waiting for standard input; `--no-stdin` goes on without it");
                until = None;
            }
            false => {
                let seconds = rules.wait.as_secs_f64();
                tell(&format!(
                    "nothing came on standard input for {seconds} s, going on without it; `--stdin` waits, `--no-stdin` does not"
                ));
                return Ok(false);
            }
        }
    }
}

/// Whether standard input is ready before `until`.
fn next(world: &World, until: Option<Moment>, cancel: &Cancel) -> Result<bool, InputFault> {
    let source = world.console.source(Standard::Input);
    loop {
        match world.threads.wait(&[Interest::read(source)], until) {
            Event::Ready(_) => return Ok(true),
            Event::Signal(signal) => {
                cancel.set();
                return Err(InputFault::Signal(signal));
            }
            Event::Tick if until.is_some_and(|until| until <= world.clock.now()) => {
                return Ok(false);
            }
            Event::Finished(..) | Event::Tick => (),
        }
    }
}

/// Reads to the end or to `bytes_max`; the flag says that there is more.
fn drain(world: &World, bytes_max: u64, cancel: &Cancel) -> Result<(Vec<u8>, bool), InputFault> {
    let bytes_max = usize::try_from(bytes_max).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    let mut piece = vec![0; PIECE_BYTES_MAX];
    let is_waiting = world.console.input_kind() != InputKind::File;
    loop {
        if is_waiting {
            next(world, None, cancel)?;
        }
        let count = match world.console.read(&mut piece) {
            Ok(count) => count,
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                ) =>
            {
                continue;
            }
            Err(error) => return Err(InputFault::Io(error)),
        };
        if count == 0 {
            return Ok((bytes, false));
        }
        let room = bytes_max - bytes.len();
        bytes.extend_from_slice(&piece[..count.min(room)]);
        if room < count {
            return Ok((bytes, true));
        }
    }
}

/// The text, with a mark where it was cut.
fn decode(bytes: &[u8], is_cut: bool) -> Piped {
    let (mut content, is_lossy) = text::lossy(bytes);
    let mut notes = Vec::new();
    if is_cut {
        notes.push(format!(
            "standard input was cut after {} bytes (`stdin.bytes_max`)",
            bytes.len()
        ));
        content.push_str(&format!(
            "\n… (standard input was cut here, after {} bytes)",
            bytes.len()
        ));
    }
    if is_lossy {
        notes.push(
            "standard input is not all UTF-8; what is not was replaced by \u{FFFD}".to_owned(),
        );
    }
    Piped {
        text: (!content.is_empty()).then_some(content),
        notes,
        is_watched: false,
    }
}

/// The person's line and the data, with marks around the data.
pub(crate) fn join(prompt: &str, piped: Option<&str>) -> String {
    match (prompt, piped) {
        (prompt, None) => prompt.to_owned(),
        ("", Some(data)) => data.to_owned(),
        (prompt, Some(data)) => {
            let end = if data.ends_with('\n') { "" } else { "\n" };
            format!("{prompt}\n\n<stdin>\n{data}{end}</stdin>")
        }
    }
}
