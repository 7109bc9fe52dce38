"""Settings of the stages that see the whole corpus, from merged shards to vectors."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from graphrag_tasks.core.config.base import BaseConfig


class MergeConfig(BaseConfig):
    """How many documents may fail before the run does."""

    changes_no_row = frozenset({"max_failed_share"})

    max_failed_share: float = Field(
        0.2, ge=0, le=1, description="share of documents that could be read before and may fail"
    )


# Stages that see the whole corpus


class DomainConfig(BaseConfig):
    """What the technical names of the documents' field look like."""

    changes_no_row = frozenset({"file", "gazetteers"})  # what they say is counted

    file: str | None = Field(None, description="YAML file or URI; SAP and ABAP by default")
    gazetteers: str | None = Field(None, description="folder or URI of lists: files TYPE.txt, a name per line")


class ResolveConfig(BaseConfig):
    """When two names are one entity."""

    changes_no_row = frozenset({"overrides"})  # what the file says is counted

    overrides: str | None = Field(None, description="YAML file or URI with the user's last word")
    confirm: bool = Field(False, description="ask llm.model about similar names and unsure pairs")


class RelationshipsConfig(BaseConfig):
    """Which relations there may be."""

    changes_no_row = frozenset({"schema_file"})  # what the file says is counted

    schema_file: str | None = Field(
        None, description="YAML file or URI with an expert's schema; approved: the store's ontology"
    )
    min_confidence: float = Field(
        0.38, ge=0, lt=1, description="facts below it are no relations; higher: fewer facts, more of them right"
    )


class CommunitiesConfig(BaseConfig):
    """Leiden communities of the entity graph, and what their summaries may draw on."""

    resolutions: tuple[float, ...] = Field(
        (1.0, 4.0, 16.0),
        min_length=1,
        description="rising: coarse communities first; higher ones give smaller communities",
    )
    summarizer: str = Field("extractive", description="a name from the registry of summarizers")

    @model_validator(mode="after")
    def _resolutions_rise(self) -> CommunitiesConfig:
        if list(self.resolutions) != sorted(set(self.resolutions)) or self.resolutions[0] <= 0:
            raise ValueError("resolutions must be positive and rise")
        return self


class EmbedConfig(BaseConfig):
    """The embedding model of chunks, entities and relations."""

    changes_no_row = frozenset({"threads"})

    embedder: str = Field("local", description="a name from the registry of embedders")
    model: str = Field("technical_minilm", description="built-in model, model package or folder")
    threads: int = Field(0, ge=0, description="0: as many as there are cores")
    engine: Literal["auto", "openvino", "onnxruntime"] = Field(
        "auto",
        description="auto: openvino where it is installed and computes in bfloat16; name one where machines differ",
    )
    base_url: str = Field("", description="embedder endpoint: its address; llm.base_url")
    dimensions: int = Field(0, ge=0, description="embedder endpoint: length of a vector; known")
    query_prompt: str = Field("", description="embedder endpoint: what goes before a question")
    passage_prompt: str = Field("", description="embedder endpoint: what goes before a passage")


# What happens to a finished index


class LoadConfig(BaseConfig):
    """Where vectors go beside the snapshot."""

    vector_store: str = Field(
        "none",
        description="none, milvus, milvus_lite (in the store); auto: milvus_lite where it is "
        "installed and the store is a folder, else none",
    )
    milvus_uri: str = Field(
        "http://127.0.0.1:19530", description="of the server; its token comes from GRAPHRAG_MILVUS_TOKEN"
    )
