"""The project's weight has a budget in `pyproject.toml`, `[tool.weight]`, as web pages have.

A change that adds takes away. Who raises a number says why in the CHANGELOG; who gets below one lowers it.
"""

import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest

from benchmarks.tools.reference import command_line, sections
from graphrag_tasks.core.config.base import BaseConfig
from graphrag_tasks.core.schemas import SCHEMAS

ROOT = Path(__file__).parents[2]
BUDGET = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["weight"]


def lines(folder: str) -> int:
    return sum(text.count("\n") for text in texts((ROOT / folder).rglob("*.py")))


def texts(files: Iterable[Path]) -> Iterable[str]:
    return (file.read_text("utf-8") for file in files)


def settings() -> int:
    """Return the number of settings, without the fields of their lists and tables."""
    return sum(
        not (isinstance(field.annotation, type) and issubclass(field.annotation, BaseConfig))
        for prefix, model in sections()
        if not prefix.endswith(("[].", "NAME."))
        for field in model.model_fields.values()
    )


def weights() -> dict[str, int]:
    return {
        "package_lines": lines("graphrag_tasks"),
        "package_files": len(list((ROOT / "graphrag_tasks").rglob("*.py"))),
        "test_lines": lines("tests"),
        "docs_words": sum(len(text.split()) for text in texts((ROOT / "docs").rglob("*.md"))),
        "settings": settings(),
        "commands": len(list(command_line())),
        "tables": len(SCHEMAS),
    }


@pytest.mark.parametrize("name", BUDGET)
def test_nothing_weighs_more_than_its_budget(name: str) -> None:
    assert weights()[name] <= BUDGET[name]


def test_everything_has_a_budget() -> None:
    assert weights().keys() == BUDGET.keys()
