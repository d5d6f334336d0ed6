//! `ankita tools call NAME JSON`: one call, through the same gate as the model's.

use crate::app::round::{Handed, Round};
use crate::app::start::Start;
use crate::app::toolbox::{Toolbox, tool};
use crate::app::tools::unknown;
use crate::app::view::{Format, Level, Loudness, View};
use crate::app::{fail, signalled, written};
use crate::error::{Error, Kind};
use crate::tool::{Reply, Request, Verdict};
use crate::world::{Standard, World};

/// Calls a tool and prints its result; 2 for a call that cannot be, 5 refused, 7 failed.
pub(crate) fn call(world: &World, start: &Start, name: String, arguments: String) -> u8 {
    if tool(&name).is_none() {
        return fail(world, Format::Text, &unknown(&name));
    }
    let request = Request {
        id: "1".to_owned(),
        name,
        arguments,
    };
    let cancel = world.threads.cancel();
    let paint = start.paint(world, Standard::Error);
    // What came of it is told below, in full.
    let loudness = start.loudness().min(Loudness::Normal);
    let mut view = View::new(world, Format::Text, loudness, paint, cancel.clone());
    view.leave_calls_untold();
    for warning in &start.warnings {
        drop(view.notice(Level::Warning, "config", warning));
    }
    let secrets = start.settings.secrets();
    let mut handed = Handed {
        gate: &mut start.gate(world, &Toolbox::default()),
        view: &mut view,
        cancel: &cancel,
        secrets: &secrets,
    };
    let ran = Round::new(world, paint).run(vec![request], &mut handed);
    let (mut replies, signal) = match ran {
        Ok(ran) => ran,
        Err(error) => return written(world, &error),
    };
    let Some(reply) = replies.pop() else {
        return Kind::Bug.exit_code();
    };
    if let Some(signal) = signal {
        // What it printed until then is all that there is of it.
        drop(view.line(&reply.text));
        return fail(world, Format::Text, &signalled(signal));
    }
    match ended(&reply) {
        Some(error) => fail(world, Format::Text, &error),
        None => match view.print_line(&reply.text) {
            Ok(()) => 0,
            Err(error) => written(world, &error),
        },
    }
}

/// Why a call brought no result.
fn ended(reply: &Reply) -> Option<Error> {
    let kind = match reply.verdict {
        Verdict::Done => return None,
        Verdict::Invalid => Kind::Usage,
        Verdict::Refused => Kind::Consent,
        Verdict::Failed | Verdict::Cancelled => Kind::ToolFailed,
    };
    Some(Error::new(kind, reply.text.clone()))
}
