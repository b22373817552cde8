"""The methods of a store, grouped by module."""

# Generated from the method table by scripts/generate. Do not edit.

from __future__ import annotations

from ._caller import Caller, cast
from ._room import WIRE_NAMES, Room, documented, params_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from typing import Literal

    from typing_extensions import Self, Unpack

    from . import _adapter as a
    from . import _types as t
    from ._caller import Cancel
    from ._calls import Calls
else:
    Calls = object

READS = ("ParseError", "IoError", "LockAcquisitionError", "Cancelled", "FormatTooNew")
"""The errors of every method that reads records."""

WIRE_NAMES["relevance_hints"] = "relevance_hints"


class RepoApi(Room):
    """The methods `repo.*` of a store."""

    __slots__ = ()

    @documented("SecretRefused", "GitError", "Cancelled")
    def identify(
        self,
        branch: str | None = None,
        *,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.RepoIdentity:
        """Identifies the repository that a folder belongs to.

        The hash under which its memory is stored, and what the hash is computed from.

        A folder outside of any repository is identified by its path. Such a hash is only valid on one machine.

        Parameters
        ----------
        branch : The branch to identify, instead of the one that HEAD is on.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
        """
        return cast("t.RepoIdentity", self._call("repo.identify", locals(), "workspace"))

    @documented()
    def sanitize_remote_url(self, url: str, **call: Unpack[t.CallOptions]) -> t.SanitizedUrl:
        """Removes credentials, default ports, the query and the fragment from a remote URL.

        And normalizes the form of SSH URLs.

        Parameters
        ----------
        url : The URL, in any form that git accepts; at most 16,384 bytes.
        """
        return cast("t.SanitizedUrl", self._call("repo.sanitizeRemoteUrl", locals()))

    @documented("IoError")
    def list(self, **call: Unpack[t.CallOptions]) -> list[t.KnownRepo]:
        """Lists the repositories that have stored data, most recently modified first."""
        return cast("list[t.KnownRepo]", self._call("repo.list", locals()))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def adopt(
        self,
        from_: str | None = None,
        *,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        ignore: bool | None = None,
        dry_run: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Adoption:
        """Brings what another identity of this repository learned into this one; without `from`, lists what there is.

        A repository has another identity on each branch and detached commit, in each clone, before and after it was
        moved, and with another remote or another URL of it. A record that both have is merged: what only one side
        changed is taken from there; of two changes the newer stays, and the other is kept in the trash and named. What
        was adopted before and removed since stays away. The other identity is not changed.

        Parameters
        ----------
        from_ : The other identity: its branch, its folder, or its hash, of which the first digits do. Default: none
            of them; they are listed, with what each has and the command that brings it.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
        ignore : Whether its memory is not wanted here: nothing is copied, and no notice names it until it changes
            again. Default: false.
        dry_run : Only count what would be copied. Default: false.
        """
        return cast("t.Adoption", self._call("repo.adopt", locals(), "workspace"))

    @documented(*READS, "RenameError")
    def move(
        self,
        old_path: str | os.PathLike[str],
        *,
        new_path: str | os.PathLike[str] | None = None,
        dry_run: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Moving:
        """Copies what is stored for a folder that was moved, and for every folder below it.

        To the hashes that they have now: that of each branch, work tree and detached commit.

        Records that are there already are merged as by `repo.adopt`. What was stored for the old folder stays as it
        was.

        Parameters
        ----------
        old_path : The folder before it was moved.
        new_path : The folder now. Default: the repository of the current folder.
        dry_run : Only count what would be copied. Default: false.
        """
        return cast("t.Moving", self._call("repo.move", locals(), "old_path", "new_path"))

    @documented(
        *READS,
        "RenameError",
        NotFound="Nothing is stored under the hash to copy from.",
        Conflict="Records of different kinds have the same id; nothing was copied.",
    )
    def migrate(
        self, from_repo_hash: str, *, to_repo_hash: str, dry_run: bool | None = None, **call: Unpack[t.CallOptions]
    ) -> t.Migration:
        """Copies the memory stored under one repository hash to another, after a branch was renamed.

        A folder moved or a remote changed.

        The source is not changed, nor is any record that the target already has: one with the same id, or a summary
        with the same run, step and time. The target's limits still apply: the oldest summaries beyond them are not
        copied, or are removed from the target, and are counted. If anything prevents the migration, nothing is copied.

        Parameters
        ----------
        from_repo_hash : The hash to copy from, as `repo.identify` or `repo.list` returns it.
        to_repo_hash : The hash to copy to.
        dry_run : Only count what would be copied. Default: false.
        """
        return cast("t.Migration", self._call("repo.migrate", locals()))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def forget(
        self,
        all: bool | None = None,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        purge: bool | None = None,
        dry_run: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Forgotten:
        """Removes the memory of a repository: its conventions, decisions, notes and step summaries.

        `undo.restore` brings each of them back. If `sync` is on for the repository, it is switched off.

        Items are in the repository itself, and stay.

        Parameters
        ----------
        all : Whether everything that is stored of the same project is removed: of all branches, of the folders that
            it was moved from, and of its other clones. Default: false.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        purge : Whether it is removed for good, with the trash, the index and the names of the repository, and
            everything damaged that was set aside. What the index knows of the contents of files is removed for all
            repositories, and made again when it is needed. Default: false.
        dry_run : Only counts what would be removed. Default: false.
        """
        return cast("t.Forgotten", self._call("repo.forget", locals(), "workspace"))


class MemoryApi(Room):
    """The methods `memory.*` of a store."""

    __slots__ = ()

    @documented(*READS, "SecretRefused", "GitError")
    def get(
        self,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.RepoMemory:
        """Returns everything stored for a repository.

        The lists are empty if nothing is stored. With `inheritFrom`, they begin with the records of another branch that
        this one has not overridden, marked by `inheritedFrom`.

        Parameters
        ----------
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        """
        return cast("t.RepoMemory", self._call("memory.get", locals(), "workspace"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError", Conflict="A decision or a note already has the id.")
    def upsert_convention(
        self,
        convention: t.ConventionDraft | t.Convention,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        inherited: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Convention:
        """Stores a convention and returns it as stored.

        If the draft has the id of a stored convention, that convention is updated and keeps the fields that the draft
        omits; otherwise a new convention is created. Secrets are redacted.

        Parameters
        ----------
        convention : The convention to store.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        inherited : Whether it is stored for the branch from which this one inherits, as to change an inherited
            record. Default: `false`; a record with the id of an inherited one overrides it.
        """
        return cast("t.Convention", self._call("memory.upsertConvention", locals(), "workspace"))

    @documented(
        *READS, "RenameError", "SecretRefused", "GitError", Conflict="A convention or a note already has the id."
    )
    def upsert_decision(
        self,
        decision: t.DecisionDraft | t.Decision,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        inherited: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Decision:
        """Stores a decision and returns it as stored.

        If the draft has the id of a stored decision, that decision is updated and keeps the fields that the draft
        omits; otherwise a new decision is created. Secrets are redacted.

        Parameters
        ----------
        decision : The decision to store.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        inherited : Whether it is stored for the branch from which this one inherits, as to change an inherited
            record. Default: `false`; a record with the id of an inherited one overrides it.
        """
        return cast("t.Decision", self._call("memory.upsertDecision", locals(), "workspace"))

    @documented(
        *READS, "RenameError", "SecretRefused", "GitError", Conflict="A convention or a decision already has the id."
    )
    def upsert_note(
        self,
        note: t.NoteDraft | t.Note,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        inherited: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Note:
        """Stores a note and returns it as stored.

        If the draft has the id of a stored note, that note is updated and keeps the fields that the draft omits;
        otherwise a new note is created. Secrets are redacted.

        Parameters
        ----------
        note : The note to store.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        inherited : Whether it is stored for the branch from which this one inherits, as to change an inherited
            record. Default: `false`; a record with the id of an inherited one overrides it.
        """
        return cast("t.Note", self._call("memory.upsertNote", locals(), "workspace"))

    @documented(*READS, "SecretRefused", "GitError")
    def list(
        self,
        kind: Literal["convention", "decision", "note"] | None = None,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        tag: str | None = None,
        path: str | None = None,
        text: str | None = None,
        query: str | None = None,
        limit: int | None = None,
        **call: Unpack[t.CallOptions],
    ) -> list[t.MemoryRecord]:
        """Returns the conventions, decisions and notes that match every given filter, oldest first within each kind.

        Or with a query the most relevant first. They include those that the branch inherits: see `memory.get`.

        Parameters
        ----------
        kind : Only records of this kind.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        tag : Only conventions and notes with this tag.
        path : Only decisions whose `impactedPaths` contain this path or a folder above it.
        text : Only records with this text in one of their fields, ignoring case.
        query : Only records that share words with this text, the most relevant first, ranked as in `items.recall`.
        limit : The maximum number of records. Default: all.
        """
        return cast("list[t.MemoryRecord]", self._call("memory.list", locals(), "workspace"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def remove(
        self,
        id: str,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        purge: bool | None = None,
        inherited: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Removed:
        """Removes the convention, decision or note with this id.

        `undo.restore` brings it back.

        Parameters
        ----------
        id : The record's id.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        purge : Whether it is removed for good: with every version of it in the trash, and everything damaged that
            was set aside of the file. Default: `false`.
        inherited : Whether it is removed from the branch from which this one inherits. Default: `false`; an
            inherited record is then a `Conflict`, which names its branch.
        """
        return cast("t.Removed", self._call("memory.remove", locals(), "workspace"))


class SummaryApi(Room):
    """The methods `summary.*` of a store."""

    __slots__ = ()

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def append(
        self,
        run_id: str,
        *,
        step_id: str,
        summary: str,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        tags: Sequence[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Summary:
        """Appends the summary of a workflow step and returns it as stored.

        Secrets are redacted.

        A repository keeps at most `memory.summariesMaxEntries` summaries in at most `memory.summariesMaxBytes` bytes;
        beyond either limit the oldest are removed, but never the newest.

        Parameters
        ----------
        run_id : The id of the workflow run.
        step_id : The id of the step within the run.
        summary : One paragraph: what happened, important outputs, and what remains to be done. A line break becomes
            a space. At most `memory.summaryMaxBytes` (65,536) bytes.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        tags : Tags to find the summary by. Default: none.
        """
        return cast("t.Summary", self._call("summary.append", locals(), "workspace"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def end_step(
        self,
        run_id: str,
        *,
        step_id: str,
        events: Sequence[t.StepEvent],
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        tags: Sequence[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Summary:
        """Ends a workflow step.

        Condenses its events into one paragraph, without a model, and appends it as `summary.append` does.

        The paragraph has actions, outputs, errors and follow-ups as sentences, each event once, in at most 4,000 bytes
        on one line. Code in backticks stays as it is; each line of a fenced block is code in backticks. It says how
        many events were left out for lack of space. The same events always produce the same paragraph.

        Parameters
        ----------
        run_id : The id of the workflow run.
        step_id : The id of the step within the run.
        events : What happened, in order. At least one event.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        tags : Tags to find the summary by. Default: none.
        """
        return cast("t.Summary", self._call("summary.endStep", locals(), "workspace"))

    @documented(*READS, "SecretRefused", "GitError")
    def list(
        self,
        run_id: str | None = None,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        tag: str | None = None,
        limit: int | None = None,
        query: str | None = None,
        **call: Unpack[t.CallOptions],
    ) -> list[t.Summary]:
        """Returns a repository's step summaries, newest first, or with a query the most relevant first.

        Parameters
        ----------
        run_id : Only summaries of this run.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        tag : Only summaries with this tag.
        limit : The maximum number of summaries. Default: all.
        query : Only summaries that share words with this text, the most relevant first, ranked as in
            `items.recall`.
        """
        return cast("list[t.Summary]", self._call("summary.list", locals(), "workspace"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def remove(
        self,
        run_id: str | None = None,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        step_id: str | None = None,
        before: str | None = None,
        purge: bool | None = None,
        id: str | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.RemovedRecords:
        """Removes the step summaries that match every given filter.

        `undo.restore` brings each of them back.

        At least one filter is required.

        Parameters
        ----------
        run_id : Those of this run.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        step_id : Those of this step.
        before : Those before this time, RFC 3339.
        purge : Whether they are removed for good: also those in the trash that match, and everything damaged that
            was set aside of the file. Default: `false`.
        id : The one with this id, as `search.find` returns it: `RUN/STEP@TIME`.
        """
        return cast("t.RemovedRecords", self._call("summary.remove", locals(), "workspace"))


class ContextApi(Room):
    """The methods `context.*` of a store."""

    __slots__ = ()

    @documented(*READS, "SecretRefused", "GitError")
    def build(
        self,
        max_chars: int | None = None,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        prompt: str | None = None,
        sections: Sequence[
            Literal[
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
        ]
        | t.ContextSizes
        | None = None,
        focus_files: Sequence[str] | None = None,
        scope_id: str | None = None,
        temporary: bool | None = None,
        embedding: Sequence[float] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.ContextPack:
        """Builds a context pack: a repository's memory as Markdown, fitted to a number of characters.

        Conventions, decisions and notes come first, oldest first within each kind, followed by step summaries, newest
        first. If there are summaries, 40 % of `maxChars` is reserved for them, or more if the newest one needs it, so
        that what comes before them mostly stays the same as steps are added; likewise 10 % each for the context and the
        log of a working scope, 15 % for recalled items and 25 % for the map of the repository's files, together at most
        60 %. What one of these leaves unused goes to those after it, and then, in steps of a tenth of the pack, to what
        was left out before; the map is made for all that is left. Conventions, decisions and notes divide the rest
        equally; what one of them leaves unused goes to the others. A record is included whole or not at all. What is
        left out is the oldest or, with a prompt, the least relevant, and the last line of the text says so: `12 older
        notes left out`. The same state produces the same bytes in every language.

        Records are data: headings in them are demoted, and nothing in them can look like a section. They carry their
        ids in brackets: chosen ones whole, generated ones by at least 13 characters. What several records of a section
        say is shown once.

        Parameters
        ----------
        max_chars : The maximum length of the pack, in Unicode scalar values. Default: 8,000.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        prompt : What the agent is about to do. Records that are relevant for it are included before others, ranked
            as in `items.recall`; recallable items join them in the section `recalled`, and the map of the files that
            matter for it in the section `map`, as of `index.map`.
        sections : The sections to include: a list of their names, or an object of their sizes by name. A size above
            0 and up to 1 is a share of `maxChars`: `1` is all of it. What one section leaves unused of its share goes
            to those after it. A whole number above 1 is a number of characters, which the section never exceeds. Sizes
            that exceed `maxChars` in sum are reduced in proportion. Default: all.
        focus_files : Files that the agent is working on. Records about them are relevant, and the map begins with
            them.
        scope_id : The working scope whose context and latest log entries join the pack in the sections `context`
            and `log`. With a prompt, relevant ones are included before others. Default: none.
        temporary : Whether memory is bypassed: nothing is read, and the pack is empty. Default: false.
        embedding : The embedding vector of the prompt, which is compared with those of recallable items and of the
            log's entries; made by the same model. `Unsupported` if neither is in the pack. Default: they are compared
            by their words.
        """
        return cast("t.ContextPack", self._call("context.build", locals(), "workspace"))


class SearchApi(Room):
    """The methods `search.*` of a store."""

    __slots__ = ()

    @documented(*READS, "SecretRefused", "GitError")
    def find(
        self,
        query: str,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        all: bool | None = None,
        rooms: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        since: str | None = None,
        limit: int | None = None,
        whole: bool | None = None,
        records_only: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.SearchResult:
        """Finds what is remembered of a repository and of the user.

        Conventions, decisions, notes, step summaries, items, files that a model keeps, the repository's own working
        context and log, what past sessions left, and files of the repository. All of it is ranked together, by words
        and words near them.

        Parameters
        ----------
        query : What to find, in a few words or as a question. If it is empty, everything is found but files of the
            repository, the newest first.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        all : Whether everything in the home is searched: every repository and branch, and every job. Default:
            `false`.
        rooms : Only these rooms: `memory`, `summary`, `items`, `files`, `working`, `rollouts`, `index`. Default:
            all.
        kinds : Only these kinds, such as `note`, `decision`, `fact` or `summary`. Default: all.
        since : Only what was changed at this time or later, RFC 3339. Default: all.
        limit : The maximum number of hits. Default: 20.
        whole : Whether hits have their whole texts instead of the lines that match. Default: `false`.
        records_only : Whether files of the repository are left out, so that it is not indexed. Default: `false`.
        """
        return cast("t.SearchResult", self._call("search.find", locals(), "workspace"))


class StatusApi(Room):
    """The methods `status.*` of a store."""

    __slots__ = ()

    @documented(*READS, "SecretRefused", "GitError")
    def get(
        self,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Status:
        """Returns where memory is kept and why there, what is stored for a repository, memory that is not read here.

        And what the hooks of agents did last.

        Parameters
        ----------
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        """
        return cast("t.Status", self._call("status.get", locals(), "workspace"))


class WorkingApi(Room):
    """The methods `working.*` of a store."""

    __slots__ = ()

    @documented(*READS, "SecretRefused", "AdapterError")
    def get_context(self, scope_id: str, **call: Unpack[t.CallOptions]) -> dict[str, t.JsonValue]:
        """Returns the context of a scope, or `{}` if it has none.

        Parameters
        ----------
        scope_id : The scope: a job id, `global`, or any other text.
        """
        return cast("dict[str, t.JsonValue]", self._call("working.getContext", locals()))

    @documented(*READS, "RenameError", "SecretRefused", "Conflict", "AdapterError")
    def update_context(
        self,
        scope_id: str,
        *,
        patch: Mapping[str, object] | None = None,
        remove: Sequence[str] | None = None,
        source: str | None = None,
        increment: Mapping[str, object] | None = None,
        append: Mapping[str, object] | None = None,
        expect: Mapping[str, object] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> dict[str, t.JsonValue]:
        """Updates the context of a scope and returns the new context.

        Each value of the patch replaces the whole previous value of that name; null is stored as null. With `increment`
        and `append`, no other writer's change is lost. Secrets are redacted. The change is recorded in the scope's
        history.

        Parameters
        ----------
        scope_id : The scope: a job id, `global`, or any other text.
        patch : The values to set, by name. Default: none.
        remove : The names to remove, before the values are set.
        source : Who makes the change, for the history.
        increment : Numbers to add to the values of these names; one that is missing counts as 0. Default: none.
        append : Lists whose elements are appended to the lists of these names; one that is missing counts as empty.
            Default: none.
        expect : The values that these names must have, or nothing is changed and the call fails with `Conflict`;
            null for a name that must be missing. Default: any.
        """
        return cast("dict[str, t.JsonValue]", self._call("working.updateContext", locals()))

    @documented(*READS, "RenameError", "SecretRefused", "Conflict", "AdapterError")
    def add_log(
        self, scope_id: str, *, entry: t.MemoryEntryDraft | t.MemoryEntry, **call: Unpack[t.CallOptions]
    ) -> t.MemoryEntry:
        """Adds an entry to the log of a scope and returns it as stored.

        Secrets are redacted.

        Parameters
        ----------
        scope_id : The scope: a job id, `global`, or any other text.
        entry : The entry to add.
        """
        return cast("t.MemoryEntry", self._call("working.addLog", locals()))

    @documented(*READS, "SecretRefused", "AdapterError", NotFound="The log has no entry with the id in `after`.")
    def get_logs(
        self, scope_id: str, *, limit: int | None = None, after: str | None = None, **call: Unpack[t.CallOptions]
    ) -> list[t.MemoryEntry]:
        """Returns the log of a scope, oldest entry first.

        Parameters
        ----------
        scope_id : The scope: a job id, `global`, or any other text.
        limit : The maximum number of entries: the last ones or, with `after`, the first ones that follow. Default:
            all.
        after : Only entries that follow the one with this id.
        """
        return cast("list[t.MemoryEntry]", self._call("working.getLogs", locals()))

    @documented(*READS, "SecretRefused", "AdapterError")
    def search_logs(
        self,
        scope_id: str,
        *,
        embedding: Sequence[float] | None = None,
        text: str | None = None,
        limit: int | None = None,
        **call: Unpack[t.CallOptions],
    ) -> list[t.ScoredEntry]:
        """Searches the log of a scope by embedding or by text, and returns the best matches first.

        Pass either `embedding` or `text`. Embeddings are compared by their cosine similarity, without an approximate
        index; entries without an embedding, or with one of a different length, are skipped. Texts are ranked by BM25;
        entries that share no word with the query are skipped.

        Parameters
        ----------
        scope_id : The scope: a job id, `global`, or any other text.
        embedding : The embedding to compare with.
        text : The words to search for.
        limit : The maximum number of entries. Default: 10.
        """
        return cast("list[t.ScoredEntry]", self._call("working.searchLogs", locals()))

    @documented(*READS, "RenameError", "SecretRefused", "Conflict", "AdapterError")
    def save_checkpoint(self, job_id: str, **call: Unpack[t.CallOptions]) -> t.Checkpoint:
        """Saves the context of a job as a checkpoint and returns the checkpoint's timestamp.

        Parameters
        ----------
        job_id : The job; its scope has the same id.
        """
        return cast("t.Checkpoint", self._call("working.saveCheckpoint", locals()))

    @documented(
        *READS,
        "RenameError",
        "SecretRefused",
        "Conflict",
        "AdapterError",
        NotFound="The job has no checkpoint with this timestamp.",
    )
    def restore_checkpoint(
        self, job_id: str, *, timestamp: int, **call: Unpack[t.CallOptions]
    ) -> dict[str, t.JsonValue]:
        """Replaces the context of a job with the one saved in a checkpoint, and returns it.

        The scope's history keeps the replaced context (`replaced`), so that the restore can be undone.

        Parameters
        ----------
        job_id : The job; its scope has the same id.
        timestamp : The checkpoint's timestamp.
        """
        return cast("dict[str, t.JsonValue]", self._call("working.restoreCheckpoint", locals()))

    @documented(*READS, "SecretRefused", "AdapterError")
    def list_checkpoints(self, job_id: str, **call: Unpack[t.CallOptions]) -> list[int]:
        """Returns the timestamps of a job's checkpoints, oldest first.

        Parameters
        ----------
        job_id : The job; its scope has the same id.
        """
        return cast("list[int]", self._call("working.listCheckpoints", locals()))

    @documented(*READS, "RenameError", "SecretRefused", "Conflict", "AdapterError")
    def delete_checkpoint(self, job_id: str, *, timestamp: int, **call: Unpack[t.CallOptions]) -> t.Removed:
        """Deletes a checkpoint.

        Parameters
        ----------
        job_id : The job; its scope has the same id.
        timestamp : The checkpoint's timestamp.
        """
        return cast("t.Removed", self._call("working.deleteCheckpoint", locals()))

    @documented(*READS, "SecretRefused", "AdapterError")
    def history(self, scope_id: str, *, limit: int | None = None, **call: Unpack[t.CallOptions]) -> list[t.TrailEntry]:
        """Returns the history of a scope: the changes to its context, oldest first.

        Parameters
        ----------
        scope_id : The scope: a job id, `global`, or any other text.
        limit : The maximum number of changes: the last ones. Default: all.
        """
        return cast("list[t.TrailEntry]", self._call("working.history", locals()))

    @documented(*READS, "AdapterError", Unsupported="The adapter cannot list its keys.")
    def list_scopes(self, **call: Unpack[t.CallOptions]) -> list[str]:
        """Returns the ids of all scopes that have stored data, sorted."""
        return cast("list[str]", self._call("working.listScopes", locals()))

    @documented(*READS, "RenameError", "SecretRefused", "Conflict", "AdapterError")
    def delete_scope(self, scope_id: str, *, purge: bool | None = None, **call: Unpack[t.CallOptions]) -> t.Removed:
        """Deletes everything stored for a scope: its context, history, log and checkpoints.

        `undo.restore` brings the context back, but not the others.

        Parameters
        ----------
        scope_id : The scope: a job id, `global`, or any other text.
        purge : Whether it is deleted for good: with every context of it in the trash. Default: false.
        """
        return cast("t.Removed", self._call("working.deleteScope", locals()))


class AdapterApi(Room):
    """The methods `adapter.*` of a store."""

    __slots__ = ()

    @documented(*READS)
    def get(self, key: str, **call: Unpack[t.CallOptions]) -> t.StoredValue:
        """Returns the value under a key of the adapter that stores working contexts.

        Parameters
        ----------
        key : The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`, `checkpoint:JOB:TIMESTAMP`,
            or any other text.
        """
        return cast("t.StoredValue", self._call("adapter.get", locals()))

    @documented(*READS, "RenameError")
    def set(self, key: str, *, value: object, **call: Unpack[t.CallOptions]) -> t.StoredValue:
        """Sets the value under a key of the adapter and returns it as stored.

        Secrets are redacted.

        A context or a checkpoint must be an object. Setting a context adds an entry to the history of its scope;
        setting a checkpoint adds its timestamp to `checkpoints:JOB`. `logs:SCOPE` and `trail:SCOPE` are lists: use
        `adapter.push`.

        Parameters
        ----------
        key : The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`, `checkpoint:JOB:TIMESTAMP`,
            or any other text.
        value : The value, any JSON.
        """
        return cast("t.StoredValue", self._call("adapter.set", locals()))

    @documented(*READS, "RenameError")
    def delete(self, key: str, **call: Unpack[t.CallOptions]) -> t.Removed:
        """Deletes the value and the list under a key of the adapter.

        Deleting a context also deletes the history of its scope; `undo.restore` brings the context back. A history
        cannot be deleted alone.

        Parameters
        ----------
        key : The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`, `checkpoint:JOB:TIMESTAMP`,
            or any other text.
        """
        return cast("t.Removed", self._call("adapter.del", locals()))

    @documented(*READS, "RenameError")
    def push(self, key: str, *, item: object, **call: Unpack[t.CallOptions]) -> t.StoredValue:
        """Appends an item to the list under a key of the adapter and returns it as stored.

        Secrets are redacted.

        An item of `logs:SCOPE` is a log entry, whose missing members are filled in as by `working.addLog`.

        Parameters
        ----------
        key : The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`, `checkpoint:JOB:TIMESTAMP`,
            or any other text.
        item : The item, any JSON.
        """
        return cast("t.StoredValue", self._call("adapter.push", locals()))

    @documented(*READS)
    def get_list(self, key: str, **call: Unpack[t.CallOptions]) -> list[t.JsonValue]:
        """Returns the items of the list under a key of the adapter, in the order in which they were added.

        An empty list if there is no list.

        Parameters
        ----------
        key : The key: `context:SCOPE`, `logs:SCOPE`, `trail:SCOPE`, `checkpoints:JOB`, `checkpoint:JOB:TIMESTAMP`,
            or any other text.
        """
        return cast("list[t.JsonValue]", self._call("adapter.getList", locals()))


class ItemsApi(Room):
    """The methods `items.*` of a store."""

    __slots__ = ()

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def add(
        self,
        content: str,
        *,
        scope: Literal["repo", "dir", "global"] | None = None,
        type: Literal["pref", "fact", "instruction", "profile", "note"] | None = None,
        tags: Sequence[str] | None = None,
        relevance_hints: t.RelevanceHints | None = None,
        expiry: str | None = None,
        session: str | None = None,
        seq: int | None = None,
        embedding: Sequence[float] | None = None,
        recallable: bool | None = None,
        force: bool | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Item:
        """Adds an item and returns it as stored.

        An item that contains a secret is refused: the error names the rule and the field. With `force`, the item is
        stored with the secret redacted.

        Parameters
        ----------
        content : The memory, in one or a few sentences. At most `items.maxContentChars` (240) characters.
        scope : Where it applies: in the repository, in a folder, or everywhere. Default: `dir` with `dir`, else
            `repo` in a git repository, else `global`.
        type : What kind of memory it is. Default: `note`.
        tags : Tags to find it by. Items with the tag `history` are never recalled. Default: none.
        relevance_hints : When it is relevant. Default: no hints.
        expiry : When it expires: an RFC 3339 time, or a duration from now such as `12h`, `30d`, `2w` or `1y`.
            Default: never.
        session : The session that it was said in. Default: none.
        seq : Its position in the session. Default: the time of its creation.
        embedding : Its embedding vector. Default: none.
        recallable : False for an item that is kept but never recalled. Default: true.
        force : Whether a secret is redacted instead of refused. Default: false.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.Item", self._call("items.add", locals(), "workspace", "dir"))

    @documented(*READS, "SecretRefused", "GitError")
    def get(
        self,
        id: str,
        *,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Item:
        """Returns the item with an id, and how often it was recalled and used.

        Parameters
        ----------
        id : The id of the item.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.Item", self._call("items.get", locals(), "workspace", "dir"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def sweep(
        self,
        *,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> list[t.Item]:
        """Archives the items that have expired, and returns them.

        Parameters
        ----------
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("list[t.Item]", self._call("items.sweep", locals(), "workspace", "dir"))

    @documented(*READS, "SecretRefused", "GitError")
    def list(
        self,
        scope: Literal["repo", "dir", "global"] | None = None,
        *,
        status: Literal["active", "archived"] | None = None,
        type: Literal["pref", "fact", "instruction", "profile", "note"] | None = None,
        tag: str | None = None,
        text: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> list[t.Item]:
        """Returns items.

        Those of the repository, of the folder and those above it, and the global ones; oldest first in each of them.

        Parameters
        ----------
        scope : Only items of this scope.
        status : Only items with this status.
        type : Only items of this type.
        tag : Only items with this tag.
        text : Only items with this text in their content, tags or hints, ignoring case.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("list[t.Item]", self._call("items.list", locals(), "workspace", "dir"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def update(
        self,
        id: str,
        *,
        patch: t.ItemPatch,
        force: bool | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Item:
        """Changes an item and returns it as stored.

        As in `items.add`, a secret is refused unless `force` is set.

        Parameters
        ----------
        id : The id of the item.
        patch : The change.
        force : Whether a secret is redacted instead of refused. Default: false.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.Item", self._call("items.update", locals(), "workspace", "dir"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def archive(
        self,
        id: str,
        *,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Item:
        """Archives an item and returns it: it is kept, but not recalled.

        Parameters
        ----------
        id : The id of the item.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.Item", self._call("items.archive", locals(), "workspace", "dir"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def restore(
        self,
        id: str,
        *,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Item:
        """Makes an archived item active again, and returns it.

        If it has expired, it no longer expires.

        Parameters
        ----------
        id : The id of the item.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.Item", self._call("items.restore", locals(), "workspace", "dir"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def remove(
        self,
        id: str | None = None,
        *,
        scope: Literal["repo", "dir", "global"] | None = None,
        status: Literal["active", "archived"] | None = None,
        type: Literal["pref", "fact", "instruction", "profile", "note"] | None = None,
        tag: str | None = None,
        text: str | None = None,
        dry_run: bool | None = None,
        purge: bool | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.RemovedRecords:
        """Removes the item with this id, or every item that matches all given filters.

        `undo.restore` brings each of them back.

        Parameters
        ----------
        id : The id of the item. Default: those that match the filters, of which at least one is required.
        scope : Only items of this scope.
        status : Only items with this status.
        type : Only items of this type.
        tag : Only items with this tag.
        text : Only items with this text in their content, tags or hints, ignoring case.
        dry_run : Only counts them. Default: false.
        purge : Whether they are removed for good: with their counts, every version of them in the trash, and
            everything damaged that was set aside of their file. Default: false.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.RemovedRecords", self._call("items.remove", locals(), "workspace", "dir"))

    @documented(*READS, "SecretRefused", "GitError")
    def recall(
        self,
        prompt: str,
        *,
        files: Sequence[str] | None = None,
        crates: Sequence[str] | None = None,
        langs: Sequence[str] | None = None,
        limit: int | None = None,
        min_score: float | None = None,
        max_chars: int | None = None,
        max_tokens: int | None = None,
        temporary: bool | None = None,
        embedding: Sequence[float] | None = None,
        preview: bool | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Recall:
        """Recalls the items that matter for a prompt, the most relevant first.

        And returns them as text to be put into it, after the standing ones.

        Items of type `pref`, `instruction` and `profile` are preferences: without hints they apply to every prompt of
        their scope, else where a file, a package or a language of the call fits. They have a space of their own,
        `recall.standingChars` (1,000). What was not added from this home is data until `items.trust` says otherwise.

        Candidates are the items of the repository, of the folder and those above it; if fewer than
        `recall.minRepoCandidates` (8) of them match, the global ones join them. They are ranked by the words that they
        share with the prompt, by the files, packages and languages that the agent is working with, by what was said
        next to them in the same session, and slightly by how recently they were changed and how often they were used.
        What scores too little is left out. Archived and expired items are never recalled.

        The text quotes the items, so that they cannot be mistaken for instructions of the host.

        Parameters
        ----------
        prompt : What the agent is about to do.
        files : The files that the agent is working on, relative to the repository or absolute. Default: none.
        crates : The packages that the agent is working on. Default: none.
        langs : The programming languages in use. Default: none.
        limit : The maximum number of items, at most 1,000. Default: `recall.limit` (8).
        min_score : The score that an item must at least have, from 0 to 1. Default: `recall.minScore` (0.15).
        max_chars : The maximum length of the text, in Unicode scalar values. Default: `recall.maxChars` (1,200)
            beside the preferences, or no limit if there is one in tokens.
        max_tokens : The maximum length of the text, in tokens: as the host's tokenizer counts them, else an
            estimate that is rather too high. Default: no limit.
        temporary : Whether memory is bypassed: nothing is read or written, and nothing is returned. Default: false.
        embedding : The embedding vector of the prompt, which is compared with those of the items; made by the same
            model. Default: items are compared by their words.
        preview : Whether the result is only looked at: the returned items are not counted as seen. Default: false.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.Recall", self._call("items.recall", locals(), "workspace", "dir"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def used(
        self,
        ids: Sequence[str],
        *,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.UsedItems:
        """Counts that the host used items, which lifts them slightly in later recalls.

        Parameters
        ----------
        ids : The ids of the items.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.UsedItems", self._call("items.used", locals(), "workspace", "dir"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def trust(
        self,
        revoke: bool | None = None,
        *,
        dry_run: bool | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.TrustedItems:
        """Trusts the items of the repository and of folders, now and later.

        Those of type `pref`, `instruction` and `profile` then apply to every prompt, regardless of who wrote them.
        Those that were added from this home apply in any case.

        It is for people who have read the items, which the result has: a repository may come from anyone.

        Parameters
        ----------
        revoke : True to trust only what was added from this home again. Default: false.
        dry_run : True to only look at what would be trusted. Default: false.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.TrustedItems", self._call("items.trust", locals(), "workspace", "dir"))

    @documented(*READS, "SecretRefused", "GitError")
    def export(
        self,
        scope: Literal["repo", "dir", "global"] | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.ExportedItems:
        """Returns items with their counts, or writes them to a new file, one per line, as `items.import` takes them.

        Parameters
        ----------
        scope : Only items of this scope.
        path : The file to create. Default: the items are returned.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.ExportedItems", self._call("items.export", locals(), "path", "workspace", "dir"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def import_(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        items: Sequence[Mapping[str, object]] | None = None,
        scope: Literal["repo", "dir", "global"] | None = None,
        on_conflict: Literal["newer", "keep", "replace"] | None = None,
        force: bool | None = None,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.ImportedItems:
        """Imports items from a file with one item per line, as JSON, or from a list.

        Ids, dates, unknown fields and counts are kept; an item without an id gets a new one. A line that is damaged or
        too long is skipped and named, as is one with a secret, unless `force` redacts it.

        Parameters
        ----------
        path : The file to read.
        items : The items, instead of a file.
        scope : The scope of all items. Default: the scope that each one says, else `repo`.
        on_conflict : What happens to an item whose id is stored already: the one that was changed last is kept, the
            stored one is kept, or it is replaced. Default: `newer`.
        force : Whether secrets are redacted; otherwise an item with one is skipped. Default: false.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.ImportedItems", self._call("items.import", locals(), "path", "workspace", "dir"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def migrate(
        self,
        to: Literal["jsonl", "sqlite"],
        *,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.MigratedItems:
        """Copies the items of all scopes from the other backend to this one, byte for byte and in their order.

        The source stays as it is, and so does what the target has already. Afterwards, set `CODEX_MEMORY_BACKEND` or
        open the store with `itemsBackend`.

        Parameters
        ----------
        to : The backend to copy to.
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.MigratedItems", self._call("items.migrate", locals(), "workspace", "dir"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def migrate_legacy(
        self,
        *,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.MigratedLegacyItems:
        """Copies the memories of older programs.

        `*.jsonl` in the folder `memory` of the Codex home become global items, and `.codex/memory/memory.jsonl` of the
        repository becomes items of the repository.

        Ids and dates are kept. Events, `exec` and `apply_patch`, are archived with the tag `history` and never
        recalled. Secrets are redacted. Lines that cannot be read are named, and the files stay as they are; copying
        them twice is the same as once.

        Parameters
        ----------
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.MigratedLegacyItems", self._call("items.migrateLegacy", locals(), "workspace", "dir"))

    @documented(*READS, "SecretRefused", "GitError")
    def stats(
        self,
        *,
        workspace: str | os.PathLike[str] | None = None,
        dir: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.ItemStats:
        """Counts the items.

        Parameters
        ----------
        workspace : A folder in the repository. Default: the current folder.
        dir : The folder for items of the scope `dir`, relative to the workspace or absolute; those of the folders
            above it apply too. Default: the workspace.
        """
        return cast("t.ItemStats", self._call("items.stats", locals(), "workspace", "dir"))


class FilesApi(Room):
    """The methods `files.*` of a store."""

    __slots__ = ()

    @documented(*READS, "SecretRefused", "GitError")
    def view(
        self,
        path: str,
        *,
        view_range: Sequence[int] | None = None,
        global_: bool | None = None,
        sdk: Literal["python", "typescript"] | None = None,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.FileAnswer:
        """Returns a file with the numbers of its lines, or what is in a folder, two levels deep.

        All paths are below `/memories`. Hidden files are not listed, but can be viewed.

        Parameters
        ----------
        path : The file or folder: `/memories/notes.md`.
        view_range : The first and the last line to return, from 1; a last line of -1 is that of the file. Default:
            all.
        global_ : Whether they are the files of the user, which belong to no repository. Default: `false`.
        sdk : The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
        """
        return cast("t.FileAnswer", self._call("files.view", locals(), "workspace"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def create(
        self,
        path: str,
        *,
        file_text: str,
        global_: bool | None = None,
        sdk: Literal["python", "typescript"] | None = None,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.FileAnswer:
        """Creates a file, and its folders.

        Secrets are redacted.

        Parameters
        ----------
        path : The path of the new file: `/memories/notes.md`.
        file_text : Its text, at most 16 MiB.
        global_ : Whether they are the files of the user, which belong to no repository. Default: `false`.
        sdk : The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
        """
        return cast("t.FileAnswer", self._call("files.create", locals(), "workspace"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def replace(
        self,
        path: str,
        *,
        old_str: str,
        new_str: str | None = None,
        global_: bool | None = None,
        sdk: Literal["python", "typescript"] | None = None,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.FileAnswer:
        """Replaces a text that is in a file once.

        Secrets are redacted.

        Parameters
        ----------
        path : The file.
        old_str : The text that is replaced, which has to be in the file exactly once.
        new_str : The text in its place. Default: none, so that the old one is removed.
        global_ : Whether they are the files of the user, which belong to no repository. Default: `false`.
        sdk : The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
        """
        return cast("t.FileAnswer", self._call("files.replace", locals(), "workspace"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def insert(
        self,
        path: str,
        *,
        insert_line: int,
        insert_text: str,
        global_: bool | None = None,
        sdk: Literal["python", "typescript"] | None = None,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.FileAnswer:
        """Inserts a text into a file.

        Secrets are redacted.

        Parameters
        ----------
        path : The file.
        insert_line : The line behind which it is inserted; 0 is the beginning of the file.
        insert_text : The text.
        global_ : Whether they are the files of the user, which belong to no repository. Default: `false`.
        sdk : The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
        """
        return cast("t.FileAnswer", self._call("files.insert", locals(), "workspace"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def remove(
        self,
        path: str,
        *,
        purge: bool | None = None,
        global_: bool | None = None,
        sdk: Literal["python", "typescript"] | None = None,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.FileAnswer:
        """Removes a file, or a folder with everything in it.

        `undo.restore` brings back each file that was text.

        Parameters
        ----------
        path : The file or folder.
        purge : Whether it is removed for good, with what the trash has of it. Default: `false`.
        global_ : Whether they are the files of the user, which belong to no repository. Default: `false`.
        sdk : The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
        """
        return cast("t.FileAnswer", self._call("files.remove", locals(), "workspace"))

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def rename(
        self,
        old_path: str,
        *,
        new_path: str,
        global_: bool | None = None,
        sdk: Literal["python", "typescript"] | None = None,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.FileAnswer:
        """Renames a file or a folder, or moves it.

        The folders above the new path are created.

        Parameters
        ----------
        old_path : The file or folder.
        new_path : Its new path, at which there is nothing yet.
        global_ : Whether they are the files of the user, which belong to no repository. Default: `false`.
        sdk : The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
        """
        return cast("t.FileAnswer", self._call("files.rename", locals(), "workspace"))

    @documented(*READS, "SecretRefused", "GitError")
    def list(
        self,
        path: str | None = None,
        *,
        global_: bool | None = None,
        sdk: Literal["python", "typescript"] | None = None,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> list[t.FileEntry]:
        """Returns the files at a path and below it, by path, hidden ones included.

        Links are left out.

        Parameters
        ----------
        path : The file or folder. Default: `/memories`.
        global_ : Whether they are the files of the user, which belong to no repository. Default: `false`.
        sdk : The SDK of Anthropic whose wording and behaviour the answer has where they differ. Default: `python`.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
        """
        return cast("list[t.FileEntry]", self._call("files.list", locals(), "workspace"))


class RolloutsApi(Room):
    """The methods `rollouts.*` of a store."""

    __slots__ = ()

    @documented(*READS, "RenameError")
    def upsert_thread(
        self,
        id: str,
        *,
        rollout_path: str | os.PathLike[str],
        updated_at: str,
        cwd: str | os.PathLike[str],
        source: str,
        git_branch: str | None = None,
        mode: Literal["enabled", "disabled", "polluted"] | None = None,
        archived: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Thread:
        """Registers a session, or what changed about it, and returns it as stored.

        Nothing is stored of a session that was forgotten.

        Parameters
        ----------
        id : The id of the session.
        rollout_path : The path of its transcript: a rollout of Codex, or a session of Claude Code.
        updated_at : When it changed last, as an RFC 3339 time.
        cwd : Its working folder; empty if it is unknown.
        source : Where it was held, such as `cli`. Only those in `rollouts.interactiveSources` are extracted.
        git_branch : The branch that was checked out. Default: none.
        mode : Whether its memory may be extracted. Default: as before, and `enabled` for a new session.
        archived : Whether the user archived it. Default: as before, and false for a new session.
        """
        return cast("t.Thread", self._call("rollouts.upsertThread", locals(), "rollout_path", "cwd"))

    @documented(*READS, "RenameError")
    def scan(
        self,
        kinds: Sequence[Literal["codex", "claude"]] | None = None,
        *,
        roots: Sequence[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.ScannedTranscripts:
        """Finds transcripts and registers their sessions.

        Rollouts of Codex below `sessions` and `archived_sessions` in the Codex home, and sessions of Claude Code below
        `projects` in `CLAUDE_CONFIG_DIR` or `~/.claude`.

        A transcript that did not change since the last scan is not read; of one that did, only its beginning and its
        end are.

        Parameters
        ----------
        kinds : Whose transcripts. Default: those of all.
        roots : The folders to search instead. Default: those above.
        """
        return cast("t.ScannedTranscripts", self._call("rollouts.scan", locals()))

    @documented(*READS)
    def input(self, thread_id: str, *, max_tokens: int | None = None, **call: Unpack[t.CallOptions]) -> t.Stage1Input:
        """Returns what a model should read of a session.

        Its transcript, with the instructions and the schema of the answer.

        The transcript is redacted and without the texts of the system and the developer. It is fitted to the budget by
        importance, messages of people and final answers first, and is in the order of the session.

        Parameters
        ----------
        thread_id : The session.
        max_tokens : The maximum length of the transcript, in tokens of three bytes; at least 100. Default:
            `rollouts.inputMaxTokens`, and half of it after each failed attempt.
        """
        return cast("t.Stage1Input", self._call("rollouts.input", locals()))

    @documented(*READS, "RenameError")
    def claim_stage1(
        self,
        worker_id: str,
        *,
        limit: int | None = None,
        current_thread_id: str | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Stage1Claims:
        """Claims sessions whose memory is due to be extracted, the newest first.

        A session is due when it has been idle for 12 hours, is at most 30 days old, and changed since its memory was
        extracted. A claim ends after an hour unless it is renewed, and spends one of three attempts, which a change of
        the session refills. At most 64 sessions are claimed at once.

        Parameters
        ----------
        worker_id : Who claims them, for the status.
        limit : The maximum number of sessions. Default: as many as may be claimed.
        current_thread_id : The session that the caller is in, which is never claimed. Default: none.
        """
        return cast("t.Stage1Claims", self._call("rollouts.claimStage1", locals()))

    @documented(*READS, "RenameError")
    def heartbeat(
        self,
        kind: Literal["stage1", "consolidation"],
        *,
        ownership_token: str,
        thread_id: str | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.RenewedLease:
        """Renews a claim.

        `LeaseLost` if it is not the caller's anymore: the caller should drop its work.

        Parameters
        ----------
        kind : The kind of the claim.
        ownership_token : The token of the claim.
        thread_id : The session, for the claim of one. Default: none.
        """
        return cast("t.RenewedLease", self._call("rollouts.heartbeat", locals()))

    @documented(*READS, "RenameError")
    def complete_stage1(
        self, thread_id: str, *, ownership_token: str, output: str | t.Stage1Answer, **call: Unpack[t.CallOptions]
    ) -> t.CompletedStage1:
        """Stores what a model made of a claimed session.

        `LeaseLost` if the claim is not the caller's anymore: nothing is written.

        An output whose texts are all empty is a success: what was stored of the session is removed. Secrets are
        redacted.

        Parameters
        ----------
        thread_id : The session.
        ownership_token : The token of the claim.
        output : The answer, or a text that contains it, in a fence or between other words.
        """
        return cast("t.CompletedStage1", self._call("rollouts.completeStage1", locals()))

    @documented(*READS, "RenameError")
    def fail_stage1(
        self,
        thread_id: str,
        *,
        ownership_token: str,
        reason: str,
        retry_after_secs: int | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.FailedJob:
        """Records that the work on a claimed session failed.

        It is due again later, unless its attempts are spent.

        Parameters
        ----------
        thread_id : The session.
        ownership_token : The token of the claim.
        reason : Why it failed, for the status; at most 2,000 bytes are kept. Secrets are redacted.
        retry_after_secs : When it may be tried again, in seconds from now. Default: `rollouts.retryDelaySecs`
            (3,600).
        """
        return cast("t.FailedJob", self._call("rollouts.failStage1", locals()))

    @documented(*READS, "RenameError")
    def materialize(self, take_over: bool | None = None, **call: Unpack[t.CallOptions]) -> t.MaterializedFiles:
        """Brings the files under the memory root up to date.

        `rollout_summaries/` with a file a session, and `raw_memories.md`.

        They are a function of what is stored: only files whose contents change are written. A file that was changed is
        set aside before it is replaced. Files of these names that loopmem did not write are a `Conflict`.

        Parameters
        ----------
        take_over : Whether files of these names that loopmem did not write are set aside too: they are renamed to
            `NAME.edited`. Default: false.
        """
        return cast("t.MaterializedFiles", self._call("rollouts.materialize", locals()))

    @documented(*READS, "RenameError")
    def claim_consolidation(self, worker_id: str, **call: Unpack[t.CallOptions]) -> t.ConsolidationClaim:
        """Claims the consolidation of what sessions left, if there is anything new.

        One worker has it at a time, for an hour unless it renews its claim.

        The claim comes with the inputs, what changed since the last consolidation, the files that were edited since,
        and the instructions for the model. The files that it reads are up to date.

        Parameters
        ----------
        worker_id : Who claims it, for the status.
        """
        return cast("t.ConsolidationClaim", self._call("rollouts.claimConsolidation", locals()))

    @documented(*READS, "RenameError")
    def complete_consolidation(
        self, ownership_token: str, *, written: Sequence[str] | None = None, **call: Unpack[t.CallOptions]
    ) -> t.CompletedConsolidation:
        """Ends a consolidation with success.

        Parameters
        ----------
        ownership_token : The token of the claim.
        written : The files that the worker wrote or removed, relative to the memory root. Any other file that
            changed meanwhile was edited by another program or a person, which makes another consolidation due. Default:
            unknown; then changes to `MEMORY.md`, `memory_summary.md` and `skills/` may be either, and are listed as
            edited in the next claim.
        """
        return cast("t.CompletedConsolidation", self._call("rollouts.completeConsolidation", locals()))

    @documented(*READS, "RenameError")
    def fail_consolidation(
        self, ownership_token: str, *, reason: str, retry_after_secs: int | None = None, **call: Unpack[t.CallOptions]
    ) -> t.FailedJob:
        """Records that a consolidation failed.

        New work does not shorten the wait for the next attempt.

        Parameters
        ----------
        ownership_token : The token of the claim.
        reason : Why it failed, for the status; at most 2,000 bytes are kept. Secrets are redacted.
        retry_after_secs : When it may be tried again, in seconds from now. Default: `rollouts.retryDelaySecs`
            (3,600).
        """
        return cast("t.FailedJob", self._call("rollouts.failConsolidation", locals()))

    @documented(*READS, "RenameError")
    def run(
        self,
        stage1_command: Sequence[str] | None = None,
        *,
        consolidate_command: Sequence[str] | None = None,
        with_: str | None = None,
        limit: int | None = None,
        command_timeout_secs: int | None = None,
        take_over: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.RolloutsRun:
        """Works on every session that is due, and then consolidates, with external commands as the model.

        A command gets one JSON object on standard input and writes its answer to standard output; `docs/ROLLOUTS.md`
        has the members. One that fails, takes too long or answers nonsense fails its session, which is tried again
        later. After three failures in a row, the other sessions are left for the next run. A command that cannot be
        started, or that ends with exit status 127, is a `ValidationError` and spends no attempt.

        Parameters
        ----------
        stage1_command : The program that extracts, and its arguments. Default: that of `with`.
        consolidate_command : The program that consolidates, and its arguments. Default: that of `with`, else
            nothing is consolidated.
        with_ : A program that brings a model along, for what has no command: `claude`, `codex`, `gemini` or
            `ollama:MODEL`. Default: `rollouts.with`, unless there is a `stage1Command`.
        limit : The maximum number of sessions. Default: all that are due.
        command_timeout_secs : How long a command may take, in seconds; at most 86,400. Default: 600.
        take_over : As for `rollouts.materialize`. Default: false.
        """
        return cast("t.RolloutsRun", self._call("rollouts.run", locals()))

    @documented(*READS)
    def status(self, **call: Unpack[t.CallOptions]) -> t.RolloutsStatus:
        """Returns how many sessions and jobs are in which state, when the next one is due.

        And how the consolidation is.
        """
        return cast("t.RolloutsStatus", self._call("rollouts.status", locals()))

    @documented(*READS)
    def list(
        self,
        reasons: Sequence[
            Literal[
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
        ]
        | None = None,
        *,
        limit: int | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.ThreadList:
        """Returns the registered sessions, the one that changed last first, each with why it is or is not extracted.

        Parameters
        ----------
        reasons : Only sessions with one of these reasons. Default: all.
        limit : The maximum number of sessions, at least 1. Default: 50.
        """
        return cast("t.ThreadList", self._call("rollouts.list", locals()))

    @documented(*READS, "SecretRefused", "GitError")
    def read(
        self,
        path: str | None = None,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.MemoryFiles:
        """Returns the files of the memory root that agents may read, or one of them with its text.

        `memory_summary.md`, `MEMORY.md` and `skills/NAME/SKILL.md`. What is about other projects is left out, and so is
        what sessions left that were withdrawn. The list is empty if there is no such file.

        Parameters
        ----------
        path : The file, as it is listed. Default: the list, without texts.
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        """
        return cast("t.MemoryFiles", self._call("rollouts.read", locals(), "workspace"))

    @documented(*READS)
    def explain(self, thread_id: str, **call: Unpack[t.CallOptions]) -> t.ThreadExplanation:
        """Returns why a session is or is not extracted, with its job and its output.

        Parameters
        ----------
        thread_id : The session.
        """
        return cast("t.ThreadExplanation", self._call("rollouts.explain", locals()))

    @documented(*READS, "RenameError")
    def retry(self, thread_ids: Sequence[str] | None = None, **call: Unpack[t.CallOptions]) -> t.RetriedRollouts:
        """Makes sessions that failed due again: their attempts are refilled and their waits end.

        Parameters
        ----------
        thread_ids : The sessions. Default: all that failed, and the consolidation if it did.
        """
        return cast("t.RetriedRollouts", self._call("rollouts.retry", locals()))

    @documented(*READS, "RenameError")
    def record_usage(self, thread_ids: Sequence[str], **call: Unpack[t.CallOptions]) -> t.RecordedUsage:
        """Counts that the memory of sessions was used, such as when it is cited.

        What is used often and recently is consolidated first.

        Parameters
        ----------
        thread_ids : The sessions, each of which counts once.
        """
        return cast("t.RecordedUsage", self._call("rollouts.recordUsage", locals()))

    @documented(*READS, "RenameError")
    def set_mode(
        self, thread_id: str, *, mode: Literal["enabled", "disabled", "polluted"], **call: Unpack[t.CallOptions]
    ) -> t.Thread:
        """Sets whether the memory of a session may be extracted and shown.

        If something was extracted, another consolidation is due, and the next `rollouts.materialize` adds or removes
        its files.

        Parameters
        ----------
        thread_id : The session.
        mode : Whether its memory may be extracted.
        """
        return cast("t.Thread", self._call("rollouts.setMode", locals()))

    @documented(*READS, "RenameError")
    def forget(self, thread_id: str, **call: Unpack[t.CallOptions]) -> t.ForgottenThread:
        """Removes everything that is stored of a session, and its files.

        It is never extracted again. If it was part of the last consolidation, another one is due.

        Parameters
        ----------
        thread_id : The session.
        """
        return cast("t.ForgottenThread", self._call("rollouts.forget", locals()))

    @documented(*READS, "RenameError")
    def reset(self, reextract: bool | None = None, **call: Unpack[t.CallOptions]) -> t.ResetRollouts:
        """Clears outputs and jobs, and the files made of them.

        Sessions, their modes and what was forgotten stay. What a consolidation wrote stays too.

        Parameters
        ----------
        reextract : True if sessions are due again at once. Default: false; each is due when it changes.
        """
        return cast("t.ResetRollouts", self._call("rollouts.reset", locals()))

    @documented(*READS, "RenameError")
    def migrate_legacy_root(self, **call: Unpack[t.CallOptions]) -> t.MigratedLegacyRoot:
        """Moves the memory of an older program from `memories/user/memory` to the memory root, once.

        If the root holds no other memory. Nothing is overwritten, and the folders for single working folders stay where
        they are.
        """
        return cast("t.MigratedLegacyRoot", self._call("rollouts.migrateLegacyRoot", locals()))


class BranchApi(Room):
    """The methods `branch.*` of a store."""

    __slots__ = ()

    @documented(*READS)
    def parse_config(self, config: object | None = None, **call: Unpack[t.CallOptions]) -> t.BranchMemories:
        """Reads the configuration of memories and returns each with its folder, its branch and its limits.

        Without an `id`, a memory is called `default`. Its branch is `memory/ID`, unless `branch-name` says otherwise.

        Parameters
        ----------
        config : The configuration: its value (a boolean, an object or a list), an object that has it under
            `repo-memory` or `tools.repo-memory`, or a text in YAML or JSON with one of them, such as a workflow with
            front matter. Default: `true`.
        """
        return cast("t.BranchMemories", self._call("branch.parseConfig", locals()))

    @documented(*READS, "RenameError")
    def checkout(
        self,
        entry: object | None = None,
        *,
        directory: str | os.PathLike[str] | None = None,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        at: str | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.BranchCheckout:
        """Brings the folder of a memory up to date with its branch, and returns the commit that its files come from.

        Unpushed changes in the folder stay: they are merged with the branch as `branch.push` merges them. If the branch
        does not exist, the folder is created, and the first push creates the branch; if `create-orphan` is false, that
        is an error. The user's own git does the network work. Reports its progress in two steps.

        Parameters
        ----------
        entry : The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory
            `default`.
        directory : The folder. Default: that of the memory.
        repo_dir : The folder of a repository with the remote. Default: the current folder, unless the memory names
            a repository.
        remote : The URL or the path of the repository with the branch, or the name of a remote of the repository.
            Default: the repository that the memory names, or else the only remote, or `origin`.
        at : The commit of the branch whose files the folder gets, as an earlier checkout returned it; a push merges
            them with what came later. Default: the newest.
        """
        return cast("t.BranchCheckout", self._call("branch.checkout", locals(), "directory", "repo_dir"))

    @documented(*READS)
    def validate(
        self,
        entry: object | None = None,
        *,
        directory: str | os.PathLike[str] | None = None,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        merged: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.BranchValidation:
        """Checks the files in the folder of a memory against its rules, and returns every fault with its path.

        Rule and limit.

        `branch.push` makes the same checks first. In addition, it looks for secrets in the files, and checks the files
        together with those that others have pushed; so does this method if `merged` is true.

        Parameters
        ----------
        entry : The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory
            `default`.
        directory : The folder. Default: that of the memory.
        repo_dir : The folder of a repository with the remote. Default: the current folder, unless the memory names
            a repository.
        remote : The URL or the path of the repository with the branch, or the name of a remote of the repository.
            Default: the repository that the memory names, or else the only remote, or `origin`.
        merged : Whether the files are also checked as a push would leave them on the branch: merged with what
            others pushed, which is fetched. Nothing is pushed. Default: `false`.
        """
        return cast("t.BranchValidation", self._call("branch.validate", locals(), "directory", "repo_dir"))

    @documented(*READS, "RenameError")
    def push(
        self,
        entry: object | None = None,
        *,
        directory: str | os.PathLike[str] | None = None,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        base: str | None = None,
        run_id: str | None = None,
        message: str | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.BranchPush:
        """Commits the files in the folder of a memory to its branch, merged with what others pushed meanwhile.

        And brings the folder up to date.

        Removed and renamed files are removed and renamed on the branch too. Where both sides changed the same thing,
        the folder wins, and `conflicts` says where the other version is. Secrets in texts are redacted. Nothing is
        pushed if a file breaks a rule, alone or together with those of others. If the repository cannot be reached or
        does not take the push, or others are faster every time, the call fails with a `GitError`, and the commit waits
        beside the folder for the next push. A cancelled call may have pushed (`mayBeStored`). Reports its progress in
        three steps.

        Parameters
        ----------
        entry : The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory
            `default`.
        directory : The folder. Default: that of the memory.
        repo_dir : The folder of a repository with the remote. Default: the current folder, unless the memory names
            a repository.
        remote : The URL or the path of the repository with the branch, or the name of a remote of the repository.
            Default: the repository that the memory names, or else the only remote, or `origin`.
        base : The commit that the files come from, as `branch.checkout` returned it on another machine, or `none`
            if it returned null. Default: that of the last checkout or push of this folder.
        run_id : The id of the run, for the message of the commit, at most 200 bytes.
        message : The message of the commit, at most 4,000 bytes. Default: `Update repo memory from workflow run
            ID`.
        """
        return cast("t.BranchPush", self._call("branch.push", locals(), "directory", "repo_dir"))

    @documented(*READS, "RenameError")
    def pack(
        self,
        artifact_path: str | os.PathLike[str],
        *,
        entry: object | None = None,
        directory: str | os.PathLike[str] | None = None,
        since: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.BranchPacked:
        """Writes an artifact of the files in the folder of a memory.

        One file that passes them on to another job or machine.

        It is a tar file that names the memory, the commit that its files come from, and every file with its hash.
        Secrets in texts are redacted. The same files give the same bytes.

        Parameters
        ----------
        artifact_path : The path of the artifact, which ends in `.tar.zst`, `.tar.gz` or `.tar`. An existing one is
            replaced.
        entry : The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory
            `default`.
        directory : The folder. Default: that of the memory.
        since : The path of an earlier artifact, whose contents are left out.
        """
        return cast("t.BranchPacked", self._call("branch.pack", locals(), "directory", "artifact_path", "since"))

    @documented(*READS, "RenameError")
    def unpack(
        self,
        artifact_path: str | os.PathLike[str],
        *,
        directory: str | os.PathLike[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.BranchUnpacked:
        """Brings the files of an artifact to the folder of its memory.

        Files that are the same are not written, changes in the folder stay, and the next `branch.push` knows the commit
        that the files come from. Everything in the artifact is checked before the first file is written.

        Parameters
        ----------
        artifact_path : The path of the artifact.
        directory : The folder. Default: that of the artifact's memory on this machine.
        """
        return cast("t.BranchUnpacked", self._call("branch.unpack", locals(), "artifact_path", "directory"))

    @documented(*READS, "RenameError")
    def snapshot(
        self,
        entry: object | None = None,
        *,
        tag: str | None = None,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.BranchSnapshot:
        """Makes a snapshot of the branch of a memory, as it is in its repository.

        It is the tag `BRANCH/NAME` of the repository. It does not have unpushed changes.

        Parameters
        ----------
        entry : The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory
            `default`.
        tag : The name: 1 to 100 letters, digits, `-`, `_` and `.`. Default: the time, such as `20250131T120000Z`.
        repo_dir : The folder of a repository with the remote. Default: the current folder, unless the memory names
            a repository.
        remote : The URL or the path of the repository with the branch, or the name of a remote of the repository.
            Default: the repository that the memory names, or else the only remote, or `origin`.
        """
        return cast("t.BranchSnapshot", self._call("branch.snapshot", locals(), "repo_dir"))

    @documented(*READS)
    def snapshots(
        self,
        entry: object | None = None,
        *,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.BranchSnapshots:
        """Returns the snapshots of the branch of a memory, newest first.

        Parameters
        ----------
        entry : The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory
            `default`.
        repo_dir : The folder of a repository with the remote. Default: the current folder, unless the memory names
            a repository.
        remote : The URL or the path of the repository with the branch, or the name of a remote of the repository.
            Default: the repository that the memory names, or else the only remote, or `origin`.
        """
        return cast("t.BranchSnapshots", self._call("branch.snapshots", locals(), "repo_dir"))

    @documented(*READS, "RenameError")
    def rollback(
        self,
        tag: str,
        *,
        entry: object | None = None,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.BranchRollback:
        """Sets the files of the branch of a memory back to a snapshot, by a commit on top of what the branch has.

        Nothing is lost: the commits in between stay. The next checkout or push of the folder changes its files.

        Parameters
        ----------
        tag : The name of the snapshot.
        entry : The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory
            `default`.
        repo_dir : The folder of a repository with the remote. Default: the current folder, unless the memory names
            a repository.
        remote : The URL or the path of the repository with the branch, or the name of a remote of the repository.
            Default: the repository that the memory names, or else the only remote, or `origin`.
        """
        return cast("t.BranchRollback", self._call("branch.rollback", locals(), "repo_dir"))

    @documented(*READS, "RenameError")
    def prune(
        self,
        entry: object | None = None,
        *,
        keep: int | None = None,
        max_age_days: int | None = None,
        repo_dir: str | os.PathLike[str] | None = None,
        remote: str | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.PrunedSnapshots:
        """Removes snapshots of the branch of a memory: all but the newest, or those of a certain age.

        Without a limit, it removes none.

        Parameters
        ----------
        entry : The memory: its configuration, or what `branch.parseConfig` returned for it. Default: the memory
            `default`.
        keep : How many of the newest are kept.
        max_age_days : The maximum age of those that are kept, in days.
        repo_dir : The folder of a repository with the remote. Default: the current folder, unless the memory names
            a repository.
        remote : The URL or the path of the repository with the branch, or the name of a remote of the repository.
            Default: the repository that the memory names, or else the only remote, or `origin`.
        """
        return cast("t.PrunedSnapshots", self._call("branch.prune", locals(), "repo_dir"))

    @documented(*READS)
    def prompt(self, config: object | None = None, **call: Unpack[t.CallOptions]) -> t.BranchPrompt:
        """Returns the section of a prompt that describes memories to an agent: folders, branches, limits and patterns.

        Parameters
        ----------
        config : The configuration, as for `branch.parseConfig`. Default: `true`.
        """
        return cast("t.BranchPrompt", self._call("branch.prompt", locals()))

    @documented(*READS)
    def workflow(self, config: object | None = None, **call: Unpack[t.CallOptions]) -> t.BranchWorkflow:
        """Returns the steps of a workflow of GitHub Actions that check memories out before an agent runs.

        Upload them after it, and validate and push them in a job of their own. They call the command `loopmem`.

        Parameters
        ----------
        config : The configuration, as for `branch.parseConfig`. Default: `true`.
        """
        return cast("t.BranchWorkflow", self._call("branch.workflow", locals()))

    @documented(*READS)
    def match(self, pattern: str, *, path: str, **call: Unpack[t.CallOptions]) -> t.PatternMatch:
        """Returns whether a pattern matches the path of a file, which is relative to the folder of the memory.

        The pattern has to match the whole path, case-sensitively. `*` is any text without `/`, `**` any text at all,
        and every other character stands for itself.

        Parameters
        ----------
        pattern : The pattern, at most 4,096 bytes.
        path : The path, with `/` between its parts.
        """
        return cast("t.PatternMatch", self._call("branch.match", locals()))

    @documented(*READS, "RenameError")
    def merge_file(
        self,
        base: str | os.PathLike[str],
        *,
        ours: str | os.PathLike[str],
        theirs: str | os.PathLike[str],
        path: str | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.MergedFile:
        """Merges what others changed in a file of records since both sides started from the same version.

        As a push does: `.jsonl` and `.ndjson` by records, `.json` by keys. It is for git: see `loopmem merge-driver`.

        Where both sides changed the same thing, ours is kept, and the outcome is `conflict`. Secrets in what is written
        are redacted. A file with another ending is left as it is.

        Parameters
        ----------
        base : The file with the version from which both sides started; an empty one if there is none.
        ours : The file with the version of this side, which is replaced.
        theirs : The file with the version of the others.
        path : The name of the file, whose ending says how it is merged. Default: that of `ours`.
        """
        return cast("t.MergedFile", self._call("branch.mergeFile", locals(), "base", "ours", "theirs"))


class UndoApi(Room):
    """The methods `undo.*` of a store."""

    __slots__ = ()

    @documented(*READS, "SecretRefused", "GitError")
    def list(
        self,
        *,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> list[t.UndoEntry]:
        """Returns what was removed or replaced, newest first.

        Of the repository and, unless that is named by its hash, of the branch that it inherits from, of the items that
        apply to its folder, and of the contexts of jobs. The trash keeps it for `trash.keepDays` (30).

        What a call replaces is kept if the store was opened with `keepReplaced`, as the command line does.

        Parameters
        ----------
        repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Not with `repoHash`,
            which names one memory. Default: as configured.
        """
        return cast("list[t.UndoEntry]", self._call("undo.list", locals(), "workspace"))

    @documented(*READS, "RenameError")
    def restore(self, id: str, **call: Unpack[t.CallOptions]) -> t.UndoEntry:
        """Puts a record that was removed or replaced back as it was, and returns its entry of the trash.

        Which is removed.

        If the record was replaced, the version that replaced it goes to the trash. `Conflict` if a record with the id
        of a removed one exists again.

        Parameters
        ----------
        id : The entry's id, as `undo.list` returns it, or a unique prefix of at least six characters.
        """
        return cast("t.UndoEntry", self._call("undo.restore", locals()))


class SyncApi(Room):
    """The methods `sync.*` of a store."""

    __slots__ = ()

    @documented(*READS, "RenameError", "SecretRefused", "GitError")
    def run(
        self,
        on: bool | None = None,
        *,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        global_items: bool | None = None,
        dry_run: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.SyncRun:
        """Brings the memory of a repository and that on a branch of its own remote together.

        Conventions, decisions and notes of all branches, items, and with `sync.summaries` step summaries.

        Nothing is sent unless it was switched on for the repository. Records are merged three-way against what was last
        the same, removals included, and redacted. If the remote cannot be reached, the changes wait for the next run.

        Parameters
        ----------
        on : Switches it on for this repository, or off: then nothing is sent. Default: as it was; off at first.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
        global_items : Whether the global items are synchronized through this repository too, which is remembered.
            Everybody who can read the remote can read them, and what others put there applies in all of your
            repositories. Default: as it was; `sync.globalItems` at first, which is off.
        dry_run : Only count what would change, here and there. Default: false.
        """
        return cast("t.SyncRun", self._call("sync.run", locals(), "workspace"))

    @documented(*READS, "SecretRefused", "GitError")
    def status(
        self,
        *,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.SyncStatus:
        """Returns whether the memory of a repository is synchronized with its remote, and how many changes wait.

        Parameters
        ----------
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
        """
        return cast("t.SyncStatus", self._call("sync.status", locals(), "workspace"))


class ArchiveApi(Room):
    """The methods `archive.*` of a store."""

    __slots__ = ()

    @documented(*READS, "SecretRefused", "GitError")
    def export(
        self,
        path: str | os.PathLike[str],
        *,
        all: bool | None = None,
        repo_hashes: Sequence[str] | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.ExportedArchive:
        """Writes what is stored to an archive: one file, to keep it or to move it to another machine.

        By default, everything that is stored of the repository: of every branch, of the folders it was moved from, and
        of its other clones, with the items in its folders.

        An archive has no configuration, no rules of `redaction.toml`, no key for the tags of secrets, nothing of past
        sessions and no caches. An older archive at the path is replaced; any other file is not.

        Parameters
        ----------
        path : The file: its ending is `.tar.zst`, or `.jsonl` for lines that people can read.
        all : Whether it has everything: all repositories, global items and working contexts too. Default: false.
        repo_hashes : The repositories, as `repo.list` returns them, each with its branch. Default: the repository
            of `workspace`.
        workspace : A folder in the repository. Default: the current folder.
        branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
        """
        return cast("t.ExportedArchive", self._call("archive.export", locals(), "path", "workspace"))

    @documented(*READS, "RenameError")
    def import_(
        self,
        path: str | os.PathLike[str],
        *,
        path_map: Mapping[str, object] | None = None,
        dry_run: bool | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.ImportedArchive:
        """Brings what an archive has.

        A record that is here in another version is merged: the newer one stays, and the other is kept in the trash and
        named; a working context that is here stays.

        All of the archive is checked before anything is written, and its texts are redacted again. Importing it again
        changes nothing. Import only what you trust: agents will read it.

        Parameters
        ----------
        path : The file.
        path_map : Where folders are here that were elsewhere: an object whose keys are the old paths, and whose
            values are the new ones. It applies to every folder below an old path too. Default: where they were.
        dry_run : Only count what would be brought. Default: false.
        """
        return cast("t.ImportedArchive", self._call("archive.import", locals(), "path"))


class IndexApi(Room):
    """The methods `index.*` of a store."""

    __slots__ = ()

    @documented(*READS, "SecretRefused", "GitError")
    def refresh(
        self, *, workspace: str | os.PathLike[str] | None = None, **call: Unpack[t.CallOptions]
    ) -> t.RefreshedIndex:
        """Brings the index of a repository's files up to date, as `index.map` and `index.symbols` do by themselves.

        The index covers the files that git tracks or would offer to track. A file that has not changed is not read, and
        a content that another branch or work tree has had is not parsed again. Files of more than 1 MiB and binary
        files are not read.

        Parameters
        ----------
        workspace : A folder in the repository. Default: the current folder.
        """
        return cast("t.RefreshedIndex", self._call("index.refresh", locals(), "workspace"))

    @documented(*READS, "SecretRefused", "GitError")
    def map(
        self,
        max_chars: int | None = None,
        *,
        workspace: str | os.PathLike[str] | None = None,
        prompt: str | None = None,
        focus_files: Sequence[str] | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.RepoMap:
        """Returns a map of the repository.

        The files that matter, each with the signatures of its most relevant definitions.

        Files are ranked by the words that they share with the prompt, in their text, their definitions and their paths,
        and by what the files in focus refer to. Without either, the map is an overview: entry points, and the
        definitions that most files refer to. The map never exceeds `maxChars`, and the same state of the files gives
        the same bytes.

        Parameters
        ----------
        max_chars : The maximum length of the map, in Unicode scalar values. Default: 4,000.
        workspace : A folder in the repository. Default: the current folder.
        prompt : What the agent is about to do. Default: the map is an overview.
        focus_files : The files that the agent is working on, relative to the repository or absolute. Default: none.
        """
        return cast("t.RepoMap", self._call("index.map", locals(), "workspace"))

    @documented(*READS, "SecretRefused", "GitError")
    def symbols(
        self,
        query: str | None = None,
        *,
        workspace: str | os.PathLike[str] | None = None,
        path: str | None = None,
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
        | None = None,
        limit: int | None = None,
        **call: Unpack[t.CallOptions],
    ) -> list[t.RepoSymbol]:
        """Returns definitions of the repository, the best matches first.

        Those whose names match `query`, or those of a file or folder in the order of the files.

        Parameters
        ----------
        query : A name, or words of one. Default: all definitions.
        workspace : A folder in the repository. Default: the current folder.
        path : Only definitions of this file, or of the files below this folder, relative to the repository.
            Default: all.
        kind : Only definitions of this kind. Default: all.
        limit : The maximum number of definitions, at most 1,000. Default: 50.
        """
        return cast("list[t.RepoSymbol]", self._call("index.symbols", locals(), "workspace"))


class SafetyApi(Room):
    """The methods `safety.*` of a store."""

    __slots__ = ()

    @documented()
    def redact(self, text: str, *, patterns: Sequence[str] | None = None, **call: Unpack[t.CallOptions]) -> t.Redacted:
        """Returns a text with every secret replaced by a placeholder, and the positions of the secrets.

        A placeholder is `[REDACTED:rule:tag]`. Equal secrets have equal tags within one home; without the home's key, a
        tag cannot be used to verify a guess. All other characters stay as they are, and redacting a redacted text does
        not change it. Nothing of the text is stored, but the first secret found creates the home's key.

        Parameters
        ----------
        text : The text.
        patterns : Regular expressions to use for this call, in addition to those configured. If one has a group
            named `secret`, only that group is a secret.
        """
        return cast("t.Redacted", self._call("safety.redact", locals(), offsets=("text", "findings", ["start", "end"])))

    @documented()
    def scan(
        self, text: str, *, patterns: Sequence[str] | None = None, **call: Unpack[t.CallOptions]
    ) -> list[t.SecretFinding]:
        """Returns the positions of the secrets in a text, but never the secrets themselves.

        Nothing of the text is stored, but the first secret found creates the home's key.

        Parameters
        ----------
        text : The text.
        patterns : Regular expressions to use for this call, in addition to those configured. If one has a group
            named `secret`, only that group is a secret.
        """
        return cast(
            "list[t.SecretFinding]", self._call("safety.scan", locals(), offsets=("text", None, ["start", "end"]))
        )

    @documented()
    def rules(self, **call: Unpack[t.CallOptions]) -> list[t.SecretRule]:
        """Returns every rule that detects secrets.

        The built-in rules, then those of the configuration, of the user's rule file and of the options.
        """
        return cast("list[t.SecretRule]", self._call("safety.rules", locals()))

    @documented(*READS)
    def preview(
        self, method: str, *, params: Mapping[str, object] | None = None, **call: Unpack[t.CallOptions]
    ) -> list[t.Redaction]:
        """Returns what a call would redact, without making it: nothing is written.

        A call that redacts also says so itself: the logger gets a warning, and the call's options can ask for the list.

        Parameters
        ----------
        method : The method, which stores something: `memory.upsertNote`.
        params : Its params.
        """
        return cast("list[t.Redaction]", self._call("safety.preview", locals()))

    @documented(*READS, "RenameError")
    def allow(
        self,
        reason: str,
        *,
        name: str | None = None,
        rule: str | None = None,
        field: str | None = None,
        tag: str | None = None,
        **call: Unpack[t.CallOptions],
    ) -> t.Allowance:
        """Declares a false positive of a rule in the home's `redaction.toml`, and returns it as stored.

        A finding must match all of `name`, `rule`, `field` and `tag` that are given, of which there is at least one.
        Stores that are opened afterwards apply it.

        Parameters
        ----------
        reason : Why it is a false positive, for later readers.
        name : The name of the value, such as `sessionKey`, in any case and with or without `_`, `-` and `.`.
        rule : The id of the rule, such as `keyed-value`.
        field : The path of the field in a record, such as `metadata.headers`, with everything below it.
        tag : The tag of the value, from its placeholder or from a scan with the same home.
        """
        return cast("t.Allowance", self._call("safety.allow", locals()))

    @documented(*READS)
    def allowances(self, **call: Unpack[t.CallOptions]) -> list[t.Allowance]:
        """Returns the declared false positives, of the home's `redaction.toml` and of the options of the store."""
        return cast("list[t.Allowance]", self._call("safety.allowances", locals()))


class DoctorApi(Room):
    """The methods `doctor.*` of a store."""

    __slots__ = ()

    @documented("Cancelled")
    def check(self, fix: bool | None = None, **call: Unpack[t.CallOptions]) -> t.DoctorReport:
        """Checks every file of the home, the global items and those of the current workspace.

        And with `fix` repairs what is wrong.

        Without `fix`, nothing is changed or created. With `fix`, damaged content is moved to a file beside the
        original, never deleted, and every intact record is recovered; file modes are corrected, and what crashed
        writers left behind is removed. Files written by a newer version are never changed. A file that cannot be read
        or repaired is reported as a finding, not as an error.

        Parameters
        ----------
        fix : Repair what can be repaired. Default: false.
        """
        return cast("t.DoctorReport", self._call("doctor.check", locals()))


class StoreApi(Calls):
    """The methods of a store, grouped by module, and the options to open it with."""

    __slots__ = {
        "_caller": None,
        "repo": "The methods `identify`, `sanitize_remote_url`, `list`, `adopt`, `move`, `migrate` and `forget`.",
        "memory": "The methods `get`, `upsert_convention`, `upsert_decision`, `upsert_note`, `list` and `remove`.",
        "summary": "The methods `append`, `end_step`, `list` and `remove`.",
        "context": "The method `build`.",
        "search": "The method `find`.",
        "status": "The method `get`.",
        "working": (
            "The methods `get_context`, `update_context`, `add_log`, `get_logs`, `search_logs`, "
            "`save_checkpoint`, `restore_checkpoint`, `list_checkpoints`, `delete_checkpoint`, "
            "`history`, `list_scopes` and `delete_scope`."
        ),
        "adapter": "The methods `get`, `set`, `delete`, `push` and `get_list`.",
        "items": (
            "The methods `add`, `get`, `sweep`, `list`, `update`, `archive`, `restore`, `remove`, "
            "`recall`, `used`, `trust`, `export`, `import_`, `migrate`, `migrate_legacy` and `stats`."
        ),
        "files": "The methods `view`, `create`, `replace`, `insert`, `remove`, `rename` and `list`.",
        "rollouts": (
            "The methods `upsert_thread`, `scan`, `input`, `claim_stage1`, `heartbeat`, "
            "`complete_stage1`, `fail_stage1`, `materialize`, `claim_consolidation`, "
            "`complete_consolidation`, `fail_consolidation`, `run`, `status`, `list`, `read`, "
            "`explain`, `retry`, `record_usage`, `set_mode`, `forget`, `reset` and "
            "`migrate_legacy_root`."
        ),
        "branch": (
            "The methods `parse_config`, `checkout`, `validate`, `push`, `pack`, `unpack`, "
            "`snapshot`, `snapshots`, `rollback`, `prune`, `prompt`, `workflow`, `match` and "
            "`merge_file`."
        ),
        "undo": "The methods `list` and `restore`.",
        "sync": "The methods `run` and `status`.",
        "archive": "The methods `export` and `import_`.",
        "index": "The methods `refresh`, `map` and `symbols`.",
        "safety": "The methods `redact`, `scan`, `rules`, `preview`, `allow` and `allowances`.",
        "doctor": "The method `check`.",
    }

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.repo = RepoApi(caller)
        self.memory = MemoryApi(caller)
        self.summary = SummaryApi(caller)
        self.context = ContextApi(caller)
        self.search = SearchApi(caller)
        self.status = StatusApi(caller)
        self.working = WorkingApi(caller)
        self.adapter = AdapterApi(caller)
        self.items = ItemsApi(caller)
        self.files = FilesApi(caller)
        self.rollouts = RolloutsApi(caller)
        self.branch = BranchApi(caller)
        self.undo = UndoApi(caller)
        self.sync = SyncApi(caller)
        self.archive = ArchiveApi(caller)
        self.index = IndexApi(caller)
        self.safety = SafetyApi(caller)
        self.doctor = DoctorApi(caller)

    @classmethod
    def open(
        cls,
        *,
        home: str | os.PathLike[str] | None = None,
        codex_home: str | os.PathLike[str] | None = None,
        branch_memory_root: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        detached: Literal["commit", "branch"] | None = None,
        inherit_from: str | None = None,
        max_summaries_in_context: int | None = None,
        summaries_max_entries: int | None = None,
        summaries_archive: bool | None = None,
        summaries_max_bytes: int | None = None,
        summary_max_bytes: int | None = None,
        lock_timeout_ms: int | None = None,
        append_timeout_ms: int | None = None,
        lock_stale_ms: int | None = None,
        strong_atomicity: bool | None = None,
        redaction_patterns: Sequence[str] | None = None,
        allow: Sequence[t.Allowance] | None = None,
        adapter: str | a.PersistenceAdapter | None = None,
        redis_prefix: str | None = None,
        redis_hosts: Sequence[str] | None = None,
        redis_ca_file: str | os.PathLike[str] | None = None,
        adapter_timeout_ms: int | None = None,
        checkpoints_max_entries: int | None = None,
        checkpoints_max_age_ms: int | None = None,
        items_backend: Literal["jsonl", "sqlite"] | None = None,
        items_max_content_chars: int | None = None,
        recall_min_repo_candidates: int | None = None,
        recall_limit: int | None = None,
        recall_max_chars: int | None = None,
        recall_standing_chars: int | None = None,
        recall_min_score: float | None = None,
        recall_near_words: bool | None = None,
        recall_vector_weight: float | None = None,
        recall_recency_weight: float | None = None,
        recall_frequency_weight: float | None = None,
        temporary: bool | None = None,
        index_submodules: bool | None = None,
        index_subtree: bool | None = None,
        index_max_files: int | None = None,
        index_max_file_bytes: int | None = None,
        rollouts_min_idle_hours: int | None = None,
        rollouts_max_age_days: int | None = None,
        rollouts_max_running: int | None = None,
        rollouts_lease_secs: int | None = None,
        rollouts_attempts: int | None = None,
        rollouts_retry_delay_secs: int | None = None,
        rollouts_consolidation_inputs: int | None = None,
        rollouts_max_unused_days: int | None = None,
        rollouts_diff_max_chars: int | None = None,
        rollouts_input_max_tokens: int | None = None,
        rollouts_interactive_sources: Sequence[str] | None = None,
        rollouts_root: str | os.PathLike[str] | None = None,
        rollouts_same_repo: bool | None = None,
        rollouts_with: str | None = None,
        branch_attempts: int | None = None,
        sync_branch: str | None = None,
        sync_summaries: bool | None = None,
        sync_global_items: bool | None = None,
        sync_auto: Literal["off", "session"] | None = None,
        trash_keep_days: int | None = None,
        keep_replaced: bool | None = None,
        allow_unknown_fields: bool | None = None,
        known_repos_only: bool | None = None,
        clock: str | None = None,
        logger: a.Logger | None = None,
        count_tokens: a.CountTokens | None = None,
    ) -> Self:
        """Opens a store; nothing is created until the first write.

        Parameters
        ----------
        home : str or os.PathLike, optional
            The folder in which everything is stored. Default: `CODEX_TOOLLOOP_HOME`, else `~/.codex-toolloop`.
        codex_home : str or os.PathLike, optional
            The Codex home: global recallable items are in its folder `memory`, and what rollouts left in its folder
            `memories`. Default: `CODEX_HOME`, else `~/.codex`.
        branch_memory_root : str or os.PathLike, optional
            The folder with the folders of the memories that are kept on git branches. Default:
            `/tmp/gh-aw/repo-memory`.
        branch_scope : {"perBranch", "sharedRepo"}, optional
            Whether each branch has a separate memory or all branches share one. Default: `MEMORY_BRANCH_SCOPE`, else
            `perBranch`.
        detached : {"commit", "branch"}, optional
            What identifies the memory of a detached HEAD: its `commit`, or the `branch` that the environment of a CI
            job names. Default: `MEMORY_DETACHED`, else `commit`.
        inherit_from : str, optional
            The branch whose records other branches inherit, unless they have records with the same id or title of their
            own; `default` is the repository's default branch, `none` turns it off. What is written is never inherited.
            Only for repositories that are named by their folder, if each branch has a separate memory. Default:
            `MEMORY_INHERIT_FROM`, else `default`.
        max_summaries_in_context : int, optional
            The maximum number of summaries in a context pack: the newest. Default: 10.
        summaries_max_entries : int, optional
            The maximum number of summaries that a repository keeps; beyond it the oldest are removed. Default: 100.
        summaries_archive : bool, optional
            Whether summaries that are removed to make room for newer ones are kept in a file beside them, where a
            search finds them. Default: false.
        summaries_max_bytes : int, optional
            The maximum size of a repository's file of summaries, in bytes; beyond it the oldest are removed. At most
            251,658,240. Default: 1,048,576.
        summary_max_bytes : int, optional
            The maximum length of a summary, in bytes of UTF-8; at most 1,000,000. Default: 65,536.
        lock_timeout_ms : int, optional
            The maximum wait for a lock, in milliseconds. Default: 5,000.
        append_timeout_ms : int, optional
            The maximum wait for the lock of an append, in milliseconds. Default: 1,000.
        lock_stale_ms : int, optional
            How long a lock file must be unchanged, in milliseconds, before it is taken over from an owner of unknown
            state. Only used on file systems without locks. Default: 10,000.
        strong_atomicity : bool, optional
            Whether a write fails with `RenameError` if a file cannot be replaced atomically, such as a bind-mounted
            file. Otherwise, the file is overwritten in place, protected by a complete copy beside it. Default: false.
        redaction_patterns : sequence of str, optional
            Regular expressions; what they match is redacted before anything is stored. Added to those of `config.toml`.
        allow : sequence of Allowance, optional
            False positives of rules, in addition to what `redaction.toml` allows.
        adapter : str or PersistenceAdapter, optional
            Where working contexts are stored: `file`, `memory`, `sqlite`, or the URL of a Redis server. Default:
            `WORKING_ADAPTER`, else `file`. Or an adapter from `open_adapter`, whose options the store then has, or an
            object of your own: see `PersistenceAdapter`.
        redis_prefix : str, optional
            The prefix of every key on a Redis server. Braces in it keep all keys with this prefix on one node of a
            cluster. Default: `{loopmem}:`.
        redis_hosts : sequence of str, optional
            The hosts of the Redis cluster, as `HOST` or `HOST:PORT`, in addition to the host of the URL. A redirection
            to any other host is an error, since that host would receive the password. Default: none.
        redis_ca_file : str or os.PathLike, optional
            A PEM file of certificates to trust for `rediss://` URLs instead of the system's. Default: those that the
            system trusts.
        adapter_timeout_ms : int, optional
            The maximum wait for one response of a Redis server or of the host's adapter, in milliseconds. Default:
            30,000.
        checkpoints_max_entries : int, optional
            The maximum number of checkpoints that are kept of a job; beyond it the oldest are removed. Default: all.
        checkpoints_max_age_ms : int, optional
            The maximum age of a checkpoint, in milliseconds. Older ones are removed when the next one is saved; the
            newest is always kept. Default: no limit.
        items_backend : {"jsonl", "sqlite"}, optional
            Where recallable items are stored. Default: `CODEX_MEMORY_BACKEND`, else `jsonl`.
        items_max_content_chars : int, optional
            The maximum length of an item's content, in Unicode scalar values; at most 100,000. Default: 240.
        recall_min_repo_candidates : int, optional
            How many items of the repository and its folders must match before a recall leaves out the global ones.
            Default: 8.
        recall_limit : int, optional
            The maximum number of items that a recall returns, at most 1,000. Default: 8.
        recall_max_chars : int, optional
            The maximum length of a recall's preamble, in Unicode scalar values. Default: 1,200.
        recall_standing_chars : int, optional
            The maximum length of the standing items in a recall's preamble, and in a context pack, in Unicode scalar
            values. Default: 1,000.
        recall_min_score : float, optional
            The score that a recalled item must at least have, from 0 to 1. Default: 0.15.
        recall_near_words : bool, optional
            Whether a recall also finds items with words of a similar meaning, such as `postgres` for `database`.
            Default: true.
        recall_vector_weight : float, optional
            How much vectors count in relation to words, from 0 to 10. It is the weight of a vector that matches fully
            where all others match not at all; with closer ones, or more words, they count less. Default: 3.
        recall_recency_weight : float, optional
            How much better a recall ranks an item that was changed just now than an old one that matches as well, from
            0 to 1. Default: 0.05.
        recall_frequency_weight : float, optional
            How much better a recall ranks an item that is used often than one never used that matches as well, from 0
            to 1. Default: 0.05.
        temporary : bool, optional
            Whether recallable items are bypassed: none is read, and writing one is an error. Default: false.
        index_submodules : bool, optional
            Whether the index of a repository's files includes the repositories inside its work tree, such as
            submodules. Default: false.
        index_subtree : bool, optional
            Whether maps and symbols are of the files below the workspace alone, and not of the whole repository.
            Default: false.
        index_max_files : int, optional
            The maximum number of files that are indexed of a repository; at most 1,000,000. Default: 100,000.
        index_max_file_bytes : int, optional
            The maximum size of a file that is indexed, in bytes; of larger ones, the path alone is known. At most
            67,108,864. Default: 1,048,576.
        rollouts_min_idle_hours : int, optional
            How long a session must have been idle before its memory is extracted, in hours. Default: 12.
        rollouts_max_age_days : int, optional
            How long ago a session may have changed last, in days, for its memory to be extracted. Default: 30.
        rollouts_max_running : int, optional
            The maximum number of sessions whose memory is being extracted, by all processes together; at most 10,000.
            Default: 64.
        rollouts_lease_secs : int, optional
            How long a claim lasts without a heartbeat, in seconds; at least 1. Default: 3,600.
        rollouts_attempts : int, optional
            How often a session may be claimed before it changes; at least 1. Default: 3.
        rollouts_retry_delay_secs : int, optional
            How long a failed session or consolidation waits for the next attempt, in seconds. Default: 3,600.
        rollouts_consolidation_inputs : int, optional
            The maximum number of sessions that one consolidation reads; at most 1,000. Default: 64.
        rollouts_max_unused_days : int, optional
            For how long the memory of a session that is not used is consolidated, in days. Default: 30.
        rollouts_diff_max_chars : int, optional
            The maximum length of what changed since the last consolidation, in Unicode scalar values. Default: 60,000.
        rollouts_input_max_tokens : int, optional
            The maximum length of a transcript that a model is asked to read, in tokens of three bytes; at most
            10,000,000. Each failed attempt halves it. Default: 100,000.
        rollouts_interactive_sources : sequence of str, optional
            The sources of sessions whose memory is extracted. Default: `cli`, `vscode` and `claude`.
        rollouts_root : str or os.PathLike, optional
            The memory root: the folder for what past sessions left. Default: `memories` in the Codex home.
        rollouts_same_repo : bool, optional
            Whether a context pack leaves out what sessions in other repositories left, but for what is about the user.
            Default: true.
        rollouts_with : str, optional
            The program that `rollouts.run` uses as the model unless it is given commands: `claude`, `codex`, `gemini`
            or `ollama:MODEL`. Default: none.
        branch_attempts : int, optional
            The maximum number of attempts to push a memory on a git branch while others push to it; from 1 to 1,000.
            Default: 10.
        sync_branch : str, optional
            The branch of the remote on which the memory of a repository is synchronized. Default: `memory/loopmem`.
        sync_summaries : bool, optional
            Whether step summaries are synchronized too. Default: false.
        sync_global_items : bool, optional
            Whether the global items are synchronized too, unless that was said for a repository. Everybody who can read
            its remote can read them, and what others put there applies in all repositories. Default: false.
        sync_auto : {"off", "session"}, optional
            When hooks synchronize the memory of a repository that it is switched on for: `off`, or at the beginning and
            the end of a `session`. Default: `off`.
        trash_keep_days : int, optional
            For how many days records that were removed or replaced are kept in the trash, so that `undo.restore` can
            bring them back; 0 turns the trash off. Default: 30.
        keep_replaced : bool, optional
            Whether records that a call replaces go to the trash too, and not only those that it removes. Default:
            false; the command line sets it, but for `loopmem call`.
        allow_unknown_fields : bool, optional
            Whether records may have any fields of the host's own beside the known ones, and not only those in `extra`.
            A key that looks like a misspelt one is refused all the same. Default: false.
        known_repos_only : bool, optional
            Whether a write to a `repoHash` is refused if nothing was ever stored under it, as under one that was
            mistyped. Default: false; the command line sets it, but for `loopmem call` and with `--create`.
        clock : str, optional
            For tests: a fixed RFC 3339 time for this store's clock.
        logger : Logger, optional
            The logger to which each call is reported when it is over, such as a `logging.Logger`. Default: none.
        count_tokens : CountTokens, optional
            The tokenizer that limits in tokens are checked with, asynchronous or not. Default: tokens are estimated,
            rather too many.

        Returns
        -------
        Store
            The store; close it when it is no longer needed.

        Raises
        ------
        ValidationError
            An option or a key of the configuration is invalid, or the adapter lacks a required function.
        IoError
            The home is not a folder, or a configuration file cannot be read.
        """
        return cls._open(
            params_of("open", locals(), "home", "codex_home", "branch_memory_root", "redis_ca_file", "rollouts_root")
        )

    @classmethod
    def _open(cls, options: Mapping[str, object]) -> Self:
        raise NotImplementedError

    if not TYPE_CHECKING:
        # Its types are those of `Calls`.
        def call(
            self,
            method: str,
            params: Mapping[str, object] | None = None,
            *,
            timeout: float | None = None,
            cancel: Cancel | None = None,
            on_redaction: Callable[[t.Redaction], object] | None = None,
            on_progress: Callable[[int, int], object] | None = None,
        ) -> object:
            """Calls a method by its name.

            Offsets into a text are UTF-8 bytes here.

            Parameters
            ----------
            method : str
                The name of the method, such as `memory.get`.
            params : mapping, optional
                The params, with their names in the method reference. Default: none.
            timeout : float, optional
                The maximum time that the call waits in total, in seconds: for locks and for an adapter. With 0 the call
                does not wait for locks. Default: as configured.
            cancel : Cancel, optional
                A request to cancel the call, which any thread may trigger.
            on_redaction : callable, optional
                Called with a `Redaction` for each field of which the call redacted something, before it returns. An
                exception in it is reported and not raised. The logger gets the same as warnings.
            on_progress : callable, optional
                Called with the number of completed steps and the total while a long call runs, such as the files that
                were read for the index of a repository. It runs on the calling thread, where calls of loopmem raise
                `Misuse`, or on the event loop. An exception in it is reported and not raised.

            Returns
            -------
            object
                The result of the method, as decoded by `json.loads`.

            Raises
            ------
            ValidationError
                The method does not exist, or the params are invalid.
            LoopmemError
                Any error that the method raises.
            """
            return self._caller.call(
                method,
                {} if params is None else params,
                timeout=timeout,
                cancel=cancel,
                on_redaction=on_redaction,
                on_progress=on_progress,
            )
