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
        object! { "query": "what listens on port 8080" } => "find tools for ports",
    ];
}

fn check(args: &Args) -> Vec<String> {
    if args.query.is_none() && args.queries.is_none() && args.load.is_none() {
        vec!["one of `query`, `queries` or `load` is needed".to_owned()]
    } else {
        Vec::new()
    }
}

/// Does all that is asked for: models give two of the three as often as one.
fn run(args: Args, _plan: Plan, _call: &Call, finder: Finder) -> Outcome {
    let queries = args.queries.into_iter().flat_map(|list| list.0);
    let queries: Vec<String> = args
        .query
        .into_iter()
        .chain(queries)
        .map(|query| query.0)
        .collect();
    let load: Vec<String> = args
        .load
        .into_iter()
        .flat_map(|list| list.0)
        .map(|name| name.0)
        .collect();
    Ok(finder.0.find(&queries, &load))
}
