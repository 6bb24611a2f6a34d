//! Forks *inside* a draw: after any instruction of it, as a signal handler may.
//!
//! The processor's trap flag raises a signal after each instruction. The handler forks; the child
//! returns from the handler into the middle of the draw and finishes it.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::FromRawFd;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use super::{MINUTE, end_after, ended_well, exit, raw_clone, words_of};

/// What parent and children drew, see [`fork_within`].
#[derive(Clone, Debug)]
pub struct Drawn {
    /// By the draw that was interrupted.
    pub interrupted: Vec<u64>,
    /// By a second draw after it.
    pub next: Vec<u64>,
}

/// The result of [`fork_within`].
#[derive(Clone, Debug)]
pub struct Stepped {
    /// How many instructions the draw took.
    pub instructions: usize,
    /// What the parent drew.
    pub parent: Drawn,
    /// What the children drew, in the order in which they were forked.
    pub children: Vec<Drawn>,
}

/// Lets `draw` fill `count` words twice. Within the first draw forks a child after each `stride`th
/// instruction; the child finishes the first draw and does the second for itself.
///
/// `draw` must not allocate, for the reason given at [`in_child`](super::in_child).
///
/// # Errors
///
/// When a child cannot be made or did not report its words.
pub fn fork_within(
    stride: usize,
    count: usize,
    mut draw: impl FnMut(&mut [u64]),
) -> io::Result<Stepped> {
    // One at a time: the handler and its counters belong to the process.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut reports = memory_file()?;
    let mut report = Vec::with_capacity(16 * count);
    let mut words = vec![0; 2 * count];
    let (interrupted, next) = words.split_at_mut(count);
    STRIDE.store(stride, SeqCst);
    STEPS.store(0, SeqCst);
    FAILED.store(false, SeqCst);
    let previous =
        handle_traps(libc::sigaction { sa_sigaction: trapped as Handler as usize, ..none() })?;
    trap(true);
    draw(interrupted);
    trap(false);
    if IN_CHILD.load(SeqCst) {
        draw(next);
        words.iter().for_each(|word| report.extend(word.to_le_bytes()));
        exit(reports.write_all(&report).is_err());
    }
    draw(next);
    handle_traps(previous)?;
    if FAILED.load(SeqCst) {
        return Err(io::Error::other("a child could not be made or did not report"));
    }
    reports.rewind()?;
    reports.read_to_end(&mut report)?;
    let drawn = |words: &[u64]| {
        let (interrupted, next) = words.split_at(count);
        Drawn { interrupted: interrupted.to_vec(), next: next.to_vec() }
    };
    let children = words_of(&report).chunks_exact(2 * count).map(drawn).collect();
    Ok(Stepped { instructions: STEPS.load(SeqCst), parent: drawn(&words), children })
}

static STRIDE: AtomicUsize = AtomicUsize::new(1);
static STEPS: AtomicUsize = AtomicUsize::new(0);
static FAILED: AtomicBool = AtomicBool::new(false);
static IN_CHILD: AtomicBool = AtomicBool::new(false);

type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

const TRAP_FLAG: i64 = 0x100;

/// The parent waits for each child before it takes the next step, so that few exist at a time and their
/// reports come in order.
extern "C" fn trapped(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if !STEPS.fetch_add(1, SeqCst).is_multiple_of(STRIDE.load(SeqCst)) {
        return;
    }
    match raw_clone() {
        0 => {
            IN_CHILD.store(true, SeqCst);
            end_after(MINUTE);
            // SAFETY: the kernel passes a handler of this kind the context to return to, which nothing
            // else refers to.
            let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
            context.uc_mcontext.gregs[libc::REG_EFL as usize] &= !TRAP_FLAG;
        }
        child if child < 0 => FAILED.store(true, SeqCst),
        child => {
            if !ended_well(child) {
                FAILED.store(true, SeqCst);
            }
        }
    }
}

/// Sets or clears the trap flag of this thread.
#[inline(always)]
fn trap(on: bool) {
    if on {
        // SAFETY: changes one flag, which the compiler does not use; the handler is installed. The
        // stack is used below its top as the compiler expects of such a block.
        unsafe { core::arch::asm!("pushfq", "or qword ptr [rsp], 0x100", "popfq") };
    } else {
        // SAFETY: as above.
        unsafe { core::arch::asm!("pushfq", "and qword ptr [rsp], -0x101", "popfq") };
    }
}

/// Handles the trap signal as `action` says, and returns how it was handled before.
fn handle_traps(action: libc::sigaction) -> io::Result<libc::sigaction> {
    let mut previous = none();
    // SAFETY: both are valid; the only handler ever given calls nothing that may not be called at any
    // point of a program: system calls and lock-free atomics.
    let outcome = unsafe { libc::sigaction(libc::SIGTRAP, &action, &mut previous) };
    if outcome == 0 { Ok(previous) } else { Err(io::Error::last_os_error()) }
}

fn none() -> libc::sigaction {
    // SAFETY: numbers, an empty set of signals and an absent function: all valid when zero.
    let action: libc::sigaction = unsafe { core::mem::zeroed() };
    libc::sigaction { sa_flags: libc::SA_SIGINFO, ..action }
}

/// A file without a name, to whose end the children write in turn.
fn memory_file() -> io::Result<File> {
    // SAFETY: the name is a string that ends with zero.
    let descriptor = unsafe { libc::memfd_create(c"reports".as_ptr(), libc::MFD_CLOEXEC) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: just opened, and owned by nobody else.
    Ok(unsafe { File::from_raw_fd(descriptor) })
}
