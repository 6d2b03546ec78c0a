"""What a generation holds, and what has changed on disk since it was built."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox

from kb.config import CONFIG_NAME
from kb.errors import KbError, PageError
from kb.namespaces import KB, RDF, SH
from kb.pipeline import REPORT_NAME
from kb.pipeline.indexing import DUPLICATES_NAME
from kb.pipeline.notes import CATALOG_NAME
from kb.sources.catalogue import load_catalogue
from kb.sources.pages import read_page, scan_pages
from kb.sources.schemas import SchemaSource
from kb.vocabulary import load_vocabulary

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["status"]

_TYPE = ox.NamedNode(RDF + "type")


def status(kb: KnowledgeBase) -> dict[str, Any]:
    """A structure of plain values.

    - `generation`, `created`, `store`, `reader` (what read the pages: reader, model and prompt)
    - `pages`, `entities`, `facts` (each once, however many pages state it), `relations` (name -> facts)
    - `schemas` (files, concepts, fields, caveats and facts of schema notes; empty without), `index` (rows, and the
      identity of what made the vectors)
    - `statements` (accepted ones), `rejected` (reason code -> how many), `warnings` (of the shapes)
    - `changes` since the build: `pages` (`new`, `changed`, `removed`, `unreadable`: ids or faults), `schemas` (the same
      of schema files), `ontology`, `catalogue`, `reader`, `embedding` and `duplicates` (whether they differ; of
      duplicates, the threshold), `problems` (what could not be compared, in words)
    - `stale`: whether a build would find anything to do
    - `advice` about the ontology
    """
    with kb.generation.reading():
        provenance, report = kb.iris.provenance_graph, kb.iris.report_graph
        relations = {
            name: _count(kb.store, None, relation.iri, None) for name, relation in kb.vocabulary.relations.items()
        }
        codes = kb.store.quads_for_pattern(
            None, ox.NamedNode(KB + "reasonCode"), None, ox.NamedNode(kb.iris.rejections_graph)
        )
        counts = {
            "pages": _count(kb.store, KB + "Page", None, provenance),
            "entities": len(kb.catalogue.entities),
            "facts": sum(relations.values()),
            "relations": {name: number for name, number in relations.items() if number},
            "statements": _count(kb.store, KB + "Statement", None, provenance),
            "rejected": dict(sorted(Counter(_text(quad) for quad in codes).items(), key=lambda one: (-one[1], one[0]))),
            "warnings": sum(
                1
                for _ in kb.store.quads_for_pattern(
                    None, ox.NamedNode(SH + "resultSeverity"), ox.NamedNode(SH + "Warning"), ox.NamedNode(report)
                )
            ),
        }
    changes = _changes(kb)
    report = _read(kb, REPORT_NAME, {})
    return {
        "generation": kb.generation.name,
        "created": kb.generation.meta["created"],
        "store": str(kb.config.store),
        "reader": kb.generation.meta.get("key", {}).get("reader", ""),
        **counts,
        "schemas": report.get("schemas", {}),
        "index": {"rows": report.get("nodes", 0), "identity": report.get("embedding", {}).get("identity")},
        "changes": changes,
        "stale": any(any(one.values()) if isinstance(one, dict) else one for one in changes.values()),
        "advice": _advice(kb),
    }


def _read(kb: KnowledgeBase, name: str, otherwise: Any) -> Any:
    return json.loads(kb.generation.read(name)) if name in kb.generation.meta["files"] else otherwise


def _count(store: ox.Store, type_iri: str | None, predicate: str | None, graph: str | None) -> int:
    name = ox.DefaultGraph() if graph is None else ox.NamedNode(graph)
    if type_iri is not None:
        return sum(1 for _ in store.quads_for_pattern(None, _TYPE, ox.NamedNode(type_iri), name))
    return sum(1 for _ in store.quads_for_pattern(None, ox.NamedNode(predicate or ""), None, name))


def _text(quad: ox.Quad) -> str:
    return quad.object.value if isinstance(quad.object, ox.Literal) else str(quad.object)


# -- what changed ------------------------------------------------------------


def _changes(kb: KnowledgeBase) -> dict[str, Any]:
    key, problems = kb.generation.meta.get("key", {}), list[str]()

    def differs(name: str, digest: Callable[[], object]) -> bool:
        try:
            return name in key and digest() != key[name]
        except KbError as err:
            problems.append(str(err))
            return True

    def catalogue() -> str:
        return load_catalogue(kb.config.catalogue, kb.vocabulary, kb.config).digest

    def reader() -> str:
        from kb.pipeline.readers import LazyReader

        vocabulary = load_vocabulary(kb.config.ontology, kb.config.shapes)
        return LazyReader(kb.config, vocabulary, kb.catalogue).identity

    def embedding() -> str:
        from kb.embed.opening import identity_of

        return identity_of(kb.config)

    def threshold() -> float:
        from kb.embed.opening import open_provider
        from kb.embed.settings import embed_settings

        return embed_settings(kb.config).duplicate_threshold or open_provider(kb.config).duplicate_threshold

    given = str(key.get("reader", "")).startswith("statements/")
    made_by = kb.generation.meta.get("embedding", {}).get("identity")
    key = {**key, "embedding": made_by, "duplicates": _read(kb, DUPLICATES_NAME, {}).get("threshold")}
    embeds_otherwise = made_by is not None and differs("embedding", embedding)
    return {
        # Whoever gave statements knows that another build reads pages.
        "reader": not given and differs("reader", reader),
        "pages": _page_changes(kb, given=given),
        "ontology": differs("vocabulary", lambda: load_vocabulary(kb.config.ontology, kb.config.shapes).digest),
        "catalogue": differs("catalogue", catalogue),
        "embedding": embeds_otherwise,
        # Another model has another threshold, and is told already.
        "duplicates": key["duplicates"] is not None and not embeds_otherwise and differs("duplicates", threshold),
        "schemas": _schema_changes(kb),
        "problems": problems,
    }


def _page_changes(kb: KnowledgeBase, *, given: bool) -> dict[str, list[str]]:
    """Pages by what happened to them.

    Of a build from `given` statements only new pages show: its pages need not have files, and what is on record for
    them covers the statements too.
    """
    built = _built_pages(kb)
    found: dict[str, list[str]] = {"new": [], "changed": [], "removed": [], "unreadable": []}
    if kb.config.pages is None:
        return found
    scan = scan_pages(kb.config.pages, kb.config)
    found["unreadable"] = [str(fault) for fault in scan.faults]
    for file in scan.files:
        if file.id not in built:
            found["new"].append(file.id)
        elif built[file.id] and not given:
            try:
                if read_page(file).digest != built[file.id]:
                    found["changed"].append(file.id)
            except PageError as err:
                found["unreadable"].extend(str(fault) for fault in err.faults)
    present = {file.id for file in scan.files}
    found["removed"] = [] if given else sorted(set(built) - present)
    return found


def _schema_changes(kb: KnowledgeBase) -> dict[str, list[str]]:
    """Schema files by what happened to them."""
    found: dict[str, list[str]] = {"new": [], "changed": [], "removed": [], "unreadable": []}
    built = {row["path"]: row["digest"] for row in _read(kb, CATALOG_NAME, [])}
    if not (kb.config.root / CONFIG_NAME).is_file():
        return found  # where the notes are, nobody wrote down
    if kb.config.schemas is None:
        return {**found, "removed": sorted(built)}
    source = SchemaSource(kb.config)
    files, faults = source.scan()
    digests = source.digests(files)
    found["unreadable"] = [str(fault) for fault in faults]
    # A build reads these, so it is told here what it would stumble over.
    for document in source.read([file for file in files if digests.get(file.shown) != built.get(file.shown)]):
        if document.faults:
            found["unreadable"].extend(map(str, document.faults))
        else:
            found["changed" if document.file.shown in built else "new"].append(document.file.shown)
    found["removed"] = sorted(set(built) - {file.shown for file in files})
    return found


def _built_pages(kb: KnowledgeBase) -> dict[str, str]:
    """Page id -> SHA-256 of the bytes that were read; empty text where none were."""
    graph = ox.NamedNode(kb.iris.provenance_graph)
    pages: dict[str, str] = {}
    with kb.generation.reading():
        for quad in kb.store.quads_for_pattern(None, _TYPE, ox.NamedNode(KB + "Page"), graph):
            assert isinstance(quad.subject, ox.NamedNode)
            page_id = kb.iris.page_id(quad.subject.value)
            digests = kb.store.quads_for_pattern(quad.subject, ox.NamedNode(KB + "digest"), None, graph)
            if page_id is not None:
                pages[page_id] = next((_text(one) for one in digests), "")
    return pages


def _advice(kb: KnowledgeBase) -> list[str]:
    try:
        return list(load_vocabulary(kb.config.ontology, kb.config.shapes).advice)
    except KbError:
        return list(kb.vocabulary.advice)
