//! An executor of a cluster: Ballista's own, with our functions.
#![forbid(unsafe_code)]

use std::process::ExitCode;
use std::sync::Arc;

use ballista_core::error::{BallistaError, Result};
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_executor::config::Config;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use clap::Parser;
use tracing_subscriber::EnvFilter;

/// What is logged if `RUST_LOG` does not say it. The parts that run tasks log what tasks say, and that can quote data.
const LOGGED: &str = "warn,ballista_executor=off,ballista_executor::executor_process=warn";

fn main() -> ExitCode {
    // What tasks hand on is in files, and so are answers for which there is no memory: nobody else reads them.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    deniable_sql::be_discreet();
    let config = Config::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(LOGGED));
    tracing_subscriber::fmt()
        .with_ansi(false)
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .init();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let served =
        runtime.map_err(BallistaError::IoError).and_then(|runtime| runtime.block_on(serve(config)));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: the executor does not start: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(config: Config) -> Result<()> {
    let mut config: ExecutorProcessConfig = config.try_into()?;
    // Beside the engine's own, which an empty registry would do away with.
    let mut functions = BallistaFunctionRegistry::default();
    for function in deniable_sql::scalar_functions() {
        functions.scalar_functions.insert(function.name().to_owned(), Arc::new(function));
    }
    for function in deniable_sql::aggregate_functions() {
        functions.aggregate_functions.insert(function.name().to_owned(), Arc::new(function));
    }
    config.override_function_registry = Some(Arc::new(functions));
    start_executor_process(Arc::new(config)).await
}
