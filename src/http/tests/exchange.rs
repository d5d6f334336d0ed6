//! What goes out, what comes in, and how long it may take.

use super::*;

#[test]
fn a_request_goes_out_whole_in_one_write() {
    let mut bench = Bench::new(vec![Connection::new(answering(&[Step::send(OK)]))]);
    let body = ["{\"a\":", "", "1}"].map(|part| Arc::new(part.as_bytes().to_vec()));
    let url = Url::parse("http://127.0.0.1/v1/chat/completions?x=1").unwrap();
    let request = Request::post(url, "application/json", body.to_vec())
        .with_field("Authorization", "Bearer k");
    assert_eq!(bench.ask(request), Ok((200, "ok".into())));
    let agent = concat!("ankita/", env!("CARGO_PKG_VERSION"));
    let expected = format!(
        "POST /v1/chat/completions?x=1 HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: {agent}\r\n\
         Accept-Encoding: identity\r\nContent-Type: application/json\r\nAuthorization: Bearer k\r\n\
         Content-Length: 7\r\n\r\n{{\"a\":1}}"
    );
    assert_eq!(bench.written(0), expected);
    assert_eq!(bench.fake.connections()[0].writes, 1);
}

#[test]
fn content_length_is_sent_with_every_post_and_with_no_get() {
    for (request, has_length) in [
        (post("http://127.0.0.1", ""), true),
        (get("http://127.0.0.1"), false),
    ] {
        let mut bench = Bench::new(vec![Connection::new(answering(&[Step::send(OK)]))]);
        bench.ask(request).unwrap();
        assert_eq!(
            bench.written(0).contains("\r\nContent-Length: 0\r\n"),
            has_length
        );
    }
}

#[test]
fn long_bodies_come_through_whole_however_they_are_taken() {
    // Parts around the bounds of what is joined, against joining them in one.
    let parts = [0_usize, 1, 40_000, 65_536, 3, 200_000, 65_535, 7];
    let bytes = |(at, len): (usize, &usize)| vec![b'a' + u8::try_from(at).unwrap(); *len];
    let parts: Vec<Vec<u8>> = parts.iter().enumerate().map(bytes).collect();
    let whole = parts.concat();
    for writes in [usize::MAX, 4096, 65_537, 7] {
        let mut bench = Bench::new(vec![]);
        bench.fake.split_writes(writes);
        bench
            .fake
            .serve(AT, vec![Connection::new(answering(&[Step::send(OK)]))]);
        let body = parts.iter().cloned().map(Arc::new).collect();
        let url = Url::parse("http://127.0.0.1/").unwrap();
        assert_eq!(
            bench.ask(Request::post(url, "x/y", body)),
            Ok((200, "ok".into()))
        );
        let written = bench.fake.connections().remove(0).written;
        assert!(written.ends_with(&whole), "writes of {writes}");
        let head = written.len() - whole.len();
        assert!(written[..head].ends_with(b"\r\n\r\n"));
        if writes == usize::MAX {
            assert!(bench.fake.connections()[0].writes <= 6);
        }
    }
}

#[test]
fn every_framing_is_read_to_its_end() {
    check(&[Step::send(OK)], Ok((200, "ok")));
    check(
        &[Step::send("HTTP/1.1 204 No Content\r\n\r\n")],
        Ok((204, "")),
    );
    let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n";
    check(&[Step::send(chunked)], Ok((200, "hello")));
    let until_close = "HTTP/1.0 200 OK\r\n\r\nto the end";
    check(
        &[Step::send(until_close), Step::fin()],
        Ok((200, "to the end")),
    );
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
    check(&[Step::send(interim), Step::send(OK)], Ok((200, "ok")));
    // The connection ends right after the last chunk's line: whole (ureq#1074).
    let short = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n0\r\n";
    check(&[Step::send(short), Step::fin()], Ok((200, "he")));
    // A reset behind a response that says its length harms nobody.
    check(&[Step::send(OK), Step::reset()], Ok((200, "ok")));
}

#[test]
fn cut_answers_say_how_they_were_cut() {
    let truncated = FaultKind::Truncated;
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc";
    check(
        &[Step::send(head), Step::fin()],
        Err((truncated, "connection closed, 7 bytes are missing")),
    );
    check(
        &[Step::send(head), Step::reset()],
        Err((
            truncated,
            "connection reset, 7 bytes are missing); 42 bytes had come",
        )),
    );
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let inside = Step::send(format!("{chunked}5\r\nab"));
    check(
        &[inside, Step::fin()],
        Err((truncated, "3 bytes of a chunk are missing")),
    );
    let between = Step::send(format!("{chunked}2\r\nab\r\n"));
    check(
        &[between.clone(), Step::fin()],
        Err((truncated, "the last chunk is missing")),
    );
    let silent = [between.clone(), late(60_000, End::Fin)];
    check(
        &silent,
        Err((
            truncated,
            "after 1 min of silence: an idle timeout of a proxy",
        )),
    );
    check(
        &[between, Step::fin()],
        Err((truncated, "`http://127.0.0.1`")),
    );
    let open = Step::send("HTTP/1.1 200 OK\r\n\r\nabc");
    check(
        &[open, Step::reset()],
        Err((truncated, "nothing says whether more was to come")),
    );
    let nothing = FaultKind::NoResponse;
    check(
        &[Step::fin()],
        Err((nothing, "no answer (connection closed)")),
    );
    check(
        &[Step::reset()],
        Err((nothing, "no answer (connection reset)")),
    );
    let part = Step::send("HTTP/1.1 200 OK\r\nContent-");
    check(
        &[part, Step::fin()],
        Err((
            FaultKind::Protocol,
            "ended inside its head (connection closed)",
        )),
    );
}

#[test]
fn bytes_before_a_cut_are_given_before_the_fault() {
    let bad = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\nzz";
    for reads in [usize::MAX, 1, 7] {
        let script = answering(&[Step::send(bad)]);
        let mut bench = Bench::with_reads(reads, vec![Connection::new(script)]);
        let mut exchange = bench.start(ask_post());
        let (mut seen, mut body) = (Vec::new(), Vec::new());
        let fault = loop {
            let now = bench.world.clock.now();
            match exchange.advance(&*bench.world.net, now) {
                Ok(Progress::Wait) => {
                    let mut interests = Vec::new();
                    exchange.interests(&mut interests);
                    bench.world.threads.wait(&interests, exchange.until());
                }
                Ok(Progress::Body) => exchange.take_body(&mut body),
                Ok(progress) => seen.push(progress),
                Err(fault) => break fault,
            }
        };
        assert_eq!(
            (seen.as_slice(), body.as_slice()),
            (&[Progress::Head][..], &b"he"[..])
        );
        assert_eq!(fault.kind, FaultKind::Protocol, "{fault}");
        assert_eq!(
            exchange.advance(&*bench.world.net, Moment::default()),
            Err(fault)
        );
    }
}

#[test]
fn what_is_no_answer_is_named() {
    let tls = Step::send(b"\x15\x03\x03\x00\x02\x02\x32");
    check(
        &[tls],
        Err((FaultKind::Tls, "put a TLS-ending proxy in front")),
    );
    check(
        &[Step::send("SSH-2.0-OpenSSH_9.6\r\n")],
        Err((FaultKind::Protocol, "cannot read the answer of")),
    );
    let start = Step::send("HTTP/1.1 200 OK\r\n");
    let flood = Step::send_times(100, 0, format!("X: {}\r\n", "y".repeat(900)));
    check(&[start, flood], Err((FaultKind::Limit, "64 KiB")));
    let two = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok";
    check(
        &[Step::send(two)],
        Err((
            FaultKind::Protocol,
            "`Content-Length` came with different values",
        )),
    );
    let interim = Step::send_times(17, 0, "HTTP/1.1 100 Continue\r\n\r\n");
    check(&[interim], Err((FaultKind::Limit, "interim")));
}

#[test]
fn the_head_has_one_deadline_that_trickling_bytes_do_not_move() {
    let trickle = Step::send_times(1000, 1000, "a");
    let steps = [Step::send("HTTP/1.1 200 OK\r\nX: "), trickle];
    check(
        &steps,
        Err((
            FaultKind::Timeout(Phase::Head),
            "did not begin to answer within 5 min",
        )),
    );
    let mut bench = Bench::new(vec![Connection::new(answering(&steps))]);
    bench.ask(ask_post()).unwrap_err();
    assert_eq!(bench.fake.time(), ms(300_000));
    check(
        &[],
        Err((
            FaultKind::Timeout(Phase::Head),
            "`http://127.0.0.1`: it did not",
        )),
    );
    check(&[Step::send_after(299_999, OK)], Ok((200, "ok")));
}

#[test]
fn bytes_of_any_kind_keep_a_body_alive_and_silence_ends_it() {
    let head = Step::send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    // Two hours of comments, two minutes (but a moment) apart.
    let comments = Step::send_times(60, 119_999, "3\r\n:\n\n\r\n");
    let last = Step::send("0\r\n\r\n");
    let body = ":\n\n".repeat(60);
    check(
        &[head.clone(), comments.clone(), last],
        Ok((200, body.as_str())),
    );
    let stall = Err((FaultKind::Timeout(Phase::Idle), "no byte for 2 min"));
    check(&[head, comments], stall);
}

#[test]
fn a_request_that_is_not_taken_fails_in_time() {
    let mut bench = Bench::new(vec![Connection::new(vec![]).window(100)]);
    let body = "x".repeat(1_000_000);
    let (kind, text) = bench.ask(post("http://127.0.0.1/", &body)).unwrap_err();
    assert_eq!(
        (kind, bench.fake.time()),
        (FaultKind::Timeout(Phase::Write), ms(30_000))
    );
    assert!(
        text.contains("took no more of the request for 30 s (100 bytes were sent)"),
        "{text}"
    );
}

#[test]
fn a_slow_upload_is_no_stalled_one() {
    let connection = Connection::new(answering(&[Step::send(OK)])).pace(1000, ms(29_999));
    let mut bench = Bench::new(vec![connection]);
    let body = "x".repeat(10_000);
    assert_eq!(
        bench.ask(post("http://127.0.0.1/", &body)),
        Ok((200, "ok".into()))
    );
    assert!(bench.fake.time() >= ms(299_990));
}

#[test]
fn sending_stops_at_an_early_no() {
    let no = "HTTP/1.1 413 Payload Too Large\r\nContent-Length: 9\r\n\r\n";
    let steps = vec![
        Step::Head,
        Step::send(no),
        Step::send_after(60_000, "too large"),
    ];
    let mut bench = Bench::new(vec![Connection::new(steps).pace(1000, ms(1000))]);
    let answer = bench.ask(post("http://127.0.0.1/", &"x".repeat(1_000_000)));
    assert_eq!(answer, Ok((413, "too large".into())));
    let sent = bench.fake.connections().remove(0).written.len();
    assert!(sent <= 2000, "{sent} bytes were sent");
}

#[test]
fn an_early_no_is_read_while_the_body_is_still_being_sent() {
    let no = "HTTP/1.1 413 Payload Too Large\r\nContent-Length: 9\r\n\r\ntoo large";
    let body = "x".repeat(1_000_000);
    for reads in [usize::MAX, 1, 7] {
        for ends in [
            vec![],
            vec![Step::fin()],
            vec![late(500, End::Reset)],
            vec![Step::reset()],
        ] {
            let steps = [vec![Step::Head, Step::send(no)], ends].concat();
            let connection = Connection::new(steps).window(70_000);
            let mut bench = Bench::with_reads(reads, vec![connection]);
            let answer = bench.ask(post("http://127.0.0.1/", &body));
            assert_eq!(answer, Ok((413, "too large".into())));
            // What was not sent whole is not kept, even if the server leaves it open.
            assert!(bench.fake.connections()[0].closed.is_some());
        }
    }
    let steps = vec![Step::Head, Step::reset()];
    let mut bench = Bench::new(vec![Connection::new(steps).window(70_000)]);
    let (kind, text) = bench.ask(post("http://127.0.0.1/", &body)).unwrap_err();
    assert_eq!(kind, FaultKind::NoResponse);
    assert!(
        text.contains("connection reset after 65536 bytes of the request"),
        "{text}"
    );
}

#[test]
fn an_answer_may_begin_while_the_request_still_goes_out() {
    let steps = vec![
        Step::Head,
        Step::send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab"),
        Step::Bytes(100_000),
        Step::send("cd"),
    ];
    for reads in [usize::MAX, 1, 7] {
        let mut bench = Bench::with_reads(reads, vec![]);
        bench
            .fake
            .split_writes(1000)
            .serve(AT, vec![Connection::new(steps.clone())]);
        let answer = bench.ask(post("http://127.0.0.1/", &"x".repeat(100_000)));
        assert_eq!(answer, Ok((200, "abcd".into())));
    }
}

#[test]
fn dropping_an_exchange_closes_its_connection() {
    let mut bench = Bench::new(vec![Connection::new(answering(&[Step::send(OK)]))]);
    let mut exchange = bench.start(ask_post());
    assert_eq!(
        exchange.advance(&*bench.world.net, Moment::default()),
        Ok(Progress::Head)
    );
    bench.client.keep(exchange, Moment::default());
    assert!(
        bench.fake.connections()[0].closed.is_some(),
        "its body was not taken"
    );
}

#[test]
fn what_cannot_be_sent_is_refused_before_anything_is_dialled() {
    let mut bench = Bench::new(vec![]);
    let field = ask_post().with_field("X-Key", "sesame\n");
    let cases = [
        (
            get("https://api.example.com/v1"),
            "put a local proxy that ends TLS in front",
        ),
        (field, "the value of the field `X-Key` has a line end"),
        (
            ask_post().with_field("host", "other"),
            "one `Host` field, not 2",
        ),
    ];
    for (request, part) in cases {
        let (kind, text) = bench.ask(request).unwrap_err();
        assert_eq!(kind, FaultKind::Config);
        assert!(text.contains(part) && !text.contains("sesame"), "{text}");
    }
    assert!(bench.fake.connections().is_empty());
}

#[test]
fn finish_ends_at_its_cap_its_deadline_and_its_cancel() {
    let long = Step::send("HTTP/1.1 200 OK\r\nContent-Length: 200\r\n\r\n");
    let more = Step::send_times(20, 1000, "0123456789");
    let bench = || {
        Bench::new(vec![Connection::new(answering(&[
            long.clone(),
            more.clone(),
        ]))])
    };
    let run = |bench: &mut Bench, until, bytes_max| {
        let mut exchange = bench.start(ask_post());
        let cancel = bench.world.threads.cancel();
        finish(&mut exchange, &bench.world, &cancel, until, bytes_max).map(|(_, body)| body.len())
    };
    assert_eq!(run(&mut bench(), None, 200), Ok(200));
    let fault = run(&mut bench(), None, 199).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Limit, "{fault}");
    let mut timed = bench();
    let fault = run(&mut timed, Some(Moment(ms(5500))), 200).unwrap_err();
    assert_eq!(
        (fault.kind, timed.fake.time()),
        (FaultKind::Timeout(Phase::Total), ms(5500))
    );
    let mut counted = bench();
    run(&mut counted, None, 200).unwrap();
    for n in 1..=counted.fake.waits() {
        let mut bench = bench();
        bench.fake.at_wait(n, Action::Cancel);
        let fault = run(&mut bench, None, 200).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Cancelled);
        assert!(bench.fake.connections()[0].closed.is_some());
    }
}
