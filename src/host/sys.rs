//! The system calls that the standard library lacks, for Linux on x86-64 and aarch64.
//!
//! Layouts and numbers are those of the kernel's headers; both machines share them here.

#![allow(unsafe_code, reason = "the only file that may: each block carries its proof")]

use std::ffi::CString;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicI32, Ordering};

/// One entry of a poll: `struct pollfd`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct PollFd {
    pub(super) fd: RawFd,
    pub(super) events: i16,
    pub(super) revents: i16,
}

pub(super) const POLLIN: i16 = 0x1;
pub(super) const POLLOUT: i16 = 0x4;

pub(super) const SIGHUP: i32 = 1;
pub(super) const SIGINT: i32 = 2;
pub(super) const SIGKILL: i32 = 9;
pub(super) const SIGTERM: i32 = 15;

const AF_UNIX: u16 = 1;
const AF_INET: u16 = 2;
const AF_INET6: u16 = 10;
const SOCK_STREAM: i32 = 1;
const SOCK_NONBLOCK: i32 = 0o4000;
const SOCK_CLOEXEC: i32 = 0o2_000_000;
const EINPROGRESS: i32 = 115;
const F_GETFL: i32 = 3;
const F_SETFL: i32 = 4;
const O_NONBLOCK: i32 = 0o4000;
const TIOCGWINSZ: u64 = 0x5413;
const AT_FDCWD: i32 = -100;
const RENAME_NOREPLACE: u32 = 1;
const SYS_PIDFD_SEND_SIGNAL: i64 = 424;
const SYS_PIDFD_OPEN: i64 = 434;
const SIG_ERR: usize = usize::MAX;
/// `sizeof(sun_path)`.
const UNIX_PATH_BYTES_MAX: usize = 108;

unsafe extern "C" {
    fn poll(fds: *mut PollFd, count: u64, timeout_ms: i32) -> i32;
    fn signal(number: i32, handler: usize) -> usize;
    #[link_name = "read"]
    fn raw_read(fd: i32, bytes: *mut u8, count: usize) -> isize;
    fn write(fd: i32, bytes: *const u8, count: usize) -> isize;
    fn socket(domain: i32, kind: i32, protocol: i32) -> i32;
    fn connect(fd: i32, address: *const u8, length: u32) -> i32;
    fn fcntl(fd: i32, command: i32, ...) -> i32;
    fn ioctl(fd: i32, request: u64, ...) -> i32;
    fn kill(pid: i32, number: i32) -> i32;
    fn syscall(number: i64, ...) -> i64;
    fn renameat2(old_dir: i32, old: *const i8, new_dir: i32, new: *const i8, flags: u32) -> i32;
}

fn checked(status: i32) -> io::Result<i32> {
    if status < 0 { Err(io::Error::last_os_error()) } else { Ok(status) }
}

/// Waits until an entry is ready; -1 waits for ever. Returns how many are.
pub(super) fn wait(fds: &mut [PollFd], timeout_ms: i32) -> io::Result<usize> {
    // SAFETY: the pointer and the count are those of a live, exclusively borrowed slice of `struct pollfd`.
    let count = unsafe { poll(fds.as_mut_ptr(), fds.len() as u64, timeout_ms) };
    checked(count).map(|count| usize::try_from(count).unwrap_or(0))
}

/// Reads once from an inherited descriptor, whatever it is.
pub(super) fn read(fd: RawFd, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the pointer and the count are those of a live, exclusively borrowed slice.
    let count = unsafe { raw_read(fd, buffer.as_mut_ptr(), buffer.len()) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Writes once to an inherited descriptor, whatever it is.
pub(super) fn write_some(fd: RawFd, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: the pointer and the count are those of a live slice.
    let count = unsafe { write(fd, bytes.as_ptr(), bytes.len()) };
    usize::try_from(count).map_err(|_| io::Error::last_os_error())
}

/// Where the signal handler writes; -1 while there is no handler.
static SIGNAL_FD: AtomicI32 = AtomicI32::new(-1);

extern "C" fn on_signal(number: i32) {
    let byte = [u8::try_from(number).unwrap_or(0)];
    // SAFETY: `write` is async-signal-safe; the pointer is to one live byte. A full pipe loses a
    // signal only when thousands wait. `errno` may change; nothing that Rust code reads after an
    // interrupted call depends on it, since interrupted calls set it themselves on return.
    unsafe { write(SIGNAL_FD.load(Ordering::SeqCst), byte.as_ptr(), 1) };
}

/// Lets SIGINT, SIGTERM and SIGHUP write their number into `pipe`, which must stay open.
pub(super) fn catch_signals(pipe: RawFd) -> io::Result<()> {
    SIGNAL_FD.store(pipe, Ordering::SeqCst);
    for number in [SIGINT, SIGTERM, SIGHUP] {
        // SAFETY: the handler has the C signature that `signal` calls and only writes to a pipe.
        let former = unsafe { signal(number, on_signal as extern "C" fn(i32) as usize) };
        if former == SIG_ERR {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Makes a descriptor of our own non-blocking.
pub(super) fn set_nonblocking(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: F_GETFL takes no argument and only reads the flags of a live descriptor.
    let flags = checked(unsafe { fcntl(fd.as_raw_fd(), F_GETFL) })?;
    // SAFETY: F_SETFL takes one int; the descriptor is live.
    checked(unsafe { fcntl(fd.as_raw_fd(), F_SETFL, flags | O_NONBLOCK) }).map(drop)
}

/// Starts to connect to `address` and returns the socket.
pub(super) fn connect_ip(address: SocketAddr) -> io::Result<OwnedFd> {
    match address {
        SocketAddr::V4(v4) => {
            let mut raw = [0; 16];
            raw[..2].copy_from_slice(&AF_INET.to_ne_bytes());
            raw[2..4].copy_from_slice(&v4.port().to_be_bytes());
            raw[4..8].copy_from_slice(&v4.ip().octets());
            begin(AF_INET, &raw)
        }
        SocketAddr::V6(v6) => {
            let mut raw = [0; 28];
            raw[..2].copy_from_slice(&AF_INET6.to_ne_bytes());
            raw[2..4].copy_from_slice(&v6.port().to_be_bytes());
            raw[4..8].copy_from_slice(&v6.flowinfo().to_be_bytes());
            raw[8..24].copy_from_slice(&v6.ip().octets());
            raw[24..28].copy_from_slice(&v6.scope_id().to_ne_bytes());
            begin(AF_INET6, &raw)
        }
    }
}

/// Starts to connect to the unix socket at `path`.
pub(super) fn connect_unix(path: &Path) -> io::Result<OwnedFd> {
    let bytes = path.as_os_str().as_bytes();
    if UNIX_PATH_BYTES_MAX <= bytes.len() || bytes.contains(&0) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path of a unix socket has at most 107 bytes"));
    }
    let mut raw = [0; 2 + UNIX_PATH_BYTES_MAX];
    raw[..2].copy_from_slice(&AF_UNIX.to_ne_bytes());
    raw[2..2 + bytes.len()].copy_from_slice(bytes);
    begin(AF_UNIX, &raw)
}

fn begin(family: u16, address: &[u8]) -> io::Result<OwnedFd> {
    // SAFETY: `socket` takes no pointers.
    let fd = checked(unsafe { socket(i32::from(family), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) })?;
    // SAFETY: the descriptor was made just now and has no other owner.
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    let length = u32::try_from(address.len()).unwrap_or(0);
    // SAFETY: `address` is a live socket address of `length` bytes in the family's layout.
    let status = unsafe { connect(fd, address.as_ptr(), length) };
    match checked(status) {
        Ok(_) => Ok(socket),
        Err(error) if error.raw_os_error() == Some(EINPROGRESS) => Ok(socket),
        Err(error) => Err(error),
    }
}

#[repr(C)]
#[derive(Default)]
struct Size {
    rows: u16,
    columns: u16,
    width_pixels: u16,
    height_pixels: u16,
}

/// The width of the terminal behind `fd`.
pub(super) fn columns(fd: RawFd) -> Option<u16> {
    let mut size = Size::default();
    // SAFETY: TIOCGWINSZ writes one `struct winsize`, which `Size` matches, through a live pointer.
    let status = unsafe { ioctl(fd, TIOCGWINSZ, &raw mut size) };
    (status == 0 && size.columns != 0).then_some(size.columns)
}

/// Signals a process group.
pub(super) fn kill_group(group: u32, number: i32) -> io::Result<()> {
    let group = i32::try_from(group).ok().filter(|&group| 1 < group).ok_or(io::ErrorKind::InvalidInput)?;
    // SAFETY: `kill` takes no pointers; a group number above 1 never means "every process".
    checked(unsafe { kill(-group, number) }).map(drop)
}

/// Signals one process by its number.
pub(super) fn kill_process(pid: u32, number: i32) -> io::Result<()> {
    let pid = i32::try_from(pid).ok().filter(|&pid| 1 < pid).ok_or(io::ErrorKind::InvalidInput)?;
    // SAFETY: `kill` takes no pointers; a number above 1 names one process.
    checked(unsafe { kill(pid, number) }).map(drop)
}

/// A descriptor that stands for a process and is readable once it ended (Linux 5.3).
pub(super) fn pidfd_open(pid: u32) -> io::Result<OwnedFd> {
    // SAFETY: pidfd_open takes a number and flags and returns a new descriptor or -1.
    let fd = unsafe { syscall(SYS_PIDFD_OPEN, i64::from(pid), 0_i64) };
    let fd = checked(i32::try_from(fd).unwrap_or(-1))?;
    // SAFETY: the descriptor was made just now and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Signals the process that `pidfd` stands for, and no other that took its number.
pub(super) fn pidfd_signal(pidfd: BorrowedFd<'_>, number: i32) -> io::Result<()> {
    // SAFETY: pidfd_send_signal takes a live descriptor, a number, a null `siginfo` and no flags.
    let status = unsafe {
        syscall(SYS_PIDFD_SEND_SIGNAL, i64::from(pidfd.as_raw_fd()), i64::from(number), std::ptr::null::<u8>(), 0_i64)
    };
    checked(i32::try_from(status).unwrap_or(-1)).map(drop)
}

/// Renames unless `to` exists.
pub(super) fn rename_exclusive(from: &Path, to: &Path) -> io::Result<()> {
    let from = CString::new(from.as_os_str().as_bytes())?;
    let to = CString::new(to.as_os_str().as_bytes())?;
    // SAFETY: both pointers are to live strings that end in NUL.
    checked(unsafe { renameat2(AT_FDCWD, from.as_ptr().cast(), AT_FDCWD, to.as_ptr().cast(), RENAME_NOREPLACE) }).map(drop)
}
