//! Status: where memory is kept, what is stored for a repository, what needs attention, and which agents are connected.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::adopt;
pub use crate::adopt::Relative;
use crate::doctor::Doctor;
use crate::error::{Error, Result};
pub use crate::finding::Finding;
use crate::home::Home;
pub use crate::home::{BranchScope, HomeSource};
use crate::repo::{Repo, names};
pub use crate::room::Limit;
use crate::room::{KeepsJobs, Source, Usage, or_fault};
use crate::rooms;

/// The maximum length of the name of an event or a client, in bytes.
const MAX_NAME: usize = 40;

/// Where memory is kept, and what is stored for a repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Status")]
#[non_exhaustive]
pub struct Report {
    /// The home folder.
    pub home: String,
    /// What names it: the option `home`, the variable `CODEX_TOOLLOOP_HOME`, or nothing, so that it is the default.
    pub home_source: HomeSource,
    /// The hash under which the repository's memory is stored.
    pub repo_hash: String,
    /// Its folder, if it is known.
    pub path: Option<String>,
    /// The URL of its remote, without credentials, if it is known and has one.
    pub remote_url: Option<String>,
    /// The branch whose memory it is; null if it has none, if all branches share the memory, or if it is not known.
    pub branch: Option<String>,
    /// Whether each branch has a separate memory or all branches share one; null for a repository that is named by its hash.
    pub branch_scope: Option<BranchScope>,
    /// What each room stores for the repository and the folder. Rooms without records are left out.
    pub rooms: Vec<RoomStatus>,
    /// The size of what is stored under the hash in the home, in bytes.
    pub bytes: u64,
    /// The limits of which at least four fifths are used: what comes next pushes out what is old.
    pub limits: Vec<Limit>,
    /// Other identities of the repository with memory that is not here, such as other branches and clones.
    pub relatives: Vec<Relative>,
    /// Where working contexts are stored.
    pub adapter: AdapterStatus,
    /// What the doctor says of the repository's files.
    pub findings: Vec<Finding>,
    /// The clients that `loopmem install` has connected.
    pub clients: Vec<ClientStatus>,
    /// A line about memory that is stored under another hash and is not read here; null without such memory.
    pub notice: Option<String>,
    /// What the hooks of agents did last, by their events. They are those of every repository.
    pub hooks: Vec<HookStatus>,
    /// What could not be read, and why.
    pub faults: Vec<String>,
}

/// What a room stores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RoomStatus {
    /// Its name.
    pub room: String,
    /// The number of its records by kind.
    pub records: BTreeMap<String, usize>,
    /// The size of its files, in bytes; 0 if they are not files of the home or of the repository.
    pub bytes: u64,
}

/// Where working contexts are stored, and whether that can be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AdapterStatus {
    /// `file`, `memory`, `sqlite`, `redis`, or `host` for one of the host's own.
    pub name: String,
    /// Whether it answers.
    pub answers: bool,
    /// Why it does not.
    pub error: Option<String>,
}

/// A client that was connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ClientStatus {
    /// Its name: `claude-code`.
    pub name: String,
    /// When it was connected, RFC 3339 in UTC.
    pub connected_at: String,
    /// Its files of configuration that name loopmem.
    pub files: Vec<String>,
}

/// The file of a connected client.
#[derive(Serialize, Deserialize)]
struct Connected {
    v: u64,
    at: String,
    files: Vec<String>,
}

/// What the hook of an event did last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HookStatus {
    /// The event: `SessionStart`.
    pub event: String,
    /// When it ran last, RFC 3339 in UTC, whether it succeeded or not.
    pub last_run: Option<String>,
    /// When it failed last, RFC 3339 in UTC; null if it never did.
    pub last_failure: Option<String>,
    /// Why it failed then; of a hook in another folder, only the code of the error.
    pub last_error: Option<String>,
}

/// The file of a hook's last run.
#[derive(Serialize, Deserialize)]
struct Run {
    v: u64,
    at: String,
}

/// The file of a hook's last failure.
#[derive(Serialize, Deserialize)]
struct Failure {
    v: u64,
    at: String,
    /// The folder that it ran for.
    folder: String,
    code: String,
    error: String,
}

const VERSION: u64 = 1;

/// The status of a home.
#[derive(Debug, Clone)]
pub struct Status {
    home: Home,
    jobs: Arc<dyn KeepsJobs>,
}

impl Status {
    pub(crate) const GET: &str = "status.get";
    const RECORD_HOOK: &str = "status.recordHook";
    const RECORD_CLIENT: &str = "status.recordClient";

    pub(crate) fn new(home: &Home, jobs: Arc<dyn KeepsJobs>) -> Self {
        Status { home: home.clone(), jobs }
    }

    /// Returns where memory is kept, what is stored for a repository, and what hooks did last.
    ///
    /// # Errors
    /// `IOError` if the home cannot be read; `Cancelled`. A room that cannot be read is a fault.
    pub fn get(&self, repo: &Repo) -> Result<Report> {
        self.home.call(Self::GET, |home| {
            let mut faults = Vec::new();
            let repos = [Repo::at(home, repo.hash())];
            let folders: Vec<_> = repo.location().map(|location| location.top.clone()).into_iter().collect();
            let (jobs, scopes) = (&*self.jobs, [repo.hash().to_string()]);
            let source = Source {
                home,
                repos: &repos,
                folders: &folders,
                is_whole: false,
                jobs,
                scopes: Some(&scopes),
                with_trash: false,
            };
            let mut stored = Vec::new();
            for room in rooms::archived() {
                let Some(export) = or_fault(room.export(&source), &mut faults)? else { continue };
                faults.extend(export.faults);
                let mut records = BTreeMap::new();
                for portable in export.records.iter().filter(|it| room.findable(home, it).is_some()) {
                    *records.entry(portable.kind.to_string()).or_insert(0) += 1;
                }
                if !records.is_empty() {
                    let bytes = or_fault(room.bytes(repo), &mut faults)?.unwrap_or_default();
                    stored.push(RoomStatus { room: room.name().to_owned(), records, bytes });
                }
            }
            let (path, remote_url, branch) = match repo.identity() {
                Some(it) => (Some(it.path.clone()), it.remote_url.clone(), it.branch.clone()),
                None => {
                    let known = names(home, repo.hash());
                    (known.path, known.remote_url, known.branch)
                }
            };
            let notice = or_fault(adopt::notice(repo, !stored.is_empty()), &mut faults)?.map(|(line, _)| line);
            let trash = Usage::of_file(home, repo.trash().path());
            let usage = rooms::usage(repo).and_then(|usage| Ok(usage.and(trash?)));
            let usage = or_fault(usage, &mut faults)?.unwrap_or_default();
            let limits = or_fault(rooms::limits(repo), &mut faults)?.unwrap_or_default();
            let relatives = match repo.location() {
                Some(_) => or_fault(repo.relatives(), &mut faults)?.unwrap_or_default(),
                None => Vec::new(),
            };
            let answer = self.jobs.ask(home);
            let adapter = AdapterStatus {
                name: self.jobs.storage().to_owned(),
                answers: answer.is_ok(),
                error: answer.err().map(|error| home.redactor().scrub(&error.to_string()).into_owned()),
            };
            let findings = or_fault(Doctor::check_repo(home, repo.hash()), &mut faults)?;
            let findings = findings.map(|report| report.findings).unwrap_or_default();
            let clients = or_fault(clients(home), &mut faults)?.unwrap_or_default();
            let folder = repo.location().map(|location| location.top.as_path());
            let hooks = or_fault(self.hooks(home, folder), &mut faults)?.unwrap_or_default();
            Ok(Report {
                home: home.layout().root().to_string_lossy().into_owned(),
                home_source: home.layout().source(),
                repo_hash: repo.hash().to_string(),
                path,
                remote_url,
                branch,
                branch_scope: repo.identity().map(|identity| identity.branch_scope),
                rooms: stored,
                bytes: usage.bytes,
                limits,
                relatives,
                adapter,
                findings,
                clients,
                notice: notice.filter(|notice| !notice.is_empty()),
                hooks,
                faults,
            })
        })
    }

    /// Records that the hook of an event has run for a folder, and how that ended. Of two hooks at the same time, the later one is kept.
    ///
    /// # Errors
    /// `ValidationError` for an event that is not up to 40 letters, digits and hyphens; `IOError`.
    pub fn record_hook(&self, event: &str, folder: &Path, error: Option<&Error>) -> Result<()> {
        self.home.call(Self::RECORD_HOOK, |home| {
            check_name("event", event)?;
            let (layout, disk, at) = (home.layout(), home.disk(), home.timestamp().to_string());
            if let Some(error) = error {
                let (v, at, code) = (VERSION, at.clone(), error.kind().code().to_owned());
                let scrub = |text: &str| home.redactor().scrub(text).into_owned();
                let failure =
                    Failure { v, at, folder: scrub(&folder.to_string_lossy()), code, error: scrub(&error.to_string()) };
                disk.write_derived(&layout.hook_failure(event), &bytes(&failure)?)?;
            }
            disk.write_derived(&layout.hook_run(event), &bytes(&Run { v: VERSION, at })?)
        })
    }

    /// Records that loopmem was written to these files of a client, or that it was removed from them.
    ///
    /// # Errors
    /// `ValidationError` for a name that is not up to 40 letters, digits and hyphens; `IOError`.
    pub fn record_client(&self, name: &str, files: &[PathBuf], is_connected: bool) -> Result<()> {
        self.home.call(Self::RECORD_CLIENT, |home| {
            check_name("client", name)?;
            let (disk, path) = (home.disk(), home.layout().client(name));
            let known = read::<Connected>(home, &path);
            if known.is_none() && !is_connected {
                return Ok(());
            }
            let named: Vec<String> =
                files.iter().map(|file| home.redactor().scrub(&file.to_string_lossy()).into_owned()).collect();
            let mut files = known.map(|known| known.files).unwrap_or_default();
            files.retain(|file| !named.contains(file));
            if is_connected {
                files.extend(named);
            }
            disk.write_derived(&path, &bytes(&Connected { v: VERSION, at: home.timestamp().to_string(), files })?)
        })
    }

    /// What hooks did last. What happened in a folder that is not below this one is not shown here.
    fn hooks(&self, home: &Home, here: Option<&Path>) -> Result<Vec<HookStatus>> {
        let mut hooks: BTreeMap<String, HookStatus> = BTreeMap::new();
        for (name, _) in home.disk().entries(&home.layout().hooks())? {
            let Some(event) = name.to_str().and_then(|name| name.strip_suffix(".json")) else { continue };
            let (event, is_failure) = match event.strip_suffix(".failed") {
                Some(event) => (event, true),
                None => (event, false),
            };
            let hook = hooks
                .entry(event.to_owned())
                .or_insert_with(|| HookStatus { event: event.to_owned(), ..HookStatus::default() });
            if !is_failure {
                hook.last_run = read::<Run>(home, &home.layout().hook_run(event)).map(|it| it.at);
            } else if let Some(failure) = read::<Failure>(home, &home.layout().hook_failure(event)) {
                let is_here = here.is_some_and(|here| Path::new(&failure.folder).starts_with(here));
                let error = if is_here { failure.error } else { failure.code };
                hook.last_failure = Some(failure.at);
                hook.last_error = Some(home.redactor().scrub(&error).into_owned());
            }
        }
        Ok(hooks.into_values().collect())
    }
}

fn check_name(what: &str, name: &str) -> Result<()> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if name.is_empty() || name.len() > MAX_NAME || !is_plain {
        return Err(Error::validation(format!("{what} is not up to {MAX_NAME} letters, digits and hyphens")));
    }
    Ok(())
}

/// The clients that are connected.
fn clients(home: &Home) -> Result<Vec<ClientStatus>> {
    let mut clients = Vec::new();
    for (file, _) in home.disk().entries(&home.layout().clients())? {
        let Some(name) = file.to_str().and_then(|name| name.strip_suffix(".json")) else { continue };
        let Some(known) = read::<Connected>(home, &home.layout().client(name)) else { continue };
        if !known.files.is_empty() {
            let scrub = |text: &String| home.redactor().scrub(text).into_owned();
            let files = known.files.iter().map(scrub).collect();
            clients.push(ClientStatus { name: name.to_owned(), connected_at: scrub(&known.at), files });
        }
    }
    clients.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(clients)
}

/// A file that is replaced at the next run: one that cannot be read is as good as none.
fn read<T: DeserializeOwned>(home: &Home, path: &Path) -> Option<T> {
    let file = home.disk().open_derived(path)?;
    serde_json::from_slice(&file.read(0..file.len())?).ok()
}

fn bytes(record: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(record).map_err(|cause| Error::validation(cause.to_string()))
}
