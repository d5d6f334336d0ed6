//! The console of the fake world: what is typed, at which moments, and what was written.

use std::io::{self, ErrorKind};
use std::time::Duration;

use super::stream::{End, Entry, Pipe, Sources, Step};
use super::{Fake, fault};
use crate::world::{Cancel, Clock, Console, InputKind, Moment, Source, Standard, Threads};

/// One thing that happens on standard input.
#[derive(Clone, Debug)]
pub(crate) enum Typed {
    /// These bytes, so long after what came before.
    Bytes(Duration, Vec<u8>),
    /// The end, so long after what came before.
    End(Duration),
}

/// One output.
#[derive(Default)]
struct Output {
    written: Vec<u8>,
    is_terminal: bool,
    /// After so many bytes the reader is gone.
    bytes_max: Option<usize>,
    /// So many bytes a time, and how long each takes.
    pace: Option<(usize, Duration)>,
}

pub(super) struct State {
    input: Source,
    input_kind: InputKind,
    output: Output,
    output_source: Source,
    error: Output,
    error_source: Source,
    columns: Option<usize>,
}

impl State {
    /// Standard input at its end, two outputs that are no terminals.
    pub(super) fn new(sources: &mut Sources) -> Self {
        let mut add = || {
            let pipe = Pipe::new(Moment::default(), usize::MAX, usize::MAX);
            sources.add(Entry::Stream(Box::new(pipe)))
        };
        let (input, output_source, error_source) = (add(), add(), add());
        if let Some(pipe) = sources.pipe(input) {
            pipe.end_at(Moment::default(), End::Fin);
        }
        Self {
            input,
            input_kind: InputKind::Empty,
            output: Output::default(),
            output_source,
            error: Output::default(),
            error_source,
            columns: None,
        }
    }

    fn output(&mut self, which: Standard) -> (&mut Output, Source) {
        match which {
            Standard::Output => (&mut self.output, self.output_source),
            Standard::Input | Standard::Error => (&mut self.error, self.error_source),
        }
    }
}

impl Fake {
    /// Sets what standard input is and what comes from it; without an end in `typed` it stays open in silence.
    pub(crate) fn set_input(&self, kind: InputKind, typed: Vec<Typed>) -> &Self {
        let mut state = self.look();
        let mut pipe = Pipe::new(state.now, usize::MAX, usize::MAX);
        let steps = typed.into_iter().map(|typed| match typed {
            Typed::Bytes(delay, bytes) => Step::Send {
                bytes: bytes.into(),
                delay,
                times: 1,
            },
            Typed::End(delay) => Step::End {
                end: End::Fin,
                delay,
            },
        });
        pipe.script(steps);
        let source = state.console.input;
        state.sources.replace(source, Entry::Stream(Box::new(pipe)));
        state.console.input_kind = kind;
        drop(state);
        self
    }

    /// A pipe or file on standard input with these bytes and then its end.
    pub(crate) fn pipe_in(&self, bytes: impl AsRef<[u8]>) -> &Self {
        let bytes = bytes.as_ref().to_vec();
        let typed = vec![
            Typed::Bytes(Duration::ZERO, bytes),
            Typed::End(Duration::ZERO),
        ];
        self.set_input(InputKind::Pipe, typed)
    }

    /// Says which of standard output and error is a terminal (for input see [`Fake::set_input`]).
    pub(crate) fn set_terminals(&self, output: bool, error: bool, columns: usize) -> &Self {
        let mut state = self.look();
        state.console.output.is_terminal = output;
        state.console.error.is_terminal = error;
        state.console.columns = (output || error).then_some(columns);
        drop(state);
        self
    }

    /// The reader of an output goes away after so many bytes; what does not fit fails with `BrokenPipe`.
    pub(crate) fn close_output_after(&self, which: Standard, bytes_max: usize) -> &Self {
        let mut state = self.look();
        let now = state.now;
        let (output, source) = state.console.output(which);
        output.bytes_max = Some(bytes_max);
        let is_gone = output.written.len() >= bytes_max;
        if is_gone && let Some(pipe) = state.sources.pipe(source) {
            pipe.end_at(now, End::Reset);
        }
        drop(state);
        self
    }

    /// The reader of an output takes `bytes` every `time` only.
    pub(crate) fn slow_output(&self, which: Standard, bytes: usize, time: Duration) -> &Self {
        self.look().console.output(which).0.pace = Some((bytes.max(1), time));
        self
    }

    /// What was written to standard output.
    pub(crate) fn stdout(&self) -> Vec<u8> {
        self.look().console.output.written.clone()
    }

    /// The same as text.
    pub(crate) fn stdout_text(&self) -> String {
        String::from_utf8_lossy(&self.stdout()).into_owned()
    }

    /// What was written to standard error, as text.
    pub(crate) fn stderr_text(&self) -> String {
        String::from_utf8_lossy(&self.look().console.error.written).into_owned()
    }

    /// Writes what the reader takes at once.
    fn put_out(&self, to: Standard, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.look();
        let now = state.now;
        let (output, source) = state.console.output(to);
        let room = output
            .bytes_max
            .map_or(usize::MAX, |max| max.saturating_sub(output.written.len()));
        let count = bytes.len().min(room);
        output
            .written
            .extend_from_slice(bytes.get(..count).unwrap_or_default());
        let is_gone = output
            .bytes_max
            .is_some_and(|max| output.written.len() >= max);
        if is_gone && let Some(pipe) = state.sources.pipe(source) {
            pipe.end_at(now, End::Reset);
        }
        if count < bytes.len() {
            return Err(fault(ErrorKind::BrokenPipe, "Broken pipe"));
        }
        Ok(())
    }
}

impl Console for Fake {
    fn is_terminal(&self, which: Standard) -> bool {
        let state = self.look();
        match which {
            Standard::Input => state.console.input_kind == InputKind::Terminal,
            Standard::Output => state.console.output.is_terminal,
            Standard::Error => state.console.error.is_terminal,
        }
    }

    fn input_kind(&self) -> InputKind {
        self.look().console.input_kind
    }

    fn source(&self, which: Standard) -> Source {
        let state = self.look();
        match which {
            Standard::Input => state.console.input,
            Standard::Output => state.console.output_source,
            Standard::Error => state.console.error_source,
        }
    }

    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut state = self.enter();
        let (source, now) = (state.console.input, state.now);
        match state.sources.pipe(source) {
            Some(pipe) => pipe.read(buffer, now),
            None => Ok(0),
        }
    }

    fn write(&self, to: Standard, bytes: &[u8], cancel: &Cancel) -> io::Result<()> {
        drop(self.enter());
        if cancel.is_set() {
            return Err(ErrorKind::Interrupted.into());
        }
        let pace = self.look().console.output(to).0.pace;
        let Some((count, time)) = pace else {
            return self.put_out(to, bytes);
        };
        for piece in bytes.chunks(count) {
            let until = self.now().after(time);
            self.poll(&[], Some(until), cancel);
            if cancel.is_set() {
                return Err(ErrorKind::Interrupted.into());
            }
            self.put_out(to, piece)?;
        }
        Ok(())
    }

    fn columns(&self) -> Option<usize> {
        self.look().console.columns
    }
}
