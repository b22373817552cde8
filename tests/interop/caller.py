"""Answers calls from Python, a line each, as `loopmem call --lines` does: caller OPTIONS."""

import json
import sys

from loopmem import LoopmemError, Store

options = json.loads(sys.argv[1])
with Store.open(home=options["home"]) as store:
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, object]
        try:
            answer = {"id": request["id"], "result": store.call(request["method"], request["params"])}
        except LoopmemError as error:
            answer = {"id": request["id"], "error": {"code": error.code, "message": str(error)}}
        print(json.dumps(answer), flush=True)
