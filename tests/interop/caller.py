"""Answers calls from Python, one per line, as `loopmem call --lines` does: caller OPTIONS."""

import json
import re
import sys

from loopmem import LoopmemError, Store

options = {re.sub("([A-Z])", r"_\1", name).lower(): value for name, value in json.loads(sys.argv[1]).items()}
with Store.open(**options) as store:
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, object]
        try:
            answer = {"id": request["id"], "result": store.call(request["method"], request["params"])}
        except LoopmemError as error:
            answer = {"id": request["id"], "error": {"code": error.code, "message": str(error)}}
        print(json.dumps(answer), flush=True)
