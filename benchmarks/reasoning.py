"""Inferences over 10,000 and 100,000 triples: `kb reason` with each engine, beside the plain engines.

    python benchmarks/reasoning.py [--triples 10000 100000] [--plain 10000] [--json FILE]

Services with a type, a label, an owner and dependencies (a power law, a few cycles), teams with a lead; the packaged
ontology, once as it is and once with `:dependsOn a owl:TransitiveProperty`. Every row runs in a process of its own:
seconds of reasoning, and MiB that the process grew by. The plain engines get the same axioms and facts and are run up
to the size that `--plain` says: owlrl takes minutes for 100,000. Fails where two rows of a table infer different facts.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import multiprocessing
import random
import resource
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
BASE = "https://kb.example/"


def facts(triples: int) -> list[Any]:
    """About so many triples, the same for the same number."""
    import pyoxigraph as ox

    from kb.iris import Iris
    from kb.namespaces import KB, RDF, RDFS

    chance, iris = random.Random(5), Iris(BASE)
    services = triples // 7
    teams = max(services // 40, 2)
    found: set[Any] = set()
    for number in range(services):
        name = iris.entity(f"s{number}")
        found.add((name, RDF + "type", KB + ("Datastore" if number % 9 == 0 else "Service")))
        found.add((name, RDFS + "label", ox.Literal(f"Service {number}")))
        found.add((name, KB + "ownedBy", iris.entity(f"t{chance.randrange(teams)}")))
        for _ in range(4):
            # Most depend on few things of low number; one in fifty points back.
            far = int(number * chance.random() ** 3) if chance.random() > 0.002 else chance.randrange(services)
            if far != number:
                found.add((name, KB + "dependsOn", iris.entity(f"s{far}")))
    for number in range(teams):
        team, lead = iris.entity(f"t{number}"), iris.entity(f"p{number}")
        found |= {(team, RDF + "type", KB + "Team"), (lead, RDF + "type", KB + "Person"), (team, KB + "ledBy", lead)}
    return sorted(found, key=repr)


def measure(way: str, engine: str, triples: int, transitive: bool, out: Any) -> None:
    from kb.namespaces import KB
    from kb.reason.axioms import Axioms
    from kb.reason.engines import closure
    from kb.reason.inference import infer, shown, telling
    from kb.reason.model import TYPE
    from kb.vocabulary import load_vocabulary

    files = [ROOT / "ontology" / f"{name}.ttl" for name in ("systems", "schemas")]
    axioms = Axioms(load_vocabulary(files, []).ontology)
    if transitive:
        axioms.triples = axioms.triples | {(KB + "dependsOn", TYPE, "http://www.w3.org/2002/07/owl#TransitiveProperty")}
        axioms.__dict__["transitive"] = frozenset({KB + "dependsOn"})
    stated = set(facts(triples))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.perf_counter()
    if way == "kb":
        found = infer(engine, axioms, stated)
    else:
        found = {one for one in closure(engine, [*axioms.triples, *stated]) if telling(one)}
    seconds = time.perf_counter() - started
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    inferred = shown(found - stated, lambda iri: iri.startswith(BASE + "entity/"))
    digest = hash(frozenset(inferred))
    out.put((len(stated), len(inferred), digest, seconds, memory))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--triples", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--plain", type=int, default=10_000, help="the largest size for the plain engines")
    parser.add_argument("--transitive", type=int, default=10_000, help="the largest size with a transitive property")
    parser.add_argument("--plain-transitive", type=int, default=0, help="the same with a transitive property")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    engines = ["owlrl"] + (["reasonable"] if importlib.util.find_spec("reasonable") else [])
    rows, wrong = [], False
    print(f"{'triples':>8}  {'dependsOn':<10}  {'run':<16}  {'inferred':>9}  {'seconds':>8}  {'MiB':>6}")
    for triples in args.triples:
        for transitive in (False, True):
            if transitive and triples > args.transitive:
                continue
            seen = set()
            for way in ("kb", "plain"):
                for engine in engines:
                    most = args.plain_transitive if transitive else args.plain
                    if way == "plain" and engine == "owlrl" and triples > most:
                        continue
                    context = multiprocessing.get_context("fork")
                    out = context.Queue()
                    process = context.Process(target=measure, args=(way, engine, triples, transitive, out))
                    process.start()
                    stated, inferred, digest, seconds, memory = out.get()
                    process.join()
                    seen.add(digest)
                    kind, name = "transitive" if transitive else "plain", f"{way} {engine}"
                    print(
                        f"{stated:>8,}  {kind:<10}  {name:<16}  {inferred:>9,}  {seconds:>8.2f}  {memory:>6.0f}",
                        flush=True,
                    )
                    rows.append(
                        {
                            "triples": stated,
                            "transitive": transitive,
                            "run": name,
                            "inferred": inferred,
                            "seconds": round(seconds, 3),
                            "mib": round(memory),
                        }
                    )
            if len(seen) > 1:
                wrong = True
                print("the runs above infer different facts", file=sys.stderr)
    if args.json is not None:
        args.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
