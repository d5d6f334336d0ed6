//! Reads a command line: flags, then a command or a prompt.

use std::ffi::OsString;

use crate::words::is_one_edit;

use super::command::{self, COMMANDS, Command, Order, RESERVED, Sub};
use super::flag::{
    CONFLICTS, Draft, Flag, Format, Given, Scope, StdinRule, Takes, When, find_long, find_short,
};
use super::near::{nearest, quote};
use super::refusal::{missing_value, prompt_only, two_prompts, unknown_flag, unknown_letter};
use super::slash::refuse_slash;
use super::table::FLAGS;
use super::{Action, Ask, Invocation, Usage};

/// Reads the command line, without the program's name. `--help` and `--version` win over what is
/// wrong elsewhere.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Invocation, Usage> {
    let mut words = Vec::with_capacity(arguments.len());
    for argument in arguments {
        match argument.to_str() {
            Some(word) => words.push(word),
            None => {
                return Err(Usage(format!(
                    "{} is not UTF-8",
                    quote(&argument.to_string_lossy())
                )));
            }
        }
    }
    let mut line = Line::default();
    let result = line.read(&words).and_then(|()| line.finish());
    if result.is_err() {
        let flags = || words.iter().take_while(|word| **word != "--");
        if flags().any(|word| matches!(*word, "-h" | "--help")) {
            return Ok(line.with(Action::Help(line.command())));
        }
        if flags().any(|word| matches!(*word, "-V" | "--version")) {
            return Ok(line.with(Action::Version));
        }
    }
    result
}

/// The output format that a command line asks for, even if the rest of it is wrong: the last of
/// its `--json` and `--output-format` before `--`.
pub(crate) fn requested_format(arguments: &[OsString]) -> Format {
    let mut format = Format::Text;
    let mut words = arguments
        .iter()
        .map(|word| word.to_str().unwrap_or_default())
        .take_while(|word| *word != "--")
        .peekable();
    while let Some(word) = words.next() {
        let named = match word.split_once('=') {
            _ if word == "--json" => Some("json"),
            _ if word == "--output-format" => words.peek().copied(),
            Some(("--output-format", value)) => Some(value),
            _ => None,
        };
        format = named.and_then(Format::named).unwrap_or(format);
    }
    format
}

/// A command line while it is read.
#[derive(Default)]
struct Line<'a> {
    draft: Draft,
    /// Long names of the flags given, each once.
    given: Vec<&'static str>,
    /// Words that belong to no flag.
    words: Vec<&'a str>,
    /// How many of `words` stood before `--`.
    bare: usize,
    /// `-` stood alone before `--`, and not behind a command.
    has_dash: bool,
}

impl<'a> Line<'a> {
    fn read(&mut self, words: &[&'a str]) -> Result<(), Usage> {
        let mut rest = words;
        while let Some((&word, after)) = rest.split_first() {
            rest = after;
            if word == "--" {
                self.words.extend(rest);
                return Ok(());
            }
            if word == "-" && self.command().is_none() {
                self.has_dash = true;
            } else if !is_flag_like(word) {
                self.words.push(word);
                self.bare = self.words.len();
            } else if let Some(long) = word.strip_prefix("--") {
                self.long(word, long, &mut rest)?;
            } else {
                self.short(word, &mut rest)?;
            }
        }
        Ok(())
    }

    /// `--name`, `--name=value` or `--name value`.
    fn long(&mut self, word: &str, long: &str, rest: &mut &[&'a str]) -> Result<(), Usage> {
        let (name, value) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let Some(flag) = find_long(name) else {
            return Err(unknown_flag(word, name));
        };
        let spelled = format!("--{name}");
        self.give(flag, &spelled, value, rest)
    }

    /// `-x`, `-xyz`, `-x value`, `-xvalue` or `-x=value`.
    fn short(&mut self, word: &str, rest: &mut &[&'a str]) -> Result<(), Usage> {
        let cluster = word.strip_prefix('-').unwrap_or(word);
        // `-model big` would otherwise ask the model `odel`.
        let name = cluster.split('=').next().unwrap_or(cluster);
        if name.len() > 1 && find_long(name).is_some() {
            return Err(Usage(format!(
                "unknown flag {}; did you mean `--{name}`?",
                quote(&format!("-{name}"))
            )));
        }
        let mut letters = cluster.chars();
        while let Some(letter) = letters.next() {
            let Some(flag) = find_short(letter) else {
                return Err(unknown_letter(word, letter));
            };
            let spelled = format!("-{letter}");
            if matches!(flag.takes, Takes::Nothing(_)) {
                if letters.as_str().starts_with('=') {
                    return Err(Usage(format!("`{spelled}` takes no value")));
                }
                self.give(flag, &spelled, None, rest)?;
                continue;
            }
            let value = letters.as_str();
            let value = value
                .strip_prefix('=')
                .or_else(|| Some(value).filter(|v| !v.is_empty()));
            return self.give(flag, &spelled, value, rest);
        }
        Ok(())
    }

    /// Takes a flag's value, from `value` or from `rest`, and lets it change the draft.
    fn give(
        &mut self,
        flag: &'static Flag,
        spelled: &str,
        value: Option<&str>,
        rest: &mut &[&'a str],
    ) -> Result<(), Usage> {
        if !self.has(flag.long) {
            self.given.push(flag.long);
        }
        if let Takes::Nothing(set) = flag.takes {
            if value.is_some() {
                return Err(Usage(format!("`{spelled}` takes no value")));
            }
            set(&mut self.draft);
            return Ok(());
        }
        let value = match (value, rest.split_first()) {
            (None, Some((next, after))) if !is_flag_like(next) => {
                *rest = after;
                Some(*next)
            }
            (value, _) => value,
        };
        match flag.takes {
            Takes::Value { name, set, .. } => match value {
                Some(value) if !value.trim().is_empty() => set(&mut self.draft, value)
                    .map_err(|fault| Usage(format!("`{spelled}`: {fault}"))),
                Some(_) => Err(Usage(format!(
                    "`{spelled}` needs {name}, not an empty text"
                ))),
                None => Err(missing_value(spelled, name, rest.first().copied())),
            },
            Takes::Perhaps { given, .. } => self.give_text(spelled, given, value),
            Takes::Nothing(_) => Ok(()),
        }
    }

    /// The text of `-p` or `-i`.
    fn give_text(
        &mut self,
        spelled: &str,
        given: fn(&mut Draft) -> &mut Given,
        value: Option<&str>,
    ) -> Result<(), Usage> {
        let Some(value) = value else {
            let slot = given(&mut self.draft);
            if *slot == Given::No {
                *slot = Given::Bare;
            }
            return Ok(());
        };
        if value == "-" {
            self.has_dash = true;
            return Ok(());
        }
        if value.trim().is_empty() {
            return Err(Usage(format!("the prompt of `{spelled}` is empty")));
        }
        let slot = given(&mut self.draft);
        if let Given::Text(first) = slot {
            return Err(two_prompts(first, value));
        }
        *slot = Given::Text(value.to_owned());
        Ok(())
    }

    fn has(&self, long: &str) -> bool {
        self.given.contains(&long)
    }

    /// The command, if the first word is one.
    fn command(&self) -> Option<&'static Command> {
        let first = self.words.first().filter(|_| self.bare > 0)?;
        command::find(first)
    }

    fn with(&self, action: Action) -> Invocation {
        Invocation {
            flags: self.draft.flags.clone(),
            action,
        }
    }

    /// What is to be done, after all words are read.
    fn finish(&mut self) -> Result<Invocation, Usage> {
        if self.draft.is_help {
            return Ok(self.with(Action::Help(self.command())));
        }
        if self.draft.is_version {
            return Ok(self.with(Action::Version));
        }
        self.settle_format()?;
        if self.has_dash {
            self.draft.flags.stdin = StdinRule::Always;
        }
        self.check_conflicts()?;
        let command = self.command();
        self.check_scope(command.map(|command| command.name))?;
        let action = if let Some(command) = command {
            Action::Run(self.order(command)?)
        } else {
            self.check_bare_word()?;
            self.ask()?
        };
        Ok(self.with(action))
    }

    fn settle_format(&mut self) -> Result<(), Usage> {
        match self.draft.format {
            Some(format) if self.has("json") && format != Format::Json => Err(Usage(
                "`--json` and `--output-format` contradict each other".into(),
            )),
            Some(format) => {
                self.draft.flags.format = format;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn check_conflicts(&self) -> Result<(), Usage> {
        let contradict =
            |a: &str, b: &str| Err(Usage(format!("`{a}` and `{b}` contradict each other")));
        for (one, other) in CONFLICTS {
            if self.has(one) && self.has(other) {
                return contradict(&format!("--{one}"), &format!("--{other}"));
            }
        }
        if self.has_dash && self.has("no-stdin") {
            return contradict("-", "--no-stdin");
        }
        if self.has_dash && self.has("interactive") {
            return contradict("-", "--interactive");
        }
        if self.has("interactive") && self.draft.flags.format != Format::Text {
            return contradict("--interactive", "--output-format");
        }
        if self.draft.flags.plain && self.draft.flags.color == Some(When::Always) {
            return contradict("--plain", "--color always");
        }
        Ok(())
    }

    /// Every flag must mean something here; a flag that does nothing is a mistake.
    fn check_scope(&self, command: Option<&str>) -> Result<(), Usage> {
        let mut rows = FLAGS.iter().filter(|row| self.has(row.long));
        let stray = rows.find_map(|row| match (row.scope, command) {
            (Scope::Prompt, Some(command)) => {
                Some(prompt_only(&format!("--{}", row.long), command))
            }
            (Scope::Command(name), _) if command != Some(name) => Some(Usage(format!(
                "`--{}` is for `ankita {name}` only",
                row.long
            ))),
            _ => None,
        });
        match (stray, command) {
            (Some(stray), _) => Err(stray),
            (None, Some(command)) if self.has_dash => Err(prompt_only("-", command)),
            _ => Ok(()),
        }
    }

    /// A reserved word, or a single word that looks like a misspelt command.
    fn check_bare_word(&self) -> Result<(), Usage> {
        let Some(&first) = self.words.first().filter(|_| self.bare > 0) else {
            return Ok(());
        };
        let is_prompt = self.has("prompt") || self.has("interactive");
        if RESERVED.contains(&first) && !is_prompt {
            return Err(Usage(format!(
                "`{first}` is reserved; put `--` before a prompt"
            )));
        }
        if self.words.len() > 1 || is_prompt || first.starts_with('/') {
            return Ok(());
        }
        let folded = first.to_lowercase();
        let is_near = |name: &str| folded == name || is_one_edit(&folded, name);
        if let Some(near) = COMMANDS.iter().find(|row| is_near(row.name)) {
            return Err(Usage(format!(
                "unknown command {}; did you mean `{}`? put `--` before a prompt",
                quote(first),
                near.name
            )));
        }
        match RESERVED.iter().find(|name| is_near(name)) {
            Some(near) => Err(Usage(format!(
                "{} is one letter from `{near}`, which is reserved; put `--` before a prompt",
                quote(first)
            ))),
            None => Ok(()),
        }
    }

    fn order(&self, command: &'static Command) -> Result<Order, Usage> {
        let words = self.words.get(1..).unwrap_or_default();
        let (sub, words) = sub_of(command, words)?;
        let title = title(command, sub);
        if words.len() < sub.words_min {
            return Err(Usage(format!("`{title}` needs {}", sub.words)));
        }
        if let Some(extra) = words.get(sub.words_max) {
            let takes = match sub.words {
                "" => "nothing more".to_owned(),
                words => format!("only {words}"),
            };
            return Err(Usage(format!(
                "`{title}` takes {takes}, but {} was given; put `--` before a prompt",
                quote(extra)
            )));
        }
        match self.draft.flags.format {
            Format::Json if !sub.has_json => {
                return Err(Usage(format!("`{title}` has no JSON output")));
            }
            Format::StreamJson => {
                return Err(Usage(format!(
                    "`--output-format stream-json` is for prompts, not for `{title}`"
                )));
            }
            _ => {}
        }
        let words = words.iter().map(|&word| word.to_owned()).collect();
        Ok((sub.order)(words))
    }

    /// The one prompt, and where it comes from.
    fn ask(&mut self) -> Result<Action, Usage> {
        let words = (!self.words.is_empty()).then(|| self.words.join(" "));
        if words.as_ref().is_some_and(|words| words.trim().is_empty()) {
            return Err(Usage("the prompt is empty".into()));
        }
        let draft = &mut self.draft;
        if draft.talk != Given::No {
            return Ok(Action::Talk(one_prompt(&mut draft.talk, words)?));
        }
        let is_stdin = draft.prompt == Given::Bare || draft.flags.stdin == StdinRule::Always;
        let ask = match one_prompt(&mut draft.prompt, words)? {
            Some(prompt) => match refuse_slash(&prompt) {
                Some(usage) => return Err(usage),
                None => Ask::Prompt(prompt),
            },
            None if is_stdin && draft.flags.stdin == StdinRule::Never => {
                return Err(Usage(
                    "`-p` has no text, and `--no-stdin` leaves nothing else to take it from".into(),
                ));
            }
            None if is_stdin => Ask::Stdin,
            None => Ask::Either,
        };
        Ok(Action::Ask(ask))
    }
}

/// The text of a flag or of the words; both are one too many.
fn one_prompt(given: &mut Given, words: Option<String>) -> Result<Option<String>, Usage> {
    match (std::mem::take(given), words) {
        (Given::Text(text), Some(words)) => Err(two_prompts(&text, &words)),
        (Given::Text(text), None) => Ok(Some(text)),
        (_, words) => Ok(words),
    }
}

/// The row for what follows a command, and the words after it.
fn sub_of<'w, 'a>(
    command: &'static Command,
    words: &'w [&'a str],
) -> Result<(&'static Sub, &'w [&'a str]), Usage> {
    let [first, ..] = command.subs else {
        return Err(Usage(format!("`ankita {}` does nothing", command.name)));
    };
    let Some((word, rest)) = words.split_first() else {
        return Ok((first, words));
    };
    if first.name.is_empty() {
        return Ok((first, words));
    }
    if let Some(sub) = command.subs.iter().find(|sub| sub.name == *word) {
        return Ok((sub, rest));
    }
    let names = || command.subs.iter().map(|sub| sub.name);
    let hint = if let Some(near) = nearest(word, names()) {
        format!("did you mean `{near}`?")
    } else {
        let all: Vec<String> = names().map(|name| format!("`{name}`")).collect();
        format!("it has {};", all.join(", "))
    };
    Err(Usage(format!(
        "`ankita {}` has no {}; {hint} put `--` before a prompt",
        command.name,
        quote(word)
    )))
}

fn title(command: &Command, sub: &Sub) -> String {
    match sub.name {
        "" => format!("ankita {}", command.name),
        name => format!("ankita {} {name}", command.name),
    }
}

/// Whether a word is read as a flag: it begins with `-`, and is neither `-` alone nor a text such
/// as `- one`, `-5 degrees` or `--- a/file`.
fn is_flag_like(word: &str) -> bool {
    let Some(body) = word.strip_prefix('-').filter(|body| !body.is_empty()) else {
        return false;
    };
    let name = body.strip_prefix('-').unwrap_or(body);
    !word.contains(char::is_whitespace) || name.starts_with(|c: char| c.is_ascii_alphabetic())
}
