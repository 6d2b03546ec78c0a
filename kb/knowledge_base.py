"""A published generation, opened for questions: `kb.open(".")`.

Opening reads `kb.toml` and `meta.json` and no more. Vocabulary, catalogue, store and rdflib are loaded when they are
first needed, and come from the generation: answers fit the build they were made from, whatever has changed since.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox

from kb.config import CONFIG_NAME, Config, opening_config, packaged
from kb.errors import ConfigError, GenerationError
from kb.generations import Generation, Generations, Pin
from kb.iris import Iris
from kb.model import Entity
from kb.names import local_name
from kb.namespaces import RDFS
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Attribute, Class, Inverse, Relation, Vocabulary, load_vocabulary

if TYPE_CHECKING:
    from rdflib import Dataset

    from kb.ask.answer import Answer
    from kb.ask.inferred import Whys
    from kb.ask.model_planner import ModelPlanner
    from kb.ask.planner import Planned, Planner
    from kb.ask.vector import Retrieval
    from kb.graph.worker import QueryResult, QueryWorker
    from kb.index.search import Index
    from kb.index.vectors import IndexFiles
    from kb.llm import Chat
    from kb.llm.session import ChatSession
    from kb.lookup import Nodes
    from kb.reason.reasoner import Reasoned

__all__ = ["KnowledgeBase", "open"]

_OPENED = (
    "graph",
    "store",
    "reasoned",
    "entities",
    "planner",
    "index",
    "chat",
    "_model_planner",
    "_retrieval",
    "_nodes",
)
"""What is made when it is first needed, and let go of by `close`."""


def open(folder: str | os.PathLike[str] = ".", *, generation: str | None = None) -> KnowledgeBase:  # noqa: A001
    """Opens the knowledge base in `folder`, or one of its older generations by name.

    A folder that `kb build --schemas --out` published into will do, too.

    What was opened stays as it is while later builds publish, and is not pruned before it is closed. Raises
    NoKnowledgeBaseError where nothing has been built, ConfigError and GenerationError where something is damaged.
    """
    config = opening_config(Path(folder))
    found, pin = Generations(config.store).acquire(generation)
    try:
        return KnowledgeBase(config, found, pin)
    except BaseException:
        pin.close()
        raise


class KnowledgeBase:
    """One generation of a knowledge base, read-only. Made by `open`; a context manager that closes it.

    `config` is what `kb.toml` says now, `generation` what was opened, `iris` mints and reads its IRIs.
    """

    def __init__(self, config: Config, generation: Generation, pin: Pin | None = None) -> None:
        self.config, self.generation = config, generation
        # The base may have changed in kb.toml; the graph holds the one that it was built with.
        self.iris = Iris(generation.meta.get("key", {}).get("base", config.base))
        self._pin = pin
        self._worker: QueryWorker | None = None
        self._worker_lock = threading.Lock()
        self._session: ChatSession | None = None
        self._chat_lock = threading.Lock()
        self._closed = False
        if pin is not None:
            weakref.finalize(self, pin.close)

    # -- what it holds ------------------------------------------------------

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Ontology and shapes of the build."""
        self._check_open()
        paths = []
        for name in ("vocabulary/ontology.nt", "vocabulary/shapes.nt"):
            self.generation.read(name)  # checks its digest
            paths.append(self.generation.path / name)
        return load_vocabulary(paths[:1], paths[1:])

    @cached_property
    def catalogue(self) -> Catalogue:
        """The catalogue of the build: all entities by id."""
        self._check_open()
        return Catalogue.from_json(self.generation.read("catalogue.json"))

    @cached_property
    def entities(self) -> Mapping[str, Entity]:
        """The catalogue's entities by id, and the concepts, fields and caveats of schema notes by theirs."""
        from kb.graph.known_entities import KnownEntities

        return KnownEntities(self.catalogue.entities, lambda: self.store, self.vocabulary, self.iris)

    @cached_property
    def store(self) -> ox.Store:
        """The graph, read-only. Its default graph is the union of all facts, each once."""
        self._check_open()
        return self.generation.open_store()

    @cached_property
    def graph(self) -> Dataset:
        """The graph as an rdflib Dataset, read-only, nothing copied. `graph.default_graph` holds the facts."""
        from kb.graph.rdflib_view import dataset

        return dataset(self.store)

    @cached_property
    def reasoned(self) -> Reasoned:
        """What follows from the facts by OWL 2 RL, why, and what contradicts itself; see docs/reasoning.md.

        Axioms are those of the build; engine and `skip` too where it published inferences, else those of kb.toml.
        Computed anew, in seconds for 100,000 triples. Raises ConfigError for an engine that is not installed.
        """
        from kb.reason.engines import installed
        from kb.reason.reasoner import reason, stated_in
        from kb.reason.settings import DEFAULT, Settings, settings_of

        published = self.generation.meta.get("reasoning")
        if published is None:
            settings = settings_of(self.config.reason) or DEFAULT
        else:
            # Who reads need not have the engine of who built: all of them infer the same.
            engine = published["key"]["engine"]
            settings = Settings(engine if installed(engine) else DEFAULT.engine, tuple(published["key"]["skip"]))
        with self.generation.reading():
            return reason(stated_in(self.store), self.vocabulary, self.iris, settings)

    @cached_property
    def index(self) -> Index:
        """The texts of page sections and entities, to be searched. Raises GenerationError where the build has none."""
        self._check_open()
        from kb.embed.provider import provider_of
        from kb.index.search import Index

        files = self._index_files()
        if files is None:
            raise GenerationError(f"{self.generation.name}: has no index of its pages; run `kb build --force`")
        # Addresses and keys are those of kb.toml.
        return Index.open(self.generation.path, provider_of(files.identity, self.config))

    @cached_property
    def planner(self) -> Planner:
        """Turns questions into plans, without a model."""
        from kb.ask.planner import Planner

        return Planner(self.vocabulary, self.catalogue)

    @cached_property
    def chat(self) -> Chat:
        """The language model of kb.toml, with its journal. Nothing is sent before something is asked.

        Raises ConfigError where kb.toml has no `[llm]` or a wrong one.
        """
        self._check_open()
        with self._chat_lock:
            if self._session is None:
                self._session = self.open_chat()
            return self._session

    def open_chat(
        self, *, record: Path | None = None, replay: Path | None = None, max_cost: float | None = None
    ) -> ChatSession:
        """Another session with the model of kb.toml, for the caller to close; see `kb.llm.session.open_chat`.

        Raises ConfigError where kb.toml has no `[llm]` or a wrong one, ReplayError for a damaged recording.
        """
        self._check_open()
        if not self.config.llm:
            raise ConfigError(
                f"{self.config.root / CONFIG_NAME}: no language model is set up; add the lines\n"
                '  [llm]\n  model = "…"     # the name that the endpoint knows it by\n'
                '  base_url = "…"  # ends before /chat/completions; leave it out for api.openai.com'
            )
        from kb.llm.session import open_chat

        return open_chat(self.config, record=record, replay=replay, max_cost=max_cost)

    def use_chat(self, chat: Chat) -> None:
        """Asks this chat instead of the one of kb.toml. It is the caller's to close."""
        self.__dict__["chat"] = chat
        self.__dict__.pop("_model_planner", None)

    @cached_property
    def _model_planner(self) -> ModelPlanner:
        from kb.ask.model_planner import ModelPlanner

        return ModelPlanner(self.vocabulary, self.catalogue, self.chat)

    @cached_property
    def _retrieval(self) -> Retrieval:
        from kb.ask.vector import Retrieval

        return Retrieval(self.vocabulary, self.catalogue, self.index)

    def entity(self, entity_id: str) -> Entity | None:
        """The entity of this id; None where the catalogue has none."""
        return self.entities.get(entity_id)

    def label(self, iri: str) -> str:
        """What people call the thing or term with this IRI; the last part of the IRI where nothing names it."""
        entity_id = self.iris.entity_id(iri)
        if entity_id is not None:
            entity = self.entity(entity_id)
            return entity_id if entity is None else entity.name
        if iri in self._term_labels:
            return self._term_labels[iri]
        with self.generation.reading():
            quads = self.store.quads_for_pattern(ox.NamedNode(iri), ox.NamedNode(RDFS + "label"), None)
            labels = sorted(quad.object.value for quad in quads if isinstance(quad.object, ox.Literal))
        return labels[0] if labels else local_name(iri)

    @cached_property
    def _term_labels(self) -> dict[str, str]:
        words = self.vocabulary
        inverses = [relation.inverse for relation in words.relations.values() if relation.inverse is not None]
        terms: list[Class | Relation | Attribute | Inverse] = [*words.classes.values(), *words.relations.values()]
        terms += [*words.attributes.values(), *inverses]
        return {term.iri: term.label for term in terms}

    # -- questions ----------------------------------------------------------

    def ask(
        self,
        question: str,
        *,
        method: str | None = None,
        planner: str | None = None,
        witnesses: bool = True,
        inferred: bool = False,
    ) -> Answer:
        """Answers a question in words.

        `method` is one of those of `kb.ask.methods`, `planner` "search" or "llm"; by default they are what kb.toml says
        in `[ask]`, else "graph" and "search". With "search" no model is asked, by no method. `witnesses` are the chains
        of facts, with page and quote, that each answer of the graph rests on. `inferred` facts count where that is
        asked for, and say why they hold.

        Raises RefusedQuestionError where no plan fits the question and the method has nothing else, ConfigError for
        "llm" without an `[llm]`, GenerationError for a method that needs an index which is not there, ReplyError where
        a model gives no usable reply, EndpointError, BudgetError and ReplayError.
        """
        from kb.ask import methods

        method, planner = self._choice("method", method, "graph"), self._choice("planner", planner, "search")

        def graph() -> Answer:
            planned = self.plan(question, planner=planner)
            return replace(self._run(planned.plan, witnesses=witnesses, inferred=inferred), planned=planned)

        def vector() -> Answer:
            return self._retrieval.answer(question, self.chat if planner == "llm" else None)

        return methods.answer(method, graph, vector)

    def plan(self, question: str, *, planner: str | None = None) -> Planned:
        """How a question is understood, without answering it. Options and errors are those of `ask`."""
        chosen = self._choice("planner", planner, "search")
        return self._model_planner.plan(question) if chosen == "llm" else self.planner.plan(question)

    def _choice(self, what: str, value: str | None, default: str) -> str:
        from kb.ask.methods import METHODS, PLANNERS, chosen

        known = METHODS if what == "method" else PLANNERS
        return chosen(what, self.config.ask.get(what, default) if value is None else value, known)

    def run(self, plan: Mapping[str, Any], *, witnesses: bool = True, inferred: bool = False) -> Answer:
        """Answers a plan, see `kb.ask.plan`. Options are those of `ask`. Raises PlanError naming what is wrong."""
        from kb.ask.plan import parse_plan

        return self._run(parse_plan(plan, self.vocabulary, self.entities), witnesses=witnesses, inferred=inferred)

    def _run(self, plan: Any, *, witnesses: bool, inferred: bool) -> Answer:
        from kb.ask.answer import run_plan

        whys = self._whys() if inferred else None
        with self.generation.reading():
            return run_plan(
                self.store, plan, self.vocabulary, self.iris, self.catalogue, witnesses=witnesses, whys=whys
            )

    def _whys(self) -> Whys:
        """What explains inferred facts. Raises GenerationError where the build published none."""
        if "reasoning" not in self.generation.meta:
            raise GenerationError(
                f"{self.generation.name}: was built without inferences; add the section [reason] to "
                f"{self.config.shown(self.config.root / CONFIG_NAME)} and run kb build"
            )
        return self.whys()

    def whys(self) -> Whys:
        """What explains facts that follow from others; see `reasoned`."""
        from kb.ask.inferred import Whys
        from kb.ask.lookup import Lookup

        return Whys(Lookup(self.store, self.vocabulary, self.iris), lambda: self.reasoned, self.label)

    def query(
        self,
        sparql: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        timeout: float | None = None,
        max_rows: int | None = None,
    ) -> QueryResult:
        """Runs a SPARQL query, in a process of its own that is killed when `timeout` (seconds) is over.

        `sparql` is the text of a query, the name of one that `kb query --list` shows, or the path of an `.rq` file.
        `parameters` are values for variables: RDF terms, numbers, or texts as on the command line, which the query's
        header types (`{"entity": "ledger-db"}`). The usual prefixes, and `entity:`, `page:` and `graph:` for what this
        knowledge base mints, need not be declared. Raises QueryError for a query that does not parse, would leave this
        machine, or is not there, and for parameters that do not fit; QueryTimeoutError for one that takes too long.
        """
        self._check_open()
        from kb.graph.library import load_query, looks_like_name, parse_header
        from kb.graph.parameter_values import Terms
        from kb.graph.prefixes import query_prefixes

        folders = [packaged("queries"), self.config.root / "queries"]
        query = load_query(sparql, folders) if looks_like_name(sparql) else parse_header(sparql, "query")
        prefixes = query_prefixes(self.iris)
        values = Terms(self.iris, lambda: self.vocabulary, lambda: self.entities, prefixes)
        terms = values.of(query, parameters or {})
        with self._worker_lock:
            if self._worker is None:
                from kb.graph.worker import QueryWorker

                self.generation.check_graph()
                self._worker = QueryWorker(self.generation.graph_path)
                weakref.finalize(self, self._worker.close)
            return self._worker.run(query.text, timeout=timeout, max_rows=max_rows, parameters=terms, prefixes=prefixes)

    def search(
        self,
        query: str,
        top_k: int = 5,
        *,
        concepts: Collection[str] | None = None,
        kinds: Collection[str] | None = None,
    ) -> list[dict[str, Any]]:
        """The texts of the index that fit a query best, by meaning and by words; see docs/index.md.

        Each is a mapping with `node_id`, `score` (at most 1; the order goes by the full sum), `cosine_score`,
        `lexical_score`, `kind`, `concept`, `label`, `text`, and what its kind adds. `degraded` says that the query
        could not be embedded, so that words alone decided. `kinds` and `concepts` leave out all others. Raises
        UnknownNameError for one that there is not, GenerationError where there is no index or it is damaged.
        """
        from kb.lookup import search

        return search(self.index, query, top_k, concepts=concepts, kinds=kinds)

    def get(self, node: str, part: str | None = None) -> dict[str, Any]:
        """Everything that is known about a node: a node id, an entity, a page, or a concept and a part of it.

        Raises UnknownNameError, naming near ones, where nothing or more than one thing is called so.
        """
        with self.generation.reading():
            return self._nodes.get(node, part)

    def related(self, node: str, part: str | None = None, *, similar: int = 5) -> dict[str, Any]:
        """What facts link to a node, and as `similar` so many texts that are like it. Arguments and errors as `get`."""
        with self.generation.reading():
            return self._nodes.related(node, part, similar=similar)

    @cached_property
    def _nodes(self) -> Nodes:
        from kb.lookup import Nodes

        return Nodes(self.store, self.iris, lambda: self.vocabulary, self._index_files)

    def _index_files(self) -> IndexFiles | None:
        """The index without what made its vectors; None where the build has none."""
        from kb.index.vectors import INDEX_NAME, IndexFiles

        self._check_open()
        return IndexFiles(self.generation.path) if INDEX_NAME in self.generation.meta["files"] else None

    def status(self) -> dict[str, Any]:
        """What the generation holds, and what has changed on disk since it was built; see `kb.status`."""
        from kb.status import status

        return status(self)

    # -- life ---------------------------------------------------------------

    def close(self) -> None:
        """Lets go of the generation. Closing twice is harmless."""
        self._closed = True
        for name in _OPENED:
            self.__dict__.pop(name, None)
        with self._chat_lock:
            session, self._session = self._session, None
        if session is not None:
            session.close()
        with self._worker_lock:
            if self._worker is not None:
                self._worker.close()
                self._worker = None
        if self._pin is not None:
            self._pin.close()

    def _check_open(self) -> None:
        if self._closed:
            raise GenerationError(f"{self.generation.name}: closed; open the knowledge base again")

    def __enter__(self) -> KnowledgeBase:
        return self

    def __exit__(self, kind: type[BaseException] | None, err: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<KnowledgeBase {self.config.root} {self.generation.name}>"
