//! Every key of the configuration, one row each: what it is, what it may be, what it changes.

#[cfg(test)]
use std::fmt::Write as _;
use std::ops::RangeInclusive;
use std::time::Duration;

use crate::cli::{REQUEST_TOKENS_MAX, TURNS_MAX, When};

use super::directories::{HOME_VARIABLE, NOW_VARIABLE};
use super::endpoint::{self, Header};
use super::setting::{Origin, Setting, Settings};

/// Bytes of standard input that a user may allow.
const STDIN_BYTES_MAX: u64 = 1 << 30;
/// The longest time, in seconds, that a user may allow anything.
const WAIT_SECONDS_MAX: f64 = 86_400.0;
/// The shortest timeout in seconds.
const TIMEOUT_SECONDS_MIN: f64 = 0.001;

/// Short for the variable of `endpoint.url`.
pub(super) const ENDPOINT_VARIABLE: &str = "ANKITA_ENDPOINT";

/// A row of [`KEYS`].
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) kind: Type,
    /// As the README shows it; empty if there is none.
    #[cfg_attr(not(test), expect(dead_code, reason = "only documents show it"))]
    pub(super) default: &'static str,
    /// One sentence, without a full stop.
    #[cfg_attr(not(test), expect(dead_code, reason = "only documents show it"))]
    pub(super) doc: &'static str,
}

impl Key {
    /// The environment variable of a key: `a.b_c` is `ANKITA_A_B_C`.
    pub(super) fn variable(&self) -> String {
        format!(
            "ANKITA_{}",
            self.name.to_ascii_uppercase().replace('.', "_")
        )
    }
}

/// What a value may be, and what it changes. The errors go on from the key's name.
pub(super) enum Type {
    Text(fn(&mut Settings, String, Origin) -> Result<(), String>),
    /// A text that no message shows.
    Secret(fn(&mut Settings, String, Origin) -> Result<(), String>),
    Choice(&'static [&'static str], fn(&mut Settings, &str, Origin)),
    Whole(RangeInclusive<u64>, fn(&mut Settings, u64, Origin)),
    Seconds(RangeInclusive<f64>, fn(&mut Settings, Duration, Origin)),
    List(fn(&mut Settings, Vec<Setting<String>>) -> Result<(), String>),
    Headers(fn(&mut Settings, Vec<Header>)),
}

impl Type {
    /// What a value must be, for messages and the README.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Text(_) | Self::Secret(_) => "a string".into(),
            Self::Choice(names, _) => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                format!("one of {}", names.join(", "))
            }
            Self::Whole(range, _) => {
                format!("a whole number from {} to {}", range.start(), range.end())
            }
            Self::Seconds(range, _) => {
                format!(
                    "a number of seconds from {} to {}",
                    range.start(),
                    range.end()
                )
            }
            Self::List(_) => "a list of strings".into(),
            Self::Headers(_) => "a table of strings".into(),
        }
    }
}

/// Every key, in the order of the README.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "endpoint.url",
        kind: Type::Text(|settings, text, origin| {
            let value = endpoint::read_address(&text)?;
            settings.endpoint.address = Some(Setting { value, origin });
            Ok(())
        }),
        default: "",
        doc: "who answers: `http://host:port[/path]`, `unix:/path/to/socket` or `builtin`",
    },
    Key {
        name: "endpoint.key",
        kind: Type::Secret(|settings, text, origin| {
            let value = endpoint::read_key(&text)?;
            settings.endpoint.key = Some(Setting { value, origin });
            Ok(())
        }),
        default: "",
        doc: "the key, sent as `Authorization: Bearer` to the endpoint that is set",
    },
    Key {
        name: "endpoint.connect_timeout",
        kind: Type::Seconds(
            TIMEOUT_SECONDS_MIN..=WAIT_SECONDS_MAX,
            |settings, value, origin| {
                settings.endpoint.connect_timeout = Setting { value, origin };
            },
        ),
        default: "10",
        doc: "how long connecting may take",
    },
    Key {
        name: "endpoint.head_timeout",
        kind: Type::Seconds(
            TIMEOUT_SECONDS_MIN..=WAIT_SECONDS_MAX,
            |settings, value, origin| {
                settings.endpoint.head_timeout = Setting { value, origin };
            },
        ),
        default: "300",
        doc: "how long the head of a response may take",
    },
    Key {
        name: "endpoint.idle_timeout",
        kind: Type::Seconds(
            TIMEOUT_SECONDS_MIN..=WAIT_SECONDS_MAX,
            |settings, value, origin| {
                settings.endpoint.idle_timeout = Setting { value, origin };
            },
        ),
        default: "120",
        doc: "how long a response may be silent",
    },
    Key {
        name: "endpoint.retries",
        kind: Type::Whole(0..=10, |settings, value, origin| {
            let value = u32::try_from(value).unwrap_or(u32::MAX);
            settings.endpoint.retries = Setting { value, origin };
        }),
        default: "3",
        doc: "how often a failed request is sent again",
    },
    Key {
        name: "endpoint.headers",
        kind: Type::Headers(|settings, headers| settings.endpoint.headers = headers),
        default: "",
        doc: "further headers of each request, by name",
    },
    Key {
        name: "endpoint.clear_key_hosts",
        kind: Type::List(|settings, hosts| {
            for host in &hosts {
                endpoint::check_host(&host.value)?;
            }
            settings.endpoint.clear_key_hosts = hosts;
            Ok(())
        }),
        default: "",
        doc: "hosts besides this machine to which the key may go unencrypted",
    },
    Key {
        name: "model",
        kind: Type::Text(|settings, value, origin| {
            settings.model = Some(Setting { value, origin });
            Ok(())
        }),
        default: "",
        doc: "the model to ask; without it, the endpoint's default",
    },
    Key {
        name: "system",
        kind: Type::Text(|settings, value, origin| {
            settings.system = Some(Setting { value, origin });
            Ok(())
        }),
        default: "",
        doc: "the system prompt",
    },
    Key {
        name: "max_tokens",
        kind: Type::Whole(1..=REQUEST_TOKENS_MAX as u64, |settings, value, origin| {
            let value = u32::try_from(value).unwrap_or(u32::MAX);
            settings.max_tokens = Some(Setting { value, origin });
        }),
        default: "",
        doc: "the limit of tokens that each request carries",
    },
    Key {
        name: "max_turns",
        kind: Type::Whole(1..=TURNS_MAX as u64, |settings, value, origin| {
            let value = u32::try_from(value).unwrap_or(u32::MAX);
            settings.max_turns = Setting { value, origin };
        }),
        default: "60",
        doc: "rounds of calls that one prompt may have",
    },
    Key {
        name: "stdin.wait",
        kind: Type::Seconds(0.0..=WAIT_SECONDS_MAX, |settings, value, origin| {
            settings.stdin_wait = Setting { value, origin };
        }),
        default: "3",
        doc: "how long a pipe may keep a prompt waiting where nobody watches",
    },
    Key {
        name: "stdin.bytes_max",
        kind: Type::Whole(1..=STDIN_BYTES_MAX, |settings, value, origin| {
            let value = usize::try_from(value).unwrap_or(usize::MAX);
            settings.stdin_bytes_max = Setting { value, origin };
        }),
        default: "16777216",
        doc: "bytes of standard input that are sent; what is over is cut off, and said",
    },
    Key {
        name: "rules.allow",
        kind: Type::List(|settings, rules| {
            settings.allow.extend(rules);
            Ok(())
        }),
        default: "",
        doc: "calls that run without asking: `tool` or `tool(pattern)`",
    },
    Key {
        name: "rules.deny",
        kind: Type::List(|settings, rules| {
            settings.deny.extend(rules);
            Ok(())
        }),
        default: "",
        doc: "calls that are refused, whatever else allows them",
    },
    Key {
        name: "color",
        kind: Type::Choice(&When::NAMES, |settings, name, origin| {
            let value = When::named(name).unwrap_or_default();
            settings.color = Setting { value, origin };
        }),
        default: "`auto`",
        doc: "when to use colour",
    },
];

/// Variables besides those of the keys: name and meaning.
pub(super) const VARIABLES: &[(&str, &str)] = &[
    (ENDPOINT_VARIABLE, "short for `ANKITA_ENDPOINT_URL`"),
    (
        HOME_VARIABLE,
        "the directory of configuration and state, instead of the user's",
    ),
    (
        NOW_VARIABLE,
        "the time at which the clock stands still, such as `2026-03-01T09:30:00+01:00`",
    ),
    (
        "OPENAI_BASE_URL",
        "who answers, if `endpoint.url` is not set; `https://` is skipped",
    ),
    (
        "OPENAI_API_KEY",
        "the key, if `endpoint.key` is not set and an endpoint is",
    ),
    (
        "HTTP_PROXY",
        "the proxy for endpoints that are not on this machine; also `http_proxy`",
    ),
    (
        "NO_PROXY",
        "hosts that are asked without the proxy; also `no_proxy`",
    ),
    ("NO_COLOR", "no colour, if `color` is not set"),
];

/// The keys as a Markdown table.
#[cfg(test)]
pub(crate) fn keys_markdown() -> String {
    let mut text =
        String::from("| key | what it is | default | meaning |\n| --- | --- | --- | --- |\n");
    for key in KEYS {
        // Writing to memory cannot fail.
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} |",
            key.name,
            key.kind.words(),
            key.default,
            key.doc
        );
    }
    text
}

/// The variables besides those of the keys as a Markdown table.
#[cfg(test)]
pub(crate) fn variables_markdown() -> String {
    let mut text = String::from("| variable | meaning |\n| --- | --- |\n");
    for (name, doc) in VARIABLES {
        let _ = writeln!(text, "| `{name}` | {doc} |"); // Writing to memory cannot fail.
    }
    text
}
