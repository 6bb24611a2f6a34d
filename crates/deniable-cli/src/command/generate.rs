//! `deniable generate`.

use std::path::{Path, PathBuf};

use clap::CommandFactory;
use clap_complete::Shell;

use super::Cli;
use crate::error::{Error, Result};
use crate::output::print;

/// Completions for a shell, and the manual pages
///
/// They are made of the same definitions as this help. Without a folder, what is asked for is printed.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

const EXAMPLES: &str = "\
Examples:
  deniable generate completions bash > ~/.local/share/bash-completion/completions/deniable
  deniable generate man | man -l -
  deniable generate man --output ~/.local/share/man/man1";

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Completions for a shell
    Completions {
        /// The shell
        shell: Shell,
        /// A folder to write them to, under the name that the shell looks for
        #[arg(short, long, value_name = "FOLDER")]
        output: Option<PathBuf>,
    },
    /// The manual page, or in a folder one for each command
    Man {
        /// A folder to write them to
        #[arg(short, long, value_name = "FOLDER")]
        output: Option<PathBuf>,
    },
}

impl Args {
    pub(crate) fn run(self) -> Result<()> {
        let (mut command, name) = (Cli::command(), "deniable");
        match self.what {
            What::Completions { shell, output: Some(folder) } => {
                clap_complete::generate_to(shell, &mut command, name, &folder)
                    .map(drop)
                    .map_err(|error| Error::io(&folder, &error))
            }
            What::Completions { shell, output: None } => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut command, name, &mut script);
                print(script)
            }
            What::Man { output: Some(folder) } => clap_mangen::generate_to(command, &folder)
                .map_err(|error| Error::io(&folder, &error)),
            What::Man { output: None } => {
                let mut page = Vec::new();
                clap_mangen::Man::new(command)
                    .render(&mut page)
                    .map_err(|error| Error::io(Path::new("-"), &error))?;
                print(page)
            }
        }
    }
}
