"""Readers' judgements of answers, kept as questions for evaluations.

One line per question (`Question`); the last judgement counts, and other lines stay unchanged. Gold is the passage that
a reader chose, or the quotations of a right answer. The file has questions, places and hashes, but no document text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from graphrag_tasks.answering import Reply
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.storage.locks import edit_file, local_file, read_text
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.evaluation.gold import gold_at, spans_of
from graphrag_tasks.workbench.evaluation.questions import GoldSpan, Judgement, Question

QUESTIONS_FILE = "questions.jsonl"
SETTING = "pages.questions"


def judged_file(config: Config) -> Path:
    """Return the file of judged answers."""
    return local_file(config.pages.questions or f"{config.store}/{QUESTIONS_FILE}", SETTING)


def gold_of(snapshot: Snapshot, reply: Reply) -> tuple[GoldSpan, ...]:
    """Return the gold of a right answer: its quotations; empty without any.

    Each item of a list is needed; of other quotations any chosen sentence suffices, as nobody says which.
    """
    if reply.form == "overview":  # what it counts stands in no document
        return ()
    best = [sentence.citations[0].source for sentence in reply.sentences if sentence.is_best and sentence.citations]
    if reply.form == "quotes":
        return (gold_at(snapshot, best),) if best else ()
    spans = dict.fromkeys(spans_of(snapshot, best))
    return tuple(GoldSpan(**span.model_dump()) for span in spans)


def judge(file: Path, question: str, said: Judgement, gold: Sequence[GoldSpan]) -> None:
    """Write a judgement to the file, replacing an earlier one of the same question."""
    words, id = " ".join(question.split()), _id(question)
    asked = Question(id=id, question=words, judged=said, gold=tuple(gold))

    def changed(text: str) -> str:
        kept = text.removesuffix("\n").split("\n") if text else []
        for number, line in enumerate(kept, 1):
            known = _parsed(line)
            if known and known.id != id and _id(known.question) == id:
                what = "the question is there already, with what answers it"
                hint = "Change that line, or leave it"
                raise ConfigError(what, f"{file}, line {number}", hint)
        kept = [line for line in kept if not _has_id(line, id)]
        line = asked.model_dump_json(exclude_defaults=True)
        return "".join(f"{one}\n" for one in [*kept, line])

    edit_file(file, changed)


def judgement_of(file: Path, question: str) -> Question | None:
    """Return the last judgement of a question's answer."""
    lines, id = read_text(file).split("\n"), _id(question)
    return next((_parsed(line) for line in lines if _has_id(line, id)), None)


def _id(question: str) -> str:
    """Return the id of a question, independent of spacing and case."""
    return f"asked-{content_id('question', ' '.join(question.split()).casefold())}"


def _has_id(line: str, id: str) -> bool:
    known = _parsed(line) if id in line else None  # most lines need not be parsed
    return known is not None and known.id == id


def _parsed(line: str) -> Question | None:
    try:
        return Question.model_validate_json(line)
    except ValidationError:
        return None
