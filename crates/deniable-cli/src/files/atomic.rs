//! Output that appears whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// A file that is written beside its place, under a name that says it is not finished, readable by its owner alone. [`Atomic::finish`] puts it in its place; without that it is removed.
#[derive(Debug)]
pub(crate) struct Atomic {
    /// None for the standard output.
    partial: Option<PathBuf>,
    path: PathBuf,
    file: Option<File>,
}

impl Atomic {
    /// `-` is the standard output, which cannot be taken back.
    ///
    /// # Errors
    ///
    /// A file that is there already; a folder that cannot be written.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Atomic { partial: None, path: path.to_owned(), file: None });
        }
        refuse_existing(path)?;
        let partial = partial(path)?;
        let file = private(&partial).map_err(|error| Error::io(&partial, &error))?;
        Ok(Atomic { partial: Some(partial), path: path.to_owned(), file: Some(file) })
    }

    /// Puts the file in its place, if nobody else did in the meantime.
    pub(crate) fn finish(mut self) -> Result<()> {
        let (Some(partial), Some(file)) = (self.partial.take(), self.file.take()) else {
            return io::stdout().flush().map_err(|error| Error::io(&self.path, &error));
        };
        let moved = file.sync_all().and_then(|()| move_new(&partial, &self.path));
        if moved.is_err() {
            let _ = fs::remove_file(&partial);
        }
        moved.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => exists(&self.path),
            _ => Error::io(&self.path, &error),
        })?;
        sync_folder(&self.path).map_err(|error| Error::io(&self.path, &error))
    }
}

impl Write for Atomic {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.file {
            Some(file) => file.write(bytes),
            None => io::stdout().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.file {
            Some(file) => file.flush(),
            None => io::stdout().flush(),
        }
    }
}

impl Drop for Atomic {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            let _ = fs::remove_file(partial);
        }
    }
}

/// Writes a file that everybody may have, in the place of one that is there.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let io = |error: io::Error| Error::io(path, &error);
    let partial = partial(path)?;
    let mut file = OpenOptions::new().write(true).create_new(true).open(&partial).map_err(io)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    let moved = written.and_then(|()| fs::rename(&partial, path));
    if moved.is_err() {
        let _ = fs::remove_file(&partial);
    }
    moved.map_err(io)
}

/// The name of what is to be a file and is not finished.
fn partial(path: &Path) -> Result<PathBuf> {
    let name = path
        .file_name()
        .ok_or_else(|| Error::refused(format!("{}: this is no name of a file", path.display())))?;
    let mut partial = std::ffi::OsString::from(".");
    partial.push(name);
    partial.push(format!(".{}.partial", std::process::id()));
    Ok(path.with_file_name(partial))
}

/// A new file that its owner alone can read.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

pub(crate) fn refuse_existing(path: &Path) -> Result<()> {
    match path.try_exists() {
        Ok(false) => Ok(()),
        Ok(true) => Err(exists(path)),
        Err(error) => Err(Error::io(path, &error)),
    }
}

fn exists(path: &Path) -> Error {
    Error::refused(format!(
        "{}: this file exists, and is not written over; accepted is another name, or remove it first",
        path.display(),
    ))
}

/// A new name, never that of another file.
fn move_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::hard_link(from, to) {
        Ok(()) => fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // A file system without links.
        Err(_) if to.try_exists()? => Err(io::ErrorKind::AlreadyExists.into()),
        Err(_) => fs::rename(from, to),
    }
}

/// Makes a new name durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}
