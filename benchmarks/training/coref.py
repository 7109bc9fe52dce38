"""Train the ranking of antecedents on GAP's development set, and cross-validate it.

    pip install -r benchmarks/training/requirements.txt
    python -m benchmarks.training.coref --gap gap-development.tsv \
        --write graphrag_tasks/extract/coref/ranking.json

Trees are grown by LightGBM, here only; what is written are their splits and leaves as text, which
`graphrag_tasks.extract.coref.ranking` reads. Cross-validation has five folds; pages are never split
over them. One thread and fixed seeds: the same input gives the same file.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from benchmarks.scoring.coref import GapExample, GapPrediction, GapSnippet, parse_gap, read_gap, score_gap
from graphrag_tasks.extract.coref.features import Candidate, candidates_in
from graphrag_tasks.extract.coref.ranking import (
    DECIMALS,
    Ranking,
    Tree,
    Trees,
    chain_features,
    first_pass,
    rank_antecedents,
)
from graphrag_tasks.extract.coref.section import Pronoun

FOLDS = 5
PARAMETERS = {
    "objective": "binary",
    "num_leaves": 16,
    "learning_rate": 0.03,
    "min_child_samples": 30,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 3,
    "seed": 0,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}
ROUNDS_ALONE, ROUNDS_CHAINED = 100, 300

Row = dict[str, float]


@dataclass(frozen=True)
class Item:
    """An example with its text's candidates, which no fold changes."""

    example: GapExample
    snippet: GapSnippet
    found: dict[Pronoun, list[Candidate]]

    @property
    def fold(self) -> int:
        """The fold that the page belongs to."""
        return int(hashlib.sha256(self.example.url.encode()).hexdigest(), 16) % FOLDS

    @property
    def asked(self) -> list[Candidate]:
        """Candidates of the pronoun that is asked for."""
        pronoun = self.snippet.pronoun
        return self.found[pronoun] if pronoun else []

    def labels(self) -> list[bool | None]:
        """Return for each candidate whether it is the antecedent; None where GAP does not say."""
        names = (self.example.a, self.example.b)
        known = any(name.is_antecedent for name in names)
        labels: list[bool | None] = []
        for one in self.asked:
            named = [name for name in names if self.snippet.names_entity(name, one.entity)]
            right = any(name.is_antecedent for name in named)
            labels.append(right if known or named else None)
        return labels


def read_items(path: Path, *, titled: bool) -> list[Item]:
    """Parse all examples and find the candidates of all their pronouns."""
    examples = read_gap(path)
    return [
        Item(example, snippet, candidates_in(snippet.section))
        for example, snippet in zip(examples, parse_gap(examples, titled=titled), strict=True)
    ]  # fmt: skip


def fit(items: Sequence[Item]) -> Ranking:
    """Grow the trees of both passes."""
    alone = _grow(items, [[one.values for one in item.asked] for item in items], ROUNDS_ALONE)
    chained = [_chained_rows(item, alone) for item in items]
    return Ranking(alone, _grow(items, chained, ROUNDS_CHAINED))


def _chained_rows(item: Item, alone: Trees) -> list[Row]:
    pronoun = item.snippet.pronoun
    if not pronoun:
        return []
    chains = chain_features(pronoun, item.asked, first_pass(item.found, alone))
    return [one.values | chain for one, chain in zip(item.asked, chains, strict=True)]


def _grow(items: Sequence[Item], rows: Sequence[Sequence[Row]], rounds: int) -> Trees:
    known = [
        (row, label)
        for item, item_rows in zip(items, rows, strict=True)
        for row, label in zip(item_rows, item.labels(), strict=True)
        if label is not None
    ]
    names = sorted(known[0][0])
    matrix = np.array([[row[name] for name in names] for row, _ in known])
    labels = np.array([label for _, label in known], dtype=float)
    data = lightgbm.Dataset(matrix, labels, feature_name=names)
    booster = lightgbm.train(PARAMETERS, data, rounds)
    dumped = booster.dump_model()["tree_info"]
    return Trees(tuple(names), tuple(_tree(one["tree_structure"]) for one in dumped))


def _tree(node: dict[str, Any]) -> Tree:
    """Return a node of LightGBM's dump as `graphrag_tasks.extract.coref.ranking` reads it."""
    if "leaf_value" in node:
        return float(round(node["leaf_value"], DECIMALS))
    return [node["split_feature"], node["threshold"], _tree(node["left_child"]), _tree(node["right_child"])]


def cross_validate(items: Sequence[Item]) -> list[tuple[GapPrediction, float]]:
    """Predict each page's examples by trees that were grown on the other folds."""
    found = []
    for fold in range(FOLDS):
        ranking = fit([item for item in items if item.fold != fold])
        found += [_predict(item, ranking) for item in items if item.fold == fold]
    return found


def _predict(item: Item, ranking: Ranking) -> tuple[GapPrediction, float]:
    choices = rank_antecedents(item.snippet.section, ranking)
    choice = choices.get(item.snippet.pronoun) if item.snippet.pronoun else None
    if choice is None:
        return GapPrediction(item.example.id, False, False), 0.0
    a, b = (item.snippet.names_entity(name, choice.entity) for name in (item.example.a, item.example.b))
    return GapPrediction(item.example.id, a, b), choice.probability


def precision_by_recall(
    items: Sequence[Item], predictions: Sequence[tuple[GapPrediction, float]]
) -> list[dict[str, float]]:
    """Return precision of the surest choices, by the share of pronouns that they resolve.

    A choice of a name that is neither A nor B is wrong where one of them is the antecedent, and not counted where none
    is, since GAP does not say what the pronoun stands for.
    """
    truths = {item.example.id: item.example for item in items}
    judged: list[tuple[float, bool]] = []
    for said, probability in predictions:
        a, b = truths[said.id].a, truths[said.id].b
        if said.a or said.b or a.is_antecedent or b.is_antecedent:
            right = (said.a and a.is_antecedent) or (said.b and b.is_antecedent)
            judged.append((probability, right))
    judged.sort(reverse=True)
    table = []
    for share in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        kept = judged[: round(share * len(judged))]
        precision = sum(right for _, right in kept) / len(kept)
        table.append({"share": share, "precision": precision, "threshold": kept[-1][0]})
    return table


def main() -> None:
    """Cross-validate, print the figures, and write the ranking if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--gap", type=Path, required=True, help="gap-development.tsv")
    parser.add_argument("--write", type=Path, help="file that the ranking goes to")
    parser.add_argument("--untitled", action="store_true", help="do not tell the page's title")
    options = parser.parse_args()
    items = read_items(options.gap, titled=not options.untitled)
    predictions = cross_validate(items)
    report = score_gap([one.example for one in items], [said for said, _ in predictions])
    print(json.dumps(report.to_dict(), indent=2))
    for row in precision_by_recall(items, predictions):
        print("share {share:.1f}  precision {precision:.3f}  threshold {threshold:.3f}".format(**row))
    if options.write:
        ranking = fit(items)
        both = {"alone": ranking.alone.to_json(), "chained": ranking.chained.to_json()}
        options.write.write_text(json.dumps(both, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
