"""Classes, relations and attributes follow from ontology and shapes, however people write these."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kb.config import packaged
from kb.errors import OntologyError
from kb.namespaces import XSD
from kb.vocabulary import Vocabulary, load_vocabulary

Load = Callable[..., Vocabulary]
PREFIXES = """
@prefix : <https://x.example/o#> .
@prefix ext: <https://ext.example/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix kb: <https://w3id.org/wiki-kb/ontology#> .
"""
CLASSES = """
:Thing a owl:Class . :Room a owl:Class ; rdfs:subClassOf :Place . :Wing a owl:Class ; rdfs:subClassOf :Place .
:Place a owl:Class . :Person a owl:Class .
"""


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def load(ontology: str, shapes: str = "") -> Vocabulary:
        (tmp_path / "ontology.ttl").write_text(PREFIXES + ontology, encoding="utf-8")
        (tmp_path / "shapes.ttl").write_text(PREFIXES + shapes, encoding="utf-8")
        return load_vocabulary([tmp_path / "ontology.ttl"], [tmp_path / "shapes.ttl"] if shapes else [])

    return load


def packaged_vocabulary() -> Vocabulary:
    names = ("systems.ttl", "schemas.ttl")
    return load_vocabulary([packaged("ontology") / n for n in names], [packaged("shapes") / n for n in names])


# --- the packaged ontology ---------------------------------------------------


def test_the_packaged_ontology_has_nothing_to_add() -> None:
    assert packaged_vocabulary().advice == ()


def test_the_packaged_relations_join_what_their_shapes_say() -> None:
    vocabulary = packaged_vocabulary()
    assert {name: relation.signatures for name, relation in vocabulary.relations.items()} == {
        "applies_to": (("caveat", "field"),),
        "consumes_api": (("system", "api"),),
        "depends_on": (("system", "system"),),
        "has_caveat": (("concept", "caveat"),),
        "has_field": (("concept", "field"),),
        "led_by": (("team", "person"),),
        "member_of": (("person", "team"),),
        "owned_by": (("asset", "team"),),
        "part_of": (("asset", "asset"), ("team", "team")),
        "provides_api": (("system", "api"),),
    }
    assert all(relation.inverse and relation.shaped for relation in vocabulary.relations.values())
    assert vocabulary.attributes["public"].boolean
    assert "internal" in vocabulary.attributes["public"].phrases_false


def test_records_of_the_core_module_are_no_things_to_ask_for() -> None:
    folder = packaged("ontology")
    with_core = load_vocabulary([folder], [packaged("shapes")])
    without = packaged_vocabulary()
    assert with_core.classes == without.classes
    assert with_core.relations == without.relations
    assert with_core.attributes == without.attributes


def test_names_lead_to_terms_and_iris_to_names() -> None:
    vocabulary = packaged_vocabulary()
    depends_on = vocabulary.relations["depends_on"]
    assert vocabulary.relation("depends_on") == (depends_on, False)
    assert vocabulary.relation("dependency_of") == (depends_on, True)
    assert vocabulary.relation("hangs_in") is None
    assert depends_on.inverse is not None
    for term in (depends_on, depends_on.inverse, vocabulary.classes["api"], vocabulary.attributes["public"]):
        assert vocabulary.name_of(term.iri) == term.name
    assert vocabulary.name_of("https://x.example/") is None


def test_types_know_what_is_above_and_below() -> None:
    vocabulary = packaged_vocabulary()
    assert vocabulary.ancestors("service") == {"service", "system", "asset"}
    assert vocabulary.descendants("system") == {"system", "service", "datastore"}
    assert vocabulary.ancestors("nothing") == vocabulary.descendants("nothing") == set()
    assert vocabulary.fits(vocabulary.relations["depends_on"], "service", "datastore")
    assert not vocabulary.fits(vocabulary.relations["depends_on"], "service", "team")
    assert not vocabulary.fits(vocabulary.relations["part_of"], "service", "team")


# --- classes and words ---------------------------------------------------------


def test_a_class_need_only_be_placed_below_another(load: Load) -> None:
    vocabulary = load(":Place a rdfs:Class . :Room rdfs:subClassOf :Place , foaf:Document , [ a owl:Restriction ] .")
    assert {name: cls.parents for name, cls in vocabulary.classes.items()} == {"place": (), "room": ("place",)}


def test_classes_in_a_circle_end(load: Load) -> None:
    vocabulary = load(":A a owl:Class ; rdfs:subClassOf :A , :B . :B a owl:Class ; rdfs:subClassOf :A .")
    assert vocabulary.ancestors("a") == vocabulary.descendants("b") == {"a", "b"}


def test_english_words_win_over_others_and_others_over_none(load: Load) -> None:
    vocabulary = load(
        ':Room a owl:Class ; rdfs:label "Raum"@de , "room"@en-GB ; skos:altLabel "Saal"@de , "hall" .'
        ':Wing a owl:Class ; rdfs:label "Flügel"@de ; skos:definition "Ein Teil."@de .'
        ':House a owl:Class ; rdfs:label "b"@en ; skos:prefLabel "a"@en .'
    )
    assert vocabulary.classes["room"].phrases == ("room", "hall")
    assert vocabulary.classes["wing"].label == "Flügel"
    assert vocabulary.classes["wing"].definition == "Ein Teil."
    assert vocabulary.classes["house"].phrases == ("a", "b")


def test_a_term_without_label_is_called_by_its_name_and_advice_gives_the_line_to_add(load: Load) -> None:
    vocabulary = load(':PrintRoom a owl:Class . :near a owl:SymmetricProperty ; rdfs:label "near" .')
    assert vocabulary.classes["print_room"].label == "print room"
    iri = "<https://x.example/o#PrintRoom>"
    assert vocabulary.advice[0] == f'class {iri} has no label; add: {iri} rdfs:label "print room"@en .'


def test_imports_are_not_fetched_but_named(load: Load) -> None:
    vocabulary = load(
        "<https://x.example/o> a owl:Ontology ; owl:imports <https://y.example/core> , <https://x.example/o> ."
    )
    assert len([line for line in vocabulary.advice if "imports" in line]) == 1
    assert "imports <https://y.example/core>, which is never fetched" in vocabulary.advice[0]


@pytest.mark.parametrize(("ontology", "missing"), [("", "classes"), (":Room a owl:Class .", "relations")])
def test_an_ontology_that_declares_nothing_is_told_so(load: Load, ontology: str, missing: str) -> None:
    assert any(f"the ontology declares no {missing}" in line for line in load(ontology).advice)


# --- relations and attributes ---------------------------------------------------


def test_an_inverse_may_be_declared_from_either_side(load: Load) -> None:
    one = load(":in a owl:ObjectProperty . :holds a owl:ObjectProperty ; owl:inverseOf :in .")
    assert (list(one.relations), one.relations["in"].inverse.name) == (["in"], "holds")
    other = load(":in a owl:ObjectProperty ; owl:inverseOf :holds . :holds a owl:ObjectProperty .")
    assert (list(other.relations), other.relations["holds"].inverse.name) == (["holds"], "in")


def test_an_inverse_needs_no_type_of_its_own(load: Load) -> None:
    vocabulary = load(":in a owl:ObjectProperty . :holds owl:inverseOf :in .")
    assert vocabulary.relations["in"].inverse.name == "holds"


def test_of_two_that_point_at_each_other_the_documented_one_is_stored(load: Load) -> None:
    vocabulary = load(
        CLASSES + ":b a owl:ObjectProperty ; owl:inverseOf :a ; rdfs:domain :Room ; rdfs:range :Place ."
        ":a a owl:ObjectProperty ; owl:inverseOf :b ."
    )
    assert list(vocabulary.relations) == ["b"]
    assert vocabulary.relations["b"].signatures == (("room", "place"),)


def test_the_one_that_shapes_constrain_is_stored(load: Load) -> None:
    vocabulary = load(
        CLASSES + ":in a owl:ObjectProperty . :holds a owl:ObjectProperty ; owl:inverseOf :in .",
        ":S a sh:PropertyShape ; sh:targetClass :Room ; sh:path :holds ; sh:class :Thing .",
    )
    assert list(vocabulary.relations) == ["holds"]
    assert vocabulary.relations["holds"].signatures == (("room", "thing"),)
    assert vocabulary.relations["holds"].inverse.name == "in"


def test_an_inverse_path_constrains_the_property_it_names(load: Load) -> None:
    vocabulary = load(
        CLASSES + ":in a owl:ObjectProperty ; owl:inverseOf :holds . :holds a owl:ObjectProperty .",
        ":S a sh:PropertyShape ; sh:targetClass :Room ; sh:path [ sh:inversePath :in ] ; sh:class :Thing .",
    )
    assert list(vocabulary.relations) == ["in"]
    assert vocabulary.relations["in"].signatures == (("thing", "room"),)
    assert vocabulary.relations["in"].shaped


def test_shapes_on_both_directions_are_advised_against(load: Load) -> None:
    vocabulary = load(
        CLASSES + ":in a owl:ObjectProperty . :holds a owl:ObjectProperty ; owl:inverseOf :in .",
        ":S sh:targetSubjectsOf :in ; sh:class :Thing . :T sh:targetSubjectsOf :holds ; sh:class :Room .",
    )
    assert list(vocabulary.relations) == ["in"]
    assert any("shapes constrain both" in line for line in vocabulary.advice)
    assert vocabulary.relations["in"].signatures == (("thing", "room"),)


def test_a_second_inverse_is_advised_against_and_left_out(load: Load) -> None:
    vocabulary = load(
        ":in a owl:ObjectProperty . :a a owl:ObjectProperty ; owl:inverseOf :in ."
        ":b a owl:ObjectProperty ; owl:inverseOf :in ."
    )
    assert {name: r.inverse and r.inverse.name for name, r in vocabulary.relations.items()} == {"in": "a", "b": None}
    assert any("more than one owl:inverseOf" in line for line in vocabulary.advice)


def test_a_relation_without_inverse_says_how_to_add_one(load: Load) -> None:
    vocabulary = load(":in a owl:ObjectProperty .")
    assert any("add a property with: owl:inverseOf <https://x.example/o#in>" in line for line in vocabulary.advice)


def test_kinds_of_relations_are_known(load: Load) -> None:
    vocabulary = load(
        ":near a owl:SymmetricProperty . :beside a owl:ObjectProperty ; owl:inverseOf :beside ."
        ":holds a owl:TransitiveProperty ; owl:inverseOf :in . :in a owl:ObjectProperty ."
        ":next a owl:AsymmetricProperty ."
    )
    assert {name: (r.transitive, r.symmetric) for name, r in vocabulary.relations.items()} == {
        "near": (False, True),
        "beside": (False, True),
        "in": (True, False),
        "next": (False, False),
    }
    assert not any("near" in line and "inverse" in line for line in vocabulary.advice)


def test_a_plain_property_goes_by_its_range_or_its_shape(load: Load) -> None:
    vocabulary = load(
        CLASSES + ":in a rdf:Property ; rdfs:range :Room . :year a rdf:Property ; rdfs:range xsd:integer ."
        ":open a rdf:Property ; schema:rangeIncludes schema:Boolean ."
        ":note a rdf:Property ; rdfs:range rdf:langString . :mark a rdf:Property . :shelf rdfs:subPropertyOf :mark ."
        ":size a owl:FunctionalProperty . :other a rdf:Property . :within rdfs:subPropertyOf :in ."
        ":remark a rdf:Property , owl:AnnotationProperty . :alias rdfs:subPropertyOf skos:altLabel .",
        ":S sh:targetClass :Room ; sh:property [ sh:path :size ; sh:datatype xsd:decimal ] ,"
        " [ sh:path :mark ; sh:nodeKind sh:Literal ] .",
    )
    assert list(vocabulary.relations) == ["in", "other", "within"]
    assert {name: a.datatype.removeprefix(XSD) for name, a in vocabulary.attributes.items()} == {
        "mark": "string",
        "note": "string",
        "open": "boolean",
        "shelf": "string",
        "size": "decimal",
        "year": "integer",
    }
    assert vocabulary.attributes["size"].domains == ("room",)


def test_an_attribute_applies_to_what_its_shape_asks_of_those_that_have_it(load: Load) -> None:
    vocabulary = load(
        CLASSES + ":year a owl:DatatypeProperty .",
        ":S sh:targetSubjectsOf :year ; sh:class :Thing .",
    )
    assert vocabulary.attributes["year"].domains == ("thing",)


def test_words_for_false_belong_to_the_attribute(load: Load) -> None:
    vocabulary = load(
        ':open a owl:DatatypeProperty ; rdfs:range xsd:boolean ; rdfs:label "open" ;'
        'kb:labelWhenFalse "closed"@en , "zu"@de .'
    )
    assert vocabulary.attributes["open"].phrases_false == ("closed",)


# --- names that collide ---------------------------------------------------------


@pytest.mark.parametrize(
    "ontology",
    [
        ":in a owl:ObjectProperty . ext:in a owl:ObjectProperty .",
        ":dependsOn a owl:ObjectProperty . :depends_on a owl:ObjectProperty .",
        ":Room a owl:Class . ext:room a owl:Class .",
        ":year a owl:DatatypeProperty . ext:year a owl:ObjectProperty .",
        ":a a owl:ObjectProperty ; owl:inverseOf :b . :b a owl:ObjectProperty . ext:b a owl:ObjectProperty .",
    ],
)
def test_two_terms_with_one_name_are_refused(load: Load, ontology: str) -> None:
    with pytest.raises(OntologyError, match=r"<https://.*> and <https://.*> are both called '\w+'; rename one"):
        load(ontology)


def test_a_well_known_term_gives_way_to_the_one_that_extends_it(load: Load) -> None:
    vocabulary = load(":Person a owl:Class ; rdfs:subClassOf foaf:Person . foaf:Person a owl:Class .")
    assert vocabulary.classes["person"].iri == "https://x.example/o#Person"
    assert any("<http://xmlns.com/foaf/0.1/Person> is left out" in line for line in vocabulary.advice)


def test_a_class_and_a_relation_may_share_a_name(load: Load) -> None:
    vocabulary = load(":Loan a owl:Class . :loan a owl:ObjectProperty .")
    assert "loan" in vocabulary.classes
    assert "loan" in vocabulary.relations


def test_an_attribute_called_like_a_catalogue_key_is_advised_against(load: Load) -> None:
    assert any("is called 'type'" in line for line in load(":type a owl:DatatypeProperty .").advice)


def test_a_term_without_a_local_name_is_refused(load: Load) -> None:
    with pytest.raises(OntologyError, match="has no local name"):
        load("<https://x.example/-> a owl:Class .")
