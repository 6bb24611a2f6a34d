//! Every subcommand with something in its way: what it leaves is whole or nothing, tells no answer, and can be gone on with; what it says is an error with the exit code that the help promises.
//!
//! `DENIABLE_NEED_STRACE=1` tries every point and every command line, and fails where a tool is missing. Without it a selection is run, and what needs a tool that is not there is skipped.
#![cfg(target_os = "linux")]
#![forbid(unsafe_code)]

mod commands;
mod disk;
mod entropy;
mod inputs;
mod judge;
mod kill;
mod large;
mod pipes;
mod planted;
mod run;
mod short;

/// Whether everything is to be tried.
fn is_thorough() -> bool {
    std::env::var_os("DENIABLE_NEED_STRACE").is_some()
}

/// Whether a tool works here. If everything is to be tried it must.
fn can(what: &str, tool: &str, words: &[&str]) -> bool {
    let done = std::process::Command::new(tool).args(words).output();
    let works = done.is_ok_and(|done| done.status.success());
    assert!(works || !is_thorough(), "{what}: {tool} does not work here");
    if !works {
        println!("skipped: {what}, for which {tool} is needed");
    }
    works
}

fn can_trace(what: &str) -> bool {
    can(what, "strace", &["-f", "-o", "/dev/null", "true"])
}

/// Whether a file system can be mounted by anybody, in a namespace of their own.
fn can_mount(what: &str) -> bool {
    let mount = "mount -t tmpfs -o size=4k none /tmp";
    can(what, "unshare", &["-Urm", "sh", "-c", mount])
}

/// Does the work on all items, on two threads: most of the time a run waits.
fn on_all<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) =
                    items.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                {
                    work(item);
                }
            });
        }
    });
}
