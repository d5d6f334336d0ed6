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
        object! { "path": "src/main.rs" } => "show me the file src/main.rs",
        object! { "path": "Cargo.toml" } => "what does Cargo.toml say",
    ];
}

fn run(args: Args, plan: Plan, call: &Call, files: Files) -> Outcome {
    let target = files.planned(&plan, 0)?;
    let shown = &target.shown;
    let stat = files.stat(&target.path)?;
    if stat.is_some_and(|stat| stat.kind == Kind::Directory) {
        return Err(Failure::new(format!("cannot read `{shown}`: it is a directory; use `list_dir`")));
    }
    let lower = shown.to_ascii_lowercase();
    if let Some(stat) = stat
        && IMAGE_ENDINGS.iter().any(|ending| lower.ends_with(ending))
    {
        return Err(Failure::new(format!("`{shown}` is an image of {} bytes; only text is read", stat.bytes)));
    }
    call.check()?;
    let bytes = files.read(&target)?;
    let is_wide = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
    if !is_wide && bytes[..bytes.len().min(SNIFF_BYTES)].contains(&0) {
        return Err(Failure::new(format!("`{shown}` is a binary file of {} bytes; only text is read", bytes.len())));
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
    notes.iter().for_each(|note| reply.push_str(&format!("({note})\n")));
    reply.pop();
    Ok(reply.into())
}

/// The lines asked for, as many as fit, each with its end; what is not shown comes to `notes`.
fn page(content: &str, args: &Args, call: &Call, shown: &str, notes: &mut Vec<String>) -> Result<String, Failure> {
    if content.is_empty() {
        return Ok(format!("`{shown}` is empty\n"));
    }
    let first = args.offset.map_or(1, Within::size);
    let limit = args.limit.map_or(LINES_DEFAULT, Within::size);
    let total = content.lines().count();
    if total < first {
        let noun = if total == 1 { "line" } else { "lines" };
        return Err(Failure::new(format!("`{shown}` has {total} {noun}; there is no line {first}")));
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
        let rest = if last < total { format!("; go on with offset {}", last + 1) } else { String::new() };
        notes.push(format!("lines {first} to {last} of {total}{rest}"));
    }
    if 0 < cut {
        notes.push(format!("lines longer than {LINE_BYTES_MAX} bytes were cut: {cut}"));
    }
    if last == total && !content.ends_with('\n') {
        notes.push("no newline at the end".to_owned());
    }
    Ok(reply)
}
