//! What code that serves all rooms does with the contexts of jobs: it brings one back from the trash, and has all of them in an
//! archive.

use super::adapter::Write;
use super::key::{Key, Scope};
use super::trail::{Change, Operation};
use super::{Working, archive, members};
use crate::disk::Mode;
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::room::{Arrival, Brought, Export, KeepsJobs, Portable, Source};
use crate::safety::{Sealed, SealedObject};

impl KeepsJobs for Working {
    fn storage(&self) -> &'static str {
        self.adapter.name()
    }

    fn ask(&self, home: &Home) -> Result<()> {
        let key = Key::Context(Scope::stored("loopmem-status"));
        self.adapter.get(home.wait_options(), &key).map(drop)
    }

    fn restore(&self, home: &Home, scope_id: &str, context: Sealed<()>) -> Result<()> {
        let working = Working::new(home, &self.adapter);
        let scope = Scope::stored(scope_id);
        let _lease = self.adapter.lease(home, home.wait_options(), &scope, Mode::Exclusive)?;
        let patch = SealedObject::of(&context)?;
        let (key, home) = (Key::Context(scope.clone()), home.clone());
        working.update(&scope, move |read| {
            let present = members(&key, read(&key)?)?.value()?;
            let next = patch.clone().value()?;
            if present.json().get() == next.json().get() {
                return Ok((Vec::new(), ()));
            }
            if present.json().get() != "{}" {
                let id = key.scope().as_str();
                let message = format!(
                    "the scope {id} has a context again; delete it first (working.deleteScope), and then bring \
                     this one back"
                );
                return Err(Error::new(ErrorKind::Conflict, message).about(id));
            }
            let change = Change { operation: Operation::UpdateContext, patch: &patch, remove: None, source: None };
            let (entry, trail) = (change.entry(&home)?.value()?, Key::Trail(key.scope().clone()));
            Ok((vec![Write::Set(key.clone(), next), Write::Push(trail, entry)], ()))
        })
    }

    fn export(&self, from: &Source<'_>) -> Result<Export> {
        archive::export(&Working::new(from.home, &self.adapter), from)
    }

    fn import(&self, records: &[Portable], into: &Arrival<'_>) -> Result<Brought> {
        archive::import(&Working::new(into.home, &self.adapter), records, into)
    }
}
