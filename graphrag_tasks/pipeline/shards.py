"""The stages that see the documents of one shard, each with the tables it reads.

Stages are imported when they run: a task of one stage pays for no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.extract.coref.protocol import load_resolver
from graphrag_tasks.pipeline.state import RunState
from graphrag_tasks.sources.listing import SourceReader
from graphrag_tasks.storage.artifacts import Folder


def _parse(state: RunState, _: Folder, shard: int) -> StageResult:
    from graphrag_tasks.parse import parse

    rows = state.shard_rows(shard)
    fetch = SourceReader(state.roots, rows).fetch
    return parse(rows, config=state.config.parse, fetch=fetch)


def _chunk(state: RunState, folder: Folder, _: int) -> StageResult:
    from graphrag_tasks.chunk import chunk

    return chunk(
        folder.read_table("documents", ["document_id", "uri", "source", "path"]),
        folder.read_table("blocks"),
        config=state.config.chunk,
    )


def _filter_sentences(state: RunState, folder: Folder, _: int) -> StageResult:
    from graphrag_tasks.chunk.filter_sentences import filter_sentences

    return filter_sentences(
        folder.read_table("documents", ["document_id", "language"]),
        folder.read_table("blocks"),
        folder.read_table("cells"),
        folder.read_table("chunks"),
        config=state.config.sentences,
    )


def _extract(state: RunState, folder: Folder, _: int) -> StageResult:
    from graphrag_tasks.extract import ParseRecorder, extract, make_extractor, resolve_mentions

    config, recorder = state.config.extract, ParseRecorder()
    extractor = make_extractor(config, on_parse=recorder.record)
    cells, sentences = folder.read_table("cells"), folder.read_table("sentences")
    return resolve_mentions(
        extract(
            folder.read_table("blocks"),
            cells,
            sentences,
            extractor=extractor,
            config=config,
        ),
        folder.read_table("documents", ["document_id", "title"]),
        folder.read_table("chunks", ["chunk_id", "heading_path"]),
        sentences,
        cells=cells,
        parses=recorder.parses,
        linear=config.linear,
        resolver=load_resolver(config.coref),
        min_confidence=config.coref_min_confidence,
    )


ShardStage = Callable[[RunState, Folder, int], StageResult]
"""A stage on the tables of one shard: the run, the shard's folder and its number."""

SHARD_STAGES: Mapping[str, ShardStage] = MappingProxyType(
    {
        "parse": _parse,
        "chunk": _chunk,
        "filter_sentences": _filter_sentences,
        "extract": _extract,
    }
)
"""Stages that see the documents of one shard, in order."""
