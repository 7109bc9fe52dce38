"""Evaluate answers to questions with known sources, in several modes, with or without a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from graphrag_tasks.answering import Reply, answer
from graphrag_tasks.answering.writing import PURPOSE as WRITING
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.core.globs import excluded
from graphrag_tasks.llm import Client
from graphrag_tasks.llm.answers import Usage
from graphrag_tasks.llm.prices import price
from graphrag_tasks.retrieval import Index
from graphrag_tasks.workbench.evaluation.gold import Gold, Target, locate
from graphrag_tasks.workbench.evaluation.questions import Question, read_questions
from graphrag_tasks.workbench.evaluation.unaided import REFUSED, Refusal, figures, refusal, unaided
from graphrag_tasks.workbench.judges.check import JudgeCheck, JudgedByHand, check_judge
from graphrag_tasks.workbench.judges.judge import Judge
from graphrag_tasks.workbench.judges.pairs import Pair, Preferred, preferred
from graphrag_tasks.workbench.judges.report import AnswersReport, JudgedMode
from graphrag_tasks.workbench.judges.verdicts import (
    ALIGNMENT,
    FAITHFULNESS,
    RELEVANCY,
    Answered,
    Verdicts,
    aligned,
    context_precision,
    faithful,
    relevant,
)

_Judging = tuple[tuple[JudgedMode, ...], dict[str, list[Preferred]], JudgeCheck]
"""Judged modes, preferences among their answers, and the judge's check."""


@dataclass(frozen=True)
class _Asked:
    """The replies of one mode, to the questions in order."""

    mode: str
    replies: tuple[Reply, ...]
    refusals: tuple[Refusal, ...] = ()


def evaluate_answers(
    index: Index,
    gold: Gold,
    modes: Sequence[str],
    *,
    against: str | None = None,
    writer: Client | None = None,
    judge: Judge | None = None,
    by_hand: Sequence[JudgedByHand] = (),
    exclude: Sequence[str] = (),
    unanswerable: Sequence[Question] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> AnswersReport:
    """Answer every question in each mode, and judge the answers.

    Args:
        index: The searched index.
        gold: Located questions, with reference answers if a model judges.
        modes: How passages are found.
        against: The mode that others are compared with.
        writer: Client of the model that writes the answers; None: sentences are quoted.
        judge: The model that judges, which is checked first. None: only gold and words.
        by_hand: Answers that a person judged, for the check.
        exclude: Patterns of documents that no model is shown: `llm.exclude`.
        unanswerable: Questions that the corpus does not answer, which should be refused.
        tell: Is called with the price of answers, and of verdicts, before the first request.
    """
    if against is not None and against not in modes:
        raise ConfigError(f"mode '{against}' was not asked", "--against", ", ".join(modes))
    questions = [target.question.question for target in gold.targets]
    if writer is not None:
        tell(_price_of_answers(writer, len(modes) * (len(questions) + len(unanswerable))))
    asked = [
        _Asked(
            mode,
            tuple(answer(index, question, writer, mode) for question in questions),
            tuple(_refusal(one, answer(index, one.question, writer, mode)) for one in unanswerable),
        )
        for mode in modes
    ]
    if judge is None:
        judged = tuple(_without_model(one, gold.targets) for one in asked)
        return AnswersReport(None, index.snapshot.snapshot_id, judged, against)
    hidden = _hidden(index, exclude)
    shown = [target for target in gold.targets if target.question.answer and not _is_of(target, hidden)]
    if not shown:
        hint = "Give each question its answer, or leave out --judge"
        raise ConfigError("no question has an answer to judge by", "--questions", hint)
    right = [_answered(one, None, hidden) for one in shown]

    def judging(by: Judge) -> _Judging:
        check = check_judge(by, right, by_hand)
        found = tuple(_by_model(by, index, one, gold.targets, hidden) for one in asked)
        base = next((judged for judged in found if judged.mode == against), None)
        preferences = {
            judged.mode: preferred(by, _pairs(judged, base)) for judged in found if base and judged is not base
        }
        return found, preferences, check

    tell(judge.rehearsed(judging))
    found, preferences, check = judging(judge)
    return AnswersReport(
        judge.model, index.snapshot.snapshot_id, found, against, preferences, check,
        judge.counts, judge.usd,
    )  # fmt: skip


def _price_of_answers(writer: Client, answers: int) -> str:
    config, model = writer.config, writer.identity(WRITING).model
    most = Usage(config.answers.prompt_tokens, config.answers.output_tokens)
    usd = price(config, model, most)
    cost = "an unknown price" if usd is None else f"{usd:.4f} USD at most"
    return f"`{model}` is asked for {answers:,} answers; each prompt costs {cost}."


def judge_unaided(index: Index, questions: str | Path, mode: str) -> dict[str, float]:
    """Return the means of `unaided.FIGURES` over the answers to a file of questions.

    Questions about missing documents are left out. For unanswerable questions, `REFUSED` is the share that was refused.
    """
    asked = read_questions(questions, unanswerable=True)
    known = [question for question in asked if question.answerable]
    gold = locate(known, index.snapshot, strict=False)
    verdicts = [unaided(target, answer(index, target.question.question, mode=mode)) for target in gold.targets]
    refusals = [
        _refusal(question, answer(index, question.question, mode=mode)) for question in asked if not question.answerable
    ]
    found = figures(verdicts)
    return found | {REFUSED: fmean(refusal.refused for refusal in refusals)} if refusals else found


def _without_model(asked: _Asked, targets: Sequence[Target]) -> JudgedMode:
    pairs = list(zip(targets, asked.replies, strict=True))
    answers = tuple(_answered(target, reply, frozenset()) for target, reply in pairs)
    return JudgedMode(asked.mode, answers, {}, tuple(unaided(*pair) for pair in pairs), refusals=asked.refusals)


def _by_model(
    judge: Judge, index: Index, asked: _Asked, targets: Sequence[Target], hidden: frozenset[str]
) -> JudgedMode:
    pairs = list(zip(targets, asked.replies, strict=True))
    answers = tuple(_answered(target, reply, hidden) for target, reply in pairs)
    shown = [
        bool(target.question.answer) and not _is_of(target, hidden) and not _cites(reply, hidden)
        for target, reply in pairs
    ]
    judged = [answer for answer, is_shown in zip(answers, shown, strict=True) if is_shown]
    by_measure: dict[str, Sequence[Verdicts]] = {
        ALIGNMENT: aligned(judge, judged),
        FAITHFULNESS: faithful(judge, judged),
        RELEVANCY: relevant(judge, judged, index.encode),
    }
    for verdicts in zip(*context_precision(judge, judged), strict=True):
        by_measure[verdicts[0].measure] = verdicts
    withheld = {answer.id for answer, is_shown in zip(answers, shown, strict=True) if not is_shown}
    return JudgedMode(
        asked.mode, answers,
        {name: _with_gaps(found, shown, name) for name, found in by_measure.items()},
        tuple(unaided(*pair) for pair in pairs), frozenset(withheld), asked.refusals,
    )  # fmt: skip


def _refusal(question: Question, reply: Reply) -> Refusal:
    return refusal(question, reply, _text(reply))


def _with_gaps(found: Sequence[Verdicts], shown: Sequence[bool], name: str) -> list[Verdicts]:
    """Return a verdict for every answer; answers not shown have an empty one."""
    verdicts = iter(found)
    return [next(verdicts) if one else Verdicts(name, ()) for one in shown]


def _answered(target: Target, reply: Reply | None, hidden: frozenset[str]) -> Answered:
    question = target.question
    chunks = reply.context.chunks if reply else ()
    return Answered(
        id=question.id,
        question=question.question,
        reference=question.answer,
        text=_text(reply) if reply else "",
        passages=tuple(chunk.text for chunk in chunks if chunk.document_id not in hidden),
    )


def _text(reply: Reply) -> str:
    said = [reply.summary] if reply.summary else []
    return " ".join([*said, *(sentence.shown for sentence in reply.sentences)])


def _cites(reply: Reply, hidden: frozenset[str]) -> bool:
    return any(citation.source.document_id in hidden for citation in reply.citations)


def _is_of(target: Target, hidden: frozenset[str]) -> bool:
    return any(place.document_id in hidden for places in target.places for place in places)


def _hidden(index: Index, exclude: Sequence[str]) -> frozenset[str]:
    if not exclude:
        return frozenset()
    rows = index.snapshot.table("documents", ["document_id", "path"]).to_pylist()
    return excluded({row["document_id"]: row["path"] for row in rows}, exclude)


def _pairs(mode: JudgedMode, base: JudgedMode) -> list[Pair]:
    return [
        Pair(answer.id, answer.question, answer.reference, answer.text, other.text)
        for answer, other in zip(mode.answers, base.answers, strict=True)
        if answer.text and other.text and answer.id not in mode.withheld | base.withheld
    ]
