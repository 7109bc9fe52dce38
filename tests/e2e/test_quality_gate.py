"""The gate in whole runs: a worse snapshot is not published, and the work for it is kept."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from graphrag_tasks.core.errors import QualityError
from graphrag_tasks.pipeline import Published
from graphrag_tasks.storage.snapshots.store import Store

Indexer = Callable[..., Published]


def test_fewer_triples_are_refused_and_then_meant(
    index: Indexer, indexed: Published, corpus: Path, tmp_path: Path, worked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphrag_tasks.operations.quality._FEWEST_SENTENCES", 0)
    for file in corpus.iterdir():
        file.write_text("It rains. It rained. It will rain.\n")
    with pytest.raises(QualityError, match=r"triples_per_sentence .* to 0"):
        index()
    store = Store(str(tmp_path / "store"))
    assert store.current_id() == indexed.manifest.snapshot_id
    worked.clear()
    meant = index(quality={"allow_drop": True})
    assert (meant.changed, worked) == (True, [])  # the refused run's work is published
    assert store.current_id() == meant.manifest.snapshot_id
    assert meant.manifest.stats["quality"]["triples_per_sentence"] == 0


def test_questions_are_asked_of_the_snapshot_to_be(index: Indexer, corpus: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.jsonl"
    asked = {
        "id": "q1", "question": "What replaced VBBS?", "answer": "VBBE", "type": "single", "gold_ids": ["tables.md"],
    }  # fmt: skip
    questions.write_text(json.dumps(asked) + "\n")
    setting = {"questions": str(questions)}
    figures = index(quality=setting | {"answers": True}).manifest.stats["quality"]
    assert figures["recall@5"] == figures["coverage"] == figures["citation_recall"] == 1.0
    (corpus / "tables.md").write_text("Nothing of what was asked about stands here.\n")
    for number in range(6):
        (corpus / f"{number}.md").write_text(f"Which table {number} replaced VBBS is told here.\n")
    with pytest.raises(QualityError, match=r"recall@5 1 to 0 \(limit 0\.95\)"):
        index(quality=setting)
    with pytest.raises(QualityError, match=r"coverage 1 to 0 \(limit 0\.95\)"):
        index(quality=setting | {"answers": True})
