"""A rebuild takes what was answered, and what was given up, and needs no endpoint."""

from pathlib import Path

import pytest

from graphrag_tasks.core.config import Config, load_config
from graphrag_tasks.operations.runner import run_index
from graphrag_tasks.storage.snapshots.store import Store
from tests.llm.endpoint import scripted
from tests.llm.test_runs import TEXT

FAULTS = ("error", "cut", "page", "prose", "refusal", "length")
AWAY = "http://127.0.0.1:9/v1"


def configured(folder: Path, url: str) -> Config:
    llm = {
        "base_url": url, "provider": "scripted", "model": "m",
        "prices": {"m": {"input": 1, "output": 2}},
    }  # fmt: skip
    given = {
        "store": str(folder / "store"), "sources": [str(folder / "docs")], "llm": llm,
        "load": {"vector_store": "none"}, "communities": {"summarizer": "llm"},
        "extract": {"extractor": "llm", "llm": {"max_failed_share": 0.9}},
    }  # fmt: skip
    return load_config(None, overrides=given)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_after_faults_a_rebuild_without_the_endpoint_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr("graphrag_tasks.llm.sender.ATTEMPTS", 9)
    (tmp_path / "docs").mkdir()
    for letter in "abcdefghijkl":
        text = TEXT.replace("ledger", f"ledger{letter}")
        (tmp_path / "docs" / f"{letter}.md").write_text(text)
    with scripted(faults=0.15, kinds=FAULTS, seed=seed) as endpoint:
        first = run_index(configured(tmp_path, endpoint.url), workers=1).manifest.snapshot_id
        assert endpoint.faulty
    store = Store(str(tmp_path / "store"))
    store.folder.delete("CURRENT")
    (store.folder / "snapshots").delete()
    again = run_index(configured(tmp_path, AWAY), workers=1).manifest.snapshot_id
    assert again == first
