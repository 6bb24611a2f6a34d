//! `deniable generate`.

use std::path::PathBuf;

use clap::{Command, CommandFactory};
use clap_complete::{Generator, Shell};
use clap_mangen::Man;

use super::Cli;
use crate::error::Result;
use crate::files::replace;
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
        match self.what {
            What::Completions { shell, output } => {
                let mut script = Vec::new();
                clap_complete::generate(shell, &mut Cli::command(), NAME, &mut script);
                match output {
                    Some(folder) => replace(&folder.join(shell.file_name(NAME)), &script),
                    None => print(script),
                }
            }
            What::Man { output: Some(folder) } => {
                let mut command = Cli::command().disable_help_subcommand(true);
                command.build();
                each_page(command, &|name, page| replace(&folder.join(name), page))
            }
            What::Man { output: None } => print(page(&Man::new(Cli::command()))),
        }
    }
}

const NAME: &str = "deniable";

/// The pages of a command and of all below it.
fn each_page(command: Command, write: &impl Fn(&str, &[u8]) -> Result<()>) -> Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        each_page(below.clone(), write)?;
    }
    let man = Man::new(command);
    write(&man.get_filename(), &page(&man))
}

fn page(man: &Man) -> Vec<u8> {
    let mut page = Vec::new();
    man.render(&mut page).expect("memory takes it");
    page
}
