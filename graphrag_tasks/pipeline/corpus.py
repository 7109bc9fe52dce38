"""The stages that see the whole corpus, each with the tables it reads.

Stages are imported when they run: a task of one stage pays for no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import pyarrow as pa

from graphrag_tasks.core.stage import StageResult
from graphrag_tasks.pipeline import reuse, vectors
from graphrag_tasks.pipeline.state import RunState


def _collect(state: RunState) -> StageResult:
    from graphrag_tasks.pipeline.merge import PRODUCES, collect

    folders = [state.shard_folder(shard) for shard in state.shards]
    processed = {name: [one.scan_table(name) for one in folders] for name in PRODUCES}
    published = {
        name: [state.parent.folder.scan_table(name)] if state.parent else [] for name in PRODUCES
    }
    return collect(state.sources, processed, published, config=state.config.collect)


def _gazetteer(state: RunState) -> StageResult:
    from graphrag_tasks.entities.dictionary import gazetteer

    return gazetteer(
        state.staged.read_table("documents", ["document_id", "title", "title_source"]),
        state.staged.scan_table("blocks"),
        state.staged.scan_table("cells"),
        state.staged.scan_table("chunks"),
        config=state.config.gazetteer,
        sql=state.config.sql,
    )


def _normalize(state: RunState) -> StageResult:
    from graphrag_tasks.entities.normalize import normalize

    return normalize(
        state.staged.scan_table("triples"),
        state.staged.scan_table("gazetteer"),
        config=state.config.normalize,
        sql=state.config.sql,
    )


def _resolve(state: RunState) -> StageResult:
    from graphrag_tasks.entities.resolve import resolve

    return resolve(
        state.staged.scan_table("triples"),
        state.staged.scan_table("gazetteer"),
        state.staged.scan_table("surfaces"),
        state.staged.scan_table("names"),
        config=state.config.resolve,
        sql=state.config.sql,
        overrides=state.files.parsed_overrides(state.config),
    )


def _mention(state: RunState) -> StageResult:
    from graphrag_tasks.entities.link_mentions import mention

    return mention(
        state.staged.scan_table("triples"),
        state.staged.scan_table("sentences"),
        state.staged.scan_table("gazetteer"),
        state.staged.scan_table("surfaces"),
        state.staged.scan_table("names"),
        state.staged.scan_table("resolved"),
        config=state.config.mention,
        sql=state.config.sql,
    )


def _relate(state: RunState) -> StageResult:
    from graphrag_tasks.graph.relationships import relate

    return relate(
        state.staged.scan_table("triples"),
        state.staged.scan_table("surfaces"),
        state.staged.scan_table("resolved"),
        sql=state.config.sql,
        schema=state.files.parsed_schema(state.config),
    )


def _communities(state: RunState) -> StageResult:
    from graphrag_tasks.graph import communities as finding

    parent = state.parent
    known = parent and reuse.is_whole(parent, ("communities",))
    return finding.communities(
        {name: state.staged.scan_table(name) for name in finding.REQUIRES},
        config=state.config.communities,
        graph=state.config.graph,
        sql=state.config.sql,
        summarizer=finding.ExtractiveSummarizer(),
        published=parent.table("communities") if parent and known else None,
    )


def _embed(state: RunState) -> StageResult:
    from graphrag_tasks import embed as embedding

    parent, reusable = state.parent, dict[str, pa.Table]()
    if (
        parent
        and parent.manifest.embedding == vectors.identity(state.config)
        and reuse.is_whole(parent, embedding.PRODUCES)
    ):
        reusable = {name: parent.table(name) for name in embedding.PRODUCES}
    return embedding.embed(
        state.staged.read_table("chunks", ["chunk_id", "text", "heading_path"]),
        state.staged.read_table("entities", ["entity_id", "name"]),
        state.staged.read_table("relations", ["relation_id", "text"]),
        embedder=embedding.make_embedder(state.config.embed),
        heading_path=state.config.embed.heading_path,
        reusable=reusable,
    )


def _load(state: RunState) -> StageResult:
    from graphrag_tasks.graph.load import load

    result = load(
        state.staged.read_table("documents", ["document_id", "title", "title_source"]),
        state.staged.scan_table("chunks"),
        state.staged.read_table("entities", ["entity_id"]),
        state.staged.scan_table("relations"),
        state.staged.scan_table("mentions"),
        state.staged.scan_table("titles"),
        state.staged.read_table("links"),
        state.staged.read_table("anchors"),
        config=state.config.graph,
        sql=state.config.sql,
    )
    inserted = vectors.serve(state.config, state.store.folder, state.staged)
    return replace(result, stats={**result.stats, "vectors_inserted": inserted})


CorpusStage = Callable[[RunState], StageResult]
"""A stage on the staged tables of the whole corpus."""

CORPUS_STAGES: Mapping[str, CorpusStage] = MappingProxyType(
    {
        "collect": _collect,
        "gazetteer": _gazetteer,
        "normalize": _normalize,
        "resolve": _resolve,
        "mention": _mention,
        "relate": _relate,
        "communities": _communities,
        "embed": _embed,
        "load": _load,
    }
)
"""Stages that see the whole corpus, in order."""
