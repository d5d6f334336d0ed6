//! Lists of models, and the one that is taken.

use crate::chat::openai::tests::{head, source};
use crate::chat::openai::{default_model, read_models};
use crate::chat::{Kind, Model};

fn list(body: &str) -> Vec<Model> {
    read_models(&head("HTTP/1.1 200 OK\r\n\r\n"), body.as_bytes(), &source()).unwrap()
}

#[track_caller]
fn check(body: &str, expected: Option<&str>) {
    let models = list(body);
    assert_eq!(
        default_model(&models).map(|model| model.id.as_str()),
        expected
    );
}

#[test]
fn the_endpoints_own_choice_comes_first_then_the_first_that_can_be_used() {
    check(
        "{\"data\":[{\"id\":\"a\"},{\"id\":\"b\",\"is_chat_default\":true}]}",
        Some("b"),
    );
    check(
        "{\"data\":[{\"id\":\"text-embedding-3\"},{\"id\":\"a\"}]}",
        Some("a"),
    );
    check(
        "{\"data\":[{\"id\":\"a\",\"policy\":{\"state\":\"unconfigured\"}},{\"id\":\"b\"}]}",
        Some("b"),
    );
    check(
        "{\"data\":[{\"id\":\"a\",\"model_picker_enabled\":false},{\"id\":\"b\"}]}",
        Some("b"),
    );
    check(
        "{\"data\":[{\"id\":\"a\",\"capabilities\":{\"supports\":{\"tool_calls\":false}}},{\"id\":\"b\"}]}",
        Some("b"),
    );
    check(
        "{\"data\":[{\"id\":\"a\",\"supported_endpoints\":[\"/responses\"]}]}",
        None,
    );
    check("{\"data\":[]}", None);
    check("[{\"id\":\"a\"}]", Some("a"));
    check("{\"models\":[{\"name\":\"llama3\"}]}", Some("llama3"));
}

#[test]
fn limits_are_taken_from_the_nearest_place() {
    let limit = |entry: &str| list(&format!("{{\"data\":[{entry}]}}"))[0].prompt_limit;
    let window = "{\"id\":\"a\",\"capabilities\":{\"limits\":{\"max_context_window_tokens\":128000,\"max_output_tokens\":16000}}}";
    assert_eq!(limit(window), Some(112_000));
    assert_eq!(
        limit("{\"id\":\"a\",\"max_context_length\":8192}"),
        Some(8192)
    );
    assert_eq!(limit("{\"id\":\"a\",\"max_model_len\":0}"), None);
    assert_eq!(limit("{\"id\":\"a\",\"max_model_len\":\"x\"}"), None);
}

#[test]
fn no_list_is_a_fault_with_its_reason() {
    let kind = |head_text: &str, body: &str| {
        read_models(&head(head_text), body.as_bytes(), &source())
            .unwrap_err()
            .kind
    };
    let ok = "HTTP/1.1 200 OK\r\n\r\n";
    assert_eq!(kind(ok, "{\"x\":1}"), Kind::Protocol);
    assert_eq!(
        kind(ok, "<html><title>Hi</title>"),
        Kind::UnexpectedContentType
    );
    assert_eq!(
        kind(ok, "{\"error\":{\"message\":\"invalid_api_key\"}}"),
        Kind::Auth
    );
    assert_eq!(kind("HTTP/1.1 401 No\r\n\r\n", ""), Kind::Auth);
}
