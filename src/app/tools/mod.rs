//! `ankita tools` and `ankita skills`: what there is, what a query loads, what it all costs, and a call by hand.

mod audit;
mod call;

use std::fmt::Write as _;
use std::io;

use crate::app::pump::Pump;
use crate::app::start::Start;
use crate::app::toolbox::{self, CORE, Shelf, description};
use crate::app::typed::{Lines, Typed};
use crate::app::view::{Format, View};
use crate::app::{fail, plain_view, signalled, view_format, written};
use crate::catalog::{CATEGORIES, MATCHER, TOOLS};
use crate::error::{Error, Kind};
use crate::json::{Object, Value, object};
use crate::skill;
use crate::text;
use crate::tool::Tool;
use crate::tool::find::search;
use crate::world::{InputKind, Signal, World};

pub(crate) use self::audit::audit;
pub(crate) use self::call::call;

/// Every category with its tools, `core` first.
fn families() -> Vec<(&'static str, &'static str, Vec<&'static Tool>)> {
    let of = |id: &str| {
        TOOLS
            .iter()
            .filter(|tool| tool.category == id && !tool.contract.is_internal)
            .collect::<Vec<_>>()
    };
    let core = (CORE, "in every request", of(CORE));
    let rest = CATEGORIES
        .iter()
        .filter(|category| !category.is_planned)
        .map(|category| (category.id, category.summary, of(category.id)));
    std::iter::once(core).chain(rest).collect()
}

/// The listing of `tools list`.
pub(crate) fn list(is_json: bool) -> String {
    if is_json {
        let categories: Vec<Value> = families()
            .into_iter()
            .map(|(id, summary, tools)| {
                let tools: Vec<Value> = tools.iter().map(|tool| summary_of(tool)).collect();
                object! { "id": id, "summary": summary, "tools": tools }
            })
            .collect();
        return format!("{}\n", object! { "categories": categories });
    }
    let mut out = String::new();
    for (id, summary, tools) in families() {
        let note = if id != CORE && toolbox::is_default(id) {
            " (in every request)"
        } else {
            ""
        };
        // Writing to memory cannot fail.
        _ = writeln!(out, "{id}: {summary}{note}");
        for tool in tools {
            _ = writeln!(
                out,
                "  {:<14} {}",
                tool.name,
                first_sentences(tool.contract.doc.trim())
            );
        }
    }
    out
}

/// The first line of `doc`, without half a sentence at its end.
fn first_sentences(doc: &str) -> &str {
    let line = doc.lines().next().unwrap_or_default();
    match line.rfind(". ") {
        Some(end) if !line.ends_with('.') => &line[..=end],
        _ => line,
    }
}

fn summary_of(tool: &Tool) -> Value {
    object! { "name": tool.name, "description": description(tool), "effect": effect_of(tool) }
}

/// The effect of a tool's calls, or that it depends on the call.
fn effect_of(tool: &Tool) -> &'static str {
    tool.contract
        .effect
        .map_or("depends on the call", crate::tool::Effect::name)
}

/// What each of `names`, tools or categories, states.
pub(crate) fn show(names: &[String], is_json: bool) -> Result<String, Error> {
    let mut tools: Vec<&Tool> = Vec::new();
    for name in names {
        let family = families().into_iter().find(|(id, _, _)| id == name);
        match (family, toolbox::tool(name)) {
            (Some((_, _, all)), _) => tools.extend(all),
            (None, Some(tool)) => tools.push(tool),
            (None, None) => return Err(unknown(name)),
        }
    }
    if is_json {
        let shown: Vec<Value> = tools
            .iter()
            .map(|tool| {
                let mut members = summary_of(tool);
                if let Value::Object(members) = &mut members {
                    members.insert("category", tool.category);
                    members.insert("parameters", (tool.contract.schema)());
                    members.insert(
                        "needs",
                        tool.contract
                            .needs
                            .iter()
                            .map(|row| Value::from(row.name))
                            .collect::<Vec<_>>(),
                    );
                    let examples = (tool.contract.examples)();
                    let examples = examples.into_iter().map(
                        |(arguments, query)| object! { "query": query, "arguments": arguments },
                    );
                    members.insert("examples", examples.collect::<Vec<_>>());
                }
                members
            })
            .collect();
        return Ok(format!("{}\n", object! { "tools": shown }));
    }
    Ok(tools
        .iter()
        .copied()
        .map(shown)
        .collect::<Vec<_>>()
        .join("\n"))
}

/// A tool's contract for people.
fn shown(tool: &Tool) -> String {
    let mut out = format!("{} ({})\n{}\n", tool.name, tool.category, description(tool));
    _ = writeln!(out, "effect: {}", effect_of(tool));
    let needs: Vec<&str> = tool.contract.needs.iter().map(|row| row.question).collect();
    _ = writeln!(
        out,
        "may: {}",
        if needs.is_empty() {
            "nothing outside".to_owned()
        } else {
            needs.join(", ")
        }
    );
    let schema = (tool.contract.schema)();
    let required = schema
        .get("required")
        .and_then(Value::as_array)
        .unwrap_or_default();
    for (name, argument) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Object::iter)
    {
        let is_required = required.iter().any(|item| item.as_str() == Some(name));
        let kind = argument
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let doc = argument
            .get("description")
            .and_then(Value::as_str)
            .unwrap_or_default();
        _ = writeln!(
            out,
            "  {name}{} {kind}: {doc}",
            if is_required { "" } else { "?" }
        );
    }
    for (arguments, query) in (tool.contract.examples)() {
        _ = writeln!(out, "  \"{query}\" is {arguments}");
    }
    out
}

pub(crate) fn unknown(name: &str) -> Error {
    let names = TOOLS
        .iter()
        .filter(|tool| !tool.contract.is_internal)
        .map(|tool| tool.name);
    let near = text::nearest(
        name,
        names.chain(CATEGORIES.iter().map(|category| category.id)),
    );
    let hint = near.map_or_else(
        || "see `ankita tools list`".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    Error::new(
        Kind::Usage,
        format!("there is no tool or category `{name}`; {hint}"),
    )
}

/// What one query would load, as a line.
pub(crate) fn matched(query: &str, is_json: bool) -> String {
    let found = search(&MATCHER, query);
    let categories: Vec<&str> = found
        .categories
        .iter()
        .filter_map(|ranked| CATEGORIES.get(ranked.category))
        .map(|category| category.id)
        .collect();
    let tools: Vec<&str> = TOOLS
        .iter()
        .filter(|tool| categories.contains(&tool.category) && !tool.contract.is_internal)
        .map(|tool| tool.name)
        .collect();
    if is_json {
        let values = |names: &[&str]| {
            names
                .iter()
                .map(|name| Value::from(*name))
                .collect::<Vec<_>>()
        };
        return format!(
            "{}\n",
            object! { "query": query, "categories": values(&categories), "tools": values(&tools) }
        );
    }
    if categories.is_empty() {
        return format!("{query}: nothing\n");
    }
    format!(
        "{query}: {} ({})\n",
        categories.join(", "),
        tools.join(", ")
    )
}

/// The listing of `skills list`.
pub(crate) fn skills() -> String {
    Shelf::built_in()
        .0
        .iter()
        .map(|skill| format!("{:<14} {}\n", skill.name, skill.description))
        .collect::<Vec<_>>()
        .concat()
}

/// A skill as the model reads it.
pub(crate) fn show_skill(name: &str) -> Result<String, Error> {
    let shelf = Shelf::built_in();
    let found = skill::find(&shelf.0, name).map_err(|text| Error::new(Kind::Usage, text))?;
    Ok(skill::render(found) + "\n")
}

/// `tools match`: each argument is a query; without any, each line of standard input.
pub(crate) fn match_queries(world: &World, start: &Start, queries: &[String], is_json: bool) -> u8 {
    let mut view = plain_view(world, &start.flags);
    if queries.is_empty() && world.console.input_kind() == InputKind::Terminal {
        let why = "give queries as arguments, or pipe in one a line";
        let format = view_format(start.flags.format);
        return fail(world, format, &Error::new(Kind::Usage, why));
    }
    let shown = if queries.is_empty() {
        match match_lines(world, &mut view, is_json) {
            Ok(Some(signal)) => {
                return fail(world, Format::Text, &signalled(signal));
            }
            matched => matched.map(|_| ()),
        }
    } else {
        queries
            .iter()
            .try_for_each(|query| view.print(&matched(query, is_json)))
    };
    match shown {
        Ok(()) => 0,
        Err(error) => written(world, &error),
    }
}

/// Answers line by line, as lines come, until their end or a signal.
fn match_lines(world: &World, view: &mut View<'_>, is_json: bool) -> io::Result<Option<Signal>> {
    let (mut lines, mut pump) = (Lines::default(), Pump::new(world));
    loop {
        match lines.next(world, &mut pump)? {
            Typed::Line(line) if line.trim().is_empty() => (),
            Typed::Line(line) => view.print(&matched(line.trim(), is_json))?,
            Typed::End => return Ok(None),
            Typed::Signal(signal) => return Ok(Some(signal)),
        }
    }
}
