//! The prompts that a client offers its user, such as slash commands.

use loopmem::{Error, ErrorKind, Result};
use rmcp::model::{Prompt, PromptArgument};

use super::caller::Caller;
use super::work::pack;
use crate::session::Members;

const RECALL: &str = "recall";
const WRAP_UP: &str = "wrap_up";
const TASK: &str = "task";
/// What `wrap_up` asks for.
const INSTRUCTION: &str = "\
Finish this session for whoever continues it.

1. Call `end_step` with one paragraph: what was done, what came out of it, what remains to be done.
2. Look through the conversation for what later sessions should know and the code does not say: preferences and corrections of \
the user, rules of the project, choices and their reasons, findings that took long. Call `search` for each, and `remember` \
only what is not stored yet; if a stored record is outdated, replace it by its id.
3. Say in one or two sentences what you stored.";

/// The prompts, also those for a model that `can_store`.
pub(super) fn all(can_store: bool) -> Vec<Prompt> {
    let task = PromptArgument::new(TASK).with_description("What you are about to do").with_required(false);
    let recall = Prompt::new(RECALL, Some("Loads what is remembered for a task"), Some(vec![task]));
    let wrap_up = Prompt::new(WRAP_UP, Some("Has the model store what was learned in this session"), None);
    std::iter::once(recall).chain(can_store.then_some(wrap_up)).collect()
}

/// The text of a prompt.
///
/// # Errors
/// `NotFound` if there is no such prompt; those of building a context pack.
pub(super) fn text(caller: &Caller, name: &str, arguments: Option<&Members>) -> Result<String> {
    match name {
        RECALL => {
            let task = arguments.and_then(|it| it.get(TASK)).and_then(|task| task.as_str()).map(str::to_owned);
            let text = pack(caller, caller.workspace.clone(), task.clone(), None, None)?.text;
            let text = if text.is_empty() { "Nothing is stored for this repository yet.\n".to_owned() } else { text };
            Ok(match task {
                Some(task) => format!("{}\n\n---\n\n{task}", text.trim_end()),
                None => text,
            })
        }
        WRAP_UP => Ok(INSTRUCTION.to_owned()),
        _ => Err(Error::new(ErrorKind::NotFound, format!("unknown prompt {name:?}; available: {RECALL}, {WRAP_UP}"))),
    }
}
