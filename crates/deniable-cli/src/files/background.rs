//! Rows that are written while the next ones are made.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use arrow_array::RecordBatch;

use super::Sink;
use crate::error::{Error, Kind, Result};

/// Batches that wait, at most: memory does not grow where writing is slower.
const WAITING: usize = 2;

/// A [`Sink`] on a thread of its own. If it is dropped, the thread has ended, and nothing of the file is left.
pub(crate) struct Background {
    batches: Option<SyncSender<RecordBatch>>,
    writer: Option<JoinHandle<Result<Sink>>>,
}

impl Background {
    pub(crate) fn new(mut sink: Sink) -> Self {
        let (batches, coming) = sync_channel::<RecordBatch>(WAITING);
        let writer = thread::spawn(move || {
            coming.iter().try_for_each(|batch| sink.write(&batch))?;
            Ok(sink)
        });
        Background { batches: Some(batches), writer: Some(writer) }
    }

    /// Writes rows of the schema, sooner or later. What goes wrong is said then, or later.
    pub(crate) fn write(&mut self, batch: RecordBatch) -> Result<()> {
        let sent = self.batches.as_ref().map(|batches| batches.send(batch));
        if matches!(sent, Some(Ok(()))) {
            return Ok(());
        }
        self.end().and(Err(stopped()))
    }

    /// Puts the file in its place.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.end()?.finish()
    }

    /// Waits until all is written.
    fn end(&mut self) -> Result<Sink> {
        self.batches = None;
        let writer = self.writer.take().ok_or_else(stopped)?;
        writer.join().map_err(|_| stopped())?
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn stopped() -> Error {
    Error::new(Kind::Failed, "the writer has stopped")
}
