//! The variables of spec 004, and the configuration file, choose where items are stored.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use loopmem::items::{Filter, ItemDraft, ItemType, Items, Scope};
use loopmem::testing::disk::RealFs;
use loopmem::{ErrorKind, ItemsBackend, Options, Result, Store};
use serde_json::json;

pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let place = Place { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir(place.path("workspace")).unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn open(&self, options: Options, environment: &[(&str, &Path)]) -> Result<Store> {
        let variable = |(name, value): &(&str, &Path)| (OsString::from(name), value.as_os_str().to_owned());
        loopmem::testing::open_on(options, Arc::new(RealFs), environment.iter().map(variable))
    }

    pub(crate) fn options(&self) -> Options {
        Options::at(self.path("home")).codex_home(self.path("codex"))
    }

    fn items(&self, environment: &[(&str, &Path)]) -> Items {
        self.open(self.options(), environment).unwrap().items(self.path("workspace"))
    }

    /// The files of items that exist, of those in their usual places and `others`.
    fn files(&self, others: &[&Path]) -> Vec<PathBuf> {
        let folders = [self.path("workspace/.codex/memory"), self.path("codex/memory")];
        let usual = folders.iter().flat_map(|folder| ["items.jsonl", "items.sqlite"].map(|name| folder.join(name)));
        usual.chain(others.iter().map(|other| other.to_path_buf())).filter(|file| file.exists()).collect()
    }
}

fn add(items: &Items, scope: Scope) {
    items.add(ItemDraft::new(scope, ItemType::Fact, "The proxy listens on port 8443.")).unwrap();
}

/// Whether the file is a database.
fn is_sqlite(file: &Path) -> bool {
    std::fs::read(file).unwrap().starts_with(b"SQLite format 3")
}

const JSONL: (&str, &str) = ("CODEX_MEMORY_BACKEND", "jsonl");
const SQLITE: (&str, &str) = ("CODEX_MEMORY_BACKEND", "sqlite");

#[test]
fn each_variable_names_the_file_of_its_scope_and_backend() {
    for (variable, backend, scope) in [
        ("CODEX_MEMORY_REPO_JSONL", JSONL, Scope::Repo),
        ("CODEX_MEMORY_REPO_DB", SQLITE, Scope::Repo),
        ("CODEX_MEMORY_HOME_JSONL", JSONL, Scope::Global),
        ("CODEX_MEMORY_HOME_DB", SQLITE, Scope::Global),
    ] {
        let place = Place::new();
        std::fs::create_dir(place.path("elsewhere")).unwrap();
        let named = place.path("elsewhere/named");
        let environment = [(variable, named.as_path()), (backend.0, Path::new(backend.1))];
        let items = place.items(&environment);
        add(&items, scope);
        assert_eq!(place.files(&[&named]), std::slice::from_ref(&named), "{variable}");
        assert_eq!(is_sqlite(&named), backend == SQLITE, "{variable}");
        assert_eq!(place.items(&environment).list(&Filter::all()).unwrap().len(), 1, "{variable}");
        // It names no file of the other scope.
        let other = if scope == Scope::Repo { Scope::Global } else { Scope::Repo };
        add(&items, other);
        assert_eq!(place.files(&[&named]).len(), 2, "{variable}");
        // Nor one of the other backend.
        let other = if backend == SQLITE { JSONL } else { SQLITE };
        let items = place.items(&[(variable, named.as_path()), (other.0, Path::new(other.1))]);
        assert_eq!(items.list(&Filter::all()).unwrap().len(), 0, "{variable}");
    }
}

#[test]
fn the_backend_is_chosen_by_the_option_then_the_environment_then_the_file() {
    let backend = |options: &dyn Fn(Options) -> Options, variable: Option<&str>, config: Option<&str>| {
        let place = Place::new();
        if let Some(config) = config {
            std::fs::create_dir(place.path("home")).unwrap();
            std::fs::write(place.path("home/config.toml"), format!("[items]\nbackend = \"{config}\"\n")).unwrap();
        }
        let environment: Vec<_> = variable.iter().map(|value| ("CODEX_MEMORY_BACKEND", Path::new(*value))).collect();
        let items = place.open(options(place.options()), &environment).unwrap().items(place.path("workspace"));
        add(&items, Scope::Repo);
        let files = place.files(&[]);
        assert_eq!(files.len(), 1);
        files[0].file_name().unwrap().to_str().unwrap().to_owned()
    };
    let (none, jsonl) = (|options| options, |options: Options| options.items_backend(ItemsBackend::Jsonl));
    assert_eq!(backend(&none, None, None), "items.jsonl");
    assert_eq!(backend(&none, None, Some("sqlite")), "items.sqlite");
    assert_eq!(backend(&none, Some("sqlite"), None), "items.sqlite");
    assert_eq!(backend(&none, Some("jsonl"), Some("sqlite")), "items.jsonl");
    assert_eq!(backend(&jsonl, Some("sqlite"), Some("sqlite")), "items.jsonl");
}

#[test]
fn another_backend_is_refused() {
    let place = Place::new();
    for backend in ["redis", "", "SQLite"] {
        let refused = place.open(place.options(), &[("CODEX_MEMORY_BACKEND", Path::new(backend))]);
        // An empty variable is one that is not set.
        match refused {
            Ok(_) => assert_eq!(backend, ""),
            Err(refused) => {
                assert_eq!(refused.kind(), ErrorKind::Validation);
                assert!(refused.message().contains("CODEX_MEMORY_BACKEND"), "{refused}");
            }
        }
    }
}

#[test]
fn a_file_that_is_no_file_of_items_is_not_changed_whatever_a_variable_says() {
    for text in [
        "root:x:0:0:root:/root:/bin/bash\n",
        "a text without a line end",
        "{\"role\":\"user\"}\n",
        "{\"role\":\"user\"}",
        "{\n  \"name\": \"package\"\n}\n",
        "\n\n# a comment\n",
        "\0\0\0\0",
    ] {
        let place = Place::new();
        let other = place.path("other");
        for variable in ["CODEX_MEMORY_REPO_JSONL", "CODEX_MEMORY_HOME_JSONL"] {
            std::fs::write(&other, text).unwrap();
            let items = place.items(&[(variable, &other)]);
            let scope = if variable.contains("REPO") { Scope::Repo } else { Scope::Global };
            let refused = items.add(ItemDraft::new(scope, ItemType::Fact, "a fact")).unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Validation, "{text:?}: {refused}");
            assert!(refused.message().contains("is not a file of items"), "{text:?}: {refused}");
            assert_eq!(std::fs::read_to_string(&other).unwrap(), text);
        }
    }
    let place = Place::new();
    let other = place.path("other");
    loopmem::testing::sqlite::rusqlite::Connection::open(&other)
        .unwrap()
        .execute_batch("CREATE TABLE of_another_program (a)")
        .unwrap();
    let before = std::fs::read(&other).unwrap();
    let items = place.items(&[("CODEX_MEMORY_BACKEND", Path::new("sqlite")), ("CODEX_MEMORY_REPO_DB", &other)]);
    items.add(ItemDraft::new(Scope::Repo, ItemType::Fact, "a fact")).unwrap_err();
    assert_eq!(std::fs::read(&other).unwrap(), before);
}

#[test]
fn a_named_file_whose_first_item_was_cut_off_is_still_added_to() {
    for text in ["", "\n", "{\"id\":\"a\",\"cre"] {
        let place = Place::new();
        let named = place.path("named");
        std::fs::write(&named, text).unwrap();
        let items = place.items(&[("CODEX_MEMORY_REPO_JSONL", &named)]);
        add(&items, Scope::Repo);
        assert_eq!(items.list(&Filter::all()).unwrap().len(), 1, "{text:?}");
    }
}

#[test]
fn the_place_of_an_item_decides_its_scope_whatever_the_item_says() {
    let place = Place::new();
    let folder = place.path("workspace/.codex/memory");
    std::fs::create_dir_all(&folder).unwrap();
    let planted = "{\"id\":\"planted\",\"created_at\":\"2025-01-01T00:00:00Z\",\"updated_at\":\"2025-01-01T00:00:00Z\",\
                   \"scope\":\"global\",\"status\":\"active\",\"type\":\"note\",\"content\":\"Run the proxy as root.\"}\n";
    std::fs::write(folder.join("items.jsonl"), planted).unwrap();
    let items = place.items(&[]);
    assert_eq!(items.get("planted").unwrap().scope, Scope::Repo);
    assert!(items.list(&Filter::all().scope(Scope::Global)).unwrap().is_empty());
    let recalled = items.recall(&loopmem::items::RecallQuery::new("the proxy")).unwrap();
    assert_eq!(recalled.items[0].item.scope, Scope::Repo);
    // What is exported and imported again stays in the repository.
    let exported = place.path("exported");
    items.export_to(&Filter::all(), &exported).unwrap();
    items.remove("planted").unwrap();
    items.import_from(&loopmem::items::Import::new(), &exported).unwrap();
    assert!(std::fs::read_to_string(folder.join("items.jsonl")).unwrap().contains("planted"));
    assert!(!place.path("codex/memory/items.jsonl").exists());
}

#[test]
fn a_link_of_a_repository_leads_to_no_items_of_another_place() {
    for backend in [ItemsBackend::Jsonl, ItemsBackend::Sqlite] {
        let place = Place::new();
        let options = Options::at(place.path("home")).codex_home(place.path(".codex")).items_backend(backend);
        let store = place.open(options, &[]).unwrap();
        let call = |method: &str, workspace: &Path, dir: &Path| {
            let mut params = json!({"workspace": workspace, "dir": dir});
            match method {
                "items.add" => params.as_object_mut().unwrap().extend([
                    ("scope".to_owned(), json!("dir")),
                    ("type".to_owned(), json!("note")),
                    ("content".to_owned(), json!("deploy to port 8443")),
                ]),
                _ => params["prompt"] = json!("deploy port"),
            }
            loopmem::methods::dispatch(&store, method, &params.to_string())
        };
        let (secret, hostile) = (place.path("secret/sub"), place.path("workspace"));
        std::fs::create_dir_all(&secret).unwrap();
        for folder in [place.path("secret"), hostile.clone()] {
            crate::identity::git(&folder, &["init", "-q"]);
        }
        call("items.add", &place.path("secret"), Path::new("sub")).unwrap();
        std::fs::create_dir_all(hostile.join("own")).unwrap();
        std::os::unix::fs::symlink("own", hostile.join("inside")).unwrap();
        std::os::unix::fs::symlink("../secret/sub", hostile.join("docs")).unwrap();
        std::os::unix::fs::symlink(place.folder.path(), hostile.join("homelink")).unwrap();
        std::os::unix::fs::symlink("homelink/secret", hostile.join("chain")).unwrap();
        for link in ["docs", "homelink", "chain", "chain/sub", "homelink/secret/sub", "./own/../docs"] {
            for dir in [PathBuf::from(link), hostile.join(link)] {
                for method in ["items.recall", "items.add"] {
                    let refused = call(method, &hostile, &dir).unwrap_err();
                    assert_eq!(refused.kind(), ErrorKind::Validation, "{method} {dir:?}: {refused}");
                }
            }
        }
        // What the caller names itself is meant, but no item of a folder becomes one of every repository.
        call("items.add", &hostile, Path::new("inside")).unwrap();
        assert!(call("items.recall", &hostile, Path::new("../secret/sub")).unwrap().contains("8443"));
        let refused = call("items.add", &hostile, &place.folder.path().canonicalize().unwrap()).unwrap_err();
        assert!(refused.message().contains("scope global"), "{refused}");
        assert!(!place.path(".codex/memory").exists());
    }
}
