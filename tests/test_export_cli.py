"""`kb export` writes every format from the command line, and says which options do not go together."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml
from cli_help import Kb, write_wiki

import kb


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


@pytest.fixture(scope="module")
def wiki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_wiki(tmp_path_factory.mktemp("wiki"))
    with (folder / "kb.toml").open("a", encoding="utf-8") as file:
        file.write('[dataset]\ntitle = "Shop wiki"\nlicence = "https://licence.example/1"\n')
    kb.build(folder)
    return folder


@pytest.mark.parametrize("name", ["graphml", "nodes-csv", "edges-csv", "mermaid", "svg", "backstage"])
def test_formats_for_other_tools_are_written_the_same_way_twice(cmd: Kb, wiki: Path, name: str) -> None:
    first, second = cmd("export", "--format", name, "--kb", wiki), cmd("export", "--format", name, "--kb", wiki)
    assert first.code == 0
    assert first.out == second.out != ""


def test_lists_and_pictures_go_round_a_focus_along_chosen_relations(cmd: Kb, wiki: Path) -> None:
    def edges(*options: str) -> list[str]:
        ran = cmd("export", "--format", "edges-csv", *options, "--kb", wiki)
        assert ran.code == 0, ran.err
        return [" ".join(line.split(",")[i] for i in (0, 2, 1)) for line in ran.out.splitlines()[1:]]

    assert edges("--focus", "shop", "--relation", "depends_on") == ["cart depends_on cart-db", "shop depends_on cart"]
    assert edges("--focus", "shop", "--relation", "depends_on", "--depth", "1") == ["shop depends_on cart"]
    assert edges("--focus", "cart", "--relation", "dependency_of", "--direction", "in") == ["shop depends_on cart"]
    assert edges("--focus", "cart", "--depth", "0") == []
    assert edges("--graph", "page:shop") == ["shop depends_on cart", "shop owned_by web"]
    text = cmd("export", "--format", "mermaid", "--focus", "cart-db", "--direction", "in", "--kb", wiki).out
    assert text.startswith('flowchart LR\n    n0["Cart<br/>service"]:::t0\n')
    assert 'n0 -->|"depends on"| n1' in text


def test_files_take_the_format_from_their_suffix(cmd: Kb, wiki: Path, tmp_path: Path) -> None:
    for name, starts in (("a.svg", "<svg "), ("a.graphml", "<?xml"), ("a.mmd", "flowchart LR")):
        assert cmd("export", "-o", tmp_path / name, "--kb", wiki).code == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(starts)
    ET.parse(tmp_path / "a.svg")


def test_the_description_has_what_kb_toml_says_and_the_date_of_the_build(cmd: Kb, wiki: Path) -> None:
    ran = cmd("export", "--describe", "--format", "jsonld", "--kb", wiki)
    graph = {one["@id"]: one for one in json.loads(ran.out)["@graph"]}
    dataset = graph["https://kb.test.example/dataset"]
    assert dataset["title"] == "Shop wiki"
    assert dataset["license"] == "https://licence.example/1"
    assert dataset["entities"] == 6
    generation = kb.open(wiki).generation
    assert dataset["version"] == generation.name
    assert dataset["modified"]["@value"] == generation.meta["created"]


def test_backstage_tells_on_standard_error_what_it_has_no_place_for(cmd: Kb, wiki: Path) -> None:
    ran = cmd("export", "--format", "backstage", "--kb", wiki)
    names = [one["metadata"]["name"] for one in yaml.safe_load_all(ran.out)]
    assert names == ["ada", "cart", "cart-db", "ops", "shop", "web"]
    assert "1 × owned by: does not fit where it belongs, which holds one value" in ran.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--format", "svg", "--entity", "shop"], "--entity does not go with --format svg."),
        (["--focus", "shop"], "--focus does not go with --format turtle."),
        (["--depth", "0"], "--depth does not go with --format turtle."),
        (["--format", "svg", "--depth", "0"], "name it with --focus"),
        (["--format", "graphml", "--most", "3"], "--most does not go with --format graphml."),
        (["--format", "backstage", "--relation", "owned_by"], "--relation does not go with --format backstage."),
        (["--describe", "--entity", "shop"], "--describe is about the whole data set"),
        (["--format", "mermaid", "--describe"], "--describe does not go with --format mermaid."),
        (["--format", "svg", "--relation", "eats"], "the ontology has no relation 'eats'; there are: "),
        (["--format", "svg", "--focus", "nobody"], "no thing in the graph has the id 'nobody'"),
        (["--entity", "nobody"], "no entity has the id 'nobody'"),
    ],
)
def test_options_that_do_not_go_together_and_names_that_nothing_has_are_told(
    cmd: Kb, wiki: Path, options: list[str], says: str
) -> None:
    ran = cmd("export", *options, "--kb", wiki)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


def test_inferences_that_are_not_there_are_refused_with_what_makes_them(cmd: Kb, wiki: Path) -> None:
    for options in ([], ["--format", "svg"]):
        ran = cmd("export", "--with-inferences", *options, "--kb", wiki)
        assert ran.code == 3
        assert "add a section [reason] to kb.toml" in ran.err
    assert cmd("export", "--format", "svg", "--most", "2", "--kb", wiki).code == 3
