"""Facts against gold: edges, page lines, directions and traps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from kb.evaluate.gold import Edge, gold_edge
from kb.evaluate.result import Evaluation
from kb.evaluate.scores import Scores, score_edges
from kb.records import SourceRecord

__all__ = ["judge_facts"]

Line = tuple[str, str, str, str]
"""(page id, subject id, relation name, object id)"""


def judge_facts(
    result: Evaluation,
    records: Iterable[SourceRecord],
    triples: Sequence[Mapping[str, Any]],
    traps: Sequence[Mapping[str, Any]],
) -> None:
    """Fills in `triples` and the lists of what is wrong and missed."""
    relations = {gold_edge(row)[1] for row in triples}
    gold_lines = {
        (str(row["page"]), *gold_edge(row)): row.get("quote") for row in triples if row.get("page") is not None
    }
    gold = {gold_edge(row) for row in triples}
    stated: dict[Line, str | None] = {}
    for record in records:
        # A catalogue's own statements are given, not extracted; they count where the gold is about the whole graph.
        if record.kind == "catalogue" and gold_lines:
            continue
        for reading in record.accepted():
            assert reading.edge is not None
            evidence = reading.statement.evidence
            stated.setdefault((record.source, *reading.edge), evidence.quote if evidence else None)
    lines = {line: quote for line, quote in stated.items() if line[2] in relations}
    found = {line[1:] for line in lines}
    scores: dict[str, Any] = score_edges(found, gold).to_json()
    scores["reversed"] = sum((o, r, s) in gold and (s, r, o) not in gold for s, r, o in found)
    scores["unjudged"] = len(stated) - len(lines)
    scores["by_relation"] = {
        name: score_edges({e for e in found if e[1] == name}, {e for e in gold if e[1] == name}).to_json()
        for name in sorted(relations)
    }
    scores["lines"] = score_edges(lines, gold_lines).to_json() if gold_lines else None
    if any("n_sentence" in row for row in triples):
        written = {gold_edge(row) for row in triples if row.get("n_sentence")}
        hit = len(found & written)
        scores["stated"] = {**Scores(len(found), len(written), hit).to_json(), "precision": None, "f1": None}
    scores["traps"] = _judge_traps(stated, gold_lines, traps)
    result.triples = scores
    found_on, gold_on = _pages_by_edge(lines), _pages_by_edge(gold_lines)
    result.wrong_edges = [_edge_json(edge, *found_on[edge]) for edge in sorted(found - gold)]
    result.missed_edges = [_edge_json(edge, *gold_on.get(edge, (None, None))) for edge in sorted(gold - found)]
    if gold_lines:
        wrong, missed = sorted(lines.keys() - gold_lines.keys()), sorted(gold_lines.keys() - lines.keys())
        result.wrong_lines = [_edge_json((s, r, o), page, lines[page, s, r, o]) for page, s, r, o in wrong]
        result.missed_lines = [_edge_json((s, r, o), page, gold_lines[page, s, r, o]) for page, s, r, o in missed]


def _edge_json(edge: Edge, page: str | None, quote: str | None) -> dict[str, Any]:
    return {**dict(zip(("subject", "relation", "object"), edge, strict=True)), "page": page, "quote": quote}


def _pages_by_edge(lines: Mapping[Line, str | None]) -> dict[Edge, tuple[str, str | None]]:
    """The first page that states an edge, with its quote."""
    pages: dict[Edge, tuple[str, str | None]] = {}
    for (page, *edge), quote in sorted(lines.items(), key=lambda item: item[0]):
        pages.setdefault((edge[0], edge[1], edge[2]), (page, quote))
    return pages


def _judge_traps(
    lines: Collection[Line], gold_lines: Collection[Line], traps: Iterable[Mapping[str, Any]]
) -> dict[str, Any]:
    kinds: dict[str, dict[str, int]] = defaultdict(lambda: {"taken": 0, "of": 0})
    for row in traps:
        line = (str(row.get("page")), *gold_edge(row))
        kind = kinds[str(row.get("why", row.get("kind", "unknown")))]
        kind["of"] += 1
        # A page may state in one place what it denies in another; then the fact is gold and no trap was taken.
        kind["taken"] += line in lines and line not in gold_lines
    totals = {key: sum(kind[key] for kind in kinds.values()) for key in ("taken", "of")}
    return {**totals, "by_kind": dict(sorted(kinds.items()))}
