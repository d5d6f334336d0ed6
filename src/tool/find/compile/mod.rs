//! The files under `tools/` and `skills/` → checked tables, or everything that is wrong with them.
//!
//! The build script compiles this folder; the program itself only its tests.

mod catalog;
mod check;
mod render;
mod tables;
#[cfg(test)]
mod tests;

use std::fmt;

use super::tables as form;

pub(crate) use self::catalog::{Source, read};
pub(crate) use self::render::render;
pub(crate) use self::tables::Tables;

/// Where the keyword catalog lies.
pub(crate) const CATALOG: &str = "tools/catalog.toml";

/// The folder of the default tools, which is no category.
pub(crate) const CORE: &str = "core";

/// The phrases at the end of the description of `find_tools` have this many bytes at most (150
/// estimated tokens).
pub(crate) const PHRASES_BYTES_MAX: usize = 600;

/// A skill's line in the prompt, `- NAME: DESCRIPTION`, has this many bytes at most.
pub(crate) const SKILL_LINE_BYTES_MAX: usize = 60;

/// What a category's table may hold.
const CATEGORIES_KEYS: &[&str] = &[
    "summary",
    "keywords",
    "phrases",
    "pairs",
    "never",
    "reviewed",
    "always_on",
    "planned",
];

/// What an `[[overlap]]` may hold.
const OVERLAP_KEYS: &[&str] = &["keyword", "wins", "unless"];

/// A file under `tools/`.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// From the root of the project, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// A `skills/<folder>/SKILL.md`, its front matter read.
#[derive(Clone, Debug, Default)]
pub(crate) struct SkillFile {
    pub(crate) path: String,
    pub(crate) folder: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) suggested_tools: Vec<String>,
    pub(crate) body_chars: usize,
    /// A body may have this many characters.
    pub(crate) body_chars_max: usize,
    /// Line and what is wrong there.
    pub(crate) faults: Vec<(usize, String)>,
}

/// Something to repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) path: String,
    /// From 1.
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}

/// A tool that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolFile {
    pub(crate) name: String,
    pub(crate) category: String,
    pub(crate) path: String,
}

/// Everything that `catalog.rs` is made of.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) source: Source,
    /// `core` first, then category by category as the catalog has them; in each by file name.
    pub(crate) tools: Vec<ToolFile>,
    /// Name and path, by name.
    pub(crate) skills: Vec<(String, String)>,
    pub(crate) tables: Tables,
    /// A phrase for each deferred category, for the description of `find_tools`.
    pub(crate) phrases: String,
}

/// Checks and compiles the files under `tools/` (the catalog among them) and the skills. All
/// problems at once, in the order of their files.
pub(crate) fn compile(files: &[File], skills: &[SkillFile]) -> Result<Compiled, Vec<Problem>> {
    let mut problems = Vec::new();
    let text = files
        .iter()
        .find(|file| file.path == CATALOG)
        .map(|file| file.text.as_str());
    let source = match text.map(read) {
        Some(Ok((source, faults))) => {
            problems.extend(faults);
            source
        }
        Some(Err(fault)) => {
            problems.push(fault);
            Source::default()
        }
        None => {
            problems.push(at(CATALOG, 1, "the catalog is missing".to_owned()));
            Source::default()
        }
    };
    // Without a catalog, every tool would be without a category: one problem is enough.
    let mut tools = check::tools(files, &source, !source.categories.is_empty(), &mut problems);
    check::folders(&source, &tools, &mut problems);
    check::words(&source, &mut problems);
    check::overlaps(&source, &mut problems);
    let phrases = check::phrases(&source, &mut problems);
    check::skills(skills, &tools, &mut problems);
    let place = |category: &str| source.place(category).map_or(0, |at| at + 1);
    tools.sort_by_cached_key(|tool| (place(&tool.category), tool.name.clone()));
    problems.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    if !problems.is_empty() {
        return Err(problems);
    }
    let tables = Tables::build(&source, &tools).map_err(|message| vec![at(CATALOG, 1, message)])?;
    let mut skills: Vec<_> = skills
        .iter()
        .map(|skill| (skill.name.clone(), skill.path.clone()))
        .collect();
    skills.sort();
    Ok(Compiled {
        source,
        tools,
        skills,
        tables,
        phrases,
    })
}

fn at(path: &str, line: usize, message: String) -> Problem {
    Problem {
        path: path.to_owned(),
        line,
        message,
    }
}
