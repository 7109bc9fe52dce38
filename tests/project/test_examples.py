"""Check the example corpus, its questions and its reproducible build."""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CORPUS = EXAMPLES / "corpus"
SOURCES = EXAMPLES / "sources"
BUILT_KINDS = ("pdf", "docx", "xlsx")
KINDS = {"pdf": 3, "html": 2, "xlsx": 1, "csv": 2, "docx": 2, "md": 5}
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
    patterns = {
        ".html": r"<title>(.+?)</title>",
        ".xlsx": r'^title = "(.+)"$',
        ".csv": r"\A()",
    }
    path = Path(document)
    match = re.search(patterns.get(path.suffix, r"\A# (.+)"), text, re.MULTILINE)
    assert match is not None, document
    return match[1] or path.stem.replace("-", " ").title()


def test_corpus_holds_documents_of_all_kinds() -> None:
    found = Counter(path.suffix.lstrip(".") for path in CORPUS.rglob("*") if path.is_file())
    assert set(found) == set(KINDS)
    assert all(found[kind] >= least for kind, least in KINDS.items())
    assert found.total() >= 14


def test_file_names_are_lower_case_with_dashes() -> None:
    for path in CORPUS.rglob("*.*"):
        assert re.fullmatch(r"[a-z0-9-]+\.[a-z]+", path.name), path


def test_html_heading_equals_title() -> None:
    for path in (CORPUS / "html").glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"<h1>(.+?)</h1>", text) == re.findall(r"<title>(.+?)</title>", text)


def test_question_counts() -> None:
    assert [q["id"] for q in QUESTIONS] == [f"q{n:02}" for n in range(1, 26)]
    assert Counter(q["type"] for q in QUESTIONS) == {"single": 12, "multi": 13}


def test_every_document_answers_a_question() -> None:
    gold = {name for q in QUESTIONS for name in q["gold_ids"]}
    assert gold == {p.relative_to(CORPUS).as_posix() for p in CORPUS.rglob("*.*")}


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
    missing = [
        name for name in NAME.findall(question["answer"]) if not any(name in text for text in texts)
    ]
    assert not missing


@each_question
def test_no_single_gold_document_covers_a_multi_hop_question(question: dict[str, Any]) -> None:
    if question["type"] == "single":
        return
    names = set(NAME.findall(question["question"] + " " + question["answer"]))
    for document in question["gold_ids"]:
        text = readable_text(document)
        assert not all(name in text for name in names), (document, names)


def test_rebuild_gives_the_committed_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in ("reportlab", "docx", "openpyxl", "markdown_it"):
        pytest.importorskip(library, reason=f"the corpus builder needs {library}")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    importlib.import_module("build_corpus").build_corpus(tmp_path)
    built = {p.relative_to(tmp_path).as_posix(): p for p in tmp_path.rglob("*.*")}
    committed = {
        p.relative_to(CORPUS).as_posix() for k in BUILT_KINDS for p in CORPUS.glob(f"{k}/*")
    }
    assert set(built) == committed
    for name, path in built.items():
        assert path.read_bytes() == (CORPUS / name).read_bytes(), name
