"""Whether a query fits a knowledge base: terms that it does not have, and examples that it does."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import pyoxigraph as ox

from kb._rdf import read_rdf
from kb.config import packaged
from kb.graph._tokens import tokens
from kb.graph.library import NamedQuery, Parameter
from kb.graph.prefixes import shortened
from kb.iris import Iris
from kb.model import Entity
from kb.names import local_name, namespace
from kb.namespaces import KB, PREFIXES
from kb.vocabulary import Relation, Vocabulary

__all__ = ["Fitting", "named_iris"]

_LOOKED_AT = 10_000


def named_iris(text: str, prefixes: Mapping[str, str]) -> list[str]:
    """The IRIs that a query names, in full or by a prefix that it or `prefixes` declares; in order, each once.

    >>> named_iris("PREFIX a: <urn:a:> SELECT * { ?x a:b <urn:c> ; a a:d }", {})
    ['urn:a:b', 'urn:c', 'urn:a:d']
    """
    spaces = dict(prefixes)
    found: dict[str, None] = {}
    declared: str | None = None
    declaring = False
    for token in tokens(text):
        if token.kind in ("space", "comment"):
            continue
        if token.kind == "word" and token.text.lower() in ("prefix", "base"):
            declaring, declared = True, None
        elif declaring and token.kind == "name":
            declared = token.text.rstrip(":")
        elif declaring and token.kind == "iri":
            if declared is not None:
                spaces[declared] = token.text[1:-1]
            declaring = False
        elif token.kind == "iri":
            found[token.text[1:-1]] = None
        elif token.kind == "name":
            prefix, _, local = token.text.partition(":")
            if prefix in spaces and local:
                found[spaces[prefix] + local.replace("\\", "")] = None
    return list(found)


@lru_cache(maxsize=1)
def _core_terms() -> frozenset[str]:
    """What every knowledge base's records are made of, whatever its ontology."""
    triples = read_rdf(packaged("ontology") / "core.ttl").triples
    return frozenset(t.subject.value for t in triples if isinstance(t.subject, ox.NamedNode))


@dataclass(frozen=True, slots=True)
class Fitting:
    """Compares queries with one knowledge base. What costs something to load is a function; most queries need none."""

    iris: Iris
    vocabulary: Callable[[], Vocabulary]
    entities: Callable[[], Mapping[str, Entity]]
    store: Callable[[], ox.Store]

    def unknown(self, text: str, prefixes: Mapping[str, str]) -> list[str]:
        """IRIs in the namespaces of the ontology, or of kb, that neither the ontology nor the graph knows."""
        usual = tuple(space for space in PREFIXES.values() if space != KB)
        named = [one for one in named_iris(text, prefixes) if not one.startswith((*usual, self.iris.base))]
        named = [one for one in named if not self._in_graph(one)]
        if not named:
            return []
        known = self._terms()
        spaces = {KB, *map(namespace, known)} - set(usual)
        return [one for one in named if one not in known and namespace(one) in spaces]

    def hint(self, iri: str) -> str:
        """A sentence about an unknown term, with the one that was probably meant."""
        shown = shortened(iri, self.iris)
        candidates = {local_name(one): one for one in sorted(self._terms()) if namespace(one) == namespace(iri)}
        close = difflib.get_close_matches(local_name(iri), candidates, n=1, cutoff=0.7)
        meant = f"; did you mean {shortened(candidates[close[0]], self.iris)}?" if close else ""
        return f"{shown} is not a term of the ontology{meant}"

    def with_examples(self, query: NamedQuery, prefixes: Mapping[str, str]) -> NamedQuery:
        """The query with examples for its parameters that this knowledge base has; those that it has stay."""
        return replace(query, parameters=tuple(self._exemplified(one, query, prefixes) for one in query.parameters))

    def _exemplified(self, parameter: Parameter, query: NamedQuery, prefixes: Mapping[str, str]) -> Parameter:
        vocabulary, entities = self.vocabulary(), self.entities()
        example = parameter.example
        if parameter.type == "id" and example not in entities:
            example = self._entity(named_iris(query.text, prefixes)) or example
        elif parameter.type == "type" and example not in vocabulary.classes:
            counted = Counter(entity.type for entity in entities.values())
            example = min(counted, key=lambda name: (-counted[name], name), default=None)
        elif parameter.type == "relation" and vocabulary.relation(example or "") is None:
            example = next(iter(vocabulary.relations), None)
        return replace(parameter, example=example)

    def _entity(self, iris: Iterable[str]) -> str | None:
        """An entity of which a query about these terms has something to tell: one on both ends of its relations."""
        vocabulary, entities = self.vocabulary(), self.entities()
        asked = set(iris)
        relations = [one for one in vocabulary.relations.values() if one.iri in asked]
        ends = [self._ends(one) for one in relations or vocabulary.relations.values()]
        counted = Counter(entity for subjects, objects in ends for entity in (*subjects, *objects))
        for subjects, objects in ends:
            counted.update(dict.fromkeys(subjects & objects, _LOOKED_AT))
        found = [one for one in counted if one in entities]
        # Where nothing has these relations, no entity of another kind is a better example than the header's.
        default = None if relations else next(iter(entities), None)
        return min(found, key=lambda one: (-counted[one], one), default=default)

    def _ends(self, relation: Relation) -> tuple[set[str], set[str]]:
        subjects, objects = set[str](), set[str]()
        quads = self.store().quads_for_pattern(None, ox.NamedNode(relation.iri), None, ox.DefaultGraph())
        for quad, _ in zip(quads, range(_LOOKED_AT), strict=False):
            for node, ends in ((quad.subject, subjects), (quad.object, objects)):
                entity = self.iris.entity_id(node.value) if isinstance(node, ox.NamedNode) else None
                if entity is not None:
                    ends.add(entity)
        return subjects, objects

    def _terms(self) -> frozenset[str]:
        vocabulary = self.vocabulary()
        stated = {t.subject.value for t in vocabulary.ontology if isinstance(t.subject, ox.NamedNode)}
        return _core_terms() | stated

    def _in_graph(self, iri: str) -> bool:
        try:
            node = ox.NamedNode(iri)
        except ValueError:
            return True  # the engine says what is wrong with it
        store = self.store()
        patterns = (
            (node, None, None, None),
            (None, node, None, None),
            (None, None, node, None),
            (None, None, None, node),
        )
        return any(next(iter(store.quads_for_pattern(*pattern)), None) is not None for pattern in patterns)
