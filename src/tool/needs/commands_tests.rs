//! Commands on programs in memory: what they print, how they end, and what is left of them.

use std::sync::Arc;

use super::*;
use crate::tool::trial::supply;
use crate::world::fake::{Action, Fake, Program};
use crate::world::{Process, World};

const SECOND: Duration = Duration::from_secs(1);

fn command(input: Option<&[u8]>, is_merged: bool) -> Command {
    Command {
        spawn: Spawn {
            program: "p".into(),
            directory: "/repo".into(),
            has_input: input.is_some(),
            is_merged,
            ..Spawn::default()
        },
        input: input.unwrap_or_default().to_vec(),
        timeout: Some(10 * SECOND),
        output_bytes_max: 1_000,
    }
}

fn call(world: &World) -> Call {
    Call {
        cancel: world.threads.cancel(),
        deadline: None,
        output_bytes_max: 1_000,
        progress: Arc::new(|_| ()),
    }
}

/// Runs the program `p` that does what `program` says.
fn run(fake: &Fake, program: &Program, command: Command) -> Result<Ran, Failure> {
    let program = program.clone();
    fake.add_dir("/repo").program("p", move |_| program.clone());
    let world = fake.world();
    Commands::grant(&supply(&world)).run(command, &call(&world))
}

fn process(pid: u32) -> Process {
    Process {
        pid,
        parent: 1,
        name: "sleep".to_owned(),
        command: "sleep 100".to_owned(),
        started_ticks: 1,
        started: 0,
        user: 0,
    }
}

/// Both with and without a way to wait for a child's end.
fn each_world(test: impl Fn(&Fake)) {
    test(&Fake::new());
    let blind = Fake::new();
    blind.without_exit_sources();
    test(&blind);
}

#[test]
fn output_and_end_are_taken() {
    each_world(|fake| {
        let program = Program::new("out1\n", 3)
            .then_error(SECOND, "err\n")
            .then(SECOND, "out2\n")
            .exits(SECOND, Exit::Code(3));
        let ran = run(fake, &program, command(None, false)).unwrap();
        assert_eq!(ran.ended, Ended::Exited(Exit::Code(3)));
        assert_eq!(
            (ran.output.text().as_str(), ran.errors.text().as_str()),
            ("out1\nout2\n", "err\n")
        );
        assert!(ran.left.is_empty() && ran.took.as_secs() == 3, "{ran:?}");
        assert_eq!(fake.started()[0].reaped, Some(Exit::Code(3)));
    });
    let merged = run(
        &Fake::new(),
        &Program::new("a", 0)
            .then_error(SECOND, "b")
            .then(SECOND, "c"),
        command(None, true),
    )
    .unwrap();
    assert_eq!(merged.output.text(), "abc");
    let ended = run(
        &Fake::new(),
        &Program::endless().exits(SECOND, Exit::Signal(11)),
        command(None, true),
    )
    .unwrap()
    .ended;
    assert_eq!(ended, Ended::Exited(Exit::Signal(11)));
}

#[test]
fn input_is_fed_whole_and_closed() {
    let input = vec![b'x'; 3_000_000];
    let program = Program::reading(|input| Program::new(format!("{} bytes", input.len()), 0));
    each_world(|fake| {
        let ran = run(fake, &program, command(Some(&input), true)).unwrap();
        assert_eq!(ran.output.text(), "3000000 bytes");
    });
    let ran = run(&Fake::new(), &program, command(Some(b""), true)).unwrap();
    assert_eq!(ran.output.text(), "0 bytes");
    // Who does not read its input ends all the same.
    let ran = run(
        &Fake::new(),
        &Program::new("done", 0),
        command(Some(&input), true),
    )
    .unwrap();
    assert_eq!(ran.output.text(), "done");
}

#[test]
fn a_child_that_does_not_end_is_asked_then_killed() {
    each_world(|fake| {
        let ran = run(fake, &Program::endless().stubborn(), command(None, true)).unwrap();
        assert_eq!(ran.ended, Ended::TimedOut);
        let stops: Vec<Stop> = fake.started()[0]
            .stops
            .iter()
            .map(|(_, stop)| *stop)
            .collect();
        assert_eq!(stops, [Stop::Ask, Stop::Kill]);
        assert!(
            fake.time() <= 10 * SECOND + STOP_GRACE + LINGER,
            "{:?}",
            fake.time()
        );
        assert_eq!(fake.started()[0].reaped, Some(Exit::Signal(9)));
    });
    each_world(|fake| {
        run(fake, &Program::endless(), command(None, true)).unwrap();
        assert!(
            fake.time() <= 10 * SECOND + LOOK,
            "a child that obeys is not waited for: {:?}",
            fake.time()
        );
    });
}

#[test]
fn what_is_left_behind_is_stopped_and_named() {
    each_world(|fake| {
        let program = Program::new("x", 0).leaving((5..12).map(process).collect());
        let ran = run(fake, &program, command(None, true)).unwrap();
        assert_eq!(ran.ended, Ended::Exited(Exit::Code(0)));
        assert_eq!(
            ran.left,
            [
                "sleep (5)",
                "sleep (6)",
                "sleep (7)",
                "sleep (8)",
                "sleep (9)",
                "2 more"
            ]
        );
        assert!(fake.time() <= LINGER + STOP_GRACE, "{:?}", fake.time());
    });
    each_world(|fake| {
        let program = Program::new("x", 0).leaving(vec![process(5)]).stubborn();
        let ran = run(fake, &program, command(None, true)).unwrap();
        assert_eq!(ran.left, ["sleep (5)"]);
        let stops: Vec<Stop> = fake.started()[0]
            .stops
            .iter()
            .map(|(_, stop)| *stop)
            .collect();
        assert_eq!(stops, [Stop::Ask, Stop::Kill]);
        assert!(fake.time() <= 2 * LINGER + STOP_GRACE, "{:?}", fake.time());
    });
}

#[test]
fn a_cancel_ends_it_at_every_wait() {
    let program = Program::new("a", 0)
        .then(SECOND, "b")
        .then(SECOND, "c")
        .exits(SECOND, Exit::Code(0))
        .stubborn();
    let whole = Fake::new();
    run(&whole, &program, command(Some(b"in"), false)).unwrap();
    for n in 1..=whole.waits() {
        let fake = Fake::new();
        fake.at_wait(n, Action::Cancel);
        let ran = run(&fake, &program, command(Some(b"in"), false)).unwrap();
        assert_eq!(ran.ended, Ended::Cancelled, "at wait {n}");
        assert!(ran.took <= 3 * SECOND + STOP_GRACE + LINGER);
        assert!(fake.started()[0].reaped.is_some(), "at wait {n}");
    }
    // Cancelled before it began, nothing starts.
    let world = Fake::new();
    let ports = world.world();
    let call = call(&ports);
    call.cancel.set();
    assert!(
        Commands::grant(&supply(&ports))
            .run(command(None, true), &call)
            .unwrap_err()
            .is_cancel()
    );
    assert!(world.started().is_empty());
}

#[test]
fn what_does_not_start_says_why() {
    let fake = Fake::new();
    fake.add_dir("/repo");
    let world = fake.world();
    let commands = Commands::grant(&supply(&world));
    let failure = commands
        .run(command(None, true), &call(&world))
        .unwrap_err();
    assert_eq!(failure.0, "`p` is not installed or not in PATH");
    let mut elsewhere = command(None, true);
    elsewhere.spawn.directory = "/repo/gone".into();
    let failure = commands.run(elsewhere, &call(&world)).unwrap_err();
    assert_eq!(
        failure.0,
        "cannot run `p` in `gone`: there is no such directory"
    );
}

/// A deadline of the turn ends a command that may run longer.
#[test]
fn a_deadline_ends_it() {
    let fake = Fake::new();
    fake.add_dir("/repo").program("p", |_| Program::endless());
    let world = fake.world();
    let call = Call {
        deadline: Some(Moment(SECOND)),
        ..call(&world)
    };
    let ran = Commands::grant(&supply(&world))
        .run(command(None, true), &call)
        .unwrap();
    assert_eq!((ran.ended, ran.took), (Ended::TimedOut, SECOND));
}

/// What is kept of `bytes` that come in pieces of `size`: the head, the tail, and how much lies between.
#[track_caller]
fn check_kept(bytes: &[u8], bytes_max: usize, size: usize) {
    let mut kept = Kept::new(bytes_max);
    bytes.chunks(size).for_each(|piece| kept.push(piece));
    let head = bytes.len().min(bytes_max / 4);
    let tail = (bytes.len() - head).min(bytes_max - bytes_max / 4);
    let mut ring = kept.tail[kept.start..].to_vec();
    ring.extend_from_slice(&kept.tail[..kept.start]);
    assert_eq!(kept.head, &bytes[..head], "{bytes_max} {size}");
    assert_eq!(ring, &bytes[bytes.len() - tail..], "{bytes_max} {size}");
    assert_eq!(kept.total(), bytes.len() as u64);
}

#[test]
fn head_and_tail_are_kept_however_they_come() {
    let bytes: Vec<u8> = (0..=255).cycle().take(700).collect();
    for length in [0, 1, 2, 9, 100, 699] {
        for bytes_max in [0, 1, 2, 3, 4, 5, 7, 64, 100, 699, 700, 1_000] {
            for size in [1, 2, 3, 7, 50, 51, 700] {
                check_kept(&bytes[..length], bytes_max, size);
            }
        }
    }
}

#[test]
fn the_gap_is_counted_and_splits_no_character() {
    let mut kept = Kept::new(8);
    kept.push(b"0123456789abcdef");
    assert_eq!(kept.text(), "01\n… (8 bytes left out) …\nabcdef");
    for text in [
        "éü".repeat(40),
        "€".repeat(40),
        "😀".repeat(40),
        "aé€😀".repeat(20),
    ] {
        for bytes_max in 0..100 {
            let mut kept = Kept::new(bytes_max);
            text.as_bytes().chunks(3).for_each(|piece| kept.push(piece));
            let shown = kept.text();
            assert!(!shown.contains('\u{FFFD}'), "{bytes_max}: {shown}");
            let (head, rest) = shown.split_once("\n… (").unwrap();
            let (dropped, tail) = rest.split_once(" bytes left out) …\n").unwrap();
            assert_eq!(
                head.len() + dropped.parse::<usize>().unwrap() + tail.len(),
                text.len(),
                "{bytes_max}"
            );
            assert!(text.starts_with(head) && text.ends_with(tail));
        }
    }
}

#[test]
fn a_hundred_megabytes_take_no_more_room_than_one() {
    let piece = vec![b'x'; 64 * 1024];
    let mut kept = Kept::new(40_000);
    for _ in 0..1_600 {
        kept.push(&piece);
    }
    assert_eq!(kept.total(), 104_857_600);
    assert!(
        kept.head.capacity() + kept.tail.capacity() <= 100_000,
        "{} {}",
        kept.head.capacity(),
        kept.tail.capacity()
    );
    let mut program = Program::new("", 0);
    for _ in 0..20 {
        program = program.then(Duration::ZERO, &piece);
    }
    let ran = run(&Fake::new(), &program, command(None, true)).unwrap();
    assert_eq!(ran.output.total(), 20 * 64 * 1024);
    assert!(ran.output.text().len() < 1_100);
}

/// A child that prints faster than anybody reads.
struct Flood;

impl Stream for Flood {
    fn source(&self) -> Source {
        Source(1)
    }
    fn connected(&mut self) -> io::Result<()> {
        Ok(())
    }
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(buffer.len())
    }
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Ok(0)
    }
}

/// Or the clock and the cancel would never be looked at again.
#[test]
fn a_flood_is_left_after_some_pieces() {
    let mut kept = Kept::new(100);
    assert!(drain(&mut Flood, &mut kept, &|_| ()));
    assert_eq!(kept.total(), (PIECES_MAX * PIECE_BYTES_MAX) as u64);
}
