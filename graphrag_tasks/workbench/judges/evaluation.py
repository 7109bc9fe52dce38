"""Evaluate answers to questions with known sources, in several modes, with or without a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from graphrag_tasks.answering import Reply, answer
from graphrag_tasks.answering.writing import PURPOSE as WRITING
from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.llm import Client
from graphrag_tasks.llm.request import Usage, price
from graphrag_tasks.retrieval import Index
from graphrag_tasks.workbench.evaluation.gold import Gold, Target, locate, unsent_documents
from graphrag_tasks.workbench.evaluation.questions import Question, read_questions
from graphrag_tasks.workbench.evaluation.unaided import REFUSED, figures, refusal, unaided
from graphrag_tasks.workbench.judges.judge import Judge
from graphrag_tasks.workbench.judges.report import AnswersReport, JudgedMode
from graphrag_tasks.workbench.judges.verdicts import (
    MEASURES,
    Answered,
    JudgeCheck,
    JudgedByHand,
    Pair,
    Preferred,
    Verdicts,
    aligned,
    check_judge,
    context_precision,
    faithful,
    preferred,
    relevant,
)

_Judging = tuple[tuple[JudgedMode, ...], dict[str, list[Preferred]], JudgeCheck]
"""Judged modes, preferences among their answers, and the judge's check."""


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
    targets = gold.targets
    if not targets and not unanswerable:
        raise ConfigError("there are no questions to evaluate")
    if writer is not None:
        config, model = writer.config, writer.identity(WRITING).model
        most = Usage(config.answers.prompt_tokens, config.answers.output_tokens)
        usd = price(config, model, most)
        cost = "an unknown price" if usd is None else f"{usd:.4f} USD at most"
        number = len(modes) * (len(targets) + len(unanswerable))
        tell(f"`{model}` is asked for {number:,} answers; each prompt costs {cost}.")
    hidden = unsent_documents(index.snapshot, exclude if judge else ())

    def judged_mode(mode: str) -> JudgedMode:
        replies = [answer(index, one.question.question, writer, mode) for one in targets]
        pairs = list(zip(targets, replies, strict=True))
        return JudgedMode(
            mode,
            tuple(_answered(target, reply, hidden) for target, reply in pairs),
            {},
            tuple(unaided(target, reply) for target, reply in pairs),
            frozenset(
                target.question.id for target, reply in pairs
                if not _is_shown(target, hidden) or _cites(reply, hidden)
            ),
            tuple(
                refusal(one, reply := answer(index, one.question, writer, mode), _text(reply))
                for one in unanswerable
            ),
        )  # fmt: skip

    found = [judged_mode(mode) for mode in modes]
    if judge is None:
        found = [replace(mode, withheld=frozenset()) for mode in found]
        return AnswersReport(None, index.snapshot.snapshot_id, tuple(found), against)
    right = [_answered(one, None, hidden) for one in targets if _is_shown(one, hidden)]
    if not right:
        hint = "Give each question its answer, or leave out --judge"
        raise ConfigError("no question has an answer to judge by", "--questions", hint)

    def judging(by: Judge) -> _Judging:
        check = check_judge(by, right, by_hand)
        modes = tuple(_by_model(by, index, mode) for mode in found)
        base = next((judged for judged in modes if judged.mode == against), None)
        preferences = {
            judged.mode: preferred(by, _pairs(judged, base)) for judged in modes if base and judged is not base
        }
        return modes, preferences, check

    tell(judge.rehearsed(judging))
    judged, preferences, check = judging(judge)
    return AnswersReport(
        judge.model, index.snapshot.snapshot_id, judged, against, preferences, check,
        judge.counts, judge.usd,
    )  # fmt: skip


def judge_unaided(index: Index, questions: str | Path, mode: str) -> dict[str, float]:
    """Return the means of `unaided.FIGURES` over the answers to a file of questions.

    Questions about missing documents are left out. For unanswerable questions, `REFUSED` is the share that was refused.
    """
    asked = read_questions(questions, unanswerable=True)
    known = [question for question in asked if question.answerable]
    gold = locate(known, index.snapshot, strict=False)
    verdicts = [unaided(target, answer(index, target.question.question, mode=mode)) for target in gold.targets]
    refusals = [
        refusal(question, answer(index, question.question, mode=mode), "")
        for question in asked
        if not question.answerable
    ]
    found = figures(verdicts)
    return found | {REFUSED: fmean(refusal.refused for refusal in refusals)} if refusals else found


def _by_model(judge: Judge, index: Index, mode: JudgedMode) -> JudgedMode:
    shown = [answer for answer in mode.answers if answer.id not in mode.withheld]
    found = [aligned(judge, shown), faithful(judge, shown), relevant(judge, shown, index.encode)]
    of_passages = context_precision(judge, shown)
    found += [[one[0] for one in of_passages], [one[1] for one in of_passages]]
    by_measure: dict[str, list[Verdicts]] = {}
    for measure, verdicts in zip(MEASURES, found, strict=True):
        known = {answer.id: one for answer, one in zip(shown, verdicts, strict=True)}
        empty = Verdicts(measure, ())
        by_measure[measure] = [known.get(answer.id, empty) for answer in mode.answers]
    return replace(mode, by_measure=by_measure)


def _answered(target: Target, reply: Reply | None, hidden: frozenset[str]) -> Answered:
    question = target.question
    chunks = reply.context.chunks if reply is not None else ()
    return Answered(
        id=question.id,
        question=question.question,
        reference=question.answer,
        text=_text(reply) if reply is not None else "",
        passages=tuple(chunk.text for chunk in chunks if chunk.document_id not in hidden),
    )


def _text(reply: Reply) -> str:
    said = [reply.summary] if reply.summary else []
    return " ".join([*said, *(sentence.shown for sentence in reply.sentences)])


def _cites(reply: Reply, hidden: frozenset[str]) -> bool:
    return any(citation.source.document_id in hidden for citation in reply.citations)


def _is_shown(target: Target, hidden: frozenset[str]) -> bool:
    places = (place.document_id for places in target.places for place in places)
    return bool(target.question.answer) and hidden.isdisjoint(places)


def _pairs(mode: JudgedMode, base: JudgedMode) -> list[Pair]:
    return [
        Pair(answer.id, answer.question, answer.reference, answer.text, other.text)
        for answer, other in zip(mode.answers, base.answers, strict=True)
        if answer.text and other.text and answer.id not in mode.withheld | base.withheld
    ]
