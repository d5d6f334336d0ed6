//! Contracts, rules and the gate, on a world in memory.

use crate::json::{Value, object};
use crate::tool::trial::{gate, pass, request, supply};
use crate::tool::{
    Answer, Decision, Effect, Mode, Plan, Rule, Rules, Stance, Subject, SubjectKind, Tool, Verdict,
    decide,
};
use crate::world::fake::Fake;

/// A tool whose effect is whatever its argument says.
mod probe {
    use crate::tool::prelude::*;

    tool! {
        /// Do nothing, with a given effect.
        effect: plan;
        subject: Words;
        check: |args| if args.word.0 == "odd" { vec!["`word` must not be odd".to_owned()] } else { Vec::new() };
        needs: [];
        struct Args {
            /// Name of the effect.
            effect: Kind,
            /// Any word.
            word: Text<20>,
            /// A number.
            number: Option<Within<1, 9>>,
        }
        examples: [ object! { "effect": "read", "word": "x" } => "probe" ];
    }

    choice! { Kind { Read = "read", Own = "own", Reach = "reach", Change = "change", Spend = "spend", Destroy = "destroy" } }

    fn plan(args: &Args, _: &Supply) -> Result<Plan, Failure> {
        // What does not fit never comes here.
        assert!(
            args.number
                .as_ref()
                .is_none_or(|number| (1..=9).contains(&number.0))
        );
        assert!(args.word.0 != "panic-plan", "planned to panic");
        let effect = Effect::ALL
            .into_iter()
            .find(|effect| effect.name() == args.effect.word());
        Ok(Plan::of(
            effect.unwrap(),
            Subject::Words(vec![args.word.0.clone()]),
        ))
    }

    fn run(args: Args, _: Plan, call: &Call) -> Outcome {
        call.check()?;
        assert!(args.word.0 != "panic", "asked to panic");
        Ok(format!("ran {}", args.word.0).into())
    }
}

static PROBES: &[Tool] = &[Tool {
    name: "probe",
    category: "core",
    contract: &probe::CONTRACT,
}];

fn rules(allow: &[&str], deny: &[&str]) -> Rules {
    let kind_of = |name: &str| match name {
        "probe" => Some(SubjectKind::Words),
        "run" => Some(SubjectKind::Command),
        "read" => Some(SubjectKind::Path),
        "plain" => Some(SubjectKind::Nothing),
        _ => None,
    };
    let parse = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| Rule::parse(text, &kind_of).unwrap())
            .collect()
    };
    Rules {
        allow: parse(allow),
        deny: parse(deny),
    }
}

/// DESIGN §9's table, cell by cell, through the gate: what a call with this effect comes to without a rule.
#[test]
fn the_table_of_consent_holds_in_every_cell() {
    let (runs, asks, refused) = ("runs", "asks", "refused");
    // effect, asked, headless, allow-all (asked, headless), read-only (asked, headless)
    let table = [
        ("read", [runs, runs, runs, runs, runs, runs]),
        ("own", [runs, runs, runs, runs, runs, runs]),
        ("reach", [asks, refused, runs, runs, asks, refused]),
        ("change", [asks, refused, runs, runs, refused, refused]),
        ("spend", [asks, refused, runs, runs, refused, refused]),
        ("destroy", [asks, refused, asks, refused, refused, refused]),
    ];
    let stances = [Mode::Ask, Mode::AllowAll, Mode::ReadOnly]
        .into_iter()
        .flat_map(|mode| [true, false].map(|can_ask| Stance { mode, can_ask }));
    for (column, stance) in stances.enumerate() {
        for (effect, cells) in table {
            let world = Fake::new().world();
            let mut gate = gate(&world, PROBES, Rules::default(), stance);
            let asked_for = request(
                "probe",
                &format!(r#"{{"effect": "{effect}", "word": "w"}}"#),
            );
            let (is_asked, reply) = pass(&mut gate, &world, asked_for, Some(&Answer::Yes));
            let got = match (is_asked, reply.verdict) {
                (true, Verdict::Done) => asks,
                (false, Verdict::Done) => runs,
                (false, Verdict::Refused) => refused,
                other => panic!("{other:?}: {}", reply.text),
            };
            assert_eq!(got, cells[column], "{effect} under {stance:?}");
        }
    }
}

/// What `allow` and `deny` make of a call with this effect in a headless run.
#[track_caller]
fn check_rule(allow: &[&str], deny: &[&str], effect: &str, expected: Verdict) {
    for (mode, is_last) in [(Mode::Ask, false), (Mode::AllowAll, true)] {
        if is_last && deny.is_empty() {
            continue;
        }
        let world = Fake::new().world();
        let mut gate = gate(
            &world,
            PROBES,
            rules(allow, deny),
            Stance {
                mode,
                can_ask: false,
            },
        );
        let arguments = format!(r#"{{"effect": "{effect}", "word": "w"}}"#);
        let (_, reply) = pass(&mut gate, &world, request("probe", &arguments), None);
        assert_eq!(
            reply.verdict, expected,
            "{allow:?} {deny:?} {effect}: {}",
            reply.text
        );
    }
}

#[test]
fn rules_allow_what_they_cover_and_deny_rules_win() {
    check_rule(&["probe"], &[], "change", Verdict::Done);
    check_rule(&["probe(w)"], &[], "change", Verdict::Done);
    check_rule(&["probe(v)"], &[], "change", Verdict::Refused);
    check_rule(&["probe(*)"], &[], "spend", Verdict::Done);
    check_rule(&["probe"], &["probe(w)"], "change", Verdict::Refused);
    check_rule(&["probe"], &["probe"], "read", Verdict::Refused);
    // Only the exact call covers what cannot be undone.
    check_rule(&["probe"], &[], "destroy", Verdict::Refused);
    check_rule(&["probe(*)"], &[], "destroy", Verdict::Refused);
    check_rule(&["probe(w)"], &[], "destroy", Verdict::Done);
    check_rule(&["probe(w)"], &["probe(w)"], "destroy", Verdict::Refused);
}

#[test]
fn read_only_cannot_be_lifted_by_a_rule() {
    let world = Fake::new().world();
    let stance = Stance {
        mode: Mode::ReadOnly,
        can_ask: true,
    };
    let mut gate = gate(&world, PROBES, rules(&["probe"], &[]), stance);
    let (_, reply) = pass(
        &mut gate,
        &world,
        request("probe", r#"{"effect": "change", "word": "w"}"#),
        None,
    );
    assert_eq!(reply.verdict, Verdict::Refused);
    assert_eq!(decide(Effect::Destroy, stance), Decision::Refuse);
}

/// Whether the rule covers the command, as an allow rule and as a deny rule.
#[track_caller]
fn check_command(rule: &str, command: &str, is_allowed: bool, is_denied: bool) {
    let subject = Subject::Command(command.to_owned());
    let allows = rules(&[rule], &[])
        .allowing("run", &subject, Effect::Change)
        .is_some();
    let denies = rules(&[], &[rule]).denying("run", &subject).is_some();
    assert_eq!(
        (allows, denies),
        (is_allowed, is_denied),
        "{rule} and {command:?}"
    );
}

#[test]
fn a_command_pattern_covers_plain_words_only() {
    check_command("run(git log)", "git log", true, true);
    check_command("run(git log)", "git  log", true, true);
    check_command("run(git log)", "git log -p", false, false);
    check_command("run(git **)", "git log -p", true, true);
    check_command("run(git **)", "git", true, true);
    check_command("run(git *)", "git log -p", false, false);
    check_command("run(git **)", "gitk", false, false);
    for command in [
        "git log; rm -rf x",
        "git log\nrm x",
        "git log && rm x",
        "git log | sh",
        "git log > x",
        "git $(rm x)",
        "git `rm x`",
        "git log \"a\"",
        "git log 'a'",
        "git log *",
        "git log ~",
        "git log \\x",
        "git log {a,b}",
        "git log & rm x",
        "git log # x",
        "git log !x",
        "git log \r rm",
    ] {
        check_command("run(git **)", command, false, true);
    }
    check_command("run(git **)", "A=1 git log", false, true);
    check_command("run(rm **)", "ls; rm -rf x", false, true);
    check_command("run(rm **)", "ls $(rm x)", false, true);
    check_command("run(rm **)", "\"rm\" x", false, true);
}

/// The fault of a rule that cannot be.
#[track_caller]
fn check_fault(rule: &str, expected: &str) {
    let kind_of = |name: &str| match name {
        "run" => Some(SubjectKind::Command),
        "read" => Some(SubjectKind::Path),
        "plain" => Some(SubjectKind::Nothing),
        _ => None,
    };
    let fault = Rule::parse(rule, &kind_of).expect_err("a fault");
    assert!(fault.contains(expected), "{fault}");
}

#[test]
fn a_rule_that_cannot_match_is_an_error() {
    check_fault("rum", "no such tool");
    check_fault("run(git", "closing");
    check_fault("run()", "empty");
    check_fault("run(git l*)", "whole word");
    check_fault("run(** git)", "last word");
    check_fault("run(git; rm)", "`;` cannot match");
    check_fault("plain(x)", "nothing to match");
    check_fault("read([ab])", "[");
}

/// What a model reads when its call is wrong.
#[track_caller]
fn check_invalid(name: &str, arguments: &str, expected: &[&str]) {
    let world = Fake::new().world();
    let stance = Stance {
        mode: Mode::AllowAll,
        can_ask: false,
    };
    let mut gate = gate(&world, PROBES, Rules::default(), stance);
    let (_, reply) = pass(&mut gate, &world, request(name, arguments), None);
    assert_eq!(reply.verdict, Verdict::Invalid, "{}", reply.text);
    for part in expected {
        assert!(
            reply.text.contains(part),
            "{part:?} is not in {}",
            reply.text
        );
    }
}

#[test]
fn all_faults_of_a_call_are_named_at_once() {
    check_invalid(
        "probe",
        r#"{"effect": "rad", "numbr": 1, "number": 10}"#,
        &[
            "`effect` must be one of read, own",
            "`word` is missing",
            "`number` must be an integer from 1 to 9, not 10",
            "`numbr` is not an argument; did you mean `number`?",
            "\"properties\"",
        ],
    );
    check_invalid(
        "probe",
        r#"{"effect": 1, "word": ["x"]}"#,
        &["not 1", "`word` must be a string, not an array"],
    );
    check_invalid(
        "probe",
        r#"{"effect": "read", "word": "odd"}"#,
        &["must not be odd"],
    );
    for arguments in ["null", "3", "[1]", "\"x\""] {
        check_invalid("probe", arguments, &["the arguments must be an object"]);
    }
    check_invalid("probe", "{\"effect\": ", &["not JSON", "line 1"]);
    check_invalid(
        "prob",
        "{}",
        &["there is no tool `prob`", "did you mean `probe`?"],
    );
    check_invalid("pro\u{1b}[31mbe", "{}", &["there is no tool"]);
}

#[test]
fn a_panic_of_a_tool_is_text_for_the_model() {
    let world = Fake::new().world();
    let stance = Stance {
        mode: Mode::AllowAll,
        can_ask: false,
    };
    let mut gate = gate(&world, PROBES, Rules::default(), stance);
    for word in ["panic", "panic-plan"] {
        let arguments = format!(r#"{{"effect": "read", "word": "{word}"}}"#);
        let (_, reply) = pass(&mut gate, &world, request("probe", &arguments), None);
        assert_eq!(reply.verdict, Verdict::Failed);
        assert!(reply.text.contains("has a bug"), "{}", reply.text);
    }
    let (_, reply) = pass(
        &mut gate,
        &world,
        request("probe", r#"{"effect": "read", "word": "w"}"#),
        None,
    );
    assert_eq!(
        (reply.verdict, reply.text.as_str()),
        (Verdict::Done, "ran w")
    );
}

#[test]
fn a_refusal_stays_open_until_something_else_succeeds() {
    let world = Fake::new().world();
    let stance = Stance {
        mode: Mode::Ask,
        can_ask: false,
    };
    let mut gate = gate(&world, PROBES, Rules::default(), stance);
    assert!(!gate.is_refusal_open());
    let (_, reply) = pass(
        &mut gate,
        &world,
        request("probe", r#"{"effect": "change", "word": "w"}"#),
        None,
    );
    assert_eq!(
        reply.hint.unwrap(),
        "`probe` was refused; `--allow-tool 'probe(w)'` or `--allow-all` would allow it"
    );
    assert!(gate.is_refusal_open());
    pass(
        &mut gate,
        &world,
        request("probe", r#"{"effect": "read", "word": "w"}"#),
        None,
    );
    assert!(!gate.is_refusal_open());
}

/// Where `given` leads from the workspace /repo.
#[track_caller]
fn check_place(given: &str, expected: &str) {
    let fake = Fake::new();
    fake.add_file("/repo/a.txt", "a")
        .add_dir("/repo/sub")
        .add_file("/etc/passwd", "x")
        .add_dir("/home/me");
    fake.add_link("/repo/out", "/etc")
        .add_link("/repo/dead", "/nowhere/x")
        .add_file("/repo/.env", "K=1");
    let world = fake.world();
    let supply = supply(&world);
    let got = match supply.roots.target(&*supply.files, given) {
        Ok(target) => format!(
            "{} {} {:?}",
            target.path.display(),
            target.shown,
            target.place
        ),
        Err(failure) => failure.0,
    };
    assert_eq!(got, expected);
}

#[test]
fn paths_are_judged_where_they_lead() {
    check_place("a.txt", "/repo/a.txt a.txt Inside");
    check_place("sub/../a.txt", "/repo/a.txt a.txt Inside");
    check_place(".", "/repo . Inside");
    check_place("new/deep.txt", "/repo/new/deep.txt new/deep.txt Inside");
    check_place("../etc/passwd", "/etc/passwd /etc/passwd Outside");
    check_place("out/passwd", "/etc/passwd /etc/passwd Outside");
    check_place("out/new", "/etc/new /etc/new Outside");
    check_place("~/x", "/home/me/x /home/me/x Outside");
    check_place(".env", "/repo/.env .env Secret");
    check_place(".env.example", "/repo/.env.example .env.example Inside");
    check_place(
        "keys/server.pem",
        "/repo/keys/server.pem keys/server.pem Secret",
    );
    check_place("dead", "`dead` goes through a link that leads nowhere");
    check_place(
        "new/../../etc/passwd",
        "`new/../../etc/passwd` climbs out of a folder that does not exist",
    );
    check_place("a\u{0}b", "the path holds the control character `\\0`");
    check_place("", "the path is empty; `.` is the workspace");
}

#[test]
fn a_schema_is_lean_and_says_its_bounds() {
    let schema = (probe::CONTRACT.schema)();
    assert_eq!(
        schema.to_string(),
        r#"{"type":"object","properties":{"effect":{"type":"string","enum":["read","own","reach","change","spend","destroy"],"description":"Name of the effect."},"word":{"type":"string","minLength":1,"description":"Any word."},"number":{"type":"integer","minimum":1,"maximum":9,"description":"A number."}},"required":["effect","word"],"additionalProperties":false}"#
    );
    assert!(Value::from("x") != object! {});
    let _: fn(Effect, Subject) -> Plan = Plan::of;
}
