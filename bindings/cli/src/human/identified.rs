//! What is stored under an id: records of memory, and items. Finding them by prefixes of ids, and showing their changes.

use clap::builder::Resettable;
use clap::{ArgAction, ArgMatches, Command};
use loopmem::methods::Removed;
use loopmem::{Error, ErrorKind, Result};
use serde_json::{Value, json};

use crate::abbreviation;
use crate::human::arguments::{POSITIONAL, argument, purge, yes};
use crate::human::editor::{self, Caller};
use crate::human::form;
use crate::human::input::{self, confirm_to};
use crate::human::schema::Schema;
use crate::human::screen::{ID, KIND, Keep, PLAIN, counted, cut, on_one_line};
use crate::human::table::Table;
use crate::human::views::named;
use crate::output::{self, notice, usage_error};
use crate::session::{Members, Session};

/// Something that is stored under an id.
pub(crate) trait Identified: Sized {
    /// What it is called, and what its text is.
    const NOUN: &'static str;
    const BODY: &'static str;
    /// The heads of the columns with its kind and its description.
    const HEADS: [&'static str; 2];
    /// Where to see the ids, and what is stored.
    const LIST_OF_IDS: &'static str;
    const LIST: &'static str;

    fn id(&self) -> &str;

    fn kind(&self) -> &str;

    /// A short description.
    fn label(&self) -> String;

    /// The JSON as stored.
    fn json(&self) -> &str;

    /// What happened to it, on one line: `Stored note 019a1b2c…: The CI box is slow`.
    fn after(&self, what: &str) -> String {
        named(&format!("{what} {}", on_one_line(self.kind())), self.id(), &self.label())
    }
}

/// Finds the one whose id is `typed` or has it as a unique prefix.
///
/// # Errors
/// `NotFound`; `Conflict` that lists the candidates if there are several.
pub(crate) fn find<'i, I: Identified>(all: &'i [I], typed: &str) -> Result<&'i I> {
    if typed.is_empty() {
        return Err(Error::validation(format!("the id is empty; {}", I::LIST_OF_IDS)));
    }
    let describe = |it: &I| format!("{} {}", it.kind(), cut(&it.label(), 60, Keep::Start));
    abbreviation::find(typed, all, I::id, describe)?
        .ok_or_else(|| Error::new(ErrorKind::NotFound, format!("no {} {}; {}", I::NOUN, shown(typed), I::LIST)))
}

/// A typed id for an error message. It may be a secret pasted by mistake, so it is repeated only if it looks like an
/// id.
fn shown(typed: &str) -> &str {
    let is_hex = typed.chars().all(|it| it.is_ascii_hexdigit() || it == '-');
    let is_short = typed.chars().count() <= 12 && !typed.chars().any(char::is_control);
    if is_short || (is_hex && typed.len() <= 36) { typed } else { "with this id" }
}

/// The ids of all, to abbreviate one of them so that it is unique.
pub(crate) struct Ids<'i>(Vec<&'i str>);

impl<'i> Ids<'i> {
    pub(crate) fn of<I: Identified + 'i>(all: impl Iterator<Item = &'i I>) -> Self {
        let mut ids: Vec<&str> = all.map(I::id).collect();
        ids.sort_unstable();
        ids.dedup();
        Ids(ids)
    }

    pub(crate) fn short<'n>(&self, id: &'n str) -> &'n str {
        abbreviation::shown(id, &self.0)
    }
}

/// Changes one, and shows the outcome: sets the fields of `wanted`, which were given as options, or else those that are
/// read from a pipe, or else has its `form` changed in the editor. `change` returns `None` if nothing is different.
///
/// # Errors
/// Those of `change`, [`form::read`] and [`editor::compose`]; `IOError` if standard output cannot be written to.
pub(crate) fn edit_by<I: Identified>(
    session: &Session<'_>,
    stored: &I,
    schema: &Schema,
    form: &str,
    wanted: Members,
    change: impl Fn(Members) -> Result<Option<I>>,
) -> Result<()> {
    let changed = if !wanted.is_empty() {
        change(wanted)?
    } else if let Some(text) = input::read_pipe()? {
        change(form::read(schema, &text)?)?
    } else if editor::is_available() {
        let take = |form: &str| change(form::read(schema, form)?);
        editor::compose(&format!("{}.md", schema.name), form, Caller::Command, take)?.flatten()
    } else {
        let body = I::BODY;
        usage_error(&format!("nothing to change was given; use options, or pass the {body} through a pipe"))
    };
    match changed {
        Some(changed) => show_stored(session, "Changed", &changed),
        None if session.is_for_programs() => output::line(stored.json().to_owned()),
        None => {
            session.emit("nothing changed");
            if session.is_for_humans() { Ok(()) } else { output::text(stored.id()) }
        }
    }
}

/// What was stored.
///
/// # Errors
/// `IOError` if standard output cannot be written to.
pub(crate) fn show_stored<I: Identified>(session: &Session<'_>, what: &str, stored: &I) -> Result<()> {
    session.print(stored.json().to_owned(), stored.id(), &stored.after(what))
}

/// Has the generated command that removes one by its option `--id` remove any number of them.
pub(crate) fn removal<I: Identified>(verb: Command) -> Command {
    let ids = argument(POSITIONAL, "ID", "An id or a unique prefix of it; may be repeated");
    verb.about(format!("Removes {}s; on a terminal, asks for confirmation. `loopmem undo` brings them back.", I::NOUN))
        .long_about(Resettable::Reset)
        .mut_arg("id", |arg| arg.required(false).hide(true).conflicts_with(POSITIONAL))
        .mut_arg("purge", |_| purge())
        .arg(ids.action(ArgAction::Append))
        .arg(yes())
}

/// Those whose ids, or prefixes of them, were passed as ID, each once. On a terminal, asks whether to remove them.
///
/// # Errors
/// As [`find`]; `Cancelled` if they must not be removed.
pub(crate) fn to_remove<'i, I: Identified>(all: &'i [I], args: &ArgMatches) -> Result<Vec<&'i I>> {
    let mut targets: Vec<&I> = Vec::new();
    for typed in args.get_many::<String>(POSITIONAL).into_iter().flatten() {
        let target = find(all, typed)?;
        if !targets.iter().any(|it| it.id() == target.id()) {
            targets.push(target);
        }
    }
    confirm_to("remove", args, "nothing was removed", || {
        Ok(match targets.as_slice() {
            [only] => format!("Remove the {} {} ({})? [y/N] ", only.kind(), on_one_line(only.id()), only.label()),
            _ => {
                let [kind, label] = I::HEADS;
                let table = Table::of(&targets).fixed("ID", ID, |it| it.id()).fixed(kind, KIND, |it| it.kind());
                notice(table.flexible(label, PLAIN, Keep::Start, |it| it.label()).text().trim_end());
                format!("Remove these {}? [y/N] ", counted(targets.len(), I::NOUN))
            }
        })
    })?;
    Ok(targets)
}

/// Removes for good those whose ids, or prefixes of them, were passed as ID, by `method` with `place` as its other params. On a
/// terminal, asks first. What was removed before is known to the trash alone, so its id has to be complete.
///
/// # Errors
/// As [`find`], but `NotFound` only if nothing is left of one either; `Cancelled` if they must not be removed; the method's.
pub(crate) fn remove_for_good<I: Identified>(
    session: &Session<'_>,
    all: &[I],
    args: &ArgMatches,
    method: &str,
    place: &Members,
) -> Result<()> {
    let mut ids = Vec::new();
    for typed in args.get_many::<String>(POSITIONAL).into_iter().flatten() {
        match find(all, typed) {
            Ok(it) => ids.push(it.id().to_owned()),
            Err(error) if error.kind() == ErrorKind::NotFound => ids.push(typed.clone()),
            Err(error) => return Err(error),
        }
    }
    confirm_to("remove", args, "nothing was removed", || {
        let what = counted(ids.len(), I::NOUN);
        Ok(format!("Remove {what} for good? `undo` cannot bring it back. [y/N] "))
    })?;
    let mut results = Vec::new();
    for id in &ids {
        let mut params = place.clone();
        params.extend([("id".to_owned(), id.as_str().into()), ("purge".to_owned(), true.into())]);
        let Removed { removed, .. } = session.ask(method, &params)?;
        if !removed {
            let message = format!("no {} {}, and none in the trash; {}", I::NOUN, shown(id), I::LIST);
            return Err(Error::new(ErrorKind::NotFound, message));
        }
        if session.is_for_humans() {
            output::screen(&named(&format!("Removed {} for good", I::NOUN), id, ""))?;
        } else if !session.is_for_programs() {
            output::text(id)?;
        }
        results.push(json!({ "id": id, "removed": removed }));
    }
    if session.is_for_programs() { output::line(Value::from(results).to_string()) } else { Ok(()) }
}

/// Says that one of several was removed, unless the output is for programs, and returns the result for them.
///
/// # Errors
/// `IOError` if standard output cannot be written to.
pub(crate) fn show_removed<I: Identified>(session: &Session<'_>, it: &I, is_removed: bool) -> Result<Value> {
    if session.is_for_humans() {
        output::screen(&it.after(if is_removed { "Removed" } else { "Already removed" }))?;
    } else if !session.is_for_programs() {
        output::text(it.id())?;
    }
    Ok(json!({ "id": it.id(), "removed": is_removed }))
}
