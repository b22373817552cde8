#!/bin/sh
# loopmem from the shell: remember something about the repository of the current folder, then pack it for a prompt.
#
#     sh quickstart.sh [HOME]     HOME: default ~/.codex-toolloop
set -eu
if [ $# -gt 0 ]; then export CODEX_TOOLLOOP_HOME="$1"; fi
loopmem memory upsert-convention --convention '{"id": "cli", "title": "Scripts", "content": "Everything has a script."}'
loopmem summary append --run-id quickstart --step-id cli --summary "Stored a convention from the command line."
loopmem context build --max-chars 8000
