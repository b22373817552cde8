"""Imports every module of the package that needs no other package, and prints their number."""

import importlib
import pkgutil

import loopmem

names = [module.name for module in pkgutil.iter_modules(loopmem.__path__)]
for name in names:
    # The first runs the command, the second needs Anthropic's SDK.
    if name not in ("__main__", "anthropic"):
        importlib.import_module(f"loopmem.{name}")
print(len(names))
