"""The records that methods take and return."""

# Generated from the method table by scripts/generate. Do not edit.

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict

from ._adapter import CountTokens, Logger, PersistenceAdapter
from ._caller import Cancel

JsonValue: TypeAlias = "None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]"
"""Any JSON value."""


class AdapterStatus(TypedDict):
    """Where working contexts are stored, and whether that can be reached."""

    name: str
    """`file`, `memory`, `sqlite`, `redis`, or `host` for one of the host's own."""
    answers: bool
    """Whether it answers."""
    error: str | None
    """Why it does not."""


class _AdoptionRequired(TypedDict):
    relatives: list[Relative]
    """The other identities that have memory which is not here, the most important first; none if one of them was
    adopted.
    """
    copied: MigrationCounts
    """Records that were not here."""
    merged: MigrationCounts
    """Records of which it has a newer version, which is here now."""
    deduplicated: MigrationCounts
    """Records that are the same, that were changed only here, or that were adopted before and removed here since."""
    keptAside: list[KeptAside]
    """Records that both sides changed: the newer version is here, the other one in the trash; `undo` brings it back."""
    left: int
    """Summaries that were not copied because the limits exclude them as too old."""
    pruned: int
    """Summaries that were removed here to make room for newer ones."""


class Adoption(_AdoptionRequired, total=False):
    """What was brought from another identity, or what there is to bring."""

    fromRepoHash: str
    """The one that was adopted."""
    skipped: int
    """Damaged records, if any, which were not copied."""


class _AllowanceRequired(TypedDict):
    reason: str
    """Why it is no secret, for the people who read this later."""


class Allowance(_AllowanceRequired, total=False):
    """A false positive of a rule.

    A finding must match all of `name`, `rule`, `field` and `tag` that are set, of which there is at least one.
    """

    name: str
    """The name of the value, such as `sessionKey`, in any case and with or without `_`, `-` and `.`. Applies to what
    was found because of its name.
    """
    rule: str
    """The id of the rule, such as `keyed-value`."""
    field: str
    """The path of the field in a record, such as `metadata.headers`, with everything below it."""
    tag: str
    """The tag of the value: a keyed hash, from its placeholder or from a scan with the same home."""


class BranchCheckout(TypedDict):
    """The folder of a memory after a checkout."""

    directory: str
    """The folder."""
    branch: str
    """The branch."""
    base: str | None
    """The commit that its files come from; null if the branch does not exist yet."""
    created: bool
    """Whether the branch does not exist yet; the first push creates it."""
    merged: bool
    """Whether the folder had unpushed changes. It still has them."""
    conflicts: list[BranchConflict]
    """The files in which such a change replaced a change on the branch, sorted."""


class BranchConflict(TypedDict):
    """A file that both sides changed in the same place."""

    path: str
    """Its path, relative to the folder of the memory."""
    theirs: str
    """The commit with the version that was replaced. `git show COMMIT:PATH` prints it, in a clone that has fetched the
    branch.
    """


class BranchFault(TypedDict):
    """A file, or a set of files, that breaks a rule."""

    path: str | None
    """The path of the file, relative to the folder of the memory; null if it is about all files or about the
    configuration.
    """
    rule: Literal[
        "file-size",
        "file-count",
        "patch-size",
        "total-size",
        "extension",
        "file-name",
        "symlink",
        "git-folder",
        "file-type",
        "secret",
        "campaign-pattern",
        "campaign-folder",
        "campaign-json",
        "campaign-cursor",
        "campaign-metrics",
    ]
    """The broken rule."""
    limit: int | None
    """The largest value that the rule allows; null if that is not a number."""
    message: str
    """The problem, and what to do about it."""


class BranchFile(TypedDict):
    """A file of a memory."""

    path: str
    """Its path, relative to the folder of the memory."""
    size: int
    """Its size in bytes."""


class BranchMemories(TypedDict):
    """The memories of a configuration."""

    memories: list[BranchMemory]
    """The memories, in the order of the configuration."""


class BranchMemory(TypedDict):
    """A memory: where its files are, and the rules for them."""

    id: str
    """Its id: 1 to 100 letters, digits and `-`."""
    directory: str
    """The folder in which the agent works."""
    promptPath: str
    """The folder as prompts show it, with a `/` at the end."""
    artifact: str
    """The name of the artifact that passes the folder on to the job that pushes it."""
    branch: str
    """The branch on which the files are kept."""
    targetRepo: str | None
    """The repository of the branch, as `owner/name`; null for the current one."""
    fileGlob: list[str] | None
    """The patterns of the files that are kept; null for every file, and an empty list for none."""
    allowedExtensions: list[str] | None
    """The extensions that files may have, in lower case with their dot; null for any."""
    maxFileSize: int
    """The maximum size of a file, in bytes."""
    maxFileCount: int
    """The maximum number of files."""
    maxPatchSize: int | None
    """The maximum number of bytes that one push may add to the files in total; null for no limit."""
    maxTotalSize: int | None
    """The maximum total size of all files, in bytes; null for no limit."""
    cleanUp: Literal["none", "oldest"]
    """The files that a push removes to stay within the total size."""
    description: str | None
    """The purpose of the memory; null if the configuration has none."""
    createOrphan: bool
    """Whether the branch is created if it does not exist."""
    campaignId: str | None
    """The campaign whose rules apply to the files; null for no campaign."""
    compression: Literal["none", "gzip", "zstd"]
    """How a workflow compresses the artifact."""
    incremental: bool
    """Whether the artifact of a workflow has only what changed since the checkout."""
    snapshots: BranchSnapshotPolicy | None
    """The snapshots that a workflow takes of the branch; null for none."""


class BranchPacked(TypedDict):
    """An artifact that was written."""

    artifactPath: str
    """Its path."""
    bytes: int
    """Its size in bytes."""
    files: int
    """The number of files that it names."""
    packed: int
    """The number of files whose contents it has. Those of the others are in the earlier artifact."""
    written: bool
    """Whether it was written; false if the same artifact was already there."""


class BranchPrompt(TypedDict):
    """The section of a prompt about memories."""

    text: str
    """The section of a prompt, in Markdown; empty if there is no memory."""


class _BranchPushRequired(TypedDict):
    commit: str | None
    """The commit that was pushed; null if there was nothing to push."""
    base: str | None
    """The commit that the files came from, with which they were compared; null if it is unknown or no longer available.
    In that case, nothing was removed from the branch.
    """
    attempts: int
    """The number of attempts to push."""
    merged: bool
    """Whether others had changed the branch. The folder has their changes now."""
    conflicts: list[BranchConflict]
    """The files in which a change of this folder replaced one of theirs, sorted."""
    added: list[str]
    """The files that the push added to the branch, sorted."""
    changed: list[str]
    """The files that it changed on the branch, sorted."""
    removed: list[str]
    """The files that it removed from the branch, sorted."""
    cleaned: list[str]
    """The removed files that made room for new ones, sorted."""
    skipped: list[str]
    """The files of the folder that match no pattern, sorted. They are not pushed."""


class BranchPush(_BranchPushRequired, total=False):
    """The result of a push."""

    warnings: list[str]
    """What may not be as it was meant, such as patterns that take no file."""


class BranchRollback(TypedDict):
    """The result of a rollback."""

    commit: str | None
    """The commit with the files of the snapshot; null if the branch has the same files."""


class BranchSnapshot(TypedDict):
    """A named state of a branch."""

    tag: str
    """Its name."""
    commit: str
    """The commit."""
    time: str
    """When it was taken, in RFC 3339."""


class BranchSnapshotPolicy(TypedDict):
    """The snapshots that a workflow takes of the branch."""

    keep: int | None
    """How many are kept, the newest ones; null for all."""
    on: Literal["push", "day", "week"]
    """When one is taken."""


class BranchSnapshots(TypedDict):
    """The snapshots of a branch."""

    snapshots: list[BranchSnapshot]
    """The snapshots, newest first."""


class BranchUnpacked(TypedDict):
    """An artifact that was unpacked."""

    directory: str
    """The folder."""
    bytes: int
    """The size of the artifact in bytes."""
    files: int
    """The number of files that it names."""
    changed: list[str]
    """The files that were written or removed, sorted."""
    base: str | None
    """The commit that the files come from, which the next push uses; null if it is unknown."""
    entry: BranchMemory
    """The memory, as configured when the artifact was written."""


class BranchValidation(TypedDict):
    """The result of a validation."""

    ok: bool
    """Whether the files break no rule."""
    files: list[BranchFile]
    """The files that would be pushed, sorted by path."""
    skipped: list[str]
    """The files that match no pattern, sorted. They are not pushed."""
    rejected: list[BranchFault]
    """Every broken rule."""
    conflicts: list[str]
    """The files in which a push would replace changes of others, sorted; empty unless the files were merged."""


class BranchWorkflow(TypedDict):
    """The workflow that keeps memories."""

    yaml: str
    """The workflow, as YAML; empty if there is no memory."""


class Checkpoint(TypedDict):
    """A checkpoint of a job."""

    timestamp: int
    """When it was saved, in milliseconds since the Unix epoch; at least one more than the job's previous checkpoint."""


class ClientStatus(TypedDict):
    """A client that was connected."""

    name: str
    """Its name: `claude-code`."""
    connectedAt: str
    """When it was connected, RFC 3339 in UTC."""
    files: list[str]
    """Its files of configuration that name loopmem."""


class CompletedConsolidation(TypedDict):
    """The result of a completed consolidation."""

    dirty: bool
    """True if there is something to consolidate again: work arrived meanwhile, files were edited, or one still cites a
    session that was withdrawn.
    """
    unsourced: list[int]
    """The lines of `MEMORY.md`, counted from 1, at which a statement begins that names no session that it is from; at
    most 100.
    """


class CompletedStage1(TypedDict):
    """The result of a completed claim."""

    stored: bool
    """Whether the output was stored: false if it is empty, or older than what is stored."""


class ConsolidationClaim(TypedDict):
    """The claim of the consolidation."""

    outcome: Literal["claimed", "clean", "running", "backoff", "exhausted"]
    """Claimed, or the reason why not."""
    ownershipToken: str | None
    """Proves that the claim is the caller's; null unless it was claimed."""
    leaseUntil: str | None
    """When the claim ends unless it is renewed; null unless it was claimed."""
    inputs: list[ConsolidationInput] | None
    """The sessions to consolidate, in the order of their ids; null unless it was claimed."""
    diff: str | None
    """The changes of the inputs since the last consolidation, as a unified diff; null unless it was claimed."""
    editedFiles: list[str] | None
    """The files under the memory root that were edited since the last consolidation; null unless it was claimed."""
    prompt: str | None
    """The instructions for the model; null unless it was claimed."""


class ConsolidationInput(TypedDict):
    """One session among the inputs of a consolidation."""

    threadId: str
    """The thread."""
    sourceUpdatedAt: str
    """When the thread had changed last that the memory is of."""
    cwd: str
    """Its working folder; empty if it is unknown."""
    rolloutSummary: str
    """The subject of the session and its outcome."""
    rawMemory: str
    """The knowledge for later sessions."""
    usageCount: int
    """The number of times that its memory was used."""


class ConsolidationRun(TypedDict):
    """The outcome of the consolidation."""

    outcome: Literal["skipped", "completed", "failed", "leaseLost", "clean", "running", "backoff", "exhausted"]
    """The outcome."""
    reason: str | None
    """The reason for which it failed; null if it did not."""
    dirty: bool | None
    """True if there is something to consolidate again; null unless it succeeded."""
    written: list[str]
    """The files that were written or removed and have changed, relative to the memory root."""
    unsourced: list[int]
    """The lines of `MEMORY.md`, counted from 1, at which a statement begins that names no session that it is from; at
    most 100.
    """


class ConsolidationState(TypedDict):
    """The state of the consolidation."""

    outcome: Literal["claimed", "clean", "running", "backoff", "exhausted"]
    """The outcome that a claim would have now."""
    inputs: int
    """The number of sessions that it would read."""
    job: JobState | None
    """Its job; null if there was never anything to consolidate."""


class _ContextPackRequired(TypedDict):
    text: str
    """The pack, as Markdown. If something is left out, its last line says so. Empty if nothing is stored."""
    sections: list[ContextSection]
    """The records that each section includes, and those that did not fit."""


class ContextPack(_ContextPackRequired, total=False):
    """A context pack and a list of its contents."""

    leftOut: str
    """The last line of the text, if it says what is left out: `12 older notes left out`."""
    notice: str
    """A line for the user, not for a model, about memory of this repository that is not in the pack: which it is, and
    the command that brings it.
    """
    elsewhere: list[MemoryElsewhere]
    """The memory that the notice is about, the most important first: of branches that were merged or deleted, of the
    folder before it was moved or had another remote. If nothing is stored for this branch or folder, also of its
    other branches and of other clones.
    """


class _ContextSectionRequired(TypedDict):
    name: Literal[
        "standing",
        "conventions",
        "decisions",
        "notes",
        "files",
        "summaries",
        "context",
        "log",
        "recalled",
        "rollouts",
        "map",
    ]
    """Its name."""
    chars: int
    """The length of its text including the heading, in Unicode scalar values."""
    included: list[str]
    """The included records: their ids or, for records without one, what identifies them, such as
    `runId/stepId@timestamp`. What several records say is shown once.
    """
    dropped: list[str]
    """The records that did not fit."""
    inherited: list[str]
    """Those of the included records that another branch's memory provides: see `inheritFrom`."""


class ContextSection(_ContextSectionRequired, total=False):
    """A section of a context pack."""

    skipped: int
    """The number of damaged records that were skipped, if any; `doctor.check` reports them."""


class ContextSizes(TypedDict, total=False):
    """The sections of a context pack and their sizes.

    A number above 0 and up to 1 is a share of `maxChars`, and a whole number above 1 a number of characters.
    """

    standing: float
    """The size of the section `standing`. Default: the section is left out."""
    conventions: float
    """The size of the section `conventions`. Default: the section is left out."""
    decisions: float
    """The size of the section `decisions`. Default: the section is left out."""
    notes: float
    """The size of the section `notes`. Default: the section is left out."""
    files: float
    """The size of the section `files`. Default: the section is left out."""
    summaries: float
    """The size of the section `summaries`. Default: the section is left out."""
    context: float
    """The size of the section `context`. Default: the section is left out."""
    log: float
    """The size of the section `log`. Default: the section is left out."""
    recalled: float
    """The size of the section `recalled`. Default: the section is left out."""
    rollouts: float
    """The size of the section `rollouts`. Default: the section is left out."""
    map: float
    """The size of the section `map`. Default: the section is left out."""


class _ConventionRequired(TypedDict):
    id: str
    """Unique among the repository's records."""
    title: str
    """A short title."""
    content: str
    """The full text."""
    tags: list[str]
    """Tags to find it by."""
    createdAt: str
    """When it was first stored, RFC 3339 in UTC."""
    updatedAt: str
    """When it was last updated, RFC 3339 in UTC."""


class Convention(_ConventionRequired, total=False):
    """How things are done in this repository.

    Unknown fields are preserved; declare them in a subclass.
    """

    inheritedFrom: str
    """The branch whose memory provides it, if it is inherited: see `inheritFrom`. Never stored."""


class ConventionDraft(TypedDict, total=False):
    """A convention to store.

    If a convention with its id is stored, that one is updated and keeps the fields omitted here.

    Unknown fields are preserved; declare them in a subclass.
    """

    id: str | None
    """The id of the record to update or create. Default: a new UUID version 7."""
    title: str | None
    """A short title. Required for a new convention."""
    content: str | None
    """The full text. Required for a new convention."""
    tags: Sequence[str] | None
    """Tags to find it by. Default: none."""
    extra: Mapping[str, object] | None
    """Fields of your own. They are redacted and stored beside the others, and read back there."""


class _CountersRequired(TypedDict):
    seen_count: int
    """How often a recall returned it."""
    used_count: int
    """How often the host said that it used it."""


class Counters(_CountersRequired, total=False):
    """How often an item was recalled and used."""

    last_used_at: str
    """When it was last used, RFC 3339 in UTC."""


class _DecisionRequired(TypedDict):
    id: str
    """Unique among the repository's records."""
    summary: str
    """The decision, on one line."""
    rationale: str
    """The reasons."""
    impactedPaths: list[str]
    """Files and folders that the decision affects."""
    createdAt: str
    """When it was first stored, RFC 3339 in UTC."""
    updatedAt: str
    """When it was last updated, RFC 3339 in UTC."""


class Decision(_DecisionRequired, total=False):
    """What was decided, and why.

    Unknown fields are preserved; declare them in a subclass.
    """

    inheritedFrom: str
    """The branch whose memory provides it, if it is inherited: see `inheritFrom`. Never stored."""


class DecisionDraft(TypedDict, total=False):
    """A decision to store.

    If a decision with its id is stored, that one is updated and keeps the fields omitted here.

    Unknown fields are preserved; declare them in a subclass.
    """

    id: str | None
    """The id of the record to update or create. Default: a new UUID version 7."""
    summary: str | None
    """The decision, on one line: a line break becomes a space. Required for a new decision."""
    rationale: str | None
    """The reasons. Required for a new decision."""
    impactedPaths: Sequence[str] | None
    """Files and folders that the decision affects, relative to the repository. Default: none."""
    extra: Mapping[str, object] | None
    """Fields of your own. They are redacted and stored beside the others, and read back there."""


class DoctorCounts(TypedDict):
    """The number of files that were checked, and of findings by severity. Each finding counts once."""

    files: int
    """Files that were checked."""
    repositories: int
    """Repositories that have a folder."""
    errors: int
    """Errors that were not repaired."""
    warnings: int
    """Warnings that were not repaired."""
    infos: int
    """Findings that need no action."""
    repaired: int
    """Errors and warnings that were repaired."""


class DoctorReport(TypedDict):
    """The result of a check."""

    findings: list[Finding]
    """What is wrong or worth knowing, grouped by file."""
    allowances: list[Allowance]
    """False positives of rules, allowed by `redaction.toml` and by the options of the store."""
    counts: DoctorCounts
    """The number of files and findings."""


class ExportedArchive(TypedDict):
    """An archive that was written."""

    path: str
    """Its path."""
    bytes: int
    """Its size in bytes."""
    repositories: int
    """The number of repositories, each branch and work tree counted, of which it has something."""
    rooms: list[ExportedRoom]
    """What it has, by rooms."""
    faults: list[str]
    """What could not be read, and why."""


class _ExportedItemsRequired(TypedDict):
    count: int
    """How many items there are."""


class ExportedItems(_ExportedItemsRequired, total=False):
    """Exported items."""

    items: list[Item]
    """The items, if they were not written to a file."""


class ExportedRoom(TypedDict):
    """The records of one room in an archive."""

    room: str
    """The room: `memory`. What every room shares of a repository is that of `repo`: its names and its trash."""
    records: int
    """The number of records."""
    skipped: int
    """The number of damaged records that were left out; `doctor.check` lists them."""


class FailedJob(TypedDict):
    """The state after a failed attempt."""

    retriesLeft: int
    """The number of attempts left before the input changes."""
    retryAt: str | None
    """When the next one may begin; null if none is left."""


class FileAnswer(TypedDict):
    """What a memory tool answers."""

    text: str
    """The answer for the model, as Anthropic's memory tool words it."""


class FileEntry(TypedDict):
    """A file of the folder."""

    path: str
    """Its path, which begins with `/memories/`."""
    bytes: int
    """Its size in bytes."""
    modifiedAt: str
    """When it was changed last, RFC 3339 in UTC."""
    firstLine: str | None
    """Its first line that is not empty, at most 200 characters; null if it has none, or is not text in UTF-8."""


class Finding(TypedDict):
    """What a check found about a file."""

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
        "superseded",
        "invalidValue",
        "unknownOwner",
        "setAside",
        "unsupported",
    ]
    """What is wrong."""
    severity: Literal["error", "warning", "info"]
    """How severe it is: `error` if loopmem cannot use the file, `warning` if it should be repaired."""
    detail: str
    """What it means, and what a fix would do or did about it. Contains no text of a record."""
    repaired: bool
    """Whether it was repaired."""


class Forgotten(TypedDict):
    """What was removed of a repository."""

    identities: list[ForgottenRepo]
    """The identities of which something was stored."""
    removed: MigrationCounts
    """The number of records that were removed, of all identities."""
    wasSynchronized: bool
    """Whether `sync` was on, and is off now: otherwise its next run would have brought the records back."""


class ForgottenRepo(TypedDict):
    """What was removed under one hash."""

    repoHash: str
    """The hash."""
    path: str | None
    """Its folder, if it is known."""
    remoteUrl: str | None
    """Its remote URL, if it is known."""
    branch: str | None
    """Its branch, if it is known."""
    removed: MigrationCounts
    """The number of records that were removed."""


class ForgottenThread(TypedDict):
    """The result of forgetting one session."""

    forgotten: bool
    """Whether it was forgotten now: false if it was forgotten before."""
    registered: bool
    """True if it was registered. If not, it is never registered."""
    removed: list[str]
    """The files that were removed, relative to the memory root."""


class HookStatus(TypedDict):
    """What the hook of an event did last."""

    event: str
    """The event: `SessionStart`."""
    lastRun: str | None
    """When it ran last, RFC 3339 in UTC, whether it succeeded or not."""
    lastFailure: str | None
    """When it failed last, RFC 3339 in UTC; null if it never did."""
    lastError: str | None
    """Why it failed then; of a hook in another folder, only the code of the error."""


class ImportedArchive(TypedDict):
    """What was brought from an archive."""

    rooms: list[ImportedRoom]
    """What was brought, by rooms."""
    identities: list[ImportedRepo]
    """The repositories in the archive, each branch and work tree counted."""
    skipped: int
    """The number of lines of the archive that are damaged."""


class ImportedItems(TypedDict):
    """The result of an import."""

    added: int
    """Items that were added."""
    changed: int
    """Stored items that were replaced."""
    unchanged: int
    """Stored items that stay as they are."""
    skipped: list[SkippedItem]
    """What was not imported."""


class ImportedRepo(TypedDict):
    """A repository whose memory was brought from an archive."""

    fromRepoHash: str
    """The hash under which it was stored there."""
    repoHash: str
    """The one under which it is stored here."""
    path: str | None
    """Its folder here; null if that is not known."""
    branch: str | None
    """Its branch; null if it has none, if all branches share the memory, or if that is not known."""


class ImportedRoom(TypedDict):
    """The records of one room that were brought from an archive."""

    room: str
    """The room: `memory`."""
    copied: int
    """Records that were not here."""
    merged: int
    """Records of which the archive has a newer version, which is here now."""
    deduplicated: int
    """Records that are the same here."""
    keptAside: list[KeptAside]
    """Records of which both have a version: the newer one is here now, the other one in the trash. `isTheirs` is true
    if that is the one of the archive.
    """
    left: int
    """Summaries that were not copied because the limits exclude them as too old, and removed records for which the
    trash has no room.
    """
    pruned: int
    """Summaries that were removed here to make room for newer ones."""
    skipped: int
    """Records that were not brought: damaged ones, and those whose ids look like secrets or whose folder is not there.
    """
    faults: list[str]
    """Why records were skipped that are not damaged."""


class _ItemRequired(TypedDict):
    id: str
    """Its id: a UUID, or any text if it was imported."""
    created_at: str
    """When it was created, RFC 3339 in UTC."""
    updated_at: str
    """When it was last changed, RFC 3339 in UTC."""
    scope: Literal["repo", "dir", "global"]
    """Where it applies."""
    status: Literal["active", "archived"]
    """Whether it can be recalled."""
    type: Literal["pref", "fact", "instruction", "profile", "note"]
    """What kind of memory it is."""
    content: str
    """The memory, in one or a few sentences."""
    tags: list[str]
    """Tags to find it by. Items with the tag `history` are never recalled."""
    relevance_hints: RelevanceHints
    """When it is relevant."""
    counters: Counters
    """How often it was recalled and used."""


class Item(_ItemRequired, total=False):
    """A memory that comes back when it matters."""

    expiry: str
    """When it expires, RFC 3339 in UTC; it is not recalled afterwards."""
    session: str
    """The session that it was said in."""
    seq: int
    """Its position in the session."""
    embedding: list[float]
    """Its embedding vector."""
    recallable: bool
    """False for an item that is never recalled."""


class ItemPatch(TypedDict, total=False):
    """A change to an item. A field that is omitted keeps its value; the empty string or list clears it."""

    type: Literal["pref", "fact", "instruction", "profile", "note"] | None
    """What kind of memory it is."""
    content: str | None
    """The memory, in one or a few sentences."""
    tags: Sequence[str] | None
    """Tags to find it by."""
    relevance_hints: RelevanceHints | None
    """When it is relevant."""
    expiry: str | None
    """When it expires: an RFC 3339 time, or a duration from now such as `30d`. Empty: never."""
    session: str | None
    """The session that it was said in. Empty: none, and no position in it."""
    seq: int | None
    """Its position in the session."""
    embedding: Sequence[float] | None
    """Its embedding vector. Empty: none."""
    recallable: bool | None
    """Whether it may be recalled."""


class ItemScopeStats(TypedDict):
    """How many items of a scope there are."""

    active: int
    """Those that are active and have not expired."""
    archived: int
    """Those that are archived."""
    expired: int
    """Those that are active but have expired."""


class ItemStats(TypedDict):
    """How many items there are."""

    items: int
    """All items."""
    active: int
    """Those that are active and have not expired."""
    archived: int
    """Those that are archived."""
    expired: int
    """Those that are active but have expired."""
    damaged: int
    """Records that are not items, and are kept as they are; `doctor.check` lists them."""
    duplicates: int
    """Records with the id of another one that was changed later; only that one counts."""
    repeated: int
    """Active items with the text of another one."""
    scopes: dict[str, JsonValue]
    """The counts of each scope that has items."""


class JobCounts(TypedDict):
    """The number of jobs of threads in each state."""

    running: int
    """A worker has them."""
    stale: int
    """Their worker did not come back in time."""
    done: int
    """They succeeded."""
    failed: int
    """They failed, and wait for the next attempt."""
    exhausted: int
    """They failed, and no attempt is left before the thread changes."""


class JobState(TypedDict):
    """The state of a job."""

    status: str
    """`pending`, `running`, `done` or `failed`."""
    workerId: str | None
    """The worker that claimed it last; null if it was never claimed."""
    startedAt: str | None
    """When it was claimed last."""
    leaseUntil: str | None
    """When the claim ends; null if there is none. If this is in the past, the worker did not come back."""
    finishedAt: str | None
    """When the last claim ended."""
    retryAt: str | None
    """When the next attempt may begin after a failure."""
    retriesLeft: int
    """The number of attempts left before the input changes."""
    lastError: str | None
    """The reason for which the last attempt failed; null if it did not."""


class KeptAside(TypedDict):
    """A record of which both sides had a version, each with changes of its own."""

    kind: str
    """Its kind."""
    id: str
    """Its id."""
    isTheirs: bool
    """Whether the version from the other identity is the one in the trash, because it is older; false for the version
    that was here.
    """


class KnownRepo(TypedDict):
    """A repository that has stored data."""

    repoHash: str
    """The hash under which its memory is stored."""
    path: str | None
    """Its folder; null if data was only ever stored by hash."""
    remoteUrl: str | None
    """Its remote URL without credentials; null if it has none or the URL is not known."""
    branch: str | None
    """Its branch; null if it has none, if all branches share the memory, or if it is not known."""
    modifiedAt: str
    """When something was last stored, RFC 3339 in UTC."""
    bytes: int
    """The size of the stored data, in bytes."""
    counts: MigrationCounts | None
    """The number of records by kind; null if they cannot be read."""


class Limit(TypedDict):
    """A number that a room keeps of something at most."""

    name: str
    """Its key in the configuration: `memory.summariesMaxEntries`."""
    used: int
    """How much there is."""
    limit: int
    """How much is kept at most."""


class ListedThread(TypedDict):
    """One thread of a list."""

    threadId: str
    """The thread."""
    updatedAt: str
    """When it changed last."""
    cwd: str
    """Its working folder; empty if it is unknown."""
    reason: Literal[
        "due",
        "capReached",
        "running",
        "upToDate",
        "notIdle",
        "tooOld",
        "archived",
        "transcriptMissing",
        "notInteractive",
        "disabled",
        "polluted",
        "backoff",
        "exhausted",
        "reset",
        "forgotten",
        "notRegistered",
    ]
    """The reason for which it is or is not extracted."""
    detail: str
    """The same in a sentence."""


class MappedFile(TypedDict):
    """A file of a map."""

    path: str
    """Its path, relative to the repository."""
    score: float
    """How relevant it is; higher is better. Scores of different maps cannot be compared."""
    symbols: list[str]
    """The names of the definitions that the map shows."""


class MaterializedFiles(TypedDict):
    """The files that a rebuild changed. Paths are relative to the memory root."""

    written: list[str]
    """The files that were written, because their contents changed."""
    removed: list[str]
    """The files that were removed, because what they were of is gone."""
    setAside: list[str]
    """The new names of files that another program or a person had changed or created."""


class MemoryElsewhere(TypedDict):
    """Memory that is stored under another hash."""

    repoHash: str
    """The hash under which it is stored, for `repo.adopt`."""
    branch: str | None
    """Its branch; null if it has none or all branches share the memory."""
    path: str | None
    """Its folder."""
    remoteUrl: str | None
    """The URL of its remote, without credentials; null if it has none."""


class MemoryEntry(TypedDict):
    """A stored log entry.

    Unknown fields are preserved; declare them in a subclass.
    """

    id: str
    """The entry's id."""
    content: str
    """What happened."""
    metadata: MemoryEntryMetadata
    """Its origin."""


class _MemoryEntryDraftRequired(TypedDict):
    content: str
    """What happened."""


class MemoryEntryDraft(_MemoryEntryDraftRequired, total=False):
    """An entry to add to a log.

    Unknown fields are preserved; declare them in a subclass.
    """

    id: str | None
    """The entry's id. Default: generated."""
    metadata: MemoryEntryMetadataDraft | MemoryEntryMetadata | None
    """Its origin."""


class _MemoryEntryMetadataRequired(TypedDict):
    source: str
    """Who added it, such as `user` or `agent-x`."""
    timestamp: float
    """The time, in milliseconds since 1970."""


class MemoryEntryMetadata(_MemoryEntryMetadataRequired, total=False):
    """The origin of an entry.

    Unknown fields are preserved; declare them in a subclass.
    """

    embedding: list[float]
    """Its embedding vector, for `working.searchLogs`."""


class MemoryEntryMetadataDraft(TypedDict, total=False):
    """The origin of an entry.

    Unknown fields are preserved; declare them in a subclass.
    """

    source: str | None
    """Who added it, such as `user` or `agent-x`. Default: `unknown`."""
    timestamp: float | None
    """The time, in milliseconds since 1970. Default: now."""
    embedding: Sequence[float] | None
    """Its embedding vector, for `working.searchLogs`."""


class _MemoryFileRequired(TypedDict):
    path: str
    """Its path below the memory root: `MEMORY.md`, `memory_summary.md` or `skills/NAME/SKILL.md`."""
    about: str
    """What it is for. Of a skill, its own description."""


class MemoryFile(_MemoryFileRequired, total=False):
    """A file of the memory root that agents may read."""

    text: str
    """Its text as far as it is about this repository or the user; absent unless it was asked for."""


class MemoryFiles(TypedDict):
    """The files that agents may read."""

    root: str
    """The memory root."""
    files: list[MemoryFile]
    """The summary and the memory first, then the skills by name."""


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


class MergedFile(TypedDict):
    """A file that was merged."""

    outcome: Literal["merged", "conflict", "otherFormat"]
    """The outcome."""
    records: list[str]
    """The ids of the records that both sides changed, at most 100."""


class MigratedItems(TypedDict):
    """The result of a migration."""

    copied: int
    """Items that were copied."""
    skipped: int
    """Records that were not copied: the sum of the following ones."""
    present: int
    """Items that the target has already."""
    damaged: int
    """Records that are not items; `doctor.check` lists them."""
    duplicates: int
    """Records with the id of another one that was changed later, which was copied."""


class MigratedLegacyItems(TypedDict):
    """The result of a migration of older files."""

    copied: int
    """Lines that were copied as items that can be recalled."""
    history: int
    """Events that were copied as archived items with the tag `history`."""
    unchanged: int
    """Lines that were copied before."""
    skipped: list[SkippedLegacyItem]
    """Lines that were not copied."""


class MigratedLegacyRoot(TypedDict):
    """The result of the migration of an older memory."""

    moved: list[str]
    """The new paths of the entries that were moved, relative to the memory root."""
    skipped: list[str]
    """The entries that were not moved because the root has one of the same name already."""
    reason: str | None
    """The reason for which nothing was moved; null if something was."""


class _MigrationRequired(TypedDict):
    copied: MigrationCounts
    """Records that were copied."""
    deduplicated: MigrationCounts
    """Records that already existed in the target."""
    left: int
    """Records of the source that were not copied because the target's limits exclude them as too old."""
    pruned: int
    """Records of the target that were removed to make room for newer ones."""


class Migration(_MigrationRequired, total=False):
    """The result of a migration."""

    skipped: int
    """Damaged records of the source, if any, which were not copied."""


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
    files: int
    """Files that a model keeps by itself."""


class _MovedRepoRequired(TypedDict):
    fromRepoHash: str
    """The hash under which it was stored."""
    repoHash: str | None
    """The one under which it is stored now; null if that is not known."""
    path: str
    """The folder now."""
    branch: str | None
    """Its branch; null if it has none, or all branches share the memory."""
    copied: MigrationCounts
    """The number of records of each kind that were copied."""
    keptAside: list[KeptAside]
    """Records of which both had a version: the newer one is there now, and the other one in the trash."""
    left: int
    """Summaries that were not copied because the limits exclude them as too old."""
    pruned: int
    """Summaries that were removed there to make room for newer ones."""


class MovedRepo(_MovedRepoRequired, total=False):
    """What was stored for one branch or work tree of a folder that was moved."""

    skipped: int
    """Damaged records, if any, which were not copied."""
    fault: str
    """Why it was not moved, if it was not."""


class Moving(TypedDict):
    """Everything that was stored for a folder that was moved."""

    identities: list[MovedRepo]
    """Its branches and work trees, by their hashes."""


class _NoteRequired(TypedDict):
    id: str
    """Unique among the repository's records."""
    content: str
    """The text."""
    source: Literal["manual", "agent", "tool"]
    """Who wrote it."""
    createdAt: str
    """When it was first stored, RFC 3339 in UTC."""
    updatedAt: str
    """When it was last updated, RFC 3339 in UTC."""


class Note(_NoteRequired, total=False):
    """Anything else worth remembering.

    Unknown fields are preserved; declare them in a subclass.
    """

    tags: list[str]
    """Tags to find it by."""
    inheritedFrom: str
    """The branch whose memory provides it, if it is inherited: see `inheritFrom`. Never stored."""


class NoteDraft(TypedDict, total=False):
    """A note to store.

    If a note with its id is stored, that one is updated and keeps the fields omitted here.

    Unknown fields are preserved; declare them in a subclass.
    """

    id: str | None
    """The id of the record to update or create. Default: a new UUID version 7."""
    content: str | None
    """The text. Required for a new note."""
    source: Literal["manual", "agent", "tool"] | None
    """Who wrote it. Default: `agent`."""
    tags: Sequence[str] | None
    """Tags to find it by. Default: none."""
    extra: Mapping[str, object] | None
    """Fields of your own. They are redacted and stored beside the others, and read back there."""


class PatternMatch(TypedDict):
    """Whether a pattern matches a path."""

    match: bool
    """Whether it does."""


class PrunedSnapshots(TypedDict):
    """The snapshots that were removed."""

    removed: list[str]
    """Their names, newest first."""


class Recall(TypedDict):
    """What a recall returns."""

    preamble: str
    """The standing items and those that match as text for a prompt, as far as they fit; empty if there are none."""
    standing: list[Item]
    """The user's preferences: first those that apply to every prompt, then those whose hints fit, each of the nearest
    scope first. The preamble begins with them.
    """
    standingDropped: int
    """How many preferences apply, but do not fit."""
    untrusted: int
    """How many preferences were not added from this home. They are data until `items.trust` trusts their folder."""
    items: list[RecalledItem]
    """The items that match, the most relevant first."""
    considered: int
    """How many items could have been recalled. 0 means that no stored item can be recalled here."""
    dropped: int
    """How many items match well enough but are beyond the limit."""


class RecalledItem(TypedDict):
    """A recalled item."""

    item: Item
    """The item."""
    score: float
    """How well it matches, from 0 to 1: how sure it is that an item answers the prompt, for the best one, and less for
    those that match less. It means the same for all prompts and all items.
    """
    reasons: list[str]
    """Why it was recalled."""
    inPreamble: bool
    """Whether the preamble includes it."""


class RecordedUsage(TypedDict):
    """How many sessions were counted."""

    updated: int
    """Of how many of the sessions there is a memory."""


class Redacted(TypedDict):
    """A text without its secrets."""

    text: str
    """The text with placeholders."""
    findings: list[SecretFinding]
    """The positions of the secrets in the text that was passed, in order and without overlaps."""


class Redaction(TypedDict):
    """Secrets that one rule found in one field of what a call stores. They were replaced by placeholders."""

    method: str
    """The method that was called, such as `memory.upsertNote`."""
    field: str
    """The path of the field in the record, such as `metadata.headers`; elements of a list have that of the list. It
    contains no secret.
    """
    rule: str
    """The id of the rule."""
    count: int
    """How many secrets were redacted."""


class RefreshedIndex(TypedDict):
    """What a refresh did."""

    files: int
    """The files of the work tree, including those that are not read: binary and large ones."""
    parsed: int
    """Contents that were parsed."""
    reused: int
    """Contents that were known already."""
    removed: int
    """Files that are gone since the last refresh."""
    elapsedMs: int
    """How long it took, in milliseconds."""


class _RelativeRequired(TypedDict):
    repoHash: str
    """The hash under which its memory is stored."""
    path: str | None
    """Its folder."""
    remoteUrl: str | None
    """Its remote URL without credentials; null if it has none."""
    branch: str | None
    """Its branch; null if it has none, or all branches share the memory."""
    relation: Literal["branch", "commit", "remote", "moved", "clone"]
    """How it is related."""
    reason: str
    """What it is, for people: `branch feature (merged on 2026-03-01)`."""
    counts: MigrationCounts
    """The number of records of each kind that are new here, or newer than here."""
    command: str
    """The command that brings them."""


class Relative(_RelativeRequired, total=False):
    """Another identity of a repository, with memory that is not here."""

    fault: str
    """Why they cannot be read, if they cannot."""


class RelevanceHints(TypedDict, total=False):
    """When an item is relevant."""

    files: Sequence[str]
    """Files and folders that it is about, relative to the repository."""
    crates: Sequence[str]
    """Packages that it is about."""
    langs: Sequence[str]
    """Programming languages that it is about."""


class Removed(TypedDict):
    """Whether something was removed."""

    removed: bool
    """False if there was nothing to remove."""


class RemovedRecords(TypedDict):
    """How many records were removed."""

    removed: bool
    """False if there was nothing to remove, and in a dry run."""
    count: int
    """How many records were removed or, in a dry run, would be."""


class RenewedLease(TypedDict):
    """When a claim ends."""

    leaseUntil: str
    """When it ends unless it is renewed again."""


class RepoIdentity(TypedDict):
    """The identity of a workspace."""

    repoHash: str
    """The hash under which its memory is stored: SHA-256 in hex."""
    path: str
    """The top level of the work tree, or the folder itself outside a repository. In `sharedRepo` scope, that of the
    main work tree, or the git directory if the repository is bare or its git directory is separate.
    """
    remoteUrl: str | None
    """The remote's URL without credentials; null if there is none."""
    branch: str | None
    """The branch, without secrets; null if HEAD is detached or this is not a repository."""
    commit: str | None
    """The commit of HEAD; null before the first commit or if this is not a repository."""
    detached: bool
    """Whether HEAD is detached."""
    branchScope: Literal["perBranch", "sharedRepo"]
    """The scope of the memory that `repoHash` identifies."""


class RepoMap(TypedDict):
    """A map of a repository."""

    text: str
    """The map: for each file a line with its path and a colon, then a line for each definition, after two blanks."""
    files: list[MappedFile]
    """The files of the map, the most relevant first."""


class _RepoMemoryRequired(TypedDict):
    conventions: list[Convention]
    """The conventions, oldest first."""
    decisions: list[Decision]
    """The decisions, oldest first."""
    notes: list[Note]
    """The notes, oldest first."""
    summaries: list[Summary]
    """The step summaries, newest first."""


class RepoMemory(_RepoMemoryRequired, total=False):
    """Everything stored for a repository."""

    skippedSummaries: int
    """The number of damaged lines in the file of summaries that were skipped, if any; `doctor.check` reports them."""


class RepoSymbol(TypedDict):
    """A definition in the repository."""

    name: str
    """Its name."""
    kind: Literal[
        "function",
        "method",
        "class",
        "struct",
        "enum",
        "interface",
        "type",
        "module",
        "constant",
        "variable",
        "macro",
        "field",
        "heading",
        "table",
        "message",
        "selector",
        "key",
    ]
    """What it is."""
    path: str
    """Its file, relative to the repository."""
    line: int
    """The number of its line, from 1."""
    signature: str
    """Its declaration on one line, without a body."""


class ResetRollouts(TypedDict):
    """The result of a reset."""

    outputs: int
    """The number of outputs."""
    jobs: int
    """The number of jobs."""
    removed: list[str]
    """The files that were removed, relative to the memory root."""


class RetriedRollouts(TypedDict):
    """The threads that are due again."""

    threadIds: list[str]
    """The threads, in the order of their ids."""
    consolidation: bool
    """True if the consolidation is."""


class RolloutsRun(TypedDict):
    """The result of a run."""

    threads: list[RunThread]
    """The sessions that were worked on, the newest first."""
    gaveUp: bool
    """True if the run gave up after three failures without a success between them. The remaining sessions were not
    tried.
    """
    consolidation: ConsolidationRun
    """The consolidation."""


class RolloutsStatus(TypedDict):
    """The progress of all threads."""

    threads: ThreadCounts
    """The threads by state."""
    jobs: JobCounts
    """The jobs of threads by state."""
    running: int
    """The number of threads that are being worked on."""
    cap: int
    """The maximum number of them."""
    nextDue: str | None
    """When the next thread becomes due: it has been idle for long enough, its wait after a failure is over, or the
    lease of its worker ends. Null if none is going to be.
    """
    consolidation: ConsolidationState
    """The consolidation."""
    root: str
    """The memory root."""
    legacyRoot: bool
    """True if an older program left a memory that `rollouts.migrateLegacyRoot` would move."""


class RoomStatus(TypedDict):
    """What a room stores."""

    room: str
    """Its name."""
    records: dict[str, JsonValue]
    """The number of its records by kind."""
    bytes: int
    """The size of its files, in bytes; 0 if they are not files of the home or of the repository."""


class RunThread(TypedDict):
    """One session that was worked on."""

    threadId: str
    """The thread."""
    outcome: Literal["stored", "empty", "failed", "transcriptMissing", "leaseLost"]
    """The outcome."""
    reason: str | None
    """The reason for which it failed; null if it did not."""


class SanitizedUrl(TypedDict):
    """A remote URL without credentials."""

    url: str
    """The URL."""


class ScannedTranscripts(TypedDict):
    """The result of a scan."""

    found: int
    """The number of transcripts."""
    new: int
    """The number of those of sessions that were not known."""
    changed: int
    """The number of those of known sessions that changed."""
    unchanged: int
    """The number of those that did not change since the last scan."""
    skipped: list[SkippedTranscript]
    """Those that were not registered."""


class ScoredEntry(TypedDict):
    """A search result."""

    entry: MemoryEntry
    """The entry."""
    score: float
    """How well it matches; higher is better. For embeddings, the cosine similarity from -1 to 1."""


class SearchHit(TypedDict):
    """A record that was found."""

    room: str
    """The room that it is from: `memory`."""
    kind: str
    """Its kind: `note`."""
    id: str
    """Its id. That of a file is its path."""
    repoHash: str | None
    """The hash that it is stored for; null if it belongs to no repository, or is an item or a file of a folder."""
    branch: str | None
    """The branch of that hash, if it is known."""
    folder: str | None
    """The folder of the repository, or the one that an item is about, if it is known."""
    time: str | None
    """When it was changed last, RFC 3339, if that is known."""
    title: str | None
    """Its title; null if it has none."""
    text: str
    """Up to three of its lines, those that match best; all of them if that was asked for."""
    tags: list[str]
    """Its tags."""
    files: list[str]
    """The files that it is about."""
    score: float
    """How well it matches; higher is better. Comparable within one answer."""
    words: list[str]
    """The words of the query that it has."""


class SearchResult(TypedDict):
    """The result of a search."""

    hits: list[SearchHit]
    """The hits, the best first."""
    considered: int
    """The number of records that were compared."""
    faults: list[str]
    """What could not be read, and why."""


class SecretFinding(TypedDict):
    """The position of a secret in a text."""

    rule: str
    """The id of the rule that found it."""
    start: int
    """Where the secret begins in the text that was passed, as an index into the language's own strings: UTF-16 code
    units in the typed methods of TypeScript, code points in those of Python, UTF-8 bytes everywhere else.
    """
    end: int
    """Where it ends, exclusive, in the units of `start`."""
    tag: str
    """Ten hex digits; equal secrets have equal tags."""


class SecretRule(TypedDict):
    """A rule."""

    id: str
    """Its id, which appears in placeholders: lower-case letters, digits and hyphens."""
    description: str
    """What it finds."""
    kind: Literal["provider", "structure", "keyed", "prose", "environment", "custom"]
    """How it recognizes a secret."""


class SkippedItem(TypedDict):
    """A line that was not imported."""

    line: int
    """Its number, from 1."""
    code: str
    """Why: the code of an error."""
    message: str
    """What is wrong with it."""


class SkippedLegacyItem(TypedDict):
    """A line of an older file that was not copied."""

    path: str
    """Its file."""
    line: int
    """Its number, from 1."""
    code: str
    """Why: the code of an error."""
    message: str
    """What is wrong with it."""


class SkippedTranscript(TypedDict):
    """A transcript that was not registered."""

    path: str
    """Its path."""
    reason: str
    """The reason: `subagent`, `extraction`, `noSession`, `forgotten`, `secret`, `invalid` or `unreadable`."""


class Stage1Answer(TypedDict, total=False):
    """The answer of a model.

    `summary` and `rawMemory`, the names that older prompts ask for, are accepted as well; see `docs/ROLLOUTS.md`.
    """

    rollout_slug: str
    """A short name of the session. Accepted, stored, and not used in the names of files."""
    rollout_summary: str
    """The subject of the session and its outcome."""
    raw_memory: str
    """The knowledge for later sessions."""


class Stage1Claim(TypedDict):
    """A thread that a worker may work on."""

    threadId: str
    """The thread."""
    ownershipToken: str
    """Proves that the claim is the caller's: pass it to each call about the claim."""
    leaseUntil: str
    """When the claim ends unless it is renewed."""
    sourceUpdatedAt: str
    """When the thread changed last: what the extracted memory is of."""
    rolloutPath: str
    """The path of its transcript."""


class Stage1Claims(TypedDict):
    """The claims of a call."""

    claims: list[Stage1Claim]
    """The threads that were claimed, the newest first."""


class Stage1Input(TypedDict):
    """The input of a model about one thread."""

    prompt: str
    """The instructions."""
    transcript: str
    """The transcript: redacted, without the texts of the system and the developer, in the order of the session."""
    schema: dict[str, JsonValue]
    """The JSON Schema of the answer."""
    tokens: int
    """The length of the transcript in tokens, estimated at three bytes each."""
    omitted: int
    """The number of entries of the transcript that were left out, of damaged parts of it that could not be read, and of
    records that were shortened. Those have more than 8 MiB: the middle of their long texts is left out, and if they
    still have more than 4 MiB, everything behind that.
    """


class Status(TypedDict):
    """Where memory is kept, and what is stored for a repository."""

    home: str
    """The home folder."""
    homeSource: Literal["option", "variable", "default"]
    """What names it: the option `home`, the variable `CODEX_TOOLLOOP_HOME`, or nothing, so that it is the default."""
    repoHash: str
    """The hash under which the repository's memory is stored."""
    path: str | None
    """Its folder, if it is known."""
    remoteUrl: str | None
    """The URL of its remote, without credentials, if it is known and has one."""
    branch: str | None
    """The branch whose memory it is; null if it has none, if all branches share the memory, or if it is not known."""
    branchScope: Literal["perBranch", "sharedRepo"] | None
    """Whether each branch has a separate memory or all branches share one; null for a repository that is named by its
    hash.
    """
    rooms: list[RoomStatus]
    """What each room stores for the repository and the folder. Rooms without records are left out."""
    bytes: int
    """The size of what is stored under the hash in the home, in bytes."""
    limits: list[Limit]
    """The limits of which at least four fifths are used: what comes next pushes out what is old."""
    relatives: list[Relative]
    """Other identities of the repository with memory that is not here, such as other branches and clones."""
    adapter: AdapterStatus
    """Where working contexts are stored."""
    findings: list[Finding]
    """What the doctor says of the repository's files."""
    clients: list[ClientStatus]
    """The clients that `loopmem install` has connected."""
    notice: str | None
    """A line about memory that is stored under another hash and is not read here; null without such memory."""
    hooks: list[HookStatus]
    """What the hooks of agents did last, by their events. They are those of every repository."""
    faults: list[str]
    """What could not be read, and why."""


class StepEvent(TypedDict):
    """Something that happened in a step."""

    kind: Literal["action", "output", "followUp", "error"]
    """The kind of the event."""
    text: str
    """A short description."""


class StoredOutput(TypedDict):
    """The output of a thread as it is stored."""

    source_updated_at: str
    """When the thread had changed last that it is of."""
    generated_at: str
    """When it was stored."""
    rollout_slug: str | None
    """A short name of the session; null if it has none."""
    rollout_summary: str
    """The subject of the session and its outcome."""
    raw_memory: str
    """The knowledge for later sessions."""
    usage_count: int
    """The number of times that it was used."""
    last_usage: str | None
    """When it was used last; null if it never was."""
    selected_for_phase2: bool
    """True if the last consolidation read it as it is."""


class StoredValue(TypedDict):
    """What is stored under a key."""

    value: JsonValue
    """The value; null if there is none."""


class Summary(TypedDict):
    """What a workflow step did."""

    runId: str
    """The id of the workflow run."""
    stepId: str
    """The id of the step within the run."""
    timestamp: str
    """When it was appended, RFC 3339 in UTC."""
    summary: str
    """One paragraph: what happened, important outputs, and what remains to be done."""
    tags: list[str]
    """Tags to find it by."""


class SyncConflict(TypedDict):
    """A record or a file of which not everything could be brought together."""

    file: str
    """The file on the branch."""
    id: str | None
    """The record's id; null for the whole file."""
    what: str
    """What happened, and what was done."""


class _SyncRunRequired(TypedDict):
    pulled: int
    """The number of records that were added, changed or removed here."""
    pushed: int
    """The number of records that were added, changed or removed on the branch."""
    conflicts: list[SyncConflict]
    """What could not be brought together, at most 1,000."""
    commit: str | None
    """The commit on the branch; null if nothing was pushed."""
    waiting: int
    """The number of changes here that wait until the remote can be reached."""


class SyncRun(_SyncRunRequired, total=False):
    """The result of a run."""

    fault: str
    """Why the remote could not be reached, if it could not."""


class SyncStatus(TypedDict):
    """Whether and how a repository is synchronized."""

    on: bool
    """Whether it is switched on."""
    branch: str
    """The branch of the remote."""
    remoteUrl: str | None
    """The remote's URL without credentials; null if the repository has none."""
    lastRun: str | None
    """When a run last reached the remote, RFC 3339 in UTC; null if none has."""
    waiting: int
    """The number of changes here since then."""
    auto: Literal["off", "session"]
    """When hooks run it."""


class Thread(TypedDict):
    """A session as it is registered."""

    id: str
    """Its id."""
    rolloutPath: str
    """The path of its transcript."""
    updatedAt: str
    """When it changed last."""
    cwd: str
    """Its working folder; empty if it is unknown."""
    source: str
    """The program in which it was held, such as `cli`, `vscode` or `claude`."""
    gitBranch: str | None
    """The branch that was checked out; null if none is known."""
    mode: Literal["enabled", "disabled", "polluted"]
    """Whether its memory may be extracted."""
    archived: bool
    """Whether the user archived it."""
    forgotten: bool
    """True if it was forgotten: then nothing of it is stored, whatever is registered."""


class ThreadCounts(TypedDict):
    """The number of threads in each state. A thread may be in several."""

    registered: int
    """All that are registered."""
    due: int
    """Those that can be claimed, but for the cap."""
    extracted: int
    """Those of which a memory is stored."""
    upToDate: int
    """Those whose memory is of their last change."""
    notIdle: int
    """Those that changed too recently."""
    tooOld: int
    """Those that changed too long ago."""
    notInteractive: int
    """Those that were not interactive, or were started by another agent."""
    enabled: int
    """Those whose memory may be extracted."""
    disabled: int
    """Those whose memory is disabled."""
    polluted: int
    """Those that are polluted."""
    archived: int
    """Those that are archived."""
    missing: int
    """Those whose transcript is gone."""
    forgotten: int
    """Those that were forgotten."""


class ThreadExplanation(TypedDict):
    """The reason for which a thread is or is not extracted."""

    eligible: bool
    """True if it can be claimed now."""
    reason: Literal[
        "due",
        "capReached",
        "running",
        "upToDate",
        "notIdle",
        "tooOld",
        "archived",
        "transcriptMissing",
        "notInteractive",
        "disabled",
        "polluted",
        "backoff",
        "exhausted",
        "reset",
        "forgotten",
        "notRegistered",
    ]
    """The reason."""
    detail: str
    """The same in a sentence."""
    job: JobState | None
    """The job that extracts it; null if it was never claimed."""
    output: StoredOutput | None
    """The extracted memory; null if nothing is stored."""


class ThreadList(TypedDict):
    """Some of the registered threads."""

    threads: list[ListedThread]
    """The threads, the one that changed last first."""
    total: int
    """The total number."""


class _TrailEntryRequired(TypedDict):
    id: str
    """The entry's id."""
    operation: Literal["updateContext", "restoreCheckpoint"]
    """The kind of change."""
    patch: dict[str, JsonValue]
    """The values that were set; for a restored checkpoint, the whole context."""
    remove: list[str]
    """The keys that were removed."""
    source: str | None
    """Who made the change, if known."""
    time: str
    """The time, in RFC 3339 format in UTC."""


class TrailEntry(_TrailEntryRequired, total=False):
    """One change of a context."""

    timestamp: int
    """The checkpoint that was restored."""
    replaced: dict[str, JsonValue]
    """The whole context before a checkpoint was restored, so that this can be undone."""


class TrustedItems(TypedDict):
    """What `items.trust` trusts."""

    files: list[str]
    """The files of items, absolute."""
    standing: list[Item]
    """The items in them that say what the user wants or is."""


class UndoEntry(TypedDict):
    """A record that was removed or replaced."""

    id: str
    """Identifies the entry of the trash, for `undo.restore`."""
    room: str
    """The room that the record is from: `memory`."""
    kind: str
    """The kind of record: `note`."""
    recordId: str
    """The record's id."""
    reason: Literal["removed", "replaced"]
    """Why it is in the trash."""
    at: str
    """When it was removed or replaced, RFC 3339 in UTC."""
    preview: str
    """The title or the text of the record, on one line."""
    record: dict[str, JsonValue]
    """The whole record."""


class UsedItems(TypedDict):
    """How many items were counted."""

    counted: int
    """How many of the items exist."""


MemoryRecord = MemoryRecordConvention | MemoryRecordDecision | MemoryRecordNote
"""A record of `memory.json`, and its kind."""


class StoreOptions(TypedDict, total=False):
    """The options of a store. All are optional; unknown keys are rejected. `Store.open` describes them."""

    home: str | os.PathLike[str] | None
    codex_home: str | os.PathLike[str] | None
    branch_memory_root: str | os.PathLike[str] | None
    branch_scope: Literal["perBranch", "sharedRepo"] | None
    detached: Literal["commit", "branch"] | None
    inherit_from: str | None
    max_summaries_in_context: int | None
    summaries_max_entries: int | None
    summaries_archive: bool | None
    summaries_max_bytes: int | None
    summary_max_bytes: int | None
    lock_timeout_ms: int | None
    append_timeout_ms: int | None
    lock_stale_ms: int | None
    strong_atomicity: bool | None
    redaction_patterns: Sequence[str] | None
    allow: Sequence[Allowance] | None
    adapter: str | PersistenceAdapter | None
    redis_prefix: str | None
    redis_hosts: Sequence[str] | None
    redis_ca_file: str | os.PathLike[str] | None
    adapter_timeout_ms: int | None
    checkpoints_max_entries: int | None
    checkpoints_max_age_ms: int | None
    items_backend: Literal["jsonl", "sqlite"] | None
    items_max_content_chars: int | None
    recall_min_repo_candidates: int | None
    recall_limit: int | None
    recall_max_chars: int | None
    recall_standing_chars: int | None
    recall_min_score: float | None
    recall_near_words: bool | None
    recall_vector_weight: float | None
    recall_recency_weight: float | None
    recall_frequency_weight: float | None
    temporary: bool | None
    index_submodules: bool | None
    index_subtree: bool | None
    index_max_files: int | None
    index_max_file_bytes: int | None
    rollouts_min_idle_hours: int | None
    rollouts_max_age_days: int | None
    rollouts_max_running: int | None
    rollouts_lease_secs: int | None
    rollouts_attempts: int | None
    rollouts_retry_delay_secs: int | None
    rollouts_consolidation_inputs: int | None
    rollouts_max_unused_days: int | None
    rollouts_diff_max_chars: int | None
    rollouts_input_max_tokens: int | None
    rollouts_interactive_sources: Sequence[str] | None
    rollouts_root: str | os.PathLike[str] | None
    rollouts_same_repo: bool | None
    rollouts_with: str | None
    branch_attempts: int | None
    sync_branch: str | None
    sync_summaries: bool | None
    sync_global_items: bool | None
    sync_auto: Literal["off", "session"] | None
    trash_keep_days: int | None
    keep_replaced: bool | None
    allow_unknown_fields: bool | None
    known_repos_only: bool | None
    clock: str | None
    logger: Logger | None
    count_tokens: CountTokens | None


class CallOptions(TypedDict, total=False):
    """The options of every call, which all methods take as keyword arguments."""

    timeout: float | None
    """The maximum time that the call waits in total, in seconds: for locks and for an adapter. With 0 the call does not
    wait for locks. Default: as configured.
    """
    cancel: Cancel | None
    """A request to cancel the call, which any thread may trigger."""
    on_redaction: Callable[[Redaction], object] | None
    """Called with a `Redaction` for each field of which the call redacted something, before it returns. An exception in
    it is reported and not raised. The logger gets the same as warnings.
    """
    on_progress: Callable[[int, int], object] | None
    """Called with the number of completed steps and the total while a long call runs, such as the files that were read
    for the index of a repository. It runs on the calling thread, where calls of loopmem raise `Misuse`, or on the
    event loop. An exception in it is reported and not raised.
    """


__all__: list[str] = [
    "CallOptions",
    "JsonValue",
    "AdapterStatus",
    "Adoption",
    "Allowance",
    "BranchCheckout",
    "BranchConflict",
    "BranchFault",
    "BranchFile",
    "BranchMemories",
    "BranchMemory",
    "BranchPacked",
    "BranchPrompt",
    "BranchPush",
    "BranchRollback",
    "BranchSnapshot",
    "BranchSnapshotPolicy",
    "BranchSnapshots",
    "BranchUnpacked",
    "BranchValidation",
    "BranchWorkflow",
    "Checkpoint",
    "ClientStatus",
    "CompletedConsolidation",
    "CompletedStage1",
    "ConsolidationClaim",
    "ConsolidationInput",
    "ConsolidationRun",
    "ConsolidationState",
    "ContextPack",
    "ContextSection",
    "ContextSizes",
    "Convention",
    "ConventionDraft",
    "Counters",
    "Decision",
    "DecisionDraft",
    "DoctorCounts",
    "DoctorReport",
    "ExportedArchive",
    "ExportedItems",
    "ExportedRoom",
    "FailedJob",
    "FileAnswer",
    "FileEntry",
    "Finding",
    "Forgotten",
    "ForgottenRepo",
    "ForgottenThread",
    "HookStatus",
    "ImportedArchive",
    "ImportedItems",
    "ImportedRepo",
    "ImportedRoom",
    "Item",
    "ItemPatch",
    "ItemScopeStats",
    "ItemStats",
    "JobCounts",
    "JobState",
    "KeptAside",
    "KnownRepo",
    "Limit",
    "ListedThread",
    "MappedFile",
    "MaterializedFiles",
    "MemoryElsewhere",
    "MemoryEntry",
    "MemoryEntryDraft",
    "MemoryEntryMetadata",
    "MemoryEntryMetadataDraft",
    "MemoryFile",
    "MemoryFiles",
    "MemoryRecordConvention",
    "MemoryRecordDecision",
    "MemoryRecordNote",
    "MergedFile",
    "MigratedItems",
    "MigratedLegacyItems",
    "MigratedLegacyRoot",
    "Migration",
    "MigrationCounts",
    "MovedRepo",
    "Moving",
    "Note",
    "NoteDraft",
    "PatternMatch",
    "PrunedSnapshots",
    "Recall",
    "RecalledItem",
    "RecordedUsage",
    "Redacted",
    "Redaction",
    "RefreshedIndex",
    "Relative",
    "RelevanceHints",
    "Removed",
    "RemovedRecords",
    "RenewedLease",
    "RepoIdentity",
    "RepoMap",
    "RepoMemory",
    "RepoSymbol",
    "ResetRollouts",
    "RetriedRollouts",
    "RolloutsRun",
    "RolloutsStatus",
    "RoomStatus",
    "RunThread",
    "SanitizedUrl",
    "ScannedTranscripts",
    "ScoredEntry",
    "SearchHit",
    "SearchResult",
    "SecretFinding",
    "SecretRule",
    "SkippedItem",
    "SkippedLegacyItem",
    "SkippedTranscript",
    "Stage1Answer",
    "Stage1Claim",
    "Stage1Claims",
    "Stage1Input",
    "Status",
    "StepEvent",
    "StoredOutput",
    "StoredValue",
    "Summary",
    "SyncConflict",
    "SyncRun",
    "SyncStatus",
    "Thread",
    "ThreadCounts",
    "ThreadExplanation",
    "ThreadList",
    "TrailEntry",
    "TrustedItems",
    "UndoEntry",
    "UsedItems",
    "StoreOptions",
    "MemoryRecord",
]
