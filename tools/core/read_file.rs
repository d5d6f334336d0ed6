//! Reads a text file by lines, with their numbers.

use crate::text;
use crate::tool::prelude::*;
use std::fmt::Write as _;

/// Lines shown unless `limit` says otherwise.
const LINES_DEFAULT: usize = 400;
/// A longer line is cut.
const LINE_BYTES_MAX: usize = 2_000;
/// A NUL among this many first bytes makes a file binary.
const SNIFF_BYTES: usize = 8_000;
/// Left of the reply's size for notes.
const NOTES_BYTES_MAX: usize = 400;
const IMAGE_ENDINGS: &[&str] = &[".bmp", ".gif", ".ico", ".jpeg", ".jpg", ".png", ".webp"];

tool! {
    /// Read a text file. Each line comes after its number and a tab.
    effect: Read;
    subject: Path => |args| &args.path;
    needs: [Files];
    struct Args {
        /// File, from the workspace or absolute.
        path: Text<4_096>,
        /// First line, from 1.
        offset: Option<Within<1, { i64::MAX }>>,
        /// Lines at most; 400 if left out.
        limit: Option<Within<1, 5_000>>,
    }
    examples: [
        object! { "path": "README.md" } => "read README.md",
        object! { "path": "README.md" } => "read the file README.md",
        object! { "path": "src/main.rs" } => "show me the file src/main.rs",
        object! { "path": "Cargo.toml" } => "what does Cargo.toml say",
        object! { "path": "Cargo.toml" } => "what is in Cargo.toml",
        object! { "path": "notes.txt" } => "print the contents of notes.txt",
        object! { "path": "notes.txt" } => "open the file notes.txt",
        object! { "path": "notes.txt" } => "cat notes.txt",
        object! { "path": "notes.txt" } => "display notes.txt",
        object! { "path": "notes.txt" } => "show notes.txt",
        object! { "path": "notes.txt" } => "show the contents of notes.txt",
    ];
}

fn run(args: Args, plan: Plan, call: &Call, files: Files) -> Outcome {
    let target = files.planned(&plan, 0)?;
    let shown = &target.shown;
    let stat = files.stat(&target.path)?;
    if stat.is_some_and(|stat| stat.kind == Kind::Directory) {
        return Err(Failure::new(format!(
            "cannot read `{shown}`: it is a directory; use `list_dir`"
        )));
    }
    let lower = shown.to_ascii_lowercase();
    if let Some(stat) = stat
        && IMAGE_ENDINGS.iter().any(|ending| lower.ends_with(ending))
    {
        return Err(Failure::new(format!(
            "`{shown}` is an image of {} bytes; only text is read",
            stat.bytes
        )));
    }
    call.check()?;
    let bytes = files.read(&target)?;
    let is_wide = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
    if !is_wide && bytes[..bytes.len().min(SNIFF_BYTES)].contains(&0) {
        return Err(Failure::new(format!(
            "`{shown}` is a binary file of {} bytes; only text is read",
            bytes.len()
        )));
    }
    let (content, is_lossy) = text::lossy(&bytes);
    let mut notes = Vec::new();
    let mut reply = page(&content, &args, call, shown, &mut notes)?;
    if is_wide {
        notes.push("it is UTF-16, which is read only".to_owned());
    }
    if is_lossy {
        notes.push("some bytes are no text and are shown as \u{FFFD}".to_owned());
    }
    for note in notes {
        _ = writeln!(reply, "({note})");
    }
    reply.pop();
    Ok(reply.into())
}

/// The lines asked for, as many as fit, each with its end; what is not shown comes to `notes`.
fn page(
    content: &str,
    args: &Args,
    call: &Call,
    shown: &str,
    notes: &mut Vec<String>,
) -> Result<String, Failure> {
    if content.is_empty() {
        return Ok(format!("`{shown}` is empty\n"));
    }
    let first = args.offset.map_or(1, Within::size);
    let limit = args.limit.map_or(LINES_DEFAULT, Within::size);
    let total = content.lines().count();
    if total < first {
        let noun = if total == 1 { "line" } else { "lines" };
        return Err(Failure::new(format!(
            "`{shown}` has {total} {noun}; there is no line {first}"
        )));
    }
    let room = call.output_bytes_max.saturating_sub(NOTES_BYTES_MAX);
    let mut reply = String::new();
    let mut last = first - 1;
    let mut cut = 0;
    for (index, line) in content.lines().enumerate().skip(first - 1).take(limit) {
        let head = text::cut_head(line, LINE_BYTES_MAX);
        let row = format!("{}\t{head}\n", index + 1);
        if room < reply.len() + row.len() && last + 1 != first {
            break;
        }
        cut += usize::from(head.len() < line.len());
        reply.push_str(&row);
        last = index + 1;
    }
    if first != 1 || last != total {
        let rest = if last < total {
            format!("; go on with offset {}", last + 1)
        } else {
            String::new()
        };
        notes.push(format!("lines {first} to {last} of {total}{rest}"));
    }
    if 0 < cut {
        notes.push(format!(
            "lines longer than {LINE_BYTES_MAX} bytes were cut: {cut}"
        ));
    }
    if last == total && !content.ends_with('\n') {
        notes.push("no newline at the end".to_owned());
    }
    Ok(reply)
}

#[cfg(test)]
mod tests {
    use crate::tool::Verdict;
    use crate::tool::trial::{Trial, check, check_cancels};
    use crate::world::fake::Fake;

    fn build(fake: &Fake) {
        fake.add_file("/repo/a.txt", "one\ntwo\r\nthree\n")
            .add_file("/repo/open", "a\nb")
            .add_file("/repo/empty", "");
        fake.add_file("/repo/pic.PNG", vec![0; 12])
            .add_file("/repo/bin", [b'a', 0, b'b'])
            .add_file("/repo/latin", [b'a', 0xE9]);
        fake.add_file("/repo/wide", [0xFF, 0xFE, b'h', 0, b'i', 0])
            .add_file("/repo/bom", "\u{FEFF}x\n");
        fake.add_file("/repo/full", vec![b'a'; 5_000_000])
            .add_file("/repo/over", vec![b'a'; 5_000_001])
            .add_dir("/repo/sub");
        fake.add_file("/repo/long", format!("{}\nx\n", "é".repeat(1_001)))
            .add_file("/repo/many", "line\n".repeat(1_000));
        fake.add_file("/repo/wall", format!("{}\n", "w".repeat(999)).repeat(100))
            .add_device("/repo/tty");
        fake.add_file("/repo/late", [&vec![b'a'; 8_000], &[0_u8][..]].concat())
            .add_file("/etc/x", "out\n")
            .add_file("/repo/.env", "K=1\n");
        fake.add_link("/repo/innocent", ".env")
            .add_link("/repo/out", "/etc/x")
            .add_link("/repo/loop", "loop");
    }

    #[track_caller]
    fn reads(arguments: &str, text: &str) {
        check(build, "read_file", arguments, Verdict::Done, text);
    }

    #[test]
    fn lines_come_with_their_numbers() {
        reads(r#"{"path": "a.txt"}"#, "1\tone\n2\ttwo\n3\tthree");
        reads(
            r#"{"path": "a.txt", "offset": 2, "limit": 1}"#,
            "2\ttwo\n(lines 2 to 2 of 3; go on with offset 3)",
        );
        reads(
            r#"{"path": "a.txt", "offset": 3}"#,
            "3\tthree\n(lines 3 to 3 of 3)",
        );
        reads(r#"{"path": "open"}"#, "1\ta\n2\tb\n(no newline at the end)");
        reads(
            r#"{"path": "open", "offset": 2}"#,
            "2\tb\n(lines 2 to 2 of 2)\n(no newline at the end)",
        );
        reads(r#"{"path": "empty"}"#, "`empty` is empty");
        reads(r#"{"path": "bom"}"#, "1\tx");
        reads(
            r#"{"path": "wide"}"#,
            "1\thi\n(no newline at the end)\n(it is UTF-16, which is read only)",
        );
        reads(
            r#"{"path": "latin"}"#,
            "1\ta\u{FFFD}\n(no newline at the end)\n(some bytes are no text and are shown as \u{FFFD})",
        );
        reads(
            r#"{"path": "late", "limit": 1}"#,
            &format!(
                "1\t{}\n(lines longer than 2000 bytes were cut: 1)\n(no newline at the end)",
                "a".repeat(2_000)
            ),
        );
        reads(
            r#"{"path": "long"}"#,
            &format!(
                "1\t{}\n2\tx\n(lines longer than 2000 bytes were cut: 1)",
                "é".repeat(1_000)
            ),
        );
    }

    #[test]
    fn a_page_has_limits() {
        let mut trial = Trial::new(build);
        let text = trial.call("read_file", r#"{"path": "many"}"#).text;
        assert!(
            text.ends_with("400\tline\n(lines 1 to 400 of 1000; go on with offset 401)"),
            "{text}"
        );
        let text = trial.call("read_file", r#"{"path": "wall"}"#).text;
        assert!(text.len() <= crate::tool::REPLY_BYTES_MAX, "{}", text.len());
        assert!(
            text.ends_with("(lines 1 to 48 of 100; go on with offset 49)"),
            "{}",
            &text[text.len() - 100..]
        );
        assert_eq!(
            trial.call("read_file", r#"{"path": "full"}"#).verdict,
            Verdict::Done
        );
        assert!(trial.questions.is_empty());
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (path, text) in [
            ("none", "cannot read `none`: it does not exist"),
            (
                "sub",
                "cannot read `sub`: it is a directory; use `list_dir`",
            ),
            (
                "pic.PNG",
                "`pic.PNG` is an image of 12 bytes; only text is read",
            ),
            (
                "bin",
                "`bin` is a binary file of 3 bytes; only text is read",
            ),
            (
                "over",
                "cannot read `over`: it has 5000001 bytes, more than 5000000",
            ),
            ("tty", "cannot read `tty`: it is not a regular file"),
            (
                "a.txt/x",
                "cannot follow `a.txt/x`: a part of the path is not a directory",
            ),
            (
                "loop",
                "cannot follow `loop`: Too many levels of symbolic links",
            ),
        ] {
            check(
                build,
                "read_file",
                &format!(r#"{{"path": "{path}"}}"#),
                Verdict::Failed,
                text,
            );
        }
        check(
            build,
            "read_file",
            r#"{"path": "a.txt", "offset": 9}"#,
            Verdict::Failed,
            "`a.txt` has 3 lines; there is no line 9",
        );
        check(
            build,
            "read_file",
            r#"{"path": "bom", "offset": 9}"#,
            Verdict::Failed,
            "`bom` has 1 line; there is no line 9",
        );
    }

    #[test]
    fn what_lies_outside_or_is_secret_is_asked_about() {
        for path in [".env", "innocent", "out", "/etc/x", "../etc/x"] {
            let arguments = format!(r#"{{"path": "{path}"}}"#);
            let mut trial = Trial::new(build);
            assert_eq!(
                trial.call("read_file", &arguments).verdict,
                Verdict::Done,
                "{path}"
            );
            assert_eq!(trial.questions.len(), 1, "{path}");
            assert_eq!(trial.questions[0].places.len(), 1, "{path}");
            assert_eq!(
                Trial::headless(build, &[])
                    .call("read_file", &arguments)
                    .verdict,
                Verdict::Refused,
                "{path}"
            );
        }
    }

    #[test]
    fn a_link_turned_after_the_question_is_not_followed() {
        let mut trial = Trial::new(|fake| {
            _ = fake
                .add_file("/repo/d/x", "in\n")
                .add_file("/etc/x", "out\n");
        });
        // Resolving is the first operation of the plan; by the next one the folder has become a link.
        let mut turned = 0;
        for n in 1..12 {
            let mut late = Trial::new(|fake| {
                _ = fake
                    .add_file("/repo/d/x", "in\n")
                    .add_file("/etc/x", "out\n");
            });
            late.fake.at_operation(
                n,
                crate::world::fake::Action::Run(Box::new(|fake| {
                    _ = fake.add_link("/repo/d", "/etc");
                })),
            );
            let reply = late.call("read_file", r#"{"path": "d/x"}"#);
            turned += usize::from(reply.text.contains("leads elsewhere"));
            assert!(
                !reply.text.contains("out") || !late.questions.is_empty() || n > 3,
                "{n}: {}",
                reply.text
            );
        }
        assert!(0 < turned);
        assert_eq!(trial.call("read_file", r#"{"path": "d/x"}"#).text, "1\tin");
    }

    #[test]
    fn a_cancel_ends_it() {
        check_cancels(build, "read_file", r#"{"path": "a.txt"}"#);
    }
}
