"""Why questions fail, on a chain of entities: seed - one hop - two hops, and one apart."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from graphrag_tasks.core.schemas import CLUSTER_TABLES, empty
from graphrag_tasks.language.times import TIME_COLUMNS
from graphrag_tasks.retrieval import Context, EntityHit
from graphrag_tasks.retrieval.graph.name_graph import NameGraph
from graphrag_tasks.storage.snapshots.store import Snapshot
from graphrag_tasks.workbench.evaluation import Question
from graphrag_tasks.workbench.evaluation.failures import GraphReach, NameReach, reason
from graphrag_tasks.workbench.evaluation.gold import Target

ENTITIES = ["seed", "near", "far", "apart"]
CHUNKS = ["of-seed", "of-near", "of-far", "of-apart", "linking", "of-none"]
RELATIONS = [("seed-near", "seed", "near"), ("near-far", "near", "far")]


def vectors(ids: list[str]) -> pa.Table:
    values = pa.array([[1.0, 0.0]] * len(ids), pa.list_(pa.float32(), 2))
    return pa.table({"id": ids, "vector": values})


@pytest.fixture
def snapshot() -> Snapshot:
    tables = {
        "chunks": pa.table({"chunk_id": CHUNKS}),
        "entities": pa.table({"entity_id": ENTITIES}),
        "relations": pa.Table.from_pylist(
            [dict(zip(("relation_id", "head_id", "tail_id"), one, strict=True))
             for one in RELATIONS]),
        "mentions": pa.table({"entity_id": ENTITIES, "chunk_id": CHUNKS[:4]}),
        "sentences": pa.table({"sentence_id": ["s"]}),
        "evidence": pa.table({"relation_id": ["seed-near"], "sentence_id": ["s"],
                              **dict.fromkeys(TIME_COLUMNS, pa.nulls(1, pa.string())),
                              "chunk_id": ["linking"], "confidence": [1.0]}),
        "chunk_vectors": vectors(CHUNKS),
        "entity_vectors": vectors(ENTITIES),
        "relation_vectors": vectors([one[0] for one in RELATIONS]),
        **{name: empty(name) for name in CLUSTER_TABLES},
    }  # fmt: skip

    def table(name: str, columns: list[str] | None = None) -> pa.Table:
        return tables[name].select(columns) if columns else tables[name]

    manifest = SimpleNamespace(embedding={"dimension": 2}, tables={})
    folder = SimpleNamespace(uri="store")
    return cast("Snapshot", SimpleNamespace(table=table, manifest=manifest, folder=folder))


def context(*seeds: str, question: str = "?") -> Context:
    entities = tuple(
        EntityHit(rank=rank, entity_id=one, name=one, type=None, score=0.0, found_by="",
                  example=None)
        for rank, one in enumerate(seeds, 1)
    )  # fmt: skip
    return Context(question=question, mode="paper", k=5, snapshot_id="", chunks=(), relations=(),
                   entities=entities)  # fmt: skip


def target(*chunks: str) -> Target:
    question = Question(id="q", question="?", gold_ids=chunks)
    return Target(question, by_chunk=True, gold=chunks,
                  chunks=tuple(frozenset([one]) for one in chunks), places=())  # fmt: skip


@pytest.mark.parametrize(
    ("chunk", "expected"),
    [
        ("of-seed", "ranking"),
        ("linking", "ranking"),
        ("of-near", "missing_link"),
        ("of-far", "missing_link"),
        ("of-apart", "no_seed"),
        ("of-none", "no_seed"),
    ],
)
def test_reasons(snapshot: Snapshot, chunk: str, expected: str) -> None:
    reach = GraphReach(snapshot, hops=1)
    assert reason(target(chunk), frozenset([0]), context("seed"), reach) == expected


def test_names_lead_from_the_question_to_chunks() -> None:
    held = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 2), (3, 3)]
    weights = sparse.csr_matrix((np.ones(len(held)), tuple(np.array(held).T)), shape=(4, 4))
    keys = {"paris": 0, "louvre": 1, "mona lisa": 2, "oslo": 3}
    names = cast("NameGraph", SimpleNamespace(keys=keys, weights=weights))
    reach = NameReach(names, ["paris", "louvre", "lisa", "oslo"], hops=2)
    asked = context(question="Who smiles in Paris?")
    assert reach.distances(asked) == {"paris": 1, "louvre": 2, "lisa": 3}
    assert reach.distances(context(question="who smiles?")) == {}
    reasons = [reason(target(one), frozenset([0]), asked, reach) for one in ("louvre", "lisa", "oslo")]
    assert reasons == ["ranking", "missing_link", "no_seed"]
