"""`[reason]`: builds publish what follows, beside the facts and never among them; `kb reason`, `kb ask --inferred`."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from pipeline_help import quads, run_build, small_base, write_page, write_statements
from reason_help import DOMAINS

import kb
from kb.cli import main
from kb.errors import ConfigError, GenerationError
from kb.generations import Generations
from kb.pipeline import reasoning

HERE = Path(__file__).parent
GRAPH = "<https://kb.test.example/graph/inferences>"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = small_base(tmp_path / "base")
    write_page(folder, "cart", "# Cart\n\nCart depends on Stock. Cart is owned by Sales.\n")
    write_page(folder, "stock", "# Stock\n\nStock depends on Stock DB.\n")
    return folder


@dataclass(frozen=True)
class Result:
    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        """Both, with lines that were wrapped in one."""
        return " ".join((self.stdout + self.stderr).split())


def run(*args: str) -> Result:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main.run(args)
    return Result(code, out.getvalue(), err.getvalue())


def ask_for(folder: Path, *lines: str) -> None:
    text = (folder / "kb.toml").read_text(encoding="utf-8").partition("\n[reason]")[0]
    (folder / "kb.toml").write_text("\n".join([text, "[reason]", *lines, ""]), encoding="utf-8")


def inferences(folder: Path) -> list[str]:
    return [quad for quad in quads(folder) if quad.endswith(GRAPH)]


def museum(tmp_path: Path, ontology: str = "", name: str = "museum") -> Path:
    """A domain of the tests with more in its ontology, built with inferences."""
    folder = tmp_path / name
    shutil.copytree(HERE / "domains" / name, folder)
    with (folder / "ontology.ttl").open("a", encoding="utf-8") as file:
        file.write(ontology)
    with (folder / "kb.toml").open("a", encoding="utf-8") as file:
        file.write("\n[reason]\n")
    run_build(folder)
    return folder


# -- builds ----------------------------------------------------------------------


def test_without_the_section_nothing_is_inferred(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reasoning, "_digest", lambda _: pytest.fail("a build without [reason] looked at its facts"))
    run_build(base)
    assert inferences(base) == []
    generation = Generations(base / "kg").current()
    assert generation is not None
    assert "reasoning" not in generation.meta


def test_inferences_stand_in_a_graph_of_their_own_and_all_else_is_as_without(base: Path) -> None:
    run_build(base)
    before = quads(base)
    ask_for(base)
    assert run_build(base).changed
    found = inferences(base)
    assert any("dependencyOf" in quad and "/stock>" in quad.split()[0] for quad in found)
    assert [quad for quad in quads(base) if quad not in found] == before
    stated = {quad for quad in before if len(quad.split("> ")) and not quad.endswith(">")}
    assert not stated & {quad.removesuffix(f" {GRAPH}") for quad in found}


def test_incremental_inferences_are_those_of_a_build_from_nothing(base: Path) -> None:
    ask_for(base)
    run_build(base)
    write_page(base, "cart", "# Cart\n\nCart depends on Stock DB.\n")
    run_build(base)
    step = quads(base)
    run_build(base, force=True)
    assert quads(base) == step


def test_a_build_reasons_only_when_facts_or_ontology_changed(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from kb.reason import reasoner

    calls: list[int] = []
    infer = reasoner.infer

    def counting(*args: Any) -> Any:
        calls.append(1)
        return infer(*args)

    monkeypatch.setattr(reasoner, "infer", counting)
    ask_for(base)
    run_build(base)
    assert len(calls) == 1
    assert not run_build(base).changed
    write_page(base, "notes", "# Notes\n\nNothing about anything.\n")
    assert run_build(base).changed
    assert len(calls) == 1
    found = inferences(base)
    assert found
    write_page(base, "notes", "# Notes\n\nShop depends on Cart.\n")
    run_build(base)
    assert len(calls) == 2
    assert len(inferences(base)) > len(found)


def test_turning_it_off_takes_the_inferences_away(base: Path) -> None:
    run_build(base)
    before = quads(base)
    ask_for(base)
    run_build(base)
    ask_for(base, 'engine = "none"')
    assert run_build(base).changed
    assert quads(base) == before


def test_another_skip_is_a_reason_to_build(base: Path) -> None:
    ask_for(base)
    run_build(base)
    ask_for(base, 'skip = ["inverse"]')
    assert run_build(base).changed
    assert not any("dependencyOf" in quad for quad in inferences(base))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('engine = "hermit"', "known: owlrl, reasonable, none"),
        ('skip = ["transitve"]', "did you mean 'transitive'"),
        ('motor = "owlrl"', "unknown key 'motor'"),
    ],
)
def test_a_wrong_section_is_refused(base: Path, line: str, message: str) -> None:
    ask_for(base, line)
    with pytest.raises(ConfigError, match=message):
        run_build(base)


@pytest.mark.parametrize("name", [name for name in DOMAINS if name != "movies"])
def test_every_domain_builds_with_inferences_and_each_has_a_derivation(name: str, tmp_path: Path) -> None:
    folder = museum(tmp_path, name=name)
    with kb.open(folder) as opened:
        assert opened.generation.meta["reasoning"]["inferred"] == len(opened.reasoned.inferred)
        published = opened.store.quads_for_pattern(None, None, None, ox.NamedNode(opened.iris.inferences_graph))
        assert len(list(published)) == len(opened.reasoned.inferred)
        explainer = opened.reasoned.explainer
        assert all(explainer.explain(fact) is not None for fact in opened.reasoned.inferred)
    opened.generation.verify(deep=True)


def test_a_type_that_a_range_infers_hides_no_violation(tmp_path: Path) -> None:
    """Measured trap: with rdfs:range :Service a person becomes a service, and sh:class is content."""
    folder = museum(tmp_path, ":curatedBy rdfs:range :Person . :partOf rdfs:range :Person .")
    rows = [(None, "low-tide", "curated_by", "customs-house")]
    report = run_build(folder, write_statements(tmp_path / "said.jsonl", rows))
    assert report.statements["rejected"] == 1
    with kb.open(folder) as opened:
        from kb.validate import validate

        before = validate(opened)
        assert [one for one in before if one.severity == "Violation"] == []


# -- contradictions ------------------------------------------------------------------


CONTRADICTION = "\n:partOf rdfs:range :Person .\n"


def test_contradictions_are_told_by_builds_and_reported_with_pages(tmp_path: Path) -> None:
    folder = museum(tmp_path, CONTRADICTION)
    report = run_build(folder)
    assert any("contradict the ontology" in line for line in report.warnings)
    result = run("reason", "--kb", str(folder))
    assert result.exit_code == 1
    assert "nothing can be both place and person (cax-dw)" in result.output
    assert "whatever is the object of part of is a person" in result.output
    assert "house/rooms: “" in result.output
    data = json.loads(run("reason", "--json", "--kb", str(folder)).stdout)
    assert not data["consistent"]
    found = next(one for one in data["inconsistencies"] if one["focus"] == "south-wing")
    assert found["rule"] == "cax-dw"
    because = [row for fact in found["facts"] if fact["inferred"] for row in fact["because"]]
    assert any(row["page"] and row["quote"] for row in because)


def test_a_functional_property_reports_the_two_it_would_merge(base: Path) -> None:
    ontology = base / "more.ttl"
    ontology.write_text(
        "@prefix : <https://w3id.org/wiki-kb/ontology#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
        ":ownedBy a owl:FunctionalProperty .\n",
        encoding="utf-8",
    )
    from kb.config import packaged

    names = [str(packaged("ontology") / "systems.ttl"), "more.ttl"]
    shapes = str(packaged("shapes") / "systems.ttl")
    text = f'[kb]\nbase = "https://kb.test.example/"\nontology = {json.dumps(names)}\nshapes = {json.dumps(shapes)}\n'
    (base / "kb.toml").write_text(text + "[reason]\n", encoding="utf-8")
    write_page(base, "stock", "# Stock\n\nCart is owned by Supply.\n")
    run_build(base)
    result = run("reason", "--kb", str(base))
    assert result.exit_code == 1
    assert "would make them the same (prp-fp)" in result.output
    assert "Cart owned by Sales" in result.output
    assert "Cart owned by Supply" in result.output
    assert not any("sameAs" in quad for quad in quads(base))


# -- kb reason ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return museum(tmp_path_factory.mktemp("museum"))


def test_kb_reason_counts_and_lists(built: Path) -> None:
    result = run("reason", "--facts", "--limit", "2", "--kb", str(built))
    assert result.exit_code == 0
    assert "facts inferred from" in result.output
    assert "Nothing contradicts the ontology." in result.output
    assert "amedeo-conti" in result.output
    assert "more; --limit 0 prints all" in result.output


def test_kb_reason_works_on_what_was_built_without_inferences(base: Path) -> None:
    run_build(base)
    before = quads(base)
    result = run("reason", "--kb", str(base))
    assert result.exit_code == 0
    assert "dependency_of" in result.stdout
    assert "[reason] in kb.toml" in result.stderr
    assert quads(base) == before
    assert run("reason", "--explain", "stock", "dependency_of", "cart", "--kb", str(base)).exit_code == 0


@pytest.mark.parametrize(
    "said", [("lantern-room", "part_of", "customs-house"), ("Lantern Room", "part of", "Customs House")]
)
def test_a_transitive_fact_is_explained_by_pages_quotes_and_the_axiom(built: Path, said: tuple[str, ...]) -> None:
    result = run("reason", "--explain", *said, "--kb", str(built))
    assert result.exit_code == 0
    assert "Lantern Room part of Customs House: inferred" in result.output
    assert "house/rooms: “The Customs House consists of" in result.output
    assert "since part of is transitive (prp-trp)" in result.output


def test_a_type_is_explained_and_a_stated_fact_is_said_to_be_stated(built: Path) -> None:
    result = run("reason", "--explain", "lantern-room", "type", "place", "--kb", str(built))
    assert "every room is a place (cax-sco)" in result.output
    result = run("reason", "--explain", "lantern-room", "part_of", "south-wing", "--kb", str(built))
    assert "stated" in result.output
    assert "house/getting-around" in result.output


def test_explaining_what_does_not_follow_or_has_no_name_fails(built: Path) -> None:
    assert run("reason", "--explain", "low-tide", "part_of", "customs-house", "--kb", str(built)).exit_code == 1
    result = run("reason", "--explain", "low-tid", "part_of", "customs-house", "--kb", str(built))
    assert result.exit_code == 2
    assert "did you mean 'low-tide'" in result.output
    result = run("reason", "--explain", "low-tide", "part_off", "customs-house", "--kb", str(built))
    assert result.exit_code == 2
    assert "no relation of the ontology" in result.output


# -- kb ask --inferred -----------------------------------------------------------------


PLAN = '{"start": "lantern-room", "hops": ["part_of"]}'


def test_questions_see_stated_facts_only_unless_asked_otherwise(built: Path) -> None:
    with kb.open(built) as opened:
        plan = json.loads(PLAN)
        assert [one.id for one in opened.run(plan).answers] == ["south-wing"]
        answer = opened.run(plan, inferred=True)
        assert [one.id for one in answer.answers] == ["customs-house", "south-wing"]
        [edge] = answer.answers[0].witness
        assert edge.why is not None
        assert [step.rule for step in edge.why.steps] == ["prp-trp"]
        assert [(one.subject, one.object) for one in edge.why.stated] == [
            ("lantern-room", "south-wing"),
            ("south-wing", "customs-house"),
        ]
        assert all(one.sources[0].quote for one in edge.why.stated)
        assert answer.answers[1].witness[0].why is None
        data = answer.to_json()["answers"]
        assert data[0]["witness"][0]["inferred"] is True
        assert "inferred" not in data[1]["witness"][0]
        assert "(inferred: part of is transitive)" in answer.rows()[0].steps[0]


def test_a_count_over_inferred_facts_counts_each_once(built: Path) -> None:
    plan = {"count": {"start": "customs-house", "hops": ["~part_of"]}}
    with kb.open(built) as opened:
        direct = opened.run(plan).count
        both = opened.run(plan, inferred=True).count
        repeated = opened.run({"count": {"start": "customs-house", "hops": ["~part_of*"]}}).count
    assert direct is not None
    assert both == repeated
    assert both is not None
    assert both > direct


def test_the_command_says_that_and_why_a_fact_is_inferred(built: Path) -> None:
    result = run("ask", "--inferred", "--plan", PLAN, "--kb", str(built))
    assert result.exit_code == 0
    assert "inferred: part of is transitive" in result.output


@pytest.mark.parametrize("other", [("--method", "vector", "where is it?"), ("--prose", "where is it?")])
def test_what_cannot_tell_inferred_facts_apart_is_refused(built: Path, other: tuple[str, ...]) -> None:
    result = run("ask", "--inferred", *other, "--kb", str(built))
    assert result.exit_code == 2
    assert "facts" in result.output


def test_asking_a_graph_without_inferences_says_how_to_get_them(base: Path) -> None:
    run_build(base)
    with kb.open(base) as opened, pytest.raises(GenerationError, match=r"\[reason\].*kb build"):
        opened.run({"start": "cart", "hops": ["depends_on"]}, inferred=True)
