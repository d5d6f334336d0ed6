//! Programs and processes of the fake world.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use super::stream::{End, Entry, FakeStream, Pipe};
use super::{Fake, fault};
use crate::world::{
    Child, Exit, Listening, Moment, Process, Processes, Running, Source, Spawn, Stop,
};

type Reaction = Arc<dyn Fn(&[u8]) -> Program + Send + Sync>;

/// What a started program does: output at moments, then its end.
#[derive(Clone)]
pub(crate) struct Program {
    /// Which output (true: standard error), how long after the piece before, and what.
    pieces: Vec<(bool, Duration, Vec<u8>)>,
    /// How long after the last piece it ends; `None`: it never does by itself.
    exit: Option<(Duration, Exit)>,
    is_stubborn: bool,
    remaining: Vec<Process>,
    /// What it does once its input is closed, given what was written to it.
    with_input: Option<Reaction>,
}

impl Program {
    /// Prints `output` and ends with `code`, at once.
    pub(crate) fn new(output: impl AsRef<[u8]>, code: i32) -> Self {
        Self {
            pieces: vec![(false, Duration::ZERO, output.as_ref().to_vec())],
            exit: Some((Duration::ZERO, Exit::Code(code))),
            is_stubborn: false,
            remaining: Vec::new(),
            with_input: None,
        }
    }

    /// Prints nothing and never ends by itself.
    pub(crate) fn endless() -> Self {
        let mut program = Self::new("", 0);
        program.exit = None;
        program
    }

    /// Does nothing until its input is closed, then what `act` says of it.
    pub(crate) fn reading(act: impl Fn(&[u8]) -> Self + Send + Sync + 'static) -> Self {
        let mut program = Self::endless();
        program.with_input = Some(Arc::new(act));
        program
    }

    /// Then prints more to standard output, after a while.
    pub(crate) fn then(mut self, delay: Duration, output: impl AsRef<[u8]>) -> Self {
        self.pieces.push((false, delay, output.as_ref().to_vec()));
        self
    }

    /// Then prints to standard error, after a while.
    pub(crate) fn then_error(mut self, delay: Duration, output: impl AsRef<[u8]>) -> Self {
        self.pieces.push((true, delay, output.as_ref().to_vec()));
        self
    }

    /// Ends so, a while after the last output.
    pub(crate) fn exits(mut self, delay: Duration, exit: Exit) -> Self {
        self.exit = Some((delay, exit));
        self
    }

    /// Does not end when asked to, only when killed.
    pub(crate) fn stubborn(mut self) -> Self {
        self.is_stubborn = true;
        self
    }

    /// Leaves these processes of its group behind.
    pub(crate) fn leaving(mut self, processes: Vec<Process>) -> Self {
        self.remaining = processes;
        self
    }
}

/// A program that was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Started {
    pub(crate) spawn: Spawn,
    pub(crate) pid: u32,
    /// What was written to its input until it was closed.
    pub(crate) input: Vec<u8>,
    /// Each time it was stopped by us.
    pub(crate) stops: Vec<(Moment, Stop)>,
    /// How it ended, if it was asked for.
    pub(crate) reaped: Option<Exit>,
}

/// A process of the machine that was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped {
    pub(crate) pid: u32,
    pub(crate) how: Stop,
    pub(crate) at: Moment,
}

/// A child and its pipes.
struct Alive {
    started: Started,
    program: Program,
    input: Option<Source>,
    output: Source,
    errors: Option<Source>,
    exit_source: Source,
    exit: Option<(Moment, Exit)>,
}

type Maker = Arc<dyn Fn(&Spawn) -> Program + Send + Sync>;

#[derive(Default)]
pub(super) struct State {
    programs: BTreeMap<String, Maker>,
    children: Vec<Alive>,
    table: Vec<Process>,
    listening: Vec<Listening>,
    stopped: Vec<Stopped>,
    /// Processes that do not end when asked to, and those that we may not signal.
    stubborn: Vec<u32>,
    foreign: Vec<u32>,
    has_no_exit_sources: bool,
}

/// Our own number; children count on from here.
const OWN: u32 = 1000;

impl Fake {
    /// A program that `PATH` finds by `name` (or a path), which does what `make` says for each start.
    pub(crate) fn program(
        &self,
        name: &str,
        make: impl Fn(&Spawn) -> Program + Send + Sync + 'static,
    ) -> &Self {
        self.look()
            .processes
            .programs
            .insert(name.to_owned(), Arc::new(make));
        self
    }

    /// The programs that were started, in order.
    pub(crate) fn started(&self) -> Vec<Started> {
        self.look()
            .processes
            .children
            .iter()
            .map(|child| child.started.clone())
            .collect()
    }

    /// Adds a process of the machine. It ends when stopped, unless [`Fake::set_stubborn`].
    pub(crate) fn add_process(&self, process: Process) -> &Self {
        self.look().processes.table.push(process);
        self
    }

    /// Takes a process away, as if it had ended.
    pub(crate) fn end_process(&self, pid: u32) -> &Self {
        self.look().processes.end(pid);
        self
    }

    /// Processes that ignore being asked; killing works.
    pub(crate) fn set_stubborn(&self, pid: u32) -> &Self {
        self.look().processes.stubborn.push(pid);
        self
    }

    /// A process that may not be signalled: `PermissionDenied`.
    pub(crate) fn set_foreign(&self, pid: u32) -> &Self {
        self.look().processes.foreign.push(pid);
        self
    }

    /// Adds a listening socket; it goes when all its processes have ended.
    pub(crate) fn add_listening(&self, listening: Listening) -> &Self {
        self.look().processes.listening.push(listening);
        self
    }

    /// From now on children have no exit source, as on systems without one.
    pub(crate) fn without_exit_sources(&self) -> &Self {
        self.look().processes.has_no_exit_sources = true;
        self
    }

    /// The processes of the machine that were stopped, in order.
    pub(crate) fn stopped(&self) -> Vec<Stopped> {
        self.look().processes.stopped.clone()
    }

    /// Lets a child do what its program says, from now on.
    pub(super) fn begin(&self, child: usize, program: Program) {
        self.look().begin_child(child, program);
    }
}

impl State {
    fn end(&mut self, pid: u32) {
        self.table.retain(|process| process.pid != pid);
        self.listening.retain_mut(|listening| {
            let had = listening.pids.contains(&pid);
            listening.pids.retain(|owner| *owner != pid);
            !(had && listening.pids.is_empty())
        });
    }
}

impl super::State {
    /// The input of a child was closed: keeps what was written; gives the child and what it does now.
    pub(super) fn take_input_end(
        &mut self,
        source: Source,
        written: Vec<u8>,
    ) -> Option<(usize, Program)> {
        let at = self
            .processes
            .children
            .iter()
            .position(|child| child.input == Some(source))?;
        let child = self.processes.children.get_mut(at)?;
        child.input = None;
        let act = child.program.with_input.clone();
        child.started.input = written;
        act.filter(|_| child.exit.is_none())
            .map(|act| (at, act(&child.started.input)))
    }

    fn begin_child(&mut self, at: usize, program: Program) {
        let now = self.now;
        let Some(child) = self.processes.children.get_mut(at) else {
            return;
        };
        let mut last = now;
        for (is_error, delay, bytes) in &program.pieces {
            last = last.after(*delay);
            let to = if *is_error {
                child.errors.unwrap_or(child.output)
            } else {
                child.output
            };
            if let Some(pipe) = self.sources.pipe(to) {
                pipe.push(last, bytes.as_slice().into(), 1, Duration::ZERO);
            }
        }
        let exit = program.exit.map(|(delay, exit)| (last.after(delay), exit));
        child.program = program;
        if let Some((moment, exit)) = exit {
            self.end_child(at, moment, exit);
        }
    }

    /// Has a child end at a moment, with its outputs, unless it ended before.
    fn end_child(&mut self, at: usize, moment: Moment, exit: Exit) {
        let Some(child) = self.processes.children.get_mut(at) else {
            return;
        };
        if child.exit.is_some_and(|(before, _)| before <= moment) {
            return;
        }
        child.exit = Some((moment, exit));
        self.sources.set_flag(child.exit_source, moment);
        for source in [Some(child.output), child.errors].into_iter().flatten() {
            if let Some(pipe) = self.sources.pipe(source) {
                pipe.end_at(moment, End::Fin);
            }
        }
    }

    fn add_pipe(&mut self) -> Source {
        let pipe = Pipe::new(self.now, usize::MAX, usize::MAX);
        self.sources.add(Entry::Stream(Box::new(pipe)))
    }
}

impl Processes for Fake {
    fn start(&self, spawn: &Spawn) -> io::Result<Running> {
        let name = spawn.program.to_string_lossy().into_owned();
        let make = self.enter().processes.programs.get(&name).cloned();
        let Some(make) = make else {
            return Err(fault(ErrorKind::NotFound, "No such file or directory"));
        };
        let program = make(spawn);
        let mut state = self.look();
        let input = spawn.has_input.then(|| state.add_pipe());
        let output = state.add_pipe();
        let errors = (!spawn.is_merged).then(|| state.add_pipe());
        let exit_source = state.sources.add(Entry::Flag(None));
        let at = state.processes.children.len();
        let pid = OWN + 1 + u32::try_from(at).unwrap_or(0);
        state.processes.children.push(Alive {
            started: Started {
                spawn: spawn.clone(),
                pid,
                input: Vec::new(),
                stops: Vec::new(),
                reaped: None,
            },
            program: program.clone(),
            input,
            output,
            errors,
            exit_source,
            exit: None,
        });
        match program.with_input.clone() {
            // Its input is closed from the start.
            Some(act) if input.is_none() => state.begin_child(at, act(b"")),
            Some(_) => {}
            None => state.begin_child(at, program),
        }
        drop(state);
        let open = |source| -> Box<dyn crate::world::Stream> {
            Box::new(FakeStream {
                fake: self.clone(),
                source,
            })
        };
        Ok(Running {
            child: Box::new(FakeChild {
                fake: self.clone(),
                at,
                pid,
                exit_source,
            }),
            input: input.map(open),
            output: open(output),
            errors: errors.map(open),
        })
    }

    fn own(&self) -> u32 {
        OWN
    }

    fn all(&self) -> io::Result<Vec<Process>> {
        Ok(self.enter().processes.table.clone())
    }

    fn find(&self, pid: u32) -> io::Result<Option<Process>> {
        let state = self.enter();
        Ok(state
            .processes
            .table
            .iter()
            .find(|process| process.pid == pid)
            .cloned())
    }

    fn listening(&self) -> io::Result<Vec<Listening>> {
        Ok(self.enter().processes.listening.clone())
    }

    fn stop(&self, pid: u32, started_ticks: u64, how: Stop) -> io::Result<()> {
        let mut state = self.enter();
        let at = state.now;
        let processes = &mut state.processes;
        let is_there = processes
            .table
            .iter()
            .any(|process| process.pid == pid && process.started_ticks == started_ticks);
        if !is_there {
            return Err(fault(ErrorKind::NotFound, "No such process"));
        }
        if processes.foreign.contains(&pid) {
            return Err(fault(
                ErrorKind::PermissionDenied,
                "Operation not permitted",
            ));
        }
        processes.stopped.push(Stopped { pid, how, at });
        if how == Stop::Kill || !processes.stubborn.contains(&pid) {
            processes.end(pid);
        }
        Ok(())
    }
}

struct FakeChild {
    fake: Fake,
    at: usize,
    pid: u32,
    exit_source: Source,
}

impl FakeChild {
    fn stop_now(&self, how: Stop) {
        let mut state = self.fake.look();
        let now = state.now;
        let Some(child) = state.processes.children.get_mut(self.at) else {
            return;
        };
        child.started.stops.push((now, how));
        let exit = match how {
            Stop::Ask if child.program.is_stubborn => return,
            Stop::Ask => Exit::Signal(15),
            Stop::Kill => Exit::Signal(9),
        };
        child.program.remaining.clear();
        state.end_child(self.at, now, exit);
    }
}

impl Child for FakeChild {
    fn pid(&self) -> u32 {
        self.pid
    }

    fn exit_source(&self) -> Option<Source> {
        (!self.fake.look().processes.has_no_exit_sources).then_some(self.exit_source)
    }

    fn try_exit(&mut self) -> io::Result<Option<Exit>> {
        let mut state = self.fake.enter();
        let now = state.now;
        let Some(child) = state.processes.children.get_mut(self.at) else {
            return Ok(None);
        };
        let exit = child
            .exit
            .filter(|(at, _)| *at <= now)
            .map(|(_, exit)| exit);
        child.started.reaped = exit;
        Ok(exit)
    }

    fn stop(&mut self, how: Stop) {
        drop(self.fake.enter());
        self.stop_now(how);
    }

    fn remaining(&self) -> Vec<Process> {
        let state = self.fake.enter();
        let child = state.processes.children.get(self.at);
        child
            .map(|child| child.program.remaining.clone())
            .unwrap_or_default()
    }
}

impl Drop for FakeChild {
    fn drop(&mut self) {
        let is_running = {
            let mut state = self.fake.look();
            let now = state.now;
            state.sources.remove(self.exit_source);
            let child = state.processes.children.get(self.at);
            child.is_some_and(|child| child.exit.is_none_or(|(at, _)| at > now))
        };
        if is_running {
            self.stop_now(Stop::Kill);
        }
    }
}

#[cfg(test)]
#[path = "process_tests.rs"]
mod tests;
