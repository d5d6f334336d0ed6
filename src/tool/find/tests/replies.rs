//! What `find_tools` says, and what drift prints.

use super::*;

/// The catalog's tools as the program would offer them.
fn entries() -> Vec<Entry<'static>> {
    let row = |tool: &'static str| {
        let (category, name) = tool.split_once('/').unwrap();
        let doc = if name == "git" {
            "Look into a repository.\nMore."
        } else {
            "Does it."
        };
        Entry {
            name,
            category,
            doc,
        }
    };
    TOOLS.iter().map(|tool| row(tool)).collect()
}

/// Core and always-on tools.
const DEFAULT: &[&str] = &[
    "edit_file",
    "find_tools",
    "list_dir",
    "read_file",
    "run_command",
    "write_file",
    "skill",
];

fn ask(sent: &[&str], misses: usize, queries: &[&str], load: &[&str]) -> Answer {
    let categories: Vec<Category> = compiled()
        .source
        .categories
        .iter()
        .map(|row| Category {
            id: &row.id,
            summary: &row.summary,
            is_always_on: row.is_always_on,
            is_planned: row.id == "filesystem", // To see that it is never mentioned.
        })
        .collect();
    let entries: Vec<Entry> = entries()
        .into_iter()
        .filter(|entry| entry.category != "filesystem")
        .collect();
    let matcher = compiled().tables.matcher();
    let directory = Directory {
        matcher: &matcher,
        categories: &categories,
        entries: &entries,
    };
    let sent: Vec<&str> = DEFAULT.iter().chain(sent).copied().collect();
    answer(
        &directory,
        &Session {
            sent: &sent,
            misses,
        },
        &Request { queries, load },
    )
}

#[test]
fn a_hit_loads_once_and_says_what_is_callable() {
    let first = ask(&[], 0, &["commit my changes"], &[]);
    assert_eq!(
        first.text,
        "Loaded git. Now callable:\n- git: Look into a repository."
    );
    assert_eq!(
        (first.load.as_slice(), first.is_miss),
        (["git".to_owned()].as_slice(), false)
    );
    let again = ask(&["git"], 0, &["git stash"], &[]);
    assert_eq!(again.text, "Already loaded, call directly: git");
    assert_eq!((again.load.len(), again.is_miss), (0, false));
    let both = ask(&["git"], 0, &["git log", "free port 8080", "zzz"], &[]);
    assert_eq!(both.load, ["kill_process", "port_status"]);
    assert_eq!(
        both.text,
        "Loaded process. Now callable:\n- kill_process: Does it.\n- port_status: Does it.\n\
         Already loaded, call directly: git\nNothing matched `zzz`"
    );
    assert_eq!(
        ask(&[], 0, &["read_file"], &[]).text,
        "Already loaded, call directly: read_file"
    );
    assert_eq!(
        ask(&[], 0, &["list my skills"], &[]).text,
        "Already loaded, call directly: skill"
    );
}

#[test]
fn names_load_tools_or_whole_categories() {
    let one = ask(&[], 0, &[], &["Port-Status"]);
    assert_eq!(one.load, ["port_status"]);
    assert_eq!(
        one.text,
        "Loaded port_status. Now callable:\n- port_status: Does it."
    );
    let whole = ask(&["port_status"], 0, &[], &["process"]);
    assert_eq!(whole.load, ["kill_process"]);
    let wrong = ask(
        &[],
        0,
        &[],
        &["kill_proces", "git_log", "qqq", "create_dir"],
    );
    assert!(wrong.is_miss && wrong.load.is_empty());
    let head = "Unknown: `kill_proces` (is `kill_process` meant?); `git_log` (the category `git` may have it); \
                `qqq`; `create_dir`\nCategories:\n- git: ";
    assert!(wrong.text.starts_with(head), "{}", wrong.text);
    let mixed = ask(&[], 0, &[], &["git", "qqq"]);
    assert_eq!((mixed.load.len(), mixed.is_miss), (1, false));
    assert!(mixed.text.ends_with("\nUnknown: `qqq`"), "{}", mixed.text);
}

#[test]
fn misses_are_told_apart_and_load_nothing() {
    let list = "Categories:\n- git: look into a repository: status, diff, log, show, blame\n\
                - process: see which process listens on a port, stop a process\n\
                - skills: procedures to follow, loaded by name (always loaded)";
    let first = ask(&[], 0, &["zzz completely unrelated"], &[]);
    let expected = format!(
        "Nothing was loaded: no category matches; these words matched nothing: `zzz`, `completely`, `unrelated`.\n\
         {list}\nIf one fits, load it by its name, or search once more in other words."
    );
    assert_eq!(
        first,
        Answer {
            text: expected,
            load: Vec::new(),
            is_miss: true
        }
    );
    // A category that is only planned is never mentioned.
    let planned = ask(&[], 0, &["create a folder"], &[]);
    assert!(
        planned.is_miss && !planned.text.contains("filesystem"),
        "{}",
        planned.text
    );
    let second = ask(&[], 1, &["still zzz"], &[]);
    assert!(second.is_miss && second.load.is_empty());
    assert!(
        second
            .text
            .contains("pointless unless one of these categories fits: git, process, skills."),
        "{}",
        second.text
    );
    for nothing in [&[][..], &["", " "][..]] {
        let empty = ask(&[], 0, nothing, &[]);
        assert_eq!(
            empty.text,
            format!("Nothing was loaded: say in `query` what is to be done.\n{list}")
        );
    }
}

#[test]
fn drift_lists_what_nobody_claimed_or_reviewed() {
    let claims = [
        Claim {
            category: "process",
            claimed: &["kill | process port", "stop a process"],
            reviewed: &["signal"],
        },
        Claim {
            category: "git",
            claimed: &["git"],
            reviewed: &[],
        },
    ];
    let words = |texts| Words {
        tool: "kill_process",
        category: "process",
        texts,
    };
    let clean = words(&[
        "Stops a process that listens... on a port",
        "pid",
        "signals: 3",
    ]);
    assert_eq!(
        drift(
            &claims,
            &[
                clean,
                Words {
                    tool: "read_file",
                    category: "core",
                    texts: &["anything here"]
                }
            ]
        ),
        "--- tools/catalog.toml\n+++ tools/catalog.toml\n@@ [process] @@\n\
         +    \"listens\", # kill_process: Stops a process that listens... on a port\n\
         +    \"pid\", # kill_process: pid\n\
         Each word stands in a tool's contract: put it where it belongs (`keywords`, `phrases`, \
         `pairs`), or into `reviewed` of its category.\n"
    );
    assert_eq!(
        drift(
            &claims,
            &[words(&["the processes, killed and stopped", "with it"])]
        ),
        ""
    );
}
