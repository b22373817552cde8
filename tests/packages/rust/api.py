#!/usr/bin/env python3
"""Keeps the API of a release small enough to be committed, and restores it.

api.py pack NOW FILE            writes rustdoc's JSON without what no comparison needs, compressed
api.py unpack FILE NOW BEFORE   writes it to BEFORE; fails if NOW has another version of the format
"""

import json
import lzma
import sys
from pathlib import Path


def pack(now: str, file: str) -> None:
    api = json.loads(Path(now).read_bytes())
    for item in api["index"].values():
        item["docs"] = None
        item["links"] = {}
        # Where other crates are on the machine that made it.
        if item["span"] and Path(item["span"]["filename"]).is_absolute():
            item["span"] = None
    for crate in api["external_crates"].values():
        crate["html_root_url"] = None
        crate["path"] = ""
    text = json.dumps(api, separators=(",", ":"), sort_keys=True)
    Path(file).write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


def unpack(file: str, now: str, before: str) -> None:
    text = lzma.decompress(Path(file).read_bytes())
    versions = [json.loads(api)["format_version"] for api in (text, Path(now).read_bytes())]
    if versions[0] != versions[1]:
        sys.exit(
            f"{file} has version {versions[0]} of rustdoc's format, and this toolchain writes {versions[1]}: check out"
            " the last release, run `LOOPMEM_WRITE=1 tests/packages/rust/check semver` there, and commit the files here"
        )
    Path(before).write_bytes(text)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["pack", now, file]:
            pack(now, file)
        case ["unpack", file, now, before]:
            unpack(file, now, before)
        case _:
            sys.exit(__doc__)
