"""What the text of a cell is when it is read as a value."""

import pytest

from graphrag_tasks.parse.values import TEXT, Value, shown_value, value_of


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("-12", -12), ("+5", 5), ("1,234,567", 1234567), ("\N{MINUS SIGN}3", -3)],
)
def test_integers(text: str, number: float) -> None:
    assert value_of(text) == Value("integer", number)


@pytest.mark.parametrize(
    ("text", "number"),
    [(".5", 0.5), ("3.14", 3.14), ("1,234.5", 1234.5), ("1e3", None), ("1.5E-3", 0.0015),
     ("12,5", 12.5), ("1.234,50", 1234.5), ("-0.0", 0)],
)  # fmt: skip
def test_numbers(text: str, number: float | None) -> None:
    assert value_of(text) == (TEXT if number is None else Value("number", number))


@pytest.mark.parametrize(("text", "number"), [("25%", 0.25), ("-1.5 %", -0.015), ("12,5 %", 0.125)])
def test_percentages(text: str, number: float) -> None:
    kind, found, iso = value_of(text)
    assert (kind, iso) == ("percent", None)
    assert found == pytest.approx(number)


@pytest.mark.parametrize(
    ("text", "kind", "iso"),
    [
        ("2024-02-29", "date", "2024-02-29"),
        ("2024/2/9", "date", "2024-02-09"),
        ("31.12.2023", "date", "2023-12-31"),
        ("3 March 2021", "date", "2021-03-03"),
        ("Mar 3, 2021", "date", "2021-03-03"),
        ("2024-02-29 13:05", "datetime", "2024-02-29T13:05:00"),
        ("2024-02-29T13:05:09.123Z", "datetime", "2024-02-29T13:05:09"),
        ("9:05", "time", "09:05:00"),
        ("23:59:01", "time", "23:59:01"),
    ],
)
def test_dates_and_times(text: str, kind: str, iso: str) -> None:
    assert value_of(text) == Value(kind, iso=iso)


@pytest.mark.parametrize("text", ["true", "TRUE", "False"])
def test_booleans(text: str) -> None:
    assert value_of(text) == Value("boolean", float(text.lower() == "true"))


@pytest.mark.parametrize(
    "text",
    ["", "007", "03/04/2024", "2023-02-30", "25:00", "1,23,456", "1 234", "12a", "v1.2", "1.2.3",
     "Mayor 3, 2021", "٣", "²", "%", "-", "yes", "5153435776" * 5, "١٢:٣٠"],
)  # fmt: skip
def test_what_cannot_be_read_in_one_way_is_text(text: str) -> None:
    assert value_of(text) == TEXT


@pytest.mark.parametrize("text", ["1.5e999", "-9.0E999", "1.5e999 %"])
def test_what_is_too_large_for_a_number_is_text(text: str) -> None:
    assert value_of(text).number is None
    assert shown_value(float("inf"), "General", "n")[1] == TEXT
