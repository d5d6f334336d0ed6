//! What a tool states about itself: one `tool!` block gives its schema, its checks and its types.

use std::io;
use std::path::{Path, PathBuf};

use crate::json::Value;
use crate::tool::place::Target;
use crate::tool::{Call, Effect, Permit, Supply};

/// A tool of the built-in catalog. Its name is its file's and its category its folder's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) category: &'static str,
    pub(crate) contract: &'static Contract,
}

/// What one `tool!` block expands to.
#[derive(Debug)]
pub(crate) struct Contract {
    /// What the tool does, for the model.
    pub(crate) doc: &'static str,
    /// In no category that a model or another program sees.
    pub(crate) is_internal: bool,
    /// The effect of every call, or `None` where the plan of a call says it.
    pub(crate) effect: Option<Effect>,
    /// What a rule's pattern is matched against.
    pub(crate) subject: SubjectKind,
    /// The ports that its calls are handed: names and what they let a call do.
    pub(crate) needs: &'static [super::needs::Row],
    /// The arguments, as JSON Schema.
    pub(crate) schema: fn() -> Value,
    /// Turns arguments into a call that cannot be malformed, or says all that is wrong with them.
    pub(crate) bind: fn(&Value) -> Result<Box<dyn Bound>, Vec<String>>,
    /// Arguments, and a request in plain language that they answer.
    pub(crate) examples: fn() -> Vec<(Value, &'static str)>,
}

/// Arguments that fit the contract, ready to be planned and, with a permit, run.
pub(crate) trait Bound: Send {
    /// What the call would do. Changes nothing.
    fn plan(&self, look: &Supply) -> Result<Plan, Failure>;
    /// Does it.
    fn run(self: Box<Self>, permit: Permit, plan: Plan, call: &Call, supply: &Supply) -> Outcome;
}

/// What rules of a tool are matched against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SubjectKind {
    Command,
    Nothing,
    Path,
    Words,
}

/// What a rule's pattern is matched against, for one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A shell command.
    Command(String),
    Nothing,
    /// Every path that the call reads or changes. The gate also looks where they lie.
    Paths(Vec<Target>),
    /// An action and its object, such as `status` or `port 8080`.
    Words(Vec<String>),
}

/// What a call would do.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) effect: Effect,
    pub(crate) subject: Subject,
    /// What the question shows: a diff, victims, a command with all that goes with it.
    pub(crate) shown: String,
    /// What must still be true when it runs.
    pub(crate) binding: Binding,
}

impl Plan {
    /// A plan that needs nothing shown and nothing bound.
    pub(crate) fn of(effect: Effect, subject: Subject) -> Self {
        Self {
            effect,
            subject,
            shown: String::new(),
            binding: Binding::default(),
        }
    }
}

/// What a plan saw and relies on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Binding {
    pub(crate) files: Vec<(PathBuf, Option<Fingerprint>)>,
    /// Process ids, each with when it started, in ticks.
    pub(crate) processes: Vec<(u32, u64)>,
    /// A hash of what only the tool itself can look at again, when it runs; 0 if there is nothing.
    pub(crate) seen: u64,
}

/// A file as it was: which one, its mode, and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    pub(crate) identity: crate::world::Identity,
    pub(crate) mode: u32,
    pub(crate) bytes: u64,
    pub(crate) modified: i64,
    /// A hash of the bytes, or 0 where they were not read.
    pub(crate) hash: u64,
}

/// What a call hands back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    /// For the model.
    pub(crate) text: String,
    /// Names of tools that the conversation may use from now on.
    pub(crate) offers: Vec<String>,
    /// Whether a search found nothing.
    pub(crate) is_miss: bool,
    /// Files changed, with what they were.
    pub(crate) changes: Vec<Change>,
}

/// A file that a call changed, and its former bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    /// `None` if it did not exist.
    pub(crate) former: Option<Vec<u8>>,
}

impl From<String> for Output {
    fn from(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }
}

/// A result for the model, or words for the model on why there is none.
pub(crate) type Outcome = Result<Output, Failure>;

/// Why a call failed, for the model to read and act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure(pub(crate) String);

/// How the text of a cancelled call begins.
const CANCELLED: &str = "cancelled";

impl Failure {
    /// A failure in words.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The call was cancelled before it came to an end.
    pub(crate) fn cancelled() -> Self {
        Self(CANCELLED.to_owned())
    }

    pub(crate) fn is_cancel(&self) -> bool {
        self.0.starts_with(CANCELLED)
    }

    /// What was being done, and the system's reason.
    pub(crate) fn io(doing: &str, error: &io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "it does not exist".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            io::ErrorKind::AlreadyExists => "it exists already".to_owned(),
            io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
            io::ErrorKind::NotADirectory => "a part of the path is not a directory".to_owned(),
            io::ErrorKind::StorageFull => "the disk is full".to_owned(),
            _ => error.to_string(),
        };
        Self(format!("{doing}: {reason}"))
    }

    /// The same for a file.
    pub(crate) fn file(verb: &str, path: &Path, error: &io::Error) -> Self {
        Self::io(&format!("cannot {verb} `{}`", path.display()), error)
    }
}

/// States a tool's contract: its description, effect, subject, needs and arguments.
///
/// The file must also have `fn run(args: Args, plan: Plan, call: &Call, …) -> Outcome` with one parameter a need,
/// and with `effect: plan` a `fn plan(args: &Args, look: &Supply) -> Result<Plan, Failure>`.
macro_rules! tool {
    (
        $(#[doc = $doc:literal])+
        $(internal: $internal:literal;)?
        effect: $effect:ident;
        subject: $kind:ident $(=> $subject:expr)?;
        $(check: $check:expr;)?
        needs: [$($Need:ident),* $(,)?];
        struct Args { $( $(#[doc = $field_doc:literal])+ $field:ident : $Type:ty ),* $(,)? }
        examples: [ $( $json:expr => $query:literal ),+ $(,)? ];
    ) => {
        #[derive(Clone, Debug)]
        struct Args { $( $(#[doc = $field_doc])+ $field: $Type ),* }

        impl $crate::tool::Bound for Args {
            fn plan(&self, look: &$crate::tool::Supply) -> Result<$crate::tool::Plan, $crate::tool::Failure> {
                $crate::tool::prelude::tool!(@plan self, look, $effect, $kind $(, $subject)?)
            }
            fn run(
                self: Box<Self>,
                _permit: $crate::tool::Permit,
                plan: $crate::tool::Plan,
                call: &$crate::tool::Call,
                _supply: &$crate::tool::Supply,
            ) -> $crate::tool::Outcome {
                run(*self, plan, call $(, <$Need as $crate::tool::Need>::grant(_supply))*)
            }
        }

        pub(crate) static CONTRACT: $crate::tool::Contract = $crate::tool::Contract {
            doc: concat!($($doc, "\n"),+),
            is_internal: false $(|| $internal)?,
            effect: $crate::tool::prelude::tool!(@effect $effect),
            subject: $crate::tool::SubjectKind::$kind,
            needs: &[$(<$Need as $crate::tool::Need>::ROW),*],
            schema: || $crate::json::Value::Object($crate::tool::members(vec![$(
                $crate::tool::Member::new::<$Type>(stringify!($field), concat!($($field_doc),+))
            ),*])),
            bind: |value| {
                let mut faults = Vec::new();
                let args = 'read: {
                    let Some(mut fields) = $crate::tool::Fields::new(value, "", &mut faults) else { break 'read None };
                    $( let $field = fields.take::<$Type>(stringify!($field)); )*
                    fields.finish();
                    if !faults.is_empty() { break 'read None }
                    $( let Some($field) = $field else { break 'read None }; )*
                    Some(Args { $( $field ),* })
                };
                let Some(args) = args else { return Err(faults) };
                $( let check: fn(&Args) -> Vec<String> = $check;
                   let more = check(&args);
                   if !more.is_empty() { return Err(more) } )?
                Ok(Box::new(args))
            },
            examples: || vec![$( ($json, $query) ),+],
        };
    };
    (@effect plan) => { None };
    (@effect $effect:ident) => { Some($crate::tool::Effect::$effect) };
    (@plan $args:expr, $look:expr, plan, $kind:ident) => { plan($args, $look) };
    (@plan $args:expr, $look:expr, $effect:ident, Nothing) => {{
        _ = $look;
        Ok($crate::tool::Plan::of($crate::tool::Effect::$effect, $crate::tool::Subject::Nothing))
    }};
    (@plan $args:expr, $look:expr, $effect:ident, Path, $subject:expr) => {{
        let subject: fn(&Args) -> &str = $subject;
        let target = $look.roots.target(&*$look.files, subject($args))?;
        Ok($crate::tool::Plan::of($crate::tool::Effect::$effect, $crate::tool::Subject::Paths(vec![target])))
    }};
    (@plan $args:expr, $look:expr, $effect:ident, Words, $subject:expr) => {{
        _ = $look;
        let subject: fn(&Args) -> Vec<String> = $subject;
        Ok($crate::tool::Plan::of($crate::tool::Effect::$effect, $crate::tool::Subject::Words(subject($args))))
    }};
}
pub(crate) use tool;
