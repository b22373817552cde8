"""Prints the milliseconds that the import of the package and the opening of a store took."""

import sys
import time

began = time.perf_counter()
import loopmem  # noqa: E402

imported = time.perf_counter()
store = loopmem.Store.open(home=sys.argv[1])
opened = time.perf_counter()
print((imported - began) * 1_000, (opened - imported) * 1_000)
