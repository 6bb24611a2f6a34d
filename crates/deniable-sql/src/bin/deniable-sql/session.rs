//! Where queries run.

use datafusion::prelude::{SessionConfig, SessionContext};

use crate::error::Result;

/// In this process.
pub(crate) fn here(threads: Option<usize>) -> Result<SessionContext> {
    let mut config = SessionConfig::new();
    if let Some(threads) = threads {
        config = config.with_target_partitions(threads.max(1));
    }
    let session = SessionContext::new_with_config(config);
    deniable_sql::register(&session)?;
    Ok(session)
}

/// On the machines of a cluster.
#[cfg(feature = "cluster")]
pub(crate) async fn of_cluster(scheduler: &str) -> Result<SessionContext> {
    use ballista::prelude::SessionContextExt;
    use ballista_core::extension::SessionConfigExt;
    use datafusion::execution::SessionStateBuilder;

    let config = SessionConfig::new_with_ballista();
    let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
    let session = SessionContext::remote_with_state(&format!("df://{scheduler}"), state).await?;
    // Behind that: it makes the functions anew.
    deniable_sql::register(&session)?;
    Ok(session)
}
