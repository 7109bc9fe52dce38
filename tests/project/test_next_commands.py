"""The commands that messages name exist with their options, and are written in one place."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from graphrag_tasks.cli import app

PACKAGE = Path(__file__).parents[2] / "graphrag_tasks"
PROGRAM = re.compile(r"graphrag-tasks [a-z]+ |pip install \S*graphrag-tasks")
MAKES_COMMANDS = PACKAGE / "core" / "commands.py"


def modules() -> Iterator[tuple[Path, ast.Module]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        if file != MAKES_COMMANDS:
            yield file, ast.parse(file.read_text("utf-8"))


def named() -> Iterator[tuple[str, ...]]:
    """Yield the words of each command that a message names; what is computed is a capital."""
    for _, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "command":
                yield tuple(
                    str(one.value) if isinstance(one, ast.Constant) else "ID"
                    for one in node.args
                    if not isinstance(one, ast.Starred)
                )


@pytest.mark.parametrize("words", sorted({words for words in named() if words}))
def test_a_command_that_a_message_names_can_be_typed(words: tuple[str, ...]) -> None:
    selected = ["--store", "s", "--config", "c.toml"]
    typed = CliRunner().invoke(app, [*words, *selected, "--help"])
    assert typed.exit_code == 0, typed.output


def test_no_message_spells_a_command_itself() -> None:
    found = [
        (file.name, node.value)
        for file, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and PROGRAM.search(node.value)
        and not node.value.startswith(("`", "# An ontology"))
    ]
    assert not found
