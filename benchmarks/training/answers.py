"""The weights of answers: of the verdict, of a chunk's score without a reranker, of sentences.

    python -m benchmarks.training.answers verdict --stores FOLDER
    python -m benchmarks.training.answers chunks --store STORE --questions FILE...
    python -m benchmarks.training.answers sentences --store STORE --questions FILE...

`--stores` holds an index of each corpus of `benchmarks/fetch_corpora.sh` under its name; the
questions of the split `fitted` of `benchmarks/gold/answer_questions.jsonl` are asked, those with an
answer once more without the documents that hold it. The others are fitted on the splits dev and
tune of the SAP questions. All are logistic regressions with a small L2 penalty; prints JSON.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.answer_sets import AnswerQuestion, gold_spans, read_answer_questions
from graphrag_tasks.answering.sentences import candidates_of
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval import Context, Index, open_index
from graphrag_tasks.retrieval.context.signals import Signals
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.workbench.evaluation import Question, read_questions

Floats = NDArray[np.float64]
_PENALTY = 30.0
"""Chosen of 1, 10, 30 and 60, whose areas under the curve differ by .01 on other corpora."""
_PERCENTILES = {"not here": 2, "uncertain": 20}
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


def signals_of(
    index: Index, question: AnswerQuestion, *, without: Sequence[str] = ()
) -> list[float] | None:
    """Return the signals of the verdict; `without` has paths of documents that are left out."""
    filters = {"path": [path for path in index_paths(index) if path not in without]}
    context = index.search(question.question, filters=filters if without else None)
    return _row(context.signals)


def index_paths(index: Index) -> list[str]:
    """Return the path of each document."""
    paths: list[str] = index.snapshot.table("documents", ["path"])["path"].to_pylist()
    return paths


def _row(signals: Signals) -> list[float] | None:
    if signals.read is None:
        return None
    read = signals.read
    name = float(bool(signals.unknown_names))
    return [read.log_odds, read.margin, read.cosine, read.coverage, name]


def fit_verdict(stores: Path) -> dict[str, Any]:
    """Return the weights, and percentiles of the answerable questions by corpus.

    Each corpus and each kind of question counts the same.
    """
    rows: list[list[float]] = []
    labels: list[bool] = []
    groups: list[tuple[str, bool]] = []
    questions = read_answer_questions("fitted")
    for corpus in sorted({one.corpus for one in questions}):
        index = open_index(stores / corpus)
        for question in (one for one in questions if one.corpus == corpus):
            answerable = question.kind != "unanswerable"
            asked = [(answerable, signals_of(index, question))]
            if question.kind == "single":
                paths = [span.path for gold in question.gold for span in gold.spans()]
                asked.append((False, signals_of(index, question, without=paths)))
            for label, row in asked:
                if row is not None:
                    rows.append(row)
                    labels.append(label)
                    groups.append((corpus, label))
    sizes = np.array([groups.count(group) for group in groups])
    weights = len(groups) / len(set(groups)) / sizes
    found, known = np.array(rows), np.array(labels)
    beta = fit(found, known, weights)
    scores = beta[0] + found @ np.array(beta[1:])
    lowest = {
        name: min(
            np.percentile([s for s, of in zip(scores, groups, strict=True) if of == group], share)
            for group in sorted(set(groups)) if group[1]
        )
        for name, share in _PERCENTILES.items()
    }  # fmt: skip
    names = ("intercept", "log-odds", "margin", "cosine", "coverage", "unknown name")
    return {"weights": dict(zip(names, beta, strict=True)), "lowest percentiles": lowest}


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


def fit_sentences(store: str, files: Sequence[str]) -> dict[str, Any]:
    """Return the weights of a sentence: cosine, chunk, opening, new terms, reranker."""
    rows: list[tuple[float, ...]] = []
    labels: list[bool] = []
    for index, question, context in _contexts(store, files):
        spans = gold_spans(index, question.gold)
        asked = frozenset(terms(question.question))
        candidates = candidates_of(index, context.chunks)
        if not candidates:
            continue
        texts = [one.sentence.text for one in candidates]
        vectors = index.encode([question.question, *texts])
        headings = [" > ".join(context.chunks[one.chunk].heading_path) for one in candidates]
        reread = index.rerank_scores(question.question, list(map(Passage, headings, texts)))
        for one, vector, read in zip(candidates, vectors[1:], reread, strict=True):
            score = context.chunks[one.chunk].score
            new = math.log1p(len(one.terms - asked))
            cosine = float(vector @ vectors[0])
            log_odds = math.log(score / (1 - score))
            rows.append((cosine, log_odds, float(one.position == 0), new, float(read)))
            labels.append(any(span.overlaps(one.sentence) for span in spans))
    found, known = np.array(rows), np.array(labels)
    names = ("intercept", "cosine", "chunk", "opening", "new terms", "reread")
    return dict(zip(names, fit(found, known, np.ones(len(known))), strict=True))


def main() -> None:
    """Fit what is asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("verdict", "chunks", "sentences"))
    parser.add_argument("--stores", type=Path)
    parser.add_argument("--store")
    parser.add_argument("--questions", nargs="*", default=[])
    given = parser.parse_args()
    if given.what == "verdict":
        found = fit_verdict(given.stores)
    elif given.what == "chunks":
        found = fit_chunks(given.store, given.questions)
    else:
        found = fit_sentences(given.store, given.questions)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
