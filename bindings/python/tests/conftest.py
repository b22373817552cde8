"""What several files of tests stand on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from loopmem import Store

from locks import REPO

# What the tests start prints without colours, whatever the tests themselves are run in.
for name in ("FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR", "PYTHON_COLORS"):
    os.environ.pop(name, None)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that holds one convention of `REPO`."""
    with Store.open(home=tmp_path) as store:
        store.memory.upsert_convention(repo_hash=REPO, convention={"title": "t", "content": "c"})
    return tmp_path
