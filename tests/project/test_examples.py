"""Check the example corpus, its questions and its reproducible build."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CORPUS = EXAMPLES / "corpus"
SOURCES = EXAMPLES / "sources"
BUILT_KINDS = ("pdf", "docx", "xlsx")
NAME = re.compile(
    r"""
    (?<=")[^"]{8,}(?=")             # a quoted name of a check or a table
    | /?\b[A-Z][A-Z0-9_/]*[A-Z0-9]\b  # a technical name or an acronym
    | \b[A-Z][a-z]+\ [A-Z][a-z]+\b   # the name of a tool
    """,
    re.VERBOSE,
)


def load_questions() -> list[dict[str, Any]]:
    lines = (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


QUESTIONS = load_questions()
each_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q["id"])


def readable_text(document: str) -> str:
    """Return the text of a corpus document, for a built document the text of its source."""
    path = CORPUS / document
    match path.suffix:
        case ".pdf" | ".docx":
            path = SOURCES / path.parent.name / f"{path.stem}.md"
        case ".xlsx":
            parts = sorted((SOURCES / "xlsx" / path.stem).iterdir())
            return "\n".join(part.read_text(encoding="utf-8") for part in parts)
    return path.read_text(encoding="utf-8")


def title_of(document: str) -> str:
    text = readable_text(document)
    patterns = {".html": r"<title>(.+?)</title>", ".xlsx": r'^title = "(.+)"$', ".csv": r"\A()"}
    path = Path(document)
    match = re.search(patterns.get(path.suffix, r"\A# (.+)"), text, re.MULTILINE)
    assert match is not None, document
    return match[1] or path.stem.replace("-", " ").title()


@each_question
def test_question_is_well_formed(question: dict[str, Any]) -> None:
    assert list(question) == ["id", "question", "answer", "type", "gold_titles", "gold_ids"]
    assert question["question"].endswith(("?", "."))
    assert question["answer"]
    for name in question["gold_ids"]:
        assert (CORPUS / name).is_file(), name
    assert question["gold_titles"] == [title_of(name) for name in question["gold_ids"]]
    assert len(set(question["gold_ids"])) == len(question["gold_ids"])
    counts = {"single": {1}, "multi": {2, 3}}
    assert len(question["gold_ids"]) in counts[question["type"]]


@each_question
def test_gold_documents_name_the_objects_of_the_answer(question: dict[str, Any]) -> None:
    texts = [readable_text(name) for name in question["gold_ids"]]
    missing = [name for name in NAME.findall(question["answer"]) if not any(name in text for text in texts)]
    assert not missing


def test_rebuild_gives_the_committed_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("reportlab", "docx", "openpyxl", "markdown_it"):
        pytest.importorskip(library, reason=f"the corpus builder needs {library}")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    importlib.import_module("build_corpus").build_corpus(tmp_path)
    built = {p.relative_to(tmp_path).as_posix(): p for p in tmp_path.rglob("*.*")}
    committed = {p.relative_to(CORPUS).as_posix() for k in BUILT_KINDS for p in CORPUS.glob(f"{k}/*")}
    assert set(built) == committed
    for name, path in built.items():
        assert path.read_bytes() == (CORPUS / name).read_bytes(), name
