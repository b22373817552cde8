//! A store on the adapter of another one, for a host that has opened an adapter as an object.

use std::path::Path;

use super::{Host, read_input};
use crate::disk::Fields;
use crate::error::{Error, ErrorKind, Result};
use crate::home::logged;
use crate::store::Store;

/// Opens a store that shares the home, the options and the adapter of `store`, with the logger and the tokenizer of `host`.
/// `options` may only name the home of `store`.
///
/// # Errors
/// `ValidationError` for any other option; `Misuse` if `host` has an adapter.
pub fn lend(store: &Store, options: &str, host: Host) -> Result<Store> {
    logged(host.logger.clone().as_deref(), "open", || {
        if host.adapter.is_some() {
            return Err(Error::new(ErrorKind::Misuse, "a store has one adapter"));
        }
        let options = read_input::<Fields>(options)?;
        for (name, value) in options.iter().filter(|(_, value)| value.get() != "null") {
            let home = (name == "home").then(|| serde_json::from_str::<String>(value.get()).ok()).flatten();
            let is_same = home.is_some_and(|home| is_home(store, Path::new(&home)));
            if !is_same {
                return Err(Error::validation(format!(
                    "`{name}` cannot be set here: a store on an adapter that was opened as an object has its options; pass it \
                     when you open the adapter"
                )));
            }
        }
        Ok(store.lent(host.logger.clone(), host.tokenizer.clone()))
    })
}

fn is_home(store: &Store, path: &Path) -> bool {
    let home = store.home();
    let path = home.current_folder().map(|folder| folder.join(path));
    path.is_ok_and(|path| path == home.layout().root())
}
