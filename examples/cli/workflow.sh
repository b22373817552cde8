#!/bin/sh
# A workflow as agents run it: every step is a separate process, which learns about earlier steps from the
# context pack. Its output goes into the working context of the run.
#
#     sh workflow.sh             runs all steps
#     sh workflow.sh RUN STEP    runs one step: plan, build, test or review
set -eu
steps="plan build test review"

if [ $# -eq 0 ]; then
  run=run-$(date +%s)
  for step in $steps; do sh "$0" "$run" "$step"; done
  exit
fi

run=$1 step=$2
case $step in
  plan) did="Read the issue" output="Two changes are needed" ;;
  build) did="Made both changes" output="src/parser.rs and its tests" ;;
  test) did="Ran the tests" output="214 passed" ;;
  review) did="Read the diff" output="Nothing to add" ;;
  *) echo "the steps are $steps" >&2; exit 2 ;;
esac

pack=$(loopmem context build --max-chars 8000)
earlier=0
for name in $steps; do
  if [ "$name" = "$step" ]; then break; fi
  case $pack in
    *"$run / $name"*) earlier=$((earlier + 1)) ;;
    *) echo "the pack does not contain $name" >&2; exit 1 ;;
  esac
done

# An agent would work here, with the pack in its prompt.
events=$(printf '[{"kind": "action", "text": "%s"}, {"kind": "output", "text": "%s"}]' "$did" "$output")
loopmem summary end-step --run-id "$run" --step-id "$step" --events "$events" >/dev/null
loopmem working set "$run" "$step=$output" >/dev/null
echo "$step: $earlier earlier steps in the pack"
