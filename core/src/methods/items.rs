//! `items.*`

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MethodGroup, RemovedRecords, count, method, methods, params, workspace_of};
use crate::disk::{Fields, Stored};
use crate::error::Error;
use crate::home::ItemsBackend;
use crate::items::{
    Filter, Import, Imported, Item, ItemDraft, ItemPatch, ItemType, Items, Migrated, MigratedLegacy, OnConflict,
    Recall as RecallResult, RecallQuery, RelevanceHints, Scope, Stats, Status, Trust as TrustIn, TrustResult,
    operation,
};
use crate::store::Store;

pub(super) const GROUP: MethodGroup = MethodGroup {
    name: "items",
    about: "Small memories that come back when they matter",
    // `Sweep` is before `List`, which hides the type of that name in Python.
    entries: methods! {
        Add, Get, Sweep, List, Update, Archive, Restore, Remove, Recall, Used, Trust, Export, ImportItems, Migrate,
        MigrateLegacyItems, CountItems
    },
};

/// As [`params!`], with the folders whose items apply.
macro_rules! of_folders {
    ($(#[$doc:meta])* struct $params:ident { $($fields:tt)* }) => {
        params! {
            $(#[$doc])*
            struct $params {
                $($fields)*
                /// A folder in the repository. Default: the current folder.
                #[schemars(extend("format" = "path"))]
                workspace: Option<String>,
                /// The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
                /// above it apply too. Default: the workspace.
                #[schemars(extend("format" = "path"))]
                dir: Option<String>,
            }
        }

        impl $params {
            fn items(&self, store: &Store) -> Items {
                let dir = self.dir.as_ref().map(std::path::PathBuf::from);
                store.items(workspace_of(self.workspace.as_deref())).in_dir(dir)
            }
        }
    };
}

of_folders! {
    /// Adds an item and returns it as stored.
    ///
    /// An item that contains a secret is refused: the error names the rule and the field. With `force`, the item is
    /// stored with the secret redacted.
    struct Add {
        /// Where it applies: in the repository, in a folder, or everywhere. Default: `dir` with `dir`, else `repo` in a git
        /// repository, else `global`.
        scope: Option<Scope>,
        /// What kind of memory it is. Default: `note`.
        r#type: Option<ItemType>,
        /// The memory, in one or a few sentences. At most `items.maxContentChars` (240) characters.
        content: String,
        /// Tags to find it by. Items with the tag `history` are never recalled. Default: none.
        tags: Option<Vec<String>>,
        /// When it is relevant. Default: no hints.
        #[serde(rename = "relevance_hints")]
        relevance_hints: Option<RelevanceHints>,
        /// When it expires: an RFC 3339 time, or a duration from now such as `12h`, `30d`, `2w` or `1y`. Default: never.
        expiry: Option<String>,
        /// The session that it was said in. Default: none.
        session: Option<String>,
        /// Its position in the session. Default: the time of its creation.
        seq: Option<i64>,
        /// Its embedding vector. Default: none.
        embedding: Option<Vec<f32>>,
        /// False for an item that is kept but never recalled. Default: true.
        recallable: Option<bool>,
        /// Whether a secret is redacted instead of refused. Default: false.
        force: Option<bool>,
    }
}

method! {
    Add = operation::ADD => Stored<Item>, WRITES, REDACTS |self, store| {
        let items = self.items(store);
        let scope = self.scope.map_or_else(|| items.default_scope(), Ok)?;
        let item_type = self.r#type.unwrap_or(ItemType::Note);
        let mut draft = ItemDraft::new(scope, item_type, self.content).force(self.force.unwrap_or_default());
        macro_rules! set_given {
            ($($field:ident),*) => { $(if let Some(value) = self.$field { draft = draft.$field(value); })* };
        }
        set_given!(tags, relevance_hints, expiry, session, seq, embedding, recallable);
        items.add(draft)
    }
}

/// A method on the item with an id.
macro_rules! of_id {
    ($(#[$doc:meta])* struct $method:ident = $name:expr, $run:ident -> $output:ty $(, $flag:ident)*) => {
        of_folders! {
            $(#[$doc])*
            struct $method {
                /// The id of the item.
                id: String,
            }
        }

        method! { $method = $name => $output $(, $flag)* |self, store| self.items(store).$run(&self.id) }
    };
}

of_id! {
    /// Returns the item with an id, and how often it was recalled and used.
    struct Get = operation::GET, get -> Stored<Item>
}

of_folders! {
    /// Returns items: those of the repository, of the folder and those above it, and the global ones; oldest first in
    /// each of them.
    struct List {
        /// Only items of this scope.
        scope: Option<Scope>,
        /// Only items with this status.
        status: Option<Status>,
        /// Only items of this type.
        r#type: Option<ItemType>,
        /// Only items with this tag.
        tag: Option<String>,
        /// Only items with this text in their content, tags or hints, ignoring case.
        text: Option<String>,
    }
}

method! {
    List = operation::LIST => Vec<Stored<Item>> |self, store| {
        let filter = Filter::all().scope(self.scope).status(self.status).item_type(self.r#type);
        self.items(store).list(&filter.tag(self.tag).text(self.text))
    }
}

of_folders! {
    /// Changes an item and returns it as stored.
    ///
    /// As in `items.add`, a secret is refused unless `force` is set.
    struct Update {
        /// The id of the item.
        id: String,
        /// The change.
        patch: ItemPatch,
        /// Whether a secret is redacted instead of refused. Default: false.
        force: Option<bool>,
    }
}

method! {
    Update = operation::UPDATE => Stored<Item>, WRITES, REDACTS |self, store| {
        self.items(store).update(&self.id, self.patch.force(self.force.unwrap_or_default()))
    }
}

of_id! {
    /// Archives an item and returns it: it is kept, but not recalled.
    struct Archive = operation::ARCHIVE, archive -> Stored<Item>, WRITES
}

of_id! {
    /// Makes an archived item active again, and returns it. If it has expired, it no longer expires.
    struct Restore = operation::RESTORE, restore -> Stored<Item>, WRITES
}

of_folders! {
    /// Removes the item with this id, or every item that matches all given filters. `undo.restore` brings each of them back.
    struct Remove {
        /// The id of the item. Default: those that match the filters, of which at least one is required.
        id: Option<String>,
        /// Only items of this scope.
        scope: Option<Scope>,
        /// Only items with this status.
        status: Option<Status>,
        /// Only items of this type.
        r#type: Option<ItemType>,
        /// Only items with this tag.
        tag: Option<String>,
        /// Only items with this text in their content, tags or hints, ignoring case.
        text: Option<String>,
        /// Only counts them. Default: false.
        dry_run: Option<bool>,
        /// Whether they are removed for good: with their counts, every version of them in the trash, and everything damaged
        /// that was set aside of their file. Default: false.
        purge: Option<bool>,
    }
}

method! {
    Remove = operation::REMOVE => RemovedRecords, WRITES |self, store| {
        let items = self.items(store);
        let filter = Filter::all().scope(self.scope).status(self.status).item_type(self.r#type);
        let filter = filter.tag(self.tag).text(self.text);
        let (is_dry_run, is_purge) = (self.dry_run == Some(true), self.purge == Some(true));
        let count = match &self.id {
            Some(id) if !filter.is_of_all() => {
                store.redactor().admit("id", id)?;
                return Err(Error::validation("id and filters both say which items are removed; pass only one of them"));
            }
            Some(id) if is_dry_run => usize::from(items.has(id)?),
            Some(id) if is_purge => usize::from(items.purge(id)?),
            Some(id) => usize::from(items.remove(id)?),
            None if is_dry_run => items.count_matching(&filter)?,
            None if is_purge => items.purge_matching(&filter)?,
            None => items.remove_matching(&filter)?,
        };
        Ok(RemovedRecords::of(count, is_dry_run))
    }
}

of_folders! {
    /// Recalls the items that matter for a prompt, the most relevant first, and returns them as text to be put into it, after the
    /// standing ones.
    ///
    /// Items of type `pref`, `instruction` and `profile` are preferences: without hints they apply to every prompt of their scope,
    /// else where a file, a package or a language of the call fits. They have a space of their own, `recall.standingChars` (1,000).
    /// What was not added from this home is data until `items.trust` says otherwise.
    ///
    /// Candidates are the items of the repository, of the folder and those above it; if fewer than
    /// `recall.minRepoCandidates` (8) of them match, the global ones join them. They are ranked by the words that they
    /// share with the prompt, by the files, packages and languages that the agent is working with, by what was said next to
    /// them in the same session, and slightly by how recently they were changed and how often they were used. What scores too little
    /// is left out. Archived and expired items are never recalled.
    ///
    /// The text quotes the items, so that they cannot be mistaken for instructions of the host.
    struct Recall {
        /// What the agent is about to do.
        prompt: String,
        /// The files that the agent is working on, relative to the repository or absolute. Default: none.
        files: Option<Vec<String>>,
        /// The packages that the agent is working on. Default: none.
        crates: Option<Vec<String>>,
        /// The programming languages in use. Default: none.
        langs: Option<Vec<String>>,
        /// The maximum number of items, at most 1,000. Default: `recall.limit` (8).
        limit: Option<u32>,
        /// The score that an item must at least have, from 0 to 1. Default: `recall.minScore` (0.15).
        min_score: Option<f64>,
        /// The maximum length of the text, in Unicode scalar values. Default: `recall.maxChars` (1,200) beside the
        /// preferences, or no limit if there is one in tokens.
        max_chars: Option<u32>,
        /// The maximum length of the text, in tokens: as the host's tokenizer counts them, else an estimate that is rather
        /// too high. Default: no limit.
        max_tokens: Option<u32>,
        /// Whether memory is bypassed: nothing is read or written, and nothing is returned. Default: false.
        temporary: Option<bool>,
        /// The embedding vector of the prompt, which is compared with those of the items; made by the same model. Default:
        /// items are compared by their words.
        embedding: Option<Vec<f32>>,
        /// Whether the result is only looked at: the returned items are not counted as seen. Default: false.
        preview: Option<bool>,
    }
}

method! {
    Recall = operation::RECALL => RecallResult |self, store| {
        let items = self.items(store);
        let query = RecallQuery::new(self.prompt)
            .files(self.files.unwrap_or_default())
            .crates(self.crates.unwrap_or_default())
            .langs(self.langs.unwrap_or_default())
            .limit(count(self.limit))
            .min_score(self.min_score)
            .max_chars(count(self.max_chars))
            .max_tokens(count(self.max_tokens))
            .temporary(self.temporary.unwrap_or_default())
            .preview(self.preview.unwrap_or_default())
            .embedding(self.embedding);
        items.recall(&query)
    }
}

of_folders! {
    /// Counts that the host used items, which lifts them slightly in later recalls.
    struct Used {
        /// The ids of the items.
        ids: Vec<String>,
    }
}

/// How many items were counted.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct UsedItems {
    /// How many of the items exist.
    pub counted: usize,
}

method! {
    Used = operation::USED => UsedItems, WRITES |self, store| {
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        Ok(UsedItems { counted: self.items(store).used(&ids)? })
    }
}

of_folders! {
    /// Returns items with their counts, or writes them to a new file, one per line, as `items.import` takes them.
    struct Export {
        /// Only items of this scope.
        scope: Option<Scope>,
        /// The file to create. Default: the items are returned.
        #[schemars(extend("format" = "path"))]
        path: Option<String>,
    }
}

/// Exported items.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExportedItems")]
struct ExportResult {
    /// The items, if they were not written to a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<Vec<Stored<Item>>>,
    /// How many items there are.
    count: usize,
}

method! {
    Export = operation::EXPORT => ExportResult |self, store| {
        let (items, filter) = (self.items(store), Filter::all().scope(self.scope));
        match &self.path {
            Some(path) => Ok(ExportResult { items: None, count: items.export_to(&filter, Path::new(path))? }),
            None => {
                let items = items.export(&filter)?;
                Ok(ExportResult { count: items.len(), items: Some(items) })
            }
        }
    }
}

of_folders! {
    /// Imports items from a file with one item per line, as JSON, or from a list.
    ///
    /// Ids, dates, unknown fields and counts are kept; an item without an id gets a new one. A line that is damaged or
    /// too long is skipped and named, as is one with a secret, unless `force` redacts it.
    struct ImportItems {
        /// The file to read.
        #[schemars(extend("format" = "path"))]
        path: Option<String>,
        /// The items, instead of a file.
        items: Option<Vec<Fields>>,
        /// The scope of all items. Default: the scope that each one says, else `repo`.
        scope: Option<Scope>,
        /// What happens to an item whose id is stored already: the one that was changed last is kept, the stored one is
        /// kept, or it is replaced. Default: `newer`.
        on_conflict: Option<OnConflict>,
        /// Whether secrets are redacted; otherwise an item with one is skipped. Default: false.
        force: Option<bool>,
    }
}

method! {
    ImportItems = operation::IMPORT => Imported, WRITES, REDACTS |self, store| {
        let items = self.items(store);
        let import = Import::new().scope(self.scope).force(self.force.unwrap_or_default());
        let import = import.on_conflict(self.on_conflict.unwrap_or_default());
        match (&self.path, &self.items) {
            (Some(path), None) => items.import_from(&import, Path::new(path)),
            (None, Some(sources)) => items.import(&import, sources),
            (Some(path), Some(_)) => {
                store.home().admit_path("path", Path::new(path))?;
                Err(Error::validation("path and items are both given; pass only one of them"))
            }
            (None, None) => Err(Error::validation("pass either path or items")),
        }
    }
}

of_folders! {
    /// Copies the items of all scopes from the other backend to this one, byte for byte and in their order.
    ///
    /// The source stays as it is, and so does what the target has already. Afterwards, set `CODEX_MEMORY_BACKEND` or open
    /// the store with `itemsBackend`.
    struct Migrate {
        /// The backend to copy to.
        to: ItemsBackend,
    }
}

method! { Migrate = operation::MIGRATE => Migrated, WRITES |self, store| self.items(store).migrate(self.to) }

of_folders! {
    /// Copies the memories of older programs: `*.jsonl` in the folder `memory` of the Codex home become global items, and
    /// `.codex/memory/memory.jsonl` of the repository becomes items of the repository.
    ///
    /// Ids and dates are kept. Events, `exec` and `apply_patch`, are archived with the tag `history` and never recalled.
    /// Secrets are redacted. Lines that cannot be read are named, and the files stay as they are; copying them twice is the
    /// same as once.
    struct MigrateLegacyItems {}
}

method! {
    MigrateLegacyItems = operation::MIGRATE_LEGACY => MigratedLegacy, WRITES, REDACTS |self, store| {
        self.items(store).migrate_legacy()
    }
}

of_folders! {
    /// Trusts the items of the repository and of folders, now and later: those of type `pref`, `instruction` and `profile` then
    /// apply to every prompt, regardless of who wrote them. Those that were added from this home apply in any case.
    ///
    /// It is for people who have read the items, which the result has: a repository may come from anyone.
    struct Trust {
        /// True to trust only what was added from this home again. Default: false.
        revoke: Option<bool>,
        /// True to only look at what would be trusted. Default: false.
        dry_run: Option<bool>,
    }
}

method! {
    Trust = operation::TRUST => TrustResult, WRITES |self, store| {
        let how = match (self.dry_run, self.revoke) {
            (Some(true), _) => TrustIn::Preview,
            (_, Some(true)) => TrustIn::AddedHere,
            _ => TrustIn::Folder,
        };
        self.items(store).trust(how)
    }
}

of_folders! {
    /// Archives the items that have expired, and returns them.
    struct Sweep {}
}

method! { Sweep = operation::SWEEP => Vec<Stored<Item>>, WRITES |self, store| self.items(store).sweep() }

of_folders! {
    /// Counts the items.
    struct CountItems {}
}

method! { CountItems = operation::STATS => Stats |self, store| self.items(store).stats() }
