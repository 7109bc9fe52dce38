"""Tune models on questions with gold, and keep them only if they are better."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import jax

from graphrag_tasks.core.errors import ConfigError, QualityError
from graphrag_tasks.retrieval import Index
from graphrag_tasks.workbench.evaluation.gold import Gold, locate
from graphrag_tasks.workbench.evaluation.questions import Question
from graphrag_tasks.workbench.tuning.examples import Example, make_examples
from graphrag_tasks.workbench.tuning.held_out import (
    EncoderJudge,
    Fold,
    Gain,
    Judge,
    RerankerJudge,
    Scored,
    calibration,
    folder_folds,
    judge_folds,
    question_folds,
)
from graphrag_tasks.workbench.tuning.learning import Recipe, Tunable, TunableEncoder, TunableReranker, Tuner
from graphrag_tasks.workbench.tuning.writing import write_model

ENCODER, RERANKER = "encoder", "reranker"
KINDS = (ENCODER, RERANKER)
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
        folder: Folder of the tuned model; None if it is not better.
    """

    kind: str
    model: str
    setting: str
    measured: str
    ways: tuple[Way, ...]
    folder: Path | None = None

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
    folds_by_way = {QUESTIONS: question_folds(examples, folds, seed=0), FOLDERS: folder_folds(examples, folds)}
    if not folds_by_way[FOLDERS]:
        tell("no folder is left out: none other has questions enough")
    jobs = [_Job.of(kind, begun[kind], recipes[kind], index, gold, examples) for kind in kinds]
    seconds = sum(job.seconds(examples, folds_by_way.values()) for job in jobs)
    minutes = math.ceil(seconds / _SECONDS_OF_MINUTE)
    tell(f"{len(examples)} questions; about {minutes} minutes of training on {_device()}")
    done = [job.carry_out(examples, folds_by_way, out, tell) for job in jobs]
    if not any(adaptation.folder for adaptation in done):
        what = "no tuned model is better on what it has not seen, so none is written"
        raise QualityError(what, "adapt", "Write more questions, on more of the documents")
    return done


@dataclass(frozen=True)
class _Job:
    """A model to tune, with its judge."""

    kind: str
    model: str
    tuner: Tuner
    judge: Judge

    @classmethod
    def of(cls, kind: str, model: str, recipe: Recipe, index: Index, gold: Gold, examples: Sequence[Example]) -> _Job:
        judge: Judge
        tunable: Tunable
        if kind == ENCODER:
            tunable, judge = TunableEncoder(model, recipe), EncoderJudge(index, gold)
        else:
            tunable, judge = TunableReranker(model, recipe), RerankerJudge(index, gold)
        return cls(kind, model, Tuner.of(tunable, examples), judge)

    def seconds(self, examples: Sequence[Example], ways: Iterable[Sequence[Fold]]) -> float:
        trainings = [len(fold.learned) for folds in ways for fold in folds] + [len(examples)]
        return sum(map(self.tuner.model.recipe.steps, trainings)) * self.tuner.seconds

    def carry_out(
        self, examples: Sequence[Example], ways: Mapping[str, Sequence[Fold]], out: Path, tell: Callable[[str], None]
    ) -> Adaptation:
        """Judge, tune on all questions, and write the model if it is better."""
        before = self.judge.figures(self.model, range(len(examples)))
        gains: list[Way] = []
        scored: list[Scored] = []
        for left_out, folds in ways.items():
            if folds:
                tell(f"{self.kind}, {left_out} left out: {len(folds)} trainings")
                gain, scores = judge_folds(self.judge, self.tuner, examples, before, folds, tell)
                gains.append(Way(left_out, gain))
                scored += scores
        done = Adaptation(self.kind, self.model, self.judge.setting, self.judge.measured, tuple(gains))
        tell(done.to_markdown())
        if not done.is_better:
            tell(f"the tuned {self.kind} is not better and is not written")
            return done
        folder = out / self.kind
        line = calibration(scored) if scored else (1.0, 0.0)
        write_model(self.tuner.tune(examples), folder, calibration=line, card=_card(done))
        tell(f"written: {folder} ({self.judge.setting})")
        return replace(done, folder=folder)


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
