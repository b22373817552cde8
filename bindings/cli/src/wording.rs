//! Texts of the method table and errors of methods in the words of the command line: `loopmem memory list` instead of
//! `memory.list`, `--max-chars` instead of `maxChars`.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::{ArgMatches, Command};
use loopmem::Error;
use loopmem::methods::{Description, Field, Type};

use crate::naming::{flag, kebab};

/// What people type for methods and params.
struct Words {
    commands: HashMap<String, String>,
    options: HashMap<String, String>,
    /// The params that are records: options of a command are their members.
    records: HashSet<String>,
    /// Names of rooms and values of params, which may be called like params.
    values: HashSet<String>,
}

impl Words {
    fn of(description: &Description, command_of: fn(&str) -> String) -> Self {
        let methods = &description.methods;
        let fields = || methods.iter().flat_map(|method| &method.params.fields);
        let is_record = |it: &&Field| matches!(it.ty, Type::Struct(_) | Type::TextOrStruct(_));
        let named = |it: &Field| if let Type::OneOf(names) = &it.ty { names.clone() } else { Vec::new() };
        let rooms = description.rooms.iter().map(|room| room.name.to_owned());
        Words {
            values: fields().flat_map(named).chain(rooms).collect(),
            records: fields().filter(is_record).map(|it| it.name.clone()).collect(),
            commands: methods.iter().map(|it| (it.name.to_owned(), command_of(it.name))).collect(),
            options: fields().map(|it| (it.name.clone(), format!("--{}", flag(it)))).collect(),
        }
    }

    /// What a word of a sentence is called: methods, and params that cannot be words of English.
    fn of_prose(&self, word: &str) -> Option<String> {
        if let Some(command) = self.commands.get(word) {
            return Some(format!("`{command}`"));
        }
        if let Some((record, member)) = word.split_once('.') {
            let option = format!("--{}", kebab(member));
            let is_option = self.records.contains(record) && OPTIONS.get().is_some_and(|all| all.contains(&option));
            return is_option.then_some(option);
        }
        let option = self.options.get(word).filter(|_| is_camel_case(word))?;
        let is_known = OPTIONS.get().is_none_or(|options| options.contains(option));
        // What the command takes in another way: `scope id`.
        Some(if is_known { option.clone() } else { kebab(word).replace('-', " ") })
    }

    /// What a word that is set as code is called. It may also be a value.
    fn of_code(&self, code: &str) -> Option<String> {
        let option = || self.options.get(code).filter(|_| !self.records.contains(code) && !self.values.contains(code));
        self.commands.get(code).or_else(option).cloned()
    }

    /// `METHOD (COMMAND)`, as it is written for hosts, is the method alone.
    fn without_commands(&self, text: &str) -> String {
        let mut text = text.to_owned();
        if text.contains(" (loopmem ") {
            for (method, command) in &self.commands {
                text = text.replace(&format!("{method} ({command})"), method);
            }
        }
        text
    }
}

/// Whether a word cannot be one of English.
fn is_camel_case(word: &str) -> bool {
    word.starts_with(char::is_lowercase) && word.contains(char::is_uppercase)
}

static WORDS: OnceLock<Words> = OnceLock::new();
/// The options of the command that runs.
static OPTIONS: OnceLock<HashSet<String>> = OnceLock::new();

/// Has messages name the options of the command that was typed.
pub(crate) fn speak_of(root: &Command, typed: &ArgMatches) {
    let (mut command, mut typed) = (root, typed);
    while let Some((name, inner)) = typed.subcommand()
        && let Some(found) = command.find_subcommand(name)
    {
        (command, typed) = (found, inner);
    }
    let options = command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(|arg| arg.get_long());
    OPTIONS.get_or_init(|| options.map(|it| format!("--{it}")).collect());
}

/// What commands for methods are called.
static COMMAND_OF: OnceLock<fn(&str) -> String> = OnceLock::new();

/// Has messages name methods as `command_of` does. Before, they are shown as they are.
pub(crate) fn learn(command_of: fn(&str) -> String) {
    COMMAND_OF.get_or_init(|| command_of);
}

/// The words, which are collected for the first message.
fn words() -> Option<&'static Words> {
    let command_of = COMMAND_OF.get()?;
    Some(WORDS.get_or_init(|| Words::of(&loopmem::methods::describe(), *command_of)))
}

/// A message for people. Code in it stays: it quotes what was passed.
pub(crate) fn message(text: &str) -> String {
    in_commands(text, str::to_owned)
}

/// Whether help is shown. To word all of it takes as long as the rest of a start.
static IS_FOR_HELP: AtomicBool = AtomicBool::new(false);

/// Has commands that are made from now on describe themselves in full.
pub(crate) fn describe() {
    IS_FOR_HELP.store(true, Ordering::Relaxed);
}

/// A description of a method for people, if help is shown. What is set as code in it is named as well.
pub(crate) fn description(text: &str) -> String {
    if !IS_FOR_HELP.load(Ordering::Relaxed) {
        return text.to_owned();
    }
    in_commands(text, |code| words().and_then(|words| words.of_code(code)).unwrap_or_else(|| code.to_owned()))
}

fn in_commands(text: &str, in_code: impl Fn(&str) -> String) -> String {
    let in_prose = |word: &str| words().and_then(|words| words.of_prose(word)).unwrap_or_else(|| word.to_owned());
    let text = words().map_or_else(|| text.to_owned(), |words| words.without_commands(text));
    if text.matches('`').count() % 2 == 1 {
        return pieces(&text).map(in_prose).collect();
    }
    let part = |(place, part): (usize, &str)| match place % 2 {
        0 => pieces(part).map(in_prose).collect(),
        _ => format!("`{}`", in_code(part)),
    };
    text.split('`').enumerate().map(part).collect()
}

/// An error for people, without its method: that is what they have just typed.
pub(crate) fn error(error: &Error) -> String {
    let whole = format!("{error:#}");
    match error.operation() {
        // The options of a store are keys, not options of the command.
        Some("open") => whole,
        operation => {
            let prefix = operation.map(|it| format!("{it}: ")).unwrap_or_default();
            message(whole.strip_prefix(&prefix).unwrap_or(&whole))
        }
    }
}

/// The words of a text, with the points within them, and what is between them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let is_of_word = |it: char| it.is_alphanumeric() || "._/-".contains(it);
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let end = rest.find(|it| is_of_word(it) != is_of_word(first)).unwrap_or(rest.len());
        // A point at the end is the sentence's.
        let trimmed = rest.get(..end)?.trim_end_matches('.').len();
        let (piece, left) = rest.split_at_checked(if trimmed == 0 { end } else { trimmed })?;
        rest = left;
        Some(piece)
    })
}

#[cfg(test)]
#[allow(clippy::panic, reason = "tests")]
mod tests {
    use super::{description, message};

    #[test]
    fn methods_are_commands_and_params_are_options() {
        super::learn(crate::human::command_of);
        super::describe();
        for (text, shown) in [
            ("see memory.list.", "see `loopmem memory list`."),
            ("run doctor.check (loopmem doctor) to see", "run `loopmem doctor` to see"),
            ("items.update changes it", "`loopmem items edit` changes it"),
            ("maxChars: expected a number", "--max-chars: expected a number"),
            ("at most 5 (memory.summaryMaxBytes)", "at most 5 (memory.summaryMaxBytes)"),
            ("/home/memory.list/maxChars and id", "/home/memory.list/maxChars and id"),
            ("unknown key `runid`; did you mean `runId`?", "unknown key `runid`; did you mean `runId`?"),
        ] {
            assert_eq!(message(text), shown);
        }
        assert_eq!(message("it's a ` in memory.list"), "it's a ` in `loopmem memory list`");
        let text = "As `memory.get`, with `maxChars`, `force` and the kinds `note` and `dir`";
        let shown = "As `loopmem memory list`, with `--max-chars`, `--force` and the kinds `note` and `dir`";
        assert_eq!(description(text), shown);
    }
}
