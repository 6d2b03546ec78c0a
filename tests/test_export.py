"""An export holds the graph, whole and in the same bytes every time, in every format."""

from __future__ import annotations

import random
import warnings

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.graph.export import FORMATS, serialise
from kb.graph.prefixes import base_prefixes
from kb.iris import Iris
from kb.namespaces import KB, PREFIXES, RDF, RDFS, XSD

IRIS = Iris("https://kb.example/")
PX = {**PREFIXES, **base_prefixes(IRIS)}
N = ox.NamedNode
RDFLIB = {
    "turtle": "turtle",
    "trig": "trig",
    "ntriples": "nt",
    "nquads": "nquads",
    "rdfxml": "xml",
    "jsonld": "json-ld",
}

# -- any graph at all ------------------------------------------------------------

_ENTITY_IDS = st.one_of(
    st.sampled_from(
        ["a", "a/b", "component:default/x y", "1", "-a", "a.", ".", "ä", "x%20y", "a:b", "~", "a'b(c)", "//"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6),
)
_SUBJECT_IRIS = st.one_of(
    _ENTITY_IDS.map(IRIS.entity),
    _ENTITY_IDS.map(IRIS.page),
    st.sampled_from(["urn:x", "kb:Service", "entity:a", "label:x", "public:y", "http://a", "rdf:type", "x:", KB, RDF]),
)
_NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.\-]{0,5}", fullmatch=True)
_PREDICATE_IRIS = st.one_of(
    st.sampled_from(
        [RDF + "type", RDFS + "label", KB + "dependsOn", KB + "public", KB + "label", "urn:p:dependsOn", RDF + "first"]
    ),
    _NAMES.map(lambda name: f"{KB}{name}"),
    _NAMES.map(lambda name: f"http://other.example/{name}"),
    _NAMES.map(lambda name: IRIS.entity(f"x/{name}")),
)
_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
_DATATYPES = st.sampled_from(
    [
        XSD + "integer",
        XSD + "boolean",
        XSD + "decimal",
        XSD + "double",
        XSD + "date",
        RDF + "HTML",
        "urn:dt",
        KB + "Odd",
    ]
)
_LITERALS = st.one_of(
    _TEXT.map(ox.Literal),
    st.integers(-(10**20), 10**20).map(ox.Literal),
    st.booleans().map(ox.Literal),
    st.tuples(_TEXT, st.sampled_from(["en", "en-gb", "zh-hant-tw"])).map(lambda t: ox.Literal(t[0], language=t[1])),
    st.tuples(_TEXT, _DATATYPES).map(lambda t: ox.Literal(t[0], datatype=N(t[1]))),
    st.sampled_from(["1", "01", "1.50", "true", "1E3", "-0", "+5"]).flatmap(
        lambda v: _DATATYPES.map(lambda d: ox.Literal(v, datatype=N(d)))
    ),
)
_BLANKS = st.sampled_from(["b0", "b1", "b2"]).map(ox.BlankNode)
_SUBJECTS = st.one_of(_SUBJECT_IRIS.map(N), _SUBJECT_IRIS.map(N), _BLANKS)
_OBJECTS = st.one_of(
    _SUBJECT_IRIS.map(N), _LITERALS, _LITERALS, _BLANKS, st.just(N(KB + "Service")), st.just(N("urn:1"))
)
_TRIPLES = st.lists(st.builds(ox.Triple, _SUBJECTS, _PREDICATE_IRIS.map(N), _OBJECTS), max_size=8)
_GRAPHS = st.one_of(
    st.just(ox.DefaultGraph()), _ENTITY_IDS.map(lambda i: N(IRIS.page_graph(i))), st.just(N("urn:g")), _BLANKS
)
_QUADS = st.lists(st.builds(ox.Quad, _SUBJECTS, _PREDICATE_IRIS.map(N), _OBJECTS, _GRAPHS), max_size=8)


def canonical(quads: object) -> list[str]:
    dataset = ox.Dataset(quads)  # type: ignore[arg-type]
    dataset.canonicalize(ox.CanonicalizationAlgorithm.RDFC_1_0)
    return sorted(map(str, dataset))


def as_quads(triples: list[ox.Triple]) -> list[ox.Quad]:
    return [ox.Quad(*triple) for triple in triples]


def read_by_oxigraph(data: bytes, name: str) -> list[str]:
    return canonical(ox.parse(data, format=FORMATS[name].rdf))


def read_by_rdflib(data: bytes, name: str) -> list[str]:
    """What rdflib reads, as Oxigraph's quads. Values stay as they are written."""
    import rdflib

    normalise = rdflib.NORMALIZE_LITERALS
    rdflib.NORMALIZE_LITERALS = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd literals, and its own deprecated classes
            graph = rdflib.Dataset() if FORMATS[name].graphs else rdflib.Graph()
            graph.parse(data=data, format=RDFLIB[name])
            text = graph.serialize(format="nquads" if FORMATS[name].graphs else "nt")
    finally:
        rdflib.NORMALIZE_LITERALS = normalise
    text = text.replace(" <urn:x-rdflib:default> .", " .")
    return canonical(ox.parse(text, format=ox.RdfFormat.N_QUADS, lenient=True))


def writable_as_xml(triples: list[ox.Triple]) -> bool:
    texts = [triple.object.value for triple in triples if isinstance(triple.object, ox.Literal)]
    return not any((ord(char) < 32 and char not in "\t\n\r") or char in "\ufffe\uffff" for char in "".join(texts))


@pytest.mark.parametrize("name", ["turtle", "ntriples", "jsonld", "rdfxml", "trig", "nquads"])
@given(triples=_TRIPLES)
@settings(max_examples=150)
def test_a_graph_comes_back_from_every_format_by_oxigraphs_parser(name: str, triples: list[ox.Triple]) -> None:
    if name == "rdfxml" and not writable_as_xml(triples):
        return
    assert read_by_oxigraph(serialise(triples, name, PX), name) == canonical(as_quads(triples))


@pytest.mark.parametrize("name", ["turtle", "ntriples", "jsonld", "rdfxml"])
@given(triples=_TRIPLES)
@settings(max_examples=100)
def test_a_graph_comes_back_from_every_format_by_rdflibs_parser(name: str, triples: list[ox.Triple]) -> None:
    if name == "rdfxml" and not writable_as_xml(triples):
        return
    assert read_by_rdflib(serialise(triples, name, PX), name) == canonical(as_quads(triples))


@pytest.mark.parametrize("name", ["trig", "nquads"])
@given(quads=_QUADS)
@settings(max_examples=100)
def test_a_dataset_comes_back_from_every_format_of_several_graphs(name: str, quads: list[ox.Quad]) -> None:
    assert read_by_oxigraph(serialise(quads, name, PX), name) == canonical(quads)


@pytest.mark.parametrize("name", list(FORMATS))
@given(quads=_QUADS, seed=st.integers(0, 100))
@settings(max_examples=50)
def test_the_order_in_which_a_graph_was_made_does_not_matter(name: str, quads: list[ox.Quad], seed: int) -> None:
    if name == "rdfxml" and not writable_as_xml([q.triple for q in quads]):
        return
    shuffled = [*quads, *quads]
    random.Random(seed).shuffle(shuffled)
    assert serialise(quads, name, PX) == serialise(shuffled, name, PX)
