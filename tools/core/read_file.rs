//! Reads a text file by lines, with their numbers.

use crate::text;
use crate::tool::prelude::*;

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

fn run(args: Args, _plan: Plan, call: &Call, files: Files) -> Outcome {
    let target = files.target(&args.path)?;
    let shown = &target.shown;
    if files
        .stat(&target.path)?
        .is_some_and(|stat| stat.kind == Kind::Directory)
    {
        return Err(Failure::new(format!(
            "cannot read `{shown}`: it is a directory; use `list_dir`"
        )));
    }
    let bytes = files.read(&target)?;
    let lower = shown.to_ascii_lowercase();
    if IMAGE_ENDINGS.iter().any(|ending| lower.ends_with(ending)) {
        return Err(Failure::new(format!(
            "`{shown}` is an image of {} bytes; only text is read",
            bytes.len()
        )));
    }
    let is_wide = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
    if !is_wide && bytes[..bytes.len().min(SNIFF_BYTES)].contains(&0) {
        return Err(Failure::new(format!(
            "`{shown}` is a binary file of {} bytes; only text is read",
            bytes.len()
        )));
    }
    let (content, is_lossy) = text::lossy(&bytes);
    let mut reply = page(&content, &args, call, shown)?;
    if is_lossy {
        reply.push_str("\n(some bytes are not UTF-8 and are shown as \u{FFFD})");
    }
    Ok(reply.into())
}

/// The lines asked for, as many as fit, and what is not shown.
fn page(content: &str, args: &Args, call: &Call, shown: &str) -> Result<String, Failure> {
    if content.is_empty() {
        return Ok(format!("`{shown}` is empty"));
    }
    let first = args.offset.map_or(1, Within::size);
    let limit = args.limit.map_or(LINES_DEFAULT, Within::size);
    let total = content.lines().count();
    if total < first {
        return Err(Failure::new(format!(
            "`{shown}` has {total} lines; there is no line {first}"
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
        reply.push_str(&format!("(lines {first} to {last} of {total}"));
        reply.push_str(&if last < total {
            format!("; go on with offset {})", last + 1)
        } else {
            ")".to_owned()
        });
    }
    if 0 < cut {
        reply.push_str(&format!(
            "\n({cut} lines are longer than {LINE_BYTES_MAX} bytes and were cut)"
        ));
    }
    if last == total && !content.ends_with('\n') {
        reply.push_str("(no newline at the end)");
    }
    Ok(reply.trim_end_matches('\n').to_owned())
}
