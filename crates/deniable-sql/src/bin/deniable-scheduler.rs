//! The scheduler of a cluster: Ballista's own, with our functions and their guard.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;

use ballista_core::error::{BallistaError, Result};
use ballista_core::extension::SessionConfigExt;
use ballista_core::utils::default_session_builder;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{Config, SchedulerConfig};
use ballista_scheduler::scheduler_process::start_server;
use clap::Parser;
use datafusion::prelude::SessionConfig;
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    deniable_sql::be_discreet();
    let config = Config::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt()
        .with_ansi(false)
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // Plans are deep.
        .thread_stack_size(32 << 20)
        .build();
    let served =
        runtime.map_err(BallistaError::IoError).and_then(|runtime| runtime.block_on(serve(config)));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: the scheduler does not start: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(config: Config) -> Result<()> {
    let address = format!("{}:{}", config.bind_host, config.bind_port);
    let address = address.parse().map_err(|_| {
        BallistaError::Configuration(
            "--bind-host is no address; accepted is one such as 127.0.0.1".into(),
        )
    })?;
    let config: SchedulerConfig = config.try_into()?;
    let config = config
        .with_override_config_producer(Arc::new(SessionConfig::new_with_ballista))
        .with_override_session_builder(Arc::new(|config| {
            // Whatever the client says: the adaptive planner leaves out the rules of a session, and so the guard.
            let config = config.with_ballista_adaptive_query_planner(false);
            deniable_sql::with_functions_for_cluster(default_session_builder(config)?)
        }));
    let cluster = BallistaCluster::new_from_config(&config).await?;
    start_server(cluster, address, Arc::new(config)).await
}
