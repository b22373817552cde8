"""The wheel as a file: its tags, its contents, its metadata, and what it links to."""

from __future__ import annotations

import base64
import csv
import hashlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.metadata import Metadata
from packaging.tags import Tag, cpython_tags
from packaging.utils import parse_wheel_filename
from trove_classifiers import classifiers

from installed import NOTES, SOURCES

PACKAGE = SOURCES / "bindings/python"
LICENSES = ("LICENSE", "LICENSE-APACHE", "LICENSE-MIT")
TOOLS = Path(sys.executable).parent


@pytest.fixture(scope="module")
def files(wheel: Path) -> dict[str, bytes]:
    """The contents of the wheel, by name."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert len(names) == len(set(names))
        return {name: archive.read(name) for name in names}


@pytest.fixture(scope="module")
def tag(wheel: Path) -> Tag:
    """What the name of the wheel says it is for. Old names of a platform may be beside the one with a version."""
    _, _, build, tags = parse_wheel_filename(wheel.name)
    assert build == ()
    [tag] = [tag for tag in tags if not re.match(r"manylinux(1|2010|2014)_", tag.platform)]
    return tag


@pytest.fixture(scope="module")
def metadata(files: dict[str, bytes]) -> Metadata:
    """The metadata, which must be valid."""
    return Metadata.from_email(info(files, "METADATA"))


def info(files: dict[str, bytes], name: str) -> bytes:
    """A file of the wheel's description."""
    [found] = [content for path, content in files.items() if re.fullmatch(rf"loopmem-[^/]+\.dist-info/{name}", path)]
    return found


def judged(*command: object) -> str:
    """The output of a tool that judges the wheel."""
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_one_wheel_is_for_every_python_from_3_10_on(tag: Tag, wheel: Path, files: dict[str, bytes]) -> None:
    assert (tag.interpreter, tag.abi) == ("cp310", "abi3")
    described = info(files, "WHEEL").decode()
    tags = {str(tag) for tag in parse_wheel_filename(wheel.name)[3]}
    assert set(re.findall(r"^Tag: (.*)$", described, re.MULTILINE)) == tags
    assert "Root-Is-Purelib: false\n" in described
    size = sum(map(len, files.values()))
    NOTES.append(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, installed {size / 1e6:.1f} MB")


@pytest.mark.parametrize("minor", range(10, 20))
def test_python_accepts_the_wheel_by_its_tag_and_a_free_threaded_one_refuses_it(tag: Tag, minor: int) -> None:
    platforms = [tag.platform]
    assert tag in set(cpython_tags((3, minor), [f"cp3{minor}"], platforms))
    # Free-threaded since 3.13: it has no stable ABI that the wheel could have been built for.
    assert tag not in set(cpython_tags((3, minor), [f"cp3{minor}t"], platforms))
    assert tag not in set(cpython_tags((3, 9), ["cp39"], platforms))


def test_the_record_lists_every_file_with_its_hash_and_size(files: dict[str, bytes]) -> None:
    listed = {name: (digest, size) for name, digest, size in csv.reader(info(files, "RECORD").decode().splitlines())}
    assert listed.keys() == files.keys()
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        expected = ("", "") if name.endswith(".dist-info/RECORD") else (f"sha256={digest}", str(len(content)))
        assert listed[name] == expected, name


def test_the_wheel_has_the_package_its_description_and_nothing_else(files: dict[str, bytes]) -> None:
    sources = {path.relative_to(PACKAGE / "python").as_posix(): path for path in (PACKAGE / "python").rglob("*")}
    package = {name: path for name, path in sources.items() if path.suffix in (".py", ".pyi", ".typed")}
    own = {name: content for name, content in files.items() if not re.match(r"loopmem-[^/]+\.dist-info/", name)}
    assert own.keys() == {*package, "loopmem/_native.abi3.so"}
    assert "loopmem/py.typed" in own
    for name, path in package.items():
        assert own[name] == path.read_bytes(), name
    # A bill of materials may be beside them.
    described = {name.partition("/")[2] for name in files if name not in own and "/sboms/" not in name}
    assert described == {"METADATA", "WHEEL", "RECORD", "entry_points.txt", *(f"licenses/{name}" for name in LICENSES)}


def test_no_file_can_be_written_by_others_and_none_is_a_link(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            mode = entry.external_attr >> 16
            assert mode & 0o170000 in (0, 0o100000), entry.filename
            assert mode & 0o022 == 0, entry.filename


def test_the_licences_are_included(files: dict[str, bytes], metadata: Metadata) -> None:
    assert metadata.license_expression == "Apache-2.0 OR MIT"
    assert sorted(metadata.license_files or []) == sorted(LICENSES)
    for name in LICENSES:
        assert info(files, f"licenses/{name}") == (SOURCES / name).read_bytes()


def test_the_metadata_describes_this_version(wheel: Path, files: dict[str, bytes], metadata: Metadata) -> None:
    cargo = re.search(r'^version = "(.*)"', (SOURCES / "Cargo.toml").read_text(), re.MULTILINE)
    assert cargo is not None
    assert (metadata.name, str(metadata.version)) == ("loopmem", cargo[1])
    assert str(metadata.requires_python) == ">=3.10"
    assert metadata.summary == "Durable, local-first memory for coding agents"
    assert (metadata.description or "").strip() == (SOURCES / "README.md").read_text().strip()
    assert (metadata.description_content_type or "").startswith("text/markdown")
    assert set(metadata.classifiers or []) <= classifiers
    needed = [requirement for requirement in metadata.requires_dist or [] if requirement.marker is None]
    assert needed == []
    assert metadata.provides_extra == ["anthropic"]
    [script] = re.findall(r"^loopmem *= *(.*)$", info(files, "entry_points.txt").decode(), re.MULTILINE)
    assert script == "loopmem._command:main"
    assert "PASSED" in judged(TOOLS / "twine", "--no-color", "check", "--strict", wheel)


def test_the_native_module_uses_only_the_stable_abi_and_exports_one_symbol(wheel: Path, tmp_path: Path) -> None:
    judged(TOOLS / "abi3audit", "--strict", wheel)
    with zipfile.ZipFile(wheel) as archive:
        native = archive.extract("loopmem/_native.abi3.so", tmp_path)
    exported = [line.split()[-1] for line in judged("nm", "-D", "--defined-only", native).splitlines()]
    assert exported == ["PyInit__native"]


def test_the_wheel_links_to_no_more_than_its_platform_has(wheel: Path, tag: Tag) -> None:
    shown = " ".join(judged(TOOLS / "auditwheel", "show", wheel).split())
    match = re.search(r'consistent with the following platform tag: "((many|musl)?linux_?(\d+)?_?(\d+)?_?\w*)"', shown)
    assert match is not None, shown
    found, promised = match[1], tag.platform
    if promised.startswith("linux_"):
        NOTES.append(f"{wheel.name} promises no libc; auditwheel finds {found}")
        return
    pattern = r"(many|musl)linux_(\d+)_(\d+)_(\w+)"
    kind, major, minor, machine = re.fullmatch(pattern, found).groups()  # type: ignore[union-attr]
    own = re.fullmatch(pattern, promised)
    assert own is not None, f"{promised} is not a tag that names a version of libc"
    assert (own[1], own[4]) == (kind, machine)
    assert (int(major), int(minor)) <= (int(own[2]), int(own[3])), f"{promised} promises less than {found}"
