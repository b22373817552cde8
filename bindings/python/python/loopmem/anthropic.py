"""Anthropic's memory tool on the files that loopmem keeps.

`MemoryTool` and `AsyncMemoryTool` are tools for the runner of Anthropic's SDK, which has to be installed. They behave
as the SDK's own `BetaLocalFilesystemMemoryTool` does. Besides, several processes can change the same files without
losing a change, what was written survives a crash, secrets are redacted, and what was deleted can be brought back.

Examples
--------
>>> from anthropic import Anthropic
>>> from loopmem import Store
>>> from loopmem.anthropic import MemoryTool
>>> with Store.open() as store:
...     Anthropic().beta.messages.run_tools(
...         model="claude-sonnet-5-5",
...         max_tokens=1024,
...         messages=[{"role": "user", "content": "Which conventions does this project have?"}],
...         tools=[MemoryTool(store)],
...     ).until_done()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

try:
    from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
except ImportError as error:
    message = "loopmem.anthropic needs Anthropic's SDK; install it with `pip install anthropic`"
    raise ImportError(message, name=error.name) from error

from .errors import LoopmemError

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Literal

    from anthropic.types.beta import (
        BetaCacheControlEphemeralParam,
        BetaMemoryTool20250818CreateCommand,
        BetaMemoryTool20250818DeleteCommand,
        BetaMemoryTool20250818InsertCommand,
        BetaMemoryTool20250818RenameCommand,
        BetaMemoryTool20250818StrReplaceCommand,
        BetaMemoryTool20250818ViewCommand,
    )

    from . import _types as t
    from ._aio_store import Store as AsyncStore
    from ._store import Store

__all__ = ["AsyncMemoryTool", "MemoryTool"]


class _Folder(TypedDict):
    """Whose files they are."""

    global_: bool
    repo_hash: str | None
    workspace: str | os.PathLike[str] | None
    branch_scope: Literal["perBranch", "sharedRepo"] | None


class MemoryTool(BetaAbstractMemoryTool):
    """The memory tool for `client.beta.messages.run_tools` of a synchronous client.

    Parameters
    ----------
    store : The store. It has to be open as long as the tool is used.
    global_ : Whether the files belong to the user, and to no repository. Default: `False`.
    repo_hash : The repository, as `repo.identify` returns it. Default: the repository of `workspace`.
    workspace : A folder in the repository. Default: the current folder.
    branch_scope : Whether each branch has a separate memory or all branches share one. Default: as configured.
    cache_control : Where a prompt's cache ends, for the definition of the tool.
    """

    def __init__(
        self,
        store: Store,
        *,
        global_: bool = False,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = store.files
        self._folder = _folder(global_, repo_hash, workspace, branch_scope)

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Shows a file with the numbers of its lines, or lists a folder."""
        with _ToolErrors():
            return self._files.view(path=command.path, view_range=_range(command), **self._folder)["text"]

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Creates a file."""
        with _ToolErrors():
            return self._files.create(path=command.path, file_text=command.file_text, **self._folder)["text"]

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replaces a text that is in a file once."""
        with _ToolErrors():
            old, new = command.old_str, command.new_str
            return self._files.replace(path=command.path, old_str=old, new_str=new, **self._folder)["text"]

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Inserts a text behind a line of a file."""
        with _ToolErrors():
            line, text = command.insert_line, command.insert_text
            return self._files.insert(path=command.path, insert_line=line, insert_text=text, **self._folder)["text"]

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Removes a file, or a folder with everything in it."""
        with _ToolErrors():
            return self._files.remove(path=command.path, **self._folder)["text"]

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Renames a file or a folder, or moves it."""
        with _ToolErrors():
            old, new = command.old_path, command.new_path
            return self._files.rename(old_path=old, new_path=new, **self._folder)["text"]

    def clear_all_memory(self) -> str:
        """Removes all files."""
        with _ToolErrors():
            for path in _tops(self._files.list(**self._folder)):
                self._files.remove(path=path, **self._folder)
        return _CLEARED


class AsyncMemoryTool(BetaAsyncAbstractMemoryTool):
    """The memory tool for `client.beta.messages.run_tools` of an asynchronous client.

    See Also
    --------
    MemoryTool : The tool of a synchronous client, with the same parameters. The store is one of `loopmem.aio`.
    """

    def __init__(
        self,
        store: AsyncStore,
        *,
        global_: bool = False,
        repo_hash: str | None = None,
        workspace: str | os.PathLike[str] | None = None,
        branch_scope: Literal["perBranch", "sharedRepo"] | None = None,
        cache_control: BetaCacheControlEphemeralParam | None = None,
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._files = store.files
        self._folder = _folder(global_, repo_hash, workspace, branch_scope)

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        """Shows a file with the numbers of its lines, or lists a folder."""
        with _ToolErrors():
            return (await self._files.view(path=command.path, view_range=_range(command), **self._folder))["text"]

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        """Creates a file."""
        with _ToolErrors():
            return (await self._files.create(path=command.path, file_text=command.file_text, **self._folder))["text"]

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        """Replaces a text that is in a file once."""
        with _ToolErrors():
            old, new = command.old_str, command.new_str
            return (await self._files.replace(path=command.path, old_str=old, new_str=new, **self._folder))["text"]

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        """Inserts a text behind a line of a file."""
        with _ToolErrors():
            line, text = command.insert_line, command.insert_text
            inserted = self._files.insert(path=command.path, insert_line=line, insert_text=text, **self._folder)
            return (await inserted)["text"]

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        """Removes a file, or a folder with everything in it."""
        with _ToolErrors():
            return (await self._files.remove(path=command.path, **self._folder))["text"]

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        """Renames a file or a folder, or moves it."""
        with _ToolErrors():
            old, new = command.old_path, command.new_path
            return (await self._files.rename(old_path=old, new_path=new, **self._folder))["text"]

    async def clear_all_memory(self) -> str:
        """Removes all files."""
        with _ToolErrors():
            for path in _tops(await self._files.list(**self._folder)):
                await self._files.remove(path=path, **self._folder)
        return _CLEARED


_CLEARED = "All memory cleared"


class _ToolErrors:
    """Raises an error of loopmem as one whose message the runner gives to the model."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        if isinstance(error, LoopmemError):
            raise ToolError(error.message) from error


def _folder(
    global_: bool,
    repo_hash: str | None,
    workspace: str | os.PathLike[str] | None,
    branch_scope: Literal["perBranch", "sharedRepo"] | None,
) -> _Folder:
    return {"global_": global_, "repo_hash": repo_hash, "workspace": workspace, "branch_scope": branch_scope}


def _range(command: BetaMemoryTool20250818ViewCommand) -> Sequence[int] | None:
    """The range of lines, if it is one: the SDK ignores any other."""
    lines = command.view_range
    return lines if lines is not None and len(lines) == 2 else None


def _tops(entries: Sequence[t.FileEntry]) -> list[str]:
    """The paths directly below `/memories`."""
    return sorted({"/".join(entry["path"].split("/")[:3]) for entry in entries})
