"""All languages read the same from what one language wrote."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from loopmem import Store

from writers import DEBUG, REPO, ROOT, compiled


def test_all_languages_read_the_same_pack(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with Store.open(home=home) as store:
        for n in range(5):
            store.memory.upsert_convention(repo_hash=REPO, convention={"title": f"é漢 {n}", "content": "c" * 40})
            store.summary.append(repo_hash=REPO, run_id="r", step_id=str(n), summary="done \u2028 \U0001f600")
        params = {"repoHash": REPO, "maxChars": 400}
        packs = {"python": store.call("context.build", params)}
    options = json.dumps({"home": str(home)})
    program = (
        "const { Store } = require(process.argv[1]);"
        "const store = Store.openSync(JSON.parse(process.argv[2]));"
        "console.log(JSON.stringify(store.callSync('context.build', JSON.parse(process.argv[3]))));"
    )
    commands = {
        "node": (["node", "-e", program, str(ROOT / "bindings" / "node"), options, json.dumps(params)], ""),
        "c": ([str(compiled("c/host.c")), "serve", options], f"context.build\n{json.dumps(params)}\n0\n"),
        "cli": ([str(DEBUG / "loopmem"), "--options", options, "call", "context.build"], json.dumps(params)),
    }
    for name, (command, given) in commands.items():
        printed = subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout
        packs[name] = json.loads(printed.rstrip("\n").split("\n")[-1].removeprefix("0 "))
    assert all(pack == packs["python"] for pack in packs.values()), packs
