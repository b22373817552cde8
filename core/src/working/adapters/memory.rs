//! The adapter `memory`: fast, and lost when the process ends. For tests, and for jobs whose state is not needed later.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard};

use super::super::adapter::{Adapter, Decide, Write};
use super::super::key::{Key, Scope};
use crate::disk::{Json, PerProcess, WaitOptions};
use crate::error::Result;
use crate::mutex::lock;

/// Data in this process's memory; a forked child starts empty.
#[derive(Debug, Default)]
pub struct MemoryAdapter {
    data: PerProcess<Mutex<Data>>,
}

#[derive(Debug, Default)]
struct Data {
    values: HashMap<Key, Json>,
    lists: BTreeMap<Key, Vec<Json>>,
}

impl MemoryAdapter {
    fn lock(&self) -> MutexGuard<'_, Data> {
        // Every write is a single step, so a panic cannot leave one half done.
        lock(self.data.get())
    }
}

impl Data {
    fn write(&mut self, write: Write) {
        match write {
            Write::Set(key, value) => drop(self.values.insert(key, Json::from(&value))),
            Write::Push(key, item) => self.lists.entry(key).or_default().push(Json::from(&item)),
            Write::Del(key) => {
                self.values.remove(&key);
                self.lists.remove(&key);
            }
        }
    }
}

impl Adapter for MemoryAdapter {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn get(&self, _: &WaitOptions, key: &Key) -> Result<Option<Json>> {
        Ok(self.lock().values.get(key).cloned())
    }

    fn write(&self, _: &WaitOptions, write: Write) -> Result<()> {
        self.lock().write(write);
        Ok(())
    }

    fn list(&self, _: &WaitOptions, key: &Key, limit: Option<usize>) -> Result<Vec<Json>> {
        let data = self.lock();
        let items = data.lists.get(key).map_or(&[][..], Vec::as_slice);
        Ok(items[items.len().saturating_sub(limit.unwrap_or(usize::MAX))..].to_vec())
    }

    fn update(&self, _: &WaitOptions, _: &Scope, mut decide: Decide) -> Result<()> {
        let mut data = self.lock();
        let writes = decide(&mut |key| Ok(data.values.get(key).cloned()))?;
        writes.into_iter().for_each(|write| data.write(write));
        Ok(())
    }

    fn is_lasting(&self) -> bool {
        false
    }

    fn scopes(&self, _: &WaitOptions) -> Result<BTreeSet<Scope>> {
        let data = self.lock();
        Ok(data.values.keys().chain(data.lists.keys()).map(Key::scope).cloned().collect())
    }
}
