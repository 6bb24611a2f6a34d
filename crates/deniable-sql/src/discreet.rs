//! What a program does that has answers in its memory.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

/// Leaves no core dump, and a message of a panic that says where and not what: both could have raw answers in them.
pub fn be_discreet() {
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        // The standard error can be closed.
        let _ = if !has_entropy() {
            WITHOUT_ENTROPY.store(true, Ordering::Relaxed);
            let error = deniable::Error::from(deniable::sample::Error::entropy_unavailable());
            writeln!(std::io::stderr(), "error: {error}, at {place}")
        } else {
            writeln!(
                std::io::stderr(),
                "error: a defect of the program, at {place}; please report it"
            )
        };
    }));
}

/// Whether there was a panic because the system gives no entropy, which was said then.
pub fn panicked_without_entropy() -> bool {
    WITHOUT_ENTROPY.load(Ordering::Relaxed)
}

static WITHOUT_ENTROPY: AtomicBool = AtomicBool::new(false);

/// Whether the system gives entropy to this thread now, which it is asked for: the library may have some at hand, and so may other threads. Where the engine draws
/// the keys of hash tables and the names of what it makes, a panic is the only word of a failure; but a panic there can be a defect as well, and what goes wrong after it
/// must be said.
fn has_entropy() -> bool {
    getrandom::fill(&mut [0; 8]).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lies where a crate does that draws.
    #[path = "rand-0.0.0/planted.rs"]
    mod planted;

    #[test]
    fn a_panic_where_others_draw_is_no_lack_of_entropy() {
        be_discreet();
        let caught = std::panic::catch_unwind(planted::defect);
        drop(std::panic::take_hook());
        assert!(caught.is_err() && !panicked_without_entropy());
    }
}
