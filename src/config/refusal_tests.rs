//! The full text of every refusal and warning of a configuration.

use super::tests::{load_all, settings};
use super::*;

fn check_warning(env: &[(&str, &str)], file: &str, text: &str) {
    let (_, warnings) = load_all(&[], env, file).unwrap();
    let warnings: Vec<String> = warnings.iter().map(Warning::to_string).collect();
    assert_eq!(warnings.join("\n"), text);
}

fn check_env(name: &str, value: &str, text: &str) {
    let error = load_all(&[], &[(name, value)], "").unwrap_err();
    assert_eq!(error.to_string(), text, "{name}={value}");
}

fn check_file(file: &str, text: &str) {
    let error = load_all(&[], &[], file).unwrap_err();
    assert_eq!(error.to_string(), text, "{file}");
}

#[test]
fn wrong_values_in_the_file() {
    check_file(
        "max_turns = 0",
        "/c/config.toml:1: `max_turns` must be a whole number from 1 to 1000, not `0`",
    );
    check_file(
        "\nmax_turns = '5'",
        "/c/config.toml:2: `max_turns` must be a whole number from 1 to 1000, not a string",
    );
    check_file(
        "max_turns = 2.0",
        "/c/config.toml:1: `max_turns` must be a whole number from 1 to 1000, not a float",
    );
    check_file(
        "[endpoint]\nretries = -1",
        "/c/config.toml:2: `endpoint.retries` must be a whole number from 0 to 10, not `-1`",
    );
    check_file(
        "stdin.wait = nan",
        "/c/config.toml:1: `stdin.wait` must be a number of seconds from 0 to 86400, not `NaN`",
    );
    check_file(
        "stdin.wait = inf",
        "/c/config.toml:1: `stdin.wait` must be a number of seconds from 0 to 86400, not `inf`",
    );
    check_file(
        "stdin.wait = -0.5",
        "/c/config.toml:1: `stdin.wait` must be a number of seconds from 0 to 86400, not `-0.5`",
    );
    check_file(
        "endpoint.connect_timeout = 0",
        "/c/config.toml:1: `endpoint.connect_timeout` must be a number of seconds from 0.001 to 86400, not `0`",
    );
    check_file(
        "endpoint.connect_timeout = 9223372036854775807",
        "/c/config.toml:1: `endpoint.connect_timeout` must be a number of seconds from 0.001 to 86400, not `9223372036854775807`",
    );
    check_file(
        "model = 1",
        "/c/config.toml:1: `model` must be a string, not an integer",
    );
    check_file("model = ' '", "/c/config.toml:1: `model` is blank");
    check_file(
        "color = 'allways'",
        "/c/config.toml:1: `color` must be one of `auto`, `always`, `never`, not `allways`; did you mean `always`?",
    );
    check_file(
        "color = true",
        "/c/config.toml:1: `color` must be one of `auto`, `always`, `never`, not a boolean",
    );
}

#[test]
fn wrong_lists_and_tables_in_the_file() {
    check_file(
        "rules.allow = 'git'\nrules.deny = 1",
        "/c/config.toml:1: `rules.allow` must be a list of strings, not a string",
    );
    check_file(
        "rules.allow = ['a', 1]",
        "/c/config.toml:1: `rules.allow` must be a list of strings, not an array",
    );
    check_file(
        "rules.allow = ['a', '']",
        "/c/config.toml:1: `rules.allow` has a blank entry",
    );
    check_file(
        "endpoint = 'http://h'",
        "/c/config.toml:1: `endpoint` must be a table, as in `endpoint.url = …`, not a string",
    );
    check_file(
        "[endpoint]\nkey = 5",
        "/c/config.toml:2: `endpoint.key` must be a string, not an integer",
    );
    check_file(
        "[endpoint]\nurl = 'localhost:4141'",
        "/c/config.toml:2: `endpoint.url` is `localhost:4141`, which has no scheme; write `http://localhost:4141`",
    );
    check_file(
        "endpoint.clear_key_hosts = ['http://h']",
        "/c/config.toml:1: `endpoint.clear_key_hosts` must list hosts like `proxy.lan` or `192.168.1.5:4141`, not `http://h`",
    );
    let error = load_all(&[], &[], "model = ").unwrap_err().to_string();
    assert!(error.starts_with("/c/config.toml:1:"), "{error}");
    let huge = "#".repeat(FILE_BYTES_MAX + 1);
    check_file(&huge, "/c/config.toml is larger than 1048576 bytes");
    // Also where a flag has the last word.
    let error = load_all(&["-m", "x"], &[], "model = 1").unwrap_err();
    assert_eq!(
        error.to_string(),
        "/c/config.toml:1: `model` must be a string, not an integer"
    );
}

#[test]
fn wrong_values_in_the_environment() {
    check_env(
        "ANKITA_MAX_TURNS",
        "many",
        "`ANKITA_MAX_TURNS` must be a whole number from 1 to 1000, not `many`",
    );
    check_env(
        "ANKITA_STDIN_WAIT",
        "NaN",
        "`ANKITA_STDIN_WAIT` must be a number of seconds from 0 to 86400, not `NaN`",
    );
    check_env(
        "ANKITA_STDIN_WAIT",
        "3 s",
        "`ANKITA_STDIN_WAIT` must be a number of seconds from 0 to 86400, not `3 s`",
    );
    check_env("ANKITA_MODEL", "  ", "`ANKITA_MODEL` is blank");
    check_env(
        "ANKITA_RULES_ALLOW",
        "a,,b",
        "`ANKITA_RULES_ALLOW` has a blank entry",
    );
    check_env(
        "ANKITA_RULES_ALLOW",
        "['a', 1]",
        "`ANKITA_RULES_ALLOW` must be a list of strings, not `['a', 1]`",
    );
    check_env(
        "ANKITA_RULES_ALLOW",
        "['a']\nx = 1",
        r"`ANKITA_RULES_ALLOW` must be a list of strings, not `['a']\nx = 1`",
    );
    check_env(
        "ANKITA_ENDPOINT_HEADERS",
        "X-Secret: abc",
        "`ANKITA_ENDPOINT_HEADERS` must be a TOML table like `{ \"X-Name\" = \"value\" }`",
    );
    check_env(
        "ANKITA_ENDPOINT_HEADERS",
        "{ X-A = 1 }",
        "`ANKITA_ENDPOINT_HEADERS` must be a table of strings, but `X-A` is an integer",
    );
}

/// A run in CI must not go on with the default in silence.
#[test]
fn unknown_variables() {
    check_env(
        "ANKITA_ENDPONT",
        "http://h",
        "unknown environment variable `ANKITA_ENDPONT`; did you mean `ANKITA_ENDPOINT`?",
    );
    check_env(
        "ANKITA_ENDPOINT_MODEL",
        "m",
        "unknown environment variable `ANKITA_ENDPOINT_MODEL`; did you mean `ANKITA_MODEL`?",
    );
    check_env(
        "ANKITA_URL",
        "http://h",
        "unknown environment variable `ANKITA_URL`; did you mean `ANKITA_ENDPOINT_URL`?",
    );
    check_env(
        "ANKITA_FROBNICATE",
        "",
        "unknown environment variable `ANKITA_FROBNICATE`",
    );
    let both = [
        ("ANKITA_ENDPOINT", "http://a"),
        ("ANKITA_ENDPOINT_URL", "http://b"),
    ];
    assert_eq!(
        load_all(&[], &both, "").unwrap_err().to_string(),
        "`ANKITA_ENDPOINT` and `ANKITA_ENDPOINT_URL` name different endpoints; unset one"
    );
    // What is ours and no setting, and what is not ours.
    let env = [
        ("ANKITA_HOME", "/h"),
        ("ANKITA_NOW", "x"),
        ("ankita_x", "y"),
        ("ANKITAX", "y"),
    ];
    assert_eq!(settings(&[], &env, ""), Settings::default());
}

#[test]
fn unknown_keys_warn() {
    check_warning(
        &[],
        "[endpoint]\nulr = 'x'",
        "/c/config.toml:2: unknown key `endpoint.ulr`; did you mean `endpoint.url`?",
    );
    check_warning(
        &[],
        "url = 'x'",
        "/c/config.toml:1: unknown key `url`; did you mean `endpoint.url`?",
    );
    check_warning(
        &[],
        "frobnicate = 1",
        "/c/config.toml:1: unknown key `frobnicate`",
    );
    check_warning(
        &[],
        "\n[foo.bar]\nx = 1",
        "/c/config.toml:2: unknown key `foo`",
    );
    check_warning(
        &[],
        "discovery.route = 'x'\n",
        "/c/config.toml:1: unknown key `discovery`",
    );
    let many: Vec<String> = (0..30).map(|n| format!("zzz{n:09} = 1\n")).collect();
    let (_, warnings) = load_all(&[], &[], &many.concat()).unwrap();
    assert_eq!(warnings.len(), 21);
    assert_eq!(
        warnings[20].to_string(),
        "/c/config.toml: 10 more unknown keys"
    );
}

/// Neither an error nor a debug print shows what is secret.
#[test]
fn secrets_stay_secret() {
    let env = [
        ("ANKITA_ENDPOINT", "http://u:sk-secret@h/a"),
        ("ANKITA_ENDPOINT_KEY", "sk-secret"),
        ("ANKITA_ENDPOINT_HEADERS", "{ X-Key = 'sk-secret' }"),
    ];
    let shown = format!("{:?}", settings(&[], &env, ""));
    assert!(!shown.contains("sk-secret"), "{shown}");
    for (name, value) in [
        ("ANKITA_ENDPOINT_KEY", "sk-secret\u{7f}"),
        ("ANKITA_ENDPOINT_KEY", "sk-secr\u{e9}t"),
        ("ANKITA_ENDPOINT_HEADERS", "{ X-A = \"sk-secret\\n\" }"),
        ("ANKITA_ENDPOINT_HEADERS", "sk-secret"),
        ("ANKITA_ENDPOINT_HEADERS", "['sk-secret']"),
    ] {
        let error = load_all(&[], &[(name, value)], "").unwrap_err().to_string();
        assert!(!error.contains("sk-secr"), "{error}");
    }
}
