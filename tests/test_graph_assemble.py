"""Catalogue, facts, provenance, rejections and report as quads, and the vocabulary as files."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pyoxigraph as ox
import pyshacl
import pytest
import rdflib
from gate_world import CATALOGUE, IRIS, NS, candidate, vocabulary

from kb.config import packaged
from kb.graph import assemble
from kb.graph.assemble import ReadingInfo
from kb.graph.candidates import Candidate, Rejected
from kb.graph.gate import Gate, GateReport
from kb.graph.terms import attribute_literal, entity_triples, text_literal
from kb.graph.vocabulary_files import vocabulary_files
from kb.model import Entity, Evidence, Page, Statement
from kb.namespaces import KB, PREFIXES, RDF, SH, XSD
from kb.sources.catalogue import Catalogue
from kb.sources.pages import page_title
from kb.vocabulary import load_vocabulary

WORDS = vocabulary(("in beds", "one bed, warned"))
READING = ReadingInfo("phrases/1", ontology_digest=WORDS.digest)
MUSEUM = Path(__file__).parent / "domains" / "museum"
PROLOGUE = "".join(f"PREFIX {prefix}: <{iri}>\n" for prefix, iri in PREFIXES.items())


def said(subject: str, object_: str, page: str, *, quote: str | None = None, start: int = 0) -> Candidate:
    evidence = None if quote is None else Evidence(quote, start, start + len(quote))
    return Candidate(Statement(subject.title(), "grows_in", object_, page, evidence), subject, "grows_in", object_)


FOUND = [
    said("oak", "east bed", "a", quote="The oak stands in the east bed."),
    said("oak", "west bed", "b/c d", quote="oak: west bed", start=7),
    said("pea", "ines", "b/c d", quote='"Pea" grows\nin Ines.', start=30),
    Candidate(Statement("ash", "grows_in", "east bed", "beds.yaml", from_page=False), "ash", "grows_in", "east bed"),
]
UNKNOWN = Rejected(Statement("Elm", "grows_in", "east bed", "a"), "unknown_entity", "'Elm' is not in the catalogue")


def judged() -> GateReport:
    return Gate(WORDS, CATALOGUE, IRIS).check(FOUND)


def everything(rnd: random.Random | None = None) -> list[ox.Quad]:
    """All quads of a small build; a generator shuffles whatever has no order of its own."""
    report = judged()

    def mixed(items: list) -> list:
        return rnd.sample(items, len(items)) if rnd else items

    entities = dict(mixed(list(CATALOGUE.entities.items())))
    edges = [(one.subject, one.relation, one.object) for one in report.accepted]
    return [
        *assemble.catalogue_quads(Catalogue(entities), WORDS, IRIS, mixed(edges[2:])),
        *assemble.page_fact_quads("a", mixed(edges[:1]), WORDS, IRIS),
        *assemble.page_quads("a", "Trees", "d" * 64, IRIS),
        *assemble.source_quads("beds.yaml", "e" * 64, IRIS),
        *assemble.statement_quads(mixed(report.accepted), READING, WORDS, IRIS),
        *assemble.rejection_quads(mixed([*report.rejected, UNKNOWN]), READING, IRIS),
        *assemble.report_quads(mixed(report.results), IRIS),
    ]


def n_quads(quads: list[ox.Quad]) -> str:
    return "\n".join(sorted(map(str, quads)))


def test_the_same_input_in_any_order_gives_the_same_quads_without_blank_nodes() -> None:
    expected = everything()
    assert len(set(expected)) == len(expected)
    for seed in range(5):
        assert n_quads(everything(random.Random(seed))) == n_quads(expected)
    assert not any(isinstance(term, ox.BlankNode) for quad in expected for term in (quad.subject, quad.object))


def test_every_list_comes_sorted() -> None:
    quads = assemble.statement_quads(judged().accepted, READING, WORDS, IRIS)
    assert quads == sorted(quads, key=str)


@pytest.mark.parametrize("seed", ["0", "4711"])
def test_the_hash_seed_of_the_process_makes_no_difference(seed: str) -> None:
    here = Path(__file__).parent
    code = "import test_graph_assemble as t; print(t.n_quads(t.everything()))"
    paths = os.pathsep.join([str(here), str(here.parent)])
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.rstrip("\n") == n_quads(everything())


def test_an_entity_has_type_names_id_description_and_typed_attributes() -> None:
    words = load_vocabulary([MUSEUM / "ontology.ttl"], [MUSEUM / "shapes.ttl"])
    fleet = Entity(
        "fleet/1", "artwork", "The Ice Fleet", ("Fleet", "Ice"), "Oil on canvas.", {"on_display": False, "year": 1890}
    )
    own = "https://harbourmuseum.example/terms#"
    lines = {str(triple) for triple in entity_triples(fleet, words, IRIS)}
    node = "<https://kb.example/entity/fleet/1>"
    assert lines == {
        f"{node} <{RDF}type> <{own}Artwork>",
        f'{node} <{PREFIXES["rdfs"]}label> "The Ice Fleet"',
        f'{node} <{PREFIXES["skos"]}altLabel> "Fleet"',
        f'{node} <{PREFIXES["skos"]}altLabel> "Ice"',
        f'{node} <{PREFIXES["dcterms"]}identifier> "fleet/1"',
        f'{node} <{PREFIXES["dcterms"]}description> "Oil on canvas."',
        f'{node} <{own}onDisplay> "false"^^<{XSD}boolean>',
        f'{node} <{own}year> "1890"^^<{XSD}integer>',
    }


@pytest.mark.parametrize(
    ("value", "datatype", "text", "expected"),
    [
        (True, "boolean", "true", "boolean"),
        (7, "integer", "7", "integer"),
        (7, "decimal", "7", "decimal"),
        (7, "string", "7", "integer"),
        (True, "string", "true", "boolean"),
        (0.5, "decimal", "0.5", "decimal"),
        (1e-7, "decimal", "0.0000001", "decimal"),
        (1.5, "double", "1.5", "double"),
        (1.5, "integer", "1.5", "double"),
        (float("inf"), "double", "INF", "double"),
        (float("nan"), "decimal", "NaN", "decimal"),
        ("2024-05-01", "date", "2024-05-01", "date"),
        ("perhaps", "boolean", "perhaps", "boolean"),
        ("01", "string", "01", "string"),
    ],
)
def test_attribute_values_are_typed(value: bool | float | str, datatype: str, text: str, expected: str) -> None:
    literal = attribute_literal(value, XSD + datatype)
    assert (literal.value, literal.datatype.value) == (text, XSD + expected)


def test_text_that_no_syntax_can_hold_does_not_break_the_graph() -> None:
    assert text_literal("a\ud800b") == ox.Literal("a?b")


def test_records_fulfil_the_shapes_of_the_core_module() -> None:
    data = rdflib.Graph()
    for quad in everything():
        data.parse(data=f"{quad.triple} .", format="nt")
    shapes = rdflib.Graph().parse(packaged("shapes") / "core.ttl")
    conforms, _, text = pyshacl.validate(data, shacl_graph=shapes)
    assert conforms, text


def test_every_term_of_the_records_is_declared_in_the_core_module() -> None:
    core = rdflib.Graph().parse(packaged("ontology") / "core.ttl")
    declared = {str(subject) for subject in core.subjects() if str(subject).startswith(KB)}
    iris = {term.value for q in everything() for term in (q.predicate, q.object) if isinstance(term, ox.NamedNode)}
    assert {iri for iri in iris if iri.startswith(KB)} <= declared


def test_rejections_are_queryable_with_page_reason_and_result() -> None:
    store = ox.Store()
    store.extend(everything())
    rows = store.query(
        PROLOGUE
        + """SELECT ?page ?subject ?code ?reason ?shape ?focus ?value ?quote WHERE {
            GRAPH ?g {
                ?r a kb:Rejection ; kb:onPage ?page ; kb:subjectName ?subject .
                ?r kb:reasonCode ?code ; kb:reason ?reason .
                OPTIONAL { ?r kb:quote ?quote }
                OPTIONAL { ?r kb:result [ sh:sourceShape ?shape ; sh:focusNode ?focus ; sh:value ?value ] }
            }
        } ORDER BY ?page"""
    )
    found = [[None if term is None else term.value for term in row] for row in rows]
    assert found == [
        ["https://kb.example/page/a", "Elm", "unknown_entity", "'Elm' is not in the catalogue", None, None, None, None],
        [
            "https://kb.example/page/b/c%20d",
            "Pea",
            "shape",
            "Plants grow in beds. Stated: 'Pea' (plant) grows in 'Ines' (gardener).",
            "https://garden.example/rules#InBeds",
            "https://kb.example/entity/pea",
            "https://kb.example/entity/ines",
            '"Pea" grows\nin Ines.',
        ],
    ]


def test_provenance_leads_from_a_fact_to_page_quote_and_reading() -> None:
    store = ox.Store()
    store.extend(everything())
    rows = store.query(
        PROLOGUE
        + f"""SELECT ?title ?quote ?start ?end ?reader ?digest WHERE {{
            GRAPH <{IRIS.provenance_graph}> {{
                ?s a kb:Statement ; rdf:subject <{IRIS.entity("oak")}> ; rdf:predicate <{NS}growsIn> ;
                   rdf:object <{IRIS.entity("east bed")}> ; kb:onPage ?page ; kb:quote ?quote ; kb:start ?start ;
                   kb:end ?end ; prov:wasGeneratedBy ?reading .
                ?page a kb:Page ; rdfs:label ?title .
                ?reading a kb:Reading ; kb:reader ?reader ; kb:ontologyDigest ?digest .
            }}
        }}"""
    )
    assert [[term.value for term in row] for row in rows] == [
        ["Trees", "The oak stands in the east bed.", "0", "31", "phrases/1", WORDS.digest]
    ]


def test_the_same_words_at_another_place_are_another_statement() -> None:
    first, second = said("oak", "east bed", "a", quote="x"), said("oak", "east bed", "a", quote="x", start=9)
    assert assemble.statement_iri(first.statement, IRIS) != assemble.statement_iri(second.statement, IRIS)
    # A page and a file of the same name are two sources.
    page = Statement("oak", "grows_in", "east bed", "a")
    assert assemble.statement_iri(page, IRIS) != assemble.statement_iri(
        Statement("oak", "grows_in", "east bed", "a", from_page=False), IRIS
    )


def test_a_contradiction_is_one_result_of_the_report_that_names_every_page() -> None:
    store = ox.Store()
    store.extend(assemble.report_quads(judged().results, IRIS))
    rows = store.query(
        PROLOGUE
        + f"""SELECT ?page ?message WHERE {{ GRAPH <{IRIS.report_graph}> {{
            ?report a sh:ValidationReport ; sh:conforms false ; sh:result ?r .
            ?r sh:resultSeverity sh:Warning ; sh:focusNode <{IRIS.entity("oak")}> .
            ?r kb:onPage ?page ; sh:resultMessage ?message
        }} }} ORDER BY ?page"""
    )
    found = [(page.value, message.value) for page, message in rows]
    assert [page for page, _ in found] == ["https://kb.example/page/a", "https://kb.example/page/b/c%20d"]
    assert {message for _, message in found} == {
        "More than one bed. Stated: 'Oak' (tree) grows in 'East Bed' (bed) on page a, 'West Bed' (bed) on page b/c d."
    }


def test_results_that_led_to_rejections_are_not_in_the_report() -> None:
    results = judged().results
    assert any(one.rejects for one in results)
    quads = assemble.report_quads([one for one in results if one.rejects], IRIS)
    assert {str(quad.triple) for quad in quads} == {
        f"<{IRIS.report_graph}> <{RDF}type> <{SH}ValidationReport>",
        f'<{IRIS.report_graph}> <{SH}conforms> "true"^^<{XSD}boolean>',
    }


def test_rows_for_people_hold_page_statement_and_reason() -> None:
    report = judged()
    assert assemble.rejections_rows([*report.rejected, UNKNOWN]) == [
        ("a", "Elm grows_in east bed", "'Elm' is not in the catalogue"),
        ("b/c d", "Pea grows_in ines", "Plants grow in beds. Stated: 'Pea' (plant) grows in 'Ines' (gardener)."),
    ]
    (row,) = [row for row in assemble.results_table(report.results) if row[0] == "Warning"]
    assert row[1] == "a, b/c d"
    assert row[2].startswith("More than one bed.")


def test_a_literal_value_keeps_its_datatype_in_the_result() -> None:
    words = vocabulary(("edible",))
    report = Gate(words, CATALOGUE, IRIS).check([candidate("oak", "near", "pea")])
    values = {str(q.object) for q in assemble.report_quads(report.results, IRIS) if q.predicate.value == SH + "value"}
    assert values == {f'"false"^^<{XSD}boolean>'}


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Checkout\n\ntext", "Checkout"),
        ("intro\n\n#  The `ledger` *service* ##\n", "The ledger service"),
        ("# [Ledger](ledger.md) and ![x](y.png)b\n", "Ledger and xb"),
        ("Checkout\n========\n", "Checkout"),
        ("---\ntitle: 'Our Beds'\nowner: x\n---\n# Other\n", "Our Beds"),
        ("---\nowner: x\n---\n# snake_case_name\n", "snake_case_name"),
        ("```sh\n# a comment\n```\n# Real\n", "Real"),
        ("## Only a second level\n", "folder/page"),
        ("", "folder/page"),
        ("# \n", "folder/page"),
    ],
)
def test_a_page_is_titled_by_front_matter_first_heading_or_id(text: str, title: str) -> None:
    assert page_title(Page("folder/page", text, "")) == title


# -- the vocabulary as files --------------------------------------------------------


def reloaded(files: dict[str, bytes], folder: Path):
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return load_vocabulary([folder / "ontology.nt"], [folder / "shapes.nt"])


@pytest.mark.parametrize("domain", ["packaged", "museum", "without shapes"])
def test_a_vocabulary_written_and_read_again_is_the_same(domain: str, tmp_path: Path) -> None:
    sources = {
        "packaged": (packaged("ontology") / "systems.ttl", [packaged("shapes") / "systems.ttl"]),
        "museum": (MUSEUM / "ontology.ttl", [MUSEUM / "shapes.ttl"]),
        "without shapes": (MUSEUM / "ontology.ttl", []),
    }
    ontology, shapes = sources[domain]
    before = load_vocabulary([ontology], shapes)
    files = vocabulary_files(before)
    after = reloaded(files, tmp_path)
    assert (after.classes, after.relations, after.attributes) == (before.classes, before.relations, before.attributes)
    assert (after.advice, after.digest) == (before.advice, before.digest)
    assert vocabulary_files(after) == files


def test_blank_nodes_are_labelled_the_same_at_every_parse(tmp_path: Path) -> None:
    shapes = ("anonymous", "either", "closed", "second hand")
    vocabulary.cache_clear()
    first = vocabulary_files(vocabulary(shapes))
    vocabulary.cache_clear()
    assert vocabulary_files(vocabulary(shapes)) == first
    assert b"_:c14n0" in first["shapes.nt"]
    assert vocabulary_files(reloaded(first, tmp_path)) == first
