"""Which focus nodes surely have no validation result, so that pySHACL need not look at them.

pySHACL decides everything that ends up in a report. This only leaves out nodes for which a plain look at the graph
shows that every constraint of a shape holds; whatever it does not know (a constraint, a path, an odd parameter) counts
as a doubt, and a node in doubt goes to pySHACL. So a mistake of omission here costs time and never a result.

https://www.w3.org/TR/shacl/#core-components
"""

from __future__ import annotations

import contextlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from rdflib import RDF, RDFS, SH, XSD, BNode, Graph, Literal, URIRef
from rdflib.term import Node

__all__ = ["Index", "Screen", "mentioned"]

_Values: TypeAlias = Callable[["Node"], Iterable["Node"]]
_Check: TypeAlias = Callable[["Node"], bool]

_SILENT = {
    *(SH[name] for name in ("message", "name", "description", "order", "group", "defaultValue", "severity", "path")),
    *(SH[name] for name in ("targetNode", "targetClass", "targetSubjectsOf", "targetObjectsOf", "flags")),
    *(SH[name] for name in ("deactivated", "property", "node", "and", "or")),
}
"""What on a shape constrains nothing, or is treated by itself."""

_SINGLE = {SH[name] for name in ("minCount", "maxCount", "datatype", "nodeKind", "in", "minLength", "maxLength")}
_NO_VALUE_NO_RESULT = {
    *(SH[name] for name in ("minExclusive", "minInclusive", "maxExclusive", "maxInclusive", "languageIn")),
    *(SH[name] for name in ("uniqueLang", "disjoint", "lessThan", "lessThanOrEquals", "not", "xone")),
}
"""Constraints on each value: where there is none, there is no result."""

_KINDS = {
    SH.IRI: (URIRef,),
    SH.BlankNode: (BNode,),
    SH.Literal: (Literal,),
    SH.BlankNodeOrIRI: (BNode, URIRef),
    SH.BlankNodeOrLiteral: (BNode, Literal),
    SH.IRIOrLiteral: (URIRef, Literal),
}
# Narrower than what the datatypes allow: what is written otherwise is for pySHACL to judge.
_PLAIN = {
    XSD.string: re.compile(r"", re.DOTALL),
    XSD.integer: re.compile(r"[+-]?\d{1,18}\Z", re.ASCII),
    XSD.decimal: re.compile(r"[+-]?\d{1,18}(\.\d{1,18})?\Z", re.ASCII),
    XSD.boolean: re.compile(r"(true|false)\Z"),
    XSD.date: re.compile(r"[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])\Z", re.ASCII),
    XSD.dateTime: re.compile(
        r"[12]\d{3}-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?(Z|[+-](0\d|1[0-3]):00)?\Z",
        re.ASCII,
    ),
    RDF.langString: re.compile(r"", re.DOTALL),
}


class _Doubt(Exception):  # noqa: N818 - no error: it says that pySHACL has to look
    """Something here is not understood, so nothing can be left out."""


class Index:
    """The triples of some properties, by subject and by object, and the class hierarchy."""

    def __init__(self, triples: Iterable[tuple[Node, Node, Node]], wanted: frozenset[Node]) -> None:
        self._values: dict[Node, dict[Node, list[Node]]] = defaultdict(lambda: defaultdict(list))
        self._holders: dict[Node, dict[Node, list[Node]]] = defaultdict(lambda: defaultdict(list))
        for subject, predicate, value in triples:
            if predicate in wanted:
                self._values[predicate][subject].append(value)
                self._holders[predicate][value].append(subject)
        self._instances: dict[Node, set[Node]] = {}

    def ahead(self, predicate: Node) -> dict[Node, list[Node]]:
        """Subject -> values."""
        return self._values.get(predicate, {})

    def back(self, predicate: Node) -> dict[Node, list[Node]]:
        """Value -> subjects."""
        return self._holders.get(predicate, {})

    def instances(self, kind: Node) -> set[Node]:
        """What has a type that is `kind` or below it."""
        if kind not in self._instances:
            below, todo, found = set[Node](), [kind], set[Node]()
            while todo:
                one = todo.pop()
                if one not in below:
                    below.add(one)
                    todo.extend(self.back(RDFS.subClassOf).get(one, ()))
                    found.update(self.back(RDF.type).get(one, ()))
            self._instances[kind] = found
        return self._instances[kind]


def mentioned(shapes: Graph) -> frozenset[Node]:
    """Every IRI that the shapes graph has as a value: among them all properties that a core shape can follow."""
    return frozenset((*(value for _, _, value in shapes if isinstance(value, URIRef)), RDF.type, RDFS.subClassOf))


class Screen:
    """The targets of shapes, and what of them is in doubt."""

    def __init__(self, shapes: Graph, index: Index) -> None:
        self._shapes, self._index = shapes, index
        self._custom = self._has_components()
        self._checks: dict[Node, _Check | None] = {}
        kinds = {RDFS.Class, *shapes.subjects(RDFS.subClassOf, RDFS.Class)}
        kinds.add(URIRef("http://www.w3.org/2002/07/owl#Class"))
        self._class_kinds = kinds

    def _has_components(self) -> bool:
        above = {SH.ConstraintComponent, *self._shapes.subjects(RDFS.subClassOf, SH.ConstraintComponent)}
        return any((None, RDF.type, kind) in self._shapes for kind in above)

    def class_types(self, shape: Node) -> list[Node]:
        """The types of a shape that make it a class, and so a target for its instances."""
        return [kind for kind in self._shapes.objects(shape, RDF.type) if kind in self._class_kinds]

    def focus_nodes(self, shape: Node) -> set[Node]:
        """The nodes that a shape's targets give: https://www.w3.org/TR/shacl/#targets ."""
        objects, index = self._shapes.objects, self._index
        found = set(objects(shape, SH.targetNode))
        for kind in (*objects(shape, SH.targetClass), *([shape] if self.class_types(shape) else [])):
            found |= index.instances(kind)
        for predicate in objects(shape, SH.targetSubjectsOf):
            found |= index.ahead(predicate).keys()
        for predicate in objects(shape, SH.targetObjectsOf):
            found |= index.back(predicate).keys()
        return found

    def doubtful(self, shape: Node, focus: Iterable[Node]) -> list[Node] | None:
        """The focus nodes that may have results; None where nothing can be said."""
        check = self._check(shape)
        return None if check is None else [node for node in focus if not check(node)]

    # -- shapes ---------------------------------------------------------------

    def _check(self, shape: Node) -> _Check | None:
        """Says of a focus node whether the shape surely finds nothing about it; None for a shape in doubt."""
        if shape not in self._checks:
            self._checks[shape] = None  # a shape that holds itself stays in doubt
            with contextlib.suppress(_Doubt):
                self._checks[shape] = self._compiled(shape)
        return self._checks[shape]

    def _nested(self, shape: Node, *, path: bool = False) -> _Check:
        check = self._check(shape)
        # pySHACL refuses to go on to a shape that is not there, or to a property shape without a path.
        if check is None or (shape, SH.path if path else None, None) not in self._shapes:
            raise _Doubt
        return check

    def _compiled(self, shape: Node) -> _Check:
        if self._custom:
            raise _Doubt
        said: dict[Node, list[Node]] = defaultdict(list)
        for predicate, value in self._shapes.predicate_objects(shape):
            said[predicate].append(value)
        if SH.deactivated in said:
            raise _Doubt
        each: list[_Check] = []
        whole: list[Callable[[list[Node]], bool]] = []
        for predicate, values in said.items():
            self._constraint(predicate, values, said, each, whole)
        paths = said.get(SH.path, [])
        if len(paths) > 1:
            raise _Doubt
        follow = self._path(paths[0]) if paths else None

        def holds(node: Node) -> bool:
            found = [node] if follow is None else list(dict.fromkeys(follow(node)))
            return all(test(found) for test in whole) and all(test(value) for test in each for value in found)

        return holds

    def _constraint(
        self,
        predicate: Node,
        values: list[Node],
        said: dict[Node, list[Node]],
        each: list[_Check],
        whole: list[Callable[[list[Node]], bool]],
    ) -> None:
        if predicate in _SINGLE and len(values) != 1:
            raise _Doubt
        if predicate in (SH.property, SH.node):
            each += [self._nested(shape, path=predicate == SH.property) for shape in values]
        elif predicate == SH["and"]:
            each += [self._nested(shape) for head in values for shape in self._members(head)]
        elif predicate == SH["or"]:
            for head in values:
                each.append(self._one_of([self._nested(shape) for shape in self._members(head)]))
        elif predicate == SH["class"]:
            each += [self._index.instances(kind).__contains__ for kind in values if self._named(kind)]
        elif predicate == SH.minCount:
            least = self._number(values[0])
            whole.append(lambda found: len(found) >= least)
        elif predicate == SH.maxCount:
            most = self._number(values[0])
            whole.append(lambda found: len(found) <= most)
        elif predicate == SH.hasValue:
            whole.append(lambda found: all(value in found for value in values))
        elif predicate == SH["in"]:
            allowed = set(self._members(values[0]))
            each.append(lambda value: value in allowed)
        elif predicate == SH.nodeKind:
            kinds = _KINDS.get(values[0])  # type: ignore[call-overload]
            if kinds is None:
                raise _Doubt
            each.append(lambda value: isinstance(value, kinds))
        elif predicate == SH.datatype:
            each.append(_of_datatype(values[0]))
        elif predicate == SH.pattern:
            if SH.flags in said or not all(isinstance(one, Literal) for one in values):
                raise _Doubt
            each += [_matches(str(one)) for one in values]
        elif predicate == SH.minLength:
            shortest = self._number(values[0])
            each.append(lambda value: not isinstance(value, BNode) and len(str(value)) >= shortest)
        elif predicate == SH.maxLength:
            longest = self._number(values[0])
            each.append(lambda value: not isinstance(value, BNode) and len(str(value)) <= longest)
        elif predicate in _NO_VALUE_NO_RESULT:
            whole.append(lambda found: not found)
        elif predicate not in _SILENT and str(predicate).startswith(str(SH)):
            raise _Doubt

    @staticmethod
    def _one_of(checks: Sequence[_Check]) -> _Check:
        return lambda value: any(check(value) for check in checks)

    @staticmethod
    def _named(kind: Node) -> bool:
        if not isinstance(kind, URIRef):
            raise _Doubt
        return True

    @staticmethod
    def _number(value: Node) -> int:
        if not isinstance(value, Literal) or value.datatype != XSD.integer or not re.fullmatch(r"\d{1,9}", str(value)):
            raise _Doubt
        return int(str(value))

    def _members(self, head: Node) -> list[Node]:
        found: list[Node] = []
        seen: set[Node] = set()
        while head != RDF.nil:
            first, rest = list(self._shapes.objects(head, RDF.first)), list(self._shapes.objects(head, RDF.rest))
            if head in seen or len(first) != 1 or len(rest) != 1:
                raise _Doubt
            seen.add(head)
            found += first
            head = rest[0]
        return found

    # -- paths ----------------------------------------------------------------

    def _path(self, path: Node, depth: int = 0) -> _Values:
        """From a node to its values: https://www.w3.org/TR/shacl/#property-paths ."""
        if isinstance(path, URIRef):
            ahead = self._index.ahead(path)
            return lambda node: ahead.get(node, ())
        inside = list(self._shapes.predicate_objects(path))
        if depth > 8 or not isinstance(path, BNode):
            raise _Doubt
        if len(inside) == 1 and inside[0][0] == SH.inversePath and isinstance(inside[0][1], URIRef):
            back = self._index.back(inside[0][1])
            return lambda node: back.get(node, ())
        if len(inside) == 1 and inside[0][0] == SH.alternativePath:
            ways = [self._path(one, depth + 1) for one in self._members(inside[0][1])]
            return lambda node: [value for way in ways for value in way(node)]
        if any(predicate == RDF.first for predicate, _ in inside):
            steps = [self._path(one, depth + 1) for one in self._members(path)]
            return lambda node: _walk(node, steps)
        raise _Doubt


def _walk(node: Node, steps: Iterable[_Values]) -> list[Node]:
    found = [node]
    for step in steps:
        found = list(dict.fromkeys(value for one in found for value in step(one)))
    return found


def _of_datatype(datatype: Node) -> _Check:
    plain = _PLAIN.get(datatype)  # type: ignore[call-overload]
    if plain is None:
        # pySHACL may know more about a datatype than its name.
        return lambda value: False  # noqa: ARG005

    def holds(value: Node) -> bool:
        if not isinstance(value, Literal):
            return False
        if datatype == RDF.langString:
            return bool(value.language)
        kind = value.datatype or (None if value.language else XSD.string)
        return kind == datatype and plain.match(str(value)) is not None

    return holds


def _matches(pattern: str) -> _Check:
    try:
        search = re.compile(pattern).search
    except re.error as err:
        raise _Doubt from err
    return lambda value: not isinstance(value, BNode) and search(str(value)) is not None
