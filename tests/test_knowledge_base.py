"""Opening a built knowledge base: quick, pinned, and everything from the generation that was opened."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pyoxigraph as ox
import pytest

import kb
from kb.config import load_config
from kb.errors import GenerationError, NoKnowledgeBaseError, QueryError
from kb.extract.phrases import PhraseReader
from kb.generations import Generation, Generations
from kb.graph import assemble
from kb.graph.candidates import Candidate, Rejected
from kb.iris import Iris
from kb.knowledge_base import KnowledgeBase
from kb.model import Statement
from kb.sources.catalogue import load_catalogue
from kb.sources.pages import page_title, read_page, scan_pages
from kb.vocabulary import load_vocabulary

MUSEUM = Path(__file__).parent / "domains" / "museum"
READING = assemble.ReadingInfo("test/1")


def publish(folder: Path) -> Generation:
    """A generation of the museum with its gold facts, and one rejected statement."""
    config = load_config(folder)
    vocabulary = load_vocabulary(config.ontology, config.shapes)
    catalogue = load_catalogue(config.catalogue, vocabulary, config)
    iris, generations = Iris(config.base), Generations(config.store)
    stated = defaultdict(list)
    for line in (folder / "gold" / "triples.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        said = Statement(row["subject"], row["relation"], row["object"], row["page"])
        stated[row["page"]].append(Candidate(said, row["subject"], row["relation"], row["object"]))
    refused = Rejected(Statement("x", "located_in", "y", "house/rooms"), "unknown_entity", "x is not in the catalogue")
    assert config.pages is not None
    with generations.lock(), generations.begin(None, iris) as draft:
        draft.writer.replace(iris.catalogue_graph, assemble.catalogue_quads(catalogue, vocabulary, iris))
        for file in scan_pages(config.pages, config).files:
            page, facts = read_page(file), stated[file.id]
            edges = [(one.subject, one.relation, one.object) for one in facts]
            records = assemble.page_quads(page.id, page_title(page), page.digest, iris)
            records += assemble.statement_quads(facts, READING, vocabulary, iris)
            if page.id == refused.statement.source:
                records += assemble.rejection_quads([refused], READING, iris)
            draft.writer.replace(iris.page_graph(page.id), assemble.page_fact_quads(page.id, edges, vocabulary, iris))
            draft.writer.replace_records(iris.page(page.id), records)
        draft.writer.replace(iris.report_graph, assemble.report_quads([], iris))
        draft.write("catalogue.json", json.dumps(catalogue.to_json()))
        for name, triples in (("ontology", vocabulary.ontology), ("shapes", vocabulary.shapes)):
            draft.write(f"vocabulary/{name}.nt", "".join(f"{triple} .\n" for triple in triples))
        key = {"base": config.base, "vocabulary": vocabulary.digest, "catalogue": catalogue.digest}
        key["reader"] = PhraseReader.identity
        return draft.publish({"key": key})


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("museum") / "museum"
    shutil.copytree(MUSEUM, folder)
    publish(folder)
    return folder


@pytest.fixture
def folder(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "museum"))


GOLD = [json.loads(line) for line in (MUSEUM / "gold" / "triples.jsonl").read_text(encoding="utf-8").splitlines()]
EDGES = {(row["subject"], row["relation"], row["object"]) for row in GOLD}


# -- opening -------------------------------------------------------------------


def test_what_was_not_built_cannot_be_opened(tmp_path: Path) -> None:
    shutil.copytree(MUSEUM, tmp_path / "museum")
    with pytest.raises(NoKnowledgeBaseError, match="run `kb build`"):
        kb.open(tmp_path / "museum")
    with pytest.raises(NoKnowledgeBaseError, match="kb init"):
        kb.open(tmp_path)


def test_opening_and_a_plan_import_neither_rdflib_nor_numpy_nor_openai(built: Path) -> None:
    program = (
        "import sys, kb; base = kb.open(sys.argv[1]);"
        "found = base.run({'start': 'ice-fleet', 'hops': ['created_by']}).answers;"
        "assert [one.id for one in found] == ['elske-maurits'], found;"
        "print(sorted({'rdflib', 'numpy', 'openai', 'pyshacl', 'oxrdflib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program, str(built)], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("[]\n", "")


def test_importing_kb_costs_nothing_and_shows_its_names() -> None:
    program = (
        "import sys; before = set(sys.modules); import kb; print(sorted(n for n in set(sys.modules) - before if "
        "n.split('.')[0] in {'kb', 'pyoxigraph', 'yaml'})); print(kb.open.__module__, kb.KnowledgeBase.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("['kb']\nkb.knowledge_base KnowledgeBase\n", "")
    with pytest.raises(AttributeError, match="no attribute 'missing'"):
        kb.missing  # noqa: B018


def test_build_stays_a_function_when_its_module_is_imported() -> None:
    from kb.pipeline import build

    assert callable(kb.build)
    assert kb.build is not build


def test_an_open_knowledge_base_keeps_its_generation_until_it_is_closed(folder: Path) -> None:
    first = kb.open(folder)
    for _ in range(3):
        publish(folder)
    generations = Generations(folder / "kg")
    generations.prune(keep=1)
    assert {first.generation.name, kb.open(folder).generation.name} == {one.name for one in generations.list()}
    assert first.run({"start": "ice-fleet", "hops": ["created_by"]}).answers[0].id == "elske-maurits"
    first.close()
    first.close()
    generations.prune(keep=1)
    assert len(generations.list()) == 1
    with pytest.raises(GenerationError, match="closed"):
        first.run({"start": "ice-fleet", "hops": ["created_by"]})
    with pytest.raises(GenerationError, match="closed"):
        first.query("ASK {}")


def test_a_forgotten_knowledge_base_lets_go_of_its_generation(folder: Path) -> None:
    generations = Generations(folder / "kg")
    base = kb.open(folder)
    assert generations.pins()
    del base
    assert generations.pins() == {}


def test_an_older_generation_opens_by_name(folder: Path) -> None:
    older = Generations(folder / "kg").current()
    newer = publish(folder)
    assert older is not None
    with kb.open(folder, generation=older.name) as base:
        assert base.generation == older
    with kb.open(folder) as base:
        assert base.generation == newer
    with pytest.raises(GenerationError, match="no such generation"):
        kb.open(folder, generation="gen-000042-abcdef")
    assert Generations(folder / "kg").pins() == {}


@pytest.mark.parametrize(
    "name", ["catalogue.json", "vocabulary/ontology.nt", "vocabulary/shapes.nt", "graph/CURRENT", "meta.json"]
)
def test_a_damaged_file_is_told_when_it_is_needed(folder: Path, name: str) -> None:
    generation = Generations(folder / "kg").current()
    assert generation is not None
    with (generation.path / name).open("ab") as file:
        file.write(b"garbage")
    with pytest.raises(GenerationError, match="kb build --force"), kb.open(folder) as base:
        base.run({"start": "ice-fleet", "hops": ["created_by"]})
    assert Generations(folder / "kg").pins() == {}


# -- what it holds ---------------------------------------------------------------


@pytest.fixture(scope="module")
def museum(built: Path) -> Iterator[KnowledgeBase]:
    with kb.open(built) as base:
        yield base


def test_it_has_the_vocabulary_and_catalogue_of_the_build(museum: KnowledgeBase) -> None:
    config = museum.config
    vocabulary = load_vocabulary(config.ontology, config.shapes)
    assert museum.vocabulary.digest == vocabulary.digest
    assert museum.vocabulary.relations == vocabulary.relations
    assert museum.vocabulary.attributes == vocabulary.attributes
    assert museum.catalogue == load_catalogue(config.catalogue, vocabulary, config)


def test_the_base_is_that_of_the_build_also_when_kb_toml_names_another_now(folder: Path) -> None:
    text = (folder / "kb.toml").read_text(encoding="utf-8")
    (folder / "kb.toml").write_text(text.replace("kb.harbourmuseum.example", "elsewhere.example"), encoding="utf-8")
    with kb.open(folder) as base:
        assert base.iris.base == "https://kb.harbourmuseum.example/"
        assert base.run({"start": "ice-fleet", "hops": ["created_by"]}).answers[0].id == "elske-maurits"


def test_entities_and_labels(museum: KnowledgeBase) -> None:
    entity = museum.entity("ice-fleet")
    assert entity is not None
    assert entity.name == "The Ice Fleet"
    assert museum.entity("nobody") is None
    relation = museum.vocabulary.relations["created_by"]
    assert relation.inverse is not None
    iris = museum.iris
    assert museum.label(iris.entity("ice-fleet")) == "The Ice Fleet"
    assert museum.label(relation.iri) == relation.label
    assert museum.label(relation.inverse.iri) == relation.inverse.label
    assert museum.label(iris.page("works/ice-fleet")) == "The Ice Fleet"
    assert museum.label(iris.entity("nobody")) == "nobody"
    assert museum.label("https://example.org/things#some-thing") == "some-thing"


def test_the_store_holds_each_fact_once(museum: KnowledgeBase) -> None:
    found = set()
    for name, relation in museum.vocabulary.relations.items():
        for quad in museum.store.quads_for_pattern(None, ox.NamedNode(relation.iri), None, ox.DefaultGraph()):
            assert isinstance(quad.subject, ox.NamedNode)
            assert isinstance(quad.object, ox.NamedNode)
            found.add((museum.iris.entity_id(quad.subject.value), name, museum.iris.entity_id(quad.object.value)))
    assert found == EDGES
    with pytest.raises(RuntimeError, match="read-write"):
        museum.store.add(ox.Quad(*[ox.NamedNode("https://example.org/x")] * 3))


def test_the_rdflib_dataset_has_the_facts_as_default_graph_and_cannot_be_written(museum: KnowledgeBase) -> None:
    from rdflib import Graph, URIRef

    relation = URIRef(museum.vocabulary.relations["created_by"].iri)
    facts = museum.graph.default_graph
    assert len(list(facts.triples((None, relation, None)))) == sum(edge[1] == "created_by" for edge in EDGES)
    named = museum.graph.graph(URIRef(museum.iris.page_graph("works/ice-fleet")))
    assert 0 < len(named) < len(facts)
    assert len(museum.graph.query("SELECT * { ?s ?p ?o }")) == len(facts)
    assert len(museum.graph.query("SELECT * { ?s rdfs:label ?name }")) == len(museum.catalogue.entities)
    assert isinstance(named, Graph)
    thing = URIRef("https://example.org/x")
    for write in (
        lambda: museum.graph.default_graph.add((thing, thing, thing)),
        lambda: museum.graph.remove_graph(named),
        lambda: museum.graph.update("INSERT DATA { <urn:x> <urn:x> <urn:x> }"),
    ):
        with pytest.raises(TypeError, match="read-only"):
            write()
    with pytest.raises(QueryError, match="SERVICE"):
        museum.graph.query("SELECT * { SERVICE <http://127.0.0.1:9/> { ?s ?p ?o } }")


def test_the_length_of_the_rdflib_graph_is_counted_once(museum: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    import oxrdflib

    from kb.graph.rdflib_view import dataset

    real, counts = oxrdflib.OxigraphStore.__len__, []

    def counted(self: object, context: object = None) -> int:
        counts.append(context)
        return int(real(self, context))

    monkeypatch.setattr(oxrdflib.OxigraphStore, "__len__", counted)
    graph = dataset(museum.store).default_graph
    assert [bool(graph) for _ in range(5)] == [True] * 5
    assert len(counts) == 1


# -- questions -------------------------------------------------------------------


def test_plans_are_answered_with_witnesses(museum: KnowledgeBase) -> None:
    [found] = museum.run({"start": "ice-fleet", "hops": ["created_by"]}).answers
    assert (found.id, found.label) == ("elske-maurits", "Elske Maurits")
    assert [(edge.subject, edge.relation, edge.object) for edge in found.witness] == [
        ("ice-fleet", "created_by", "elske-maurits")
    ]
    [found] = museum.run({"start": "ice-fleet", "hops": ["created_by"]}, witnesses=False).answers
    assert found.witness == ()


def test_questions_are_answered(museum: KnowledgeBase) -> None:
    assert [one.id for one in museum.ask("Who painted The Ice Fleet?").answers] == ["elske-maurits"]


def test_queries_run_one_after_the_other_in_one_worker(museum: KnowledgeBase) -> None:
    text = f"SELECT ?who {{ ?work <{museum.vocabulary.relations['created_by'].iri}> ?who }}"
    work = ox.NamedNode(museum.iris.entity("ice-fleet"))
    all_of_them = museum.query(text)
    one = museum.query(text, parameters={"work": work})
    assert len(all_of_them.rows) == sum(edge[1] == "created_by" for edge in EDGES)
    assert one.rows == ((ox.NamedNode(museum.iris.entity("elske-maurits")),),)
    assert len(museum.query(text, max_rows=2).rows) == 2
    with pytest.raises(QueryError):
        museum.query("SELECT nonsense")


# -- status ----------------------------------------------------------------------


def test_status_counts_what_the_generation_holds(museum: KnowledgeBase) -> None:
    status = museum.status()
    pages = len(list((MUSEUM / "pages").rglob("*.md")))
    assert status["generation"] == museum.generation.name
    assert (status["pages"], status["entities"]) == (pages, len(museum.catalogue.entities))
    assert status["facts"] == len(EDGES) == sum(status["relations"].values())
    assert status["statements"] == len({(row["page"], *edge(row)) for row in GOLD})
    assert status["rejected"] == {"unknown_entity": 1}
    assert status["warnings"] == 0
    assert status["changes"] == {
        "pages": {"new": [], "changed": [], "removed": [], "unreadable": []},
        "schemas": {"new": [], "changed": [], "removed": [], "unreadable": []},
        "ontology": False,
        "catalogue": False,
        "reader": False,
        "embedding": False,
        "duplicates": False,
        "problems": [],
    }
    assert status["stale"] is False
    json.dumps(status)


def edge(row: dict[str, str]) -> tuple[str, str, str]:
    return row["subject"], row["relation"], row["object"]


def test_status_tells_what_changed_on_disk_since_the_build(folder: Path) -> None:
    pages = folder / "pages"
    (pages / "new.md").write_text("# New\n", encoding="utf-8")
    (pages / "works" / "ice-fleet.md").write_text("# Changed\n", encoding="utf-8")
    (pages / "works" / "low-tide.md").unlink()
    (pages / "house" / "rooms.md").write_bytes(b"\xff\xff\xff")
    with kb.open(folder) as base:
        changes = base.status()["changes"]["pages"]
        assert (changes["new"], changes["changed"], changes["removed"]) == (
            ["new"],
            ["works/ice-fleet"],
            ["works/low-tide"],
        )
        [unreadable] = changes["unreadable"]
        assert "rooms.md" in unreadable
        assert base.status()["stale"] is True


def test_status_tells_of_a_note_that_cannot_be_read_and_of_another_threshold(folder: Path) -> None:
    (folder / "schemas").mkdir()
    note = folder / "schemas" / "a.schema.yaml"
    note.write_text("concept: a\nfields: [{id: f}]\n", encoding="utf-8")
    kb.build(folder, force=True)
    note.write_text("concept: a\nfeilds: [{id: f}]\n", encoding="utf-8")
    with (folder / "kb.toml").open("a", encoding="utf-8") as file:
        file.write("\n[embed]\nduplicate_threshold = 0.25\n")
    with kb.open(folder) as base:
        status = base.status()
    [fault] = status["changes"]["schemas"]["unreadable"]
    assert "schemas/a.schema.yaml:2: unknown key 'feilds'" in fault
    assert status["changes"]["schemas"]["changed"] == []
    assert (status["changes"]["duplicates"], status["changes"]["embedding"], status["stale"]) == (True, False, True)
    note.write_text("concept: a\nfields: [{id: f}]\n", encoding="utf-8")
    kb.build(folder)
    with kb.open(folder) as base:
        assert base.status()["stale"] is False


def test_status_tells_of_a_changed_or_broken_ontology_and_catalogue(folder: Path) -> None:
    with (folder / "ontology.ttl").open("a", encoding="utf-8") as file:
        file.write("\n<https://example.org/extra> a <http://www.w3.org/2002/07/owl#Class> .\n")
    with (folder / "catalogue.yaml").open("a", encoding="utf-8") as file:
        file.write("\n  - {id: ice-fleet, type: artwork, name: again}\n")
    with kb.open(folder) as base:
        status = base.status()
    assert (status["changes"]["ontology"], status["changes"]["catalogue"], status["stale"]) == (True, True, True)
    assert any("ice-fleet" in problem for problem in status["changes"]["problems"])
    assert any("https://example.org/extra" in advice for advice in status["advice"])
