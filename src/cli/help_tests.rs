//! Help as it is read, and what its tables must hold.

use super::command::{COMMANDS, RESERVED};
use super::*;

fn codes() -> Vec<(String, String)> {
    let row = |code: &str, meaning: &str| (code.to_owned(), meaning.to_owned());
    vec![
        row("2", "the command line is wrong"),
        row("0", "none of these"),
    ]
}

#[test]
fn the_whole_help() {
    assert_eq!(help(&codes()), WHOLE);
}

#[test]
fn the_help_of_a_command() {
    let text: Vec<String> = COMMANDS.iter().map(command_help).collect();
    assert_eq!(text.join("-----\n"), OF_COMMANDS);
}

/// No line is wider than a terminal of 80 columns, ends in a blank, or is lost.
#[test]
fn help_fits_and_is_complete() {
    let text = help(&codes());
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
        assert_eq!(line, line.trim_end());
    }
    assert!(text.ends_with("none of these\n"));
    for flag in table::FLAGS {
        assert!(text.contains(&format!("--{}", flag.long)), "{}", flag.long);
        assert!(flags_markdown().contains(&format!("--{}", flag.long)));
    }
    for word in RESERVED {
        assert!(!text.contains(&format!("  {word} ")), "{word} is not built");
    }
    assert_eq!(version(), "ankita 0.1.0");
}

#[test]
fn tables_for_the_readme() {
    let flags = flags_markdown();
    assert!(
        flags.starts_with(
            "| flag | what it does |\n| --- | --- |\n| `-p, --prompt [TEXT]` | ask this"
        )
    );
    assert_eq!(flags.lines().count(), table::FLAGS.len() + 2);
    assert!(flags.contains(
        "| `-y, --allow-all` | let every call run without asking, but those that cannot be undone; also `--yes` |\n"
    ));
    let commands = commands_markdown();
    assert!(commands.contains("| `ankita tools call NAME JSON` | call a tool, "));
    assert!(commands.contains("| `ankita models` | list the endpoint's models |\n"));
    let slashes = slash_markdown();
    assert!(slashes.contains("| `/model [NAME]` | show the model, or ask another from now on |\n"));
    for table in [flags, commands, slashes] {
        for line in table.lines() {
            let cells = line.matches('|').count() - line.matches("\\|").count();
            assert_eq!(cells, 3, "{line}");
        }
    }
}

const WHOLE: &str = "\
ankita 0.1.0

Usage: ankita [FLAGS] [PROMPT...]
       ankita COMMAND [WORDS] [FLAGS]

A prompt, or text on standard input, is answered once; with neither, on a
terminal, a conversation begins. A first word that is a command is the command;
`--` ends flags and commands, so that any prompt may follow.

Commands:
  tools list                  list all tools by category
  tools show NAME...          show what a tool or category states
  tools match [QUERY...]      show what each query, or each line of standard
                              input, would load
  tools call NAME JSON        call a tool, with the same consent as when the
                              model does
  tools audit                 count what each request carries, and what each
                              category would add
  skills list                 list all skills
  skills show NAME            print a skill as the model reads it
  models                      list the endpoint's models
  endpoint                    serve the built-in endpoint until a signal, and
                              print its URL

Asking:
  -p, --prompt [TEXT]         ask this and print the answer; without TEXT, the
                              prompt is what follows or standard input
  -i, --interactive [TEXT]    talk, and begin with TEXT
  -m, --model NAME            the model to ask; without it, the endpoint's
                              default
  -s, --system TEXT           the system prompt
      --endpoint URL          who answers: `http://host:port[/path]`,
                              `unix:/path/to/socket` or `builtin`; also
                              `--api-base`
      --stdin                 read standard input to its end, however long it
                              takes; `-` as the prompt does the same
      --no-stdin              leave standard input unread
      --max-tokens N          the limit of tokens that each request carries

Output:
      --output-format FORMAT  `text`, `json` (one object at the end) or
                              `stream-json` (one object a line)
      --json                  the same as `--output-format json`
      --dry-run               print the first request's body as JSON and send
                              nothing
      --no-stream             ask for the answer in one piece
  -q, --quiet                 on standard error, only what went wrong
  -v, --verbose               on standard error, also what is done
      --color WHEN            `auto`, `always` or `never`
      --plain                 no colour, no cursor movement, no spinner

Tools and consent:
      --no-tools              send no tools
      --allow-tool RULE       let calls run without asking: `tool` or
                              `tool(pattern)`; may be repeated
      --deny-tool RULE        refuse calls, whatever else allows them: `tool` or
                              `tool(pattern)`; may be repeated
  -y, --allow-all             let every call run without asking, but those that
                              cannot be undone; also `--yes`
      --read-only             refuse every call that changes something
      --headless              ask nobody: what would need consent is refused
      --max-turns N           rounds of calls that one prompt may have (default
                              60)
  -C, --cd DIR                work in this directory
      --add-dir DIR           a further directory that belongs to the workspace;
                              may be repeated

Other:
      --listen HOST:PORT      where `ankita endpoint` listens (default
                              `127.0.0.1:0`, port 0 takes a free one)
      --no-session            keep no session; none is kept yet
  -h, --help                  print this help; after a command, the command's
  -V, --version               print the version

Exit codes (the first that applies):
  2                           the command line is wrong
  0                           none of these
";

const OF_COMMANDS: &str = "\
What the model can call

Usage:
  ankita tools list           list all tools by category
  ankita tools show NAME...   show what a tool or category states
  ankita tools match [QUERY...]
                              show what each query, or each line of standard
                              input, would load
  ankita tools call NAME JSON
                              call a tool, with the same consent as when the
                              model does
  ankita tools audit          count what each request carries, and what each
                              category would add

Flags:
      --json                  print JSON: `list`, `show`, `match`

All other flags: `ankita --help`
-----
Procedures that the model can load

Usage:
  ankita skills list          list all skills
  ankita skills show NAME     print a skill as the model reads it

All other flags: `ankita --help`
-----
What the endpoint offers

Usage:
  ankita models               list the endpoint's models

All other flags: `ankita --help`
-----
The built-in endpoint

Usage:
  ankita endpoint             serve the built-in endpoint until a signal, and
                              print its URL

Flags:
      --listen HOST:PORT      where `ankita endpoint` listens (default
                              `127.0.0.1:0`, port 0 takes a free one)

All other flags: `ankita --help`
";
