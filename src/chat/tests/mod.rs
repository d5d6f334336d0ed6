//! Whole requests on fake streams and the fake clock.

mod asking;
pub(crate) mod cases;

use std::time::Duration;

use crate::chat::prompt::Options;
use crate::chat::{
    Answer, Ask, Endpoint, Event, Fault, ListModels, Means, Message, Model, Poll, Prompt,
};
use crate::http::{Client, Proxies, Timeouts};
use crate::json::object;
use crate::wire::Url;
use crate::world::World;
use crate::world::fake::{Connection, Fake};

const AT: &str = "127.0.0.1:80";

/// A world with a server in it, an endpoint and a prompt.
struct Bench {
    fake: Fake,
    world: World,
    endpoint: Endpoint,
    prompt: Prompt,
    /// What was shown: pieces of text, thoughts, and the other events as they print.
    text: String,
    thoughts: String,
    events: Vec<String>,
}

impl Bench {
    /// Reads give at most `reads` bytes.
    fn new(connections: Vec<Connection>, reads: usize, retries_max: u32) -> Self {
        let fake = Fake::new();
        fake.split_reads(reads).serve(AT, connections);
        let timeouts = Timeouts {
            head: Duration::from_secs(1),
            idle: Duration::from_millis(800),
            ..Timeouts::default()
        };
        let client = Client::new(timeouts, Proxies::none());
        let url = Url::parse("http://127.0.0.1/v1").unwrap();
        let mut prompt = Prompt::new("be brief");
        prompt.add_tool("edit_existing_file", "edits", &object! {});
        prompt.push(Message::User("hello".to_owned()));
        Self {
            world: fake.world(),
            endpoint: Endpoint::new(url, None, Vec::new(), retries_max, client),
            fake,
            prompt,
            text: String::new(),
            thoughts: String::new(),
            events: Vec::new(),
        }
    }

    fn ask(&mut self, options: Options<'_>) -> Result<Answer, Fault> {
        let mut ask = Ask::start(&options, true, &mut self.means());
        let mut seen = (String::new(), String::new(), Vec::new());
        loop {
            let poll = ask.advance(&mut self.means(), &mut |event| match event {
                Event::Text(piece) => seen.0.push_str(piece),
                Event::Reasoning(piece) => seen.1.push_str(piece),
                other => seen.2.push(format!("{other:?}")),
            });
            if let Poll::Done(result) = poll {
                (self.text, self.thoughts, self.events) = seen;
                return result;
            }
            let mut interests = Vec::new();
            ask.interests(&mut interests);
            self.world.threads.wait(&interests, ask.until());
        }
    }

    fn list(&mut self) -> Result<Vec<Model>, Fault> {
        let now = self.world.clock.now();
        let mut list = ListModels::start(&mut self.endpoint, &*self.world.net, now);
        loop {
            let now = self.world.clock.now();
            let wall = self.world.clock.wall().unix_seconds;
            if let Poll::Done(result) =
                list.advance(&mut self.endpoint, &*self.world.net, now, wall)
            {
                return result;
            }
            let mut interests = Vec::new();
            list.interests(&mut interests);
            self.world.threads.wait(&interests, list.until());
        }
    }

    fn means(&mut self) -> Means<'_> {
        Means {
            endpoint: &mut self.endpoint,
            prompt: &mut self.prompt,
            net: &*self.world.net,
            now: self.world.clock.now(),
            wall_seconds: self.world.clock.wall().unix_seconds,
            random: 7,
        }
    }

    /// The request that was written on the connection with this number, from 0.
    fn written(&self, at: usize) -> String {
        String::from_utf8(self.fake.connections().remove(at).written).unwrap()
    }
}

fn streaming() -> Options<'static> {
    Options {
        model: Some("m-test"),
        is_streaming: true,
        max_tokens: None,
        has_tools: true,
    }
}
