//! `outflank completions`: what shells and `man` want to know of the command.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Command, ValueEnum};
use clap_complete::{Generator, Shell, generate};
use clap_mangen::Man;
use outflank::formats::atomic::write_whole;

use super::error::{Error, Outcome, Status};
use super::for_all;

/// Arguments of `completions`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  outflank completions bash > ~/.local/share/bash-completion/completions/outflank
  outflank completions zsh > ~/.zfunc/_outflank
  outflank completions --man > outflank.1
  outflank completions --dir release      all shells, and a manual page for each command")]
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
pub fn run(arguments: &CompletionsArguments, command: Command) -> Outcome {
    let mut shown = visible(&command);
    // pages that say how to get help say nothing
    let for_man = for_all(command, &|command| command.disable_help_subcommand(true));
    // the version alone, not what this machine is
    let mut for_man = for_man.version(env!("CARGO_PKG_VERSION")).long_version(env!("CARGO_PKG_VERSION"));
    shown.build();
    for_man.build();
    let name = shown.get_name().to_string();
    let mut out = io::stdout().lock();
    if let Some(shell) = arguments.shell {
        out.write_all(&script(shell, &mut shown, &name))?;
    } else if arguments.man {
        out.write_all(&page(&for_man)?)?;
    } else if let Some(folder) = &arguments.dir {
        fs::create_dir_all(folder).map_err(|error| Error::write(folder, error))?;
        for shell in Shell::value_variants() {
            write(folder.join(shell.file_name(&name)), &script(*shell, &mut shown, &name))?;
        }
        pages(folder, &for_man)?;
    }
    Ok(Status::Success)
}

/// What shells are to know of a command: all but its hidden options, which clap_complete would offer like the others.
fn visible(command: &Command) -> Command {
    let options = command.get_arguments().filter(|option| !option.is_hide_set()).cloned();
    let aliases: Vec<String> = command.get_visible_aliases().map(str::to_string).collect();
    let shown = Command::new(command.get_name().to_string()).args(options).visible_aliases(aliases);
    let shown = shown.subcommands(command.get_subcommands().filter(|below| !below.is_hide_set()).map(visible));
    let shown = command.get_about().into_iter().fold(shown, |shown, about| shown.about(about.clone()));
    command.get_version().into_iter().fold(shown, |shown, version| shown.version(version.to_string()))
}

/// The completions for a shell: in memory, for clap_complete panics where they cannot be written.
fn script(shell: Shell, command: &mut Command, name: &str) -> Vec<u8> {
    let mut script = Vec::new();
    generate(shell, command, name, &mut script);
    script
}

/// Writes the page of a command, and those of the commands below it.
fn pages(folder: &Path, command: &Command) -> Result<(), Error> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        pages(folder, below)?;
    }
    write(folder.join(Man::new(command.clone()).get_filename()), &page(command)?)
}

fn write(path: PathBuf, text: &[u8]) -> Result<(), Error> {
    write_whole(&path, text).map_err(|error| Error::write(&path, error))
}

/// The page of a command. Its closing text is set here: clap_mangen would fill and adjust the columns of the examples.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone().after_help(None)).render(&mut page)?;
    let closing = command.get_after_help().map(|text| closing(&text.to_string()));
    page.extend_from_slice(closing.unwrap_or_default().as_bytes());
    Ok(page)
}

/// A closing text in the language of `man`: lines that begin with a blank stay as they are.
fn closing(text: &str) -> String {
    let is_examples = |line: &str| line == "Examples:";
    let mut page = if text.lines().next().is_some_and(is_examples) { String::new() } else { ".SH NOTES\n".to_string() };
    let mut as_it_is = false;
    for line in text.lines() {
        let columns = line.starts_with(' ');
        if columns != as_it_is && !line.is_empty() {
            page += if columns { ".nf\n" } else { ".fi\n" };
            as_it_is = columns;
        }
        match line {
            "" => page += if as_it_is { "\n" } else { ".PP\n" },
            line if is_examples(line) => page += ".SH EXAMPLES\n",
            // behind a mark of no width nothing is a request
            line => page += &format!("\\&{}\n", line.replace('\\', "\\e").replace('-', "\\-")),
        }
    }
    if as_it_is { page + ".fi\n" } else { page }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_texts_keep_their_columns() {
        let text = "One.\n\nTwo.\n\nExamples:\n  a --b   does\n  c \\n     too\nThe end.";
        let page = ".SH NOTES\n\\&One.\n.PP\n\\&Two.\n.PP\n.SH EXAMPLES\n.nf\n\\&  a \\-\\-b   does\n\\&  c \\en     too\n.fi\n\\&The end.\n";
        assert_eq!(closing(text), page);
        assert_eq!(closing("Examples:\n  a"), ".SH EXAMPLES\n.nf\n\\&  a\n.fi\n");
    }
}
