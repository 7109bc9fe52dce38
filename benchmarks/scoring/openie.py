"""Open information extraction scored against gold tuples, as CaRB defines it.

CaRB: A Crowdsourced Benchmark for Open IE (Bhardwaj, Aggarwal and Mausam, EMNLP 2019). A gold tuple and a predicted one
are compared word by word, in three slots: predicate, first argument, all further arguments together. Precision takes
the best one-to-one assignment of predictions to gold tuples, recall lets one prediction cover several gold tuples.
These are the settings that published figures use (ClausIE .450, OpenIE 5 .467, OpenIE6 .527 F1 on the test set).
"""

from __future__ import annotations

import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict

from graphrag_tasks.core.errors import ConfigError
from graphrag_tasks.workbench.evaluation.questions import read_values, text_lines

_BE = frozenset({"be", "is", "am", "are", "was", "were", "been", "being"})
_SPEECH = ("said", "told", "added", "adds", "says")
"""After these, "X said Y" and "Y, X said" are one: the arguments match in either order."""
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


@dataclass(frozen=True, slots=True)
class OpenTuple:
    """One tuple: a predicate and its arguments, tokens separated by spaces.

    Attributes:
        predicate: Words of the predicate.
        arguments: Arguments, the first one (usually the subject) first.
        confidence: How sure the system is; 1 for gold.
    """

    predicate: str
    arguments: tuple[str, ...]
    confidence: float = 1.0


Tuples = Mapping[str, Sequence[OpenTuple]]  # Tuples by sentence.


@dataclass(frozen=True, slots=True)
class OpenIEReport:
    """Scores at the confidence threshold with the best F1, and the area under the curve.

    Attributes:
        precision: Mean precision of the predictions, at the threshold.
        recall: Mean recall of the gold tuples, at the threshold.
        f1: Their harmonic mean.
        auc: Area under the precision-recall curve over all thresholds, closed by (0, 1). Not a goal: systems that give
            all tuples one confidence get more.
        threshold: Least confidence that is kept at the best point.
        sentences: Sentences with gold tuples.
        gold: Gold tuples.
        predicted: Predicted tuples of these sentences, of any confidence.
    """

    precision: float
    recall: float
    f1: float
    auc: float
    threshold: float
    sentences: int
    gold: int
    predicted: int

    def to_dict(self) -> dict[str, Any]:
        """Return it for JSON."""
        return asdict(self)


class _GoldLine(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)

    sentence: str
    predicate: str
    args: list[str]


def read_gold(path: str | Path) -> dict[str, list[OpenTuple]]:
    """Return the gold tuples of a file by sentence, in the order of the file.

    Args:
        path: CaRB's tab-separated form (sentence, predicate, arguments) if it ends in ".tsv", else JSON lines with
            `sentence`, `predicate` and `args`. Arguments marked "C: " (who said it) are left out, as in the official
            reader.
    """
    if Path(path).suffix == ".tsv":
        lines = _tab_separated(path)
    else:
        values = (value for _, value in read_values(path, _GoldLine))
        lines = ((value.sentence, value.predicate, value.args) for value in values)
    gold: dict[str, list[OpenTuple]] = {}
    for sentence, predicate, arguments in lines:
        kept = tuple(argument.strip() for argument in arguments if "C: " not in argument)
        gold.setdefault(sentence.strip(), []).append(OpenTuple(predicate.strip(), kept))
    return gold


def tuples_of_rows(rows: Iterable[str]) -> dict[str, list[OpenTuple]]:
    """Return predictions by sentence from rows of `tsv`."""
    predicted: dict[str, list[OpenTuple]] = {}
    for row in rows:
        sentence, confidence, predicate, *arguments = row.split("\t")
        one = OpenTuple(predicate, tuple(arguments), float(confidence))
        predicted.setdefault(sentence, []).append(one)
    return predicted


def match(gold: OpenTuple, predicted: OpenTuple) -> tuple[float, float]:
    """Return the precision and recall of a predicted tuple's words against one gold tuple.

    Words are compared as they stand, each at most once, slot by slot. Tuples whose predicates share no word do not
    match at all. A predicted "be" matches any of its forms. A prediction with fewer slots than the gold tuple does not
    match.
    """
    slots = _slots(gold.arguments)
    scores = _match_slots(gold.predicate, slots, predicted.predicate, _slots(predicted.arguments))
    if any(word in gold.predicate for word in _SPEECH):
        turned = _slots(predicted.arguments)[::-1]
        scores = max(scores, _match_slots(gold.predicate, slots, predicted.predicate, turned))
    return scores


def score(gold: Tuples, predicted: Tuples) -> OpenIEReport:
    """Return the scores of predictions against gold tuples.

    Args:
        gold: Gold tuples. Sentences without any are not scored.
        predicted: Predictions. Sentences are compared without spaces, punctuation and bracket escapes.
    """
    wanted = {_key(sentence): list(tuples) for sentence, tuples in gold.items() if tuples}
    found = {_key(sentence): list(tuples) for sentence, tuples in predicted.items()}
    pairs = [(tuples, found.get(key, [])) for key, tuples in wanted.items()]
    thresholds = sorted({one.confidence for _, guesses in pairs for one in guesses})
    precision, recall = _curve(pairs, thresholds)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-12)
    best = int(np.argmax(f1)) if thresholds else None
    return OpenIEReport(
        precision=0.0 if best is None else float(precision[best]),
        recall=0.0 if best is None else float(recall[best]),
        f1=0.0 if best is None else float(f1[best]),
        auc=_area(precision, recall),
        threshold=0.0 if best is None else thresholds[best],
        sentences=len(pairs),
        gold=sum(len(tuples) for tuples, _ in pairs),
        predicted=sum(len(guesses) for _, guesses in pairs),
    )


def assign(scores: Sequence[Sequence[tuple[float, float]]]) -> dict[int, int]:
    """Return which gold tuple each prediction is assigned to, best precision first.

    Args:
        scores: `match` of each gold tuple (rows) with each prediction (columns).

    Returns:
        Row by column, each at most once; ties go to the first row, then to the first column.
    """
    cells = sorted((-pair[0], row, column) for row, pairs in enumerate(scores) for column, pair in enumerate(pairs))
    rows: set[int] = set()
    assigned: dict[int, int] = {}
    for _, row, column in cells:
        if row not in rows and column not in assigned:
            rows.add(row)
            assigned[column] = row
    return assigned


def _tab_separated(path: str | Path) -> Iterable[tuple[str, str, list[str]]]:
    for number, line in text_lines(path):
        sentence, _, rest = line.partition("\t")
        predicate, *arguments = rest.split("\t")
        if not predicate.strip():
            raise ConfigError("is not sentence, predicate and arguments, separated by tabs", f"{path}, line {number}")
        yield sentence, predicate, arguments


def _slots(arguments: Sequence[str]) -> tuple[str, ...]:
    if len(arguments) < 2:
        return tuple(arguments)
    return arguments[0], " ".join(arguments[1:])


def _match_slots(
    gold_predicate: str, gold: Sequence[str], predicate: str, predicted: Sequence[str]
) -> tuple[float, float]:
    shared = _shared_predicate_words(gold_predicate.split(), predicate.split())
    if not shared or len(predicted) < min(len(gold), 2):
        return 0.0, 0.0
    predicted_words, gold_words = len(predicate.split()), len(gold_predicate.split())
    for wanted, found in zip(gold, predicted, strict=False):
        predicted_words += len(found.split())
        gold_words += len(wanted.split())
        shared += (Counter(wanted.split()) & Counter(found.split())).total()
    return shared / predicted_words, shared / gold_words


def _shared_predicate_words(gold: Sequence[str], predicted: Sequence[str]) -> int:
    common = Counter(gold) & Counter(predicted)
    left_over = Counter(predicted) - common
    return common.total() + bool(left_over["be"] and _BE.intersection(gold))


def _curve(
    pairs: Sequence[tuple[Sequence[OpenTuple], Sequence[OpenTuple]]], thresholds: Sequence[float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return precision and recall over all sentences when tuples below a threshold are dropped."""
    place = {threshold: number for number, threshold in enumerate(thresholds)}
    right, covered, kept = (np.zeros(len(thresholds)) for _ in range(3))
    for gold, guesses in pairs:
        scores = [[match(one, guess) for guess in guesses] for one in gold]
        begin = 0
        for threshold in sorted({guess.confidence for guess in guesses}):
            columns = [n for n, guess in enumerate(guesses) if guess.confidence >= threshold]
            rows = [[row[column] for column in columns] for row in scores]
            steps = slice(begin, place[threshold] + 1)
            right[steps] += sum(rows[row][column][0] for column, row in assign(rows).items())
            covered[steps] += sum(max(recall for _, recall in row) for row in rows)
            kept[steps] += len(columns)
            begin = place[threshold] + 1
    return right / np.maximum(kept, 1), covered / max(sum(len(gold) for gold, _ in pairs), 1)


def _area(precision: np.ndarray, recall: np.ndarray) -> float:
    heights, places = np.append(precision, 1.0), np.append(recall, 0.0)
    return float(np.sum((heights[1:] + heights[:-1]) / 2 * (places[:-1] - places[1:])))


def _key(sentence: str) -> str:
    for escape, bracket in _BRACKETS.items():
        sentence = sentence.replace(escape, bracket)
    return sentence.replace(" ", "").translate(_NO_PUNCTUATION)
