//! A call that may run: its job, with a last look at what it was planned on, and what came of it.

use std::sync::{Arc, Mutex, PoisonError};

use super::{Gate, Pending, Ready, Request, Settled, Verdict, bug};
use crate::text;
use crate::tool::contract::{Failure, Outcome, Output};
use crate::tool::needs::fingerprint;
use crate::tool::permit::authorize;
use crate::tool::{Binding, Call, Supply, Tool};
use crate::world::{CallId, Moment};

/// A call whose files or processes changed under it is planned anew this often.
const REPLANS_MAX: u32 = 3;

/// A call on its thread.
pub(super) struct Running {
    request: Request,
    tool: &'static Tool,
    began: Moment,
    slot: Arc<Mutex<Option<Ran>>>,
}

enum Ran {
    Broken(String),
    Outcome(Outcome),
}

impl Gate {
    /// The job that runs a call; hand its end to [`Gate::settle`].
    pub(crate) fn start(&mut self, ready: Ready, call: Call) -> (CallId, Box<dyn FnOnce() + Send>) {
        self.calls += 1;
        let id = CallId(self.calls);
        let permit = authorize(ready.grant);
        let Pending {
            request,
            tool,
            bound,
            plan,
            ..
        } = ready.pending;
        let slot = Arc::new(Mutex::new(None));
        let running = Running {
            request,
            tool,
            began: self.supply.clock.now(),
            slot: Arc::clone(&slot),
        };
        self.running.insert(id, running);
        let supply = self.supply.clone();
        let job = move || {
            let ran = match broken(&plan.binding, &supply) {
                Some(what) => Ran::Broken(what),
                None => Ran::Outcome(bound.run(permit, plan, &call, &supply)),
            };
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(ran);
        };
        (id, Box::new(job))
    }

    /// Takes the end of a job; `panic` is the message of one that panicked. `None` if there is no such call.
    pub(crate) fn settle(&mut self, id: CallId, panic: Option<&str>) -> Option<Settled> {
        let running = self.running.remove(&id)?;
        let ms = u64::try_from(self.supply.clock.now().since(running.began).as_millis())
            .unwrap_or(u64::MAX);
        let ran = running
            .slot
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let outcome = match ran {
            Some(Ran::Outcome(outcome)) => outcome,
            Some(Ran::Broken(what)) => {
                let replans = self.replans.entry(running.request.id.clone()).or_default();
                *replans += 1;
                if *replans <= REPLANS_MAX {
                    return Some(Settled::Again(running.request));
                }
                Err(Failure::new(format!(
                    "not run: {what} again and again; look at it and decide anew"
                )))
            }
            None => {
                let message = panic.map_or_else(String::new, |panic| {
                    format!(": {}", text::one_line(panic, 200))
                });
                Err(Failure::new(format!("{}{message}", bug(running.tool.name))))
            }
        };
        self.replans.remove(&running.request.id);
        Some(Settled::Reply(match outcome {
            Ok(mut output) => {
                self.kept.add(std::mem::take(&mut output.changes));
                output.offers.push(running.tool.name.to_owned());
                self.reply(&running.request, Verdict::Done, output, ms)
            }
            Err(failure) => {
                let verdict = if failure.is_cancel() {
                    Verdict::Cancelled
                } else {
                    Verdict::Failed
                };
                self.reply(&running.request, verdict, Output::from(failure.0), ms)
            }
        }))
    }
}

/// What of `binding` is no longer true.
fn broken(binding: &Binding, supply: &Supply) -> Option<String> {
    for (path, seen) in &binding.files {
        // What cannot be looked at any more is not what was seen.
        if fingerprint(&*supply.files, path).as_ref() != Ok(seen) {
            return Some(format!(
                "`{}` changed after it was shown",
                supply.roots.shown(path)
            ));
        }
    }
    for &(pid, ticks) in &binding.processes {
        let now = supply.processes.find(pid).ok().flatten();
        if now.is_none_or(|process| process.started_ticks != ticks) {
            return Some(format!("process {pid} ended after it was shown"));
        }
    }
    None
}
