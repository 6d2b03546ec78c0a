"""What follows from any one fact, worked out once for each kind of fact.

Most rules of OWL 2 RL need one fact and the ontology: whatever follows from `a :ownedBy b` follows in the same way from
`c :ownedBy d`. So the engine is given one example of each kind, a property with two things that nothing else is known
of, and its answer is a table. Facts are looked up in it, a hundred thousand in the time of one pass. What needs two
facts at once is in `kb.reason.inference`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from kb.reason.axioms import HIDDEN, Axioms
from kb.reason.engines import closure
from kb.reason.model import TYPE, Fact, Value

__all__ = ["Consequence", "Pattern", "Table", "compile_table", "pattern_of"]

Pattern = tuple[str, bool]
"""(class, True) for a fact that gives something this class, (property, False) for any other."""
_SUBJECT, _OBJECT = HIDDEN + "subject", HIDDEN + "object"


@dataclass(frozen=True, slots=True)
class Consequence:
    """A fact with `_SUBJECT` and `_OBJECT` in the place of the ends of the fact that it follows from."""

    subject: str
    predicate: str
    object: Value

    def of(self, fact: Fact) -> Fact | None:
        """What follows; None where a literal would be its subject."""
        subject = fact[0] if self.subject == _SUBJECT else fact[2] if self.subject == _OBJECT else self.subject
        if not isinstance(subject, str):
            return None
        value = fact[0] if self.object == _SUBJECT else fact[2] if self.object == _OBJECT else self.object
        return subject, self.predicate, value


@dataclass(frozen=True, slots=True)
class Table:
    """Pattern -> what follows. `joining` are the patterns of facts that count where rules need two facts."""

    rows: dict[Pattern, tuple[Consequence, ...]]
    joining: frozenset[Pattern]

    def apply(self, facts: Iterable[Fact]) -> Iterator[Fact]:
        """What follows from each of the facts by itself."""
        for fact in facts:
            for consequence in self.rows.get(pattern_of(fact), ()):
                found = consequence.of(fact)
                if found is not None:
                    yield found


def pattern_of(fact: Fact) -> Pattern:
    """The kind of a fact."""
    _, predicate, value = fact
    return (value, True) if predicate == TYPE and isinstance(value, str) else (predicate, False)


def compile_table(engine: str, axioms: Axioms, patterns: Collection[Pattern]) -> Table:
    """Asks the engine what follows from an example of each pattern."""
    ordered = sorted(patterns)
    # Examples have nothing in common, unless the ontology names a thing that several of them then lead to.
    groups = [[one] for one in ordered] if axioms.names_values else [ordered]
    rows = {pattern: found for group in groups for pattern, found in _rows(engine, axioms, group).items()}
    properties, classes = axioms.joined
    joining = {
        pattern
        for pattern in patterns
        for name, is_class in (pattern, *(pattern_of(_as_fact(one)) for one in rows.get(pattern, ())))
        if name in (classes if is_class else properties)
    }
    return Table(rows, frozenset(joining))


def _rows(engine: str, axioms: Axioms, patterns: list[Pattern]) -> dict[Pattern, tuple[Consequence, ...]]:
    examples: dict[str, tuple[Pattern, str]] = {}
    given: list[Fact] = []
    for number, pattern in enumerate(patterns):
        one, other = f"{HIDDEN}s{number}", f"{HIDDEN}o{number}"
        examples[one], examples[other] = (pattern, _SUBJECT), (pattern, _OBJECT)
        name, is_class = pattern
        given.append((one, TYPE, name) if is_class else (one, name, other))
    rows: dict[Pattern, set[Consequence]] = {}
    for subject, predicate, value in closure(engine, [*axioms.triples, *given]) - set(given):
        ends = [examples.get(end) for end in (subject, value) if isinstance(end, str)]
        found = next((end[0] for end in ends if end is not None), None)
        if found is None:
            continue
        names = [examples[end][1] if isinstance(end, str) and end in examples else end for end in (subject, value)]
        rows.setdefault(found, set()).add(Consequence(str(names[0]), predicate, names[1]))
    return {pattern: tuple(sorted(group, key=repr)) for pattern, group in rows.items()}


def _as_fact(one: Consequence) -> Fact:
    return one.subject, one.predicate, one.object
