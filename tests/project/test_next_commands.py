"""The commands that messages name exist with their options, and are written in one place."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from typer.testing import CliRunner

from graphrag_tasks.cli import app

PACKAGE = Path(__file__).parents[2] / "graphrag_tasks"
PROGRAM = re.compile(r"graphrag-tasks [a-z]+ |pip install \S*graphrag-tasks")
MAKES_COMMANDS = PACKAGE / "core" / "commands.py"
FEWEST = 5  # Commands that messages name at the least.


def nodes(having: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield all that is in modules with this text, and the name of each one's file."""
    for file in sorted(PACKAGE.rglob("*.py")):
        text = file.read_text("utf-8")
        if file != MAKES_COMMANDS and having in text:
            yield from ((file.name, node) for node in ast.walk(ast.parse(text)))


def named() -> Iterator[tuple[str, ...]]:
    """Yield the words of each command that a message names; what is computed is a capital."""
    for _, node in nodes("command("):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "command":
            yield tuple(
                str(one.value) if isinstance(one, ast.Constant) else "ID"
                for one in node.args
                if not isinstance(one, ast.Starred)
            )


def test_a_command_that_a_message_names_can_be_typed() -> None:
    selected = ["--store", "s", "--config", "c.toml"]
    commands = {words for words in named() if words}
    assert len(commands) >= FEWEST
    for words in sorted(commands):
        typed = CliRunner().invoke(app, [*words, *selected, "--help"])
        assert typed.exit_code == 0, (words, typed.output)


def test_no_message_spells_a_command_itself() -> None:
    found = [
        (file, node.value)
        for file, node in nodes("graphrag-tasks")
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and PROGRAM.search(node.value)
        and not node.value.startswith(("`", "# An ontology"))
    ]
    assert not found
