//! Queries, as users write them.

mod central;
mod definitions;
mod estimate;
mod made_up;
mod once;
mod parameters;
mod randomize;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::common::Result;
use datafusion::datasource::MemTable;
use datafusion::logical_expr::ColumnarValue;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::register;

/// How many reports were drawn, by the text of the parameters: each test has its own.
static DRAWN: LazyLock<Mutex<HashMap<String, usize>>> = LazyLock::new(Mutex::default);

/// Called wherever reports are drawn.
pub(crate) fn drawn(parameters: &ColumnarValue, rows: usize) {
    let ColumnarValue::Scalar(value) = parameters else { return };
    *DRAWN.lock().unwrap().entry(value.to_string()).or_default() += rows;
}

/// How many reports were drawn with these parameters.
fn draws(parameters: &str) -> usize {
    DRAWN.lock().unwrap().get(parameters).copied().unwrap_or(0)
}

/// The rows of the table of tests.
const ROWS: usize = 1000;

/// A session with a table `t` of [`ROWS`] rows in partitions: id, x and y (truth values), c (one of a, b, NULL), n (numbers from 0 to 9), f (the same as floats).
fn session_with(partitions: usize, batch: usize) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(batch);
    let session = SessionContext::new_with_config(config);
    register(&session).unwrap();
    let rows = 0..ROWS as i64;
    let texts = rows.clone().map(|i| [Some("a"), Some("b"), None][i as usize % 3]);
    let columns: [(&str, ArrayRef); 6] = [
        ("id", Arc::new(Int64Array::from_iter_values(rows.clone()))),
        ("x", Arc::new(BooleanArray::from_iter(rows.clone().map(|i| Some(i % 4 == 0))))),
        (
            "y",
            Arc::new(BooleanArray::from_iter(
                rows.clone().map(|i| (i % 5 > 0).then_some(i % 2 == 0)),
            )),
        ),
        ("c", Arc::new(StringArray::from_iter(texts))),
        ("n", Arc::new(Int64Array::from_iter_values(rows.clone().map(|i| i % 10)))),
        ("f", Arc::new(Float64Array::from_iter_values(rows.map(|i| (i % 10) as f64)))),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let parts = partitions.clamp(1, 4);
    let part = ROWS / parts;
    let parts = (0..parts).map(|i| vec![batch.slice(i * part, part)]).collect();
    let table = MemTable::try_new(batch.schema(), parts).unwrap();
    session.register_table("t", Arc::new(table)).unwrap();
    session
}

fn session() -> SessionContext {
    session_with(4, 100)
}

async fn run(session: &SessionContext, query: &str) -> Result<RecordBatch> {
    let batches = session.sql(query).await?.collect().await?;
    let Some(first) = batches.first() else {
        return Ok(RecordBatch::new_empty(Arc::new(datafusion::arrow::datatypes::Schema::empty())));
    };
    Ok(datafusion::arrow::compute::concat_batches(&first.schema(), &batches)?)
}

/// The message of a query that is refused, as the command shows it.
async fn refusal(session: &SessionContext, query: &str) -> String {
    let frame = match session.sql(query).await {
        Ok(frame) => frame,
        Err(error) => return crate::shown_of_plan(&error),
    };
    match frame.collect().await {
        Ok(_) => panic!("accepted: {query}"),
        Err(error) => crate::shown(&error),
    }
}
