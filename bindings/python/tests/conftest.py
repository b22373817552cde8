"""Fixtures of several test files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from loopmem import Store

from locks import REPO

# Programs started by tests print no colours, whatever the environment of the tests.
for name in ("FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR", "PYTHON_COLORS"):
    os.environ.pop(name, None)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with one convention of `REPO`."""
    with Store.open(home=tmp_path) as store:
        store.memory.upsert_convention(repo_hash=REPO, convention={"title": "t", "content": "c"})
    return tmp_path
