"""The reader knows only the ontology it is given: another one's verbs, tenses, nouns and types work the same way."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.extract.phrases import PhraseReader
from kb.extract.phrases.lexicon import Lexicon
from kb.model import Entity, Page
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary, load_vocabulary

ONTOLOGY = """
@prefix : <https://stage.example/o#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<https://stage.example/o> a owl:Ontology .
:Play a owl:Class ; rdfs:label "play" ; skos:altLabel "show" .
:House a owl:Class ; rdfs:label "house" ; skos:altLabel "stage" .
:Person a owl:Class ; rdfs:label "person" .
:runsAt a owl:ObjectProperty ; rdfs:label "runs at" ; skos:altLabel "is staged at" , "plays at" , "is on view in" ;
  schema:domainIncludes :Play ; schema:rangeIncludes :House .
:hosts a owl:ObjectProperty ; rdfs:label "hosts" ; skos:altLabel "current show" ; owl:inverseOf :runsAt .
:writtenBy a owl:ObjectProperty ; rdfs:label "written by" ; skos:altLabel "was written by" , "author" ;
  schema:domainIncludes :Play ; schema:rangeIncludes :Person .
:wrote a owl:ObjectProperty ; rdfs:label "wrote" ; skos:altLabel "is the author of" ; owl:inverseOf :writtenBy .
:studiedUnder a owl:ObjectProperty ; rdfs:label "studied under" ; skos:altLabel "was a pupil of" ;
  schema:domainIncludes :Person ; schema:rangeIncludes :Person .
:taught a owl:ObjectProperty ; rdfs:label "taught" ; owl:inverseOf :studiedUnder .
"""
ENTITIES = {
    entity.id: entity
    for entity in (
        Entity("moth", "play", "Moth"),
        Entity("ferry", "play", "Night Ferry"),
        Entity("crown", "house", "Crown Theatre", ("the Crown",)),
        Entity("attic", "house", "The Attic"),
        Entity("p-1", "person", "Mira Castellan"),
        Entity("p-2", "person", "Odd Halvard"),
    )
}


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    path: Path = tmp_path_factory.mktemp("stage") / "ontology.ttl"
    path.write_text(ONTOLOGY, encoding="utf-8")
    return load_vocabulary([path], [])


@pytest.fixture(scope="module")
def reader(vocabulary: Vocabulary) -> PhraseReader:
    return PhraseReader(vocabulary, Catalogue(ENTITIES))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Moth runs at the Crown.", {("Moth", "runs_at", "the Crown")}),
        ("Moth is staged at the Crown until May.", {("Moth", "runs_at", "the Crown")}),
        ("The Crown hosts Moth and Night Ferry.", {
            ("Moth", "runs_at", "The Crown"), ("Night Ferry", "runs_at", "The Crown"),
        }),
        ("Moth is on view in The Attic.", {("Moth", "runs_at", "The Attic")}),
        ("Moth was staged at the Crown.", set()),  # the ontology states this in the present
        ("Moth ran at the Crown.", set()),
        ("Mira Castellan wrote Moth.", {("Moth", "written_by", "Mira Castellan")}),  # and this in the past
        ("Moth was written by Mira Castellan.", {("Moth", "written_by", "Mira Castellan")}),
        ("Moth, written by Mira Castellan, is short.", {("Moth", "written_by", "Mira Castellan")}),
        ("Mira did not write Moth.", set()),
        ("Mira studied under Odd.", {("Mira Castellan", "studied_under", "Odd Halvard")}),
        ("Odd Halvard taught Mira Castellan.", {("Mira Castellan", "studied_under", "Odd Halvard")}),
        ("Mira was a pupil of Odd.", {("Mira Castellan", "studied_under", "Odd Halvard")}),
        ("Mira wanted to study under Odd.", set()),
        ("Author: Mira Castellan", set()),  # of what?
        ("# Moth\n\nAuthor: Mira Castellan", {("Moth", "written_by", "Mira Castellan")}),
        ("# Crown Theatre\n\nCurrent show: Moth", {("Moth", "runs_at", "Crown Theatre")}),
        ("# Moth\n\n| House | The Attic |\n|---|---|\n", {("Moth", "runs_at", "The Attic")}),
        ("| Play | House |\n|---|---|\n| Moth | The Attic |\n", {("Moth", "runs_at", "The Attic")}),
        ("| | Where | Who |\n|---|---|---|\n| Moth | The Attic | Mira |\n", {
            ("Moth", "runs_at", "The Attic"), ("Moth", "written_by", "Mira Castellan"),
        }),
        ("Moth depends on Night Ferry. Moth is owned by Mira.", set()),
    ],
)  # fmt: skip
def test_a_page_of_another_domain_says(reader: PhraseReader, text: str, expected: set[tuple[str, str, str]]) -> None:
    found = reader.read(Page("x", text, ""))
    assert {(s.subject, s.relation, s.object) for s in found} == expected


def test_phrases_become_verbs_nouns_and_rows_by_their_form(vocabulary: Vocabulary) -> None:
    lexicon = Lexicon(vocabulary)
    assert {"run", "play", "stage", "write", "teach", "study", "host"} <= set(lexicon.verbs)
    assert {"author", "authors", "pupil"} <= set(lexicon.nouns)
    assert {"on"} <= set(lexicon.fixed)


def test_only_the_verbs_that_the_ontology_puts_in_the_past_are_read_in_the_past(vocabulary: Vocabulary) -> None:
    lexicon = Lexicon(vocabulary)
    assert all(verb.past for verb in lexicon.verbs["write"] if not verb.state)
    assert not any(verb.past for verb in lexicon.verbs["host"])
