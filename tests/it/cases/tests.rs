//! The runner on programs that are known: a shell, and `curl` where it is there.

use super::*;

/// Runs a case whose program is `sh`, with `args` as its script.
fn shell(case: &str) -> Actual {
    run(&CaseFile::parse(case).unwrap(), "sh").unwrap()
}

#[track_caller]
fn check_section(actual: &Actual, name: &str, expected: &str) {
    assert_eq!(
        actual.section(name),
        expected,
        "{}\n{:?}",
        actual.all(),
        actual.faults
    );
}

#[test]
fn outputs_files_and_exit_are_seen() {
    let actual = shell(
        "A program that writes here and there.\n## args\n-c 'cat a; cat >b; rm a; echo \"$A $DIR\" >&2; printf x; exit 7'\n\
         ## env\nA=1\n## files\n### a\nold\n### ~/c\n## setup\necho set up >c\n## stdin\nnew\n## reply\ntext: x\n",
    );
    check_section(&actual, "stdout", "old\nx\n\\ no newline at the end\n");
    check_section(&actual, "stderr", "1 $DIR\n");
    check_section(&actual, "exit", "7\n");
    check_section(&actual, "after", "### a (gone)\n### b\nnew\n");
    assert_eq!(actual.faults, ["1 replies were never asked for"]);
}

#[test]
fn facts_are_checked() {
    let case = "A program that says one thing.\n## args\n-c 'echo one'\n## stdout has\none\ntwo\n## stdout lacks\none\nthree\n";
    let case = CaseFile::parse(case).unwrap();
    let faults = run(&case, "sh").unwrap().faults(&case);
    assert_eq!(
        faults,
        ["not so: stdout has `two`", "not so: stdout lacks `one`"]
    );
}

#[test]
fn a_server_answers_and_checks() {
    if !has_program("curl", "the scripted server against another client") {
        return;
    }
    let strict =
        r#"-H "Accept-Encoding: identity" -H "Content-Type: application/json" -H Expect: -A x"#;
    let body = r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}"#;
    let actual = shell(&format!(
        "Two requests on one connection, streamed and not.\n## args\n-c 'curl -sS {strict} -d @a $URL/chat/completions \
         --next -sS {strict} -H \"X-Initiator: agent\" -d @b $URL/v1/chat/completions'\n## files\n### a\n{body}\n### b\n{}\n\
         ## reply\ntext: one\nsplit: 1\nfinish: stop\n## reply\ntext: two\n",
        body.replace("true", "false")
    ));
    assert_eq!(actual.faults, [""; 0], "{}", actual.all());
    let stdout = actual.section("stdout");
    assert!(
        stdout.contains(r#"data: {"id":"c1""#) && stdout.contains("data: [DONE]\n\n{\"id\""),
        "{stdout}"
    );
    check_section(
        &actual,
        "requests",
        "POST /chat/completions · model \"m\" · stream true\n  tools: none\n  user: hi\n\
         POST /v1/chat/completions · X-Initiator: agent · model \"m\" · stream false\n  … 1 as before\n",
    );
}

#[test]
fn bad_requests_and_unasked_ones_are_faults() {
    if !has_program("curl", "the scripted server against another client") {
        return;
    }
    let actual =
        shell("A request that no script expects.\n## args\n-c 'curl -s $URL/x'\n## server\nopen\n");
    let faults = actual.faults.join("\n");
    assert!(
        faults.contains("no reply was scripted for GET /x"),
        "{faults}"
    );
    assert!(faults.contains("`Accept-Encoding`"), "{faults}");
    check_section(&actual, "exit", "52\n");
}

#[test]
fn connections_end_as_scripted() {
    if !has_program("curl", "the scripted server against another client") {
        return;
    }
    let get = |end: &str| {
        shell(&format!(
            "A reply that ends in its own way.\n## args\n-c 'curl -sS -d {{}} --max-time 1 $URL/x'\n## server\nlenient\n\
             ## reply\nraw: HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nab\nend: {end}\n"
        ))
    };
    for (end, code) in [("fin", "18\n"), ("rst", "56\n"), ("hold", "28\n")] {
        let actual = get(end);
        check_section(&actual, "exit", code);
        assert!(
            actual.section("stdout").starts_with("ab"),
            "{end}: {}",
            actual.all()
        );
    }
}

#[test]
fn without_replies_the_port_is_closed() {
    if !has_program("curl", "the scripted server against another client") {
        return;
    }
    let actual = shell("Nobody listens, and that is said.\n## args\n-c 'curl -s $URL/x'\n");
    check_section(&actual, "exit", "7\n");
    let actual = shell(
        "A unix socket is listened on.\n## args\n-c 'curl -s --unix-socket ${ANKITA_ENDPOINT#unix:} http://localhost/x'\n## server\nunix lenient\n## reply\nmodels: a\n",
    );
    check_section(
        &actual,
        "stdout",
        "{\"object\":\"list\",\"data\":[{\"id\":\"a\",\"object\":\"model\"}]}\n\\ no newline at the end\n",
    );
}

#[test]
fn differences_are_short() {
    assert_eq!(difference("a\nb\nc\n", "a\nx\nc\n"), "  - b\n  + x\n");
    assert_eq!(difference("a\n", "a\nb\n"), "  + b\n");
}
