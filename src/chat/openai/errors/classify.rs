//! What kind of error it is, and what helps.

use std::time::Duration;

use crate::chat::Kind;
use crate::chat::openai::errors::Source;
use crate::chat::openai::errors::body::Said;

/// Words of a prompt that is too long, as servers write them.
const OVERFLOW_WORDS: [&str; 15] = [
    "context_length_exceeded",
    "contextwindowexceeded",
    "context window exceeded",
    "model_max_prompt_tokens_exceeded",
    "exceed_context_size",
    "prompt is too long",
    "input is too long",
    "exceeds the context window",
    "exceeds the available context size",
    "greater than the context length",
    "maximum context length",
    "context size has been exceeded",
    "context length exceeded",
    "exceeds the maximum number of tokens",
    "exceeds the model's context",
];
/// After these a server names its limit.
const LIMIT_WORDS: [&str; 7] = [
    "maximum context length is",
    "maximum context length of",
    "exceeds the limit of",
    "context window of",
    "context size (",
    "context length of",
    "tokens >",
];
const QUOTA_WORDS: [&str; 5] = [
    "insufficient_quota",
    "quota_exceeded",
    "overage_limit_reached",
    "billing_not_configured",
    "exceeded your current quota",
];
const MODEL_WORDS: [&str; 6] = [
    "model_not_supported",
    "unsupported_api_for_model",
    "not accessible via the /chat/completions endpoint",
    "model_not_found",
    "invalid model name",
    "requested model is not supported",
];
const FILTER_WORDS: [&str; 4] = [
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicy",
    "content management policy",
];
const BUSY_WORDS: [&str; 3] = ["model_overloaded", "overloaded_error", "engine_overloaded"];
const RATE_WORDS: [&str; 4] = [
    "rate_limit",
    "rate_limited",
    "too_many_requests",
    "agent_mode_limit_exceeded",
];
const AUTH_WORDS: [&str; 5] = [
    "invalid_api_key",
    "authentication_error",
    "permission_error",
    "token expired",
    "unauthorized",
];

fn has_any(words: &str, known: &[&str]) -> bool {
    known.iter().any(|known| words.contains(known))
}

fn is_overflow(words: &str) -> bool {
    has_any(words, &OVERFLOW_WORDS)
        || (words.contains("exceeds the limit of") && words.contains("token"))
}

/// The kind of a response whose status is no success.
pub(super) fn kind_of_status(status: u16, said: &Said) -> Kind {
    let words = said.words();
    let by_status = match status {
        300..=399 => Kind::Redirect,
        401 | 403 => Kind::Auth,
        402 => Kind::Quota,
        // Only a proxy says this: the endpoint was never reached.
        407 => Kind::Connect,
        413 => Kind::PayloadTooLarge,
        421 => Kind::Misdirected,
        422 if said.is_validation => Kind::BadRequest,
        422 => Kind::ContentFilter,
        409 | 424 | 499 => Kind::ApiError,
        429 => Kind::RateLimited,
        408 | 502 | 503 | 504 => Kind::ServerUnavailable,
        529 => Kind::Overloaded,
        400..=499 => Kind::BadRequest,
        _ => Kind::ApiError,
    };
    // Words decide where the status leaves it open; a clear status stands whatever the text happens to hold.
    match status {
        400 | 413 | 422 | 500 if is_overflow(&words) => Kind::ContextOverflow,
        400 | 422 | 500 if has_any(&words, &MODEL_WORDS) => Kind::ModelUnsupported,
        400 | 403 | 422 | 500 if has_any(&words, &FILTER_WORDS) => Kind::ContentFilter,
        403 | 429 if has_any(&words, &QUOTA_WORDS) => Kind::Quota,
        429 | 500 | 503 if has_any(&words, &BUSY_WORDS) => Kind::Overloaded,
        _ => by_status,
    }
}

/// The kind of an error that came with status 200.
pub(super) fn kind_of_words(said: &Said) -> Kind {
    if let Some(status) = said.status.filter(|status| (400..=599).contains(status)) {
        return kind_of_status(status, said);
    }
    let words = said.words();
    let tables: [(&[&str], Kind); 6] = [
        (&QUOTA_WORDS, Kind::Quota),
        (&MODEL_WORDS, Kind::ModelUnsupported),
        (&FILTER_WORDS, Kind::ContentFilter),
        (&BUSY_WORDS, Kind::Overloaded),
        (&RATE_WORDS, Kind::RateLimited),
        (&AUTH_WORDS, Kind::Auth),
    ];
    if is_overflow(&words) {
        return Kind::ContextOverflow;
    }
    if let Some((_, kind)) = tables.into_iter().find(|(known, _)| has_any(&words, known)) {
        return kind;
    }
    match said.kind.as_str() {
        "invalid_request_error" | "BadRequestError" => Kind::BadRequest,
        _ => Kind::ApiError,
    }
}

/// The model's limit in tokens, if the server names it.
pub(super) fn limit_tokens(kind: Kind, said: &Said) -> Option<u64> {
    if kind != Kind::ContextOverflow {
        return None;
    }
    said.limit_tokens.or_else(|| {
        let text = said.text.to_lowercase();
        LIMIT_WORDS.into_iter().find_map(|words| {
            let after = text.get(text.find(words)? + words.len()..)?;
            let digits = after.trim_start();
            let end = digits
                .find(|c: char| !c.is_ascii_digit() && c != ',')
                .unwrap_or(digits.len());
            digits.get(..end)?.replace(',', "").parse().ok()
        })
    })
}

/// What helps against an error, in one clause; empty if nothing is known.
pub(super) fn remedy(
    kind: Kind,
    status: u16,
    said: &Said,
    wait: Option<Duration>,
    source: &Source,
) -> String {
    let words = said.words();
    let fixed = match kind {
        Kind::Connect if status == 407 => {
            "the proxy wants a name and a password: put them into its variable, `http://USER:PASSWORD@HOST:PORT`"
        }
        Kind::BadRequest if words.contains("editor-version") => {
            "the endpoint is Copilot itself and wants an `Editor-Version` field: put a proxy that adds it in front, or set \
             it under `[endpoint.headers]`"
        }
        Kind::BadRequest if status == 404 && words.contains("model") => {
            "is the model's name right? `ankita models` lists those there are"
        }
        Kind::BadRequest if status == 404 && !source.path.contains("/v1/") => {
            "is there an endpoint at this address? many want `/v1` at its end"
        }
        Kind::BadRequest if status == 404 => "is there an endpoint at this address?",
        Kind::BadRequest if status == 405 => {
            "something else than a chat endpoint seems to answer at this address"
        }
        Kind::Auth if words.contains("expired") => {
            "sign in at the proxy again, or restart it so that it gets a new token"
        }
        Kind::Auth if status == 403 && said.text.is_empty() => {
            "the server may refuse the name it is called by; try `127.0.0.1`, or check the key (`endpoint.key`)"
        }
        Kind::Auth => "check the key (`endpoint.key`), or sign in at the proxy again",
        Kind::Misdirected => {
            "this account is served by another host: set the proxy up for its plan (individual, business, enterprise)"
        }
        Kind::ModelUnsupported
            if words.contains("unsupported_api") || words.contains("not accessible via") =>
        {
            "this model speaks only the Responses API: choose another one with `-m`"
        }
        Kind::ModelUnsupported => {
            "choose another model with `-m` (`ankita models` lists them), or enable it in the account's settings"
        }
        Kind::ContextOverflow => "begin a new conversation, or send less",
        Kind::Quota => {
            "the account's allowance is used up: choose another model, or wait for the reset"
        }
        Kind::PayloadTooLarge => "send less, or begin a new conversation",
        Kind::ContentFilter => "the provider's filter refuses this: say it otherwise",
        Kind::Overloaded => "try again later, or choose another model",
        Kind::ServerUnavailable if words.contains("loading model") => {
            "the server is still loading the model: try again in a moment"
        }
        Kind::ServerUnavailable => "the server or what stands behind it is down: try again later",
        Kind::RateLimited => return remedy_of_wait(wait),
        _ => "",
    };
    fixed.to_owned()
}

fn remedy_of_wait(wait: Option<Duration>) -> String {
    match wait {
        Some(wait) => format!("try again in {}", in_words(wait)),
        None => "try again later, or choose another model".to_owned(),
    }
}

/// A wait in its greatest unit, rounded up.
fn in_words(wait: Duration) -> String {
    match wait.as_secs() + u64::from(wait.subsec_nanos() > 0) {
        seconds @ ..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3600)),
    }
}
