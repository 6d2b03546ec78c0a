"""What is wrong with shapes before an engine sees them, with file and line: values of the wrong kind, circles.

https://www.w3.org/TR/shacl/#core-components says what each parameter takes. Engines differ in what they make of others:
some raise errors of their own, some ignore the constraint, which would let every statement through.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Sequence

import pyoxigraph as ox

from kb._rdf import RdfFile, Term, Triples
from kb._shacl_words import SHACL_WORDS
from kb.errors import OntologyError
from kb.names import local_name
from kb.namespaces import RDF, SH, XSD

__all__ = ["check_shape_values", "ill_typed", "unknown_terms"]

_WHOLE = ("minCount", "maxCount", "minLength", "maxLength", "qualifiedMinCount", "qualifiedMaxCount")
_TRUTH = ("closed", "deactivated", "uniqueLang", "qualifiedValueShapesDisjoint")
_IRI = (
    "class",
    "datatype",
    "nodeKind",
    "severity",
    "targetClass",
    "targetSubjectsOf",
    "targetObjectsOf",
    "inversePath",
)
_LIST = ("and", "or", "xone", "in", "ignoredProperties", "languageIn", "alternativePath")
_PATHS = ("inversePath", "alternativePath", "zeroOrMorePath", "oneOrMorePath", "zeroOrOnePath")
_LEXICAL: dict[str, str] = {
    "boolean": r"true|false|0|1",
    "integer": r"[+-]?\d+",
    "int": r"[+-]?\d+",
    "long": r"[+-]?\d+",
    "nonNegativeInteger": r"\+?\d+|-0+",
    "positiveInteger": r"\+?0*[1-9]\d*",
    "decimal": r"[+-]?(\d+(\.\d*)?|\.\d+)",
    "double": r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?INF|NaN",
    "float": r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]?INF|NaN",
    "date": r"-?\d{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(Z|[+-]\d\d:\d\d)?",
    "dateTime": r"-?\d{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?",
    "gYear": r"-?\d{4,}(Z|[+-]\d\d:\d\d)?",
}
"""The lexical spaces of https://www.w3.org/TR/xmlschema11-2/, as far as people write them."""


def check_shape_values(files: Sequence[RdfFile]) -> None:
    """Raises OntologyError that names every wrong value with file and line, and what the parameter takes."""
    with_path = {t.subject for file in files for t in file.triples if t.predicate.value == SH + "path"}
    wrong = [line for file in files for line in (*_wrong_values(file, with_path), *_wrong_queries(file))]
    wrong += _without_path(files, with_path)
    if not wrong:
        graph = Triples(triple for file in files for triple in file.triples)
        wrong = _circles(graph, files)
    if wrong:
        raise OntologyError("the shapes cannot be used:\n" + "\n".join(f"  {line}" for line in dict.fromkeys(wrong)))


def ill_typed(files: Sequence[RdfFile]) -> list[str]:
    """Sentences about literals whose text is none of their datatype, such as `"soon"^^xsd:date`."""
    return [
        f"{_place(file, triple)}: {_shown(triple.object)} is no xsd:{kind}; write it as one, or leave the type out"
        for file in files
        for triple in file.triples
        if isinstance(triple.object, ox.Literal) and (kind := _broken(triple.object))
    ]


def unknown_terms(files: Sequence[RdfFile]) -> list[str]:
    """Sentences about terms that SHACL does not have: engines pass over `sh:minCont`, and check nothing."""
    found = []
    for file in files:
        for triple in file.triples:
            for term in (triple.predicate, triple.object):
                if not isinstance(term, ox.NamedNode) or not term.value.startswith(SH):
                    continue
                name = term.value.removeprefix(SH)
                if not name or name in SHACL_WORDS or name.endswith("ConstraintComponent"):
                    continue
                close = difflib.get_close_matches(name, sorted(SHACL_WORDS), 1)
                hint = f"; did you mean sh:{close[0]}?" if close else ""
                found.append(f"{file.place_of(term.value)}: SHACL has no term sh:{name}, so it has no effect{hint}")
    return list(dict.fromkeys(found))


def _wrong_values(file: RdfFile, with_path: Collection[Term]) -> Iterable[str]:
    for triple in file.triples:
        name = triple.predicate.value.removeprefix(SH)
        if name == "node" and triple.predicate.value.startswith(SH) and triple.object in with_path:
            yield f"{_place(file, triple)}: sh:node takes a node shape, not one with sh:path; name it by sh:property"
        if name != triple.predicate.value and (why := _wrong(name, triple.object)):
            yield f"{_place(file, triple)}: sh:{name} takes {why}, not {_shown(triple.object)}"


def _without_path(files: Sequence[RdfFile], with_path: Collection[Term]) -> Iterable[str]:
    described: dict[Term, ox.Triple] = {}
    for file in files:
        for triple in file.triples:
            if not isinstance(triple.object, ox.BlankNode):
                described.setdefault(triple.subject, triple)
    for file in files:
        for triple in file.triples:
            host, inner = triple.subject, described.get(triple.object)
            if triple.predicate.value == SH + "property" and inner is not None and triple.object not in with_path:
                place = file.place_of(host.value) if isinstance(host, ox.NamedNode) else str(file.path)
                holder = f"<{host.value}>" if isinstance(host, ox.NamedNode) else "a shape without a name"
                what = f"sh:{local_name(inner.predicate.value)} {_shown(inner.object)}"
                yield f"{place}: what sh:property of {holder} leads to needs sh:path; it has {what}"


def _wrong_queries(file: RdfFile) -> Iterable[str]:
    for triple in file.triples:
        name = triple.predicate.value.removeprefix(SH)
        if name in ("select", "ask", "construct") and isinstance(triple.object, ox.Literal):
            why = _query_error(triple.object.value)
            if why:
                yield f"{_query_place(file, triple.object.value, name)}: the query of sh:{name} does not parse: {why}"


def _query_error(query: str) -> str | None:
    """What is wrong with a query's syntax. Nothing is run, and prefixes count as declared."""
    text = query.replace("$PATH", "<urn:kb:path>")
    prefixes = dict.fromkeys(re.findall(r"([A-Za-z][\w.-]*|(?<![\w.-])):", text), "urn:kb:prefix:")
    try:
        # Two arguments that exclude each other stop the engine between parsing and running.
        ox.Store().query(text, prefixes=prefixes, use_default_graph_as_union=True, default_graph=[ox.DefaultGraph()])
    except SyntaxError as err:
        found = re.match(r"error at (\d+):(\d+)", str(err))
        return f"line {found[1]}, column {found[2]} of it" if found else str(err)
    except ValueError:
        pass
    return None


def _query_place(file: RdfFile, query: str, name: str) -> str:
    """File and line where the query starts, else where the property first stands."""
    first = next((line.strip() for line in query.splitlines() if line.strip()), "")
    numbered = list(enumerate(file.text.splitlines(), 1))
    line = next((n for n, text in numbered if first in text), 0) or next((n for n, text in numbered if name in text), 0)
    return f"{file.path}:{line}" if line else str(file.path)


def _wrong(name: str, value: Term) -> str | None:
    """What the parameter takes, where the value is something else."""
    literal = value if isinstance(value, ox.Literal) else None
    if name in _WHOLE and (literal is None or literal.datatype.value != XSD + "integer" or _broken(literal)):
        return "a whole number without quotes, such as 1"
    if name in _TRUTH and (literal is None or literal.datatype.value != XSD + "boolean" or _broken(literal)):
        return "true or false without quotes"
    if name in _IRI and literal is not None:
        return "an IRI"
    if name in _LIST and literal is not None:
        return "a list in ( )"
    if name in ("property", "node", "not", "path") and literal is not None:
        return "a shape" if name != "path" else "a property or a path"
    if name == "message" and literal is None:
        return "a text"
    if name == "pattern":
        if literal is None:
            return "a regular expression"
        try:
            re.compile(literal.value)
        except re.error as err:
            return f"a regular expression ({err})"
    return None


def _broken(literal: ox.Literal) -> str | None:
    """The local name of the datatype that the text does not fit."""
    name = literal.datatype.value.removeprefix(XSD)
    pattern = _LEXICAL.get(name) if name != literal.datatype.value else None
    return name if pattern and not re.fullmatch(pattern, literal.value.strip(), re.ASCII) else None


def _circles(graph: Triples, files: Sequence[RdfFile]) -> list[str]:
    wrong = []
    for name in _LIST:
        for shape in graph.subjects(SH + name):
            wrong += [
                f"{files[0].path}: the list of sh:{name} of {_name(shape)} leads back into itself"
                for head in graph.objects(shape, SH + name)
                if _leads_back(graph, head, [RDF + "rest"])
            ]
    steps = [*(SH + one for one in _PATHS), RDF + "first", RDF + "rest"]
    for shape in graph.subjects(SH + "path"):
        wrong += [
            f"{files[0].path}: the path of {_name(shape)} leads back into itself"
            for path in graph.objects(shape, SH + "path")
            if isinstance(path, ox.BlankNode) and _leads_back(graph, path, steps)
        ]
    return wrong


def _leads_back(graph: Triples, start: Term, predicates: Sequence[str]) -> bool:
    """Whether blank nodes that `predicates` lead to from here form a circle."""
    done, stack, inside = set[Term](), [(start, False)], set[Term]()
    while stack:
        node, leaving = stack.pop()
        if leaving:
            inside.discard(node)
            done.add(node)
        elif node in inside:
            return True
        elif node not in done:
            inside.add(node)
            stack.append((node, True))
            after = (one for predicate in predicates for one in graph.objects(node, predicate))
            stack.extend((one, False) for one in after if isinstance(one, ox.BlankNode))
    return False


def _place(file: RdfFile, triple: ox.Triple) -> str:
    """File and line: the first that has property and value, else the value, else the property."""
    term = triple.object
    value = local_name(term.value) if isinstance(term, ox.NamedNode) else getattr(term, "value", "")
    name = local_name(triple.predicate.value)
    lines = file.text.splitlines()
    for words in ((name, value), (value,), (name,)) if isinstance(term, ox.Literal | ox.NamedNode) else ((name,),):
        for number, line in enumerate(lines, 1):
            if all(word and word in line for word in words):
                return f"{file.path}:{number}"
    return str(file.path)


def _name(shape: ox.NamedNode | ox.BlankNode) -> str:
    return str(shape) if isinstance(shape, ox.NamedNode) else "a shape without a name"


def _shown(value: Term) -> str:
    text = str(value).replace(f"<{XSD}", "<xsd:")
    return text if len(text) <= 60 else text[:59] + "…"
