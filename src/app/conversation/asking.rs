//! One request of a turn and its answer, shown while it comes.

use std::io;

use crate::app::conversation::{Broken, Conversation};
use crate::app::view::{Level, View};
use crate::chat::{Answer, Ask, Endpoint, Event as Heard, Fault, Held, Means, Poll, Prompt, Turn};
use crate::world::World;

impl Conversation<'_> {
    /// Asks, and tells `turn` what came of it. What broke the wait comes back; the text so far is kept then.
    pub(super) fn ask(
        &mut self,
        turn: &mut Turn,
        has_tools: bool,
        is_first: bool,
    ) -> io::Result<Option<Broken>> {
        self.requests += 1;
        let model = self.model.clone();
        let options = self.options(model.as_deref(), has_tools);
        // A call written as text is no answer: who reads standard output gets the one that follows.
        self.held = if options.has_tools && !self.is_built_in && self.view.is_plain() {
            Held::wary()
        } else {
            Held::default()
        };
        let random = random(self.world);
        let mut means = means(self.world, &mut self.endpoint, turn.prompt(), random);
        let mut ask = Ask::start(&options, is_first, &mut means);
        loop {
            let (polled, shown) = self.advance(&mut ask, turn, random);
            if let Err(error) = shown {
                let broken = self.unwritten(error)?;
                return self.stop(ask, turn, broken).map(Some);
            }
            match polled {
                Poll::Done(result) => return self.answered(turn, result).map(|()| None),
                Poll::Wait if turn.is_text_loop(ask.text()) => {
                    turn.add_usage(ask.usage());
                    self.text = ask.stop();
                    self.view.text(&self.held.rest())?;
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
                return self.stop(ask, turn, broken).map(Some);
            }
        }
    }

    /// Does what can be done without waiting, and shows it. An error of the second is one of writing.
    fn advance(
        &mut self,
        ask: &mut Ask,
        turn: &mut Turn,
        random: u64,
    ) -> (Poll<Answer>, io::Result<()>) {
        let mut shown = Ok(());
        let (view, held, requests) = (&mut self.view, &mut self.held, &mut self.requests);
        let mut sink = |event: Heard<'_>| {
            if shown.is_ok() {
                shown = show(view, held, requests, &event);
            }
        };
        let mut means = means(self.world, &mut self.endpoint, turn.prompt(), random);
        let polled = ask.advance(&mut means, &mut sink);
        (polled, shown.and_then(|()| self.view.flush()))
    }

    /// Ends a request that nobody waits for any more; what came of the answer stays in the conversation.
    fn stop(&mut self, ask: Ask, turn: &mut Turn, broken: Broken) -> io::Result<Broken> {
        turn.add_usage(ask.usage());
        let partial = ask.stop();
        turn.cancel(&partial);
        if !partial.is_empty() {
            self.text.clone_from(&partial);
        }
        if matches!(broken, Broken::Signal(_)) {
            self.view.hurry();
        }
        let kept = self.held.rest();
        let shown = self.view.text(&kept);
        match shown.and_then(|()| self.view.answered(&partial)) {
            // Who reads nothing for so long gets no last words.
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(broken),
            shown => shown.map(|()| broken),
        }
    }

    /// Takes in an answer, or why there is none; what came of it is kept either way.
    fn answered(&mut self, turn: &mut Turn, result: Result<Answer, Fault>) -> io::Result<()> {
        let text = match &result {
            Ok(answer) => &answer.text,
            Err(fault) => &fault.partial,
        };
        let has_text = !text.is_empty();
        if has_text {
            self.text.clone_from(text);
        }
        // One that came all at once was never looked at while it came.
        if result.as_ref().is_ok_and(|answer| answer.calls.is_empty())
            && turn.is_text_loop(&self.text)
        {
            turn.add_usage(result.ok().and_then(|answer| answer.usage));
            turn.stop_loop(&self.text);
        } else if turn.answer(result) {
            self.held = Held::default();
        }
        self.view.text(&self.held.rest())?;
        self.view.answered(if has_text { &self.text } else { "" })
    }
}

fn random(world: &World) -> u64 {
    let mut bytes = [0; 8];
    world.random.fill(&mut bytes);
    u64::from_le_bytes(bytes)
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
fn show(
    view: &mut View<'_>,
    held: &mut Held,
    requests: &mut u64,
    event: &Heard<'_>,
) -> io::Result<()> {
    match event {
        Heard::Text(piece) => view.text(held.pass(piece)),
        Heard::Reasoning(piece) => view.reasoning(piece),
        Heard::Retrying {
            attempt,
            after,
            why,
        } => {
            *requests += 1;
            let seconds = after.as_secs_f64();
            let text = format!("{why}; trying again in {seconds:.1} s (try {attempt})");
            view.notice(Level::Warning, "retry", &text)
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
