"""`kb ontology`: what is understood of an ontology, what it lacks, and pages of documentation made from it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from cli_help import Kb, write_wiki

from kb.config import packaged
from kb.describe import describe, to_html, to_markdown
from kb.namespaces import PREFIXES
from kb.vocabulary import Vocabulary, load_vocabulary

ROOT = Path(__file__).resolve().parent.parent
MUSEUM = ROOT / "tests" / "domains" / "museum"
HEADER = "".join(f"@prefix {name}: <{space}> .\n" for name, space in PREFIXES.items())
TERSE = """
@prefix : <https://x.example/o#> .
:Book a owl:Class . :Person a owl:Class ; rdfs:label "person" .
:writtenBy a owl:ObjectProperty .
:near a owl:SymmetricProperty ; rdfs:label "near" .
:pages a owl:DatatypeProperty .
"""


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


def museum() -> Vocabulary:
    return load_vocabulary([MUSEUM / "ontology.ttl"], [MUSEUM / "shapes.ttl"])


def shipped() -> Vocabulary:
    names = ("systems.ttl", "schemas.ttl")
    return load_vocabulary([packaged("ontology") / n for n in names], [packaged("shapes") / n for n in names])


# -- advice ----------------------------------------------------------------------------


def turtle_of(advice: str) -> str:
    """The Turtle at the end of a piece of advice."""
    found = re.search(r"(?:add|such as|Add to the shapes): (<.*\.)$", advice)
    assert found is not None, advice
    return found[1]


def test_every_piece_of_advice_ends_with_turtle_and_adding_all_of_it_leaves_none(tmp_path: Path) -> None:
    ontology, shapes = tmp_path / "o.ttl", tmp_path / "s.ttl"
    ontology.write_text(HEADER + TERSE, encoding="utf-8")
    shapes.write_text(HEADER, encoding="utf-8")
    said = load_vocabulary([ontology], [shapes]).advice
    whole = "\n".join(said)
    for missing in (
        "class <https://x.example/o#Book> has no label",
        "relation <https://x.example/o#writtenBy> has no label",
        "relation <https://x.example/o#writtenBy> has no shape",
        "relation <https://x.example/o#writtenBy> has no inverse",
        "relation <https://x.example/o#writtenBy> is known by its label alone",
        "relation <https://x.example/o#writtenBy> may be said of anything",
        "relation <https://x.example/o#writtenBy> may lead to anything",
        "attribute <https://x.example/o#pages> has no label",
        "attribute <https://x.example/o#pages> has no type of value",
        "attribute <https://x.example/o#pages> may be said of anything",
    ):
        assert missing in whole
    assert "near> has no inverse" not in whole, "a symmetric relation is its own way back"
    lines = [turtle_of(one) for one in said]
    to_shapes = [line for line in lines if "sh:PropertyShape" in line]
    with ontology.open("a", encoding="utf-8") as file:
        file.write("\n".join(line for line in lines if line not in to_shapes))
    with shapes.open("a", encoding="utf-8") as file:
        file.write("\n".join(to_shapes))
    assert load_vocabulary([ontology], [shapes]).advice == ()


def test_check_prints_the_advice_and_fails_until_there_is_none(cmd: Kb, tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_text(HEADER + TERSE, encoding="utf-8")
    ran = cmd("ontology", "--ontology", path, "--check")
    assert ran.code == 1
    assert "class <https://x.example/o#Book> has no label; add:" in ran.out
    assert ran.err.startswith("2 classes, 2 relations, 1 attribute: ")
    assert json.loads(cmd("ontology", "--ontology", path, "--check", "--json").out)["advice"]
    ran = cmd("ontology", "--check", "--kb", write_wiki(tmp_path / "wiki"))
    assert (ran.code, ran.out) == (0, "")
    assert "nothing is missing" in ran.err


def test_a_long_list_of_advice_is_cut_where_a_build_prints_it(cmd: Kb, tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_text(HEADER + TERSE + "".join(f":C{n} a owl:Class ." for n in range(30)), encoding="utf-8")
    ran = cmd("init", tmp_path / "new", "--ontology", path)
    assert ran.code == 0
    assert len(re.findall("Advice:", ran.err)) == 11
    assert "more: kb ontology --check" in ran.err


def test_imports_are_not_followed_and_the_check_says_so(cmd: Kb, tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_text(HEADER + "<urn:o> a owl:Ontology ; owl:imports <http://127.0.0.1:9/x> .", encoding="utf-8")
    assert "imports <http://127.0.0.1:9/x>, which is never fetched" in " ".join(
        cmd("ontology", "--ontology", path, "--check").out.split()
    )


# -- tables and pages ------------------------------------------------------------------


def test_the_table_has_types_relations_with_their_way_back_attributes_and_rules(cmd: Kb) -> None:
    ran = cmd("ontology", "--ontology", MUSEUM / "ontology.ttl", "--shapes", MUSEUM / "shapes.ttl")
    assert (ran.code, ran.err) == (0, "")
    for line in (
        "  artwork      artefact",
        "  on_loan_from    artefact → institution",
        "  ~ lends",
        "xsd:boolean",
        "not: in storage",
    ):
        assert line in ran.out
    assert "Violation" in ran.out


def test_json_tells_everything_about_every_term() -> None:
    vocabulary = museum()
    data = json.loads(json.dumps(describe(vocabulary)))
    assert [one["name"] for one in data["relations"]] == sorted(vocabulary.relations)
    artwork = next(one for one in data["classes"] if one["name"] == "artwork")
    assert artwork["parents"] == ["artefact"]
    assert "year" in artwork["attributes"]
    assert "located_in" in artwork["relations"]
    loan = next(one for one in data["relations"] if one["name"] == "on_loan_from")
    assert loan["inverse"]["name"] == "lends"
    assert loan["rules"]
    assert {one["severity"] for one in data["rules"]} <= {"Violation", "Warning", "Info"}


def test_the_page_in_the_docs_is_the_one_that_is_generated() -> None:
    page = (ROOT / "docs" / "ontology.md").read_text(encoding="utf-8")
    assert page == to_markdown(describe(shipped())), "kb ontology --format markdown > docs/ontology.md"


class _Reader(HTMLParser):
    VOID = ("meta", "br", "link", "img")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        self.ids |= {given["id"] or ""} if "id" in given else set()
        self.links |= {given["href"] or ""} if "href" in given else set()
        assert not {"src", "onload", "onclick", "style"} & set(given)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("vocabulary", [museum(), shipped()], ids=["museum", "shipped"])
def test_the_html_page_is_well_formed_needs_nothing_else_and_its_links_lead_somewhere(vocabulary: Vocabulary) -> None:
    page = to_html(describe(vocabulary))
    reader = _Reader()
    reader.feed(page)
    assert reader.open == []
    assert not {"script", "link", "img", "iframe"} & reader.tags
    assert "url(" not in page
    assert {link.removeprefix("#") for link in reader.links} <= reader.ids
    for name in (*vocabulary.classes, *vocabulary.relations, *vocabulary.attributes):
        assert f"<h3>{name}</h3>" in page


def test_what_an_ontology_says_cannot_become_markup(tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    hostile = '<script>alert(1)</script> | [x](javascript:1) `a` "b"'
    text = hostile.replace('"', '\\"')
    path.write_text(
        HEADER
        + f'@prefix : <https://x.example/o#> . :A a owl:Class ; rdfs:label "{text}" ; skos:definition "{text}" .',
        encoding="utf-8",
    )
    data = describe(load_vocabulary([path], []))
    assert "<script" not in to_html(data)
    page = to_markdown(data)
    assert "<script" not in page.replace("\\<script", "")
    assert "\\[x\\](javascript:1)" in page


def test_a_page_goes_to_a_file_and_a_table_does_not(cmd: Kb, tmp_path: Path) -> None:
    wiki = write_wiki(tmp_path / "wiki")
    ran = cmd("ontology", "--kb", wiki, "--format", "html", "-o", tmp_path / "o.html")
    assert (ran.code, ran.out) == (0, "")
    assert (tmp_path / "o.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert cmd("ontology", "--kb", wiki, "-o", tmp_path / "o.txt").code == 2
    assert cmd("ontology", "--shapes", MUSEUM / "shapes.ttl").code == 2
    assert cmd("ontology", "--kb", tmp_path / "nowhere").code == 3


def test_no_slow_library_is_imported() -> None:
    code = "import sys, kb.describe, kb.cli.ontology; assert not {'rdflib', 'pyshacl', 'numpy'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
