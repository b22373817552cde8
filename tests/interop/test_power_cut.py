"""Power cuts while an agent's files are pushed to a branch: no acknowledged line is removed from it.

The disk is an image in a file. What a mounted file system has not written to it is missing from a copy of the image, as
it would be after a power cut.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from mounts import mounted
from torture import IS_TORTURE, rounds
from writers import DEBUG

# Size in bytes, the options of mkfs, and those of a mount beside the original.
KINDS = {"ext4": (64 << 20, ["-q"], []), "xfs": (512 << 20, ["-q"], ["-o", "nouuid"])}


class Agent:
    """An agent's folder, whose lines are pushed to a branch of a repository on another disk."""

    def __init__(self, folder: Path, home: Path, remote: Path) -> None:
        self.folder, self.home, self.remote = folder, home, remote

    def command(self, verb: str) -> list[str]:
        options = ["--directory", str(self.folder), "--remote", str(self.remote)]
        return [str(DEBUG / "loopmem"), "--home", str(self.home), "branch", verb, *options]

    def run(self, verb: str) -> None:
        subprocess.run(self.command(verb), check=True, capture_output=True, text=True)

    def write(self, number: int, choose: random.Random) -> set[str]:
        """Adds lines to a log, to a file that is rewritten in place, and in a new folder, and syncs none of them."""
        lines = {f'{{"log": {number}}}', f'{{"notes": {number}}}', f'{{"new": {number}}}'}
        self.folder.mkdir(exist_ok=True)
        with (self.folder / "log.jsonl").open("a") as log:
            log.write(f'{{"log": {number}}}\n')
        notes = self.folder / "notes.jsonl"
        before = notes.read_text() if notes.exists() else ""
        notes.write_text(f'{before}{{"notes": {number}}}\n')
        new = self.folder / f"{choose.randrange(3)}" / f"{number}.jsonl"
        new.parent.mkdir(exist_ok=True)
        new.write_text(f'{{"new": {number}}}\n')
        return lines


def on_branch(remote: Path) -> set[str]:
    """The lines on the branch."""
    git = ["git", "--git-dir", str(remote)]
    branch = "memory/default"
    names = subprocess.run([*git, "ls-tree", "-r", "--name-only", branch], capture_output=True, text=True).stdout
    lines: set[str] = set()
    for name in names.splitlines():
        text = subprocess.run([*git, "show", f"{branch}:{name}"], check=True, capture_output=True, text=True).stdout
        lines.update(text.splitlines())
    return lines


@pytest.mark.skipif(not IS_TORTURE, reason="takes minutes; scripts/torture power runs it")
@pytest.mark.parametrize("kind", KINDS)
def test_the_push_after_a_power_cut_removes_no_acknowledged_line(kind: str, tmp_path: Path) -> None:
    size, options, beside = KINDS[kind]
    if shutil.which(f"mkfs.{kind}") is None:
        pytest.skip(f"mkfs.{kind} is not installed")
    image, remote = tmp_path / "image", tmp_path / "remote.git"
    with image.open("wb") as file:
        file.truncate(size)
    subprocess.run([f"mkfs.{kind}", *options, image], check=True)
    subprocess.run(["git", "init", "--quiet", "--bare", remote], check=True)
    disk, after = tmp_path / "disk", tmp_path / "after"
    disk.mkdir()
    after.mkdir()
    acknowledged: set[str] = set()
    with mounted(disk, "-o", "loop", image):
        agent = Agent(disk / "agent", tmp_path / "home", remote)
        agent.run("checkout")
        for number, choose in rounds(20):
            lines = agent.write(number, choose)
            if choose.random() < 0.5:
                agent.run("push")
                acknowledged |= lines
                cut(image, tmp_path)
            else:
                with subprocess.Popen(agent.command("push"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as push:
                    time.sleep(choose.random() * 0.2)
                    known = on_branch(remote)
                    cut(image, tmp_path)
                    # What was on the branch when the power went was acknowledged to someone.
                    was_pushed = known | acknowledged
                    push.communicate()
                assert push.returncode == 0
                check(tmp_path, after, remote, was_pushed, beside)
                acknowledged |= lines
                continue
            check(tmp_path, after, remote, acknowledged, beside)


def cut(image: Path, folder: Path) -> None:
    """What is on the disk at this moment."""
    subprocess.run(["cp", "--sparse=always", image, folder / "cut"], check=True)


def check(folder: Path, at: Path, remote: Path, expected: set[str], beside: list[str]) -> None:
    """After the power is back, the agent pushes again, to a copy of the repository."""
    copy = folder / "copy.git"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(remote, copy)
    before = on_branch(copy)
    with mounted(at, "-o", "loop", *beside, folder / "cut"):
        state = at / ".agent.loopmem" / "state.json"
        assert state.exists(), "the state that the checkout acknowledged is gone"
        # The same branch for loopmem: the state knows the repository by its path.
        subprocess.run(["mount", "--bind", copy, remote], check=True)
        try:
            Agent(at / "agent", folder / "home-after", remote).run("push")
            missing = (expected | before) - on_branch(remote)
        finally:
            subprocess.run(["umount", remote], check=True)
    assert not missing, sorted(missing)
