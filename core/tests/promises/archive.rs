//! Archives: a home that is moved has everything, importing again changes nothing, and no archive of a stranger does harm.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use loopmem::archive::{Brought, Imported, Importing};
use loopmem::memory::{Convention, Decision, Note};
use loopmem::summary::Summary;
use loopmem::testing::disk::RealFs;
use loopmem::working::{MemoryEntry, Patch};
use loopmem::{ErrorKind, Options, RepoHash, Store};
use serde_json::{Value, json};

use crate::file_systems::{Fault, Faulty};
use crate::identity::git;
use crate::operations::call;
use crate::{TestHome, repo};

/// A machine: a home, and a folder with repositories.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        Machine { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    fn options(&self) -> Options {
        let options = Options::at(self.path("home")).codex_home(self.path("codex")).keep_replaced(true);
        options.clock("2026-01-31T12:00:00Z")
    }

    fn open(&self) -> Store {
        loopmem::testing::open_on(self.options(), std::sync::Arc::new(RealFs), []).unwrap()
    }

    /// A repository with a branch, as a clone has it.
    fn clone_at(&self, name: &str) -> PathBuf {
        let place = self.path(name);
        std::fs::create_dir_all(&place).unwrap();
        git(&place, &["init", "-q", "--initial-branch=main"]);
        git(&place, &["remote", "add", "origin", "https://example.org/team/app"]);
        place
    }

    /// Fills every room, with something in each trash.
    fn fill(&self, place: &Path) {
        let store = self.open();
        let here = json!(place);
        for branch in ["main", "side"] {
            git(place, &["symbolic-ref", "HEAD", &format!("refs/heads/{branch}")]);
            let repo = store.repo(place).unwrap();
            let memory = repo.memory();
            let title = format!("A convention of {branch}");
            memory.upsert(Convention::draft(title, "Use it.").id("c").tags(["one"])).unwrap();
            memory.upsert(Decision::draft("A decision", "For a reason.").id("d").impacted_paths(["src"])).unwrap();
            memory.upsert(Note::draft("A note").id("n")).unwrap();
            memory.upsert(Note::draft("A note, changed").id("n")).unwrap();
            memory.upsert(Note::draft("A note without a name, which gets one")).unwrap();
            repo.summaries().append(Summary::draft("run", branch, "What the step did.")).unwrap();
            repo.summaries().append(Summary::draft("gone", branch, "What another did.")).unwrap();
            call(&store, "summary.remove", &json!({ "workspace": here, "runId": "gone" })).unwrap();
        }
        git(place, &["symbolic-ref", "HEAD", "refs/heads/main"]);
        call(&store, "repo.adopt", &json!({ "workspace": here, "from": "side" })).unwrap();
        for scope in ["repo", "global"] {
            for (kind, content) in [("fact", "which is kept"), ("note", "which is removed")] {
                let content = format!("An item of the scope {scope}, {content}");
                let item = json!({ "workspace": here, "scope": scope, "type": kind, "content": content });
                let item = call(&store, "items.add", &item).unwrap();
                let of_item = json!({ "workspace": here, "id": item["id"] });
                match kind {
                    "fact" => {
                        let used = json!({ "workspace": here, "ids": [item["id"]] });
                        call(&store, "items.used", &used).unwrap();
                    }
                    _ => drop(call(&store, "items.remove", &of_item).unwrap()),
                }
            }
        }
        for folder in [json!({ "workspace": here }), json!({ "global": true })] {
            let of = |more: Value| {
                let (mut params, Value::Object(more)) = (folder.clone(), more) else { panic!() };
                params.as_object_mut().unwrap().extend(more);
                params
            };
            for path in ["/memories/kept/a.md", "/memories/removed.md"] {
                let create = of(json!({ "path": path, "fileText": "What a model noted.\n" }));
                call(&store, "files.create", &create).unwrap();
            }
            call(&store, "files.remove", &of(json!({ "path": "/memories/removed.md" }))).unwrap();
        }
        let working = store.working();
        for job in ["job one", "gone"] {
            working.update_context(job, Patch::default().set("step", &1).unwrap().source("agent")).unwrap();
            working.add_log(job, MemoryEntry::draft("A line").embedding(&[0.5, 0.25]).source("agent")).unwrap();
            working.save_checkpoint(job).unwrap();
            working.update_context(job, Patch::default().remove(["step"]).set("next", &[1.5]).unwrap()).unwrap();
        }
        working.delete_scope("gone").unwrap();
    }

    fn export(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        let exported = self.open().archives().export(&path).unwrap();
        assert_eq!((exported.faults.len(), exported.bytes), (0, path.metadata().unwrap().len()), "{exported:?}");
        path
    }

    fn import(&self, path: &Path, importing: &Importing) -> Imported {
        self.open().archives().import(path, importing).unwrap()
    }

    /// The files of the home and of the Codex home, without locks.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        fn collect(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
            for entry in std::fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                match () {
                    () if path.is_dir() => collect(&path, found),
                    () if name.contains(".lock") || name.contains(".gate") || name == "index" => {}
                    () => found.push((path.clone(), std::fs::read(&path).unwrap())),
                }
            }
        }
        let mut found = Vec::new();
        for folder in ["home", "codex", "src"] {
            collect(&self.path(folder), &mut found);
        }
        found.retain(|(path, _)| !path.iter().any(|part| part == ".git"));
        found.sort();
        found
    }
}

fn room<'i>(imported: &'i Imported, name: &str) -> &'i Brought {
    imported.rooms.iter().find(|room| room.room == name).unwrap()
}

fn written(imported: &Imported) -> usize {
    imported.rooms.iter().map(|room| room.copied + room.merged).sum()
}

#[test]
fn a_home_that_is_moved_to_another_machine_and_path_has_everything() {
    let (old, new) = (Machine::new(), Machine::new());
    let was = old.clone_at("src/app");
    old.fill(&was);
    for ending in ["tar.zst", "jsonl"] {
        let (new, back) = (Machine::new(), Machine::new());
        let archive = old.export(&format!("all.{ending}"));
        let is = new.clone_at("src/team/app");
        let map = Importing::default().map(&was, &is).map(old.path("src"), "/elsewhere");
        let counted = new.import(&archive, &map.clone().dry_run(true));
        assert_eq!(new.files(), [], "a dry run writes nothing");
        let imported = new.import(&archive, &map);
        assert_eq!(imported, counted);
        assert_eq!(imported.identities.len(), 2);
        for room in &imported.rooms {
            let Brought { copied, merged, deduplicated, skipped, .. } = room;
            assert!(*copied > 0 && [*merged, *deduplicated, *skipped] == [0; 3], "{room:?}");
        }
        let [there, here] = [(&old, &was), (&new, &is)].map(|(machine, place)| seen(machine, place));
        for ((what, there), (_, here)) in there.iter().zip(&here) {
            assert_eq!(there, here, "{ending}: {what}");
        }
        let paths: Vec<_> = new.open().repos().list().unwrap().into_iter().map(|it| (it.path, it.remote_url)).collect();
        let path = || (Some(is.to_str().unwrap().to_owned()), Some("https://example.org/team/app".to_owned()));
        assert_eq!(paths, [path(), path()]);
        // The other branch was adopted there, and is not offered here.
        assert_eq!(new.open().repo(&is).unwrap().relatives().unwrap().len(), 0);
        assert_eq!(crate::look(&new.open(), false).unwrap().findings, []);
        // And back again, byte for byte.
        let back_at = Machine::clone_at(&back, "src/app");
        back.import(&new.export(&format!("all.{ending}")), &Importing::default().map(&is, &back_at));
        let lines = |machine: &Machine, place: &Path| {
            let text = std::fs::read_to_string(machine.export("lines.jsonl")).unwrap();
            let place = place.to_str().unwrap();
            let mut lines: Vec<String> = text.lines().map(|line| line.replace(place, "/place")).collect();
            // Hashes are of paths, and so is the order of what they name.
            lines.iter_mut().for_each(|line| *line = without_hashes(line));
            lines.sort();
            lines
        };
        assert_eq!(lines(&back, &back_at), lines(&old, &was));
    }
    drop(new);
}

/// A line without what is a hash in it.
fn without_hashes(line: &str) -> String {
    let words = line.split('"').map(|word| match word.len() == 64 && word.bytes().all(|it| it.is_ascii_hexdigit()) {
        true => "HASH",
        false => word,
    });
    words.collect::<Vec<_>>().join("\"")
}

/// What a user sees on a machine.
fn seen(machine: &Machine, place: &Path) -> Vec<(&'static str, Value)> {
    let store = machine.open();
    let here = json!({ "workspace": place });
    let mut seen = Vec::new();
    for branch in ["side", "main"] {
        git(place, &["symbolic-ref", "HEAD", &format!("refs/heads/{branch}")]);
        for method in ["memory.get", "undo.list", "items.list"] {
            let mut answer = call(&store, method, &here).unwrap();
            // Of several that were removed in the same millisecond.
            answer.as_array_mut().into_iter().for_each(|list| list.sort_by_key(|it| it["id"].to_string()));
            seen.push((method, answer));
        }
    }
    let of_job = json!({ "scopeId": "job one" });
    for method in ["working.getContext", "working.getLogs", "working.history"] {
        seen.push((method, call(&store, method, &of_job).unwrap()));
    }
    let checkpoints = call(&store, "working.listCheckpoints", &json!({ "jobId": "job one" })).unwrap();
    seen.push(("working.listCheckpoints", checkpoints));
    seen.push(("working.listScopes", call(&store, "working.listScopes", &json!({})).unwrap()));
    seen
}

#[test]
fn importing_an_archive_again_changes_nothing_and_the_same_home_gives_the_same_bytes() {
    let machine = Machine::new();
    let place = machine.clone_at("src/app");
    machine.fill(&place);
    let archive = machine.export("all.tar.zst");
    let bytes = std::fs::read(&archive).unwrap();
    assert_eq!(archive.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let before = machine.files();
    for _ in 0..2 {
        let imported = machine.import(&archive, &Importing::default());
        assert_eq!(written(&imported), 0, "{imported:?}");
        assert!(imported.rooms.iter().all(|room| room.deduplicated > 0 && room.kept_aside.is_empty()), "{imported:?}");
    }
    assert_eq!(machine.files(), before);
    assert_eq!(std::fs::read(machine.export("all.tar.zst")).unwrap(), bytes);
    // The tar file has the same lines.
    let lines = std::fs::read(machine.export("all.jsonl")).unwrap();
    let mut unpacked = Vec::new();
    let tar = zstd::decode_all(&*bytes).unwrap();
    for entry in tar::Archive::new(&*tar).entries().unwrap() {
        std::io::copy(&mut entry.unwrap(), &mut unpacked).unwrap();
    }
    assert_eq!(String::from_utf8(unpacked).unwrap(), String::from_utf8(lines).unwrap());
}

#[test]
fn of_two_versions_the_newer_one_stays_and_the_other_is_named_and_in_the_trash_in_every_room() {
    for is_newer_there in [true, false] {
        let (there, here) = (TestHome::in_memory(), TestHome::in_memory());
        let day = |is_newer: bool| if is_newer { "2026-01-03T00:00:00Z" } else { "2026-01-02T00:00:00Z" };
        for (home, text, is_newer) in [(&there, "of there", is_newer_there), (&here, "of here", !is_newer_there)] {
            let store = at(home, day(is_newer));
            store.repo_at(&repo()).memory().upsert(Note::draft(text).id("n")).unwrap();
            let at = day(is_newer);
            let item = json!({ "id": "i", "content": text, "created_at": at, "updated_at": at });
            call(&store, "items.import", &json!({ "workspace": "/", "scope": "global", "items": [item] })).unwrap();
            let patch = Patch::default().set("text", &text).unwrap();
            store.working().update_context("job", patch).unwrap();
        }
        let archive = Path::new("/top/all.jsonl");
        at(&there, day(true)).archives().export(archive).unwrap();
        here.write(archive, there.read(archive).unwrap());
        let store = at(&here, day(true));
        let imported = store.archives().import(archive, &Importing::default()).unwrap();
        let aside: Vec<_> =
            imported.rooms.iter().flat_map(|room| &room.kept_aside).map(|it| (&*it.kind, it.is_theirs)).collect();
        assert_eq!(aside, [("note", !is_newer_there), ("context", true), ("item", !is_newer_there)]);
        let stays = if is_newer_there { "of there" } else { "of here" };
        let note = store.repo_at(&repo()).memory().get().unwrap().notes().unwrap();
        assert_eq!(note.iter().map(|it| &*it.content).collect::<Vec<_>>(), [stays]);
        let items = call(&store, "items.list", &json!({ "workspace": "/" })).unwrap();
        assert_eq!(items[0]["content"], stays);
        assert_eq!(store.working().get_context("job").unwrap().json().get(), r#"{"text":"of here"}"#);
        let mut removed = store.undo().list(&store.repo_at(&repo())).unwrap();
        removed.extend(store.undo().list(&store.repo("/").unwrap()).unwrap());
        let goes = if is_newer_there { "of here" } else { "of there" };
        let mut kept: Vec<_> = removed.iter().map(|it| (&*it.kind, it.record.get().contains(goes))).collect();
        kept.sort_unstable();
        assert_eq!(kept, [("context", !is_newer_there), ("item", true), ("note", true)], "{removed:?}");
    }
}

#[test]
fn working_contexts_move_from_every_adapter_to_every_other_one() {
    const ADAPTERS: [&str; 3] = ["file", "memory", "sqlite"];
    let folder = tempfile::tempdir().unwrap();
    let of = |name: &str, adapter: &str| {
        let options = Options::at(folder.path().join(name)).codex_home(folder.path().join("codex")).adapter(adapter);
        loopmem::testing::open_on(options.clock(CLOCK), std::sync::Arc::new(RealFs), []).unwrap()
    };
    let seen = |store: &Store| {
        let methods = ["working.getContext", "working.getLogs", "working.history"];
        methods.map(|method| call(store, method, &json!({ "scopeId": "job" })).unwrap())
    };
    for (number, adapter) in ADAPTERS.into_iter().enumerate() {
        let there = of(&format!("from {adapter}"), adapter);
        for step in 1..=3 {
            there.working().update_context("job", Patch::default().set("step", &step).unwrap()).unwrap();
            there.working().add_log("job", MemoryEntry::draft(format!("step {step}"))).unwrap();
            there.working().save_checkpoint("job").unwrap();
        }
        let archive = folder.path().join("all.jsonl");
        there.archives().export(&archive).unwrap();
        let other = ADAPTERS[(number + 1) % ADAPTERS.len()];
        let here = of(&format!("to {adapter}"), other);
        for copied in [10, 0] {
            let imported = here.archives().import(&archive, &Importing::default()).unwrap();
            assert_eq!((room(&imported, "working").copied, room(&imported, "working").kept_aside.len()), (copied, 0));
            assert_eq!(seen(&here), seen(&there), "{adapter} to {other}");
            let last = *here.working().list_checkpoints("job").unwrap().last().unwrap();
            assert_eq!(
                here.working().list_checkpoints("job").unwrap(),
                there.working().list_checkpoints("job").unwrap()
            );
            // What is restored from it is what was saved.
            if copied == 0 {
                assert_eq!(here.working().restore_checkpoint("job", last).unwrap().json().get(), "{\"step\":3}");
            }
        }
    }
}

#[test]
fn no_pattern_of_the_user_changes_what_loopmem_has_generated() {
    let (there, here) = (TestHome::in_memory(), TestHome::in_memory());
    let (archive, store) = (Path::new(ARCHIVE), at(&there, CLOCK));
    let of_repo = |store: &Store| call(store, "memory.get", &json!({ "repoHash": repo() })).unwrap();
    store.repo_at(&repo()).memory().upsert(Note::draft("a note")).unwrap();
    crate::append(&store, "step").unwrap();
    store.working().update_context("job", Patch::default().set("step", &1).unwrap()).unwrap();
    store.working().add_log("job", MemoryEntry::draft("A line")).unwrap();
    store.archives().export(archive).unwrap();
    here.write(archive, there.read(archive).unwrap());
    let options = Options::at(here.root()).codex_home(here.codex()).clock(CLOCK);
    let options = options.redaction_patterns(["[0-9]{2}", "[0-9a-f]{8}-[0-9a-f-]+"]);
    let strict = loopmem::testing::open_on(options, here.fs(), []).unwrap();
    let imported = strict.archives().import(archive, &Importing::default()).unwrap();
    assert!(imported.rooms.iter().all(|room| room.skipped == 0), "{imported:?}");
    assert_eq!(of_repo(&strict), of_repo(&store));
    for method in ["working.getLogs", "working.history"] {
        let of_job = json!({ "scopeId": "job" });
        assert_eq!(call(&strict, method, &of_job).unwrap(), call(&store, method, &of_job).unwrap());
    }
}

fn at(home: &TestHome, clock: &str) -> Store {
    let options = Options::at(home.root()).codex_home(home.codex()).clock(clock);
    loopmem::testing::open_on(options, home.fs(), []).unwrap()
}

/// An archive with a record of every room.
const ARCHIVE: &str = "/top/all.jsonl";
const CLOCK: &str = "2026-01-31T12:00:00Z";

fn archive_of_every_room() -> Vec<u8> {
    let home = TestHome::in_memory();
    let store = at(&home, CLOCK);
    let memory = store.repo_at(&repo()).memory();
    for id in ["a", "b", "gone"] {
        memory.upsert(Note::draft(id).id(id)).unwrap();
    }
    memory.remove("gone").unwrap();
    crate::append(&store, "step").unwrap();
    let item = json!({ "workspace": "/", "scope": "global", "type": "fact", "content": "an item" });
    let item = call(&store, "items.add", &item).unwrap();
    call(&store, "items.used", &json!({ "workspace": "/", "ids": [item["id"]] })).unwrap();
    store.working().update_context("job", Patch::default().set("step", &1).unwrap()).unwrap();
    store.working().update_context("job", Patch::default().set("step", &2).unwrap()).unwrap();
    for text in ["A line", "Another line"] {
        store.working().add_log("job", MemoryEntry::draft(text)).unwrap();
        store.working().save_checkpoint("job").unwrap();
    }
    store.archives().export(Path::new(ARCHIVE)).unwrap();
    home.read(Path::new(ARCHIVE)).unwrap()
}

/// A home with an older version of what is in the archive.
fn home_with_older_records(archive: &[u8]) -> TestHome {
    let home = TestHome::in_memory();
    let store = at(&home, "2026-01-01T00:00:00Z");
    store.repo_at(&repo()).memory().upsert(Note::draft("older").id("b")).unwrap();
    home.write(Path::new(ARCHIVE), archive);
    home
}

#[test]
fn an_import_that_ends_at_any_call_is_completed_by_another_one() {
    let bytes = archive_of_every_room();
    let whole = home_with_older_records(&bytes);
    let exported = |home: &TestHome| {
        let store = at(home, CLOCK);
        store.archives().export(Path::new("/top/after.jsonl")).unwrap();
        let text = String::from_utf8(home.read(Path::new("/top/after.jsonl")).unwrap()).unwrap();
        // What was set aside gets an id and a place in the trash by chance.
        let mut lines: Vec<String> = text
            .lines()
            .map(|line| if line.contains("older") { "older".to_owned() } else { line.to_owned() })
            .collect();
        lines.sort();
        lines
    };
    let import = |home: &TestHome| at(home, CLOCK).archives().import(Path::new(ARCHIVE), &Importing::default());
    import(&whole).unwrap();
    let expected = exported(&whole);
    assert!(expected.len() > 10, "{expected:?}");
    let (first, step) = match crate::file_systems::tries_all_faults() {
        true => (1, 1),
        false => (1 + crate::file_systems::fault_rotation() % 3, 3),
    };
    for nth in (first..).step_by(step) {
        let (home, faulty) = (home_with_older_records(&bytes), Faulty::default());
        let options = Options::at(home.root()).codex_home(home.codex()).clock(CLOCK);
        let store = loopmem::testing::open_on(options, faulty.on(home.fs()), []).unwrap();
        faulty.arm(nth, Fault::Stop);
        let outcome = store.archives().import(Path::new(ARCHIVE), &Importing::default());
        let has_struck = faulty.disarm();
        drop(store);
        let again = import(&home).unwrap_or_else(|error| panic!("{nth}: {error}, after {outcome:?}"));
        assert!(again.rooms.iter().all(|room| room.skipped == 0), "{nth}: {again:?}");
        assert_eq!(exported(&home), expected, "{nth}: {outcome:?}");
        if !has_struck {
            assert!(outcome.is_ok() && nth > 20, "{nth}: {outcome:?}");
            return;
        }
    }
}

/// A tar file of these entries: a name, what it is, and its content.
fn tar_of(entries: &[(&str, tar::EntryType, &str)]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, kind, content) in entries {
        let mut header = tar::Header::new_gnu();
        // The library refuses such names.
        let field = &mut header.as_old_mut().name;
        field[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        if *kind == tar::EntryType::Symlink {
            header.set_link_name("/etc/passwd").unwrap();
        }
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, content.as_bytes()).unwrap();
    }
    zstd::encode_all(&*tar.into_inner().unwrap(), 3).unwrap()
}

const HEADER: &str = "{\"loopmem\":\"archive\",\"schemaVersion\":1}\n";

/// A record of the repository of these tests, on a line.
fn line(room: &str, kind: &str, record: &Value) -> String {
    format!("{}\n", json!({ "room": room, "v": 1, "repoHash": repo(), "kind": kind, "record": record }))
}

fn a_note(id: &str, content: &str) -> Value {
    let at = "2026-01-01T00:00:00.000Z";
    json!({ "id": id, "content": content, "source": "agent", "createdAt": at, "updatedAt": at })
}

#[test]
fn a_hostile_archive_is_refused_whole_and_nothing_is_changed() {
    use tar::EntryType::{Block, Directory, Link, Regular, Symlink};
    let header = ("archive.json", Regular, HEADER);
    let (name, line) = (format!("repos/{}/memory.jsonl", repo()), line("memory", "note", &a_note("n", "c")));
    let good = (&*name, Regular, &*line);
    let of_another = name.replace("5e5e", "5f5f");
    let bomb = {
        let mut packed = zstd::Encoder::new(Vec::new(), 3).unwrap();
        let mut tar_header = tar::Header::new_gnu();
        tar_header.set_path("archive.json").unwrap();
        tar_header.set_size(HEADER.len() as u64);
        tar_header.set_cksum();
        packed.write_all(tar_header.as_bytes()).unwrap();
        packed.write_all(HEADER.as_bytes()).unwrap();
        packed.write_all(&vec![0; 512 - HEADER.len()]).unwrap();
        tar_header.set_path("memory.jsonl").unwrap();
        tar_header.set_size(1 << 30);
        tar_header.set_cksum();
        packed.write_all(tar_header.as_bytes()).unwrap();
        for _ in 0..80 {
            packed.write_all(&vec![b' '; 1 << 20]).unwrap();
        }
        packed.finish().unwrap()
    };
    let tars: [(&str, Vec<u8>); 13] = [
        ("no header", tar_of(&[good])),
        ("a name that leads out", tar_of(&[header, ("../../memory.jsonl", Regular, &line)])),
        ("an absolute name", tar_of(&[header, ("/tmp/memory.jsonl", Regular, &line)])),
        ("a name of nothing", tar_of(&[header, ("repos/x/memory.jsonl", Regular, &line)])),
        ("a link", tar_of(&[header, (&name, Symlink, "")])),
        ("a hard link", tar_of(&[header, (&name, Link, "")])),
        ("a device", tar_of(&[header, (&name, Block, "")])),
        ("a folder", tar_of(&[header, (&name, Directory, "")])),
        ("a file twice", tar_of(&[header, good, good])),
        ("a record in the file of another repository", tar_of(&[header, (&of_another, Regular, &line)])),
        ("one that was cut off", {
            let whole = tar_of(&[header, good]);
            whole[..whole.len() - 20].to_vec()
        }),
        ("a bomb", bomb),
        ("no tar file", b"no tar file".to_vec()),
    ];
    let whole = format!("{HEADER}{line}");
    let newer = |text: &str| text.replace("\"v\":1", "\"v\":2");
    let of = |room: &str, kind: &str, record: Value| format!("{whole}{}", super::archive::line(room, kind, &record));
    let summary =
        json!({ "v": 2, "runId": "r", "stepId": "s", "timestamp": "2026-01-01T00:00:00.000Z", "summary": "s" });
    let removal = json!({
        "v": 2, "id": "x", "room": "memory", "kind": "note", "recordId": "n", "reason": "removed", "at": "2026", "record": {},
    });
    let names = json!({ "schemaVersion": 2, "repoHash": repo(), "path": "/", "remoteUrl": null, "branch": null });
    let item = json!({ "room": "items", "v": 1, "kind": "item", "record": { "v": 2, "id": "i", "content": "c" } });
    let lines: [(&str, String, ErrorKind); 9] = [
        ("another format", whole.replace("schemaVersion\":1", "schemaVersion\":2"), ErrorKind::FormatTooNew),
        ("newer records", newer(&whole), ErrorKind::FormatTooNew),
        ("records of an unknown room", whole.replace("\"memory\"", "\"attic\""), ErrorKind::FormatTooNew),
        ("a newer summary", of("summary", "summary", summary), ErrorKind::FormatTooNew),
        ("a newer removal", of("repo", "trash", removal), ErrorKind::FormatTooNew),
        ("newer names", of("repo", "names", names), ErrorKind::FormatTooNew),
        ("a newer item", format!("{whole}{item}\n"), ErrorKind::FormatTooNew),
        ("another file", line.clone(), ErrorKind::Parse),
        ("fewer records", whole.replace("n\":1}", "n\":1,\"records\":2}"), ErrorKind::Parse),
    ];
    let tars = tars.into_iter().map(|(what, bytes)| (what, "/top/a.tar.zst", bytes, ErrorKind::Parse));
    let lines = lines.into_iter().map(|(what, text, kind)| (what, "/top/a.jsonl", text.into_bytes(), kind));
    for (what, path, bytes, kind) in tars.chain(lines) {
        let home = TestHome::in_memory();
        let store = at(&home, CLOCK);
        home.write(Path::new(path), &bytes);
        let refused = store.archives().import(Path::new(path), &Importing::default()).unwrap_err();
        assert_eq!((refused.kind(), refused.path()), (kind, Some(Path::new(path))), "{what}: {refused}");
        assert_eq!(home.entries(), [] as [PathBuf; 0], "{what}");
    }
}

#[test]
fn what_cannot_be_read_is_named_and_the_rest_is_exported() {
    let machine = Machine::new();
    let (good, bad) = (machine.clone_at("good"), machine.clone_at("bad"));
    for place in [&good, &bad] {
        machine.open().repo(place).unwrap().memory().upsert(Note::draft("kept").id("n")).unwrap();
    }
    let hash = machine.open().repos().identify(&bad).unwrap().repo_hash;
    std::fs::write(machine.path("home").join("repos").join(hash.as_str()).join("memory.json"), "{damaged").unwrap();
    let exported = machine.open().archives().export(&machine.path("all.jsonl")).unwrap();
    assert_eq!((exported.faults.len(), exported.repositories), (1, 1), "{exported:?}");
}

#[test]
fn an_archive_pushes_nothing_out_of_the_trash_and_nothing_in_it_is_later_than_now() {
    let home = TestHome::new();
    let store = home.open();
    let own = store.repo_at(&repo());
    for number in 0..3 {
        own.memory().upsert(Note::draft("own").id(format!("own{number}"))).unwrap();
        own.memory().remove(&format!("own{number}")).unwrap();
    }
    let removed = |number: usize| {
        let record = json!({ "id": format!("t{number}"), "room": "memory", "kind": "note", "recordId": "x",
            "reason": "removed", "at": "2099-01-01T00:00:00.000Z", "record": a_note("x", &number.to_string()) });
        line("repo", "trash", &record)
    };
    let lines: String = (0..10_000).map(removed).collect();
    let path = home.root().join("stranger.jsonl");
    std::fs::write(&path, format!("{HEADER}{lines}")).unwrap();
    for copied in [9_997, 0] {
        let imported = store.archives().import(&path, &Importing::default()).unwrap();
        let of_repo = room(&imported, "repo");
        assert_eq!((of_repo.copied, of_repo.left), (copied, 3), "{of_repo:?}");
        let removals = store.undo().list(&own).unwrap();
        assert_eq!(removals.iter().filter(|it| it.preview == "own").count(), 3);
        assert!(removals.iter().all(|it| !it.at.starts_with("2099")));
    }
}

#[test]
fn what_is_damaged_or_secret_in_an_archive_is_skipped_or_redacted_and_the_rest_is_brought() {
    let home = TestHome::in_memory();
    let store = at(&home, CLOCK);
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let step = |id: &str, text: &str| json!({ "runId": id, "stepId": "s", "timestamp": "2026-01-01T00:00:00.000Z", "summary": text, "tags": [] });
    let of_user = |room: &str, kind: &str, record: Value| {
        format!("{}\n", json!({ "room": room, "v": 1, "kind": kind, "record": record }))
    };
    let context =
        |id: &str, text: &str| of_user("working", "context", json!({ "scopeId": id, "value": { "t": text } }));
    let removal = |id: &str, text: &str| {
        json!({
            "id": id, "room": "memory", "kind": "note", "recordId": "n", "reason": "removed", "at": "2026-01-30T00:00:00Z",
            "record": a_note("n", text),
        })
    };
    let text = [
        HEADER.to_owned(),
        line("memory", "note", &a_note("good", &format!("uses {token}"))),
        line("memory", "note", &a_note("good", "the same id again")),
        line("memory", "note", &a_note(&token, "an id")),
        line("memory", "box", &a_note("x", "of no kind")),
        line("memory", "note", &json!({ "id": "no content" })),
        line("memory", "note", &json!([1])),
        line("summary", "summary", &step("run", &token)),
        line("summary", "summary", &step(&token, "an id")),
        line("summary", "summary", &json!({ "runId": 1 })),
        line("repo", "trash", &removal("t", &token)),
        line("repo", "trash", &json!({ "id": "no record" })),
        line("repo", "names", &json!({ "schemaVersion": 1, "repoHash": repo(), "path": "/of/another" })),
        of_user("items", "item", json!({ "id": "i", "content": format!("uses {token}") })),
        of_user("items", "item", json!({ "id": "no content" })),
        of_user("memory", "note", a_note("x", "of nobody")),
        context("job", &token),
        context(&token, "an id"),
        of_user("working", "log", json!({ "scopeId": "job", "value": { "id": "no content" } })),
        format!(
            "{}\n",
            json!({
                "room": "items", "v": 1, "folder": format!("/{token}"), "kind": "item", "record": { "id": "i", "content": "c" },
            })
        ),
        // Of an owner that was there before.
        line("memory", "note", &a_note("later", "of the same repository")),
        "{\"room\":\"memory\"\n\n[]\n".to_owned(),
    ];
    home.write(Path::new(ARCHIVE), text.concat());
    let imported = store.archives().import(Path::new(ARCHIVE), &Importing::default()).unwrap();
    let counts = |name: &str| (room(&imported, name).copied, room(&imported, name).skipped);
    let names = ["memory", "summary", "working", "items", "repo"];
    assert_eq!(names.map(counts), [(2, 6), (1, 2), (1, 2), (1, 2), (1, 2)]);
    assert!(!format!("{imported:?}").contains(&token));
    assert_eq!(imported.skipped, 2);
    assert_eq!(imported.identities.iter().map(|it| &it.path).collect::<Vec<_>>(), [&None], "not of this hash");
    for path in home.entries() {
        let bytes = home.read(&path).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&bytes).contains(&token), "{}", path.display());
    }
    let memory = store.repo_at(&repo()).memory().get().unwrap();
    assert!(memory.notes().unwrap()[0].content.starts_with("uses [REDACTED:github-pat:"));
    assert_eq!(store.undo().list(&store.repo_at(&repo())).unwrap().len(), 1);
}

#[test]
fn a_map_never_brings_two_folders_to_one() {
    let (old, new) = (Machine::new(), Machine::new());
    let [one, other] = ["src/one", "src/other"].map(|name| old.clone_at(name));
    for place in [&one, &other] {
        old.open().repo(place).unwrap().memory().upsert(Note::draft("a note")).unwrap();
    }
    let archive = old.export("all.jsonl");
    for map in [
        Importing::default().map(&one, &other),
        Importing::default().map(&one, "/new").map(&other, "/new/"),
        Importing::default().map(&other, "/new/one").map(old.path("src"), "/new"),
    ] {
        let refused = new.open().archives().import(&archive, &map).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::Conflict);
        for place in [&one, &other] {
            assert!(refused.message().contains(place.to_str().unwrap()), "{refused}");
        }
        assert_eq!(new.files(), []);
    }
    // The longest one counts, and a name that only begins with it is another.
    let map = Importing::default().map(old.path("src"), "/new").map(&one, "/first").map(old.path("src/oth"), "/x");
    let imported = new.import(&archive, &map);
    let mut paths: Vec<_> = imported.identities.iter().map(|it| it.path.clone().unwrap()).collect();
    paths.sort();
    assert_eq!(paths, ["/first", "/new/other"]);
}

#[test]
fn items_of_a_folder_that_is_not_there_are_named_and_brought_later() {
    let (old, new) = (Machine::new(), Machine::new());
    let place = old.clone_at("src/app");
    old.fill(&place);
    let archive = old.export("all.jsonl");
    let is = new.path("src/app");
    let map = Importing::default().map(&place, &is);
    let first = new.import(&archive, &map);
    let items = room(&first, "items");
    assert_eq!((items.copied, items.skipped, items.faults.len()), (2, 2, 1));
    assert!(items.faults[0].contains(is.to_str().unwrap()) && items.faults[0].contains("import the archive again"));
    new.clone_at("src/app");
    let later = new.import(&archive, &map);
    assert_eq!((room(&later, "items").copied, written(&later)), (2, 2), "{later:?}");
}

#[test]
fn an_archive_of_one_repository_has_nothing_of_another_one_or_of_the_user() {
    let machine = Machine::new();
    let place = machine.clone_at("src/app");
    machine.fill(&place);
    machine.open().repo_at(&repo()).memory().upsert(Note::draft("of another")).unwrap();
    let store = machine.open();
    let path = machine.path("one.jsonl");
    let exported = store.archives().export_repo(&path, &store.repo(&place).unwrap()).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(exported.repositories, 2);
    for absent in ["of another", "scope global", "job one", &"5e".repeat(32)] {
        assert!(!text.contains(absent), "{absent}");
    }
    assert!(text.contains("scope repo, which is kept"));
    // By its hash, it is only the one.
    let hash: RepoHash = store.repo(&place).unwrap().hash().clone();
    assert_eq!(store.archives().export_repos(&path, &[hash.clone(), hash]).unwrap().repositories, 1);
    // Another file is never replaced.
    std::fs::write(&path, "a file of mine\n").unwrap();
    let refused = store.archives().export(&path).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "a file of mine\n");
}
