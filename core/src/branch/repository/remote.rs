//! The branch of a memory in its repository, over the user's own git: every credential helper, proxy and key works as
//! it does on the command line. Secrets are passed in git's environment, which other users cannot see.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::address::Address;
use super::objects::{CommitId, MAX_HISTORY, Objects, TAGS};
use crate::disk::{Backoff, Guard, Mode};
use crate::error::{Error, ErrorKind, Result};
use crate::home::Home;
use crate::process::{Ended, Program, Stopped};
use crate::safety::GeneratedId;

/// The longest pause before the second attempt to push, and before any.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
/// The time limit of one request, unless the call sets its own.
const TIMEOUT: Duration = Duration::from_secs(600);
/// The longest wait for other processes of this machine that push to the same branch.
const TURN_TIMEOUT: Duration = Duration::from_secs(60);
/// The least time for a request, so that git can report an error.
const LEAST_TIME: Duration = Duration::from_millis(100);
/// The maximum output of git, in bytes: there is one line a ref.
const MAX_OUTPUT: u64 = 1 << 20;
/// The maximum memory of each process of git, in bytes. A server that never stops listing its refs would take all of it; a
/// list of a million refs takes less than half of this.
const MAX_MEMORY: u64 = 2 << 30;
/// The beginning of every fetch. The file that is not written could be a link.
const FETCH: &[&str] = &["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"];
/// How the git that receives a push into a folder is started: it syncs the refs too. A server has its own settings.
const RECEIVE: &str = "--receive-pack=git -c core.fsync=all receive-pack";
/// The name of the repository in git's configuration.
const NAME: &str = "loopmem";
/// The ref for what was fetched last.
const FETCHED: &str = "refs/loopmem/fetched";
/// The exit status of `git ls-remote` for no ref.
const NO_REF: i32 = 2;
/// The messages of git and servers if access is denied, in lower case.
const DENIED: &[&str] = &[
    "returned error: 401",
    "returned error: 403",
    "http 401",
    "http 403",
    "authentication failed",
    "could not read username",
    "could not read password",
    "permission denied",
    "access denied",
    "write access to repository not granted",
];
/// What git says of objects that it refuses, as those of a hostile branch: they stay as they are.
const MALFORMED: &str = "fatal: fsck error in pack";
/// The message of git for a branch that does not exist.
const NO_BRANCH: &str = "couldn't find remote ref";
/// The messages of git for a ref that others are changing, in lower case.
const BUSY: &[&str] =
    &["stale info", "fetch first", "non-fast-forward", "lock", "failed to update ref", "already exists"];
/// The message of git if a branch would have to be where a folder of branches is, or a folder where a branch is.
const IN_THE_WAY: &str = "; cannot create";
/// The variables of an environment that are for another repository, and those that log what is sent.
const REMOVED: [&str; 14] = [
    "GIT_QUARANTINE_PATH",
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_CEILING_DIRECTORIES",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_PREFIX",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_CURL_VERBOSE",
];

/// The pauses between attempts to push, of random length.
pub(crate) fn retry_pauses() -> Backoff {
    Backoff::doubling(FIRST_PAUSE, LONGEST_PAUSE)
}

/// A branch in a repository.
pub(crate) struct Remote<'h> {
    home: &'h Home,
    address: Address,
    branch: String,
    /// When the call began, by the monotonic clock.
    started: Duration,
}

/// The answer to a push.
#[derive(Debug)]
pub(crate) enum Pushed {
    /// The branch is at the commit.
    Done,
    /// It is not.
    Refused(Reason),
    /// It is not known whether it is.
    Failed(Reason),
}

/// The reason of a push that failed.
#[derive(Debug)]
pub(crate) struct Reason {
    /// The message of git, or of loopmem if git did not end.
    pub(crate) stderr: String,
    /// True if it fails again unless the branch is changed.
    pub(crate) is_final: bool,
}

impl<'h> Remote<'h> {
    /// The branch of this name at `address`.
    pub(crate) fn new(home: &'h Home, address: Address, branch: &str) -> Self {
        Remote { home, address, branch: branch.to_owned(), started: home.disk().elapsed() }
    }

    /// The branch and its repository, for messages.
    pub(crate) fn shown(&self) -> String {
        format!("{} of {}", self.branch, self.address.shown())
    }

    /// The identity of the branch, which does not depend on the protocol or the user.
    pub(crate) fn identity(&self) -> GeneratedId {
        GeneratedId::digest(&Sha256::digest(format!("{}\0{}", self.address.identity(), self.branch)).into())
    }

    /// Waits until no other process of this machine pushes to the branch. If that takes too long, or there can be no
    /// lock, the push is tried anyway: only one of two succeeds.
    pub(crate) fn wait_for_turn(&self, home: &Home) -> Result<Option<Guard>> {
        let path = home.layout().branch_turn(&self.identity());
        let locked = home
            .disk()
            .make_folder(path.parent().unwrap_or(&path))
            .and_then(|()| home.disk().lock(&path, Mode::Exclusive, home.wait_options(), TURN_TIMEOUT));
        match locked {
            Ok(guard) => Ok(Some(guard)),
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Pauses before another attempt to push.
    pub(crate) fn pause(&self, pauses: &mut Backoff) -> Result<()> {
        let deadline = self.home.disk().work_deadline(self.home.wait_options(), Duration::MAX);
        pauses.pause(&deadline).map(drop)
    }

    fn full_ref(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }

    /// Fetches the last commit of the branch without those before it; `None` if there is no such branch.
    ///
    /// # Errors
    /// `GitError`, marked as retryable, if the repository cannot be reached or read; `Cancelled`.
    pub(crate) fn fetch(&self, objects: &Objects) -> Result<Option<CommitId>> {
        self.fetch_once(objects, true)
    }

    fn fetch_once(&self, objects: &Objects, is_first: bool) -> Result<Option<CommitId>> {
        let refspec = format!("+{}:{FETCHED}", self.full_ref());
        let ended = self.run(objects, &[FETCH, &["--depth=1", "--", NAME, &refspec]].concat())?;
        if ended.status.success() {
            let tip = objects.reference(FETCHED)?;
            return match tip.as_ref().map(|tip| objects.other_kind(tip)).transpose()?.flatten() {
                None => Ok(tip),
                Some(kind) => {
                    let message =
                        format!("{} points to a {kind} instead of a commit; set it to a commit with git", self.shown());
                    Err(Error::new(ErrorKind::Git, message).about(&self.branch))
                }
            };
        }
        match self.tip(objects)? {
            None => Ok(None),
            // Another push has created it meanwhile.
            Some(_) if is_first && stderr_of(&ended).contains(NO_BRANCH) => self.fetch_once(objects, false),
            // The repository can be reached.
            Some(_) => Err(self.failed(objects, "fetch", &ended)),
        }
    }

    /// Fetches a commit by its id, or with the history of the branch. Returns whether the repository has it.
    pub(crate) fn fetch_commit(&self, objects: &Objects, commit: &CommitId) -> Result<bool> {
        if self.run(objects, &[FETCH, &["--depth=1", "--", NAME, commit.as_str()]].concat())?.status.success() {
            return Ok(true);
        }
        // Some servers give only the commits of branches. For one that cannot be reached, this is the error.
        if self.tip(objects)?.is_none() {
            return Ok(false);
        }
        self.fetch_history(objects)?;
        Ok(objects.tree(commit)?.is_some())
    }

    /// Returns whether a commit that may have been pushed is `tip` or one of its ancestors.
    pub(crate) fn is_on_branch(&self, objects: &Objects, commit: &CommitId, tip: &CommitId) -> Result<bool> {
        if commit == tip {
            return Ok(true);
        }
        self.fetch_history(objects)?;
        if objects.details(commit)?.is_none() {
            // It is not among the last commits, and not in this repository.
            return Ok(false);
        }
        let ended = self.run(objects, &["merge-base", "--is-ancestor", commit.as_str(), tip.as_str()])?;
        match ended.status.code() {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            _ => Err(self.failed(objects, "compare the commits of", &ended)),
        }
    }

    /// Fetches the last commits of the branch.
    pub(crate) fn fetch_history(&self, objects: &Objects) -> Result<()> {
        let (depth, refspec) = (format!("--depth={MAX_HISTORY}"), format!("+{}:{FETCHED}", self.full_ref()));
        let ended = self.run(objects, &[FETCH, &[&depth, "--", NAME, &refspec]].concat())?;
        if ended.status.success() { Ok(()) } else { Err(self.failed(objects, "fetch the commits of", &ended)) }
    }

    /// The last commit of the branch, which is not fetched; `None` if there is no such branch.
    pub(crate) fn tip(&self, objects: &Objects) -> Result<Option<CommitId>> {
        let full = self.full_ref();
        let ended = self.run(objects, &["ls-remote", "--quiet", "--exit-code", "--", NAME, &full])?;
        if ended.status.code() == Some(NO_REF) {
            return Ok(None);
        }
        let output = match &ended.output {
            Some(Ok(output)) if ended.status.success() => String::from_utf8_lossy(output),
            _ => return Err(self.failed(objects, "look up", &ended)),
        };
        // The pattern matches the ends of longer names too.
        let of_line = |line: &str| line.split_once('\t').filter(|(_, name)| *name == full).map(|(id, _)| id.to_owned());
        output.lines().find_map(of_line).map(|id| CommitId::parse(&id)).transpose()
    }

    /// Sets the branch to `commit` if it is at `expected`; `None` if it must not exist yet.
    ///
    /// # Errors
    /// `Cancelled`; `GitError` if git cannot be run or does not end.
    pub(crate) fn push(&self, objects: &Objects, commit: &CommitId, expected: Option<&CommitId>) -> Result<Pushed> {
        let full = self.full_ref();
        let lease = format!("--force-with-lease={full}:{}", expected.map_or("", CommitId::as_str));
        self.push_refs(objects, &[&lease, "--", NAME, &format!("{commit}:{full}")])
    }

    /// Fetches the tags of the branch's snapshots, and forgets those that are no longer there. Returns whether there
    /// are any.
    pub(crate) fn fetch_tags(&self, objects: &Objects) -> Result<bool> {
        let all = format!("{}*", self.tag_ref(""));
        let refspec = format!("+{all}:{TAGS}*");
        let ended = self.run(objects, &[FETCH, &["--prune", "--depth=1", "--", NAME, &refspec]].concat())?;
        if ended.status.success() {
            return Ok(true);
        }
        // git fails where there are none.
        let looked = self.run(objects, &["ls-remote", "--quiet", "--exit-code", "--", NAME, &all])?;
        match looked.status.code() {
            Some(NO_REF) => Ok(false),
            _ => Err(self.failed(objects, "fetch the snapshots of", &ended)),
        }
    }

    /// Creates the tag of a snapshot, which must not exist yet.
    pub(crate) fn create_tag(&self, objects: &Objects, name: &str, tag: &CommitId) -> Result<Pushed> {
        let full = self.tag_ref(name);
        self.push_refs(objects, &[&format!("--force-with-lease={full}:"), "--", NAME, &format!("{tag}:{full}")])
    }

    /// Removes the tags of snapshots.
    pub(crate) fn remove_tags(&self, objects: &Objects, names: &[String]) -> Result<Pushed> {
        let refspecs: Vec<String> = names.iter().map(|name| format!(":{}", self.tag_ref(name))).collect();
        let arguments: Vec<&str> = ["--", NAME].into_iter().chain(refspecs.iter().map(String::as_str)).collect();
        self.push_refs(objects, &arguments)
    }

    /// The tag of a snapshot: below the name of the branch, so that those of other branches are distinct.
    fn tag_ref(&self, name: &str) -> String {
        format!("refs/tags/{}/{name}", self.branch)
    }

    /// Joins the packs of the repository beside the memory, with everything in them: no ref leads to most of it.
    pub(crate) fn repack(&self, objects: &Objects) -> Result<()> {
        self.run(objects, &["repack", "-a", "-d", "-k", "-q", "-n", "--no-write-bitmap-index"]).map(drop)
    }

    fn push_refs(&self, objects: &Objects, arguments: &[&str]) -> Result<Pushed> {
        let receive: &[&str] = if self.address.is_local() { &[RECEIVE] } else { &[] };
        let arguments = [&["push", "--quiet", "--porcelain", "--no-verify"], receive, arguments].concat();
        let ended = match self.run(objects, &arguments) {
            Ok(ended) => ended,
            // It took too long.
            Err(error) if error.kind() == ErrorKind::Git && error.retryable() => {
                return Ok(Pushed::Failed(Reason { stderr: error.message().to_owned(), is_final: false }));
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => {
                let message =
                    format!("the call was cancelled while git pushed; the change may be in {}", self.address.shown());
                return Err(Error::new(ErrorKind::Cancelled, message).mark_retryable().maybe_stored());
            }
            Err(error) => return Err(error),
        };
        if ended.status.success() {
            return Ok(Pushed::Done);
        }
        // `!`, the ref, and the reason.
        let output = ended.output.as_ref().and_then(|output| output.as_ref().ok());
        let output = String::from_utf8_lossy(output.map_or(&[], Vec::as_slice));
        let refused = output.lines().find_map(|line| line.strip_prefix('!')?.trim().split_once('\t'));
        let scrubbed = |reason: &str| self.home.redactor().scrub(reason).into_owned();
        if is_of_sha256(&ended) {
            return Err(self.failed(objects, "push to", &ended));
        }
        let lines = stderr_of(&ended);
        Ok(match refused {
            Some((_, why)) => {
                let is_busy = BUSY.iter().any(|word| why.to_lowercase().contains(word)) && !lines.contains(IN_THE_WAY);
                let stderr = scrubbed(&format!("{why}; {}", self.explained(&ended)));
                Pushed::Refused(Reason { stderr, is_final: !is_busy })
            }
            None => {
                let stderr = scrubbed(&self.explained(&ended));
                Pushed::Failed(Reason { stderr, is_final: self.is_denied(&lines) })
            }
        })
    }

    fn run(&self, objects: &Objects, arguments: &[&str]) -> Result<Ended> {
        objects.write_out()?;
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let limit = match self.call_limit() {
            Some(limit) => limit.saturating_sub(self.spent()).max(LEAST_TIME),
            None => TIMEOUT,
        };
        let stopped = match run(self.home, &arguments, &self.environment(objects.path()), limit)? {
            Ok(ended) => return Ok(ended),
            Err(Stopped::TimedOut) => {
                let limit = self.call_limit().unwrap_or(TIMEOUT).as_millis();
                format!("git did not finish with {} within {limit} ms", self.shown())
            }
            Err(Stopped::TooLong) => format!("git wrote too much about {}", self.shown()),
        };
        Err(Error::new(ErrorKind::Git, stopped).mark_retryable())
    }

    /// The time limit of the whole call, as opposed to each request, if it sets one.
    fn call_limit(&self) -> Option<Duration> {
        self.home.wait_options().timeout.filter(|limit| !limit.is_zero())
    }

    /// Returns whether the time that the call set is up.
    pub(crate) fn is_out_of_time(&self) -> bool {
        self.call_limit().is_some_and(|limit| self.spent() >= limit)
    }

    /// The time since the call began.
    fn spent(&self) -> Duration {
        self.home.disk().elapsed().saturating_sub(self.started)
    }

    fn environment(&self, git_dir: &Path) -> Vec<(OsString, Option<OsString>)> {
        let known = self.home.git_environment();
        let set = |name: &str, value: OsString| (OsString::from(name), Some(value));
        let mut variables = environment(self.home, git_dir);
        // Without an answer, git would wait for ever.
        if known.get("GIT_TERMINAL_PROMPT").is_none() {
            variables.push(set("GIT_TERMINAL_PROMPT", "0".into()));
        }
        variables.extend(self.address.secrets.iter().map(|(name, value)| set(name, value.clone())));
        // Nor could ssh get an answer: git runs in the background.
        if self.address.asks_ssh_nothing && known.get("GIT_SSH_COMMAND").is_none() && known.get("GIT_SSH").is_none() {
            variables.push(set("GIT_SSH_COMMAND", "ssh -o BatchMode=yes".into()));
        }
        variables.extend(known.github_token().map(|token| set("GH_TOKEN", token.to_owned())));
        let url = (OsString::from(format!("remote.{NAME}.url")), self.address.given.clone());
        let before =
            known.get_nonempty("GIT_CONFIG_COUNT").and_then(OsStr::to_str).and_then(|count| count.parse().ok());
        let first: usize = before.unwrap_or(0);
        for (number, (key, value)) in (first..).zip(self.address.variables.iter().chain([&url])) {
            variables.push(set(&format!("GIT_CONFIG_KEY_{number}"), key.clone()));
            variables.push(set(&format!("GIT_CONFIG_VALUE_{number}"), value.clone()));
        }
        let count = first.saturating_add(self.address.variables.len()).saturating_add(1);
        variables.push(set("GIT_CONFIG_COUNT", count.to_string().into()));
        variables
    }

    /// The message of git, with advice if access was denied.
    fn explained(&self, ended: &Ended) -> String {
        let stderr = stderr_of(ended);
        if !self.is_denied(&stderr) || !self.address.is_http() {
            return stderr;
        }
        let environment = self.home.git_environment();
        match environment.github_token() {
            None => format!("{stderr}; set GH_TOKEN, or a credential helper of git"),
            Some(_) if !self.address.takes_token(self.home) => {
                format!("{stderr}; GH_TOKEN is for {} only, which GITHUB_SERVER_URL names", environment.github_server())
            }
            Some(_) => format!(
                "{stderr}; GH_TOKEN has to be valid, and allowed to read and write the contents of the repository"
            ),
        }
    }

    /// Returns whether git or a server denied access. The names of the repository and the branch do not count.
    fn is_denied(&self, stderr: &str) -> bool {
        let given = self.address.given.to_string_lossy().into_owned();
        let names = [self.address.url.to_string_lossy().into_owned(), given, self.address.shown(), self.branch.clone()];
        let stderr = names.iter().fold(stderr.to_owned(), |stderr, name| stderr.replace(name, "")).to_lowercase();
        // Servers do not tell a repository that is not there from one that may not be seen.
        let is_hidden = stderr.contains("repository") && stderr.contains("not found");
        is_hidden || DENIED.iter().any(|word| stderr.contains(word))
    }

    fn failed(&self, objects: &Objects, doing: &str, ended: &Ended) -> Error {
        let stderr = self.explained(ended);
        if is_of_sha256(ended) {
            let message =
                format!("{} is in a repository that uses SHA-256, which is not supported: {stderr}", self.shown());
            return Error::new(ErrorKind::Unsupported, message);
        }
        let place = objects.path().display().to_string();
        let advice = match stderr.contains(&place) {
            true => format!("; if {place} is damaged, remove it: the next call makes another"),
            false => String::new(),
        };
        let error = Error::new(ErrorKind::Git, format!("git could not {doing} {}: {stderr}{advice}", self.shown()));
        if self.is_denied(&stderr) || stderr.contains(MALFORMED) { error } else { error.mark_retryable() }
    }
}

/// The variables for git in a repository of loopmem.
fn environment(home: &Home, git_dir: &Path) -> Vec<(OsString, Option<OsString>)> {
    let is_removed = |name: &OsStr| {
        REMOVED.iter().any(|removed| name == *removed) || name.as_encoded_bytes().starts_with(b"GIT_TRACE")
    };
    let removed = home.git_environment().names().filter(|name| is_removed(name)).map(|name| (name.to_owned(), None));
    let git_dir = git_dir.as_os_str();
    // Messages do not depend on the language of the machine.
    let set = [("GIT_DIR", git_dir), ("GIT_COMMON_DIR", git_dir), ("LC_ALL", OsStr::new("C"))];
    removed.chain(set.map(|(name, value)| (name.into(), Some(value.to_owned())))).collect()
}

/// Returns whether git finds no damage in packs with these indexes.
///
/// # Errors
/// `GitError` if git cannot be run; `Cancelled`.
pub(crate) fn verify_packs(home: &Home, git_dir: &Path, indexes: Vec<OsString>) -> Result<bool> {
    let arguments: Vec<OsString> = ["verify-pack", "--"].map(OsString::from).into_iter().chain(indexes).collect();
    let ended = run(home, &arguments, &environment(home, git_dir), TIMEOUT)?;
    Ok(ended.is_ok_and(|ended| ended.status.success()))
}

/// Runs git until it ends, or has taken too long or written too much.
fn run(
    home: &Home,
    arguments: &[OsString],
    environment: &[(OsString, Option<OsString>)],
    timeout: Duration,
) -> Result<std::result::Result<Ended, Stopped>> {
    let program = Program {
        path: Path::new("git"),
        arguments,
        environment,
        folder: None,
        input: "",
        timeout,
        max_output: MAX_OUTPUT,
        max_memory: Some(MAX_MEMORY),
        ends_its_children: false,
    };
    let not_started = |cause: &std::io::Error| {
        Error::new(ErrorKind::Git, "git cannot be started; install it, or add its folder to PATH").because_of(cause)
    };
    let check = home.cancel_check();
    program.run(home, not_started, &mut || check())
}

/// Returns whether git, and not a hook of the repository, reports that the repository has ids of another kind.
fn is_of_sha256(ended: &Ended) -> bool {
    let mut own = ended.errors.lines().filter(|line| line.starts_with("fatal:") || line.starts_with("error:"));
    own.any(|line| ["object format", "hash algorithm", "mismatched algorithms"].iter().any(|what| line.contains(what)))
}

/// The message of git, on one line.
fn stderr_of(ended: &Ended) -> String {
    let lines: Vec<&str> = ended.errors.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    if lines.is_empty() { ended.status.to_string() } else { lines.join("; ") }
}
