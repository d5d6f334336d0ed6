//! What holds for every built-in tool: its contract, its examples, its words and its size.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::app::toolbox::{defaults, definition, is_default};
use crate::catalog::{CATEGORIES, CATEGORY_PHRASES, CLAIMS, MATCHER, TOOLS};
use crate::json::{self, Value, object};
use crate::tool::find::{Words, drift, search};
use crate::tool::trial::{Trial, check_cancels};
use crate::tool::{SKILL, Tool, Verdict};
use crate::world::fake::{Action, Fake, Program};
use crate::world::{Listening, Process, Protocol};

/// What every request carries of tools, in bytes of compact JSON; the budget of system prompt, skill lines and
/// tools is 1,500 tokens of four bytes.
const DEFAULT_BYTES_MAX: usize = 4_400;

#[test]
fn schemas_say_what_is_taken() {
    for tool in TOOLS {
        let (name, contract) = (tool.name, tool.contract);
        let schema = (contract.schema)();
        assert_eq!(
            json::parse(schema.to_string().as_bytes()).unwrap(),
            schema,
            "{name}"
        );
        assert_eq!(
            schema.get("type").and_then(Value::as_str),
            Some("object"),
            "{name}"
        );
        let properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .expect(name);
        for (argument, row) in properties.iter() {
            let doc = row
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or_default();
            assert!(
                doc.ends_with('.') && doc.len() <= 120 && !doc.contains('\n'),
                "{name}.{argument}: {doc}"
            );
        }
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let missing = (contract.bind)(&object! {}).err().unwrap_or_default();
        for argument in &required {
            assert!(
                missing.contains(&format!("`{argument}` is missing")),
                "{name}: {missing:?}"
            );
        }
        // A check over several fields may say more, but names none that is required by itself.
        let is_by_field =
            |fault: &&String| fault.ends_with("` is missing") && fault.matches('`').count() == 2;
        assert!(
            missing.iter().filter(is_by_field).count() <= required.len(),
            "{name}: {missing:?}"
        );
        for wrong in ["null", "3", "[1]", "\"x\""] {
            assert!(
                (contract.bind)(&json::parse(wrong.as_bytes()).unwrap()).is_err(),
                "{name} {wrong}"
            );
        }
        let doc = contract.doc.trim();
        let is_open = doc.ends_with(':') && name == crate::tool::FIND_TOOLS;
        assert!(
            doc.starts_with(char::is_uppercase) && (doc.ends_with('.') || is_open),
            "{name}: {doc}"
        );
    }
}

#[test]
fn examples_bind_and_find_their_tool() {
    let mut queries: BTreeMap<&str, &str> = BTreeMap::new();
    let mut reached: BTreeMap<String, bool> = BTreeMap::new();
    for Tool {
        name,
        category,
        contract,
    } in TOOLS
    {
        for (arguments, query) in (contract.examples)() {
            if let Err(faults) = (contract.bind)(&arguments) {
                panic!("{name} {arguments}: {faults:?}");
            }
            if let Some(other) = queries.insert(query, name) {
                assert_eq!(other, *name, "{query:?} is an example of both");
            }
            if is_default(category) {
                continue;
            }
            let found = search(&MATCHER, query);
            let found: Vec<&str> = found
                .categories
                .iter()
                .map(|row| CATEGORIES[row.category].id)
                .collect();
            // Short forms such as "blame src/main.rs" mean nothing without their tool: of all ways to say one thing, one
            // must be found.
            *reached.entry(format!("{name} {arguments}")).or_default() |=
                found.first() == Some(category);
        }
    }
    reached.retain(|_, is_found| !*is_found);
    assert!(reached.is_empty(), "{reached:#?}");
}

#[test]
fn names_are_spoken_apart() {
    let names: BTreeSet<&str> = TOOLS.iter().map(|tool| tool.name).collect();
    assert_eq!(names.len(), TOOLS.len());
}

/// Every telling word of a contract is claimed by its category or was reviewed by a person.
#[test]
fn no_word_of_a_tool_is_left_over() {
    let mut spoken: Vec<(&Tool, Vec<String>)> = Vec::new();
    for tool in TOOLS.iter().filter(|tool| !tool.contract.is_internal) {
        let mut own = vec![tool.contract.doc.to_owned()];
        let schema = (tool.contract.schema)();
        for (name, row) in schema
            .get("properties")
            .and_then(Value::as_object)
            .expect(tool.name)
            .iter()
        {
            own.push(name.to_owned());
            own.extend(
                row.get("description")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            );
        }
        own.extend(
            (tool.contract.examples)()
                .into_iter()
                .map(|(_, query)| query.to_owned()),
        );
        spoken.push((tool, own));
    }
    let rows: Vec<Vec<&str>> = spoken
        .iter()
        .map(|(_, own)| own.iter().map(String::as_str).collect())
        .collect();
    let lists: Vec<Words<'_>> = spoken
        .iter()
        .zip(&rows)
        .map(|((tool, _), texts)| Words {
            tool: tool.name,
            category: tool.category,
            texts,
        })
        .collect();
    let left = drift(CLAIMS, &lists);
    assert!(left.is_empty(), "{left}");
}

#[test]
#[expect(
    clippy::print_stdout,
    reason = "`cargo test -- --nocapture` shows the figures"
)]
fn what_every_request_carries_is_small() {
    let rows: Vec<(usize, &str)> = defaults()
        .map(|tool| (definition(tool).to_string().len() + 1, tool.name))
        .collect();
    let total: usize = rows.iter().map(|(bytes, _)| bytes).sum();
    println!(
        "{rows:?}\n{total} bytes, of them {} in category phrases",
        CATEGORY_PHRASES.len()
    );
    assert!(total <= DEFAULT_BYTES_MAX, "{total} bytes: {rows:?}");
}

/// A world in which every example has something to do.
fn fill(fake: &Fake) {
    for path in [
        "README.md",
        "src/main.rs",
        "src/app/mod.rs",
        "Cargo.toml",
        "old.txt",
        "a.txt",
        "build/x/y",
    ] {
        fake.add_file(&format!("/repo/{path}"), "text\n");
    }
    fake.add_file("/repo/notes.txt", "hello\n");
    fake.program("/bin/sh", |_| Program::new("out\n", 0));
    fake.program("git", |_| Program::new("out\n", 0));
    for (pid, port) in [(4711, 8080), (4712, 3000)] {
        fake.add_process(Process {
            pid,
            parent: 1,
            name: "web".to_owned(),
            command: "web".to_owned(),
            started_ticks: 1,
            started: 0,
            user: 0,
        });
        fake.add_listening(Listening {
            protocol: Protocol::Tcp,
            address: std::net::Ipv4Addr::LOCALHOST.into(),
            port,
            pids: vec![pid],
            user: 0,
        });
    }
}

fn each_example(test: impl Fn(&'static Tool, &str)) {
    for tool in TOOLS {
        let mut seen = BTreeSet::new();
        for (arguments, _) in (tool.contract.examples)() {
            // Many wordings have the same arguments. A folder that is not empty is not deleted without `recursive`.
            let is_folder = arguments == crate::json::object! { "path": "build" }
                && tool.category == "filesystem";
            let is_new = seen.insert(arguments.to_string());
            if is_new
                && !(is_folder && tool.contract.effect.is_none() && tool.name.starts_with("delete"))
            {
                test(tool, &arguments.to_string());
            }
        }
    }
}

#[test]
fn every_example_runs() {
    each_example(|tool, arguments| {
        let reply = Trial::new(fill).call(tool.name, arguments);
        let is_known = reply.verdict == Verdict::Done || reply.text.contains("there is no skill");
        let is_new = reply.text == "cannot list `src`: it does not exist";
        assert!(is_known || is_new, "{} {arguments}: {reply:?}", tool.name);
    });
}

/// Whatever the call was at, it ends, changes all or nothing, and has one reply.
#[test]
fn every_example_can_be_cancelled_anywhere() {
    // A skill is looked up in memory, with no operation at which it could be cancelled.
    each_example(|tool, arguments| match tool.name {
        SKILL => (),
        name => check_cancels(fill, name, arguments),
    });
}

/// A port that panics stands for any bug: it stays in the call, and the next call runs.
#[test]
fn a_panic_anywhere_stays_in_the_call() {
    each_example(|tool, arguments| {
        let mut whole = Trial::new(fill);
        whole.call(tool.name, arguments);
        for n in 1..=whole.fake.operations() {
            let mut trial = Trial::new(fill);
            trial.fake.at_operation(
                n,
                Action::Run(Box::new(|_| std::panic::resume_unwind(Box::new("planted")))),
            );
            // Starting the job and waiting for it are the test's own.
            let reply = catch_unwind(AssertUnwindSafe(|| trial.call(tool.name, arguments)));
            let Ok(reply) = reply else {
                continue;
            };
            let is_bug =
                reply.verdict == Verdict::Failed && reply.text.contains("has a bug and stopped");
            assert!(
                is_bug || reply.verdict == Verdict::Done,
                "{} at {n}: {reply:?}",
                tool.name
            );
            assert_eq!(trial.call("list_dir", "{}").verdict, Verdict::Done);
        }
    });
}
