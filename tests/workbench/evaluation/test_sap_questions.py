"""The questions about SAP documents: what the file promises, and that its spans still stand."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from graphrag_tasks.core.config import ParseConfig
from graphrag_tasks.parse import parse
from graphrag_tasks.sources.listing import list_sources, source_roots
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.evaluation import Question, read_questions
from graphrag_tasks.workbench.evaluation.gold import document_texts, find_span

GOLD = Path(__file__).parents[3] / "benchmarks/gold"
CORPUS = Path(__file__).parents[4] / "shared/data/sap_corpus"


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    """Fifty of split dev and forty of split test; beside them those of tune, held-out and fresh."""
    files = (
        "sap_questions.jsonl",
        "sap_tuning_questions.jsonl",
        "sap_heldout_questions.jsonl",
        "sap_fresh_questions.jsonl",
    )
    return [question for name in files for question in read_questions(GOLD / name)]


def test_what_is_tuned_on_asks_about_other_documents_than_test(questions: list[Question]) -> None:
    paths = {
        split: {span.path for one in questions if one.split == split for span in one.gold}
        for split in ("dev", "test", "tune")
    }
    alternatives = {span.path for one in questions if one.split == "tune" for gold in one.gold for span in gold.spans()}
    assert len(paths["dev"] & paths["test"]) <= 3
    assert not alternatives & paths["test"]


@pytest.mark.parametrize(
    ("split", "others"), [("held-out", ("dev", "tune", "test")), ("fresh", ("dev", "tune", "test", "held-out"))]
)
def test_each_question_needs_a_passage_that_none_of_the_other_splits_asks_for(
    questions: list[Question], split: str, others: tuple[str, ...]
) -> None:
    asked: dict[str, list[tuple[int, int]]] = {}
    for one in questions:
        for gold in one.gold if one.split in others else ():
            for span in gold.spans():
                asked.setdefault(span.path, []).append((span.char_start, span.char_end))
    for one in questions:
        new = [
            gold
            for gold in one.gold
            if not any(gold.char_start < end and start < gold.char_end for start, end in asked.get(gold.path, []))
        ]
        assert new or one.split != split, one.id


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.exists(), reason="needs the SAP documents of ../shared/data")
def test_every_span_stands_where_the_file_says(questions: list[Question]) -> None:
    spans = [span for one in questions for gold in one.gold for span in gold.spans()]
    listed = list_sources(source_roots([str(CORPUS)]))
    wanted = listed.filter(pc.is_in(listed["path"], pa.array(sorted({one.path for one in spans}))))
    files = {row["uri"]: CORPUS / row["path"] for row in wanted.to_pylist()}
    parsed = parse(wanted, config=ParseConfig(), fetch=lambda uri: files[uri].read_bytes())
    tables = parsed.tables
    snapshot = SimpleNamespace(table=lambda name, columns: tables[name].select(columns))
    ids = {row["path"]: row["document_id"] for row in wanted.to_pylist()}
    texts = document_texts(cast("Snapshot", snapshot), set(ids.values()))
    moved = [one for one in spans if find_span(texts[ids[one.path]], one) != one.char_start]
    assert moved == []
