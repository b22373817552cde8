"""The source distribution: what is in it, and that pip builds and installs it in an empty environment."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path, PurePosixPath

import pytest
from packaging.metadata import Metadata

from installed import ALL, SOURCES, Interpreter, install

LICENSES = ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT")


@pytest.fixture(scope="module")
def sdist(pytestconfig: pytest.Config) -> Path:
    """The source distribution to test."""
    path: Path = pytestconfig.getoption("--sdist")
    return path


@pytest.fixture(scope="module")
def members(sdist: Path) -> dict[PurePosixPath, bytes]:
    """The files of the archive, by their paths in its one folder."""
    with tarfile.open(sdist) as archive:
        entries = [entry for entry in archive.getmembers() if not entry.isdir()]
        # A link may point to what is not there.
        assert [entry.name for entry in entries if not entry.isfile()] == []
        files = {PurePosixPath(entry.name): archive.extractfile(entry) for entry in entries}
        [top] = {path.parts[0] for path in files}
        assert sdist.name == f"{top}.tar.gz"
        return {path.relative_to(top): file.read() for path, file in files.items() if file is not None}


def test_the_sources_are_complete_and_nothing_else_is_there(members: dict[PurePosixPath, bytes]) -> None:
    metadata = Metadata.from_email(members[PurePosixPath("PKG-INFO")])
    assert (metadata.name, metadata.license_expression) == ("loopmem", "Apache-2.0 OR MIT")
    assert str(metadata.requires_python) == ">=3.10"
    for name in (*LICENSES, "pyproject.toml", "Cargo.lock"):
        assert PurePosixPath(name) in members, name
    # Builds of later years use the crates that this version was tested with.
    assert members[PurePosixPath("Cargo.lock")] == (SOURCES / "Cargo.lock").read_bytes()
    built = {".so", ".a", ".o", ".rlib", ".pyc", ".node", ".whl"}
    assert [path for path in members if path.suffix in built or path.parts[0] in ("target", ".venv", ".git")] == []


def test_pip_builds_and_installs_the_sources_in_an_empty_environment(sdist: Path, tmp_path: Path) -> None:
    newest: Interpreter = ALL[-1]
    # It has the tools of Rust and the network, and nothing of the tree.
    home, rust = Path.home(), {}
    for name, folder in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")):
        rust[name] = os.environ.get(name, str(home / folder))
    builder = install(newest, None, tmp_path / "builder")
    path = f"{builder.folder / 'bin'}:{rust['CARGO_HOME']}/bin:{os.environ['PATH']}"
    pip = (builder.python, "-m", "pip", "--disable-pip-version-check")
    built = tmp_path / "built"
    build = (*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", built, sdist)
    builder.run(*build, patience=None, variables={"PATH": path, **rust})
    [wheel] = built.iterdir()
    installed = install(newest, wheel, tmp_path / "installed")
    found = json.loads(installed.program("everyday", tmp_path / "home"))
    assert found["titles"] == ["Use pnpm"]
    assert Path(found["file"]).is_relative_to(installed.folder)
