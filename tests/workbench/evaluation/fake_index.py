"""An index that answers from a list, over documents given as their chunks' texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

import pyarrow as pa

from graphrag_tasks.core.schemas import BLOCK_SEPARATOR
from graphrag_tasks.retrieval import ChunkHit, Context, Index
from graphrag_tasks.storage.snapshots.store import Snapshot


def snapshot_of(corpus: dict[str, list[str]]) -> Snapshot:
    """Return documents by path, each block a chunk: chunk `path/2` is the third."""
    documents, blocks, chunks = [], [], []
    for path, texts in corpus.items():
        name = f"id-{path}"
        documents.append({"document_id": name, "path": path, "uri": f"source/{path}"})
        start = 0
        for place, text in enumerate(texts):
            end = start + len(text)
            blocks.append({"document_id": name, "ordinal": place, "text": text})
            chunks.append({"chunk_id": f"{path}/{place}", "document_id": name, "char_start": start, "char_end": end})
            start = end + len(BLOCK_SEPARATOR)
    tables = {"documents": documents, "blocks": blocks[::-1], "chunks": chunks}
    return cast(
        "Snapshot",
        SimpleNamespace(
            snapshot_id="snap", table=lambda name, columns: pa.Table.from_pylist(tables[name]).select(columns)
        ),
    )


@dataclass
class FakeIndex:
    """Answers every question with the chunks listed for it.

    Attributes:
        answers: Chunk ids, best first, by question.
        snapshot: The snapshot.
        asked: How many chunks each search wanted.
    """

    answers: dict[str, list[str]]
    snapshot: Snapshot
    asked: list[int] = field(default_factory=list)

    def search(self, question: str, mode: str, k: int, *, rerank: int | None) -> Context:
        self.asked.append(k)
        chunks = tuple(
            ChunkHit(rank=rank, chunk_id=one, text="", score=0.0, ranking_score=0.0,
                     similarity=0.0, ranks={}, document_id=f"id-{one.rpartition('/')[0]}",
                     uri="", title="", page_start=None,
                     page_end=None, heading_path=(), path=(), char_start=0, char_end=0)
            for rank, one in enumerate(self.answers[question][:k], 1)
        )  # fmt: skip
        return Context(question=question, mode=mode, k=k, snapshot_id="snap", chunks=chunks, relations=(), entities=())


def fake_index(answers: dict[str, list[str]], corpus: dict[str, list[str]]) -> Index:
    return cast("Index", FakeIndex(answers, snapshot_of(corpus)))
