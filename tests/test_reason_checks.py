"""Contradictions are found with the facts behind them, where plain owlrl finds one and where it would merge things."""

from __future__ import annotations

import pytest
from rdflib import Graph
from reason_help import PREFIXES, facts, reasoned, thing

from kb.reason.words import Words

CONTRADICTIONS = [
    ("cax-dw", ":A owl:disjointWith :B .", "e:a a :A , :B .", True),
    ("cax-dw", ":A owl:disjointWith :B . :C rdfs:subClassOf :B .", "e:a a :A , :C .", True),
    ("cax-dw", "[ a owl:AllDisjointClasses ; owl:members ( :A :B :C ) ] .", "e:a a :C , :A .", True),
    ("cax-dw", ":U owl:disjointUnionOf ( :A :B ) .", "e:a a :A , :B .", False),
    ("cax-dw", ":A owl:disjointWith :B . :p rdfs:range :B .", "e:x :p e:a . e:a a :A .", True),
    ("cls-com", ":A owl:complementOf :B .", "e:a a :A , :B .", True),
    ("cls-nothing2", ":A rdfs:subClassOf owl:Nothing .", "e:a a :A .", True),
    ("prp-pdw", ":p owl:propertyDisjointWith :q .", "e:a :p e:b ; :q e:b .", True),
    ("prp-pdw", "[ a owl:AllDisjointProperties ; owl:members ( :p :q ) ] .", "e:a :p e:b ; :q e:b .", False),
    ("prp-irp", ":p a owl:IrreflexiveProperty .", "e:a :p e:a .", True),
    ("prp-irp", ":p a owl:IrreflexiveProperty , owl:TransitiveProperty .", "e:a :p e:b . e:b :p e:a .", True),
    ("prp-asyp", ":p a owl:AsymmetricProperty .", "e:a :p e:b . e:b :p e:a .", True),
    ("prp-fp", ":p a owl:FunctionalProperty .", "e:a :p e:b , e:c .", False),
    ("prp-fp", ":p a owl:FunctionalProperty .", 'e:a :p "x" , "y" .', False),
    ("prp-ifp", ":p a owl:InverseFunctionalProperty .", "e:a :p e:c . e:b :p e:c .", False),
    (
        "cls-maxc2",
        ':A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality "1"^^xsd:nonNegativeInteger ] .',
        "e:a a :A ; :p e:b , e:c .",
        False,
    ),
    (
        "cls-maxc1",
        ':A rdfs:subClassOf [ owl:onProperty :p ; owl:maxCardinality "0"^^xsd:nonNegativeInteger ] .',
        "e:a a :A ; :p e:b .",
        True,
    ),
    ("prp-key", ":A owl:hasKey ( :p ) .", 'e:a a :A ; :p "1" . e:b a :A ; :p "1" .', False),
    (
        "prp-npa1",
        "[] owl:sourceIndividual e:a ; owl:assertionProperty :p ; owl:targetIndividual e:b .",
        "e:a :p e:b .",
        True,
    ),
]
NAMES = [f"{number}-{row[0]}" for number, row in enumerate(CONTRADICTIONS)]


@pytest.mark.parametrize(("rule", "ontology", "data"), [row[:3] for row in CONTRADICTIONS], ids=NAMES)
def test_a_contradiction_is_reported_with_its_facts(rule: str, ontology: str, data: str) -> None:
    found = reasoned(ontology, data)
    assert rule in {one.rule for one in found.inconsistencies}
    words = Words(lambda iri: iri.rpartition("#")[2].rpartition("/")[2], found.axioms)
    for one in found.inconsistencies:
        assert one.focus.startswith("https://kb.test.example/entity/")
        assert words.broken(one)
        assert one.facts
        for fact in one.facts:
            proof = found.explainer.explain(fact)
            assert proof is not None
            assert set(proof.stated) <= facts(data)


@pytest.mark.parametrize(
    ("ontology", "data"),
    [row[1:3] for row in CONTRADICTIONS if row[3]],
    ids=[n for n, r in zip(NAMES, CONTRADICTIONS, strict=True) if r[3]],
)
def test_plain_owlrl_finds_these_contradictions_too(ontology: str, data: str) -> None:
    import owlrl

    graph = Graph().parse(data=PREFIXES + ontology + data, format="turtle")
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics, axiomatic_triples=False, datatype_axioms=False).expand(graph)
    assert [o for _, p, o in graph if str(p).endswith("#error")]


@pytest.mark.parametrize(
    ("ontology", "data"),
    [
        (":A owl:disjointWith :B .", "e:a a :A . e:b a :B ."),
        (":p a owl:IrreflexiveProperty , owl:AsymmetricProperty .", "e:a :p e:b . e:b :p e:c ."),
        (":p a owl:FunctionalProperty .", "e:a :p e:b . e:b :p e:b ."),
        (":p a owl:FunctionalProperty . e:b owl:sameAs e:c .", "e:a :p e:b , e:c ."),
        (":p owl:propertyDisjointWith :q .", "e:a :p e:b ; :q e:c ."),
        (":A owl:hasKey ( :p ) .", 'e:a a :A ; :p "1" . e:b a :A ; :p "2" . e:c a :A .'),
    ],
)
def test_consistent_facts_are_not_reported(ontology: str, data: str) -> None:
    assert reasoned(ontology, data).inconsistencies == []


def test_one_contradiction_is_reported_once() -> None:
    found = reasoned(":A owl:disjointWith :B . :B owl:disjointWith :A .", "e:a a :A , :B .")
    assert [one.focus for one in found.inconsistencies] == [thing("a")]
    found = reasoned(":p a owl:AsymmetricProperty .", "e:a :p e:b . e:b :p e:a .")
    assert len(found.inconsistencies) == 1
