//! Puts the settings together, from the weakest source to the strongest.

use crate::cli::{Flags, When, nearest, quote};
use crate::toml::{self, Data, Table};

use super::directories::variable;
use super::endpoint::{self, Address};
use super::key::{ENDPOINT_VARIABLE, KEYS, Key, VARIABLES};
use super::read::{Given, apply};
use super::setting::{Origin, Setting, Settings};
use super::{ConfigError, Warning};

/// Bytes of a configuration file.
pub(crate) const FILE_BYTES_MAX: usize = 1 << 20;

/// How the names of our variables begin.
const PREFIX: &str = "ANKITA_";

/// Unknown keys that are warned about one by one.
const WARNINGS_MAX: usize = 20;

/// Puts the settings together. `file` is the path as messages show it, and the text. Nothing
/// unknown or wrong in it passes: an unknown key warns; a wrong value, and an unknown `ANKITA_…`
/// variable, is an error, also where a stronger source has the last word.
pub(crate) fn load(
    flags: &Flags,
    env: &[(String, String)],
    file: Option<(&str, &str)>,
) -> Result<(Settings, Vec<Warning>), ConfigError> {
    let mut settings = Settings::default();
    let mut warnings = Vec::new();
    if let Some((path, text)) = file {
        apply_file(&mut settings, &mut warnings, path, text)?;
    }
    apply_environment(&mut settings, env)?;
    apply_flags(&mut settings, flags)?;
    apply_foreign(&mut settings, &mut warnings, env)?;
    Ok((settings, warnings))
}

fn apply_file(
    settings: &mut Settings,
    warnings: &mut Vec<Warning>,
    path: &str,
    text: &str,
) -> Result<(), ConfigError> {
    if text.len() > FILE_BYTES_MAX {
        return Err(ConfigError(format!(
            "{path} is larger than {FILE_BYTES_MAX} bytes"
        )));
    }
    let table = toml::parse(text).map_err(|fault| {
        ConfigError(format!(
            "{path}:{}:{}: {}",
            fault.line, fault.column, fault.message
        ))
    })?;
    let mut unknown = Vec::new();
    apply_table(settings, &mut unknown, path, "", &table)?;
    let more = unknown.len().saturating_sub(WARNINGS_MAX);
    warnings.extend(unknown.into_iter().take(WARNINGS_MAX));
    if more > 0 {
        warnings.push(Warning(format!("{path}: {more} more unknown keys")));
    }
    Ok(())
}

/// Applies the keys of a table whose own key is `section`, and of the tables in it.
fn apply_table(
    settings: &mut Settings,
    unknown: &mut Vec<Warning>,
    path: &str,
    section: &str,
    table: &Table,
) -> Result<(), ConfigError> {
    for entry in table.entries() {
        let name = match section {
            "" => entry.key.clone(),
            section => format!("{section}.{}", entry.key),
        };
        let line = entry.line;
        let at = |cause: String| ConfigError(format!("{path}:{line}: `{name}` {cause}"));
        if let Some(key) = KEYS.iter().find(|key| key.name == name) {
            let origin = Origin::File {
                path: path.to_owned(),
                line,
            };
            apply(settings, key, Given::Toml(&entry.value), &origin).map_err(at)?;
            continue;
        }
        match first_within(&name) {
            Some(inner) => match &entry.value.data {
                Data::Table(table) => apply_table(settings, unknown, path, &name, table)?,
                data => {
                    return Err(at(format!(
                        "must be a table, as in `{inner} = …`, not {}",
                        data.kind()
                    )));
                }
            },
            None => unknown.push(Warning(format!(
                "{path}:{line}: unknown key {}{}",
                quote(&name),
                hint(nearest_name(&name, '.', KEYS.iter().map(|key| key.name)))
            ))),
        }
    }
    Ok(())
}

/// The first key that lies in the section `name`.
fn first_within(name: &str) -> Option<&'static str> {
    KEYS.iter().map(|key| key.name).find(|known| {
        known
            .strip_prefix(name)
            .is_some_and(|rest| rest.starts_with('.'))
    })
}

fn apply_environment(settings: &mut Settings, env: &[(String, String)]) -> Result<(), ConfigError> {
    refuse_unknown(env)?;
    let url = KEYS.first().map(Key::variable).unwrap_or_default();
    if let (Some(short), Some(long)) = (variable(env, ENDPOINT_VARIABLE), variable(env, &url))
        && short != long
    {
        return Err(ConfigError::variable(
            ENDPOINT_VARIABLE,
            &format!("and `{url}` name different endpoints; unset one"),
        ));
    }
    for key in KEYS {
        let mut name = key.variable();
        let mut value = variable(env, &name);
        if value.is_none() && name == url {
            ENDPOINT_VARIABLE.clone_into(&mut name);
            value = variable(env, ENDPOINT_VARIABLE);
        }
        if let Some(value) = value {
            let origin = Origin::Variable(name.clone());
            apply(settings, key, Given::Text(value), &origin)
                .map_err(|cause| ConfigError::variable(&name, &cause))?;
        }
    }
    Ok(())
}

/// A misspelt variable must not pass: a run in CI would take the default in silence.
fn refuse_unknown(env: &[(String, String)]) -> Result<(), ConfigError> {
    let mut known: Vec<String> = KEYS.iter().map(Key::variable).collect();
    known.extend(VARIABLES.iter().map(|(name, _)| (*name).to_owned()));
    let unknown = env
        .iter()
        .map(|(name, _)| name)
        .find(|name| name.starts_with(PREFIX) && !known.contains(name));
    let Some(name) = unknown else {
        return Ok(());
    };
    let word = name.strip_prefix(PREFIX).unwrap_or_default();
    let ours = known.iter().filter_map(|name| name.strip_prefix(PREFIX));
    let near = nearest_name(word, '_', ours).map(|near| format!("{PREFIX}{near}"));
    Err(ConfigError(format!(
        "unknown environment variable {}{}",
        quote(name),
        hint(near.as_deref())
    )))
}

fn hint(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean `{near}`?"))
        .unwrap_or_default()
}

/// The nearest of `names`, by the whole or, failing that, by what follows the last separator:
/// `url` is near to `endpoint.url`.
fn nearest_name<'a>(
    name: &str,
    separator: char,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    let last = |text: &'a str| text.rsplit(separator).next().unwrap_or(text);
    nearest(name, names.clone()).or_else(|| {
        let word = name.rsplit(separator).next().unwrap_or(name);
        let near = nearest(word, names.clone().map(last))?;
        names.into_iter().find(|name| last(name) == near)
    })
}

fn apply_flags(settings: &mut Settings, flags: &Flags) -> Result<(), ConfigError> {
    if let Some(url) = &flags.endpoint {
        let value = endpoint::read_address(url)
            .map_err(|cause| ConfigError(format!("`--endpoint` {cause}")))?;
        settings.endpoint.address = Some(from_flag(value, "--endpoint"));
    }
    if let Some(model) = &flags.model {
        settings.model = Some(from_flag(model.clone(), "--model"));
    }
    if let Some(system) = &flags.system {
        settings.system = Some(from_flag(system.clone(), "--system"));
    }
    if let Some(tokens) = flags.max_tokens {
        settings.max_tokens = Some(from_flag(tokens, "--max-tokens"));
    }
    if let Some(turns) = flags.max_turns {
        settings.max_turns = from_flag(turns, "--max-turns");
    }
    if let Some(when) = flags.color {
        settings.color = from_flag(when, "--color");
    }
    let rules = |rules: &[String], flag| -> Vec<Setting<String>> {
        rules
            .iter()
            .map(|rule| from_flag(rule.clone(), flag))
            .collect()
    };
    settings
        .allow
        .extend(rules(&flags.allow_tool, "--allow-tool"));
    settings.deny.extend(rules(&flags.deny_tool, "--deny-tool"));
    Ok(())
}

fn from_flag<T>(value: T, flag: &'static str) -> Setting<T> {
    Setting {
        value,
        origin: Origin::Flag(flag),
    }
}

/// What other programs' variables say, where nothing of ours says anything.
fn apply_foreign(
    settings: &mut Settings,
    warnings: &mut Vec<Warning>,
    env: &[(String, String)],
) -> Result<(), ConfigError> {
    const BASE: &str = "OPENAI_BASE_URL";
    const KEY: &str = "OPENAI_API_KEY";
    const NO_COLOR: &str = "NO_COLOR";
    let origin = |name: &str| Origin::Variable(name.to_owned());
    let endpoint = &mut settings.endpoint;
    if endpoint.address.is_none()
        && let Some(url) = variable(env, BASE)
    {
        if endpoint::is_https(url) {
            warnings.push(Warning(format!(
                "`{BASE}` is skipped: it is an `https://` address, and this program speaks no TLS; `endpoint.url` says who answers"
            )));
        } else {
            let value =
                endpoint::read_address(url).map_err(|cause| ConfigError::variable(BASE, &cause))?;
            endpoint.address = Some(Setting {
                value,
                origin: origin(BASE),
            });
        }
    }
    let is_url = matches!(
        &endpoint.address,
        Some(Setting {
            value: Address::Url(_),
            ..
        })
    );
    if endpoint.key.is_none()
        && is_url
        && let Some(key) = variable(env, KEY)
    {
        let value = endpoint::read_key(key).map_err(|cause| ConfigError::variable(KEY, &cause))?;
        endpoint.key = Some(Setting {
            value,
            origin: origin(KEY),
        });
    }
    if settings.color.origin == Origin::Default && variable(env, NO_COLOR).is_some() {
        settings.color = Setting {
            value: When::Never,
            origin: origin(NO_COLOR),
        };
    }
    Ok(())
}
