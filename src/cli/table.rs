//! The rows of the flag table.

use std::path::PathBuf;

use super::flag::{
    Draft, Flag, Format, Given, Group, REQUEST_TOKENS_MAX, Scope, StdinRule, TURNS_MAX, Takes, When,
};
use super::near::{nearest, quote};

/// Every flag, in the order of help.
pub(super) const FLAGS: &[Flag] = &[
    optional(
        "prompt",
        'p',
        "ask this and print the answer; without TEXT, the prompt is what follows or standard input",
        |draft| &mut draft.prompt,
    ),
    optional("interactive", 'i', "talk, and begin with TEXT", |draft| {
        &mut draft.talk
    }),
    valued(
        "model",
        Some('m'),
        Group::Asking,
        "the model to ask; without it, the endpoint's default",
        "NAME",
        |draft, value| text(value, &mut draft.flags.model),
    ),
    valued(
        "system",
        Some('s'),
        Group::Asking,
        "the system prompt",
        "TEXT",
        |draft, value| text(value, &mut draft.flags.system),
    ),
    Flag {
        aliases: &["api-base"],
        ..valued(
            "endpoint",
            None,
            Group::Asking,
            "who answers: `http://host:port[/path]`, `unix:/path/to/socket` or `builtin`",
            "URL",
            |draft, value| text(value, &mut draft.flags.endpoint),
        )
    },
    Flag {
        scope: Scope::Prompt,
        ..switch(
            "stdin",
            None,
            Group::Asking,
            "read standard input to its end, however long it takes; `-` as the prompt does the same",
            |draft| draft.flags.stdin = StdinRule::Always,
        )
    },
    Flag {
        scope: Scope::Prompt,
        ..switch(
            "no-stdin",
            None,
            Group::Asking,
            "leave standard input unread",
            |draft| draft.flags.stdin = StdinRule::Never,
        )
    },
    valued(
        "max-tokens",
        None,
        Group::Asking,
        "the limit of tokens that each request carries",
        "N",
        |draft, value| number(value, REQUEST_TOKENS_MAX, &mut draft.flags.max_tokens),
    ),
    valued(
        "output-format",
        None,
        Group::Output,
        "`text`, `json` (one object at the end) or `stream-json` (one object a line)",
        "FORMAT",
        |draft, value| {
            draft.format = Some(format(value)?);
            Ok(())
        },
    ),
    switch(
        "json",
        None,
        Group::Output,
        "the same as `--output-format json`",
        |draft| draft.flags.format = Format::Json,
    ),
    Flag {
        scope: Scope::Prompt,
        ..switch(
            "dry-run",
            None,
            Group::Output,
            "print the first request's body as JSON and send nothing",
            |draft| draft.flags.dry_run = true,
        )
    },
    switch(
        "no-stream",
        None,
        Group::Output,
        "ask for the answer in one piece",
        |draft| draft.flags.no_stream = true,
    ),
    switch(
        "quiet",
        Some('q'),
        Group::Output,
        "on standard error, only what went wrong",
        |draft| draft.flags.quiet = true,
    ),
    switch(
        "verbose",
        Some('v'),
        Group::Output,
        "on standard error, also what is done",
        |draft| draft.flags.verbose = true,
    ),
    valued(
        "color",
        None,
        Group::Output,
        "`auto`, `always` or `never`",
        "WHEN",
        |draft, value| {
            draft.flags.color = Some(color(value)?);
            Ok(())
        },
    ),
    switch(
        "plain",
        None,
        Group::Output,
        "no colour, no cursor movement, no spinner",
        |draft| draft.flags.plain = true,
    ),
    switch("no-tools", None, Group::Consent, "send no tools", |draft| {
        draft.flags.no_tools = true;
    }),
    repeated(
        "allow-tool",
        "let calls run without asking: `tool` or `tool(pattern)`",
        "RULE",
        |draft, value| push(value, &mut draft.flags.allow_tool),
    ),
    repeated(
        "deny-tool",
        "refuse calls, whatever else allows them: `tool` or `tool(pattern)`",
        "RULE",
        |draft, value| push(value, &mut draft.flags.deny_tool),
    ),
    Flag {
        aliases: &["yes"],
        ..switch(
            "allow-all",
            Some('y'),
            Group::Consent,
            "let every call run without asking, but those that cannot be undone",
            |draft| draft.flags.allow_all = true,
        )
    },
    switch(
        "read-only",
        None,
        Group::Consent,
        "refuse every call that changes something",
        |draft| draft.flags.read_only = true,
    ),
    switch(
        "headless",
        None,
        Group::Consent,
        "ask nobody: what would need consent is refused",
        |draft| draft.flags.headless = true,
    ),
    valued(
        "max-turns",
        None,
        Group::Consent,
        "rounds of calls that one prompt may have (default 60)",
        "N",
        |draft, value| number(value, TURNS_MAX, &mut draft.flags.max_turns),
    ),
    valued(
        "cd",
        Some('C'),
        Group::Consent,
        "work in this directory",
        "DIR",
        |draft, value| {
            draft.flags.directory = Some(PathBuf::from(value));
            Ok(())
        },
    ),
    repeated(
        "add-dir",
        "a further directory that belongs to the workspace",
        "DIR",
        |draft, value| {
            draft.flags.add_dirs.push(PathBuf::from(value));
            Ok(())
        },
    ),
    Flag {
        scope: Scope::Command("endpoint"),
        ..valued(
            "listen",
            None,
            Group::Other,
            "where `ankita endpoint` listens (default `127.0.0.1:0`, port 0 takes a free one)",
            "HOST:PORT",
            |draft, value| listen(value, &mut draft.flags.listen),
        )
    },
    switch(
        "no-session",
        None,
        Group::Other,
        "keep no session; none is kept yet",
        |draft| draft.flags.no_session = true,
    ),
    switch(
        "help",
        Some('h'),
        Group::Other,
        "print this help; after a command, the command's",
        |draft| draft.is_help = true,
    ),
    switch(
        "version",
        Some('V'),
        Group::Other,
        "print the version",
        |draft| draft.is_version = true,
    ),
];

const fn switch(
    long: &'static str,
    short: Option<char>,
    group: Group,
    doc: &'static str,
    set: fn(&mut Draft),
) -> Flag {
    Flag {
        long,
        aliases: &[],
        short,
        takes: Takes::Nothing(set),
        group,
        scope: Scope::Everywhere,
        doc,
    }
}

const fn valued(
    long: &'static str,
    short: Option<char>,
    group: Group,
    doc: &'static str,
    name: &'static str,
    set: fn(&mut Draft, &str) -> Result<(), String>,
) -> Flag {
    Flag {
        long,
        aliases: &[],
        short,
        takes: Takes::Value {
            name,
            is_repeatable: false,
            set,
        },
        group,
        scope: Scope::Everywhere,
        doc,
    }
}

const fn repeated(
    long: &'static str,
    doc: &'static str,
    name: &'static str,
    set: fn(&mut Draft, &str) -> Result<(), String>,
) -> Flag {
    Flag {
        long,
        aliases: &[],
        short: None,
        takes: Takes::Value {
            name,
            is_repeatable: true,
            set,
        },
        group: Group::Consent,
        scope: Scope::Everywhere,
        doc,
    }
}

const fn optional(
    long: &'static str,
    short: char,
    doc: &'static str,
    given: fn(&mut Draft) -> &mut Given,
) -> Flag {
    Flag {
        long,
        aliases: &[],
        short: Some(short),
        takes: Takes::Perhaps {
            name: "TEXT",
            given,
        },
        group: Group::Asking,
        scope: Scope::Prompt,
        doc,
    }
}

fn text(value: &str, into: &mut Option<String>) -> Result<(), String> {
    *into = Some(value.to_owned());
    Ok(())
}

fn push(value: &str, into: &mut Vec<String>) -> Result<(), String> {
    into.push(value.to_owned());
    Ok(())
}

fn number(value: &str, max: u32, into: &mut Option<u32>) -> Result<(), String> {
    match value.parse() {
        Ok(number) if (1..=max).contains(&number) => {
            *into = Some(number);
            Ok(())
        }
        _ => Err(format!(
            "{} is not a whole number from 1 to {max}",
            quote(value)
        )),
    }
}

fn format(value: &str) -> Result<Format, String> {
    Format::named(value).ok_or_else(|| not_one_of(value, &Format::NAMES))
}

fn color(value: &str) -> Result<When, String> {
    When::named(value).ok_or_else(|| not_one_of(value, &When::NAMES))
}

fn not_one_of(value: &str, names: &[&str]) -> String {
    let all: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let hint = nearest(value, names.iter().copied())
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default();
    format!("{} is not one of {}{hint}", quote(value), all.join(", "))
}

fn listen(value: &str, into: &mut Option<String>) -> Result<(), String> {
    let is_address = value.rsplit_once(':').is_some_and(|(host, port)| {
        let is_bracketed = host.starts_with('[') && host.ends_with(']');
        let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        let is_host = !host.is_empty() && !host.contains(|c: char| c == '/' || c.is_whitespace());
        is_port && is_host && (is_bracketed || !host.contains(':'))
    });
    if !is_address {
        return Err(format!(
            "{} is not a host and a port like `127.0.0.1:4141`",
            quote(value)
        ));
    }
    text(value, into)
}
