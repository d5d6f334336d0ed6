//! Why there is no answer, in words and as a kind.

use std::fmt;
use std::time::Duration;

use crate::http::{self, FaultKind};

/// The kinds; each has the name that `error.kind` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    ApiError,
    Auth,
    BadRequest,
    Config,
    Connect,
    ContentFilter,
    ContextOverflow,
    EmptyResponse,
    InvalidToolCall,
    Limit,
    Misdirected,
    ModelUnsupported,
    /// A server says by its code that it cannot serve this, and that another one must be set.
    NoEndpoint,
    NoResponse,
    Overloaded,
    PayloadTooLarge,
    Protocol,
    Quota,
    RateLimited,
    Redirect,
    ServerUnavailable,
    Timeout,
    ToolArgsTruncated,
    Truncated,
    UnexpectedContentType,
    UnsupportedEncoding,
}

impl Kind {
    /// The name in JSON output.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ApiError => "api_error",
            Self::Auth => "auth",
            Self::BadRequest => "bad_request",
            Self::Config => "config",
            Self::Connect => "connect",
            Self::ContentFilter => "content_filter",
            Self::ContextOverflow => "context_overflow",
            Self::EmptyResponse => "empty_response",
            Self::InvalidToolCall => "invalid_tool_call",
            Self::Limit => "limit",
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
            Self::Timeout => "timeout",
            Self::ToolArgsTruncated => "tool_args_truncated",
            Self::Truncated => "truncated",
            Self::UnexpectedContentType => "unexpected_content_type",
            Self::UnsupportedEncoding => "unsupported_encoding",
        }
    }

    /// What a failed exchange is.
    pub(super) fn of(kind: FaultKind) -> Self {
        match kind {
            FaultKind::Config => Self::Config,
            kind if kind.is_connect() => Self::Connect,
            FaultKind::Timeout(_) => Self::Timeout,
            FaultKind::NoResponse => Self::NoResponse,
            FaultKind::Truncated | FaultKind::Cancelled => Self::Truncated,
            FaultKind::Limit => Self::Limit,
            _ => Self::Protocol,
        }
    }

    /// Whether the same request may succeed if it is sent again a little later.
    pub(super) fn is_passing(self) -> bool {
        matches!(
            self,
            Self::ApiError | Self::Overloaded | Self::RateLimited | Self::ServerUnavailable
        )
    }
}

/// Why there is no answer, and what there is of it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    /// What was asked of whom, the cause, the remedy; in one line and safe to show.
    pub(crate) message: String,
    /// The status of the response, if there was one.
    pub(crate) status: Option<u16>,
    /// What the server calls the request; it is in `message` too.
    pub(crate) request_id: Option<String>,
    /// The model's limit in tokens, where the server names it.
    pub(crate) limit_tokens: Option<u64>,
    /// How long the server asks to wait.
    pub(crate) retry_after: Option<Duration>,
    /// Why the model stopped, if it said so.
    pub(crate) finish: Option<super::Finish>,
    /// The part of the answer that came, and was shown.
    pub(crate) partial: String,
    /// Calls that came, wholly or in part, and do not run.
    pub(crate) calls_discarded: usize,
}

impl Fault {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            status: None,
            request_id: None,
            limit_tokens: None,
            retry_after: None,
            finish: None,
            partial: String::new(),
            calls_discarded: 0,
        }
    }
}

impl From<http::Fault> for Fault {
    fn from(fault: http::Fault) -> Self {
        Self::new(Kind::of(fault.kind), fault.text)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
