"""The gate: SHACL decides which candidates are facts.

Candidates become a staging graph beside the types and attributes of the catalogue and the class hierarchy. A violation
rejects the candidates that caused it; warnings and hints are kept. Rejecting goes on until no violation can be laid on
a candidate: first for values that are wrong by themselves, then for what is too much together. Every round looks at the
set as a whole, so the order in which candidates come makes no difference.

Violations that no candidate caused, in what the catalogue says about an entity, reject nothing and are reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from kb.graph._blame import Finding, blame
from kb.graph._edges import Edge, Edges
from kb.graph._shape_graph import ShapeGraph
from kb.graph._shape_model import ShapeModel
from kb.graph._staging import Staging
from kb.graph._wording import Wording
from kb.graph.candidates import SHAPE, Candidate, Rejected
from kb.graph.validation import VIOLATION, Result, result_order
from kb.iris import Iris
from kb.sources.catalogue import Catalogue
from kb.vocabulary import Vocabulary

__all__ = ["Gate", "GateReport", "Result"]


@dataclass(frozen=True)
class GateReport:
    """What the gate decided, in the order of the candidates.

    `results` are of all severities: those with `rejects` led to rejections, the others hold for what was accepted.
    `focus` are the ids that were asked for, None for everything. `focus_nodes` counts the nodes that were validated.
    """

    accepted: list[Candidate]
    rejected: list[Rejected]
    results: list[Result]
    focus: frozenset[str] | None = None
    focus_nodes: int = 0

    @property
    def conforms(self) -> bool:
        """Whether what was accepted violates no shape."""
        return all(one.rejects or one.severity != VIOLATION for one in self.results)


@dataclass
class _Verdicts:
    """The findings of the last round, and what has been rejected so far."""

    current: set[Finding] = field(default_factory=set)
    because: dict[Edge, list[tuple[Result, bool]]] = field(default_factory=dict)
    rejecting: set[Result] = field(default_factory=set)


class Gate:
    """Validates against the shapes of one vocabulary and one catalogue."""

    def __init__(self, vocabulary: Vocabulary, catalogue: Catalogue, iris: Iris) -> None:
        self._vocabulary, self._catalogue, self._iris = vocabulary, catalogue, iris
        relations = [relation.iri for relation in vocabulary.relations.values()]
        self._model = ShapeModel(ShapeGraph(vocabulary.shapes), relations)
        self._wording = Wording(vocabulary, catalogue, self._model)

    def check(self, candidates: Sequence[Candidate], focus: Collection[str] | None = None) -> GateReport:
        """Decides on candidates.

        With `focus` (ids of entities) only results about those are computed, and only candidates that such results can
        reject are decided on: `covers` says which. Both are what a check of everything finds about them; `candidates`
        must be all of them still, rejected ones too. `affected` widens the ends of changed statements to such a focus.

        Raises OntologyError where the shapes cannot be used.
        """
        by_edge: dict[Edge, list[Candidate]] = {}
        for candidate in candidates:
            by_edge.setdefault(self._edge(candidate), []).append(candidate)
        edges = Edges(by_edge)
        region = None
        if focus is not None and not self._model.everything:
            region = self._seen_from(edges, self._seen_from(edges, focus))
        staging = Staging(self._model, self._vocabulary, self._catalogue.entities, self._iris)
        verdicts = self._decide(staging, edges, by_edge, region)
        chosen = None if focus is None else frozenset(focus)
        results = {*verdicts.rejecting, *(self._result(f, edges, by_edge) for f in verdicts.current)}
        covered = [one for one in candidates if chosen is None or self.covers(one, chosen)]
        return GateReport(
            accepted=[one for one in covered if self._edge(one) not in verdicts.because],
            rejected=[
                self._rejected(one, because)
                for one in covered
                if (because := verdicts.because.get(self._edge(one))) is not None
            ],
            results=sorted((r for r in results if chosen is None or r.focus in chosen), key=result_order),
            focus=chosen,
            focus_nodes=len(staging.validated),
        )

    def covers(self, candidate: Candidate, focus: Collection[str]) -> bool:
        """Whether a check with this focus decides on a candidate."""
        relation = self._vocabulary.relations[candidate.relation].iri
        forward, backward = relation in self._model.rejecting.forward, relation in self._model.rejecting.backward
        free = not (forward or backward)
        return ((forward or free) and candidate.subject in focus) or ((backward or free) and candidate.object in focus)

    def affected(self, candidates: Iterable[Candidate], changed: Collection[str]) -> frozenset[str]:
        """The entities about which something may be found differently after a change.

        `changed` are the ids at both ends of every candidate that came or went; `candidates` are those that there are
        now. Results about other entities, and decisions on candidates that `covers` denies for this focus, are what
        they were. A change of the catalogue or of the shapes calls for a check of everything.
        """
        if self._model.everything:
            return frozenset(self._catalogue.entities.keys() | set(changed))
        edges = Edges(self._edge(one) for one in candidates)
        some, every = self._model.rejecting, self._model.all
        # What is wrong by itself stays so, whatever comes and goes beside it. What is too much together is judged anew
        # where a change is in sight, and what is rejected there is missing for whoever sees that.
        found = edges.around(changed, some.length - 1)
        if every.length > 1:
            return frozenset(edges.around(found, every.length))
        return frozenset(edges.across(found, some.forward & every.backward, some.backward & every.forward))

    # -- deciding -----------------------------------------------------------

    def _decide(
        self, staging: Staging, edges: Edges, by_edge: dict[Edge, list[Candidate]], region: set[str] | None
    ) -> _Verdicts:
        verdicts = _Verdicts()
        dirty: set[str] | None = region
        # Every round but the last takes an edge away, so this ends.
        while True:
            fresh = staging.validate(edges, dirty)
            kept = {one for one in verdicts.current if dirty is not None and one.focus not in dirty}
            verdicts.current = kept | set(fresh)
            violations = [(f, blame(f, self._model, edges)) for f in verdicts.current if f.severity == VIOLATION]
            exact = any(blamed.exact and blamed.edges for _, blamed in violations)
            acted = [(one, blamed) for one, blamed in violations if blamed.edges and (blamed.exact or not exact)]
            if not acted:
                return verdicts
            removed: set[Edge] = set()
            for finding, blamed in acted:
                result = self._result(finding, edges, by_edge, rejects=True)
                verdicts.rejecting.add(result)
                verdicts.current.discard(finding)
                removed |= blamed.edges
                for edge in blamed.edges:
                    verdicts.because.setdefault(edge, []).append((result, blamed.exact))
            dirty = self._readers(edges, removed, region)
            edges.remove(removed)

    def _readers(self, edges: Edges, removed: set[Edge], region: set[str] | None) -> set[str] | None:
        """The nodes whose results may change when edges go; None for all."""
        if self._model.everything:
            return None
        side = self._model.all
        if side.length > 1:
            found = edges.around({end for edge in removed for end in (edge[0], edge[2])}, side.length)
        else:
            found = {edge[0] for edge in removed if edge[1] in side.forward}
            found |= {edge[2] for edge in removed if edge[1] in side.backward}
        return found if region is None else found & region

    def _seen_from(self, edges: Edges, nodes: Collection[str]) -> set[str]:
        """The nodes, and those whose results can take away an edge that shapes see from them."""
        some, every = self._model.rejecting, self._model.all
        if every.length > 1:
            return edges.around(nodes, every.length)
        return edges.across(nodes, every.forward & some.backward, every.backward & some.forward)

    # -- reporting ----------------------------------------------------------

    def _edge(self, candidate: Candidate) -> Edge:
        return candidate.subject, self._vocabulary.relations[candidate.relation].iri, candidate.object

    def _result(
        self, finding: Finding, edges: Edges, by_edge: dict[Edge, list[Candidate]], *, rejects: bool = False
    ) -> Result:
        blamed = blame(finding, self._model, edges).edges
        return self._wording.result(finding, {edge: by_edge[edge] for edge in sorted(blamed)}, rejects=rejects)

    def _rejected(self, candidate: Candidate, because: list[tuple[Result, bool]]) -> Rejected:
        ordered = sorted(because, key=lambda item: result_order(item[0]))
        reason = self._wording.reason(self._edge(candidate), ordered)
        return Rejected(candidate.statement, SHAPE, reason, ordered[0][0], candidate)
