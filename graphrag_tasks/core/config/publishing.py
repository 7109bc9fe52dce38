"""Settings of what happens to a finished index."""

from __future__ import annotations

from pydantic import Field

from graphrag_tasks.core.config.base import BaseConfig


class LoadConfig(BaseConfig):
    """Where vectors go beside the snapshot."""

    vector_store: str = Field(
        "milvus_lite", description="Milvus in a folder of the store, a server, or nothing"
    )
    milvus_uri: str = Field(
        "http://127.0.0.1:19530",
        description="of the server; its token comes from GRAPHRAG_MILVUS_TOKEN",
    )
    batch_rows: int = Field(2000, gt=0, description="rows per insert")
    retry_seconds: float = Field(
        60, ge=0, description="how long a request that fails is made again"
    )


class QualityConfig(BaseConfig):
    """How much worse than the published snapshot a new one may be (see `quality`)."""

    questions: str | None = Field(
        None, description="JSON lines of questions with known sources, asked before each publish"
    )
    mode: str = Field("auto", description="search mode that the questions are asked in")
    min_sentences: int = Field(
        200, ge=0, description="sentences read of a corpus, below which its graph is not compared"
    )
    minimum_recall: float = Field(0, ge=0, le=1, description="least Recall@5 of the questions")
    max_recall_drop: float = Field(0.05, ge=0, le=1, description="fall of Recall@5")
    max_triples_drop: float = Field(
        0.3, ge=0, le=1, description="share that triples per sentence may fall by"
    )
    max_orphan_rise: float = Field(0.1, ge=0, le=1, description="rise of the share of orphans")
    max_component_drop: float = Field(
        0.2, ge=0, le=1, description="fall of the share of entities in the largest component"
    )
    max_merge_rise: float = Field(0.1, ge=0, le=1, description="rise of merges per name")
    allow_drop: bool = Field(False, description="publish all the same, and say what fell")


class RetentionConfig(BaseConfig):
    """What is kept of the past, for a rollback."""

    keep: int = Field(5, ge=0, description="snapshots kept beside the current one")
    staging_days: float = Field(
        7, gt=0, description="days after which the work of a killed run is given up"
    )
