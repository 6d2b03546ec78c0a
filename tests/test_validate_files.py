"""`kb validate FILE`: any RDF against any shapes, bad input in words, nothing ever fetched."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from cli_help import Kb, write_wiki

SHAPES = """
@prefix : <https://x.example/> . @prefix sh: <http://www.w3.org/ns/shacl#> .
:BookShape a sh:NodeShape ; sh:targetClass :Book ; sh:property [ sh:path :by ; sh:class :Person ; sh:minCount 1 ] ,
  [ sh:path ( [ sh:inversePath :holds ] :town ) ; sh:minCount 1 ; sh:severity sh:Warning ] .
"""
DATA = """
@prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:emma a :Book ; rdfs:label "Emma"@en, "Emma, ein Roman"@de ; :by "Jane Austen" .
:ulysses a :Novel .
"""
ONTOLOGY = """
@prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:onto a owl:Ontology ; owl:imports <https://elsewhere.example/a>, <https://elsewhere.example/b>, :onto .
:Novel rdfs:subClassOf :Book .
"""


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kb:
    monkeypatch.chdir(tmp_path)
    for name, text in (("data.ttl", DATA), ("shapes.ttl", SHAPES), ("onto.ttl", ONTOLOGY)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Kb(capsys)


def test_people_are_shown_label_path_value_rule_and_line(cmd: Kb) -> None:
    ran = cmd("validate", "data.ttl", "--shapes", "shapes.ttl")
    assert ran.code == 1
    assert ran.err == ""
    assert ran.out.startswith("data.ttl does not conform to its shapes.\n1 violation, 1 warning, 0 hints\n")
    assert "\nViolation: Emma (https://x.example/emma) · https://x.example/by Jane Austen\n" in ran.out.replace(
        "\n  J", " J"
    )
    assert "\n  data.ttl:3\n  shape: https://x.example/BookShape\n" in ran.out
    assert "^<https://x.example/holds>/<https://x.example/town>" in ran.out


def test_severity_hides_what_is_milder(cmd: Kb) -> None:
    ran = cmd("validate", "data.ttl", "--shapes", "shapes.ttl", "--severity", "violation")
    assert "\nWarning:" not in ran.out
    assert ran.out.endswith("… and 1 milder: --severity warning prints them\n")


def test_an_ontology_widens_targets_and_its_imports_are_named_once_and_not_followed(cmd: Kb) -> None:
    ran = cmd("validate", "data.ttl", "--shapes", "shapes.ttl", "--ontology", "onto.ttl")
    assert "2 violations, 2 warnings" in ran.out  # a novel is a book, and has no author
    assert ran.err.count("owl:imports are not followed") == 1
    assert "<https://elsewhere.example/a>, <https://elsewhere.example/b>; name a copy" in " ".join(ran.err.split())


def test_a_folder_is_one_graph_and_packed_files_in_it_are_left_out_aloud(cmd: Kb, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.ttl").write_text("@prefix : <https://x.example/> . :emma a :Book ; :by :jane .")
    kind = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
    (folder / "b.nt").write_text(f"<https://x.example/jane> {kind} <https://x.example/Person> .")
    (folder / "c.ttl.gz").write_bytes(gzip.compress(b"0" * 1_000_000))
    ran = cmd("validate", folder, "--shapes", "shapes.ttl")
    assert ran.code == 0
    assert "0 violations, 1 warning" in ran.out
    assert "left out, because it is packed" in ran.err


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("bad.ttl", "@prefix : <https://x.example/> .\n:a :b\n", "bad.ttl:3: does not parse"),
        ("bad.ttl", "<https://x.example/a b> a <https://x.example/C> .", "bad.ttl:1: does not parse"),
        ("bad.rdf", "<rdf:RDF", "bad.rdf:1: does not parse"),
        ("bad.rdf", '<!DOCTYPE r [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>\n<r>&b;</r>', "rdf:1: entity 'b' is made of"),
        ("bad.jsonld", '{"@context": "https://x.example/c", "@id": "x:a"}', "never fetched; write the context"),
        ("bad.csv", "a,b", "unknown RDF syntax; known suffixes: .ttl"),
        ("bad.ttl.gz", "x", "packed files are not read"),
        ("bad.nt", '<< <x:a> <x:b> <x:c> >> <x:p> "x" .', "bad.nt:1: does not parse"),
    ],
)  # fmt: skip
def test_bad_input_is_an_error_in_words(cmd: Kb, tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    ran = cmd("validate", name, "--shapes", "shapes.ttl")
    assert ran.code == 3
    assert ran.out == ""
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_all_bad_files_are_named_before_it_fails(cmd: Kb, tmp_path: Path) -> None:
    for name in ("one.ttl", "two.ttl"):
        (tmp_path / name).write_text("nonsense")
    ran = cmd("validate", "data.ttl", "one.ttl", "two.ttl", "--shapes", "shapes.ttl")
    assert ran.code == 3
    assert "one.ttl:1" in ran.err
    assert "two.ttl:1" in ran.err


def test_a_file_without_shapes_is_no_set_of_rules(cmd: Kb) -> None:
    ran = cmd("validate", "data.ttl", "--shapes", "onto.ttl")
    assert ran.code == 3
    assert "onto.ttl: there are no SHACL shapes in this" in ran.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["data.ttl"], "Name the shapes with --shapes"),
        (["--shapes", "shapes.ttl"], "run kb export -o facts.ttl, and then kb validate facts.ttl"),
        (["data.ttl", "--shapes", "shapes.ttl", "--only-new"], "are about the published graph, not about files"),
        (["data.ttl", "--shapes", "shapes.ttl", "--rejections"], "are about the published graph, not about files"),
    ],
)
def test_options_that_make_no_sense_together_are_wrong_usage(cmd: Kb, args: list[str], message: str) -> None:
    ran = cmd("validate", *args)
    assert ran.code == 2
    assert message in " ".join(ran.err.split())


def test_without_shapes_a_file_is_checked_against_those_of_the_knowledge_base(cmd: Kb, tmp_path: Path) -> None:
    write_wiki(tmp_path)
    (tmp_path / "mine.ttl").write_text(
        "@prefix kb: <https://w3id.org/wiki-kb/ontology#> . <x:t> a kb:Team ; kb:dependsOn <x:s> . <x:s> a kb:Service ."
    )
    ran = cmd("validate", "mine.ttl", "--json")
    assert ran.code == 1
    shapes = {row["shape"] for row in json.loads(ran.out)["results"]}
    assert "https://w3id.org/wiki-kb/shapes#OnlySystemsDepend" in shapes


def test_two_runs_write_the_same_bytes_with_blank_nodes_and_all(cmd: Kb, tmp_path: Path) -> None:
    (tmp_path / "blank.ttl").write_text(
        "@prefix : <https://x.example/> . [] a :Book ; :by [ :name 1 ] . [] a :Book ; :by [ :name 2 ] ."
    )
    for syntax in ("json", "turtle", "jsonld", "junit", "sarif"):
        args = ("validate", "blank.ttl", "--shapes", "shapes.ttl", "--format", syntax)
        first = cmd(*args)
        assert first.code == 1
        assert cmd(*args).out == first.out


def test_wrong_shapes_are_refused_with_file_and_line(cmd: Kb, tmp_path: Path) -> None:
    for part in ('sh:maxCount "one"', "sh:minCount 1", 'sh:path :by ; sh:sparql [ sh:select "SELECT {" ]'):
        (tmp_path / "s.ttl").write_text(SHAPES + f":Other sh:targetClass :Book ; sh:property [ {part} ] .\n")
        ran = cmd("validate", "data.ttl", "--shapes", "s.ttl")
        assert ran.code == 3
        assert "s.ttl:5: " in ran.err


def test_shapes_that_check_nothing_are_told(cmd: Kb, tmp_path: Path) -> None:
    (tmp_path / "s.ttl").write_text(SHAPES.replace(":Book ;", ":Bok ;").replace("sh:minCount", "sh:minCont"))
    ran = cmd("validate", "data.ttl", "--shapes", "s.ttl")
    assert ran.code == 0
    told = " ".join(ran.err.split())
    assert "nothing was checked: the data hold none of the nodes" in told
    assert "s.ttl:3: SHACL has no term sh:minCont, so it has no effect; did you mean sh:minCount?" in told
