"""The records that methods take and return."""

# Generated from the method table by scripts/generate. Do not edit.

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from ._adapter import Logger, PersistenceAdapter

JsonValue: TypeAlias = "None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]"
"""Any JSON value."""


class Checkpoint(TypedDict):
    """A checkpoint of a job."""

    timestamp: int
    """When it was saved, in milliseconds since 1970; one more than the last one's when that is taken."""


class ContextPack(TypedDict):
    """A context pack and what went into it."""

    text: str
    """The pack, as Markdown; empty when nothing is stored."""
    sections: list[ContextSection]
    """What each section holds and what had no room."""


class _ContextSectionRequired(TypedDict):
    name: Literal["conventions", "decisions", "notes", "summaries"]
    """Its name."""
    chars: int
    """How long its text is, in Unicode scalar values, its heading included."""
    included: list[str]
    """The records in it: ids, or `runId/stepId@timestamp` of summaries."""
    dropped: list[str]
    """The records that had no room."""


class ContextSection(_ContextSectionRequired, total=False):
    """A section of a context pack."""

    skipped: int
    """How many records are damaged and were skipped, if any; `doctor.check` names them."""


class Convention(TypedDict):
    """How this repository does things.

    Fields that this version does not know are kept; a subclass may declare them.
    """

    id: str
    """Unique among the repository's records."""
    title: str
    """Its name, in a few words."""
    content: str
    """The whole of it."""
    tags: list[str]
    """Words to find it by."""
    createdAt: str
    """When it was first stored, RFC 3339 in UTC."""
    updatedAt: str
    """When it was last stored, RFC 3339 in UTC."""


class ConventionDraft(TypedDict, total=False):
    """A convention to store.

    With the id of a stored one it changes that one and may leave out what stays.

    Fields that this version does not know are kept; a subclass may declare them.
    """

    id: str | None
    """The record to change, or the id a new one is to have. Default: a new UUID version 7."""
    title: str | None
    """Its name, in a few words. A new convention needs one."""
    content: str | None
    """The whole of it. A new convention needs it."""
    tags: Sequence[str] | None
    """Words to find it by. Default: none."""


class Decision(TypedDict):
    """What was decided, and why.

    Fields that this version does not know are kept; a subclass may declare them.
    """

    id: str
    """Unique among the repository's records."""
    summary: str
    """The decision, on one line."""
    rationale: str
    """Why."""
    impactedPaths: list[str]
    """Files and folders that it concerns."""
    createdAt: str
    """When it was first stored, RFC 3339 in UTC."""
    updatedAt: str
    """When it was last stored, RFC 3339 in UTC."""


class DecisionDraft(TypedDict, total=False):
    """A decision to store.

    With the id of a stored one it changes that one and may leave out what stays.

    Fields that this version does not know are kept; a subclass may declare them.
    """

    id: str | None
    """The record to change, or the id a new one is to have. Default: a new UUID version 7."""
    summary: str | None
    """The decision, on one line: a line break in it becomes a blank. A new decision needs it."""
    rationale: str | None
    """Why. A new decision needs it."""
    impactedPaths: Sequence[str] | None
    """Files and folders that it concerns, relative to the repository. Default: none."""


class DoctorCounts(TypedDict):
    """How much was looked at, and how many findings there are of what kind. Each finding counts once."""

    files: int
    """Files that were looked at."""
    repositories: int
    """Repositories that have a folder."""
    errors: int
    """Errors that were not mended."""
    warnings: int
    """Warnings that were not mended."""
    infos: int
    """What is only worth knowing."""
    mended: int
    """Errors and warnings that were mended."""


class DoctorReport(TypedDict):
    """What was found."""

    findings: list[Finding]
    """What is wrong, or worth knowing, in the order of the files."""
    counts: DoctorCounts
    """How much of what."""


class Finding(TypedDict):
    """Something that was found about a file."""

    file: str
    """The file or folder."""
    fault: Literal[
        "damaged",
        "duplicateId",
        "tornTail",
        "tooNew",
        "notAFile",
        "unreadable",
        "unwritable",
        "busy",
        "mode",
        "litter",
        "unfinishedCopy",
        "staleOwner",
        "unknownOwner",
        "setAside",
        "unsupported",
    ]
    """What is wrong."""
    severity: Literal["error", "warning", "info"]
    """How bad that is: of an error loopmem cannot use the file, a warning should be mended."""
    detail: str
    """What that means, and what a fix does or did about it. It holds no text of a record."""
    mended: bool
    """Whether it was mended."""


class KnownRepo(TypedDict):
    """A repository that something is stored for."""

    repoHash: str
    """The key of its memory."""
    path: str | None
    """Its folder; null when it was only ever written to by its hash."""
    remoteUrl: str | None
    """Its remote's URL without credentials; null when there is none or it is not known."""
    branch: str | None
    """Its branch; null when it has none, when all branches share the memory, or when it is not known."""
    modifiedAt: str
    """When something was last stored, RFC 3339 in UTC."""
    bytes: int
    """How much is stored, in bytes."""


class MemoryEntry(TypedDict):
    """What happened, as it is stored.

    Fields that this version does not know are kept; a subclass may declare them.
    """

    id: str
    """The entry's own."""
    content: str
    """What happened."""
    metadata: MemoryEntryMetadata
    """Where it comes from."""


class _MemoryEntryDraftRequired(TypedDict):
    content: str
    """What happened."""


class MemoryEntryDraft(_MemoryEntryDraftRequired, total=False):
    """What is to be added to a log.

    Fields that this version does not know are kept; a subclass may declare them.
    """

    id: str | None
    """The entry's own. Default: a new one."""
    metadata: MemoryEntryMetadataDraft | MemoryEntryMetadata | None
    """Where it comes from."""


class _MemoryEntryMetadataRequired(TypedDict):
    source: str
    """Who says so, such as `user` or `agent-x`."""
    timestamp: float
    """When, in milliseconds since 1970."""


class MemoryEntryMetadata(_MemoryEntryMetadataRequired, total=False):
    """Where an entry comes from.

    Fields that this version does not know are kept; a subclass may declare them.
    """

    embedding: list[float]
    """Its vector, for `working.searchLogs`."""


class MemoryEntryMetadataDraft(TypedDict, total=False):
    """Where an entry comes from.

    Fields that this version does not know are kept; a subclass may declare them.
    """

    source: str | None
    """Who says so, such as `user` or `agent-x`. Default: `unknown`."""
    timestamp: float | None
    """When, in milliseconds since 1970. Default: now."""
    embedding: Sequence[float] | None
    """Its vector, for `working.searchLogs`."""


class MemoryRecordConvention(TypedDict):
    """A convention."""

    kind: Literal["convention"]
    """A convention."""
    record: Convention
    """A convention."""


class MemoryRecordDecision(TypedDict):
    """A decision."""

    kind: Literal["decision"]
    """A decision."""
    record: Decision
    """A decision."""


class MemoryRecordNote(TypedDict):
    """A note."""

    kind: Literal["note"]
    """A note."""
    record: Note
    """A note."""


class _MigrationRequired(TypedDict):
    copied: MigrationCounts
    """What was copied."""
    deduplicated: MigrationCounts
    """What the target had already."""
    left: int
    """Summaries of the source that were not copied, because they are older than all that the target
    may keep.
    """
    pruned: int
    """Summaries of the target that were removed for newer ones."""


class Migration(_MigrationRequired, total=False):
    """What a migration did, or would do."""

    skipped: int
    """Damaged lines in the source's file of summaries, if any, which cannot be copied; they stay
    there.
    """


class MigrationCounts(TypedDict):
    """The number of records of each kind."""

    conventions: int
    """Conventions."""
    decisions: int
    """Decisions."""
    notes: int
    """Notes."""
    summaries: int
    """Step summaries."""


class Note(TypedDict):
    """Anything else worth keeping.

    Fields that this version does not know are kept; a subclass may declare them.
    """

    id: str
    """Unique among the repository's records."""
    content: str
    """The note."""
    source: Literal["manual", "agent", "tool"]
    """Who wrote it."""
    createdAt: str
    """When it was first stored, RFC 3339 in UTC."""
    updatedAt: str
    """When it was last stored, RFC 3339 in UTC."""


class NoteDraft(TypedDict, total=False):
    """A note to store.

    With the id of a stored one it changes that one and may leave out what stays.

    Fields that this version does not know are kept; a subclass may declare them.
    """

    id: str | None
    """The record to change, or the id a new one is to have. Default: a new UUID version 7."""
    content: str | None
    """The note. A new note needs it."""
    source: Literal["manual", "agent", "tool"] | None
    """Who wrote it. Default: `agent`."""


class Redacted(TypedDict):
    """A text without its secrets."""

    text: str
    """The text with placeholders."""
    findings: list[SecretFinding]
    """Where the secrets stood in the text that was passed, in order and without overlaps."""


class Removed(TypedDict):
    """Whether something was removed."""

    removed: bool
    """False when there was nothing of this id."""


class RepoIdentity(TypedDict):
    """What a workspace is."""

    repoHash: str
    """The key of its memory: SHA-256 in hex."""
    path: str
    """The work tree's top level, or the folder itself outside a repository. In `sharedRepo` scope the
    main work tree's, or the git folder where that is bare or lies apart.
    """
    remoteUrl: str | None
    """The remote's URL without credentials; null when there is none."""
    branch: str | None
    """The branch; null when HEAD is detached or this is no repository."""
    commit: str | None
    """The commit of HEAD; null before the first commit or when this is no repository."""
    detached: bool
    """Whether HEAD names a commit and no branch."""
    branchScope: Literal["perBranch", "sharedRepo"]
    """Whose memory `repoHash` stands for."""


class _RepoMemoryRequired(TypedDict):
    conventions: list[Convention]
    """Oldest first."""
    decisions: list[Decision]
    """Oldest first."""
    notes: list[Note]
    """Oldest first."""
    summaries: list[Summary]
    """Newest first."""


class RepoMemory(_RepoMemoryRequired, total=False):
    """Everything stored for a repository."""

    skippedSummaries: int
    """How many lines of the summaries' file are damaged and were skipped, if any; `doctor.check` names
    them.
    """


class SanitizedUrl(TypedDict):
    """A remote's URL without credentials."""

    url: str
    """The URL."""


class ScoredEntry(TypedDict):
    """An entry that was found."""

    entry: MemoryEntry
    """The entry."""
    score: float
    """How well it fits; more is better. Of vectors: the cosine, from -1 to 1."""


class SecretFinding(TypedDict):
    """Where a secret stands in a text."""

    rule: str
    """The id of the rule that found it."""
    start: int
    """Where it begins in the text that was passed, as an index of the language's strings: UTF-16 units
    in the typed methods of TypeScript, code points in those of Python, UTF-8 bytes everywhere else.
    """
    end: int
    """Where it ends, told as `start` is."""
    tag: str
    """Ten hex digits: equal secrets have equal ones."""


class SecretRule(TypedDict):
    """A rule."""

    id: str
    """Its id, which appears in placeholders: lower-case letters, digits and hyphens."""
    description: str
    """What it finds."""
    kind: Literal["provider", "structure", "keyed", "prose", "environment", "custom"]
    """How it recognizes a secret."""


class StepEvent(TypedDict):
    """Something that happened in a step."""

    kind: Literal["action", "output", "followUp", "error"]
    """What kind of thing it was."""
    text: str
    """What it was, in a few words."""


class Summary(TypedDict):
    """What a workflow step did."""

    runId: str
    """The run of the workflow."""
    stepId: str
    """The step within the run."""
    timestamp: str
    """When it was appended, RFC 3339 in UTC."""
    summary: str
    """One paragraph: what happened, important outputs, what is to follow."""
    tags: list[str]
    """Words to find it by."""


class _TrailEntryRequired(TypedDict):
    id: str
    """The entry's own."""
    operation: Literal["updateContext", "restoreCheckpoint"]
    """What was done."""
    patch: dict[str, JsonValue]
    """The values that were set; of a restored checkpoint, all of them."""
    remove: list[str]
    """The names that were taken away."""
    source: str | None
    """Who did it, if it was told."""
    time: str
    """When, RFC 3339 in UTC."""


class TrailEntry(_TrailEntryRequired, total=False):
    """One change of a context."""

    timestamp: int
    """The checkpoint that was restored."""
    replaced: dict[str, JsonValue]
    """The whole context before a checkpoint was restored, by which that is undone."""


MemoryRecord = MemoryRecordConvention | MemoryRecordDecision | MemoryRecordNote
"""Any record of `memory.json`, and its kind."""


class StoreOptions(TypedDict, total=False):
    """What a store may be opened with. Everything has a default; unknown keys are refused."""

    home: str | os.PathLike[str] | None
    """The folder that holds everything. Default: `CODEX_TOOLLOOP_HOME`, else `~/.codex-toolloop`."""
    codex_home: str | os.PathLike[str] | None
    """The root of memories from past runs and of recallable items, whose methods come with a later
    version. Default: `CODEX_HOME`, else `~/.codex`.
    """
    branch_memory_root: str | os.PathLike[str] | None
    """The root of files kept on a branch, whose methods come with a later version. Default:
    `/tmp/gh-aw/repo-memory`.
    """
    branch_scope: Literal["perBranch", "sharedRepo"] | None
    """Whose memory a branch reads and writes. Default: `MEMORY_BRANCH_SCOPE`, else `perBranch`."""
    max_summaries_in_context: int | None
    """How many of the newest summaries a context pack takes. Default: 10."""
    summaries_max_entries: int | None
    """How many summaries a repository keeps; beyond it the oldest go. Default: 100."""
    summaries_max_bytes: int | None
    """How long the file of a repository's summaries may grow, in bytes; beyond it the oldest go. At
    most 251,658,240. Default: 1,048,576.
    """
    summary_max_bytes: int | None
    """The longest summary, in bytes of UTF-8; at most 1,000,000. Default: 65,536."""
    lock_timeout_ms: int | None
    """The longest wait for a lock, in milliseconds. Default: 5,000."""
    append_timeout_ms: int | None
    """The longest wait for the lock of an append, in milliseconds. Default: 1,000."""
    lock_stale_ms: int | None
    """How long a lock file must stand still, in milliseconds, before it is taken over from an owner of
    whom nothing is known; only where the file system has no locks of its own. Default: 10,000.
    """
    strong_atomicity: bool | None
    """Whether a write fails with `RenameError` where a file cannot be replaced at once, such as one
    that is mounted by itself. Otherwise it is copied over, with a whole copy beside it until that
    is done. Default: false.
    """
    redaction_patterns: Sequence[str] | None
    """Regular expressions; what they match is redacted before anything is stored. Those of
    `config.toml` count too.
    """
    adapter: str | PersistenceAdapter | None
    """Where working contexts are kept: `file`, `memory`, `sqlite`, or the URL of a Redis server.
    Default: `WORKING_ADAPTER`, else `file`. Or an object of your own: see `PersistenceAdapter`.
    """
    redis_prefix: str | None
    """What stands before every key on a Redis server. Braces in it keep the keys of one prefix on one
    node of a cluster. Default: `{loopmem}:`.
    """
    redis_hosts: Sequence[str] | None
    """Hosts of the Redis cluster besides the URL's own, as `HOST` or `HOST:PORT`. Keys that have moved
    to any other host are an error: it would be sent the password. Default: none.
    """
    redis_ca_file: str | os.PathLike[str] | None
    """A file of certificates as PEM, which are trusted in place of the system's when the URL begins
    with `rediss://`. Default: those that the system trusts.
    """
    adapter_timeout_ms: int | None
    """The longest wait for one answer of an adapter that is the host's own object or a server, in
    milliseconds. Default: 30,000.
    """
    checkpoints_max_entries: int | None
    """How many checkpoints of a job are kept; beyond it the oldest go. Default: all."""
    checkpoints_max_age_ms: int | None
    """How old a checkpoint may become, in milliseconds, before the next one that is saved takes it
    away; the newest stays. Default: any age.
    """
    clock: str | None
    """For tests: an RFC 3339 time at which this store's clock stands still."""
    logger: Logger | None
    """The logger to which each call is reported when it is over, such as a `logging.Logger`. Default:
    none.
    """


__all__ = [
    "JsonValue",
    "Checkpoint",
    "ContextPack",
    "ContextSection",
    "Convention",
    "ConventionDraft",
    "Decision",
    "DecisionDraft",
    "DoctorCounts",
    "DoctorReport",
    "Finding",
    "KnownRepo",
    "MemoryEntry",
    "MemoryEntryDraft",
    "MemoryEntryMetadata",
    "MemoryEntryMetadataDraft",
    "MemoryRecordConvention",
    "MemoryRecordDecision",
    "MemoryRecordNote",
    "Migration",
    "MigrationCounts",
    "Note",
    "NoteDraft",
    "Redacted",
    "Removed",
    "RepoIdentity",
    "RepoMemory",
    "SanitizedUrl",
    "ScoredEntry",
    "SecretFinding",
    "SecretRule",
    "StepEvent",
    "Summary",
    "TrailEntry",
    "StoreOptions",
    "MemoryRecord",
]
