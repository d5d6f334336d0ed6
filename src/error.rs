//! What ends the program: every kind of end with its name, and one table of exit codes.

use std::fmt;
#[cfg(test)]
use std::fmt::Write as _;

use crate::cli::Usage;
use crate::config::ConfigError;

/// Why a run did not end well, or what happened in one that did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    ApiError,
    Auth,
    BadRequest,
    Bug,
    Config,
    Connect,
    Consent,
    ContentFilter,
    ContextOverflow,
    EmptyResponse,
    Interrupted,
    InvalidToolCall,
    Io,
    Limit,
    Loop,
    Misdirected,
    ModelUnsupported,
    NoEndpoint,
    NoResponse,
    Overloaded,
    PayloadTooLarge,
    Protocol,
    Quota,
    RateLimited,
    Redirect,
    ServerUnavailable,
    Terminated,
    Timeout,
    ToolArgsTruncated,
    ToolFailed,
    Truncated,
    TurnLimit,
    UnexpectedContentType,
    UnreadInput,
    UnsupportedEncoding,
    Usage,
}

impl Kind {
    /// The name in `error.kind`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ApiError => "api_error",
            Self::Auth => "auth",
            Self::BadRequest => "bad_request",
            Self::Bug => "bug",
            Self::Config => "config",
            Self::Connect => "connect",
            Self::Consent => "consent",
            Self::ContentFilter => "content_filter",
            Self::ContextOverflow => "context_overflow",
            Self::EmptyResponse => "empty_response",
            Self::Interrupted => "interrupted",
            Self::InvalidToolCall => "invalid_tool_call",
            Self::Io => "io",
            Self::Limit => "limit",
            Self::Loop => "loop",
            Self::Misdirected => "misdirected",
            Self::ModelUnsupported => "model_unsupported",
            Self::NoEndpoint => "no_endpoint",
            Self::NoResponse => "no_response",
            Self::Overloaded => "overloaded",
            Self::PayloadTooLarge => "payload_too_large",
            Self::Protocol => "protocol",
            Self::Quota => "quota",
            Self::RateLimited => "rate_limited",
            Self::Redirect => "redirect",
            Self::ServerUnavailable => "server_unavailable",
            Self::Terminated => "terminated",
            Self::Timeout => "timeout",
            Self::ToolArgsTruncated => "tool_args_truncated",
            Self::ToolFailed => "tool_failed",
            Self::Truncated => "truncated",
            Self::TurnLimit => "turn_limit",
            Self::UnexpectedContentType => "unexpected_content_type",
            Self::UnreadInput => "unread_input",
            Self::UnsupportedEncoding => "unsupported_encoding",
            Self::Usage => "usage",
        }
    }

    /// The kind of that name: the way back from a layer that knows only names.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let mut kinds = ROWS.iter().flat_map(|row| row.kinds);
        kinds.find(|kind| kind.name() == name).copied()
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
            Kind::Auth,
            Kind::Config,
            Kind::Misdirected,
            Kind::NoEndpoint,
        ],
        doc: "configuration or key is wrong, or nobody who can answer is configured",
    },
    Row {
        code: 6,
        kinds: &[
            Kind::Connect,
            Kind::Limit,
            Kind::NoResponse,
            Kind::Protocol,
            Kind::Timeout,
            Kind::Truncated,
        ],
        doc: "the endpoint was not reached, or the connection failed",
    },
    Row {
        code: 4,
        kinds: &[
            Kind::ContextOverflow,
            Kind::Loop,
            Kind::ToolArgsTruncated,
            Kind::TurnLimit,
        ],
        doc: "a limit ended the turn",
    },
    Row {
        code: 1,
        kinds: &[
            Kind::ApiError,
            Kind::BadRequest,
            Kind::Bug,
            Kind::ContentFilter,
            Kind::EmptyResponse,
            Kind::InvalidToolCall,
            Kind::Io,
            Kind::ModelUnsupported,
            Kind::Overloaded,
            Kind::PayloadTooLarge,
            Kind::Quota,
            Kind::RateLimited,
            Kind::Redirect,
            Kind::ServerUnavailable,
            Kind::UnexpectedContentType,
            Kind::UnsupportedEncoding,
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
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
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
        Self::new(Kind::Config, error.to_string())
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
        check(&[Kind::NoEndpoint], 3, "no_endpoint", "error");
        check(&[Kind::Connect], 6, "connect", "error");
        check(&[Kind::TurnLimit], 4, "turn_limit", "limit");
        check(&[Kind::ApiError], 1, "api_error", "error");
        check(&[Kind::ToolFailed], 7, "tool_failed", "ok");
        check(&[Kind::Consent], 5, "consent", "ok");
        // Pairs, in the order of the table and against it.
        let order = [
            Kind::Interrupted,
            Kind::Terminated,
            Kind::UnreadInput,
            Kind::Auth,
            Kind::Truncated,
            Kind::Loop,
            Kind::Quota,
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
        check(&[Kind::Timeout, Kind::Connect], 6, "timeout", "error");
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
            assert_eq!(Kind::named(kind.name()), Some(*kind));
            assert_eq!(exit_code(&with(*kind)), kind.exit_code());
        }
        assert_eq!(Kind::named("schema_mismatch"), None);
    }

    fn with(kind: Kind) -> Outcome {
        let mut outcome = Outcome::default();
        outcome.note(Error::new(kind, ""));
        outcome
    }

    /// The enum is as long as the table: a new kind without a row fails here.
    #[test]
    fn every_kind_has_a_row() {
        let rows: usize = ROWS.iter().map(|row| row.kinds.len()).sum();
        assert_eq!(Kind::Usage as usize + 1, rows);
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
