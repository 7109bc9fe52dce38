"""Messages name stages and tables as they are called now."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "graphrag_tasks"
FORMER = {"collect", "gazetteer", "mention", "relate", "surfaces", "dropped"}
IN_PROSE = re.compile(
    r"\bgazetteer\b|\b(?:stage|table)s? '?(?:collect|mention|relate|surfaces|dropped)\b"
    r"|\b(?:collect|mention|relate)\.\w|\b(?:collect|mention|relate|surfaces) (?:stage|table)\b"
)
SPEAKERS = {
    "debug",
    "info",
    "warning",
    "error",
    "exception",
    "Option",
    "Argument",
    "Field",
    "print",
}


def said(call: ast.Call) -> Iterator[str]:
    """Return the texts of a call that raises or says something."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name.endswith(("Error", "Warning", "_refusal")) or name in SPEAKERS:
        for node in ast.walk(call):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def former_names(text: str) -> list[str]:
    return [text] if text in FORMER else [found[0] for found in IN_PROSE.finditer(text.lower())]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("collect", ["collect"]),
        ("set collect.max_failed_share", ["collect.m"]),
        ("the stage mention failed", ["stage mention"]),
        ("names that documents mention", []),
        ("documents are dropped", []),
    ],
)
def test_former_names_are_found_and_words_are_not(text: str, names: list[str]) -> None:
    assert former_names(text) == names


def test_no_message_has_a_former_name_of_a_stage_or_table() -> None:
    found = [
        (file.relative_to(PACKAGE).as_posix(), call.lineno, text)
        for file in sorted(PACKAGE.rglob("*.py"))
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call)
        for text in said(call)
        if former_names(text)
    ]
    assert found == []
