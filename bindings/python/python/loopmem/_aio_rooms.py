"""The methods of an asynchronous store, grouped by module."""

# Generated from the method table by scripts/generate. Do not edit.

from __future__ import annotations

from . import _rooms
from ._caller import AsyncCaller
from ._opening import opening
from ._room import AsyncRoom, awaited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Self, Unpack

    from . import _types as t
    from ._opening import Opening


class RepoApi(AsyncRoom):
    """The methods `repo.*` of a store."""

    __slots__ = ()

    identify = awaited(_rooms.RepoApi.identify)
    sanitize_remote_url = awaited(_rooms.RepoApi.sanitize_remote_url)
    list = awaited(_rooms.RepoApi.list)
    adopt = awaited(_rooms.RepoApi.adopt)
    move = awaited(_rooms.RepoApi.move)
    migrate = awaited(_rooms.RepoApi.migrate)
    forget = awaited(_rooms.RepoApi.forget)


class MemoryApi(AsyncRoom):
    """The methods `memory.*` of a store."""

    __slots__ = ()

    get = awaited(_rooms.MemoryApi.get)
    upsert_convention = awaited(_rooms.MemoryApi.upsert_convention)
    upsert_decision = awaited(_rooms.MemoryApi.upsert_decision)
    upsert_note = awaited(_rooms.MemoryApi.upsert_note)
    list = awaited(_rooms.MemoryApi.list)
    remove = awaited(_rooms.MemoryApi.remove)


class SummaryApi(AsyncRoom):
    """The methods `summary.*` of a store."""

    __slots__ = ()

    append = awaited(_rooms.SummaryApi.append)
    end_step = awaited(_rooms.SummaryApi.end_step)
    list = awaited(_rooms.SummaryApi.list)
    remove = awaited(_rooms.SummaryApi.remove)


class ContextApi(AsyncRoom):
    """The methods `context.*` of a store."""

    __slots__ = ()

    build = awaited(_rooms.ContextApi.build)


class SearchApi(AsyncRoom):
    """The methods `search.*` of a store."""

    __slots__ = ()

    find = awaited(_rooms.SearchApi.find)


class StatusApi(AsyncRoom):
    """The methods `status.*` of a store."""

    __slots__ = ()

    get = awaited(_rooms.StatusApi.get)


class WorkingApi(AsyncRoom):
    """The methods `working.*` of a store."""

    __slots__ = ()

    get_context = awaited(_rooms.WorkingApi.get_context)
    update_context = awaited(_rooms.WorkingApi.update_context)
    add_log = awaited(_rooms.WorkingApi.add_log)
    get_logs = awaited(_rooms.WorkingApi.get_logs)
    search_logs = awaited(_rooms.WorkingApi.search_logs)
    save_checkpoint = awaited(_rooms.WorkingApi.save_checkpoint)
    restore_checkpoint = awaited(_rooms.WorkingApi.restore_checkpoint)
    list_checkpoints = awaited(_rooms.WorkingApi.list_checkpoints)
    delete_checkpoint = awaited(_rooms.WorkingApi.delete_checkpoint)
    history = awaited(_rooms.WorkingApi.history)
    list_scopes = awaited(_rooms.WorkingApi.list_scopes)
    delete_scope = awaited(_rooms.WorkingApi.delete_scope)


class AdapterApi(AsyncRoom):
    """The methods `adapter.*` of a store."""

    __slots__ = ()

    get = awaited(_rooms.AdapterApi.get)
    set = awaited(_rooms.AdapterApi.set)
    delete = awaited(_rooms.AdapterApi.delete)
    push = awaited(_rooms.AdapterApi.push)
    get_list = awaited(_rooms.AdapterApi.get_list)


class ItemsApi(AsyncRoom):
    """The methods `items.*` of a store."""

    __slots__ = ()

    add = awaited(_rooms.ItemsApi.add)
    get = awaited(_rooms.ItemsApi.get)
    sweep = awaited(_rooms.ItemsApi.sweep)
    list = awaited(_rooms.ItemsApi.list)
    update = awaited(_rooms.ItemsApi.update)
    archive = awaited(_rooms.ItemsApi.archive)
    restore = awaited(_rooms.ItemsApi.restore)
    remove = awaited(_rooms.ItemsApi.remove)
    recall = awaited(_rooms.ItemsApi.recall)
    used = awaited(_rooms.ItemsApi.used)
    trust = awaited(_rooms.ItemsApi.trust)
    export = awaited(_rooms.ItemsApi.export)
    import_ = awaited(_rooms.ItemsApi.import_)
    migrate = awaited(_rooms.ItemsApi.migrate)
    migrate_legacy = awaited(_rooms.ItemsApi.migrate_legacy)
    stats = awaited(_rooms.ItemsApi.stats)


class FilesApi(AsyncRoom):
    """The methods `files.*` of a store."""

    __slots__ = ()

    view = awaited(_rooms.FilesApi.view)
    create = awaited(_rooms.FilesApi.create)
    replace = awaited(_rooms.FilesApi.replace)
    insert = awaited(_rooms.FilesApi.insert)
    remove = awaited(_rooms.FilesApi.remove)
    rename = awaited(_rooms.FilesApi.rename)
    list = awaited(_rooms.FilesApi.list)


class RolloutsApi(AsyncRoom):
    """The methods `rollouts.*` of a store."""

    __slots__ = ()

    upsert_thread = awaited(_rooms.RolloutsApi.upsert_thread)
    scan = awaited(_rooms.RolloutsApi.scan)
    input = awaited(_rooms.RolloutsApi.input)
    claim_stage1 = awaited(_rooms.RolloutsApi.claim_stage1)
    heartbeat = awaited(_rooms.RolloutsApi.heartbeat)
    complete_stage1 = awaited(_rooms.RolloutsApi.complete_stage1)
    fail_stage1 = awaited(_rooms.RolloutsApi.fail_stage1)
    materialize = awaited(_rooms.RolloutsApi.materialize)
    claim_consolidation = awaited(_rooms.RolloutsApi.claim_consolidation)
    complete_consolidation = awaited(_rooms.RolloutsApi.complete_consolidation)
    fail_consolidation = awaited(_rooms.RolloutsApi.fail_consolidation)
    run = awaited(_rooms.RolloutsApi.run)
    status = awaited(_rooms.RolloutsApi.status)
    list = awaited(_rooms.RolloutsApi.list)
    read = awaited(_rooms.RolloutsApi.read)
    explain = awaited(_rooms.RolloutsApi.explain)
    retry = awaited(_rooms.RolloutsApi.retry)
    record_usage = awaited(_rooms.RolloutsApi.record_usage)
    set_mode = awaited(_rooms.RolloutsApi.set_mode)
    forget = awaited(_rooms.RolloutsApi.forget)
    reset = awaited(_rooms.RolloutsApi.reset)
    migrate_legacy_root = awaited(_rooms.RolloutsApi.migrate_legacy_root)


class BranchApi(AsyncRoom):
    """The methods `branch.*` of a store."""

    __slots__ = ()

    parse_config = awaited(_rooms.BranchApi.parse_config)
    checkout = awaited(_rooms.BranchApi.checkout)
    validate = awaited(_rooms.BranchApi.validate)
    push = awaited(_rooms.BranchApi.push)
    pack = awaited(_rooms.BranchApi.pack)
    unpack = awaited(_rooms.BranchApi.unpack)
    snapshot = awaited(_rooms.BranchApi.snapshot)
    snapshots = awaited(_rooms.BranchApi.snapshots)
    rollback = awaited(_rooms.BranchApi.rollback)
    prune = awaited(_rooms.BranchApi.prune)
    prompt = awaited(_rooms.BranchApi.prompt)
    workflow = awaited(_rooms.BranchApi.workflow)
    match = awaited(_rooms.BranchApi.match)
    merge_file = awaited(_rooms.BranchApi.merge_file)


class UndoApi(AsyncRoom):
    """The methods `undo.*` of a store."""

    __slots__ = ()

    list = awaited(_rooms.UndoApi.list)
    restore = awaited(_rooms.UndoApi.restore)


class SyncApi(AsyncRoom):
    """The methods `sync.*` of a store."""

    __slots__ = ()

    run = awaited(_rooms.SyncApi.run)
    status = awaited(_rooms.SyncApi.status)


class ArchiveApi(AsyncRoom):
    """The methods `archive.*` of a store."""

    __slots__ = ()

    export = awaited(_rooms.ArchiveApi.export)
    import_ = awaited(_rooms.ArchiveApi.import_)


class IndexApi(AsyncRoom):
    """The methods `index.*` of a store."""

    __slots__ = ()

    refresh = awaited(_rooms.IndexApi.refresh)
    map = awaited(_rooms.IndexApi.map)
    symbols = awaited(_rooms.IndexApi.symbols)


class SafetyApi(AsyncRoom):
    """The methods `safety.*` of a store."""

    __slots__ = ()

    redact = awaited(_rooms.SafetyApi.redact)
    scan = awaited(_rooms.SafetyApi.scan)
    rules = awaited(_rooms.SafetyApi.rules)
    preview = awaited(_rooms.SafetyApi.preview)
    allow = awaited(_rooms.SafetyApi.allow)
    allowances = awaited(_rooms.SafetyApi.allowances)


class DoctorApi(AsyncRoom):
    """The methods `doctor.*` of a store."""

    __slots__ = ()

    check = awaited(_rooms.DoctorApi.check)


class StoreApi:
    """The methods of a store, grouped by module, and the options to open it with."""

    __slots__ = _rooms.StoreApi.__slots__

    def __init__(self, caller: AsyncCaller) -> None:
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

    if TYPE_CHECKING:

        @classmethod
        def open(cls, **options: Unpack[t.StoreOptions]) -> Opening[Self]:
            """Opens a store; nothing is created until the first write. `loopmem.Store.open` describes the options.

            `async with Store.open() as store` closes it at the end; `await Store.open()` leaves that to the caller.
            """
            raise NotImplementedError
    else:
        open = classmethod(opening(_rooms.StoreApi.open.__func__))

    @classmethod
    async def _open(cls, options: Mapping[str, object]) -> Self:
        raise NotImplementedError

    call = awaited(_rooms.StoreApi.call)
