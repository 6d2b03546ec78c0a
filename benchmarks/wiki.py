"""A synthetic wiki of any size: catalogue and pages written from a few sentence patterns, the same at every run."""

from __future__ import annotations

import random
from pathlib import Path

SENTENCES = (
    "{me} calls {other} on every request.",
    "It reads its settings from {other}.",
    "When a job ends, {me} writes the result to {other}.",
    "Before anything else the token is checked with {other}.",
    "{me} is used by {other}.",
)
FILLER = (
    "The dashboards are linked from the runbook, and the alarm thresholds are reviewed every quarter.",
    "Deploys go out on weekdays before noon, in three steps, and can be rolled back with one command.",
    "Latency is dominated by the slowest of the regions, which is why the budget is given per region.",
    "If you are new here, read the handbook first and ask the person next to you second.",
    "The retry budget is spent within a minute on a bad day; after that callers see an error with a number in it.",
    "Two of the three tables are partitioned by month, and the oldest partition is dropped on the first of each month.",
    "The name dates from a time when everything was named after rivers, and nobody wants to change it now.",
    "Configuration is read once at start, so a change needs a restart, one instance after the other.",
    "The load test of last spring went up to four times the usual traffic before anything bent.",
)
"""What most of a page is made of: sentences that state nothing about the catalogue."""


def write_wiki(folder: Path, pages: int, seed: int = 7) -> None:
    """Writes `kb.toml`, a catalogue of services, stores and teams, and one page for each service.

    Pages have about 3 kB, somewhat less than pages of product documentation do.
    """
    rng = random.Random(seed)
    teams = [f"team-{n}" for n in range(max(3, pages // 40))]
    stores = [f"store-{n}" for n in range(max(3, pages // 10))]
    services = [f"service-{n}" for n in range(pages)]
    (folder / "pages").mkdir(parents=True)
    (folder / "kb.toml").write_text('[kb]\nbase = "https://kb.bench.example/"\n', encoding="utf-8")
    rows = ["entities:"]
    for kind, ids in (("team", teams), ("datastore", stores), ("service", services)):
        rows += [f"  - {{id: {one}, type: {kind}, name: {_name(one)}}}" for one in ids]
    (folder / "catalogue.yaml").write_text("\n".join(rows) + "\n", encoding="utf-8")
    for number, service in enumerate(services):
        # Most calls go to a few old services, as in real systems.
        others = [services[int(len(services) * rng.random() ** 3)] for _ in range(3)] + [rng.choice(stores)]
        lines = [f"# {_name(service)}", "", f"Owner: {_name(rng.choice(teams))}", ""]
        for other in others:
            if other != service:
                said = rng.choice(SENTENCES).format(me=_name(service), other=_name(other))
                lines += [f"{said} {rng.choice(FILLER)}", "", " ".join(rng.sample(FILLER, 6)), ""]
        (folder / "pages" / f"{number:05d}-{service}.md").write_text("\n".join(lines), encoding="utf-8")


def _name(entity: str) -> str:
    kind, number = entity.rsplit("-", 1)
    return f"{kind.capitalize()} {number}"
