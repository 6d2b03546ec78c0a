"""Names that several entities share, and keys that records do not have: what the catalogue's warnings say."""

from __future__ import annotations

from pathlib import Path

import pytest
from sources_help import Folder

SHARED = """\
entities:
  - id: login
    type: service
    name: Sign in
  - id: single-sign-on
    type: service
    name: Single sign-on
    aliases:
      - SSO
      - The Log.In
      - login
  - {id: ids, type: team, name: Identity, %s}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def warnings(folder: Folder, text: str) -> list[str]:
    folder.write("c.yaml", text)
    return [str(one) for one in folder.load("c.yaml").warnings]


def test_a_name_of_two_entities_is_told_first_with_both_and_their_lines(folder: Folder) -> None:
    found = warnings(folder, SHARED % "zzz: 1")
    assert found[0] == (
        "c.yaml:11: 'login', an alias of single-sign-on, also names login (c.yaml:2): statements that use it are "
        "ambiguous where the relation does not tell which is meant; rename one"
    )
    assert "ignored key 'zzz'; remove it" in found[1]


def test_names_are_compared_without_case_separators_and_article(folder: Folder) -> None:
    text = "entities:\n- {id: a, type: service, name: Pay Out}\n- {id: b, type: service, name: The pay_out}\n"
    (found,) = warnings(folder, text)
    assert found.startswith("c.yaml:3: 'The pay_out', the name of b, also names a (c.yaml:2): ")


def test_an_entity_may_repeat_its_own_names(folder: Folder) -> None:
    assert warnings(folder, "entities:\n- {id: pay, type: service, name: Pay, aliases: [PAY, The Pay]}\n") == []


def test_many_shared_names_of_backstage_kinds_are_one_warning(folder: Folder) -> None:
    def entity(kind: str, name: str) -> str:
        return f"---\napiVersion: backstage.io/v1alpha1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec: {{type: x}}\n"

    text = "".join(entity(kind, f"n{number}") for number in range(7) for kind in ("Component", "API"))
    (found,) = warnings(folder, text)
    assert "7 names are those of several entities" in found
    assert "'n0' of component:default/n0 (c.yaml:2) and api:default/n0 (c.yaml:7)" in found
    assert found.endswith("and 2 more)")


@pytest.mark.parametrize(
    ("kind", "key", "meant"),
    [
        ("service", "owner", "did you mean 'owned_by'?"),
        ("service", "ownr", "did you mean 'owned_by'?"),
        ("team", "own", "did you mean 'owns'?"),
        ("service", "dependson", "did you mean 'depends_on'?"),
        ("service", "alias", "did you mean 'aliases'?"),
        ("service", "colour", "remove it"),
    ],
)
def test_a_hint_knows_the_ontologys_words_and_what_the_type_can_have(
    folder: Folder, kind: str, key: str, meant: str
) -> None:
    found = warnings(folder, f"entities:\n- {{id: a, type: {kind}, name: A, {key}: x}}\n")
    assert found[0] == f"c.yaml:2: ignored key {key!r}; {meant}"


def test_the_known_keys_are_told_once_and_only_those_of_the_types_concerned(folder: Folder) -> None:
    records = "".join(f"- {{id: a{n}, type: team, name: A{n}, foo{n}bar: x}}\n" for n in range(3))
    found = warnings(folder, f"entities:\n{records}")
    assert [one for one in found if "keys that these records may have" in one] == found[-1:]
    assert "owns" in found[-1]
    assert "owned_by" not in found[-1]
