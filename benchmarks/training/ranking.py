r"""Train the ranking of chunks on questions with known sources, and check it on other sets.

    pip install -r benchmarks/training/requirements.txt
    python -m benchmarks.training.ranking --set hotpot=STORE,questions.jsonl \
        --set sap=STORE,questions.jsonl \
        --write graphrag_tasks/retrieval/ranker/ranking.json

A set is a store and questions about it; sets whose names begin alike up to a hyphen (`hotpot`, `hotpot-untitled`) are
of one family. Every family is ranked by trees that were grown on the other families alone, and every fifth of its
questions by trees that were grown on all but that fifth of each set; the figures are printed beside those of modes
`hybrid` and `graph`. Sets given by `--check` are judged too, and no tree is grown on them. `--without` names features
that the trees do not see, and `--folds` skips the families. Intervals are 95 %, of a paired bootstrap of the difference
from `hybrid`. Trees are grown by LightGBM, here only; what is written are their splits and leaves as text, which
`core.forest` reads. One thread and fixed seeds: the same input gives the same file.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray

from graphrag_tasks.core.forest import Forest
from graphrag_tasks.retrieval.graph.pinned import Graph
from graphrag_tasks.retrieval.question.query import Query
from graphrag_tasks.retrieval.question.query_encoder import embedder_of
from graphrag_tasks.retrieval.question.router import part_weights
from graphrag_tasks.retrieval.ranker.features import FEATURES, candidates, features, make_lists
from graphrag_tasks.retrieval.ranker.learned import blended, diversified
from graphrag_tasks.storage.artifacts import Rows
from graphrag_tasks.storage.snapshots.store import Store
from graphrag_tasks.workbench.evaluation import read_questions
from graphrag_tasks.workbench.evaluation.gold import all_gold_at_k, locate, paired_bootstrap, recall_at_k

ROUNDS = 120
PARAMETERS = {
    "objective": "lambdarank",
    "label_gain": [0, 1],
    "lambdarank_truncation_level": 15,
    "num_leaves": 7,
    "learning_rate": 0.05,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "seed": 0,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}
DIGITS = 6
FOLDS = 5
_DENSE, _BM25, _WALK = (FEATURES.index(name) for name in ("dense_z", "bm25_z", "walk"))


@dataclass(frozen=True)
class Item:
    """A question with its candidates.

    Attributes:
        columns: Features of the candidates.
        seen: The same as the trees see them.
        parts: What each part of the question makes of the candidates, shape (parts, candidates).
        weights: How much each part counts.
        alone: Documents for each chunk of the set's snapshot.
        documents: Of each candidate, its document.
        groups: Of each candidate, what is one place of a ranking: its chunk or its document.
        found: Of each candidate, the gold items that it holds.
        gold: Number of gold items.
    """

    columns: NDArray[np.float32]
    seen: NDArray[np.float32]
    parts: NDArray[np.float32]
    weights: tuple[float, ...]
    alone: float
    documents: Rows
    groups: tuple[str, ...]
    found: tuple[frozenset[int], ...]
    gold: int

    def figures(self, scores: NDArray[np.float32]) -> tuple[float, float]:
        """Return Recall@5 and all-gold@8 of the candidates ranked by scores."""
        order = np.argsort(-scores, kind="stable")
        places: dict[str, frozenset[int]] = {}
        for row in order:
            places.setdefault(self.groups[row], self.found[row])
        ranking = list(places.values())
        return recall_at_k(ranking, self.gold, 5), all_gold_at_k(ranking, self.gold, 8)


def read_items(store: str, questions: str, split: str | None = None) -> list[Item]:
    """Return the questions of a set, with the features of their candidates."""
    snapshot = Store(store).open()
    graph = Graph(snapshot)
    encoder = embedder_of(snapshot.manifest.embedding)
    asked = read_questions(questions, split=split)
    chunk_ids = graph.chunks.ids.to_pylist()
    items = []
    for target in locate(asked, snapshot).targets:
        query = Query(target.question.question, 10, encoder.encode, partial(_given, ()))
        lists = make_lists(graph, query)
        rows = candidates(graph, lists)
        groups = rows if target.by_chunk else graph.chunk_documents[rows]
        columns = features(graph, query, lists, rows)
        items.append(
            Item(
                columns=columns,
                seen=columns,
                parts=lists.walked.parts_of(rows),
                weights=part_weights(query.parts, graph.documents_per_chunk),
                alone=graph.documents_per_chunk,
                documents=graph.chunk_documents[rows],
                groups=tuple(map(str, groups)),
                found=tuple(target.items(chunk_ids[row]) for row in rows),
                gold=len(target.gold),
            )
        )
    return items


def _given(value: Any, _: str) -> Any:  # noqa: ANN401 - a vector, or no phrases
    return value


def fit(sets: Sequence[Sequence[Item]]) -> dict[str, Any]:
    """Grow trees on sets that weigh the same whatever their size; return what `Forest` reads."""
    rows = sum(len(item.found) for one in sets for item in one)
    items = [
        (item, rows / len(sets) / sum(len(other.found) for other in one))
        for one in sets
        for item in one
        if any(item.found)
    ]
    data = lightgbm.Dataset(
        np.concatenate([item.seen for item, _ in items]),
        label=np.concatenate([[bool(one) for one in item.found] for item, _ in items]),
        weight=np.concatenate([np.full(len(item.found), weight) for item, weight in items]),
        group=[len(item.found) for item, _ in items],
    )
    grown = lightgbm.train(PARAMETERS, data, ROUNDS).dump_model()
    trees = [_tree(info["tree_structure"]) for info in grown["tree_info"]]
    return {"features": list(FEATURES), "trees": trees}


def _tree(node: dict[str, Any]) -> Any:  # noqa: ANN401 - nested lists
    if "leaf_value" in node:
        return round(node["leaf_value"], DIGITS)
    return [node["split_feature"], node["threshold"], _tree(node["left_child"]), _tree(node["right_child"])]


def check(sets: Mapping[str, list[Item]], checked: Mapping[str, list[Item]], *, families: bool = True) -> None:
    """Print the figures of each set, ranked by trees that saw neither family nor questions."""
    print(f"{'set':20}{'ranked by':20}{'Recall@5':>10}{'all@8':>8}  less hybrid, 95 %")
    left_out = dict.fromkeys(map(_family, (*sets, *checked))) if families else {}
    without = {
        family: Forest.from_json(fit(rest))
        for family in left_out
        if (rest := [items for name, items in sets.items() if _family(name) != family])
    }
    folds = [
        Forest.from_json(fit([[one for place, one in _numbered(items) if place != fold] for items in sets.values()]))
        for fold in range(FOLDS)
    ]
    for name, items in {**sets, **checked}.items():
        ranked = {
            "hybrid": [item.columns[:, _DENSE] + item.columns[:, _BM25] for item in items],
            "graph": [item.columns[:, _WALK] for item in items],
        }
        if forest := without.get(_family(name)):
            ranked["family left out"] = [_ranked(forest, item) for item in items]
        if name in sets:
            ranked["questions left out"] = [_ranked(folds[fold], item) for fold, item in _numbered(items)]
        before: list[tuple[float, ...]] = []
        for way, scores in ranked.items():
            figures = [item.figures(own) for item, own in zip(items, scores, strict=True)]
            columns = list(zip(*figures, strict=True))
            before = before or columns
            gains = map(paired_bootstrap, columns, before)
            recall, complete = map(fmean, columns)
            intervals = ", ".join(f"{gain.low:+.3f} to {gain.high:+.3f}" for gain in gains)
            print(f"{name:20}{way:20}{recall:10.3f}{complete:8.3f}  {intervals}")


def _numbered(items: Sequence[Item]) -> list[tuple[int, Item]]:
    """Return each question with its fold, which is the same in all sets of a family."""
    return [(place % FOLDS, item) for place, item in enumerate(items)]


def _ranked(forest: Forest, item: Item) -> NDArray[np.float32]:
    ranked = blended(forest.scores(item.seen), item.columns, alone=item.alone)
    return diversified(ranked, item.parts, item.weights, item.documents)


def _family(name: str) -> str:
    return name.split("-")[0]


def _hidden(items: list[Item], names: Sequence[str]) -> list[Item]:
    """Return items of which the trees do not see some features: they are 0 everywhere."""
    shown = np.isin(FEATURES, names, invert=True)
    return [replace(item, seen=item.columns * shown) for item in items]


def _read_sets(given: Sequence[str]) -> dict[str, list[Item]]:
    named = (one.partition("=") for one in given)
    return {name: read_items(*places.split(",")) for name, _, places in named}


def main() -> None:
    """Check on families left out, and write the ranking if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    place = "NAME=STORE,QUESTIONS[,SPLIT]"
    parser.add_argument("--set", action="append", required=True, metavar=place)
    parser.add_argument("--check", action="append", default=[], metavar=place)
    parser.add_argument("--without", nargs="+", default=[], choices=FEATURES, metavar="FEATURE")
    parser.add_argument("--folds", action="store_true", help="leave out questions, no families")
    parser.add_argument("--write", type=Path, help="file that the ranking goes to")
    options = parser.parse_args()
    read = map(_read_sets, (options.set, options.check))
    sets, checked = ({name: _hidden(items, options.without) for name, items in some.items()} for some in read)
    check(sets, checked, families=not options.folds)
    if options.write:
        text = json.dumps(fit(list(sets.values())), separators=(",", ":"))
        options.write.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
