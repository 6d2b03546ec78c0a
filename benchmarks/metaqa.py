"""The relation paths of MetaQA's questions as compiled plans, against the answers that come with them.

    python benchmarks/metaqa.py FOLDER

FOLDER holds `kb_sample.txt` (subject|relation|object) and `questions_sample.jsonl` (start, path, answers); the data are
CC-BY 3.0 and not part of this repository. The ontology is tests/domains/movies. In the answers "other films" leave out
the film that was asked about; where a path comes back to films, so does the plan.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from kb.ask.answer import run_plan
from kb.ask.plan import parse_plan
from kb.iris import Iris
from kb.vocabulary import Vocabulary, load_vocabulary

DOMAIN = Path(__file__).parent.parent / "tests" / "domains" / "movies"
IRIS = Iris("https://kb.films.example/")


def load(path: Path, vocabulary: Vocabulary) -> tuple[ox.Store, set[str]]:
    """The facts as a store, and every name in them."""
    store, names = ox.Store(), set()
    for line in path.read_text(encoding="utf-8").splitlines():
        subject, relation, object_ = line.split("|")
        names |= {subject, object_}
        ends = ox.NamedNode(IRIS.entity(subject)), ox.NamedNode(IRIS.entity(object_))
        store.add(ox.Quad(ends[0], ox.NamedNode(vocabulary.relations[relation].iri), ends[1]))
    return store, names


def plan_of(question: dict[str, Any]) -> dict[str, Any]:
    """`^relation` is `~relation`; after each two steps, which come back to what was asked about, that is left out."""
    hops = [step.replace("^", "~") for step in question["path"]]
    this = {"start": question["start"]}
    if len(hops) == 1:
        return {**this, "hops": hops}
    others = {"except": [{**this, "hops": hops[:2]}, this]}
    return {**others, "hops": hops[2:]} if len(hops) > 2 else others


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    vocabulary = load_vocabulary([DOMAIN / "ontology.ttl"], [DOMAIN / "shapes.ttl"])
    store, names = load(folder / "kb_sample.txt", vocabulary)
    lines = (folder / "questions_sample.jsonl").read_text(encoding="utf-8").splitlines()
    begun, right = time.perf_counter(), 0
    for question in map(json.loads, lines):
        plan = parse_plan(plan_of(question), vocabulary, names)
        answer = run_plan(store, plan, vocabulary, IRIS)
        found, wanted = {one.id for one in answer.answers}, set(question["answers"])
        right += found == wanted
        if found != wanted:
            print(f"differs: {question['question']}\n  found  {sorted(found)}\n  wanted {sorted(wanted)}")
        assert all(one.witness for one in answer.answers)
    seconds = time.perf_counter() - begun
    print(f"{right} of {len(lines)} questions: all answers equal, each with a witness; {seconds:.1f} s")
    return 0 if right == len(lines) else 1


if __name__ == "__main__":
    sys.exit(main())
