//! A pseudo-terminal: the only part of the tests that talks to the system directly.

#![allow(unsafe_code, reason = "std opens no pseudo-terminal")]

use std::ffi::{CStr, c_char, c_int, c_ulong};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use crate::seen::Seen;

// Values of Linux on every architecture that we build for.
const O_RDWR: c_int = 0o2;
const O_NOCTTY: c_int = 0o400;
const O_CLOEXEC: c_int = 0o2_000_000;
const TIOCSCTTY: c_ulong = 0x540e;
const TIOCSWINSZ: c_ulong = 0x5414;

/// `struct winsize`.
#[repr(C)]
struct Size {
    rows: u16,
    columns: u16,
    width: u16,
    height: u16,
}

unsafe extern "C" {
    fn posix_openpt(flags: c_int) -> c_int;
    fn grantpt(fd: c_int) -> c_int;
    fn unlockpt(fd: c_int) -> c_int;
    fn ptsname_r(fd: c_int, buffer: *mut c_char, length: usize) -> c_int;
    fn ioctl(fd: c_int, request: c_ulong, ...) -> c_int;
    fn setsid() -> c_int;
}

/// The side of the person: what is written is typed, what is read is on the screen.
pub(crate) struct Pty {
    master: File,
    terminal: PathBuf,
}

impl Pty {
    /// A terminal of that size, in cells.
    pub(crate) fn open(columns: u16, rows: u16) -> io::Result<Self> {
        // SAFETY: takes a number, returns a new descriptor or -1.
        let fd = checked(unsafe { posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) })?;
        // SAFETY: the descriptor is new and nobody else's.
        let master = File::from(unsafe { OwnedFd::from_raw_fd(fd) });
        let mut name = [0; 128];
        // SAFETY: these take an open descriptor; the buffer lives through the call and its length is given.
        unsafe {
            checked(grantpt(fd))?;
            checked(unlockpt(fd))?;
            match ptsname_r(fd, name.as_mut_ptr(), name.len()) {
                0 => (),
                error => return Err(io::Error::from_raw_os_error(error)),
            }
        }
        // SAFETY: `ptsname_r` succeeded, so the buffer holds a string that ends in a zero.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) };
        let pty = Self {
            master,
            terminal: PathBuf::from(name.to_string_lossy().into_owned()),
        };
        pty.resize(columns, rows)?;
        Ok(pty)
    }

    /// The window gets another size; whoever runs in it is told by SIGWINCH.
    pub(crate) fn resize(&self, columns: u16, rows: u16) -> io::Result<()> {
        let size = Size {
            rows,
            columns,
            width: 0,
            height: 0,
        };
        // SAFETY: TIOCSWINSZ reads one `winsize`, which `Size` matches, through a live pointer.
        checked(unsafe { ioctl(self.master.as_raw_fd(), TIOCSWINSZ, &raw const size) })?;
        Ok(())
    }

    /// The program's side, once for each stream that is to be the terminal.
    pub(crate) fn terminal(&self) -> io::Result<File> {
        OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(O_NOCTTY)
            .open(&self.terminal)
    }

    /// Lets the program that `command` starts lead a session of its own, whose terminal is its standard input.
    pub(crate) fn lead(command: &mut Command) {
        // SAFETY: between fork and exec only two system calls are made, which allocate nothing and take no lock.
        unsafe {
            command.pre_exec(|| {
                checked(setsid())?;
                checked(ioctl(0, TIOCSCTTY, 0 as c_int))?;
                Ok(())
            });
        }
    }

    /// Types `keys`.
    pub(crate) fn write(&self, keys: &[u8]) -> io::Result<()> {
        (&self.master).write_all(keys)
    }

    /// Adds what comes to the screen to what was seen on standard output, until everybody closed the terminal.
    pub(crate) fn watch(&self, seen: &Seen) -> io::Result<thread::JoinHandle<()>> {
        let mut master = self.master.try_clone()?;
        let seen = seen.clone();
        seen.update(|state| state.open_outputs += 1);
        Ok(thread::spawn(move || {
            let mut buffer = [0; 4096];
            // A terminal that nobody holds open any more ends with an error.
            while let Ok(count @ 1..) = master.read(&mut buffer) {
                seen.update(|state| state.stdout.extend(&buffer[..count]));
            }
            seen.update(|state| state.open_outputs -= 1);
        }))
    }
}

fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}

#[test]
fn a_shell_sees_a_terminal_of_its_own() {
    let pty = Pty::open(91, 17).unwrap();
    let seen = Seen::default();
    let mut command = Command::new("sh");
    command
        .args(["-c", "read line; stty size; echo \"[$line]\" >/dev/tty; trap 'echo caught; exit 3' INT; echo ready; read more"])
        .stdin(pty.terminal().unwrap())
        .stdout(pty.terminal().unwrap())
        .stderr(pty.terminal().unwrap());
    Pty::lead(&mut command);
    let mut child = command.spawn().unwrap();
    drop(command); // It holds the terminal open.
    let watcher = pty.watch(&seen).unwrap();
    let until = std::time::Instant::now() + std::time::Duration::from_secs(20);
    pty.write(b"typed\r").unwrap();
    assert!(seen.wait(until, |state| {
        String::from_utf8_lossy(&state.stdout).contains("ready")
    }));
    // Ctrl-C reaches the program because the terminal is the one of its session.
    pty.write(b"\x03").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    watcher.join().unwrap();
    let screen = String::from_utf8_lossy(&seen.state().stdout).into_owned();
    assert!(
        screen.contains("17 91") && screen.contains("[typed]") && screen.contains("caught"),
        "{screen}"
    );
}
