//! Effects: what a call does to the world, and who has to agree.

/// What a call does, decided for each call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// Reads this machine, inside the workspace.
    Read,
    /// Changes only Ankita's own records, and can be undone.
    Own,
    /// Reads from the network without anybody's credentials.
    Reach,
    /// Changes something.
    Change,
    /// Spends money or uses a person's credentials.
    Spend,
    /// Cannot be undone.
    Destroy,
}

impl Effect {
    pub(crate) const ALL: [Self; 6] = [
        Self::Read,
        Self::Own,
        Self::Reach,
        Self::Change,
        Self::Spend,
        Self::Destroy,
    ];

    /// The word shown to people and models.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Own => "own",
            Self::Reach => "reach",
            Self::Change => "change",
            Self::Spend => "spend",
            Self::Destroy => "destroy",
        }
    }
}

/// What the run allows without asking, and whether somebody can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stance {
    pub(crate) mode: Mode,
    /// False in a headless run.
    pub(crate) can_ask: bool,
}

/// The mode of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    AllowAll,
    Ask,
    ReadOnly,
}

/// What becomes of a call that no deny rule covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Run,
    /// A person is asked, unless an allow rule covers the call.
    Ask,
    /// A person is asked, unless a rule names exactly this call.
    AskUnlessExact,
    /// Only an allow rule that covers the call lets it run.
    NeedsRule,
    /// Only a rule that names exactly this call lets it run.
    NeedsExactRule,
    Refuse,
}

/// The table of consent: effect by effect, for each mode, with and without a person to ask.
pub(crate) fn decide(effect: Effect, stance: Stance) -> Decision {
    let (ask, ask_exact) = if stance.can_ask {
        (Decision::Ask, Decision::AskUnlessExact)
    } else {
        (Decision::NeedsRule, Decision::NeedsExactRule)
    };
    match (effect, stance.mode) {
        (Effect::Read | Effect::Own, _)
        | (Effect::Reach | Effect::Change | Effect::Spend, Mode::AllowAll) => Decision::Run,
        (Effect::Reach, Mode::Ask | Mode::ReadOnly)
        | (Effect::Change | Effect::Spend, Mode::Ask) => ask,
        (Effect::Change | Effect::Spend | Effect::Destroy, Mode::ReadOnly) => Decision::Refuse,
        (Effect::Destroy, Mode::Ask | Mode::AllowAll) => ask_exact,
    }
}
