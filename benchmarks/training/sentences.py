"""Gather sentences for `training.sentence_reader`, and fit the weights of sentences and verdict.

    python -m benchmarks.training.sentences prepare --stores FOLDER --sap STORE --data DATA
    python -m benchmarks.training.sentences weights --data DATA --read FOLDER/read.npy

`--stores` holds an index of each corpus of `benchmarks/fetch_corpora.sh` under its name, and beside it
`NAME.made.jsonl`, made questions (800, of SAP 1,500; of their rules those for headings are left,
`workbench.evaluation.made`). The others are those of `benchmarks/gold` with sentences as gold. For the weights each
corpus was read by a model that had not seen it.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.answer_sets import gold_places, read_answer_questions
from benchmarks.training.answers import fit
from benchmarks.training.sentence_reader import NEVER, rows_of_questions
from graphrag_tasks.language.bm25 import terms
from graphrag_tasks.retrieval import Index, open_index
from graphrag_tasks.retrieval.reranker import Passage
from graphrag_tasks.retrieval.reranker.cross_encoder import CrossEncoder
from graphrag_tasks.workbench.evaluation import GoldSpan, read_questions

GOLD = Path(__file__).parents[1] / "gold"
CORPORA = (
    "gnucash", "gimp", "grass", "hugin", "lilypond", "postgresql", "handbook", "libreoffice",
)  # fmt: skip
SAP_FILES = tuple(f"sap{part}_questions" for part in ("", "_tuning", "_heldout", "_fresh"))
CHUNKS, FEWEST_WORDS = 8, 3
MADE = 0.5  # Weight of a made question.


@dataclass(frozen=True)
class Asked:
    """A question with where its gold stands; `kind` is unanswerable where it has none."""

    corpus: str
    split: str
    kind: str
    question: str
    gold: tuple[GoldSpan, ...]
    weight: float


def asked_of(corpus: str, made: Path) -> Iterator[Asked]:
    """Yield the questions of a corpus, by people and then made ones."""
    for one in read_answer_questions():
        if one.corpus == corpus and one.kind in ("single", "listing", "unanswerable"):
            kind = one.why or one.kind
            yield Asked(corpus, one.split, kind, one.question, one.gold, 1.0)
    if corpus == "sap":
        for file in SAP_FILES:
            for row in read_questions(GOLD / f"{file}.jsonl"):
                yield Asked(corpus, row.split, row.type, row.question, tuple(row.gold), 1.0)
    if corpus not in NEVER:
        for row in read_questions(made):
            if row.type in ("single", "multi_hop", "unanswerable"):
                yield Asked(corpus, "made", row.type, row.question, tuple(row.gold), MADE)


def rows_of(index: Index, encoder: CrossEncoder, number: int, one: Asked) -> list[dict[str, Any]]:
    """Return a row for each sentence of the first chunks of a question."""
    context = index.search(one.question, k=CHUNKS)
    places = [place for gold in one.gold for place in gold_places(index, gold)]
    asked = frozenset(terms(one.question))
    rows, passages = [], []
    for chunk in context.chunks:
        for position, source in enumerate(index.sentences(chunk.chunk_id)):
            is_gold = any(place.overlaps(source) for place in places)
            if len(source.text.split()) < FEWEST_WORDS and not is_gold:
                continue
            own = frozenset(terms(source.text))
            score = min(max(chunk.score, 1e-4), 1 - 1e-4)
            read = context.signals.read
            rows.append(
                {
                    "question": number, "corpus": one.corpus, "split": one.split, "kind": one.kind,
                    "weight": one.weight, "gold": is_gold, "chunk": math.log(score / (1 - score)),
                    "opening": position == 0, "shared": len(own & asked) / max(len(asked), 1),
                    "new": math.log1p(len(own - asked)),
                    "cosine": read.cosine if read else 0.0,
                    "coverage": read.coverage if read else 0.0,
                    "unknown": bool(context.signals.unknown_names),
                }
            )  # fmt: skip
            passages.append(Passage(" > ".join(chunk.heading_path), source.text))
    length, inputs = encoder.inputs(one.question, passages)
    return [row | {"tokens": read, "asked": length} for row, read in zip(rows, inputs, strict=True)]


def prepare(stores: Path, sap: str, data: Path) -> None:
    """Write the sentences of all questions, with tokens and signals, as one archive."""
    encoder = CrossEncoder()
    rows: list[dict[str, Any]] = []
    number = 0
    for corpus in (*CORPORA, "sap"):
        index = open_index(sap if corpus == "sap" else stores / corpus)
        for one in asked_of(corpus, stores / f"{corpus}.made.jsonl"):
            rows += rows_of(index, encoder, number, one)
            number += 1
    tokens = [np.array(row.pop("tokens"), np.uint16) for row in rows]
    ends = np.cumsum([len(one) for one in tokens])
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    _save(data, {"tokens": np.concatenate(tokens), "ends": ends, **columns})


def _save(file: Path, arrays: dict[str, Any]) -> None:
    np.savez_compressed(file, **arrays)


def weights(data: Path, read_by: Path) -> None:
    """Print the weights of a sentence's score, and of the verdict, by corpora left out."""
    archive = dict(np.load(data))
    read = np.load(read_by)
    never = np.isin(archive["corpus"], NEVER) | np.isin(archive["split"], NEVER)
    fitted = ~never & (archive["split"] != "made")
    single = fitted & (archive["kind"] == "single")
    names = ("chunk", "opening", "shared")
    columns = np.column_stack([read, *(archive[name] for name in names)]).astype(float)
    count = np.bincount(archive["question"])[archive["question"][single]]
    of_sentence = fit(columns[single], archive["gold"][single], 50.0 / count)
    print("sentence:", dict(zip(("intercept", "reader", *names), of_sentence, strict=True)))
    rows, labels, groups = [], [], []
    for one in rows_of_questions(archive["question"]).values():
        kind = str(archive["kind"][one[0]])
        if fitted[one[0]] and kind not in ("listing", "multi_hop"):
            signals = (float(archive[name][one[0]]) for name in ("cosine", "coverage", "unknown"))
            rows.append([float(read[one].max()), *signals])
            labels.append(kind == "single")
            groups.append((str(archive["corpus"][one[0]]), kind == "single"))
    sizes = np.array([groups.count(group) for group in groups])
    of_verdict = fit(np.array(rows), np.array(labels), len(sizes) / len(set(groups)) / sizes)
    kinds = ("intercept", "sentence", "cosine", "coverage", "unknown name")
    print("verdict:", dict(zip(kinds, of_verdict, strict=True)))


def main() -> None:
    """Do the step that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("prepare", "weights"))
    parser.add_argument("--stores", type=Path)
    parser.add_argument("--sap")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--read", type=Path)
    given = parser.parse_args()
    if given.step == "prepare":
        prepare(given.stores, given.sap, given.data)
    else:
        weights(given.data, given.read)


if __name__ == "__main__":
    main()
