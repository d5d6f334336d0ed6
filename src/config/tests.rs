//! Where each value comes from, every refusal's full text, and where a key may go.

use std::time::Duration;

use super::key::{KEYS, Key};
use super::*;
use crate::cli::{self, Flags, When};

const FILE: &str = "/c/config.toml";

/// What all sources together give.
fn load_all(
    flags: &[&str],
    env: &[(&str, &str)],
    file: &str,
) -> Result<(Settings, Vec<Warning>), ConfigError> {
    let arguments: Vec<std::ffi::OsString> = flags.iter().map(Into::into).collect();
    let flags = cli::parse(&arguments).unwrap().flags;
    let env: Vec<(String, String)> = env
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    load(&flags, &env, Some((FILE, file)))
}

fn settings(flags: &[&str], env: &[(&str, &str)], file: &str) -> Settings {
    let (settings, warnings) = load_all(flags, env, file).unwrap();
    assert_eq!(warnings, []);
    settings
}

fn check_file(file: &str, text: &str) {
    let error = load_all(&[], &[], file).unwrap_err();
    assert_eq!(error.to_string(), text, "{file}");
}

fn check_env(name: &str, value: &str, text: &str) {
    let error = load_all(&[], &[(name, value)], "").unwrap_err();
    assert_eq!(error.to_string(), text, "{name}={value}");
}

fn check_warning(env: &[(&str, &str)], file: &str, text: &str) {
    let (_, warnings) = load_all(&[], env, file).unwrap();
    let warnings: Vec<String> = warnings.iter().map(Warning::to_string).collect();
    assert_eq!(warnings.join("\n"), text);
}

#[test]
fn defaults() {
    let (settings, warnings) = load(&Flags::default(), &[], None).unwrap();
    assert_eq!(warnings, []);
    assert_eq!(settings, Settings::default());
    assert_eq!(settings.endpoint.address, None);
    assert_eq!(settings.endpoint.retries.value, 3);
    assert_eq!(
        settings.endpoint.connect_timeout.value,
        Duration::from_secs(10)
    );
    assert_eq!(
        settings.endpoint.head_timeout.value,
        Duration::from_secs(300)
    );
    assert_eq!(
        settings.endpoint.idle_timeout.value,
        Duration::from_secs(120)
    );
    assert_eq!(settings.max_turns.value, 60);
    assert_eq!(settings.stdin_wait.value, Duration::from_secs(3));
    assert_eq!(settings.stdin_bytes_max.value, 16 * 1024 * 1024);
    assert_eq!(settings.color.origin.to_string(), "default");
}

/// Takes the sources away one by one, from the strongest.
#[test]
fn precedence_of_the_endpoint() {
    let flags = ["--endpoint", "http://flag"];
    let env = [
        ("ANKITA_ENDPOINT_URL", "http://long"),
        ("OPENAI_BASE_URL", "http://foreign"),
    ];
    let file = "[endpoint]\nurl = \"http://file\"\n";
    let check = |settings: Settings, url: &str, origin: &str| {
        let address = settings.endpoint.address.unwrap();
        assert_eq!(address.value, Address::Url(url.to_owned()));
        assert_eq!(address.origin.to_string(), origin);
    };
    check(settings(&flags, &env, file), "http://flag", "--endpoint");
    check(
        settings(&[], &env, file),
        "http://long",
        "ANKITA_ENDPOINT_URL",
    );
    let short = [("ANKITA_ENDPOINT", "http://short"), env[1]];
    check(
        settings(&[], &short, file),
        "http://short",
        "ANKITA_ENDPOINT",
    );
    check(
        settings(&[], &env[1..], file),
        "http://file",
        "/c/config.toml:2",
    );
    check(
        settings(&[], &env[1..], ""),
        "http://foreign",
        "OPENAI_BASE_URL",
    );
    assert_eq!(settings(&[], &[], "").endpoint.address, None);
    // Set to nothing is unset.
    let empty = [("ANKITA_ENDPOINT", ""), ("ANKITA_MODEL", "")];
    check(
        settings(&[], &empty, file),
        "http://file",
        "/c/config.toml:2",
    );
}

#[test]
fn precedence_of_the_others() {
    let file = "model = 'f'\nsystem = 'f'\nmax_tokens = 1\nmax_turns = 1\ncolor = 'never'\n";
    let env = [
        ("ANKITA_MODEL", "e"),
        ("ANKITA_SYSTEM", "e"),
        ("ANKITA_MAX_TOKENS", "2"),
        ("ANKITA_MAX_TURNS", "2"),
        ("ANKITA_COLOR", "auto"),
        ("NO_COLOR", "1"),
    ];
    let flags = [
        "-m",
        "a",
        "-s",
        "a",
        "--max-tokens",
        "3",
        "--max-turns",
        "3",
        "--color",
        "always",
    ];
    let check = |settings: Settings, text: &str, number: u32, color: When, origins: [&str; 5]| {
        let (model, system) = (settings.model.unwrap(), settings.system.unwrap());
        let (tokens, turns) = (settings.max_tokens.unwrap(), settings.max_turns);
        assert_eq!((model.value.as_str(), system.value.as_str()), (text, text));
        assert_eq!((tokens.value, turns.value), (number, number));
        assert_eq!(settings.color.value, color);
        let found = [
            model.origin,
            system.origin,
            tokens.origin,
            turns.origin,
            settings.color.origin,
        ];
        assert_eq!(found.map(|origin| origin.to_string()), origins);
    };
    check(settings(&flags, &env, file), "a", 3, When::Always, {
        [
            "--model",
            "--system",
            "--max-tokens",
            "--max-turns",
            "--color",
        ]
    });
    check(
        settings(&[], &env, file),
        "e",
        2,
        When::Auto,
        [
            "ANKITA_MODEL",
            "ANKITA_SYSTEM",
            "ANKITA_MAX_TOKENS",
            "ANKITA_MAX_TURNS",
            "ANKITA_COLOR",
        ],
    );
    check(
        settings(&[], &env[5..], file),
        "f",
        1,
        When::Never,
        [
            "/c/config.toml:1",
            "/c/config.toml:2",
            "/c/config.toml:3",
            "/c/config.toml:4",
            "/c/config.toml:5",
        ],
    );
    let bare = settings(&[], &env[5..], "");
    assert_eq!(bare.color.value, When::Never);
    assert_eq!(bare.color.origin.to_string(), "NO_COLOR");
    assert_eq!(
        settings(&[], &[("NO_COLOR", "")], "").color.value,
        When::Auto
    );
}

/// Every key of the table, from the file and from its variable.
#[test]
fn every_key_from_file_and_environment() {
    for key in KEYS {
        let (toml, text) = match key.name {
            "endpoint.url" => ("'unix:/run/s'", "unix:/run/s"),
            "endpoint.headers" => ("{ X-A = 'b' }", "{ X-A = 'b' }"),
            "endpoint.clear_key_hosts" => ("['h.lan', '[::1]:80']", "h.lan, [::1]:80"),
            "rules.allow" | "rules.deny" => {
                ("['git', 'run_command(a, b)']", "git,run_command(a, b)")
            }
            "color" => ("'always'", "always"),
            "endpoint.key" | "model" | "system" => ("'x y'", "x y"),
            "endpoint.connect_timeout"
            | "endpoint.head_timeout"
            | "endpoint.idle_timeout"
            | "stdin.wait" => ("0.5", "0.5"),
            _ => ("7", "7"),
        };
        let blank = Settings::default();
        let from_file = settings(&[], &[], &format!("{} = {toml}\n", key.name));
        let from_env = settings(&[], &[(&key.variable(), text)], "");
        assert_ne!(from_file, blank, "{} does nothing", key.name);
        let strip =
            |settings: Settings, origin: &str| format!("{settings:?}").replace(origin, "origin");
        let line = Origin::File {
            path: FILE.into(),
            line: 1,
        };
        let variable = Origin::Variable(key.variable());
        assert_eq!(
            strip(from_file, &format!("{line:?}")),
            strip(from_env, &format!("{variable:?}")),
            "{}",
            key.name
        );
    }
    let fractions = settings(&[], &[], "stdin.wait = 0\nendpoint.idle_timeout = 2.25");
    assert_eq!(fractions.stdin_wait.value, Duration::ZERO);
    assert_eq!(
        fractions.endpoint.idle_timeout.value,
        Duration::from_millis(2_250)
    );
    let none = settings(&[], &[("ANKITA_ENDPOINT_RETRIES", " 0 ")], "");
    assert_eq!(none.endpoint.retries.value, 0);
}

/// A deny rule in the file cannot be taken away by a variable or a flag.
#[test]
fn rules_add_up() {
    let all = settings(
        &["--allow-tool", "c", "--deny-tool", "z"],
        &[
            ("ANKITA_RULES_ALLOW", "[\"b, c\"]"),
            ("ANKITA_RULES_DENY", "y"),
        ],
        "[rules]\nallow = [\n  'a',\n  'a2',\n]\ndeny = ['x']\n",
    );
    let show = |rules: &[Setting<String>]| {
        let rules: Vec<String> = rules
            .iter()
            .map(|rule| format!("{} {}", rule.value, rule.origin))
            .collect();
        rules.join("; ")
    };
    assert_eq!(
        show(&all.allow),
        "a /c/config.toml:3; a2 /c/config.toml:4; b, c ANKITA_RULES_ALLOW; c --allow-tool"
    );
    assert_eq!(
        show(&all.deny),
        "x /c/config.toml:6; y ANKITA_RULES_DENY; z --deny-tool"
    );
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
    let many: String = (0..30).map(|n| format!("zzz{n:09} = 1\n")).collect();
    let (_, warnings) = load_all(&[], &[], &many).unwrap();
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
        ("ANKITA_ENDPOINT", "http://h"),
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

#[test]
fn where_the_file_lies() {
    let check = |env: &[(&str, &str)], path: Option<&str>| {
        let env: Vec<(String, String)> = env
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(file_path(&env), path.map(Into::into), "{env:?}");
        assert_eq!(now(&env), None);
    };
    let (xdg, home) = (("XDG_CONFIG_HOME", "/x"), ("HOME", "/home/u"));
    check(&[("ANKITA_HOME", "/a"), xdg, home], Some("/a/config.toml"));
    check(&[("ANKITA_HOME", "a"), home], Some("a/config.toml"));
    check(
        &[("ANKITA_HOME", ""), xdg, home],
        Some("/x/ankita/config.toml"),
    );
    check(
        &[("XDG_CONFIG_HOME", "x"), home],
        Some("/home/u/.config/ankita/config.toml"),
    );
    check(&[home], Some("/home/u/.config/ankita/config.toml"));
    check(&[("HOME", "")], None);
    check(&[], None);
    let env = [("ANKITA_NOW".to_owned(), "2026-03-01T09:30:00Z".to_owned())];
    assert_eq!(now(&env), Some("2026-03-01T09:30:00Z"));
}

#[test]
fn tables_agree() {
    let mut names: Vec<String> = KEYS.iter().map(Key::variable).collect();
    names.extend(key::VARIABLES.iter().map(|(name, _)| (*name).to_owned()));
    names.sort();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count, "two keys share a variable");
    assert_eq!(KEYS[0].name, "endpoint.url");
    let keys = keys_markdown();
    assert_eq!(keys.lines().count(), KEYS.len() + 2);
    assert!(keys.contains("| `endpoint.retries` | a whole number from 0 to 10 | 3 | how often a failed request is sent again |\n"));
    assert!(
        variables_markdown().contains("| `ANKITA_ENDPOINT` | short for `ANKITA_ENDPOINT_URL` |\n")
    );
    // What the table says is the default is the default.
    for key in KEYS.iter().filter(|key| !key.default.is_empty()) {
        let value = key.default.trim_matches('`');
        let set = settings(&[], &[(&key.variable(), value)], "");
        let origin = format!("{:?}", Origin::Variable(key.variable()));
        assert_eq!(
            format!("{set:?}").replace(&origin, "Default"),
            format!("{:?}", Settings::default()),
            "{}",
            key.name
        );
    }
}
