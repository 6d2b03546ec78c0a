"""Plans to SPARQL 1.1: one query, exact on cycles and self-edges, over a default graph that holds each fact once.

How the meaning of a repeated hop, everything one or more steps from a set S but not S itself, is written:

- S is one entity: a path and a FILTER.
- S is anything else: a path from each member, MINUS the pattern of S again. Where S may be large, the path starts from
  what is one step outside of S, which is far less: all that can be reached outside of S is reached through there.
- S is so large a pattern that writing it three times would make queries explode: one zero-or-more path from each
  member, grouped by where it leads; what only other nodes lead to is not in S.

The forms are chosen for Oxigraph 0.5.13. Its optimiser turns a type test joined to a path into a scan of all instances,
a thousand times slower than the same test in FILTER EXISTS: so every condition is a FILTER. It joins in the order of
sizes that it guesses from the form of each pattern, and takes a path between two variables for 10^9 rows; a sub-select
of a few steps back it takes for more, and would then follow the path from every node there is: so sub-selects before a
repeated path have a LIMIT just below that. Steps are written from the end that is bound, and rows are made distinct
before they could multiply. tests/test_compile_forms.py keeps these forms, benchmarks/plans.py measures them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kb.ask.compile_where import Filters
from kb.ask.plan_model import CombinedPlan, CountPlan, Hop, Plan, SetPlan, StartPlan, Where, WherePlan
from kb.ask.terms import Terms
from kb.iris import Iris
from kb.vocabulary import Vocabulary

__all__ = ["compile_plan"]

Lines = list[str]

_FENCE = " LIMIT 999999999"
"""Makes the optimiser start from a sub-select rather than from the path that follows it. No graph has so many nodes."""

_COPIES_UP_TO = 8
"""Patterns that a set may have and still be written out three times."""


def compile_plan(plan: Plan, vocabulary: Vocabulary, iris: Iris) -> str:
    """The plan as one SPARQL 1.1 SELECT query.

    It binds `?answer`; a count binds `?count` alone, a count by hops both, largest first. Raises PlanError for an id or
    a value that cannot stand in a query.
    """
    return _Compiler(vocabulary, iris).query(plan)


@dataclass(frozen=True, slots=True)
class _Set:
    """A set of entities as a pattern. `block(variable)` writes it out anew, binding that variable.

    `distinct`: each entity comes once, from patterns alone. `size`: patterns that one copy has. `large`: it may be a
    good part of the graph, since a repeated hop or conditions alone made it.
    """

    block: Callable[[str], Lines]
    distinct: bool
    size: int
    large: bool


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a chain of hops begins: at `node`, a term, or a variable that `prelude` binds, given a fence or ''."""

    node: str
    prelude: Callable[[str], Lines]
    size: int


class _Compiler:
    def __init__(self, vocabulary: Vocabulary, iris: Iris) -> None:
        self.vocabulary = vocabulary
        self.terms = Terms(iris)
        self.filters = Filters(vocabulary, self.terms, self.fresh)
        self.count = 0
        # What every sub-select projects besides its own variable; see each_of.
        self.carried = ""

    def fresh(self) -> str:
        self.count += 1
        return f"?n{self.count}"

    def query(self, plan: Plan) -> str:
        if not isinstance(plan, CountPlan):
            head, body, tail = "SELECT DISTINCT ?answer", self.set(plan).block("?answer"), ""
        elif not plan.by:
            head, body, tail = "SELECT (COUNT(DISTINCT ?answer) AS ?count)", self.set(plan.plan).block("?answer"), ""
        else:
            members = self.set(plan.plan)
            head = "SELECT ?answer (COUNT(DISTINCT ?member) AS ?count)"
            body = self.chain(self.each_of(members), plan.by).block("?answer")
            tail = " GROUP BY ?answer ORDER BY DESC(?count) ?answer"
        return "\n".join([*self.terms.prologue(), f"{head} WHERE {{", *_indented(body), "}" + tail]) + "\n"

    def each_of(self, members: _Set) -> _Source:
        """Every member as a source of its own: from here on, sub-selects say which member their rows belong to."""

        def prelude(fence: str) -> Lines:
            self.carried = ""
            lines = self.distinct(members, "?member", fence)
            self.carried = "?member "
            return lines

        self.carried = "?member "
        return _Source("?member", prelude, members.size)

    # -- sets ---------------------------------------------------------------

    def set(self, plan: SetPlan) -> _Set:
        if isinstance(plan, StartPlan):
            start = self.terms.entity(plan.start)
            if plan.hops:
                found = self.chain(_Source(start, lambda _: [], 0), plan.hops)
            else:
                found = _Set(lambda v: [f"VALUES {v} {{ {start} }}"], distinct=True, size=1, large=False)
            return self.kept(found, plan.where)
        if isinstance(plan, WherePlan):
            where = plan.where
            found = _Set(lambda v: self.filters.everything(where, v), distinct=False, size=2, large=True)
        else:
            found = self.combined(plan)
        for hop in plan.hops:
            found = self.step(found, hop)
        return self.kept(found, plan.where) if isinstance(plan, CombinedPlan) else found

    def kept(self, found: _Set, where: Where) -> _Set:
        if not where:
            return found
        return _Set(
            lambda v: [*found.block(v), *self.filters.keep(where, v)], found.distinct, found.size + 1, found.large
        )

    def combined(self, plan: CombinedPlan) -> _Set:
        parts = [self.set(part) for part in plan.plans]

        def block(variable: str) -> Lines:
            if plan.kind == "any":
                lines = _braced("", parts[0].block(variable))
                for part in parts[1:]:
                    lines += _braced("UNION ", part.block(variable))
                return lines
            lines = self.distinct(parts[0], variable)
            for part in parts[1:]:
                if plan.kind == "all":
                    lines += self.distinct(part, variable)
                else:
                    lines += _braced("MINUS ", part.block(variable))
            return lines

        size = sum(part.size for part in parts)
        return _Set(block, distinct=False, size=size, large=any(part.large for part in parts))

    def distinct(self, found: _Set, variable: str, fence: str = "") -> Lines:
        """A sub-select of the set: what engines evaluate once, and whose rows do not multiply those of what follows."""
        inner = [f"SELECT DISTINCT {self.carried}{variable} WHERE {{", *_indented(found.block(variable)), "}" + fence]
        return _braced("", inner)

    # -- hops ---------------------------------------------------------------

    def chain(self, source: _Source, hops: Sequence[Hop]) -> _Set:
        first, path = hops[0], self.path(hops[0])
        fence = _FENCE if first.repeated else ""

        def block(variable: str) -> Lines:
            lines = [*source.prelude(fence), f"{source.node} {path}{'+' if first.repeated else ''} {variable} ."]
            return [*lines, f"FILTER({variable} != {source.node})"] if first.repeated else lines

        symmetric = self.vocabulary.relations[first.relation].symmetric
        found = _Set(block, first.repeated or not symmetric, source.size + 1, first.repeated)
        for hop in hops[1:]:
            found = self.step(found, hop)
        return found

    def step(self, found: _Set, hop: Hop) -> _Set:
        if not hop.repeated:
            path = self.path(hop)

            def block(variable: str) -> Lines:
                before = self.fresh()
                return [*self.rows(found, before), f"{before} {path} {variable} ."]

            return _Set(block, distinct=False, size=found.size + 1, large=found.large)
        if found.size > _COPIES_UP_TO:
            return self.repeat_grouped(found, hop)
        return self.repeat_from_outside(found, hop) if found.large else self.repeat(found, hop)

    def rows(self, found: _Set, variable: str, fence: str = "") -> Lines:
        return found.block(variable) if found.distinct else self.distinct(found, variable, fence)

    def repeat(self, found: _Set, hop: Hop) -> _Set:
        path = self.path(hop)

        def block(variable: str) -> Lines:
            before = self.fresh()
            lines = [*self.rows(found, before, _FENCE), f"{before} {path}+ {variable} ."]
            return lines + _braced("MINUS ", found.block(variable))

        return _Set(block, distinct=False, size=2 * found.size + 1, large=True)

    def repeat_from_outside(self, found: _Set, hop: Hop) -> _Set:
        step, path = self.path(replace(hop, repeated=False)), self.path(hop)

        def outside(variable: str) -> Lines:
            before = self.fresh()
            lines = [*self.rows(found, before), f"{before} {step} {variable} ."]
            return lines + _braced("MINUS ", found.block(variable))

        first = _Set(outside, distinct=False, size=2 * found.size + 1, large=True)

        def block(variable: str) -> Lines:
            near = self.fresh()
            lines = [*self.distinct(first, near, _FENCE), f"{near} {path}* {variable} ."]
            return lines + _braced("MINUS ", found.block(variable))

        return _Set(block, distinct=False, size=3 * found.size + 2, large=True)

    def repeat_grouped(self, found: _Set, hop: Hop) -> _Set:
        path = self.path(hop)

        def block(variable: str) -> Lines:
            before = self.fresh()
            inner = [
                f"SELECT {self.carried}{variable} WHERE {{",
                *_indented([*self.rows(found, before, _FENCE), f"{before} {path}* {variable} ."]),
                f"}} GROUP BY {self.carried}{variable} HAVING (MAX(IF({before} = {variable}, 1, 0)) = 0)",
            ]
            return _braced("", inner)

        return _Set(block, distinct=False, size=found.size + 1, large=True)

    def path(self, hop: Hop) -> str:
        return self.terms.path(self.vocabulary.relations[hop.relation], backwards=hop.backwards, grouped=hop.repeated)


def _indented(lines: Lines) -> Lines:
    return ["  " + line for line in lines]


def _braced(before: str, lines: Lines) -> Lines:
    return [before + "{", *_indented(lines), "}"]
