//! The gate: only it makes permits and runs tools, and nothing but the search knows a tool by name.

use super::source::{File, Problem};
use super::tokens::Kind;

/// Where permits are made.
const PERMIT: &str = "src/tool/permit.rs";
/// Who makes them: `src/tool/gate.rs`, or a folder of that name.
const GATE: &str = "src/tool/gate";
/// The one name with an underscore that the conversation has to know.
const SEARCH: &str = "find_tools";

/// Permits made, or tools run, elsewhere than in the gate.
pub(crate) fn check_permits(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for file in files.iter().filter(|file| file.path != PERMIT) {
        let is_gate = file.path.starts_with(GATE);
        for (index, token) in file.program() {
            let is_made = token.is("Permit")
                && (file.reads(index + 1, &["{"]) || file.reads(index + 1, &["("]))
                && !["impl", "for", ">", "struct"]
                    .iter()
                    .any(|word| file.follows(index, word));
            if is_made {
                problems
                    .push(file.problem(token.line, format!("a permit is made only in {PERMIT}")));
            }
            if token.is("authorize") && !is_gate {
                problems.push(file.problem(token.line, "only the gate authorizes a call"));
            }
            let is_run = token.is("run")
                && file.follows(index, ".")
                && file.reads(index + 1, &["(", "permit"]);
            if is_run && !is_gate {
                problems.push(file.problem(token.line, "only the gate runs a tool"));
            }
        }
    }
    problems.extend(
        files
            .iter()
            .filter(|file| file.path == PERMIT)
            .flat_map(check_permit),
    );
    problems
}

/// The permit itself: nobody else can make, copy or keep one.
fn check_permit(file: &File) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut makers = 0;
    for (index, token) in file.program() {
        if file.reads(index, &["struct", "Permit"]) {
            let end = super::source::closing(&file.code, index + 2);
            if file.code[index + 2..end]
                .iter()
                .any(|token| token.is("pub"))
            {
                problems.push(file.problem(token.line, "the fields of a permit are private"));
            }
            let head = &file.code[index.saturating_sub(16)..index];
            let copies = |word: &&&str| head.iter().any(|token| token.is(word));
            if let Some(word) = ["Clone", "Copy", "Default"].iter().find(copies) {
                problems.push(file.problem(
                    token.line,
                    format!("a permit is used once, so it is not `{word}`"),
                ));
            }
        }
        if file.reads(index, &["-", ">", "Permit"]) || file.reads(index, &["-", ">", "Self"]) {
            makers += 1;
        }
        if file.reads(index, &["fn", "authorize"])
            && !file.reads(index.saturating_sub(4), &["pub", "(", "super", ")"])
        {
            problems.push(file.problem(
                token.line,
                "`authorize` is `pub(super)`: only the gate needs it",
            ));
        }
    }
    if makers != 1 {
        problems.push(file.problem(
            1,
            format!("{makers} functions make a permit; one should, `authorize`"),
        ));
    }
    problems
}

/// Tools known by name: literals in `src/` that hold the name of a tool with an underscore.
pub(crate) fn check_tool_names(files: &[File]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut searches = 0;
    let names = tool_names(files);
    for file in files.iter().filter(|file| file.path.starts_with("src/")) {
        for (_, token) in file.program().filter(|(_, token)| token.kind == Kind::Text) {
            let words = token.text.split(|c: char| c != '_' && !c.is_alphanumeric());
            for name in words.filter(|word| names.contains(word)) {
                if name == SEARCH && token.text == SEARCH && file.path.starts_with("src/tool/") {
                    searches += 1;
                    continue;
                }
                let what = format!(
                    "knows the tool `{name}` by name; what a tool is special in, its contract says"
                );
                problems.push(file.problem(token.line, what));
            }
        }
    }
    if 1 < searches {
        problems.push(Problem {
            path: "src/tool".to_owned(),
            line: 1,
            what: format!("`{SEARCH}` is spelled {searches} times; once, as a constant"),
        });
    }
    problems
}

fn tool_names(files: &[File]) -> Vec<&str> {
    files
        .iter()
        .filter_map(|file| file.path.strip_prefix("tools/")?.strip_suffix(".rs"))
        .filter_map(|path| path.rsplit('/').next())
        .filter(|name| name.contains('_'))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source::planted;

    const GOOD: &str = "#[derive(Debug)] pub(crate) struct Permit { call: CallId }
        pub(super) fn authorize(call: CallId) -> Permit { Permit { call } }
        impl Permit { pub(crate) fn call(&self) -> CallId { self.call } }";

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let files = planted(files);
        let mut found = check_permits(&files);
        found.extend(check_tool_names(&files));
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (problem, part) in found.iter().zip(expected) {
            assert!(problem.what.contains(part), "{problem}");
        }
    }

    #[test]
    fn only_the_gate_runs_a_tool() {
        let call = "fn f() { let permit = authorize(id); bound.run(permit, plan) }";
        check(&[(PERMIT, GOOD), ("src/tool/gate.rs", call)], &[]);
        check(&[(PERMIT, GOOD), ("src/tool/gate/call.rs", call)], &[]);
        check(
            &[("src/app/chat.rs", call)],
            &["only the gate authorizes", "only the gate runs"],
        );
        check(
            &[(
                "src/chat/turn.rs",
                "use crate::tool::permit::authorize as go;",
            )],
            &["only the gate authorizes"],
        );
        check(
            &[("src/app/chat.rs", "f(Permit { call })")],
            &["a permit is made only"],
        );
        check(
            &[(
                "src/app/chat.rs",
                "fn run(self, permit: Permit) {} commands.run(command)",
            )],
            &[],
        );
        check(
            &[(
                "src/app/chat.rs",
                "#[cfg(test)] mod tests { fn f() { authorize(id) } }",
            )],
            &[],
        );
    }

    #[test]
    fn a_permit_is_made_once_and_used_once() {
        check(
            &[(
                PERMIT,
                &GOOD.replace("call: CallId }", "pub(crate) call: CallId }"),
            )],
            &["fields"],
        );
        check(
            &[(PERMIT, &GOOD.replace("Debug", "Debug, Clone"))],
            &["not `Clone`"],
        );
        check(
            &[(PERMIT, &GOOD.replace("pub(super) fn", "pub(crate) fn"))],
            &["pub(super)"],
        );
        let second = format!("{GOOD} impl Permit {{ fn new() -> Self {{ x }} }}");
        check(&[(PERMIT, &second)], &["2 functions make a permit"]);
    }

    #[test]
    fn no_tool_is_known_by_name() {
        let tools = [
            ("tools/core/read_file.rs", ""),
            ("tools/core/find_tools.rs", ""),
            ("tools/git/git.rs", ""),
        ];
        let with = |path: &'static str, text: &'static str| {
            let mut files = tools.to_vec();
            files.push((path, text));
            files
        };
        check(
            &with("src/app/chat.rs", "if name == \"read_file\" {}"),
            &["`read_file` by name"],
        );
        check(
            &with(
                "src/app/chat.rs",
                "const T: &str = \"call read_file first\";",
            ),
            &["`read_file`"],
        );
        check(
            &with(
                "src/app/chat.rs",
                "// read_file\nconst T: &str = \"read_files git\";",
            ),
            &[],
        );
        check(
            &with(
                "src/tool/mod.rs",
                "const FIND_TOOLS: &str = \"find_tools\";",
            ),
            &[],
        );
        check(
            &with(
                "src/chat/mod.rs",
                "const FIND_TOOLS: &str = \"find_tools\";",
            ),
            &["`find_tools`"],
        );
        check(
            &with("src/tool/mod.rs", "f(\"find_tools\"); g(\"find_tools\");"),
            &["2 times"],
        );
    }
}
