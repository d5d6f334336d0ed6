//! The driver: a conversation and the means to carry it on. It does what a turn says and tells it what came of it.

mod account;
mod asking;
mod calling;
mod choice;
mod watch;

use std::io;

use crate::app::chat::end::end_error;
use crate::app::instructions::{self, Surroundings};
use crate::app::pump::Pump;
use crate::app::round::Round;
use crate::app::start::Start;
use crate::app::toolbox::{Shelf, Toolbox, defaults, description, tool};
use crate::app::typed::Lines;
use crate::app::view::{Level, Tokens, View};
use crate::chat::{End, Endpoint, Held, Limits, Message, Options, Prompt, Step, Turn};
use crate::error::Error;
use crate::redact::redact;
use crate::text::Paint;
use crate::tool::Gate;
use crate::world::{Cancel, Source, Standard, World};

use self::watch::Broken;

/// What stands for the built-in endpoint in results and banners.
const BUILT_IN: &str = "built-in";
/// Bytes a token, for estimates.
const BYTES_A_TOKEN: usize = 4;
/// What the system prompt calls this system.
const SYSTEM: &str = if cfg!(target_os = "linux") {
    "linux"
} else if cfg!(target_os = "macos") {
    "macos"
} else {
    "unix"
};

/// A conversation under way.
pub(crate) struct Conversation<'w> {
    pub(crate) view: View<'w>,
    world: &'w World,
    start: &'w Start,
    round: Round<'w>,
    paint: Paint,
    gate: Gate,
    secrets: Vec<String>,
    toolbox: Toolbox,
    endpoint: Endpoint,
    is_built_in: bool,
    prompt: Prompt,
    model: Option<String>,
    cancel: Cancel,
    usage: Tokens,
    requests: u64,
    text: String,
    /// What of the answer nobody is shown yet.
    held: Held,
    /// Standard input that was given up on: bytes that come now are an error.
    late_input: Option<Source>,
}

/// The system prompt of this run.
pub(crate) fn system_prompt(world: &World, start: &Start) -> String {
    let workspace = start.roots.workspace.display().to_string();
    let date = Start::date(world);
    let place = Surroundings {
        workspace: &workspace,
        date: &date,
        system: SYSTEM,
    };
    let own = start.settings.system.as_ref().map(|own| own.value.as_str());
    let skills = if start.flags.no_tools {
        Vec::new()
    } else {
        Shelf::built_in().0
    };
    instructions::system(&skills, own, &place)
}

impl<'w> Conversation<'w> {
    /// A conversation with whoever is configured, or with the built-in endpoint.
    pub(crate) fn new(
        world: &'w World,
        start: &'w Start,
        mut view: View<'w>,
    ) -> Result<Self, Error> {
        view.hide(start.settings.secrets());
        let paint = start.paint(world, Standard::Error);
        let mut round = Round::new(world, paint);
        let (endpoint, is_built_in) = choice::endpoint(world, start, &mut round.pump)?;
        let toolbox = Toolbox::default();
        let mut prompt = Prompt::new(&system_prompt(world, start));
        add_defaults(&mut prompt, start);
        if !world.console.is_terminal(Standard::Output) {
            round.watch_output(world.console.source(Standard::Output));
        }
        Ok(Self {
            view,
            world,
            start,
            round,
            paint,
            gate: start.gate(world, &toolbox),
            secrets: start.settings.secrets(),
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
            held: Held::default(),
            late_input: None,
        })
    }

    pub(crate) fn paint(&self) -> Paint {
        self.paint
    }

    /// What the person types, and where this conversation waits for it.
    pub(crate) fn typing(&mut self) -> (&mut Lines, &mut Pump<'w>) {
        (&mut self.round.lines, &mut self.round.pump)
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

    /// Whether a call was refused, and none after it succeeded.
    pub(crate) fn is_refusal_open(&self) -> bool {
        self.gate.is_refusal_open()
    }

    /// Begins a new conversation with the same endpoint.
    pub(crate) fn forget(&mut self) {
        self.prompt.clear();
        self.prompt.clear_tools();
        self.toolbox.clear();
        add_defaults(&mut self.prompt, self.start);
        self.text.clear();
        self.usage = Tokens::default();
        self.requests = 0;
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

    /// Carries a person's line to the model's last word. What ended it otherwise comes back.
    pub(crate) fn say(&mut self, question: String) -> io::Result<Option<Error>> {
        self.cancel = self.world.threads.cancel();
        self.view.renew(self.cancel.clone());
        self.toolbox.begin_turn();
        let limits = Limits {
            rounds: self.start.settings.max_turns.value,
            ..Limits::default()
        };
        // The turn has the prompt as long as it lasts.
        let prompt = std::mem::take(&mut self.prompt);
        let mut turn = Turn::new(prompt, question, limits, self.tools_in_text());
        let end = match self.drive(&mut turn) {
            Err(error) => self
                .unwritten(error)
                .and_then(|broken| self.broken(broken).map(Some)),
            Ok(None) => match self.came_late() {
                Some(broken) => self.broken(broken).map(Some),
                None => Ok(None),
            },
            end => end,
        };
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
        Ok(end_error(end).map(|error| self.hidden(error)))
    }

    /// `error` without the secrets that a server may have echoed.
    fn hidden(&self, error: Error) -> Error {
        Error::new(
            error.kind,
            redact(&error.message, &self.secrets).into_owned(),
        )
    }

    /// How names of tools are known in calls that are written as text. The built-in endpoint writes none: where its answer
    /// looks like one, that is what a file or a command said.
    fn tools_in_text(&self) -> Option<fn(&str) -> bool> {
        (!self.is_built_in).then_some(|name| tool(name).is_some())
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

/// The tools that every request carries, unless there are to be none.
fn add_defaults(prompt: &mut Prompt, start: &Start) {
    for tool in defaults().filter(|_| !start.flags.no_tools) {
        prompt.add_tool(tool.name, &description(tool), &(tool.contract.schema)());
    }
}
