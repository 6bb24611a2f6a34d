//! Differential privacy in SQL, for [DataFusion](datafusion).
//!
//! [`register`] brings the functions to a session, with the rules that see to it that noise is drawn once a row:
//!
//! ```
//! use datafusion::prelude::SessionContext;
//!
//! # #[tokio::main]
//! # async fn main() -> datafusion::common::Result<()> {
//! let session = SessionContext::new();
//! deniable_sql::register(&session)?;
//! session.sql("CREATE TABLE answers AS VALUES (true), (false), (NULL)").await?.collect().await?;
//! let reports = session
//!     .sql("SELECT randomize_yes_no(column1, 1.0) AS moved FROM answers")
//!     .await?
//!     .collect()
//!     .await?;
//! assert_eq!(reports[0].num_rows(), 3);
//! // The same call twice would draw twice.
//! let twice = "SELECT randomize_yes_no(column1, 1.0) AS a, randomize_yes_no(column1, 1.0) AS b FROM answers";
//! assert!(session.sql(twice).await?.collect().await.is_err());
//! # Ok(())
//! # }
//! ```
//!
//! The kernels, the parameters and what becomes of a missing answer are those of [`deniable_arrow`]: parameters are the fields of a question in a survey file, as a literal.
#![forbid(unsafe_code)]

mod call;
mod central;
mod definition;
#[cfg(feature = "command")]
mod discreet;
mod error;
mod estimate;
mod guard;
mod loss;
mod parameters;
mod randomize;

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::session_state::SessionState;
use datafusion::execution::{FunctionRegistry, SessionStateBuilder};
use datafusion::logical_expr::{AggregateUDF, ScalarUDF};
use datafusion::prelude::SessionContext;

pub use definition::{Definition, Group};
#[cfg(feature = "command")]
pub use discreet::{be_discreet, panicked_without_entropy};
pub use error::{lacks_entropy, shown, shown_of_plan};
pub use loss::{Loss, losses};
pub use parameters::question_fields;

/// Brings the functions and their guard to a session.
///
/// # Errors
///
/// None at present; a session that takes no functions would be one.
pub fn register(session: &SessionContext) -> Result<()> {
    let state = session.state_ref();
    let mut state = state.write();
    *state = with_functions(state.clone())?;
    Ok(())
}

/// The same for the state of a session that is to be.
///
/// # Errors
///
/// As [`register`].
pub fn with_functions(state: SessionState) -> Result<SessionState> {
    let rules = guard::LeftOut::among(state.physical_optimizers());
    let id = state.session_id().to_owned();
    let mut state = SessionStateBuilder::new_from_existing(state)
        .with_session_id(id)
        .with_physical_optimizer_rules(rules)
        .with_analyzer_rule(Arc::new(guard::Mark))
        .with_optimizer_rule(Arc::new(guard::Once))
        .with_physical_optimizer_rule(Arc::new(guard::Physically))
        .build();
    for function in scalar_functions() {
        state.register_udf(Arc::new(function))?;
    }
    for function in aggregate_functions() {
        state.register_udaf(Arc::new(function))?;
    }
    Ok(state)
}

/// The same for a session that plans for several machines, as Ballista's scheduler does: what is safe in one process only is refused.
///
/// The rules of the session are those that run: Ballista's adaptive planner has others of its own, and must be off.
///
/// # Errors
///
/// As [`register`].
pub fn with_functions_for_cluster(state: SessionState) -> Result<SessionState> {
    let state = with_functions(state)?;
    let id = state.session_id().to_owned();
    let state = SessionStateBuilder::new_from_existing(state)
        .with_session_id(id)
        .with_physical_optimizer_rule(Arc::new(guard::Tasks))
        .build();
    Ok(state)
}

/// The functions of a row. Without the guard of a session they refuse to run.
pub fn scalar_functions() -> Vec<ScalarUDF> {
    let randomizers = randomize::ALL.into_iter().map(randomize::Randomizer::function);
    randomizers.chain([loss::PrivacyMap::function()]).collect()
}

/// The functions of many rows.
pub fn aggregate_functions() -> Vec<AggregateUDF> {
    let estimators = estimate::ALL.into_iter().map(estimate::Estimator::function);
    let releasers = central::ALL.into_iter().map(central::Releaser::function);
    estimators.chain([estimate::Counter::function()]).chain(releasers).collect()
}

/// What the functions are: the documentation is made of it.
pub fn definitions() -> Vec<&'static Definition> {
    let estimates = estimate::ALL.into_iter().chain([estimate::COUNTER]);
    randomize::ALL
        .into_iter()
        .chain(estimates)
        .chain(central::ALL)
        .chain([&loss::DEFINITION])
        .collect()
}

#[cfg(test)]
mod tests;
