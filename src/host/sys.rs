//! The system calls that the standard library lacks: the only unsafe code of the program.
//!
//! Layouts and numbers are those of Linux on x86-64 and aarch64, where they are the same unless a
//! `cfg` says otherwise; glibc and musl agree on all of them.

#![allow(
    unsafe_code,
    reason = "every block says why it is sound, and no other file has one"
)]

use std::ffi::{CString, c_int, c_long, c_short, c_uint, c_ulong, c_ushort, c_void};
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, IntoRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering};

#[cfg(not(all(target_os = "linux", target_pointer_width = "64")))]
compile_error!("src/host/sys.rs has the layouts of 64-bit Linux only");

pub(super) const POLLIN: c_short = 0x1;
pub(super) const POLLOUT: c_short = 0x4;
#[cfg(test)]
pub(super) const POLLERR: c_short = 0x8;
#[cfg(test)]
pub(super) const POLLHUP: c_short = 0x10;
#[cfg(test)]
pub(super) const POLLNVAL: c_short = 0x20;
pub(super) const POLLRDHUP: c_short = 0x2000;

pub(super) const SIGHUP: c_int = 1;
pub(super) const SIGINT: c_int = 2;
pub(super) const SIGKILL: c_int = 9;
pub(super) const SIGTERM: c_int = 15;
pub(super) const SIGCONT: c_int = 18;

#[cfg(test)]
pub(super) const EPERM: i32 = 1;
pub(super) const ESRCH: i32 = 3;
pub(super) const EIO: i32 = 5;
#[cfg(test)]
pub(super) const EAGAIN: i32 = 11;
pub(super) const EINVAL: i32 = 22;
pub(super) const ENOSYS: i32 = 38;
pub(super) const ELOOP: i32 = 40;
const EINTR: i32 = 4;
const EINPROGRESS: i32 = 115;

/// For opening what may be a FIFO or a terminal without waiting and without adopting it.
pub(super) const O_NONBLOCK: c_int = 0o4000;
pub(super) const O_NOCTTY: c_int = 0o400;

const O_CLOEXEC: c_int = 0o2_000_000;
const F_GETFL: c_int = 3;
const F_SETFL: c_int = 4;
const AF_UNIX: u16 = 1;
const AF_INET: u16 = 2;
const AF_INET6: u16 = 10;
const SOCK_STREAM: c_int = 1;
const MSG_DONTWAIT: c_int = 0x40;
const MSG_NOSIGNAL: c_int = 0x4000;
const TIOCGWINSZ: c_ulong = 0x5413;
const SA_RESTART: c_int = 0x1000_0000;
const SIG_IGN: usize = 1;
const AT_FDCWD: c_long = -100;
const NO_FLAGS: c_long = 0;
const RENAME_NOREPLACE: c_long = 1;
const SYS_PIDFD_SEND_SIGNAL: c_long = 424;
const SYS_PIDFD_OPEN: c_long = 434;
#[cfg(target_arch = "x86_64")]
const SYS_RENAMEAT2: c_long = 316;
#[cfg(not(target_arch = "x86_64"))]
const SYS_RENAMEAT2: c_long = 276;

/// The longest path of a unix socket in bytes: `sun_path` less the NUL at its end.
pub(super) const SOCKET_PATH_BYTES_MAX: usize = 107;

/// `struct pollfd`. A negative `fd` is passed over.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct PollFd {
    pub(super) fd: c_int,
    pub(super) events: c_short,
    pub(super) revents: c_short,
}

/// `struct sigaction` of the C library, not the kernel's.
#[repr(C)]
struct SigAction {
    handler: usize,
    mask: [u64; 16],
    flags: c_int,
    restorer: usize,
}

/// `struct winsize`.
#[repr(C)]
struct WinSize {
    rows: c_ushort,
    columns: c_ushort,
    x_pixels: c_ushort,
    y_pixels: c_ushort,
}

const _: () = assert!(size_of::<PollFd>() == 8);
const _: () = assert!(size_of::<SigAction>() == 152);
const _: () = assert!(size_of::<WinSize>() == 8);

unsafe extern "C" {
    fn poll(fds: *mut PollFd, count: c_ulong, timeout_ms: c_int) -> c_int;
    fn eventfd(initial: c_uint, flags: c_int) -> c_int;
    fn fcntl(fd: c_int, command: c_int, ...) -> c_int;
    fn ioctl(fd: c_int, request: c_ulong, ...) -> c_int;
    fn read(fd: c_int, buffer: *mut c_void, bytes: usize) -> isize;
    fn write(fd: c_int, buffer: *const c_void, bytes: usize) -> isize;
    fn send(fd: c_int, buffer: *const c_void, bytes: usize, flags: c_int) -> isize;
    fn socket(domain: c_int, kind: c_int, protocol: c_int) -> c_int;
    fn connect(fd: c_int, address: *const c_void, bytes: c_uint) -> c_int;
    fn sigaction(signal: c_int, new: *const SigAction, old: *mut SigAction) -> c_int;
    fn kill(pid: c_int, signal: c_int) -> c_int;
    fn getpid() -> c_int;
    fn setsid() -> c_int;
    fn getrandom(buffer: *mut c_void, bytes: usize, flags: c_uint) -> isize;
    fn syscall(number: c_long, ...) -> c_long;
    fn __errno_location() -> *mut c_int;
}

fn checked(result: c_int) -> io::Result<c_int> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(result)
}

fn counted(result: isize) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// Takes over a descriptor that a call has just made, or the call's error.
fn owned(result: c_int) -> io::Result<OwnedFd> {
    let fd = checked(result)?;
    // SAFETY: `fd` is not negative, so the call that returned it made a new descriptor, which
    // nobody else knows and which must be closed with `close`.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// poll(2): fills in `revents` and returns how many are not empty. `timeout_ms` below 0 is for ever.
/// A signal is `Interrupted`.
pub(super) fn poll_fds(fds: &mut [PollFd], timeout_ms: c_int) -> io::Result<usize> {
    // SAFETY: the pointer and the count are those of one exclusive slice of `struct pollfd`, which
    // outlives the call. What number a descriptor is has no influence on memory.
    let ready = checked(unsafe { poll(fds.as_mut_ptr(), fds.len() as c_ulong, timeout_ms) })?;
    Ok(usize::try_from(ready).unwrap_or(0))
}

/// A counter to poll: readable while it is not 0. Does not block, is not inherited.
pub(super) fn event(initial: u32) -> io::Result<OwnedFd> {
    // SAFETY: takes and returns numbers only.
    owned(unsafe { eventfd(initial, O_NONBLOCK | O_CLOEXEC) })
}

/// Stops reads and writes from waiting. Only for descriptors whose open file is ours alone: the
/// flag is shared with whoever else holds the file.
pub(super) fn set_nonblocking(of: impl AsFd) -> io::Result<()> {
    let fd = of.as_fd().as_raw_fd();
    // SAFETY: `fd` is borrowed, so it is open; these two commands take and return numbers only.
    unsafe {
        let flags = checked(fcntl(fd, F_GETFL))?;
        checked(fcntl(fd, F_SETFL, flags | O_NONBLOCK))?;
    }
    Ok(())
}

/// Standard input (0), output (1) or error (2).
pub(super) fn standard(number: c_int) -> BorrowedFd<'static> {
    debug_assert!((0..=2).contains(&number));
    // SAFETY: the runtime opens 0, 1 and 2 before `main` if they are closed, and no code of this
    // program closes them, so they are open for as long as it runs. None of them is -1.
    unsafe { BorrowedFd::borrow_raw(number) }
}

/// read(2). 0 at the end.
pub(super) fn read_some(from: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<usize> {
    let at = buffer.as_mut_ptr().cast::<c_void>();
    // SAFETY: `at` and the length are those of one exclusive slice; any byte is a valid `u8`.
    counted(unsafe { read(from.as_raw_fd(), at, buffer.len()) })
}

/// write(2).
pub(super) fn write_some(to: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    let at = bytes.as_ptr().cast::<c_void>();
    // SAFETY: `at` and the length are those of one slice, which is only read.
    counted(unsafe { write(to.as_raw_fd(), at, bytes.len()) })
}

/// send(2) that neither waits nor raises SIGPIPE, whatever the socket's flags are.
pub(super) fn send_some(to: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    let at = bytes.as_ptr().cast::<c_void>();
    let flags = MSG_DONTWAIT | MSG_NOSIGNAL;
    // SAFETY: `at` and the length are those of one slice, which is only read.
    counted(unsafe { send(to.as_raw_fd(), at, bytes.len(), flags) })
}

/// The width of the terminal in cells; `None` if it is none or does not know.
pub(super) fn columns(of: BorrowedFd<'_>) -> Option<usize> {
    let mut size = WinSize {
        rows: 0,
        columns: 0,
        x_pixels: 0,
        y_pixels: 0,
    };
    let at = &raw mut size;
    // SAFETY: TIOCGWINSZ writes one `struct winsize`, and `at` points to one that is ours.
    let result = unsafe { ioctl(of.as_raw_fd(), TIOCGWINSZ, at) };
    (result == 0 && size.columns > 0).then_some(usize::from(size.columns))
}

/// Begins a TCP connection to `address` without waiting for it.
pub(super) fn connect_ip(address: &SocketAddr) -> io::Result<OwnedFd> {
    let mut bytes = Vec::with_capacity(28);
    let family = match address {
        SocketAddr::V4(v4) => {
            // struct sockaddr_in: family, port, address, 8 bytes of nothing.
            bytes.extend(AF_INET.to_ne_bytes());
            bytes.extend(v4.port().to_be_bytes());
            bytes.extend(v4.ip().octets());
            bytes.extend([0; 8]);
            AF_INET
        }
        SocketAddr::V6(v6) => {
            // struct sockaddr_in6: family, port, flow, address, scope.
            bytes.extend(AF_INET6.to_ne_bytes());
            bytes.extend(v6.port().to_be_bytes());
            bytes.extend(v6.flowinfo().to_ne_bytes());
            bytes.extend(v6.ip().octets());
            bytes.extend(v6.scope_id().to_ne_bytes());
            AF_INET6
        }
    };
    connect_to(family, &bytes)
}

/// Begins a connection to the unix socket at `path` without waiting; `WouldBlock` if its queue is full.
pub(super) fn connect_unix(path: &Path) -> io::Result<OwnedFd> {
    let path = path.as_os_str().as_bytes();
    if path.is_empty() || path.len() > SOCKET_PATH_BYTES_MAX || path.contains(&0) {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("a socket's path has 1 to {SOCKET_PATH_BYTES_MAX} bytes and no NUL"),
        ));
    }
    // struct sockaddr_un: family, path, NUL.
    let mut bytes = AF_UNIX.to_ne_bytes().to_vec();
    bytes.extend(path);
    bytes.push(0);
    connect_to(AF_UNIX, &bytes)
}

fn connect_to(family: u16, address: &[u8]) -> io::Result<OwnedFd> {
    let kind = SOCK_STREAM | O_NONBLOCK | O_CLOEXEC;
    // SAFETY: takes and returns numbers only.
    let made = owned(unsafe { socket(c_int::from(family), kind, 0) })?;
    let bytes = c_uint::try_from(address.len()).unwrap_or(0);
    // SAFETY: the pointer and the length are those of one slice, which is only read; the kernel
    // copies it bytewise and checks the length against the family, so it needs no alignment.
    let result = unsafe { connect(made.as_raw_fd(), address.as_ptr().cast(), bytes) };
    match checked(result) {
        Ok(_) => Ok(made),
        Err(error) => match error.raw_os_error() {
            // After EINTR it goes on by itself too (POSIX, connect).
            Some(EINPROGRESS | EINTR) => Ok(made),
            _ => Err(error),
        },
    }
}

/// Where the handler writes; below 0 while there is none.
static SIGNAL_FD: AtomicI32 = AtomicI32::new(-1);
/// Whose handler it is: a child between fork and exec has it too and must not write.
static SIGNAL_PID: AtomicI32 = AtomicI32::new(0);

extern "C" fn on_signal(signal: c_int) {
    let byte = u8::try_from(signal).unwrap_or(0);
    // SAFETY: only calls that POSIX allows in a handler (getpid, write), and no lock or allocation.
    // `byte` outlives the call. `__errno_location` gives the address of this thread's errno, which
    // is valid for as long as the thread; it is put back as the interrupted code left it.
    unsafe {
        let errno = __errno_location();
        let kept = *errno;
        if getpid() == SIGNAL_PID.load(Ordering::Relaxed) {
            let fd = SIGNAL_FD.load(Ordering::Relaxed);
            // A full pipe holds thousands of signals that nobody read: one more says nothing new.
            let _ = write(fd, (&raw const byte).cast(), 1);
        }
        *errno = kept;
    }
}

/// Makes each of `signals` write its number as one byte to `to`, for good. One that is ignored and
/// for which `is_kept` holds stays ignored. `to` must not block.
pub(super) fn handle_signals(
    to: OwnedFd,
    signals: &[c_int],
    is_kept: impl Fn(c_int) -> bool,
) -> io::Result<()> {
    // SAFETY: takes and returns numbers only.
    SIGNAL_PID.store(unsafe { getpid() }, Ordering::Relaxed);
    // The descriptor stays open until the process ends: a handler can run at any time.
    SIGNAL_FD.store(to.into_raw_fd(), Ordering::Relaxed);
    for &signal in signals {
        if is_kept(signal) && is_ignored(signal)? {
            continue;
        }
        let action = SigAction {
            handler: on_signal as *const () as usize,
            mask: [0; 16],
            flags: SA_RESTART,
            restorer: 0,
        };
        // SAFETY: `action` is a whole `struct sigaction` that is only read, its handler has the
        // signature that flags without SA_SIGINFO ask for and is fit to run at any time (see it);
        // a null pointer says that the former action is not wanted.
        checked(unsafe { sigaction(signal, &raw const action, std::ptr::null_mut()) })?;
    }
    Ok(())
}

fn is_ignored(signal: c_int) -> io::Result<bool> {
    let mut former = SigAction {
        handler: 0,
        mask: [0; 16],
        flags: 0,
        restorer: 0,
    };
    // SAFETY: a null pointer changes nothing; `former` is a whole `struct sigaction` of ours, and
    // every bit pattern is a valid one.
    checked(unsafe { sigaction(signal, std::ptr::null(), &raw mut former) })?;
    Ok(former.handler == SIG_IGN)
}

fn number(pid: u32) -> io::Result<c_int> {
    // 0 and negative numbers are groups, 1 is init: never meant.
    match c_int::try_from(pid) {
        Ok(pid) if pid > 1 => Ok(pid),
        _ => Err(io::Error::from_raw_os_error(ESRCH)),
    }
}

/// Signals one process by number. `signal` 0 only asks whether it could be.
pub(super) fn signal_process(pid: u32, signal: c_int) -> io::Result<()> {
    let pid = number(pid)?;
    // SAFETY: takes and returns numbers only.
    checked(unsafe { kill(pid, signal) }).map(|_| ())
}

/// Signals a process group. `signal` 0 only asks whether there is one.
pub(super) fn signal_group(leader: u32, signal: c_int) -> io::Result<()> {
    let group = -number(leader)?;
    // SAFETY: takes and returns numbers only.
    checked(unsafe { kill(group, signal) }).map(|_| ())
}

/// A descriptor that means the process `pid` and no later one of that number; readable once it ended.
pub(super) fn open_process(pid: u32) -> io::Result<OwnedFd> {
    let pid = c_long::from(number(pid)?);
    // SAFETY: pidfd_open takes two numbers and returns one; 0 is no flag.
    let result = unsafe { syscall(SYS_PIDFD_OPEN, pid, NO_FLAGS) };
    owned(c_int::try_from(result).unwrap_or(-1))
}

/// Signals the process that `process` (see [`open_process`]) means.
pub(super) fn signal_opened(process: BorrowedFd<'_>, signal: c_int) -> io::Result<()> {
    let fd = c_long::from(process.as_raw_fd());
    let info = std::ptr::null::<c_void>();
    // SAFETY: a null `info` makes the kernel fill it in itself; the rest are numbers, 0 is no flag.
    let result = unsafe {
        syscall(
            SYS_PIDFD_SEND_SIGNAL,
            fd,
            c_long::from(signal),
            info,
            NO_FLAGS,
        )
    };
    checked(c_int::try_from(result).unwrap_or(-1)).map(|_| ())
}

/// Makes the child that `command` starts the leader of a session of its own: a new process group,
/// and no terminal, not even through `/dev/tty`.
pub(super) fn start_session(command: &mut Command) {
    // SAFETY: between fork and exec only setsid is called, which POSIX allows there and which
    // touches no memory; the error is made from errno without allocating.
    unsafe { command.pre_exec(|| checked(setsid()).map(|_| ())) };
}

/// renameat2(2) with `RENAME_NOREPLACE`. `EINVAL` or `ENOSYS` where the kernel or file system has it not.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let from = CString::new(from.as_os_str().as_bytes())?;
    let to = CString::new(to.as_os_str().as_bytes())?;
    // SAFETY: both are strings with a NUL at their end that outlive the call and are only read; the
    // rest are numbers.
    let result = unsafe {
        syscall(
            SYS_RENAMEAT2,
            AT_FDCWD,
            from.as_ptr(),
            AT_FDCWD,
            to.as_ptr(),
            RENAME_NOREPLACE,
        )
    };
    checked(c_int::try_from(result).unwrap_or(-1)).map(|_| ())
}

/// Fills the front of `bytes` with random bytes and says how many; never waits once the system is up.
pub(super) fn random_some(bytes: &mut [u8]) -> io::Result<usize> {
    let at = bytes.as_mut_ptr().cast::<c_void>();
    // SAFETY: `at` and the length are those of one exclusive slice; 0 is no flag.
    counted(unsafe { getrandom(at, bytes.len(), 0) })
}
