//! What working contexts cost in Rust, beside the bare calls that nobody can do without, measured in the same run.
//!
//! `cargo bench -p loopmem --bench working` prints a table and fails nothing. Rounds of loopmem and of its floor take
//! turns, and medians are compared.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench measures with its own clock and files, stops at any surprise and prints what it saw"
)]

mod measure;

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use loopmem::testing::sqlite::rusqlite::{Connection, params};
use loopmem::working::{MemoryEntry, MemoryEntryDraft, Patch, Range};
use loopmem::{Options, Store};

use measure::{Times, ms, ratio, row, us, verdict};

const SCOPE: &str = "job-1";
const ROUNDS: usize = 400;
const BATCHES: usize = 200;
/// How many names a context has.
const NAMES: usize = 20;
const MANY_ENTRIES: usize = 100_000;
const LAST: usize = 100;

fn main() {
    // Below the build's folder: what `tempfile` takes by default is memory on many machines, which syncs for nothing.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let open = |name: &str, adapter: &str| Store::open(Options::at(folder.path().join(name)).adapter(adapter)).unwrap();
    row("what (Rust, medians)", "measured", "target", "");
    let file = open("file", "file");
    fill(&file);
    get_context(&file);
    update(&file, "file", "bare system calls", &mut BareFiles::new(folder.path()));
    let sqlite = open("sqlite", "sqlite");
    fill(&sqlite);
    update(&sqlite, "SQLite", "bare statements", &mut BareSqlite::new(folder.path()));
    match Server::start(folder.path()) {
        Some(server) => {
            let redis = open("redis", &server.url());
            fill(&redis);
            update(&redis, "Redis", "bare client", &mut BareRedis::new(&server));
        }
        None => row("updateContext, Redis", "there is no redis-server here", "1.3×", ""),
    }
    let memory = open("memory", "memory");
    fill(&memory);
    update_in_memory(&memory);
    logs(&file);
}

/// A warm `getContext` over files.
fn get_context(store: &Store) {
    // Files younger than 20 ms are read again: this is the warm path only afterwards.
    thread::sleep(Duration::from_millis(50));
    let mut times = Times::default();
    for _ in 0..BATCHES {
        times.batch(|| store.working().get_context(SCOPE).unwrap());
    }
    let median = times.median();
    row("getContext, warm, file", &us(median), "20 µs", verdict(median < Duration::from_micros(20)));
}

/// What a change of a context comes to without loopmem: the same bytes in the same places, durably.
trait Bare {
    fn update(&mut self, context: &str, entry: &str);
}

fn update(store: &Store, name: &str, floor_name: &str, bare: &mut dyn Bare) {
    let (mut cpu, mut floor_cpu) = (Times::default(), Times::default());
    let (mut wall, mut floor_wall) = (Times::default(), Times::default());
    for round in 0..ROUNDS {
        let context = store.working().get_context(SCOPE).unwrap();
        let entry = store.working().history(SCOPE, Some(1)).unwrap();
        let (context, entry) = (context.json().get().to_owned(), entry[0].json().get().to_owned());
        let patch = patch(round);
        let one = || drop(store.working().update_context(SCOPE, patch.clone()).unwrap());
        let mut ours = || wall.wall(|| cpu.cpu(one));
        let mut other = || floor_wall.wall(|| floor_cpu.cpu(|| bare.update(&context, &entry)));
        // Whoever comes second may find the journal warmer.
        if round % 2 == 0 {
            ours();
            other();
        } else {
            other();
            ours();
        }
    }
    for (what, ours, floor) in [("wall time", wall, floor_wall), ("CPU", cpu, floor_cpu)] {
        let (ours, floor) = (ours.median(), floor.median());
        row(
            &format!("updateContext, {name}, {what}"),
            &format!("{} ({} {floor_name} of {})", ms(ours), ratio(ours, floor), ms(floor)),
            "1.3×",
            verdict(ours.as_secs_f64() <= 1.3 * floor.as_secs_f64()),
        );
    }
}

/// What is loopmem's own of it: redaction, merging, the trail's entry.
fn update_in_memory(store: &Store) {
    let mut cpu = Times::default();
    for round in 0..ROUNDS {
        let patch = patch(round);
        cpu.cpu(|| store.working().update_context(SCOPE, patch).unwrap());
    }
    row("updateContext, memory, CPU", &ms(cpu.median()), "", "");
}

struct BareFiles {
    folder: PathBuf,
}

impl BareFiles {
    fn new(folder: &Path) -> Self {
        let folder = folder.join("bare");
        fs::create_dir(&folder).unwrap();
        BareFiles { folder }
    }
}

impl Bare for BareFiles {
    fn update(&mut self, context: &str, entry: &str) {
        let append = OpenOptions::new().append(true).create(true).mode(0o600).open(self.folder.join("trail.jsonl"));
        let mut trail = append.unwrap();
        trail.write_all(format!("{entry}\n").as_bytes()).unwrap();
        trail.sync_data().unwrap();
        let temp = self.folder.join("context.json.new");
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temp).unwrap();
        file.write_all(context.as_bytes()).unwrap();
        file.sync_all().unwrap();
        fs::rename(&temp, self.folder.join("context.json")).unwrap();
        File::open(&self.folder).unwrap().sync_all().unwrap();
    }
}

struct BareSqlite {
    connection: Connection,
}

impl BareSqlite {
    fn new(folder: &Path) -> Self {
        let connection = Connection::open(folder.join("bare.sqlite3")).unwrap();
        connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
                 CREATE TABLE value (key TEXT PRIMARY KEY, json TEXT NOT NULL);
                 CREATE TABLE list (id INTEGER PRIMARY KEY, key TEXT NOT NULL, json TEXT NOT NULL);
                 CREATE INDEX list_key ON list (key, id);",
            )
            .unwrap();
        let bare = BareSqlite { connection };
        bare.set("{}");
        bare
    }

    fn set(&self, context: &str) {
        let mut set = self.connection.prepare_cached(
            "INSERT INTO value (key, json) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET json = excluded.json",
        );
        set.as_mut().unwrap().execute(params!["context:job-1", context]).unwrap();
    }
}

impl Bare for BareSqlite {
    fn update(&mut self, context: &str, entry: &str) {
        let run = |statement: &str| self.connection.prepare_cached(statement).unwrap().execute([]).unwrap();
        run("BEGIN IMMEDIATE");
        let read = self.connection.prepare_cached("SELECT json FROM value WHERE key = ?1");
        let _: String = read.unwrap().query_row(["context:job-1"], |row| row.get(0)).unwrap();
        self.set(context);
        let push = self.connection.prepare_cached("INSERT INTO list (key, json) VALUES (?1, ?2)");
        push.unwrap().execute(params!["trail:job-1", entry]).unwrap();
        run("COMMIT");
    }
}

/// A Redis server of this bench's own, until it is dropped.
struct Server {
    process: Child,
    port: String,
}

impl Server {
    /// `None` where there is no redis-server.
    fn start(folder: &Path) -> Option<Self> {
        let folder = folder.join("server");
        fs::create_dir(&folder).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/redis/start");
        let mut process = Command::new(script)
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut told = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut told).unwrap();
        let server = Server { process, port: told.split_whitespace().next().unwrap_or_default().to_owned() };
        (!server.port.is_empty()).then_some(server)
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends when its input does.
        drop(self.process.stdin.take());
        self.process.wait().unwrap();
    }
}

struct BareRedis {
    connection: redis::Connection,
}

impl BareRedis {
    fn new(server: &Server) -> Self {
        BareRedis { connection: redis::Client::open(server.url()).unwrap().get_connection().unwrap() }
    }
}

impl Bare for BareRedis {
    fn update(&mut self, context: &str, entry: &str) {
        let (key, trail) = ("bare:context:job-1", "bare:trail:job-1");
        let mut read = redis::pipe();
        read.cmd("WATCH").arg(key).ignore().get(key);
        let _: (Option<String>,) = read.query(&mut self.connection).unwrap();
        let mut write = redis::pipe();
        write.atomic().set(key, context).ignore().rpush(trail, entry).ignore();
        let (): () = write.query(&mut self.connection).unwrap();
    }
}

/// Adding to a log that grows, and reading its end.
fn logs(store: &Store) {
    let add = |number: usize| drop(store.working().add_log(SCOPE, entry(number)).unwrap());
    let cost = |from: usize| {
        let (mut wall, mut cpu) = (Times::default(), Times::default());
        (from..from + ROUNDS).for_each(|number| wall.wall(|| cpu.cpu(|| add(number))));
        (wall.median(), cpu.median())
    };
    (0..10).for_each(add);
    let (wall, cpu) = cost(10);
    row("addLog, 10 entries", &format!("{} ({} CPU)", ms(wall), ms(cpu)), "", "");
    let path = loopmem::testing::home(store).layout().scope(SCOPE).join("logs.jsonl");
    let one = fs::read_to_string(&path).unwrap();
    // The others are copies: a hundred thousand syncs would measure the disk alone.
    let mut many = OpenOptions::new().append(true).open(&path).unwrap();
    for _ in 0..MANY_ENTRIES / one.lines().count() {
        many.write_all(one.as_bytes()).unwrap();
    }
    add(0);
    let (wall_many, cpu_many) = cost(0);
    row(
        &format!("addLog, {MANY_ENTRIES} entries"),
        &format!("{} ({} that of 10; {} CPU)", ms(wall_many), ratio(wall_many, wall), ms(cpu_many)),
        "flat",
        verdict(wall_many.as_secs_f64() <= 1.2 * wall.as_secs_f64()),
    );
    let mut times = Times::default();
    let range = Range::all().limit(LAST);
    for _ in 0..BATCHES {
        times.wall(|| assert_eq!(store.working().get_logs(SCOPE, range).unwrap().len(), LAST));
    }
    let median = times.median();
    row(
        &format!("getLogs, last {LAST} of {MANY_ENTRIES}"),
        &ms(median),
        "1 ms",
        verdict(median < Duration::from_millis(1)),
    );
}

/// A context of `NAMES` names.
fn fill(store: &Store) {
    (0..NAMES).for_each(|round| drop(store.working().update_context(SCOPE, patch(round)).unwrap()));
}

fn patch(round: usize) -> Patch {
    let said = format!("Said in round {round:05}: the build of the parser is green and its tests pass.");
    Patch::default().set(&format!("step{}", round % NAMES), &said).unwrap().source("agent-x")
}

fn entry(number: usize) -> MemoryEntryDraft {
    let said = format!("Line {number:08}: the build of the parser is green and its tests pass, all of them.");
    MemoryEntry::draft(said).id(format!("entry-{number:08}"))
}
