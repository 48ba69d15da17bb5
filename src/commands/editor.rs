//! The line editor of the console: history, and completion of commands, moves and file names.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, IsTerminal, Write};

use outflank::formats::escaped;
use outflank::protocol::console::{Candidates, Completion, Console, Typed, pasted_commands};
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::config::Configurer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Helper};

/// Reads lines at a terminal.
pub struct Editor {
    editor: rustyline::Editor<Words, MemHistory>,
    /// What is still to be done of what came at once.
    pasted: VecDeque<String>,
}

impl Editor {
    /// An editor, if both ends are a terminal that can be written on.
    pub fn open() -> Option<Editor> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return None;
        }
        let config = Config::builder().completion_type(CompletionType::List).auto_add_history(true).build();
        let mut editor = rustyline::Editor::with_history(config, MemHistory::new()).ok()?;
        editor.set_helper(Some(Words { completion: None, files: FilenameCompleter::new() }));
        Some(Editor { editor, pasted: VecDeque::new() })
    }

    /// Asks for the next line; the engine ponders meanwhile.
    pub fn next<W: Write>(&mut self, console: &mut Console<W>) -> io::Result<Typed> {
        writeln!(console.out())?;
        if let Some(line) = self.pasted.pop_front() {
            writeln!(console.out(), "> {}", escaped(&line))?;
            return Ok(Editor::line(line));
        }
        console.out().flush()?;
        if let Some(words) = self.editor.helper_mut() {
            words.completion = Some(console.completion());
        }
        console.ponder();
        match self.editor.readline("> ") {
            Ok(text) => {
                self.pasted = pasted_commands(&text).into();
                let first = self.pasted.pop_front().unwrap_or_default();
                Ok(Editor::line(first))
            }
            Err(ReadlineError::Interrupted) => Ok(Typed::Interrupt),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            // Bytes that are no text (a terminal with another encoding, a paste of anything): as over a pipe, a line that is no
            // command. The game goes on.
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                Ok(Typed::Line(char::REPLACEMENT_CHARACTER.to_string()))
            }
            Err(ReadlineError::Io(error)) => Err(error),
            Err(other) => Err(io::Error::other(other)),
        }
    }

    /// The answer to a question, which is no command; none is Ctrl-C, or the end of the input.
    pub fn ask(&mut self, question: &str) -> Option<String> {
        if let Some(words) = self.editor.helper_mut() {
            words.completion = None;
        }
        self.editor.set_auto_add_history(false);
        let answer = self.editor.readline(question);
        self.editor.set_auto_add_history(true);
        answer.ok()
    }

    fn line(line: String) -> Typed {
        log::debug!(target: "outflank::wire", "< {line}");
        Typed::Line(line)
    }
}

/// What lines are completed to.
struct Words {
    completion: Option<Completion>,
    files: FilenameCompleter,
}

impl Completer for Words {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, context: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let pair = |word: String| Pair { display: word.clone(), replacement: word };
        match self.completion.as_ref().map(|completion| completion.of(&line[..at])) {
            None => Ok((at, Vec::new())),
            Some(Candidates::Words(start, words)) => Ok((start, words.into_iter().map(pair).collect())),
            Some(Candidates::Files) => self.files.complete(line, at, context),
        }
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _default: bool) -> Cow<'b, str> {
        Cow::Borrowed(prompt)
    }
}

impl Validator for Words {}

impl Helper for Words {}
