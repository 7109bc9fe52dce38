"""Labelled pairs: what is merged rightly, wrongly and not at all."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from benchmarks.scoring.entities import evaluate_entities
from graphrag_tasks.core.errors import ConfigError


class Resolved:
    """Stands in for a snapshot that has one table."""

    def __init__(self, **entity_of: str) -> None:
        self._entity_of = {key.replace("_", " "): value for key, value in entity_of.items()}

    def table(self, name: str, columns: list[str]) -> pa.Table:
        assert (name, columns) == ("resolved", ["key", "entity_id"])
        keys, ids = zip(*self._entity_of.items(), strict=True)
        return pa.table({"key": list(keys), "entity_id": list(ids)})


SNAPSHOT: Any = Resolved(tables="t", table="t", VBBE="a", vbbs="b", cat="c", dog="c", vbbe="a",
                         mouse="m", mice="n")  # fmt: skip


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    pairs = [
        ("table", "Tables", True), ("VBBE", "VBBS", False), ("cat", "dog", False),
        ("mouse", "mice", True), ("cat", "unheard of", True),
    ]  # fmt: skip
    rows = [
        {"left": left, "right": right, "same": same, "corpus": "c", "split": "dev"}
        for left, right, same in pairs
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_pairs_are_judged_by_the_entities_of_their_names(gold: Path) -> None:
    report = evaluate_entities(gold, SNAPSHOT)
    assert (report.pairs, report.absent) == (4, 1)
    assert (report.precision, report.recall, report.apart) == (0.5, 0.5, 0.5)
    assert report.wrong == [("cat", "dog")]
    assert report.missed == [("mouse", "mice")]


def test_a_split_that_is_not_there_is_named(gold: Path) -> None:
    with pytest.raises(ConfigError, match="no pair of corpus None and split test"):
        evaluate_entities(gold, SNAPSHOT, split="test")
