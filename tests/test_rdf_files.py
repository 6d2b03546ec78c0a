"""Ontology and shapes files of any RDF syntax are read alike; errors name file and line; nothing is fetched."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb._rdf import RDF_SUFFIXES, Triples, canonical, rdf_files, read_rdf
from kb.errors import OntologyError
from kb.vocabulary import load_vocabulary

ROOT = Path(__file__).resolve().parent.parent
MUSEUM = Path(__file__).parent / "domains" / "museum"


def converted(source: Path, target: Path) -> Path:
    syntax = RDF_SUFFIXES[target.suffix]
    if target.suffix == ".n3":
        target.write_bytes(source.read_bytes())  # Turtle is N3
        return target
    quads = list(ox.parse(path=str(source), format=ox.RdfFormat.TURTLE))
    triples = [quad if syntax.supports_datasets else quad.triple for quad in quads]
    ox.serialize(triples, str(target), format=syntax)
    return target


@pytest.mark.parametrize("suffix", RDF_SUFFIXES)
def test_every_syntax_gives_the_same_vocabulary(tmp_path: Path, suffix: str) -> None:
    expected = load_vocabulary([MUSEUM / "ontology.ttl"], [MUSEUM / "shapes.ttl"])
    ontology = converted(MUSEUM / "ontology.ttl", tmp_path / f"ontology{suffix}")
    shapes = converted(MUSEUM / "shapes.ttl", tmp_path / f"shapes{suffix}")
    assert load_vocabulary([ontology], [shapes]) == expected


def test_suffixes_count_in_any_case(tmp_path: Path) -> None:
    path = tmp_path / "O.TTL"
    path.write_text("<https://x.example/a> a <https://x.example/B> .")
    assert len(read_rdf(path).triples) == 1


def test_a_folder_stands_for_its_rdf_files_and_nothing_else(tmp_path: Path) -> None:
    for name in ("b.ttl", "a.nt", "deep/c.owl", ".git/d.ttl", "package.json", "notes.md", "e.xml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    found = [path.relative_to(tmp_path).as_posix() for path in rdf_files([tmp_path, tmp_path / "b.ttl"], "ontology")]
    assert found == ["a.nt", "b.ttl", "deep/c.owl"]


def test_a_folder_that_links_to_itself_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.ttl").touch()
    (tmp_path / "loop").symlink_to(tmp_path)
    assert [path.name for path in rdf_files([tmp_path], "ontology")] == ["a.ttl"]


def test_an_empty_folder_and_a_missing_path_are_named(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match="no shapes files in this folder; suffixes looked for: "):
        rdf_files([tmp_path], "shapes")
    with pytest.raises(OntologyError, match=r"no\.ttl: no such ontology file or folder"):
        rdf_files([tmp_path / "no.ttl"], "ontology")


_XML = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="https://x.example/"'


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("o.ttl", "@prefix : <https://x.example/> .\n\n:a :b .\n", r"o\.ttl:3: does not parse: column \d+: "),
        ("o.nt", "<https://x.example/a> <https://x.example/b> 7 .\n", r"o\.nt:1: does not parse"),
        ("o.jsonld", '{"@id":\n', r"o\.jsonld:\d: does not parse"),
        ("o.rdf", "<rdf:RDF", r"o\.rdf:1: does not parse"),
        ("o.rdf", f"<rdf:RDF {_XML}>\n<rdf:Description><x:a>1</x:b></rdf:Description></rdf:RDF>", "rdf:2: does"),
        ("o.rdf", f'<rdf:RDF {_XML}>\n\n<rdf:Description rdf:about="https://x.example/a b"/></rdf:RDF>', "rdf:3: does"),
        ("o.rdf", '<!DOCTYPE r [\n<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<r>&a;</r>', "rdf:2: entity 'a' is"),
        ("o.ttl", "@prefix : <https://x.example/> .\n:a :b <no iri> .\n", r"o\.ttl:2: does not parse"),
        ("o.n3", "@prefix : <https://x.example/> .\n{ :a :b ?x } => { :c :d ?x } .\n", "does not parse"),
        ("o.docx", "", "unknown RDF syntax; known suffixes: .ttl"),
    ],
)
def test_a_file_that_does_not_parse_is_named_with_its_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(OntologyError, match=message):
        load_vocabulary([tmp_path / name], [])


def test_a_file_of_other_bytes_is_named(tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(OntologyError, match=r"o\.ttl: cannot be read"):
        read_rdf(path)


@pytest.mark.parametrize(
    "context",
    [
        "https://x.example/context.jsonld",
        {"@import": "https://x.example/c.jsonld", "@version": 1.1},
        ["file:///etc/passwd"],
    ],
)
def test_a_remote_json_ld_context_is_refused_and_never_fetched(tmp_path: Path, context: object) -> None:
    path = tmp_path / "o.jsonld"
    path.write_text(json.dumps({"@context": context, "@id": "https://x.example/a", "label": "a"}))
    with pytest.raises(
        OntologyError, match="remote JSON-LD context, and those are never fetched; write the context into"
    ):
        read_rdf(path)


@pytest.mark.parametrize(
    ("context", "body", "bad"),
    [
        ({}, {"@id": "https://x.example/a b", "p": 1}, "https://x.example/a b"),
        ({"id": "@id"}, {"@id": "x:a", "p": {"id": "a b"}}, "a b"),
        ({"kind": {"@id": "@type"}}, {"@id": "x:a", "kind": ["x:T", "x:T U"]}, "x:T U"),
        ({"q": {"@id": "x:q", "@type": "@id"}}, {"@id": "x:a", "q": "x:<b>"}, "x:<b>"),
        ({"r": "https://x.example/r s"}, {"@id": "x:a", "r": 1}, "https://x.example/r s"),
    ],
)
def test_json_ld_that_would_lose_statements_to_a_bad_iri_is_refused(
    tmp_path: Path, context: dict[str, object], body: dict[str, object], bad: str
) -> None:
    path = tmp_path / "o.jsonld"
    path.write_text(json.dumps({"@context": {"p": "x:p", **context}, **body}, indent=1))
    with pytest.raises(OntologyError) as caught:
        read_rdf(path)
    line = next(n for n, text in enumerate(path.read_text().splitlines(), 1) if json.dumps(bad) in text)
    assert f"o.jsonld:{line}: does not parse: {bad!r} is no IRI" in str(caught.value)


def test_spaces_in_texts_and_terms_of_json_ld_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "o.jsonld"
    context = {"full name": "x:name", "Big Thing": "x:Big", "raw": {"@id": "x:raw", "@type": "@json"}}
    body = {"@id": "x:a", "@type": "Big Thing", "full name": "A B", "raw": {"n": "a b"}, "none": None}
    path.write_text(json.dumps({"@context": context, **body}))
    assert len(read_rdf(path).triples) == 3


def test_xml_entities_do_not_explode(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))
    path = tmp_path / "o.rdf"
    path.write_text(
        f'<!DOCTYPE r [<!ENTITY e0 "boom">{entities}]>\n'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="https://x.example/">'
        '<rdf:Description rdf:about="https://x.example/a"><x:b>&e8;</x:b></rdf:Description></rdf:RDF>'
    )
    with pytest.raises(OntologyError, match=r"o\.rdf:1: entity 'e1' is made of other entities, which is refused"):
        read_rdf(path)


def test_one_long_xml_entity_used_many_times_does_not_explode(tmp_path: Path) -> None:
    path = tmp_path / "o.rdf"
    path.write_text(f'<!DOCTYPE r [<!ENTITY e "{"boom" * 1000}">]>\n<r>{"&e;" * 100_000}</r>')
    with pytest.raises(OntologyError, match="expand to 400,000,000 characters"):
        read_rdf(path)


def test_xml_entities_for_namespaces_are_read_as_ontology_editors_write_them(tmp_path: Path) -> None:
    path = tmp_path / "o.owl"
    path.write_text(
        '<!DOCTYPE rdf:RDF [ <!ENTITY owl "http://www.w3.org/2002/07/owl#" > ]>\n'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about="https://x.example/Room"><rdf:type rdf:resource="&owl;Class"/></rdf:Description>'
        "</rdf:RDF>"
    )
    assert list(load_vocabulary([path], []).classes) == ["room"]


def test_blank_nodes_of_two_files_stay_apart(tmp_path: Path) -> None:
    for name in ("a.ttl", "b.ttl"):
        (tmp_path / name).write_text(f'_:n <https://x.example/p> "{name}" .')
    store = Triples(t for path in rdf_files([tmp_path], "ontology") for t in read_rdf(path).triples)
    assert len(store.subjects("https://x.example/p")) == 2


def test_relative_iris_do_not_say_where_the_file_lies(tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_text("<> a <https://x.example/Ontology> .")
    assert str(tmp_path) not in str(read_rdf(path).triples)


def test_a_term_is_found_on_its_line_and_not_inside_other_words(tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_text("@prefix : <https://x.example/> .\n:onLoan :p :q .\n:on-loan :p :q .\n:on :p :q .\n")
    file = read_rdf(path)
    assert file.line_of("https://x.example/on") == 4
    assert file.place_of("https://x.example/on") == f"{path}:4"
    assert file.place_of("https://x.example/absent") == str(path)


def test_lists_that_go_in_circles_end() -> None:
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    text = f"<x:l> <{rdf}first> <x:a> ; <{rdf}rest> <x:m> . <x:m> <{rdf}first> <x:b> ; <{rdf}rest> <x:l> ."
    triples = Triples(quad.triple for quad in ox.parse(text, format=ox.RdfFormat.TURTLE))
    assert [str(m) for m in triples.members(ox.NamedNode("x:l"))] == ["<x:a>", "<x:b>"]


GRAPHS = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from("pq"), st.integers(0, 4) | st.sampled_from("ab")), max_size=8
)


@given(GRAPHS, st.randoms(use_true_random=False))
def test_canonical_triples_do_not_hang_on_order_or_labels(
    rows: list[tuple[int, str, int | str]], random: object
) -> None:
    def graph(label: str, order: list[tuple[int, str, int | str]]) -> list[ox.Triple]:
        return [
            ox.Triple(
                ox.BlankNode(f"{label}{s}"),
                ox.NamedNode(f"x:{p}"),
                ox.BlankNode(f"{label}{o}") if isinstance(o, int) else ox.NamedNode(f"x:{o}"),
            )
            for s, p, o in order
        ]

    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert canonical(graph("m", rows), "o-") == canonical(graph("n", shuffled), "o-")


SHAPES_WITH_BLANK_NODES = """
@prefix : <https://x.example/o#> . @prefix sh: <http://www.w3.org/ns/shacl#> .
:RoomShape a sh:NodeShape ; sh:targetClass :Room ; sh:property [ sh:path :in ; sh:class %s ] .
:WingShape a sh:NodeShape ; sh:targetClass :Wing ; sh:property [ sh:path :in ; sh:class %s ] .
"""
ONTOLOGY = """
@prefix : <https://x.example/o#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
:Room a owl:Class . :Wing a owl:Class . :House a owl:Class . :in a owl:ObjectProperty .
"""


def digest_in_a_new_process(folder: Path) -> str:
    code = (
        "import sys; from pathlib import Path; from kb.vocabulary import load_vocabulary as load;"
        "f = Path(sys.argv[1]); v = load([f / 'o.ttl'], [f / 's.ttl']); print(v.digest, hash(v.shapes) != 0, v.shapes)"
    )
    return subprocess.run(
        [sys.executable, "-c", code, str(folder)], check=True, capture_output=True, text=True, cwd=ROOT
    ).stdout


def test_digest_and_triples_are_the_same_at_every_run_and_change_with_the_meaning(tmp_path: Path) -> None:
    (tmp_path / "o.ttl").write_text(ONTOLOGY)
    shapes = tmp_path / "s.ttl"
    shapes.write_text(SHAPES_WITH_BLANK_NODES % (":Wing", ":House"))
    first = digest_in_a_new_process(tmp_path)
    assert first == digest_in_a_new_process(tmp_path)
    # The same classes and the same number of blank nodes, but joined the other way round.
    shapes.write_text(SHAPES_WITH_BLANK_NODES % (":House", ":Wing"))
    assert first.split()[0] != digest_in_a_new_process(tmp_path).split()[0]


def test_a_comment_does_not_change_the_digest(tmp_path: Path) -> None:
    digests = set()
    for comment in ("", "# a comment\n"):
        (tmp_path / "o.ttl").write_text(comment + ONTOLOGY)
        digests.add(load_vocabulary([tmp_path / "o.ttl"], []).digest)
    assert len(digests) == 1


def written(triples: tuple[ox.Triple, ...], path: Path) -> Path:
    ox.serialize(triples, str(path), format=ox.RdfFormat.N_TRIPLES)
    return path


@pytest.mark.parametrize("shapes", [SHAPES_WITH_BLANK_NODES % (":Wing", ":House"), ""])
def test_a_vocabulary_written_out_and_read_back_is_the_same(tmp_path: Path, shapes: str) -> None:
    """Also where shapes are derived, because there are none."""
    (tmp_path / "o.ttl").write_text(ONTOLOGY)
    (tmp_path / "s.ttl").write_text(shapes)
    once = load_vocabulary([tmp_path / "o.ttl"], [tmp_path / "s.ttl"])
    ontology, checked = written(once.ontology, tmp_path / "o.nt"), written(once.shapes, tmp_path / "s.nt")
    again = load_vocabulary([ontology], [checked])
    assert again.digest == once.digest
    assert (again.classes, again.attributes) == (once.classes, once.attributes)
    assert {n: r.signatures for n, r in again.relations.items()} == {n: r.signatures for n, r in once.relations.items()}
