//! Where each value comes from, and that the tables agree.

use std::time::Duration;

use super::key::{KEYS, Key};
use super::*;
use crate::cli::{self, Flags, When};

const FILE: &str = "/c/config.toml";

/// What all sources together give.
pub(super) fn load_all(
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

pub(super) fn settings(flags: &[&str], env: &[(&str, &str)], file: &str) -> Settings {
    let (settings, warnings) = load_all(flags, env, file).unwrap();
    assert_eq!(warnings, []);
    settings
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
    assert_eq!(settings.endpoint.head_timeout.value, Duration::from_mins(5));
    assert_eq!(settings.endpoint.idle_timeout.value, Duration::from_mins(2));
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

fn check_all(settings: Settings, text: &str, number: u32, color: When, origins: [&str; 5]) {
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
    check_all(settings(&flags, &env, file), "a", 3, When::Always, {
        [
            "--model",
            "--system",
            "--max-tokens",
            "--max-turns",
            "--color",
        ]
    });
    check_all(
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
    check_all(
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
