//! The one place where the driver waits; the built-in endpoint is served in passing.

use crate::app::serve::Server;
use crate::world::{Event, Interest, Moment, World};

/// Waiting, for a run that may serve its own endpoint.
pub(crate) struct Pump<'w> {
    world: &'w World,
    server: Option<Server>,
}

impl<'w> Pump<'w> {
    pub(crate) fn new(world: &'w World) -> Self {
        Self {
            world,
            server: None,
        }
    }

    /// Serves `server` from now on, whenever something is waited for.
    pub(crate) fn host(&mut self, server: Server) {
        self.server = Some(server);
    }

    /// Waits for one of `interests`, for `until`, a signal or the end of a call.
    pub(crate) fn wait(&mut self, interests: &[Interest], until: Option<Moment>) -> Event {
        loop {
            let Some(server) = &mut self.server else {
                return self.world.threads.wait(interests, until);
            };
            server.advance(self.world);
            let mut all = interests.to_vec();
            all.extend(server.interests());
            match self.world.threads.wait(&all, until) {
                Event::Ready(source) if server.owns(source) => (),
                event => return event,
            }
        }
    }
}
