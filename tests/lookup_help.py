"""A small wiki with schema notes, built, for the tests of search, get and related."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import pyoxigraph as ox
from cli_help import write_wiki

import kb
from kb.config import load_config
from kb.embed.hashing import HashingProvider
from kb.embed.provider import Provider
from kb.generations import Generation, Generations
from kb.index.chunks import KINDS, schema_chunks
from kb.index.vectors import IndexFiles
from kb.index.writer import Part, write_index
from kb.iris import Iris
from kb.model import Caveat, SchemaField, SchemaNote
from kb.namespaces import DCTERMS, KB, RDF, RDFS

NOTES = (
    SchemaNote(
        "deployment_config",
        "How a release is rolled out to the machines.",
        (
            SchemaField("immutable", "immutable", "boolean", "Refuses every change to the config once it is out."),
            SchemaField("replicas", "replicas", "integer", "How many copies of the service run."),
            SchemaField("values", "values", "map", "Settings that are handed to the service."),
        ),
        (
            Caveat(
                "no-way-back",
                "high",
                "An immutable config cannot be made mutable again.",
                "The API answers 409 to every later patch.",
                ("immutable", "values"),
            ),
            Caveat("zero-replicas", "medium", "Zero replicas stop the service silently.", None, ("replicas",)),
            Caveat("yaml-booleans", "low", "Read yes and no as booleans, not as text."),
        ),
        {"status": "reviewed"},
    ),
    SchemaNote(
        "currency_codes",
        None,
        (
            SchemaField("code", "Code", "string", "ISO 4217 code."),
            SchemaField("values", "values", "list", "The codes that are in use."),
        ),
        (
            Caveat(
                "zero-decimal", "high", "Zero decimal currencies have no minor unit.", "JPY 100 is 100 yen.", ("code",)
            ),
        ),
    ),
    # Called like an entity of the wiki.
    SchemaNote("cart-db", "The tables of the cart's database."),
)


def note_triples(note: SchemaNote, iris: Iris) -> Iterable[ox.Triple]:
    """What the graph of a note holds."""

    def node(kind: str, part: str | None = None) -> ox.NamedNode:
        return ox.NamedNode(iris.entity(":".join(filter(None, (kind, note.concept, part)))))

    def said(about: ox.NamedNode, type_name: str, label: str, more: dict[str, str | None]) -> Iterable[ox.Triple]:
        yield ox.Triple(about, ox.NamedNode(RDF + "type"), ox.NamedNode(KB + type_name))
        literals = {RDFS + "label": label, DCTERMS + "identifier": iris.entity_id(about.value), **more}
        for predicate, text in literals.items():
            if text:
                yield ox.Triple(about, ox.NamedNode(predicate), ox.Literal(text))

    def link(one: ox.NamedNode, relation: str, other: ox.NamedNode) -> ox.Triple:
        return ox.Triple(one, ox.NamedNode(KB + relation), other)

    concept = node("concept")
    review = {DCTERMS + "description": note.description, KB + "reviewStatus": note.review.get("status")}
    yield from said(concept, "Concept", note.concept, review)
    for one in note.fields:
        field = node("field", one.id)
        more = {DCTERMS + "description": one.description, KB + "valueType": one.value_type}
        yield from said(field, "Field", one.name, more)
        yield link(concept, "hasField", field)
    for each in note.caveats:
        caveat = node("caveat", each.id)
        yield from said(
            caveat, "Caveat", each.summary, {KB + "severity": each.severity, KB + "evidence": each.evidence}
        )
        yield link(concept, "hasCaveat", caveat)
        yield from (link(caveat, "appliesTo", node("field", about)) for about in each.applies_to)


def add_notes(folder: Path, notes: Sequence[SchemaNote] = NOTES, provider: Provider | None = None) -> Generation:
    """Publishes what was built in `folder` once more, with these notes beside it."""
    config = load_config(folder)
    iris, generations = Iris(config.base), Generations(config.store)
    parent = generations.current()
    assert parent is not None
    with generations.lock(), generations.begin(parent, iris) as draft:
        for name in parent.meta["files"]:
            (draft.path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(parent.path / name, draft.path / name)
        before = IndexFiles(parent.path)
        noted = {note.concept for note in notes}
        kept = [concept for concept in before.partitions if concept not in noted]
        old = [(concept, kind) for concept in kept for kind in KINDS if before.rows_of(concept, kind)]
        parts = [Part(concept, kind, None) for concept, kind in old]
        for note in notes:
            draft.writer.replace(f"{iris.base}graph/schema/{note.concept}", note_triples(note, iris))
            chunks = schema_chunks(note)
            for kind in {one.kind for one in chunks}:
                parts.append(Part(note.concept, kind, partial(list, [one for one in chunks if one.kind == kind])))
        for name in ("vectors.npy", "nodes.jsonl", "partitions.json", "index.json"):
            (draft.path / name).unlink()
        write_index(draft.path, parts, provider or HashingProvider(), before)
        return draft.publish({key: parent.meta[key] for key in ("key", "kb")})


def built_wiki(folder: Path) -> Path:
    """The small wiki with the notes."""
    kb.build(write_wiki(folder))
    add_notes(folder)
    return folder
