//! What a process took, as the system has counted it.

use std::io;
use std::process::Child;

/// A process that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Whether it ended with the code 0.
    pub well: bool,
    /// The most memory that it had at a time, in bytes.
    pub peak: u64,
    /// The time that it ran on a processor, in seconds.
    pub processor: f64,
}

/// Waits for a child, and says what it took.
///
/// # Errors
///
/// When the system does not say it.
pub fn wait(child: Child) -> io::Result<Ended> {
    let id = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let mut status = 0;
    // SAFETY: all of it are numbers, for which zeros are values.
    let mut usage: libc::rusage = unsafe { core::mem::zeroed() };
    loop {
        // SAFETY: both are valid places for the answers. The child is ours, and was not waited for: `child` is moved in.
        let ended = unsafe { libc::wait4(id, &mut status, 0, &mut usage) };
        if ended == id {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(Ended {
        well: status == 0,
        peak: usage.ru_maxrss as u64 * PEAK_UNIT,
        processor: seconds(&usage),
    })
}

/// The time that this process has run on processors, in seconds.
pub fn processor() -> f64 {
    // SAFETY: all of it are numbers, for which zeros are values.
    let mut usage: libc::rusage = unsafe { core::mem::zeroed() };
    // SAFETY: a valid place for the answer. It fails for other places and other processes only.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    seconds(&usage)
}

fn seconds(usage: &libc::rusage) -> f64 {
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Linux counts in kibibytes, macOS in bytes.
const PEAK_UNIT: u64 = if cfg!(target_os = "linux") { 1024 } else { 1 };

/// The bytes that this process has allocated and not freed, in all of its threads: neither what the allocator keeps for later, nor holes.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn allocated() -> u64 {
    // SAFETY: always sound; it reads the allocator's own counts.
    let info = unsafe { libc::mallinfo2() };
    (info.uordblks + info.hblkhd) as u64
}
