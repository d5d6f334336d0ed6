//! Tests of whole exchanges on fake streams and the fake clock, each with whole reads and with reads of one and seven bytes.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use crate::http::fault::Phase;
use crate::http::{
    Client, Exchange, Fault, FaultKind, Moment, Progress, Proxies, Request, Timeouts, finish,
};
use crate::wire::Url;
use crate::world::World;
use crate::world::fake::{Action, Connection, End, Fake, Found, Record, Step};

mod dialling;
mod exchange;
mod reuse;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const AT: &str = "127.0.0.1:80";
const BODY_BYTES_MAX: usize = 1 << 20;

fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

/// A world and a client in it, asking one thing after the other.
struct Bench {
    fake: Fake,
    world: World,
    client: Client,
}

type Answer = Result<(u16, String), (FaultKind, String)>;

impl Bench {
    fn new(connections: Vec<Connection>) -> Self {
        Self::with_reads(usize::MAX, connections)
    }

    fn with_reads(bytes_max: usize, connections: Vec<Connection>) -> Self {
        let fake = Fake::new();
        fake.split_reads(bytes_max).serve(AT, connections);
        Self {
            world: fake.world(),
            client: Client::new(Timeouts::default(), Proxies::none()),
            fake,
        }
    }

    fn start(&mut self, request: Request) -> Exchange {
        self.client
            .start(request, &*self.world.net, self.world.clock.now())
    }

    fn ask(&mut self, request: Request) -> Answer {
        let mut exchange = self.start(request);
        let cancel = self.world.threads.cancel();
        let answer = finish(&mut exchange, &self.world, &cancel, None, BODY_BYTES_MAX);
        self.client.keep(exchange, self.world.clock.now());
        text_of(answer)
    }

    fn written(&self, at: usize) -> String {
        String::from_utf8(self.fake.connections().remove(at).written).unwrap()
    }
}

fn text_of(answer: Result<(crate::wire::ResponseHead, Vec<u8>), Fault>) -> Answer {
    answer
        .map(|(head, body)| (head.status, String::from_utf8(body).unwrap()))
        .map_err(|fault| (fault.kind, fault.text))
}

fn get(url: &str) -> Request {
    Request::get(Url::parse(url).unwrap())
}

fn post(url: &str, body: &str) -> Request {
    let body = vec![Arc::new(body.as_bytes().to_vec())];
    Request::post(Url::parse(url).unwrap(), "application/json", body)
}

fn ask_post() -> Request {
    post("http://127.0.0.1/chat/completions", "{\"n\":1}")
}

fn answering(steps: &[Step]) -> Vec<Step> {
    [&[Step::Request], steps].concat()
}

fn late(delay_ms: u64, end: End) -> Step {
    let delay = ms(delay_ms);
    Step::End { end, delay }
}

/// Runs one script against one POST with reads of every size; all must give the same.
#[track_caller]
fn check(steps: &[Step], expected: Result<(u16, &str), (FaultKind, &str)>) {
    for reads in [usize::MAX, 1, 7] {
        let mut bench = Bench::with_reads(reads, vec![Connection::new(answering(steps))]);
        match (bench.ask(ask_post()), expected) {
            (Ok((status, body)), Ok(expected)) => {
                assert_eq!((status, body.as_str()), expected, "reads of {reads}");
            }
            (Err((kind, text)), Err((expected, part))) => {
                assert_eq!(kind, expected, "reads of {reads}: {text}");
                assert!(
                    text.contains(part),
                    "reads of {reads}: `{part}` is not in `{text}`"
                );
            }
            (answer, _) => panic!("reads of {reads}: {answer:?}"),
        }
        assert_eq!(
            bench.fake.connections().len(),
            1,
            "no request is repeated on a fresh connection"
        );
    }
}
