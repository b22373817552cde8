#!/bin/sh
# An agent that remembers: the loop asks a model, runs the tools that it calls, and ends a step. Every prompt has what
# earlier steps did; what the model remembers is also in the prompts of later runs.
#
#     sh tool_loop.sh [RUN [CLOCK]]     RUN: an id; CLOCK: a fixed time, for tests
set -eu
run=${1:-run-$(date +%s)}
options='{}'
if [ $# -gt 1 ]; then options="{\"clock\": \"$2\"}"; fi
task="Check my changes before I commit them."
max_steps=8

# If a call fails, its error is on standard error, and `set -e` ends the run. Ctrl-C needs no care: a write that it
# interrupts is stored as a whole or not at all.
memory() { loopmem --options "$options" "$@" </dev/null; }

# Your model's API is called here, with the schemas of the tools. This one decides by the prompt alone. A line
# of the reply is the name of a tool with its argument, or a part of the answer.
# shellcheck disable=SC2016 # Backticks are Markdown here.
ask_model() {
  case $1 in
    *'# Ran `git diff --check`: exit status 0'*) echo "output The changes can be committed." ;;
    *'# Ran `git diff --check`: exit status '*)
      echo "output The changes cannot be committed yet."
      echo 'followUp Fix what `git diff --check` reports'
      ;;
    *'[check-changes]'*) echo "run git diff --check" ;;
    *'CONTRIBUTING.md`'*)
      content='Run `git diff --check`: it finds conflict markers and trailing spaces.'
      echo "remember {\"id\": \"check-changes\", \"title\": \"Check changes before a commit\", \"content\": \"$content\"}"
      echo "run git diff --check"
      ;;
    *) echo "read_file CONTRIBUTING.md" ;;
  esac
}

# Sets `did` and `text`, and `kind` to `action` or `error`.
run_tool() {
  kind=action
  case $1 in
    read_file)
      did="Read \`$2\`"
      case $2 in
        /* | ..* | */..*) kind=error text="the path leads out of the folder" ;;
        *) text=$(cat -- "$2" 2>&1) || kind=error ;;
      esac
      if [ $kind = error ]; then did="Could not read \`$2\`"; fi
      ;;
    run)
      # A real agent asks its user first, or runs commands in a sandbox.
      status=0
      text=$(sh -c "$2" 2>&1 </dev/null) || status=$?
      did="Ran \`$2\`: exit status $status"
      if [ $status -ne 0 ]; then kind=error; fi
      ;;
    remember)
      # What the model got wrong is a result for it, such as an id that looks like a secret.
      if text=$(memory --json memory upsert-convention --convention "$2" 2>&1); then
        did="Remembered \`$(printf '%s' "$text" | sed -n 's/^{"id":"\([^"]*\)".*/\1/p')\`" text=
      else
        case $text in
          *'"code":"ValidationError"'* | *'"code":"SecretRefused"'*) kind=error did="Could not remember" ;;
          *) printf '%s\n' "$text" >&2 && exit 1 ;;
        esac
      fi
      ;;
  esac
}

step=0 results='' is_done=''
while [ -z "$is_done" ]; do
  step=$((step + 1))
  if [ $step -gt $max_steps ]; then echo "no answer after $max_steps steps" >&2 && exit 1; fi
  # The state of the run, for its prompts and for others to follow: `loopmem working show RUN`.
  memory working set "$run" step=$step status=running >/dev/null
  prompt="# Task

$task

$(memory context --max-chars 8000 --prompt "$task" --scope-id "$run")$results"
  printf '=== %s, step %s\n%s\n' "$run" "$step" "$prompt"

  reply=$(ask_model "$prompt")
  set --
  results=
  while read -r name argument; do
    case $name in
      output | followUp) kind=$name did=$argument is_done=yes ;;
      *)
        run_tool "$name" "$argument"
        results="$results

# $did"
        if [ -n "$text" ]; then
          results="$results

$(printf '%s' "$text" | head -c 4000)"
        fi
        ;;
    esac
    if [ "$kind" = followUp ]; then set -- "$@" --follow-up "$did"; else set -- "$@" "--$kind" "$did"; fi
    echo "--- $did"
  done <<EOT
$reply
EOT
  memory summary end --run "$run" --step "step-$step" "$@" >/dev/null
done
memory working set "$run" status=done >/dev/null
