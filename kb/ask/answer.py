"""Running a plan: answers with their names, the query, and the facts, pages and quotes that each answer rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyoxigraph as ox

from kb.ask.compile import compile_plan
from kb.ask.lookup import Fact, Lookup, Source
from kb.ask.plan import parse_plan
from kb.ask.plan_model import CountPlan, Plan
from kb.ask.witness import Evidence, Tracer
from kb.iris import Iris
from kb.names import humanised
from kb.vocabulary import Vocabulary

if TYPE_CHECKING:
    from kb.ask.inferred import Why, Whys
    from kb.ask.planner import Planned
    from kb.sources.catalogue import Catalogue

__all__ = ["Answer", "Edge", "Found", "Group", "Row", "Source", "run_plan"]


@dataclass(frozen=True, slots=True)
class Edge:
    """One fact of a witness, in the direction in which it is stored: ids, every source, and the fact in words.

    An inferred fact has no source of its own; `why` names the stated facts that it follows from, and theirs.
    """

    subject: str
    relation: str
    object: str
    sources: tuple[Source, ...] = ()
    words: str = ""
    why: Why | None = None

    @property
    def page(self) -> str | None:
        """The first page, or file where no page states it; None where no record says who stated it."""
        return self.sources[0].page if self.sources else None

    @property
    def quote(self) -> str | None:
        """The words of that page; None where it is a file."""
        return self.sources[0].quote if self.sources else None

    def to_json(self) -> dict[str, Any]:
        """`page` and `quote` of the first source; `pages` are all of them. `inferred` only where it is."""
        inferred = {} if self.why is None else {"inferred": True, **self.why.to_json()}
        return {
            "subject": self.subject,
            "relation": self.relation,
            "object": self.object,
            "page": self.page,
            "quote": self.quote,
            "pages": [{"page": source.page, "quote": source.quote} for source in self.sources],
            **inferred,
        }


@dataclass(frozen=True, slots=True)
class Found:
    """One answer.

    `witness` is a shortest chain of facts from the plan's start to it; `because` are the facts that the other plans of
    an `all`, and conditions on relations, rest on. `count` is set where answers are counts by hops. `passages` are the
    places of pages that an answer was read off where no plan gave it; it then has no facts.
    """

    id: str
    label: str
    type: str | None = None
    witness: tuple[Edge, ...] = ()
    because: tuple[Edge, ...] = ()
    count: int | None = None
    passages: tuple[Source, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON; `type`, `because`, `count` and `passages` only where there are any."""
        data: dict[str, Any] = {"id": self.id, "label": self.label}
        if self.type is not None:
            data["type"] = self.type
        if self.count is not None:
            data["count"] = self.count
        data["witness"] = [edge.to_json() for edge in self.witness]
        if self.because:
            data["because"] = [edge.to_json() for edge in self.because]
        if self.passages:
            data["passages"] = [{"page": one.page, "quote": one.quote} for one in self.passages]
        return data


@dataclass(frozen=True, slots=True)
class Group:
    """How many members of a plan's set lead to an entity, and which; none are named where witnesses are not wanted."""

    id: str
    label: str
    count: int
    members: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The group as JSON."""
        data: dict[str, Any] = {"id": self.id, "label": self.label, "count": self.count}
        return {**data, "members": list(self.members)} if self.members else data


@dataclass(frozen=True, slots=True)
class Row:
    """One answer in words: what it is called, and a line for each fact that it rests on."""

    id: str
    label: str
    count: int | None
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a plan gives, or what was read off pages.

    `answers` are sorted by id, those of a count by hops and its `groups` by count, largest first, then id. The answers
    of a plain count are what was counted, and `count` how many. Where `method` is "vector" there is neither plan nor
    query, the answers stand likeliest first and rest on passages.

    `asked` is the method that was asked for, and `note` says why another one answered. `planned` is how the question
    was understood; None where a plan was given, and where no plan answers.
    """

    answers: tuple[Found, ...]
    plan: Plan | None
    sparql: str | None
    method: str = "graph"
    count: int | None = None
    groups: tuple[Group, ...] | None = None
    asked: str = "graph"
    note: str = ""
    planned: Planned | None = field(default=None, compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        """The answer as JSON."""
        data: dict[str, Any] = {
            "answers": [one.to_json() for one in self.answers],
            "plan": self.plan.to_json() if self.plan is not None else None,
            "sparql": self.sparql,
            "method": self.method,
        }
        if self.count is not None:
            data["count"] = self.count
        if self.groups is not None:
            data["groups"] = [group.to_json() for group in self.groups]
        if self.asked != self.method:
            data["asked"] = self.asked
        if self.note:
            data["note"] = self.note
        return data

    def rows(self) -> list[Row]:
        """The answers in words, in their order."""
        return [
            Row(one.id, one.label, one.count, (*map(_step, (*one.witness, *one.because)), *map(_place, one.passages)))
            for one in self.answers
        ]


def _step(edge: Edge) -> str:
    """A fact in words with its first source, and how many more there are; an inferred one with what it follows from."""
    if edge.why is not None:
        rests = "; ".join(_cited(one.words, one.sources) for one in edge.why.stated)
        return f"{edge.words} (inferred: {edge.why.axioms}){f', from {rests}' if rests else ''}"
    return _cited(edge.words, edge.sources)


def _cited(words: str, sources: tuple[Source, ...]) -> str:
    if not sources:
        return words
    more = len({source.page for source in sources}) - 1
    quoted = f": “{' '.join(sources[0].quote.split())}”" if sources[0].quote else ""
    return f"{words} ({sources[0].page}{f' and {more} more' if more else ''}){quoted}"


def _place(passage: Source) -> str:
    return f"{passage.page}: “{' '.join((passage.quote or '').split())}”"


def run_plan(
    store: ox.Store,
    plan: Plan | Mapping[str, Any],
    vocabulary: Vocabulary,
    iris: Iris,
    catalogue: Catalogue | None = None,
    *,
    witnesses: bool = True,
    whys: Whys | None = None,
) -> Answer:
    """Runs a plan on a store whose default graph holds each fact once.

    A plan in JSON is parsed against the catalogue first. Without `catalogue`, names come from the store. Without
    `witnesses` only the plan's own query runs: answers have neither witness nor members. With `whys` inferred facts
    count as well, and are explained in witnesses.

    Raises PlanError.
    """
    if isinstance(plan, Mapping):
        plan = parse_plan(plan, vocabulary, catalogue.entities if catalogue else None)
    lookup = Lookup(store, vocabulary, iris, None if whys is None else whys.graphs)
    return _Run(lookup, catalogue, whys).answer(plan, witnesses=witnesses)


@dataclass
class _Run:
    lookup: Lookup
    catalogue: Catalogue | None
    whys: Whys | None = None
    names: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)

    def answer(self, plan: Plan, *, witnesses: bool) -> Answer:
        sparql = compile_plan(plan, self.lookup.vocabulary, self.lookup.iris)
        if not isinstance(plan, CountPlan):
            nodes = self.nodes(sparql)
            trails = Tracer(self.lookup).trails(plan, nodes) if witnesses else {}
            return Answer(self.found(nodes, Tracer(self.lookup).evidence(trails)), plan, sparql)
        if plan.by:
            return self.grouped(plan, sparql, witnesses=witnesses)
        [[count]] = self.lookup.rows(sparql)
        inner = self.answer(plan.plan, witnesses=witnesses)
        return Answer(inner.answers, plan, sparql, count=int(count.value) if count is not None else 0)

    def grouped(self, plan: CountPlan, sparql: str, *, witnesses: bool) -> Answer:
        counts = {
            node.value: int(count.value)
            for node, count in self.lookup.rows(sparql)
            if node is not None and count is not None
        }
        members: Mapping[str, list[str]] = {}
        evidence: dict[str, Evidence] = {}
        if witnesses and counts:
            tracer = Tracer(self.lookup)
            starts = tracer.trails(plan.plan, self.lookup.members(plan.plan))
            trails, members = tracer.grouped(starts, plan.by)
            evidence = tracer.evidence({node: trail for node, trail in trails.items() if node in counts})
        found = self.found(counts, evidence, counts)
        ordered = tuple(sorted(found, key=lambda one: (-(one.count or 0), one.id)))
        by_id = {self.id(node): sorted(map(self.id, names)) for node, names in members.items()}
        groups = tuple(Group(one.id, one.label, one.count or 0, tuple(by_id.get(one.id, ()))) for one in ordered)
        return Answer(ordered, plan, sparql, groups=groups)

    def nodes(self, sparql: str) -> list[str]:
        return [row[0].value for row in self.lookup.rows(sparql) if row[0] is not None]

    def found(
        self, nodes: Iterable[str], evidence: Mapping[str, Evidence], counts: Mapping[str, int] | None = None
    ) -> tuple[Found, ...]:
        nodes = list(nodes)
        facts = {fact for one in evidence.values() for fact in (*one.chain, *one.because)}
        self.name({*nodes, *(end for s, _, o in facts for end in (s, o))}, nodes)
        sources = self.lookup.sources(facts) if facts else {}
        why = {} if self.whys is None else self.whys.of(self.whys.inferred(facts))
        edges = {fact: self.edge(fact, sources.get(fact, ()), why.get(fact)) for fact in facts}
        nothing = Evidence((), ())
        answers = [
            Found(
                self.id(node),
                self.names[node],
                self.types.get(node),
                tuple(edges[fact] for fact in evidence.get(node, nothing).chain),
                tuple(edges[fact] for fact in evidence.get(node, nothing).because),
                counts[node] if counts is not None else None,
            )
            for node in nodes
        ]
        return tuple(sorted(answers, key=lambda one: one.id))

    def name(self, nodes: Iterable[str], answers: Iterable[str]) -> None:
        """Names for all nodes, types for the answers: from the catalogue, from the store for what it lacks."""
        known = self.catalogue.entities if self.catalogue else {}
        unnamed = []
        for node in nodes:
            entity = known.get(self.id(node))
            if entity is None:
                unnamed.append(node)
            else:
                self.names[node], self.types[node] = entity.name, entity.type
        if unnamed:
            labels = self.lookup.labels(unnamed)
            self.names.update({node: labels.get(node, self.id(node)) for node in unnamed})
            self.types.update(self.lookup.types(set(unnamed) & set(answers)))

    def id(self, iri: str) -> str:
        return self.lookup.iris.entity_id(iri) or iri

    def edge(self, fact: Fact, sources: tuple[Source, ...], why: Why | None) -> Edge:
        subject, predicate, object_ = fact
        relation = self.lookup.vocabulary.name_of(predicate) or predicate
        known = self.lookup.vocabulary.relations.get(relation)
        label = known.label if known is not None else humanised(relation)
        words = f"{self.names[subject]} {label} {self.names[object_]}"
        return Edge(self.id(subject), relation, self.id(object_), sources, words, why)
