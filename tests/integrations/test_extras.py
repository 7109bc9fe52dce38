"""Retrievers where their framework is missing or too old, and what is told of a passage."""

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError

import pytest

from graphrag_tasks.core import commands as extras
from graphrag_tasks.core.commands import install_command
from graphrag_tasks.core.errors import MissingDependencyError
from graphrag_tasks.integrations.passages import passage_metadata
from graphrag_tasks.retrieval import ChunkHit

FRAMEWORKS = [
    ("langchain", "langchain", "langchain-core", "0.3.83", "1"),
    ("llama_index", "llama-index", "llama-index-core", "0.9.48", "0.14"),
]
HIT = ChunkHit(
    rank=1, chunk_id="c", text="Table B replaces table A.", score=0.75, ranking_score=1.0,
    similarity=None, ranks={}, path=(), document_id="d", uri="docs/a.pdf", title="Tables",
    page_start=2, page_end=3, char_start=0, char_end=25, heading_path=("Tables", "Sales"),
)  # fmt: skip


def imported(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"graphrag_tasks.integrations.{module}"
    monkeypatch.delitem(sys.modules, name, raising=False)
    import_module(name)


@pytest.mark.parametrize(("module", "extra", "package", "older", "oldest"), FRAMEWORKS)
def test_a_missing_framework_is_one_line_with_the_command(
    monkeypatch: pytest.MonkeyPatch, module: str, extra: str, package: str, older: str, oldest: str
) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "version", missing)
    with pytest.raises(MissingDependencyError) as raised:
        imported(module, monkeypatch)
    command = install_command(extra)
    assert str(raised.value) == f"{extra}: {package} is not installed. {command}"


@pytest.mark.parametrize(("module", "extra", "package", "older", "oldest"), FRAMEWORKS)
def test_an_older_framework_is_refused_with_the_command(
    monkeypatch: pytest.MonkeyPatch, module: str, extra: str, package: str, older: str, oldest: str
) -> None:
    monkeypatch.setattr(extras, "version", lambda name: {package: older}[name])
    with pytest.raises(MissingDependencyError) as raised:
        imported(module, monkeypatch)
    what = f"{package} {older} is installed, {oldest} is the oldest that works"
    assert str(raised.value) == f"{extra}: {what}. {install_command(extra)}"


def test_a_release_is_compared_by_its_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    for newer in ("0.14", "0.14.25", "0.100", "1.0.0rc1"):
        monkeypatch.setattr(extras, "version", lambda _, newer=newer: newer)
        extras.require_version("llama-index", "llama-index-core", "0.14")


def test_a_passage_is_told_with_its_source() -> None:
    assert passage_metadata(HIT, "s") == {
        "citation": "Tables, pages 2-3, Sales", "title": "Tables", "page": 2, "uri": "docs/a.pdf",
        "score": 0.75, "chunk_id": "c", "document_id": "d", "snapshot_id": "s",
    }  # fmt: skip
