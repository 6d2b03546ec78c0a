"""The planner knows nothing but the ontology: a phrase that is added there is understood, and none is built in."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from planner_worlds import LARKSPUR, MUSEUM, TESTS, knowledge, planner, start

from kb.ask.planner import Planner
from kb.errors import RefusedQuestionError
from kb.model import Entity
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary, load_vocabulary

PLANNER = TESTS.parent / "kb" / "ask" / "planner"

ONTOLOGY = """
@prefix : <https://garden.example/t#> .
@prefix kb: <https://w3id.org/wiki-kb/ontology#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Plant a owl:Class ; rdfs:label "plant"@en .
:Insect a owl:Class ; rdfs:label "insect"@en .
:pollinatedBy a owl:ObjectProperty ; rdfs:label "pollinated by"@en ;
    schema:domainIncludes :Plant ; schema:rangeIncludes :Insect .
:shades a owl:ObjectProperty ; rdfs:label "shades"@en ; schema:domainIncludes :Plant ; schema:rangeIncludes :Plant .
:hardy a owl:DatatypeProperty ; rdfs:label "hardy"@en ;
    schema:domainIncludes :Plant ; schema:rangeIncludes xsd:boolean .
"""

ENTITIES = {
    one.id: one
    for one in (
        Entity("sage", "plant", "Sage", attributes={"hardy": True}),
        Entity("oak", "plant", "Old Oak"),
        Entity("bee", "insect", "Mason Bee"),
    )
}


def garden(tmp_path: Path, more: str = "") -> Planner:
    file = tmp_path / "garden.ttl"
    file.write_text(ONTOLOGY + more, encoding="utf-8")
    return Planner(load_vocabulary([file], []), Catalogue(ENTITIES))


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        ("What is Sage pollinated by?", start("sage", "pollinated_by")),
        ("What pollinates Sage?", start("sage", "pollinated_by")),
        ("What does the Mason Bee pollinate?", start("bee", "~pollinated_by")),
        ("Which plants are pollinated by the Mason Bee?", start("bee", "~pollinated_by")),
        ("pollinators of Sage", start("sage", "pollinated_by")),
        ("What does Old Oak shade?", start("oak", "shades")),
        ("What shades Old Oak?", start("oak", "~shades")),
        ("What is shaded by Old Oak?", start("oak", "shades")),
        ("Which hardy plants does Old Oak shade?", start("oak", "shades", hardy=True)),
        ("pollinators of the plants that Old Oak shades", start("oak", "shades", "pollinated_by")),
    ],
)
def test_a_label_gives_verb_passive_and_agent(tmp_path: Path, question: str, plan: dict[str, object]) -> None:
    assert garden(tmp_path).plan(question).plan.to_json() == plan


def test_a_phrase_that_the_ontology_gains_is_understood(tmp_path: Path) -> None:
    question = "Who drops in on Sage?"
    with pytest.raises(RefusedQuestionError):
        garden(tmp_path).plan(question)
    inverse = ':visits a owl:ObjectProperty ; rdfs:label "drops in on"@en ; owl:inverseOf :pollinatedBy .'
    assert garden(tmp_path, inverse).plan(question).plan.to_json() == start("sage", "pollinated_by")


def test_a_name_for_false_is_understood(tmp_path: Path) -> None:
    planner = garden(tmp_path, ':hardy kb:labelWhenFalse "tender"@en .')
    assert planner.plan("Which tender plants shade Sage?").plan.to_json() == start("sage", "~shades", hardy=False)


@pytest.mark.parametrize("folder", [LARKSPUR, MUSEUM], ids=["larkspur", "museum"])
def test_the_label_of_every_relation_asks_for_its_subjects(folder: Path) -> None:
    """The question "what is located in the Print Room?", for each relation whose label is more than one word."""
    vocabulary, catalogue = knowledge(folder)
    missed = []
    for relation in vocabulary.relations.values():
        ends = (one for one in catalogue.entities.values() if can_be_object(vocabulary, relation.name, one.type))
        end = next(ends, None)
        if end is None or " " not in relation.label:
            continue
        question = f"What is {relation.label} {end.name}?"
        hops = planner(folder).plan(question).plan.to_json()["hops"]
        if [hop.rstrip("*") for hop in hops] != [f"~{relation.name}"]:
            missed.append((question, hops))
    assert missed == []


def can_be_object(vocabulary: Vocabulary, relation: str, type_name: str) -> bool:
    above = vocabulary.ancestors(type_name)
    return any(end is None or end in above for _, end in vocabulary.relations[relation].signatures)


def test_no_word_of_a_subject_area_is_built_in() -> None:
    """Names of the shipped ontology stand in comments and examples only."""
    vocabulary, _ = knowledge(LARKSPUR)
    names = {*vocabulary.classes, *vocabulary.relations, *vocabulary.attributes}
    names |= {relation.inverse.name for relation in vocabulary.relations.values() if relation.inverse is not None}
    names -= {"part_of", "has_part", "person", "field", "result"}  # words of English that the planner knows as such
    for path in sorted(PLANNER.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        texts = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        docs = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if has_docstring(node)}
        docs |= {node.value.value for node in ast.walk(tree) if is_bare_text(node)}
        words = {word for text in texts if text not in docs for word in text.replace("|", " ").split()}
        assert not words & names, path.name


def has_docstring(node: ast.AST) -> bool:
    return isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))


def is_bare_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
