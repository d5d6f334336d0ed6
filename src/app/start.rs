//! From the command line and the environment to what a run works with: settings, folders, the clock, the rules.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::app::toolbox::{Shelf, Toolbox, tool};
use crate::app::view::Loudness;
use crate::calendar::{Time, parse_rfc3339};
use crate::catalog::TOOLS;
use crate::chat;
use crate::cli::{Flags, Format, When};
use crate::config::{self, ConfigError, Settings};
use crate::error::{Error, Kind};
use crate::text::Paint;
use crate::tool::{Gate, Mode, Roots, Rule, Rules, Stance, Supply};
use crate::world::{Clock, Kind as FileKind, Moment, Standard, Wall, World};

/// What a run works with.
pub(crate) struct Start {
    pub(crate) flags: Flags,
    pub(crate) settings: Settings,
    pub(crate) warnings: Vec<String>,
    pub(crate) roots: Arc<Roots>,
    pub(crate) rules: Rules,
}

/// A clock whose calendar stands still at `ANKITA_NOW`.
struct Stopped {
    clock: Arc<dyn Clock>,
    wall: Wall,
}

impl Clock for Stopped {
    fn now(&self) -> Moment {
        self.clock.now()
    }
    fn wall(&self) -> Wall {
        self.wall
    }
}

/// Sets the calendar by `ANKITA_NOW`, if there is one.
pub(crate) fn set_clock(world: &mut World) -> Result<(), Error> {
    let Some(text) = config::now(&world.env) else {
        return Ok(());
    };
    let stamp = parse_rfc3339(text).map_err(|why| {
        ConfigError::variable(
            "ANKITA_NOW",
            &format!("is no RFC 3339 time with an offset: {why}"),
        )
    })?;
    world.clock = Arc::new(Stopped {
        clock: Arc::clone(&world.clock),
        wall: Wall {
            unix_seconds: stamp.unix_seconds,
            nanos: stamp.nanos,
            offset_seconds: stamp.offset_seconds,
        },
    });
    Ok(())
}

impl Start {
    /// Reads the settings and resolves the folders.
    pub(crate) fn new(world: &World, flags: Flags) -> Result<Self, Error> {
        let file = settings_file(world)?;
        let file = file
            .as_ref()
            .map(|(path, text)| (path.as_str(), text.as_str()));
        let (settings, warnings) = config::load(&flags, &world.env, file)?;
        let roots = roots(world, &flags)?;
        let mut warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        let rules = rules(&settings, &mut warnings)?;
        Ok(Self {
            flags,
            settings,
            warnings,
            roots: Arc::new(roots),
            rules,
        })
    }

    /// Whether a person can be asked: never in a headless run.
    pub(crate) fn can_ask(&self, world: &World) -> bool {
        world.console.is_terminal(Standard::Input)
            && world.console.is_terminal(Standard::Error)
            && self.flags.format == Format::Text
            && !self.flags.headless
    }

    /// The ports that calls are handed.
    pub(crate) fn supply(&self, world: &World, toolbox: &Toolbox) -> Supply {
        Supply {
            files: Arc::clone(&world.files),
            roots: Arc::clone(&self.roots),
            processes: Arc::clone(&world.processes),
            threads: Arc::clone(&world.threads),
            clock: Arc::clone(&world.clock),
            finder: Arc::new(toolbox.clone()),
            shelf: Arc::new(Shelf::built_in()),
        }
    }

    /// The gate of this run.
    pub(crate) fn gate(&self, world: &World, toolbox: &Toolbox) -> Gate {
        let mode = match (self.flags.read_only, self.flags.allow_all) {
            (true, _) => Mode::ReadOnly,
            (false, true) => Mode::AllowAll,
            (false, false) => Mode::Ask,
        };
        let stance = Stance {
            mode,
            can_ask: self.can_ask(world),
        };
        Gate::new(
            TOOLS,
            self.rules.clone(),
            stance,
            self.settings.secrets(),
            self.supply(world, toolbox),
        )
    }

    /// How loud standard error is.
    pub(crate) fn loudness(&self) -> Loudness {
        match (self.flags.quiet, self.flags.verbose) {
            (true, _) => Loudness::Quiet,
            (false, true) => Loudness::Verbose,
            (false, false) => Loudness::Normal,
        }
    }

    /// Whether a stream gets colours.
    pub(crate) fn paint(&self, world: &World, stream: Standard) -> Paint {
        let is_terminal = world.console.is_terminal(stream) && world.var("TERM") != Some("dumb");
        let is_on = match self.settings.color.value {
            When::Always => true,
            When::Never => false,
            When::Auto => is_terminal,
        };
        Paint {
            is_on: is_on && !self.flags.plain && self.flags.format == Format::Text,
        }
    }

    /// Today, as the system prompt says it.
    pub(crate) fn date(world: &World) -> String {
        let wall = world.clock.wall();
        let time = Time::from_seconds(wall.unix_seconds + i64::from(wall.offset_seconds));
        time.map_or_else(String::new, |time| {
            format!(
                "{:04}-{:02}-{:02}",
                time.date.year(),
                time.date.month(),
                time.date.day()
            )
        })
    }
}

/// The user's configuration file, if there is one.
fn settings_file(world: &World) -> Result<Option<(String, String)>, Error> {
    let Some(path) = config::file_path(&world.env) else {
        return Ok(None);
    };
    let path = world.directory.join(path);
    let shown = path.display().to_string();
    match world.files.read(&path, config::FILE_BYTES_MAX as u64 + 1) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some((shown, text))),
            Err(_) => Err(Error::new(
                chat::Kind::Config,
                format!("{shown} is not UTF-8"),
            )),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::new(
            chat::Kind::Config,
            format!("cannot read {shown}: {error}"),
        )),
    }
}

/// The workspace and the folders added to it.
fn roots(world: &World, flags: &Flags) -> Result<Roots, Error> {
    let folder = |flag: &str, path: &Path| -> Result<PathBuf, Error> {
        let fail =
            |why: String| Error::new(Kind::Usage, format!("`{flag} {}`: {why}", path.display()));
        let resolved =
            world
                .files
                .resolve(&world.directory.join(path))
                .map_err(|error| match error.kind() {
                    io::ErrorKind::NotFound => fail("there is no such folder".to_owned()),
                    _ => fail(error.to_string()),
                })?;
        let stat = world
            .files
            .stat(&resolved, true)
            .map_err(|error| fail(error.to_string()))?;
        if stat.kind == FileKind::Directory {
            Ok(resolved)
        } else {
            Err(fail("it is not a folder".to_owned()))
        }
    };
    let workspace = match &flags.directory {
        Some(path) => folder("-C", path)?,
        None => world
            .files
            .resolve(&world.directory)
            .unwrap_or_else(|_| world.directory.clone()),
    };
    Ok(Roots {
        workspace,
        added: flags
            .add_dirs
            .iter()
            .map(|path| folder("--add-dir", path))
            .collect::<Result<_, _>>()?,
        home: world
            .var("HOME")
            .map(PathBuf::from)
            .filter(|home| home.is_absolute()),
    })
}

/// The rules of flags and settings. A flag that cannot be right is an error; a setting is a notice and covers nothing.
fn rules(settings: &Settings, warnings: &mut Vec<String>) -> Result<Rules, Error> {
    let kind_of = |name: &str| tool(name).map(|tool| tool.contract.subject);
    let mut read = |list: &[config::Setting<String>]| -> Result<Vec<Rule>, Error> {
        let mut rules = Vec::new();
        for setting in list {
            match (Rule::parse(&setting.value, &kind_of), &setting.origin) {
                (Ok(rule), _) => rules.push(rule),
                (Err(why), config::Origin::Flag(flag)) => {
                    return Err(Error::new(Kind::Usage, format!("`{flag}`: {why}")));
                }
                (Err(why), origin) => warnings.push(format!("{origin}: {why}; it covers nothing")),
            }
        }
        Ok(rules)
    };
    Ok(Rules {
        deny: read(&settings.deny)?,
        allow: read(&settings.allow)?,
    })
}
