"""Tune models on questions with gold, and keep them only if they are better."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import jax

from graphrag_tasks.core.errors import ConfigError, QualityError
from graphrag_tasks.retrieval import Index
from graphrag_tasks.workbench.evaluation.gold import locate
from graphrag_tasks.workbench.evaluation.questions import Question
from graphrag_tasks.workbench.tuning.held_out import (
    EncoderJudge,
    Gain,
    Judge,
    RerankerJudge,
    Scored,
    calibration,
    folder_folds,
    judge_folds,
    question_folds,
    write_model,
)
from graphrag_tasks.workbench.tuning.learning import (
    Recipe,
    Tunable,
    TunableEncoder,
    TunableReranker,
    Tuner,
    make_examples,
)

ENCODER, RERANKER = "encoder", "reranker"
KINDS = (ENCODER, RERANKER)
TUNABLE: Mapping[str, Callable[[str, Recipe], Tunable]] = {
    ENCODER: TunableEncoder, RERANKER: TunableReranker,
}  # fmt: skip
RECIPES = {ENCODER: TunableEncoder.RECIPE, RERANKER: TunableReranker.RECIPE}

QUESTIONS, FOLDERS = "questions", "folders"  # What is held out for judging.

_SECONDS_OF_MINUTE = 60


class Way(NamedTuple):
    """A gain, and what was held out for it: questions or folders."""

    left_out: str
    gain: Gain


@dataclass(frozen=True)
class Adaptation:
    """The outcome for one model.

    Attributes:
        kind: One of `KINDS`.
        model: The model before tuning.
        setting: The setting for a model of this kind.
        measured: Description of the measurement.
        ways: The gains.
    """

    kind: str
    model: str
    setting: str
    measured: str
    ways: tuple[Way, ...]

    @property
    def is_better(self) -> bool:
        """Whether both figures rise on held-out questions, and no folder loses in sum."""
        questions, *folders = (way.gain for way in self.ways)
        sums = [sum(difference.mean for difference in gain.differences) for gain in folders]
        return all(difference.mean > 0 for difference in questions.differences) and all(total >= 0 for total in sums)

    def to_markdown(self) -> str:
        """Return the figures as a table."""
        lines = [
            f"| {self.measured}, tuned {self.kind} | questions | Recall@5 | all gold@8 |",
            "|---|---|---|---|",
            *(f"| {way.left_out} left out | {way.gain.questions} | {_cells(way.gain)} |"
              for way in self.ways),
        ]  # fmt: skip
        return "\n".join(lines)


def adapt(
    index: Index,
    questions: Sequence[Question],
    out: Path,
    *,
    kinds: Sequence[str] = KINDS,
    models: Mapping[str, str] | None = None,
    recipes: Mapping[str, Recipe] = RECIPES,
    folds: int = 5,
    tell: Callable[[str], None] = print,
) -> list[Adaptation]:
    """Tune an encoder and a reranker on questions, judge them, and write those that are better.

    Args:
        index: The index that the questions are about, whose encoder and configured reranker are tuned by default.
        questions: With gold; stale ones are left out.
        out: New or empty folder, which gets `encoder`, `reranker`, or both.
        kinds: Which models are tuned.
        models: Other models to start from, by kind.
        recipes: Training recipes, by kind.
        folds: Number of folds for held-out questions and folders.
        tell: Called with progress lines, the expected time first.
    """
    if out.exists() and any(out.iterdir()):
        raise ConfigError("is not empty", str(out), "Name a folder that is new")
    gold = locate(questions, index.snapshot, strict=False)
    if gold.stale:
        tell(f"left out, as their gold is gone: {len(gold.stale)} of {len(questions)} questions")
    examples, gold = make_examples(index, gold)
    begun = {
        ENCODER: str(index.snapshot.manifest.embedding["model"]),
        RERANKER: index.config.rerank.model,
        **(models or {}),
    }
    ways = {QUESTIONS: question_folds(examples, folds, seed=0), FOLDERS: folder_folds(examples, folds)}
    if not ways[FOLDERS]:
        tell("no folder is left out: none other has questions enough")
    jobs: list[tuple[str, Tuner, Judge]] = []
    for kind in kinds:
        judge = EncoderJudge(index, gold) if kind == ENCODER else RerankerJudge(index, gold)
        tunable = TUNABLE[kind](begun[kind], recipes[kind])
        jobs.append((kind, Tuner.of(tunable, examples), judge))
    trainings = [len(fold.learned) for folds in ways.values() for fold in folds] + [len(examples)]
    seconds = sum(sum(map(tuner.model.recipe.steps, trainings)) * tuner.seconds
                  for _, tuner, _ in jobs)  # fmt: skip
    minutes = math.ceil(seconds / _SECONDS_OF_MINUTE)
    tell(f"{len(examples)} questions; about {minutes} minutes of training on {_device()}")
    done = []
    for kind, tuner, judge in jobs:
        # Judge, tune on all questions, and write the model if it is better.
        before = judge.figures(begun[kind], range(len(examples)))
        gains: list[Way] = []
        scored: list[Scored] = []
        for left_out, some in ways.items():
            if some:
                tell(f"{kind}, {left_out} left out: {len(some)} trainings")
                gain, scores = judge_folds(judge, tuner, examples, before, some, tell)
                gains.append(Way(left_out, gain))
                scored += scores
        found = Adaptation(kind, begun[kind], judge.setting, judge.measured, tuple(gains))
        tell(found.to_markdown())
        if found.is_better:
            line = calibration(scored) if scored else (1.0, 0.0)
            tuned = tuner.tune(examples)
            write_model(tuned, out / kind, calibration=line, card=_card(found))
            tell(f"written: {out / kind} ({found.setting})")
        else:
            tell(f"the tuned {kind} is not better and is not written")
        done.append(found)
    if not any(found.is_better for found in done):
        what = "no tuned model is better on what it has not seen, so none is written"
        raise QualityError(what, "adapt", "Write more questions, on more of the documents")
    return done


def _device() -> str:
    device = jax.devices()[0]
    return "the CPU" if device.platform == "cpu" else device.device_kind


def _card(done: Adaptation) -> str:
    number = done.ways[0].gain.questions
    return (
        f"# A {done.kind} tuned on {number} questions\n\nIt began as {done.model}. What it gains "
        "on what it has not seen, with 95 % intervals of the differences:\n\n"
        f"{done.to_markdown()}\n"
    )


def _cells(gain: Gain) -> str:
    return " | ".join(
        f"{old:.3f} → {new:.3f} ({gained.mean:+.3f}, {gained.low:+.3f} to {gained.high:+.3f})"
        for old, new, gained in zip(gain.before, gain.after, gain.differences, strict=True)
    )
