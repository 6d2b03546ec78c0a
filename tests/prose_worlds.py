"""Graphs to put answers from into words, and a model in memory that says what it is told to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyoxigraph as ox
from planner_worlds import knowledge, lines

from kb.ask.answer import Answer, run_plan
from kb.errors import KbError
from kb.iris import Iris
from kb.llm import Prompt, Reply
from kb.namespaces import KB, RDF

IRIS = Iris("https://world.example/")


@cache
def store(folder: Path) -> ox.Store:
    """The gold facts of a folder, each with its page and quote."""
    vocabulary, catalogue = knowledge(folder)
    found = ox.Store()
    for entity in catalogue.entities.values():
        node = ox.NamedNode(IRIS.entity(entity.id))
        found.add(ox.Quad(node, ox.NamedNode(RDF + "type"), ox.NamedNode(vocabulary.classes[entity.type].iri)))
        for key, value in entity.attributes.items():
            found.add(ox.Quad(node, ox.NamedNode(vocabulary.attributes[key].iri), ox.Literal(value)))
    gold = folder / "gold" / "triples.jsonl"
    rows = [*lines(gold), *map(_stated, catalogue.statements)] if gold.is_file() else map(_stated, catalogue.statements)
    graph = ox.NamedNode(IRIS.provenance_graph)
    for number, row in enumerate(rows):
        ends = [ox.NamedNode(IRIS.entity(row[end])) for end in ("subject", "object")]
        relation = ox.NamedNode(vocabulary.relations[row["relation"]].iri)
        found.add(ox.Quad(ends[0], relation, ends[1]))
        record = ox.NamedNode(IRIS.statement(str(number)))
        page = IRIS.page(row["page"]) if row.get("quote") else IRIS.source(row["page"])
        pairs = [("subject", ends[0]), ("predicate", relation), ("object", ends[1])]
        found.extend(ox.Quad(record, ox.NamedNode(RDF + name), node, graph) for name, node in pairs)
        found.add(ox.Quad(record, ox.NamedNode(KB + "onPage"), ox.NamedNode(page), graph))
        if row.get("quote"):
            found.add(ox.Quad(record, ox.NamedNode(KB + "quote"), ox.Literal(row["quote"]), graph))
    return found


def _stated(statement: Any) -> dict[str, Any]:
    ends = {"subject": statement.subject, "relation": statement.relation, "object": statement.object}
    return {**ends, "page": statement.source}


def run(folder: Path, plan: dict[str, Any], **options: Any) -> Answer:
    """What a plan answers on the gold facts of a folder."""
    vocabulary, catalogue = knowledge(folder)
    return run_plan(store(folder), plan, vocabulary, IRIS, catalogue, **options)


class Model:
    """A chat that gives these replies in turn; an error among them is raised. Remembers what it was asked."""

    def __init__(self, *replies: str | KbError) -> None:
        self.replies: Sequence[str | KbError] = replies
        self.asked: list[Prompt] = []
        self.forgotten: list[Prompt] = []

    def ask(self, prompt: Prompt) -> Reply:
        self.asked.append(prompt)
        reply = self.replies[len(self.asked) - 1]
        if isinstance(reply, KbError):
            raise reply
        return Reply(reply)

    def forget(self, prompt: Prompt) -> None:
        self.forgotten.append(prompt)


def claims(*rows: tuple[str, list[int]]) -> str:
    """A reply with these claims."""
    return json.dumps({"claims": [{"text": text, "cites": cites} for text, cites in rows]})
