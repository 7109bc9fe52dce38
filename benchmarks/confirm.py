"""What a confirmer that knows the truth adds to the rules of entity resolution, on labelled pairs.

Names that are near by their vectors are candidates; the labels answer for those they know, and leave the others open.
Prints recall and precision of the rules alone and with the confirmer: how much a perfect model could gain, not how much
a real one does.

    python -m benchmarks.confirm --store STORE --corpus sap --split test
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.scoring.entities import LabelledPair, PairReport, report_of
from graphrag_tasks.core.config import EmbedConfig, LanguageConfig, ResolveConfig
from graphrag_tasks.embed.stage import make_embedder
from graphrag_tasks.entities.resolve import resolve
from graphrag_tasks.entities.resolve.candidates import Name
from graphrag_tasks.entities.resolve.stage import SAME, UNSURE
from graphrag_tasks.language.names import entity_key
from graphrag_tasks.storage.snapshots.store import Snapshot, Store
from graphrag_tasks.workbench.evaluation.questions import read_values

_READ = ("triples", "entity_dictionary", "surface_forms", "names", "sentences", "cells")
_GOLD = Path(__file__).with_name("gold") / "entity_pairs.jsonl"


class Oracle:
    """Knows labelled pairs and what the rules are sure of, and counts what it is asked."""

    fingerprint = "oracle"

    def __init__(self, pairs: Sequence[LabelledPair], decided: pa.Table) -> None:
        self._same = {
            frozenset((row["left"], row["right"])): row["verdict"] == SAME
            for row in decided.to_pylist()
            if row["verdict"] != UNSURE
        } | {frozenset((entity_key(one.left), entity_key(one.right))): one.same for one in pairs}
        self.asked = 0

    def confirm(self, pairs: Sequence[tuple[Name, Name]], _contexts: Mapping[str, Sequence[str]]) -> list[bool | None]:
        """Return the label of each pair; None where there is none."""
        self.asked += len(pairs)
        return [self._same.get(frozenset((left.key, right.key))) for left, right in pairs]


def main() -> None:
    """Resolve the names of a snapshot without and with the confirmer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    parser.add_argument("--gold", default=str(_GOLD))
    parser.add_argument("--corpus", default="sap")
    parser.add_argument("--split", default="test")
    options = parser.parse_args()
    pairs = [
        pair
        for _, pair in read_values(options.gold, LabelledPair)
        if (pair.corpus, pair.split) == (options.corpus, options.split)
    ]
    tables = _tables(Store(options.store).open())
    resolved = partial(resolve, *tables, config=ResolveConfig(), language=LanguageConfig())
    by_rules = resolved().collected()
    oracle = Oracle(pairs, by_rules.tables["merges"])
    embedder = make_embedder(EmbedConfig())
    found = {
        "rules": _judged(pairs, by_rules),
        "confirmer": _judged(pairs, resolved(confirmer=oracle, name_vectors=embedder).collected()),
    }
    print(json.dumps({**found, "pairs_asked": oracle.asked}, indent=2))


def _tables(snapshot: Snapshot) -> list[pa.Table]:
    return [snapshot.table(name) for name in _READ]


def _judged(pairs: Sequence[LabelledPair], result: Any) -> dict[str, float | int | None]:  # noqa: ANN401
    resolved = result.tables["resolved"]
    ids = dict(zip(resolved["key"].to_pylist(), resolved["entity_id"].to_pylist(), strict=True))
    report: PairReport = report_of(pairs, ids)
    return {"pairs": report.pairs, "recall": report.recall, "precision": report.precision}


if __name__ == "__main__":
    main()
