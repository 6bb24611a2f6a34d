//! How far it is, for somebody who watches.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::time::Duration;

use arrow_array::RecordBatch;
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};

use super::Source;
use super::read::Extent;
use crate::error::Result;

/// The batches of a source, with a bar on the terminal that says how many rows were read, how fast, and how long it will take. Nothing is shown where no terminal is.
pub(crate) fn watched(source: Source) -> impl Iterator<Item = Result<RecordBatch>> {
    let bar = std::io::stderr().is_terminal().then(|| bar(&source.extent));
    let (extent, mut rows) = (source.extent.clone(), 0);
    let mut source = source;
    std::iter::from_fn(move || {
        let batch = source.next();
        if let (Some(Ok(batch)), Some(bar)) = (&batch, &bar) {
            rows += batch.num_rows() as u64;
            match &extent {
                Extent::Bytes(_, read) => {
                    bar.set_position(read.load(Ordering::Relaxed));
                    bar.set_message(format!("{rows} rows"));
                }
                _ => bar.set_position(rows),
            }
        }
        if let (None, Some(bar)) = (&batch, &bar) {
            bar.finish_and_clear();
        }
        batch
    })
}

fn bar(extent: &Extent) -> ProgressBar {
    let (length, template) = match extent {
        Extent::Rows(rows) => {
            (Some(*rows), "{bar:30} {human_pos} of {human_len} rows, {rate}, {eta} left")
        }
        Extent::Bytes(bytes, _) => (Some(*bytes), "{bar:30} {msg}, {bytes_per_sec}, {eta} left"),
        Extent::Unknown => (None, "{spinner} {human_pos} rows, {rate}"),
    };
    let bar = length.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let rate = |state: &ProgressState, to: &mut dyn Write| {
        let _ = write!(to, "{} rows/s", HumanCount(state.per_sec() as u64));
    };
    let style = ProgressStyle::with_template(template).expect("a template");
    bar.set_style(style.with_key("rate", rate));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
