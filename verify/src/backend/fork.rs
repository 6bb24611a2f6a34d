//! Child processes that report the words they drew.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub mod step;

/// How a child is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// By the C library's `fork`, which runs the handlers registered with `pthread_atfork`.
    Fork,
    /// By the system call `clone` behind the C library's back: no handler runs.
    RawClone,
}

/// Makes a child, lets `draw` fill `count` words in it, and returns them.
///
/// In a child made by [`How::RawClone`] `draw` must not allocate: another thread may have held the
/// allocator's lock, and nobody is left to release it. A child that hangs is killed after a minute.
///
/// # Errors
///
/// When the child cannot be made, or did not report all its words.
pub fn in_child(how: How, count: usize, draw: impl FnOnce(&mut [u64])) -> io::Result<Vec<u64>> {
    Child::begin(how, count, draw)?.words()
}

/// As [`in_child`] for several children of one thread, all of which are made before any is waited for.
///
/// # Errors
///
/// As [`in_child`], of any of them.
pub fn in_children(
    how: How,
    children: usize,
    count: usize,
    draw: impl Fn(&mut [u64]),
) -> io::Result<Vec<Vec<u64>>> {
    let begun: Vec<_> = (0..children).map(|_| Child::begin(how, count, &draw)).collect();
    begun.into_iter().map(|child| child?.words()).collect()
}

/// A child that draws.
struct Child {
    number: libc::pid_t,
    report: UnixStream,
    count: usize,
}

impl Child {
    fn begin(how: How, count: usize, draw: impl FnOnce(&mut [u64])) -> io::Result<Self> {
        let mut words = vec![0; count];
        let mut bytes = Vec::with_capacity(8 * count);
        let (report, mut theirs) = UnixStream::pair()?;
        let number = make_child(how)?;
        if number == 0 {
            end_after(MINUTE);
            let drawn = catch_unwind(AssertUnwindSafe(|| draw(&mut words)));
            words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
            exit(drawn.is_err() || theirs.write_all(&bytes).is_err());
        }
        Ok(Child { number, report, count })
    }

    /// Waits for its end.
    fn words(mut self) -> io::Result<Vec<u64>> {
        let mut bytes = Vec::with_capacity(8 * self.count);
        self.report.read_to_end(&mut bytes)?;
        if !ended_well(self.number) || bytes.len() != 8 * self.count {
            return Err(io::Error::other("the child did not report all its words"));
        }
        Ok(words_of(&bytes))
    }
}

const MINUTE: libc::c_uint = 60;

/// The number of the child, or 0 in the child.
fn make_child(how: How) -> io::Result<libc::pid_t> {
    let child = match how {
        // SAFETY: the child has a copy of all memory and one thread, which goes on here. What other
        // threads had locked stays locked, at worst it waits for them until its time is up.
        How::Fork => unsafe { libc::fork() },
        How::RawClone => raw_clone(),
    };
    if child < 0 { Err(io::Error::last_os_error()) } else { Ok(child) }
}

#[cfg(target_os = "linux")]
fn raw_clone() -> libc::pid_t {
    let (flags, none) = (libc::c_long::from(libc::SIGCHLD), 0 as libc::c_long);
    // SAFETY: without flags beyond the signal at its end this makes a child as `fork` does, with a copy
    // of all memory and on the same stack; the other arguments are not looked at.
    unsafe { libc::syscall(libc::SYS_clone, flags, none, none, none, none) as libc::pid_t }
}

#[cfg(not(target_os = "linux"))]
fn raw_clone() -> libc::pid_t {
    make_child(How::Fork).unwrap_or(-1)
}

fn end_after(seconds: libc::c_uint) {
    // SAFETY: always sound; the signal's default action ends the process.
    unsafe { libc::alarm(seconds) };
}

/// Ends a child without running what its parent registered for its own end.
fn exit(failed: bool) -> ! {
    // SAFETY: always sound, it does not return.
    unsafe { libc::_exit(i32::from(failed)) }
}

fn ended_well(child: libc::pid_t) -> bool {
    let mut status = 0;
    loop {
        // SAFETY: `status` is a valid place for the answer.
        let ended = unsafe { libc::waitpid(child, &mut status, 0) };
        if ended == child {
            return status == 0;
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return false;
        }
    }
}

fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().expect("eight bytes"))).collect()
}
