//! Every command, one row each, and the words that are kept for commands to come.

/// What a command is to do, with its words checked for number only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    ToolsList,
    /// One name or more, of tools or categories.
    ToolsShow(Vec<String>),
    /// Each word is a query; none: each line of standard input is one.
    ToolsMatch(Vec<String>),
    ToolsCall {
        name: String,
        /// The arguments as JSON text, unread.
        arguments: String,
    },
    ToolsAudit,
    SkillsList,
    SkillsShow(String),
    Models,
    /// Serve the built-in endpoint at `Flags::listen`.
    Endpoint,
}

/// A row of [`COMMANDS`].
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// One sentence, without a full stop.
    pub(crate) doc: &'static str,
    /// What may follow; one row without a name for a command that has no sub-words. The first is
    /// what the bare command does.
    pub(crate) subs: &'static [Sub],
}

impl PartialEq for Command {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Command {}

/// One thing that a command does.
#[derive(Debug)]
pub(crate) struct Sub {
    /// Empty for a command that has no sub-words.
    pub(crate) name: &'static str,
    /// The words after it, as help shows them.
    pub(crate) words: &'static str,
    pub(crate) words_min: usize,
    pub(crate) words_max: usize,
    /// Whether `--json` changes what it prints.
    pub(crate) has_json: bool,
    /// One sentence, without a full stop.
    pub(crate) doc: &'static str,
    /// Makes the order from as many words as are allowed.
    pub(crate) order: fn(Vec<String>) -> Order,
}

/// Every command, in the order of help.
pub(crate) const COMMANDS: &[Command] = &[
    Command {
        name: "tools",
        doc: "What the model can call",
        subs: &[
            Sub {
                has_json: true,
                ..bare("list", "list all tools by category", |_| Order::ToolsList)
            },
            Sub {
                words: "NAME...",
                words_min: 1,
                words_max: usize::MAX,
                has_json: true,
                ..bare(
                    "show",
                    "show what a tool or category states",
                    Order::ToolsShow,
                )
            },
            Sub {
                words: "[QUERY...]",
                words_max: usize::MAX,
                has_json: true,
                ..bare(
                    "match",
                    "show what each query, or each line of standard input, would load",
                    Order::ToolsMatch,
                )
            },
            Sub {
                words: "NAME JSON",
                words_min: 2,
                words_max: 2,
                ..bare(
                    "call",
                    "call a tool, with the same consent as when the model does",
                    tools_call,
                )
            },
            bare(
                "audit",
                "count what each request carries, and what each category would add",
                |_| Order::ToolsAudit,
            ),
        ],
    },
    Command {
        name: "skills",
        doc: "Procedures that the model can load",
        subs: &[
            bare("list", "list all skills", |_| Order::SkillsList),
            Sub {
                words: "NAME",
                words_min: 1,
                words_max: 1,
                ..bare("show", "print a skill as the model reads it", |words| {
                    Order::SkillsShow(words.into_iter().next().unwrap_or_default())
                })
            },
        ],
    },
    Command {
        name: "models",
        doc: "What the endpoint offers",
        subs: &[bare("", "list the endpoint's models", |_| Order::Models)],
    },
    Command {
        name: "endpoint",
        doc: "The built-in endpoint",
        subs: &[bare(
            "",
            "serve the built-in endpoint until a signal, and print its URL",
            |_| Order::Endpoint,
        )],
    },
];

/// First words that are kept for commands that do not exist yet.
pub(crate) const RESERVED: &[&str] = &[
    "sessions",
    "mcp",
    "config",
    "doctor",
    "stats",
    "routines",
    "watches",
    "memory",
    "project",
    "completions",
    "man",
];

/// The command of exactly that name.
pub(super) fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}

/// A row without words and JSON.
const fn bare(name: &'static str, doc: &'static str, order: fn(Vec<String>) -> Order) -> Sub {
    Sub {
        name,
        words: "",
        words_min: 0,
        words_max: 0,
        has_json: false,
        doc,
        order,
    }
}

fn tools_call(words: Vec<String>) -> Order {
    let mut words = words.into_iter();
    Order::ToolsCall {
        name: words.next().unwrap_or_default(),
        arguments: words.next().unwrap_or_default(),
    }
}
