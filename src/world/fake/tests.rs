//! Tests of the fake world: what other tests rest on.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::world::{Event, InputKind, Interest, Peer, Standard, Stream};

fn ms(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn peer(text: &str) -> Peer {
    Peer::Ip(text.parse().unwrap())
}

#[test]
fn time_passes_only_in_waits_and_goes_to_the_next_thing() {
    let fake = Fake::new();
    let script = vec![
        Step::Request,
        Step::send_after(70_000, "one"),
        Step::send_after(50_000, "two"),
        Step::fin(),
    ];
    fake.serve("127.0.0.1:80", vec![Connection::new(script)]);
    let world = fake.world();
    let mut stream = world.net.connect(&peer("127.0.0.1:80")).unwrap();
    let read = [Interest::read(stream.source())];
    let mut buffer = [0; 16];
    assert_eq!(
        stream.read(&mut buffer).unwrap_err().kind(),
        ErrorKind::WouldBlock
    );
    assert_eq!(stream.write(b"GET / HTTP/1.1\r\n\r\n").unwrap(), 18);
    assert_eq!(fake.time(), ms(0));
    assert_eq!(
        world.threads.wait(&read, Some(Moment(ms(1000)))),
        Event::Tick
    );
    assert_eq!(fake.time(), ms(1000));
    assert_eq!(
        world.threads.wait(&read, None),
        Event::Ready(stream.source())
    );
    assert_eq!(fake.time(), ms(70_000));
    assert_eq!(stream.read(&mut buffer).unwrap(), 3);
    world.threads.wait(&read, None);
    assert_eq!(stream.read(&mut buffer[..1]).unwrap(), 1);
    assert_eq!(stream.read(&mut buffer).unwrap(), 2);
    assert_eq!(
        (fake.time(), stream.read(&mut buffer).unwrap()),
        (ms(120_000), 0)
    );
    drop(stream);
    let record = fake.connections().remove(0);
    assert_eq!(record.written, b"GET / HTTP/1.1\r\n\r\n");
    assert_eq!(record.closed, Some(Moment(ms(120_000))));
}

#[test]
fn a_wait_that_nothing_ends_fails_the_test() {
    let fake = Fake::new();
    fake.serve("127.0.0.1:80", vec![Connection::never()]);
    let world = fake.world();
    let stream = world.net.connect(&peer("127.0.0.1:80")).unwrap();
    let hang = catch_unwind(AssertUnwindSafe(|| {
        world
            .threads
            .wait(&[Interest::write(stream.source())], None)
    }));
    let text = *hang.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("nothing can ever happen"), "{text}");
    let spin = catch_unwind(AssertUnwindSafe(|| {
        loop {
            world.threads.wait(&[], Some(Moment::default()));
        }
    }));
    let text = *spin.unwrap_err().downcast::<String>().unwrap();
    assert!(text.contains("nothing done between"), "{text}");
}

#[test]
fn connections_are_made_refused_or_never_answered() {
    let fake = Fake::new();
    let kind = ErrorKind::HostUnreachable;
    fake.serve(
        "127.0.0.1:80",
        vec![
            Connection::new(vec![]).after(ms(300)),
            Connection::refuse(kind, ms(20)),
            Connection::fail(kind),
        ],
    );
    let world = fake.world();
    let address = peer("127.0.0.1:80");
    let mut stream = world.net.connect(&address).unwrap();
    assert_eq!(
        stream.connected().unwrap_err().kind(),
        ErrorKind::WouldBlock
    );
    world
        .threads
        .wait(&[Interest::write(stream.source())], None);
    assert_eq!((fake.time(), stream.connected().is_ok()), (ms(300), true));
    let mut stream = world.net.connect(&address).unwrap();
    world
        .threads
        .wait(&[Interest::write(stream.source())], None);
    assert_eq!(fake.time(), ms(320));
    assert_eq!(stream.connected().unwrap_err().kind(), kind);
    assert_eq!(world.net.connect(&address).err().unwrap().kind(), kind);
    let mut stream = world.net.connect(&address).unwrap();
    assert_eq!(
        stream.connected().unwrap_err().kind(),
        ErrorKind::ConnectionRefused
    );
}

#[test]
fn a_window_blocks_writes_until_the_reset() {
    let fake = Fake::new();
    let steps = vec![
        Step::Bytes(4),
        Step::send("no"),
        Step::End {
            end: End::Reset,
            delay: ms(10),
        },
    ];
    fake.serve("[::1]:80", vec![Connection::new(steps).window(6)]);
    let world = fake.world();
    let mut stream = world.net.connect(&peer("[::1]:80")).unwrap();
    assert_eq!(stream.write(b"0123456789").unwrap(), 6);
    assert_eq!(
        stream.write(b"6789").unwrap_err().kind(),
        ErrorKind::WouldBlock
    );
    world
        .threads
        .wait(&[Interest::write(stream.source())], None);
    assert_eq!(fake.time(), ms(10));
    assert_eq!(
        stream.write(b"6789").unwrap_err().kind(),
        ErrorKind::ConnectionReset
    );
    let mut buffer = [0; 8];
    assert_eq!(stream.read(&mut buffer).unwrap(), 2);
    assert_eq!(
        stream.read(&mut buffer).unwrap_err().kind(),
        ErrorKind::ConnectionReset
    );
}

#[test]
fn two_ends_in_one_world_speak_with_each_other() {
    let fake = Fake::new();
    let world = fake.world();
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let mut listener = world.net.listen(any).unwrap();
    let mut ours = world.net.connect(&Peer::Ip(listener.address())).unwrap();
    assert_eq!(
        world
            .threads
            .wait(&[Interest::read(listener.source())], None),
        Event::Ready(listener.source())
    );
    let mut theirs = listener.accept().unwrap();
    ours.write(b"hello").unwrap();
    let mut buffer = [0; 8];
    assert_eq!(theirs.read(&mut buffer).unwrap(), 5);
    drop(theirs);
    assert_eq!(ours.read(&mut buffer).unwrap(), 0);
    assert_eq!(ours.write(b"x").unwrap_err().kind(), ErrorKind::BrokenPipe);
}

#[test]
fn names_are_found_late_or_not() {
    let fake = Fake::new();
    let found = Found::Addresses(vec!["10.0.0.1".parse().unwrap()], ms(40));
    fake.name("box", found).name("silent", Found::Never);
    let world = fake.world();
    let mut lookup = world.net.lookup("box", 8080);
    assert!(lookup.take().is_none());
    world.threads.wait(&[Interest::read(lookup.source())], None);
    let addresses = lookup.take().unwrap().unwrap();
    assert_eq!(addresses, ["10.0.0.1:8080".parse().unwrap()]);
    assert_eq!(
        world
            .net
            .lookup("localhost", 1)
            .take()
            .unwrap()
            .unwrap()
            .len(),
        2
    );
    assert!(world.net.lookup("nobody", 1).take().unwrap().is_err());
    let silent = world.net.lookup("silent", 1);
    let cancel = world.threads.cancel();
    let until = Some(Moment(ms(5000)));
    assert_eq!(
        world
            .threads
            .poll(&[Interest::read(silent.source())], until, &cancel),
        None
    );
    assert_eq!(fake.time(), ms(5000));
}

#[test]
fn signals_and_cancels_come_when_told() {
    let fake = Fake::new();
    let world = fake.world();
    let cancel = world.threads.cancel();
    fake.at(ms(3000), Action::Signal(Signal::Interrupt));
    fake.at(ms(4000), Action::Set(cancel.clone()));
    fake.at_wait(3, Action::Cancel);
    assert_eq!(
        world.threads.wait(&[], None),
        Event::Signal(Signal::Interrupt)
    );
    assert_eq!(fake.time(), ms(3000));
    let set = Interest::read(cancel.source().unwrap());
    assert_eq!(world.threads.wait(&[set], None), Event::Ready(set.source));
    assert_eq!(fake.time(), ms(4000));
    let other = world.threads.cancel();
    assert_eq!(
        world.threads.poll(&[], Some(Moment(ms(9000))), &other),
        None
    );
    assert!(other.is_set());
    assert_eq!(fake.time(), ms(4000));
    fake.at_operation(
        fake.operations() + 2,
        Action::Run(Box::new(|fake| {
            fake.add_file("/x", "appeared");
        })),
    );
    assert!(world.files.read(Path::new("/x"), 9).is_err());
    assert_eq!(
        world.files.read(Path::new("/x"), 9).unwrap(),
        b"appeared"[..8]
    );
}

#[test]
fn a_signal_reaches_a_job_that_waits_as_its_cancel() {
    let fake = Fake::new();
    let world = fake.world();
    let cancel = world.threads.cancel();
    fake.at(ms(10), Action::Signal(Signal::Terminate));
    assert_eq!(world.threads.poll(&[], None, &cancel), None);
    assert_eq!(
        world.threads.wait(&[], None),
        Event::Signal(Signal::Terminate)
    );
}

#[test]
fn jobs_run_at_once_and_their_panics_stay_inside() {
    let fake = Fake::new();
    let world = fake.world();
    let inside = fake.clone();
    world.threads.start(
        CallId(1),
        Box::new(move || {
            inside.add_file("/ran", "");
        }),
    );
    world
        .threads
        .start(CallId(2), Box::new(|| panic!("on purpose")));
    assert_eq!(fake.file("/ran"), Some(vec![]));
    assert_eq!(
        world.threads.wait(&[], None),
        Event::Finished(CallId(1), None)
    );
    let text = Some("on purpose".to_owned());
    assert_eq!(
        world.threads.wait(&[], None),
        Event::Finished(CallId(2), text)
    );
}

#[test]
fn files_follow_links_and_keep_what_a_tree_keeps() {
    let fake = Fake::new();
    fake.add_file("/a/b/c.txt", "text")
        .add_link("/a/l", "b/../b/c.txt")
        .add_link("/loop", "/loop");
    let files = fake.world().files;
    let path = Path::new("/a/l");
    assert_eq!(files.read(path, 2).unwrap(), b"te");
    assert_eq!(
        files.stat(path, false).unwrap().kind,
        crate::world::Kind::Link
    );
    assert_eq!(files.resolve(path).unwrap(), Path::new("/a/b/c.txt"));
    assert!(files.resolve(Path::new("/loop")).is_err());
    let before = files.stat(path, true).unwrap().identity;
    files.replace(path, b"new", Some(0o600)).unwrap();
    assert_eq!(fake.file("/a/b/c.txt").unwrap(), b"new");
    assert_ne!(files.stat(path, true).unwrap().identity, before);
    assert_eq!(fake.mode("/a/b/c.txt"), Some(0o600));
    let kind = |result: io::Result<()>| result.unwrap_err().kind();
    assert_eq!(
        kind(files.create(Path::new("/a/l"), b"", None)),
        ErrorKind::AlreadyExists
    );
    assert_eq!(
        kind(files.create(Path::new("/no/x"), b"", None)),
        ErrorKind::NotFound
    );
    assert_eq!(
        kind(files.remove_dir(Path::new("/a"))),
        ErrorKind::DirectoryNotEmpty
    );
    assert_eq!(
        kind(files.rename(Path::new("/a/b"), Path::new("/a/l"))),
        ErrorKind::AlreadyExists
    );
    files.rename(Path::new("/a/b"), Path::new("/z")).unwrap();
    assert_eq!(fake.file("/z/c.txt").unwrap(), b"new");
    files.create_dir(Path::new("/p/q/r")).unwrap();
    files.create_dir(Path::new("/p/q/r")).unwrap();
    assert_eq!(files.list(Path::new("/p"), 0).unwrap(), (vec![], true));
}

#[test]
fn faults_come_at_the_nth_operation() {
    let fake = Fake::new();
    let files = fake.world().files;
    fake.fail_file(FileOperation::Write, 2, ErrorKind::StorageFull)
        .add_file("/s/x", "")
        .deny("/s");
    files.create(Path::new("/1"), b"", None).unwrap();
    let full = files.create(Path::new("/2"), b"", None).unwrap_err();
    assert_eq!(
        (full.kind(), fake.file("/2")),
        (ErrorKind::StorageFull, None)
    );
    files.create(Path::new("/2"), b"", None).unwrap();
    let denied = files.read(Path::new("/s/x"), 1).unwrap_err();
    assert_eq!(denied.kind(), ErrorKind::PermissionDenied);
}

#[test]
fn the_console_reads_writes_blocks_and_breaks() {
    let fake = Fake::new();
    let typed = vec![Typed::Bytes(ms(100), b"ls\n".to_vec()), Typed::End(ms(50))];
    fake.set_input(InputKind::Terminal, typed)
        .close_output_after(Standard::Output, 5);
    fake.slow_output(Standard::Error, 1, ms(10));
    let world = fake.world();
    let source = world.console.source(Standard::Input);
    let mut buffer = [0; 8];
    assert_eq!(
        world.threads.wait(&[Interest::read(source)], None),
        Event::Ready(source)
    );
    assert_eq!(world.console.read(&mut buffer).unwrap(), 3);
    world.threads.wait(&[Interest::read(source)], None);
    assert_eq!(
        (world.console.read(&mut buffer).unwrap(), fake.time()),
        (0, ms(150))
    );
    let cancel = world.threads.cancel();
    world.write(Standard::Output, b"abc", &cancel).unwrap();
    let broken = world.write(Standard::Output, b"def", &cancel).unwrap_err();
    assert_eq!(broken.kind(), ErrorKind::BrokenPipe);
    assert_eq!(fake.stdout_text(), "abcde");
    let gone = Interest::hangup(world.console.source(Standard::Output));
    assert_eq!(world.threads.wait(&[gone], None), Event::Ready(gone.source));
    world.write(Standard::Error, b"abc", &cancel).unwrap();
    assert_eq!(fake.time(), ms(180));
    fake.at(ms(195), Action::Cancel);
    let cut = world.write(Standard::Error, b"def", &cancel).unwrap_err();
    assert_eq!(
        (cut.kind(), fake.stderr_text().as_str()),
        (ErrorKind::Interrupted, "abcd")
    );
}

#[test]
fn segments_become_scripts() {
    let segment = |connection, request, bytes: &str, end| Segment {
        bytes: bytes.into(),
        delay_ms: 5,
        times: 2,
        connection,
        request,
        is_early: request == 2,
        end,
    };
    let segments = [
        segment(1, 1, "a", None),
        segment(1, 2, "b", Some(End::Reset)),
        segment(2, 1, "c", Some(End::Fin)),
    ];
    let fake = Fake::new();
    fake.serve("[::1]:80", Connection::from_segments(&segments));
    let world = fake.world();
    let mut first = world.net.connect(&peer("[::1]:80")).unwrap();
    let mut second = world.net.connect(&peer("[::1]:80")).unwrap();
    let mut buffer = [0; 8];
    let read = |stream: &mut Box<dyn Stream>, buffer: &mut [u8]| {
        world.threads.wait(&[Interest::read(stream.source())], None);
        stream.read(buffer).map_err(|error| error.kind())
    };
    first.write(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert_eq!(read(&mut first, &mut buffer), Ok(1));
    assert_eq!(
        (read(&mut first, &mut buffer), fake.time()),
        (Ok(1), ms(10))
    );
    first
        .write(b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n")
        .unwrap();
    assert_eq!(read(&mut first, &mut buffer), Ok(1));
    assert_eq!(read(&mut first, &mut buffer), Ok(1));
    assert_eq!(
        read(&mut first, &mut buffer),
        Err(ErrorKind::ConnectionReset)
    );
    assert_eq!(fake.time(), ms(20));
    second.write(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    assert_eq!(read(&mut second, &mut buffer), Ok(1));
    assert_eq!(read(&mut second, &mut buffer), Ok(1));
    assert_eq!(read(&mut second, &mut buffer), Ok(0));
}
