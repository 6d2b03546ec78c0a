"""Small ontologies and facts to reason over, and what plain engines make of them."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pyoxigraph as ox

from kb.config import load_config
from kb.iris import Iris
from kb.reason.axioms import Axioms
from kb.reason.engines import closure
from kb.reason.inference import shown
from kb.reason.model import TYPE, Fact, Facts
from kb.reason.reasoner import Reasoned
from kb.vocabulary import Vocabulary, load_vocabulary

DOMAINS = ("houses", "movies", "museum", "spaceflight", "university")
IRIS = Iris("https://kb.test.example/")
PREFIXES = """\
@prefix : <https://test.example/terms#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix e: <https://kb.test.example/entity/> .
"""


def term(name: str) -> str:
    return f"https://test.example/terms#{name}"


def thing(name: object) -> str:
    return IRIS.entity(str(name))


def triples(turtle: str) -> list[ox.Triple]:
    return [quad.triple for quad in ox.parse(input=PREFIXES + turtle, format=ox.RdfFormat.TURTLE)]


def facts(turtle: str) -> set[Fact]:
    from kb.reason.model import facts_of

    return set(facts_of(triples(turtle)))


def reasoned(ontology: str, data: str, engine: str = "owlrl", skip: tuple[str, ...] = ()) -> Reasoned:
    from kb.reason.inference import infer

    axioms = Axioms(triples(ontology), skip)
    stated = Facts([*facts(data), *axioms.individuals])
    return Reasoned(IRIS, axioms, stated, Facts(infer(engine, axioms, stated)))


def plain(engine: str, axioms: Axioms, stated: Iterable[Fact]) -> set[Fact]:
    """What the engine makes of everything at once, in the terms in which inferences are published."""
    from kb.reason.inference import telling

    stated = set(stated)
    found = closure(engine, [*axioms.triples, *stated])
    about = {fact for fact in found if IRIS.entity_id(fact[0]) is not None and telling(fact)}
    return shown(about - stated, lambda iri: IRIS.entity_id(iri) is not None)


def domain(name: str) -> Vocabulary:
    config = load_config(Path(__file__).parent / "domains" / name)
    return load_vocabulary(config.ontology, config.shapes)


def domain_facts(vocabulary: Vocabulary) -> set[Fact]:
    """A path, a cycle and a fork of every relation, and a thing of every class."""
    found: set[Fact] = set()
    for relation in vocabulary.relations.values():
        for a, b in ((0, 1), (1, 2), (2, 3), (4, 5), (5, 4), (6, 7), (6, 8)):
            found.add((thing(a), relation.iri, thing(b)))
    found.update((thing(number), TYPE, one.iri) for number, one in enumerate(vocabulary.classes.values()))
    return found


def random_world(seed: int, *, joins: bool) -> tuple[Axioms, set[Fact]]:
    """Six properties and six classes under random axioms, and some forty random facts; the same for the same seed."""
    chance = random.Random(seed)
    properties = [f":p{number}" for number in range(6)]
    classes = [f":C{number}" for number in range(6)]
    one, kind = (lambda: chance.choice(properties)), (lambda: chance.choice(classes))
    lines = [f"{name} a owl:ObjectProperty ." for name in properties]
    for _ in range(chance.randint(3, 9)):
        lines.append(
            chance.choice(
                [
                    f"{one()} rdfs:subPropertyOf {one()} .",
                    f"{one()} owl:inverseOf {one()} .",
                    f"{one()} owl:equivalentProperty {one()} .",
                    f"{one()} a owl:SymmetricProperty .",
                    f"{one()} a owl:TransitiveProperty .",
                    f"{one()} rdfs:domain {kind()} .",
                    f"{one()} rdfs:range {kind()} .",
                    f"{kind()} rdfs:subClassOf {kind()} .",
                    f"{kind()} owl:equivalentClass {kind()} .",
                    f"{one()} rdfs:domain [ owl:unionOf ( {kind()} {kind()} ) ] .",
                ]
            )
        )
    for _ in range(chance.randint(1, 3) if joins else 0):
        lines.append(
            chance.choice(
                [
                    f"{one()} owl:propertyChainAxiom ( {one()} {one()} ) .",
                    f"[ owl:onProperty {one()} ; owl:someValuesFrom {kind()} ] rdfs:subClassOf {kind()} .",
                    f"{kind()} rdfs:subClassOf [ owl:onProperty {one()} ; owl:allValuesFrom {kind()} ] .",
                    f"{kind()} owl:equivalentClass [ owl:onProperty {one()} ; owl:hasValue e:3 ] .",
                    f"{kind()} owl:equivalentClass [ owl:intersectionOf ( {kind()} {kind()} ) ] .",
                ]
            )
        )
    axioms = Axioms(triples("\n".join(lines)))
    data = {(thing(chance.randrange(8)), term(one().removeprefix(":")), thing(chance.randrange(8))) for _ in range(14)}
    data |= {(thing(chance.randrange(8)), TYPE, term(kind().removeprefix(":"))) for _ in range(5)}
    return axioms, data
