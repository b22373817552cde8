"""The types of the method `call` of a store."""

# Generated from the method table by scripts/generate. Do not edit.

from collections.abc import Mapping
from typing import Literal, TypeAlias, overload

from typing_extensions import Unpack

from . import _types as t

Params: TypeAlias = Mapping[str, object] | None

class Calls:
    @overload
    def call(
        self, method: Literal["repo.identify"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.RepoIdentity:
        """Calls a method by its name. Offsets into a text are UTF-8 bytes here."""
    @overload
    def call(
        self, method: Literal["repo.sanitizeRemoteUrl"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.SanitizedUrl: ...
    @overload
    def call(
        self, method: Literal["repo.list"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.KnownRepo]: ...
    @overload
    def call(
        self, method: Literal["repo.adopt"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Adoption: ...
    @overload
    def call(self, method: Literal["repo.move"], params: Params = None, **call: Unpack[t.CallOptions]) -> t.Moving: ...
    @overload
    def call(
        self, method: Literal["repo.migrate"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Migration: ...
    @overload
    def call(
        self, method: Literal["repo.forget"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Forgotten: ...
    @overload
    def call(
        self, method: Literal["memory.get"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.RepoMemory: ...
    @overload
    def call(
        self, method: Literal["memory.upsertConvention"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Convention: ...
    @overload
    def call(
        self, method: Literal["memory.upsertDecision"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Decision: ...
    @overload
    def call(
        self, method: Literal["memory.upsertNote"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Note: ...
    @overload
    def call(
        self, method: Literal["memory.list"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.MemoryRecord]: ...
    @overload
    def call(
        self, method: Literal["memory.remove"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Removed: ...
    @overload
    def call(
        self, method: Literal["summary.append"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Summary: ...
    @overload
    def call(
        self, method: Literal["summary.endStep"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Summary: ...
    @overload
    def call(
        self, method: Literal["summary.list"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.Summary]: ...
    @overload
    def call(
        self, method: Literal["summary.remove"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.RemovedRecords: ...
    @overload
    def call(
        self, method: Literal["context.build"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.ContextPack: ...
    @overload
    def call(
        self, method: Literal["search.find"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.SearchResult: ...
    @overload
    def call(self, method: Literal["status.get"], params: Params = None, **call: Unpack[t.CallOptions]) -> t.Status: ...
    @overload
    def call(
        self, method: Literal["working.getContext"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> dict[str, t.JsonValue]: ...
    @overload
    def call(
        self, method: Literal["working.updateContext"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> dict[str, t.JsonValue]: ...
    @overload
    def call(
        self, method: Literal["working.addLog"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.MemoryEntry: ...
    @overload
    def call(
        self, method: Literal["working.getLogs"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.MemoryEntry]: ...
    @overload
    def call(
        self, method: Literal["working.searchLogs"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.ScoredEntry]: ...
    @overload
    def call(
        self, method: Literal["working.saveCheckpoint"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Checkpoint: ...
    @overload
    def call(
        self, method: Literal["working.restoreCheckpoint"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> dict[str, t.JsonValue]: ...
    @overload
    def call(
        self, method: Literal["working.listCheckpoints"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[int]: ...
    @overload
    def call(
        self, method: Literal["working.deleteCheckpoint"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Removed: ...
    @overload
    def call(
        self, method: Literal["working.history"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.TrailEntry]: ...
    @overload
    def call(
        self, method: Literal["working.listScopes"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[str]: ...
    @overload
    def call(
        self, method: Literal["working.deleteScope"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Removed: ...
    @overload
    def call(
        self, method: Literal["adapter.get"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.StoredValue: ...
    @overload
    def call(
        self, method: Literal["adapter.set"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.StoredValue: ...
    @overload
    def call(
        self, method: Literal["adapter.del"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Removed: ...
    @overload
    def call(
        self, method: Literal["adapter.push"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.StoredValue: ...
    @overload
    def call(
        self, method: Literal["adapter.getList"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.JsonValue]: ...
    @overload
    def call(self, method: Literal["items.add"], params: Params = None, **call: Unpack[t.CallOptions]) -> t.Item: ...
    @overload
    def call(self, method: Literal["items.get"], params: Params = None, **call: Unpack[t.CallOptions]) -> t.Item: ...
    @overload
    def call(
        self, method: Literal["items.sweep"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.Item]: ...
    @overload
    def call(
        self, method: Literal["items.list"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.Item]: ...
    @overload
    def call(self, method: Literal["items.update"], params: Params = None, **call: Unpack[t.CallOptions]) -> t.Item: ...
    @overload
    def call(
        self, method: Literal["items.archive"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Item: ...
    @overload
    def call(
        self, method: Literal["items.restore"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Item: ...
    @overload
    def call(
        self, method: Literal["items.remove"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.RemovedRecords: ...
    @overload
    def call(
        self, method: Literal["items.recall"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Recall: ...
    @overload
    def call(
        self, method: Literal["items.used"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.UsedItems: ...
    @overload
    def call(
        self, method: Literal["items.trust"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.TrustedItems: ...
    @overload
    def call(
        self, method: Literal["items.export"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.ExportedItems: ...
    @overload
    def call(
        self, method: Literal["items.import"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.ImportedItems: ...
    @overload
    def call(
        self, method: Literal["items.migrate"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.MigratedItems: ...
    @overload
    def call(
        self, method: Literal["items.migrateLegacy"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.MigratedLegacyItems: ...
    @overload
    def call(
        self, method: Literal["items.stats"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.ItemStats: ...
    @overload
    def call(
        self, method: Literal["files.view"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.FileAnswer: ...
    @overload
    def call(
        self, method: Literal["files.create"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.FileAnswer: ...
    @overload
    def call(
        self, method: Literal["files.replace"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.FileAnswer: ...
    @overload
    def call(
        self, method: Literal["files.insert"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.FileAnswer: ...
    @overload
    def call(
        self, method: Literal["files.remove"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.FileAnswer: ...
    @overload
    def call(
        self, method: Literal["files.rename"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.FileAnswer: ...
    @overload
    def call(
        self, method: Literal["files.list"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.FileEntry]: ...
    @overload
    def call(
        self, method: Literal["rollouts.upsertThread"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Thread: ...
    @overload
    def call(
        self, method: Literal["rollouts.scan"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.ScannedTranscripts: ...
    @overload
    def call(
        self, method: Literal["rollouts.input"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Stage1Input: ...
    @overload
    def call(
        self, method: Literal["rollouts.claimStage1"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Stage1Claims: ...
    @overload
    def call(
        self, method: Literal["rollouts.heartbeat"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.RenewedLease: ...
    @overload
    def call(
        self, method: Literal["rollouts.completeStage1"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.CompletedStage1: ...
    @overload
    def call(
        self, method: Literal["rollouts.failStage1"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.FailedJob: ...
    @overload
    def call(
        self, method: Literal["rollouts.materialize"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.MaterializedFiles: ...
    @overload
    def call(
        self, method: Literal["rollouts.claimConsolidation"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.ConsolidationClaim: ...
    @overload
    def call(
        self, method: Literal["rollouts.completeConsolidation"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.CompletedConsolidation: ...
    @overload
    def call(
        self, method: Literal["rollouts.failConsolidation"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.FailedJob: ...
    @overload
    def call(
        self, method: Literal["rollouts.run"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.RolloutsRun: ...
    @overload
    def call(
        self, method: Literal["rollouts.status"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.RolloutsStatus: ...
    @overload
    def call(
        self, method: Literal["rollouts.list"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.ThreadList: ...
    @overload
    def call(
        self, method: Literal["rollouts.read"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.MemoryFiles: ...
    @overload
    def call(
        self, method: Literal["rollouts.explain"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.ThreadExplanation: ...
    @overload
    def call(
        self, method: Literal["rollouts.retry"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.RetriedRollouts: ...
    @overload
    def call(
        self, method: Literal["rollouts.recordUsage"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.RecordedUsage: ...
    @overload
    def call(
        self, method: Literal["rollouts.setMode"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Thread: ...
    @overload
    def call(
        self, method: Literal["rollouts.forget"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.ForgottenThread: ...
    @overload
    def call(
        self, method: Literal["rollouts.reset"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.ResetRollouts: ...
    @overload
    def call(
        self, method: Literal["rollouts.migrateLegacyRoot"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.MigratedLegacyRoot: ...
    @overload
    def call(
        self, method: Literal["branch.parseConfig"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.BranchMemories: ...
    @overload
    def call(
        self, method: Literal["branch.checkout"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.BranchCheckout: ...
    @overload
    def call(
        self, method: Literal["branch.validate"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.BranchValidation: ...
    @overload
    def call(
        self, method: Literal["branch.push"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.BranchPush: ...
    @overload
    def call(
        self, method: Literal["branch.pack"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.BranchPacked: ...
    @overload
    def call(
        self, method: Literal["branch.unpack"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.BranchUnpacked: ...
    @overload
    def call(
        self, method: Literal["branch.snapshot"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.BranchSnapshot: ...
    @overload
    def call(
        self, method: Literal["branch.snapshots"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.BranchSnapshots: ...
    @overload
    def call(
        self, method: Literal["branch.rollback"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.BranchRollback: ...
    @overload
    def call(
        self, method: Literal["branch.prune"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.PrunedSnapshots: ...
    @overload
    def call(
        self, method: Literal["branch.prompt"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.BranchPrompt: ...
    @overload
    def call(
        self, method: Literal["branch.workflow"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.BranchWorkflow: ...
    @overload
    def call(
        self, method: Literal["branch.match"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.PatternMatch: ...
    @overload
    def call(
        self, method: Literal["branch.mergeFile"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.MergedFile: ...
    @overload
    def call(
        self, method: Literal["undo.list"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.UndoEntry]: ...
    @overload
    def call(
        self, method: Literal["undo.restore"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.UndoEntry: ...
    @overload
    def call(self, method: Literal["sync.run"], params: Params = None, **call: Unpack[t.CallOptions]) -> t.SyncRun: ...
    @overload
    def call(
        self, method: Literal["sync.status"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.SyncStatus: ...
    @overload
    def call(
        self, method: Literal["archive.export"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.ExportedArchive: ...
    @overload
    def call(
        self, method: Literal["archive.import"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.ImportedArchive: ...
    @overload
    def call(
        self, method: Literal["index.refresh"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.RefreshedIndex: ...
    @overload
    def call(self, method: Literal["index.map"], params: Params = None, **call: Unpack[t.CallOptions]) -> t.RepoMap: ...
    @overload
    def call(
        self, method: Literal["index.symbols"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.RepoSymbol]: ...
    @overload
    def call(
        self, method: Literal["safety.redact"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Redacted: ...
    @overload
    def call(
        self, method: Literal["safety.scan"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.SecretFinding]: ...
    @overload
    def call(
        self, method: Literal["safety.rules"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.SecretRule]: ...
    @overload
    def call(
        self, method: Literal["safety.preview"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.Redaction]: ...
    @overload
    def call(
        self, method: Literal["safety.allow"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.Allowance: ...
    @overload
    def call(
        self, method: Literal["safety.allowances"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> list[t.Allowance]: ...
    @overload
    def call(
        self, method: Literal["doctor.check"], params: Params = None, **call: Unpack[t.CallOptions]
    ) -> t.DoctorReport: ...
    @overload
    def call(self, method: str, params: Params = None, **call: Unpack[t.CallOptions]) -> object: ...
