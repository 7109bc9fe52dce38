"""The stages of a run, in order: fingerprints, snapshot tables and DAG tasks follow from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphrag_tasks.chunk import chunk
from graphrag_tasks.chunk.filter_sentences import filter_sentences
from graphrag_tasks.core.schemas import OF_SHARDS_ONLY
from graphrag_tasks.core.stage import Stage, stage, table
from graphrag_tasks.embed.stage import embed
from graphrag_tasks.entities.dictionary import entity_dictionary
from graphrag_tasks.entities.link_mentions import link_mentions
from graphrag_tasks.entities.normalize import normalize
from graphrag_tasks.entities.resolve import resolve
from graphrag_tasks.extract import extract
from graphrag_tasks.extract.llm import adopt, ask
from graphrag_tasks.graph.communities import communities
from graphrag_tasks.graph.load import load
from graphrag_tasks.graph.relationships import relationships
from graphrag_tasks.parse import parse
from graphrag_tasks.pipeline import merging
from graphrag_tasks.versions import versions

AnyStage = Stage[Any]

_OF_DOCUMENTS: tuple[AnyStage, ...] = (parse, chunk, filter_sentences, extract)
_OF_MODELS: tuple[AnyStage, ...] = (ask, adopt)
_OF_SHARDS = (*_OF_DOCUMENTS, *_OF_MODELS)

merge_shards = stage(
    per="corpus",
    reads=(table("sources"),),
    makes=tuple(name for step in _OF_SHARDS for name in step.makes if name not in OF_SHARDS_ONLY),
    settings={"config": "merge_shards"},
    given=("processed", "published", "replaces"),
)(merging.merge_shards)

STAGES: tuple[AnyStage, ...] = (
    *_OF_SHARDS, merge_shards, versions, entity_dictionary, normalize, resolve, link_mentions,
    relationships, communities, embed, load,
)  # fmt: skip
"""All stages, in the order of a run."""


def check_order(stages: Sequence[AnyStage]) -> None:
    """Refuse an impossible order of stages, which start from the table `sources`."""
    makers: dict[str, str] = {}
    of_stages = {name: step.name for step in stages for name in step.makes}
    there = {"sources"}
    for step in stages:
        for needed in step.reads:
            if needed.name not in there:
                maker = of_stages.get(needed.name)
                why = f"{maker} makes it, but runs later" if maker else "no stage makes it"
                raise ValueError(f"the stage {step.name} reads '{needed.name}': {why}")
        for name in step.makes:
            other = makers.setdefault(f"{step.per} {name}", step.name)
            if other != step.name:
                raise ValueError(f"the stages {other} and {step.name} both make '{name}'")
            there.add(name)


check_order(STAGES)

SHARD_STAGES: Mapping[str, AnyStage] = {step.name: step for step in _OF_DOCUMENTS}
"""Stages that see the documents of one shard, in order."""
MODEL_STAGES: Mapping[str, AnyStage] = {step.name: step for step in _OF_MODELS}
"""Model stages, after the shard stages: `ask` runs once for all shards, `adopt` on each."""
STAGES_OF_SHARDS: Mapping[str, AnyStage] = {**SHARD_STAGES, **MODEL_STAGES}  # Shard and model stages, in order.
CORPUS_STAGES: Mapping[str, AnyStage] = {one.name: one for one in STAGES if one.per == "corpus"}
"""Stages that see the whole corpus, in order."""


def first_changed(before: Mapping[str, str], after: Mapping[str, str]) -> str | None:
    """Return the first shard stage whose fingerprint changed, or None.

    What a model reads is not part of a snapshot, so if only that changed, extraction runs again.
    """
    for name in STAGES_OF_SHARDS:
        if before.get(name) != after.get(name):
            return name if name in SHARD_STAGES else extract.name
    return None
