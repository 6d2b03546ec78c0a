"""The build: what it makes of sources, and that it costs what changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pipeline_help import facts, quads, run_build, small_base, write_page, write_statements

from kb.errors import CatalogueError, StatementsError
from kb.generations import Generations

LARKSPUR = Path(__file__).parent.parent / "examples" / "larkspur"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return small_base(tmp_path / "base")


@pytest.fixture
def larkspur(tmp_path: Path) -> Path:
    shutil.copytree(LARKSPUR, tmp_path / "larkspur", ignore=shutil.ignore_patterns("kg"))
    return tmp_path / "larkspur"


def test_two_owners_on_two_pages_stay_and_one_warning_names_both_pages(larkspur: Path) -> None:
    report = run_build(larkspur, larkspur / "gold" / "triples.jsonl")
    assert (report.facts, report.statements) == (128, {"read": 240, "accepted": 240, "rejected": 0})
    (found,) = report.contradictions
    assert found["values"] == {"acceptance": ["disputes"], "fraud-risk": ["service-tiers"]}
    assert found["pages"] == ["disputes", "service-tiers"]
    assert report.exit_code == 0
    assert {("disputes", "ownedBy", "acceptance"), ("disputes", "ownedBy", "fraud-risk")} <= facts(larkspur)


def test_rejected_statements_are_listed_with_page_names_and_reason(base: Path, tmp_path: Path) -> None:
    rows = [
        ("a", "Shop", "depends_on", "Cart"),
        ("a", "Sales", "depends_on", "Cart"),
        ("b", "Shop", "depends_on", "Payroll"),
        ("b", "Shop", "likes", "Cart"),
    ]
    report = run_build(base, write_statements(tmp_path / "s.jsonl", rows))
    assert [(r["page"], r["subject"], r["relation"], r["object"], r["code"]) for r in report.rejections] == [
        ("a", "Sales", "depends_on", "Cart", "shape"),
        ("b", "Shop", "depends_on", "Payroll", "unknown_entity"),
        ("b", "Shop", "likes", "Cart", "unknown_relation"),
    ]
    assert all(r["reason"] for r in report.rejections)
    assert facts(base) == {("shop", "dependsOn", "cart")}
    assert report.exit_code == 0


def test_an_inverse_relation_is_stored_in_the_one_direction_that_there_is(base: Path, tmp_path: Path) -> None:
    run_build(base, write_statements(tmp_path / "s.jsonl", [("a", "Sales", "owns", "Shop")]))
    assert facts(base) == {("shop", "ownedBy", "sales")}


def test_a_build_without_changes_publishes_nothing_and_does_no_work(base: Path) -> None:
    write_page(base, "shop", "# Shop\n\nThe Shop calls the Cart.\n")
    first = run_build(base)
    second = run_build(base)
    assert (first.changed, second.changed) == (True, False)
    assert second.generation == first.generation
    assert second.facts == first.facts == 1
    assert set(second.work.values()) == {0}
    assert len(Generations(base / "kg").list()) == 1


def test_a_changed_page_costs_that_page(larkspur: Path, tmp_path: Path) -> None:
    gold = larkspur / "gold" / "triples.jsonl"
    whole = run_build(larkspur, gold)
    lines = [line for line in gold.read_text(encoding="utf-8").splitlines() if '"page": "kyc"' not in line]
    changed = tmp_path / "changed.jsonl"
    changed.write_text("\n".join(lines) + "\n", encoding="utf-8")
    report = run_build(larkspur, changed)
    assert report.pages == {"total": 48, "read": 1, "kept": 47, "removed": 0, "failed": 0}
    assert report.work["pages_read"] == 1
    assert report.work["focus_nodes"] < whole.work["focus_nodes"]
    assert report.work["quads_written"] + report.work["quads_removed"] < whole.work["quads_written"] / 10


def test_a_removed_page_drops_its_graph_but_not_what_another_page_says_too(base: Path) -> None:
    write_page(base, "one", "The Shop calls the Cart. The Shop calls the Stock DB.\n")
    write_page(base, "two", "The Shop calls the Cart.\n")
    run_build(base)
    assert facts(base) == {("shop", "dependsOn", "cart"), ("shop", "dependsOn", "stock-db")}
    (base / "pages" / "one.md").unlink()
    report = run_build(base)
    assert report.pages["removed"] == 1
    assert facts(base) == {("shop", "dependsOn", "cart")}
    assert not any("graph/page/one" in quad or "page/one>" in quad for quad in quads(base))


def test_a_page_that_cannot_be_read_keeps_its_facts_and_fails_the_build_alone(base: Path) -> None:
    write_page(base, "one", "The Shop calls the Cart.\n")
    write_page(base, "two", "The Cart calls the Stock DB.\n")
    run_build(base)
    (base / "pages" / "one.md").write_bytes(b"\x00\x01\xff")
    write_page(base, "two", "The Cart calls the Stock DB. The Cart is owned by Sales.\n")
    report = run_build(base)
    assert report.exit_code == 1
    assert report.pages["failed"] == 1
    assert "one.md" in report.faults[0]
    expected = {("shop", "dependsOn", "cart"), ("cart", "dependsOn", "stock-db"), ("cart", "ownedBy", "sales")}
    assert facts(base) == expected
    # A new catalogue makes every page be read anew; this one cannot be, and is understood from what it said before.
    with (base / "catalogue.yaml").open("a", encoding="utf-8") as catalogue:
        catalogue.write("  - {id: bo, type: person, name: Bo Li}\n")
    assert run_build(base).pages["failed"] == 1
    assert facts(base) == expected


def test_a_faulty_catalogue_fails_the_build_and_leaves_the_published_generation(base: Path) -> None:
    write_page(base, "one", "The Shop calls the Cart.\n")
    run_build(base)
    before = quads(base)
    (base / "catalogue.yaml").write_text("entities:\n  - {id: x, type: spaceship, name: X}\n", encoding="utf-8")
    with pytest.raises(CatalogueError, match=r"catalogue.yaml:2.*spaceship"):
        run_build(base)
    assert quads(base) == before


def test_malformed_statements_are_all_listed(base: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"page": "a"}\nnot json\n', encoding="utf-8")
    with pytest.raises(StatementsError, match=r"(?s)bad.jsonl:1.*bad.jsonl:2"):
        run_build(base, path)


def test_a_changed_ontology_makes_everything_be_read_anew(base: Path) -> None:
    from kb.config import packaged

    for kind in ("ontology", "shapes"):
        shutil.copy(packaged(kind) / "systems.ttl", base / f"{kind}.ttl")
    config = '[kb]\nbase = "https://kb.test.example/"\nontology = "ontology.ttl"\nshapes = "shapes.ttl"\n'
    (base / "kb.toml").write_text(config, encoding="utf-8")
    write_page(base, "one", "The Shop frobs the Cart.\n")
    assert run_build(base).facts == 0
    text = (base / "ontology.ttl").read_text(encoding="utf-8")
    (base / "ontology.ttl").write_text(text.replace('"invokes"@en', '"invokes"@en , "frobs"@en'), encoding="utf-8")
    report = run_build(base)
    assert (report.pages["read"], report.facts) == (1, 1)


names = st.sampled_from(["shop", "cart", "stock", "stock-db", "sales", "supply", "ana", "Nobody"])
relations = st.sampled_from(["depends_on", "owned_by", "led_by", "owns", "part_of"])
pages = st.dictionaries(
    st.sampled_from(["one", "two", "three"]), st.lists(st.tuples(names, relations, names), max_size=4), max_size=3
)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(pages, min_size=2, max_size=3))
def test_a_chain_of_builds_gives_what_a_build_from_nothing_gives(
    tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, list[tuple[str, str, str]]]]
) -> None:
    folder = tmp_path_factory.mktemp("chain")
    chained, fresh = small_base(folder / "chained"), small_base(folder / "fresh")
    for step in steps:
        rows = [(page, *row) for page, said in step.items() for row in said]
        statements = write_statements(folder / "s.jsonl", rows)
        report = run_build(chained, statements)
        once = run_build(fresh, statements, force=True)
        assert quads(chained) == quads(fresh)
        for name in ("facts", "statements", "rejections", "contradictions", "hints"):
            assert getattr(report, name) == getattr(once, name)
