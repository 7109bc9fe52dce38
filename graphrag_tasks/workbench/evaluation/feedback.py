"""Readers' judgements of answers, kept as questions for evaluations.

One line per question (`Question`); the last judgement counts, and other lines stay unchanged. Gold is the passage that
a reader chose, or the quotations of a right answer. The file has questions, places and hashes, but no document text.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import ValidationError

from graphrag_tasks.answering import Reply
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.retrieval import ChunkHit
from graphrag_tasks.storage.locks import edit_file, local_file, read_text
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.evaluation.gold import spans_of
from graphrag_tasks.workbench.evaluation.questions import GoldSpan, Judgement, Question, Span

QUESTIONS_FILE = "questions.jsonl"
SETTING = "pages.questions"

log = logging.getLogger(__name__)


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
    spans = list(dict.fromkeys(spans_of(snapshot, best)))
    if reply.form == "quotes":
        return tuple(_needed(span, spans[1:]) for span in spans[:1])
    return tuple(_needed(span) for span in spans)


def gold_in(snapshot: Snapshot, passage: ChunkHit) -> tuple[GoldSpan, ...]:
    """Return a passage that a reader chose as gold."""
    return tuple(_needed(span) for span in spans_of(snapshot, [passage]))


def judge(file: Path, question: str, said: Judgement, gold: Sequence[GoldSpan]) -> None:
    """Write a judgement to the file, replacing an earlier one of the same question."""
    words, id = " ".join(question.split()), _id(question)
    asked = Question(id=id, question=words, judged=said, gold=tuple(gold))

    def changed(text: str) -> str:
        kept = list(_whole_lines(text, file))
        for number, line in enumerate(kept, 1):
            known = _parsed(line)
            if known and known.id != id and _id(known.question) == id:
                raise ConfigError(
                    "the question is there already, with what answers it",
                    f"{file}, line {number}",
                    "Change that line, or leave it",
                )
        kept = [line for line in kept if not _has_id(line, id)]
        line = asked.model_dump_json(exclude_defaults=True)
        return "".join(f"{one}\n" for one in [*kept, line])

    edit_file(file, changed)


def judgement_of(file: Path, question: str) -> Question | None:
    """Return the last judgement of a question's answer."""
    lines, id = read_text(file).split("\n"), _id(question)
    return next((_parsed(line) for line in lines if _has_id(line, id)), None)


def _needed(span: Span, others: Sequence[Span] = ()) -> GoldSpan:
    return GoldSpan(**span.model_dump(), alternatives=tuple(others))


def _id(question: str) -> str:
    """Return the id of a question, independent of spacing and case."""
    return f"asked-{content_id('question', ' '.join(question.split()).casefold())}"


def _whole_lines(text: str, file: Path) -> Iterator[str]:
    """Yield the complete lines; a partly written last line is skipped."""
    *lines, last = text.split("\n")
    yield from lines
    if not last.strip():
        return
    try:
        json.loads(last)
    except ValueError:
        log.warning("%s, line %d: is cut off, and left out", file, len(lines) + 1)
        return
    yield last


def _has_id(line: str, id: str) -> bool:
    if id not in line:  # most lines: they need not be parsed
        return False
    known = _parsed(line)
    return known is not None and known.id == id


def _parsed(line: str) -> Question | None:
    try:
        return Question.model_validate_json(line)
    except ValidationError:
        return None
