"""The records that `upsert_convention` and its like take, with the texts that are always there.

Fields that this version does not know are kept; a subclass may declare them. The store's own times count, whatever a
record brings along.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict


class _ConventionTexts(TypedDict):
    title: str
    """Its name, in a few words."""
    content: str
    """The whole of it."""


class NewConvention(_ConventionTexts, total=False):
    """A convention to store; with the id of a stored one it changes that one."""

    id: str
    """Default: a new UUID version 7."""
    tags: Sequence[str]
    """Words to find it by. Default: none."""
    createdAt: str
    updatedAt: str


class _DecisionTexts(TypedDict):
    summary: str
    """The decision, on one line."""
    rationale: str
    """Why."""


class NewDecision(_DecisionTexts, total=False):
    """A decision to store; with the id of a stored one it changes that one."""

    id: str
    """Default: a new UUID version 7."""
    impactedPaths: Sequence[str]
    """Files and folders that it concerns, relative to the repository. Default: none."""
    createdAt: str
    updatedAt: str


class _NoteTexts(TypedDict):
    content: str
    """The note."""


class NewNote(_NoteTexts, total=False):
    """A note to store; with the id of a stored one it changes that one."""

    id: str
    """Default: a new UUID version 7."""
    source: Literal["manual", "agent", "tool"]
    """Who wrote it. Default: `agent`."""
    createdAt: str
    updatedAt: str


__all__ = ["NewConvention", "NewDecision", "NewNote"]
