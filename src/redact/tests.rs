//! Tests of the redact folder.
//!
//! No row holds a token in one piece: scanners of repositories would take them for real ones.

use std::borrow::Cow;

use super::{mark, redact};

/// A row's text with `§` left out, which parts the tokens.
fn whole(text: &str) -> String {
    text.replace('§', "")
}

#[track_caller]
fn check(text: &str, marked: &str) {
    let text = whole(text);
    assert_eq!(redact(&text, &[]), marked, "{text}");
    assert_eq!(redact(marked, &[]), marked, "again");
}

#[track_caller]
fn check_untouched(text: &str) {
    let text = whole(text);
    assert!(
        matches!(redact(&text, &[]), Cow::Borrowed(_)),
        "{text}\n{}",
        redact(&text, &[])
    );
}

#[test]
fn tokens_are_known_by_their_shape() {
    for (text, marked) in [
        (
            "use ghp§_abcdefghijklmnopqrstuvwxyz0123456789 now",
            "use [secret:github] now",
        ),
        (
            "gho§_16C7e42F292c6912E7710c838347Ae178B4a",
            "[secret:github]",
        ),
        (
            "github§_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ0",
            "[secret:github]",
        ),
        (
            "https://ghp§_abcdefghijklmnopqrstuvwxyz0123456789@github.com/x",
            "https://[secret:github]@github.com/x",
        ),
        ("sk§-proj-Ab3dEf6hIj9kLmN0pQrStUvWx_yz12", "[secret:key]"),
        (
            "key sk§-0123456789abcdef0123456789abcdef.",
            "key [secret:key].",
        ),
        ("AKIA§IOSFODNN7EXAMPLE", "[secret:aws]"),
        ("xoxb§-123456789012-abcdefABCDEF", "[secret:slack]"),
        (
            "eyJ§hbGciOiJIUzI1NiJ9.eyJ§zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
            "[secret:jwt]",
        ),
        (
            "{\"text\":\"a\\nghp§_abcdefghijklmnopqrstuvwxyz0123456789\"}",
            "{\"text\":\"a\\n[secret:github]\"}",
        ),
    ] {
        check(text, marked);
    }
}

#[test]
fn headers_and_urls() {
    for (text, marked) in [
        (
            "Authorization: Bearer abc123def456",
            "Authorization: Bearer [secret:bearer]",
        ),
        (
            "authorization: bearer AbCdEfGhIjKlMnOpQrStUv",
            "authorization: bearer [secret:bearer]",
        ),
        (
            "-H 'Authorization: Basic dXNlcjpwYXNz'",
            "-H 'Authorization: Basic [secret:basic]'",
        ),
        (
            "Authorization: token 0123456789abcdef",
            "Authorization: token [secret:bearer]",
        ),
        (
            "http://me:hunter2@proxy:3128/x?y",
            "http://me:[secret:password]@proxy:3128/x?y",
        ),
        (
            "postgres://u:p@ss@db/x",
            "postgres://u:[secret:password]@db/x",
        ),
        ("redis://:pw@h", "redis://:[secret:password]@h"),
    ] {
        check(text, marked);
    }
}

#[test]
fn labelled_values() {
    for (text, marked) in [
        ("password=hunter2", "password=[secret:password]"),
        ("DB_PASSWORD=letmein", "DB_PASSWORD=[secret:password]"),
        (
            "export PGPASSWORD='a b'",
            "export PGPASSWORD='[secret:password]'",
        ),
        ("  password: letmein\n", "  password: [secret:password]\n"),
        (
            "user.password = hunter2\n",
            "user.password = [secret:password]\n",
        ),
        (
            "{\"user\":\"me\",\"password\": \"a\\\"b\",\"x\":1}",
            "{\"user\":\"me\",\"password\": \"[secret:password]\",\"x\":1}",
        ),
        (
            "{\\\"password\\\":\\\"hunter2\\\"}",
            "{\\\"password\\\":\\\"[secret:password]\\\"}",
        ),
        (
            "mysql --password hunter -u me",
            "mysql --password [secret:password] -u me",
        ),
        (
            "mysql --password=hunter -u me",
            "mysql --password=[secret:password] -u me",
        ),
        (
            "?user=me&password=hunter&x=1",
            "?user=me&password=[secret:password]&x=1",
        ),
        (
            "let password = \"hunter2\";",
            "let password = \"[secret:password]\";",
        ),
        ("api_key=Ab3dEf6hIj9k", "api_key=[secret:key]"),
        (
            "\"apiKey\": \"550e8400-e29b-41d4-a716-446655440000\"",
            "\"apiKey\": \"[secret:key]\"",
        ),
        ("X-Api-Key: 0123456789abcdef", "X-Api-Key: [secret:key]"),
        (
            "AWS_SECRET_ACCESS_KEY=wJalr§XUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "AWS_SECRET_ACCESS_KEY=[secret:key]",
        ),
        (
            "access_token: 'q1w2e3r4t5y6u7i8'",
            "access_token: '[secret:token]'",
        ),
        (
            "tool --token q1w2e3r4t5y6u7i8 x",
            "tool --token [secret:token] x",
        ),
        (
            "client_secret => 'aBcDeFgHiJkLmNoPqR'",
            "client_secret => '[secret:secret]'",
        ),
    ] {
        check(text, marked);
    }
}

#[test]
fn private_keys() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n".repeat(3);
    for title in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
    ] {
        let text = format!("a\n-----BEGIN {title}-----\n{body}-----END {title}-----\nb");
        let marked =
            format!("a\n-----BEGIN {title}-----[secret:private-key]-----END {title}-----\nb");
        check(&text, &marked);
        let marked =
            format!("\"a\\n-----BEGIN {title}-----[secret:private-key]-----END {title}-----\\nb\"");
        check(&format!("{text:?}"), &marked);
    }
    let old = format!(
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n{body}-----END RSA PRIVATE KEY-----"
    );
    check(
        &old,
        "-----BEGIN RSA PRIVATE KEY-----[secret:private-key]-----END RSA PRIVATE KEY-----",
    );
    // Cut off: all of it that is there.
    check(
        &format!("-----BEGIN PRIVATE KEY-----\n{body}"),
        "-----BEGIN PRIVATE KEY-----[secret:private-key]",
    );
    check_untouched(&format!(
        "-----BEGIN PUBLIC KEY-----\n{body}-----END PUBLIC KEY-----"
    ));
    check_untouched("text.find(\"-----BEGIN PRIVATE KEY-----\").map(|start| start + 5)");
}

#[test]
fn ordinary_text_and_code_stay() {
    for text in [
        "token: String",
        "\"password\": \"[secret:key]\"",
        "-----BEGIN PRIVATE KEY-----\nMIIE...\n-----END PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nbase64\n-----END PRIVATE KEY-----",
        "let password = read_password();",
        "password: &str,",
        "password: Option<String>",
        "password: str\n",
        "fn f(password: string) {}",
        "password = args.password",
        "password = line\n",
        "user.password = hunter2;",
        "login(password=password, token=token)",
        "if password == other { }",
        "self.token = token;",
        "const TOKEN: &str = \"token\";",
        "password=$PASSWORD",
        "password: ${{ secrets.PASSWORD }}",
        "PASSWORD=<your password>",
        "api_key = os.environ[\"API_KEY\"]",
        "apiKey: process.env.OPENAI_API_KEY,",
        "token = tokenizer.next_token_or_end_of_file()",
        "Token::Identifier",
        "token=",
        "password:\n",
        "\"password\": \"\"",
        "\"password\": null",
        "PWD=/home/me/project12",
        "the password is required",
        "max_tokens: 4096, prompt_tokens: 123456789012",
        "secret_name: my-long-secret-name",
        "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "\"id\": \"550e8400-e29b-41d4-a716-446655440000\"",
        "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        "Bearer token authentication",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer YOUR_API_KEY",
        "Bearer authentication-is-required-here",
        "Basic authentication",
        "basic usage: foo",
        "http://localhost:4141/v1",
        "http://user@host/",
        "http://a:${PASS}@host/",
        "mailto:me@example.com",
        "https://example.com:8080/@me:x@y",
        "sk-learn-and-some-other-long-package-name",
        "task-0123456789",
        "hf_hub_download_with_a_rather_long_name_here",
        "eyJ",
        "AKIA",
        "use crate::token::next_token;",
        "#[serde(rename = \"token\")]",
        "password.len() >= 12",
        "token ? 1 : 2",
        "git log --author me --token-file x",
        "--password-stdin < file",
    ] {
        check_untouched(text);
    }
}

#[test]
fn known_secrets_are_found_anywhere() {
    let known = [
        "correct horse".to_owned(),
        "short".to_owned(),
        "line\nend\"quote".to_owned(),
    ];
    assert_eq!(
        redact("xcorrect horsey short", &known),
        "x[secret:key]y short"
    );
    assert_eq!(
        redact("\"line\\nend\\\"quote\"", &known),
        "\"[secret:key]\""
    );
    assert_eq!(
        redact("password=\"correct horse\"", &known),
        "password=\"[secret:key]\""
    );
    assert_eq!(
        redact("Bearer correct horse", &known),
        "Bearer [secret:key]"
    );
    assert_eq!(mark("x"), "[secret:x]");
}

/// Texts on which careless scanners take quadratic time.
#[test]
fn time_is_linear() {
    for piece in [
        "password=",
        "password=\"",
        "token=\"",
        "token='a ",
        "password:",
        "password=*",
        "password=a.",
        "-----BEGIN PRIVATE KEY-----",
        "a://b:c@",
        "://",
        "eyJaaaaaaaaa.",
        "--token ",
        "Bearer ",
        "Basic ",
        "x",
        "xXxX_",
        "\\n",
        "\\\"password\\\":\\\"",
        "a:",
        "-",
        "password=(",
        "token=a1b2",
        "é",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let marked = redact(&text, &[]).into_owned();
        assert_eq!(redact(&marked, &[]).len(), marked.len(), "{piece}");
    }
}

/// Random pieces of everything above: never a panic, and what was marked is stable.
#[test]
fn mixtures_never_panic() {
    const PIECES: &[&str] = &[
        "password",
        "token",
        "=",
        ":",
        " ",
        "\"",
        "'",
        "\\",
        "\\n",
        "é",
        "🚀",
        "--",
        "-----",
        "BEGIN PRIVATE KEY",
        "://",
        "@",
        "Bearer",
        "Basic",
        "eyJ",
        ".",
        "sk-",
        "ghp_",
        "a1b2c3d4e5f6g7h8i9",
        "\n",
        "$",
        "{",
        "}",
        "x",
        "AKIA",
        "IOSFODNN7EXAMPLE",
        "&",
        "?",
        "dXNlcjpwYXNz",
        "[secret:",
        "]",
    ];
    let mut state = 88_172_645_463_325_252_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..12 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push_str(PIECES[usize::try_from(state % 1_000_003).unwrap() % PIECES.len()]);
        }
        let _ = redact(&text, &["a1b2c3d4e5f6g7h8i9".to_owned()]);
    }
}
