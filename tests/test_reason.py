"""What is inferred equals what a plain OWL 2 RL engine infers, and only what is worth publishing."""

from __future__ import annotations

import importlib.util

import pytest
from reason_help import (
    DOMAINS,
    IRIS,
    domain,
    domain_facts,
    facts,
    plain,
    random_world,
    reasoned,
    term,
    thing,
    triples,
)

from kb.errors import ConfigError
from kb.iris import Iris
from kb.namespaces import OWL
from kb.reason import patterns
from kb.reason.axioms import FAMILIES, Axioms
from kb.reason.inference import infer, shown
from kb.reason.model import Fact, Facts
from kb.reason.reasoner import Reasoned
from kb.reason.settings import DEFAULT, Settings, settings_of

ENGINES = [
    "owlrl",
    pytest.param(
        "reasonable",
        marks=pytest.mark.skipif(
            importlib.util.find_spec("reasonable") is None, reason="an extra: wiki-kb[reasonable]"
        ),
    ),
]


def inferred(engine: str, axioms: Axioms, stated: set[Fact]) -> set[Fact]:
    return shown(infer(engine, axioms, stated), lambda iri: IRIS.entity_id(iri) is not None)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", DOMAINS)
def test_every_domain_gives_what_plain_owlrl_gives(name: str, engine: str) -> None:
    vocabulary = domain(name)
    axioms, stated = Axioms(vocabulary.ontology), domain_facts(vocabulary)
    expected = plain("owlrl", axioms, stated)
    assert len(expected) > 20
    assert inferred(engine, axioms, stated) == expected


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(24))
def test_random_ontologies_give_what_plain_owlrl_gives(seed: int, engine: str) -> None:
    axioms, stated = random_world(seed, joins=seed % 2 == 1)
    assert inferred(engine, axioms, stated) == plain("owlrl", axioms, stated)


def test_the_engine_sees_one_example_of_each_kind_of_fact_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[int] = []
    closure = patterns.closure

    def counting(engine: str, said: list[Fact]) -> set[Fact]:
        given.append(len(said))
        return closure(engine, said)

    monkeypatch.setattr(patterns, "closure", counting)
    axioms = Axioms(triples(":p a owl:TransitiveProperty ; owl:inverseOf :q . :q rdfs:domain :C ."))
    for number in (3, 300):
        found = infer("owlrl", axioms, {(thing(i), term("p"), thing(i + 1)) for i in range(number)})
        assert len(found) == number * (number + 1) - number + number
    assert given[0] == given[1]


RULES = [
    ("prp-inv", ":p owl:inverseOf :q .", "e:a :p e:b .", "e:b :q e:a ."),
    ("prp-inv backwards", ":p owl:inverseOf :q .", "e:a :q e:b .", "e:b :p e:a ."),
    ("prp-spo1", ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r .", "e:a :p e:b .", "e:a :q e:b ; :r e:b ."),
    ("prp-spo1 of literals", ":p rdfs:subPropertyOf :q .", 'e:a :p "x"@en .', 'e:a :q "x"@en .'),
    ("labels", ":p rdfs:subPropertyOf rdfs:label .", 'e:a :p "x" .', 'e:a rdfs:label "x" .'),
    ("prp-trp", ":p a owl:TransitiveProperty .", "e:a :p e:b . e:b :p e:c .", "e:a :p e:c ."),
    ("prp-symp", ":p a owl:SymmetricProperty .", "e:a :p e:b .", "e:b :p e:a ."),
    ("cax-sco", ":A rdfs:subClassOf :B . :B rdfs:subClassOf :C .", "e:a a :A .", "e:a a :B , :C ."),
    ("cax-eqc", ":A owl:equivalentClass :B .", "e:a a :B .", "e:a a :A ."),
    ("prp-eqp", ":p owl:equivalentProperty :q .", "e:a :q e:b .", "e:a :p e:b ."),
    ("prp-dom", ":p rdfs:domain :A . :A rdfs:subClassOf :B .", "e:a :p e:b .", "e:a a :A , :B ."),
    ("prp-rng", ":p rdfs:range :A .", "e:a :p e:b .", "e:b a :A ."),
    ("prp-spo2", ":r owl:propertyChainAxiom ( :p :q ) .", "e:a :p e:b . e:b :q e:c .", "e:a :r e:c ."),
    (
        "inverse in a chain",
        ":r owl:propertyChainAxiom ( [ owl:inverseOf :p ] :q ) .",
        "e:b :p e:a . e:b :q e:c .",
        "e:a :r e:c .",
    ),
    (
        "transitive by a sub-property",
        ":p rdfs:subPropertyOf :t . :t a owl:TransitiveProperty ; owl:inverseOf :u .",
        "e:a :p e:b . e:b :p e:c .",
        "e:a :t e:b , e:c . e:b :t e:c ; :u e:a . e:c :u e:a , e:b .",
    ),
    (
        "cls-svf1",
        ":A owl:equivalentClass [ owl:onProperty :p ; owl:someValuesFrom :B ] .",
        "e:a :p e:b . e:b a :B .",
        "e:a a :A .",
    ),
    ("cls-hv", ":A owl:equivalentClass [ owl:onProperty :p ; owl:hasValue e:v ] .", "e:a a :A .", "e:a :p e:v ."),
    ("cls-int1", ":A owl:intersectionOf ( :B :C ) .", "e:a a :B , :C .", "e:a a :A ."),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("ontology", "data", "expected"), [r[1:] for r in RULES], ids=[r[0] for r in RULES])
def test_a_rule_gives_exactly_this(ontology: str, data: str, expected: str, engine: str) -> None:
    assert reasoned(ontology, data, engine).inferred == facts(expected)


@pytest.mark.parametrize(("ontology", "data", "expected"), [r[1:] for r in RULES], ids=[r[0] for r in RULES])
def test_every_rule_is_explained_by_stated_facts_and_sound_steps(ontology: str, data: str, expected: str) -> None:
    found = reasoned(ontology, data)
    for fact in found.inferred:
        proof = found.explainer.explain(fact)
        assert proof is not None
        assert proof.fact == fact
        assert set(proof.stated) <= facts(data)
        axioms = {step.axiom for step in proof.steps()}
        assert axioms
        assert axioms <= found.axioms.triples
        # The facts that it rests on are enough, with no other.
        assert fact in infer("owlrl", found.axioms, proof.stated)


@pytest.mark.parametrize("seed", range(0, 12, 2))
def test_everything_in_random_worlds_without_joins_is_explained_by_facts_that_are_enough(seed: int) -> None:
    axioms, stated = random_world(seed, joins=False)
    found = Reasoned(IRIS, axioms, Facts(stated), Facts(infer("owlrl", axioms, stated)))
    for fact in sorted(found.inferred, key=repr)[:8]:
        proof = found.explainer.explain(fact)
        assert proof is not None
        assert fact in infer("owlrl", axioms, proof.stated)


def test_examples_that_lead_to_the_same_thing_do_not_mix() -> None:
    """Only with a fact of :q is the value a :D, and whatever has it a :C; no such fact is stated."""
    ontology = (
        ":A rdfs:subClassOf [ owl:onProperty :p ; owl:hasValue e:v ] ."
        ":B rdfs:subClassOf [ owl:onProperty :q ; owl:hasValue e:v ] . :q rdfs:range :D ."
        "[ owl:onProperty :p ; owl:someValuesFrom :D ] rdfs:subClassOf :C ."
    )
    assert reasoned(ontology, "e:a a :A . e:b a :E .").inferred == facts("e:a :p e:v .")
    assert reasoned(ontology, "e:a a :A . e:b a :B .").inferred == facts("e:a :p e:v ; a :C . e:b :q e:v . e:v a :D .")


def test_a_chain_that_feeds_itself_is_explained_or_given_up_but_never_followed_for_ever() -> None:
    path = " ".join(f"e:{number} :p e:{number + 1} ." for number in range(12))
    found = reasoned(":r owl:propertyChainAxiom ( :r :p ) . :p rdfs:subPropertyOf :r .", path)
    proof = found.explainer.explain((thing(0), term("r"), thing(12)))
    assert proof is not None
    assert len(proof.stated) == 12
    circle = " ".join(f"e:{a} :p e:{b} ." for a in range(6) for b in range(6) if a != b)
    tangled = reasoned(":r owl:propertyChainAxiom ( :r :r ) , ( :q :r ) . :p rdfs:subPropertyOf :r .", circle)
    proof = tangled.explainer.explain((thing(0), term("r"), thing(0)))
    assert proof is not None
    assert len(proof.stated) == 2
    assert tangled.explainer.explain((thing(0), term("r"), thing("elsewhere"))) is None


def test_a_transitive_property_that_explodes_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.reason.inference.MOST", 10)
    path = " ".join(f"e:{number} :p e:{number + 1} ." for number in range(9))
    with pytest.raises(ConfigError, match=r"p is transitive.*skip = ..transitive.."):
        reasoned(":p a owl:TransitiveProperty .", path)


def test_a_derivation_takes_the_shortest_way() -> None:
    found = reasoned(
        ":p a owl:TransitiveProperty .",
        "e:a :p e:b . e:b :p e:c . e:c :p e:d . e:a :p e:x . e:x :p e:d .",
    )
    proof = found.explainer.explain((thing("a"), term("p"), thing("d")))
    assert proof is not None
    assert [fact[2] for fact in proof.stated] == [thing("x"), thing("d")]


def test_what_does_not_follow_has_no_derivation() -> None:
    found = reasoned(":p owl:inverseOf :q .", "e:a :p e:b .")
    assert found.explainer.explain((thing("a"), term("q"), thing("b"))) is None


def test_schema_noise_and_what_is_stated_are_left_out() -> None:
    found = reasoned(
        ":A a owl:Class ; rdfs:subClassOf owl:Thing ,"
        "   [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] ."
        " :p a owl:ObjectProperty ; rdfs:range :B . :B rdfs:subClassOf :C .",
        'e:a a :A ; :p e:b ; rdfs:label "a" . e:b a :B .',
    )
    assert found.inferred == facts("e:b a :C .")


def test_what_the_ontology_says_of_its_own_things_is_not_published_but_counts() -> None:
    found = reasoned(
        ":p a owl:ObjectProperty . :q owl:inverseOf :p . :A a owl:Class ."
        " :r owl:propertyChainAxiom ( :p :p ) . :here a owl:NamedIndividual , :A ; :p e:z .",
        "e:a :p :here .",
    )
    assert found.inferred == facts("e:a :r e:z . e:z :q :here .")


@pytest.mark.parametrize("kind", ["owl:FunctionalProperty", "owl:InverseFunctionalProperty"])
def test_nothing_is_made_the_same(kind: str) -> None:
    found = reasoned(f":p a {kind} .", "e:a :p e:b , e:c . e:d :p e:b . e:b a :A .")
    assert found.inferred == set()
    assert not any(fact[1] == OWL + "sameAs" for fact in found.found)
    assert found.inconsistencies


FAMILY_AXIOMS = {
    "subclass": (":A rdfs:subClassOf :B .", "e:a a :A ."),
    "subproperty": (":p rdfs:subPropertyOf :q .", "e:a :p e:b ."),
    "inverse": (":p owl:inverseOf :q .", "e:a :p e:b ."),
    "symmetric": (":p a owl:SymmetricProperty .", "e:a :p e:b ."),
    "transitive": (":p a owl:TransitiveProperty .", "e:a :p e:b . e:b :p e:c ."),
    "domain": (":p rdfs:domain :A .", "e:a :p e:b ."),
    "range": (":p rdfs:range :A .", "e:a :p e:b ."),
    "chain": (":r owl:propertyChainAxiom ( :p :p ) .", "e:a :p e:b . e:b :p e:c ."),
    "restriction": (":A owl:equivalentClass [ owl:onProperty :p ; owl:hasValue e:b ] .", "e:a :p e:b ."),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_that_is_skipped_gives_nothing(family: str) -> None:
    ontology, data = FAMILY_AXIOMS[family]
    assert reasoned(ontology, data).inferred
    assert not reasoned(ontology, data, skip=(family,)).inferred


def test_settings_come_from_the_section() -> None:
    assert settings_of({}) is None
    assert settings_of({"engine": "none"}) is None
    assert settings_of({"engine": "owlrl"}) == DEFAULT
    assert settings_of({"skip": "transitive"}) == Settings("owlrl", ("transitive",))
    with pytest.raises(ConfigError, match="did you mean 'transitive'"):
        settings_of({"skip": ["transitve"]})
    with pytest.raises(ConfigError, match="known: owlrl, reasonable, none"):
        settings_of({"engine": "pellet"})


def test_an_engine_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "reasonable", None)
    with pytest.raises(ConfigError, match=r"pip install .wiki-kb\[reasonable\]"):
        reasoned(":p owl:inverseOf :q .", "e:a :p e:b .", "reasonable")


def test_facts_about_what_is_no_entity_of_this_base_are_not_published() -> None:
    axioms = Axioms(triples(":p owl:inverseOf :q ."))
    stated = Facts(facts("e:a :p e:b . :x :p :y ."))
    found = Reasoned(Iris("https://other.example/"), axioms, stated, Facts(infer("owlrl", axioms, stated)))
    assert len(found.found) == 2
    assert found.inferred == frozenset()
