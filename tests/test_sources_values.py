"""Attribute values: what each datatype takes, and in which form it is kept."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.namespaces import XSD
from kb.sources._values import Value, attribute_value
from kb.sources.yaml_files import Scalar


def value(text: str, datatype: str, *, plain: bool = True) -> Value:
    return attribute_value(Scalar(1, text, plain), XSD + datatype)


@pytest.mark.parametrize(
    ("text", "datatype", "expected"),
    [
        ("true", "boolean", True),
        ("No", "boolean", False),
        ("on", "boolean", True),
        ("017", "integer", 17),
        ("-3", "long", -3),
        ("0", "nonNegativeInteger", 0),
        ("255", "unsignedByte", 255),
        ("12.50", "decimal", 12.5),
        ("7", "decimal", 7.0),
        ("0.0000001", "decimal", "0.0000001"),
        ("0.1234567890123456789", "decimal", "0.1234567890123456789"),
        ("1e3", "double", 1000.0),
        (".inf", "double", "INF"),
        ("-INF", "float", "-INF"),
        (".nan", "double", "NaN"),
        ("1e999", "double", "INF"),
        ("2024-02-29", "date", "2024-02-29"),
        ("2024-02-29+02:00", "date", "2024-02-29+02:00"),
        ("2024-05-31T10:00:00.5Z", "dateTime", "2024-05-31T10:00:00.5Z"),
        ("10:00:00", "time", "10:00:00"),
        ("1871", "gYear", "1871"),
        ("2024-05", "gYearMonth", "2024-05"),
        ("P1DT2H", "duration", "P1DT2H"),
        ("https://a.example/x y".replace(" ", "%20"), "anyURI", "https://a.example/x%20y"),
        ("017", "string", "017"),
        (" yes ", "string", "yes"),
    ],
)
def test_values_that_fit_are_kept(text: str, datatype: str, expected: Value) -> None:
    found = value(text, datatype)
    assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("text", "datatype"),
    [
        *((text, "boolean") for text in ("maybe", "1", "y", "tRUE", "")),
        *((text, "integer") for text in ("1.0", "1e3", "1_000", "0x1F", "1:30", "", "٣", "9" * 5000)),
        ("-1", "nonNegativeInteger"),
        ("0", "positiveInteger"),
        ("256", "unsignedByte"),
        ("9223372036854775808", "long"),
        *((text, "decimal") for text in ("1e3", "a", "", ".", "1,5")),
        *((text, "double") for text in ("fast", "", "1e")),
        *((text, "date") for text in ("2023-02-29", "31.05.2024", "2024-5-1", "2024-05-31T10:00:00Z")),
        *((text, "dateTime") for text in ("2024-05-31", "2024-05-31 10:00:00", "2024-05-31T25:00:00")),
        ("24:61:00", "time"),
        ("99", "gYear"),
        ("2024-13", "gYearMonth"),
        *((text, "duration") for text in ("P", "P1DT", "1 day")),
        ("https://a.example/x y", "anyURI"),
        ("a\x00", "string"),
    ],
)
def test_values_that_do_not_fit_are_refused_with_what_would(text: str, datatype: str) -> None:
    with pytest.raises(ValueError, match=r"^must "):
        value(text, datatype)


@pytest.mark.parametrize("datatype", ["boolean", "integer", "decimal", "double"])
def test_a_quoted_value_is_a_text_and_no_boolean_or_number(datatype: str) -> None:
    with pytest.raises(ValueError, match="without quotes"):
        value("true" if datatype == "boolean" else "1", datatype, plain=False)


def test_datatypes_of_others_take_any_text() -> None:
    assert (
        attribute_value(Scalar(1, "POINT(1 2)", False), "http://www.opengis.net/ont/geosparql#wktLiteral")
        == "POINT(1 2)"
    )


@given(number=st.decimals(allow_nan=False, allow_infinity=False, places=None))
def test_a_decimal_keeps_its_value_and_has_a_form_that_is_a_decimal(number: Decimal) -> None:
    text = format(number, "f")
    found = value(text, "decimal")
    assert Decimal(str(found)) == number
    assert "e" not in str(found).lower()


@given(number=st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_keeps_its_value(number: float) -> None:
    assert value(repr(number), "double") == number
    assert math.copysign(1, float(value(repr(number), "double"))) == math.copysign(1, number)


@given(
    text=st.text(max_size=12),
    datatype=st.sampled_from(["boolean", "integer", "decimal", "date", "dateTime", "time", "gYear"]),
)
def test_any_text_is_a_value_or_a_value_error(text: str, datatype: str) -> None:
    try:
        found = value(text, datatype)
    except ValueError as err:
        assert str(err).startswith("must ")  # noqa: PT017
    else:
        assert isinstance(found, bool | int | float | str)
