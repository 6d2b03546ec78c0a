"""Small builds for the tests of generations. Run as a program, it is a build that is killed at a chosen moment.

`python generation_builds.py STORE VERSION [MOMENT]` writes a line when it starts to build version VERSION of a wiki in
STORE; with MOMENT it kills itself, without warning, before the file operation of that number.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pyoxigraph as ox

from kb.generations import Generation, Generations
from kb.iris import Iris

IRIS = Iris("https://kb.example/")
PAGES = 12
_OPERATIONS = {"os.mkdir", "os.rename", "os.truncate", "shutil.rmtree"}


def node(name: str) -> ox.NamedNode:
    return ox.NamedNode(IRIS.base + name)


def facts(page: int, version: int) -> list[ox.Triple]:
    """What page number `page` states in version `version`: the last page changes with every version."""
    state = version if page == PAGES - 1 else 0
    return [ox.Triple(node(f"s{page}"), node("p"), node(f"o{page}-{state}-{number}")) for number in range(5)]


def wanted(version: int) -> set[str]:
    """The default graph of a version, as texts."""
    return {str(triple) for page in range(PAGES) for triple in facts(page, version)}


def answers(generation: Generation) -> set[str]:
    """The default graph of a generation, as texts."""
    return facts_in(generation.open_store())


def facts_in(store: ox.Store) -> set[str]:
    """The default graph of a store, as texts."""
    return {str(quad.triple) for quad in store.quads_for_pattern(None, None, None, ox.DefaultGraph())}


def build(generations: Generations, version: int, *, force: bool = False) -> Generation:
    """Builds a version on top of what is current."""
    with generations.lock():
        parent = None if force else generations.current()
        with generations.begin(parent, IRIS) as draft:
            for page in range(PAGES):
                draft.writer.replace(IRIS.page_graph(f"p{page}"), facts(page, version))
            draft.write("catalogue.json", f'{{"version": {version}}}\n')
            draft.write("vocabulary/ontology.nt", "# nothing\n")
            generation = draft.publish({"version": version})
        generations.prune(keep=2)
    return generation


def _die_at(moment: int) -> None:
    seen = 0

    def watch(event: str, args: tuple[object, ...]) -> None:
        nonlocal seen
        writes = event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if event in _OPERATIONS or writes:
            seen += 1
            if seen == moment:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


if __name__ == "__main__":
    folder, number, *rest = sys.argv[1:]
    if rest:
        _die_at(int(rest[0]))
    print("building", flush=True)
    build(Generations(Path(folder)), int(number))
