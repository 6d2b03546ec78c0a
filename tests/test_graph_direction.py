"""Edges that were stated the wrong way round."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.config import load_config, packaged
from kb.graph.candidates import Candidate, Rejected, candidates
from kb.graph.resolve import AMBIGUOUS, Resolution, Resolver
from kb.model import Entity, Statement
from kb.sources.catalogue import Catalogue, load_catalogue
from kb.vocabulary import Vocabulary, load_vocabulary

MUSEUM = Path(__file__).parent / "domains" / "museum"

# `meets` joins anything to anything and `faces` people to people, both ways; `keeps` is a person's, of whatever;
# `made` and `guards` have a signature each.
LOOSE = """
@prefix : <https://loose.example/terms#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
:Person a owl:Class ; rdfs:label "person"@en .
:Thing a owl:Class ; rdfs:label "thing"@en .
:Tool a owl:Class ; rdfs:subClassOf :Thing ; rdfs:label "tool"@en .
:meets a owl:ObjectProperty ; rdfs:label "meets"@en .
:faces a owl:ObjectProperty, owl:SymmetricProperty ; rdfs:label "faces"@en ;
    schema:domainIncludes :Person ; schema:rangeIncludes :Person .
:keeps a owl:ObjectProperty ; rdfs:label "keeps"@en ; schema:domainIncludes :Person .
:made a owl:ObjectProperty ; rdfs:label "made"@en ; schema:domainIncludes :Person ; schema:rangeIncludes :Thing .
:madeBy a owl:ObjectProperty ; rdfs:label "made by"@en ; owl:inverseOf :made .
"""
PEOPLE_AND_THINGS = (
    Entity("ada", "person", "Ada"),
    Entity("bo", "person", "Bo"),
    Entity("oak", "thing", "Oak"),
    Entity("saw", "tool", "Saw"),
    # One name for two things, and for a thing and a person.
    Entity("lamp-1", "thing", "Lamp"),
    Entity("lamp-2", "thing", "Lamp"),
    Entity("reed", "person", "Reed"),
    Entity("reed-grass", "thing", "Reed"),
)


@pytest.fixture(scope="module")
def systems() -> Vocabulary:
    return load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"])


@pytest.fixture(scope="module")
def museum() -> Vocabulary:
    return load_vocabulary([MUSEUM / "ontology.ttl"], [MUSEUM / "shapes.ttl"])


@pytest.fixture(scope="module")
def loose(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    file = tmp_path_factory.mktemp("loose") / "loose.ttl"
    file.write_text(LOOSE, encoding="utf-8")
    return load_vocabulary([file], [])


Judge = Callable[..., "tuple[str, str, str, bool] | str"]


def judge_of(entities: tuple[Entity, ...] | Catalogue, vocabulary: Vocabulary) -> Judge:
    catalogue = entities if isinstance(entities, Catalogue) else Catalogue({one.id: one for one in entities})
    resolver = Resolver(catalogue, vocabulary)

    def judged(*said: str, repair: bool = True, from_page: bool = True) -> tuple[str, str, str, bool] | str:
        """(subject, relation, object, whether turned) of a candidate; the code of what is none."""
        row = Statement(*said, "page", None, from_page)
        accepted, rejected = candidates([row], resolver, vocabulary, {}, repair=repair)
        (found,) = [*accepted, *rejected]
        assert found.statement == row
        if isinstance(found, Rejected):
            return found.code
        return found.subject, found.relation, found.object, found.repaired

    return judged


@pytest.fixture(scope="module")
def in_systems(systems: Vocabulary) -> Judge:
    entities = (
        Entity("ledger", "service", "Ledger"),
        Entity("checkout", "service", "Checkout"),
        Entity("payments", "service", "Payments"),
        Entity("team-payments", "team", "Payments"),
        Entity("platform", "team", "Platform"),
        Entity("ana", "person", "Ana Ruiz"),
        Entity("ben", "person", "Ben Okoro"),
    )
    return judge_of(entities, systems)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (("Platform", "owned_by", "Ledger"), ("ledger", "owned_by", "platform", True)),
        (("Ledger", "owns", "Platform"), ("ledger", "owned_by", "platform", True)),
        (("Ana Ruiz", "led_by", "Platform"), ("platform", "led_by", "ana", True)),
        (("Platform", "member_of", "Ana Ruiz"), ("ana", "member_of", "platform", True)),
        # As it should be.
        (("Ledger", "owned_by", "Platform"), ("ledger", "owned_by", "platform", False)),
        (("Platform", "owns", "Ledger"), ("ledger", "owned_by", "platform", False)),
        # Fits both ways: what is stated is meant.
        (("Ledger", "depends_on", "Checkout"), ("ledger", "depends_on", "checkout", False)),
        (("Ledger", "dependency_of", "Checkout"), ("checkout", "depends_on", "ledger", False)),
        # Fits neither way: SHACL decides.
        (("Platform", "depends_on", "Ledger"), ("platform", "depends_on", "ledger", False)),
        (("Ana Ruiz", "owned_by", "Ben Okoro"), ("ana", "owned_by", "ben", False)),
        # A shared name means what the relation asks for at that end, as stated first.
        (("Payments", "owned_by", "Platform"), ("payments", "owned_by", "platform", False)),
        (("Ledger", "owned_by", "Payments"), ("ledger", "owned_by", "team-payments", False)),
        (("Payments", "owned_by", "Payments"), ("payments", "owned_by", "team-payments", False)),
        (("Payments", "owned_by", "Ledger"), ("ledger", "owned_by", "team-payments", True)),
        (("Ana Ruiz", "led_by", "Payments"), ("team-payments", "led_by", "ana", True)),
        (("Platform", "owned_by", "Payments"), ("payments", "owned_by", "platform", True)),
        # What is not known is no more known the other way round.
        (("Nix", "owned_by", "Ledger"), "unknown_entity"),
    ],
)
def test_what_fits_only_the_other_way_round_is_turned(
    in_systems: Judge, said: tuple[str, str, str], meant: object
) -> None:
    assert in_systems(*said) == meant


@pytest.mark.parametrize(
    "said", [("Platform", "owned_by", "Ledger"), ("Ledger", "owns", "Platform"), ("Ana Ruiz", "led_by", "Platform")]
)
def test_nothing_is_turned_unasked_nor_in_files(in_systems: Judge, said: tuple[str, str, str]) -> None:
    for judged in (in_systems(*said, repair=False), in_systems(*said, from_page=False)):
        assert judged[3] is False
        assert judged[1:] != in_systems(*said)[1:]


def test_a_domain_s_own_relations_are_turned_by_its_own_types(museum: Vocabulary) -> None:
    judged = judge_of(load_catalogue([MUSEUM / "catalogue.yaml"], museum, load_config(MUSEUM)), museum)
    assert judged("Elske Maurits", "created_by", "The Ice Fleet") == ("ice-fleet", "created_by", "elske-maurits", True)
    assert judged("Low Tide", "created", "Maurits") == ("low-tide", "created_by", "elske-maurits", True)
    assert judged("Print Room", "located_in", "Six Herons") == ("six-herons", "located_in", "print-room", True)
    # Person to person, and place to place: nobody but the page knows.
    assert judged("Ines Calder", "studied_under", "Brekke") == ("ines-calder", "studied_under", "johan-brekke", False)
    assert judged("North Wing", "part_of", "Chart Room") == ("north-wing", "part_of", "chart-room", False)


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (("Ada", "meets", "Oak"), ("ada", "meets", "oak", False)),
        (("Oak", "meets", "Ada"), ("oak", "meets", "ada", False)),
        (("Oak", "keeps", "Ada"), ("ada", "keeps", "oak", True)),
        (("Bo", "keeps", "Ada"), ("bo", "keeps", "ada", False)),
        (("Saw", "made", "Bo"), ("bo", "made", "saw", True)),
        (("Bo", "made_by", "Saw"), ("bo", "made", "saw", True)),
        # A symmetric relation has no wrong way.
        (("Oak", "faces", "Ada"), ("oak", "faces", "ada", False)),
        # Which lamp is meant is open, but a lamp was made: the other way round would be a guess.
        (("Ada", "made", "Lamp"), "ambiguous"),
        (("Lamp", "made", "Ada"), "ambiguous"),
        # Grass made nobody: stated is that a person made a thing.
        (("Reed", "made", "Oak"), ("reed", "made", "oak", False)),
        (("Oak", "made", "Reed"), ("reed", "made", "oak", True)),
        (("Reed", "made", "Ada"), ("ada", "made", "reed-grass", True)),
        (("Reed", "keeps", "Ada"), ("reed", "keeps", "ada", False)),
    ],
)
def test_signatures_that_ask_for_nothing_are_met_by_everything(
    loose: Vocabulary, said: tuple[str, str, str], meant: object
) -> None:
    assert judge_of(PEOPLE_AND_THINGS, loose)(*said) == meant


def test_an_ambiguous_name_that_may_fit_as_stated_is_not_turned(loose: Vocabulary) -> None:
    entities = (
        Entity("pen-1", "person", "Pen"),
        Entity("pen-2", "person", "Pen"),
        Entity("pen-3", "thing", "Pen"),
        Entity("kay-1", "person", "Kay"),
        Entity("kay-2", "thing", "Kay"),
    )
    judged = judge_of(entities, loose)
    assert judged("Pen", "made", "Kay") == "ambiguous"
    # So it is the other way round, where there is one reading.
    assert judged("Kay", "made", "Pen") == ("kay-1", "made", "pen-3", False)


def test_an_ambiguous_name_tells_what_it_may_mean(loose: Vocabulary) -> None:
    resolver = Resolver(Catalogue({one.id: one for one in PEOPLE_AND_THINGS}), loose)
    found = resolver.resolve("Lamp", {"thing"})
    assert (found.id, found.code, found.among) == (None, AMBIGUOUS, ("lamp-1", "lamp-2"))
    assert resolver.resolve("Reed", {"thing"}) == Resolution("reed-grass")


NAMES = st.sampled_from([*(one.name for one in PEOPLE_AND_THINGS), *(one.id for one in PEOPLE_AND_THINGS), "Nix"])
RELATIONS = st.sampled_from(["meets", "faces", "keeps", "made", "made_by", "mend"])
ROWS = st.lists(st.builds(Statement, NAMES, RELATIONS, NAMES, st.just("page"), st.none(), st.booleans()), max_size=12)


@given(rows=ROWS)
def test_turning_touches_only_what_cannot_be_as_stated_and_makes_it_fit(
    rows: list[Statement], loose: Vocabulary
) -> None:
    resolver = Resolver(Catalogue({one.id: one for one in PEOPLE_AND_THINGS}), loose)

    def fits(one: Candidate) -> bool:
        relation = loose.relations[one.relation]
        return loose.fits(relation, resolver.type_of(one.subject), resolver.type_of(one.object))

    def outcomes(*, repair: bool) -> list[Candidate | Rejected]:
        found = [candidates([row], resolver, loose, {}, repair=repair) for row in rows]
        return [(*accepted, *rejected)[0] for accepted, rejected in found]

    for stated, repaired in zip(outcomes(repair=False), outcomes(repair=True), strict=True):
        if isinstance(repaired, Rejected) or not repaired.repaired:
            assert repaired == stated
        else:
            assert repaired.statement == stated.statement
            assert repaired.statement.from_page
            assert fits(repaired)
            assert not loose.relations[repaired.relation].symmetric
            assert isinstance(stated, Rejected) or not fits(stated)
