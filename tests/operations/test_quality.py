"""The gate before a publish: what counts as worse, and what is said of it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graphrag_tasks.core.config import QualityConfig
from graphrag_tasks.core.errors import QualityError
from graphrag_tasks.operations.quality import QualityGate, verdicts
from graphrag_tasks.storage.snapshots.store import Snapshot, Store
from tests.storage.snapshots.makers import staged

COUNTS = {
    "triples": 2000, "sentences_kept": 1000, "names": 50, "merges_same": 5,
    "orphan_share": 0.1, "largest_component_share": 0.8,
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path))


def snapshot(store: Store, name: str, quality: dict[str, float] | None, filled: Any = None, **counts: Any) -> Snapshot:
    folder, manifest = staged(
        store, name, now=datetime(2026, 1, 1, tzinfo=UTC), filled=filled,
        stats={"counts": COUNTS | counts, "quality": quality or {}},
    )  # fmt: skip
    return Snapshot.of(folder, manifest)


@pytest.mark.parametrize(
    ("counts", "named"),
    [
        ({"triples": 1390}, r"triples_per_sentence 2 to 1\.39 \(limit 1\.4\)"),
        ({"orphan_share": 0.21}, r"orphan_share 0\.1 to 0\.21 \(limit 0\.2\)"),
        ({"largest_component_share": 0.5}, r"largest_component_share 0\.8 to 0\.5 \(limit 0\.6\)"),
        ({"merges_same": 20}, r"merge_rate 0\.1 to 0\.4 \(limit 0\.2\)"),
    ],
)
def test_each_fall_is_refused_and_named(store: Store, counts: dict[str, Any], named: str) -> None:
    gate = QualityGate(QualityConfig())
    before = snapshot(store, "a", gate(snapshot(store, "first", None), None))
    with pytest.raises(QualityError, match=named):
        gate(snapshot(store, "b", None, **counts), before)


@pytest.mark.parametrize(
    "counts",
    [
        {"triples": 1410}, {"orphan_share": 0.19}, {"largest_component_share": 0.61}, {"merges_same": 9},
        {"triples": 9000}, {"orphan_share": 0.0}, {"merges_same": 0}, {"largest_component_share": 1.0},
    ],
)  # fmt: skip
def test_small_falls_and_any_gain_pass(store: Store, counts: dict[str, Any]) -> None:
    gate = QualityGate(QualityConfig())
    before = snapshot(store, "a", gate(snapshot(store, "first", None), None))
    assert gate(snapshot(store, "b", None, **counts), before)


def test_the_first_entities_are_compared_with_nothing(store: Store) -> None:
    gate = QualityGate(QualityConfig())
    empty = {"triples": 0, "names": 0, "orphan_share": 0.0, "largest_component_share": 0.0}
    before = snapshot(store, "a", gate(snapshot(store, "first", None, **empty), None), **empty)
    assert gate(snapshot(store, "b", None, orphan_share=1.0), before)["orphan_share"] == 1


def test_who_means_it_publishes_all_the_same(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    before = snapshot(store, "a", {"triples_per_sentence": 2.0})
    gate = QualityGate(QualityConfig(allow_drop=True))
    assert gate(snapshot(store, "b", None, triples=100), before)["triples_per_sentence"] == 0.1
    assert "triples_per_sentence 2 to 0.1" in caplog.text


def with_answers(store: Store, name: str, declined: int, told: int = 400) -> Snapshot:
    answers = [{"told": told, "adopted": told - declined}]
    reasons = [{"reason": ("direction", "tail")[number % 2]} for number in range(declined)]
    filled = {"answers": answers, "declined": reasons}
    return snapshot(store, name, None, filled=filled)


def test_a_model_whose_facts_hold_less_often_is_named_with_the_reasons(store: Store) -> None:
    gate = QualityGate(QualityConfig())
    measured = gate(with_answers(store, "a", declined=40), None)
    assert measured["adopted_share"] == 0.9
    assert (measured["declined_direction"], measured["declined_tail"]) == (0.05, 0.05)
    before = snapshot(store, "b", measured)
    with pytest.raises(QualityError, match=r"adopted_share 0\.9 to 0\.75 \(limit 0\.8\)"):
        gate(with_answers(store, "c", declined=100), before)
    assert "adopted_share" not in gate(with_answers(store, "d", declined=100, told=199), before)


@pytest.mark.parametrize(("after", "held"), [(0.9, True), (0.8, False)])
def test_a_fall_of_recall_has_a_limit(store: Store, after: float, held: bool) -> None:
    before = snapshot(store, "a", {"recall@5": 0.9}).manifest
    now = snapshot(store, "b", None).manifest
    (verdict,) = verdicts({"recall@5": after}, now, before, QualityConfig())
    assert (verdict.before, verdict.limit, verdict.held) == (0.9, 0.85, held)
