"""Learn the weights of `extract.dependency.confidence` from gold tuples and labelled facts.

A row that a frame gives is right when CaRB's one-to-one assignment gives it a gold tuple that holds at least half of
its words. Figures are of ten-fold cross-validation by sentence; the weights that are written are learned on all of
them. Rules that CaRB does not show, and patterns, keep the weights that they had. How sure a triple of a frame is, is
learned by `benchmarks.training.facts`.

    pip install -r benchmarks/training/requirements.txt
    python -m benchmarks.training.confidence --carb gold.jsonl
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.scoring.openie import assign, match, read_gold, tuples_of_rows
from benchmarks.scoring.tsv import frames_to_tsv_rows
from graphrag_tasks.extract.dependency import confidence
from graphrag_tasks.extract.dependency.confidence import load_weights
from graphrag_tasks.extract.dependency.extractor import DependencyExtractor

RIGHT = 0.5  # Share of a tuple's words that its gold tuple must hold.
FOLDS = 10
STRENGTH = 0.6
"""Inverse strength of the L1 penalty, which keeps the features few: the best Brier score of .15, .3, .6 and 1.5."""
MIN_ROWS = 12  # Rows that a feature must apply to.

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """Training rows: feature names, whether each is right, and the number of its sentence."""

    features: list[frozenset[str]]
    right: NDArray[np.bool_]
    sentence: NDArray[np.int64]


def read_rows(path: Path) -> Rows:
    """Extract from the gold sentences and judge each row."""
    gold = read_gold(path)
    features, right, sentences = [], [], []
    extracted = DependencyExtractor().extract(list(gold), tokenized=True)
    for number, (sentence, frames) in enumerate(zip(gold, extracted, strict=True)):
        rows = [(frame, row) for frame in frames for row in frames_to_tsv_rows(sentence, [frame])]
        found = [one for row in rows for one in tuples_of_rows([row[1]])[sentence]]
        scores = [[match(wanted, one) for one in found] for wanted in gold[sentence]]
        assigned = assign(scores)
        for column, (frame, _) in enumerate(rows):
            names = confidence.features(frame, words=len(sentence.split()), frames=len(frames))
            features.append(frozenset(names))
            row = assigned.get(column)
            right.append(row is not None and scores[row][column][0] >= RIGHT)
            sentences.append(number)
    return Rows(features, np.array(right), np.array(sentences))


def fit(rows: Rows, chosen: NDArray[np.bool_]) -> tuple[float, dict[str, float]]:
    """Return intercept and weights learned on the chosen rows."""
    from sklearn.linear_model import LogisticRegression

    names = sorted(frozenset().union(*rows.features))
    table = np.array([[name in one for name in names] for one in rows.features], float)[chosen]
    kept = table.sum(axis=0) >= MIN_ROWS
    model = LogisticRegression(l1_ratio=1.0, solver="liblinear", C=STRENGTH, random_state=0)
    model.fit(table[:, kept], rows.right[chosen])
    learned = zip(np.array(names)[kept].tolist(), model.coef_[0].tolist(), strict=True)
    weights = {name: round(weight, 3) for name, weight in learned if abs(weight) >= 0.001}
    return round(float(model.intercept_[0]), 3), weights


def predict(rows: Rows, intercept: float, weights: dict[str, float]) -> Floats:
    """Return the probability of each row."""
    odds = [intercept + sum(weights.get(name, 0.0) for name in one) for one in rows.features]
    return np.asarray(1 / (1 + np.exp(-np.array(odds, np.float64))))


def cross_validated(rows: Rows) -> Floats:
    """Return each row's probability by weights learned without its fold of sentences."""
    sentences = np.unique(rows.sentence)
    fold = np.zeros(sentences.max() + 1, int)
    fold[sentences] = np.random.default_rng(0).permutation(len(sentences)) % FOLDS
    guessed = np.zeros(len(rows.right))
    for number in range(FOLDS):
        held_out = fold[rows.sentence] == number
        guessed[held_out] = predict(rows, *fit(rows, ~held_out))[held_out]
    return guessed


def reliability(guessed: Floats, right: NDArray[np.bool_]) -> list[tuple[float, float, int]]:
    """Return mean confidence, share right and number of rows for each tenth of confidence."""
    band = np.minimum((guessed * 10).astype(int), 9)
    groups = [band == number for number in range(10)]
    return [(float(guessed[one].mean()), float(right[one].mean()), int(one.sum())) for one in groups if one.any()]


def figures(guessed: Floats, right: NDArray[np.bool_]) -> dict[str, Any]:
    """Return what tells how good the probabilities are."""
    bands = reliability(guessed, right)
    best = np.argsort(-guessed, kind="stable")[: len(right) // 10]
    return {
        "rows": len(right),
        "share_right": float(right.mean()),
        "brier": float(np.mean((guessed - right) ** 2)),
        "brier_of_the_mean": float(right.mean() * (1 - right.mean())),
        "expected_calibration_error": sum(abs(g - r) * n for g, r, n in bands) / len(right),
        "correlation": float(np.corrcoef(guessed, right)[0, 1]),
        "precision_of_the_most_confident_tenth": float(right[best].mean()),
        "bands": bands,
    }


def diagram(bands: list[tuple[float, float, int]]) -> str:
    """Return the reliability diagram as SVG; a dot's area grows with its number of rows."""
    size, margin = 320, 45
    total = sum(number for _, _, number in bands)

    def at(x: float, y: float) -> tuple[float, float]:
        return margin + x * size, margin / 2 + (1 - y) * size

    parts = [
        f'<rect x="{margin}" y="{margin / 2}" width="{size}" height="{size}" fill="none" stroke="#888"/>',
        f'<line x1="{margin}" y1="{margin / 2 + size}" x2="{margin + size}" y2="{margin / 2}" '
        'stroke="#888" stroke-dasharray="4"/>',
    ]
    for mean, share, number in bands:
        x, y = at(mean, share)
        radius = 3 + 22 * (number / total) ** 0.5
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#2a6fbb99"/>')
    for tick in (0, 0.5, 1):
        (x, low), (left, y) = at(tick, 0), at(0, tick)
        parts.append(f'<text x="{x}" y="{low + 16}" text-anchor="middle">{tick}</text>')
        parts.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{tick}</text>')
    x, low = at(0.5, 0)
    parts.append(f'<text x="{x}" y="{low + 34}" text-anchor="middle">confidence</text>')
    parts.append(f'<text x="{margin + 8}" y="{margin / 2 + 18}">share that is right</text>')
    width, height = size + margin + 15, size + 1.5 * margin
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
    style = 'font-family="sans-serif" font-size="12"'
    white = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([f"{head} {style}>", white, *parts, "</svg>"]) + "\n"


def main() -> None:
    """Learn, write the weights and the diagram, and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--carb", type=Path, required=True, help="CaRB's development set")
    parser.add_argument("--diagram", type=Path, help="file for the reliability diagram")
    options = parser.parse_args()
    rows = read_rows(options.carb)
    measured: dict[str, Any] = {"carb": figures(cross_validated(rows), rows.right)}
    intercept, weights = fit(rows, np.ones(len(rows.right), bool))
    before = load_weights()
    seen = frozenset().union(*rows.features)
    kept = {name: weight for name, weight in before.features.items() if name.startswith("rule ") and name not in seen}
    _write({"intercept": intercept, "features": weights | kept, "patterns": before.patterns})
    if options.diagram:
        options.diagram.write_text(diagram(measured["carb"]["bands"]), "utf-8")
    print(json.dumps(measured | {"features": len(weights)}, indent=2))


def _write(learned: Mapping[str, Any]) -> None:
    """Write the weights, and let this process use them."""
    path = Path(confidence.__file__).with_name(confidence.WEIGHTS_FILE)
    plain = {**learned, "patterns": dict(learned["patterns"])}
    path.write_text(json.dumps(plain, indent=2) + "\n", "utf-8")
    load_weights.cache_clear()


if __name__ == "__main__":
    main()
