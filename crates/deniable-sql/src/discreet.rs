//! What a program does that has answers in its memory.

/// Leaves no core dump, and a message of a panic that says where and not what: both could have raw answers in them.
pub fn be_discreet() {
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    std::panic::set_hook(Box::new(|panic| {
        use std::io::Write;
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        // The standard error can be closed.
        let _ = writeln!(
            std::io::stderr(),
            "error: a defect of the program, at {place}; please report it"
        );
    }));
}
