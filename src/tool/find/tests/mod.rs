//! The compiled catalog against queries: examples of the design, and the labelled development set.

mod replies;

use std::sync::OnceLock;

use super::answer::Answer;
use super::compile::{CATALOG, Compiled, File, compile};
use super::search::{Search, search_all};
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
            text: include_str!("../../../../tools/catalog.toml").to_owned(),
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

/// Categories in the order of their names, and a query that means exactly these.
const EXAMPLES: &[(&str, &str)] = &[
    ("git", "show me the diff"),
    ("git", "what did I change since yesterday's commit"),
    ("git", "who wrote this line"),
    ("git", "list recent commits by Anna"),
    ("git", "git_status"),
    ("git", "repository status"),
    ("git", "view commit history"),
    ("git", "show changes in the last commit"),
    (
        "git",
        "is my working directory clean or are there uncommitted changes",
    ),
    ("git", "which branch am I on"),
    ("git", "compare two branches"),
    ("git", "find the commit that broke the login"),
    ("git", "git blame src/main.rs"),
    ("git", "undo my last commit"),
    ("git", "inspect repository"),
    ("git", "check for unpushed work"),
    ("git", "log of the repo"),
    ("git", "commit my changes"),
    ("git", "git stash"),
    ("git", "current branch"),
    ("git", "annotate lines with authors"),
    ("process", "what's running on port 8080"),
    ("process", "kill whatever is on 3000"),
    ("process", "port 5432 already in use"),
    ("process", "EADDRINUSE when I start the dev server"),
    ("process", "stop the node process"),
    ("process", "who is listening on 443"),
    ("process", "which process uses port 80"),
    ("process", "terminate pid 4242"),
    ("process", "find listening ports"),
    ("process", "something is hogging port 8000"),
    ("process", "free up the port"),
    ("process", "kill_process"),
    ("process", "process management"),
    ("process", "the dev server won't die, kill it"),
    ("process", "check if redis is listening"),
    ("process", "end the stuck python process"),
    ("process", "close port 9000"),
    ("process", "port"),
    ("process", "kill the process on port 3000"),
    ("process", "port status"),
    ("process", "who owns port 22"),
    ("process", "i can't start postgres, port is occupied"),
    ("filesystem", "make a directory"),
    ("filesystem", "create a folder called src"),
    ("filesystem", "delete the file old.txt"),
    ("filesystem", "rename the file"),
    ("filesystem", "mkdir"),
    ("filesystem", "create directory structure for a new project"),
    ("filesystem", "remove the build directory"),
    ("filesystem", "move all png files to images"),
    ("filesystem", "delete temp files"),
    ("filesystem", "tidy up my downloads folder"),
    ("filesystem", "set up a folder for the photos"),
    ("filesystem", "get rid of the empty directories"),
    ("filesystem", "create_dir"),
    ("filesystem", "delete these logs"),
    ("filesystem,git", "create a folder and commit it"),
    ("skills", "list my skills"),
    ("skills", "skills"),
    ("skills", "skill"),
    ("skills", "what skills do you have"),
    ("", "transport layer security explained"),
    ("", "change the display settings"),
    ("", "sing along"),
    ("", "nothing relevant at all"),
    ("", "zzz completely unrelated"),
    ("", "quuxbar"),
    ("", "write a function that parses json"),
    ("", "port this script from python to go"),
    ("", "explain the hiring process at google"),
    ("", "how do I process payments with stripe"),
    ("", "refactor the code to use a map"),
    ("", "read the file config.toml"),
    ("", "list files in this folder"),
    ("", "run the tests"),
    ("", "remove the unused import from the file"),
    ("", "add a line at the end of README"),
    ("", "fix the bug in the parser"),
    ("", "what's the capital of France"),
    ("", "rename the variable foo to bar"),
    ("", "delete the last line of the file"),
    ("", "merge these two dictionaries"),
    ("", "my GitHub notifications"),
    ("", "open a pull request on GitHub"),
    ("", "the server crashes with a null pointer, fix it"),
    ("", "create a class for the process queue"),
    ("", "move this function to another module"),
    ("", "explain this stack trace"),
    ("", "commit to memory the first ten digits of pi"),
    ("", "what does the head of state do"),
    ("", "branch banking in india"),
    ("", "write a story about a port city"),
    ("", "make the button blue"),
    ("", "search the web for rust news"),
    ("", "remind me every morning"),
    ("", "where does the project stand"),
    ("", "free software foundation history"),
    ("", "improve my communication skills"),
    ("", "summarize this directory"),
    ("", "track changes in microsoft word"),
    ("", "difference between tcp and udp"),
    // Inflected, mistyped, accented, in capitals.
    ("git", "COMMITTING my staged changes"),
    ("git", "comit my changes to the repositroy"),
    ("filesystem", "create some directroies"),
    ("filesystem", "créate a dîrectory"),
    ("process", "prots 3000 and 4000 taken"),
    // A word of another word, a name of another name, a word in code.
    ("", "transporting passports through the airport"),
    ("", "GitHub and GitLab compared"),
    ("", "fix the loop in src/git/commit.rs"),
    ("", "call `kill` and `git_log()` in the docs"),
    ("", "what does pid_t mean"),
    // What a model asks for when it guesses a name.
    ("git", "git_diff"),
    ("process", "killProcess"),
    ("process", "select:port-status,kill-process"),
    ("process", "`kill_process`"),
    ("filesystem", "filesystem"),
    ("process", "process tools"),
    ("skills", "Skill"),
    // Sentences do not run into each other.
    ("", "Kill it. The process of photosynthesis is slow"),
];

/// A catalog in which two categories have a word: what the repository's own has no need of yet.
#[test]
fn an_overlap_gives_a_word_to_one_category_unless() {
    let catalog = "[git]\nsummary = \"a\"\nkeywords = [\"inbox\", \"commit\"]\nphrases = [\"red mail box\", \"mail box\"]\n\
                   [process]\nsummary = \"b\"\nkeywords = [\"inbox\", \"mail\"]\nnever = [\"mail train\"]\n\
                   # \"my inbox\"\n[[overlap]]\nkeyword = \"inbox\"\nwins = \"git\"\nunless = [\"letters\"]\n";
    let files = [
        ("tools/catalog.toml", catalog),
        ("tools/git/git.rs", "tool! {"),
        ("tools/process/ps.rs", "tool! {"),
    ];
    let files: Vec<File> = files
        .into_iter()
        .map(|(path, text)| File {
            path: path.to_owned(),
            text: text.to_owned(),
        })
        .collect();
    let compiled = compile(&files, &[]).unwrap();
    let matcher = compiled.tables.matcher();
    let check = |query: &str, expected: &[usize]| {
        let found = search(&matcher, query);
        let mut places: Vec<usize> = found.categories.iter().map(|row| row.category).collect();
        places.sort_unstable();
        assert_eq!(places, expected, "{query}");
    };
    check("my inbox", &[0]);
    check("a letter in my inbox", &[0, 1]);
    // Phrases before words: the mail of a mail box is no mail, another one is.
    check("red mail box", &[0]);
    check("mail box for mail", &[0, 1]);
    check("the mail train", &[]);
    check("the mail on the mail train", &[1]);
}

#[test]
fn examples_mean_exactly_their_categories() {
    let mut wrong = Vec::new();
    for (expected, query) in EXAMPLES {
        let mut got = found(query);
        got.sort_unstable();
        if got.join(",") != *expected {
            wrong.push(format!("{query:?}: expected {expected:?}, got {got:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_more_specific_category_comes_first() {
    assert_eq!(
        found("create a folder called src, then git commit and show the git branch"),
        ["git", "filesystem"]
    );
    assert_eq!(
        found("kill_process, then maybe a git commit and a git diff"),
        ["process", "git"]
    );
}

#[test]
fn exact_names_and_unmatched_words_are_told() {
    let matcher = compiled().tables.matcher();
    let found = search(
        &matcher,
        "port_status then kill_process please, frobnicate Zürich zzz",
    );
    assert_eq!(found.tools, ["port_status", "kill_process"]);
    assert_eq!(found.unmatched, ["frobnicate", "Zürich", "zzz"]);
    let all = search_all(&matcher, &["git diff", "free port 8080", "zzz"]);
    assert_eq!(all.categories.len(), 2);
    assert_eq!(all.unmatched, ["zzz"]);
    assert_eq!(search(&matcher, " \n"), Search::default());
}

/// The labelled set that stands beside the tests, for the categories that exist: a query that means
/// others only must load nothing.
#[test]
fn the_development_set_is_matched() {
    let (mut exact, mut recalled, mut loaded, mut stray) = (0, 0, 0, 0);
    let (mut rows, mut with_gold, mut loaded_for_none) = (0, 0, 0);
    let mut wrong = Vec::new();
    for line in include_str!("../../../../tests/data/find_tools_dev.jsonl").lines() {
        let (query, gold, also) = labelled(line);
        let got = found(&query);
        let is_whole = gold.iter().all(|id| got.contains(&id.as_str()));
        let extra = got
            .iter()
            .filter(|id| !gold.iter().chain(&also).any(|ok| ok == *id))
            .count();
        rows += 1;
        loaded += got.len();
        stray += extra;
        with_gold += usize::from(!gold.is_empty());
        recalled += usize::from(!gold.is_empty() && is_whole);
        loaded_for_none += usize::from(gold.is_empty() && extra > 0);
        exact += usize::from(is_whole && extra == 0);
        if !is_whole || extra > 0 {
            wrong.push(format!("{query}: wanted {gold:?}, got {got:?}"));
        }
    }
    let figures = format!(
        "exact {exact} of {rows}, recall {recalled} of {with_gold}, loads outside {stray} of {loaded}, \
         loads for none {loaded_for_none} of {}\n{}",
        rows - with_gold,
        wrong.join("\n")
    );
    assert!(
        exact >= 114 && recalled >= 25 && stray <= 3 && loaded_for_none <= 3,
        "{figures}"
    );
}

/// A row of the set: the query, and of `gold` and `also_ok` the categories that exist.
fn labelled(line: &str) -> (String, Vec<String>, Vec<String>) {
    let between = |from: &str, to: &str| {
        let rest = line.split_once(from).unwrap().1;
        rest.split_once(to).unwrap().0
    };
    let ids = |text: &str| -> Vec<String> {
        let all = text.split(", ").map(|id| id.trim_matches('"'));
        all.filter(|id| compiled().source.place(id).is_some())
            .map(str::to_owned)
            .collect()
    };
    let query = between("\"query\": \"", "\", \"gold\": [").replace("\\\"", "\"");
    (
        query,
        ids(between("\"gold\": [", "]")),
        ids(between("\"also_ok\": [", "]")),
    )
}

/// Any text: no panic, and never more categories than there are.
#[test]
fn no_query_breaks_the_matcher() {
    let matcher = compiled().tables.matcher();
    let pieces = [
        "port", "kill", "create", "folder", "_", "`", "/", ".", " ", " ", "é", "文", "\u{301}",
        "3000", "'", "G", "*", "#", "\0",
    ];
    let mut state = 11_u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..14 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(13);
            text.push_str(pieces[usize::try_from(state >> 33).unwrap() % pieces.len()]);
        }
        assert!(search(&matcher, &text).categories.len() <= 4);
    }
    for text in [
        "port ".repeat(50_000),
        "x".repeat(300_000),
        "aB".repeat(100_000),
        "create * ".repeat(30_000),
        "`".repeat(90_000),
    ] {
        _ = search(&matcher, &text);
    }
}
