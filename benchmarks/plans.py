"""Compiled plans on Oxigraph (disk and memory), the same queries on rdflib, and a plain-Python search, side by side.

    python benchmarks/plans.py [--services 3400] [--cut 60] [--json FILE]

About 100,000 quads: one graph a page, the union of facts in the default graph, provenance beside it; dependencies with
a power law and a few cycles. rdflib is given the default graph alone, in memory. Each template is a shape of plan that
occurs in the gold questions of examples/larkspur. Times are of one run each, so read ratios, not absolutes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import statistics
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pyoxigraph as ox

from kb.ask.answer import run_plan
from kb.ask.compile import compile_plan
from kb.ask.plan import parse_plan
from kb.iris import Iris
from kb.namespaces import DCTERMS, KB, RDF, RDFS
from kb.vocabulary import Vocabulary, load_vocabulary

ROOT = Path(__file__).parent.parent
IRIS = Iris("https://kb.example/")
LOCAL = {"depends_on": "dependsOn", "owned_by": "ownedBy", "led_by": "ledBy"}
CLASS = {"service": "Service", "datastore": "Datastore", "team": "Team", "person": "Person"}

Edge = tuple[str, str, str]

OWNER = "the team that owns most of them"

# (what the plan starts at, hops, where); "hub": much depends on it, "leaf": it depends on much.
TEMPLATES: list[tuple[str, list[str], dict[str, Any]]] = [
    ("hub", ["owned_by"], {}),
    ("leaf", ["depends_on"], {}),
    ("hub", ["~depends_on"], {}),
    ("team", ["led_by"], {}),
    ("team", ["~owned_by"], {}),
    ("person", ["~led_by"], {}),
    ("hub", ["owned_by", "led_by"], {}),
    ("hub", ["~depends_on", "owned_by"], {}),
    ("leaf", ["depends_on", "owned_by"], {}),
    ("leaf", ["depends_on", "depends_on"], {}),
    ("hub", ["~depends_on", "~depends_on"], {}),
    ("person", ["~led_by", "~owned_by"], {}),
    ("hub", ["owned_by", "~owned_by"], {}),
    ("hub", ["~depends_on", "owned_by", "led_by"], {}),
    ("leaf", ["depends_on", "owned_by", "led_by"], {}),
    ("hub", ["~depends_on", "~depends_on", "owned_by"], {}),
    ("leaf", ["depends_on", "depends_on", "owned_by"], {}),
    ("hub", ["~depends_on", "~depends_on", "~depends_on"], {}),
    ("leaf", ["depends_on", "depends_on", "depends_on"], {}),
    ("hub", ["~depends_on", "~depends_on", "owned_by", "led_by"], {}),
    ("leaf", ["depends_on", "owned_by", "~owned_by"], {}),
    ("leaf", ["depends_on*"], {}),
    ("hub", ["~depends_on*"], {}),
    ("leaf", ["depends_on*", "owned_by"], {}),
    ("hub", ["~depends_on*", "owned_by"], {}),
    ("hub", ["~depends_on*", "owned_by", "led_by"], {}),
    ("team", ["~owned_by", "depends_on*"], {}),
    ("hub", ["~depends_on"], {"public": True}),
    ("hub", ["~depends_on"], {"public": False}),
    ("hub", ["~depends_on"], {"owned_by": OWNER}),
    ("leaf", ["depends_on"], {"owned_by": OWNER}),
    ("team", ["~owned_by"], {"type": "datastore"}),
    ("team", ["~owned_by"], {"public": True}),
    ("leaf", ["depends_on*"], {"type": "datastore"}),
    ("leaf", ["depends_on*"], {"type": "service"}),
    ("leaf", ["depends_on*"], {"type": "datastore", "owned_by": OWNER}),
    ("hub", ["~depends_on*"], {"type": "service", "public": True}),
    ("hub", ["~depends_on*"], {"owned_by": OWNER}),
]


# -- data ------------------------------------------------------------------------------------------------------------


class World:
    """Synthetic systems in six tiers; what stands lower and has a low number is used more."""

    def __init__(self, services: int, seed: int = 1) -> None:
        draw = random.Random(seed)
        self.types: dict[str, str] = {}
        self.public: dict[str, bool] = {}
        systems = [f"s-{number}" for number in range(services)]
        teams = [f"team-{number}" for number in range(max(5, services // 20))]
        persons = [f"person-{number}" for number in range(2 * len(teams))]
        for name in systems:
            self.types[name] = "service" if draw.random() < 0.8 else "datastore"
            self.public[name] = draw.random() < 0.1
        self.types.update(dict.fromkeys(teams, "team"))
        self.types.update(dict.fromkeys(persons, "person"))
        uses: set[Edge] = set()
        for number in range(services):
            tier = number % 6
            for _ in range(min(int(draw.paretovariate(1.5)), 30) if tier else 0):
                below = draw.randrange(tier) if draw.random() < 0.3 else tier - 1
                other = int(services // 6 * draw.random() ** 3) * 6 + below
                uses.add((systems[number], "depends_on", systems[other]))
        back = {(o, r, s) for s, r, o in draw.sample(sorted(uses), len(uses) // 100)}
        owned = {(name, "owned_by", draw.choice(teams)) for name in systems}
        led = {(team, "led_by", draw.choice(persons)) for team in teams}
        self.edges = sorted(uses | back | owned | led)
        self.hubs, self.leaves = systems[:60:6], systems[5::6]
        self.teams, self.persons = teams, sorted({person for _, _, person in led})

    def facts(self) -> list[ox.Triple]:
        """What a catalogue and its pages state: the default graph."""
        rows: list[ox.Triple] = []
        for name, kind in self.types.items():
            node = ox.NamedNode(IRIS.entity(name))
            rows.append(ox.Triple(node, ox.NamedNode(RDF + "type"), ox.NamedNode(KB + CLASS[kind])))
            rows.append(ox.Triple(node, ox.NamedNode(RDFS + "label"), ox.Literal(name)))
            rows.append(ox.Triple(node, ox.NamedNode(DCTERMS + "identifier"), ox.Literal(name)))
            if name in self.public:
                rows.append(ox.Triple(node, ox.NamedNode(KB + "public"), ox.Literal(self.public[name])))
        return rows + [_triple(edge) for edge in self.edges]

    def quads(self) -> list[ox.Quad]:
        """The default graph, the same facts in their own graphs, and provenance."""
        facts = self.facts()
        rows = [ox.Quad(*triple) for triple in facts]
        catalogue, provenance = ox.NamedNode(IRIS.catalogue_graph), ox.NamedNode(IRIS.provenance_graph)
        rows += [ox.Quad(*triple, catalogue) for triple in facts[: len(facts) - len(self.edges)]]
        for number, edge in enumerate(self.edges):
            subject, predicate, object_ = _triple(edge)
            rows.append(ox.Quad(subject, predicate, object_, ox.NamedNode(IRIS.page_graph(edge[0]))))
            record = ox.NamedNode(IRIS.statement(str(number)))
            about = {
                RDF + "type": ox.NamedNode(KB + "Statement"),
                RDF + "subject": subject,
                RDF + "predicate": predicate,
                RDF + "object": object_,
                KB + "onPage": ox.NamedNode(IRIS.page(edge[0])),
                KB + "quote": ox.Literal(" ".join(edge)),
            }
            rows += [ox.Quad(record, ox.NamedNode(p), value, provenance) for p, value in about.items()]
        return rows


def _triple(edge: Edge) -> ox.Triple:
    subject, relation, object_ = edge
    return ox.Triple(
        ox.NamedNode(IRIS.entity(subject)),
        ox.NamedNode(KB + LOCAL[relation]),
        ox.NamedNode(IRIS.entity(object_)),
    )


# -- the three engines -----------------------------------------------------------------------------------------------


class Search:
    """Plans over dictionaries of neighbours: as fast as plain Python gets."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.ahead: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for subject, relation, object_ in world.edges:
            self.ahead[relation][subject].add(object_)
            self.ahead["~" + relation][object_].add(subject)

    def run(self, plan: dict[str, Any]) -> set[str]:
        nodes = {plan["start"]}
        for hop in plan["hops"]:
            ahead = self.ahead[hop.rstrip("*")]
            found: set[str] = set()
            todo = list(nodes)
            while todo:
                for other in ahead.get(todo.pop(), ()):
                    if other not in found:
                        found.add(other)
                        if hop.endswith("*") and other not in nodes:
                            todo.append(other)
            nodes = found - nodes if hop.endswith("*") else found
        return {node for node in nodes if all(self.holds(node, *item) for item in plan["where"].items())}

    def holds(self, node: str, key: str, value: Any) -> bool:
        if key == "type":
            return self.world.types[node] == value
        if key == "public":
            return self.world.public.get(node) is value
        return value in self.ahead[key].get(node, ())


def _rdflib_worker(connection: Connection, ntriples: str) -> None:
    import rdflib

    graph = rdflib.Graph()
    graph.parse(data=ntriples, format="nt")
    connection.send(len(graph))
    while (query := connection.recv()) is not None:
        begun = time.perf_counter()
        rows = {str(row[0]) for row in graph.query(query)}
        connection.send((time.perf_counter() - begun, rows))


class Rdflib:
    """rdflib in a process of its own, so that a query can be cut off."""

    def __init__(self, ntriples: str, cut: float) -> None:
        self.ntriples, self.cut = ntriples, cut
        self.start()

    def start(self) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=_rdflib_worker, args=(theirs, self.ntriples), daemon=True)
        self.process.start()
        self.connection.recv()

    def run(self, query: str) -> tuple[float, set[str] | None]:
        """Seconds and rows; rows are None where the query was cut off."""
        self.connection.send(query)
        if self.connection.poll(self.cut):
            seconds, rows = self.connection.recv()
            return seconds, rows
        self.process.kill()
        self.process.join()
        self.start()
        return self.cut, None


# -- measuring -------------------------------------------------------------------------------------------------------


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


def _query(store: ox.Store, query: str) -> set[str]:
    return {row[0].value for row in store.query(query)}  # type: ignore[union-attr]


def _start(world: World, search: Search, kind: str, hops: list[str], where: dict[str, Any]) -> str:
    """Of the candidates the one with most answers, so that nothing is timed on an empty result."""
    candidates = {"hub": world.hubs, "leaf": world.leaves[:400], "team": world.teams, "person": world.persons}[kind]
    return max(candidates, key=lambda name: len(search.run({"start": name, "hops": hops, "where": where})))


def measure(services: int, cut: float) -> list[dict[str, Any]]:
    world = World(services)
    vocabulary = load_vocabulary([ROOT / "ontology"], [ROOT / "shapes"])
    quads, search = world.quads(), Search(world)
    memory = ox.Store()
    memory.bulk_extend(quads)
    print(f"{len(quads):,} quads, {len(world.facts()):,} facts; {sum(1 for e in world.edges if e[1] == 'depends_on'):,}"
          f" dependencies; answers of all engines are compared", flush=True)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        writer = ox.Store(folder)
        writer.bulk_extend(quads)
        writer.flush()
        del writer
        disk = ox.Store.read_only(folder)
        rdflib = Rdflib(ox.serialize(world.facts(), format=ox.RdfFormat.N_TRIPLES).decode(), cut)
        heading = ("plan", "answers", "disk", "memory", "witness", "rdflib", "search", "rdflib/memory", "memory/search")
        print(f"{heading[0]:62}" + "".join(f"{name:>14}" for name in heading[1:]) + "   (ms)")
        return [_one(world, search, vocabulary, disk, memory, rdflib, *template) for template in TEMPLATES]


def _one(
    world: World, search: Search, vocabulary: Vocabulary, disk: ox.Store, memory: ox.Store, rdflib: Rdflib,
    kind: str, hops: list[str], where: dict[str, Any],
) -> dict[str, Any]:  # fmt: skip
    start = _start(world, search, kind, hops, {key: value for key, value in where.items() if value is not OWNER})
    if OWNER in where.values():
        # Otherwise most filters by owner would keep nothing.
        reached = search.run({"start": start, "hops": hops, "where": {}})
        owners = Counter(team for name in reached for team in search.ahead["owned_by"].get(name, ()))
        where = {**where, "owned_by": owners.most_common(1)[0][0]}
    data = {"start": start, "hops": hops, "where": where}
    plan = parse_plan(data, vocabulary, set(world.types))
    query = compile_plan(plan, vocabulary, IRIS)
    wanted = {IRIS.entity(name) for name in search.run(data)}
    times: dict[str, float] = {}
    for name, work in (
        ("disk", lambda: _query(disk, query)),
        ("memory", lambda: _query(memory, query)),
        ("search", lambda: search.run(data)),
    ):
        runs = [_timed(work) for _ in range(5)]
        times[name] = statistics.median(seconds for seconds, _ in runs)
        if name != "search":
            assert runs[0][1] == wanted, (name, data)
    times["witness"], answer = _timed(lambda: run_plan(memory, plan, vocabulary, IRIS))
    assert {IRIS.entity(one.id) for one in answer.answers} == wanted
    times["rdflib"], rows = rdflib.run(query)
    assert rows is None or rows == wanted, data
    cells = [times[name] * 1000 for name in ("disk", "memory", "witness", "rdflib", "search")]
    ratios = times["rdflib"] / times["memory"], times["memory"] / times["search"]
    shown = f"{kind} {' '.join(hops)} {json.dumps(where) if where else ''}"
    print(f"{shown:62}{len(wanted):14}" + "".join(f"{cell:14.3f}" for cell in cells)
          + f"{'>' if rows is None else ''}{ratios[0]:>13.0f} {ratios[1]:13.1f}", flush=True)  # fmt: skip
    return {"plan": data, "answers": len(wanted), "cut": rows is None, "seconds": times}


def summarise(rows: list[dict[str, Any]]) -> dict[str, float]:
    total = {name: sum(row["seconds"][name] for row in rows) for name in rows[0]["seconds"]}
    slower = sorted(row["seconds"]["rdflib"] / row["seconds"]["memory"] for row in rows)
    behind = sorted(row["seconds"]["memory"] / row["seconds"]["search"] for row in rows)
    result = {
        "rdflib_over_memory_total": total["rdflib"] / total["memory"],
        "rdflib_over_disk_total": total["rdflib"] / total["disk"],
        "rdflib_over_memory_median": statistics.median(slower),
        "rdflib_over_memory_least": slower[0],
        "memory_over_search_total": total["memory"] / total["search"],
        "memory_over_search_median": statistics.median(behind),
        "slowest_on_memory_ms": max(row["seconds"]["memory"] for row in rows) * 1000,
        "cut_off_on_rdflib": sum(row["cut"] for row in rows),
    }
    print()
    for name, value in result.items():
        print(f"{name:32}{value:12.1f}")
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--services", type=int, default=3400, help="3400 make about 100,000 quads")
    parser.add_argument("--cut", type=float, default=60.0, help="seconds after which rdflib is cut off")
    parser.add_argument("--json", type=Path, help="write all times here")
    options = parser.parse_args()
    rows = measure(options.services, options.cut)
    summary = summarise(rows)
    if options.json:
        options.json.write_text(json.dumps({"summary": summary, "rows": rows}, indent=1), encoding="utf-8")
    fast = summary["rdflib_over_memory_total"] >= 20
    print(f"\nat least 20 times faster than rdflib over all plans: {'yes' if fast else 'NO'}")
    return 0 if fast else 1


if __name__ == "__main__":
    sys.exit(main())
