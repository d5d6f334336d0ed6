//! What a flag is: how it is spelled, what it means, what it changes.

use std::path::PathBuf;

use super::table::FLAGS;

/// Rounds with calls that one turn may have, unless the user says otherwise.
pub(crate) const TURNS_DEFAULT: u32 = 60;
/// Rounds with calls that a user may allow one turn.
pub(crate) const TURNS_MAX: u32 = 1_000;
/// Tokens that a user may allow one request.
pub(crate) const REQUEST_TOKENS_MAX: u32 = 10_000_000;

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Text,
    /// One `result` object.
    Json,
    /// One object a line.
    StreamJson,
}

impl Format {
    /// The words of a value, in the order of the variants.
    pub(crate) const NAMES: [&'static str; 3] = ["text", "json", "stream-json"];

    /// Reads one of [`Format::NAMES`].
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "text" => Some(Self::Text),
            "json" => Some(Self::Json),
            "stream-json" => Some(Self::StreamJson),
            _ => None,
        }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum When {
    #[default]
    Auto,
    Always,
    Never,
}

impl When {
    /// The words of a value, in the order of the variants.
    pub(crate) const NAMES: [&'static str; 3] = ["auto", "always", "never"];

    /// Reads one of [`When::NAMES`].
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "auto" => Some(Self::Auto),
            "always" => Some(Self::Always),
            "never" => Some(Self::Never),
            _ => None,
        }
    }
}

/// Whether standard input is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum StdinRule {
    /// As its kind says.
    #[default]
    Auto,
    /// `--stdin`, or `-`: to its end, however long it takes.
    Always,
    /// `--no-stdin`.
    Never,
}

/// What the flags say. A value that no flag gave is `None`, empty or off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
pub(crate) struct Flags {
    pub(crate) model: Option<String>,
    pub(crate) system: Option<String>,
    /// As typed; `config` checks it.
    pub(crate) endpoint: Option<String>,
    pub(crate) stdin: StdinRule,
    pub(crate) format: Format,
    pub(crate) dry_run: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
    pub(crate) no_stream: bool,
    pub(crate) color: Option<When>,
    pub(crate) plain: bool,
    pub(crate) no_tools: bool,
    /// Rules as typed, in order.
    pub(crate) allow_tool: Vec<String>,
    pub(crate) deny_tool: Vec<String>,
    pub(crate) allow_all: bool,
    pub(crate) read_only: bool,
    pub(crate) headless: bool,
    /// 1 to [`TURNS_MAX`].
    pub(crate) max_turns: Option<u32>,
    /// 1 to [`REQUEST_TOKENS_MAX`].
    pub(crate) max_tokens: Option<u32>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) add_dirs: Vec<PathBuf>,
    pub(crate) no_session: bool,
    /// `HOST:PORT`, for the command `endpoint`.
    pub(crate) listen: Option<String>,
}

/// What parsing fills in before it is known what is to be done.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) flags: Flags,
    /// `--output-format`, which `--json` must not contradict.
    pub(super) format: Option<Format>,
    pub(super) prompt: Given,
    pub(super) talk: Given,
    pub(super) is_help: bool,
    pub(super) is_version: bool,
}

/// A flag whose value may come from elsewhere.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum Given {
    #[default]
    No,
    /// Without a value.
    Bare,
    Text(String),
}

/// A row of [`FLAGS`](super::FLAGS).
#[derive(Debug)]
pub(super) struct Flag {
    /// Without the dashes.
    pub(super) long: &'static str,
    /// Other spellings, without the dashes.
    pub(super) aliases: &'static [&'static str],
    pub(super) short: Option<char>,
    pub(super) takes: Takes,
    pub(super) group: Group,
    pub(super) scope: Scope,
    /// One sentence, without a full stop.
    pub(super) doc: &'static str,
}

/// Whether a flag has a value, and what it changes.
#[derive(Debug)]
pub(super) enum Takes {
    Nothing(fn(&mut Draft)),
    /// The value is what follows; the error says what is wrong with it, beginning with it.
    Value {
        name: &'static str,
        is_repeatable: bool,
        set: fn(&mut Draft, &str) -> Result<(), String>,
    },
    /// The value may be left out.
    Perhaps {
        name: &'static str,
        given: fn(&mut Draft) -> &mut Given,
    },
}

/// Under which heading help lists a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    Asking,
    Output,
    Consent,
    Other,
}

impl Group {
    /// All, in the order of help, with their headings.
    pub(super) const ALL: [(Self, &'static str); 4] = [
        (Self::Asking, "Asking"),
        (Self::Output, "Output"),
        (Self::Consent, "Tools and consent"),
        (Self::Other, "Other"),
    ];
}

/// Where a flag makes sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Everywhere,
    /// Without a command only.
    Prompt,
    /// With this command only.
    Command(&'static str),
}

impl Flag {
    /// Whether `name`, without dashes, is its long name or an alias.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.long == name || self.aliases.contains(&name)
    }

    /// How the value is shown; empty for a switch.
    pub(super) fn value_text(&self) -> String {
        match self.takes {
            Takes::Nothing(_) => String::new(),
            Takes::Value { name, .. } => name.to_owned(),
            Takes::Perhaps { name, .. } => format!("[{name}]"),
        }
    }

    /// The doc, with other spellings and whether it may be given several times.
    pub(super) fn full_doc(&self) -> String {
        let mut doc = self.doc.to_owned();
        for alias in self.aliases {
            doc.extend(["; also `--", alias, "`"]);
        }
        if matches!(
            self.takes,
            Takes::Value {
                is_repeatable: true,
                ..
            }
        ) {
            doc.push_str("; may be repeated");
        }
        doc
    }
}

/// The flag of that long name or alias, without dashes.
pub(super) fn find_long(name: &str) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.is_named(name))
}

/// The flag of that letter.
pub(super) fn find_short(letter: char) -> Option<&'static Flag> {
    FLAGS.iter().find(|flag| flag.short == Some(letter))
}

/// All long names and aliases, without dashes.
pub(super) fn long_names() -> impl Iterator<Item = &'static str> {
    FLAGS
        .iter()
        .flat_map(|flag| [flag.long].into_iter().chain(flag.aliases.iter().copied()))
}

/// Pairs that contradict each other, by their long names.
pub(super) const CONFLICTS: &[(&str, &str)] = &[
    ("stdin", "no-stdin"),
    ("read-only", "allow-all"),
    ("prompt", "interactive"),
    ("quiet", "verbose"),
    ("interactive", "stdin"),
    ("interactive", "headless"),
    ("interactive", "dry-run"),
    ("interactive", "json"),
];
