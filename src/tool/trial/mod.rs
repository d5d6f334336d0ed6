//! Test support: takes a call of any tool through the real gate, on a world in memory or on this machine.

mod git;
pub(crate) mod real;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::tool::{
    Answer, Call, Considered, FinderPort, Gate, Mode, Output, Question, REPLY_BYTES_MAX, Reply,
    Request, Roots, Rule, Rules, Settled, ShelfPort, Stance, Supply, Tool, Verdict,
};
use crate::world::Process;
use crate::world::fake::{Action, Fake, FileOperation};
use crate::world::{Cancel, Event, Files as _, World};

/// A cancelled call must have ended so soon: an ask, its grace, a kill.
const END_SOON: Duration = Duration::from_millis(600);

/// A catalog and a shelf with nothing in them.
pub(crate) struct Nothing;

impl FinderPort for Nothing {
    fn find(&self, _: &[String], _: &[String]) -> Output {
        Output::default()
    }
}

impl ShelfPort for Nothing {
    fn skill(&self, name: &str) -> Result<String, String> {
        Err(format!("there is no skill `{name}`"))
    }
}

/// The ports of `world`, with the workspace `/repo`.
pub(crate) fn supply(world: &World) -> Supply {
    supply_in(world, "/repo")
}

/// The same with another workspace, resolved.
pub(crate) fn supply_in(world: &World, workspace: impl Into<PathBuf>) -> Supply {
    Supply {
        files: Arc::clone(&world.files),
        roots: Arc::new(Roots {
            workspace: workspace.into(),
            added: Vec::new(),
            home: Some(PathBuf::from("/home/me")),
        }),
        processes: Arc::clone(&world.processes),
        threads: Arc::clone(&world.threads),
        clock: Arc::clone(&world.clock),
        finder: Arc::new(Nothing),
        shelf: Arc::new(Nothing),
    }
}

/// A gate over `tools`.
pub(crate) fn gate(world: &World, tools: &'static [Tool], rules: Rules, stance: Stance) -> Gate {
    Gate::new(tools, rules, stance, Vec::new(), supply(world))
}

/// A request as a model makes it.
pub(crate) fn request(name: &str, arguments: &str) -> Request {
    Request {
        id: "1".to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    }
}

/// Takes a request all the way; `answer` is asked for each question.
pub(crate) fn pass_with(
    gate: &mut Gate,
    world: &World,
    request: Request,
    cancel: &Cancel,
    mut answer: impl FnMut(Question) -> Answer,
) -> Reply {
    let mut considered = gate.consider(request);
    loop {
        considered = match considered {
            Considered::Answered(reply) => return reply,
            Considered::Ask(pending) => {
                let answer = answer(gate.question(&pending));
                gate.agree(pending, &answer)
            }
            Considered::Run(ready) => {
                let call = Call {
                    cancel: cancel.clone(),
                    deadline: None,
                    output_bytes_max: REPLY_BYTES_MAX,
                    progress: Arc::new(|_| ()),
                };
                let (id, job) = gate.start(ready, call);
                world.threads.start(id, job);
                let panic = loop {
                    if let Event::Finished(ended, panic) = world.threads.wait(&[], None) {
                        assert_eq!(ended, id, "another call ended");
                        break panic;
                    }
                };
                match gate
                    .settle(id, panic.as_deref())
                    .expect("the call is known")
                {
                    Settled::Reply(reply) => {
                        assert!(gate.settle(id, None).is_none(), "a call has one reply");
                        return reply;
                    }
                    Settled::Again(request) => gate.consider(request),
                }
            }
        };
    }
}

/// The same; `answer` is given to a question, whose absence is an error of the test.
pub(crate) fn pass(
    gate: &mut Gate,
    world: &World,
    request: Request,
    answer: Option<&Answer>,
) -> (bool, Reply) {
    let mut is_asked = false;
    let cancel = world.threads.cancel();
    let reply = pass_with(gate, world, request, &cancel, |_| {
        is_asked = true;
        answer.expect("a question that the test foresees").clone()
    });
    (is_asked, reply)
}

/// One call of a built-in tool in a fake world with the workspace `/repo`, agreed to by a person.
pub(crate) struct Trial {
    pub(crate) fake: Fake,
    world: World,
    gate: Gate,
    cancel: Cancel,
    /// The questions that were asked, in order.
    pub(crate) questions: Vec<Question>,
}

impl Trial {
    /// A world that `build` fills; a person who says yes to everything.
    pub(crate) fn new(build: impl FnOnce(&Fake)) -> Self {
        Self::with(
            build,
            Rules::default(),
            Stance {
                mode: Mode::Ask,
                can_ask: true,
            },
        )
    }

    /// The same in a headless run with these allow rules.
    pub(crate) fn headless(build: impl FnOnce(&Fake), allow: &[&str]) -> Self {
        let kind_of = |name: &str| {
            crate::catalog::TOOLS
                .iter()
                .find(|tool| tool.name == name)
                .map(|tool| tool.contract.subject)
        };
        let rules = Rules {
            allow: allow
                .iter()
                .map(|text| Rule::parse(text, &kind_of).expect("a rule"))
                .collect(),
            ..Rules::default()
        };
        Self::with(
            build,
            rules,
            Stance {
                mode: Mode::Ask,
                can_ask: false,
            },
        )
    }

    fn with(build: impl FnOnce(&Fake), rules: Rules, stance: Stance) -> Self {
        let fake = Fake::new();
        fake.add_dir("/repo").add_dir("/home/me");
        build(&fake);
        let world = fake.world();
        let gate = gate(&world, crate::catalog::TOOLS, rules, stance);
        let cancel = world.threads.cancel();
        Self {
            fake,
            world,
            gate,
            cancel,
            questions: Vec::new(),
        }
    }

    /// Takes the call all the way.
    pub(crate) fn call(&mut self, name: &str, arguments: &str) -> Reply {
        self.call_with(name, arguments, |_| ())
    }

    /// The same; `between` happens while the person looks at the question.
    pub(crate) fn call_with(
        &mut self,
        name: &str,
        arguments: &str,
        between: impl Fn(&Fake),
    ) -> Reply {
        let (fake, questions) = (&self.fake, &mut self.questions);
        pass_with(
            &mut self.gate,
            &self.world,
            request(name, arguments),
            &self.cancel,
            |question| {
                questions.push(question);
                between(fake);
                Answer::Yes
            },
        )
    }

    /// What cancels the call.
    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// What the last question showed.
    pub(crate) fn shown(&self) -> &str {
        self.questions
            .last()
            .map_or("", |question| question.shown.as_str())
    }

    /// How many changes undo knows of.
    pub(crate) fn changes(&self) -> usize {
        self.gate.kept().summary().0
    }
}

/// The verdict and text of a call in a world that `build` fills.
#[track_caller]
pub(crate) fn check(
    build: impl FnOnce(&Fake),
    name: &str,
    arguments: &str,
    verdict: Verdict,
    text: &str,
) {
    let reply = Trial::new(build).call(name, arguments);
    assert_eq!(
        (reply.verdict, reply.text.as_str()),
        (verdict, text),
        "{name} {arguments}"
    );
}

/// Everything below `/repo`: each path with its kind, mode and bytes.
pub(crate) fn tree(fake: &Fake) -> Vec<String> {
    let mut rows = Vec::new();
    let mut folders = vec![PathBuf::from("/repo")];
    while let Some(folder) = folders.pop() {
        for item in fake
            .list(&folder, 10_000)
            .map(|(items, _)| items)
            .unwrap_or_default()
        {
            let path = folder.join(&item.name);
            rows.push(row(fake, &path));
            if item.kind == crate::world::Kind::Directory {
                folders.push(path);
            }
        }
    }
    rows.sort();
    rows
}

fn row(fake: &Fake, path: &Path) -> String {
    let shown = path.display().to_string();
    let bytes = fake
        .file(&shown)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    format!("{shown} {:o} {bytes:?}", fake.mode(&shown).unwrap_or(0))
}

/// Cancels the call before every single operation: it must end soon, have one reply, and have done all or nothing
/// in the workspace, and say which.
#[track_caller]
pub(crate) fn check_cancels(build: impl Fn(&Fake), name: &str, arguments: &str) {
    let mut whole = Trial::new(&build);
    let before = tree(&whole.fake);
    whole.call(name, arguments);
    let operations = whole.fake.operations();
    let after = tree(&whole.fake);
    for n in 1..=operations {
        let mut trial = Trial::new(&build);
        let began = Arc::new(std::sync::Mutex::new(None));
        let (cancel, moment) = (trial.cancel.clone(), Arc::clone(&began));
        let act = move |fake: &Fake| {
            *moment.lock().unwrap() = Some(fake.time());
            cancel.set();
        };
        trial.fake.at_operation(n, Action::Run(Box::new(act)));
        let reply = trial.call(name, arguments);
        let now = tree(&trial.fake);
        let expected = if reply.verdict == Verdict::Done {
            &after
        } else {
            &before
        };
        assert_eq!(
            &now, expected,
            "cancelled at {n} of {operations}: {reply:?}"
        );
        assert!(
            matches!(
                reply.verdict,
                Verdict::Done | Verdict::Cancelled | Verdict::Invalid
            ),
            "at {n}: {reply:?}"
        );
        let moment = began.lock().unwrap().take();
        if let Some(moment) = moment {
            assert!(
                trial.fake.time().saturating_sub(moment) <= END_SOON,
                "cancelled at {n}: {reply:?}"
            );
        }
    }
}

/// Has the n-th file operation of every kind fail, for every n: the workspace is as before, or the call was done
/// whole; and where it failed it says so.
#[track_caller]
pub(crate) fn check_faults(build: impl Fn(&Fake), name: &str, arguments: &str) {
    use FileOperation as Op;
    let mut whole = Trial::new(&build);
    let before = tree(&whole.fake);
    whole.call(name, arguments);
    let (operations, after) = (whole.fake.operations(), tree(&whole.fake));
    let mut failed = 0;
    for operation in [
        Op::Stat,
        Op::Read,
        Op::List,
        Op::Resolve,
        Op::Write,
        Op::CreateDir,
        Op::Rename,
        Op::Remove,
    ] {
        for n in 1..=operations {
            let mut trial = Trial::new(&build);
            trial.fake.fail_file(operation, n, ErrorKind::StorageFull);
            let reply = trial.call(name, arguments);
            let is_done = reply.verdict == Verdict::Done;
            failed += usize::from(!is_done);
            // A fault that was not met must not hit our own look.
            (0..n).for_each(|_| drop(trial.fake.list(Path::new("/repo"), 1)));
            let now = tree(&trial.fake);
            assert_eq!(
                &now,
                if is_done { &after } else { &before },
                "{operation:?} {n}: {reply:?}"
            );
            assert!(is_done || !reply.text.is_empty(), "{operation:?} {n}");
        }
    }
    assert!(0 < failed, "no fault was met");
}

/// A process of a made-up machine: its start says its number.
pub(crate) fn process(pid: u32, parent: u32, name: &str) -> Process {
    let (name, command) = (name.to_owned(), format!("{name} --x"));
    let (started_ticks, started, user) = (u64::from(pid) * 10, i64::from(pid), 1);
    Process {
        pid,
        parent,
        name,
        command,
        started_ticks,
        started,
        user,
    }
}
