"""`kb validate` on a published graph: places, what is new, rejections, and the formats for programs."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pyoxigraph as ox
import pytest
from cli_help import Kb, kb_process, write_wiki

import kb
from kb.namespaces import KB, RDF, SH
from kb.validate import FORMATS, Place, Report, Row, new_rows, validate, validate_published, write_report


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small wiki, built. Not to be changed."""
    folder = write_wiki(tmp_path_factory.mktemp("wiki"))
    assert kb_process("build", "--kb", folder).code == 0
    return folder


@pytest.fixture
def own(wiki: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the built wiki for tests that change it, and the folder that commands run in."""
    folder = shutil.copytree(wiki, tmp_path / "wiki")
    monkeypatch.chdir(folder)
    return folder


def add(page: Path, *sentences: str) -> None:
    page.write_text(page.read_text(encoding="utf-8") + "".join(f"\n{one}\n" for one in sentences), encoding="utf-8")


def test_a_contradiction_names_line_and_sentence_of_both_pages(cmd: Kb, wiki: Path) -> None:
    out = cmd("validate", "--kb", wiki).out
    assert "\n  pages/cart.md:5: “It is owned by Web Crew.”\n  pages/teams.md:5: “Cart is owned by Ops Crew.”\n" in out
    assert "\n  shape: https://w3id.org/wiki-kb/shapes#OneOwner\n" in out


def test_what_no_page_says_is_placed_where_the_catalogue_declares_the_thing(wiki: Path) -> None:
    with kb.open(wiki) as base:
        (row,) = (one for one in validate_published(base).rows if one.focus == "cart-db")
    assert row.places == (Place("catalogue.yaml", 4),)


def test_lines_are_those_of_the_file_as_it_is_now(cmd: Kb, own: Path) -> None:
    page = own / "pages" / "cart.md"
    page.write_bytes(b"\xef\xbb\xbfSomething new above.\r\n\r\n" + page.read_bytes().replace(b"\n", b"\r\n"))
    assert "pages/cart.md:7: “It is owned by Web Crew.”" in cmd("validate").out
    page.unlink()
    assert "pages/cart.md: “It is owned by Web Crew.”" in cmd("validate").out


def test_only_what_the_last_build_added_is_new_and_the_new_sentence_comes_first(cmd: Kb, own: Path) -> None:
    first = cmd("validate", "--only-new")
    assert "this is the first generation, so everything in it is new" in " ".join(first.err.split())
    assert "Warning: Cart" in first.out
    add(own / "pages" / "teams.md", "Shop is owned by Ops Crew.")
    assert cmd("build").code == 0
    ran = cmd("validate", "--only-new")
    assert ran.out.startswith(
        "The graph, as far as it is new, conforms to its shapes.\n0 violations, 1 warning, 0 hints"
    )
    assert "Warning: Shop (shop) · owned_by" in ran.out
    assert "Cart (cart)" not in ran.out
    (result,) = json.loads(cmd("validate", "--only-new", "--format", "sarif").out)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("pages/teams.md", 7)
    assert [one["physicalLocation"]["artifactLocation"]["uri"] for one in result["relatedLocations"]] == [
        "pages/shop.md"
    ]


def test_a_pull_request_can_be_gated_on_what_is_new_since_any_generation(cmd: Kb, own: Path) -> None:
    with kb.open(own) as base:
        first = base.generation.name
    add(own / "pages" / "teams.md", "Shop is owned by Ops Crew.")
    assert cmd("build").code == 0
    assert cmd("validate", "--only-new").code == 0
    assert cmd("validate", "--only-new", "--fail-on", "warning").code == 1
    add(own / "pages" / "teams.md", "Teams meet on Mondays.")
    assert cmd("build").code == 0
    # The contradiction is in both of the last two by now.
    assert cmd("validate", "--only-new", "--fail-on", "warning").code == 0
    ran = cmd("validate", "--since", first, "--fail-on", "warning")
    assert (ran.code, "Warning: Shop (shop)" in ran.out) == (1, True)


def test_a_page_that_contradicts_the_catalogue_comes_before_it_and_before_older_pages(cmd: Kb, own: Path) -> None:
    catalogue = own / "catalogue.yaml"
    text = catalogue.read_text(encoding="utf-8")
    catalogue.write_text(re.sub(r"(\bid: shop\b)", r"\1, owned_by: web", text), encoding="utf-8")
    assert cmd("build").code == 0
    add(own / "pages" / "teams.md", "Shop is owned by Ops Crew.")
    assert cmd("build").code == 0
    (row,) = json.loads(cmd("validate", "--only-new", "--json").out)["results"]
    assert [place["file"] for place in row["places"]] == ["pages/teams.md", "catalogue.yaml", "pages/shop.md"]


def test_what_was_there_before_with_more_behind_it_is_not_new(cmd: Kb, own: Path) -> None:
    add(own / "pages" / "shop.md", "Cart is owned by Ops Crew.")
    assert cmd("build").code == 0
    assert "0 violations, 0 warnings, 0 hints" in cmd("validate", "--only-new").out


def test_a_generation_that_was_pruned_cannot_be_compared_with(cmd: Kb, own: Path) -> None:
    add(own / "pages" / "shop.md", "Shop calls Cart DB.")
    assert cmd("build").code == 0
    with kb.open(own) as base:
        parent = base.generation.meta["parent"]
    shutil.rmtree(own / "kg" / "generations" / parent)
    ran = cmd("validate", "--only-new")
    assert ran.code == 3
    assert f"{parent}: no such generation" in ran.err


def test_rejected_statements_are_results_with_shape_and_sentence_and_exit_code_1(cmd: Kb, own: Path) -> None:
    ran = cmd("validate", "--rejections")
    assert ran.code == 1
    assert ran.out.startswith("What was read does not conform to its shapes.\n1 violation, 0 warnings, 0 hints\n")
    assert "Violation: Ops Crew (ops)\n" in ran.out
    assert "pages/cart.md:7: “Ops Crew depends on Cart DB.”" in ran.out
    assert "rejected: Ops Crew depends_on Cart DB (shape)" in ran.out
    (row,) = json.loads(cmd("validate", "--rejections", "--json").out)["results"]
    assert row["code"] == "shape"
    assert row["shape"] == "https://w3id.org/wiki-kb/shapes#OnlySystemsDepend"
    assert row["places"] == [{"file": "pages/cart.md", "line": 7, "quote": "Ops Crew depends on Cart DB."}]


def test_a_statement_that_came_to_no_shape_is_a_warning_about_its_own_record(cmd: Kb, own: Path) -> None:
    said = {
        "subject": "Shop",
        "relation": "depends_on",
        "object": "Nothing Known",
        "page": "shop",
        "quote": "Shop calls Cart.",
    }
    (own / "statements.jsonl").write_text(json.dumps(said) + "\n", encoding="utf-8")
    assert cmd("build", "--statements", "statements.jsonl").code == 0
    rows = json.loads(cmd("validate", "--rejections", "--json").out)["results"]
    (row,) = (one for one in rows if one["code"] != "shape")
    assert (row["severity"], row["shape"], row["focus"]) == ("Warning", None, "Shop depends_on Nothing Known")
    graph = triples(cmd("validate", "--rejections", "--format", "turtle").out)
    store = ox.Store()
    store.extend(ox.Quad(*triple) for triple in graph)
    (result,) = store.query(
        f"SELECT ?focus {{ ?r <{SH}focusNode> ?focus ; <{KB}reasonCode> '{row['code']}' "
        f"FILTER NOT EXISTS {{ ?r <{SH}sourceShape> ?s }} }}"
    )  # type: ignore[misc]
    with kb.open(own) as base:
        assert list(base.store.quads_for_pattern(result[0], None, None, ox.NamedNode(base.iris.rejections_graph)))


def triples(text: str) -> list[ox.Triple]:
    return [quad.triple for quad in ox.parse(text, format=ox.RdfFormat.TURTLE)]


def test_turtle_and_json_ld_are_the_same_report_graph_with_pages_and_quotes(cmd: Kb, wiki: Path) -> None:
    found = triples(cmd("validate", "--severity", "info", "--format", "turtle", "--kb", wiki).out)
    text = cmd("validate", "--severity", "info", "--format", "jsonld", "--kb", wiki).out
    other = [quad.triple for quad in ox.parse(text, format=ox.RdfFormat.JSON_LD)]

    def lines(rows: list[ox.Triple]) -> set[str]:
        return {
            str(row) if isinstance(row.subject, ox.NamedNode) else f"_ {row.predicate} {row.object}" for row in rows
        }

    assert lines(found) == lines(other)
    kinds = [t.object.value for t in found if t.predicate.value == RDF + "type"]  # type: ignore[union-attr]
    assert sorted(kinds) == [SH + "ValidationReport", *[SH + "ValidationResult"] * 3]
    assert {t.object.value for t in found if t.predicate.value == KB + "quote"} == {  # type: ignore[union-attr]
        "It is owned by Web Crew.",
        "Cart is owned by Ops Crew.",
    }
    assert {str(t.object) for t in found if t.predicate.value == SH + "conforms"} == {str(ox.Literal(False))}
    none = triples(cmd("validate", "--severity", "violation", "--format", "turtle", "--kb", wiki).out)
    assert {str(t.object) for t in none if t.predicate.value == SH + "conforms"} == {str(ox.Literal(True))}


def test_the_report_has_a_row_for_every_result_of_the_gate(wiki: Path) -> None:
    with kb.open(wiki) as base:
        results, report = validate(base), validate_published(base)
    assert sorted((one.focus, one.shape, one.text) for one in results) == sorted(
        (one.focus, one.shape, one.text) for one in report.rows
    )


def test_sarif_has_what_code_scanners_ask_for(cmd: Kb, own: Path) -> None:
    data = json.loads(cmd("validate", "--rejections", "--format", "sarif").out)
    assert data["version"] == "2.1.0"
    (run,) = data["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    (result,) = run["results"]
    assert rule["id"] == result["ruleId"] == "https://w3id.org/wiki-kb/shapes#OnlySystemsDepend"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]] == rule
    assert (rule["name"], result["level"]) == ("OnlySystemsDepend", "error")
    assert result["message"]["text"].startswith("Ops Crew: Only a system")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "pages/cart.md", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 7, "snippet": {"text": "Ops Crew depends on Cart DB."}}
    again = json.loads(cmd("validate", "--rejections", "--format", "sarif").out)
    assert again["runs"][0]["results"][0]["partialFingerprints"] == result["partialFingerprints"]


def test_junit_fails_for_violations_only(cmd: Kb, wiki: Path) -> None:
    bad = ET.fromstring(cmd("validate", "--rejections", "--format", "junit", "--kb", wiki).out.encode())
    assert (bad.get("tests"), bad.get("failures")) == ("1", "1")
    (case,) = bad.iter("testcase")
    assert (case.get("classname"), case.get("file"), case.get("line")) == ("OnlySystemsDepend", "pages/cart.md", "7")
    good = ET.fromstring(cmd("validate", "--format", "junit", "--kb", wiki).out.encode())
    assert (good.get("tests"), good.get("failures")) == ("1", "0")
    assert "pages/teams.md:5 Cart is owned by Ops Crew." in (good.findtext(".//system-out") or "")


def test_a_report_goes_to_a_file_and_the_exit_code_stays(cmd: Kb, own: Path) -> None:
    ran = cmd("validate", "--rejections", "--format", "sarif", "-o", "kb.sarif")
    assert (ran.code, ran.out, ran.err) == (1, "", "1 result written to kb.sarif\n")
    assert json.loads((own / "kb.sarif").read_text(encoding="utf-8"))["runs"]


def row(**changed: object) -> Row:
    said = {"severity": "Violation", "focus": "a", "label": "A", "path": "p", "value": "v", "message": "m", "text": "m",
            "component": "urn:c", "shape": "urn:s"}  # fmt: skip
    return Row(**{**said, **changed})  # type: ignore[arg-type]


def test_a_result_is_new_by_focus_path_value_component_and_shape() -> None:
    before = Report((row(),))
    assert new_rows(Report((row(text="other words", label="B", sources=("x",)),)), before).rows == ()
    for name in ("focus", "path", "value", "component", "shape"):
        changed = row(**{name: "urn:other"})
        assert new_rows(Report((row(), changed)), before).rows == (changed,)
    assert len(new_rows(Report((row(), row(text="again"))), before).rows) == 1


@pytest.mark.parametrize("syntax", FORMATS)
def test_text_of_any_characters_can_be_written(syntax: str) -> None:
    odd = 'a <b> & "c"\x00\x0b\ud800 ]]> \u2028'
    node = ox.BlankNode("r")
    place = Place("pages/ü b.md", 3, odd)
    report = Report((row(label=odd, text=odd, value=odd, places=(place,), node=node),), root="/srv/wiki")
    written = write_report(report, syntax)
    written.decode("utf-8")
    if syntax == "junit":
        ET.fromstring(written)
    if syntax == "sarif":
        artifact = json.loads(written)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
        assert artifact["uri"] == "pages/%C3%BC%20b.md"


def test_a_severity_of_somebodys_own_counts_as_a_violation() -> None:
    report = Report((row(severity="https://x.example/Fatal"),))
    assert report.violated
    assert report.at_least("Violation").rows == report.rows
