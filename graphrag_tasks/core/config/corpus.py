"""Settings of the stages that see the whole corpus, from merged shards to vectors."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from graphrag_tasks.core.config.base import BaseConfig
from graphrag_tasks.core.config.reading import LanguageConfig


class MergeConfig(BaseConfig):
    """How many documents may fail before the run does."""

    changes_no_row = frozenset({"max_failed_share"})

    max_failed_share: float = Field(
        0.2, ge=0, le=1, description="share of readable documents that may fail"
    )


# Stages that see the whole corpus


class DictionaryConfig(BaseConfig):
    """Which titles and headings are names."""

    repeated_documents: int = Field(
        5, gt=1, description="documents from which on a heading they share names nothing"
    )


class DomainConfig(BaseConfig):
    """What the technical names of the documents' field look like."""

    changes_no_row = frozenset({"file", "gazetteers"})  # what they say is counted

    file: str | None = Field(None, description="YAML file or URI; SAP and ABAP by default")
    gazetteers: str | None = Field(
        None, description="folder or URI of lists: files TYPE.txt, a name per line"
    )


class NormalizeConfig(LanguageConfig):
    """Which triples become edges (paper: heads and tails under 2 characters are dropped)."""

    min_characters: int = Field(2, ge=1, description="shortest name that may become an entity")
    max_characters: int = Field(120, ge=1, description="longer heads and tails are clauses")
    max_words: int = Field(8, ge=1, description="heads and tails of more words are clauses")
    term_contrast: float = Field(
        4.0,
        description="how many doublings more often than general English a bare noun that names "
        "something is used; the others name nothing where many documents or sentences have them",
    )


class ResolveConfig(LanguageConfig):
    """When two names are one entity."""

    changes_no_row = frozenset({"overrides"})  # what the file says is counted

    same_score: float = Field(0.8, gt=0, le=1, description="pairs from this score on are merged")
    unsure_score: float = Field(0.5, gt=0, le=1, description="pairs from this score on are unsure")
    overrides: str | None = Field(None, description="YAML file or URI with the user's last word")
    confirm: bool = Field(False, description="ask llm.model about similar names and unsure pairs")
    similar_score: float = Field(
        0.85, gt=0, le=1, description="cosine from which names are similar, where it is asked"
    )


class LinkConfig(LanguageConfig):
    """What is a mention of an entity, beside the heads and tails of triples."""

    names: bool = Field(True, description="also find the known names in the text")


class RelationshipsConfig(BaseConfig):
    """Which relations there may be."""

    schema_file: str | None = Field(
        None, description="YAML file or URI with an expert's schema; approved: the store's ontology"
    )


class SqlConfig(BaseConfig):
    """What runs the stages that see the whole corpus, and what they may use of this machine.

    More memory than they may use is spilled to disk. Both engines make the same rows, so that the
    engine is in no fingerprint.
    """

    changes_no_row = frozenset({"memory_bytes", "threads", "engine", "spark_master"})

    engine: Literal["duckdb", "spark"] = Field(
        "duckdb",
        description="spark: normalize and relationships run on Spark, all else on DuckDB",
    )
    spark_master: str = Field(
        "",
        description="Spark's master, or sc://host:port; empty: SPARK_REMOTE, else this machine",
    )
    memory_bytes: int = Field(3_000_000_000, ge=100_000_000, description="memory of one query")
    threads: int = Field(2, gt=0, description="threads of one query")


class GraphConfig(BaseConfig):
    """How edges are weighed."""

    degree_cap: int = Field(200, gt=0, description="an entity's relations beyond it count for less")


class CommunitiesConfig(BaseConfig):
    """Leiden communities of the entity graph, and what their summaries may draw on."""

    resolutions: tuple[float, ...] = Field(
        (0.5, 2.0, 8.0), min_length=1, description="rising: coarse communities first"
    )
    min_members: int = Field(3, gt=0, description="smaller communities are left out")
    seed: int = Field(0, ge=0, description="of the algorithm's random moves")
    summarizer: str = Field("extractive", description="a name from the registry of summarizers")
    max_entities: int = Field(8, gt=0, description="entities a summary names")
    max_relations: int = Field(6, gt=0, description="relations a summary names")
    max_sentences: int = Field(3, gt=0, description="sentences a summary quotes")

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
    second_model: str = Field("", description="its vectors are joined to the first's; none")
    second_weight: float = Field(
        0.7, gt=0, lt=1, description="of the second model's cosine in the mean of both"
    )
    max_tokens: int = Field(512, ge=8, description="longer texts are embedded in windows")
    threads: int = Field(0, ge=0, description="0: as many as there are cores")
    engine: Literal["auto", "openvino", "onnxruntime"] = Field(
        "auto", description="auto: openvino where it is installed and computes in bfloat16"
    )
    heading_path: bool = Field(True, description="embed chunks below the headings that they lack")
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
        "http://127.0.0.1:19530",
        description="of the server; its token comes from GRAPHRAG_MILVUS_TOKEN",
    )
    index_type: Literal["FLAT", "AUTOINDEX", "HNSW", "IVF_FLAT", "DISKANN"] = Field(
        "FLAT", description="Milvus's index of a new collection; FLAT compares all rows"
    )
    metric: Literal["IP", "COSINE"] = Field(
        "IP", description="of a new collection; both order unit vectors alike"
    )
    batch_rows: int = Field(2000, gt=0, description="rows per request by key")
    retry_seconds: float = Field(60, ge=0, description="how long a failed request is repeated")
