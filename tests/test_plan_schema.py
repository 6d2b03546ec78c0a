"""The JSON Schema of plans takes what the parser takes."""

from __future__ import annotations

from typing import Any

import plan_oracle as oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plan_world import vocabulary

from kb.ask.plan import parse_plan, plan_schema
from kb.errors import PlanError

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int}


def valid(data: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    """As much of JSON Schema 2020-12 as plan schemas use; an unknown keyword fails the test."""
    for key, rule in schema.items():
        match key:
            case "$ref":
                ok = valid(data, root["$defs"][rule.removeprefix("#/$defs/")], root)
            case "anyOf":
                ok = any(valid(data, one, root) for one in rule)
            case "enum":
                ok = data in rule
            case "type":
                ok = isinstance(data, TYPES[rule]) and (rule != "integer" or not isinstance(data, bool))
            case "properties":
                ok = not isinstance(data, dict) or all(valid(data[k], rule[k], root) for k in rule if k in data)
            case "required":
                ok = not isinstance(data, dict) or set(rule) <= set(data)
            case "additionalProperties":
                ok = rule is False and (not isinstance(data, dict) or set(data) <= set(schema["properties"]))
            case "items":
                ok = not isinstance(data, list) or all(valid(one, rule, root) for one in data)
            case "minItems" | "maxItems":
                ok = not isinstance(data, list) or (len(data) >= rule if key == "minItems" else len(data) <= rule)
            case "minProperties":
                ok = not isinstance(data, dict) or len(data) >= rule
            case "description" | "title" | "$schema" | "$defs":
                ok = True
            case _:
                raise AssertionError(f"unknown keyword {key}")
        if not ok:
            return False
    return True


SCHEMA = plan_schema(vocabulary())


@settings(max_examples=200)
@given(oracle.cases(oracle.random_count))
def test_every_plan_is_valid_as_read_and_as_written(case: tuple[oracle.World, dict[str, Any]]) -> None:
    data = case[1]
    for one in (data, data["count"], {"count": data["count"]}):
        assert valid(one, SCHEMA, SCHEMA)
        assert valid(parse_plan(one, vocabulary(), check_types=False).to_json(), SCHEMA, SCHEMA)


@settings(max_examples=400)
@given(oracle.cases(oracle.random_set_plan), st.data())
def test_a_damaged_plan_is_valid_only_if_the_parser_takes_it(
    case: tuple[oracle.World, dict[str, Any]], choices: st.DataObject
) -> None:
    data = case[1]
    key = choices.draw(st.sampled_from(sorted(data)))
    junk = choices.draw(st.sampled_from([None, [], {}, "x", 3, True, ["x"], [{}], {"type": "x"}, {"sharp": "x"}]))
    damaged = {**data, choices.draw(st.sampled_from([key, "x", "start", "count"])): junk}
    try:
        parse_plan(damaged, vocabulary(), check_types=False)
    except PlanError:
        assert not valid(damaged, SCHEMA, SCHEMA)
    else:
        assert valid(damaged, SCHEMA, SCHEMA)


def test_names_come_from_the_ontology() -> None:
    hops = SCHEMA["$defs"]["hop"]["enum"]
    assert len(hops) == len(set(hops)) == 5 * 4
    assert {"links_to", "~links_to*", "linked_from", "near*"} <= set(hops)
    where = SCHEMA["$defs"]["where"]["properties"]
    assert where["type"]["anyOf"][0]["enum"] == ["place", "saw", "thing", "tool"]
    assert where["sharp"]["anyOf"][0] == {"type": "boolean"}
    assert where["weight"]["anyOf"][0] == {"type": "integer"}


@pytest.mark.parametrize(
    "data", [{}, {"where": {}}, {"start": "a"}, {"start": "a", "hops": []}, {"count": {"start": "a"}}]
)
def test_plans_that_lead_nowhere_are_not_valid(data: dict[str, Any]) -> None:
    assert not valid(data, SCHEMA, SCHEMA)
