//! Where the configuration lies, and the other variables that are no settings.

use std::path::{Path, PathBuf};

/// Moves configuration and state.
pub(super) const HOME_VARIABLE: &str = "ANKITA_HOME";
/// Sets the wall clock, which then stands still.
pub(super) const NOW_VARIABLE: &str = "ANKITA_NOW";

/// The user's configuration file: `$ANKITA_HOME/config.toml`, else
/// `$XDG_CONFIG_HOME/ankita/config.toml`, else `$HOME/.config/ankita/config.toml`. A relative
/// `XDG_CONFIG_HOME` or `HOME` counts as unset, as the XDG base directory specification asks.
pub(crate) fn file_path(env: &[(String, String)]) -> Option<PathBuf> {
    if let Some(home) = variable(env, HOME_VARIABLE) {
        return Some(Path::new(home).join("config.toml"));
    }
    let absolute = |name| {
        variable(env, name)
            .map(Path::new)
            .filter(|path| path.is_absolute())
    };
    let base = match absolute("XDG_CONFIG_HOME") {
        Some(base) => base.to_owned(),
        None => absolute("HOME")?.join(".config"),
    };
    Some(base.join("ankita/config.toml"))
}

/// The text of `ANKITA_NOW`, unread.
pub(crate) fn now(env: &[(String, String)]) -> Option<&str> {
    variable(env, NOW_VARIABLE)
}

/// The first value of `name`; empty counts as unset.
pub(super) fn variable<'e>(env: &'e [(String, String)], name: &str) -> Option<&'e str> {
    env.iter()
        .find(|(known, value)| known == name && !value.is_empty())
        .map(|(_, value)| value.as_str())
}
