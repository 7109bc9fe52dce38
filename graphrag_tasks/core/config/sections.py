"""The configuration of a run, and its sections that no stage reads."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints, model_validator

from graphrag_tasks.core.config.base import BaseConfig
from graphrag_tasks.core.config.corpus import (
    CommunitiesConfig,
    DomainConfig,
    EmbedConfig,
    LoadConfig,
    MergeConfig,
    RelationshipsConfig,
    ResolveConfig,
)
from graphrag_tasks.core.config.llm import LlmConfig
from graphrag_tasks.core.config.reading import ChunkConfig, ExtractConfig, LanguageConfig, ParseConfig


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


LABEL_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}"
"""What an access label looks like: no quotes, blanks or brackets, so it is safe in a filter."""


Label = Annotated[str, StringConstraints(pattern=f"^{LABEL_PATTERN}$")]


class PlanConfig(BaseConfig):
    """What may change between runs, and how the work is cut into shards."""

    shard_bytes: int = Field(
        1_000_000, gt=0, description="shard size; smaller shards need less memory, larger ones fewer tasks"
    )
    parts: int = Field(4, gt=0, description="mapped tasks that embed is divided into; as many as there are workers")
    max_deleted_share: float = Field(0.5, ge=0, le=1, description="share of published documents that a run may lose")
    allow_mass_delete: bool = Field(False, description="publish although more than that is gone")
    full_refresh: bool = Field(False, description="process every document again, as after an upgrade of a parser")


class QualityConfig(BaseConfig):
    """How much worse than the published snapshot a new one may be (see `quality`)."""

    questions: str | None = Field(
        None, description="JSON lines of questions with known sources, asked before each publish"
    )
    answers: bool = Field(False, description="also answer the questions, and judge the answers without a model")
    max_recall_drop: float = Field(
        0.05, ge=0, le=1, description="fall of Recall@5 that is published; raise it for few questions"
    )
    allow_drop: bool = Field(False, description="publish all the same, and say what fell")


class RetentionConfig(BaseConfig):
    """What is kept of the past, for a rollback."""

    keep: int = Field(5, ge=0, description="snapshots kept beside the current one")


# Access labels (see `graphrag_tasks.sources.labels`) and readers


class AccessRule(BaseConfig):
    """The labels of the documents at some paths."""

    path: str = Field(min_length=1, description="below the source's root: * in a folder, ** in all")
    labels: tuple[Label, ...] = Field(description="labels they get; none: nobody sees them")
    source: str | None = Field(None, description="name of the source; all by default")
    optional: bool = Field(False, description="it may fit no document; else that stops a run")


class AccessConfig(BaseConfig):
    """Labels of documents; off, everybody sees everything."""

    enabled: bool = Field(False, description="documents have labels, and readers principals")
    rules: tuple[AccessRule, ...] = Field((), description="the first whose path fits counts")
    default: tuple[Label, ...] = Field(
        (), description="labels where no file and no rule says any; none: nobody sees them"
    )
    allow_disable: bool = Field(False, description="publish for everybody what had labels")

    @model_validator(mode="after")
    def _rules_are_used(self) -> AccessConfig:
        if not self.enabled and (self.rules or self.default):
            raise ValueError("access.rules or access.default is set, but access.enabled is not")
        return self


class PagesConfig(BaseConfig):
    """What the pages show beside the store, and where they keep judged answers."""

    principals: tuple[Label, ...] | None = Field(
        None, description="labels that every viewer holds; unset: snapshots with labels are hidden"
    )
    questions: str | None = Field(
        None, description="JSON lines that judged answers go to; questions.jsonl in a local store"
    )
    stores: tuple[str, ...] = Field((), description="folders or URIs of stores that the pages show beside `store`")


class Config(BaseConfig):
    """Everything a run needs."""

    store: str = Field("store", description="folder or URI the snapshots are published under")
    sources: tuple[str, ...] = Field(
        (), description="folders, files or URIs; NAME=URI names one; none: those of the store"
    )
    plan: PlanConfig = PlanConfig()
    parse: ParseConfig = ParseConfig()
    chunk: ChunkConfig = ChunkConfig()
    language: LanguageConfig = LanguageConfig()
    extract: ExtractConfig = ExtractConfig()
    merge_shards: MergeConfig = MergeConfig()
    domain: DomainConfig = DomainConfig()
    resolve: ResolveConfig = ResolveConfig()
    relationships: RelationshipsConfig = RelationshipsConfig()
    llm: LlmConfig = LlmConfig()
    communities: CommunitiesConfig = CommunitiesConfig()
    embed: EmbedConfig = EmbedConfig()
    load: LoadConfig = LoadConfig()
    quality: QualityConfig = QualityConfig()
    retention: RetentionConfig = RetentionConfig()
    access: AccessConfig = AccessConfig()
    pages: PagesConfig = PagesConfig()
    retrieval: RetrievalConfig = RetrievalConfig()
