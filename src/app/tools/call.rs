//! `ankita tools call NAME JSON`: one call, through the same gate as the model's.

use crate::app::round::Round;
use crate::app::start::Start;
use crate::app::toolbox::Toolbox;
use crate::app::view::{Format, View};
use crate::app::{fail, signalled, written};
use crate::error::{Error, Kind};
use crate::text::Paint;
use crate::tool::{Request, Verdict};
use crate::world::{Standard, World};

/// Calls a tool and prints its result; 2 for a call that cannot be, 5 refused, 7 failed.
pub(crate) fn call(world: &World, start: &Start, name: String, arguments: String) -> u8 {
    let request = Request {
        id: "1".to_owned(),
        name,
        arguments,
    };
    let cancel = world.threads.cancel();
    let paint = start.paint(world, Standard::Error);
    let mut view = View::new(world, Format::Text, start.loudness(), paint, cancel.clone());
    for warning in &start.warnings {
        drop(view.notice(crate::app::view::Level::Warning, "config", warning));
    }
    let mut gate = start.gate(world, &Toolbox::default());
    let mut round = Round::new(world, paint);
    let replied = round.run(vec![request], &mut gate, &mut view, &cancel, None);
    let (mut replies, signal) = match replied {
        Ok(replied) => replied,
        Err(error) => return written(&error),
    };
    if let Some(signal) = signal {
        let error = signalled(signal);
        return fail(world, Format::Text, &error.to_string(), error.clone());
    }
    let Some(reply) = replies.pop() else {
        return Kind::Bug.exit_code();
    };
    let kind = match reply.verdict {
        Verdict::Done => {
            let mut plain = View::new(
                world,
                Format::Text,
                start.loudness(),
                Paint::default(),
                cancel,
            );
            return match plain.print(&format!("{}\n", reply.text)) {
                Ok(()) => 0,
                Err(error) => written(&error),
            };
        }
        Verdict::Invalid => Kind::Usage,
        Verdict::Refused => Kind::Consent,
        Verdict::Failed | Verdict::Cancelled => Kind::ToolFailed,
    };
    fail(
        world,
        Format::Text,
        &reply.text,
        Error::new(kind, reply.text.clone()),
    )
}
