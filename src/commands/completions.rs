//! `outflank completions`: what shells and `man` want to know of the command.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Command, ValueEnum};
use clap_complete::{Shell, generate, generate_to};
use clap_mangen::Man;

use super::error::{Error, Outcome, Status};

/// Arguments of `completions`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  outflank completions bash > ~/.local/share/bash-completion/completions/outflank
  outflank completions zsh > ~/.zfunc/_outflank
  outflank completions --man > outflank.1
  outflank completions --dir release      all shells and a page for each command, as releases have them")]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL", required_unless_present_any = ["man", "dir"])]
    shell: Option<Shell>,

    /// A page for `man` instead
    #[arg(long, conflicts_with = "shell")]
    man: bool,

    /// Write everything into this folder instead
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["shell", "man"])]
    dir: Option<PathBuf>,
}

/// Runs `completions` for this command line.
pub fn run(arguments: &CompletionsArguments, mut command: Command) -> Outcome {
    command.build();
    let name = command.get_name().to_string();
    let mut out = io::stdout().lock();
    if let Some(shell) = arguments.shell {
        let mut script = Vec::new();
        generate(shell, &mut command, name, &mut script);
        out.write_all(&script)?;
    } else if arguments.man {
        let mut page = Vec::new();
        Man::new(command).render(&mut page)?;
        out.write_all(&page)?;
    } else if let Some(folder) = &arguments.dir {
        write_all(folder, command, &name).map_err(|error| Error::write(folder, error))?;
    }
    Ok(Status::Success)
}

fn write_all(folder: &Path, mut command: Command, name: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for shell in Shell::value_variants() {
        generate_to(*shell, &mut command, name, folder)?;
    }
    clap_mangen::generate_to(command, folder)
}
