//! Searches the tools that are not in the default set and loads what matches.

use crate::tool::prelude::*;

tool! {
    /// Load extra tools. Call it first when a task needs one of:
    effect: Read;
    subject: Nothing;
    check: |args| check(args);
    needs: [Finder];
    struct Args {
        /// What you need to do, in plain words.
        query: Option<Text<2_000>>,
        /// Several needs at once.
        queries: Option<List<Text<2_000>, 8>>,
        /// Names of tools or categories to load.
        load: Option<List<Text<100>, 16>>,
    }
    examples: [
        object! { "query": "ports" } => "find tools for ports",
        object! { "query": "stop a server" } => "find tools to stop a server",
        object! { "query": "git history" } => "find a tool for git history",
        object! { "query": "move a file" } => "find a tool to move a file",
        object! { "query": "git" } => "search tools for git",
    ];
}

fn check(args: &Args) -> Vec<String> {
    let given = usize::from(args.query.is_some())
        + usize::from(args.queries.is_some())
        + usize::from(args.load.is_some());
    match given {
        0 => vec!["one of `query`, `queries` or `load` is needed".to_owned()],
        1 => Vec::new(),
        _ => vec!["give only one of `query`, `queries` and `load`".to_owned()],
    }
}

fn run(args: Args, _plan: Plan, _call: &Call, finder: Finder) -> Outcome {
    let names =
        |list: List<Text<100>, 16>| list.0.into_iter().map(|name| name.0).collect::<Vec<_>>();
    if let Some(load) = args.load {
        return Ok(finder.0.load(&names(load)));
    }
    let mut queries: Vec<String> = args.query.into_iter().map(|query| query.0).collect();
    queries.extend(
        args.queries
            .into_iter()
            .flat_map(|list| list.0)
            .map(|query| query.0),
    );
    Ok(finder.0.search(&queries))
}
