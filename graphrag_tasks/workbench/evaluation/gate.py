"""Gate: the figures that an index must reach on a user's questions, and their storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from graphrag_tasks.answering import Reply
from graphrag_tasks.core.config import Config
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.ids import content_id
from graphrag_tasks.retrieval import ALL_DOCUMENTS, Index, open_index
from graphrag_tasks.storage.locks import edit_file, local_file, read_text
from graphrag_tasks.storage.snapshots.store import Snapshot, Store
from graphrag_tasks.workbench.evaluation.gold import gold_at, locate, spans_of
from graphrag_tasks.workbench.evaluation.questions import GoldSpan, Judgement, Question, read_questions
from graphrag_tasks.workbench.evaluation.report import METRICS, Comparison, evaluate_targets
from graphrag_tasks.workbench.judges.evaluation import evaluate_answers
from graphrag_tasks.workbench.judges.report import PERCENT

EVALUATIONS = "evaluations"  # Folder in a store with a folder for each evaluated snapshot.


@dataclass(frozen=True)
class Gate:
    """The figures that an index reached.

    `stale` counts the questions left out because their text or document is gone; `missed` maps figures below their
    minimum to reached and required value.
    """

    mode: str
    questions: int
    stale: int
    metrics: dict[str, float]
    missed: dict[str, tuple[float, float]]

    @property
    def passed(self) -> bool:
        """Whether every minimum was reached."""
        return not self.missed


def gate(index: Index, questions: str | Path, *, minimum: Mapping[str, float], mode: str = "paper") -> Gate:
    """Evaluate a file of `Question` lines and compare the figures with their minimum.

    `minimum` has the least value of some figures of `report.METRICS`. The index's snapshot need not be the current one.
    """
    unknown = sorted(set(minimum) - set(METRICS))
    if unknown:
        raise ConfigError(f"there is no figure '{unknown[0]}'", "minimum", f"Figures: {', '.join(METRICS)}")
    asked = read_questions(questions)
    if not asked:
        raise ConfigError("there are no questions to evaluate", str(questions))
    report = evaluate_targets(index, locate(asked, index.snapshot, strict=False), mode=mode)
    metrics = report.overall.metrics
    missed = {name: (metrics[name], least) for name, least in minimum.items()
              if metrics[name] < least}  # fmt: skip
    return Gate(mode, report.overall.questions, len(report.stale), metrics, missed)


def evaluate_store(store: str, questions: str | Path, modes: Sequence[str]) -> dict[str, Any]:
    """Evaluate the current snapshot in several modes, and store the figures.

    Passages are judged by the questions' gold, and answers without a model; modes are compared with the first. Returned
    are the snapshot's id, the folder of the figures, and the mean of each figure by mode, from 0 to 1, of passages
    (`metrics`) and of answers (`answers`).
    """
    index = open_index(store, principals=ALL_DOCUMENTS)
    gold = locate(read_questions(questions), index.snapshot)
    reports = [evaluate_targets(index, gold, mode=mode) for mode in modes]
    answers = evaluate_answers(index, gold, modes, against=modes[0])
    snapshot_id = index.snapshot.snapshot_id
    folder = Store(store).folder / EVALUATIONS / snapshot_id
    for name, data in (Comparison.of(reports, modes[0]).files() | answers.files()).items():
        folder.write_bytes(name, data)
    return {
        "snapshot_id": snapshot_id,
        "folder": folder.uri,
        "metrics": {report.mode: report.overall.metrics for report in reports},
        "answers": {
            mode: {name: one["mean"] / PERCENT for name, one in found.items() if "mean" in one}
            for mode, found in answers.to_dict()["modes"].items()
        },
    }


# Readers' judgements of answers, kept as questions for evaluations.

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
