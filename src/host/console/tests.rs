//! Standard streams of every kind: slow, gone, shared with others, set not to block.

use std::io::{Read, Seek, SeekFrom};
use std::os::unix::net::UnixStream;
use std::thread;

use super::*;
use crate::host::clock::SystemClock;
use crate::host::scratch::{Scratch, alone, never, say_skipped};
use crate::host::threads::Crew;
use crate::world::{Event, Signal, Threads};

fn crew() -> Crew {
    Crew::new(std::sync::Arc::new(SystemClock::new()))
}

/// Every way in which a pipe may be written, over the same descriptor.
fn pipe_sinks(fd: BorrowedFd<'_>) -> [Sink<'_>; 2] {
    let own = Sink::new(fd);
    assert!(matches!(own.way, Way::Own(_)), "a pipe is opened again");
    let shared = Sink {
        fd,
        way: Way::Shared,
        is_terminal: false,
    };
    [own, shared]
}

/// A megabyte in which every place differs from its neighbours.
fn megabyte() -> Vec<u8> {
    (0..1_000_000u32).map(|index| (index % 251) as u8).collect()
}

fn read_all(mut from: impl Read + Send + 'static) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut piece = [0; 1000];
        while let Ok(count @ 1..) = from.read(&mut piece) {
            bytes.extend(&piece[..count]);
        }
        bytes
    })
}

#[test]
fn a_slow_reader_gets_every_byte() {
    let _turn = alone();
    for way in 0..2 {
        let (reader, writer) = io::pipe().unwrap();
        let reading = read_all(reader);
        {
            let sink = &pipe_sinks(writer.as_fd())[way];
            sink.write(&megabyte(), &never()).unwrap();
        }
        drop(writer);
        assert!(reading.join().unwrap() == megabyte());
    }
}

#[test]
fn a_pipe_that_was_inherited_as_non_blocking_gets_every_byte_too() {
    let _turn = alone();
    for way in 0..2 {
        let (reader, writer) = io::pipe().unwrap();
        sys::set_nonblocking(&writer).unwrap();
        let reading = read_all(reader);
        pipe_sinks(writer.as_fd())[way]
            .write(&megabyte(), &never())
            .unwrap();
        drop(writer);
        assert!(reading.join().unwrap() == megabyte());
    }
}

#[test]
fn the_inherited_pipe_keeps_its_flags() {
    let (_reader, writer) = io::pipe().unwrap();
    let flags = || {
        let text = format!("/proc/self/fdinfo/{}", writer.as_raw_fd());
        let text = std::fs::read_to_string(text).unwrap();
        text.lines().nth(1).unwrap().to_string()
    };
    let before = flags();
    Sink::new(writer.as_fd()).write(b"x", &never()).unwrap();
    assert_eq!(flags(), before);
}

#[test]
fn a_full_pipe_is_left_when_the_flag_is_set() {
    let _turn = alone();
    let crew = crew();
    for way in 0..2 {
        // One flag that wakes, one that must be looked at.
        for cancel in [crew.cancel(), never()] {
            let (reader, writer) = io::pipe().unwrap();
            let flag = cancel.clone();
            let writing = thread::spawn(move || {
                let sink = &pipe_sinks(writer.as_fd())[way];
                sink.write(&megabyte(), &flag).unwrap_err().kind()
            });
            // The writer is inside: something has arrived, and nobody reads the rest.
            assert_eq!((&reader).read(&mut [0; 1]).unwrap(), 1);
            cancel.set();
            assert_eq!(writing.join().unwrap(), ErrorKind::Interrupted);
            drop(reader);
        }
    }
}

#[test]
fn a_signal_frees_a_driver_that_is_stuck_in_a_write_and_is_told_by_the_next_wait() {
    let _turn = alone();
    let crew = crew();
    let cancel = crew.cancel();
    let (reader, writer) = io::pipe().unwrap();
    let sending = thread::spawn(move || {
        assert_eq!((&reader).read(&mut [0; 1]).unwrap(), 1);
        sys::signal_process(std::process::id(), sys::SIGTERM).unwrap();
        reader
    });
    let error = Sink::new(writer.as_fd())
        .write(&megabyte(), &cancel)
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert!(cancel.is_set());
    assert_eq!(crew.wait(&[], None), Event::Signal(Signal::Terminate));
    sending.join().unwrap();
}

#[test]
fn nothing_is_written_once_the_flag_is_set() {
    let (mut reader, writer) = io::pipe().unwrap();
    let cancel = never();
    cancel.set();
    let sink = Sink::new(writer.as_fd());
    let error = sink.write(b"late", &cancel).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    drop(sink);
    drop(writer);
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes, b"");
}

#[test]
fn a_reader_that_went_away_is_a_broken_pipe() {
    let _turn = alone();
    let check = |sink: &Sink<'_>| {
        let error = sink.write(b"x", &never()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
    };
    // Gone while it is written to, and gone before the first write.
    let (reader, writer) = io::pipe().unwrap();
    let sinks = pipe_sinks(writer.as_fd());
    drop(reader);
    sinks.iter().for_each(check);
    check(&Sink::new(writer.as_fd()));
    let (one, other) = UnixStream::pair().unwrap();
    let sink = Sink::new(one.as_fd());
    assert!(matches!(sink.way, Way::Socket));
    drop(other);
    check(&sink);
}

#[test]
fn a_blocking_socket_never_blocks_a_write() {
    let _turn = alone();
    let crew = crew();
    let (one, other) = UnixStream::pair().unwrap();
    let reading = read_all(other.try_clone().unwrap());
    Sink::new(one.as_fd()).write(&megabyte(), &never()).unwrap();
    drop(one);
    assert!(reading.join().unwrap() == megabyte());

    let (one, mut other) = UnixStream::pair().unwrap();
    let cancel = crew.cancel();
    let flag = cancel.clone();
    let writing = thread::spawn(move || {
        let sink = Sink::new(one.as_fd());
        sink.write(&megabyte(), &flag).unwrap_err().kind()
    });
    assert_eq!(other.read(&mut [0; 1]).unwrap(), 1);
    cancel.set();
    assert_eq!(writing.join().unwrap(), ErrorKind::Interrupted);
}

#[test]
fn a_file_is_written_where_the_shell_left_it() {
    let scratch = Scratch::new();
    let path = scratch.at("out");
    std::fs::write(&path, "before|").unwrap();
    let mut file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&path)
        .unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    let sink = Sink::new(file.as_fd());
    assert!(matches!(sink.way, Way::Whole));
    sink.write(&megabyte(), &never()).unwrap();
    sink.write(b"|after", &never()).unwrap();
    let expected = [b"before|".as_slice(), &megabyte(), b"|after"].concat();
    assert!(std::fs::read(&path).unwrap() == expected);
}

#[test]
fn a_full_disk_is_an_error() {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else {
        say_skipped("no /dev/full");
        return;
    };
    let error = Sink::new(full.as_fd()).write(b"x", &never()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
}

#[test]
fn input_is_of_a_kind() {
    let check = |fd: BorrowedFd<'_>, expected| assert_eq!(input_kind(fd), expected);
    let (reader, _writer) = io::pipe().unwrap();
    check(reader.as_fd(), InputKind::Pipe);
    let file = File::open("/proc/self/exe").unwrap();
    check(file.as_fd(), InputKind::File);
    for device in ["/dev/null", "/dev/zero"] {
        check(File::open(device).unwrap().as_fd(), InputKind::Empty);
    }
    check(UnixStream::pair().unwrap().0.as_fd(), InputKind::Empty);
    check(File::open("/").unwrap().as_fd(), InputKind::Empty);
}

#[test]
fn device_numbers_come_apart_as_stat_prints_them() {
    // `stat -c '%Hr %d'`-style pairs by the kernel's encoding: pts/0 is 136,0, tty0 4,0, null 1,3.
    for (device, expected) in [(0x8800, 136), (0x8f07, 143), (0x0400, 4), (0x0103, 1)] {
        assert_eq!(major(device), expected, "{device:#x}");
    }
    assert_eq!(major(0x1234_5000_0000_0000), 0x1234_5000);
}

#[test]
fn a_terminal_is_opened_again_for_writing() {
    if !crate::host::scratch::has_program("script") {
        return;
    }
    // The library has no way to make a pseudo-terminal; `script` has. It runs this very test
    // binary as what stands behind the terminal.
    let own = std::env::current_exe().unwrap();
    let name = "host::console::tests::behind_a_terminal";
    let command = format!("{} --exact {name} --ignored --nocapture", own.display());
    let scratch = Scratch::new();
    let output = std::process::Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(scratch.path())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("a terminal wrote this"), "{text}");
}

#[test]
#[ignore = "run by the test above, behind a terminal"]
fn behind_a_terminal() {
    let streams = Streams::new();
    assert!(streams.is_terminal(Standard::Output));
    let sink = Sink::new(borrow(Standard::Output));
    assert!(matches!(sink.way, Way::Own(_)), "opened again");
    streams
        .write(Standard::Output, b"a terminal wrote this\n", &never())
        .unwrap();
}
