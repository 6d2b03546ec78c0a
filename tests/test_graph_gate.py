"""What the gate accepts, rejects and reports, and how it says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gate_world import CATALOGUE, IRIS, RULE, candidate, candidates, vocabulary

from kb.config import load_config, packaged
from kb.errors import OntologyError
from kb.graph.candidates import Candidate
from kb.graph.candidates import candidates as resolved
from kb.graph.gate import Gate, GateReport
from kb.graph.resolve import Resolver
from kb.model import Entity, Evidence, Statement
from kb.namespaces import SH, SHAPE
from kb.sources.catalogue import Catalogue, load_catalogue
from kb.sources.pages import read_page, scan_pages
from kb.vocabulary import Vocabulary, load_vocabulary

LARKSPUR = Path(__file__).parent.parent / "examples" / "larkspur"
MUSEUM = Path(__file__).parent / "domains" / "museum"


@pytest.fixture(scope="module")
def systems() -> Vocabulary:
    return load_vocabulary([packaged("ontology") / "systems.ttl"], [packaged("shapes") / "systems.ttl"])


SYSTEMS = Catalogue(
    {
        one.id: one
        for one in (
            Entity("checkout", "service", "Checkout"),
            Entity("ledger", "datastore", "Ledger"),
            Entity("acceptance", "team", "Acceptance"),
            Entity("risk", "team", "Fraud & Risk"),
            Entity("ana", "person", "Ana Ruiz"),
        )
    }
)


def check(*rows: tuple[str, ...], shapes: tuple[str, ...] = (), catalogue: Catalogue = CATALOGUE) -> GateReport:
    found = [candidate(*row) for row in rows]
    return Gate(vocabulary(tuple(sorted(shapes))), catalogue, IRIS).check(found)


def edges(found: list[Candidate]) -> list[tuple[str, str, str]]:
    return [(one.subject, one.relation, one.object) for one in found]


def rejected(report: GateReport) -> list[tuple[str, str, str]]:
    return edges([one.candidate for one in report.rejected if one.candidate is not None])


# -- the packaged shapes ------------------------------------------------------------


def test_a_value_of_the_wrong_type_is_rejected_with_shape_and_names(systems: Vocabulary) -> None:
    good, bad = candidate("checkout", "owned_by", "risk", "a"), candidate("checkout", "owned_by", "ana", "b")
    report = Gate(systems, SYSTEMS, IRIS).check([good, bad])
    assert report.accepted == [good]
    (refused,) = report.rejected
    assert (refused.statement, refused.code, refused.candidate) == (bad.statement, "shape", bad)
    assert refused.reason == "An owner must be a team. Stated: 'Checkout' (service) owned by 'Ana Ruiz' (person)."
    assert refused.result is not None
    assert refused.result in report.results
    found = refused.result
    assert (found.focus, found.value, found.severity, found.rejects) == ("checkout", "ana", "Violation", True)
    assert (found.shape, found.component) == (SHAPE + "OwnersAreTeams", SH + "ClassConstraintComponent")
    assert (found.message, found.sources, found.files) == ("An owner must be a team.", ("b",), ())
    assert report.conforms


def test_a_subject_of_the_wrong_type_loses_this_relation_and_keeps_others(systems: Vocabulary) -> None:
    found = candidates(
        [("risk", "depends_on", "ledger", "a"), ("risk", "depends_on", "checkout", "a"), ("risk", "led_by", "ana", "a")]
    )
    report = Gate(systems, SYSTEMS, IRIS).check(found)
    assert edges(report.accepted) == [("risk", "led_by", "ana")]
    assert {one.result.shape for one in report.rejected} == {SHAPE + "OnlySystemsDepend"}


def test_two_owners_on_two_pages_both_stay_and_one_warning_names_pages_and_values(systems: Vocabulary) -> None:
    found = candidates([("checkout", "owned_by", "risk", "tiers"), ("checkout", "owned_by", "acceptance", "checkout")])
    report = Gate(systems, SYSTEMS, IRIS).check(found)
    assert report.accepted == found
    (warning,) = [one for one in report.results if one.severity == "Warning"]
    assert warning.sources == ("checkout", "tiers")
    assert warning.text == (
        "More than one owner is stated. Stated: 'Checkout' (service) owned by 'Acceptance' (team) on page checkout, "
        "'Fraud & Risk' (team) on page tiers."
    )


def test_one_owner_on_two_pages_is_no_contradiction(systems: Vocabulary) -> None:
    found = candidates([("checkout", "owned_by", "risk", "a"), ("checkout", "owned_by", "risk", "b")])
    report = Gate(systems, SYSTEMS, IRIS).check(found)
    assert report.accepted == found
    assert [one for one in report.results if one.severity == "Warning"] == []


def test_no_warning_rests_on_a_statement_that_was_rejected(systems: Vocabulary) -> None:
    found = candidates([("checkout", "owned_by", "risk", "a"), ("checkout", "owned_by", "ana", "b")])
    report = Gate(systems, SYSTEMS, IRIS).check(found)
    assert [one.severity for one in report.results if one.focus == "checkout"] == ["Violation"]


def test_every_page_that_states_a_wrong_edge_has_its_statement_rejected(systems: Vocabulary) -> None:
    from_file = Candidate(
        Statement("checkout", "owned_by", "ana", "catalogue.yaml", from_page=False), "checkout", "owned_by", "ana"
    )
    found = [candidate("checkout", "owned_by", "ana", "a"), candidate("checkout", "owned_by", "ana", "b"), from_file]
    report = Gate(systems, SYSTEMS, IRIS).check(found)
    assert [one.candidate for one in report.rejected] == found
    (result,) = [one for one in report.results if one.rejects]
    assert (result.sources, result.files) == (("a", "b", "catalogue.yaml"), ("catalogue.yaml",))
    assert result.detail.endswith("'Ana Ruiz' (person) on pages a, b and in catalogue.yaml.")


def test_the_gold_facts_of_the_example_all_pass_and_its_wrong_types_do_not() -> None:
    config = load_config(LARKSPUR)
    words = load_vocabulary(config.ontology, config.shapes)
    catalogue = load_catalogue(config.catalogue, words, config)
    pages = {page.id: page for page in map(read_page, scan_pages(config.pages, config).files)}

    def judged(name: str) -> tuple[GateReport, int]:
        lines = (LARKSPUR / "gold" / name).read_text(encoding="utf-8").splitlines()
        rows = [row for row in map(json.loads, lines) if row.get("why", "wrong_type") == "wrong_type"]
        said = [
            Statement(r["subject"], r["relation"], r["object"], r["page"], Evidence(r["quote"], -1, -1)) for r in rows
        ]
        found, refused = resolved(said, Resolver(catalogue, words), words, pages)
        assert refused == []
        return Gate(words, catalogue, IRIS).check(found), len(rows)

    facts, number = judged("triples.jsonl")
    assert len(facts.accepted) == number > 200
    traps, number = judged("traps.jsonl")
    assert len(traps.rejected) == number > 3


# -- kinds of shapes ---------------------------------------------------------------


def test_too_many_values_under_a_violation_are_all_rejected() -> None:
    report = check(("pea", "grows_in", "east bed"), ("pea", "grows_in", "west bed", "b"), shapes=("one bed",))
    assert report.accepted == []
    assert {one.reason for one in report.rejected} == {
        (
            "More is stated than may be. (Shape OneBed.) Stated: 'Pea' (plant) grows in 'East Bed' (bed) on page page, "
            "'West Bed' (bed) on page b."
        )
    }


def test_of_too_many_values_only_those_go_that_are_wrong_by_themselves() -> None:
    report = check(("pea", "grows_in", "east bed"), ("pea", "grows_in", "ines"), shapes=("in beds", "one bed"))
    assert edges(report.accepted) == [("pea", "grows_in", "east bed")]


def test_an_object_of_the_wrong_type_is_rejected_through_target_objects() -> None:
    report = check(("pea", "tended_by", "oak"), ("pea", "tended_by", "ines"), shapes=("tenders",))
    assert rejected(report) == [("pea", "tended_by", "oak")]
    assert report.rejected[0].result.focus == "oak"


def test_inverse_paths_reject_the_statements_that_reach_the_focus_node() -> None:
    crowd = [(name, "grows_in", "east bed") for name in ("oak", "ash", "pea")]
    report = check(*crowd, ("oak", "grows_in", "west bed"), shapes=("full bed",))
    assert rejected(report) == crowd
    assert report.rejected[0].result.path is None
    report = check(("pea", "near", "oak"), ("ash", "near", "oak"), shapes=("trees only",))
    assert rejected(report) == [("pea", "near", "oak")]


def test_something_lacking_rejects_nothing_of_what_is_there_and_is_reported() -> None:
    report = check(("oak", "near", "pea"), shapes=("untended",))
    assert rejected(report) == []
    assert not report.conforms
    assert [(one.focus, one.sources, one.detail) for one in report.results] == [
        ("ash", (), "About 'Ash' (tree)."),
        ("oak", (), "About 'Oak' (tree)."),
    ]


def test_something_lacking_rejects_the_statements_that_call_for_it_even_if_it_was_itself_rejected() -> None:
    found = (
        ("oak", "near", "pea"),
        ("oak", "grows_in", "ines"),
        ("ash", "near", "pea"),
        ("ash", "grows_in", "east bed"),
    )
    report = check(*found, shapes=("in beds", "near needs bed"))
    assert rejected(report) == [("oak", "near", "pea"), ("oak", "grows_in", "ines")]
    assert report.conforms


def test_what_the_catalogue_says_is_reported_and_rejects_nothing() -> None:
    report = check(("oak", "near", "pea"), shapes=("edible",))
    assert rejected(report) == []
    (result,) = report.results
    assert (result.focus, result.value, result.value_datatype.rsplit("#")[-1]) == ("oak", "false", "boolean")
    assert (result.sources, result.detail) == ((), "About 'Oak' (tree), value 'false'.")
    assert not report.conforms


@pytest.mark.parametrize(
    ("shape", "found", "expected"),
    [
        ("either", ["pea tended_by oak", "pea tended_by ines", "pea tended_by pea"], ["pea tended_by pea"]),
        ("apart", ["pea near oak", "pea near ash", "pea grows_in ash"], ["pea near ash", "pea grows_in ash"]),
        ("either way", ["pea near oak", "oak near pea", "ash near pea"], []),
        ("either way", ["pea near oak", "ash near pea", "pea near east", "oak grows_in pea"], None),
        ("second hand", ["pea near oak", "oak grows_in pea", "ash near oak"], ["pea near oak", "ash near oak"]),
        ("as bed", ["pea grows_in oak", "pea grows_in east"], ["pea grows_in oak"]),
        ("as bed", ["pea grows_in west", "pea grows_in east"], ["pea grows_in west", "pea grows_in east"]),
        ("not both", ["pea near oak", "ash near oak", "ash grows_in east"], ["ash near oak", "ash grows_in east"]),
        ("closed", ["east near oak", "oak grows_in east"], ["east near oak"]),
        ("qualified", ["pea near oak", "pea near ash", "ash near pea"], None),
        ("good neighbours", ["pea near oak", "pea near ash", "ash grows_in east"], ["pea near oak"]),
        ("query", ["pea near oak", "oak near pea", "oak near ash"], ["pea near oak", "oak near pea"]),
        ("anonymous", ["pea near oak", "pea near east"], ["pea near east"]),
    ],
)
def test_each_kind_of_shape_blames_the_statements_that_broke_it(
    shape: str, found: list[str], expected: list[str] | None
) -> None:
    def row(text: str) -> tuple[str, str, str]:
        subject, relation, object_ = (f"{word} bed" if word in ("east", "west") else word for word in text.split())
        return subject, relation, object_

    report = check(*map(row, found), shapes=(shape,))
    # None: all but the last, which has nothing to do with it.
    assert rejected(report) == [row(one) for one in (found[:-1] if expected is None else expected)]


def test_a_blank_shape_goes_by_the_named_one_that_holds_it() -> None:
    report = check(("pea", "tended_by", "pea"), shapes=("either",))
    assert report.rejected[0].result.shape == RULE + "Either"
    nameless = check(("pea", "near", "east bed"), shapes=("anonymous",)).rejected[0].result
    assert nameless.shape.startswith(SHAPE + "blank-")
    assert nameless == check(("pea", "near", "east bed"), shapes=("anonymous",)).rejected[0].result


def test_a_relation_without_shapes_is_held_to_the_types_that_the_ontology_documents(tmp_path: Path) -> None:
    text = (Path(__file__).parent / "garden" / "ontology.ttl").read_text(encoding="utf-8")
    text += ":near schema:domainIncludes :Tree , :Bed ; schema:rangeIncludes :Plant .\n"
    (tmp_path / "o.ttl").write_text(text, encoding="utf-8")
    gate = Gate(load_vocabulary([tmp_path / "o.ttl"], []), CATALOGUE, IRIS)
    found = candidates(
        [
            ("oak", "near", "ash", "p"),
            ("east bed", "near", "pea", "p"),
            ("pea", "near", "oak", "p"),
            ("oak", "near", "east bed", "p"),
            ("ines", "tended_by", "ines", "p"),
        ]
    )
    report = gate.check(found)
    assert [found.index(one.candidate) for one in report.rejected] == [2, 3]
    assert report.rejected[0].reason.startswith("The subject of 'near' must be a bed or tree.")
    # Nothing is documented about the last one, so any two entities will do.
    assert found[4] in report.accepted


# -- how it works ------------------------------------------------------------------


def test_a_change_of_one_page_validates_only_its_neighbourhood(systems: Vocabulary) -> None:
    services = {f"s{n}": Entity(f"s{n}", "service", f"Service {n}") for n in range(300)}
    hub = {"hub": Entity("hub", "datastore", "Hub")}
    found = [candidate(name, "depends_on", "hub", name) for name in services]
    found += [candidate(f"s{n}", "depends_on", f"s{n + 1}", f"s{n}") for n in range(299)]
    gate = Gate(systems, Catalogue({**services, **hub}), IRIS)
    assert gate.check(found).focus_nodes == 301
    focus = gate.affected(found, {"s7", "s8", "hub"})
    assert focus == {"s7", "s8", "hub"}
    report = gate.check(found, focus)
    assert report.focus_nodes == 3
    assert edges(report.accepted) == [(f"s{n}", "depends_on", end) for end in ("hub", None) for n in (7, 8) if end] + [
        ("s7", "depends_on", "s8"),
        ("s8", "depends_on", "s9"),
    ]


def test_no_candidates_and_an_empty_focus_are_fine(systems: Vocabulary) -> None:
    gate = Gate(systems, SYSTEMS, IRIS)
    assert {one.severity for one in gate.check([]).results} == {"Info"}
    nothing = gate.check([candidate("checkout", "owned_by", "ana")], ())
    assert (nothing.accepted, nothing.rejected, nothing.results, nothing.focus_nodes) == ([], [], [], 0)


def test_imports_in_shapes_are_not_followed_and_nothing_is_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    shapes = tmp_path / "s.ttl"
    shapes.write_text(
        """@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix : <https://garden.example/terms#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
        <https://garden.example/s> a owl:Ontology ; owl:imports <http://remote.example/more.ttl> .
        <urn:s> a sh:NodeShape ; sh:targetSubjectsOf :near ; sh:nodeKind sh:IRI ; sh:qualifiedValueShape [ ] .
        <urn:n> a sh:PropertyShape ; sh:targetClass :Plant ; sh:path :edible ; sh:hasValue "x"^^xsd:date .
        """,
        encoding="utf-8",
    )
    words = load_vocabulary([Path(__file__).parent / "garden" / "ontology.ttl"], [shapes])
    assert Gate(words, CATALOGUE, IRIS).check([candidate("oak", "near", "pea")]).rejected == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("shape", "said"),
    [
        ('sh:path :near ; sh:minCount "many"', "sh:minCount takes a whole number"),
        ('sh:path :near ; sh:pattern "("', "the shapes cannot be used"),
        ("sh:path :near ; sh:node <urn:other>", "the shapes cannot be used"),
    ],
)
def test_shapes_that_cannot_be_used_are_an_error_that_says_why(tmp_path: Path, shape: str, said: str) -> None:
    (tmp_path / "s.ttl").write_text(
        "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix : <https://garden.example/terms#> .\n"
        f"<urn:s> a sh:PropertyShape ; sh:targetClass :Plant ; {shape} .\n<urn:other> sh:path :near .",
        encoding="utf-8",
    )

    def used() -> None:
        words = load_vocabulary([Path(__file__).parent / "garden" / "ontology.ttl"], [tmp_path / "s.ttl"])
        Gate(words, CATALOGUE, IRIS).check([candidate("oak", "near", "pea")])

    with pytest.raises(OntologyError, match=said.replace(".", r"\.")):
        used()


def test_the_second_domain_goes_through_the_same_gate() -> None:
    words = load_vocabulary([MUSEUM / "ontology.ttl"], [MUSEUM / "shapes.ttl"])
    things = Catalogue(
        {
            "fleet": Entity("fleet", "artwork", "The Ice Fleet", attributes={"on_display": True, "year": 1890}),
            "elske": Entity("elske", "person", "Elske Maurits"),
            "print-room": Entity("print-room", "room", "Print Room"),
        }
    )
    found = candidates([("fleet", "created_by", "elske", "p"), ("fleet", "created_by", "print-room", "p")])
    report = Gate(words, things, IRIS).check(found)
    assert report.accepted == found[:1]
    assert report.rejected[0].reason.startswith("A maker must be a person.")
    assert [(one.severity, one.message) for one in report.results if not one.rejects] == [
        ("Info", "No location is stated.")
    ]
