//! The driver: a conversation and the means to carry it on. It does what a turn says and tells it what came of it.

use std::io;

use crate::app::chat::end::{end_error, model_error};
use crate::app::instructions::{self, Place};
use crate::app::pump::Pump;
use crate::app::round::Round;
use crate::app::serve::Server;
use crate::app::signalled;
use crate::app::start::Start;
use crate::app::toolbox::{Shelf, Toolbox, defaults, definition, description};
use crate::app::typed::Lines;
use crate::app::view::{Level, Summary, Tokens, View};
use crate::catalog::TOOLS;
use crate::chat::{
    Answer, Ask, End, Endpoint, Event as Heard, Fault, Limits, ListModels, Means, Message, Model,
    Options, Poll, Prompt, Step, Turn, default_model,
};
use crate::config::{Address, Destination};
use crate::error::{self, Error, Kind, Outcome};
use crate::http::{Client, Proxies, Timeouts};
use crate::text::Paint;
use crate::tool::{Gate, KEPT_BYTES_MAX, Request, Verdict};
use crate::wire::Url;
use crate::world::{Cancel, Event, Interest, Signal, Source, Standard, World};

/// What stands for the built-in endpoint in results and banners.
const BUILT_IN: &str = "built-in";
/// Bytes a token, for estimates.
const BYTES_A_TOKEN: usize = 4;
/// Bytes of late input that are looked at.
const LATE_BYTES_MAX: usize = 4 * 1024;

/// A conversation under way.
pub(crate) struct Talk<'w> {
    pub(crate) view: View<'w>,
    pub(crate) lines: Lines,
    world: &'w World,
    start: &'w Start,
    round: Round<'w>,
    paint: Paint,
    gate: Gate,
    toolbox: Toolbox,
    endpoint: Endpoint,
    is_built_in: bool,
    prompt: Prompt,
    model: Option<String>,
    cancel: Cancel,
    usage: Tokens,
    requests: u64,
    text: String,
    /// Standard input that was given up on: bytes that come now are an error.
    late_input: Option<Source>,
}

/// What ended a wait for the model.
enum Broken {
    /// Nobody reads standard output any more.
    ReaderGone,
    Late,
    Signal(Signal),
}

/// The system prompt of this run.
pub(crate) fn system_prompt(world: &World, start: &Start) -> String {
    let workspace = start.roots.workspace.display().to_string();
    let date = Start::date(world);
    let place = Place {
        workspace: &workspace,
        date: &date,
        system: std::env::consts::OS,
    };
    let own = start.settings.system.as_ref().map(|own| own.value.as_str());
    let skills = if start.flags.no_tools {
        Vec::new()
    } else {
        Shelf::built_in().0
    };
    instructions::system(&skills, own, &place)
}

impl<'w> Talk<'w> {
    /// A conversation with whoever is configured, or with the built-in endpoint.
    pub(crate) fn new(world: &'w World, start: &'w Start, view: View<'w>) -> Result<Self, Error> {
        let paint = start.paint(world, Standard::Error);
        let mut round = Round::new(world, paint);
        let (endpoint, is_built_in) = endpoint(world, start, &mut round.pump)?;
        let toolbox = Toolbox::default();
        let mut prompt = Prompt::new(&system_prompt(world, start));
        if !start.flags.no_tools {
            for tool in defaults() {
                prompt.add_tool(tool.name, &description(tool), &(tool.contract.schema)());
            }
        }
        if !world.console.is_terminal(Standard::Output) {
            round.watch_output();
        }
        Ok(Self {
            view,
            lines: Lines::default(),
            world,
            start,
            round,
            paint,
            gate: start.gate(world, &toolbox),
            toolbox,
            endpoint,
            is_built_in,
            prompt,
            model: start
                .settings
                .model
                .as_ref()
                .map(|model| model.value.clone()),
            cancel: world.threads.cancel(),
            usage: Tokens::default(),
            requests: 0,
            text: String::new(),
            late_input: None,
        })
    }

    pub(crate) fn paint(&self) -> Paint {
        self.paint
    }

    /// Where this conversation waits.
    pub(crate) fn pump(&mut self) -> &mut Pump<'w> {
        &mut self.round.pump
    }

    pub(crate) fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Asks another model from now on.
    pub(crate) fn set_model(&mut self, model: &str) {
        self.model = Some(model.to_owned());
    }

    /// Who answers.
    pub(crate) fn endpoint(&self) -> String {
        if self.is_built_in {
            BUILT_IN.to_owned()
        } else {
            self.endpoint.url().to_string()
        }
    }

    /// Bytes that come on standard input from now on end the run.
    pub(crate) fn watch_input(&mut self) {
        self.late_input = Some(self.world.console.source(Standard::Input));
    }

    /// Whether a call was refused, and none after it succeeded.
    pub(crate) fn is_refusal_open(&self) -> bool {
        self.gate.is_refusal_open()
    }

    /// Begins a new conversation with the same endpoint.
    pub(crate) fn forget(&mut self) {
        self.prompt.clear();
        self.prompt.clear_tools();
        self.toolbox.clear();
        for tool in defaults().filter(|_| !self.start.flags.no_tools) {
            self.prompt
                .add_tool(tool.name, &description(tool), &(tool.contract.schema)());
        }
        self.text.clear();
    }

    /// The first request's body, printed and not sent.
    pub(crate) fn dry_run(&mut self, question: &str) -> io::Result<()> {
        self.prompt.push(Message::User(question.to_owned()));
        let model = self.model.clone();
        let options = self.options(model.as_deref(), true);
        let parts = self.prompt.body(&options, self.endpoint.quirks());
        let mut body: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        body.push(b'\n');
        self.world.write(Standard::Output, &body, &self.cancel)
    }

    /// Says who answers and chooses a model where none is set.
    pub(crate) fn prepare(&mut self) -> io::Result<Result<(), Error>> {
        if self.is_built_in {
            self.view.notice(
                Level::Info,
                "built_in",
                "no endpoint is set: the built-in endpoint answers; it is no language model",
            )?;
            self.model = Some(crate::offline::MODEL.to_owned());
        }
        if self.model.is_none() {
            let models = match self.list_models()? {
                Ok(models) => models,
                Err(error) => return Ok(Err(error)),
            };
            let Some(chosen) = default_model(&models) else {
                let why = format!(
                    "{} lists no model for chat; choose one with `-m`",
                    self.endpoint()
                );
                return Ok(Err(Error::new(Kind::Config, why)));
            };
            let id = chosen.id.clone();
            self.view.notice(
                Level::Info,
                "model",
                &format!("using the model `{id}`; `-m` chooses another"),
            )?;
            self.model = Some(id);
        }
        let (endpoint, directory) = (
            self.endpoint(),
            self.start.roots.workspace.display().to_string(),
        );
        let names = self.prompt.tool_names().to_vec();
        self.view
            .init(self.model.as_deref(), &endpoint, &directory, &names)?;
        Ok(Ok(()))
    }

    /// The endpoint's models.
    pub(crate) fn list_models(&mut self) -> io::Result<Result<Vec<Model>, Error>> {
        let world = self.world;
        let mut list = ListModels::start(&mut self.endpoint, &*world.net, world.clock.now());
        loop {
            let wall = world.clock.wall().unix_seconds;
            match list.advance(&mut self.endpoint, &*world.net, world.clock.now(), wall) {
                Poll::Done(Ok(models)) => return Ok(Ok(models)),
                Poll::Done(Err(fault)) => {
                    let mut error = model_error(&fault);
                    if !matches!(
                        error.kind,
                        Kind::Auth | Kind::Connect | Kind::Timeout | Kind::Config
                    ) {
                        error.kind = Kind::Config;
                    }
                    error
                        .message
                        .push_str("; `-m` chooses a model without asking for the list");
                    return Ok(Err(error));
                }
                Poll::Wait => (),
            }
            let mut interests = Vec::new();
            list.interests(&mut interests);
            let until = list.until();
            match self.wait(interests, until)? {
                None => (),
                Some(broken) => return Ok(Err(self.broken(broken)?)),
            }
        }
    }

    /// Carries a person's line to the model's last word. What ended it otherwise comes back.
    pub(crate) fn say(&mut self, question: &str) -> io::Result<Option<Error>> {
        self.cancel = self.world.threads.cancel();
        self.view.renew(self.cancel.clone());
        self.toolbox.begin_turn();
        let limits = Limits {
            rounds: self.start.settings.max_turns.value,
            ..Limits::default()
        };
        // The turn has the prompt as long as it lasts.
        let mut turn = Turn::new(
            std::mem::take(&mut self.prompt),
            question.to_owned(),
            limits,
        );
        let end = self.drive(&mut turn);
        let usage = turn.usage();
        self.usage.prompt += usage.prompt_tokens;
        self.usage.completion += usage.completion_tokens;
        self.usage.cached += usage.cached_tokens;
        self.prompt = turn.into_prompt();
        end
    }

    fn drive(&mut self, turn: &mut Turn) -> io::Result<Option<Error>> {
        loop {
            let broken = match turn.next() {
                Step::Ask {
                    is_first,
                    has_tools,
                } => self.ask(turn, has_tools, is_first)?,
                Step::Run(calls) => self.calls(turn, calls)?,
                Step::End(end) => return self.ended(end),
            };
            for warning in turn.take_warnings() {
                self.view
                    .notice(Level::Warning, warning.name(), &warning.text())?;
            }
            if let Some(broken) = broken {
                return self.broken(broken).map(Some);
            }
        }
    }

    /// Shows the last word of a turn if nobody saw it yet, and says what else ended it.
    fn ended(&mut self, end: End) -> io::Result<Option<Error>> {
        if let End::Limit { text, .. } = &end
            && *text != self.text
        {
            self.text.clone_from(text);
            self.view.text(text)?;
            self.view.answered(text)?;
        }
        Ok(end_error(end))
    }

    fn options<'a>(&self, model: Option<&'a str>, has_tools: bool) -> Options<'a> {
        Options {
            model,
            is_streaming: !self.start.flags.no_stream,
            max_tokens: self
                .start
                .settings
                .max_tokens
                .as_ref()
                .map(|limit| u64::from(limit.value)),
            has_tools: has_tools && !self.start.flags.no_tools,
        }
    }
}

impl Talk<'_> {
    /// One request and its answer, shown while it comes. What broke it comes back.
    fn ask(
        &mut self,
        turn: &mut Turn,
        has_tools: bool,
        is_first: bool,
    ) -> io::Result<Option<Broken>> {
        self.requests += 1;
        let model = self.model.clone();
        let options = self.options(model.as_deref(), has_tools);
        let mut word = [0; 8];
        self.world.random.fill(&mut word);
        let random = u64::from_le_bytes(word);
        let mut ask = Ask::start(
            &options,
            is_first,
            &mut means(self.world, &mut self.endpoint, turn.prompt(), random),
        );
        loop {
            let mut shown = Ok(());
            let polled = {
                let (view, requests) = (&mut self.view, &mut self.requests);
                let mut sink = |event: Heard<'_>| {
                    if shown.is_ok() {
                        shown = show(view, requests, &event);
                    }
                };
                ask.advance(
                    &mut means(self.world, &mut self.endpoint, turn.prompt(), random),
                    &mut sink,
                )
            };
            shown?;
            self.view.flush()?;
            match polled {
                Poll::Done(result) => return self.answered(turn, result).map(|()| None),
                Poll::Wait if turn.is_text_loop(ask.text()) => {
                    self.text = ask.stop();
                    self.view.answered(&self.text)?;
                    turn.stop_loop(&self.text);
                    return Ok(None);
                }
                Poll::Wait => (),
            }
            let mut interests = Vec::new();
            ask.interests(&mut interests);
            let until = ask.until();
            if let Some(broken) = self.wait(interests, until)? {
                let partial = ask.stop();
                turn.cancel(&partial);
                self.view.answered(&partial)?;
                if !partial.is_empty() {
                    self.text = partial;
                }
                return Ok(Some(broken));
            }
        }
    }

    /// Takes in an answer, or why there is none; what came of it is kept either way.
    fn answered(&mut self, turn: &mut Turn, result: Result<Answer, Fault>) -> io::Result<()> {
        let text = match &result {
            Ok(answer) => &answer.text,
            Err(fault) => &fault.partial,
        };
        self.view.answered(text)?;
        if !text.is_empty() {
            self.text.clone_from(text);
        }
        // One that came all at once was never looked at while it came.
        if result.as_ref().is_ok_and(|answer| answer.calls.is_empty())
            && turn.is_text_loop(&self.text)
        {
            turn.stop_loop(&self.text);
        } else {
            turn.answer(result);
        }
        Ok(())
    }

    /// Passes a round's calls through the gate and hands the turn their replies.
    fn calls(
        &mut self,
        turn: &mut Turn,
        calls: Vec<crate::chat::Call>,
    ) -> io::Result<Option<Broken>> {
        let numbers: Vec<usize> = calls.iter().map(|call| call.number).collect();
        let requests = calls
            .into_iter()
            .map(|call| Request {
                id: call.call.id,
                name: call.call.name,
                arguments: call.call.arguments,
            })
            .collect();
        std::mem::swap(&mut self.lines, &mut self.round.lines);
        let replied = self
            .round
            .run(requests, &mut self.gate, &mut self.view, &self.cancel, None);
        std::mem::swap(&mut self.lines, &mut self.round.lines);
        let (replies, signal) = replied?;
        let mut wanted = Vec::new();
        for (number, reply) in numbers.into_iter().zip(replies) {
            if reply.is_miss {
                self.toolbox.miss();
            }
            let text = reply.for_model();
            wanted.extend(reply.loads);
            let is_error = reply.verdict != Verdict::Done;
            turn.reply(number, crate::chat::Reply { text, is_error });
        }
        self.load(turn, &wanted)?;
        Ok(signal.map(Broken::Signal))
    }

    /// Adds tools to what requests carry.
    fn load(&mut self, turn: &mut Turn, names: &[String]) -> io::Result<()> {
        let added = self.toolbox.load(names);
        if added.is_empty() {
            return Ok(());
        }
        for tool in &added {
            turn.prompt()
                .add_tool(tool.name, &description(tool), &(tool.contract.schema)());
        }
        let tokens = (turn.prompt().tool_bytes() / BYTES_A_TOKEN) as u64;
        self.view.tools(&self.toolbox.loaded(), tokens)
    }

    /// Waits for the model; says what broke the wait, if anything did.
    fn wait(
        &mut self,
        mut interests: Vec<Interest>,
        until: Option<crate::world::Moment>,
    ) -> io::Result<Option<Broken>> {
        let output = self.world.console.source(Standard::Output);
        let is_output_watched = !self.world.console.is_terminal(Standard::Output);
        if is_output_watched {
            interests.push(Interest::hangup(output));
        }
        interests.extend(self.late_input.map(Interest::read));
        Ok(match self.round.pump.wait(&interests, until) {
            Event::Signal(signal) => Some(Broken::Signal(signal)),
            Event::Ready(source) if self.late_input == Some(source) => {
                let mut bytes = [0; LATE_BYTES_MAX];
                match self.world.console.read(&mut bytes) {
                    Ok(0) => {
                        self.late_input = None;
                        None
                    }
                    Ok(_) => Some(Broken::Late),
                    Err(error)
                        if matches!(
                            error.kind(),
                            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                        ) =>
                    {
                        None
                    }
                    Err(_) => {
                        self.late_input = None;
                        None
                    }
                }
            }
            Event::Ready(source) if is_output_watched && source == output => {
                Some(Broken::ReaderGone)
            }
            Event::Ready(_) | Event::Finished(..) | Event::Tick => None,
        })
    }

    /// Ends what goes on, and says what that is for the run.
    fn broken(&mut self, broken: Broken) -> io::Result<Error> {
        self.cancel.set();
        // What is still to be said must not be stopped by the cancel that ended the turn.
        self.view.renew(self.world.threads.cancel());
        match broken {
            Broken::ReaderGone => Err(io::ErrorKind::BrokenPipe.into()),
            Broken::Signal(signal) => Ok(signalled(signal)),
            Broken::Late => Ok(Error::new(
                Kind::UnreadInput,
                "data came on standard input after it was given up on; `--stdin` waits for it, `--no-stdin` ignores it",
            )),
        }
    }

    /// Ends a one-shot: what decides the exit code on standard error, and the `result`.
    pub(crate) fn conclude(&mut self, outcome: &Outcome) -> io::Result<u8> {
        let exit_code = error::exit_code(outcome);
        if let Some(error) = outcome.error() {
            self.view.error(error.kind.name(), &error.message)?;
        }
        let summary = Summary {
            exit_code,
            status: outcome.status(),
            text: self.text.clone(),
            model: self.model.clone(),
            endpoint: Some(self.endpoint()),
            usage: self.usage,
            requests: self.requests,
            sent: self.prompt.tool_names().to_vec(),
            loaded: self.toolbox.loaded(),
            schema_tokens: (self.prompt.tool_bytes() / BYTES_A_TOKEN) as u64,
            error: outcome
                .error()
                .map(|error| (error.kind.name(), error.message.clone())),
        };
        self.view.finish(&summary)?;
        Ok(exit_code)
    }

    /// The line under an answer of a session.
    pub(crate) fn footer(&mut self) -> io::Result<()> {
        self.view.flush()
    }

    /// The tools that requests carry, each with its size.
    pub(crate) fn tool_rows(&self) -> Vec<String> {
        let rows = self
            .prompt
            .tool_names()
            .iter()
            .filter_map(|name| TOOLS.iter().find(|tool| tool.name == *name));
        let mut rows: Vec<String> = rows
            .map(|tool| {
                let bytes = definition(tool).to_string().len();
                format!(
                    "{:<14} about {} tokens",
                    tool.name,
                    bytes.div_ceil(BYTES_A_TOKEN)
                )
            })
            .collect();
        rows.push(format!(
            "together about {} tokens in each request",
            self.prompt.tool_bytes() / BYTES_A_TOKEN
        ));
        rows
    }

    /// Requests, tokens and changed files so far.
    pub(crate) fn usage_rows(&self) -> Vec<String> {
        let (changes, bytes) = self.gate.kept().summary();
        let Tokens {
            prompt,
            completion,
            cached,
        } = self.usage;
        vec![
            format!(
                "{} requests; as the endpoint counts: {prompt} tokens in ({cached} cached), {completion} out",
                self.requests
            ),
            format!(
                "{changes} files changed; {bytes} of at most {KEPT_BYTES_MAX} former bytes kept"
            ),
        ]
    }
}

fn means<'a>(
    world: &'a World,
    endpoint: &'a mut Endpoint,
    prompt: &'a mut Prompt,
    random: u64,
) -> Means<'a> {
    Means {
        endpoint,
        prompt,
        net: &*world.net,
        now: world.clock.now(),
        wall_seconds: world.clock.wall().unix_seconds,
        random,
    }
}

/// Shows a piece of an answer, or that it is asked for again.
fn show(view: &mut View<'_>, requests: &mut u64, event: &Heard<'_>) -> io::Result<()> {
    match event {
        Heard::Text(piece) => view.text(piece),
        Heard::Reasoning(piece) => view.reasoning(piece),
        Heard::Retrying {
            attempt,
            after,
            why,
        } => {
            *requests += 1;
            let seconds = after.as_secs_f64();
            view.notice(
                Level::Warning,
                "retry",
                &format!("{why}; trying again in {seconds:.1} s (try {attempt})"),
            )
        }
        Heard::Repeated => view.notice(
            Level::Info,
            "repeated",
            "the kept connection was dead; the request was sent once more",
        ),
        Heard::Adapted(what) => {
            *requests += 1;
            view.notice(Level::Info, "adapted", what)
        }
    }
}

/// Who answers: the address that is set, or the built-in endpoint on a socket of our own.
fn endpoint(world: &World, start: &Start, pump: &mut Pump<'_>) -> Result<(Endpoint, bool), Error> {
    let settings = &start.settings;
    let timeouts = Timeouts {
        connect: settings.endpoint.connect_timeout.value,
        head: settings.endpoint.head_timeout.value,
        idle: settings.endpoint.idle_timeout.value,
        ..Timeouts::default()
    };
    let address = settings
        .endpoint
        .address
        .as_ref()
        .filter(|setting| setting.value != Address::BuiltIn);
    let Some(setting) = address else {
        let server = Server::bind(world, (std::net::Ipv4Addr::LOCALHOST, 0).into(), TOOLS)
            .map_err(|why| {
                Error::new(
                    Kind::Connect,
                    format!("cannot listen on loopback for the built-in endpoint: {why}"),
                )
            })?;
        let url = Url::parse(&server.url()).map_err(|why| Error::new(Kind::Bug, why))?;
        pump.host(server);
        return Ok((
            Endpoint::new(
                url,
                None,
                Vec::new(),
                0,
                Client::new(timeouts, Proxies::none()),
            ),
            true,
        ));
    };
    let Address::Url(text) = &setting.value else {
        return Err(Error::new(
            Kind::Bug,
            "an address that is neither built in nor a URL",
        ));
    };
    let url = Url::parse(text)
        .map_err(|why| Error::new(Kind::Config, format!("{}: {why}", setting.origin)))?;
    let host = url.host.to_string();
    let to = Destination {
        host: &host,
        port: url.port,
        is_local: url.is_loopback(),
        has_userinfo: url.userinfo().is_some(),
    };
    let key = settings.key_for(to)?.map(|key| key.reveal().to_owned());
    let headers = settings
        .endpoint
        .headers
        .iter()
        .map(|header| (header.name.clone(), header.value.reveal().to_owned()));
    let client = Client::new(timeouts, Proxies::from_env(&world.env));
    Ok((
        Endpoint::new(
            url,
            key,
            headers.collect(),
            settings.endpoint.retries.value,
            client,
        ),
        false,
    ))
}
