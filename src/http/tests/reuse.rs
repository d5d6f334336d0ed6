//! When a connection is used again, and when a request is repeated.

use super::*;

/// How many connections two requests need, the second `wait_ms` after the first.
#[track_caller]
fn check_reuse(first: &str, second_url: &str, wait_ms: u64, connections: usize) {
    for reads in [usize::MAX, 1, 7] {
        let twice = [
            Step::Request,
            Step::send(first),
            Step::Request,
            Step::send(OK),
        ];
        let other = answering(&[Step::send(OK)]);
        let mut bench = Bench::with_reads(
            reads,
            vec![
                Connection::new(twice.to_vec()),
                Connection::new(other.clone()),
            ],
        );
        bench
            .fake
            .serve("127.0.0.2:80", vec![Connection::new(other)]);
        bench.ask(get("http://127.0.0.1/models")).unwrap();
        bench.fake.pass(ms(wait_ms));
        assert_eq!(bench.ask(post(second_url, "{}")), Ok((200, "ok".into())));
        assert_eq!(
            bench.fake.connections().len(),
            connections,
            "reads of {reads}"
        );
    }
}

#[test]
fn a_connection_is_used_again_only_when_that_is_safe() {
    let url = "http://127.0.0.1/chat/completions";
    check_reuse(OK, url, 0, 1);
    check_reuse(OK, url, 2000, 1);
    check_reuse(OK, url, 2001, 2);
    check_reuse(OK, "http://127.0.0.2/", 0, 2);
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    check_reuse(chunked, url, 0, 1);
    check_reuse(
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
        url,
        0,
        2,
    );
    check_reuse("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", url, 0, 2);
    let poisoned = format!("{OK}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL");
    check_reuse(&poisoned, url, 0, 2);
    let both =
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    check_reuse(both, url, 0, 2);
}

#[test]
fn a_kept_connection_that_became_readable_is_not_used() {
    for end in [
        Step::fin(),
        Step::reset(),
        Step::send_after(10, "HTTP/1.1 200 OK\r\n"),
    ] {
        let first = vec![Step::Request, Step::send(OK), end];
        let second = answering(&[Step::send(OK)]);
        let mut bench = Bench::new(vec![Connection::new(first), Connection::new(second)]);
        bench.ask(ask_post()).unwrap();
        bench.fake.pass(ms(100));
        assert_eq!(bench.ask(ask_post()), Ok((200, "ok".into())));
        let [first, second] = <[Record; 2]>::try_from(bench.fake.connections()).unwrap();
        assert_eq!(
            first.written.len(),
            second.written.len(),
            "nothing more was sent on the first"
        );
    }
}

/// A connection that answers once and does `steps` at the second request.
fn stale(steps: &[Step]) -> Connection {
    let first = [Step::Request, Step::send(OK), Step::Request];
    Connection::new([&first, steps].concat())
}

#[test]
fn a_dead_kept_connection_is_replaced_once() {
    for end in [Step::fin(), Step::reset(), late(4000, End::Fin)] {
        for reads in [usize::MAX, 1, 7] {
            let good = Connection::new(answering(&[Step::send(OK)]));
            let mut bench = Bench::with_reads(reads, vec![stale(std::slice::from_ref(&end)), good]);
            bench.ask(get("http://127.0.0.1/models")).unwrap();
            let mut exchange = bench.start(ask_post());
            let cancel = bench.world.threads.cancel();
            let answer = finish(&mut exchange, &bench.world, &cancel, None, 100);
            assert_eq!(text_of(answer), Ok((200, "ok".into())));
            assert!(exchange.is_repeated());
            assert!(
                bench.written(0).ends_with(&bench.written(1)),
                "the same request, whole"
            );
        }
        let bad = Connection::new(answering(&[Step::fin()]));
        let good = Connection::new(answering(&[Step::send(OK)]));
        let mut bench = Bench::new(vec![stale(&[end]), bad, good]);
        bench.ask(get("http://127.0.0.1/models")).unwrap();
        assert_eq!(bench.ask(ask_post()).unwrap_err().0, FaultKind::NoResponse);
        assert_eq!(bench.fake.connections().len(), 2);
    }
}

#[test]
fn a_request_is_not_repeated_once_anything_of_an_answer_came() {
    for reads in [usize::MAX, 1, 7] {
        let part = Step::send("HTTP/1.1 200 OK\r\nContent-Ty");
        let good = Connection::new(answering(&[Step::send(OK)]));
        let mut bench = Bench::with_reads(reads, vec![stale(&[part, Step::fin()]), good]);
        bench.ask(get("http://127.0.0.1/models")).unwrap();
        assert_eq!(bench.ask(ask_post()).unwrap_err().0, FaultKind::Protocol);
        assert_eq!(bench.fake.connections().len(), 1);
    }
    // Silence is no sign that the server has not seen it.
    let good = Connection::new(answering(&[Step::send(OK)]));
    let mut bench = Bench::new(vec![stale(&[]), good]);
    bench.ask(get("http://127.0.0.1/models")).unwrap();
    assert_eq!(
        bench.ask(ask_post()).unwrap_err().0,
        FaultKind::Timeout(Phase::Head)
    );
}
