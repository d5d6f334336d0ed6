//! Status and body → kind, text, remedy.

use crate::chat::Kind;
use crate::chat::openai::of_response;
use crate::chat::openai::quirks::{Quirks, Sent};
use crate::chat::openai::tests::{head, source};

fn response(status: u16, body: &str) -> crate::chat::Fault {
    let head = head(&format!("HTTP/1.1 {status} X\r\n\r\n"));
    of_response(&head, body.as_bytes(), &source())
}

#[track_caller]
fn check(status: u16, body: &str, kind: Kind, words: &str) {
    let fault = response(status, body);
    assert_eq!(fault.kind, kind, "{fault}");
    assert!(fault.message.contains(words), "{fault}");
}

#[test]
fn the_models_and_the_prompts_faults_are_told_apart() {
    check(
        400,
        "{\"error\":{\"message\":\"x\",\"code\":\"model_not_supported\",\"param\":\"model\"}}",
        Kind::ModelUnsupported,
        "ankita models",
    );
    check(
        400,
        "{\"error\":{\"message\":\"m is not accessible via the /chat/completions endpoint\",\"code\":\"unsupported_api_for_model\"}}",
        Kind::ModelUnsupported,
        "Responses API",
    );
    check(
        400,
        "{\"error\":{\"message\":\"prompt token count of 9 exceeds the limit of 5\",\"code\":\"\"}}",
        Kind::ContextOverflow,
        "9 exceeds",
    );
    check(
        400,
        "bad request: missing Editor-Version header for IDE auth",
        Kind::BadRequest,
        "[endpoint.headers]",
    );
    check(
        400,
        "{\"error\":{\"code\":\"off_topic\",\"message\":\"no\"}}",
        Kind::BadRequest,
        "`off_topic`",
    );
    check(
        404,
        "404 page not found",
        Kind::BadRequest,
        "many want `/v1`",
    );
    check(
        404,
        "{\"error\":{\"message\":\"model 'x' not found\"}}",
        Kind::BadRequest,
        "ankita models",
    );
    check(
        422,
        "{\"error\":{\"message\":\"filtered\"}}",
        Kind::ContentFilter,
        "filtered",
    );
    check(
        422,
        "{\"detail\":[{\"loc\":[\"body\",\"messages\",0],\"msg\":\"field required\"}]}",
        Kind::BadRequest,
        "body.messages.0: field required",
    );
    check(466, "client too old", Kind::BadRequest, "client too old");
}

#[test]
fn refusals_of_the_account_have_their_kinds() {
    check(
        401,
        "unauthorized: token expired",
        Kind::Auth,
        "sign in at the proxy again",
    );
    check(
        402,
        "{\"error\":{\"code\":\"quota_exceeded\",\"message\":\"You have no quota\"}}",
        Kind::Quota,
        "no quota",
    );
    check(
        403,
        "{\"message\":\"not allowed\",\"error_details\":{\"title\":\"T\"}}",
        Kind::Auth,
        "not allowed",
    );
    check(
        413,
        "Request Entity Too Large",
        Kind::PayloadTooLarge,
        "send less",
    );
    check(
        421,
        "Misdirected Request",
        Kind::Misdirected,
        "another host",
    );
}

#[test]
fn servers_in_trouble_have_their_kinds() {
    check(424, "", Kind::ApiError, "status 424");
    check(499, "", Kind::ApiError, "status 499");
    check(
        429,
        "{\"error\":{\"code\":\"user_model_rate_limited\",\"message\":\"slow\"}}",
        Kind::RateLimited,
        "try again",
    );
    check(
        429,
        "{\"error\":{\"code\":\"model_overloaded\",\"message\":\"busy\"}}",
        Kind::Overloaded,
        "busy",
    );
    check(
        429,
        "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"pay\"}}",
        Kind::Quota,
        "pay",
    );
    check(
        500,
        "{\"error\":{\"message\":\"boom\"}}",
        Kind::ApiError,
        "boom",
    );
    check(
        503,
        "{\"error\":{\"code\":503,\"message\":\"Loading model\",\"type\":\"unavailable_error\"}}",
        Kind::ServerUnavailable,
        "still loading",
    );
    check(529, "", Kind::Overloaded, "status 529");
}

#[test]
fn limits_are_read_from_members_and_sentences() {
    // llama.cpp names the limit as a member; Anthropic behind a comparison.
    let fault = response(
        400,
        "{\"error\":{\"code\":400,\"message\":\"request (9 tokens) exceeds the available context size (5 tokens)\",\"type\":\"exceed_context_size_error\",\"n_prompt_tokens\":9,\"n_ctx\":4096}}",
    );
    assert_eq!(
        (fault.kind, fault.limit_tokens),
        (Kind::ContextOverflow, Some(4096))
    );
    let fault = response(
        400,
        "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}}",
    );
    assert_eq!(
        (fault.kind, fault.limit_tokens),
        (Kind::ContextOverflow, Some(200_000))
    );
    // A limit of requests is none of tokens.
    check(
        429,
        "you exceeded the limit of 10 requests",
        Kind::RateLimited,
        "10 requests",
    );
}

#[test]
fn what_a_server_says_is_shown_safely_and_in_short() {
    let fault = response(500, &format!("a\u{1b}[31m\n{}", "long ".repeat(2000)));
    assert!(fault.message.chars().count() < 500, "{fault}");
    assert!(!fault.message.contains('\u{1b}'));
    let page =
        "<!doctype html><html><head><title>Sign &amp; in</title></head><body>secret</body></html>";
    let fault = response(502, page);
    assert!(fault.message.contains("Sign & in"), "{fault}");
    assert!(!fault.message.contains("secret"), "{fault}");
    // Nothing is said at all.
    let fault = response(500, "");
    assert!(
        fault
            .message
            .contains("asking `http://127.0.0.1:4141` for `/chat/completions`: status 500 X"),
        "{fault}"
    );
}

#[test]
fn any_body_is_survived() {
    let bodies: [&[u8]; 9] = [
        b"\xff\xfe",
        b"{",
        b"[]",
        b"null",
        b"{\"error\":[]}",
        b"{\"error\":{\"message\":{}}}",
        b"{\"error\":\"\"}",
        b"<title",
        b"{\"detail\":[1,{\"msg\":\"x\",\"loc\":[null]}]}",
    ];
    for body in bodies {
        for status in [199_u16, 200, 301, 400, 422, 500, 999] {
            if status < 200 {
                continue;
            }
            let head = head(&format!("HTTP/1.1 {status}\r\n\r\n"));
            assert!(!of_response(&head, body, &source()).message.is_empty());
        }
    }
}

#[test]
fn a_lesson_is_learnt_once_and_only_from_what_was_sent() {
    let all = Sent {
        stream_options: true,
        max_tokens: true,
        null_content: true,
        reasoning: true,
    };
    let mut quirks = Quirks::default();
    let options = b"{\"error\":{\"message\":\"extra_forbidden: stream_options\"}}";
    assert!(quirks.learn(400, options, Sent::default()).is_none());
    assert!(quirks.learn(500, options, all).is_none());
    assert!(quirks.learn(422, options, all).is_some());
    assert!(quirks.learn(422, options, all).is_none());
    // A limit that is too large is not one that is unknown.
    let large =
        b"{\"error\":{\"message\":\"max_tokens is too large: 900000\",\"param\":\"max_tokens\"}}";
    assert!(quirks.learn(400, large, all).is_none());
    let overflow =
        b"{\"error\":{\"message\":\"This model's maximum context length is 8192 tokens\"}}";
    assert!(quirks.learn(400, overflow, all).is_none());
    let filter = b"{\"error\":{\"message\":\"filtered by the content policy\",\"type\":\"x\"}}";
    assert!(quirks.learn(400, filter, all).is_none());
    let null = b"{\"error\":{\"message\":\"messages[2].content must be a string\"}}";
    assert!(quirks.learn(400, null, all).is_some());
    assert!(
        quirks.has_empty_content && quirks.has_no_stream_options && !quirks.has_completion_limit
    );
}
