"""The ask stage: a language model reads windows of sentences; its replies are kept unchanged.

One task asks for all shards, so limits and budget need no coordination, and equal requests are sent once. `adopt`
judges the answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from graphrag_tasks.core import schemas
from graphrag_tasks.core.config import ExtractConfig
from graphrag_tasks.core.stage import StageResult, stage, table
from graphrag_tasks.extract.llm.reader import Reader, Reply
from graphrag_tasks.extract.llm.requests import packs_of
from graphrag_tasks.extract.llm.windows import windows_of
from graphrag_tasks.llm import Answer, Failure


@stage(
    per="shard",
    reads=(
        table("documents", "document_id", "path"),
        table("blocks"),
        table("cells"),
        table("chunks", "chunk_id", "heading_path"),
        table("sentences"),
        table("triples"),
    ),
    makes=("windows", "replies"),
    settings={"config": "extract"},
    given=("reader",),
)
def ask(
    documents: pa.Table,
    blocks: pa.Table,
    cells: pa.Table,
    chunks: pa.Table,
    sentences: pa.Table,
    triples: pa.Table,
    *,
    config: ExtractConfig,
    reader: Reader,
) -> StageResult:
    """Ask a language model for the facts in windows of sentences.

    Returns:
        `windows`: what is read; `replies`: one row for each request, answered or not.
    """
    tables = (documents, blocks, cells, chunks, sentences, triples)
    windows = windows_of(*tables, config=config)
    packs = packs_of(documents, chunks, sentences, windows, config.llm)
    replies = reader.read(packs)
    by_status = Counter[str]()
    for reply in replies:
        by_status[f"windows_{reply.status}"] += len(reply.pack.windows)
    return StageResult(
        {"windows": windows, "replies": replies_table(replies, reader)},
        {"requests": len(replies), "windows": windows.num_rows, **by_status},
    )


def replies_table(replies: Iterable[Reply], reader: Reader) -> pa.Table:
    """Return replies as rows of `schemas.REPLIES`."""
    rows = [_row(reply, reader) for reply in replies]
    return pa.Table.from_pylist(rows, schema=schemas.REPLIES)


def _row(reply: Reply, reader: Reader) -> dict[str, Any]:
    result = reply.result
    answer = result if isinstance(result, Answer) else None
    why = result.why if isinstance(result, Failure) else ""
    return {
        "request_key": reader.key(reply.pack),
        "document_id": reply.pack.document_id,
        "windows": [
            {"window_id": window.window_id, "sentence_ids": [key for key, _ in window.sentences]}
            for window in reply.pack.windows
        ],
        "sentence_ids": reply.pack.sentence_ids,
        "status": reply.status,
        "provider": reader.identity.provider,
        "model": answer.model if answer else reader.identity.model,
        "prompt_tokens": answer.usage.prompt_tokens if answer else 0,
        "completion_tokens": answer.usage.completion_tokens if answer else 0,
        "text": answer.text if answer else why,
    }
