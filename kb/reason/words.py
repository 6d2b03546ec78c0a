"""Axioms, rules and inconsistencies in words."""

from __future__ import annotations

from collections.abc import Callable

import pyoxigraph as ox

from kb.namespaces import OWL, RDFS
from kb.reason.axioms import HIDDEN, Axioms
from kb.reason.checks import Inconsistency
from kb.reason.model import TYPE, Fact, Value

__all__ = ["Words"]

_BROKEN = {
    "cax-dw": "nothing can be both {0} and {1}",
    "cls-com": "{0} is all that is not {1}",
    "cls-nothing2": "it is of a class that can have no members",
    "prp-pdw": "{0} and {1} exclude each other",
    "prp-irp": "nothing can be {0} itself",
    "prp-asyp": "{0} cannot hold in both directions",
    "prp-fp": "{0} can lead to one thing only; to two would make them the same",
    "prp-ifp": "{0} can lead there from one thing only; from two would make them the same",
    "cls-maxc1": "{0} must not lead anywhere from it",
    "cls-maxc2": "{0} can lead to one thing only from it; to two would make them the same",
    "prp-key": "two of {0} cannot have these values in common; it would make them the same",
    "prp-npa1": "the ontology denies it",
}


class Words:
    """Puts facts of the reasoner into words. `label` gives the name of whatever has an IRI."""

    def __init__(self, label: Callable[[str], str], axioms: Axioms) -> None:
        self._label, self.axioms = label, axioms

    def fact(self, fact: Fact) -> str:
        """A fact as a sentence without its dot."""
        subject, predicate, value = fact
        if predicate == TYPE:
            return f"{self.term(subject)} is {_one(self.term(value))}"
        return f"{self.term(subject)} {self.term(predicate)} {self.term(value)}"

    def term(self, term: Value) -> str:
        """What a term is called; a class without a name by what makes it."""
        if isinstance(term, ox.Literal):
            return f"“{term.value}”"
        return self._expression(term) if term.startswith(HIDDEN) else self._label(term)

    def axiom(self, axiom: Fact) -> str:
        """What an axiom says."""
        subject, predicate, value = axiom
        one, other = self.term(subject), self.term(value)
        if predicate == OWL + "propertyChainAxiom":
            chain = " then ".join(map(self.term, self.axioms.list(value)))
            return f"{chain} makes {one}"
        if predicate in (OWL + "intersectionOf", OWL + "unionOf"):
            joint = " and " if predicate.endswith("intersectionOf") else " or "
            return f"{one} is {joint.join(map(self.term, self.axioms.list(value)))}"
        if predicate == TYPE:
            return f"{one} is {str(value).removeprefix(OWL).removesuffix('Property').lower()}"
        said = {
            RDFS + "subPropertyOf": f"{one} is a kind of {other}",
            OWL + "equivalentProperty": f"{one} and {other} mean the same",
            OWL + "inverseOf": f"{one} is the inverse of {other}",
            RDFS + "domain": f"whatever is the subject of {one} is {_one(other)}",
            RDFS + "range": f"whatever is the object of {one} is {_one(other)}",
            RDFS + "subClassOf": f"every {one} is {_one(other)}",
            OWL + "equivalentClass": f"{one} and {other} are the same class",
            OWL + "disjointWith": f"no {one} is {_one(other)}",
        }
        return said.get(predicate, f"a class of the ontology: {self._expression(subject)}")

    def broken(self, found: Inconsistency) -> str:
        """What is wrong about an inconsistency's facts."""
        return _BROKEN[found.rule].format(*map(self.term, found.terms))

    def _expression(self, name: str) -> str:
        on = self.axioms.restrictions.get(name)
        if on is not None:
            for kind, word in (("someValuesFrom", "some"), ("allValuesFrom", "only"), ("hasValue", "")):
                filler = self.axioms.filler(name, kind)
                if filler is not None:
                    return " ".join(part for part in ("thing that", self.term(on), word, self.term(filler)) if part)
        if name in self.axioms.intersections:
            return " and ".join(map(self.term, self.axioms.intersections[name][1]))
        heads = self.axioms.all.objects(name, OWL + "unionOf")
        members = [self.term(one) for head in heads for one in self.axioms.list(head)]
        inverse = [self.term(one) for one in self.axioms.all.objects(name, OWL + "inverseOf")]
        if members:
            return " or ".join(members)
        return f"the inverse of {inverse[0]}" if inverse else "thing of a class without a name"


def _one(noun: str) -> str:
    """A noun with its article."""
    return f"{'an' if noun[:1].lower() in tuple('aeiou') else 'a'} {noun}"
