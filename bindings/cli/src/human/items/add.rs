//! `items add`: a text from the arguments, a pipe or the editor, with defaults for people.

use clap::{ArgMatches, Command};
use loopmem::Result;
use serde_json::Value;

use crate::human::arguments::{flag, text_words};
use crate::human::editor::{self, Caller};
use crate::human::identified::Identified;
use crate::human::items::fields::{DEFAULT_TYPE, ITEM, hints, nested};
use crate::human::items::item::Item;
use crate::human::schema::{given, options};
use crate::human::{form, input};
use crate::output::usage_error;
use crate::session::{Members, Session};

const METHOD: &str = "items.add";
const NEVER: &str = "neverRecall";
const EXPIRY: &str = "expiry";
const HELP: &str = "\
The text is read from TEXT, else from --content, else from a pipe, else from $VISUAL or $EDITOR. Text that begins with \
a line `+++` is read as the form that the editor shows. A secret is refused; with --force, the item is stored with the \
secret redacted.";

/// Adds the arguments for people to the generated command.
pub(super) fn extend(add: Command) -> Command {
    let never = flag(NEVER, "Keeps the item but never recalls it").long("never-recall");
    let options = options(hints()).into_iter().map(|option| option.conflicts_with("relevance_hints"));
    add.after_help(HELP)
        .arg(text_words("The memory, in one or a few sentences").conflicts_with("content"))
        .mut_arg("content", |arg| arg.required(false))
        // A negative duration is explained by the method, not taken for an option.
        .mut_arg("expiry", |arg| arg.allow_hyphen_values(true))
        // Each has an option of its own.
        .mut_arg("relevance_hints", |arg| arg.hide(true).alias("relevance_hints"))
        // The generated option can only repeat the default.
        .mut_arg("recallable", |arg| arg.hide(true))
        .arg(never.conflicts_with("recallable"))
        .args(options)
}

/// Adds an item; `None` if the options say everything, as those of the generated command do.
pub(super) fn run(session: &Session<'_>, args: &ArgMatches) -> Option<Result<()>> {
    let is_extended = args.get_flag(NEVER) || hints().any(|field| args.contains_id(field.option));
    (is_extended || !args.contains_id("content")).then(|| add(session, args))
}

fn add(session: &Session<'_>, args: &ArgMatches) -> Result<()> {
    let mut options = session.params(METHOD, args)?;
    if args.get_flag(NEVER) {
        options.insert("recallable".to_owned(), false.into());
    }
    let hints = given(ITEM.fields, args).into_iter().filter(|(key, _)| hints().any(|field| field.key == key));
    options.extend(hints);
    if let Some(text) = input::text_argument(args)? {
        options.insert("content".to_owned(), text.into());
    }
    let store = |written: Members| {
        let mut draft = written;
        // Options take precedence.
        draft.extend(options.clone());
        store(session, draft)
    };
    let stored = if options.contains_key("content") {
        store(Members::new())?
    } else if let Some(text) = input::read_pipe()? {
        store(written(&text)?)?
    } else if editor::is_available() {
        compose(session, &options, Caller::Command)?.ok_or_else(editor::nothing_written)?
    } else {
        usage_error("the content is missing; pass it as TEXT or through a pipe")
    };
    session.show(stored.json().to_owned(), || Ok(stored.after("Stored")))
}

/// Opens the editor on a new item with these fields, and stores what was written; `None` if nothing was.
///
/// # Errors
/// Those of [`editor::compose`] and [`store`].
pub(crate) fn compose(session: &Session<'_>, fields: &Members, caller: Caller<'_>) -> Result<Option<Item>> {
    let comment = "An item: a small memory in one or a few sentences.\nWrite it below the second +++.";
    let mut shown = fields.clone();
    shown.entry("type").or_insert_with(|| DEFAULT_TYPE.into());
    editor::compose("item.md", &form::write(&ITEM, &shown, comment), caller, |form| {
        let mut draft = fields.clone();
        draft.extend(written(form)?);
        store(session, draft)
    })
}

/// The fields in a form. In that of a new item, an empty expiry is one that was not filled in.
fn written(form: &str) -> Result<Members> {
    let mut fields = form::read(&ITEM, form)?;
    if fields.get(EXPIRY).and_then(Value::as_str).is_some_and(|expiry| expiry.trim().is_empty()) {
        fields.remove(EXPIRY);
    }
    Ok(fields)
}

/// Stores a draft, and returns the item as stored.
///
/// # Errors
/// Those of `items.add`.
pub(crate) fn store(session: &Session<'_>, draft: Members) -> Result<Item> {
    session.ask(METHOD, &nested(draft, &Members::new()))
}
