//! Surveys on columns: answers in, deniable reports out, and estimates from the reports.
//!
//! A [`Survey`] says what is asked and what each question may lose. It is read from a file, and cannot be wrong once it is there. It randomizes
//! [batches](arrow_array::RecordBatch) of answers, one respondent a row; counts batches of reports; and turns the counts into estimates with intervals. The command
//! `deniable`, Python and SQL are this with files, data frames and queries around it.
//!
//! What an answer means depends on the type of its column and never on its values. So a column of whole numbers that answers a question for *several* of a list has a bit for each choice, while the same
//! digits in a column of texts, as all columns of CSV files are, are the name of a choice: see [`Survey`].
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::{ArrayRef, BooleanArray, RecordBatch, StringArray};
//! use deniable_arrow::Survey;
//!
//! let survey = Survey::parse(
//!     r#"
//!     version = 1
//!
//!     [[question]]
//!     name = "moved"
//!     kind = "yes-no"
//!     epsilon = 1.0
//!
//!     [[question]]
//!     name = "transport"
//!     kind = "choice"
//!     choices = ["car", "bus", "bike"]
//!     epsilon = 2.0
//!     "#,
//! )?;
//! assert!(survey.epsilon().get() <= 3.0);
//!
//! let moved = Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])) as ArrayRef;
//! let transport = Arc::new(StringArray::from(vec!["bus", "horse", "car"])) as ArrayRef;
//! let answers = RecordBatch::try_from_iter([("moved", moved), ("transport", transport)])?;
//! let reports = survey.randomize(&answers)?;
//! // Three reports of each question, and nothing missing: no answer and "horse" were randomized as well.
//! assert_eq!((reports.num_rows(), reports.column(0).null_count()), (3, 0));
//!
//! let mut counts = survey.counts();
//! survey.count(&reports, &mut counts)?;
//! let estimates = survey.estimate(&counts, &Default::default())?;
//! assert_eq!(estimates.questions[1].values.len(), 4); // car, bus, bike, other
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod columns;
mod counts;
mod error;
mod estimate;
mod kind;
pub mod mechanism;
mod survey;

pub use counts::SurveyCounts;
pub use error::{Error, ErrorKind, Result};
pub use estimate::{
    How, MeanEstimate, QuestionEstimate, SurveyEstimate, TextEstimate, ValueEstimate,
};
pub use kind::{Choice, Kind, Number, Several, Text, YesNo};
pub use mechanism::{ChoiceMechanism, Mechanism};
pub use survey::{FINGERPRINT, Fingerprint, Question, Survey};
