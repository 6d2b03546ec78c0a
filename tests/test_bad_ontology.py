"""Ontologies and shapes with mistakes: refused in words, with file and line, before anything is built."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_help import Kb

from kb._rdf import rdf_files, read_rdf
from kb._shape_checks import unknown_terms
from kb.config import packaged
from kb.errors import OntologyError
from kb.namespaces import PREFIXES
from kb.vocabulary import Vocabulary, load_vocabulary

HEADER = "".join(f"@prefix {name}: <{space}> .\n" for name, space in PREFIXES.items())
HEADER += "@prefix : <https://x.example/o#> .\n"
LINE = HEADER.count("\n") + 1
ONTOLOGY = ":A a owl:Class . :r a owl:ObjectProperty . :y a owl:DatatypeProperty .\n"
ON_R = ":S a sh:NodeShape ; sh:targetClass :A ; sh:property [ sh:path :r ; {} ] ."


@pytest.fixture
def cmd(capsys: pytest.CaptureFixture[str]) -> Kb:
    return Kb(capsys)


def load(folder: Path, ontology: str = ONTOLOGY, shapes: str = "") -> Vocabulary:
    (folder / "o.ttl").write_text(HEADER + ontology, encoding="utf-8")
    (folder / "s.ttl").write_text(HEADER + shapes, encoding="utf-8")
    return load_vocabulary([folder / "o.ttl"], [folder / "s.ttl"])


@pytest.mark.parametrize(
    ("part", "takes"),
    [
        ('sh:maxCount "one"', "sh:maxCount takes a whole number without quotes"),
        ('sh:maxCount "x"^^xsd:integer', "sh:maxCount takes a whole number without quotes"),
        ("sh:minCount 1.5", "sh:minCount takes a whole number without quotes"),
        ("sh:minCount :A", "sh:minCount takes a whole number without quotes"),
        ('sh:uniqueLang "yes"', "sh:uniqueLang takes true or false"),
        ('sh:class "A"', 'sh:class takes an IRI, not "A"'),
        ('sh:datatype "integer"', "sh:datatype takes an IRI"),
        ('sh:in "a"', "sh:in takes a list"),
        ('sh:pattern "("', "sh:pattern takes a regular expression (missing ), unterminated subpattern"),
        ('sh:node "S"', "sh:node takes a shape"),
        ("sh:message :A", "sh:message takes a text"),
    ],
)
def test_a_value_that_a_constraint_cannot_take_is_refused_with_file_and_line(
    tmp_path: Path, part: str, takes: str
) -> None:
    with pytest.raises(OntologyError) as caught:
        load(tmp_path, shapes="\n\n" + ON_R.format(part))
    assert takes in str(caught.value)
    assert f"s.ttl:{LINE + 2}: " in str(caught.value)


def test_all_wrong_values_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(OntologyError) as caught:
        load(tmp_path, shapes=ON_R.format('sh:maxCount "1" ; sh:class "A"'))
    assert str(caught.value).count("s.ttl:") == 2


@pytest.mark.parametrize(
    ("shapes", "says"),
    [
        (
            ":S a sh:NodeShape ; sh:targetClass :A ; sh:or _:l . _:l rdf:first [ sh:class :A ] ; rdf:rest _:l .",
            "the list of sh:or of <https://x.example/o#S> leads back into itself",
        ),
        (
            ":S a sh:NodeShape ; sh:targetClass :A ; sh:property :P . :P sh:path _:p . _:p sh:inversePath _:p .",
            "the path of <https://x.example/o#P> leads back into itself",
        ),
        (
            "_:p sh:inversePath [ sh:alternativePath ( :r _:p ) ] . [] a sh:PropertyShape ; sh:path _:p .",
            "the path of a shape without a name leads back into itself",
        ),
    ],
)
def test_lists_and_paths_that_lead_back_into_themselves_are_refused(tmp_path: Path, shapes: str, says: str) -> None:
    with pytest.raises(OntologyError) as caught:
        load(tmp_path, shapes=shapes)
    assert says in str(caught.value)


def test_a_shape_that_holds_itself_is_told_by_the_check(cmd: Kb, tmp_path: Path) -> None:
    load(tmp_path, shapes=":S a sh:NodeShape ; sh:targetClass :A ; sh:node :T . :T a sh:NodeShape ; sh:node :S .")
    ran = cmd("ontology", "--ontology", tmp_path / "o.ttl", "--shapes", tmp_path / "s.ttl", "--check")
    assert ran.code != 0
    assert "this shape holds itself" in ran.err


@pytest.mark.parametrize("where", ["ontology", "shapes"])
def test_blank_nodes_that_nothing_tells_apart_are_refused_and_not_sorted_for_hours(tmp_path: Path, where: str) -> None:
    ring = " ".join(f"_:b{i} :r _:b{j} ." for i in range(14) for j in range(14) if i != j)
    with pytest.raises(OntologyError, match=r"blank nodes that <https://x\.example/o#r> join are too much alike"):
        load(tmp_path, **{where: (ONTOLOGY if where == "ontology" else "") + ring})


def test_blank_nodes_as_people_write_them_are_fine(tmp_path: Path) -> None:
    long = " ".join(f'"v{n}"' for n in range(2000))
    same = " , ".join("[ a owl:Restriction ; owl:onProperty :r ; owl:someValuesFrom :A ]" for _ in range(30))
    vocabulary = load(
        tmp_path,
        ONTOLOGY + f":B rdfs:subClassOf {same} . _:a :r _:b . _:b :r _:a .",
        ON_R.format(f"sh:in ( {long} )") + ":T sh:targetClass :A ; sh:or ( [ sh:class :A ] [ sh:class :B ] ) .",
    )
    assert "b" in vocabulary.classes


@pytest.mark.parametrize(
    "text", ['"soon"^^xsd:date', '"2026-13-01"^^xsd:date', '"yes"^^xsd:boolean', '"1,5"^^xsd:decimal']
)
def test_a_literal_that_is_none_of_its_datatype_is_advice_with_file_and_line(tmp_path: Path, text: str) -> None:
    advice = load(tmp_path, ONTOLOGY + f":A dcterms:modified {text} .").advice
    kind = text.rpartition(":")[2]
    assert any(f"o.ttl:{LINE + 1}: " in line and f"is no xsd:{kind}" in line for line in advice)


def test_literals_that_fit_their_datatype_give_no_advice(tmp_path: Path) -> None:
    values = '"2026-02-28"^^xsd:date , "1"^^xsd:boolean , "+05"^^xsd:integer , "1e3"^^xsd:double , "NaN"^^xsd:float'
    assert not [line for line in load(tmp_path, ONTOLOGY + f":A :y {values} , 1.50 .").advice if "is no xsd" in line]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (":A a owl:Class", "does not parse"),
        (":A rdfs:seeAlso <https://x.example/a b> .", "Invalid IRI code point ' '"),
        (":A rdfs:seeAlso nope:x .", "nope"),
        (':A rdfs:label "open .', "does not parse"),
    ],
)
def test_syntax_errors_name_file_and_line_wherever_the_files_are_read(
    cmd: Kb, tmp_path: Path, text: str, says: str
) -> None:
    path = tmp_path / "bad.ttl"
    path.write_text(HEADER + text + "\n", encoding="utf-8")
    for args in (["ontology", "--ontology", path], ["init", tmp_path / "new", "--ontology", path]):
        ran = cmd(*args)
        assert ran.code in (2, 3)
        assert f"bad.ttl:{LINE}" in ran.err or f"bad.ttl:{LINE + 1}" in ran.err
        assert says in ran.err
        assert "Traceback" not in ran.err
    assert not (tmp_path / "new").exists()


def test_a_property_shape_is_no_value_of_sh_node(tmp_path: Path) -> None:
    with pytest.raises(OntologyError, match="sh:node takes a node shape, not one with sh:path; name it by sh:property"):
        load(tmp_path, shapes=ON_R.format("sh:node :P") + " :P a sh:PropertyShape ; sh:path :r .")


def test_a_query_that_does_not_parse_is_refused_with_file_and_line(tmp_path: Path) -> None:
    shapes = ':S a sh:NodeShape ; sh:targetClass :A ;\n  sh:sparql [ sh:select """\nSELECT $this { $this ?p\n""" ] .'
    with pytest.raises(OntologyError) as caught:
        load(tmp_path, shapes=shapes)
    assert f"s.ttl:{LINE + 2}: the query of sh:select does not parse: line " in str(caught.value)


@pytest.mark.parametrize(
    "query",
    [
        "PREFIX e: <https://e.example/> SELECT $this { $this e:p 'a: b' }",
        "SELECT $this { $this other:p ?value ; :q ?x }",
        "SELECT $this ?value { $this $PATH* ?value }",
    ],
)
def test_prefixes_and_paths_that_come_from_the_shape_are_no_syntax_errors(tmp_path: Path, query: str) -> None:
    load(tmp_path, shapes=f':S a sh:NodeShape ; sh:targetClass :A ; sh:sparql [ sh:select "{query}" ] .')


def test_a_property_shape_without_a_path_is_refused_with_file_and_line(tmp_path: Path) -> None:
    with pytest.raises(OntologyError) as caught:
        load(tmp_path, shapes=":S a sh:NodeShape ; sh:targetClass :A ;\n  sh:property [ sh:minCount 1 ] .")
    says = "what sh:property of <https://x.example/o#S> leads to needs sh:path; it has sh:minCount"
    assert f"s.ttl:{LINE}: {says}" in str(caught.value)


def test_a_term_that_shacl_lacks_is_advice(tmp_path: Path) -> None:
    advice = load(tmp_path, shapes="\n" + ON_R.format("sh:minCont 1 ; sh:severity sh:Violaton")).advice
    told = [one.split("s.ttl:")[1] for one in advice if "SHACL has no term" in one]
    assert sorted(told) == [
        f"{LINE + 1}: SHACL has no term sh:Violaton, so it has no effect; did you mean sh:Violation?",
        f"{LINE + 1}: SHACL has no term sh:minCont, so it has no effect; did you mean sh:minCount?",
    ]


def test_the_packaged_shapes_have_only_terms_of_shacl() -> None:
    files = [read_rdf(path) for path in rdf_files([packaged("shapes")], "shapes")]
    assert unknown_terms(files) == []
