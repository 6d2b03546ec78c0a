"""A difference of two builds is every fact, thing and contradiction that came or went, with the words that made it."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pyoxigraph as ox
import pytest
from cli_help import Kb, kb_process, write_wiki

import kb
from kb.diff import Difference, Fact, Support, Thing, difference, facts_changed
from kb.export.update import write_update

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_wiki(tmp_path_factory.mktemp("wiki"))
    kb.build(folder)
    return folder


@pytest.fixture
def own(wiki: Path, tmp_path: Path) -> Path:
    return shutil.copytree(wiki, tmp_path / "wiki")


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def compared(folder: Path) -> Difference:
    kb.build(folder)
    names = sorted(one.name for one in (folder / "kg" / "generations").iterdir() if one.name.startswith("gen-"))
    with kb.open(folder, generation=names[-2]) as old, kb.open(folder, generation=names[-1]) as new:
        return difference(old, new)


def test_an_edited_page_changes_its_facts_with_old_and_new_words(own: Path) -> None:
    replaced(own / "pages" / "shop.md", "Shop calls Cart.", "Shop reads from Cart DB.")
    found = compared(own)
    page = ("shop", "pages/shop.md")
    assert found.facts_added == (Fact("shop", "depends_on", "cart-db", (Support(*page, "Shop reads from Cart DB."),)),)
    assert found.facts_removed == (Fact("shop", "depends_on", "cart", (Support(*page, "Shop calls Cart."),)),)
    assert found.pages_changed == ("shop",)
    assert (found.entities_changed, found.contradictions_added, found.restated, found.ontology) == ((), (), (), False)


def test_a_fact_that_another_page_states_stays_and_its_sources_are_told(own: Path) -> None:
    (own / "pages" / "again.md").write_text("# Again\n\nShop calls Cart.\n", encoding="utf-8")
    found = compared(own)
    assert (found.facts_added, found.facts_removed, found.pages_added) == ((), (), ("again",))
    (one,) = found.restated
    assert (one.subject, one.relation, one.object, one.lost) == ("shop", "depends_on", "cart", ())
    assert one.gained == (Support("again", "pages/again.md", "Shop calls Cart."),)
    (own / "pages" / "again.md").unlink()
    found = compared(own)
    assert found.restated[0].lost == one.gained
    assert found.pages_removed == ("again",)


def test_entities_come_go_and_change_by_their_values(own: Path) -> None:
    replaced(own / "catalogue.yaml", 'name: "Cart", aliases: ["Basket"], public: false', 'name: "Cart", public: true')
    replaced(
        own / "catalogue.yaml", '  - {id: ada, type: person, name: "Ada Ek"}', "  - {id: new, type: service, name: New}"
    )
    found = compared(own)
    assert found.entities_added == (Thing("new", "service", "New"),)
    assert found.entities_removed == (Thing("ada", "person", "Ada Ek"),)
    (one,) = found.entities_changed
    assert (one.id, one.added) == ("cart", ("public: true",))
    assert one.removed == ("public: false", "skos:altLabel: Basket")
    assert ("web", "led_by", "ada") in {(f.subject, f.relation, f.object) for f in found.facts_removed}


def test_contradictions_and_refusals_come_and_go(own: Path) -> None:
    replaced(own / "pages" / "teams.md", "Cart is owned by Ops Crew.", "Shop is owned by Ops Crew.")
    replaced(own / "pages" / "cart.md", "Ops Crew depends on Cart DB.", "Nothing.")
    found = compared(own)
    assert [(one.about, one.sources) for one in found.contradictions_added] == [("shop", ("shop", "teams"))]
    assert [(one.about, one.sources) for one in found.contradictions_removed] == [("cart", ("cart", "teams"))]
    assert [one.about for one in found.rejections_removed] == ["Ops Crew depends_on Cart DB"]
    assert found.rejections_added == ()


def test_notes_change_by_concept_field_and_caveat(tmp_path: Path) -> None:
    folder = shutil.copytree(ROOT / "examples" / "notes", tmp_path / "notes", ignore=shutil.ignore_patterns("kg"))
    kb.build(folder)
    path = sorted((folder / "schemas").rglob("*.yaml"))[0]
    path.unlink()
    found = compared(folder)
    assert found.notes_removed
    assert found.entities_removed == ()
    assert found.facts_removed
    assert all(one.support[0].source.startswith("schema/") for one in found.facts_removed)


@pytest.mark.parametrize("domain", ["museum"])
def test_the_update_turns_the_old_facts_into_the_new_ones(tmp_path: Path, domain: str) -> None:
    folder = shutil.copytree(
        ROOT / "tests" / "domains" / domain, tmp_path / domain, ignore=shutil.ignore_patterns("kg")
    )
    kb.build(folder)
    sorted((folder / "pages").rglob("*.md"))[0].unlink()
    kb.build(folder)
    names = sorted(one.name for one in (folder / "kg" / "generations").iterdir())
    with kb.open(folder, generation=names[0]) as old, kb.open(folder, generation=names[1]) as new:
        store = ox.Store()
        store.extend(old.store.quads_for_pattern(None, None, None, ox.DefaultGraph()))
        gone, come = facts_changed(old, new)
        assert gone
        store.update(write_update(gone, come).decode())
        assert set(store) == set(new.store.quads_for_pattern(None, None, None, ox.DefaultGraph()))
        assert write_update(come, gone) != write_update(gone, come)
    assert write_update((), ()) == b""


# -- the command ---------------------------------------------------------------------


def test_the_command_prints_facts_with_page_and_quote_and_fails_when_asked(cmd: Kb, own: Path) -> None:
    assert cmd("diff", "--kb", own).code == 3
    replaced(own / "pages" / "shop.md", "Shop calls Cart.", "Shop reads from Cart DB.")
    kb.build(own)
    ran = cmd("diff", "--kb", own)
    assert (ran.code, ran.err) == (0, "")
    assert "Facts: +1 −1\n" in ran.out
    assert re.search(r'\+  shop depends_on cart-db +shop +"Shop reads from Cart DB\."', ran.out)
    assert max(map(len, ran.out.splitlines())) <= 80
    assert cmd("diff", "--fail", "--kb", own).code == 1
    assert json.loads(cmd("diff", "--json", "--kb", own).out)["facts_added"][0]["object"] == "cart-db"
    assert (
        cmd("diff", "2", "1", "--json", "--kb", own).out
        == cmd("diff", "000002", "gen-000001", "--json", "--kb", own).out
    )
    assert cmd("diff", "2", "2", "--fail", "--kb", own).out.endswith("No difference.\n")
    assert cmd("diff", "2", "2", "--fail", "--kb", own).code == 0
    ran = cmd("diff", "9", "--kb", own)
    assert ran.code == 3
    assert "no such generation; there are: gen-000001" in ran.err


HOSTILE: list[tuple[str, Callable[[str], bool]]] = [
    ("Shop uses Cart DB | x | y", lambda line: line.count("|") - line.count("\\|") == 5),
    ("Shop uses Cart DB <img src=x> ![a](http://x.example)", lambda line: "<img" not in line.replace("\\<", "")),
    ("Shop uses Cart DB, says @everyone", lambda line: "@everyone" not in line),
]


@pytest.mark.parametrize(("text", "harmless"), HOSTILE)
def test_a_comment_shows_words_of_pages_as_words(own: Path, text: str, harmless: Callable[[str], bool]) -> None:
    replaced(own / "pages" / "shop.md", "Shop calls Cart.", text + ".")
    kb.build(own)
    ran = kb_process("diff", "--format", "markdown", "--kb", own)
    assert ran.code == 0
    assert ran.out.startswith("**Knowledge base:** 1 fact added, 1 removed\n")
    (line,) = (line for line in ran.out.splitlines() if "cart-db" in line and "depends_on" in line)
    assert harmless(line)
