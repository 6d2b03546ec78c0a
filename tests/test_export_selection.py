"""Parts of the graph are exported whole: a page, a note, an entity, each with who says so where that is asked for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyoxigraph as ox
import pytest

import kb
from kb.errors import ExportError, UnknownNameError
from kb.export.describe import describe
from kb.graph.export import FORMATS, export
from kb.knowledge_base import KnowledgeBase
from kb.namespaces import DCTERMS, KB, RDF, SD, VOID

ROOT = Path(__file__).resolve().parent.parent
N = ox.NamedNode


@pytest.fixture(scope="module", params=["larkspur", "museum", "notes"])
def base(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    homes = {"museum": ROOT / "tests" / "domains" / "museum"}
    source = homes.get(request.param, ROOT / "examples" / request.param)
    folder = tmp_path_factory.mktemp("export") / request.param
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("kg"))
    kb.build(folder)
    return kb.open(folder)


def triples(data: bytes, name: str = "ntriples") -> set[str]:
    return {str(quad.triple) for quad in ox.parse(data, format=FORMATS[name].rdf)}


def first_entity(base: KnowledgeBase) -> str:
    subjects = (quad.subject for quad in base.store.quads_for_pattern(None, N(RDF + "type"), None, ox.DefaultGraph()))
    return min(base.iris.entity_id(one.value) or "" for one in subjects if isinstance(one, ox.NamedNode))


def stated_graphs(base: KnowledgeBase) -> list[str]:
    start = base.iris.base + "graph/"
    names = [one.value[len(start) :] for one in base.store.named_graphs() if isinstance(one, ox.NamedNode)]
    pages = ["page:" + name.removeprefix("page/") for name in names if name.startswith("page/")]
    return [*pages, *("schema:" + name.removeprefix("schema/") for name in names if name.startswith("schema/"))]


@pytest.mark.parametrize("name", FORMATS)
def test_an_entity_is_exported_with_all_facts_that_it_is_the_subject_of(base: KnowledgeBase, name: str) -> None:
    one = first_entity(base)
    expected = {
        str(quad.triple)
        for quad in base.store.quads_for_pattern(N(base.iris.entity(one)), None, None, ox.DefaultGraph())
    }
    found = triples(export(base.store, name, base.iris, base.vocabulary, entities=[one], facts_only=True), name)
    assert found == expected != set()


def test_an_entity_with_provenance_has_a_record_for_each_of_its_facts_that_has_one(base: KnowledgeBase) -> None:
    where = N(base.iris.provenance_graph)
    subjects = sorted(
        {str(quad.object) for quad in base.store.quads_for_pattern(None, N(RDF + "subject"), None, where)}
    )
    if not subjects:
        assert base.config.pages is None  # facts of schema notes have a file, and no records
        return
    one = base.iris.entity_id(subjects[0].strip("<>"))
    assert one is not None
    data = export(base.store, "nquads", base.iris, entities=[one])
    store = ox.Store()
    store.load(data, format=ox.RdfFormat.N_QUADS)
    records = set(base.store.quads_for_pattern(None, N(RDF + "subject"), N(base.iris.entity(one)), where))
    assert records == set(store.quads_for_pattern(None, N(RDF + "subject"), None, where)) != set()
    for record in records:
        pages = [quad.object for quad in store.quads_for_pattern(record.subject, N(KB + "onPage"), None, where)]
        assert pages
        assert all(
            next(iter(store.quads_for_pattern(page, None, None, where)), None) is not None
            for page in pages
            if isinstance(page, ox.NamedNode)
        )
    assert triples(export(base.store, "ntriples", base.iris, entities=[one], provenance=True)) <= triples(
        data, "nquads"
    )


def test_each_page_and_note_is_exported_by_its_name_and_together_they_are_the_named_graphs(base: KnowledgeBase) -> None:
    names = stated_graphs(base)
    assert names
    for name in names:
        assert triples(export(base.store, "ntriples", base.iris, graphs=[name]))
    everything = export(base.store, "nquads", base.iris, graphs=names)
    start = (base.iris.base + "graph/page/", base.iris.base + "graph/schema/")
    expected = [quad for quad in base.store if getattr(quad.graph_name, "value", "").startswith(start)]
    assert len(everything.splitlines()) == len(expected)


def test_a_page_or_note_with_provenance_says_who_states_it_and_nothing_of_others(base: KnowledgeBase) -> None:
    for name in stated_graphs(base)[:5]:
        kind, _, what = name.partition(":")
        bare = triples(export(base.store, "ntriples", base.iris, graphs=[name]))
        told = triples(export(base.store, "ntriples", base.iris, graphs=[name], provenance=True))
        assert bare < told
        pages = {one.rpartition("> <")[2] for one in told if f"<{KB}onPage>" in one}
        if kind == "page":
            assert pages == {base.iris.page(what) + ">"}
        else:
            assert all("/source/" in one for one in pages)


def test_what_is_not_there_is_refused_with_what_is(base: KnowledgeBase) -> None:
    with pytest.raises(UnknownNameError, match="no entity has the id 'nobody'"):
        export(base.store, "turtle", base.iris, entities=["nobody"])
    with pytest.raises(ExportError, match="there is no graph 'schema:nothing'; there are facts"):
        export(base.store, "turtle", base.iris, graphs=["schema:nothing"])
    with pytest.raises(ExportError, match="nothing has been inferred"):
        export(base.store, "turtle", base.iris, inferences=True)


def test_inferences_come_along_when_they_are_asked_for(base: KnowledgeBase) -> None:
    store = ox.Store()
    store.extend(base.store)
    one = first_entity(base)
    inferred = ox.Quad(N(base.iris.entity(one)), N("urn:p"), N("urn:o"), N(base.iris.inferences_graph))
    store.add(inferred)
    line = str(inferred.triple)
    assert line not in triples(export(store, "ntriples", base.iris))
    assert line in triples(export(store, "ntriples", base.iris, inferences=True))
    assert line not in triples(export(store, "ntriples", base.iris, entities=[one]))
    assert line in triples(export(store, "ntriples", base.iris, entities=[one], inferences=True))
    data = export(store, "nquads", base.iris, facts_only=True, inferences=True)
    assert str(inferred) + " ." in data.decode().splitlines()


def test_blank_nodes_of_an_entity_come_along_even_in_a_circle() -> None:
    store, iris = ox.Store(), kb.iris.Iris("https://kb.example/")
    node, one, two = N(iris.entity("a")), ox.BlankNode("one"), ox.BlankNode("two")
    for s, o in ((node, one), (one, two), (two, one)):
        store.add(ox.Quad(s, N("urn:p"), o))
    store.add(ox.Quad(ox.BlankNode("other"), N("urn:p"), node))
    assert len(triples(export(store, "ntriples", iris, entities=["a"]))) == 3


# -- the description of the data set -----------------------------------------------------


def described(base: KnowledgeBase, **about: str) -> ox.Store:
    data = describe(
        base.store,
        base.vocabulary,
        base.iris,
        "turtle",
        generation="gen-1",
        created="2026-01-01T00:00:00Z",
        about=about,
    )
    store = ox.Store()
    store.load(data, format=ox.RdfFormat.TURTLE)
    return store


def value(store: ox.Store, subject: str, predicate: str) -> str:
    (found,) = store.quads_for_pattern(N(subject), N(predicate), None, None)
    return str(getattr(found.object, "value", found.object))


def test_the_description_counts_what_is_there(base: KnowledgeBase) -> None:
    store, dataset = described(base), base.iris.base + "dataset"
    facts = list(base.store.quads_for_pattern(None, None, None, ox.DefaultGraph()))
    assert int(value(store, dataset, VOID + "triples")) == len(facts)
    assert int(value(store, dataset, VOID + "distinctSubjects")) == len({quad.subject for quad in facts})
    parts = [quad.object for quad in store.quads_for_pattern(N(dataset), N(VOID + "propertyPartition"), None, None)]
    assert sum(int(value(store, one.value, VOID + "triples")) for one in parts) == len(facts)  # type: ignore[union-attr]
    graphs = {quad.object for quad in store.quads_for_pattern(None, N(SD + "name"), None, None)}
    assert graphs == set(base.store.named_graphs())
    assert not any(isinstance(quad.subject, ox.BlankNode) for quad in store)


def test_the_description_has_title_and_licence_where_they_are_given(base: KnowledgeBase) -> None:
    dataset = base.iris.base + "dataset"
    store = described(base, title="Ours", licence="https://l.example/1", publisher="We")
    assert value(store, dataset, DCTERMS + "title") == "Ours"
    assert value(store, dataset, DCTERMS + "license") == "https://l.example/1"
    assert value(store, dataset, DCTERMS + "publisher") == dataset + "/publisher"
    standards = [q.object for q in store.quads_for_pattern(N(dataset), N(DCTERMS + "conformsTo"), None, None)]
    kinds = {value(store, one.value, RDF + "type") for one in standards}  # type: ignore[union-attr]
    assert kinds == {DCTERMS + "Standard"}
    assert value(described(base, licence="Ask us."), dataset, DCTERMS + "rights") == "Ask us."
    assert not list(described(base).quads_for_pattern(None, N(DCTERMS + "title"), None, None))
