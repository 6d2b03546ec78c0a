#!/bin/sh
# Builds the example wiki and asks it four questions, builds the example notes and searches them.
# `make demo` runs this; KB names the command.
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

show() {
    printf '\n$ kb'
    for word; do
        case $word in *" "*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    printf '\n'
    "$KB" "$@" 2>&1
}

printf '\nSchema notes say what one must know about settings and formats: twelve of them are in examples/notes.\n'
cd ../notes
rm -rf kg
show build
show search "make config immutable" --top-k 2
show search "zero decimal currencies" --top-k 2
show related deployment_config immutable
cd ../larkspur

cat <<'END'

Every answer rests on sentences of pages. Try next:

    cd examples/larkspur
    kb=../../.venv/bin/kb
    $kb ask "What does Checkout depend on, at any depth?" --explain    # the plan and its SPARQL
    $kb query find_impact -p entity=ledger-db                          # SPARQL from queries/
    $kb query list_rejections                                          # what was refused, and why
    $kb validate                                                       # where pages contradict each other
    $kb export --format turtle | less
    $kb search "payouts are stuck"                                     # texts of pages, by meaning and words
    (cd ../notes && ../$kb dedup)                                      # caveats that say the same, or the contrary
    $kb eval --gold gold                                               # precision, recall, F1
    $kb --help
END
