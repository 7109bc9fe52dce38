"""What of a module's text decides its results."""

from __future__ import annotations

import pytest

from graphrag_tasks.core.stage import code_text

CODE = 'TEXT = """a # b\n\n  c"""\n\ndef f(x: int) -> str:\n    return f"{x} # {TEXT}"'


@pytest.mark.parametrize(
    "same",
    [
        f"# A comment.\n{CODE}\n",
        f'"""A docstring."""\n\n{CODE}',
        CODE.replace("    return", '    """Say x.\n\n    Twice.\n    """\n    return'),
        CODE.replace("str:", "str:  # noqa: ANN"),
        CODE.replace("str:", "str:  # “quoted” '"),
        CODE.replace("\n\ndef", "\n\n\n# ---\n\ndef"),
    ],
)
def test_what_does_not_run_changes_nothing(same: str) -> None:
    assert code_text(same) == code_text(CODE)


@pytest.mark.parametrize(
    "other",
    [
        CODE.replace("a # b", "a # c"),
        CODE.replace("\n\n  c", "\n  c"),
        CODE.replace("{x} #", "{x} ##"),
        CODE.replace("return", "return 1 or"),
        CODE.replace("x: int", "x: str"),
        CODE + '\nNAME = "f"',
    ],
)
def test_what_runs_changes_it(other: str) -> None:
    assert code_text(other) != code_text(CODE)
