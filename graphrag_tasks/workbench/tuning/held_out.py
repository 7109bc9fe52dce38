"""Judge tuning on held-out questions, and on held-out folders of documents."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors.numpy import save_file
from scipy.optimize import minimize

from graphrag_tasks.embed.local import LocalEmbedder
from graphrag_tasks.embed.stage import text_below_headings
from graphrag_tasks.retrieval import Index
from graphrag_tasks.retrieval.modes.registry import AUTO
from graphrag_tasks.retrieval.reranker import forget_rerankers
from graphrag_tasks.retrieval.reranker.cross_encoder import CrossEncoder
from graphrag_tasks.storage.files import scratch
from graphrag_tasks.workbench.evaluation.gold import (
    Difference,
    Gold,
    Target,
    all_gold_at_k,
    paired_bootstrap,
    recall_at_k,
)
from graphrag_tasks.workbench.evaluation.report import ALL_GOLD_PLACES, evaluate_targets
from graphrag_tasks.workbench.tuning.learning import Bert, Example, Tuner

_ALSO = ("modules.json", "1_Pooling/config.json", "config_sentence_transformers.json")
"""Files of sentence-transformers about pooling and prompts."""


def write_model(bert: Bert, folder: Path, *, calibration: tuple[float, float] = (1.0, 0.0), card: str = "") -> None:
    """Write float16 weights with the other files of the original model.

    `calibration` turns a reranker's score into log-odds; `card` is the text of `README.md`.
    """
    folder.mkdir(parents=True)
    config = json.loads(bert.files.config.read_text("utf-8"))
    if bert.head:
        config["calibration"] = calibration
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")
    shutil.copy(bert.files.tokenizer, folder / "tokenizer.json")
    for name in _ALSO:
        if (there := bert.files.config.parent / name).is_file():
            (folder / name).parent.mkdir(exist_ok=True)
            shutil.copy(there, folder / name)
    save_file(bert.tensors(bert.parameters), folder / "model.safetensors")
    if card:
        (folder / "README.md").write_text(card, "utf-8")


@contextmanager
def written(bert: Bert) -> Iterator[Path]:
    """Yield a temporary folder with a tuned model."""
    with scratch() as place:
        folder = place / "model"
        write_model(bert, folder)
        yield folder


METRICS = ("recall@5", "all_gold@8")
_PLACES = 5
_FEWEST_OF_FOLDER = 5
"""Places of `recall@5`, and fewest questions of a held-out folder: with fewer, a share says too little."""
_CALIBRATED = 20  # passages of a question that calibration looks at: as many as are read again


class Figures(NamedTuple):
    """Recall@5 and all-gold@8 of one question."""

    recall: float
    complete: float


class Scored(NamedTuple):
    """A reranker's score of a passage, and whether that holds an answer."""

    score: float
    is_answer: bool


class Fold(NamedTuple):
    """Indexes of the questions to learn from, and of those to judge."""

    learned: tuple[int, ...]
    judged: tuple[int, ...]


@dataclass(frozen=True)
class Gain:
    """Means of `METRICS` before and after, and the differences with 95 % intervals."""

    questions: int
    before: Figures
    after: Figures
    differences: tuple[Difference, Difference]

    @classmethod
    def of(cls, before: Sequence[Figures], after: Sequence[Figures]) -> Gain:
        """Compare the figures of the same questions."""
        columns = list(zip(zip(*before, strict=True), zip(*after, strict=True), strict=True))
        recall, complete = (paired_bootstrap(new, old) for old, new in columns)
        return cls(len(before), _means(before), _means(after), (recall, complete))


def question_folds(examples: Sequence[Example], number: int, seed: int) -> list[Fold]:
    """Return folds that hold out each question once."""
    order = list(range(len(examples)))
    random.Random(seed).shuffle(order)  # noqa: S311 - sampling, no secret
    return [_fold(order, set(order[start::number])) for start in range(number)]


def folder_folds(examples: Sequence[Example], number: int) -> list[Fold]:
    """Return folds that each hold out all questions of a folder, for the largest folders."""
    by_folder: dict[str, set[int]] = {}
    for place, example in enumerate(examples):
        by_folder.setdefault(example.folder, set()).add(place)
    if len(by_folder) == 1:
        return []
    largest = sorted(by_folder.values(), key=lambda places: (-len(places), min(places)))[:number]
    everyone = range(len(examples))
    return [_fold(everyone, places) for places in largest if len(places) >= _FEWEST_OF_FOLDER]


class RerankerJudge:
    """Judges a reranker by the whole search, as `retrieval.rerank` configures it."""

    setting = "retrieval.rerank.model"
    measured = "search"

    def __init__(self, index: Index, gold: Gold) -> None:
        self._index, self._gold = index, gold

    def figures(self, model: str | Path, places: Sequence[int]) -> list[Figures]:
        """Return the figures of the questions at these indexes."""
        settings = self._index.config
        rerank = settings.rerank.model_copy(update={"model": str(model)})
        config = settings.model_copy(update={"rerank": rerank})
        index = Index(self._index.snapshot, config=config)
        targets = tuple(self._gold.targets[place] for place in places)
        report = evaluate_targets(index, replace(self._gold, targets=targets), mode=AUTO)
        forget_rerankers()
        return [Figures(*(result.metrics[name] for name in METRICS)) for result in report.results]

    def scores(self, model: str | Path, examples: Sequence[Example]) -> Iterator[Scored]:
        """Yield scores of passages that hold an answer and of others, to calibrate on."""
        reader = CrossEncoder(model)
        for example in examples:
            gold = [passages[0] for passages in example.gold]
            passages = [*gold, *example.others[: _CALIBRATED - len(gold)]]
            scores = reader.scores(example.question, passages).tolist()
            yield from (Scored(score, place < len(gold)) for place, score in enumerate(scores))


class EncoderJudge:
    """Judges an encoder by dense retrieval over all chunks, which it embeds."""

    setting = "embed.model"
    measured = "dense retrieval"

    def __init__(self, index: Index, gold: Gold) -> None:
        self._gold = gold
        self._max_tokens = int(index.snapshot.manifest.embedding["max_tokens"])
        rows = index.snapshot.table("chunks", ["chunk_id", "heading_path", "text"]).to_pylist()
        self._ids = [str(row["chunk_id"]) for row in rows]
        self._texts = [text_below_headings(row["heading_path"], row["text"]) for row in rows]

    def figures(self, model: str | Path, places: Sequence[int]) -> list[Figures]:
        """Return the figures of the questions at these indexes."""
        encoder = LocalEmbedder(model, max_tokens=self._max_tokens)
        vectors = encoder.encode_detailed(self._texts).vectors
        targets = [self._gold.targets[place] for place in places]
        asked = encoder.encode([target.question.question for target in targets])
        orders = np.argsort(-(asked @ vectors.T), axis=1, kind="stable")
        return [self._of(target, order) for target, order in zip(targets, orders.tolist(), strict=True)]

    def scores(self, _: str | Path, __: Sequence[Example]) -> Iterator[Scored]:
        """Yield nothing: cosines are not calibrated."""
        return iter(())

    def _of(self, target: Target, order: Sequence[int]) -> Figures:
        found: dict[str, frozenset[int]] = {}
        for row in order:
            chunk = self._ids[row]
            label = self._gold.labels[chunk]
            found.setdefault(chunk if target.by_chunk else label.rpartition(":")[0], target.items(chunk))
            if len(found) == ALL_GOLD_PLACES:
                break
        ranking, gold = list(found.values()), len(target.gold)
        recall = recall_at_k(ranking, gold, _PLACES)
        return Figures(recall, all_gold_at_k(ranking, gold, ALL_GOLD_PLACES))


Judge = RerankerJudge | EncoderJudge


def judge_folds(
    judge: Judge,
    tuner: Tuner,
    examples: Sequence[Example],
    before: Sequence[Figures],
    folds: Sequence[Fold],
    tell: Callable[[str], None],
) -> tuple[Gain, list[Scored]]:
    """Tune once for each fold and judge its held-out questions.

    Returns the gain, and scores for a reranker's calibration.
    """
    old: list[Figures] = []
    new: list[Figures] = []
    scored: list[Scored] = []
    for place, fold in enumerate(folds, 1):
        tuned = tuner.tune([examples[one] for one in fold.learned])
        with written(tuned) as folder:
            after = judge.figures(folder, fold.judged)
            scored += judge.scores(folder, [examples[one] for one in fold.judged])
        old += [before[one] for one in fold.judged]
        new += after
        gain = Gain.of(old, new)
        risen = f"{gain.before.recall:.3f} → {gain.after.recall:.3f}"
        tell(f"{place} of {len(folds)}: Recall@5 {risen}")
    return Gain.of(old, new), scored


def calibration(scored: Sequence[Scored]) -> tuple[float, float]:
    """Return slope and intercept that turn scores into log-odds (Platt scaling).

    Platt, "Probabilistic Outputs for Support Vector Machines", 1999.
    """
    scores, answers = (np.array(column, dtype=np.float64) for column in zip(*scored, strict=True))

    def loss(line: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        odds = line[0] * scores + line[1]
        return float(np.mean(np.logaddexp(0, odds) - answers * odds))

    slope, intercept = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    return round(float(slope), 3), round(float(intercept), 3)


def _fold(order: Sequence[int], judged: set[int]) -> Fold:
    learned = tuple(place for place in order if place not in judged)
    return Fold(learned, tuple(sorted(judged)))


def _means(figures: Sequence[Figures]) -> Figures:
    return Figures(*(sum(column) / len(figures) for column in zip(*figures, strict=True)))
