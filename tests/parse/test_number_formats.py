"""Numbers as Excel shows them."""

import pytest

from graphrag_tasks.parse.values import is_percent, shown_number

ACCOUNTING = '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-'


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (3, "General", "3"),
        (3.0, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (1234567890123, "General", "1234567890123"),
        (2.5, "0", "3"),
        (-2.5, "0.0", "-2.5"),
        (1234.5, "#,##0.00", "1,234.50"),
        (1234567, "#,##0", "1,234,567"),
        (0.5, "#.##", ".5"),
        (1.10, "0.0##", "1.1"),
        (0.256, "0%", "26%"),
        (0.256, "0.0%", "25.6%"),
        (42, "00000", "00042"),
        (1_500_000, '#,##0.0,,"M"', "1.5M"),
        (5, '"$"#,##0.00', "$5.00"),
        (5, "[$€-407] #,##0.00", "€ 5.00"),
        (-5, '#,##0_);[Red](#,##0)', "(5)"),
        (-5, "0.00;-0.00", "-5.00"),
        (1234.5, ACCOUNTING, "1,234.50 €"),
        (-1234.5, ACCOUNTING, "-1,234.50 €"),
        (0, ACCOUNTING, "- €"),
        (0.5, "# ?/?", "0.5"),
        (12345.678, "0.00E+00", "12345.678"),
        (7, "[>5]0.0;0", "7"),
        (7, "@", "7"),
        (0, "#", ""),
        (1e21, "0", "1000000000000000000000"),
    ],
)  # fmt: skip
def test_shown(value: float, number_format: str, shown: str) -> None:
    assert shown_number(value, number_format) == shown


def test_percent_is_told_by_the_format() -> None:
    assert is_percent("0.0%")
    assert not is_percent("0.0")
    assert not is_percent("General")
