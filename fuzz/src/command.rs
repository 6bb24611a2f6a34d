//! The command on files that the fuzzer wrote.

use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use crate::planted;
use crate::survey::{SURVEY, survey_with_id};

/// What no message may contain. It is in the dictionary of the targets whose files are data.
pub const SECRET: &str = "Zq7Zq7";

/// A folder of this process, in memory if there is such a place.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder, with the survey in it.
    pub fn get() -> &'static Folder {
        static FOLDER: OnceLock<Folder> = OnceLock::new();
        FOLDER.get_or_init(|| {
            let memory = PathBuf::from("/dev/shm");
            let place = if memory.is_dir() { memory } else { std::env::temp_dir() };
            let folder = place.join(format!("deniable-fuzz-{}", std::process::id()));
            fs::create_dir_all(&folder).expect("a folder");
            let folder = Folder(folder);
            folder.write("survey.toml", SURVEY.as_bytes());
            folder.write("id.toml", survey_with_id().as_bytes());
            folder.write("params.csv", b"k,h,m,p,q,f\n8,1,2,0.25,0.75,0.5\n");
            folder.write("keys.txt", b"car\nbus\n");
            // The fuzzer's ends the process at every panic, also at those that the command catches.
            let hook = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |panic| {
                if !deniable_command::is_reading() {
                    hook(panic);
                }
            }));
            // Where the names of files in arguments are looked for.
            std::env::set_current_dir(&folder.0).expect("a folder");
            folder
        })
    }

    /// Writes a file that its owner alone can read.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        use std::os::unix::fs::OpenOptionsExt;
        let mut options = fs::OpenOptions::new();
        let file = options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = file.open(self.0.join(name)).expect("a file");
        std::io::Write::write_all(&mut file, bytes).expect("a file");
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).expect("a file")
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, name: &str) {
        let _ = fs::remove_file(self.0.join(name));
    }
}

/// Runs the command, whose arguments name files in the [`Folder`], on a file of data. It must not panic, and what it says must not have
/// [`SECRET`] in it.
///
/// # Panics
///
/// If it is not so.
pub fn run(arguments: &[&str], data: &[u8]) -> bool {
    let Err(message) = deniable_command::run(arguments) else { return true };
    let message = planted::message(message, data);
    assert!(!message.contains(SECRET), "a message with the data in it");
    false
}

/// All that the command does with a file of rows.
pub fn on_rows(name: &str, rows: &[u8]) {
    Folder::get().write(name, rows);
    run(&["count", "survey.toml", name, "-o", "-"], rows);
    run(&["estimate", "survey.toml", name, "--by", "region", "--json"], rows);
    run(&["randomize", "id.toml", name, "-o", "-", "--to", "csv"], rows);
    run(&["randomize", "survey.toml", name, "-o", "-", "--to", "arrow"], rows);
    run(&["rappor", "count", "--params", "params.csv", name, "-o", "-"], rows);
    run(&["rappor", "encode", "--params", "params.csv", name, "-o", "-", "--to", "csv"], rows);
    let release = ["release", name, "-o", "-", "--to", "csv", "--scale", "1"];
    let table = ["--columns", "hours", "--keep", "region", "--sensitivity", "1", "-k", "0"];
    run(&[&release[..], &table].concat(), rows);
    run(&[&release[..], &["--count-by", "transport", "--keys", "keys.txt"]].concat(), rows);
}
