//! Whole runs of the real binary, from its start to its end.

use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::conversation::events;
use crate::server::serve;
use crate::table::{Table, Unit};

/// Chunks of the long answer.
const CHUNKS: u32 = 20_000;

/// All rows of whole runs.
pub(crate) fn measure(table: &mut Table) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench");
    fs::create_dir_all(&folder).expect("the target's scratch folder is writable");
    let ankita = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ankita"));
        // Nothing of the user's is seen.
        command
            .args(args)
            .env_clear()
            .env("ANKITA_HOME", folder.join("home"))
            .current_dir(&folder)
            .stdin(Stdio::null());
        command
    };
    table.row("run: --version", Unit::Milliseconds, 101, || {
        run(ankita(&["--version"]));
    });
    let short = serve(&events(1));
    table.row(
        "run: one answer of one chunk",
        Unit::Milliseconds,
        101,
        || {
            let text = run(ankita(&asking(&url(short))));
            assert_eq!(text, " The0\n");
        },
    );
    let long = serve(&events(CHUNKS as usize));
    let unit = Unit::MicrosecondsEach(CHUNKS);
    table.row("run: a chunk of an answer of 20,000", unit, 21, || {
        let text = run(ankita(&asking(&url(long))));
        assert!(text.len() > CHUNKS as usize, "{text}");
    });
}

fn url(server: SocketAddr) -> String {
    format!("http://{server}")
}

fn asking(url: &str) -> [&str; 7] {
    [
        "--endpoint",
        url,
        "-m",
        "test",
        "--no-session",
        "-p",
        "hello",
    ]
}

/// Runs to the end; what was written to standard output.
fn run(mut command: Command) -> String {
    let output = command.output().expect("the binary starts");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {complaint}", output.status);
    String::from_utf8(output.stdout).expect("answers are text")
}
