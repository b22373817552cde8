"""The records that `upsert_convention` and the other plain functions accept, with their required fields.

Unknown fields are preserved; declare them in a subclass. `createdAt` and `updatedAt` are ignored: the store sets them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict


class _ConventionTexts(TypedDict):
    title: str
    """A short title."""
    content: str
    """The full text."""


class NewConvention(_ConventionTexts, total=False):
    """A convention to store. If a convention with its id is stored, that one is updated."""

    id: str
    """Default: a new UUID version 7."""
    tags: Sequence[str]
    """Tags to find it by. Default: none."""
    createdAt: str
    updatedAt: str


class _DecisionTexts(TypedDict):
    summary: str
    """The decision, on one line."""
    rationale: str
    """The reasons."""


class NewDecision(_DecisionTexts, total=False):
    """A decision to store. If a decision with its id is stored, that one is updated."""

    id: str
    """Default: a new UUID version 7."""
    impactedPaths: Sequence[str]
    """Files and folders that the decision affects, relative to the repository. Default: none."""
    createdAt: str
    updatedAt: str


class _NoteTexts(TypedDict):
    content: str
    """The text."""


class NewNote(_NoteTexts, total=False):
    """A note to store. If a note with its id is stored, that one is updated."""

    id: str
    """Default: a new UUID version 7."""
    source: Literal["manual", "agent", "tool"]
    """Who wrote it. Default: `agent`."""
    createdAt: str
    updatedAt: str


__all__ = ["NewConvention", "NewDecision", "NewNote"]
