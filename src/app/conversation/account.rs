//! What a conversation came to: its `result`, and the lines that a person reads about tools and tokens.

use std::io;

use crate::app::conversation::{BYTES_A_TOKEN, Conversation};
use crate::app::toolbox::{deferred, definition};
use crate::app::view::{Summary, Tokens};
use crate::catalog::TOOLS;
use crate::error::{self, Outcome};
use crate::tool::KEPT_BYTES_MAX;
use crate::world::Moment;

/// Where the figures stood when a turn began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    usage: Tokens,
    at: Moment,
}

impl Conversation<'_> {
    /// Ends a one-shot: what decides the exit code on standard error, and the `result`.
    pub(crate) fn conclude(&mut self, outcome: &Outcome) -> io::Result<u8> {
        let exit_code = error::exit_code(outcome);
        match self.tell_end(outcome, exit_code) {
            // A signal came, and the reader takes nothing: the exit code must say it alone.
            Err(error) if error.kind() == io::ErrorKind::Interrupted && exit_code != 0 => {
                Ok(exit_code)
            }
            told => told.map(|()| exit_code),
        }
    }

    fn tell_end(&mut self, outcome: &Outcome, exit_code: u8) -> io::Result<()> {
        if let Some(error) = outcome.error() {
            self.view.error(error.kind.name(), &error.message)?;
        }
        let summary = Summary {
            exit_code,
            status: outcome.status(),
            text: std::mem::take(&mut self.text),
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
        self.view.finish(&summary)
    }

    /// Where the figures stand now.
    pub(crate) fn mark(&self) -> Before {
        Before {
            usage: self.usage,
            at: self.world.clock.now(),
        }
    }

    /// The quiet line under an answer of a session: what the turn since `before` took.
    pub(crate) fn footer(&mut self, before: Before) -> io::Result<()> {
        let passed = self.world.clock.now().since(before.at).as_secs_f64();
        let mut parts = vec![
            self.model.clone().unwrap_or_else(|| self.endpoint()),
            format!("{passed:.1} s"),
        ];
        let input = self.usage.prompt - before.usage.prompt;
        let output = self.usage.completion - before.usage.completion;
        if 0 < input + output {
            let cached = self.usage.cached - before.usage.cached;
            let cached = if cached == 0 {
                String::new()
            } else {
                format!(" ({cached} cached)")
            };
            parts.push(format!("{input} tokens in{cached}, {output} out"));
        }
        let loaded = self.toolbox.loaded();
        if !loaded.is_empty() {
            parts.push(format!("loaded: {}", loaded.join(" ")));
        }
        self.view.aside(&parts.join(" · "))
    }

    /// The tools that requests carry, each with its size, and the categories that `find_tools` could load.
    pub(crate) fn tool_rows(&self) -> Vec<String> {
        let loaded = self.toolbox.loaded();
        let mut rows = Vec::new();
        for name in self.prompt.tool_names() {
            let Some(tool) = TOOLS.iter().find(|tool| tool.name == *name) else {
                continue;
            };
            let tokens = definition(tool).to_string().len().div_ceil(BYTES_A_TOKEN);
            let note = if loaded.contains(name) {
                ", loaded"
            } else {
                ""
            };
            rows.push(format!("{name:<14} about {tokens} tokens{note}"));
        }
        rows.push(format!(
            "together about {} tokens in each request",
            self.prompt.tool_bytes() / BYTES_A_TOKEN
        ));
        let more: Vec<&str> = deferred().map(|category| category.id).collect();
        if !self.start.flags.no_tools && !more.is_empty() {
            rows.push(format!("loaded when needed: {}", more.join(", ")));
        }
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
        let count = |n: u64, one: &str| match n {
            1 => format!("1 {one}"),
            n => format!("{n} {one}s"),
        };
        vec![
            format!(
                "{}; as the endpoint counts: {prompt} tokens in ({cached} cached), {completion} out",
                count(self.requests, "request")
            ),
            format!(
                "{}; {} of what they were kept, at most {} MB",
                count(changes as u64, "changed file"),
                count(bytes as u64, "byte"),
                KEPT_BYTES_MAX / 1_000_000
            ),
        ]
    }
}
