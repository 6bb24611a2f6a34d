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

    reach(scheduler).await?;
    let config = SessionConfig::new_with_ballista();
    let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
    let session = SessionContext::remote_with_state(&format!("df://{scheduler}"), state).await?;
    // Behind that: it makes the functions anew.
    let state = session.state_ref();
    let upgraded = deniable_sql::with_functions_for_cluster(state.read().clone())?;
    *state.write() = upgraded;
    Ok(session)
}

/// Whether anybody is there: the errors of later calls do not say who is not.
#[cfg(feature = "cluster")]
async fn reach(scheduler: &str) -> Result<()> {
    use crate::error::Error;
    use std::time::Duration;
    use tokio::net::TcpStream;
    use tokio::time::timeout;

    const PATIENCE: Duration = Duration::from_secs(10);

    let port = scheduler.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
    if !matches!(port, Some(Ok(_))) {
        return Err(Error::refused("--cluster: accepted is HOST:PORT, such as 127.0.0.1:50050"));
    }
    let problem = match timeout(PATIENCE, TcpStream::connect(scheduler)).await {
        Ok(Ok(_)) => return Ok(()),
        Ok(Err(error)) => error.kind().to_string(),
        Err(_) => "no answer".to_owned(),
    };
    Err(Error::failed(format!("--cluster: there is no scheduler at {scheduler}: {problem}")))
}

/// Plans a query as the scheduler of a cluster will, for errors that can be shown: those of other machines arrive as texts, and a text can have data in it.
#[cfg(feature = "cluster")]
pub(crate) async fn check(
    session: &SessionContext,
    plan: &datafusion::logical_expr::LogicalPlan,
) -> Result<()> {
    use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};

    let state = session.state();
    let planned = async {
        let plan = state.optimize(plan)?;
        DefaultPhysicalPlanner::default().create_physical_plan(&plan, &state).await
    };
    planned.await.map(drop).map_err(|error| crate::error::Error::of_plan(&error))
}
