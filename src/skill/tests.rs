//! Front matter as people and other programs write it, and what the model gets of a skill.

use super::*;

fn read(text: &str) -> Skill {
    Skill::read("Folder-Name", text)
}

#[test]
fn descriptions_are_read_however_they_are_written() {
    let check = |lines: &str, expected: &str| {
        let skill = read(&format!("---\nname: x\n{lines}\nlicense: MIT\n---\nbody\n"));
        assert_eq!(skill.description, expected, "{lines}");
        assert_eq!(
            (skill.name.as_str(), skill.body.as_str()),
            ("x", "body"),
            "{lines}"
        );
    };
    check("description: Review a diff", "Review a diff");
    check(
        "description: Use when: a test fails: now",
        "Use when: a test fails: now",
    );
    check(
        "description: \"quoted: \\\"yes\\\"\" # note",
        "quoted: \"yes\"",
    );
    check("description: 'it''s # no comment'", "it's # no comment");
    check("description: plain # comment", "plain");
    check("description: C# and F#", "C# and F#");
    check(
        "description: >\n  folded\n  over lines",
        "folded over lines",
    );
    check(
        "description: >-\n  folded\n\n  paragraph",
        "folded paragraph",
    );
    check("description: |\n  block: one\n  - two", "block: one - two");
    check("description: goes on\n  below", "goes on below");
    check("description:\n  begins below", "begins below");
    check("description: \"over\n  two lines\"", "over two lines");
    check("Description: Any case", "Any case");
    check("description: \"never closed", "\"never closed");
    check("# a comment\n\ndescription: after", "after");
    check(
        "metadata:\n  description: not this\ndescription: this",
        "this",
    );
    check("other: 1", "");
}

#[test]
fn lists_of_tools_are_read_however_they_are_written() {
    let check = |lines: &str, expected: &[&str]| {
        let skill = read(&format!("---\n{lines}\n---\n"));
        assert_eq!(skill.allowed_tools, expected, "{lines}");
    };
    check("allowed-tools: Read, Grep", &["Read", "Grep"]);
    check("allowed-tools: Read Grep", &["Read", "Grep"]);
    check("allowed-tools: [Read, \"Grep\"]", &["Read", "Grep"]);
    check("allowed-tools:\n  - Read\n  - 'Grep'", &["Read", "Grep"]);
    check(
        "allowed-tools:\n- Read\n- Bash(git diff *)",
        &["Read", "Bash(git diff *)"],
    );
    check(
        "allowed-tools: Bash(git add:*), Bash(git status)",
        &["Bash(git add:*)", "Bash(git status)"],
    );
    check("allowed-tools: [Read,\n  Grep]", &["Read", "Grep"]);
    check("allowed-tools:", &[]);
}

#[test]
fn the_body_keeps_its_rules_and_loses_what_windows_adds() {
    let skill = read("\u{feff}---\r\nname: Mixed\r\n---\r\n\r\none\r\n---\r\ntwo\r\n");
    assert_eq!(
        (skill.name.as_str(), skill.body.as_str()),
        ("mixed", "one\n---\ntwo")
    );
    let plain = read("no front matter\n---\nhere");
    assert_eq!(plain.name, "folder-name");
    assert_eq!(plain.body, "no front matter\n---\nhere");
    assert_eq!(
        read("---\nname: x\nnever closed").body,
        "---\nname: x\nnever closed"
    );
    assert_eq!(read("").body, "");
    assert_eq!(read("---\n---").body, "");
    // Only what opens a block on the first line is one.
    assert_eq!(read("\n---\nname: x\n---\n").name, "folder-name");
}

#[test]
fn faults_are_collected_with_their_lines() {
    let faults = |text| front::read(text).faults;
    assert_eq!(faults("---\nname: x\n---\n"), []);
    let found = faults("---\nname: x\nname: y\nstray\ndescription: \"open\n---\n");
    let lines: Vec<_> = found.iter().map(|f| f.0).collect();
    assert_eq!(lines, [3, 4, 5], "{found:?}");
    assert_eq!(faults("text")[0].0, 1);
}

#[test]
fn a_skill_is_rendered_with_hints_a_rule_and_a_cut_body() {
    let skill =
        read("---\nname: x\nsuggested-tools: [git, read_file]\nallowed-tools: Bash\n---\nDo it.\n");
    assert_eq!(
        render(&skill),
        "# Skill: x\nSuggested tools (hints; nothing is loaded or permitted): git, read_file\n\
         Asks to be allowed (not honoured; every call asks as usual): Bash\n---\nDo it."
    );
    let bare = read("---\nname: x\n---\nDo it.");
    assert_eq!(render(&bare), "# Skill: x\n---\nDo it.");
    // Characters, not bytes.
    let body = |count| Skill {
        body: "é".repeat(count),
        ..bare.clone()
    };
    assert!(render(&body(8_000)).ends_with('é'));
    let cut = render(&body(8_005));
    assert_eq!(cut.matches('é').count(), 8_000);
    assert!(cut.ends_with("\n[cut: 5 more characters; a skill's body is shown up to 8000]"));
}

#[test]
fn names_are_trimmed_and_small_and_unknown_ones_list_the_rest() {
    let skills = read_all(&[
        ("a-b", "---\nname: a-b\ndescription: First\n---\n"),
        ("c", "text"),
    ]);
    assert_eq!(find(&skills, "  A-B\n").unwrap().name, "a-b");
    assert_eq!(
        find(&skills, "zz").unwrap_err(),
        "no skill is called `zz`. There are:\n- a-b: First\n- c"
    );
    assert_eq!(
        find(&[], "zz").unwrap_err(),
        "no skill is called `zz`: there are none"
    );
}

#[test]
fn no_text_breaks_the_reader() {
    let pieces = [
        "---\n",
        "name:",
        "'",
        "\"",
        "\\",
        "[",
        "(",
        ")",
        "- ",
        " >\n",
        "  x\n",
        "\r\n",
        "é",
        "#",
        "\n",
        ":",
        "allowed-tools: ",
    ];
    let mut state = 3_u64;
    for _ in 0..20_000 {
        let mut text = "---\n".to_owned();
        for _ in 0..12 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(31);
            text.push_str(pieces[usize::try_from(state >> 33).unwrap() % pieces.len()]);
        }
        text.push_str("\n---\nbody");
        _ = render(&read(&text));
    }
}
