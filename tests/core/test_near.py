"""Names that are suggested in place of one that is not there."""

import pytest

from graphrag_tasks.core.near import did_you_mean


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("vbbx", "Did you mean 'table vbbs' or 'table vbbe'?"),
        ("print servr", "Did you mean 'print server'?"),
        ("zzz", ""),
        ("", ""),
    ],
)
def test_what_is_spelled_alike_is_suggested(name: str, hint: str) -> None:
    assert did_you_mean(name, ["table vbbs", "print server", "table vbbe", "gateway"]) == hint
