"""What a run tells to StatsD, by the lines that a UDP port got."""

from collections import defaultdict

import pytest

from tests.platform.conftest import Told

pytestmark = pytest.mark.platform

Figures = dict[tuple[str, str], list[float]]


@pytest.fixture(scope="module")
def figures(told: Told) -> Figures:
    """Values by name and kind, in the order in which they came."""
    found = defaultdict(list)
    for line in told.lines:
        name, _, rest = line.partition(":")
        value, _, kind = rest.partition("|")
        if name.startswith("airflow.graphrag."):
            found[name.removeprefix("airflow."), kind].append(float(value))
    return found


def test_documents_and_failures_are_counted(figures: Figures) -> None:
    # the second run takes three documents over, and tries the one that failed again
    assert sum(figures["graphrag.parse.documents", "c"]) == 5
    assert sum(figures["graphrag.parse.documents_failed", "c"]) == 2
    assert sum(figures["graphrag.parse.reused", "c"]) == 3
    assert len(figures["graphrag.parse.duration", "ms"]) == 5
    assert all(one > 0 for one in figures["graphrag.parse.documents_per_second", "g"])


def test_facts_are_counted(figures: Figures) -> None:
    facts = sum(figures["graphrag.extract.facts", "c"])
    assert facts >= 2
    assert max(figures["graphrag.extract.facts_per_second", "g"]) > 0


def test_every_stage_tells_time_rows_and_memory(figures: Figures) -> None:
    for stage in ("plan", "chunk", "merge_shards", "relationships", "communities", "embed", "load"):
        assert sum(figures[f"graphrag.{stage}.duration", "ms"]) > 0, stage
        assert sum(figures[f"graphrag.{stage}.rows", "c"]) > 0, stage
        assert figures[f"graphrag.{stage}.peak_memory_bytes", "g"][0] > 50_000_000, stage


def test_money_is_told(figures: Figures) -> None:
    spent = figures["graphrag.llm.usd", "g"]
    assert spent[0] == 0
    assert spent[-1] > 0
    assert sum(figures["graphrag.ask.requests", "c"]) > 0


def test_what_is_published_is_told(figures: Figures) -> None:
    assert figures["graphrag.snapshot.documents", "g"] == [4, 4]
    assert figures["graphrag.snapshot.documents_failed", "g"] == [1, 1]
    assert figures["graphrag.snapshot.relations", "g"][0] >= 2
    assert figures["graphrag.publish.changed", "c"] == [1, 1]
