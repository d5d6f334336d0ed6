//! The gate: every call, whoever asks for it, is validated, planned, agreed to, checked, run, cut and
//! redacted here, in that order and nowhere else.

mod job;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use self::job::Running;
use crate::json;
use crate::redact::redact;
use crate::text;
use crate::tool::contract::{Bound, Failure, Output, Plan, Subject};
use crate::tool::kept::KeptFiles;
use crate::tool::permit::Grant;
use crate::tool::rules::suggest;
use crate::tool::{
    Decision, Effect, FIND_TOOLS, Place, Rules, SKILL, Stance, Supply, Tool, decide,
};
use crate::world::CallId;

/// A reply of more bytes is cut in its middle.
pub(crate) const REPLY_BYTES_MAX: usize = 48 * 1024;

/// A call that somebody asks for, before anything about it is known to be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) name: String,
    /// JSON, as the model wrote it; blank stands for `{}`.
    pub(crate) arguments: String,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Cancelled,
    Done,
    Failed,
    /// An unknown tool, or arguments that do not fit its contract.
    Invalid,
    /// Nobody agreed to it.
    Refused,
}

/// The answer to a request: always text for the model, whatever happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) verdict: Verdict,
    pub(crate) ms: u64,
    /// Tools that count as loaded from now on.
    pub(crate) loads: Vec<String>,
    /// Whether it was a search that found nothing.
    pub(crate) is_miss: bool,
    /// For the person: what would have let a refused call run.
    pub(crate) hint: Option<String>,
}

/// What the gate makes of a request.
pub(crate) enum Considered {
    Answered(Reply),
    /// A person has to be asked: see [`Gate::question`] and [`Gate::agree`].
    Ask(Pending),
    Run(Ready),
}

/// A planned call that waits for a person.
pub(crate) struct Pending {
    request: Request,
    tool: &'static Tool,
    bound: Box<dyn Bound>,
    plan: Plan,
    effect: Effect,
}

/// A call that may run.
pub(crate) struct Ready {
    pending: Pending,
    grant: Grant,
}

impl Ready {
    /// Whether it only reads, so that it may run beside others that do.
    pub(crate) fn is_reading(&self) -> bool {
        self.pending.plan.effect == Effect::Read
    }
}

/// What a person is shown before a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Question {
    pub(crate) tool: String,
    pub(crate) effect: Effect,
    /// Exactly what will run or change.
    pub(crate) shown: String,
    /// Paths that lie outside the workspace or look like secrets, each with which of both.
    pub(crate) places: Vec<String>,
}

/// What a person said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    No,
    Yes,
}

/// What came of a started call.
pub(crate) enum Settled {
    /// What it was planned on has changed: consider the request again.
    Again(Request),
    Reply(Reply),
}

/// The one way to run a call.
pub(crate) struct Gate {
    tools: &'static [Tool],
    rules: Rules,
    stance: Stance,
    /// Known secrets, hidden from every reply.
    secrets: Vec<String>,
    supply: Supply,
    calls: u64,
    running: HashMap<CallId, Running>,
    replans: HashMap<String, u32>,
    is_refusal_open: bool,
    kept: KeptFiles,
}

impl Gate {
    pub(crate) fn new(
        tools: &'static [Tool],
        rules: Rules,
        stance: Stance,
        secrets: Vec<String>,
        supply: Supply,
    ) -> Self {
        Self {
            tools,
            rules,
            stance,
            secrets,
            supply,
            calls: 0,
            running: HashMap::new(),
            replans: HashMap::new(),
            is_refusal_open: false,
            kept: KeptFiles::default(),
        }
    }

    /// Validates and plans `request`, and says whether it may run. Changes nothing outside.
    pub(crate) fn consider(&mut self, request: Request) -> Considered {
        match self.prepare(&request) {
            Ok(pending) => self.judge(pending),
            Err((verdict, text)) => {
                Considered::Answered(self.reply(&request, verdict, Output::from(text), 0))
            }
        }
    }

    fn prepare(&self, request: &Request) -> Result<Pending, (Verdict, String)> {
        let invalid = |text: String| (Verdict::Invalid, text);
        let Some(tool) = self
            .tools
            .iter()
            .find(|tool| tool.name == request.name && !tool.contract.is_internal)
        else {
            return Err(invalid(self.unknown(&request.name)));
        };
        let given = if request.arguments.trim().is_empty() {
            "{}"
        } else {
            &request.arguments
        };
        let value = json::parse(given.as_bytes()).map_err(|error| {
            invalid(format!(
                "not run: the arguments are not JSON: {error}\n{}",
                contract_of(tool)
            ))
        })?;
        let bound = (tool.contract.bind)(&value).map_err(|faults| {
            let faults: Vec<String> = faults.iter().map(|fault| format!("- {fault}")).collect();
            invalid(format!(
                "not run: the arguments do not fit\n{}\n{}",
                faults.join("\n"),
                contract_of(tool)
            ))
        })?;
        let plan = catch_unwind(AssertUnwindSafe(|| bound.plan(&self.supply)))
            .unwrap_or_else(|_| Err(Failure::new(bug(tool.name))))
            .map_err(|failure| (Verdict::Failed, failure.0))?;
        Ok(Pending {
            effect: effect_of(&plan),
            request: request.clone(),
            tool,
            bound,
            plan,
        })
    }

    fn unknown(&self, name: &str) -> String {
        let known = self
            .tools
            .iter()
            .filter(|tool| !tool.contract.is_internal)
            .map(|tool| tool.name);
        let near = text::nearest(name, known).map_or_else(
            || ".".to_owned(),
            |near| format!("; did you mean `{near}`?"),
        );
        let shown = text::one_line(&text::sanitize(name), 64);
        format!("there is no tool `{shown}`{near} Use `{FIND_TOOLS}` to search for tools")
    }

    fn judge(&mut self, pending: Pending) -> Considered {
        let name = pending.tool.name;
        if let Some(rule) = self.rules.denying(name, &pending.plan.subject) {
            let text = format!(
                "not run: the rule `{}` denies it; do not try it another way",
                rule.text
            );
            return self.refuse(&pending.request, text, None);
        }
        let decision = decide(pending.effect, self.stance);
        let is_covered = self
            .rules
            .allowing(name, &pending.plan.subject, pending.effect)
            .is_some();
        match decision {
            Decision::Run => Considered::Run(Ready {
                pending,
                grant: Grant::Table,
            }),
            Decision::Refuse => {
                let text =
                    "not run: this run is read-only; say what you would have done".to_owned();
                let hint = format!("`{name}` was refused because of `--read-only`");
                self.refuse(&pending.request, text, Some(hint))
            }
            _ if is_covered => Considered::Run(Ready {
                pending,
                grant: Grant::Rule,
            }),
            Decision::Ask | Decision::AskUnlessExact => Considered::Ask(pending),
            Decision::NeedsRule | Decision::NeedsExactRule => {
                let is_exact = decision == Decision::NeedsExactRule;
                let hint = missing_rule(&pending, is_exact);
                let text = "not run: nobody can be asked in this run, and no rule allows it; do not retry it, \
                            say what you would have done"
                    .to_owned();
                self.refuse(&pending.request, text, Some(hint))
            }
        }
    }

    fn refuse(&mut self, request: &Request, text: String, hint: Option<String>) -> Considered {
        let mut reply = self.reply(request, Verdict::Refused, Output::from(text), 0);
        reply.hint = hint.map(|hint| redact(&hint, &self.secrets).into_owned());
        Considered::Answered(reply)
    }

    /// What a person must see before `pending` runs.
    pub(crate) fn question(&self, pending: &Pending) -> Question {
        let shown = if pending.plan.shown.is_empty() {
            format!(
                "{} {}",
                pending.request.name,
                pending.request.arguments.trim()
            )
        } else {
            pending.plan.shown.clone()
        };
        let places = match &pending.plan.subject {
            Subject::Paths(targets) => targets
                .iter()
                .filter_map(|target| match target.place {
                    Place::Inside => None,
                    Place::Outside => Some(format!(
                        "`{}` lies outside the workspace",
                        target.path.display()
                    )),
                    Place::Secret => Some(format!("`{}` looks like a secret", target.shown)),
                })
                .collect(),
            _ => Vec::new(),
        };
        Question {
            tool: pending.tool.name.to_owned(),
            effect: pending.effect,
            shown: redact(&shown, &self.secrets).into_owned(),
            places,
        }
    }

    /// `request` as it may be shown: its arguments without secrets.
    pub(crate) fn shown(&self, request: &Request) -> Request {
        Request {
            arguments: redact(&request.arguments, &self.secrets).into_owned(),
            ..request.clone()
        }
    }

    /// Takes a person's answer.
    pub(crate) fn agree(&mut self, pending: Pending, answer: &Answer) -> Considered {
        match answer {
            Answer::Yes => Considered::Run(Ready {
                pending,
                grant: Grant::Person,
            }),
            Answer::No => {
                let text = "not run: the person said no; do not retry it, ask what to do instead"
                    .to_owned();
                self.refuse(&pending.request, text, None)
            }
        }
    }

    /// The answer to a call that is not run because of `why`.
    pub(crate) fn decline(&mut self, request: &Request, verdict: Verdict, why: &str) -> Reply {
        self.reply(request, verdict, Output::from(format!("not run: {why}")), 0)
    }

    /// The one exit: cuts, redacts and records.
    fn reply(&mut self, request: &Request, verdict: Verdict, output: Output, ms: u64) -> Reply {
        let is_lookup = request.name == FIND_TOOLS || request.name == SKILL;
        match verdict {
            Verdict::Done if !is_lookup => self.is_refusal_open = false,
            Verdict::Done | Verdict::Cancelled | Verdict::Failed | Verdict::Invalid => (),
            Verdict::Refused => self.is_refusal_open = true,
        }
        let redacted = redact(&output.text, &self.secrets).into_owned();
        Reply {
            id: request.id.clone(),
            name: request.name.clone(),
            text: text::cut_middle(&redacted, REPLY_BYTES_MAX).into_owned(),
            verdict,
            ms,
            loads: output.offers,
            is_miss: output.is_miss,
            hint: None,
        }
    }

    /// Whether a call was refused and none after it, but searches and skills, succeeded.
    pub(crate) fn is_refusal_open(&self) -> bool {
        self.is_refusal_open
    }

    /// Files changed so far, and the bytes of theirs that are kept.
    pub(crate) fn kept(&self) -> &KeptFiles {
        &self.kept
    }
}

/// For the person: the flag that would have let the call run.
fn missing_rule(pending: &Pending, is_exact: bool) -> String {
    let name = pending.tool.name;
    match suggest(name, &pending.plan.subject) {
        Some(rule) if is_exact => {
            format!("`{name}` was refused; `--allow-tool '{rule}'` would allow exactly this call")
        }
        Some(rule) => {
            format!("`{name}` was refused; `--allow-tool '{rule}'` or `--allow-all` would allow it")
        }
        None => format!(
            "`{name}` was refused; no pattern covers this call, `--allow-tool {name}` or `--allow-all` would allow it"
        ),
    }
}

/// The contract in short, so that the next call is right.
fn contract_of(tool: &Tool) -> String {
    format!("`{}` takes {}", tool.name, (tool.contract.schema)())
}

fn bug(name: &str) -> String {
    format!("`{name}` has a bug and stopped; this is a fault of the program, not of the arguments")
}

/// A read of what lies outside or looks secret is no longer just a read.
fn effect_of(plan: &Plan) -> Effect {
    match (&plan.subject, plan.effect) {
        (Subject::Paths(targets), Effect::Read | Effect::Own)
            if targets.iter().any(|target| target.place != Place::Inside) =>
        {
            Effect::Change
        }
        (_, effect) => effect,
    }
}
