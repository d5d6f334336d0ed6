//! Names, addresses, sockets and proxies.

use super::*;

fn named(addresses: &[&str]) -> Bench {
    let bench = Bench::new(vec![]);
    let addresses = addresses
        .iter()
        .map(|address| address.parse().unwrap())
        .collect();
    bench.fake.name("box", Found::Addresses(addresses, ms(20)));
    bench
}

fn good() -> Connection {
    Connection::new(answering(&[Step::send(OK)]))
}

#[test]
fn every_address_is_tried_and_reported() {
    let mut bench = named(&["10.0.0.1", "10.0.0.2", "fd00::3", "10.0.0.1"]);
    let refuse = Connection::refuse(ErrorKind::HostUnreachable, ms(50));
    bench
        .fake
        .serve("10.0.0.2:8080", vec![refuse])
        .serve("[fd00::3]:8080", vec![Connection::never()]);
    let (kind, text) = bench.ask(get("http://box:8080/models")).unwrap_err();
    assert_eq!(kind, FaultKind::Connect);
    let expected = "cannot connect to `http://box:8080`: 10.0.0.1:8080: connection refused; \
         10.0.0.2:8080: host unreachable; [fd00::3]:8080: no answer within 10 s; check the address and the network";
    assert_eq!(text, expected);
    assert_eq!(
        (bench.fake.connections().len(), bench.fake.time()),
        (3, ms(10_070))
    );
}

#[test]
fn a_silent_address_does_not_hold_up_the_next() {
    let mut bench = named(&["10.0.0.1", "10.0.0.2"]);
    bench
        .fake
        .serve("10.0.0.1:80", vec![Connection::never()])
        .serve("10.0.0.2:80", vec![good()]);
    assert_eq!(bench.ask(get("http://box/")), Ok((200, "ok".into())));
    assert_eq!(bench.fake.time(), ms(270));
    assert!(
        bench.written(1).contains("\r\nHost: box\r\n"),
        "the host as dialled"
    );
    // The first still wins if it answers later but first.
    let mut bench = named(&["10.0.0.1", "10.0.0.2"]);
    bench
        .fake
        .serve("10.0.0.1:80", vec![good().after(ms(9_000))]);
    bench.fake.serve("10.0.0.2:80", vec![Connection::never()]);
    assert_eq!(bench.ask(get("http://box/")), Ok((200, "ok".into())));
    assert!(bench.fake.connections()[1].closed.is_some());
}

#[test]
fn each_address_has_its_own_time() {
    let mut bench = named(&["10.0.0.1", "10.0.0.2"]);
    for address in ["10.0.0.1:80", "10.0.0.2:80"] {
        bench.fake.serve(address, vec![Connection::never()]);
    }
    let (kind, text) = bench.ask(get("http://box/")).unwrap_err();
    assert_eq!(kind, FaultKind::Timeout(Phase::Connect));
    assert_eq!(bench.fake.time(), ms(20 + 250 + 10_000), "{text}");
}

#[test]
fn localhost_is_both_loopbacks_and_never_looked_up() {
    for name in ["localhost", "api.localhost", "LOCALHOST."] {
        let mut bench = Bench::new(vec![]);
        bench.fake.serve("127.0.0.1:4141", vec![good()]);
        assert_eq!(
            bench.ask(get(&format!("http://{name}:4141/"))),
            Ok((200, "ok".into()))
        );
        assert_eq!(bench.fake.connections().len(), 2);
        assert_eq!((bench.fake.lookups().len(), bench.fake.time()), (0, ms(0)));
    }
    let mut bench = Bench::new(vec![]);
    let (kind, text) = bench.ask(get("http://localhost:4141/")).unwrap_err();
    assert_eq!(kind, FaultKind::Refused);
    let expected = "cannot connect to `http://localhost:4141`: [::1]:4141: connection refused; \
         127.0.0.1:4141: connection refused; is the server running, and is this its port?";
    assert_eq!(text, expected);
}

#[test]
fn names_that_are_not_found_are_named() {
    let mut bench = Bench::new(vec![]);
    let (kind, text) = bench.ask(get("http://nowhere.test/")).unwrap_err();
    assert_eq!(kind, FaultKind::Resolve);
    assert!(
        text.contains("the name `nowhere.test` is not found"),
        "{text}"
    );
    bench
        .fake
        .name("slow.test", Found::Never)
        .name("empty.test", Found::Addresses(vec![], ms(0)));
    let (kind, text) = bench.ask(get("http://slow.test/")).unwrap_err();
    assert_eq!(
        (kind, bench.fake.time()),
        (FaultKind::Timeout(Phase::Resolve), ms(10_000))
    );
    assert!(text.contains("longer than 10 s"), "{text}");
    assert_eq!(
        bench.ask(get("http://empty.test/")).unwrap_err().0,
        FaultKind::Resolve
    );
}

#[test]
fn a_connect_that_fails_at_once_is_as_one_that_fails_later() {
    let mut bench = named(&["fd00::1", "10.0.0.1"]);
    let none = Connection::fail(ErrorKind::NetworkUnreachable);
    bench
        .fake
        .serve("[fd00::1]:80", vec![none.clone()])
        .serve("10.0.0.1:80", vec![good()]);
    assert_eq!(bench.ask(get("http://box/")), Ok((200, "ok".into())));
    let mut bench = named(&["fd00::1"]);
    bench.fake.serve("[fd00::1]:80", vec![none]);
    assert_eq!(
        bench.ask(get("http://box/")).unwrap_err().0,
        FaultKind::Unreachable
    );
}

#[test]
fn unix_sockets_are_dialled_by_their_path() {
    let mut bench = Bench::new(vec![]);
    bench.fake.serve("/run/llm.sock", vec![good()]);
    let request = || {
        let url = Url::parse("unix:/run/llm.sock").unwrap().join("/models");
        Request::get(url)
    };
    assert_eq!(bench.ask(request()), Ok((200, "ok".into())));
    assert!(
        bench
            .written(0)
            .starts_with("GET /models HTTP/1.1\r\nHost: localhost\r\n")
    );
    let mut bench = Bench::new(vec![]);
    let (kind, text) = bench.ask(request()).unwrap_err();
    assert_eq!(kind, FaultKind::Unreachable);
    let expected =
        "cannot connect to `unix:/run/llm.sock`: there is no such socket; is the server running?";
    assert_eq!(text, expected);
}

fn with_env(bench: &mut Bench, env: &[(&str, &str)]) {
    let env: Vec<(String, String)> = env
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    bench.client = Client::new(Timeouts::default(), Proxies::from_env(&env));
}

#[test]
fn a_proxy_gets_the_absolute_form_and_its_own_credentials() {
    let mut bench = Bench::new(vec![]);
    with_env(&mut bench, &[("HTTP_PROXY", "user:p%40ss@10.9.9.9:3128")]);
    bench.fake.serve("10.9.9.9:3128", vec![good()]);
    assert_eq!(
        bench.ask(get("http://me:pw@api.test:8000/v1?q=1")),
        Ok((200, "ok".into()))
    );
    let written = bench.written(0);
    assert!(
        written.starts_with("GET http://api.test:8000/v1?q=1 HTTP/1.1\r\nHost: api.test:8000\r\n")
    );
    // The values are those of `printf user:p@ss | base64` and `printf me:pw | base64`.
    assert!(
        written.contains("\r\nProxy-Authorization: Basic dXNlcjpwQHNz\r\n"),
        "{written}"
    );
    assert!(
        written.contains("\r\nAuthorization: Basic bWU6cHc=\r\n"),
        "{written}"
    );
    assert!(bench.fake.lookups().is_empty(), "the proxy looks names up");
}

#[test]
fn faults_name_the_proxy_and_its_variable() {
    let mut bench = Bench::new(vec![]);
    with_env(
        &mut bench,
        &[("http_proxy", "http://user:secret@10.9.9.9:3128")],
    );
    let (kind, text) = bench.ask(get("http://api.test/")).unwrap_err();
    assert_eq!(kind, FaultKind::Proxy);
    let expected = "cannot reach the proxy `http://10.9.9.9:3128` (from `http_proxy`) for `http://api.test`: \
         10.9.9.9:3128: connection refused; correct or unset the variable, or list the host in `no_proxy`";
    assert_eq!(text, expected);
    bench.fake.serve(
        "10.9.9.9:3128",
        vec![Connection::new(answering(&[Step::fin()]))],
    );
    let (kind, text) = bench.ask(get("http://api.test/")).unwrap_err();
    assert_eq!(kind, FaultKind::NoResponse);
    assert!(
        text.contains(
            "`http://api.test` through the proxy `http://10.9.9.9:3128` (from `http_proxy`)"
        ),
        "{text}"
    );
    with_env(
        &mut bench,
        &[("http_proxy", "socks5://user:secret@10.9.9.9:1080")],
    );
    let (kind, text) = bench.ask(get("http://api.test/")).unwrap_err();
    assert_eq!(kind, FaultKind::Config);
    assert!(
        text.contains("`http_proxy`") && !text.contains("secret"),
        "{text}"
    );
}

#[test]
fn loopback_and_unix_sockets_are_reached_directly() {
    for url in ["http://127.0.0.1/", "http://localhost/", "http://[::1]/"] {
        let mut bench = Bench::new(vec![good()]);
        with_env(&mut bench, &[("http_proxy", "http://10.9.9.9:3128")]);
        bench.fake.serve("[::1]:80", vec![good()]);
        assert_eq!(bench.ask(get(url)), Ok((200, "ok".into())), "{url}");
    }
}
