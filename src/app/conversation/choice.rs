//! Who answers: the endpoint that is set or the built-in one, and which of its models.

use std::io;

use crate::app::chat::end::model_error;
use crate::app::conversation::Conversation;
use crate::app::pump::Pump;
use crate::app::serve::Server;
use crate::app::start::Start;
use crate::app::view::Level;
use crate::catalog::TOOLS;
use crate::chat::{self, Endpoint, ListModels, Model, Poll, default_model};
use crate::config::{Address, Destination};
use crate::error::{Error, Kind};
use crate::http::{Client, Proxies, Timeouts};
use crate::wire::Url;
use crate::world::World;

/// The endpoint of a run, and whether it is the built-in one, which `pump` then serves.
pub(super) fn endpoint(
    world: &World,
    start: &Start,
    pump: &mut Pump<'_>,
) -> Result<(Endpoint, bool), Error> {
    let settings = &start.settings.endpoint;
    let timeouts = Timeouts {
        connect: settings.connect_timeout.value,
        head: settings.head_timeout.value,
        idle: settings.idle_timeout.value,
        ..Timeouts::default()
    };
    let address = settings
        .address
        .as_ref()
        .map(|setting| (&setting.value, &setting.origin));
    let Some((Address::Url(text), origin)) = address else {
        return built_in(world, timeouts, pump).map(|endpoint| (endpoint, true));
    };
    let url = Url::parse(text)
        .map_err(|why| Error::new(chat::Kind::Config, format!("{origin}: {why}")))?;
    let host = url.host.to_string();
    let to = Destination {
        host: &host,
        port: url.port,
        is_local: url.is_loopback(),
        has_userinfo: url.userinfo().is_some(),
    };
    let key = start.settings.key_for(to)?;
    let key = key.map(|key| key.reveal().to_owned());
    let headers = settings
        .headers
        .iter()
        .map(|header| (header.name.clone(), header.value.reveal().to_owned()))
        .collect();
    let client = Client::new(timeouts, Proxies::from_env(&world.env));
    let endpoint = Endpoint::new(url, key, headers, settings.retries.value, client);
    Ok((endpoint, false))
}

/// The built-in endpoint, on a loopback socket of our own.
fn built_in(world: &World, timeouts: Timeouts, pump: &mut Pump<'_>) -> Result<Endpoint, Error> {
    let loopback = (std::net::Ipv4Addr::LOCALHOST, 0).into();
    let server = Server::bind(world, loopback, TOOLS).map_err(|why| {
        let text = format!("cannot listen on loopback for the built-in endpoint: {why}");
        Error::new(chat::Kind::Connect, text)
    })?;
    let url = Url::parse(&server.url()).map_err(|why| Error::new(Kind::Bug, why))?;
    pump.host(server);
    let client = Client::new(timeouts, Proxies::none());
    Ok(Endpoint::new(url, None, Vec::new(), 0, client))
}

impl Conversation<'_> {
    /// Says who answers and chooses a model where none is set.
    pub(crate) fn prepare(&mut self) -> io::Result<Result<(), Error>> {
        if self.is_built_in {
            let is_chosen = self.start.settings.endpoint.address.is_some();
            let why = if is_chosen {
                ""
            } else {
                "no endpoint is set: "
            };
            let text = format!("{why}the built-in endpoint answers; it is no language model");
            self.view.notice(Level::Info, "built_in", &text)?;
            self.model = Some(crate::offline::MODEL.to_owned());
        }
        if self.model.is_none() {
            match self.choose_model()? {
                Ok(id) => self.model = Some(id),
                Err(error) => return Ok(Err(error)),
            }
        }
        let endpoint = self.endpoint();
        let directory = self.start.roots.workspace.display().to_string();
        let names = self.prompt.tool_names().to_vec();
        self.view
            .init(self.model.as_deref(), &endpoint, &directory, &names)?;
        Ok(Ok(()))
    }

    /// The endpoint's default model, or its first for chat; said once.
    fn choose_model(&mut self) -> io::Result<Result<String, Error>> {
        let models = match self.list_models()? {
            Ok(models) => models,
            Err(mut error) => {
                // Where nobody answers, or the key is wrong, naming a model helps nobody.
                if error.kind == chat::Kind::Config.into() {
                    error
                        .message
                        .push_str("; `-m` chooses a model without asking for the list");
                }
                return Ok(Err(error));
            }
        };
        let Some(chosen) = default_model(&models) else {
            let why = format!(
                "{} lists no model for chat; choose one with `-m`",
                self.endpoint()
            );
            return Ok(Err(Error::new(chat::Kind::Config, why)));
        };
        let id = chosen.id.clone();
        self.view.notice(
            Level::Info,
            "model",
            &format!("using the model `{id}`; `-m` chooses another"),
        )?;
        Ok(Ok(id))
    }

    /// The endpoint's models.
    pub(crate) fn list_models(&mut self) -> io::Result<Result<Vec<Model>, Error>> {
        let world = self.world;
        let mut list = ListModels::start(&mut self.endpoint, &*world.net, world.clock.now());
        loop {
            let wall = world.clock.wall().unix_seconds;
            match list.advance(&mut self.endpoint, &*world.net, world.clock.now(), wall) {
                Poll::Done(Ok(models)) => return Ok(Ok(models)),
                Poll::Done(Err(fault)) => {
                    let mut error = self.hidden(model_error(&fault));
                    let is_told = matches!(
                        fault.kind,
                        chat::Kind::Auth | chat::Kind::Connect | chat::Kind::Timeout
                    );
                    if !is_told {
                        error.kind = chat::Kind::Config.into();
                    }
                    return Ok(Err(error));
                }
                Poll::Wait => (),
            }
            let mut interests = Vec::new();
            list.interests(&mut interests);
            let until = list.until();
            if let Some(broken) = self.wait(interests, until)? {
                return Ok(Err(self.broken(broken)?));
            }
        }
    }
}
