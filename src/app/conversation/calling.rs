//! The calls of a turn's round: through the gate, and their replies back to the turn.

use std::io;

use crate::app::conversation::{BYTES_A_TOKEN, Broken, Conversation};
use crate::app::round::Handed;
use crate::app::toolbox::description;
use crate::chat::{NumberedCall, ToolResult, Turn};
use crate::tool::{Request, Verdict};

impl Conversation<'_> {
    /// Passes a round's calls through the gate and hands the turn their replies.
    pub(super) fn calls(
        &mut self,
        turn: &mut Turn,
        calls: Vec<NumberedCall>,
    ) -> io::Result<Option<Broken>> {
        let numbers: Vec<usize> = calls.iter().map(|call| call.number).collect();
        let requests = calls.into_iter().map(|call| Request {
            id: call.call.id,
            name: call.call.name,
            arguments: call.call.arguments,
        });
        let mut handed = Handed {
            gate: &mut self.gate,
            view: &mut self.view,
            cancel: &self.cancel,
            secrets: &self.secrets,
        };
        let (replies, signal) = self.round.run(requests.collect(), &mut handed)?;
        let mut wanted = Vec::new();
        for (number, reply) in numbers.into_iter().zip(replies) {
            if reply.is_miss {
                self.toolbox.miss();
            }
            let text = reply.for_model();
            wanted.extend(reply.loads);
            let is_error = reply.verdict != Verdict::Done;
            turn.reply(number, ToolResult { text, is_error });
        }
        if let Some(signal) = signal {
            self.view.hurry();
            self.load(turn, &wanted)?;
            return Ok(Some(Broken::Signal(signal)));
        }
        self.load(turn, &wanted).map(|()| None)
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
}
