"""The weights of a chunk's score without a reranker, fitted on the SAP questions of dev and tune.

    python -m benchmarks.training.answers --store STORE --questions FILE...

A logistic regression with a small L2 penalty; prints JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.answer_sets import gold_spans
from graphrag_tasks.retrieval import Context, Index, open_index
from graphrag_tasks.workbench.evaluation import Question, read_questions

Floats = NDArray[np.float64]
_PENALTY = 30.0  # Chosen of 1, 10, 30 and 60, whose areas under the curve differ by .01 on other corpora.
_SPLITS = ("dev", "tune")


def fit(rows: Floats, labels: NDArray[np.bool_], weights: Floats) -> list[float]:
    """Return intercept and weights of a logistic regression, by the columns' own scales."""
    deviation = rows.std(axis=0) + 1e-9
    scaled = np.column_stack([np.ones(len(rows)), (rows - rows.mean(axis=0)) / deviation])
    signs = np.where(labels, 1.0, -1.0)

    def loss(beta: Floats) -> float:
        losses = np.logaddexp(0, -signs * (scaled @ beta))
        return float(weights @ losses + _PENALTY / 2 * (beta[1:] @ beta[1:]))

    beta = minimize(loss, np.zeros(scaled.shape[1]), method="L-BFGS-B").x
    slopes = beta[1:] / deviation
    return [float(beta[0] - slopes @ rows.mean(axis=0)), *slopes.tolist()]


def _contexts(store: str, files: Sequence[str]) -> Iterator[tuple[Index, Question, Context]]:
    index = open_index(store)
    for file in files:
        for question in read_questions(file):
            if question.split in _SPLITS:
                yield index, question, index.search(question.question)


def fit_chunks(store: str, files: Sequence[str]) -> dict[str, Any]:
    """Return the weights of cosine and coverage, and of coverage alone, over the first chunks."""
    rows: list[tuple[float, float]] = []
    labels: list[bool] = []
    for index, question, context in _contexts(store, files):
        spans = gold_spans(index, question.gold)
        for chunk in context.chunks:
            coverage = index.coverage(question.question, chunk.chunk_id)
            rows.append((chunk.similarity or 0.0, coverage))
            labels.append(any(span.overlaps(chunk) for span in spans))
    found, known = np.array(rows), np.array(labels)
    ones = np.ones(len(known))
    return {
        "cosine and coverage": fit(found, known, ones),
        "coverage": fit(found[:, 1:], known, ones),
        "chunks": len(known),
    }


def main() -> None:
    """Fit what is asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    parser.add_argument("--questions", nargs="*", default=[])
    given = parser.parse_args()
    print(json.dumps(fit_chunks(given.store, given.questions), indent=2))


if __name__ == "__main__":
    main()
