//! What happens to a secret in each text that a caller can pass.

/// What happens to a text with a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is stored or returned, without the secret.
    Redacted,
    /// The call is refused with `SecretRefused`.
    Refused,
    /// A path: as [`Refused`](Fate::Refused), but for what only the user's own pattern matches.
    Path,
    /// Nothing of it is stored, and only the answer contains it.
    Asked,
    /// It is no such text: `ValidationError`.
    Invalid,
    /// The call is of a claim that the caller does not have: `LeaseLost`.
    Lost,
}
use Fate::{Asked, Invalid, Lost, Path, Redacted, Refused};

/// Every method, and what happens to each of its texts. Missing and superfluous entries fail the test.
pub(crate) const METHODS: &[(&str, &[(&str, Fate)])] = &[
    ("repo.identify", &[("workspace", Path), ("branch", Refused)]),
    ("repo.sanitizeRemoteUrl", &[("url", Asked)]),
    ("repo.list", &[]),
    ("repo.adopt", &[("workspace", Path), ("from", Refused)]),
    ("repo.move", &[("oldPath", Path), ("newPath", Path)]),
    ("repo.migrate", &[("fromRepoHash", Invalid), ("toRepoHash", Invalid)]),
    ("repo.forget", OF_REPO),
    ("memory.get", OF_REPO),
    (
        "memory.upsertConvention",
        &[
            ("repoHash", Invalid),
            ("workspace", Path),
            ("convention.id", Refused),
            ("convention.title", Redacted),
            ("convention.content", Redacted),
            ("convention.tags[]", Redacted),
        ],
    ),
    (
        "memory.upsertDecision",
        &[
            ("repoHash", Invalid),
            ("workspace", Path),
            ("decision.id", Refused),
            ("decision.summary", Redacted),
            ("decision.rationale", Redacted),
            ("decision.impactedPaths[]", Redacted),
        ],
    ),
    (
        "memory.upsertNote",
        &[("repoHash", Invalid), ("workspace", Path), ("note.id", Refused), ("note.content", Redacted)],
    ),
    (
        "memory.list",
        &[
            ("repoHash", Invalid),
            ("workspace", Path),
            ("tag", Asked),
            ("path", Asked),
            ("text", Asked),
            ("query", Asked),
        ],
    ),
    ("memory.remove", &[("repoHash", Invalid), ("workspace", Path), ("id", Refused)]),
    (
        "summary.append",
        &[
            ("repoHash", Invalid),
            ("workspace", Path),
            ("runId", Refused),
            ("stepId", Refused),
            ("summary", Redacted),
            ("tags[]", Redacted),
        ],
    ),
    (
        "summary.endStep",
        &[
            ("repoHash", Invalid),
            ("workspace", Path),
            ("runId", Refused),
            ("stepId", Refused),
            ("events[].text", Redacted),
            ("tags[]", Redacted),
        ],
    ),
    (
        "summary.list",
        &[("repoHash", Invalid), ("workspace", Path), ("runId", Refused), ("tag", Asked), ("query", Asked)],
    ),
    (
        "summary.remove",
        &[("repoHash", Invalid), ("workspace", Path), ("runId", Refused), ("stepId", Refused), ("before", Invalid)],
    ),
    (
        "context.build",
        &[("repoHash", Invalid), ("workspace", Path), ("prompt", Asked), ("focusFiles[]", Path), ("scopeId", Refused)],
    ),
    (
        "search.find",
        &[
            ("repoHash", Invalid),
            ("workspace", Path),
            ("query", Asked),
            ("rooms[]", Invalid),
            ("kinds[]", Asked),
            ("since", Invalid),
        ],
    ),
    ("status.get", OF_REPO),
    ("working.getContext", OF_SCOPE),
    (
        "working.updateContext",
        &[("scopeId", Refused), ("patch", Redacted), ("remove[]", Redacted), ("source", Redacted)],
    ),
    (
        "working.addLog",
        &[
            ("scopeId", Refused),
            ("entry.id", Refused),
            ("entry.content", Redacted),
            ("entry.metadata.source", Redacted),
        ],
    ),
    ("working.getLogs", &[("scopeId", Refused), ("after", Refused)]),
    ("working.searchLogs", &[("scopeId", Refused), ("text", Asked)]),
    ("working.saveCheckpoint", OF_JOB),
    ("working.restoreCheckpoint", OF_JOB),
    ("working.listCheckpoints", OF_JOB),
    ("working.deleteCheckpoint", OF_JOB),
    ("working.history", OF_SCOPE),
    ("working.listScopes", &[]),
    ("working.deleteScope", OF_SCOPE),
    (
        "items.add",
        &[
            ("content", Redacted),
            ("tags[]", Redacted),
            ("relevance_hints.files[]", Redacted),
            ("relevance_hints.crates[]", Redacted),
            ("relevance_hints.langs[]", Redacted),
            ("expiry", Invalid),
            ("session", Refused),
            ("workspace", Path),
            ("dir", Path),
        ],
    ),
    ("items.get", OF_ITEM),
    ("items.sweep", &[("workspace", Path), ("dir", Path)]),
    ("items.list", &[("tag", Asked), ("text", Asked), ("workspace", Path), ("dir", Path)]),
    (
        "items.update",
        &[
            ("id", Refused),
            ("patch.content", Redacted),
            ("patch.tags[]", Redacted),
            ("patch.relevance_hints.files[]", Redacted),
            ("patch.relevance_hints.crates[]", Redacted),
            ("patch.relevance_hints.langs[]", Redacted),
            ("patch.expiry", Invalid),
            ("patch.session", Refused),
            ("workspace", Path),
            ("dir", Path),
        ],
    ),
    ("items.archive", OF_ITEM),
    ("items.restore", OF_ITEM),
    ("items.remove", &[("id", Refused), ("tag", Asked), ("text", Asked), ("workspace", Path), ("dir", Path)]),
    (
        "items.recall",
        &[
            ("prompt", Asked),
            ("files[]", Asked),
            ("crates[]", Asked),
            ("langs[]", Asked),
            ("workspace", Path),
            ("dir", Path),
        ],
    ),
    ("items.used", &[("ids[]", Asked), ("workspace", Path), ("dir", Path)]),
    ("items.trust", &[("workspace", Path), ("dir", Path)]),
    ("items.export", &[("path", Path), ("workspace", Path), ("dir", Path)]),
    ("items.import", &[("path", Path), ("items[]", Asked), ("workspace", Path), ("dir", Path)]),
    ("items.migrate", &[("workspace", Path), ("dir", Path)]),
    ("items.migrateLegacy", &[("workspace", Path), ("dir", Path)]),
    ("items.stats", &[("workspace", Path), ("dir", Path)]),
    ("files.view", OF_FILES),
    ("files.create", &[("path", Invalid), ("fileText", Redacted), ("repoHash", Invalid), ("workspace", Path)]),
    (
        "files.replace",
        &[("path", Invalid), ("oldStr", Asked), ("newStr", Redacted), ("repoHash", Invalid), ("workspace", Path)],
    ),
    ("files.insert", &[("path", Invalid), ("insertText", Redacted), ("repoHash", Invalid), ("workspace", Path)]),
    ("files.remove", OF_FILES),
    ("files.rename", &[("oldPath", Invalid), ("newPath", Invalid), ("repoHash", Invalid), ("workspace", Path)]),
    ("files.list", OF_FILES),
    (
        "rollouts.upsertThread",
        &[
            ("id", Refused),
            ("rolloutPath", Refused),
            ("updatedAt", Invalid),
            ("cwd", Redacted),
            ("source", Redacted),
            ("gitBranch", Redacted),
        ],
    ),
    ("rollouts.scan", &[("roots[]", Path)]),
    ("rollouts.input", OF_THREAD),
    ("rollouts.claimStage1", &[("workerId", Refused), ("currentThreadId", Refused)]),
    ("rollouts.heartbeat", &[("threadId", Refused), ("ownershipToken", Lost)]),
    (
        "rollouts.completeStage1",
        &[
            ("threadId", Refused),
            ("ownershipToken", Lost),
            ("output.rollout_slug", Lost),
            ("output.rollout_summary", Lost),
            ("output.raw_memory", Lost),
        ],
    ),
    ("rollouts.failStage1", &[("threadId", Refused), ("ownershipToken", Lost), ("reason", Lost)]),
    ("rollouts.materialize", &[]),
    ("rollouts.claimConsolidation", &[("workerId", Refused)]),
    ("rollouts.completeConsolidation", &[("ownershipToken", Lost), ("written[]", Lost)]),
    ("rollouts.failConsolidation", &[("ownershipToken", Lost), ("reason", Lost)]),
    // Nothing is due, so no command is started.
    ("rollouts.run", &[("stage1Command[]", Asked), ("consolidateCommand[]", Asked), ("with", Invalid)]),
    ("rollouts.status", &[]),
    ("rollouts.list", &[]),
    ("rollouts.read", &[("repoHash", Invalid), ("workspace", Path), ("path", Asked)]),
    ("rollouts.explain", OF_THREAD),
    ("rollouts.retry", &[("threadIds[]", Refused)]),
    ("rollouts.recordUsage", &[("threadIds[]", Refused)]),
    ("rollouts.setMode", OF_THREAD),
    ("rollouts.forget", OF_THREAD),
    ("rollouts.reset", &[]),
    ("rollouts.migrateLegacyRoot", &[]),
    ("branch.parseConfig", &[("config", Invalid)]),
    (
        "branch.checkout",
        &[("entry", Invalid), ("directory", Path), ("repoDir", Path), ("remote", Invalid), ("at", Invalid)],
    ),
    ("branch.validate", &[("entry", Invalid), ("directory", Path), ("repoDir", Path), ("remote", Invalid)]),
    (
        "branch.push",
        &[
            ("entry", Invalid),
            ("directory", Path),
            ("repoDir", Path),
            ("remote", Invalid),
            ("base", Invalid),
            ("runId", Redacted),
            ("message", Redacted),
        ],
    ),
    ("branch.pack", &[("entry", Invalid), ("directory", Path), ("artifactPath", Path), ("since", Path)]),
    ("branch.unpack", &[("artifactPath", Path), ("directory", Path)]),
    ("branch.snapshot", &[("entry", Invalid), ("tag", Refused), ("repoDir", Path), ("remote", Invalid)]),
    ("branch.snapshots", &[("entry", Invalid), ("repoDir", Path), ("remote", Invalid)]),
    ("branch.rollback", &[("entry", Invalid), ("tag", Refused), ("repoDir", Path), ("remote", Invalid)]),
    ("branch.prune", &[("entry", Invalid), ("repoDir", Path), ("remote", Invalid)]),
    ("branch.prompt", &[("config", Invalid)]),
    ("branch.workflow", &[("config", Invalid)]),
    ("branch.match", &[("pattern", Asked), ("path", Asked)]),
    ("branch.mergeFile", &[("base", Path), ("ours", Path), ("theirs", Path), ("path", Asked)]),
    ("undo.list", OF_REPO),
    ("undo.restore", &[("id", Refused)]),
    ("sync.run", &[("workspace", Path)]),
    ("sync.status", &[("workspace", Path)]),
    ("archive.export", &[("path", Path), ("repoHashes[]", Invalid), ("workspace", Path)]),
    ("archive.import", &[("path", Path), ("pathMap", Path)]),
    ("index.refresh", &[("workspace", Path)]),
    ("index.map", &[("workspace", Path), ("prompt", Asked), ("focusFiles[]", Path)]),
    ("index.symbols", &[("workspace", Path), ("query", Asked), ("path", Asked)]),
    ("safety.redact", &[("text", Redacted), ("patterns[]", Asked)]),
    ("safety.scan", &[("text", Redacted), ("patterns[]", Asked)]),
    ("safety.rules", &[]),
    ("safety.preview", &[("method", Invalid), ("params", Invalid)]),
    (
        "safety.allow",
        &[("name", Redacted), ("rule", Invalid), ("field", Redacted), ("tag", Invalid), ("reason", Redacted)],
    ),
    ("safety.allowances", &[]),
    ("doctor.check", &[]),
];
const OF_REPO: &[(&str, Fate)] = &[("repoHash", Invalid), ("workspace", Path)];
const OF_FILES: &[(&str, Fate)] = &[("path", Invalid), ("repoHash", Invalid), ("workspace", Path)];
const OF_ITEM: &[(&str, Fate)] = &[("id", Refused), ("workspace", Path), ("dir", Path)];
const OF_SCOPE: &[(&str, Fate)] = &[("scopeId", Refused)];
const OF_JOB: &[(&str, Fate)] = &[("jobId", Refused)];

/// What a method on one session takes.
const OF_THREAD: &[(&str, Fate)] = &[("threadId", Refused)];

/// What happens to the texts in the options of a store.
pub(crate) const OPTIONS: &[(&str, Fate)] = &[
    ("home", Path),
    ("codexHome", Path),
    ("branchMemoryRoot", Path),
    ("inheritFrom", Path),
    ("redactionPatterns[]", Asked),
    ("allow[].name", Invalid),
    ("allow[].rule", Invalid),
    ("allow[].field", Invalid),
    ("allow[].tag", Invalid),
    ("allow[].reason", Invalid),
    ("adapter", Invalid),
    ("redisPrefix", Path),
    ("redisHosts[]", Path),
    ("redisCaFile", Path),
    ("rolloutsInteractiveSources[]", Path),
    ("rolloutsRoot", Path),
    ("rolloutsWith", Invalid),
    ("syncBranch", Path),
    ("clock", Invalid),
];
