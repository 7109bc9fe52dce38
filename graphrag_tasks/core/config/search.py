"""Settings of search."""

from __future__ import annotations

from pydantic import Field

from graphrag_tasks.core.config.base import BaseConfig


class RerankConfig(BaseConfig):
    """A second reading: a reranker reads the first chunks of a ranking with the question."""

    candidates: int = Field(
        20, ge=0, le=200, description="first chunks that are reranked, but those far behind; fewer are faster, 0: none"
    )
    reranker: str = Field("local", description="a name from the registry of rerankers")
    model: str = Field("technical_reranker", description="built-in model, model package or folder")


class RetrievalConfig(BaseConfig):
    """Parameters of search: of the paper's Algorithm 2, and of the modes beside it."""

    vectors: str = Field(
        "arrays", description="arrays: mapped from the snapshot; or a vector store, as milvus: dense and hybrid"
    )
    k: int = Field(5, gt=0, description="chunks returned, with 2k relations")
    rerank: RerankConfig = RerankConfig()
