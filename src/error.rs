//! What ends the program: every kind of end with its name, and one table of exit codes.

use std::fmt;
#[cfg(test)]
use std::fmt::Write as _;

use crate::chat;
use crate::cli::Usage;
use crate::config::ConfigError;

/// Why a run did not end well, or what happened in one that did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The endpoint gave no answer that can be used.
    Chat(chat::Kind),
    Bug,
    Consent,
    Interrupted,
    Io,
    Loop,
    Terminated,
    ToolFailed,
    TurnLimit,
    UnreadInput,
    Usage,
}

impl From<chat::Kind> for Kind {
    fn from(kind: chat::Kind) -> Self {
        Self::Chat(kind)
    }
}

impl Kind {
    /// The name in `error.kind`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Chat(kind) => kind.name(),
            Self::Bug => "bug",
            Self::Consent => "consent",
            Self::Interrupted => "interrupted",
            Self::Io => "io",
            Self::Loop => "loop",
            Self::Terminated => "terminated",
            Self::ToolFailed => "tool_failed",
            Self::TurnLimit => "turn_limit",
            Self::UnreadInput => "unread_input",
            Self::Usage => "usage",
        }
    }

    /// The place of its row in [`ROWS`]: the smaller, the more it counts.
    fn rank(self) -> usize {
        ROWS.iter()
            .position(|row| row.kinds.contains(&self))
            .unwrap_or(ROWS.len())
    }

    /// The exit code of a run in which only this happened.
    pub(crate) fn exit_code(self) -> u8 {
        ROWS.get(self.rank()).map_or(1, |row| row.code)
    }
}

/// A row of the exit codes.
struct Row {
    code: u8,
    /// Alphabetical; empty where no kind decides.
    kinds: &'static [Kind],
    doc: &'static str,
}

/// The exit codes. The first row that applies counts.
const ROWS: &[Row] = &[
    Row {
        code: 0,
        kinds: &[],
        doc: "the reader of standard output went away, whatever else happened",
    },
    Row {
        code: 130,
        kinds: &[Kind::Interrupted],
        doc: "stopped by Ctrl-C",
    },
    Row {
        code: 143,
        kinds: &[Kind::Terminated],
        doc: "stopped by SIGTERM",
    },
    Row {
        code: 2,
        kinds: &[Kind::UnreadInput, Kind::Usage],
        doc: "the command line is wrong, or input came that was not read",
    },
    Row {
        code: 3,
        kinds: &[
            Kind::Chat(chat::Kind::Auth),
            Kind::Chat(chat::Kind::Config),
            Kind::Chat(chat::Kind::Misdirected),
            Kind::Chat(chat::Kind::NoEndpoint),
        ],
        doc: "configuration or key is wrong, or nobody who can answer is configured",
    },
    Row {
        code: 6,
        kinds: &[
            Kind::Chat(chat::Kind::Connect),
            Kind::Chat(chat::Kind::Limit),
            Kind::Chat(chat::Kind::NoResponse),
            Kind::Chat(chat::Kind::Protocol),
            Kind::Chat(chat::Kind::Timeout),
            Kind::Chat(chat::Kind::Truncated),
        ],
        doc: "the endpoint was not reached, or the connection failed",
    },
    Row {
        code: 4,
        kinds: &[
            Kind::Chat(chat::Kind::ContextOverflow),
            Kind::Loop,
            Kind::Chat(chat::Kind::ToolArgsTruncated),
            Kind::TurnLimit,
        ],
        doc: "a limit ended the turn",
    },
    Row {
        code: 1,
        kinds: &[
            Kind::Chat(chat::Kind::ApiError),
            Kind::Chat(chat::Kind::BadRequest),
            Kind::Bug,
            Kind::Chat(chat::Kind::ContentFilter),
            Kind::Chat(chat::Kind::EmptyResponse),
            Kind::Chat(chat::Kind::InvalidToolCall),
            Kind::Io,
            Kind::Chat(chat::Kind::ModelUnsupported),
            Kind::Chat(chat::Kind::Overloaded),
            Kind::Chat(chat::Kind::PayloadTooLarge),
            Kind::Chat(chat::Kind::Quota),
            Kind::Chat(chat::Kind::RateLimited),
            Kind::Chat(chat::Kind::Redirect),
            Kind::Chat(chat::Kind::ServerUnavailable),
            Kind::Chat(chat::Kind::UnexpectedContentType),
            Kind::Chat(chat::Kind::UnsupportedEncoding),
        ],
        doc: "the endpoint refused or failed, or this program did",
    },
    Row {
        code: 7,
        kinds: &[Kind::ToolFailed],
        doc: "the tool failed (`ankita tools call`)",
    },
    Row {
        code: 5,
        kinds: &[Kind::Consent],
        doc: "a call was refused and no later one succeeded; an answer is still printed",
    },
    Row {
        code: 0,
        kinds: &[],
        doc: "none of these",
    },
];

/// What the program says when it does not end well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Error {
    pub(crate) kind: Kind,
    /// One sentence: what was being done, the cause, the remedy.
    pub(crate) message: String,
}

impl Error {
    pub(crate) fn new(kind: impl Into<Kind>, message: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            message: message.into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<Usage> for Error {
    fn from(usage: Usage) -> Self {
        Self::new(Kind::Usage, usage.to_string())
    }
}

impl From<ConfigError> for Error {
    fn from(error: ConfigError) -> Self {
        Self::new(Kind::Chat(chat::Kind::Config), error.to_string())
    }
}

/// How a run ends, as far as is known: the worst of what was noted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    error: Option<Error>,
}

impl Outcome {
    /// Notes what happened. What stands higher in the table of exit codes replaces what stands
    /// lower; of one row the first stays.
    pub(crate) fn note(&mut self, error: Error) {
        let noted = self.error.as_ref().map(|known| known.kind.rank());
        if noted.is_none_or(|noted| error.kind.rank() < noted) {
            self.error = Some(error);
        }
    }

    /// What decides the exit code; `None` exactly where it is 0.
    pub(crate) fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// The word in `result.status`.
    pub(crate) fn status(&self) -> &'static str {
        match exit_code(self) {
            0 | 5 | 7 => "ok",
            4 => "limit",
            130 | 143 => "interrupted",
            _ => "error",
        }
    }
}

/// The exit code of a run: the first row of the table that applies, from the top.
pub(crate) fn exit_code(outcome: &Outcome) -> u8 {
    outcome.error().map_or(0, |error| error.kind.exit_code())
}

/// Code and meaning of each row, for help.
pub(crate) fn exit_code_rows() -> Vec<(String, String)> {
    ROWS.iter()
        .map(|row| (row.code.to_string(), row.doc.to_owned()))
        .collect()
}

/// The exit codes as a Markdown table: code, `error.kind`, meaning.
#[cfg(test)]
pub(crate) fn exit_codes_markdown() -> String {
    let mut text = String::from("| code | `error.kind` | when |\n| --- | --- | --- |\n");
    for row in ROWS {
        let kinds: Vec<String> = row
            .kinds
            .iter()
            .map(|kind| format!("`{}`", kind.name()))
            .collect();
        // Writing to memory cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            row.code,
            kinds.join(", "),
            row.doc
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn check(noted: &[Kind], code: u8, kind: &str, status: &str) {
        let mut outcome = Outcome::default();
        for &kind in noted {
            outcome.note(Error::new(kind, kind.name()));
        }
        assert_eq!(exit_code(&outcome), code, "{noted:?}");
        let decided = outcome.error().map_or("", |error| error.message.as_str());
        assert_eq!(decided, kind, "{noted:?}");
        assert_eq!(outcome.status(), status, "{noted:?}");
    }

    #[test]
    fn the_first_row_that_applies_decides() {
        check(&[], 0, "", "ok");
        // Each code alone.
        check(&[Kind::Interrupted], 130, "interrupted", "interrupted");
        check(&[Kind::Terminated], 143, "terminated", "interrupted");
        check(&[Kind::Usage], 2, "usage", "error");
        check(
            &[Kind::Chat(chat::Kind::NoEndpoint)],
            3,
            "no_endpoint",
            "error",
        );
        check(&[Kind::Chat(chat::Kind::Connect)], 6, "connect", "error");
        check(&[Kind::TurnLimit], 4, "turn_limit", "limit");
        check(&[Kind::Chat(chat::Kind::ApiError)], 1, "api_error", "error");
        check(&[Kind::ToolFailed], 7, "tool_failed", "ok");
        check(&[Kind::Consent], 5, "consent", "ok");
        // Pairs, in the order of the table and against it.
        let order = [
            Kind::Interrupted,
            Kind::Terminated,
            Kind::UnreadInput,
            Kind::Chat(chat::Kind::Auth),
            Kind::Chat(chat::Kind::Truncated),
            Kind::Loop,
            Kind::Chat(chat::Kind::Quota),
            Kind::ToolFailed,
            Kind::Consent,
        ];
        for pair in order.windows(2) {
            let [higher, lower] = *pair else { continue };
            let code = higher.exit_code();
            let mut outcome = Outcome::default();
            outcome.note(Error::new(lower, ""));
            outcome.note(Error::new(higher, ""));
            assert_eq!(exit_code(&outcome), code, "{pair:?}");
            let mut outcome = Outcome::default();
            outcome.note(Error::new(higher, ""));
            outcome.note(Error::new(lower, ""));
            assert_eq!(exit_code(&outcome), code, "{pair:?}");
        }
        // Of one row the first counts.
        check(
            &[
                Kind::Chat(chat::Kind::Timeout),
                Kind::Chat(chat::Kind::Connect),
            ],
            6,
            "timeout",
            "error",
        );
    }

    /// The table of DESIGN §6, without what nothing can produce yet.
    #[test]
    fn the_table_is_the_documented_one() {
        let documented = [
            (0, ""),
            (130, "interrupted"),
            (143, "terminated"),
            (2, "unread_input usage"),
            (3, "auth config misdirected no_endpoint"),
            (6, "connect limit no_response protocol timeout truncated"),
            (4, "context_overflow loop tool_args_truncated turn_limit"),
            (
                1,
                "api_error bad_request bug content_filter empty_response invalid_tool_call io model_unsupported overloaded payload_too_large quota rate_limited redirect server_unavailable unexpected_content_type unsupported_encoding",
            ),
            (7, "tool_failed"),
            (5, "consent"),
            (0, ""),
        ];
        let rows: Vec<(u8, String)> = ROWS
            .iter()
            .map(|row| {
                let names: Vec<&str> = row.kinds.iter().map(|kind| kind.name()).collect();
                (row.code, names.join(" "))
            })
            .collect();
        let documented: Vec<(u8, String)> = documented
            .iter()
            .map(|(code, kinds)| (*code, (*kinds).to_owned()))
            .collect();
        assert_eq!(rows, documented);
        for kind in ROWS.iter().flat_map(|row| row.kinds) {
            assert_eq!(exit_code(&with(*kind)), kind.exit_code());
        }
    }

    fn with(kind: Kind) -> Outcome {
        let mut outcome = Outcome::default();
        outcome.note(Error::new(kind, ""));
        outcome
    }

    /// The enums are as long as the table: a new kind without a row fails here, or does not compile.
    #[test]
    fn every_kind_has_a_row() {
        let is_own = |kind: Kind| match kind {
            Kind::Chat(_) => false,
            Kind::Bug
            | Kind::Consent
            | Kind::Interrupted
            | Kind::Io
            | Kind::Loop
            | Kind::Terminated
            | Kind::ToolFailed
            | Kind::TurnLimit
            | Kind::UnreadInput
            | Kind::Usage => true,
        };
        let kinds = ROWS.iter().flat_map(|row| row.kinds).copied();
        let (own, of_chat): (Vec<Kind>, Vec<Kind>) = kinds.partition(|kind| is_own(*kind));
        assert_eq!(own.len(), 10);
        assert_eq!(of_chat.len(), chat::Kind::UnsupportedEncoding as usize + 1);
        let names: HashSet<&str> = own.iter().chain(&of_chat).map(|kind| kind.name()).collect();
        assert_eq!(names.len(), own.len() + of_chat.len(), "each stands once");
    }

    #[test]
    fn tables_are_text() {
        let markdown = exit_codes_markdown();
        assert!(markdown.contains(
            "| 2 | `unread_input`, `usage` | the command line is wrong, or input came that was not read |\n"
        ));
        assert_eq!(markdown.lines().count(), ROWS.len() + 2);
        assert_eq!(exit_code_rows().len(), ROWS.len());
        assert_eq!(
            Error::from(Usage("unknown flag `-z`".into())),
            Error::new(Kind::Usage, "unknown flag `-z`")
        );
        assert_eq!(
            Error::from(ConfigError::variable("ANKITA_NOW", "is no time")).to_string(),
            "`ANKITA_NOW` is no time"
        );
    }
}
