"""The gate against plain pySHACL, against itself in another order, and a part of it against the whole.

Graphs and shapes are drawn from seeds. Each graph is judged by a set of shapes, and the sets hold every kind of shape.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pyshacl
import pytest
import rdflib
from gate_world import GARDENS, IRIS, RELATIONS, SHAPES, candidates, vocabulary

from kb.graph.candidates import Candidate
from kb.graph.gate import Gate, GateReport
from kb.graph.terms import entity_triples
from kb.namespaces import RDFS, SH

Row = tuple[str, str, str, str]
Shapes = tuple[str, ...]

IDS = tuple(random.Random(0).sample(tuple(GARDENS.entities), len(GARDENS.entities)))

# What one of these refuses changes what another finds.
COMBINED = [
    ("crowded, warned", "near one"),
    ("full bed", "in beds", "one bed"),
    ("in beds", "one bed, warned", "untended"),
    ("near one", "one near"),
    ("closed", "in beds", "near one", "one near"),
    ("near one", "second hand, warned"),
    ("crowded, warned", "near one", "second hand"),
    ("busy, warned", "one tender", "tenders"),
]
SETS = [
    *COMBINED,
    *((name,) for name in sorted(SHAPES)),
    *(tuple(sorted(random.Random(seed).sample(sorted(SHAPES), 3))) for seed in range(6)),
]


LOCAL_NAMES = {"grows_in": ":growsIn", "near": ":near", "tended_by": ":tendedBy"}


def rows(rnd: random.Random, shapes: Shapes, number: int) -> set[Row]:
    """Edges of the relations that the shapes speak of, a few entities having most of them."""
    seen = [name for name in RELATIONS if any(LOCAL_NAMES[name] in SHAPES[one] for one in shapes)] or list(RELATIONS)
    ids = IDS[: max(6, number // 2)]
    return {(rnd.choice(ids), rnd.choice(seen), rnd.choice(ids), rnd.choice("ab")) for _ in range(number)}


def graphs(shapes: Shapes, number: int) -> Iterator[tuple[random.Random, set[Row]]]:
    """Graphs from small to large, each with the generator that made it."""
    rnd = random.Random(" ".join(shapes))
    for count in range(number):
        yield rnd, rows(rnd, shapes, 5 + 20 * count // number)


def gate(shapes: Shapes) -> Gate:
    return Gate(vocabulary(shapes), GARDENS, IRIS)


def plain_results(shapes: Shapes, facts: list[Candidate]) -> set[tuple[str, ...]]:
    """(focus, value, component, severity) by pySHACL alone, on a graph written down triple by triple."""
    words = vocabulary(shapes)
    lines = [f"{triple} ." for e in GARDENS.entities.values() for triple in entity_triples(e, words, IRIS)]
    lines += [f"{triple} ." for triple in words.ontology if triple.predicate.value == RDFS + "subClassOf"]
    lines += [
        f"<{IRIS.entity(one.subject)}> <{words.relations[one.relation].iri}> <{IRIS.entity(one.object)}> ."
        for one in facts
    ]
    data = rdflib.Graph().parse(data="\n".join(lines), format="nt")
    shapes_graph = rdflib.Graph().parse(data="\n".join(f"{triple} ." for triple in words.shapes), format="nt")
    report = pyshacl.validate(data, shacl_graph=shapes_graph)[1]
    sh = rdflib.Namespace(SH)
    names = ("focusNode", "value", "sourceConstraintComponent", "resultSeverity")
    return {tuple(str(report.value(one, sh[name])) for name in names) for one in report.objects(None, sh.result)}


def as_plain(report: GateReport) -> set[tuple[str, ...]]:
    return {
        (one.focus_iri, str(one.value_iri or one.value), one.component, SH + one.severity)
        for one in report.results
        if not one.rejects
    }


@pytest.mark.parametrize("shapes", SETS, ids="+".join)
def test_what_is_accepted_has_exactly_the_results_that_pyshacl_finds_in_it(shapes: Shapes) -> None:
    for _, found in graphs(shapes, 4):
        report = gate(shapes).check(candidates(sorted(found)))
        assert as_plain(report) == plain_results(shapes, report.accepted)


@pytest.mark.parametrize("shapes", SETS, ids="+".join)
def test_the_order_of_candidates_makes_no_difference(shapes: Shapes) -> None:
    for rnd, found in graphs(shapes, 2):
        in_order = candidates(sorted(found))
        one, other = gate(shapes).check(in_order), gate(shapes).check(rnd.sample(in_order, len(in_order)))
        assert set(one.accepted) == set(other.accepted)
        assert set(one.rejected) == set(other.rejected)
        assert one.results == other.results


@pytest.mark.parametrize("shapes", SETS, ids="+".join)
def test_a_check_with_a_focus_is_the_same_slice_of_the_full_check(shapes: Shapes) -> None:
    checker = gate(shapes)
    for rnd, found in graphs(shapes, 4):
        every = candidates(sorted(found))
        full = checker.check(every)
        for size in (1, 2, 4):
            focus = set(rnd.sample(IDS, size))
            part = checker.check(every, focus)
            assert part.results == [one for one in full.results if one.focus in focus]
            assert part.accepted == [one for one in full.accepted if checker.covers(one, focus)]
            assert part.rejected == [one for one in full.rejected if checker.covers(one.candidate, focus)]


@pytest.mark.parametrize("shapes", SETS, ids="+".join)
def test_checking_what_a_change_affects_brings_an_old_report_up_to_date(shapes: Shapes) -> None:
    checker = gate(shapes)
    for rnd, kept in graphs(shapes, 8):
        before, after = kept | rows(rnd, shapes, 1), kept | rows(rnd, shapes, 1)
        changed = {end for row in before ^ after for end in (row[0], row[2])}
        old, new = checker.check(candidates(sorted(before))), checker.check(candidates(sorted(after)))
        focus = checker.affected(candidates(after), changed)
        part = checker.check(candidates(sorted(after)), focus)
        current = set(candidates(after))
        results = [one for one in old.results if one.focus not in focus] + part.results
        accepted = [one for one in old.accepted if one in current and not checker.covers(one, focus)]
        rejected = [r for r in old.rejected if r.candidate in current and not checker.covers(r.candidate, focus)]
        assert set(results) == set(new.results)
        assert {*accepted, *part.accepted} == set(new.accepted)
        assert {*rejected, *part.rejected} == set(new.rejected)


@pytest.mark.parametrize("shapes", SETS, ids="+".join)
def test_naming_every_entity_as_focus_checks_everything(shapes: Shapes) -> None:
    for _, found in graphs(shapes, 2):
        every = candidates(sorted(found))
        full, part = gate(shapes).check(every), gate(shapes).check(every, IDS)
        assert part.results == full.results
        assert part.accepted == full.accepted


def test_a_warning_goes_where_a_statement_elsewhere_made_its_own_too_much() -> None:
    checker = gate(("crowded, warned", "near one"))
    before = [("oak 1", "near", "pea 1", "a"), ("ash 1", "near", "pea 1", "a")]
    after = [*before, ("oak 1", "near", "pea 2", "b")]
    assert [one.focus for one in checker.check(candidates(before)).results] == ["pea 1"]
    assert checker.affected(candidates(after), {"oak 1", "pea 2"}) == {"oak 1", "pea 1", "pea 2"}
    assert [one.focus for one in checker.check(candidates(after)).results] == ["oak 1"]


def test_a_focus_looks_as_far_as_verdicts_on_its_own_edges_rest_on_others() -> None:
    # Two gardeners would be one too many for the oak, but the second is a pea, which only the pea's own result says.
    checker = gate(("busy, warned", "one tender", "tenders"))
    found = [
        ("oak 1", "tended_by", "ines 1", "a"),
        ("oak 1", "tended_by", "pea 1", "a"),
        ("ash 1", "tended_by", "ines 1", "a"),
    ]
    part = checker.check(candidates(found), {"ines 1"})
    assert [(one.focus, one.severity) for one in part.results] == [("ines 1", "Warning")]
    assert part.accepted == candidates([found[0], found[2]])
