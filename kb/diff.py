"""What a build changed: the facts, things and contradictions in which two generations differ, with pages and quotes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pyoxigraph as ox

from kb.errors import GenerationError
from kb.generations import Generation, Generations
from kb.graph.prefixes import base_prefixes, shortened, vocabulary_prefixes
from kb.graph.validation import WARNING, Result
from kb.records import load_records, load_results

if TYPE_CHECKING:
    from kb.knowledge_base import KnowledgeBase

__all__ = ["Difference", "Fact", "Finding", "Restated", "Support", "Thing", "chosen", "difference", "facts_changed"]


@dataclass(frozen=True, slots=True, order=True)
class Support:
    """A page or file that states a fact. `path` is the file where it is known, `quote` empty for facts of files."""

    source: str
    path: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True, order=True)
class Fact:
    """A fact by ids and name of its relation, with who states it: in the new generation, or the old one that had it."""

    subject: str
    relation: str
    object: str
    support: tuple[Support, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Restated:
    """A fact of both generations that other pages state now."""

    subject: str
    relation: str
    object: str
    gained: tuple[Support, ...] = ()
    lost: tuple[Support, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Thing:
    """An entity or a part of a schema note. `added` and `removed` are its values that differ, as "name: value"."""

    id: str
    type: str
    label: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """A contradiction, or a statement that was refused: what it is about, in words, and where that is said."""

    about: str
    message: str
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """All in which the generation `new` differs from `old`; true when it does.

    Everything is in order, so the same two generations give the same lists. `pages` and `entities` have those that
    came, went and `changed`; so do `notes`, whose things are concepts, fields and caveats. `ontology` says whether
    ontology or shapes differ.
    """

    old: str
    new: str
    facts_added: tuple[Fact, ...] = ()
    facts_removed: tuple[Fact, ...] = ()
    restated: tuple[Restated, ...] = ()
    entities_added: tuple[Thing, ...] = ()
    entities_removed: tuple[Thing, ...] = ()
    entities_changed: tuple[Thing, ...] = ()
    notes_added: tuple[Thing, ...] = ()
    notes_removed: tuple[Thing, ...] = ()
    notes_changed: tuple[Thing, ...] = ()
    contradictions_added: tuple[Finding, ...] = ()
    contradictions_removed: tuple[Finding, ...] = ()
    rejections_added: tuple[Finding, ...] = ()
    rejections_removed: tuple[Finding, ...] = ()
    pages_added: tuple[str, ...] = ()
    pages_removed: tuple[str, ...] = ()
    pages_changed: tuple[str, ...] = ()
    ontology: bool = False

    def __bool__(self) -> bool:
        return any(getattr(self, one.name) for one in fields(self) if one.name not in ("old", "new"))

    def to_json(self) -> dict[str, Any]:
        """Plain values, under the names of the fields, and whether there is any difference as `changed`."""
        return {"changed": bool(self), **asdict(self)}


# -- which generations ---------------------------------------------------------------


def chosen(generations: Generations, old: str | None = None, new: str | None = None) -> tuple[str, str]:
    """The names of the two generations to compare: by default the one in use and the one before it.

    A generation goes by its name, the beginning of it or its number. Raises GenerationError where there is none.
    """
    there = generations.list()
    if new is None:
        current = generations.current()
        if current is None:
            raise GenerationError(f"{generations.store_folder}: nothing has been built here; run `kb build`")
        newer = current
    else:
        newer = _named(there, new, generations)
    if old is not None:
        return _named(there, old, generations).name, newer.name
    before = [one for one in there if one.number < newer.number]
    if not before:
        raise GenerationError(
            f"{newer.name} is the oldest generation that is kept, so there is nothing to compare it with; a build that "
            "finds a change makes another one"
        )
    return before[-1].name, newer.name


def _named(there: Sequence[Generation], name: str, generations: Generations) -> Generation:
    found = [one for one in there if one.name == name or one.name.startswith(f"gen-{name.removeprefix('gen-')}")]
    if name.isdecimal():
        found = [one for one in there if one.number == int(name)] or found
    return found[0] if len(found) == 1 else generations.get(name)


# -- comparing ---------------------------------------------------------------------------


def difference(old: KnowledgeBase, new: KnowledgeBase) -> Difference:
    """Compares two generations. Raises GenerationError where one is damaged."""
    with old.generation.reading(), new.generation.reading():
        before, after = _Side(old), _Side(new)
        gone, come = _changes(before.triples(), after.triples())
    common = before.support.keys() & after.support.keys()
    restated = (
        Restated(*edge, gained=_only(after.support[edge], before.support[edge]), lost=_only(before.support[edge], now))
        for edge in common
        if _sources(now := after.support[edge]) != _sources(before.support[edge])
    )
    things = _things(before, after, gone, come)
    return Difference(
        old.generation.name,
        new.generation.name,
        facts_added=after.facts(come),
        facts_removed=before.facts(gone),
        restated=tuple(sorted(restated)),
        **things,
        contradictions_added=_less(after.contradictions(), before.contradictions()),
        contradictions_removed=_less(before.contradictions(), after.contradictions()),
        rejections_added=_less(after.rejections(), before.rejections()),
        rejections_removed=_less(before.rejections(), after.rejections()),
        pages_added=tuple(sorted(after.pages.keys() - before.pages.keys())),
        pages_removed=tuple(sorted(before.pages.keys() - after.pages.keys())),
        pages_changed=tuple(
            sorted(one for one in before.pages.keys() & after.pages.keys() if before.pages[one] != after.pages[one])
        ),
        ontology=old.vocabulary.digest != new.vocabulary.digest,
    )


def facts_changed(old: KnowledgeBase, new: KnowledgeBase) -> tuple[frozenset[ox.Triple], frozenset[ox.Triple]]:
    """The triples that left the default graph, and those that came to it."""
    with old.generation.reading(), new.generation.reading():
        return _changes(_Side(old).triples(), _Side(new).triples())


def _changes(
    before: frozenset[ox.Triple], after: frozenset[ox.Triple]
) -> tuple[frozenset[ox.Triple], frozenset[ox.Triple]]:
    return before - after, after - before


class _Side:
    """One of the two generations."""

    def __init__(self, kb: KnowledgeBase) -> None:
        self.kb = kb
        self.prefixes = {**base_prefixes(kb.iris), **vocabulary_prefixes(kb.vocabulary)}
        self.records = load_records(kb.generation)
        self.relations = {relation.iri: name for name, relation in kb.vocabulary.relations.items()}
        self.pages = {source: record.digest for (kind, source), record in self.records.items() if kind == "page"}
        self.support: dict[tuple[str, str, str], set[Support]] = defaultdict(set)
        for record in self.records.values():
            for reading in record.accepted():
                assert reading.edge is not None
                said = reading.statement.evidence
                self.support[reading.edge].add(Support(record.source, record.path, said.quote if said else ""))

    def triples(self) -> frozenset[ox.Triple]:
        found = self.kb.store.quads_for_pattern(None, None, None, ox.DefaultGraph())
        return frozenset(quad.triple for quad in found)

    def facts(self, triples: Iterable[ox.Triple]) -> tuple[Fact, ...]:
        found = []
        for triple in triples:
            if triple.predicate.value in self.relations and isinstance(triple.object, ox.NamedNode):
                subject, object_ = self.name(triple.subject), self.name(triple.object)
                relation = self.relations[triple.predicate.value]
                said = self.support.get((subject, relation, object_)) or self.notes_of(triple)
                found.append(Fact(subject, relation, object_, tuple(sorted(said))))
        return tuple(sorted(found))

    def notes_of(self, triple: ox.Triple) -> set[Support]:
        """The schema notes that state a fact."""
        start = self.kb.iris.base + "graph/"
        found = self.kb.store.quads_for_pattern(triple.subject, triple.predicate, triple.object, None)
        graphs = {quad.graph_name.value for quad in found if isinstance(quad.graph_name, ox.NamedNode)}
        notes = self.kb.iris.schema_graph("")
        return {Support(unquote(one[len(start) :])) for one in graphs if one.startswith(notes)}

    def name(self, term: ox.NamedNode | ox.BlankNode | ox.Triple) -> str:
        if not isinstance(term, ox.NamedNode):
            return str(term)
        entity = self.kb.iris.entity_id(term.value)
        return shortened(term.value, self.kb.iris, self.prefixes) if entity is None else entity

    def word(self, iri: str) -> str:
        return self.kb.vocabulary.name_of(iri) or shortened(iri, self.kb.iris, self.prefixes)

    def value(self, triple: ox.Triple) -> str:
        value = triple.object
        text = value.value if isinstance(value, ox.Literal) else self.word(str(value).strip("<>"))
        return f"{self.word(triple.predicate.value)}: {text}"

    def contradictions(self) -> set[Finding]:
        warnings = (result for result in load_results(self.kb.generation) if _holds(result))
        return {Finding(result.focus, result.text, tuple(sorted(result.sources))) for result in warnings}

    def rejections(self) -> set[Finding]:
        return {
            Finding(
                f"{reading.statement.subject} {reading.statement.relation} {reading.statement.object}",
                reading.reason or "",
                (record.source,),
            )
            for record in self.records.values()
            for reading in record.readings
            if not reading.accepted
        }


def _holds(result: Result) -> bool:
    return result.severity == WARNING and not result.rejects


def _less(these: set[Finding], others: set[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(these - others))


def _sources(support: Iterable[Support]) -> set[str]:
    return {one.source for one in support}


def _only(these: Iterable[Support], others: Iterable[Support]) -> tuple[Support, ...]:
    known = _sources(others)
    return tuple(sorted(one for one in these if one.source not in known))


def _things(
    before: _Side, after: _Side, gone: Iterable[ox.Triple], come: Iterable[ox.Triple]
) -> dict[str, tuple[Thing, ...]]:
    """What came, went and changed: entities of the catalogue, and parts of notes."""
    lost, won = _by_thing(before, gone), _by_thing(after, come)
    found: Mapping[str, list[Thing]] = defaultdict(list)
    for one in lost.keys() | won.keys():
        old, new = _thing(before, one), _thing(after, one)
        known = new or old
        if known is None:
            continue
        note = one not in after.kb.catalogue.entities and one not in before.kb.catalogue.entities
        kind = "added" if old is None else "removed" if new is None else "changed"
        if kind == "changed":
            known = Thing(known.id, known.type, known.label, tuple(sorted(won[one])), tuple(sorted(lost[one])))
        found[f"{'notes' if note else 'entities'}_{kind}"].append(known)
    return {name: tuple(sorted(things)) for name, things in found.items()}


def _by_thing(side: _Side, triples: Iterable[ox.Triple]) -> dict[str, list[str]]:
    """Id -> values other than facts."""
    found: dict[str, list[str]] = defaultdict(list)
    for triple in triples:
        if isinstance(triple.subject, ox.NamedNode) and triple.predicate.value not in side.relations:
            entity = side.kb.iris.entity_id(triple.subject.value)
            if entity is not None:
                found[entity].append(side.value(triple))
    return found


def _thing(side: _Side, one: str) -> Thing | None:
    known = side.kb.entity(one)
    return None if known is None else Thing(one, known.type, known.name)
