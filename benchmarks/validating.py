"""Whole-graph validation beside plain pySHACL: seconds, memory, and whether both say the same.

    python benchmarks/validating.py --triples 10000 100000

A made-up estate of systems, teams and persons (that of `benchmarks.plans`) with one entity in a hundred broken, against
the shapes that come with kb. Each engine runs in a process of its own; reading the files is part of the time.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pyoxigraph as ox

from kb.namespaces import KB, RDF

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.plans import World  # noqa: E402

ENGINES = ("kb", "kb, nothing left out", "pyshacl, rdflib")


def write_data(folder: Path, triples: int) -> int:
    """Writes data and shapes as N-Triples; returns how many triples the data has."""
    facts = World(max(20, triples // 7)).facts()[:]
    rnd = random.Random(7)
    edges = [one for one in facts if isinstance(one.object, ox.NamedNode) and one.predicate.value != RDF + "type"]
    broken = []
    for one in rnd.sample(edges, max(1, len(facts) // 700)):
        other = rnd.choice(edges)
        # A target of any type at all, and now and then none: classes, counts and kinds of nodes are broken alike.
        broken.append(ox.Triple(one.subject, one.predicate, other.subject))
    for one in rnd.sample(edges, max(1, len(facts) // 2000)):
        broken.append(ox.Triple(one.subject, one.predicate, ox.Literal("not a thing")))
        broken.append(ox.Triple(one.subject, ox.NamedNode(KB + "public"), ox.Literal("perhaps")))
    facts += broken
    ox.serialize(dict.fromkeys(facts), str(folder / "data.nt"), format=ox.RdfFormat.N_TRIPLES)
    for name in ("ontology", "shapes"):
        found = [q.triple for path in sorted((ROOT / name).glob("*.ttl")) for q in ox.parse(path=str(path))]
        ox.serialize(found, str(folder / f"{name}.nt"), format=ox.RdfFormat.N_TRIPLES)
    return len(dict.fromkeys(facts))


def run(engine: str, folder: Path) -> dict[str, object]:
    """One engine, in this process. Keys: `seconds`, `cpu` (seconds), `mib`, `results` (how often each was found)."""
    begun, burnt = time.perf_counter(), time.process_time()
    if engine.startswith("kb"):
        from kb._rdf import read_rdf
        from kb.graph.shacl import check_graph

        data, shapes, ontology = (read_rdf(folder / f"{n}.nt").triples for n in ("data", "shapes", "ontology"))
        report = check_graph((*data, *ontology), shapes, screened=engine == "kb")
        rows = [
            (*(getattr(term, "value", "") for term in (o.focus, o.path, o.value)), o.component, o.severity)
            for o in report.outcomes
        ]
    else:
        import pyshacl
        from rdflib import SH, Graph

        data, shapes, ontology = (Graph().parse(folder / f"{name}.nt") for name in ("data", "shapes", "ontology"))
        found = pyshacl.validate(data, shacl_graph=shapes, ont_graph=ontology)[1]
        names = (SH.focusNode, SH.resultPath, SH.value, SH.sourceConstraintComponent, SH.resultSeverity)
        rows = [tuple(str(found.value(r, n) or "") for n in names) for r in found.objects(None, SH.result)]
    seconds, cpu = time.perf_counter() - begun, time.process_time() - burnt
    counted = Counter("\t".join(row) for row in rows)
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "cpu": cpu, "mib": mib, "results": counted}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--triples", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--engine", choices=ENGINES, help="for the processes that this starts itself")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.engine:
        print(json.dumps(run(options.engine, options.folder)))
        return 0
    same = True
    for wanted in options.triples:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            number = write_data(folder, wanted)
            print(f"{number:,} triples")
            reports = []
            for engine in ENGINES:
                command = [sys.executable, __file__, "--engine", engine, "--folder", name]
                said = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
                report = json.loads(said.stdout)
                reports.append(report["results"])
                number = sum(report["results"].values())
                times = f"{report['seconds']:9.2f} s{report['cpu']:9.2f} s CPU"
                print(f"  {engine:22}{times}{report['mib']:9.0f} MiB{number:9,} results", flush=True)
            agree = all(one == reports[0] for one in reports)
            print(f"  the same results: {'yes' if agree else 'NO'}")
            same = same and agree
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
