"""Figures of a run, from receipts."""

from dataclasses import replace

from graphrag_tasks.operations.metrics import Figure, stage_figures
from graphrag_tasks.storage.artifacts import Receipt, Table

TABLES = {"triples": Table(6, "a" * 64), "frames": Table(4, "b" * 64)}
DONE = Receipt("extract", "run", "f", TABLES, {}, seconds=1.5, peak_memory_bytes=7)
REUSED = replace(DONE, reused=True)


def test_figures_of_documents_and_facts_are_of_what_was_done() -> None:
    told = stage_figures("extract", [DONE, REUSED, replace(DONE, seconds=0.5)], [3, 10, 5])
    assert {one.name: one.value for one in told} == {
        "graphrag.extract.reused": 1,
        "graphrag.extract.duration": 0.5,
        "graphrag.extract.rows": 20,
        "graphrag.extract.peak_memory_bytes": 7,
        "graphrag.extract.documents": 8,
        "graphrag.extract.documents_per_second": 4,
        "graphrag.extract.facts": 12,
        "graphrag.extract.facts_per_second": 6,
    }


def test_failed_documents_and_requests_are_counted() -> None:
    (failed,) = [one for one in stage_figures("parse", [replace(DONE, stats={"failed": 2})], [3])
                 if one.name.endswith("failed")]  # fmt: skip
    assert failed == Figure("graphrag.parse.documents_failed", "counter", 2)
    asked = stage_figures("ask", [replace(DONE, stats={"requests": 5})])
    assert Figure("graphrag.ask.requests", "counter", 5) in asked
