"""What dbt tests, demands and tells of tables and columns, as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.sources.schemas._reading import one_line, value_text
from kb.sources.yaml_files import Fields, Items, Node, Scalar

__all__ = ["Told", "checks", "constraints", "freshness", "told_in_meta"]

Told = tuple[str, str, str, tuple[str, ...], int]
"""(end of the id, severity, summary, columns that a table's caveat is about, line)."""

_SETTINGS = ("name", "test_name", "config", "description", "where", "severity", "tags", "enabled", "meta", "arguments")
_QUOTED = re.compile(r"(['\"])(.*?)\1")
_REFERENCE = re.compile(r"\s*(?:\{\{)?\s*(?:ref|source)\s*\(")
_NOTED = ("caveat", "caveats", "warning", "warnings", "note", "notes", "gotcha", "gotchas")
_FALSE = ("false", "no", "off", "0", "")
_VALUES_TOLD = 20


def checks(node: Fields, column: str | None) -> Iterator[Told]:
    """The tests of a column, or of a table where `column` is None.

    A test is a promise, so it is mere information; one that only warns says that the data may break it.
    """
    for key in ("tests", "data_tests"):
        tests = node.fields.get(key)
        for test in tests.items if isinstance(tests, Items) else []:
            name, settings = _test(test)
            if name:
                said, about = _sentence(name, settings, column)
                where = _text(_setting(settings, "where"))
                if where:
                    said = f"{said}, where {where}"
                lenient = _text(_setting(settings, "severity")).lower() == "warn"
                if lenient:
                    said = f"{said}; rows that break this only give a warning"
                yield name, "medium" if lenient else "info", f"{said[0].upper()}{said[1:]}.", about, test.line


def constraints(node: Fields, column: str | None) -> Iterator[Told]:
    """What the contract of a model demands of the warehouse."""
    found = node.fields.get("constraints")
    for one in found.items if isinstance(found, Items) else []:
        if not isinstance(one, Fields):
            continue
        kind = _text(one.fields.get("type"))
        columns = _texts(one.fields.get("columns"))
        expression = _text(one.fields.get("expression"))
        what = f"`{column}`" if column else _joined(columns) or "Each row"
        if kind in ("not_null", "unique", "primary_key"):
            said = {
                "not_null": f"{what} must never be null",
                "unique": f"{what} must be unique",
                "primary_key": f"{what} must be the primary key: unique and never null",
            }[kind]
        elif kind == "foreign_key":
            to = _text(one.fields.get("to"))
            target = f"{_referred(to)} ({', '.join(_texts(one.fields.get('to_columns')))})" if to else expression
            said = f"{what} must refer to {target}"
        elif kind:
            said = f"{what} must fulfil {kind}{f': {expression}' if expression else ''}"
        else:
            continue
        yield f"constraint.{kind}", "info", f"{said}; the warehouse is told to see to it.", tuple(columns), one.line


def freshness(owners: list[Fields]) -> Iterator[Told]:
    """How old the rows of a source may grow. `owners` are its settings from the outermost in."""
    found: Fields | None = None
    for owner in owners:
        for holder in (owner, owner.mapping("config")):
            if holder is not None and "freshness" in holder.fields:
                found = holder.mapping("freshness")
    if found is None:
        return
    parts = []
    for key, what in (("warn_after", "a warning"), ("error_after", "an error")):
        limit = found.mapping(key)
        count, period = (_text(limit.fields.get(one)) for one in ("count", "period")) if limit else ("", "")
        if count and period:
            parts.append(f"{what} after {count} {period}{'' if count == '1' else 's'}")
    if parts:
        yield "freshness", "low", f"May lag behind: no new rows give {' and '.join(parts)}.", (), found.line


def told_in_meta(node: Fields, column: str | None) -> Iterator[Told]:
    """Deprecations, and what `meta` says under keys that announce a caveat."""
    what = f"`{column}`" if column else "This table"
    day = node.scalar("deprecation_date")
    if day is not None:
        yield "deprecated", "high", f"{what} is deprecated from {day.text.strip()}.", (), day.line
    config = node.mapping("config")
    for meta in (node.mapping("meta"), None if config is None else config.mapping("meta")):
        for key, value in () if meta is None else meta.fields.items():
            word, line = key.strip().lower(), value.line
            if word in ("deprecated", "deprecation"):
                said = _texts(value)
                if isinstance(value, Fields):
                    said = [f"{one} {_text(item)}" for one, item in value.fields.items() if _text(item)]
                if said and said[0].lower() not in _FALSE:
                    reason = "" if said[0].lower() in ("true", "yes", "on", "1") else f": {', '.join(said)}"
                    yield "deprecated", "high", f"{what} is deprecated{reason}.", (), line
            elif word in _NOTED:
                severity = "medium" if word.startswith(("warning", "caveat", "gotcha")) else "info"
                for said_ in _texts(value):
                    yield word.rstrip("s"), severity, said_, (), line


def _test(test: Node) -> tuple[str, Fields | None]:
    """(name, settings) of a test: a name alone, or a mapping of one with its settings below or beside it."""
    if isinstance(test, Scalar):
        return one_line(test.text), None
    if not isinstance(test, Fields):
        return "", None
    named = _text(test.fields.get("test_name"))
    if named:
        return named, test
    for key, value in test.fields.items():
        if key not in _SETTINGS:
            return one_line(key), value if isinstance(value, Fields) else test
    return "", None


def _setting(settings: Fields | None, key: str) -> Node | None:
    if settings is None:
        return None
    for holder in (settings, settings.mapping("arguments"), settings.mapping("config")):
        if holder is not None and key in holder.fields:
            return holder.fields[key]
    return None


def _sentence(name: str, settings: Fields | None, column: str | None) -> tuple[str, tuple[str, ...]]:
    """What a test promises, without a full stop, and the columns that a table's test is about."""
    about = column or _text(_setting(settings, "column_name"))
    what = f"`{about}`" if about else "each row"
    named = (about,) if about else ()
    if name == "not_null":
        return f"{what} is never null", named
    if name == "unique":
        return f"{what} is unique: no two rows share a value", named
    if name == "accepted_values":
        values = _texts(_setting(settings, "values"))
        more = len(values) - _VALUES_TOLD
        said = ", ".join(values[:_VALUES_TOLD]) + (f" and {more} more" if more > 0 else "")
        return f"{what} holds no other values than {said}", named
    if name == "relationships":
        to, field = _text(_setting(settings, "to")), _text(_setting(settings, "field"))
        return f"every value of {what} stands in {f'`{field}` of ' if field else ''}{_referred(to)}", named
    columns = _texts(_setting(settings, "combination_of_columns"))
    if columns:
        return f"{_joined(columns)} are unique together: no two rows share all of them", tuple(columns)
    told = [_argument(key, value) for key, value in _arguments(settings, name)]
    said = ", ".join(one for one in told if one)
    return f"{what} passes the test {name}{f' ({said})' if said else ''}", named


def _arguments(settings: Fields | None, name: str) -> Iterator[tuple[str, Node]]:
    if settings is not None:
        inner = settings.mapping("arguments")
        for holder in (settings, inner):
            for key, value in () if holder is None else holder.fields.items():
                if key not in _SETTINGS and key != name:
                    yield key, value


def _argument(key: str, value: Node) -> str:
    said = ", ".join(_texts(value))
    return f"{key}: {said}" if said else ""


def _referred(text: str) -> str:
    """`ref('users')` and `source('shop', 'users')` as names."""
    if _REFERENCE.match(text):
        return f"`{'/'.join(found[1] for found in _QUOTED.findall(text))}`"
    return f"`{text}`" if text else "another table"


def _joined(columns: list[str]) -> str:
    return " and ".join(f"`{one}`" for one in columns)


def _text(node: Node | None) -> str:
    return one_line(value_text(node))


def _texts(node: Node | None) -> list[str]:
    nodes = node.items if isinstance(node, Items) else [node]
    return [text for one in nodes if (text := _text(one))]
