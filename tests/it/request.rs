//! What a request must be: HTTP as RFC 9112 has it, and a body that every endpoint takes.

use crate::json::{self, Value};
use crate::seen::Request;

/// Reads a head that ends in an empty line: the request without its body, and the body's length.
pub(crate) fn complete(head: &[u8]) -> Result<(Request, usize), String> {
    let shown = || head.escape_ascii().to_string();
    let text =
        std::str::from_utf8(head).map_err(|_| format!("the head is no UTF-8: {}", shown()))?;
    let mut lines = text.trim_end_matches("\r\n").split("\r\n");
    let first = lines.next().unwrap_or_default();
    let [method, target, "HTTP/1.1"] = first.split(' ').collect::<Vec<_>>()[..] else {
        return Err(format!("`{first}` is no request line"));
    };
    let mut request = Request {
        method: method.to_owned(),
        target: target.to_owned(),
        ..Request::default()
    };
    for line in lines {
        let Some((name, value)) = line.split_once(':') else {
            return Err(format!("`{line}` is no header field"));
        };
        request
            .fields
            .push((name.to_owned(), value.trim_matches([' ', '\t']).to_owned()));
    }
    let length = match request.field("Content-Length") {
        Some(value) => value
            .parse()
            .map_err(|_| format!("`Content-Length: {value}` is no length"))?,
        None => 0,
    };
    Ok((request, length))
}

/// What is wrong with a request that came in for `host`; its body is looked at if `has_body`.
pub(crate) fn faults(request: &Request, host: &str, is_proxy: bool, has_body: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut fault =
        |what: String| found.push(format!("{} {}: {what}", request.method, request.target));
    let is_target =
        request.target.starts_with('/') || (is_proxy && request.target.starts_with("http://"));
    if !is_target || request.target.contains('#') {
        fault("is no origin-form target".to_owned());
    }
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    for (name, value) in &request.fields {
        if name.is_empty() || !name.chars().all(is_token) {
            fault(format!("`{name}` is no name of a field"));
        }
        if value.chars().any(|c| c.is_control() && c != '\t') {
            fault(format!("`{name}` holds a control character: {value:?}"));
        }
    }
    let count = |wanted: &str| {
        request
            .fields
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case(wanted))
            .count()
    };
    for name in ["Host", "Accept-Encoding", "Accept", "User-Agent"] {
        if count(name) != 1 {
            fault(format!("{} times `{name}`", count(name)));
        }
    }
    for name in ["Transfer-Encoding", "Expect"] {
        if count(name) != 0 {
            fault(format!("`{name}` is sent"));
        }
    }
    if !is_proxy && request.field("Host") != Some(host) {
        fault(format!(
            "`Host` is {:?}, not `{host}`",
            request.field("Host")
        ));
    }
    if request.field("Accept-Encoding") != Some("identity") {
        fault(format!(
            "`Accept-Encoding` is {:?}",
            request.field("Accept-Encoding")
        ));
    }
    let wanted = usize::from(request.method == "POST");
    if count("Content-Length") != wanted {
        fault(format!(
            "{} times `Content-Length`",
            count("Content-Length")
        ));
    }
    if request.method == "POST" && has_body {
        if request.field("Content-Type") != Some("application/json") {
            fault(format!(
                "`Content-Type` is {:?}",
                request.field("Content-Type")
            ));
        }
        match json::parse(&request.body) {
            Ok(body) => body_faults(&body).into_iter().for_each(fault),
            Err(error) => fault(format!("the body is no JSON: {error}")),
        }
    }
    found
}

/// What some endpoint would refuse a chat request for.
fn body_faults(body: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for tool in body
        .get("tools")
        .and_then(Value::as_array)
        .unwrap_or_default()
    {
        let function = tool.get("function");
        let name = function
            .and_then(|function| function.get("name"))
            .and_then(Value::as_str);
        if !name.is_some_and(is_tool_name) {
            found.push(format!("{name:?} is no name of a tool"));
        }
        let parameters = function.and_then(|function| function.get("parameters"));
        let is_object = parameters.is_some_and(|schema| {
            schema.get("type").and_then(Value::as_str) == Some("object")
                && schema
                    .get("properties")
                    .and_then(Value::as_object)
                    .is_some()
        });
        if !is_object {
            found.push(format!(
                "the parameters of {name:?} are no object with properties"
            ));
        }
    }
    match body.get("tools") {
        Some(Value::Array(tools)) if tools.is_empty() => found.push("`tools` is empty".to_owned()),
        None if body.get("tool_choice").is_some() => {
            found.push("`tool_choice` without `tools`".to_owned());
        }
        _ => (),
    }
    if body
        .get("model")
        .is_some_and(|model| model.as_str().is_none_or(str::is_empty))
    {
        found.push("`model` is no name".to_owned());
    }
    match body.get("messages").and_then(Value::as_array) {
        Some(messages) if !messages.is_empty() => message_faults(messages, &mut found),
        _ => found.push("`messages` is missing or empty".to_owned()),
    }
    found
}

fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

/// The order rules: one system message, first; every call answered exactly once, directly after, in call order; the
/// person's or a tool's word last.
fn message_faults(messages: &[Value], found: &mut Vec<String>) {
    let mut awaited: Vec<&str> = Vec::new();
    let mut last = "";
    for (index, message) in messages.iter().enumerate() {
        let role = message.get("role").and_then(Value::as_str).unwrap_or("");
        let content = message.get("content").and_then(Value::as_str);
        if role != "tool" && !awaited.is_empty() {
            found.push(format!(
                "message {index}: the calls {awaited:?} have no result"
            ));
            awaited.clear();
        }
        let calls = message.get("tool_calls").and_then(Value::as_array);
        match role {
            "system" if index == 0 => (),
            "system" => found.push(format!("message {index}: a second or late system message")),
            "user" | "assistant" if last == role => {
                found.push(format!("message {index}: two of `{role}` in a row"));
            }
            "user" | "assistant" => (),
            "tool" => {
                let id = message
                    .get("tool_call_id")
                    .and_then(Value::as_str)
                    .unwrap_or("");
                if awaited.first() == Some(&id) {
                    awaited.remove(0);
                } else {
                    found.push(format!(
                        "message {index}: a result for `{id}` where {awaited:?} are awaited"
                    ));
                }
            }
            _ => found.push(format!("message {index}: no role is called `{role}`")),
        }
        if content.is_none_or(str::is_empty) && calls.is_none() {
            found.push(format!("message {index}: `{role}` says nothing"));
        }
        if content == Some("") {
            found.push(format!("message {index}: the content is empty"));
        }
        for call in calls.unwrap_or_default() {
            awaited.push(call.get("id").and_then(Value::as_str).unwrap_or(""));
            call_faults(index, call, found);
        }
        if calls.is_some_and(<[Value]>::is_empty) {
            found.push(format!("message {index}: `tool_calls` is empty"));
        }
        last = role;
    }
    if !awaited.is_empty() {
        found.push(format!("the calls {awaited:?} have no result"));
    }
    if !matches!(last, "user" | "tool") {
        found.push(format!("the last message is of `{last}`"));
    }
}

fn call_faults(index: usize, call: &Value, found: &mut Vec<String>) {
    let id = call.get("id").and_then(Value::as_str).unwrap_or("");
    if id.is_empty() || 40 < id.len() {
        found.push(format!("message {index}: `{id}` is no id of a call"));
    }
    if call.get("type").and_then(Value::as_str) != Some("function") {
        found.push(format!(
            "message {index}: the call `{id}` is of no type `function`"
        ));
    }
    let name = call.pointer("/function/name").and_then(Value::as_str);
    if !name.is_some_and(is_tool_name) {
        found.push(format!("message {index}: {name:?} is no name of a tool"));
    }
    let arguments = call
        .pointer("/function/arguments")
        .and_then(Value::as_str)
        .unwrap_or("");
    if json::parse(arguments.as_bytes()).is_err() {
        found.push(format!(
            "message {index}: the arguments of `{id}` are no JSON: {arguments}"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "POST /chat/completions HTTP/1.1\r\nHost: h:1\r\nUser-Agent: a\r\nAccept: b\r\n\
        Accept-Encoding: identity\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n";

    #[track_caller]
    fn check(head: &str, body: &str, expected: &[&str]) {
        let found = match complete(head.as_bytes()) {
            Ok((mut request, _)) => {
                request.body = body.as_bytes().to_vec();
                faults(&request, "h:1", false, true)
            }
            Err(error) => vec![error],
        };
        assert_eq!(found.len(), expected.len(), "{head}{body}\n{found:#?}");
        for (fault, part) in found.iter().zip(expected) {
            assert!(fault.contains(part), "{fault}");
        }
    }

    fn messages(messages: &str) -> String {
        format!("{{\"model\":\"m\",\"messages\":[{messages}]}}")
    }

    const USER: &str = r#"{"role":"user","content":"hi"}"#;
    const CALL: &str = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}"#;

    fn result(id: &str) -> String {
        format!("{{\"role\":\"tool\",\"tool_call_id\":\"{id}\",\"content\":\"x\"}}")
    }

    #[test]
    fn heads_are_strict() {
        let fine = messages(USER);
        check(HEAD, &fine, &[]);
        check(
            &HEAD.replace("Host: h:1\r\n", "Host: h:1\r\nhost: h:1\r\n"),
            &fine,
            &["2 times `Host`"],
        );
        check(&HEAD.replace("h:1", "h"), &fine, &["`Host` is"]);
        check(
            &HEAD.replace("identity", "gzip"),
            &fine,
            &["`Accept-Encoding`"],
        );
        check(
            &HEAD.replace("Accept: b", "Expect: 100-continue\r\nAccept: b"),
            &fine,
            &["`Expect`"],
        );
        check(
            &HEAD.replace("Content-Length: 2\r\n", ""),
            &fine,
            &["0 times `Content-Length`"],
        );
        check(
            &HEAD.replace("Accept: b", "Accept : b"),
            &fine,
            &["is no name", "0 times `Accept`"],
        );
        check(
            &HEAD.replace("HTTP/1.1", "HTTP/1.0"),
            &fine,
            &["is no request line"],
        );
        check(
            &HEAD.replace(" /chat", " http://h:1/chat"),
            &fine,
            &["origin-form"],
        );
        check(
            &HEAD.replace("application/json", "text/plain"),
            &fine,
            &["`Content-Type`"],
        );
        check(HEAD, "{", &["no JSON"]);
    }

    #[test]
    fn conversations_are_strict() {
        let both = format!("{},{}", result("a"), result("b"));
        check(HEAD, &messages(&format!("{USER},{CALL},{both}")), &[]);
        let swapped = format!("{USER},{CALL},{},{}", result("b"), result("a"));
        check(
            HEAD,
            &messages(&swapped),
            &["result for `b`", "have no result"],
        );
        check(
            HEAD,
            &messages(&format!("{USER},{CALL},{}", result("a"))),
            &["[\"b\"] have no result"],
        );
        check(
            HEAD,
            &messages(&format!("{USER},{CALL},{both},{}", result("a"))),
            &["result for `a`"],
        );
        check(
            HEAD,
            &messages(&format!("{USER},{USER}")),
            &["two of `user`"],
        );
        check(
            HEAD,
            &messages(r#"{"role":"user","content":""}"#),
            &["says nothing", "is empty"],
        );
        check(
            HEAD,
            &messages(&format!("{USER},{}", r#"{"role":"system","content":"x"}"#)),
            &["late system", "last message"],
        );
        check(
            HEAD,
            &messages(&format!("{USER},{}", CALL.replace("\"{}\"", "\"{\""))),
            &["no JSON", "no JSON", "no result", "last message"],
        );
        check(
            HEAD,
            r#"{"messages":[],"tools":[]}"#,
            &["`tools` is empty", "`messages`"],
        );
    }
}
