//! What a push would do: the folder merged with the branch as it is now, and checked like the result of a push.

use std::path::Path;

use super::base::{Base, BaseHint};
use super::changes::Changes;
use super::context::Context;
use super::plan::Plan;
use crate::branch::config::Memory;
use crate::branch::repository::address::{Address, Source};
use crate::branch::repository::objects::Author;
use crate::branch::repository::remote::Remote;
use crate::branch::repository::state::{self, State, with_repair};
use crate::branch::tree::fault::Fault;
use crate::branch::tree::redaction::fault_of;
use crate::branch::tree::validate::{Validation, validate};
use crate::branch::{Branches, operation};
use crate::error::{ErrorKind, Result};
use crate::home::Home;
use crate::redactions;

impl Branches {
    /// As [`validate`](Self::validate), and checks the files also as a push would leave them on the branch: merged with what
    /// others pushed, which is fetched. Nothing is pushed, and the folder stays as it is.
    ///
    /// # Errors
    /// Those of [`validate`](Self::validate) and [`checkout`](Self::checkout).
    pub fn validate_merged(&self, memory: &Memory, directory: Option<&Path>, source: &Source) -> Result<Validation> {
        self.home.call(operation::VALIDATE, |home| {
            let directory = memory.folder(home, directory)?;
            with_repair(home, &directory, || foresee(home, memory, &directory, source))
        })
    }
}

fn foresee(home: &Home, memory: &Memory, directory: &Path, source: &Source) -> Result<Validation> {
    let remote = &Remote::new(home, Address::find(home, memory, source)?, &memory.branch);
    state::refuse_repository(home, directory)?;
    let state = &State::open_for(home, directory, remote)?;
    let validation = validate(home, memory, directory)?;
    // What breaks a rule by itself is not read.
    if !validation.ok {
        return Ok(validation);
    }
    let author = &Author::of(home);
    let context = Context { home, memory, directory, remote, state, author, message: "" };
    // What would be redacted is not stored by this call.
    let (merged, _) = redactions::set_aside(|| merge(&context, &validation));
    let (rejected, conflicts) = merged?;
    Ok(Validation { ok: rejected.is_empty(), rejected, conflicts, ..validation })
}

/// The faults of the merged files, and the paths of the conflicts.
fn merge(context: &Context<'_>, validation: &Validation) -> Result<(Vec<Fault>, Vec<String>)> {
    let tip = context.fetch_tip()?;
    let base = Base::find(context.state, context.remote, BaseHint::Recorded, tip.commit.as_ref())?;
    let planned = Changes::read(context, base, validation).and_then(|mut changes| {
        let plan = Plan::new(context, &mut changes, &tip)?;
        let faults = plan.faults(context, &changes, &tip)?;
        Ok((faults, plan.conflicts().to_vec()))
    });
    match planned {
        // The first file with a secret that cannot be redacted ends a push.
        Err(refused) if refused.kind() == ErrorKind::SecretRefused => Ok((vec![fault_of(&refused)], Vec::new())),
        planned => planned,
    }
}
