"""`python -m loopmem` is the command `loopmem`."""

from ._command import main

main()
