"""The writer: named graphs replaced as wholes, the default graph their exact union, every change a difference."""

from __future__ import annotations

import doctest

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.errors import GenerationError
from kb.graph.store import GraphWriter, content_digest
from kb.iris import Iris
from kb.namespaces import KB, PROV, RDF, SH, XSD

IRIS = Iris("https://kb.example/")
ON_PAGE = ox.NamedNode(KB + "onPage")
ASSERTED = [IRIS.catalogue_graph, IRIS.statements_graph, *(IRIS.page_graph(page) for page in ("a", "b", "c/d"))]
DERIVED = [IRIS.provenance_graph, IRIS.rejections_graph, IRIS.report_graph, IRIS.inferences_graph]


def node(name: str) -> ox.NamedNode:
    return ox.NamedNode(IRIS.base + name)


def fact(subject: str, predicate: str, value: str) -> ox.Triple:
    return ox.Triple(node(subject), node(predicate), node(value))


def graph_of(store: ox.Store, iri: str | None) -> set[ox.Triple]:
    name = ox.DefaultGraph() if iri is None else ox.NamedNode(iri)
    found = [quad.triple for quad in store.quads_for_pattern(None, None, None, name)]
    assert len(found) == len(set(found))
    return set(found)


FEW = [node(name) for name in "xyz"]
VALUES = st.sampled_from(
    [
        *FEW,
        ox.Literal("plain"),
        ox.Literal("Maß", language="de-AT"),
        ox.Literal("007", datatype=ox.NamedNode(XSD + "integer")),
        ox.Literal("1.50", datatype=ox.NamedNode(XSD + "decimal")),
        ox.Literal("1", datatype=ox.NamedNode(XSD + "boolean")),
        ox.Literal("not a number", datatype=ox.NamedNode(XSD + "integer")),
        ox.BlankNode("foreign"),
    ]
)
TRIPLES = st.builds(ox.Triple, st.sampled_from(FEW), st.sampled_from(FEW), VALUES)
STEPS = st.lists(st.tuples(st.sampled_from(ASSERTED + DERIVED), st.none() | st.lists(TRIPLES, max_size=6)), max_size=12)


def normalised(triples: list[ox.Triple]) -> set[ox.Triple]:
    store = ox.Store()
    store.extend(ox.Quad(*triple) for triple in triples)
    return {quad.triple for quad in store}


@given(steps=STEPS)
def test_the_default_graph_is_the_union_of_the_asserted_graphs_after_any_changes(
    steps: list[tuple[str, list[ox.Triple] | None]],
) -> None:
    store, model = ox.Store(), dict[str, set[ox.Triple]]()
    writer = GraphWriter(store, IRIS)
    for graph, triples in steps:
        before = set(store)
        change = writer.drop(graph) if triples is None else writer.replace(graph, triples)
        old = model.pop(graph, set())
        new = normalised(triples or [])
        if new:
            model[graph] = new
        assert (change.added, change.removed) == (new - old, old - new)
        after = set(store)
        assert bool(change) == (before != after)
    for graph in ASSERTED + DERIVED:
        assert graph_of(store, graph) == model.get(graph, set())
    union = set[ox.Triple]().union(*(model.get(graph, set()) for graph in ASSERTED))
    assert graph_of(store, None) == union
    assert {name.value for name in store.named_graphs() if isinstance(name, ox.NamedNode)} == set(model)
    assert (writer.quads, writer.digest) == content_digest(store)
    assert writer.written - writer.removed == writer.quads == len(store)


@given(graphs=st.dictionaries(st.sampled_from(ASSERTED), st.lists(TRIPLES, max_size=6)))
def test_the_order_of_changes_leaves_no_trace(graphs: dict[str, list[ox.Triple]]) -> None:
    digests = set()
    for names in (sorted(graphs), sorted(graphs, reverse=True)):
        writer = GraphWriter(ox.Store(), IRIS)
        for name in names:
            writer.replace(name, [fact("old", "old", "old")])
            writer.replace(name, graphs[name])
        digests.add((writer.quads, writer.digest))
    assert len(digests) == 1


def test_replacing_a_graph_by_what_it_holds_writes_nothing() -> None:
    writer = GraphWriter(ox.Store(), IRIS)
    literals = ("007", "+5", "1")
    kinds = ("integer", "integer", "boolean")
    triples = [
        fact("a", "p", "b"),
        ox.Triple(node("a"), node("says"), ox.Literal("Straße", language="de-CH")),
        *(
            ox.Triple(node("a"), node("n"), ox.Literal(text, datatype=ox.NamedNode(XSD + kind)))
            for text, kind in zip(literals, kinds, strict=True)
        ),
    ]
    assert writer.replace(IRIS.page_graph("a"), triples)
    written = writer.written
    assert not writer.replace(IRIS.page_graph("a"), reversed(triples))
    assert (writer.written, writer.removed) == (written, 0)


def test_a_changed_page_costs_that_page() -> None:
    writer = GraphWriter(ox.Store(), IRIS)
    for page in range(50):
        writer.replace(IRIS.page_graph(f"p{page}"), [fact(f"s{page}", "p", f"o{n}") for n in range(20)])
    written = writer.written
    assert written == 50 * 20 * 2
    writer.replace(IRIS.page_graph("p7"), [fact("s7", "p", f"o{n}") for n in range(1, 21)])
    assert (writer.written - written, writer.removed) == (2, 2)


def test_a_fact_leaves_the_default_graph_with_the_last_page_that_states_it() -> None:
    store = ox.Store()
    writer = GraphWriter(store, IRIS)
    shared = fact("a", "p", "b")
    for page in ("one", "two"):
        writer.replace(IRIS.page_graph(page), [shared])
    writer.replace(IRIS.provenance_graph, [shared])
    writer.drop(IRIS.page_graph("one"))
    assert graph_of(store, None) == {shared}
    writer.drop(IRIS.page_graph("two"))
    assert graph_of(store, None) == set()
    assert graph_of(store, IRIS.provenance_graph) == {shared}


def test_a_quad_of_another_graph_is_refused() -> None:
    writer = GraphWriter(ox.Store(), IRIS)
    stray = ox.Quad(*fact("a", "p", "b"), ox.NamedNode(IRIS.page_graph("other")))
    with pytest.raises(ValueError, match="not of the graph"):
        writer.replace(IRIS.page_graph("a"), [stray])
    with pytest.raises(ValueError, match="provenance or rejections"):
        writer.replace_records(IRIS.page("a"), [stray])
    assert writer.quads == 0


def test_an_error_of_the_disk_is_told_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        def quads_for_pattern(self, *_: object) -> list[ox.Quad]:
            return []

        def __contains__(self, _: object) -> bool:
            return False

        def extend(self, _: object) -> None:
            raise OSError(28, "No space left on device")

    writer = GraphWriter(Full(), IRIS)  # type: ignore[arg-type]
    with pytest.raises(GenerationError, match="previous generation stays in use: No space left on device; free some"):
        writer.replace(IRIS.page_graph("a"), [fact("a", "p", "b")])


# -- records ---------------------------------------------------------------


def records(page: str, *, statements: int = 1, reading: str = "r1", result: str | None = None) -> list[ox.Quad]:
    """A page, its statements made by one reading, and with `result` a rejection that a SHACL result explains."""
    provenance, rejections = ox.NamedNode(IRIS.provenance_graph), ox.NamedNode(IRIS.rejections_graph)
    how, source = ox.NamedNode(IRIS.reading(reading)), ox.NamedNode(IRIS.page(page))
    quads = [
        ox.Quad(source, ox.NamedNode(KB + "digest"), ox.Literal(f"{page}{statements}"), provenance),
        ox.Quad(how, ox.NamedNode(KB + "reader"), ox.Literal("phrases/1"), provenance),
    ]
    for number in range(statements):
        record = ox.NamedNode(IRIS.statement(f"{page}-{number}"))
        quads += [
            ox.Quad(record, ON_PAGE, source, provenance),
            ox.Quad(record, ox.NamedNode(PROV + "wasGeneratedBy"), how, provenance),
            ox.Quad(record, ox.NamedNode(RDF + "subject"), node("entity/x"), provenance),
        ]
    if result is not None:
        refused, why = ox.NamedNode(IRIS.rejection(page)), ox.NamedNode(IRIS.result(result))
        quads += [
            ox.Quad(refused, ON_PAGE, source, rejections),
            ox.Quad(refused, ox.NamedNode(KB + "result"), why, rejections),
            ox.Quad(refused, ox.NamedNode(PROV + "wasGeneratedBy"), how, rejections),
            ox.Quad(how, ox.NamedNode(KB + "reader"), ox.Literal("phrases/1"), rejections),
            ox.Quad(why, ox.NamedNode(RDF + "type"), ox.NamedNode(SH + "ValidationResult"), rejections),
        ]
    return quads


RECORDED = st.builds(
    lambda page, statements, reading, result: (
        page,
        records(page, statements=statements, reading=reading, result=result) if statements is not None else [],
    ),
    st.sampled_from("abc"),
    st.none() | st.integers(0, 3),
    st.sampled_from(("r1", "r2")),
    st.none() | st.sampled_from(("v1", "v2")),
)


@given(steps=st.lists(RECORDED, max_size=10))
def test_the_records_are_those_of_the_last_replacement_of_each_page(steps: list[tuple[str, list[ox.Quad]]]) -> None:
    store = ox.Store()
    writer = GraphWriter(store, IRIS)
    for page, quads in steps:
        before = set(store)
        moved = writer.replace_records(IRIS.page(page), quads)
        assert moved == len(before ^ set(store))
    wanted = set[ox.Quad]().union(*dict(steps).values())
    pointed_at = {(quad.object, quad.graph_name) for quad in wanted}
    readings = {quad for quad in wanted if str(quad.subject).startswith("<" + IRIS.reading(""))}
    assert set(store) == {q for q in wanted if q not in readings or (q.subject, q.graph_name) in pointed_at}
    assert (writer.quads, writer.digest) == content_digest(store)


def test_records_of_other_pages_are_not_touched() -> None:
    store = ox.Store()
    writer = GraphWriter(store, IRIS)
    writer.replace_records(IRIS.page("a"), records("a", statements=5, result="v1"))
    writer.replace_records(IRIS.page("b"), records("b", statements=5, result="v1"))
    written = writer.written
    assert writer.replace_records(IRIS.page("b"), records("b", statements=5, result="v1")) == 0
    assert (writer.written, writer.removed) == (written, 0)
    writer.replace_records(IRIS.page("b"), [])
    assert set(store) == set(records("a", statements=5, result="v1"))


def test_a_record_on_two_pages_loses_only_the_page_that_goes() -> None:
    store = ox.Store()
    writer = GraphWriter(store, IRIS)
    graph, result = ox.NamedNode(IRIS.rejections_graph), ox.NamedNode(IRIS.result("both"))
    quads = [ox.Quad(result, ON_PAGE, ox.NamedNode(IRIS.page(page)), graph) for page in "ab"]
    quads.append(ox.Quad(result, ox.NamedNode(SH + "resultMessage"), ox.Literal("two owners"), graph))
    writer.replace_records(IRIS.page("a"), quads)
    writer.replace_records(IRIS.page("b"), quads)
    writer.replace_records(IRIS.page("a"), [])
    assert set(store) == set(quads[1:])
    writer.replace_records(IRIS.page("b"), [])
    assert len(store) == 0


def test_the_examples_in_the_documentation_hold() -> None:
    import kb.generations.folder
    import kb.graph.store

    for module in (kb.graph.store, kb.generations.folder):
        results = doctest.testmod(module)
        assert results.attempted > 0
        assert results.failed == 0
