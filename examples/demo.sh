#!/bin/sh
# Builds the example wiki and asks it four questions. `make demo` runs this; KB names the command.
set -eu
KB=${KB:-kb}
cd "$(dirname "$0")/larkspur"

ask() {
    printf '\n$ kb ask "%s"\n' "$1"
    # Exit code 1 says that there is no answer, which is an answer here.
    "$KB" ask "$1" 2>&1 || test $? -eq 1
}

echo "Larkspur Pay is a fictional payments company: 48 wiki pages and a catalogue of 62 things, in examples/larkspur."
rm -rf kg
printf '\n$ kb build\n'
"$KB" build

ask "FX Rates is down: which public services notice, and who leads the teams that own them?"
ask "Who leads the teams that own services which use Auth directly?"
ask "Which team owns chargebacks?"
ask "What is the weather like in Oslo?"

cat <<'END'

Every answer rests on sentences of pages. Try next:

    cd examples/larkspur
    kb=../../.venv/bin/kb
    $kb ask "What does Checkout depend on, at any depth?" --explain    # the plan and its SPARQL
    $kb query find_impact -p entity=ledger-db                          # SPARQL from queries/
    $kb query list_rejections                                          # what was refused, and why
    $kb validate                                                       # where pages contradict each other
    $kb export --format turtle | less
    $kb eval --gold gold                                               # precision, recall, F1
    $kb --help
END
