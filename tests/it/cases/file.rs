//! A case file as sections, read and written back without loss.
//!
//! First what the case shows and why, with the number of the report it comes from. Then sections, each a line
//! `## name argument` and the text up to the next one. A line of that text that itself begins with `## ` is
//! written `\## `. What is set up:
//!
//! - `args` words as a shell splits them; `$URL`, `$HOST`, `$DIR` (the working directory) and `$HOME` are put in
//! - `env` a line `NAME=value` each, on top of what every case has (see `sandbox.rs`); an empty value unsets
//! - `files` a line `### path` each and its content under it; `~/` is the home directory, `~/ankita/` is `ANKITA_HOME`
//! - `setup` shell commands run before, in the working directory; `needs` programs without which the case is skipped
//! - `server` words: `proxy` (whole URLs as targets), `unix` (a socket instead of a port), `open` (listen though there
//!   is no reply), `lenient` (check nothing). With no `reply` the port is closed before the program starts
//! - `stdin` the text of a pipe. With an argument: `null` (as without the section), `closed`, `open` (a pipe that never
//!   sends), `terminal`, `file` (the text as a regular file), `escaped` (a pipe; `\xff` and its like), `after MARK`
//!   (the pipe stays open and sends the text once the mark is reached)
//! - `reply` what the server answers, in the order of requests (see `reply.rs`); with a number, so many times
//! - `signal` a line `INT after MARK` each. A mark is `request N`, `reply N`, `stdout TEXT` or `stderr TEXT`
//! - `output` what reads standard output: `closed` (it is closed from the start), `head N` (N lines, then the reader
//!   goes away), `slow` (a reader with pauses)
//! - `ignore` names of compared sections that `UPDATE=1` leaves out
//!
//! What is compared, each only if it is there: `requests`, `stdout`, `stderr`, `exit`, `after` (files that are new,
//! changed or gone), and facts: `stdout has`, `stderr has`, `requests has`, `stdout lacks`, … with one text a line.

/// A case file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CaseFile {
    /// What stands before the first section.
    pub(crate) intro: String,
    pub(crate) sections: Vec<Section>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Section {
    pub(crate) name: String,
    /// What follows the name on its line.
    pub(crate) argument: String,
    pub(crate) body: String,
}

const SETUP: &[&str] = &[
    "args", "env", "files", "setup", "needs", "server", "stdin", "reply", "signal", "output",
    "ignore",
];
/// The compared sections, in the order in which they are written.
pub(crate) const COMPARED: &[&str] = &["requests", "stdout", "stderr", "exit", "after"];

impl CaseFile {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut case = Self::default();
        for line in text.split_inclusive('\n') {
            let Some(header) = line.strip_prefix("## ") else {
                let line = match line.strip_prefix('\\') {
                    Some(rest) if rest.starts_with("## ") => rest,
                    _ => line,
                };
                match case.sections.last_mut() {
                    Some(section) => section.body.push_str(line),
                    None => case.intro.push_str(line),
                }
                continue;
            };
            let header = header.trim_end_matches('\n');
            let (name, argument) = header.split_once(' ').unwrap_or((header, ""));
            let is_fact = matches!(argument, "has" | "lacks") && COMPARED.contains(&name);
            if !SETUP.contains(&name)
                && !is_fact
                && (!COMPARED.contains(&name) || !argument.is_empty())
            {
                return Err(format!("no section is called `{header}`"));
            }
            if name != "reply" && case.find(name, argument).is_some() {
                return Err(format!("`{header}` is there twice"));
            }
            case.sections.push(Section {
                name: name.to_owned(),
                argument: argument.to_owned(),
                body: String::new(),
            });
        }
        if case.intro.trim().len() < 20 {
            return Err("it does not begin with a sentence that says what and why".to_owned());
        }
        if case.get("args").is_none() {
            return Err("it has no `args`".to_owned());
        }
        Ok(case)
    }

    pub(crate) fn write(&self) -> String {
        let mut text = self.intro.clone();
        for section in &self.sections {
            let header = format!("## {} {}", section.name, section.argument);
            text.push_str(header.trim_end());
            text.push('\n');
            for line in section.body.split_inclusive('\n') {
                if line.starts_with("## ") {
                    text.push('\\');
                }
                text.push_str(line);
            }
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
        text
    }

    /// The section `name`, whatever its argument, but no fact.
    pub(crate) fn get(&self, name: &str) -> Option<&Section> {
        self.sections
            .iter()
            .find(|section| section.name == name && !section.is_fact())
    }

    pub(crate) fn body(&self, name: &str) -> &str {
        self.get(name).map_or("", |section| &section.body)
    }

    /// Puts `bodies` in place of the compared sections, in their order, behind everything else.
    pub(crate) fn replace(&mut self, bodies: Vec<(&str, String)>) {
        self.sections
            .retain(|section| section.is_fact() || !COMPARED.contains(&section.name.as_str()));
        for (name, body) in bodies {
            self.sections.push(Section {
                name: name.to_owned(),
                argument: String::new(),
                body,
            });
        }
    }

    fn find(&self, name: &str, argument: &str) -> Option<&Section> {
        let is_fact = matches!(argument, "has" | "lacks");
        self.sections.iter().find(|section| {
            section.name == name
                && section.is_fact() == is_fact
                && (!is_fact || section.argument == argument)
        })
    }
}

impl Section {
    pub(crate) fn is_fact(&self) -> bool {
        COMPARED.contains(&self.name.as_str()) && !self.argument.is_empty()
    }
}

/// `### path` and what is under it, for each.
pub(crate) fn files(body: &str) -> Result<Vec<(String, String)>, String> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in body.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("### ") {
            found.push((path.trim().to_owned(), String::new()));
        } else if let Some((_, content)) = found.last_mut() {
            content.push_str(line);
        } else {
            return Err(format!(
                "`{}` stands before the first `### path`",
                line.trim_end()
            ));
        }
    }
    Ok(found)
}

/// Splits as a shell does: blanks, `'…'`, `"…"`, and `\` before a character. No expansion.
pub(crate) fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c.is_whitespace() {
            words.extend(word.take());
            continue;
        }
        let word = word.get_or_insert_default();
        match c {
            '\'' => loop {
                match chars.next() {
                    Some('\'') => break,
                    Some(c) => word.push(c),
                    None => return Err("a `'` is not closed".to_owned()),
                }
            },
            '"' => loop {
                match chars.next() {
                    Some('"') => break,
                    Some('\\') => word.extend(chars.next()),
                    Some(c) => word.push(c),
                    None => return Err("a `\"` is not closed".to_owned()),
                }
            },
            '\\' => word.extend(chars.next()),
            c => word.push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Bytes from text with `\n`, `\r`, `\t`, `\0`, `\e`, `\\`, `\xHH` and `\u{H…}`.
pub(crate) fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend(&rest.as_bytes()[..at]);
        let escape = &rest[at + 1..];
        let wrong = || {
            format!(
                "no escape begins with `\\{}`",
                escape.chars().next().unwrap_or(' ')
            )
        };
        let mut length = 1;
        match escape.chars().next() {
            Some('n') => bytes.push(b'\n'),
            Some('r') => bytes.push(b'\r'),
            Some('t') => bytes.push(b'\t'),
            Some('0') => bytes.push(0),
            Some('e') => bytes.push(0x1b),
            Some('\\') => bytes.push(b'\\'),
            Some('x') => {
                let digits = escape.get(1..3).ok_or_else(wrong)?;
                bytes.push(u8::from_str_radix(digits, 16).map_err(|_| wrong())?);
                length = 3;
            }
            Some('u') => {
                let digits = escape
                    .strip_prefix("u{")
                    .and_then(|rest| rest.split_once('}'));
                let (digits, _) = digits.ok_or_else(wrong)?;
                let number = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
                let c = char::from_u32(number).ok_or_else(wrong)?;
                bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
                length = digits.len() + 3;
            }
            _ => return Err(wrong()),
        }
        rest = &escape[length..];
    }
    bytes.extend(rest.as_bytes());
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: &str = "What it shows, at some length.\n## args\n-p hi\n## stdin after reply 1\na\n\\## b\n## reply\ntext: x\n\
        ## reply 3\ntext: y\n## stdout\nx\n## stderr has\nboth\n";

    #[test]
    fn a_case_comes_back_as_it_was() {
        let case = CaseFile::parse(CASE).unwrap();
        assert_eq!(case.write(), CASE);
        assert_eq!(case.get("stdin").unwrap().argument, "after reply 1");
        assert_eq!(case.body("stdin"), "a\n## b\n");
        assert_eq!(case.body("stderr"), "");
    }

    #[test]
    fn compared_sections_are_replaced_and_facts_stay() {
        let mut case = CaseFile::parse(CASE).unwrap();
        case.replace(vec![("stdout", "z".to_owned()), ("exit", "0\n".to_owned())]);
        assert!(
            case.write()
                .ends_with("## stderr has\nboth\n## stdout\nz\n## exit\n0\n"),
            "{}",
            case.write()
        );
    }

    #[test]
    fn what_is_no_case_is_refused() {
        let check = |text: &str, part: &str| {
            let error = CaseFile::parse(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        check("What it shows, at some length.\n## arg\n", "`arg`");
        check(
            "What it shows, at some length.\n## args\n## args\n",
            "twice",
        );
        check("What it shows, at some length.\n## stdin\n", "no `args`");
        check(
            "What it shows, at some length.\n## args\n## stdout hass\n",
            "`stdout hass`",
        );
        check("## args\n-p hi\n", "sentence");
    }

    #[test]
    fn words_split_as_in_a_shell() {
        let check =
            |text: &str, expected: &[&str]| assert_eq!(words(text).unwrap(), expected, "{text}");
        check("a  b\n c\n", &["a", "b", "c"]);
        check(
            "-p 'a b' \"c \\\" 'd'\" e\\ f ''",
            &["-p", "a b", "c \" 'd'", "e f", ""],
        );
        check("--flag='x y'z", &["--flag=x yz"]);
        assert!(words("'a").is_err());
    }

    #[test]
    fn escapes_are_bytes() {
        let check =
            |text: &str, expected: &[u8]| assert_eq!(unescape(text).unwrap(), expected, "{text}");
        check(r"a\n\r\t\0\e\\é", "a\n\r\t\0\u{1b}\\é".as_bytes());
        check(r"\xff\x00\u{1F600}!", b"\xff\x00\xf0\x9f\x98\x80!");
        assert!(unescape(r"\q").is_err());
        assert!(unescape(r"\xf").is_err());
        assert!(unescape("\\").is_err());
    }

    #[test]
    fn files_have_paths() {
        let found = files("### a/b\nx\n### c\n").unwrap();
        assert_eq!(
            found,
            [
                ("a/b".to_owned(), "x\n".to_owned()),
                ("c".to_owned(), String::new())
            ]
        );
        assert!(files("x\n").is_err());
    }
}
