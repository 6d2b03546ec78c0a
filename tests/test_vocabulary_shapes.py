"""What shapes say about the ends of a relation, and the shapes that stand in where there are none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyoxigraph as ox
import pyshacl
import pytest
from rdflib import RDF, SH, Graph

from kb.errors import OntologyError
from kb.vocabulary import Vocabulary, load_vocabulary

PREFIXES = """
@prefix : <https://x.example/o#> .
@prefix s: <https://x.example/s#> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
ONTOLOGY = """
:Thing a owl:Class . :Picture a owl:Class ; rdfs:subClassOf :Thing . :Clock a owl:Class ; rdfs:subClassOf :Thing .
:Place a owl:Class . :Room a owl:Class ; rdfs:subClassOf :Place . :Shed a owl:Class ; rdfs:subClassOf :Place .
:Person a owl:Class .
:in a owl:ObjectProperty ; rdfs:label "in" . :holds a owl:ObjectProperty ; rdfs:label "holds" ; owl:inverseOf :in .
:year a owl:DatatypeProperty ; rdfs:label "year" .
"""
Load = Callable[..., Vocabulary]
Signature = tuple[tuple[str | None, str | None], ...]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def load(shapes: str = "", ontology: str = ONTOLOGY) -> Vocabulary:
        (tmp_path / "ontology.ttl").write_text(PREFIXES + ontology, encoding="utf-8")
        (tmp_path / "shapes.ttl").write_text(PREFIXES + shapes, encoding="utf-8")
        return load_vocabulary([tmp_path / "ontology.ttl"], [tmp_path / "shapes.ttl"] if shapes else [])

    return load


@pytest.mark.parametrize(
    ("shapes", "signatures"),
    [
        pytest.param(
            "s:A a sh:NodeShape ; sh:targetSubjectsOf :in ; sh:class :Thing ."
            "s:B a sh:PropertyShape ; sh:targetSubjectsOf :in ; sh:path :in ; sh:class :Room .",
            (("thing", "room"),),
            id="each end by a shape of its own",
        ),
        pytest.param(
            "s:A sh:targetSubjectsOf :in ; sh:class :Thing . s:B sh:targetObjectsOf :in ; sh:class :Room .",
            (("thing", "room"),),
            id="each end by its target",
        ),
        pytest.param(
            "s:A a sh:NodeShape ; sh:targetClass :Thing ; sh:property [ sh:path :in ; sh:class :Room ] .",
            (("thing", "room"),),
            id="a property shape without a name",
        ),
        pytest.param(
            "s:A a sh:NodeShape ; sh:targetClass :Thing ; sh:property s:B . s:B sh:path :in ; sh:class :Room .",
            (("thing", "room"),),
            id="a property shape with a name",
        ),
        pytest.param(
            ":Thing a sh:NodeShape , owl:Class ; sh:property [ sh:path :in ; sh:class :Room ] .",
            (("thing", "room"),),
            id="an implicit class target",
        ),
        pytest.param(
            "s:A sh:targetClass :Picture ; sh:property [ sh:path :in ; sh:class :Room ] ."
            "s:B sh:targetClass :Clock ; sh:property [ sh:path :in ; sh:class :Shed ] .",
            (("clock", "shed"), ("picture", "room")),
            id="a pair for each class",
        ),
        pytest.param(
            "s:A sh:targetSubjectsOf :in ; sh:or ( [ sh:class :Picture ] [ sh:class :Clock ] ) ."
            "s:B sh:targetObjectsOf :in ; sh:xone ( [ sh:class :Room ] [ sh:and ( [ sh:class :Shed ] ) ] ) .",
            (("clock", "room"), ("clock", "shed"), ("picture", "room"), ("picture", "shed")),
            id="alternatives in lists",
        ),
        pytest.param(
            "s:A sh:targetClass :Thing ; sh:or ( [ sh:property [ sh:path :in ; sh:class :Room ] ]"
            " [ sh:property [ sh:path :in ; sh:class :Shed ] ] ) .",
            (("thing", "room"), ("thing", "shed")),
            id="property shapes in a list of alternatives",
        ),
        pytest.param(
            "s:A sh:targetClass :Thing ; sh:node s:N . s:N sh:property [ sh:path :in ; sh:node s:IsRoom ] ."
            "s:IsRoom sh:class :Room .",
            (("thing", "room"),),
            id="shapes by sh:node",
        ),
        pytest.param(
            "s:A sh:targetObjectsOf :in ; sh:class :Room ;"
            " sh:property [ sh:path [ sh:inversePath :in ] ; sh:class :Thing ] .",
            (("thing", "room"),),
            id="an inverse path at the object",
        ),
        pytest.param(
            "s:A sh:targetClass :Picture ; sh:path :in ; sh:class :Room . s:B sh:targetSubjectsOf :in ; sh:or "
            "( [ sh:class :Picture ] [ sh:class :Clock ] ) . s:C sh:targetObjectsOf :in ; sh:class :Place .",
            (("clock", "place"), ("picture", "room")),
            id="what one class must have leaves the others as they are",
        ),
        pytest.param(
            "s:A sh:targetClass :Person ; sh:path :in ; sh:maxCount 0 ."
            "s:B sh:targetClass :Thing ; sh:path :in ; sh:minCount 1 .",
            (("thing", None),),
            id="a class that may not have it is no subject of it",
        ),
        pytest.param(
            "s:A sh:targetSubjectsOf :holds ; sh:class :Room . s:B sh:targetObjectsOf :holds ; sh:class :Thing .",
            (("room", "thing"),),
            id="the inverse, which is then the stored one",
        ),
        pytest.param("s:A sh:targetSubjectsOf :in ; sh:maxCount 1 .", ((None, None),), id="nothing about ends"),
        pytest.param(
            "s:A sh:targetSubjectsOf :in ; sh:class :Thing ; sh:node s:A .", (("thing", None),), id="shapes in a circle"
        ),
        pytest.param(
            "s:A sh:targetSubjectsOf :in ; sh:class foaf:Document .", ((None, None),), id="classes that are not ours"
        ),
    ],
)
def test_shapes_say_what_a_relation_joins(load: Load, shapes: str, signatures: Signature) -> None:
    relations = load(shapes).relations
    assert [relation.signatures for relation in relations.values()] == [signatures]
    assert all(relation.shaped for relation in relations.values())


@pytest.mark.parametrize(
    "documented",
    [
        ":in schema:domainIncludes :Thing ; schema:rangeIncludes :Room .",
        ":in rdfs:domain :Thing ; rdfs:range :Room .",
        ":holds rdfs:domain :Room ; rdfs:range :Thing .",
        ":in rdfs:domain [ a owl:Class ; owl:unionOf ( :Thing ) ] . :holds schema:domainIncludes :Room .",
    ],
)
def test_where_shapes_are_silent_documentation_speaks(load: Load, documented: str) -> None:
    relation = load(ontology=ONTOLOGY + documented).relations["in"]
    assert relation.signatures == (("thing", "room"),)
    assert not relation.shaped


def test_datatypes_come_from_shapes_also_in_lists(load: Load) -> None:
    year = load(
        "s:A sh:path :year ; sh:targetClass :Thing ; sh:or ( [ sh:datatype xsd:gYear ] [ sh:datatype xsd:integer ] ) ."
    )
    assert year.attributes["year"].datatype.endswith("#gYear")


# --- shapes that name what is not there -----------------------------------------


def test_an_unknown_term_is_named_with_file_line_and_what_may_be_meant(load: Load) -> None:
    with pytest.raises(OntologyError) as raised:
        load("\n\ns:A sh:targetSubjectsOf :inn ;\n    sh:class :Rooom .\n")
    message = str(raised.value)
    lines = len(PREFIXES.splitlines())
    assert (
        f"shapes.ttl:{lines + 3}: <https://x.example/o#inn> is not declared in the ontology; did you mean 'in'?"
        in message
    )
    assert (
        f"shapes.ttl:{lines + 4}: <https://x.example/o#Rooom> is not declared in the ontology; did you mean 'Room'?"
        in message
    )


@pytest.mark.parametrize(
    "shapes",
    [
        "s:A sh:targetClass foaf:Agent ; sh:path foaf:name ; sh:minCount 1 .",
        "s:A sh:targetClass :Thing ; sh:path :note ; sh:minCount 1 .",
        "s:A sh:targetClass :Thing ; sh:path rdfs:label ; sh:minCount 1 .",
    ],
)
def test_terms_of_others_and_annotations_need_no_declaration_as_relation(load: Load, shapes: str) -> None:
    assert load(shapes, ONTOLOGY + "foaf:Person a owl:Class . :note a owl:AnnotationProperty .").classes


# --- shapes that are derived ------------------------------------------------------


def report(vocabulary: Vocabulary, data: str) -> list[tuple[str, str, str]]:
    shapes, ontology = Graph(), Graph()
    for graph, triples in ((shapes, vocabulary.shapes), (ontology, vocabulary.ontology)):
        graph.parse(data=ox.serialize(triples, format=ox.RdfFormat.N_TRIPLES), format="nt")
    _, found, _ = pyshacl.validate(Graph().parse(data=PREFIXES + data), shacl_graph=shapes, ont_graph=ontology)
    assert isinstance(found, Graph)
    return sorted(
        (
            str(found.value(result, SH.focusNode)).rsplit("#")[-1],
            str(found.value(result, SH.resultSeverity)).rsplit("#")[-1],
            str(found.value(result, SH.resultMessage)),
        )
        for result in found.subjects(RDF.type, SH.ValidationResult)
    )


DATA = ":p a :Picture ; :in :r . :c a :Clock ; :in :s . :r a :Room . :s a :Shed . :ana a :Person . "


def test_a_relation_without_shapes_is_checked_against_its_documentation(load: Load) -> None:
    vocabulary = load(ontology=ONTOLOGY + ":in rdfs:domain :Thing ; schema:rangeIncludes :Room , :Shed .")
    assert any("has no shape" in line and "sh:targetSubjectsOf" in line for line in vocabulary.advice)
    assert report(vocabulary, DATA) == []
    assert report(vocabulary, DATA + ":ana :in :p .") == [
        ("ana", "Violation", "The subject of 'in' must be a thing."),
        ("p", "Violation", "The object of 'in' must be a room or shed."),
    ]


def test_a_relation_without_shapes_and_documentation_joins_things_with_iris_only(load: Load) -> None:
    vocabulary = load()
    assert report(vocabulary, DATA + ":ana :in :p .") == []
    found = report(vocabulary, DATA + ':ana :in "the room" .')
    assert found == [("the room", "Violation", "The object of 'in' must be a thing with an IRI.")]


def test_derived_shapes_speak_english(load: Load) -> None:
    ontology = ":Api a owl:Class . :in a owl:ObjectProperty ; rdfs:label 'in' ; rdfs:domain :Api . :ana a :Person ."
    assert report(load(ontology=ontology), ":ana :in :r .") == [
        ("ana", "Violation", "The subject of 'in' must be an api.")
    ]


def test_derived_shapes_have_no_blank_nodes_and_other_shapes_are_kept_as_they_are(load: Load) -> None:
    ontology = ONTOLOGY + ":by a owl:ObjectProperty ; rdfs:range :Person , :Place ."
    vocabulary = load("s:A sh:targetSubjectsOf :in ; sh:class :Thing .", ontology)
    assert not any(
        isinstance(end, ox.BlankNode) for triple in vocabulary.shapes for end in (triple.subject, triple.object)
    )
    mine = {triple for triple in vocabulary.shapes if triple.subject.value == "https://x.example/s#A"}
    assert len(mine) == 2
    assert {name for name, relation in vocabulary.relations.items() if not relation.shaped} == {"by"}
