//! The compiled catalog against queries: examples of the design, and the labelled development set.

use std::sync::OnceLock;

use super::compile::{CATALOG, Compiled, File, compile};
use super::*;

/// The tools of the first issue.
const TOOLS: &[&str] = &[
    "core/edit_file",
    "core/find_tools",
    "core/list_dir",
    "core/read_file",
    "core/run_command",
    "core/write_file",
    "filesystem/create_dir",
    "filesystem/delete_file",
    "filesystem/move_file",
    "git/git",
    "process/kill_process",
    "process/port_status",
    "skills/skill",
];

fn compiled() -> &'static Compiled {
    static COMPILED: OnceLock<Compiled> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let mut files: Vec<File> = TOOLS
            .iter()
            .map(|tool| File {
                path: format!("tools/{tool}.rs"),
                text: "tool! {\n}\n".to_owned(),
            })
            .collect();
        files.push(File {
            path: CATALOG.to_owned(),
            text: include_str!("../../../tools/catalog.toml").to_owned(),
        });
        compile(&files, &[]).unwrap_or_else(|problems| {
            let lines: Vec<_> = problems.iter().map(ToString::to_string).collect();
            panic!("{}", lines.join("\n"))
        })
    })
}

fn found(query: &str) -> Vec<&'static str> {
    let compiled = compiled();
    let matcher = compiled.tables.matcher();
    let search = search(&matcher, query);
    search
        .categories
        .iter()
        .map(|row| compiled.source.categories[row.category].id.as_str())
        .collect()
}

#[test]
fn dev_set() {
    let mut rows = 0;
    let mut wrong = Vec::new();
    let (mut exact, mut recall, mut with_gold, mut loaded, mut allowed, mut none, mut none_wrong) =
        (0, 0, 0, 0, 0, 0, 0);
    for line in include_str!("../../../tests/data/find_tools_dev.jsonl").lines() {
        let field = |name: &str| -> String {
            let from = line.find(&format!("\"{name}\": ")).unwrap() + name.len() + 4;
            line[from..].to_owned()
        };
        let query = field("query");
        let query: String = query[1..]
            .split("\", \"gold\"")
            .next()
            .unwrap()
            .replace("\\\"", "\"");
        let list = |name: &str| -> Vec<String> {
            let text = field(name);
            let end = text.find(']').unwrap();
            text[1..end]
                .split(", ")
                .filter(|s| !s.is_empty())
                .map(|s| s.trim_matches('"').to_owned())
                .collect()
        };
        let ours = |ids: Vec<String>| -> Vec<String> {
            ids.into_iter()
                .filter(|id| compiled().source.place(id).is_some())
                .collect()
        };
        let gold = ours(list("gold"));
        let also = ours(list("also_ok"));
        let got = found(&query);
        rows += 1;
        let all = gold.iter().all(|g| got.contains(&g.as_str()));
        let extra = got
            .iter()
            .filter(|g| !gold.iter().chain(&also).any(|x| x == *g))
            .count();
        loaded += got.len();
        allowed += got.len() - extra;
        if gold.is_empty() {
            none += 1;
            none_wrong += usize::from(extra > 0);
        } else {
            with_gold += 1;
            recall += usize::from(all);
        }
        if all && extra == 0 {
            exact += 1;
        } else {
            wrong.push(format!("{query}\n    wanted {gold:?} got {got:?}"));
        }
    }
    println!(
        "rows {rows} exact {exact} recall {recall}/{with_gold} precision {allowed}/{loaded} wrong on none {none_wrong}/{none}"
    );
    for row in wrong {
        println!("{row}");
    }
}

#[test]
fn probe() {
    for line in std::fs::read_to_string(std::env::var("PROBE").unwrap_or_default())
        .unwrap_or_default()
        .lines()
    {
        let (gold, query) = line.split_once(": ").unwrap();
        let gold: Vec<&str> = gold.split(',').filter(|g| *g != "-").collect();
        let mut got = found(query);
        got.sort_unstable();
        if gold != got {
            println!("{query}\n     wanted {gold:?} got {got:?}");
        }
    }
}
