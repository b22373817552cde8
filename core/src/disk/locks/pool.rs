//! Shared objects by key, kept for reuse.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use crate::mutex::lock;

/// How many unused objects may be kept.
const CAPACITY: usize = 64;

/// Objects by key. Those in use are shared; the others are dropped when there are too many.
#[derive(Debug)]
pub(in crate::disk) struct Pool<K, T>(Mutex<HashMap<K, Arc<T>>>);

impl<K: Eq + Hash, T> Pool<K, T> {
    /// The object of `key`; created if there is none.
    pub(in crate::disk) fn get<Q>(&self, key: &Q, create: impl FnOnce() -> T) -> Arc<T>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let mut objects = lock(&self.0);
        if let Some(object) = objects.get(key) {
            return Arc::clone(object);
        }
        if objects.len() >= CAPACITY {
            // Objects in use have other references.
            objects.retain(|_, object| Arc::strong_count(object) > 1);
        }
        Arc::clone(objects.entry(key.to_owned()).or_insert_with(|| Arc::new(create())))
    }
}

impl<K, T> Default for Pool<K, T> {
    fn default() -> Self {
        Pool(Mutex::default())
    }
}
