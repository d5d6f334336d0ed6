//! What is compared, as text: requests in short, outputs, files; all that varies from run to run by a name.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::json::{self, Value};
use crate::sandbox::Sandbox;
use crate::seen::Request;

/// Lengths beyond which a text is shown cut.
const TEXT_CHARS_MAX: usize = 2_000;
/// A system prompt longer than this is the program's own, which changes without changing what a case shows.
const SYSTEM_CHARS_MAX: usize = 160;

/// Larger files are compared by their length.
const FILE_BYTES_MAX: u64 = 1_000_000;

/// Puts names in place of what varies: `$URL`, `$HOST`, `$DIR`, `$HOME`, `$ROOT`, `$MS` and `$N`.
pub(crate) struct Names {
    pairs: Vec<(String, &'static str)>,
}

impl Names {
    pub(crate) fn new(sandbox: &Sandbox, url: Option<&str>) -> Self {
        let mut pairs = vec![
            (sandbox.work().display().to_string(), "$DIR"),
            (sandbox.home().display().to_string(), "$HOME"),
            (sandbox.root.display().to_string(), "$ROOT"),
        ];
        if let Some(url) = url {
            pairs.insert(0, (url.to_owned(), "$URL"));
            if let Some(host) = url.strip_prefix("http://") {
                pairs.insert(1, (host.to_owned(), "$HOST"));
                let port = host.rsplit(':').next().unwrap_or_default();
                pairs.push((format!("port {port}"), "port $PORT"));
            }
        }
        Self { pairs }
    }

    /// Text with names; control characters other than line ends and tabs are shown as escapes.
    pub(crate) fn apply(&self, bytes: &[u8]) -> String {
        let mut text = String::new();
        for chunk in bytes.utf8_chunks() {
            for c in chunk.valid().chars() {
                match c {
                    '\n' | '\t' => text.push(c),
                    c if c.is_control() => _ = write!(text, "\\x{:02x}", c as u32),
                    c => text.push(c),
                }
            }
            for byte in chunk.invalid() {
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
        for (found, name) in &self.pairs {
            text = text.replace(found, name);
        }
        for member in ["\"ms\":", "\"tokens\":", "\"created\":"] {
            text = numbers_after(&text, member, "$N");
        }
        times(&text)
    }
}

/// The digits after each `mark` become `name`.
fn numbers_after(text: &str, mark: &str, name: &str) -> String {
    let mut parts = text.split(mark);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part
            .trim_start_matches(' ')
            .trim_start_matches(|c: char| c.is_ascii_digit());
        out.push_str(mark);
        if rest.len() < part.len() {
            out.push_str(name);
        }
        out.push_str(rest);
    }
    out
}

/// Measured times: `12 ms`, `0.5 s`. Whole seconds stay, for those are settings.
fn times(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let end = tail
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(tail.len());
        let (number, after) = tail.split_at(end);
        let unit = after.trim_start_matches(' ');
        let behind = |word: &str| {
            unit.strip_prefix(word)
                .filter(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        };
        let is_apart =
            !before.ends_with(|c: char| c.is_alphanumeric() || c == '.' || c == '-' || c == ':');
        let seconds = behind("s").filter(|_| number.contains('.'));
        if let Some(behind) = behind("ms").or(seconds).filter(|_| is_apart) {
            out.push_str("$TIME");
            rest = behind;
        } else {
            out.push_str(number);
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// The requests in order: their line, chosen fields and members, then what each adds to the one before.
pub(crate) fn requests(requests: &[Request], script: &str, names: &Names) -> String {
    let mut out = String::new();
    let mut ids = Ids::new(script);
    let mut before: Vec<Value> = Vec::new();
    let mut tools: Option<Vec<String>> = None;
    for request in requests {
        let _ = write!(out, "{} {}", request.method, request.target);
        for name in ["Authorization", "Proxy-Authorization", "X-Initiator"] {
            if let Some(value) = request.field(name) {
                let _ = write!(out, " · {name}: {value}");
            }
        }
        let Ok(body) = json::parse(&request.body) else {
            if !request.body.is_empty() {
                let _ = write!(out, " · {}", request.body.escape_ascii());
            }
            out.push('\n');
            continue;
        };
        members(&body, &mut out);
        tool_names(&body, &mut tools, &mut out);
        let messages = body
            .get("messages")
            .and_then(Value::as_array)
            .unwrap_or_default();
        let same = messages
            .iter()
            .zip(&before)
            .take_while(|(new, old)| new == old)
            .count();
        if 0 < same {
            let _ = writeln!(out, "  … {same} as before");
        }
        for message in &messages[same..] {
            show_message(message, &mut ids, &mut out);
        }
        before = messages.to_vec();
    }
    names.apply(out.as_bytes())
}

/// All members of a body but the messages and tools, on the request's line.
fn members(body: &Value, out: &mut String) {
    for (name, value) in body.as_object().into_iter().flat_map(json::Object::iter) {
        if name != "messages" && name != "tools" {
            let _ = write!(out, " · {name} {}", value_text(value));
        }
    }
    out.push('\n');
}

/// Nothing for the default tools of the first request; `none`, and what changes later.
fn tool_names(body: &Value, before: &mut Option<Vec<String>>, out: &mut String) {
    let tools = body.get("tools").and_then(Value::as_array);
    let names: Vec<String> = tools
        .unwrap_or_default()
        .iter()
        .filter_map(|tool| tool.pointer("/function/name").and_then(Value::as_str))
        .map(str::to_owned)
        .collect();
    match before {
        None if names.is_empty() => out.push_str("  tools: none\n"),
        None => (),
        Some(old) if *old == names => (),
        Some(old) => {
            let gone = old
                .iter()
                .filter(|name| !names.contains(name))
                .map(|name| format!("-{name}"));
            let new = names
                .iter()
                .filter(|name| !old.contains(name))
                .map(|name| format!("+{name}"));
            let mut changes: Vec<String> = gone.chain(new).collect();
            if changes.is_empty() {
                changes = vec!["in another order: ".to_owned() + &names.join(" ")];
            } else if !names.starts_with(old) && !names.is_empty() {
                changes.push("(not appended)".to_owned());
            }
            let _ = writeln!(out, "  tools: {}", changes.join(" "));
        }
    }
    *before = Some(names);
}

fn show_message(message: &Value, ids: &mut Ids, out: &mut String) {
    let role = message.get("role").and_then(Value::as_str).unwrap_or("?");
    let mut head = format!("  {role}");
    if let Some(id) = message.get("tool_call_id").and_then(Value::as_str) {
        let _ = write!(head, " {}", ids.name(id));
    }
    let content = match message.get("content") {
        Some(Value::String(text)) => Some(text.clone()),
        None | Some(Value::Null) => None,
        Some(other) => Some(value_text(other)),
    };
    match content {
        Some(text) if role == "system" && SYSTEM_CHARS_MAX < text.chars().count() => {
            let _ = writeln!(out, "{head}: $SYSTEM");
        }
        Some(text) => {
            let _ = writeln!(
                out,
                "{head}: {}",
                shortened(&text).replace('\n', "\n    | ")
            );
        }
        None => {
            let _ = writeln!(out, "{head}");
        }
    }
    for call in message
        .get("tool_calls")
        .and_then(Value::as_array)
        .unwrap_or_default()
    {
        let id = call.get("id").and_then(Value::as_str).unwrap_or("?");
        let name = call
            .pointer("/function/name")
            .map_or("?".to_owned(), value_text);
        let arguments = call
            .pointer("/function/arguments")
            .and_then(Value::as_str)
            .unwrap_or("?");
        let _ = writeln!(
            out,
            "    {} {} {}",
            ids.name(id),
            name.trim_matches('"'),
            shortened(arguments)
        );
    }
    let known = ["role", "content", "tool_calls", "tool_call_id"];
    for (name, value) in message.as_object().into_iter().flat_map(json::Object::iter) {
        if !known.contains(&name) {
            let _ = writeln!(out, "    {name} {}", value_text(value));
        }
    }
}

fn shortened(text: &str) -> String {
    let count = text.chars().count();
    if count <= TEXT_CHARS_MAX {
        return text.to_owned();
    }
    let half = TEXT_CHARS_MAX / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!("{head}… {} characters …{tail}", count - TEXT_CHARS_MAX)
}

fn value_text(value: &Value) -> String {
    let mut bytes = Vec::new();
    json::write(value, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Ids of calls: the server's own stay, others are named in the order in which they appear.
struct Ids<'a> {
    script: &'a str,
    known: BTreeMap<String, usize>,
}

impl<'a> Ids<'a> {
    fn new(script: &'a str) -> Self {
        Self {
            script,
            known: BTreeMap::new(),
        }
    }

    fn name(&mut self, id: &str) -> String {
        let is_own = self.script.contains(&format!("\"{id}\"")) || id.starts_with("call_");
        if is_own {
            return id.to_owned();
        }
        let next = self.known.len() + 1;
        format!("$ID{}", self.known.entry(id.to_owned()).or_insert(next))
    }
}

/// Every file below `root`, by its path.
pub(crate) fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let shown = path.strip_prefix(root).unwrap().display().to_string();
            if path.is_dir() && !path.is_symlink() {
                // What git keeps is git's business.
                if shown != ".git" {
                    folders.push(path);
                }
            } else {
                let length = fs::metadata(&path).map_or(0, |meta| meta.len());
                let content = match length {
                    0..=FILE_BYTES_MAX => fs::read(&path).unwrap_or_default(),
                    length => format!("({length} bytes)\n").into_bytes(),
                };
                found.insert(shown, content);
            }
        }
    }
    found
}

/// Files that are new, changed or gone.
pub(crate) fn changes(
    before: &BTreeMap<String, Vec<u8>>,
    after: &BTreeMap<String, Vec<u8>>,
    names: &Names,
) -> String {
    let paths: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let mut out = String::new();
    for path in paths {
        match after.get(path) {
            None => _ = writeln!(out, "### {path} (gone)"),
            Some(bytes) if before.get(path) == Some(bytes) => (),
            Some(bytes) => {
                let text = names.apply(bytes);
                let _ = write!(out, "### {path}\n{text}");
                if !text.ends_with('\n') {
                    out.push_str("\n\\ no newline at the end\n");
                }
            }
        }
    }
    out
}

/// An output as the body of a section: one that does not end in a newline says so.
pub(crate) fn body(text: String) -> String {
    match text.as_str() {
        "" => text,
        _ if text.ends_with('\n') => text,
        _ => format!("{text}\n\\ no newline at the end\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(body: &str) -> Request {
        Request {
            method: "POST".to_owned(),
            target: "/chat/completions".to_owned(),
            fields: vec![("x-initiator".to_owned(), "user".to_owned())],
            body: body.as_bytes().to_vec(),
        }
    }

    #[test]
    fn requests_show_what_they_add() {
        let sandbox = Sandbox::new();
        let names = Names::new(&sandbox, Some("http://127.0.0.1:4567"));
        let tool =
            |name: &str| format!("{{\"type\":\"function\",\"function\":{{\"name\":\"{name}\"}}}}");
        let long = "x".repeat(200);
        let first = format!(
            "{{\"model\":\"m\",\"messages\":[{{\"role\":\"system\",\"content\":\"{long}\"}},{{\"role\":\"user\",\"content\":\"a\\nb {}\"}}],\"stream\":true,\"tools\":[{}]}}",
            sandbox.work().display(),
            tool("f")
        );
        let call = "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"R4nd0m\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}";
        let result = "{\"role\":\"tool\",\"tool_call_id\":\"R4nd0m\",\"content\":\"took 12 ms at 127.0.0.1:4567\"}";
        let second = first
            .replace("],\"stream\"", &format!(",{call},{result}],\"stream\""))
            .replace(&tool("f"), &format!("{},{}", tool("f"), tool("g")));
        let shown = requests(&[request(&first), request(&second)], "", &names);
        assert_eq!(
            shown,
            "POST /chat/completions · X-Initiator: user · model \"m\" · stream true\n  system: $SYSTEM\n  user: a\n    | b $DIR\n\
             POST /chat/completions · X-Initiator: user · model \"m\" · stream true\n  tools: +g\n  … 2 as before\n  assistant\n    $ID1 f {}\n  \
             tool $ID1: took $TIME at $HOST\n"
        );
    }

    #[test]
    fn what_varies_gets_a_name() {
        let check = |text: &str, expected: &str| assert_eq!(times(text), expected);
        check("took 12 ms, 0.25s, 1.5 s.", "took $TIME, $TIME, $TIME.");
        check(
            "after 3 s, 5 msg, 1.2.3 m-5 ms 10:30 s",
            "after 3 s, 5 msg, 1.2.3 m-5 ms 10:30 s",
        );
        assert_eq!(
            numbers_after("{\"ms\":12,\"ms\": 3}", "\"ms\":", "$N"),
            "{\"ms\":$N,\"ms\":$N}"
        );
        let names = Names::new(&Sandbox::new(), None);
        assert_eq!(names.apply(b"a\x1b[1m\xffb\n"), "a\\x1b[1m\\xffb\n");
    }

    #[test]
    fn files_show_their_changes() {
        let names = Names::new(&Sandbox::new(), None);
        let of = |rows: &[(&str, &str)]| -> BTreeMap<String, Vec<u8>> {
            rows.iter()
                .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
                .collect()
        };
        let before = of(&[("a", "1\n"), ("b", "2\n"), ("c", "3\n")]);
        let after = of(&[("a", "1\n"), ("b", "4"), ("d", "5\n")]);
        let expected = "### b\n4\n\\ no newline at the end\n### c (gone)\n### d\n5\n";
        assert_eq!(changes(&before, &after, &names), expected);
    }
}
