//! One run of a program in a directory of its own, with a hard limit of time.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::pty::Pty;
use crate::seen::{Mark, Seen};

/// The program.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_ankita");
/// How long a run may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);
/// How long outputs may stay open after the end: a child that lives on holds them.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);

/// What every run has in its environment besides `PATH`, before what it says itself; `ANKITA_ENDPOINT` is the
/// scripted server where there is one.
const ENVIRONMENT: &[(&str, &str)] = &[
    ("HOME", "$HOME"),
    ("ANKITA_HOME", "$HOME/ankita"),
    ("TMPDIR", "$ROOT/tmp"),
    ("ANKITA_NOW", "2026-03-01T10:00:00+01:00"),
    ("ANKITA_ENDPOINT", "$URL"),
    ("ANKITA_ENDPOINT_RETRIES", "0"),
    ("ANKITA_MODEL", "m-test"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_AUTHOR_DATE", "2026-02-01T10:00:00+0100"),
    ("GIT_COMMITTER_DATE", "2026-02-01T10:00:00+0100"),
];

/// A directory with `work`, `home` and `tmp` in it, removed when dropped.
pub(crate) struct Sandbox {
    pub(crate) root: PathBuf,
}

/// What standard input is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stdin {
    #[default]
    Null,
    Closed,
    /// A pipe that never sends.
    Open,
    /// A pipe that sends this and ends.
    Pipe(Vec<u8>),
    /// A regular file.
    File(Vec<u8>),
    /// A pipe that stays open and sends this at the mark.
    After(Mark, Vec<u8>),
    /// The terminal of the session; standard output and error are none.
    Terminal,
}

/// What reads standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reader {
    #[default]
    Whole,
    /// It is closed from the start.
    Closed,
    /// So many lines, then the reader goes away.
    Head(usize),
    /// A first pause, then all: the pipe is full meanwhile.
    Slow,
}

/// A run to be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Run {
    pub(crate) args: Vec<String>,
    /// On top of what every run has; an empty value unsets.
    pub(crate) env: Vec<(String, String)>,
    /// What `$URL` stands for; without it there is no endpoint.
    pub(crate) url: Option<String>,
    pub(crate) stdin: Stdin,
    pub(crate) reader: Reader,
    /// Signals, as `kill` calls them, and when.
    pub(crate) signals: Vec<(String, Mark)>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub(crate) enum Ended {
    Exit(ExitStatus),
    /// The limit came first.
    Late,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::SeqCst);
        let name = format!("ankita-it-{}-{number}", std::process::id());
        let root = fs::canonicalize(std::env::temp_dir()).unwrap().join(name);
        for folder in ["work", "home/ankita", "tmp"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        Self { root }
    }

    /// The working directory.
    pub(crate) fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Puts `$DIR`, `$HOME`, `$ROOT`, `$URL` and `$HOST` in.
    pub(crate) fn expand(&self, text: &str, url: Option<&str>) -> String {
        let url = url.unwrap_or_default();
        text.replace("$DIR", &self.work().display().to_string())
            .replace("$HOME", &self.home().display().to_string())
            .replace("$ROOT", &self.root.display().to_string())
            .replace("$URL", url)
            .replace("$HOST", url.trim_start_matches("http://"))
    }

    /// A command with the environment of a run and the working directory.
    pub(crate) fn command(&self, program: &str, run: &Run) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.work()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let own = run
            .env
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in ENVIRONMENT.iter().copied().chain(own) {
            match self.expand(value, run.url.as_deref()).as_str() {
                "" => command.env_remove(name),
                value => command.env(name, value),
            };
        }
        for arg in &run.args {
            command.arg(self.expand(arg, run.url.as_deref()));
        }
        command
    }

    /// Runs the program to its end and adds all that is seen of it to `seen`.
    pub(crate) fn run(&self, run: &Run, seen: &Seen) -> Ended {
        self.run_program(PROGRAM, run, seen)
    }

    /// The same for any program.
    pub(crate) fn run_program(&self, program: &str, run: &Run, seen: &Seen) -> Ended {
        let until = Instant::now() + LIMIT;
        let (program, wrapped) = redirected(program, run);
        let mut command = self.command(&program, &wrapped);
        let pty = self.set_stdin(&mut command, run);
        match run.reader {
            Reader::Closed => command.stdout(Stdio::null()),
            _ => command.stdout(Stdio::piped()),
        };
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        drop(command);
        let pid = child.id();
        let mut input = child.stdin.take();
        watch_outputs(&mut child, run.reader, seen);
        if let Stdin::Pipe(bytes) = &run.stdin {
            let (bytes, mut input) = (bytes.clone(), input.take().unwrap());
            // Whether it is read to its end is the program's business.
            thread::spawn(move || input.write_all(&bytes));
        }
        let watched = seen.clone();
        thread::spawn(move || {
            let status = child.wait().unwrap();
            watched.update(|state| state.exit = Some(status));
        });
        let mut ahead: Vec<(&Mark, Ahead<'_>)> = Vec::new();
        for (signal, mark) in &run.signals {
            ahead.push((mark, Ahead::Signal(signal)));
        }
        if let Stdin::After(mark, bytes) = &run.stdin {
            ahead.push((mark, Ahead::Send(bytes)));
        }
        let ended = follow(ahead, pid, &mut input, seen, until);
        drop(pty);
        ended
    }

    fn set_stdin(&self, command: &mut Command, run: &Run) -> Option<Pty> {
        match &run.stdin {
            Stdin::Null | Stdin::Closed => _ = command.stdin(Stdio::null()).process_group(0),
            Stdin::File(bytes) => {
                let path = self.root.join("stdin");
                fs::write(&path, bytes).unwrap();
                command.stdin(File::open(&path).unwrap()).process_group(0);
            }
            Stdin::Open | Stdin::Pipe(_) | Stdin::After(..) => {
                _ = command.stdin(Stdio::piped()).process_group(0);
            }
            Stdin::Terminal => {
                let pty = Pty::open(80, 24).unwrap();
                command.stdin(pty.terminal().unwrap());
                Pty::lead(command);
                return Some(pty);
            }
        }
        None
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if std::env::var_os("KEEP").is_none() {
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

/// What happens at a mark.
enum Ahead<'a> {
    Signal(&'a str),
    Send(&'a [u8]),
}

/// Does what is due at each mark until the end, then waits for the outputs to end.
fn follow(
    mut ahead: Vec<(&Mark, Ahead<'_>)>,
    pid: u32,
    input: &mut Option<std::process::ChildStdin>,
    seen: &Seen,
    until: Instant,
) -> Ended {
    loop {
        let is_in_time = seen.wait(until, |state| {
            state.exit.is_some() || ahead.iter().any(|(mark, _)| mark.is_reached(state))
        });
        if !is_in_time {
            signal("KILL", pid, true);
            seen.wait(Instant::now() + DRAIN_LIMIT, |state| state.exit.is_some());
            return Ended::Late;
        }
        let exit = seen.state().exit;
        if let Some(status) = exit {
            let until = Instant::now() + DRAIN_LIMIT;
            if !seen.wait(until, |state| state.open_outputs == 0) {
                let what = "a process that the program left behind holds its outputs open";
                seen.update(|state| state.faults.push(what.to_owned()));
                signal("KILL", pid, true);
            }
            return Ended::Exit(status);
        }
        let reached = ahead
            .iter()
            .position(|(mark, _)| mark.is_reached(&seen.state()));
        match reached.map(|index| ahead.remove(index).1) {
            Some(Ahead::Signal(name)) => signal(name, pid, false),
            Some(Ahead::Send(bytes)) => {
                // A reader that went away is the program's business.
                let _ = input.as_mut().map(|input| input.write_all(bytes));
            }
            None => (),
        }
    }
}

/// Standard streams that are closed need a shell; everything else starts directly.
fn redirected(program: &str, run: &Run) -> (String, Run) {
    let is_closed = [run.stdin == Stdin::Closed, run.reader == Reader::Closed];
    let script = match is_closed {
        [false, false] => return (program.to_owned(), run.clone()),
        [true, false] => "exec \"$0\" \"$@\" <&-",
        [false, true] => "exec \"$0\" \"$@\" >&-",
        [true, true] => "exec \"$0\" \"$@\" <&- >&-",
    };
    let mut wrapped = run.clone();
    wrapped.args = vec!["-c".to_owned(), script.to_owned(), program.to_owned()];
    wrapped.args.extend(run.args.iter().cloned());
    ("sh".to_owned(), wrapped)
}

/// Signals a process, or its group.
pub(crate) fn signal(name: &str, pid: u32, is_group: bool) {
    let target = if is_group {
        format!("-{pid}")
    } else {
        pid.to_string()
    };
    let _ = Command::new("sh")
        .args(["-c", "kill -s $0 -- $1 2>/dev/null", name, &target])
        .status();
}

fn watch_outputs(child: &mut Child, reader: Reader, seen: &Seen) {
    let outputs = [child.stdout.is_some(), child.stderr.is_some()];
    seen.update(|state| state.open_outputs += outputs.iter().filter(|is_there| **is_there).count());
    if let Some(stdout) = child.stdout.take() {
        let seen = seen.clone();
        thread::spawn(move || {
            read_output(stdout, reader, &seen);
            seen.update(|state| state.open_outputs -= 1);
        });
    }
    if let Some(mut stderr) = child.stderr.take() {
        let seen = seen.clone();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = stderr.read(&mut buffer) {
                seen.update(|state| state.stderr.extend(&buffer[..count]));
            }
            seen.update(|state| state.open_outputs -= 1);
        });
    }
}

fn read_output(output: impl Read, reader: Reader, seen: &Seen) {
    let mut output = BufReader::with_capacity(64 * 1024, output);
    if reader == Reader::Slow {
        // The subject is a pipe that is full: nothing else says when it is.
        thread::sleep(Duration::from_secs(1));
    }
    if let Reader::Head(lines) = reader {
        for _ in 0..lines {
            let mut line = Vec::new();
            if output.read_until(b'\n', &mut line).is_ok() {
                seen.update(|state| state.stdout.extend(line));
            }
        }
        return;
    }
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match output.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => seen.update(|state| state.stdout.extend(&buffer[..count])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(_) => return,
        }
    }
}

/// Whether `program` is on the path; if not, says that `what` is skipped.
pub(crate) fn has_program(program: &str, what: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&path).any(|folder| is_executable(&folder.join(program)));
    if !is_there {
        eprintln!("skipped: {what}: there is no `{program}`");
    }
    is_there
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, run: Run) -> (Ended, Seen) {
        let seen = Seen::default();
        let run = Run {
            args: vec!["-c".to_owned(), script.to_owned()],
            ..run
        };
        let ended = Sandbox::new().run_program("sh", &run, &seen);
        (ended, seen)
    }

    #[track_caller]
    fn check(script: &str, run: Run, code: i32, stdout: &str) {
        let (ended, seen) = shell(script, run);
        let state = seen.state();
        assert!(
            matches!(&ended, Ended::Exit(status) if status.code() == Some(code)),
            "{ended:?} {state:?}"
        );
        assert_eq!(String::from_utf8_lossy(&state.stdout), stdout);
    }

    fn with_stdin(stdin: Stdin) -> Run {
        Run {
            stdin,
            ..Run::default()
        }
    }

    #[test]
    fn standard_input_is_what_was_asked_for() {
        check(
            "cat; echo $?",
            with_stdin(Stdin::Pipe(b"a\n".to_vec())),
            0,
            "a\n0\n",
        );
        check(
            "cat; echo $?",
            with_stdin(Stdin::File(b"a\n".to_vec())),
            0,
            "a\n0\n",
        );
        check("cat; echo $?", Run::default(), 0, "0\n");
        check(
            "cat 2>/dev/null; echo $?",
            with_stdin(Stdin::Closed),
            0,
            "1\n",
        );
        check(
            "test -p /dev/fd/0; echo $?",
            with_stdin(Stdin::Open),
            0,
            "0\n",
        );
        check(
            "test -t 0; echo $?; test -t 1; echo $?",
            with_stdin(Stdin::Terminal),
            0,
            "0\n1\n",
        );
        let late = Stdin::After(Mark::Stdout("go".to_owned()), b"x\n".to_vec());
        check(
            "echo go; read line; echo [$line]",
            with_stdin(late),
            0,
            "go\n[x]\n",
        );
    }

    #[test]
    fn readers_and_signals_do_as_told() {
        let reader = |reader| Run {
            reader,
            ..Run::default()
        };
        check("echo a; echo b", reader(Reader::Slow), 0, "a\nb\n");
        check("echo a 2>/dev/null; exit $?", reader(Reader::Closed), 1, "");
        let signals = vec![("TERM".to_owned(), Mark::Stderr("ready".to_owned()))];
        let run = Run {
            signals,
            ..Run::default()
        };
        check(
            "trap 'echo caught; exit 9' TERM; echo ready >&2; while :; do sleep 0.05; done",
            run,
            9,
            "caught\n",
        );
    }

    #[test]
    fn the_environment_is_clean() {
        let run = Run {
            env: vec![
                ("A".to_owned(), "$DIR/b".to_owned()),
                ("ANKITA_MODEL".to_owned(), String::new()),
            ],
            url: Some("http://h:1".to_owned()),
            ..Run::default()
        };
        let script = "test \"$A\" = \"$PWD/b\" && test -z \"$ANKITA_MODEL\" && test \"$ANKITA_ENDPOINT\" = http://h:1 && \
            test -d \"$ANKITA_HOME\" && env | cut -d= -f1 | grep -v ^_ | sort | tr '\\n' ' '";
        let names = "A ANKITA_ENDPOINT ANKITA_ENDPOINT_RETRIES ANKITA_HOME ANKITA_NOW GIT_AUTHOR_DATE GIT_COMMITTER_DATE \
            GIT_CONFIG_NOSYSTEM HOME PATH PWD TMPDIR ";
        check(script, run, 0, names);
    }

    #[test]
    fn what_lives_on_is_a_fault() {
        let (_, seen) = shell("sleep 30 & exit 0", Run::default());
        assert!(
            seen.state()
                .faults
                .iter()
                .any(|fault| fault.contains("left behind"))
        );
    }
}
