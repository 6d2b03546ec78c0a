"""The catalogue's own format: what it may hold, and that every fault is named with file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from sources_help import Folder, config_for, systems

from kb.errors import CatalogueError, Fault, KbError
from kb.model import Entity, Statement
from kb.sources.catalogue import Catalogue, load_catalogue

EXAMPLE = Path(__file__).parent.parent / "examples" / "larkspur" / "catalogue.yaml"

RECORDS = [
    {"id": "a", "type": "service", "name": "Alpha", "aliases": ["Al", "alpha-svc"], "public": True},
    {"id": "b", "type": "datastore", "name": "Beta", "description": "Keeps things."},
]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


# -- what it may hold -------------------------------------------------------------


def test_the_example_is_read_whole() -> None:
    found = load_catalogue([EXAMPLE], systems(), config_for(EXAMPLE.parent))
    assert len(found.entities) == 62
    assert found.warnings == ()
    checkout = found.entities["checkout"]
    assert checkout.aliases == ("Checkout Service", "checkout-svc")
    assert (checkout.type, checkout.name, checkout.attributes) == ("service", "Checkout", {"public": True})
    assert checkout.source == "catalogue.yaml"


@pytest.mark.parametrize("wrap", ["entities", "list", "by id", "bare by id"])
@pytest.mark.parametrize("suffix", [".yaml", ".yml", ".json"])
def test_the_same_records_in_any_form_and_syntax_are_the_same_entities(folder: Folder, wrap: str, suffix: str) -> None:
    by_id = {one["id"]: {key: value for key, value in one.items() if key != "id"} for one in RECORDS}
    data: Any = {"entities": {"entities": RECORDS}, "list": RECORDS, "by id": {"entities": by_id}, "bare by id": by_id}[
        wrap
    ]
    folder.write(f"c{suffix}", json.dumps(data) if suffix == ".json" else yaml.safe_dump(data))
    found = folder.load(f"c{suffix}").entities
    source = f"c{suffix}"
    assert list(found.values()) == [
        Entity("a", "service", "Alpha", ("Al", "alpha-svc"), None, {"public": True}, source),
        Entity("b", "datastore", "Beta", (), "Keeps things.", {}, source),
    ]


def test_relations_and_inverses_become_statements_in_the_stored_direction(folder: Folder) -> None:
    folder.write(
        "c.yaml",
        """
entities:
- {id: a, type: service, name: A, depends_on: [b, c], owned_by: t}
- {id: b, type: service, name: B, dependency_of: c}
- {id: c, type: service, name: C}
- {id: t, type: team, name: T, owns: [a, b], led_by: ~, has_member: []}
""",
    )
    found = folder.load("c.yaml")
    assert {(s.subject, s.relation, s.object) for s in found.statements} == {
        ("a", "depends_on", "b"),
        ("a", "depends_on", "c"),
        ("c", "depends_on", "b"),
        ("a", "owned_by", "t"),
        ("b", "owned_by", "t"),
    }
    # What is stated at both ends in one file is one statement of that file.
    assert len(found.statements) == 5
    assert {(s.source, s.from_page, s.evidence) for s in found.statements} == {("c.yaml", False, None)}


def test_ids_and_names_that_yaml_takes_for_values_stay_as_written(folder: Folder) -> None:
    folder.write(
        "c.yaml",
        "- {id: on, type: service, name: yes, aliases: [017, 1:30]}\n"
        "- {id: 017, type: service, name: 1.10, depends_on: on}\n",
    )
    found = folder.load("c.yaml")
    assert [(one.id, one.name, one.aliases) for one in found.entities.values()] == [
        ("on", "yes", ("017", "1:30")),
        ("017", "1.10", ()),
    ]
    assert found.statements == (Statement("017", "depends_on", "on", "c.yaml", from_page=False),)


def test_several_documents_files_and_folders_make_one_catalogue(folder: Folder) -> None:
    folder.write(
        "one.yaml", "entities: [{id: a, type: service, name: A, depends_on: z}]\n---\n- {id: b, type: team, name: B}\n"
    )
    folder.write("more/x/two.json", '{"entities": [{"id": "z", "type": "service", "name": "Z"}]}')
    folder.write("more/.hidden/three.yaml", "entities: [{id: h, type: service, name: H}]")
    folder.write("more/openapi.yaml", "openapi: 3.1.0\npaths: {}\n")
    folder.write("more/list.json", "[1, 2]")
    found = folder.load("one.yaml", "more", "more/x/two.json")
    assert list(found.entities) == ["a", "b", "z"]
    assert found.warnings == ()
    assert folder.triples("one.yaml", "more") == {("a", "depends_on", "z")}


def test_an_empty_list_of_entities_is_a_catalogue(folder: Folder) -> None:
    folder.write("c.yaml", "entities: []\n")
    assert folder.load("c.yaml").entities == {}


def test_white_space_in_names_is_folded_and_repeated_aliases_go(folder: Folder) -> None:
    folder.write("c.yaml", '- {id: " a ", type: Service, name: " A\n  B ", aliases: [x, x, A B]}\n')
    assert folder.load("c.yaml").entities["a"] == Entity("a", "service", "A B", ("x",), None, {}, "c.yaml")


# -- warnings: left out, not fatal ---------------------------------------------------


def test_an_unknown_key_is_ignored_with_a_hint_and_named_once_with_its_places(folder: Folder) -> None:
    folder.write(
        "c.yaml",
        "version: 2\nentities:\n- {id: a, type: service, name: A, ownedBy: t}\n"
        "- {id: b, type: service, name: B, ownedBy: t}\n",
    )
    first, second, known = folder.load("c.yaml").warnings
    assert str(first) == "c.yaml:1: ignored key 'version' beside 'entities'; remove it"
    assert second.line == 3
    assert "ignored key 'ownedBy' (also c.yaml:4); did you mean 'owned_by'?" in second.message
    assert str(known).startswith("c.yaml: keys that these records may have: id, type, name, aliases, description; ")


def test_a_reference_to_nothing_is_left_out_and_named_once_with_its_places(folder: Folder) -> None:
    folder.write(
        "c.yaml",
        "- {id: alpha, type: service, name: A, depends_on: [alpa, beta]}\n"
        "- {id: beta, type: service, name: B, depends_on:\n   alpa}\n",
    )
    found = folder.load("c.yaml")
    assert [s.object for s in found.statements] == ["beta"]
    (warning,) = found.warnings
    assert (warning.file, warning.line) == ("c.yaml", 1)
    assert "'alpa' is not in the catalogue, so 2 statements are left out" in warning.message
    assert "depends_on of 'beta', c.yaml:3" in warning.message
    assert "did you mean 'alpha'?" in warning.message


def test_a_reference_given_twice_in_one_field_is_warned_about(folder: Folder) -> None:
    folder.write("c.yaml", "- {id: a, type: service, name: A, depends_on: [b, b]}\n- {id: b, type: service, name: B}\n")
    found = folder.load("c.yaml")
    assert len(found.statements) == 1
    assert [str(one) for one in found.warnings] == ["c.yaml:1: depends_on of 'a' names 'b' more than once; keep one"]


# -- faults: every one is listed, then one failure -------------------------------------


def test_every_fault_of_every_file_is_listed_with_file_and_line(folder: Folder) -> None:
    folder.write(
        "a.yaml",
        """entities:
- {id: a, type: servcie, name: A}
- {type: service, name: No id}
- id: b
  type: service
- {id: a, type: service, name: A again}
- {id: c, name: No type}
- just words
- {id: d, type: service, name: [x], aliases: one, public: maybe, depends_on: {x: y}}
- {id: e, type: service, name: null, aliases: [[]], public: [true], description: {}}
""",
    )
    folder.write(
        "b.json", '{"entities": [\n{"id": "c", "type": "team", "name": "C"},\n{"id": "", "type": 3, "name": ""}]}'
    )
    folder.write("broken.yaml", "entities:\n- {id: f, type: service, name: F\n- x\n")
    found = [(fault.file, fault.line, fault.message) for fault in folder.faults("a.yaml", "b.json", "broken.yaml")]
    expected = [
        ("a.yaml", 2, "type 'servcie' is unknown; did you mean 'service'? Known: api,"),
        ("a.yaml", 3, "id is missing; add it"),
        ("a.yaml", 4, "name of 'b' is missing; add it"),
        ("a.yaml", 6, "id 'a' stands at a.yaml:2 already; ids are unique, change one"),
        ("a.yaml", 7, "type of 'c' is missing; add it"),
        ("a.yaml", 8, "must be a record with at least id, type and name"),
        ("a.yaml", 9, "aliases must be a list of texts, not a single value"),
        ("a.yaml", 9, "depends_on must be a text, not a mapping"),
        ("a.yaml", 9, "name must be a text, not a list"),
        ("a.yaml", 9, "public must be true or false, not 'maybe'"),
        ("a.yaml", 10, "an alias must be a text, not a list"),
        ("a.yaml", 10, "description must be a text, not a mapping"),
        ("a.yaml", 10, "name of 'e' is missing; add it; put quotes around null if it is meant as a word"),
        ("a.yaml", 10, "public must be a single value, not a list"),
        ("b.json", 2, "id 'c' stands at a.yaml:7 already; ids are unique, change one"),
        ("b.json", 3, "id is missing; add it"),
        ("b.json", 3, "name is missing; add it"),
        ("b.json", 3, "type '3' is unknown; Known: api,"),
        (
            "broken.yaml",
            3,
            "is not valid YAML: did not find expected ',' or '}' while parsing a flow mapping that opens on line 2",
        ),
    ]
    assert len(found) == len(expected)
    for (file, line, message), (at, number, words) in zip(found, expected, strict=True):
        assert (file, line) == (at, number)
        assert message.startswith(words)


@pytest.mark.parametrize("name", ["", "\ud800", "a\x00b", "\ufffe"])
def test_texts_that_no_rdf_file_could_hold_are_faults(folder: Folder, name: str) -> None:
    folder.write("c.json", json.dumps([{"id": name, "type": "service", "name": name, "description": name}]))
    assert all(fault.line == 1 for fault in folder.faults("c.json"))


def test_a_record_under_one_id_that_gives_another_is_a_fault(folder: Folder) -> None:
    folder.write("c.yaml", "entities:\n  a: {id: b, type: service, name: A}\n  c: {id: c, type: service, name: C}\n")
    (fault,) = folder.faults("c.yaml")
    assert str(fault) == "c.yaml:2: the record under 'a' gives the id 'b'; make them the same"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no catalogue: write `entities:`"),
        ("hello: world\n", "holds no catalogue"),
        ("entities: none at all\n", "'entities' must be a list of records"),
        ("a: 1\n---\nentities: []\n", "this document is no part of a catalogue"),
    ],
)
def test_a_named_file_without_a_catalogue_in_it_is_a_fault(folder: Folder, text: str, said: str) -> None:
    folder.write("c.yaml", text)
    (fault,) = folder.faults("c.yaml")
    assert fault.message.startswith(said)


def test_missing_files_and_folders_without_a_catalogue_are_faults(folder: Folder) -> None:
    folder.write("empty/x.yaml", "a: 1")
    messages = [(fault.file, fault.message.split(":")[0]) for fault in folder.faults("gone.yaml", "empty")]
    assert messages == [
        ("empty", "no catalogue in this folder"),
        ("gone.yaml", "no such catalogue file or folder; correct it in kb.toml"),
    ]


def test_bytes_that_are_no_text_are_a_fault(folder: Folder) -> None:
    (folder.root / "c.yaml").write_bytes("entities: []".encode("utf-16"))
    assert "UTF-16" in folder.faults("c.yaml")[0].message


def test_a_template_that_lies_in_the_folder_is_skipped_with_a_warning(folder: Folder) -> None:
    folder.write("c.yaml", "entities: [{id: a, type: service, name: A}]")
    folder.write("chart.yaml", "{{- if .Values.on }}\nkind: Deployment\n{{- end }}\n")
    (warning,) = folder.load().warnings
    assert (warning.file, warning.line) == ("chart.yaml", 1)
    folder.write("chart.yaml", "kind: [\n")
    assert folder.faults()[0].file == "chart.yaml"


def test_long_texts_do_not_flood_the_message(folder: Folder) -> None:
    folder.write("c.yaml", f"- {{id: a, type: service, name: A, public: {'x' * 100_000}, {'k' * 900}: 1}}\n")
    assert all(len(str(fault)) < 300 for fault in folder.faults("c.yaml"))


# -- digest and JSON --------------------------------------------------------------------


def test_the_digest_changes_with_any_file_that_was_read_and_with_no_other(folder: Folder) -> None:
    folder.write("a.yaml", "entities: [{id: a, type: service, name: A}]")
    folder.write("other.yaml", "x: 1")
    before = folder.load().digest
    folder.write("other.yaml", "x: 2")
    assert folder.load().digest == before
    folder.write("a.yaml", "entities: [{id: a, type: service, name: A}] ")
    assert folder.load().digest != before


_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Zs", "Zl", "Zp"]), min_size=1, max_size=8)
_ENTITIES = st.builds(
    Entity,
    id=_TEXT,
    type=st.sampled_from(sorted(systems().classes)),
    name=_TEXT,
    aliases=st.lists(_TEXT, max_size=3).map(tuple),
    description=st.none() | _TEXT,
    attributes=st.dictionaries(st.just("public"), st.booleans()),
    source=st.just("c.json"),
)


@given(
    entities=st.lists(_ENTITIES, max_size=4),
    statements=st.lists(st.builds(Statement, _TEXT, _TEXT, _TEXT, _TEXT, from_page=st.just(False)), max_size=3),
    warnings=st.lists(st.builds(Fault, _TEXT, st.none() | st.integers(1), _TEXT), max_size=3),
)
def test_a_catalogue_comes_back_from_json_as_it_was(
    entities: list[Entity], statements: list[Statement], warnings: list[Fault]
) -> None:
    one = Catalogue({e.id: e for e in entities}, tuple(statements), tuple(warnings), "0f")
    text = json.dumps(one.to_json())
    assert Catalogue.from_json(text) == Catalogue.from_json(json.loads(text)) == one
    assert list(Catalogue.from_json(text).entities) == list(one.entities)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"entities": [{}]}', "7"])
def test_a_written_catalogue_that_is_damaged_is_an_error_with_the_repair(text: str) -> None:
    with pytest.raises(CatalogueError, match="kb build --force"):
        Catalogue.from_json(text)


@given(entities=st.lists(_ENTITIES, max_size=4, unique_by=lambda one: one.id), as_json=st.booleans())
def test_records_written_by_a_program_are_read_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, entities: list[Entity], as_json: bool
) -> None:
    records = [
        {
            "id": e.id,
            "type": e.type,
            "name": e.name,
            "aliases": list(e.aliases),
            "description": e.description,
            **e.attributes,
        }
        for e in entities
    ]
    path = tmp_path_factory.getbasetemp() / ("c.json" if as_json else "c.yaml")
    dump = json.dumps if as_json else lambda data: yaml.safe_dump(data, allow_unicode=True)
    path.write_text(dump({"entities": records}), encoding="utf-8")
    found = load_catalogue([path], systems(), config_for(path.parent)).entities
    assert [(e.id, e.type, e.name, e.description, e.attributes) for e in found.values()] == [
        (e.id, e.type, e.name, e.description, e.attributes) for e in entities
    ]
    for mine, theirs in zip(found.values(), entities, strict=True):
        assert mine.aliases == tuple(alias for alias in dict.fromkeys(theirs.aliases) if alias != theirs.name)


_OWN = ["entities:", "id: a", "id: b", "type: service", "name: A", "public: ", "true", "depends_on: ", "null"]
_BACKSTAGE = ["kind: Component", "metadata:", "spec:", "owner: x"]
_SYNTAX = ["- ", "  ", "\n", "---\n", "&a ", "*a", *"{}[],:'"]
_WORDS = st.sampled_from([*_OWN, *_BACKSTAGE, *_SYNTAX])


@given(
    text=st.lists(_WORDS, max_size=25).map("".join) | st.text(max_size=40), suffix=st.sampled_from([".yaml", ".json"])
)
def test_any_text_is_a_catalogue_or_a_kb_error(
    tmp_path_factory: pytest.TempPathFactory, text: str, suffix: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"any{suffix}"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    for named in (path, path.parent / path.name):
        try:
            load_catalogue([named], systems(), config_for(path.parent))
        except KbError as err:
            assert str(err)  # noqa: PT017
