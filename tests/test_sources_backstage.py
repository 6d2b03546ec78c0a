"""Backstage sets: read by the ontology's import keys, tolerant of dialects, never out of the folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sources_help import Folder

from kb.model import Entity
from kb.sources.backstage import Reference, parse_reference
from kb.vocabulary import Vocabulary, load_vocabulary


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def entity(kind: str, name: str, spec: str = "{}", metadata: str = "") -> str:
    return f"---\napiVersion: backstage.io/v1alpha1\nkind: {kind}\nmetadata:\n  name: {name}\n{metadata}spec: {spec}\n"


def messages(folder: Folder, *names: str) -> list[str]:
    return [str(warning) for warning in folder.load(*names).warnings]


# -- references -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("a", Reference("a")),
        (" ns/a ", Reference("a", "ns")),
        ("Component:ns/a", Reference("a", "ns", "Component")),
        ("component:a", Reference("a", None, "component")),
        ("Josef H.", Reference("Josef H.")),
        ('resource:cache "populate"', Reference("cache", None, "resource")),
        ("resource:ns/cache 'reads: it/all' ", Reference("cache", "ns", "resource")),
        ("", None),
        (":a", None),
        ("ns/", None),
        ("a/b/c", None),
        ("a:b:c", None),
        ('"label"', None),
    ],
)
def test_a_reference_is_kind_namespace_and_name_with_an_optional_label(text: str, reference: Reference | None) -> None:
    if text == '"label"':
        # Without white space before it, it is a name that happens to have quotes.
        assert parse_reference(text) == Reference('"label"')
    else:
        assert parse_reference(text) == reference


_PART = st.text(
    st.characters(exclude_characters=":/\"'", exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1
)


@given(reference=st.builds(Reference, _PART, st.none() | _PART, st.none() | _PART), label=st.sampled_from(["", ' "x"']))
def test_a_reference_comes_back_from_its_text(reference: Reference, label: str) -> None:
    assert parse_reference(str(reference) + label) == reference
    full = reference.id("component", "default")
    again = parse_reference(full)
    assert again is not None
    assert again.id("", "") == full == full.lower()


@given(text=st.text(st.sampled_from("a:/ \"'\n."), max_size=12) | st.text(max_size=12))
def test_any_text_is_a_reference_or_none(text: str) -> None:
    reference = parse_reference(text)
    assert reference is None or (reference.name and reference.namespace != "" and reference.kind != "")


# -- entities ------------------------------------------------------------------------


def test_an_entity_has_its_reference_as_id_and_title_and_display_name_as_aliases(folder: Folder) -> None:
    folder.write(
        "catalog-info.yaml",
        entity(
            "Component", "Pay-API", "{type: x}", "  namespace: Shop\n  title: Payments\n  description: |\n    Pays.\n"
        )
        + entity("Group", "ops", "{profile: {displayName: Ops Team, email: x@example.com}}", "  title: ops\n"),
    )
    found = folder.load("catalog-info.yaml").entities
    assert list(found.values()) == [
        Entity("component:shop/pay-api", "service", "Pay-API", ("Payments",), "Pays.", {}, "catalog-info.yaml"),
        Entity("group:default/ops", "team", "ops", ("Ops Team",), None, {}, "catalog-info.yaml"),
    ]


def test_any_api_version_and_any_case_of_a_kind_will_do(folder: Folder) -> None:
    folder.write(
        "c.yml",
        "apiVersion: swcat/v1\nkind: component\nmetadata: {name: 017}\n---\nkind: USER\nmetadata: {name: on}\n",
    )
    assert list(folder.load("c.yml").entities) == ["component:default/017", "user:default/on"]


def test_fields_become_statements_as_the_ontology_maps_them_and_inverses_swap_ends(folder: Folder) -> None:
    folder.write(
        "c.yaml",
        entity("Component", "a", "{owner: t, system: s, dependsOn: [resource:d, component:b], providesApis: [i]}")
        + entity(
            "Component", "b", "{owner: group:t, subcomponentOf: a, consumesApis: [api:default/i], dependencyOf: [a]}"
        )
        + entity("Resource", "d")
        + entity("API", "i", "{owner: T}")
        + entity("System", "s", "{domain: dom}")
        + entity("Domain", "dom")
        + entity("Group", "t", "{parent: top, members: [u], children: []}")
        + entity("Group", "top", "{children: [t]}")
        + entity("User", "u", "{memberOf: [t]}"),
    )
    found = folder.load("c.yaml")
    assert found.warnings == ()
    names = {(s.subject.split("/")[1], s.relation, s.object.split("/")[1]) for s in found.statements}
    assert names == {
        ("a", "owned_by", "t"),
        ("a", "part_of", "s"),
        ("a", "depends_on", "d"),
        ("a", "depends_on", "b"),
        ("a", "provides_api", "i"),
        ("b", "owned_by", "t"),
        ("b", "part_of", "a"),
        ("b", "consumes_api", "i"),
        ("i", "owned_by", "t"),
        ("s", "part_of", "dom"),
        ("t", "part_of", "top"),
        ("u", "member_of", "t"),
    }
    assert len(found.statements) == len(names)
    assert {(s.source, s.from_page) for s in found.statements} == {("c.yaml", False)}


def test_a_reference_without_namespace_means_the_namespace_of_who_refers(folder: Folder) -> None:
    folder.write(
        "c.yaml",
        entity("Component", "a", "{owner: t}", "  namespace: n\n")
        + entity("Component", "b", "{owner: default/t}", "  namespace: n\n")
        + entity("Group", "t", "{}", "  namespace: n\n")
        + entity("Group", "t"),
    )
    assert folder.triples("c.yaml") == {
        ("component:n/a", "owned_by", "group:n/t"),
        ("component:n/b", "owned_by", "group:default/t"),
    }


def test_references_may_be_objects_and_carry_labels(folder: Folder) -> None:
    spec = """
  dependsOn:
    - resource:d "populate"
    - {ref: component:b, label: LRU, attrs: {read: x}}
    - {kind: Component, namespace: default, name: c}
  owner: {targetRef: group:default/t}"""
    folder.write(
        "c.yaml",
        entity("Component", "a", spec)
        + entity("Component", "b")
        + entity("Component", "c")
        + entity("Resource", "d")
        + entity("Group", "t"),
    )
    assert {o for _, _, o in folder.triples("c.yaml")} == {
        "resource:default/d",
        "component:default/b",
        "component:default/c",
        "group:default/t",
    }


def test_a_reference_without_kind_means_the_one_that_exists_among_the_kinds_that_fit(folder: Folder) -> None:
    both = entity("Component", "x") + entity("Resource", "x")
    folder.write("c.yaml", entity("Component", "a", "{dependsOn: [d, x]}") + entity("Resource", "d") + both)
    assert folder.triples("c.yaml") == {("component:default/a", "depends_on", "resource:default/d")}
    _shared, warning = messages(folder, "c.yaml")
    assert "may mean component:default/x, resource:default/x; left out, write which" in warning


def test_what_the_catalogue_api_of_backstage_gives_out_is_read_too(folder: Folder) -> None:
    folder.write(
        "all.json",
        '{"items": [{"kind": "User", "metadata": {"name": "u"}, "spec": {"memberOf": ["t"]}},'
        ' {"kind": "Group", "metadata": {"name": "t"}}], "totalItems": 2}',
    )
    assert folder.triples("all.json") == {("user:default/u", "member_of", "group:default/t")}


def test_both_formats_may_stand_side_by_side_and_name_each_other(folder: Folder) -> None:
    folder.write("own.yaml", "entities: [{id: a, type: service, name: A, owned_by: 'group:default/t'}]")
    folder.write("org.yaml", entity("Group", "t"))
    assert folder.triples("own.yaml", "org.yaml") == {("a", "owned_by", "group:default/t")}


# -- left out, and said so -----------------------------------------------------------------


def test_a_reference_to_nothing_is_reported_once_by_its_full_name_with_its_places(folder: Folder) -> None:
    specs = [entity("Component", f"c{n}", "{owner: ghosts}") for n in range(8)]
    folder.write("c.yaml", "".join(specs))
    assert folder.triples("c.yaml") == set()
    (warning,) = messages(folder, "c.yaml")
    assert warning.startswith("c.yaml:6: 'group:default/ghosts' is not in the catalogue, so 8 statements are left out")
    assert "spec.owner of 'component:default/c1', c.yaml:12" in warning
    assert "and 3 more" in warning


def test_references_twice_in_a_field_are_reported_even_when_spelt_differently(folder: Folder) -> None:
    folder.write("c.yaml", entity("User", "u", "{memberOf: [t, 'group:default/T']}") + entity("Group", "t"))
    assert len(folder.load("c.yaml").statements) == 1
    assert messages(folder, "c.yaml") == [
        "c.yaml:6: spec.memberOf of 'user:default/u' names 'group:default/t' more than once; keep one"
    ]


def test_of_two_entities_of_one_reference_the_first_counts(folder: Folder) -> None:
    first = entity("Component", "a", "{owner: t}", "  title: First\n")
    folder.write("c.yaml", first + entity("component", "A", "{owner: u}") + entity("Group", "t") + entity("Group", "u"))
    found = folder.load("c.yaml")
    assert found.entities["component:default/a"].aliases == ("First",)
    assert [s.object for s in found.statements] == ["group:default/t"]
    (warning,) = messages(folder, "c.yaml")
    assert "entity 'component:default/a' stands at c.yaml:2 already" in warning


def test_kinds_without_a_class_are_reported_once_per_kind(folder: Folder) -> None:
    folder.write("c.yaml", entity("Template", "x") + entity("Template", "y") + entity("Group", "t"))
    assert list(folder.load("c.yaml").entities) == ["group:default/t"]
    (warning,) = messages(folder, "c.yaml")
    assert "no class of the ontology stands for kind 'Template'; left out (also c.yaml:8)" in warning
    assert 'kb:importKey "backstage:Template"' in warning


def test_what_is_no_reference_is_reported_and_a_template_is_no_entity(folder: Folder) -> None:
    folder.write(
        "c.yaml", entity("Component", "a", "{dependsOn: [a/b/c, [x], 7]}") + entity("Component", "'${{ v.name }}'")
    )
    found = messages(folder, "c.yaml")
    assert "'component:default/7' is not in the catalogue" in found[0]
    assert found[0].endswith("; add it, or remove the reference")
    assert "spec.dependsOn of 'component:default/a' holds no reference 'a/b/c'; left out" in found[1]
    assert "holds no reference; left out" in found[2]
    assert "'${{ v.name }}' is a template's placeholder" in found[3]


def test_a_missing_name_is_a_fault(folder: Folder) -> None:
    folder.write("c.yaml", "kind: Component\nmetadata: {title: x}\n---\nkind: Group\napiVersion: b/v1\n")
    assert [str(fault) for fault in folder.faults("c.yaml")] == [
        "c.yaml:1: metadata.name of this Component is missing; add it",
        "c.yaml:4: metadata.name of this Group is missing; add it",
    ]


# -- Locations ---------------------------------------------------------------------------------


def location(*targets: str, name: str = "all") -> str:
    return entity("Location", name, "{targets: [" + ", ".join(f'"{one}"' for one in targets) + "]}")


def test_locations_bring_in_files_and_patterns_and_each_file_once(folder: Folder) -> None:
    folder.write("all.yaml", location("./a.yaml", "x/*.yaml", "./deep/**/catalog-*.yaml") + entity("Group", "top"))
    folder.write("a.yaml", entity("Group", "a") + location("./all.yaml", "./a.yaml", "x/b.yaml"))
    folder.write("x/b.yaml", entity("Group", "b"))
    folder.write("x/y/not.yaml", entity("Group", "not-matched"))
    folder.write("x/values.yaml", "replicas: 2")
    folder.write("deep/catalog-info.yaml", entity("Group", "c"))
    folder.write("deep/er/still/catalog-info.yaml", entity("Group", "d"))
    folder.write("deep/er/other.yaml", entity("Group", "not-matched-either"))
    found = folder.load("all.yaml")
    assert sorted(one.removeprefix("group:default/") for one in found.entities) == ["a", "b", "c", "d", "top"]
    assert found.warnings == ()
    folder.write("all.yaml", entity("Location", "one", "{type: file, target: ./a.yaml}"))
    assert sorted(folder.load("all.yaml").entities) == ["group:default/a", "group:default/b"]


def test_targets_out_of_the_folder_and_addresses_are_reported_and_never_read(folder: Folder, tmp_path: Path) -> None:
    outside = [folder.write("outside.yaml", entity("Group", "outside")), tmp_path / "set" / "link.yaml"]
    targets = [
        "../outside.yaml",
        str(outside[0]),
        "link.yaml",
        "../*.yaml",
        "https://example.com/catalog-info.yaml",
        "url:https://example.com/x.yaml",
        "missing.yaml",
        "notes.yaml",
        "a\\0b.yaml",
    ]
    folder.write("set/all.yaml", location(*targets))
    folder.write("set/notes.yaml", "hello: world")
    outside[1].symlink_to(outside[0])
    found = folder.load("set/all.yaml")
    assert found.entities == {}
    said = sorted(warning.message.split(" ", 2)[2].split(";")[0] for warning in found.warnings)
    outside_said = "lies outside the catalogue's folder and is not read"
    assert said == ["holds no entities", *["is an address"] * 2, "is no file", "is no path", *[outside_said] * 4]


def test_a_folder_is_searched_and_its_locations_change_nothing(folder: Folder) -> None:
    folder.write("all.yaml", location("./b.yaml"))
    folder.write("b.yaml", entity("Group", "b"))
    folder.write("apis/petstore.oas.yaml", "openapi: 3.0.0\ninfo: {title: x}\n")
    folder.write("sub/c.json", '{"kind": "Group", "metadata": {"name": "c"}}')
    found = folder.load()
    assert sorted(found.entities) == ["group:default/b", "group:default/c"]
    assert found.warnings == ()


def test_a_folder_link_that_leads_back_ends(folder: Folder) -> None:
    folder.write("a/b.yaml", entity("Group", "b") + location("./**/*.yaml"))
    (folder.root / "a" / "loop").symlink_to("..")
    found = folder.load()
    assert list(found.entities) == ["group:default/b"]
    assert [warning.file.rsplit("/", 1)[-1] for warning in found.warnings] == ["loop"]


def test_a_pattern_full_of_stars_is_matched_without_backtracking(folder: Folder) -> None:
    folder.write("all.yaml", location("**/" * 30 + "*a" * 30 + "b.yaml"))
    folder.write("/".join(["d"] * 40).lstrip("/") + "/" + "a" * 200 + ".yaml", entity("Group", "x"))
    assert folder.load("all.yaml").entities == {}


# -- another ontology ------------------------------------------------------------------------------


def test_another_ontology_maps_the_same_format_to_its_own_terms(tmp_path: Path) -> None:
    prefixes = "".join(
        f"@prefix {name}: <{iri}> .\n"
        for name, iri in {
            "": "https://m.example/terms#",
            "kb": "https://w3id.org/wiki-kb/ontology#",
            "owl": "http://www.w3.org/2002/07/owl#",
            "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
            "xsd": "http://www.w3.org/2001/XMLSchema#",
        }.items()
    )
    ontology = tmp_path / "ontology.ttl"
    ontology.write_text(
        prefixes
        + """
:Painting a owl:Class ; kb:importKey "backstage:Component" .
:Keeper a owl:Class ; kb:importKey "backstage:User" , "backstage:Group" .
:keptBy a owl:ObjectProperty ; rdfs:domain :Painting ; rdfs:range :Keeper ; kb:importKey "backstage:spec.owner" .
:keeps a owl:ObjectProperty ; owl:inverseOf :keptBy ; kb:importKey "backstage:metadata.annotations.m.example/keeps" .
:year a owl:DatatypeProperty ; rdfs:range xsd:gYear ; kb:importKey "backstage:metadata.labels.m.example/year" .
"""
    )
    vocabulary: Vocabulary = load_vocabulary([ontology], [])
    folder = Folder(tmp_path, lambda: vocabulary)
    folder.write(
        "c.yaml",
        entity("Component", "dusk", "{owner: ana}", "  labels: {m.example/year: 1838}\n")
        + entity("Component", "dawn", "{}", "  labels: {m.example/year: long ago}\n")
        + entity("User", "ana", "{}", "  annotations: {m.example/keeps: dawn}\n"),
    )
    found = folder.load("c.yaml")
    assert [(e.type, e.attributes) for e in found.entities.values()] == [
        ("painting", {"year": "1838"}),
        ("painting", {}),
        ("keeper", {}),
    ]
    assert {(s.subject, s.relation, s.object) for s in found.statements} == {
        ("component:default/dusk", "kept_by", "user:default/ana"),
        ("component:default/dawn", "kept_by", "user:default/ana"),
    }
    (warning,) = found.warnings
    assert "metadata.labels.m.example/year must be a year such as 2024, not 'long ago'" in warning.message
