"""Whatever a note says comes back from its file, in YAML as in JSON."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from kb.sources.schemas import _own
from kb.sources.schemas._reading import FileReading
from kb.sources.yaml_files import parse_documents

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Co")), min_size=1, max_size=30).map(
    lambda text: " ".join(text.replace("\ufeff", "").split())
)
SAID = WORDS.filter(bool)
IDS = st.lists(SAID, unique=True, max_size=6)


@st.composite
def written(draw: st.DrawFn) -> dict[str, Any]:
    ids = draw(IDS)
    cut = draw(st.integers(0, len(ids)))
    fields = [{"id": one, "name": draw(SAID), "type": draw(SAID), "description": draw(SAID)} for one in ids[:cut]]
    caveats = [
        {
            "id": one,
            "severity": draw(st.sampled_from(["low", "on", "17"])),
            "summary": draw(SAID),
            "evidence": draw(SAID),
            "applies_to": draw(st.lists(st.sampled_from(ids[:cut]), unique=True)) if cut else [],
        }
        for one in ids[cut:]
    ]
    return {
        "concept": draw(st.from_regex(r"[\w][\w./-]{0,20}", fullmatch=True)),
        "description": draw(SAID),
        "counts": {"fields": len(fields), "caveats": len(caveats)},
        "fields": fields,
        "caveats": caveats,
    }


def read(text: str, *, as_json: bool) -> dict[str, Any]:
    roots, faults = parse_documents(text, "f", as_json=as_json)
    reading = FileReading("f", list(faults))
    (note,) = _own.read_notes(roots, reading)
    assert reading.faults == []
    return {
        "concept": note.concept,
        "description": note.description,
        "counts": {"fields": len(note.fields), "caveats": len(note.caveats)},
        "fields": [
            {"id": one.id, "name": one.name, "type": one.value_type, "description": one.description}
            for one in note.fields
        ],
        "caveats": [
            {
                "id": one.id,
                "severity": one.severity,
                "summary": one.summary,
                "evidence": one.evidence,
                "applies_to": list(one.applies_to),
            }
            for one in note.caveats
        ],
    }


@given(written())
def test_json_round_trip(note: dict[str, Any]) -> None:
    assert read(json.dumps(note), as_json=True) == note


@given(written())
def test_yaml_round_trip(note: dict[str, Any]) -> None:
    assert read(yaml.safe_dump(note, allow_unicode=True, sort_keys=False), as_json=False) == note
