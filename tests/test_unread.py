"""What a build could not make use of is told: silent pages and lines, front matter, refused catalogue statements."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_help import Kb
from hypothesis import given
from hypothesis import strategies as st
from pipeline_help import run_build, small_base, write_page, write_statements

from kb.generations import Generations
from kb.model import Page
from kb.sources.front_matter import front_matter_fault

SILENT = "# Shop and Cart\n\nThe Shop was once thought of as a Cart on wheels.\n"
BROKEN = "---\ntitle: Cart\nowner: Sales: all of it\n---\n\n# Cart\n\nCart is owned by Sales.\n"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return small_base(tmp_path / "base")


@pytest.fixture
def kb(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


def test_a_page_that_names_two_entities_and_gives_no_statement_is_told_with_its_line(base: Path) -> None:
    write_page(base, "silent", SILENT)
    report = run_build(base)
    assert report.quiet_pages == [{"page": "silent", "path": "pages/silent.md", "names": ["Shop", "Cart"]}]
    assert report.unread_lines == [
        {
            "page": "silent",
            "path": "pages/silent.md",
            "line": 3,
            "names": ["Shop", "Cart"],
            "text": "The Shop was once thought of as a Cart on wheels.",
        }
    ]
    assert report.exit_code == 0


def test_lines_that_gave_statements_are_not_told_and_others_of_the_page_are(base: Path) -> None:
    write_page(base, "mixed", "# Shop\n\nShop calls Cart.\n\nCart had a fight with Stock DB over lunch.\n")
    report = run_build(base)
    assert report.quiet_pages == []
    assert [(row["line"], row["names"]) for row in report.unread_lines] == [(5, ["Cart", "Stock DB"])]


@pytest.mark.parametrize(
    "text",
    [
        "# Shop and Cart\n",
        "```sh\nshop --into cart\n```\n",
        "See [the notes](https://x.example/Shop/Cart.html) or https://x.example/Shop/Cart/Stock-DB\n",
        "<!-- Shop, Cart -->\n",
        "Shop, the Shop and nothing but Shop\n",
        "",
    ],
)
def test_headings_code_addresses_comments_and_single_names_are_not_told(base: Path, text: str) -> None:
    write_page(base, "p", text)
    report = run_build(base)
    assert (report.quiet_pages, report.unread_lines) == ([], [])


def test_a_line_that_repeats_what_the_page_says_elsewhere_is_not_told(base: Path) -> None:
    write_page(base, "p", "# Shop\n\nShop calls Cart.\n\nAs was said, Shop calls Cart.\n")
    assert run_build(base).unread_lines == []


def test_given_statements_without_a_place_leave_no_line_to_tell(base: Path, tmp_path: Path) -> None:
    write_page(base, "a", SILENT)
    write_page(base, "b", SILENT)
    report = run_build(base, write_statements(tmp_path / "s.jsonl", [("a", "Shop", "depends_on", "Cart")]))
    assert [row["page"] for row in report.quiet_pages] == ["b"]
    assert {row["page"] for row in report.unread_lines} == {"b"}


def test_broken_front_matter_is_a_warning_with_its_line_and_no_failure(base: Path) -> None:
    write_page(base, "cart", BROKEN)
    report = run_build(base)
    (warning,) = report.warnings
    assert warning.startswith("pages/cart.md:3: front matter does not parse: ")
    assert warning.endswith("; it was not read")
    assert (report.facts, report.exit_code) == (1, 0)


@pytest.mark.parametrize("text", ["---\ntitle: x\n---\n", "---\nShop calls Cart\n---\n", "---\n---\n", "a: b: c\n", ""])
def test_sound_front_matter_and_text_between_rules_are_no_faults(text: str) -> None:
    assert front_matter_fault(Page("p", text, "")) is None


def test_front_matter_that_is_no_list_of_keys_is_a_fault() -> None:
    fault = front_matter_fault(Page("p", '---\n"a\nowner: b"\n---\n', "", "pages/p.md"))
    assert (
        str(fault) == "pages/p.md:2: front matter does not parse: it is no list of `key: value` lines; it was not read"
    )


@given(st.text(alphabet="a:-[]{}\"'&*!|>\n \t#%@`,?", max_size=60))
def test_any_front_matter_gets_an_answer_within_its_lines(text: str) -> None:
    page = Page("p", f"---\nk: {text}\n---\n", "")
    fault = front_matter_fault(page)
    assert fault is None or 2 <= (fault.line or 0) <= page.text.count("\n")


def test_what_was_told_of_unchanged_pages_stays_told_and_equals_a_build_from_nothing(base: Path) -> None:
    write_page(base, "silent", SILENT)
    write_page(base, "cart", BROKEN)
    first = run_build(base)
    write_page(base, "more", "Shop calls Stock.\n")
    second = run_build(base)
    assert second.pages["read"] == 1
    assert second.warnings == first.warnings != []
    assert (second.quiet_pages, second.unread_lines) == (first.quiet_pages, first.unread_lines)
    third = run_build(base)
    assert not third.changed
    whole = run_build(base, force=True)
    for name in ("warnings", "quiet_pages", "unread_lines"):
        assert getattr(third, name) == getattr(whole, name) == getattr(second, name)


def test_a_page_that_was_mended_is_told_no_more(base: Path) -> None:
    write_page(base, "silent", SILENT)
    write_page(base, "cart", BROKEN)
    run_build(base)
    write_page(base, "silent", "Shop calls Cart.\n")
    write_page(base, "cart", BROKEN.replace("Sales: all", "Sales, all"))
    report = run_build(base)
    assert (report.quiet_pages, report.unread_lines, report.warnings) == ([], [], [])


def test_the_build_tells_how_much_was_not_read_and_lists_it_when_asked_also_without_changes(base: Path, kb: Kb) -> None:
    write_page(base, "silent", SILENT)
    ran = kb("build", "--kb", base)
    assert "1 line and 1 whole page name two or more entities and gave no statement" in " ".join(ran.out.split())
    assert "on wheels" not in ran.out
    ran = kb("build", "--kb", base, "--unread")
    assert "nothing has changed" in ran.out
    assert "pages/silent.md:3: The Shop was once thought of as a Cart on wheels." in " ".join(ran.out.split())
    assert "pages/silent.md: names Shop, Cart" in ran.out


def test_a_build_that_made_use_of_everything_says_so_when_asked(base: Path, kb: Kb) -> None:
    write_page(base, "a", "Shop calls Cart.\n")
    assert "Every line that names two or more entities gave a statement." in kb("build", "--kb", base, "--unread").out


def test_a_catalogue_statement_that_a_shape_refuses_makes_the_build_exit_1(base: Path, kb: Kb) -> None:
    catalogue = base / "catalogue.yaml"
    text = catalogue.read_text(encoding="utf-8").replace("name: Cart}", "name: Cart, owned_by: ana}")
    catalogue.write_text(text, encoding="utf-8")
    report = run_build(base)
    (violation,) = report.violations
    assert (violation["focus"], violation["sources"]) == ("cart", ["catalogue.yaml"])
    ran = kb("build", "--kb", base)
    assert ran.code == 1
    assert "Broken rules in what the catalogue says: 1" in ran.out


def test_a_statement_that_is_given_in_a_file_and_refused_is_no_failure(base: Path, tmp_path: Path) -> None:
    report = run_build(base, write_statements(tmp_path / "s.jsonl", [(None, "Cart", "owned_by", "Ana Ruiz")]))
    assert (report.statements["rejected"], report.exit_code) == (1, 0)


def test_the_published_report_says_how_long_the_build_took(base: Path) -> None:
    write_page(base, "a", "Shop calls Cart.\n")
    run_build(base)
    generation = Generations(base / "kg").current()
    assert generation is not None
    assert json.loads(generation.read("build_report.json"))["seconds"] > 0
