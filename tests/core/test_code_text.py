"""What of a module's text decides its results."""

from __future__ import annotations

import ast
from pathlib import Path

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


def test_every_module_of_the_package_keeps_what_runs() -> None:
    files = sorted((Path(__file__).parents[2] / "graphrag_tasks").rglob("*.py"))
    assert len(files) > 300
    for file in files[::7]:
        source = file.read_text("utf-8")
        try:
            kept = ast.parse(code_text(source))
        except SyntaxError:  # a class or function of a docstring alone
            continue
        assert [ast.dump(one) for one in _runs(kept)] == [ast.dump(one) for one in _runs(ast.parse(source))], file


def _runs(tree: ast.Module) -> list[ast.stmt]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [one for one in body if not _is_text(one)]  # type: ignore[attr-defined]
    return tree.body


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
