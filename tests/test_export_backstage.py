"""What was read from Backstage goes back to Backstage: the same entities and facts, by the ontology's keys alone."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import kb
from kb.errors import ExportError
from kb.export.backstage import write_backstage
from kb.export.network import network

ENTITIES = """\
apiVersion: backstage.io/v1alpha1
kind: Component
metadata: {name: Shop-Web, title: The Shop, description: "Sells: things"}
spec: {type: website, owner: web, system: shop, dependsOn: ["resource:db", "component:cart"], providesApis: [orders]}
---
apiVersion: backstage.io/v1alpha1
kind: Component
metadata: {name: cart, namespace: other}
spec: {owner: "group:default/web", subcomponentOf: "component:default/shop-web", consumesApis: [default/orders]}
---
apiVersion: backstage.io/v1alpha1
kind: Component
metadata: {name: cart}
spec: {dependencyOf: ["component:other/cart"]}
---
{apiVersion: backstage.io/v1alpha1, kind: System, metadata: {name: shop}, spec: {owner: web, domain: sales}}
---
{apiVersion: backstage.io/v1alpha1, kind: Domain, metadata: {name: sales}, spec: {}}
---
{apiVersion: backstage.io/v1alpha1, kind: Resource, metadata: {name: db}, spec: {owner: web}}
---
{apiVersion: backstage.io/v1alpha1, kind: API, metadata: {name: orders}, spec: {owner: web}}
---
apiVersion: backstage.io/v1alpha1
kind: Group
metadata: {name: web}
spec: {parent: all, profile: {displayName: Web Crew}}
---
{apiVersion: backstage.io/v1alpha1, kind: Group, metadata: {name: all}, spec: {members: [bo]}}
---
apiVersion: backstage.io/v1alpha1
kind: User
metadata: {name: ada}
spec: {memberOf: [web], profile: {displayName: Ada Ek}}
---
{apiVersion: backstage.io/v1alpha1, kind: User, metadata: {name: bo}, spec: {}}
"""
DOMAIN = """\
@prefix : <https://lab.example/ontology#> .
@prefix kb: <https://w3id.org/wiki-kb/ontology#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <https://schema.org/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Device a owl:Class ; rdfs:label "device"@en ; kb:importKey "backstage:Resource" .
:Laser a owl:Class ; rdfs:label "laser"@en ; rdfs:subClassOf :Device .
:Room a owl:Class ; rdfs:label "room"@en .
:feeds a owl:ObjectProperty ; rdfs:label "feeds"@en ; schema:domainIncludes :Device ; schema:rangeIncludes :Device .
:fedBy a owl:ObjectProperty ; rdfs:label "fed by"@en ; owl:inverseOf :feeds ; kb:importKey "backstage:spec.dependsOn" .
:standsIn a owl:ObjectProperty ; rdfs:label "stands in"@en ;
    schema:domainIncludes :Device ; schema:rangeIncludes :Room .
:watts a owl:DatatypeProperty ; rdfs:label "watts"@en ; rdfs:range xsd:integer ;
    kb:importKey "backstage:metadata.annotations.lab.example/watts" .
"""


def build(folder: Path, files: dict[str, str], **more: str) -> Path:
    folder.mkdir()
    settings = "".join(f"{key} = {value!r}\n" for key, value in more.items())
    (folder / "kb.toml").write_text(f'[kb]\nbase = "https://b.example/"\n{settings}', encoding="utf-8")
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    assert kb.build(folder).exit_code == 0
    return folder


def exported(folder: Path) -> tuple[bytes, list[str], set[tuple[str, str, str]], list[tuple[object, ...]]]:
    with kb.open(folder) as base:
        found = network(base.store, base.vocabulary, base.iris)
        data, left = write_backstage(found, base.vocabulary, base.catalogue.entities.values())
        entities = [
            (one.id, one.type, one.name, one.aliases, one.description, dict(one.attributes))
            for _, one in sorted(base.catalogue.entities.items())
        ]
    return data, left, {(edge.source, edge.relation, edge.target) for edge in found.edges}, entities


def test_a_catalogue_comes_back_with_the_same_entities_facts_and_bytes(tmp_path: Path) -> None:
    first = exported(build(tmp_path / "one", {"catalog-info.yaml": ENTITIES}))
    again = exported(build(tmp_path / "two", {"catalog-info.yaml": first[0].decode()}))
    assert len(first[2]) == 16
    assert first[1] == []
    assert again == first


def test_fields_are_those_that_name_the_kind_and_lists_where_they_are_plural(tmp_path: Path) -> None:
    data = exported(build(tmp_path / "one", {"catalog-info.yaml": ENTITIES}))[0]
    documents = {(one["metadata"].get("namespace"), one["metadata"]["name"]): one for one in yaml.safe_load_all(data)}
    assert documents[None, "Shop-Web"] == {
        "apiVersion": "backstage.io/v1alpha1",
        "kind": "Component",
        "metadata": {"name": "Shop-Web", "title": "The Shop", "description": "Sells: things"},
        "spec": {
            "dependsOn": ["component:cart", "resource:db"],
            "owner": "group:web",
            "providesApis": ["api:orders"],
            "system": "system:shop",
        },
    }
    assert documents[None, "shop"]["spec"] == {"domain": "domain:sales", "owner": "group:web"}
    assert documents[None, "web"]["spec"]["parent"] == "group:all"
    assert documents["other", "cart"]["spec"]["subcomponentOf"] == "component:default/Shop-Web"


def test_another_domain_is_written_by_its_own_keys_and_what_has_none_is_told(tmp_path: Path) -> None:
    catalogue = (
        "entities:\n  - {id: l1, type: laser, name: L 1, stands_in: r, watts: 5, aliases: [One, Two]}\n"
        "  - {id: Pump/2, type: device, name: Pump, feeds: [l1]}\n  - {id: r, type: room, name: Room}\n"
    )
    folder = build(tmp_path / "lab", {"lab.ttl": DOMAIN, "catalogue.yaml": catalogue}, ontology="lab.ttl")
    data, left, _, _ = exported(folder)
    assert list(yaml.safe_load_all(data)) == [
        {
            "apiVersion": "backstage.io/v1alpha1",
            "kind": "Resource",
            "metadata": {"name": "Pump-2", "title": "Pump"},
            "spec": {},
        },
        {
            "apiVersion": "backstage.io/v1alpha1",
            "kind": "Resource",
            "metadata": {"name": "l1", "title": "L 1", "annotations": {"lab.example/watts": "5"}},
            "spec": {"dependsOn": ["resource:Pump-2"]},
        },
    ]
    assert left == [
        "2 × further name of an entity",
        "1 × name that Backstage does not allow, spelt otherwise",
        "1 × room: its class stands for no kind",
    ]


def test_two_values_where_backstage_takes_one_are_told(tmp_path: Path) -> None:
    catalogue = (
        "entities:\n  - {id: a, type: service, name: A, owned_by: [t, u]}\n"
        "  - {id: t, type: team, name: T}\n  - {id: u, type: team, name: U}\n"
    )
    data, left, _, _ = exported(build(tmp_path / "two", {"catalogue.yaml": catalogue}))
    assert next(yaml.safe_load_all(data))["spec"] == {"owner": "group:t"}
    assert left == ["1 × owned by: does not fit where it belongs, which holds one value"]


def test_an_ontology_without_keys_and_names_that_would_be_one_are_refused(tmp_path: Path) -> None:
    bare = "\n".join(line for line in DOMAIN.splitlines() if "importKey" not in line) + (
        "\n:Device a owl:Class ; rdfs:label 'device'@en ."
    )
    catalogue = "entities:\n  - {id: a, type: device, name: A}\n"
    folder = build(
        tmp_path / "bare",
        {"lab.ttl": bare.replace("xsd:integer ;", "xsd:integer ."), "catalogue.yaml": catalogue},
        ontology="lab.ttl",
    )
    with pytest.raises(
        ExportError, match=r'stands for a kind of Backstage; give one kb:importKey "backstage:Component"'
    ):
        exported(folder)
    clash = "entities:\n  - {id: a/b, type: service, name: A}\n  - {id: A b, type: service, name: B}\n"
    with pytest.raises(ExportError, match=r"would both be 'component:.*' in Backstage; rename one"):
        exported(build(tmp_path / "clash", {"catalogue.yaml": clash}))
