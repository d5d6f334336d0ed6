//! What stands on the two streams, format by format.

use std::time::Duration;

use super::*;
use crate::world::Signal;
use crate::world::fake::{Action, Fake};

fn reply(verdict: Verdict, text: &str) -> Reply {
    Reply {
        id: "c1".to_owned(),
        name: "read".to_owned(),
        text: text.to_owned(),
        verdict,
        ms: 7,
        loads: Vec::new(),
        is_miss: false,
        hint: None,
    }
}

/// The same events in a format: what stood on standard output and error.
fn play(fake: &Fake, format: Format, loudness: Loudness, paint: Paint) -> (String, String) {
    let world = fake.world();
    let mut view = View::new(&world, format, loudness, paint, world.threads.cancel());
    let mut events = || -> io::Result<()> {
        view.init(Some("m"), "http://e", "/w", &["read".to_owned()])?;
        view.reasoning("hm")?;
        view.text("one ")?;
        view.text("tw\x1bo")?;
        view.answered("one tw\x1bo")?;
        view.tool_use(&Request {
            id: "c1".to_owned(),
            name: "read".to_owned(),
            arguments: "{\"path\":\"a\"}".to_owned(),
        })?;
        view.tool_result(&reply(Verdict::Failed, "no\nfile"))?;
        view.tools(&["git".to_owned()], 9)?;
        view.notice(Level::Warning, "k", "mind")?;
        view.error("api_error", "bad")?;
        view.finish(&Summary {
            exit_code: 1,
            status: "error",
            text: "t".to_owned(),
            error: Some(("api_error", "bad".to_owned())),
            ..Summary::default()
        })
    };
    events().expect("somebody reads");
    (fake.stdout_text(), fake.stderr_text())
}

const RESULT: &str = concat!(
    r#"{"type":"result","schema_version":1,"status":"error","exit_code":1,"text":"t","session_id":null,"#,
    r#""model":null,"endpoint":null,"usage":{"prompt_tokens":0,"completion_tokens":0,"cached_tokens":0},"#,
    r#""requests":0,"tools":{"sent":[],"loaded":[],"tokens":0},"error":{"kind":"api_error","message":"bad"}}"#,
    "\n"
);

#[test]
fn text_is_the_answer_alone() {
    let fake = Fake::new();
    let (out, err) = play(&fake, Format::Text, Loudness::Normal, Paint::default());
    assert_eq!(out, "one tw^[o\n");
    assert_eq!(err, "ankita: mind\nankita: bad\n");
    let (out, err) = play(
        &Fake::new(),
        Format::Text,
        Loudness::Quiet,
        Paint::default(),
    );
    assert_eq!(
        (out.as_str(), err.as_str()),
        ("one tw^[o\n", "ankita: bad\n")
    );
    let (out, err) = play(
        &Fake::new(),
        Format::Text,
        Loudness::Verbose,
        Paint::default(),
    );
    assert_eq!(out, "one tw^[o\n");
    assert_eq!(
        err,
        "hm\n· read {\"path\":\"a\"}\n  failed: no file\nankita: mind\nankita: bad\n"
    );
}

#[test]
fn json_is_one_object_and_stream_json_one_a_line() {
    let (out, _) = play(
        &Fake::new(),
        Format::Json,
        Loudness::Normal,
        Paint::default(),
    );
    assert_eq!(out, RESULT);
    let (out, _) = play(
        &Fake::new(),
        Format::StreamJson,
        Loudness::Normal,
        Paint::default(),
    );
    let expected = concat!(
        r#"{"type":"init","schema_version":1,"session_id":null,"model":"m","endpoint":"http://e","cwd":"/w","tools":["read"]}"#,
        "\n",
        r#"{"type":"reasoning","text":"hm","delta":true}"#,
        "\n",
        r#"{"type":"message","role":"assistant","text":"one ","delta":true}"#,
        "\n",
        r#"{"type":"message","role":"assistant","text":"tw\u001bo","delta":true}"#,
        "\n",
        r#"{"type":"message","role":"assistant","text":"one tw\u001bo","delta":false}"#,
        "\n",
        r#"{"type":"tool_use","id":"c1","name":"read","arguments":{"path":"a"}}"#,
        "\n",
        r#"{"type":"tool_result","id":"c1","name":"read","ok":false,"text":"no\nfile","ms":7}"#,
        "\n",
        r#"{"type":"tools","loaded":["git"],"dropped":[],"tokens":9}"#,
        "\n",
        r#"{"type":"notice","level":"warning","kind":"k","text":"mind"}"#,
        "\n",
        r#"{"type":"error","kind":"api_error","message":"bad"}"#,
        "\n"
    );
    assert_eq!(out, format!("{expected}{RESULT}"));
}

#[test]
fn arguments_that_are_no_object_are_text() {
    let fake = Fake::new();
    let world = fake.world();
    let cancel = world.threads.cancel();
    let (format, loudness) = (Format::StreamJson, Loudness::Normal);
    let mut view = View::new(&world, format, loudness, Paint::default(), cancel);
    for arguments in ["{bad", "[1]", ""] {
        view.tool_use(&Request {
            id: "c".to_owned(),
            name: "n".to_owned(),
            arguments: arguments.to_owned(),
        })
        .unwrap();
    }
    let given: Vec<String> = fake
        .stdout_text()
        .lines()
        .map(|line| line.split("\"arguments\":").nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(given, ["\"{bad\"}", "\"[1]\"}", "\"\"}"]);
}

#[test]
fn a_passing_line_leaves_no_trace_and_shows_only_on_a_terminal() {
    let fake = Fake::new();
    fake.set_terminals(true, true, 20);
    let world = fake.world();
    let paint = Paint { is_on: true };
    let cancel = world.threads.cancel();
    let mut view = View::new(&world, Format::Text, Loudness::Normal, paint, cancel);
    view.passing("1 s a long line that has no room").unwrap();
    view.passing("2 s x").unwrap();
    view.line("next").unwrap();
    assert_eq!(
        fake.stderr_text(),
        "\r\x1b[K\x1b[2m  1 s a long line…\x1b[22m\r\x1b[K\x1b[2m  2 s x\x1b[22m\r\x1b[Knext\n"
    );
    for (is_terminal, is_on, format, loudness) in [
        (false, true, Format::Text, Loudness::Normal),
        (true, false, Format::Text, Loudness::Normal),
        (true, true, Format::Json, Loudness::Normal),
        (true, true, Format::Text, Loudness::Quiet),
    ] {
        let fake = Fake::new();
        fake.set_terminals(is_terminal, is_terminal, 80);
        let world = fake.world();
        let cancel = world.threads.cancel();
        let mut view = View::new(&world, format, loudness, Paint { is_on }, cancel);
        view.passing("1 s").unwrap();
        assert_eq!(fake.stderr_text(), "");
    }
}

#[test]
fn what_a_signal_interrupts_is_still_said_and_in_order() {
    let fake = Fake::new();
    fake.slow_output(Standard::Output, 4096, Duration::from_secs(1));
    fake.at(Duration::from_millis(4500), Action::Cancel);
    let world = fake.world();
    let cancel = world.threads.cancel();
    let (format, loudness) = (Format::Text, Loudness::Normal);
    let mut view = View::new(&world, format, loudness, Paint::default(), cancel);
    let lines: Vec<String> = (0..2000).map(|n| format!("line {n:05}\n")).collect();
    let text = lines.concat();
    view.text(&text).unwrap();
    let error = view.flush().expect_err("a signal came");
    assert_eq!(error.kind(), io::ErrorKind::Interrupted);
    assert_eq!(fake.stdout().len(), 4 * 4096);
    fake.slow_output(Standard::Output, 100_000, Duration::ZERO);
    view.hurry();
    view.flush().unwrap();
    assert_eq!(fake.stdout_text(), text, "nothing twice, nothing left out");
    assert_eq!(view.stopped_by(), Signal::Interrupt);
}
