//! Help, usage and the README's tables, all made from the tables of flags and commands.

use std::fmt::Write as _;

use super::command::{COMMANDS, Command, Sub};
use super::flag::{Flag, Group, Scope};
#[cfg(test)]
use super::slash::SLASHES;
use super::table::FLAGS;

/// Columns of a line of help.
const LINE_COLUMNS_MAX: usize = 80;
/// Where the explanations begin.
const DOC_COLUMN: usize = 30;

/// How help begins, after the version.
const HEAD: &str = "\
Usage: ankita [FLAGS] [PROMPT...]
       ankita COMMAND [WORDS] [FLAGS]

A prompt, or text on standard input, is answered once; with neither, on a
terminal, a conversation begins. A first word that is a command is the command;
`--` ends flags and commands, so that any prompt may follow.
";

/// What stands under the message of a usage error.
pub(crate) const SHORT_USAGE: &str =
    "usage: ankita [FLAGS] [PROMPT...]; `ankita --help` lists flags and commands";

/// `ankita 0.1.0`.
pub(crate) fn version() -> String {
    format!("ankita {}", env!("CARGO_PKG_VERSION"))
}

/// The text of `--help`: usage, commands, flags, and the exit codes, given as code and meaning.
/// Lines of at most 80 columns; ends in a newline.
pub(crate) fn help(exit_codes: &[(String, String)]) -> String {
    let mut text = format!("{}\n\n{HEAD}", version());
    text.push_str("\nCommands:\n");
    for command in COMMANDS {
        for sub in command.subs {
            row(&mut text, &invocation(command, sub), sub.doc);
        }
    }
    for (group, heading) in Group::ALL {
        let _ = write!(text, "\n{heading}:\n"); // Writing to memory cannot fail.
        for flag in FLAGS.iter().filter(|flag| flag.group == group) {
            row(&mut text, &spelling(flag), &flag.full_doc());
        }
    }
    text.push_str("\nExit codes (the first that applies):\n");
    for (code, meaning) in exit_codes {
        row(&mut text, code, meaning);
    }
    text
}

/// The text of `ankita COMMAND --help`.
pub(crate) fn command_help(command: &Command) -> String {
    let mut text = format!("{}\n\nUsage:\n", command.doc);
    for sub in command.subs {
        row(
            &mut text,
            &format!("ankita {}", invocation(command, sub)),
            sub.doc,
        );
    }
    let mut flags = String::new();
    let json = command.subs.iter().filter(|sub| sub.has_json);
    let json: Vec<String> = json.map(|sub| format!("`{}`", sub.name)).collect();
    if !json.is_empty() {
        let doc = format!("print JSON: {}", json.join(", "));
        row(&mut flags, "    --json", &doc);
    }
    let own = |flag: &&Flag| flag.scope == Scope::Command(command.name);
    for flag in FLAGS.iter().filter(own) {
        row(&mut flags, &spelling(flag), &flag.full_doc());
    }
    if !flags.is_empty() {
        let _ = write!(text, "\nFlags:\n{flags}"); // Writing to memory cannot fail.
    }
    text.push_str("\nAll other flags: `ankita --help`\n");
    text
}

/// The flags as a Markdown table.
#[cfg(test)]
pub(crate) fn flags_markdown() -> String {
    let mut text = String::from("| flag | what it does |\n| --- | --- |\n");
    for flag in FLAGS {
        let mut names: Vec<String> = flag.short.iter().map(|short| format!("-{short}")).collect();
        names.push(format!("--{} {}", flag.long, flag.value_text()));
        let names = names.join(", ");
        table_row(
            &mut text,
            &[&format!("`{}`", names.trim_end()), &flag.full_doc()],
        );
    }
    text
}

/// The commands as a Markdown table.
#[cfg(test)]
pub(crate) fn commands_markdown() -> String {
    let mut text = String::from("| command | what it does |\n| --- | --- |\n");
    for command in COMMANDS {
        for sub in command.subs {
            let name = format!("`ankita {}`", invocation(command, sub));
            table_row(&mut text, &[&name, sub.doc]);
        }
    }
    text
}

/// The slash commands as a Markdown table.
#[cfg(test)]
pub(crate) fn slash_markdown() -> String {
    let mut text = String::from("| in a conversation | what it does |\n| --- | --- |\n");
    for slash in SLASHES {
        let name = format!("/{} {}", slash.name, slash.argument);
        table_row(&mut text, &[&format!("`{}`", name.trim_end()), slash.doc]);
    }
    text
}

/// A row of a Markdown table, in which no cell ends early.
#[cfg(test)]
fn table_row(text: &mut String, cells: &[&str]) {
    for cell in cells {
        let _ = write!(text, "| {} ", cell.replace('|', "\\|")); // Writing to memory cannot fail.
    }
    text.push_str("|\n");
}

/// `tools show NAME...`.
fn invocation(command: &Command, sub: &Sub) -> String {
    [command.name, sub.name, sub.words]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// `-m, --model NAME`, with blanks where there is no letter.
fn spelling(flag: &Flag) -> String {
    let short = match flag.short {
        Some(letter) => format!("-{letter}, "),
        None => "    ".to_owned(),
    };
    format!("{short}--{} {}", flag.long, flag.value_text())
        .trim_end()
        .to_owned()
}

/// A line of help: what is typed, then its explanation, wrapped beside it, or below if it is long.
fn row(text: &mut String, typed: &str, doc: &str) {
    let mut line = format!("  {typed}");
    if line.chars().count() + 2 > DOC_COLUMN {
        text.push_str(&line);
        text.push('\n');
        line.clear();
    }
    for word in doc.split_whitespace() {
        let columns = line.chars().count();
        if columns <= DOC_COLUMN {
            let blanks = DOC_COLUMN.saturating_sub(columns);
            line.extend(std::iter::repeat_n(' ', blanks));
        } else if columns + 1 + word.chars().count() > LINE_COLUMNS_MAX {
            text.push_str(&line);
            text.push('\n');
            line = " ".repeat(DOC_COLUMN);
        } else {
            line.push(' ');
        }
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
}
