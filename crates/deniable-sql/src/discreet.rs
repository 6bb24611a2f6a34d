//! What a program does that has answers in its memory.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use deniable::{Entropy, OsEntropy};

/// Leaves no core dump, and a message of a panic that says where and not what: both could have raw answers in them.
pub fn be_discreet() {
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        // The standard error can be closed.
        let _ = if is_of_entropy(&place) || !has_entropy() {
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

/// Whether a panic comes from where the engine draws the keys of hash tables and the names of what it makes, which are not to be had without one if entropy fails.
fn is_of_entropy(place: &str) -> bool {
    let draws = ["/std/src/sys/random/", "/ahash-", "/getrandom-", "/rand-", "/uuid-"];
    draws.iter().any(|draws| place.contains(draws))
}

/// Whether the system gives entropy now. Another thread asks for it, as this one may have some at hand.
fn has_entropy() -> bool {
    let asked = std::thread::Builder::new().spawn(|| OsEntropy::new().word().is_ok());
    // Without a thread nothing is known, and the panic is told.
    asked.map_or(true, |asked| asked.join().unwrap_or(false))
}
