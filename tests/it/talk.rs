//! A session in a pseudo-terminal: what a person types, and what they see.

use std::process::{Child, Command};
use std::time::Instant;

use crate::cases::reply;
use crate::pty::Pty;
use crate::sandbox::{LIMIT, PROGRAM, Run, Sandbox};
use crate::seen::{Request, Seen};
use crate::server::{Reply, Script, Server, Strictness};

/// What the person waits for before they type.
const PROMPT: &str = "> ";
/// What a question ends in.
const QUESTION: &str = "[y/N] ";

/// One reply a request, in the shorthand of case files.
struct Replies(Vec<&'static str>, Seen);

impl Script for Replies {
    fn reply(&self, _connection: usize, _nth: usize, _request: &Request) -> Option<Reply> {
        let number = self.1.state().requests.len();
        self.0
            .get(number)
            .map(|text| reply::reply(text, true, number + 1, &mut (10 * number)).unwrap())
    }
}

/// A session that runs.
struct Session {
    sandbox: Sandbox,
    seen: Seen,
    pty: Pty,
    child: Child,
    until: Instant,
    /// What was waited for is behind this byte of the screen.
    read: usize,
    _server: Server,
}

impl Session {
    fn start(args: &[&str], replies: Vec<&'static str>) -> Self {
        let (sandbox, seen) = (Sandbox::new(), Seen::default());
        let server = Server::tcp(
            Box::new(Replies(replies, seen.clone())),
            &seen,
            Strictness::default(),
        );
        let pty = Pty::open(80, 24).unwrap();
        let mut command: Command = sandbox.command(
            PROGRAM,
            &Run {
                args: args.iter().map(|word| (*word).to_owned()).collect(),
                env: vec![("TERM".to_owned(), "xterm-256color".to_owned())],
                url: Some(server.url.clone()),
                ..Run::default()
            },
        );
        command
            .stdin(pty.terminal().unwrap())
            .stdout(pty.terminal().unwrap())
            .stderr(pty.terminal().unwrap());
        Pty::lead(&mut command);
        let child = command.spawn().unwrap();
        drop(command); // It holds the terminal open.
        pty.watch(&seen).unwrap();
        Self {
            sandbox,
            seen,
            pty,
            child,
            until: Instant::now() + LIMIT,
            read: 0,
            _server: server,
        }
    }

    /// Waits until the screen says `text`, behind what was waited for before.
    #[track_caller]
    fn expect(&mut self, text: &str) {
        let read = self.read;
        let find = |screen: &[u8]| {
            let tail = &screen[read..];
            tail.windows(text.len())
                .position(|window| window == text.as_bytes())
        };
        let is_there = self
            .seen
            .wait(self.until, |state| find(&state.stdout).is_some());
        assert!(
            is_there,
            "`{text}` never came; the screen:\n{}",
            self.screen()
        );
        let at = find(&self.seen.state().stdout).unwrap_or(0);
        self.read += at + text.len();
    }

    fn type_keys(&self, keys: &str) {
        self.pty.write(keys.as_bytes()).unwrap();
    }

    fn screen(&self) -> String {
        let state = self.seen.state();
        format!(
            "{}\nfaults: {:?}",
            String::from_utf8_lossy(&state.stdout),
            state.faults
        )
    }

    /// Waits for the program's end and gives its exit code.
    #[track_caller]
    fn end(&mut self) -> Option<i32> {
        // Everybody has closed the terminal once the program ended.
        let is_over = self.seen.wait(self.until, |state| state.open_outputs == 0);
        assert!(is_over, "it still runs; the screen:\n{}", self.screen());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_session_answers_asks_stops_and_ends() {
    let mut session = Session::start(
        &[],
        vec![
            "text: Hel\ntext: lo there\nfinish: stop",
            "call: write_file {\"path\":\"a.txt\",\"content\":\"new\\n\"}\nfinish: tool_calls",
            "text: Written.\nfinish: stop",
            "call: write_file {\"path\":\"b.txt\",\"content\":\"new\\n\"}\nfinish: tool_calls",
            "text: Not written.\nfinish: stop",
            "text: A long story\nend: hold",
            "text: Still here.\nfinish: stop",
        ],
    );
    session.expect(PROMPT);
    session.type_keys("hi\r");
    session.expect("Hello there");
    session.expect(PROMPT);

    // What will run is shown, and `y` lets it.
    session.type_keys("write a\r");
    session.expect("+new");
    session.expect(QUESTION);
    session.type_keys("y\r");
    session.expect("Written.");
    session.expect(PROMPT);
    assert_eq!(
        std::fs::read_to_string(session.sandbox.work().join("a.txt")).unwrap(),
        "new\n"
    );

    // Enter alone is no.
    session.type_keys("write b\r");
    session.expect(QUESTION);
    session.type_keys("\r");
    session.expect("Not written.");
    session.expect(PROMPT);
    assert!(!session.sandbox.work().join("b.txt").exists());

    // Ctrl-C stops the answer, not the program; the conversation goes on.
    session.type_keys("tell\r");
    session.expect("A long story");
    session.type_keys("\x03");
    session.expect(PROMPT);
    session.type_keys("are you there?\r");
    session.expect("Still here.");
    session.expect(PROMPT);
    session.type_keys("/quit\r");
    assert_eq!(session.end(), Some(0), "{}", session.screen());
    assert_eq!(session.seen.state().faults, [""; 0], "{}", session.screen());
}

/// What the built-in endpoint cannot serve is explained once, and stands in no later request's way.
#[test]
fn a_session_with_the_built_in_endpoint_goes_on_after_a_miss() {
    let mut session = Session::start(&["--endpoint", "builtin"], Vec::new());
    session.expect(PROMPT);
    session.type_keys("write a poem\r");
    session.expect("chat-completions");
    session.expect(PROMPT);
    session.type_keys("run `echo $((40+2))`\r");
    session.expect(QUESTION);
    session.type_keys("y\r");
    session.expect("42");
    session.expect(PROMPT);
    session.type_keys("sing a song\r");
    session.expect("`help` shows");
    session.expect(PROMPT);
    let screen = session.screen();
    assert_eq!(screen.matches("chat-completions").count(), 1, "{screen}");
    session.type_keys("/quit\r");
    assert_eq!(session.end(), Some(0), "{}", session.screen());
}

#[test]
fn a_session_knows_its_commands() {
    let mut session = Session::start(&[], vec!["text: Hello\nfinish: stop\nusage: 11 2"]);
    session.expect(PROMPT);
    session.type_keys("/help\r");
    session.expect("/usage");
    session.expect(PROMPT);
    session.type_keys("/tools\r");
    session.expect("read_file");
    session.expect(PROMPT);
    session.type_keys("/hlep\r");
    session.expect("/help");
    session.expect(PROMPT);
    session.type_keys("hi\r");
    session.expect("Hello");
    session.expect(PROMPT);
    session.type_keys("/usage\r");
    session.expect("11");
    session.expect(PROMPT);
    session.type_keys("/new\r");
    session.expect(PROMPT);
    // Ctrl-D at the start of a line leaves.
    session.type_keys("\x04");
    assert_eq!(session.end(), Some(0), "{}", session.screen());
}

#[test]
fn a_one_shot_on_a_terminal_asks() {
    let mut session = Session::start(
        &["-p", "run it"],
        vec![
            "call: run_command {\"command\":\"echo ran >made.txt\"}\nfinish: tool_calls",
            "text: Done.\nfinish: stop",
        ],
    );
    session.expect("echo ran >made.txt");
    session.expect(QUESTION);
    session.type_keys("y\r");
    session.expect("Done.");
    assert_eq!(session.end(), Some(0), "{}", session.screen());
    assert!(session.sandbox.work().join("made.txt").exists());
}

/// Twice Ctrl-C leaves, and whatever mode of the terminal was set is unset: report 14 in small.
#[test]
fn a_session_leaves_the_terminal_as_it_was() {
    let mut session = Session::start(&[], Vec::new());
    session.expect(PROMPT);
    session.type_keys("\x03");
    session.expect(PROMPT);
    session.type_keys("\x03");
    let code = session.end();
    let screen = session.screen();
    for mode in ["?2004", "?1004", "?1000", "?25"] {
        let set = screen.rfind(&format!("\x1b[{mode}h"));
        let unset = screen.rfind(&format!("\x1b[{mode}l"));
        let is_undone = if mode == "?25" {
            unset <= set
        } else {
            set <= unset
        };
        assert!(is_undone, "{mode} is left: {screen:?}");
    }
    assert!(matches!(code, Some(0 | 130)), "{code:?} {screen}");
}
