//! The index of a repository's files: never stale, never over its budget, and the same bytes for the same files.

mod deep;
mod interrupted;
mod power;
mod progress;
mod sharing;
mod truncated;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use loopmem::context::{SectionName, Sections, Size};
use loopmem::index::{Kind, Map, SymbolQuery};
use loopmem::memory::Note;
use loopmem::testing::disk::{Fs as _, RealFs};
use loopmem::{CallOptions, Cancel, ErrorKind, Options, Store};

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Place(tempfile::tempdir().unwrap());
        place.git(&["init", "-q", "-b", "main"]);
        place
    }

    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    fn top(&self) -> PathBuf {
        let top = self.path().join("work");
        std::fs::create_dir_all(&top).unwrap();
        top
    }

    fn git(&self, args: &[&str]) {
        let mut git = std::process::Command::new("git");
        let git = git.args(["-c", "user.name=t", "-c", "user.email=t@localhost"]).args(args).current_dir(self.top());
        assert!(git.output().unwrap().status.success(), "{args:?}");
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.top().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The number of files in the work tree, without those of git and of loopmem.
    fn count(&self) -> usize {
        let output =
            std::process::Command::new("git").args(["ls-files", "-o"]).current_dir(self.top()).output().unwrap();
        let paths = String::from_utf8(output.stdout).unwrap();
        paths.lines().filter(|path| !path.starts_with(".memory")).count()
    }

    fn store(&self) -> Store {
        self.store_in("home")
    }

    fn store_in(&self, home: &str) -> Store {
        loopmem::testing::open_on(Options::at(self.path().join(home)), Arc::new(RealFs), []).unwrap()
    }

    fn map(&self, prompt: &str) -> Map {
        map_of(&self.store(), &self.top(), prompt)
    }

    /// The files of the index in the home.
    fn files(&self) -> Vec<PathBuf> {
        let home = self.path().join("home");
        let repos = std::fs::read_dir(home.join("repos")).unwrap();
        let folders = repos.map(|repo| repo.unwrap().path().join("indexes")).chain([home.join("indexes")]);
        let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
        files
            .filter(|path| !path.to_string_lossy().contains(".lock") && !path.to_string_lossy().contains(".gate"))
            .collect()
    }
}

fn map_of(store: &Store, top: &Path, prompt: &str) -> Map {
    store.repo(top).unwrap().index().map(2_000, Some(prompt), &[]).unwrap()
}

fn fill(place: &Place) {
    place.write(
        "src/lock.rs",
        "pub struct Lock;\n\nimpl Lock {\n    pub fn acquire(&self) -> bool {\n        true\n    }\n}\n",
    );
    place.write("src/journal.rs", "/// Appends a line.\npub fn append_line(text: &str) {\n    fsync(text);\n}\n");
    place.write("app/server.py", "class ProxyServer:\n    def restart(self):\n        pass\n\nMAX_CLIENTS = 3\n");
    place.write("README.md", "# The project\n\nWords about locks.\n");
}

fn paths(map: &Map) -> Vec<&str> {
    map.files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn a_map_shows_the_definitions_that_matter_for_the_prompt() {
    let place = Place::new();
    fill(&place);
    let map = place.map("acquire the lock");
    assert_eq!(map.files[0].path, "src/lock.rs");
    assert!(map.text.starts_with("src/lock.rs:\n  "), "{}", map.text);
    assert!(map.text.contains("\n  pub fn acquire(&self) -> bool"), "{}", map.text);
    assert!(!map.text.contains("true"), "no bodies: {}", map.text);
    assert_eq!(place.map("fsync").files[0].path, "src/journal.rs", "words in the text of a definition");
    assert_eq!(place.map("restarting proxies").files[0].symbols[0], "ProxyServer");
    let overview = place.map("");
    assert_eq!(overview.files.len(), 4, "{}", overview.text);
}

#[test]
fn every_change_is_seen_at_once() {
    let place = Place::new();
    fill(&place);
    // What matches nothing gets an overview.
    let shows = |prompt: &str, path: &str| paths(&place.map(prompt)).contains(&path);
    assert!(!shows("heartbeat", "src/lease.rs"));
    place.write("src/lease.rs", "fn heartbeat() {}\n");
    assert_eq!(paths(&place.map("heartbeat")), ["src/lease.rs"]);
    // In place, with the same size.
    place.write("src/lease.rs", "fn hesitated() {}\n");
    assert_ne!(paths(&place.map("heartbeat")), ["src/lease.rs"]);
    assert_eq!(paths(&place.map("hesitated")), ["src/lease.rs"]);
    std::fs::rename(place.top().join("src/lease.rs"), place.top().join("src/rent.rs")).unwrap();
    assert_eq!(paths(&place.map("hesitated")), ["src/rent.rs"]);
    place.write(".gitignore", "rent.rs\n");
    assert!(!shows("hesitated", "src/rent.rs"));
    // An edit in place does not change the folder.
    place.write(".gitignore", "\n");
    assert!(shows("hesitated", "src/rent.rs"));
    place.write(".gitignore", "rent.rs\n");
    assert!(!shows("hesitated", "src/rent.rs"));
    place.git(&["add", "-f", "src/rent.rs"]);
    assert_eq!(paths(&place.map("hesitated")), ["src/rent.rs"], "git tracks it although it is ignored");
    std::fs::remove_file(place.top().join("src/rent.rs")).unwrap();
    assert!(!shows("hesitated", "src/rent.rs"));
}

#[test]
fn what_has_not_changed_is_not_parsed_again_on_another_branch_or_in_another_work_tree() {
    let place = Place::new();
    fill(&place);
    place.git(&["add", "."]);
    place.git(&["commit", "-qm", "first"]);
    let refresh = |top: &Path| place.store().repo(top).unwrap().index().refresh().unwrap();
    let first = refresh(&place.top());
    assert_eq!((first.files, first.parsed, first.reused, first.removed), (4, 4, 0, 0));
    let again = refresh(&place.top());
    assert_eq!((again.files, again.parsed, again.reused), (4, 0, 4));
    place.git(&["checkout", "-q", "-b", "renamed"]);
    assert_eq!(refresh(&place.top()).parsed, 0);
    let tree = place.path().join("tree");
    place.git(&["worktree", "add", "-q", "-b", "other", tree.to_str().unwrap()]);
    assert_eq!(refresh(&tree).parsed, 0);
    let store = place.store();
    assert_eq!(map_of(&store, &tree, "lock").text, map_of(&store, &place.top(), "lock").text);
    place.write("src/lock.rs", "pub struct Changed;\n");
    std::fs::remove_file(place.top().join("README.md")).unwrap();
    let changed = refresh(&place.top());
    assert_eq!((changed.parsed, changed.removed), (1, 1));
}

#[test]
fn the_same_files_give_the_same_bytes_however_the_index_came_about() {
    let place = Place::new();
    for number in 0..60 {
        place.write(
            &format!("src/part{number}.rs"),
            format!("fn part{number}() {{ common(); rare{}(); }}\n", number % 7),
        );
    }
    place.map("common");
    // Changes that are not in the lists of the index, and then a file that is gone.
    for number in 0..4 {
        place.write(&format!("src/part{number}.rs"), format!("fn changed{number}() {{ common(); rare(); }}\n"));
        place.map("common");
    }
    std::fs::remove_file(place.top().join("src/part9.rs")).unwrap();
    for prompt in ["common rare part3 changed2", "rare", ""] {
        let grown = place.map(prompt);
        let fresh = map_of(&place.store_in("another home"), &place.top(), prompt);
        assert_eq!(grown, fresh, "{prompt}");
    }
}

#[test]
fn files_that_change_with_the_best_ones_are_shown_and_a_new_commit_counts_at_once() {
    let place = Place::new();
    fill(&place);
    place.write("src/audit.rs", "pub fn audit() {}\n");
    place.git(&["add", "."]);
    place.git(&["commit", "-qm", "first"]);
    let shows = || paths(&place.map("acquire")).contains(&"src/audit.rs");
    assert!(!shows());
    for number in 0..5 {
        place.write("src/lock.rs", format!("pub fn acquire() {{}} // {number}\n"));
        place.write("src/audit.rs", format!("pub fn audit() {{}} // {number}\n"));
        place.git(&["commit", "-qam", "both"]);
    }
    assert!(shows());
    // What is kept of the commits does not matter.
    let fresh = map_of(&place.store_in("another home"), &place.top(), "acquire");
    assert_eq!(place.map("acquire"), fresh);
}

#[test]
fn what_hides_a_file_is_watched_wherever_it_is() {
    let place = Place::new();
    fill(&place);
    place.write("notes/plan.md", "# Heartbeats\n");
    // It ignores itself, so that it is no file of the work tree.
    place.write("notes/.gitignore", "*\n");
    let shows = |prompt: &str, path: &str| paths(&place.map(prompt)).contains(&path);
    assert!(!shows("heartbeats", "notes/plan.md"));
    place.write("notes/.gitignore", ".gitignore\n");
    assert!(shows("heartbeats", "notes/plan.md"));
    // What is above the top level does not count.
    std::fs::write(place.path().join(".gitignore"), "*\n").unwrap();
    place.write("src/more.rs", "fn heartbeat() {}\n");
    assert!(shows("heartbeats", "src/more.rs"));
    // A tracked file in an ignored folder comes back.
    place.write("built/out.rs", "fn pulse() {}\n");
    place.git(&["add", "-f", "built/out.rs"]);
    place.write("built/.gitignore", "*\n");
    assert!(shows("pulse", "built/out.rs"));
    std::fs::remove_file(place.top().join("built/out.rs")).unwrap();
    assert!(!shows("pulse", "built/out.rs"));
    place.git(&["checkout", "built/out.rs"]);
    assert!(shows("pulse", "built/out.rs"));
}

#[test]
fn what_a_tool_has_put_into_a_folder_of_its_own_is_left_out_unless_git_tracks_it() {
    const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# made by a tool\n";
    for is_tracked in [false, true] {
        let place = Place::new();
        place.git(&["init", "-q"]);
        place.write("web/node_modules/p/index.js", "export function packaged() {}\n");
        place.write(".venv/pyvenv.cfg", "home = /usr/bin\n");
        place.write(".venv/lib/m.py", "def installed():\n    pass\n");
        place.write("out/CACHEDIR.TAG", TAG);
        place.write("out/gen.rs", "pub fn generated() {}\n");
        place.write("near/CACHEDIR.TAG", "no signature\n");
        place.write("near/near.rs", "pub fn near() {}\n");
        place.write("sub/node_modules.rs", "pub fn beside() {}\n");
        if is_tracked {
            place.git(&["add", "-Af"]);
        }
        let shown = |prompt: &str| place.map(prompt).text.contains(prompt);
        assert!(shown("near") && shown("beside"));
        for name in ["packaged", "installed", "generated"] {
            assert_eq!(shown(name), is_tracked, "{name}");
        }
        // It is seen when the mark goes, or comes.
        std::fs::remove_file(place.top().join("out/CACHEDIR.TAG")).unwrap();
        place.write("near/CACHEDIR.TAG", TAG);
        assert!(shown("generated"));
        assert_eq!(shown("near"), is_tracked);
        // A commit brings no mark: it would hide what others put there.
        place.write("near/mine.rs", "pub fn uncommitted() {}\n");
        place.write(".venv/mine.py", "def unadded():\n    pass\n");
        assert_eq!(shown("uncommitted"), is_tracked);
        assert_eq!(shown("unadded"), is_tracked);
    }
}

#[test]
fn a_tracked_path_below_a_link_is_left_out() {
    let place = Place::new();
    fill(&place);
    place.write("lib/part.rs", "fn in_the_folder() {}\n");
    place.git(&["add", "-A"]);
    std::fs::remove_dir_all(place.top().join("lib")).unwrap();
    let outside = place.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("part.rs"), "fn outside_of_it() {}\n").unwrap();
    std::os::unix::fs::symlink(&outside, place.top().join("lib")).unwrap();
    let map = place.map("outside_of_it");
    assert!(!paths(&map).contains(&"lib/part.rs"), "{}", map.text);
}

#[test]
fn files_in_focus_may_be_relative_or_absolute() {
    let place = Place::new();
    fill(&place);
    // It refers to much that counts more than it does.
    place.write("tests/lock.rs", "fn uses() { Lock::acquire(); append_line(); ProxyServer::restart(); }\n");
    let index = place.store().repo(place.top()).unwrap().index();
    let map = index.map(2_000, None, &["tests/lock.rs".to_owned()]).unwrap();
    assert_eq!(map.files[0].path, "tests/lock.rs", "{}", map.text);
    assert!(map.files.len() > 1, "and what it refers to: {}", map.text);
    let link = place.path().join("link");
    std::os::unix::fs::symlink(place.top(), &link).unwrap();
    let [direct, linked] = [place.top(), link].map(|top| top.join("src/lock.rs").display().to_string());
    for file in ["src/lock.rs".to_owned(), "./src/lock.rs".to_owned(), direct, linked] {
        let map = index.map(2_000, None, std::slice::from_ref(&file)).unwrap();
        assert_eq!(map.files[0].path, "src/lock.rs", "{file}");
    }
}

#[test]
fn a_map_begins_with_the_files_in_focus_in_the_order_given() {
    let place = Place::new();
    fill(&place);
    place.write("zoo/first.rs", "pub fn feed() {}\n");
    place.write("zoo/second.rs", "pub fn groom() {}\n");
    let index = place.store().repo(place.top()).unwrap().index();
    for focus in
        [["zoo/first.rs", "zoo/second.rs"], ["zoo/second.rs", "zoo/first.rs"], ["zoo/second.rs", "app/server.py"]]
    {
        let map = index.map(2_000, Some("acquire the lock"), &focus.map(str::to_owned)).unwrap();
        assert_eq!(paths(&map)[..2], focus, "{}", map.text);
        assert_eq!(paths(&map)[2], "src/lock.rs", "then what matches the prompt: {}", map.text);
        assert!(map.files.is_sorted_by(|one, other| one.score > other.score), "{:?}", map.files);
    }
}

#[test]
fn a_pattern_of_the_user_holds_for_what_was_indexed_before_it() {
    let place = Place::new();
    fill(&place);
    let shown = |patterns: &[&str]| {
        let options = Options::at(place.path().join("home")).redaction_patterns(patterns.iter().copied());
        let store = loopmem::testing::open_on(options, Arc::new(RealFs), []).unwrap();
        map_of(&store, &place.top(), "acquire lock").text
    };
    assert!(shown(&[]).contains("acquire"));
    assert!(!shown(&["^acquire$"]).contains("\n  acquire"), "{}", shown(&["^acquire$"]));
    let redacted = shown(&["acquire"]);
    assert!(!redacted.contains("acquire") && redacted.contains("[REDACTED:"), "{redacted}");
}

#[test]
fn a_bare_repository_has_no_files() {
    let place = Place::new();
    let bare = place.path().join("bare.git");
    place.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    assert_eq!(place.store().repo(&bare).unwrap().index().refresh().unwrap().files, 0);
}

#[test]
fn options_say_what_is_indexed() {
    let place = Place::new();
    fill(&place);
    place.write("inner/part.rs", "pub fn in_submodule() {}\n");
    std::fs::create_dir(place.top().join("inner/.git")).unwrap();
    let shown = |options: Options, workspace: &str| {
        let options = options.codex_home(place.path().join("codex"));
        let store = loopmem::testing::open_on(options, Arc::new(RealFs), []).unwrap();
        let map = map_of(&store, &place.top().join(workspace), "in_submodule restart acquire");
        map.files.into_iter().map(|file| file.path).collect::<Vec<_>>()
    };
    let options = || Options::at(place.path().join("home"));
    assert_eq!(shown(options(), "app"), ["app/server.py", "src/lock.rs"]);
    assert!(shown(options().index_submodules(true), "").contains(&"inner/part.rs".to_owned()));
    assert_eq!(shown(options().index_subtree(true), "app"), ["app/server.py"]);
    assert_eq!(shown(options().index_max_file_bytes(80), "app"), ["app/server.py"]);
    // The files come in the order of their paths.
    assert!(!shown(options().index_max_files(2), "").contains(&"src/lock.rs".to_owned()));
    assert_eq!(shown(options(), "app"), ["app/server.py", "src/lock.rs"], "as before");
    let refused = loopmem::Store::open(options().index_max_files(1_000_001)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation);
}

#[test]
fn symbols_of_a_file_are_those_of_its_content_now() {
    let place = Place::new();
    place.write("src/lib.rs", "pub mod outer {\n    pub fn inner() {}\n}\nmacro_rules! made {\n    () => {\n        fn quoted() {}\n    };\n}\n");
    let names = || -> Vec<String> {
        let index = place.store().repo(place.top()).unwrap().index();
        let query = SymbolQuery::new().path("src/lib.rs".to_owned());
        index.symbols(&query).unwrap().into_iter().map(|symbol| symbol.name).collect()
    };
    let first = names();
    assert!(first.contains(&"inner".to_owned()) && first.contains(&"made".to_owned()), "{first:?}");
    assert_eq!(names(), first);
    place.write("src/lib.rs", "fn changed() {}\n");
    assert_eq!(names(), ["changed"]);
    // A folder is listed with what a map leaves out, too.
    place.write("app/point.py", "class Point:\n    x: int = 0\n");
    let index = place.store().repo(place.top()).unwrap().index();
    let fields = index.symbols(&SymbolQuery::new().path("app".to_owned()).kind(Kind::Field)).unwrap();
    assert_eq!(fields.into_iter().map(|symbol| symbol.name).collect::<Vec<_>>(), ["x"]);
}

#[test]
fn a_map_never_exceeds_its_budget() {
    let place = Place::new();
    fill(&place);
    place.write("src/ünïcödé.rs", "fn größe(länge: usize) -> usize { länge }\n".repeat(30));
    let index = place.store().repo(place.top()).unwrap().index();
    for max_chars in (0..400).step_by(7) {
        for prompt in [None, Some("lock größe append proxy")] {
            let map = index.map(max_chars, prompt, &[]).unwrap();
            assert!(map.text.chars().count() <= max_chars, "{max_chars}: {}", map.text);
        }
    }
}

#[test]
fn a_damaged_index_is_made_again_in_silence() {
    let place = Place::new();
    for number in 0..50 {
        place.write(&format!("src/part{number}.rs"), format!("fn part{number}() {{ common(); }}\n"));
    }
    let expected = place.map("common part7");
    for path in place.files() {
        let whole = std::fs::read(&path).unwrap();
        let middle = whole.len() / 2;
        let flipped = [&whole[..middle], &[whole[middle] ^ 0x55], &whole[middle + 1..]].concat();
        for damage in [&whole[..middle], b"", b"no index", &flipped] {
            std::fs::write(&path, damage).unwrap();
            assert_eq!(place.map("common part7"), expected, "{}", path.display());
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(place.map("common part7"), expected, "{} is gone", path.display());
    }
}

#[test]
fn hostile_files_are_left_out_or_shown_without_harm() {
    let place = Place::new();
    fill(&place);
    place.write("binary.rs", b"fn binary() {}\0\n");
    place.write("large.rs", "fn large() {}\n".repeat(200_000));
    place.write("latin1.rs", b"fn caf\xe9() {} // \xff\xfe\n");
    place.write("line.js", "x".repeat(900_000));
    std::os::unix::fs::symlink("..", place.top().join("loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", place.top().join("dangling.rs")).unwrap();
    use std::os::unix::ffi::OsStrExt as _;
    let odd = place.top().join(std::ffi::OsStr::from_bytes(b"odd\xff\n.rs"));
    std::fs::write(odd, "fn odd_name() {}\n").unwrap();
    std::fs::create_dir(place.top().join("inner")).unwrap();
    std::fs::create_dir(place.top().join("inner/.git")).unwrap();
    place.write("inner/secret.rs", "fn of_another_repository() {}\n");
    let map = place.map("binary large café latin1 odd_name of_another_repository");
    let shown = paths(&map);
    assert!(shown.iter().all(|path| !["binary.rs", "large.rs", "inner/secret.rs"].contains(path)), "{shown:?}");
    assert!(shown.contains(&"latin1.rs") && shown.iter().any(|path| path.starts_with("odd")), "{shown:?}");
    assert!(map.text.lines().all(|line| line.starts_with("  ") || line.ends_with(':')), "{}", map.text);
}

#[test]
fn secrets_in_source_files_do_not_reach_the_index() {
    let place = Place::new();
    let secret = format!("ghp_{}", "a1B2".repeat(9));
    place.write("src/config.py", format!("API_TOKEN = \"{secret}\"\n\ndef connect(token=\"{secret}\"):\n    pass\n"));
    let map = place.map("connect token");
    assert!(map.text.contains("connect"), "{}", map.text);
    assert!(!map.text.contains(&secret), "{}", map.text);
    for path in place.files() {
        let bytes = std::fs::read(&path).unwrap();
        assert!(!bytes.windows(20).any(|part| part == &secret.as_bytes()[..20]), "{}", path.display());
    }
}

#[test]
fn symbols_are_found_by_their_names_and_in_their_files() {
    let place = Place::new();
    fill(&place);
    let index = place.store().repo(place.top()).unwrap().index();
    let names = |query: &SymbolQuery| -> Vec<String> {
        index.symbols(query).unwrap().into_iter().map(|symbol| symbol.name).collect()
    };
    assert_eq!(names(&SymbolQuery::new().query("append_line".to_owned())), ["append_line"]);
    assert_eq!(names(&SymbolQuery::new().query("proxyserver".to_owned()))[0], "ProxyServer");
    assert_eq!(names(&SymbolQuery::new().path("app".to_owned()).kind(Kind::Method)), ["restart"]);
    assert_eq!(names(&SymbolQuery::new().path("app/server.py".to_owned()))[0], "ProxyServer");
    assert_eq!(names(&SymbolQuery::new().limit(2)).len(), 2);
    assert_eq!(names(&SymbolQuery::new().query("nothing like it".to_owned())), [""; 0]);
    let refused = index.symbols(&SymbolQuery::new().limit(1_001)).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Validation);
    let found = &index.symbols(&SymbolQuery::new().query("acquire".to_owned())).unwrap()[0];
    assert_eq!((found.path.as_str(), found.line, found.kind), ("src/lock.rs", 4, Kind::Method));
}

#[test]
fn symbols_that_a_map_leaves_out_and_names_of_one_letter_are_found_by_name() {
    let place = Place::new();
    place.write("src/app.ts", "export class Socket { closeAll(): void {} }\nconst other = 1;\n");
    place.write("src/x.py", "def x(): pass\n");
    let store = place.store();
    let index = store.repo(place.top()).unwrap().index();
    let found = |name: &str| {
        let symbols = index.symbols(&SymbolQuery::new().query(name.to_owned())).unwrap();
        symbols.into_iter().map(|symbol| (symbol.name, symbol.path)).collect::<Vec<_>>()
    };
    assert_eq!(found("x"), [("x".to_owned(), "src/x.py".to_owned())]);
    assert_eq!(found("closeAll"), [("closeAll".to_owned(), "src/app.ts".to_owned())]);
    assert_eq!(found("missing"), []);
}

#[test]
fn a_prompt_or_a_focus_without_definitions_gets_the_overview() {
    let place = Place::new();
    fill(&place);
    place.write("Makefile", "all: everything\n");
    let overview = place.map("");
    assert!(!overview.files.is_empty());
    assert_eq!(place.map("everything"), overview);
    let store = place.store();
    let index = store.repo(place.top()).unwrap().index();
    assert_eq!(index.map(4_000, None, &["Makefile".to_owned()]).unwrap(), overview);
}

#[test]
fn the_map_of_a_pack_fills_the_space_that_it_has_and_nothing_of_it_is_left_out() {
    let place = Place::new();
    for number in 0..80 {
        let line = |at| format!("fn retry_upload_{number}_{at}(attempt: u32) -> Option<Duration> {{}}\n");
        place.write(&format!("src/part{number}.rs"), (0..8).map(line).collect::<String>());
        place.write(&format!("docs/part{number}.md"), format!("# Retry\n\n## Retry upload {number}\n"));
    }
    let store = place.store();
    let repo = store.repo(place.top()).unwrap();
    let build = |max_chars: usize, sections: Option<Sections>| {
        let context = repo.context(max_chars).prompt("retry the upload");
        match sections {
            Some(sections) => context.sections(sections).build().unwrap(),
            None => context.build().unwrap(),
        }
    };
    for max_chars in [1_000, 4_000, 8_000] {
        let pack = build(max_chars, None);
        assert_eq!(pack.left_out, None, "{max_chars}: {}", pack.text);
        let chars = pack.text.chars().count();
        assert!((max_chars * 9 / 10..=max_chars).contains(&chars), "{chars} of {max_chars}");
    }
    let sized = build(8_000, Some(Sections::Sized(vec![(SectionName::MAP, Size::Chars(2_000))])));
    assert_eq!(sized.left_out, None);
    assert!((1_600..=2_000).contains(&sized.text.chars().count()), "{}", sized.text.chars().count());
    repo.memory().upsert(Note::draft("n".repeat(3_000))).unwrap();
    let pack = build(8_000, None);
    assert_eq!(pack.left_out, None);
    assert!((7_000..=8_000).contains(&pack.text.chars().count()), "{}", pack.text.chars().count());
}

#[test]
fn the_home_is_not_indexed() {
    let place = Place::new();
    fill(&place);
    let store = place.store_in("work/.memory");
    let index = store.repo(place.top()).unwrap().index();
    let files = index.refresh().unwrap().files;
    assert_eq!((index.refresh().unwrap().files, files), (files, place.count()));
}

#[test]
fn a_cancelled_refresh_leaves_the_old_index() {
    let place = Place::new();
    fill(&place);
    let expected = place.map("lock");
    place.write("src/new.rs", "fn new_lock() {}\n");
    let cancel = Cancel::new();
    cancel.cancel();
    let store = place.store().with(CallOptions::new().cancel(&cancel));
    let refused = store.repo(place.top()).and_then(|repo| repo.index().refresh()).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Cancelled);
    std::fs::remove_file(place.top().join("src/new.rs")).unwrap();
    assert_eq!(place.map("lock"), expected);
}

#[test]
fn a_home_that_cannot_be_written_to_has_a_map_all_the_same() {
    let place = Place::new();
    fill(&place);
    // A file where the folder should be: not even the superuser can write there.
    std::fs::create_dir_all(place.path().join("home")).unwrap();
    std::fs::write(place.path().join("home/indexes"), "").unwrap();
    std::fs::write(place.path().join("home/repos"), "").unwrap();
    assert_eq!(place.map("acquire lock").files[0].path, "src/lock.rs");
}

#[test]
fn two_that_refresh_at_once_get_the_same_map() {
    let place = Place::new();
    for number in 0..300 {
        place.write(&format!("src/part{number}.rs"), format!("fn part{number}() {{ common(); }}\n"));
    }
    let maps: Vec<Map> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(|| place.map("common part7"))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(maps.windows(2).all(|two| two[0] == two[1]));
}

#[test]
fn a_repository_by_its_hash_has_no_files() {
    let place = Place::new();
    let store = place.store();
    let hash = store.repo(place.top()).unwrap().hash().clone();
    let refused = store.repo_at(&hash).index().refresh().unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
}
