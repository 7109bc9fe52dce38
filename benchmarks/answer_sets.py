"""The questions of `benchmarks/gold/answer_questions.jsonl`, and where their gold stands."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from graphrag_tasks.retrieval import Index
from graphrag_tasks.workbench.evaluation import GoldSpan
from graphrag_tasks.workbench.evaluation.gold import Place

GOLD = Path(__file__).parent / "gold" / "answer_questions.jsonl"


class AnswerQuestion(BaseModel):
    """A question of one corpus; `split` is `fitted` or `judged`, and no corpus has both.

    Attributes:
        kind: single, listing, unanswerable, filter, count or unknown_noun.
        why: Of an unanswerable one: missing_attribute, unknown_name or other_subject.
        count: Of a filter or count: the rows that match.
        gold: The facts; of a listing, its items.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    corpus: str
    kind: str
    question: str
    answer: str
    split: str
    why: str = ""
    count: int = 0
    gold: tuple[GoldSpan, ...] = ()


def read_answer_questions(split: str | None = None) -> list[AnswerQuestion]:
    """Return the questions, all or those of a split."""
    lines = GOLD.read_text("utf-8").splitlines()
    questions = [AnswerQuestion.model_validate_json(line) for line in lines]
    return [one for one in questions if split in (None, one.split)]


def gold_places(index: Index, gold: GoldSpan) -> list[Place]:
    """Return the places of a fact; any will do."""
    rows = index.snapshot.table("documents", ["document_id", "path"]).to_pylist()
    ids = {row["path"]: row["document_id"] for row in rows}
    return [
        Place(ids[span.path], span.char_start, span.char_end)
        for span in gold.spans() if span.path in ids
    ]  # fmt: skip


def gold_spans(index: Index, gold: Iterable[GoldSpan]) -> list[Place]:
    """Return the places of all facts."""
    return [place for one in gold for place in gold_places(index, one)]
